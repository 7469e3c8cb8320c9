/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Write things as commands that add them again, and as JSON. */

#include <string.h>

#include "list_private.h"
#include "setting_private.h"

/* Write a member as the command has it. @return whether it is written, as it is not its default */
static bool
save_member(const struct fcn_config *cfg, const struct fcn_list_member *m, const void *thing,
		bool is_last_written, FILE *out)
{
	const struct fcn_setting_value *v = &m->value;

	if (m->joined ? !is_last_written : v->optional && setting_is(thing, v, v->initial))
		return false;
	if (v->word != NULL)
		fprintf(out, " %s", v->word);
	if (v->type == FCN_SETTING_WORD)
		return true;
	fputc(' ', out);
	list_write(cfg, m, thing, out);
	return true;
}

static void
save_thing(const struct fcn_list *list, const struct fcn_config *cfg, const void *thing, FILE *out)
{
	const unsigned int form = list_form_of(list, thing);
	bool written = false;

	fprintf(out, "%s add", list->words);
	LIST_FOREACH_MEMBER(m, list)
	{
		if (!list_form_has(m, form))
			continue;
		written = save_member(cfg, m, thing, written, out);
		if (m == list->members && list->n_forms != 0 && list->forms[form].word != NULL)
			fprintf(out, " %s", list->forms[form].word);
	}
	fputc('\n', out);
}

void
fcn_list_save(const struct fcn_list_group *group, const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int g = 0; g < group->n_lists; g++) {
		const struct fcn_list *list = &group->lists[g];

		for (size_t i = 0; i < list_count(cfg, list); i++)
			save_thing(list, cfg, list_at(cfg, list, i), out);
	}
}

void
fcn_list_show(const struct fcn_list *list, const struct fcn_config *cfg, const void *thing,
		json_t *shown)
{
	const unsigned int form = list_form_of(list, thing);

	LIST_FOREACH_MEMBER(m, list)
	{
		if (m->value.show[0].name != NULL && list_form_has(m, form))
			json_object_set_new(shown, m->value.show[0].name, list_json(cfg, m, thing));
	}
}

void
fcn_list_visit(const struct fcn_list *list, const struct fcn_config *cfg, fcn_setting_visit visit,
		void *arg)
{
	for (size_t i = 0; i < list_count(cfg, list); i++) {
		const void *thing = list_at(cfg, list, i);
		char head[256];
		const int len = snprintf(head, sizeof(head), "set %s ", list->words);

		list_text(cfg, &list->members[0], thing, head + len, sizeof(head) - (size_t)len);
		visit(arg, thing, head);
	}
}

struct showing {
	const struct fcn_config *cfg;
	const char *part;
	json_t *shown;
};

/* Write a thing: its members, or the value of its only one. */
static json_t *
show_thing(const struct fcn_list *list, const struct fcn_config *cfg, const void *thing)
{
	json_t *o;

	if (list->n_members == 1)
		return list_json(cfg, &list->members[0], thing);
	o = json_object();
	fcn_list_show(list, cfg, thing, o);
	return o;
}

static void
show_list(const struct fcn_list *list, void *arg)
{
	const struct showing *s = arg;
	const size_t len = strlen(s->part);
	json_t *things;

	if (list->show == NULL || strncmp(list->show, s->part, len) != 0 || list->show[len] != '.')
		return;
	things = json_array();
	for (size_t i = 0; i < list_count(s->cfg, list); i++)
		json_array_append_new(things, show_thing(list, s->cfg, list_at(s->cfg, list, i)));
	json_object_set_new(s->shown, list->show + len + 1, things);
}

void
fcn_list_show_all(const struct fcn_config *cfg, const char *part, json_t *shown)
{
	struct showing s = {cfg, part, shown};

	fcn_list_each(show_list, &s);
}
