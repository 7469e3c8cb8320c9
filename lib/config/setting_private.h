/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What the files about settings share. */

#ifndef SETTING_PRIVATE_H
#define SETTING_PRIVATE_H

#include "fcn_setting.h"

/** Which command of a setting it is; what fcn_args_data() gives. */
struct setting_command {
	const struct fcn_setting_scope *scope;
	const struct fcn_setting *setting;
	int of;      /**< value that a special word is of; -1: each value is written */
	int special; /**< that word */
};

#define SETTING_TEXT 64

/** Visit the values of a setting. */
#define SETTING_FOREACH_VALUE(v, s)                          \
	for (const struct fcn_setting_value *v = (s)->value; \
			v < (s)->value + FCN_SETTING_VALUES && v->type != FCN_SETTING_NONE; v++)

/** A member of 1 to 8 bytes. */
uint64_t setting_load(const void *object, size_t offset, size_t size);
void setting_store(void *object, size_t offset, size_t size, uint64_t value);

/** A value that is not a name. */
uint64_t setting_get(const void *object, const struct fcn_setting_value *v);
void setting_put(void *object, const struct fcn_setting_value *v, uint64_t value);

/** Whether the object has the value; only the bits that its member has are compared. */
bool setting_is(const void *object, const struct fcn_setting_value *v, uint64_t value);

/** The special word that stands for what the object has; NULL: none does. */
const struct fcn_setting_special *setting_special(
		const void *object, const struct fcn_setting_value *v);

/** A value as `save` writes it. @return buf */
const char *setting_text(const struct fcn_setting_value *v, uint64_t value, char *buf, size_t size);

/** A value as a person writes it: 1M for 1000000. @return buf */
const char *setting_short_text(
		const struct fcn_setting_value *v, uint64_t value, char *buf, size_t size);

#endif /* SETTING_PRIVATE_H */
