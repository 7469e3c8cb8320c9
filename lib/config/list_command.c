/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Create the commands of lists, with syntax and help, and run them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "list_private.h"
#include "setting_private.h"

#define SYNTAX 384

/* A command, and the beginning of it that its options are known by. */
struct made {
	struct list_command data;
	char syntax[SYNTAX];
	char head[64];
};

/* Tell whether the word of a member may be left out. */
static bool
is_optional(const struct fcn_list_member *m, bool removes)
{
	return m->value.optional || (removes && m->any);
}

/* Tell whether a command has a member. */
static bool
has_member(const struct fcn_list_member *m, unsigned int form, bool removes)
{
	return removes ? m->key : list_form_has(m, form);
}

static void
append_members(struct made *made, bool removes)
{
	const struct fcn_list *list = made->data.list;
	const unsigned int form = made->data.form;
	bool open = false;

	LIST_FOREACH_MEMBER(m, list)
	{
		if (!has_member(m, form, removes))
			continue;
		if (open && !m->joined)
			setting_append(made->syntax, SYNTAX, "]");
		open = open && m->joined;
		setting_append(made->syntax, SYNTAX, " %s",
				is_optional(m, removes) && !open ? "[" : "");
		open = open || is_optional(m, removes);
		setting_append_value(made->syntax, SYNTAX, &m->value);
		if (m == list->members && !removes && list->n_forms != 0 &&
				list->forms[form].word != NULL)
			setting_append(made->syntax, SYNTAX, " %s", list->forms[form].word);
	}
	if (open)
		setting_append(made->syntax, SYNTAX, "]");
}

static void
make(struct made *made, const struct fcn_list *list, unsigned int form, bool removes)
{
	made->data = (struct list_command){list, form};
	snprintf(made->head, sizeof(made->head), "%s %s", list->words, removes ? "remove" : "add");
	snprintf(made->syntax, SYNTAX, "%s", made->head);
	append_members(made, removes);
}

/* Write the help about what a command may leave out. @return behind the last one */
static struct fcn_command_option *
make_options(struct fcn_command_option *to, const struct made *made, bool removes)
{
	LIST_FOREACH_MEMBER(m, made->data.list)
	{
		const struct fcn_setting_value *v = &m->value;

		if (m->help == NULL || !(is_optional(m, removes) || m->joined) ||
				!has_member(m, made->data.form, removes))
			continue;
		*to++ = (struct fcn_command_option){
				made->head, v->word != NULL ? v->word : v->key, m->help};
	}
	return to;
}

static unsigned int
n_adding(const struct fcn_list *list)
{
	return RTE_MAX(list->n_forms, 1u);
}

/* Make the commands of a list. @return behind the last one */
static struct fcn_command *
make_commands(struct fcn_command *to, struct made *made, const struct fcn_list *list,
		enum fcn_role role)
{
	const unsigned int n = n_adding(list);

	for (unsigned int f = 0; f <= n; f++)
		make(&made[f], list, f, f == n);
	for (unsigned int f = 0; f <= n; f++)
		to[f] = (struct fcn_command){.syntax = made[f].syntax,
				.help = f == n                ? list->remove_help
					: list->forms == NULL ? list->add_help
							      : list->forms[f].help,
				.kind = FCN_COMMAND_CONFIG,
				.data = &made[f].data,
				.role = role};
	return to + n + 1;
}

int
fcn_list_commands(const struct fcn_list_group *group,
		int (*add)(struct fcn_session *session, const struct fcn_args *args),
		int (*remove)(struct fcn_session *session, const struct fcn_args *args),
		struct fcn_command_group *into)
{
	struct fcn_command_option *options, *options_end;
	struct fcn_command *commands, *end;
	struct made *made;
	unsigned int n = 0;

	for (unsigned int i = 0; i < group->n_lists; i++)
		n += n_adding(&group->lists[i]) + 1;
	commands = calloc(
			n, sizeof(*commands) + sizeof(*made) + FCN_LIST_MEMBERS * sizeof(*options));
	if (commands == NULL)
		return -ENOMEM;
	made = (struct made *)(void *)(commands + n);
	options = options_end = (struct fcn_command_option *)(void *)(made + n);
	end = commands;
	for (unsigned int i = 0; i < group->n_lists; i++) {
		const struct fcn_list *list = &group->lists[i];
		struct made *first = &made[end - commands];

		end = make_commands(end, first, list, group->role);
		for (unsigned int f = 0; f < n_adding(list); f++)
			end[-2 - (int)f].run = add;
		end[-1].run = remove;
		for (unsigned int f = 0; f <= n_adding(list); f++)
			options_end = make_options(options_end, &first[f], f == n_adding(list));
	}
	for (unsigned int i = 0; i < n; i++) {
		/* A text that fills its room may have been cut off. */
		if (strlen(made[i].syntax) == SYNTAX - 1) {
			free(commands);
			return -E2BIG;
		}
	}
	*into = (struct fcn_command_group){.title = group->title,
			.commands = commands,
			.n_commands = n,
			.memory = commands,
			.options = options,
			.n_options = (size_t)(options_end - options)};
	return 0;
}

/* Tell whether the line has a member. */
static bool
is_given(const struct fcn_args *args, const struct fcn_setting_value *v)
{
	return v->type == FCN_SETTING_WORD ? fcn_args_has(args, v->word)
					   : fcn_args_given(args, v->key);
}

static int
report(const struct fcn_args *args, int rc, const struct fcn_list_error *error)
{
	return rc == 0 || error->text[0] == '\0'
			       ? rc
			       : fcn_command_error(args, rc, error->key, "%s", error->text);
}

static int
add_of_form(const struct fcn_list *list, unsigned int form, struct fcn_config *cfg,
		const struct fcn_args *args)
{
	_Alignas(max_align_t) uint8_t thing[FCN_LIST_THING];
	struct fcn_list_error error = {.text = ""};

	list_defaults(list, thing);
	if (list->n_forms != 0 && list->forms[form].selects.size != 0)
		fcn_command_store(thing, list->forms[form].selects.offset,
				list->forms[form].selects.size, list->forms[form].selects.value);
	LIST_FOREACH_MEMBER(m, list)
	{
		int rc = has_member(m, form, false) && is_given(args, &m->value)
					 ? list_read(cfg, args, m, thing)
					 : 0;

		if (rc != 0)
			return rc;
	}
	return report(args, fcn_list_add(cfg, list, thing, &error), &error);
}

int
fcn_list_run_add(struct fcn_config *cfg, const struct fcn_args *args)
{
	const struct list_command *command = fcn_args_data(args);

	return add_of_form(command->list, command->form, cfg, args);
}

int
fcn_list_run_add_to(
		const struct fcn_list *list, struct fcn_config *cfg, const struct fcn_args *args)
{
	return add_of_form(list, 0, cfg, args);
}

/* Read the keys of a thing. @param any result: one that may be left out was left out */
static int
read_keys(const struct fcn_list *list, const struct fcn_config *cfg, const struct fcn_args *args,
		void *thing, bool *any)
{
	list_defaults(list, thing);
	LIST_FOREACH_MEMBER(m, list)
	{
		int rc = 0;

		if (m->key && is_given(args, &m->value))
			rc = list_read(cfg, args, m, thing);
		else if (m->any)
			*any = true;
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
fcn_list_select(const struct fcn_list *list, struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	_Alignas(max_align_t) uint8_t thing[FCN_LIST_THING];
	struct fcn_list_error error = {.text = ""};
	bool any = false;
	void *found = NULL;
	int rc = read_keys(list, cfg, args, thing, &any);

	if (rc == 0)
		rc = list_find_own(cfg, list, thing, &found, &error);
	if (rc == 0)
		fcn_setting_add(objects, found);
	return report(args, rc, &error);
}

int
fcn_list_run_remove(struct fcn_config *cfg, const struct fcn_args *args)
{
	const struct list_command *command = fcn_args_data(args);
	const struct fcn_list *list = command->list;
	_Alignas(max_align_t) uint8_t thing[FCN_LIST_THING];
	struct fcn_list_error error = {.text = ""};
	bool any = false;
	int rc = read_keys(list, cfg, args, thing, &any);

	if (rc != 0)
		return rc;
	return report(args, fcn_list_remove(cfg, list, thing, any, &error), &error);
}
