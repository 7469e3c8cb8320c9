/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_util.h"

static bool
ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && strcmp(text + len - n, end) == 0;
}

/* Each member's name is in the text, without its unit; prose has none. */
static void
assert_names(const json_t *v, const char *text, const char *line)
{
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_array(v)) {
		json_array_foreach (v, i, member)
			assert_names(member, text, line);
		return;
	}
	if (!json_is_object(v))
		return;
	json_object_foreach ((json_t *)(uintptr_t)v, key, member) {
		char name[64];

		snprintf(name, sizeof(name), "%s", key);
		if (ends_with(key, "_bps"))
			name[strlen(name) - 4] = '\0';
		else if (ends_with(key, "_ns"))
			name[strlen(name) - 3] = '\0';
		if (!ends_with(key, "_text") && strstr(text, name) == NULL)
			fail_msg("%s: no %s in\n%s", line, name, text);
		if (json_is_string(member) && strstr(text, json_string_value(member)) == NULL)
			fail_msg("%s: no \"%s\" in\n%s", line, json_string_value(member), text);
		assert_names(member, text, line);
	}
}

/* The tables of ports, queues, workers and flows have some of what there is, and no more than a
 * line has room for; a wider table is in parts, with a line between them. */
static void
assert_columns(const json_t *v, const char *const *columns, const char *text)
{
	if (json_array_size(v) == 0) {
		assert_string_equal(text, "none\n");
		return;
	}
	for (const char *const *key = columns; *key != NULL; key++) {
		char name[64];

		assert_non_null(json_object_get(json_array_get(v, 0), *key));
		snprintf(name, sizeof(name), "%s", *key);
		if (ends_with(name, "_ns"))
			name[strlen(name) - 3] = '\0';
		if (ends_with(name, "_bps"))
			name[strlen(name) - 4] = '\0';
		assert_non_null(strstr(text, name));
	}
	for (; *text != '\0'; text += strcspn(text, "\n") + 1)
		assert_in_range(strcspn(text, "\n"), 0, 110);
}

/* The text of a trace has the headers of each packet in a line, and the words of each step. */
static void
assert_trace(const json_t *v, const char *text)
{
	json_t *row, *step;
	size_t i, k;

	json_array_foreach (v, i, row) {
		assert_non_null(strstr(
				text, json_string_value(json_object_get(row, "headers_text"))));
		json_array_foreach (json_object_get(row, "steps"), k, step)
			assert_non_null(strstr(text,
					json_string_value(json_object_get(step, "decision_text"))));
	}
}

json_t *
show(const char *line)
{
	char with_json[256];
	json_error_t error;
	json_t *v;

	snprintf(with_json, sizeof(with_json), "%s json", line);
	app_ok(with_json);
	v = json_loads(app_output(), JSON_REJECT_DUPLICATES, &error);
	if (v == NULL)
		fail_msg("%s: %s at line %d of\n%s", with_json, error.text, error.line,
				app_output());
	app_ok(line);
	if (strncmp(line, "show queue", 10) == 0 && strstr(line, "detail") == NULL)
		assert_columns(v, fcn_show_queue_columns, app_output());
	else if (strncmp(line, "show port", 9) == 0 && strstr(line, "detail") == NULL)
		assert_columns(v, fcn_show_port_columns, app_output());
	else if (strcmp(line, "show worker") == 0)
		assert_columns(v, fcn_show_worker_columns, app_output());
	else if (strncmp(line, "show flows", 10) == 0 && strstr(line, "detail") == NULL &&
			strstr(line, "notified") == NULL)
		assert_columns(v, fcn_show_flow_columns, app_output());
	else if (strncmp(line, "show trace", 10) == 0)
		assert_trace(v, app_output());
	else
		assert_names(v, app_output(), line);
	return v;
}

void
fill(void)
{
	static const char *const lines[] = {"set loopback 2001:db8:f::5", "port add p0",
			"port add p1", "set port p1 mtu 9000", "port add p2 device net_tap2",
			"bridge add br0", "bridge br0 port add p2", "address add p1 192.0.2.1/24",
			"set bridge br0 port p2 tagged 2-200",
			"neighbour add p1 2001:db8:1::1 02:00:00:00:00:01",
			"route add 2001:db8::/48 via 2001:db8:1::1 port p1",
			"route add 2001:db8:77::/48 blackhole",
			"route add 2001:db8:78::/48 via 2001:db8:2::1 port p1",
			"set queue p1 class all detector step 100",
			"set queue p1 class all notify on", "set queue p1 class all ecn on",
			"set queue p1 class 5 limit 200", "set notify interval 1us",
			"set notify fast-cnp on", "sender add 2001:db8:0::/64 unknown",
			"sender add 2001:db8:9::/64 none", "trace add 250", NULL};

	app_all(lines);
	for (unsigned int d = 0; d < 64; d += 9) {
		char line[64];

		snprintf(line, sizeof(line), "set class-map dscp %u class 0", d);
		app_ok(line);
	}
	platform.source = true;
	platform.accept = 3;
	for (uint64_t now = 0; now < 4000; now += 400)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	platform.source = false;
}

json_int_t
number(const json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return json_integer_value(json_object_get(o, key));
}
