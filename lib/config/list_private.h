/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What the files about lists share. Internal to lib/config. */

#ifndef LIST_PRIVATE_H
#define LIST_PRIVATE_H

#include "fcn_list.h"

/** A command that was created from a list; commands get it by fcn_args_data(). */
struct list_command {
	const struct fcn_list *list;
	unsigned int form;
};

/** Loop over the members of things of a list. */
#define LIST_FOREACH_MEMBER(m, list)                            \
	for (const struct fcn_list_member *m = (list)->members; \
			m < (list)->members + (list)->n_members; m++)

/** Get things of a list: their number, and one by its index. */
size_t list_count(const struct fcn_config *cfg, const struct fcn_list *list);
void *list_at(const struct fcn_config *cfg, const struct fcn_list *list, size_t i);

/** Tell whether things of a form have a member. */
static inline bool
list_form_has(const struct fcn_list_member *m, unsigned int form)
{
	return m->forms == 0 || (m->forms >> form & 1) != 0;
}

/** Get the form of a thing. */
unsigned int list_form_of(const struct fcn_list *list, const void *thing);

/** Tell whether a value is a reference. */
static inline bool
list_is_reference(const struct fcn_setting_value *v)
{
	return v->type == FCN_SETTING_PORT || v->type == FCN_SETTING_TABLE ||
	       v->type == FCN_SETTING_POLICY;
}

/** Set the members of a thing to their defaults; all other bytes are 0. */
void list_defaults(const struct fcn_list *list, void *thing);

/** Read a member from the line. @return 0; a negative errno after fcn_command_error() */
int list_read(const struct fcn_config *cfg, const struct fcn_args *args,
		const struct fcn_list_member *m, void *thing);

/** Check a member. @return 0 if it is valid; -EINVAL after fcn_list_refuse() */
int list_check_member(
		const struct fcn_list_member *m, const void *thing, struct fcn_list_error *error);

/** Find the thing with the keys of another, in a list that is not shared afterwards. @return 0;
 * -ENOENT after fcn_list_refuse(); -ENOMEM */
int list_find_own(struct fcn_config *cfg, const struct fcn_list *list, const void *thing,
		void **found, struct fcn_list_error *error);

/** Tell whether two things have the same member. */
bool list_is_same(const struct fcn_list_member *m, const void *a, const void *b);

/** Write a member as saved configurations have it, without its word. */
void list_write(const struct fcn_config *cfg, const struct fcn_list_member *m, const void *thing,
		FILE *out);

/** As list_write(), into text, which is cut off at size - 1 characters. It is empty on lack of
 * memory, which names, numbers and references do not need. */
void list_text(const struct fcn_config *cfg, const struct fcn_list_member *m, const void *thing,
		char *text, size_t size);

/** Write a member as a JSON value. @return a new reference; NULL on lack of memory */
json_t *list_json(const struct fcn_config *cfg, const struct fcn_list_member *m, const void *thing);

#endif /* LIST_PRIVATE_H */
