/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What the files about settings share. Internal to lib/config. */

#ifndef SETTING_PRIVATE_H
#define SETTING_PRIVATE_H

#include "fcn_setting.h"

/** A command that was created from a setting; commands get it by fcn_args_data(). */
struct setting_command {
	const struct fcn_setting_scope *scope;
	const struct fcn_setting *setting;
	int of; /**< index of the value in whose place a special word stands; -1: there is no such
		 * word
		 */
	int special; /**< index of that word */
};

#define SETTING_TEXT 64 /**< size of the longest text of a value */

/** Loop over the values of a setting. */
#define SETTING_FOREACH_VALUE(v, s)                          \
	for (const struct fcn_setting_value *v = (s)->value; \
			v < (s)->value + FCN_SETTING_VALUES && v->type != FCN_SETTING_NONE; v++)

/** Append to a text as far as there is room. */
void setting_append(char *to, size_t size, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

/** Append the syntax of a value: its word and "<key:type>", or the word alone. */
void setting_append_value(char *syntax, size_t size, const struct fcn_setting_value *v);

/** Read a number from the line, and check its range. @return 0; a negative errno after
 * fcn_command_error() */
int setting_read_number(
		const struct fcn_args *args, const struct fcn_setting_value *v, uint64_t *value);

/** Write a number, or bytes, as a JSON value. */
json_t *setting_number_json(const struct fcn_setting_value *v, uint64_t value);
json_t *setting_bytes_json(const struct fcn_setting_value *v, const void *member);

/** Read a member of 1, 2, 4 or 8 bytes, as fcn_command_store() writes it. */
uint64_t setting_load(const void *object, size_t offset, size_t size);

/** Tell whether a value is stored as bytes, and not as a number. */
static inline bool
setting_is_bytes(const struct fcn_setting_value *v)
{
	return v->type >= FCN_SETTING_NAME;
}

/** Read and write a value that is a number. */
uint64_t setting_get(const void *object, const struct fcn_setting_value *v);
void setting_put(void *object, const struct fcn_setting_value *v, uint64_t value);

/** Tell whether an object has a value, of which only the bits that fit the member are compared. Of
 * bytes: tell whether there is none. */
bool setting_is(const void *object, const struct fcn_setting_value *v, uint64_t value);

/** Tell whether a setting is the one that the object has selected. It is if it selects nothing. */
bool setting_is_selected(const struct fcn_setting *s, const void *object);

/** Get the special word that stands for the value of an object; NULL: none does. */
const struct fcn_setting_special *setting_special(
		const void *object, const struct fcn_setting_value *v);

/** Write a number as saved configurations have it. @return the text, which may be in buf */
const char *setting_text(const struct fcn_setting_value *v, uint64_t value, char *buf, size_t size);

/** Write a MAC address. @return text */
const char *setting_mac_text(const struct rte_ether_addr *mac, char text[RTE_ETHER_ADDR_FMT_SIZE]);

/** Write bytes as saved configurations have them. */
void setting_write_bytes(const struct fcn_setting_value *v, const void *object, FILE *out);

/** Write a number as people do: 1M for 1000000. @return the text, which may be in buf */
const char *setting_short_text(
		const struct fcn_setting_value *v, uint64_t value, char *buf, size_t size);

#endif /* SETTING_PRIVATE_H */
