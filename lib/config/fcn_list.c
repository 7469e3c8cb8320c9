/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Add things to lists and remove them. */

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "config_list.h"
#include "list_private.h"
#include "setting_private.h"

static const struct fcn_list_group *const groups[] = {
#define ADDRESS(name) &fcn_##name##_lists,
		FCN_LIST_GROUPS(ADDRESS)
#undef ADDRESS
};

/* The members of any FCN_CONFIG_LIST. */
struct elements {
	void *item;
	size_t n, room;
};

#define FOREACH_LIST(list)                                            \
	for (size_t g_ = 0; g_ < RTE_DIM(groups); g_++)               \
		for (const struct fcn_list *list = groups[g_]->lists; \
				list < groups[g_]->lists + groups[g_]->n_lists; list++)

static struct elements
elements_of(const struct fcn_config *cfg, const struct fcn_list *list)
{
	struct elements e;

	memcpy(&e, (const uint8_t *)cfg + list->offset, sizeof(e));
	return e;
}

static void
set_elements(struct fcn_config *cfg, const struct fcn_list *list, const struct elements *e)
{
	memcpy((uint8_t *)cfg + list->offset, e, sizeof(*e));
}

size_t
list_count(const struct fcn_config *cfg, const struct fcn_list *list)
{
	return elements_of(cfg, list).n;
}

void *
list_at(const struct fcn_config *cfg, const struct fcn_list *list, size_t i)
{
	return (uint8_t *)elements_of(cfg, list).item + i * list->size;
}

void
fcn_list_each(void (*visit)(const struct fcn_list *list, void *arg), void *arg)
{
	FOREACH_LIST(list)
	visit(list, arg);
}

const struct fcn_list *
fcn_list_of(const char *words)
{
	FOREACH_LIST(list)
	{
		if (strcmp(list->words, words) == 0)
			return list;
	}
	return NULL;
}

void
fcn_list_share_all(struct fcn_config *cfg)
{
	FOREACH_LIST(list)
	fcn_config_list_share(elements_of(cfg, list).item);
}

void
fcn_list_release_all(struct fcn_config *cfg)
{
	FOREACH_LIST(list)
	fcn_config_list_release(elements_of(cfg, list).item);
}

int
fcn_list_refuse(struct fcn_list_error *error, int rc, const char *key, const char *fmt, ...)
{
	va_list ap;

	if (error == NULL)
		return rc;
	error->key = key;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return rc;
}

/* Make sure that no other configuration shares the elements, and that there is room for more. */
static int
own(struct fcn_config *cfg, const struct fcn_list *list, size_t wanted)
{
	struct elements e = elements_of(cfg, list);
	int rc = fcn_config_list_own(&e.item, e.n, &e.room, list->size, wanted);

	if (rc == 0)
		set_elements(cfg, list, &e);
	return rc;
}

/* Remove a thing from a list that is not shared. The order is kept. */
static void
drop(struct fcn_config *cfg, const struct fcn_list *list, size_t i)
{
	struct elements e = elements_of(cfg, list);
	uint8_t *at = list_at(cfg, list, i);

	e.n--;
	memmove(at, at + list->size, (e.n - i) * list->size);
	set_elements(cfg, list, &e);
}

unsigned int
list_form_of(const struct fcn_list *list, const void *thing)
{
	for (unsigned int f = 0; f < list->n_forms; f++) {
		const struct fcn_list_form *form = &list->forms[f];
		const struct fcn_list_member *m = list->members;

		if (form->selects.size != 0) {
			if (setting_load(thing, form->selects.offset, form->selects.size) ==
					form->selects.value)
				return f;
			continue;
		}
		while (m->forms != 1u << f)
			m++;
		if (!setting_is(thing, &m->value, m->value.initial))
			return f;
	}
	return 0;
}

/* Tell whether two things have the same keys. @param any keys that may be left out do not count */
static bool
has_keys(const struct fcn_list *list, const void *a, const void *b, bool any)
{
	/* The last keys tell most things apart. */
	for (unsigned int i = list->n_members; i-- > 0;) {
		const struct fcn_list_member *m = &list->members[i];

		if (m->key && !(any && m->any) && !list_is_same(m, a, b))
			return false;
	}
	return true;
}

/* The key that errors are about: the last one that is not left out, and the only one for which
 * things are called by their values. */
static const struct fcn_list_member *
main_key(const struct fcn_list *list, bool *is_name)
{
	const struct fcn_list_member *key = NULL;
	unsigned int n = 0;

	LIST_FOREACH_MEMBER(m, list)
	{
		n += m->key;
		if (m->key && !m->value.optional && !m->any)
			key = m;
	}
	*is_name = n == 1 &&
		   (key->value.type == FCN_SETTING_NAME || key->value.type == FCN_SETTING_NUMBER);
	return key;
}

/* Tell whether keys that are left out have a meaning, so that something else may be there. */
static bool
has_options(const struct fcn_list *list)
{
	bool has = false;

	LIST_FOREACH_MEMBER(m, list)
	has |= m->key && m->value.optional && !list->repeats;
	return has;
}

/* Report that a thing is there already, or is not there. */
static int
say_there(const struct fcn_config *cfg, const struct fcn_list *list, const void *thing, int rc,
		struct fcn_list_error *error)
{
	bool is_name;
	const struct fcn_list_member *key = main_key(list, &is_name);
	char name[64];

	if (error == NULL)
		return rc;
	if (!is_name)
		return fcn_list_refuse(error, rc, key->value.key,
				rc == -EEXIST ? "this %s exists already%s"
					      : "there is no such %s%s",
				list->one,
				rc == -ENOENT && has_options(list) ? " with just these options"
								   : "");
	list_text(cfg, key, thing, name, sizeof(name));
	return fcn_list_refuse(error, rc, key->value.key,
			rc == -EEXIST ? "there is a %s %s already" : "there is no %s %s", list->one,
			name);
}

static int
say_full(const struct fcn_list *list, struct fcn_list_error *error)
{
	bool is_name;

	return fcn_list_refuse(error, -ENOSPC, main_key(list, &is_name)->value.key,
			"there are %u %s already, the most there can be", list->most, list->many);
}

/* Find the place of a thing in a list that is in order, as find_place(). */
static size_t
find_in_order(const struct fcn_list *list, const struct elements *e, const void *thing,
		bool *is_there)
{
	size_t low = 0, high = e->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int d = list->compare(thing, (const uint8_t *)e->item + middle * list->size);

		*is_there = d == 0;
		if (d == 0)
			return middle;
		if (d < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Find the place of a thing: that of the one with its keys, or where it would be. */
static size_t
find_place(const struct fcn_config *cfg, const struct fcn_list *list, const void *thing,
		bool *is_there)
{
	const struct elements e = elements_of(cfg, list);
	const uint8_t *at = e.item;

	*is_there = false;
	if (list->repeats)
		return e.n;
	if (list->compare != NULL)
		return find_in_order(list, &e, thing, is_there);
	for (size_t i = 0; i < e.n; i++) {
		*is_there = has_keys(list, thing, at + i * list->size, false);
		if (*is_there)
			return i;
	}
	return e.n;
}

/* Get the lowest slot that no thing has. There are fewer things than slots. */
static uint16_t
free_slot(const struct fcn_config *cfg, const struct fcn_list *list)
{
	bool used[FCN_LIST_SLOTS] = {false};
	uint16_t slot = 0;

	for (size_t i = 0; i < list_count(cfg, list); i++)
		used[setting_load(list_at(cfg, list, i), list->slot, sizeof(slot))] = true;
	while (used[slot])
		slot++;
	return slot;
}

/* Check the members of a thing, the host bits of whose prefixes are cleared. */
static int
check_members(const struct fcn_list *list, uint8_t *thing, struct fcn_list_error *error)
{
	const unsigned int form = list_form_of(list, thing);
	int rc = 0;

	LIST_FOREACH_MEMBER(m, list)
	{
		if (m->value.type == FCN_SETTING_PREFIX)
			fcn_prefix_normalise((void *)(thing + m->value.offset));
		if (rc == 0 && list_form_has(m, form))
			rc = list_check_member(m, thing, error);
	}
	return rc;
}

/* Put a new thing at its place. */
static int
insert(struct fcn_config *cfg, const struct fcn_list *list, size_t i, uint8_t *thing)
{
	struct elements e;
	uint8_t *at;
	int rc = own(cfg, list, list_count(cfg, list) + 1);

	if (rc != 0)
		return rc;
	if (list->slot != 0)
		fcn_command_store(thing, list->slot, sizeof(uint16_t), free_slot(cfg, list));
	if (list->serial != 0)
		fcn_command_store(thing, list->serial, sizeof(uint64_t), ++cfg->srv6.last_serial);
	e = elements_of(cfg, list);
	at = list_at(cfg, list, i);
	memmove(at + list->size, at, (e.n - i) * list->size);
	memcpy(at, thing, list->size);
	e.n++;
	set_elements(cfg, list, &e);
	return 0;
}

int
fcn_list_add(struct fcn_config *cfg, const struct fcn_list *list, const void *thing,
		struct fcn_list_error *error)
{
	_Alignas(max_align_t) uint8_t copy[FCN_LIST_THING];
	bool is_there;
	size_t i;
	int rc;

	memcpy(copy, thing, list->size);
	rc = check_members(list, copy, error);
	if (rc != 0)
		return rc;
	i = find_place(cfg, list, copy, &is_there);
	if (is_there && !list->replaces)
		return say_there(cfg, list, copy, -EEXIST, error);
	if (!is_there && list->most != 0 && list_count(cfg, list) == list->most)
		return say_full(list, error);
	rc = list->check != NULL ? list->check(cfg, copy, error) : 0;
	if (rc != 0)
		return rc;
	if (!is_there)
		return insert(cfg, list, i, copy);
	rc = own(cfg, list, list_count(cfg, list));
	if (rc == 0)
		memcpy(list_at(cfg, list, i), copy, list->size);
	return rc;
}

int
list_find_own(struct fcn_config *cfg, const struct fcn_list *list, const void *thing, void **found,
		struct fcn_list_error *error)
{
	bool is_there;
	size_t i = find_place(cfg, list, thing, &is_there);
	int rc;

	if (!is_there) {
		char name[64];
		size_t len;

		rc = say_there(cfg, list, thing, -ENOENT, error);
		len = strlen(error->text);
		list_text(cfg, &list->members[0], thing, name, sizeof(name));
		snprintf(error->text + len, sizeof(error->text) - len, ": %s add %s", list->words,
				name);
		return rc;
	}
	rc = own(cfg, list, list_count(cfg, list));
	if (rc == 0)
		*found = list_at(cfg, list, i);
	return rc;
}

/* ---- references ---- */

/* Tell whether a thing refers to something. */
static bool
refers(const struct fcn_list *list, const void *thing, enum fcn_setting_type type,
		unsigned int number)
{
	LIST_FOREACH_MEMBER(m, list)
	{
		if (m->value.type == type &&
				setting_get(thing, &m->value) == number + m->value.least &&
				list_form_has(m, list_form_of(list, thing)))
			return true;
	}
	return false;
}

static bool
can_refer(const struct fcn_list *list, enum fcn_setting_type type)
{
	bool can = false;

	LIST_FOREACH_MEMBER(m, list)
	can |= m->value.type == type;
	return can;
}

int
fcn_list_forget(struct fcn_config *cfg, enum fcn_setting_type type, unsigned int number)
{
	FOREACH_LIST(list)
	{
		if (can_refer(list, type) && own(cfg, list, list_count(cfg, list)) != 0)
			return -ENOMEM;
	}
	/* The lists are not shared any more, so nothing fails from here on. */
	FOREACH_LIST(list)
	{
		for (size_t i = can_refer(list, type) ? list_count(cfg, list) : 0; i-- > 0;) {
			if (refers(list, list_at(cfg, list, i), type, number))
				drop(cfg, list, i);
		}
	}
	return 0;
}

bool
fcn_list_refers(const struct fcn_config *cfg, enum fcn_setting_type type, unsigned int number,
		char *by, size_t size)
{
	FOREACH_LIST(list)
	{
		for (size_t i = 0; can_refer(list, type) && i < list_count(cfg, list); i++) {
			const void *thing = list_at(cfg, list, i);
			char name[64];

			if (!refers(list, thing, type, number))
				continue;
			list_text(cfg, &list->members[0], thing, name, sizeof(name));
			snprintf(by, size, "%s %s", list->words, name);
			return true;
		}
	}
	return false;
}

/* Remove a thing, and what refers to it. */
static int
remove_at(struct fcn_config *cfg, const struct fcn_list *list, size_t i)
{
	int rc = own(cfg, list, list_count(cfg, list));

	if (rc == 0 && list->referred != FCN_SETTING_NONE)
		rc = fcn_list_forget(cfg, list->referred,
				(unsigned int)setting_load(list_at(cfg, list, i), list->slot,
						sizeof(uint16_t)));
	if (rc == 0)
		drop(cfg, list, i);
	return rc;
}

int
fcn_list_remove(struct fcn_config *cfg, const struct fcn_list *list, const void *thing, bool any,
		struct fcn_list_error *error)
{
	_Alignas(max_align_t) uint8_t copy[FCN_LIST_THING];
	bool is_there = false;

	memcpy(copy, thing, list->size);
	LIST_FOREACH_MEMBER(m, list)
	{
		if (m->value.type == FCN_SETTING_PREFIX)
			fcn_prefix_normalise((void *)(copy + m->value.offset));
	}
	if (list->compare != NULL && !list->repeats && !any) {
		const size_t i = find_place(cfg, list, copy, &is_there);

		return is_there ? remove_at(cfg, list, i)
				: say_there(cfg, list, copy, -ENOENT, error);
	}
	for (size_t i = list_count(cfg, list); i-- > 0 && (!is_there || list->repeats);) {
		if (!has_keys(list, copy, list_at(cfg, list, i), any))
			continue;
		if (remove_at(cfg, list, i) != 0)
			return -ENOMEM;
		is_there = true;
	}
	return is_there ? 0 : say_there(cfg, list, copy, -ENOENT, error);
}
