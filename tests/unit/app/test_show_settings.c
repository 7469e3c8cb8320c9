/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The tables of settings say in which part of which `show` a setting is. Of a switch where
 * everything is configured, each of these parts has it.
 */

#include "app_util.h"
#include "fcn_config_scopes.h"
#include "fcn_show_list.h"

static const struct fcn_setting_scope *const scopes[] = {FCN_CONFIG_SCOPES(FCN_SCOPE_ADDRESS)};

/* Packets wait in queues, so that the shared buffer has accounts: p0 sends nothing. */
static void
fill(void)
{
	app_all(app_everything);
	app_ok("route add 2001:db8:1::/48 via 2001:db8::2 port p0");
	app_ok("set port p0 mac 02:66:63:6e:00:00"); /* to which the packets are sent */
	platform.source = true;
	platform.accept = 0;
	for (uint64_t now = 0; now < 4000; now += 400)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	platform.source = false;
}

/* Tell whether a JSON value, or one of its elements, has a member at a path of names, as
 * "ports.storm_control"; "" if it is a member of the value itself. */
static bool
has(const json_t *v, const char *path, const char *name)
{
	char first[64];
	size_t len = strcspn(path, "."), i;
	json_t *element;

	if (json_is_array(v)) {
		json_array_foreach (v, i, element) {
			if (has(element, path, name))
				return true;
		}
		return false;
	}
	if (path[0] == '\0')
		return json_object_get(v, name) != NULL;
	snprintf(first, sizeof(first), "%.*s", (int)len, path);
	return has(json_object_get(v, first), path[len] == '.' ? path + len + 1 : "", name);
}

/* @param part as "pfc.classes" */
static bool
is_in_show(const char *part, const char *name)
{
	const size_t len = strcspn(part, ".");
	char line[64];
	json_t *v;
	bool found;

	/* queues without packets, too */
	snprintf(line, sizeof(line), "show %.*s%s json", (int)len, part,
			strncmp(part, "queue", len) == 0 ? " all" : "");
	app_ok(line);
	v = json_loads(app_output(), 0, NULL);
	assert_non_null(v);
	found = has(v, part[len] == '.' ? part + len + 1 : "", name);
	json_decref(v);
	return found;
}

static unsigned int
check(const struct fcn_setting_scope *s, const char *words, const struct fcn_setting_value *v)
{
	unsigned int n = 0;

	for (; n < FCN_SETTING_SHOWN && v->show[n].name != NULL; n++) {
		const char *part = v->show[n].part != NULL ? v->show[n].part : s->show;

		if (!is_in_show(part, v->show[n].name))
			fail_msg("%s %s: %s has no %s", s->syntax, words, part, v->show[n].name);
	}
	return n;
}

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(members)
{
	unsigned int n = 0;

	fill();
	for (size_t i = 0; i < RTE_DIM(scopes); i++) {
		const struct fcn_setting_scope *s = scopes[i];

		if (s->selected != NULL)
			n += check(s, "", s->selected);
		for (unsigned int k = 0; k < s->n_settings; k++) {
			for (unsigned int j = 0; j < FCN_SETTING_VALUES; j++)
				n += check(s, s->settings[k].words, &s->settings[k].value[j]);
		}
	}
	assert_true(n > 90);
}
