/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The value of every `show` has the shape that is declared: each member is declared and has one of
 * its types, and what is not optional is there. Of a switch where everything is configured, packets
 * wait, and some are traced; and of an empty one.
 */

#include "app_util.h"
#include "fcn_exports.h"
#include "fcn_show_list.h"

static struct fcn_exports *exports;
static struct fcn_show_source source;

/* Values that were compared, of all shows of a test. */
static unsigned int n_values;

static int
setup(void **state)
{
	char err[256];

	if (app_setup(state) != 0)
		return -1;
	exports = fcn_exports_create(platform.ctl, NULL, err, sizeof(err));
	source = (struct fcn_show_source){.ctl = platform.ctl, .exports = exports};
	n_values = 0;
	return exports == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	fcn_exports_free(exports);
	exports = NULL;
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

static void
fill(void)
{
	app_all(app_everything);
	app_ok("route add 2001:db8:1::/48 via 2001:db8::2 port p0");
	app_ok("set port p0 mac 02:66:63:6e:00:00"); /* to which the packets are sent */
	app_ok("trace add 3");
	platform.source = true;
	platform.accept = 0;
	for (uint64_t now = 0; now < 4000; now += 400)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	platform.source = false;
}

static void compare(const json_t *v, const struct fcn_shape *shape, const char *path);

static unsigned int
type_of(const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_OBJECT:
		return FCN_SHAPE_OBJECT;
	case JSON_STRING:
		return FCN_SHAPE_STRING;
	case JSON_INTEGER:
		return FCN_SHAPE_INTEGER | FCN_SHAPE_NUMBER;
	case JSON_REAL:
		return FCN_SHAPE_NUMBER;
	case JSON_NULL:
		return FCN_SHAPE_NULL;
	case JSON_ARRAY:
		return 0;
	default:
		return FCN_SHAPE_BOOLEAN;
	}
}

struct visited {
	const json_t *object;
	const char *path;
	json_t *seen;
};

static void
visit(void *arg, const struct fcn_shape *m)
{
	struct visited *o = arg;
	const char *key;
	char path[256];
	json_t *v;

	if (m->is_prefix) {
		json_object_foreach ((json_t *)(uintptr_t)o->object, key, v) {
			if (json_object_get(o->seen, key) != NULL ||
					strncmp(key, m->name, strlen(m->name)) != 0)
				continue;
			snprintf(path, sizeof(path), "%s.%s", o->path, key);
			json_object_set_new(o->seen, key, json_true());
			compare(v, m, path);
		}
		return;
	}
	if (json_object_get(o->seen, m->name) != NULL)
		return; /* the first of several counts */
	snprintf(path, sizeof(path), "%s.%s", o->path, m->name);
	v = json_object_get(o->object, m->name);
	if (v == NULL && !m->optional)
		fail_msg("%s: is missing", path);
	json_object_set_new(o->seen, m->name, json_true());
	if (v != NULL)
		compare(v, m, path);
}

static void
compare_object(const json_t *o, const struct fcn_shape *shape, const char *path)
{
	struct visited visited = {o, path, json_object()};
	const char *key;
	json_t *v;

	if (!shape->is_any)
		fcn_shape_each(shape->of, visit, &visited);
	json_object_foreach ((json_t *)(uintptr_t)o, key, v) {
		if (shape->is_any)
			compare(v, shape->of, key);
		else if (json_object_get(visited.seen, key) == NULL)
			fail_msg("%s.%s: is not declared", path, key);
	}
	json_decref(visited.seen);
}

static void
compare_one(const json_t *v, const struct fcn_shape *shape, const char *path)
{
	n_values++;
	if (shape->types == 0)
		return;
	if ((type_of(v) & shape->types) == 0)
		fail_msg("%s: has another type: %s", path, json_dumps(v, JSON_ENCODE_ANY));
	if (json_is_object(v))
		compare_object(v, shape, path);
}

static void
compare(const json_t *v, const struct fcn_shape *shape, const char *path)
{
	json_t *element;
	size_t i;

	if (!shape->is_list) {
		compare_one(v, shape, path);
		return;
	}
	if (json_is_null(v) && shape->types & FCN_SHAPE_NULL)
		return;
	if (!json_is_array(v))
		fail_msg("%s: is no list", path);
	json_array_foreach (v, i, element)
		compare_one(element, shape, path);
}

static void
compare_all(void)
{
	struct fcn_show_query query = FCN_SHOW_QUERY_ANY;

	query.all = query.bytes = true;
	for (const struct fcn_show *s = fcn_shows; s->name != NULL; s++) {
		json_t *v = fcn_show_get(&source, s, &query);

		assert_non_null(v);
		compare(v, s->shape, s->name);
		json_decref(v);
	}
}

TEST(everything)
{
	fill();
	compare_all();
	assert_true(n_values > 3000);
}

TEST(nothing)
{
	compare_all();
}

/* The program has no state of its own to show, as in a replay. */
TEST(no_exports)
{
	source.exports = NULL;
	fill();
	compare_all();
}
