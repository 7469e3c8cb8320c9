/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <string.h>

#include "fcn_shape.h"
#include "fcn_show_schema.h"
#include "show_request.h"

#define DRAFT "https://json-schema.org/draft/2020-12/schema"

void
fcn_show_schema_name(const struct fcn_show *show, char *name, size_t size)
{
	snprintf(name, size, "%s", show->name);
	for (char *c = name; *c != '\0'; c++) {
		if (*c == ' ' || *c == '-')
			*c = '_';
	}
}

static json_t *schema_of(const struct fcn_shape *shape);

/* Set the keyword `type`: a name, or a list of several. */
static void
set_type(json_t *o, unsigned int types)
{
	static const struct {
		unsigned int type;
		const char *name;
	} names[] = {
			{FCN_SHAPE_BOOLEAN, "boolean"},
			{FCN_SHAPE_INTEGER, "integer"},
			{FCN_SHAPE_NUMBER, "number"},
			{FCN_SHAPE_STRING, "string"},
			{FCN_SHAPE_OBJECT, "object"},
			{FCN_SHAPE_NULL, "null"},
	};
	json_t *list = json_array();

	for (size_t i = 0; i < RTE_DIM(names); i++) {
		if (types & names[i].type)
			json_array_append_new(list, json_string(names[i].name));
	}
	if (json_array_size(list) > 0)
		json_object_set(o, "type",
				json_array_size(list) == 1 ? json_array_get(list, 0) : list);
	json_decref(list);
}

/* The members of an object, while they are gathered. */
struct members {
	json_t *properties, *required, *patterns;
};

static void
add_member(void *arg, const struct fcn_shape *m)
{
	struct members *to = arg;
	char pattern[64];

	if (m->is_prefix) {
		snprintf(pattern, sizeof(pattern), "^%s", m->name);
		json_object_set_new(to->patterns, pattern, schema_of(m));
		return;
	}
	/* Of several with the same name, the first one counts. */
	if (json_object_get(to->properties, m->name) != NULL)
		return;
	json_object_set_new(to->properties, m->name, schema_of(m));
	if (!m->optional)
		json_array_append_new(to->required, json_string(m->name));
}

static void
set_members(json_t *o, const struct fcn_shape *shape)
{
	struct members m = {json_object(), json_array(), json_object()};

	if (shape->is_any) {
		json_object_set_new(o, "additionalProperties", schema_of(shape->of));
	} else {
		fcn_shape_each(shape->of, add_member, &m);
		json_object_set(o, "properties", m.properties);
		json_object_set(o, "required", m.required);
		if (json_object_size(m.patterns) > 0)
			json_object_set(o, "patternProperties", m.patterns);
	}
	json_decref(m.properties);
	json_decref(m.required);
	json_decref(m.patterns);
}

static json_t *
schema_of(const struct fcn_shape *shape)
{
	json_t *o = json_object(), *value = o;

	if (shape->text != NULL)
		json_object_set_new(o, "description", json_string(shape->text));
	if (shape->is_list) {
		value = json_object();
		json_object_set_new(o, "type",
				shape->types & FCN_SHAPE_NULL ? json_pack("[s, s]", "array", "null")
							      : json_string("array"));
		json_object_set_new(o, "items", value);
	}
	set_type(value, shape->is_list ? shape->types & ~FCN_SHAPE_NULL : shape->types);
	if (shape->types & FCN_SHAPE_OBJECT)
		set_members(value, shape);
	return o;
}

/* The names of the parameters that a request of a `show` can have. */
static json_t *
parameters_of(const struct fcn_show *show)
{
	const char *at = show->syntax;
	struct fcn_show_param p;
	json_t *list = json_array();

	while (fcn_show_param_next(&at, &p))
		json_array_append_new(list, json_string(p.name));
	return list;
}

json_t *
fcn_show_schema(void)
{
	json_t *root = json_object(), *properties = json_object(), *defs = json_object();

	for (const struct fcn_show *s = fcn_shows; s->name != NULL; s++) {
		json_t *def = schema_of(s->shape);
		char name[64];

		fcn_show_schema_name(s, name, sizeof(name));
		json_object_set_new(def, "description", json_string(s->help));
		json_object_set_new(def, "x-command", json_string(s->syntax));
		json_object_set_new(def, "x-parameters", parameters_of(s));
		json_object_set_new(defs, name, def);
		json_object_set_new(properties, name,
				json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", name)));
	}
	json_object_set_new(root, "$schema", json_string(DRAFT));
	json_object_set_new(root, "$id", json_string("urn:fastcn:show:v1"));
	json_object_set_new(root, "title", json_string("fastcn: the shows as JSON, version 1"));
	json_object_set_new(root, "description",
			json_string("What /api/v1/show/NAME and fastcnctl --json show NAME answer "
				    "is "
				    "described by the member NAME of $defs. Members are added "
				    "within "
				    "a version; none disappears or gets another type."));
	json_object_set_new(root, "type", json_string("object"));
	json_object_set_new(root, "properties", properties);
	json_object_set_new(root, "$defs", defs);
	return root;
}
