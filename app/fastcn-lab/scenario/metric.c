/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"

/* Get an element of a list by its index. */
static const json_t *
place(const json_t *list, const char *text, size_t len)
{
	size_t n = 0;

	if (len == 0 || len > 9)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return NULL;
		n = 10 * n + (size_t)(text[i] - '0');
	}
	return json_array_get(list, n);
}

/*
 * Find the member that a path begins with. Names may contain dots, such as those of sub-interfaces,
 * so the longest name that matches is used.
 */
static const json_t *
child(const json_t *at, const char *path, size_t *len)
{
	const char *key;
	json_t *value;
	const json_t *found = NULL;
	size_t n;

	*len = strcspn(path, ".");
	if (json_is_array(at))
		return place(at, path, *len);
	json_object_foreach ((json_t *)(uintptr_t)at, key, value) {
		n = strlen(key);
		if (strncmp(path, key, n) != 0 || (path[n] != '\0' && path[n] != '.') ||
				(found != NULL && n < *len))
			continue;
		found = value;
		*len = n;
	}
	/* Scenarios may say "spray", which was the name of "generator". */
	if (found == NULL && strncmp(path, "spray.", 6) == 0)
		found = json_object_get(at, "generator");
	return found;
}

static void
append(char *err, size_t err_size, const char *separator, const char *text)
{
	size_t n = strlen(err);

	if (n < err_size)
		snprintf(err + n, err_size - n, "%s%s", separator, text);
}

/*
 * Make the error message, with the members that exist: "queue.s1.x: no such metric; queue.s1 has r,
 * h1".
 */
static void
name_members(const json_t *at, const char *path, size_t done, char *err, size_t err_size)
{
	const char *key, *separator = " ";
	json_t *value;
	size_t n = strlen(err);

	if (json_is_array(at)) {
		snprintf(err + n, err_size - n, "; %.*s has %zu members, counted from 0", (int)done,
				path, json_array_size(at));
		return;
	}
	if (!json_is_object(at) || json_object_size(at) == 0) {
		snprintf(err + n, err_size - n, "; %.*s has no members", (int)done, path);
		return;
	}
	if (done == 0)
		append(err, err_size, "; ", "there is");
	else
		snprintf(err + n, err_size - n, "; %.*s has", (int)done, path);
	json_object_foreach ((json_t *)(uintptr_t)at, key, value) {
		if (strlen(err) + strlen(key) + 8 > err_size) {
			append(err, err_size, separator, "...");
			return;
		}
		append(err, err_size, separator, key);
		separator = ", ";
	}
}

static int
number(const json_t *v, double *value)
{
	if (json_is_number(v))
		*value = json_number_value(v);
	else if (json_is_boolean(v))
		*value = json_is_true(v) ? 1 : 0;
	else if (json_is_array(v))
		*value = (double)json_array_size(v);
	else
		return -ENOENT;
	return 0;
}

int
lab_metric(const json_t *result, const char *path, double *value, char *err, size_t err_size)
{
	const json_t *at = result, *next;
	size_t done = 0, len;

	for (const char *p = path;; p += len + 1) {
		next = child(at, p, &len);
		if (next == NULL) {
			snprintf(err, err_size, "%s: no such metric", path);
			name_members(at, path, done, err, err_size);
			return -ENOENT;
		}
		at = next;
		done = (size_t)(p - path) + len;
		if (p[len] == '\0')
			break;
	}
	if (number(at, value) == 0)
		return 0;
	if (json_is_object(at)) {
		snprintf(err, err_size, "%s: is not a number", path);
		name_members(at, path, done, err, err_size);
	} else {
		snprintf(err, err_size, "%s: is not a number but \"%s\"", path,
				json_string_value(at) != NULL ? json_string_value(at) : "null");
	}
	return -ENOENT;
}

static unsigned int
take_number(const json_t *at, void (*take)(void *arg, double value), void *arg)
{
	double value;

	if (number(at, &value) != 0)
		return 0;
	take(arg, value);
	return 1;
}

/* Call take() with each number below `at` that matches the path. @return their number */
static unsigned int
take_all(const json_t *at, const char *path, void (*take)(void *arg, double value), void *arg)
{
	const json_t *next;
	unsigned int n = 0;
	size_t len;

	if (path[0] == '*' && (path[1] == '\0' || path[1] == '.')) {
		const char *key;
		json_t *member;
		size_t i;

		json_object_foreach ((json_t *)(uintptr_t)at, key, member)
			n += path[1] == '\0' ? take_number(member, take, arg)
					     : take_all(member, path + 2, take, arg);
		json_array_foreach ((json_t *)(uintptr_t)at, i, member)
			n += path[1] == '\0' ? take_number(member, take, arg)
					     : take_all(member, path + 2, take, arg);
		return n;
	}
	next = child(at, path, &len);
	if (next == NULL)
		return 0;
	return path[len] == '\0' ? take_number(next, take, arg)
				 : take_all(next, path + len + 1, take, arg);
}

int
lab_metrics(const json_t *result, const char *path, void (*take)(void *arg, double value),
		void *arg, char *err, size_t err_size)
{
	if (take_all(result, path, take, arg) > 0)
		return 0;
	snprintf(err, err_size, "%s: no such metric", path);
	return -ENOENT;
}
