/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Write settings as members of JSON objects. */

#include <string.h>

#include "fcn_list.h"
#include "setting_private.h"
#include "setting_table.h"

json_t *
setting_number_json(const struct fcn_setting_value *v, uint64_t value)
{
	char text[SETTING_TEXT];

	if (v->has_none && value == v->none)
		return json_null();
	if (v->name != NULL)
		return json_string(v->name((unsigned int)value));
	switch (v->type) {
	case FCN_SETTING_SWITCH:
	case FCN_SETTING_WORD:
		return json_boolean(value != 0);
	case FCN_SETTING_HEX:
		return json_string(setting_text(v, value, text, sizeof(text)));
	case FCN_SETTING_RATIO:
		return json_real((double)value / (double)FCN_RATIO_ONE);
	default:
		return json_integer((json_int_t)value);
	}
}

static json_t *
vlans_to_json(const uint64_t *set)
{
	json_t *list = json_array();

	for (unsigned int v = 1; v < FCN_VLANS; v++) {
		if (fcn_vlan_is_set(set, v))
			json_array_append_new(list, json_integer(v));
	}
	return list;
}

json_t *
fcn_list_segments_json(const struct fcn_segment_list *list)
{
	json_t *segments = json_array();
	char text[FCN_ADDR_STRLEN];

	for (unsigned int i = 0; i < list->n; i++) {
		const struct fcn_addr sid = fcn_addr_unmap(list->segment[i]);

		json_array_append_new(
				segments, json_string(fcn_addr_format(&sid, text, sizeof(text))));
	}
	return segments;
}

json_t *
setting_bytes_json(const struct fcn_setting_value *v, const void *member)
{
	char text[FCN_PREFIX_STRLEN];

	switch (v->type) {
	case FCN_SETTING_MAC:
		return json_string(setting_mac_text(member, text));
	case FCN_SETTING_ADDR6:
	case FCN_SETTING_ADDR4:
	case FCN_SETTING_ADDR:
		if (((const struct fcn_addr *)member)->version == 0)
			return json_null();
		return json_string(fcn_addr_format(member, text, sizeof(text)));
	case FCN_SETTING_PREFIX:
	case FCN_SETTING_ADDR_LEN:
		return json_string(fcn_prefix_format(member, text, sizeof(text)));
	case FCN_SETTING_VLANS:
		return vlans_to_json(member);
	case FCN_SETTING_SEGMENTS:
		return fcn_list_segments_json(member);
	default:
		return *(const char *)member != '\0' ? json_string(member) : json_null();
	}
}

static json_t *
to_json(const struct fcn_setting_value *v, const void *object, const void *in_force)
{
	const uint8_t *forced = in_force;

	if (v->form != NULL)
		return v->form(v, object);
	if (v->in_force.size == 0)
		forced = NULL;
	if (setting_is_bytes(v))
		return setting_bytes_json(v, forced != NULL ? forced + v->in_force.offset
							    : (const uint8_t *)object + v->offset);
	if (forced == NULL)
		return setting_number_json(v, setting_get(object, v));
	if (v->in_steps)
		return json_integer((json_int_t)setting_load(
				in_force, v->in_force.offset, v->in_force.size));
	return setting_number_json(v, setting_load(in_force, v->in_force.offset, v->in_force.size));
}

static bool
is_in(const struct fcn_setting_scope *scope, const struct fcn_setting_shown *m, const char *part)
{
	return m->name != NULL && strcmp(m->part != NULL ? m->part : scope->show, part) == 0;
}

static void
show_value(const struct fcn_setting_scope *scope, const char *part,
		const struct fcn_setting_value *v, const void *object, const void *in_force,
		json_t *shown)
{
	for (unsigned int i = 0; i < FCN_SETTING_SHOWN; i++) {
		if (is_in(scope, &v->show[i], part))
			json_object_set_new(shown, v->show[i].name, to_json(v, object, in_force));
	}
}

void
fcn_setting_show(const struct fcn_setting_scope *scope, const char *part, const void *object,
		const void *in_force, json_t *shown)
{
	if (scope->selected != NULL)
		show_value(scope, part, scope->selected, object, in_force, shown);
	for (unsigned int i = 0; i < scope->n_settings; i++) {
		const struct fcn_setting *s = &scope->settings[i];

		SETTING_FOREACH_VALUE(v, s)
		{
			if (setting_is_selected(s, object) || v->show_unselected)
				show_value(scope, part, v, object, in_force, shown);
		}
	}
}

json_t *
fcn_setting_bucket_json(const struct fcn_config_bucket *bucket)
{
	if (bucket->rate == 0)
		return json_string("off");
	if (bucket->rate == FCN_AUTO64)
		return json_string("auto");
	return json_sprintf("%llu/s, burst %u", (unsigned long long)bucket->rate, bucket->burst);
}

json_t *
fcn_setting_show_bucket(const struct fcn_setting_value *v, const void *object)
{
	struct fcn_config_bucket b;

	memcpy(&b, (const char *)object + v->offset - offsetof(struct fcn_config_bucket, rate),
			sizeof(b));
	return fcn_setting_bucket_json(&b);
}
