/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Write settings as commands that set them again. */

#include "fcn_list.h"
#include "setting_private.h"

struct saving {
	const struct fcn_setting_scope *scope;
	bool all;
	FILE *out;
};

/* Tell whether the object has this setting, and a new object has it not. @param all also settings
 * that are always saved */
static bool
is_to_save(const struct fcn_setting *s, const void *object, bool all)
{
	bool any = (s->always && all) || (s->selects.size != 0 && s->selects.value != 0);

	if (s->alias || s->former)
		return false;
	if (!setting_is_selected(s, object))
		return false;
	SETTING_FOREACH_VALUE(v, s)
	any = any || !setting_is(object, v, v->initial);
	return any;
}

static void
save_value(const struct fcn_setting_value *v, const void *object, FILE *out)
{
	char text[SETTING_TEXT];

	if (v->word != NULL)
		fprintf(out, " %s", v->word);
	fputc(' ', out);
	if (setting_is_bytes(v))
		setting_write_bytes(v, object, out);
	else
		fputs(setting_text(v, setting_get(object, v), text, sizeof(text)), out);
}

/* Tell whether a value has to be written, as it would stay as it is otherwise. A default that is
 * computed is no value that could be written. */
static bool
is_kept(const struct fcn_setting_value *v, const void *object)
{
	return v->keeps && (v->initial_text == NULL || !setting_is(object, v, v->initial));
}

static void
save_setting(const struct fcn_setting *s, const void *object, const char *head, FILE *out)
{
	const struct fcn_setting_special *special = setting_special(object, &s->value[0]);

	fprintf(out, "%s%s%s", head, s->words[0] != '\0' ? " " : "", s->words);
	if (special != NULL && !s->value[0].optional)
		fprintf(out, " %s", special->word);
	SETTING_FOREACH_VALUE(v, s)
	{
		if (special != NULL && !s->value[0].optional && !is_kept(v, object))
			continue;
		if (setting_special(object, v) != NULL && !setting_is(object, v, v->initial))
			fprintf(out, "%s%s %s", v->word != NULL ? " " : "",
					v->word != NULL ? v->word : "",
					setting_special(object, v)->word);
		else if (!v->optional || is_kept(v, object) || !setting_is(object, v, v->initial))
			save_value(v, object, out);
	}
	fputc('\n', out);
}

static void
save_object(void *arg, const void *object, const char *head)
{
	const struct saving *save = arg;

	for (unsigned int i = 0; i < save->scope->n_settings; i++) {
		const struct fcn_setting *s = &save->scope->settings[i];

		if (is_to_save(s, object, save->all))
			save_setting(s, object, head, save->out);
	}
}

void
fcn_setting_save(const struct fcn_setting_scope *scope, const struct fcn_config *cfg, bool all,
		FILE *out)
{
	struct saving save = {scope, all, out};

	if (scope->list != NULL)
		fcn_list_visit(fcn_list_of(scope->list), cfg, save_object, &save);
	else if (scope->each != NULL)
		scope->each(scope, cfg, save_object, &save);
	else
		save_object(&save, cfg, scope->syntax);
}
