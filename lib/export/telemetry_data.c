/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fcn_compat.h"
#include "telemetry.h"

/* The reply also contains the name of the command. */
#define ROOM (FCN_TELEMETRY_MAX - 128)

/* The end of a text that was shortened. */
#define CUT "..."

static int put_dict(struct rte_tel_data *data, const json_t *object);
static int put_array(struct rte_tel_data *data, const json_t *array);

/* An object or a list within another has its own data, which DPDK frees with the outer one. */
static int
make_container(const json_t *value, struct rte_tel_data **made)
{
	struct rte_tel_data *data = rte_tel_data_alloc();
	int rc;

	if (data == NULL)
		return -ENOMEM;
	rc = json_is_object(value) ? put_dict(data, value) : put_array(data, value);
	if (rc != 0)
		rte_tel_data_free(data);
	else
		*made = data;
	return rc;
}

/* Telemetry has room for short texts only. A longer text is cut between two characters of UTF-8. */
static const char *
short_text(const json_t *v, char room[RTE_TEL_MAX_STRING_LEN])
{
	const char *text = json_string_value(v);
	size_t n = RTE_TEL_MAX_STRING_LEN - sizeof(CUT);

	if (json_string_length(v) < RTE_TEL_MAX_STRING_LEN)
		return text;
	while (n > 0 && ((uint8_t)text[n] & 0xC0) == 0x80)
		n--;
	memcpy(room, text, n);
	strcpy(room + n, CUT);
	return room;
}

static int
put_member(struct rte_tel_data *data, const char *key, const json_t *v)
{
	struct rte_tel_data *inner;
	char text[RTE_TEL_MAX_STRING_LEN];
	int rc;

	switch (json_typeof(v)) {
	case JSON_NULL:
		return 0;
	case JSON_TRUE:
	case JSON_FALSE:
		return fcn_tel_add_dict_uint(data, key, json_is_true(v));
	case JSON_INTEGER:
		if (json_integer_value(v) < 0)
			return rte_tel_data_add_dict_int(data, key, json_integer_value(v));
		return fcn_tel_add_dict_uint(data, key, json_integer_value(v));
	case JSON_REAL:
		snprintf(text, sizeof(text), "%.9g", json_real_value(v));
		return rte_tel_data_add_dict_string(data, key, text);
	case JSON_STRING:
		return rte_tel_data_add_dict_string(data, key, short_text(v, text));
	default:
		rc = make_container(v, &inner);
		return rc != 0 ? rc : rte_tel_data_add_dict_container(data, key, inner, 0);
	}
}

static int
put_dict(struct rte_tel_data *data, const json_t *object)
{
	const char *key;
	json_t *v;
	int rc = rte_tel_data_start_dict(data);

	json_object_foreach ((json_t *)(uintptr_t)object, key, v) {
		if (rc == 0)
			rc = put_member(data, key, v);
	}
	return rc;
}

/* Telemetry's lists hold only strings or only numbers. */
static bool
is_list_of_scalars(const json_t *array)
{
	const json_t *first = json_array_get(array, 0);

	return first == NULL || json_is_string(first) || json_is_integer(first);
}

static int
put_item(struct rte_tel_data *data, const json_t *v)
{
	char text[RTE_TEL_MAX_STRING_LEN];

	return json_is_string(v) ? rte_tel_data_add_array_string(data, short_text(v, text))
				 : fcn_tel_add_array_uint(data, json_integer_value(v));
}

/* Put any other list as an object, whose first member is "0". */
static int
put_numbered(struct rte_tel_data *data, const json_t *array)
{
	int rc = rte_tel_data_start_dict(data);
	char key[24];
	size_t i;
	json_t *v;

	json_array_foreach (array, i, v) {
		snprintf(key, sizeof(key), "%zu", i);
		if (rc == 0)
			rc = put_member(data, key, v);
	}
	return rc;
}

static int
put_array(struct rte_tel_data *data, const json_t *array)
{
	bool numbers = json_is_integer(json_array_get(array, 0));
	size_t i;
	json_t *v;
	int rc;

	if (!is_list_of_scalars(array))
		return put_numbered(data, array);
	rc = rte_tel_data_start_array(data, numbers ? FCN_TEL_UINT : RTE_TEL_STRING_VAL);
	json_array_foreach (array, i, v) {
		if (rc == 0)
			rc = put_item(data, v);
	}
	return rc;
}

static bool
is_possible_key(const char *key)
{
	size_t len = strspn(
			key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/");

	return len > 0 && len < RTE_TEL_MAX_STRING_LEN && key[len] == '\0';
}

static bool is_possible(const json_t *value);

static bool
is_possible_list(const json_t *array)
{
	bool scalars = is_list_of_scalars(array);
	const json_t *first = json_array_get(array, 0);
	size_t i;
	json_t *v;

	if (json_array_size(array) >
			(scalars ? RTE_TEL_MAX_ARRAY_ENTRIES : RTE_TEL_MAX_DICT_ENTRIES))
		return false;
	json_array_foreach (array, i, v) {
		if (scalars && (json_typeof(v) != json_typeof(first) ||
					       (json_is_integer(v) && json_integer_value(v) < 0)))
			return false;
		if (!is_possible(v))
			return false;
	}
	return true;
}

/* Whether telemetry can hold the value. This is checked first: data cannot be removed again. */
static bool
is_possible(const json_t *value)
{
	const char *key;
	json_t *v;

	if (json_is_integer(value))
		return json_integer_value(value) >= INT32_MIN;
	if (json_is_array(value))
		return is_possible_list(value);
	if (json_object_size(value) > RTE_TEL_MAX_DICT_ENTRIES)
		return false;
	json_object_foreach ((json_t *)(uintptr_t)value, key, v) {
		if (!is_possible_key(key) || !is_possible(v))
			return false;
	}
	return true;
}

static int
put_error(struct rte_tel_data *data, const char *text)
{
	int rc = rte_tel_data_start_dict(data);

	return rc != 0 ? rc : rte_tel_data_add_dict_string(data, "error", text);
}

/* Bytes that the reply may have beyond compact JSON: names of list items, quotes of numbers. */
static size_t
overhead(const json_t *value)
{
	size_t sum = json_is_real(value) ? 2 : 0, i;
	const char *key;
	json_t *v;

	if (json_is_array(value) && !is_list_of_scalars(value))
		sum += json_array_size(value) * strlen("\"255\":");
	json_object_foreach ((json_t *)(uintptr_t)value, key, v)
		sum += overhead(v);
	json_array_foreach (value, i, v)
		sum += overhead(v);
	return sum;
}

int
fcn_telemetry_put(struct rte_tel_data *data, const json_t *value)
{
	size_t size = json_dumpb(value, NULL, 0, JSON_COMPACT) + overhead(value);
	char text[RTE_TEL_MAX_STRING_LEN];

	if (size > ROOM) {
		snprintf(text, sizeof(text),
				"%zu bytes are more than telemetry sends: ask for less, or the "
				"console",
				size);
		return put_error(data, text);
	}
	if (!is_possible(value))
		return put_error(data, "the answer is too long for telemetry, or has a form that "
				       "telemetry does not support: use the console");
	return json_is_object(value) ? put_dict(data, value) : put_array(data, value);
}
