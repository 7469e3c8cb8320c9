/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_common.h>

#include "fcn_log_lines.h"

#define NS_IN_S 1000000000u
#define NS_PER_MS 1000000u
#define TIME_SIZE 40

struct line {
	uint64_t epoch_ns;
	char text[FCN_LOG_LINE_MAX];
};

struct fcn_log_lines {
	pthread_mutex_t lock;
	uint64_t n; /* lines so far; line i is in element i % FCN_LOG_LINES */
	struct line line[FCN_LOG_LINES];
};

struct fcn_log_lines *
fcn_log_lines_create(void)
{
	struct fcn_log_lines *log = calloc(1, sizeof(*log));

	if (log != NULL)
		pthread_mutex_init(&log->lock, NULL);
	return log;
}

void
fcn_log_lines_free(struct fcn_log_lines *log)
{
	if (log == NULL)
		return;
	pthread_mutex_destroy(&log->lock);
	free(log);
}

/* Add one line, without its newline. The caller holds the lock. */
static void
add(struct fcn_log_lines *log, const char *text, size_t len, uint64_t epoch_ns)
{
	struct line *line = &log->line[log->n % FCN_LOG_LINES];

	if (len == 0)
		return;
	len = RTE_MIN(len, sizeof(line->text) - 1);
	for (size_t i = 0; i < len; i++)
		line->text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	line->text[len] = '\0';
	line->epoch_ns = epoch_ns;
	log->n++;
}

void
fcn_log_lines_add(struct fcn_log_lines *log, const char *text, size_t len, uint64_t epoch_ns)
{
	pthread_mutex_lock(&log->lock);
	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		const size_t n = end != NULL ? (size_t)(end - text) : len;

		add(log, text, n, epoch_ns);
		if (end == NULL)
			break;
		text += n + 1;
		len -= n + 1;
	}
	pthread_mutex_unlock(&log->lock);
}

static json_t *
show_line(const struct line *line)
{
	const time_t seconds = (time_t)(line->epoch_ns / NS_IN_S);
	char text[TIME_SIZE];
	struct tm tm;
	json_t *o = json_object();
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + len, sizeof(text) - len, ".%03uZ",
			(unsigned int)(line->epoch_ns % NS_IN_S / NS_PER_MS));
	json_object_set_new(o, "time", json_string(text));
	json_object_set_new(o, "message", json_string(line->text));
	return o;
}

json_t *
fcn_log_lines_show(struct fcn_log_lines *log, unsigned int last)
{
	json_t *list = json_array();
	uint64_t n = RTE_MIN(last, (unsigned int)FCN_LOG_LINES);

	if (log == NULL)
		return list;
	pthread_mutex_lock(&log->lock);
	n = RTE_MIN(n, log->n);
	for (uint64_t i = log->n - n; i < log->n; i++)
		json_array_append_new(list, show_line(&log->line[i % FCN_LOG_LINES]));
	pthread_mutex_unlock(&log->lock);
	return list;
}
