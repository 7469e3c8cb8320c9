/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The shapes of settings and of things of lists, as setting_show.c and list_save.c write them. */

#include <string.h>

#include "fcn_list.h"
#include "fcn_shape.h"
#include "list_private.h"
#include "setting_private.h"
#include "setting_table.h"

/* The type of a value, without null. @param is_list result */
static unsigned int
type_of(const struct fcn_setting_value *v, bool *is_list)
{
	if (v->form != NULL)
		return v->form == fcn_setting_show_bucket ? FCN_SHAPE_STRING : v->form_types;
	if (v->in_steps)
		return FCN_SHAPE_INTEGER;
	if (!setting_is_bytes(v) && v->name != NULL)
		return FCN_SHAPE_STRING;
	switch (v->type) {
	case FCN_SETTING_SWITCH:
	case FCN_SETTING_WORD:
		return FCN_SHAPE_BOOLEAN;
	case FCN_SETTING_RATIO:
		return FCN_SHAPE_NUMBER;
	case FCN_SETTING_NUMBER:
	case FCN_SETTING_COUNT:
	case FCN_SETTING_SIZE:
	case FCN_SETTING_RATE:
	case FCN_SETTING_TIME:
	case FCN_SETTING_CLASS:
		return FCN_SHAPE_INTEGER;
	case FCN_SETTING_VLANS:
		*is_list = true;
		return FCN_SHAPE_INTEGER;
	case FCN_SETTING_SEGMENTS:
		*is_list = true;
		return FCN_SHAPE_STRING;
	default:
		return FCN_SHAPE_STRING;
	}
}

/* Whether null may stand in its place. */
static bool
has_null(const struct fcn_setting_value *v)
{
	if (v->has_none)
		return true;
	return v->form == NULL &&
	       (v->type == FCN_SETTING_NAME || v->type == FCN_SETTING_ADDR6 ||
			       v->type == FCN_SETTING_ADDR4 || v->type == FCN_SETTING_ADDR ||
			       v->type == FCN_SETTING_OCTETS);
}

static struct fcn_shape
shape_of(const struct fcn_setting_value *v, const char *name, const char *text, bool optional)
{
	struct fcn_shape m = {.name = name, .text = text, .optional = optional};

	m.types = type_of(v, &m.is_list);
	if (m.types != 0 && has_null(v))
		m.types |= FCN_SHAPE_NULL;
	return m;
}

static void
each_shown(const struct fcn_shape *group, const struct fcn_setting_value *v, const char *text,
		bool optional, fcn_shape_visit visit, void *arg)
{
	for (unsigned int i = 0; i < FCN_SETTING_SHOWN; i++) {
		const struct fcn_setting_shown *s = &v->show[i];
		struct fcn_shape m;

		if (s->name == NULL || strcmp(s->part != NULL ? s->part : group->scope->show,
						       group->part) != 0)
			continue;
		m = shape_of(v, s->name, text, optional || group->optional);
		visit(arg, &m);
	}
}

static void
each_setting(const struct fcn_shape *group, fcn_shape_visit visit, void *arg)
{
	const struct fcn_setting_scope *scope = group->scope;

	if (scope->selected != NULL)
		each_shown(group, scope->selected, NULL, false, visit, arg);
	for (unsigned int i = 0; i < scope->n_settings; i++) {
		const struct fcn_setting *s = &scope->settings[i];

		SETTING_FOREACH_VALUE(v, s)
		each_shown(group, v, s->help, s->selects.size != 0 && !v->show_unselected, visit,
				arg);
	}
}

static void
each_member(const struct fcn_list *list, fcn_shape_visit visit, void *arg)
{
	LIST_FOREACH_MEMBER(m, list)
	{
		struct fcn_shape shape;

		if (m->value.show[0].name == NULL)
			continue;
		shape = shape_of(&m->value, m->value.show[0].name, m->help, m->forms != 0);
		/* References are shown as names. */
		if (list_is_reference(&m->value))
			shape.types = FCN_SHAPE_STRING | (m->value.has_none ? FCN_SHAPE_NULL : 0);
		visit(arg, &shape);
	}
}

struct visiting {
	const char *part;
	fcn_shape_visit visit;
	void *arg;
};

/* A list is an array of objects, or of the values of the only member of its things. */
static void
visit_list(const struct fcn_list *list, void *arg)
{
	const struct visiting *v = arg;
	const size_t len = strlen(v->part);
	struct fcn_shape m = {.is_list = true};
	struct fcn_shape of[] = {SHAPE_THINGS(list->words), SHAPE_END};

	if (list->show == NULL || strncmp(list->show, v->part, len) != 0 || list->show[len] != '.')
		return;
	m.name = list->show + len + 1;
	if (list->n_members == 1) {
		bool ignored = false;

		m.types = type_of(&list->members[0].value, &ignored);
	} else {
		m.types = FCN_SHAPE_OBJECT;
		m.of = of;
	}
	v->visit(v->arg, &m);
}

void
fcn_shape_each(const struct fcn_shape *members, fcn_shape_visit visit, void *arg)
{
	for (const struct fcn_shape *m = members; !fcn_shape_is_end(m); m++) {
		if (m->name == NULL && m->types == 0 && m->of != NULL) {
			fcn_shape_each(m->of, visit, arg);
		} else if (m->scope != NULL) {
			each_setting(m, visit, arg);
		} else if (m->things != NULL) {
			each_member(fcn_list_of(m->things), visit, arg);
		} else if (m->lists != NULL) {
			struct visiting v = {m->lists, visit, arg};

			fcn_list_each(visit_list, &v);
		} else {
			visit(arg, m);
		}
	}
}
