/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* As many ports as there can be: what is typed, shown, completed, saved and exported of the last
 * ones. */

#include "app_util.h"
#include "fcn_metrics.h"
#include "fcn_port_limit.h"

#define N FCN_MAX_PORTS /* p0 to p255 */

static int
setup(void **state)
{
	char text[64 * N] = "";

	if (app_setup(state) != 0)
		return -1;
	for (unsigned int i = 0; i < N; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
				"port add p%u\nset queue p%u class all limit 1M packets 16\n", i,
				i);
	app_write("ports.conf", text);
	app_ok("load ports.conf");
	return 0;
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = app_teardown);

static json_t *
shown(const char *line)
{
	json_t *v;

	app_ok(line);
	v = json_loads(app_output(), 0, NULL);
	assert_non_null(v);
	return v;
}

static const char *
name_of(const json_t *list, size_t i)
{
	return json_string_value(json_object_get(json_array_get(list, i), "port"));
}

TEST(shown)
{
	json_t *list = shown("show port json");
	char name[16];

	assert_int_equal(json_array_size(list), N);
	for (unsigned int i = 0; i < N; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		assert_string_equal(name_of(list, i), name);
		assert_int_equal(fcn_config_port_find(fcn_control_config(platform.ctl), name), i);
	}
	json_decref(list);
	list = shown("show port p255 json");
	assert_int_equal(json_array_size(list), 1);
	assert_string_equal(name_of(list, 0), "p255");
	json_decref(list);
	list = shown("show queue p255 class 3 json");
	assert_int_equal(json_array_size(list), 1);
	json_decref(list);
	app_ok("show buffer json");
	app_ok("show worker json");
	app_ok("show summary json");
	app_ok("show drops json");
	app_ok("show pfc p255");
	app_ok("show notify json");
}

/* No port is one too many, whatever kind of port it would be. */
TEST(one_too_many)
{
	static const char want[] = "a switch has at most 256 ports, sub-interfaces included";

	assert_int_not_equal(app_line("port add another"), 0);
	assert_non_null(strstr(app_output(), want));
	assert_int_not_equal(app_line("port add p0.7 vlan 7 of p0"), 0);
	assert_non_null(strstr(app_output(), want));
	app_ok("bridge add br0");
	assert_int_not_equal(app_line("bridge br0 interface add host vlan 1"), 0);
	assert_non_null(strstr(app_output(), "256"));
	/* The number of one that goes is that of the next one. */
	app_ok("port remove p200");
	app_ok("port add p0.7 vlan 7 of p0");
	assert_int_equal(fcn_config_port_find(fcn_control_config(platform.ctl), "p0.7"), 200);
}

static void
count(void *arg, const char *name)
{
	unsigned int *n = arg;

	*n += strncmp(name, "p25", 3) == 0;
}

/* p25 and p250 to p255 complete "p25". */
TEST(completed)
{
	unsigned int n = 0;

	fcn_session_names(fcn_control_config(platform.ctl), "port", count, &n);
	assert_int_equal(n, 7);
}

/* Settings of one port are those of no other; they are saved and loaded. */
TEST(saved)
{
	const struct fcn_config *cfg;
	char *text;

	app_ok("set port p255 mtu 4000");
	app_ok("set port p255 police neighbour 7 burst 3");
	app_ok("bridge add br0");
	app_ok("bridge br0 port add p254");
	app_ok("set bridge br0 port p254 tagged 5,4094");
	app_ok("address add p255 2001:db8:ff::1/64");
	app_ok("neighbour add p255 2001:db8:ff::2 02:00:00:00:00:ff");
	app_ok("route add 2001:db8:fe::/64 via 2001:db8:ff::2 port p255");
	cfg = fcn_control_config(platform.ctl);
	for (unsigned int p = 0; p < N; p++) {
		assert_int_equal(cfg->port[p].mtu, p == 255 ? 4000 : FCN_DEFAULT_MTU);
		assert_int_equal(cfg->port[p].bridge, p == 254 ? 0 : -1);
		assert_int_equal(fcn_config_police(cfg, p, FCN_PUNT_KIND_NEIGHBOUR).burst,
				p == 255 ? 3 : 256);
	}
	text = app_config();
	assert_non_null(strstr(text, "\nport add p255 mtu 4000\n"));
	free(text);
	app_reload();
}

static json_t *
get(void *arg, const char *show)
{
	char line[128];

	RTE_SET_USED(arg);
	snprintf(line, sizeof(line), "show %s json", show);
	return app_line(line) == 0 ? json_loads(app_output(), 0, NULL) : json_null();
}

TEST(metrics)
{
	char *text = NULL, want[80];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(fcn_metrics_write(out, FCN_METRICS_OPENMETRICS, get, NULL), 0);
	fclose(out);
	for (unsigned int i = 0; i < N; i++) {
		snprintf(want, sizeof(want),
				"\nfastcn_port_received_packets_total{port=\"p%u\"} 0\n", i);
		assert_non_null(strstr(text, want));
	}
	free(text);
}
