/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What a switch does that nobody configured: it forwards. It notifies nobody, marks nothing, pauses
 * nobody and records nothing. Every setting that can be on or off is in the list below: whoever
 * adds one says here which it is, and the test asks the switch. The drafts want every kind of
 * notification off until somebody turns it on.
 */

#include <rte_common.h>

#include "app_util.h"

struct setting {
	const char *syntax;     /* of the command, up to its value */
	const char *line;       /* an example, up to its value */
	const char *on;         /* the value that is not off */
	const char *default_on; /* why it is on from the start; NULL: it is off */
};

static const struct setting settings[] = {
		{"set notify fast-cnp", "set notify fast-cnp", "on", NULL},
		{"set notify endcon", "set notify endcon", "on", NULL},
		{"set notify cnm", "set notify cnm", "on", NULL},
		{"set notify cnp", "set notify cnp", "on", NULL},
		{"set notify entropy", "set notify entropy", "on", NULL},
		{"set notify mark-unknown", "set notify mark-unknown", "on",
				"it qualifies notices: without fast-cnp it does nothing"},
		{"set queue <port:name> class <class:class> notify", "set queue p0 class 3 notify",
				"on", NULL},
		{"set queue <port:name> class <class:class> ecn", "set queue p0 class 3 ecn", "on",
				NULL},
		{"set queue <port:name> class <class:class> heavy-flows",
				"set queue p0 class 3 heavy-flows", "on", NULL},
		{"set arn send", "set arn send", "on", NULL},
		{"set arn receive", "set arn receive", "on", NULL},
		{"set arn any-port", "set arn any-port", "on", NULL},
		{"set proxy receive", "set proxy receive", "on", NULL},
		{"set proxy intercept", "set proxy intercept", "on", NULL},
		{"set arn from-pfc", "set arn from-pfc", "on", NULL},
		{"set ioam port <port:name> transit", "set ioam port p0 transit", "on", NULL},
		{"set ioam port <port:name> edge", "set ioam port p0 edge", "drop", NULL},
		{"set pfc <port:name> class <class:class> send", "set pfc p0 class 3 send", "on",
				NULL},
		{"set pfc <port:name> class <class:class> receive", "set pfc p0 class 3 receive",
				"on", NULL},
		{"set pfc <port:name> link-pause", "set pfc p0 link-pause", "on", NULL},
		{"set pfc <port:name> hardware", "set pfc p0 hardware", "on", NULL},
		{"set port <port:name> advertise", "set port p0 advertise", "on", NULL},
		{"set port <port:name> border", "set port p0 border", "on", NULL},
		{"set port <port:name> promiscuous", "set port p0 promiscuous", "on",
				"a bridge must see frames to others; nothing is sent"},
		{"set host mld", "set host mld", "on",
				"a switch that snoops must forward Neighbour Discovery (RFC 4862)"},
		{"set host dad", "set host dad", "on",
				"an address is tried before it is used (RFC 4862)"},
		{"set worker stage-cycles", "set worker stage-cycles", "on", NULL},
		{"set worker cycle-share", "set worker cycle-share", "on",
				"it says who waits when not all ports can be served; nothing is "
				"sent"},
		{"set srv6 echo", "set srv6 echo", "on",
				"it is about local SIDs: without any it does nothing"},
		{"set srv6 ecn-events", "set srv6 ecn-events", "on",
				"it is about local SIDs: without any it does nothing"},
};

/* Settings of three or more values whose default is neither. */
static const char *const neither[] = {
		"set queue <port:name> class <class:class> strict", /* auto */
		"set host",                                         /* auto */
		"set port <port:name> class-trust",                 /* auto */
		"set protected-class <class:class>", /* auto: those that something sends in */
		/* a condition of a rule, about packets */
		"srv6 steering add <prefix:prefix> policy <policy:name> [table <table:name>] "
		"[port <port:name>] [dscp <dscp:number>] [roce",
		"srv6 steering remove <prefix:prefix> [table <table:name>] [port <port:name>] "
		"[dscp <dscp:number>] [roce",
};

/* Everything that the settings above need, and nothing of them. */
static const char *const plain[] = {"port add p0", "port add p1", "set loopback 2001:db8:f::5",
		"set arn port 1022", "set cnm port 1021", "address add p0 2001:db8::1/64",
		"ioam namespace add 7", NULL};

/* The length of the syntax up to the value that says on or off; 0: it has none. */
static size_t
before_switch(const struct fcn_command *command)
{
	const char *value = strrchr(command->syntax, '<');

	if (command->kind != FCN_COMMAND_CONFIG || value == NULL ||
			(strstr(value, "|off>") == NULL && strstr(value, ":off|") == NULL))
		return 0;
	return (size_t)(value - command->syntax) - 1;
}

static bool
is_syntax(const char *text, const struct fcn_command *command)
{
	size_t len = before_switch(command);

	return len != 0 && strlen(text) == len && strncmp(text, command->syntax, len) == 0;
}

static bool
is_listed(const struct fcn_command *command)
{
	for (size_t i = 0; i < RTE_DIM(settings); i++) {
		if (is_syntax(settings[i].syntax, command))
			return true;
	}
	for (size_t i = 0; i < RTE_DIM(neither); i++) {
		if (is_syntax(neither[i], command))
			return true;
	}
	return false;
}

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(all_listed)
{
	const struct fcn_command_table *table = session.table;
	const size_t n_forms = fcn_command_form_count(table);

	for (size_t i = 0; i < n_forms; i++) {
		const struct fcn_command *command = fcn_command_form_command(table, i);

		if (before_switch(command) != 0 && !command->former && !is_listed(command))
			fail_msg("\"%s\" is not in the list of this test: is it off by default?",
					command->syntax);
	}
	for (size_t k = 0; k < RTE_DIM(settings); k++) {
		size_t i = 0;

		while (i < n_forms &&
				!is_syntax(settings[k].syntax, fcn_command_form_command(table, i)))
			i++;
		if (i == n_forms)
			fail_msg("there is no command \"%s\" any more", settings[k].syntax);
	}
}

static void
run_with(const char *line, const char *value)
{
	char whole[128];

	snprintf(whole, sizeof(whole), "%s %s", line, value);
	app_ok(whole);
}

/* Setting a default changes nothing of what would be saved; setting something else does. */
TEST(defaults)
{
	char *before, *as_default, *other;

	app_all(plain);
	before = app_config();
	for (size_t i = 0; i < RTE_DIM(settings); i++) {
		const struct setting *s = &settings[i];
		const bool on = s->default_on != NULL;

		run_with(s->line, on ? s->on : "off");
		as_default = app_config();
		if (strcmp(before, as_default) != 0)
			fail_msg("\"%s\" is %s by default", s->line, on ? "off" : "on");
		run_with(s->line, on ? "off" : s->on);
		other = app_config();
		if (strcmp(before, other) == 0)
			fail_msg("\"%s\" does not show in the configuration", s->line);
		run_with(s->line, on ? s->on : "off");
		free(as_default);
		free(other);
	}
	as_default = app_config();
	assert_string_equal(before, as_default);
	free(as_default);
	free(before);
}

/* The same from the other side: what the workers of such a switch would look at. */
TEST(snapshot)
{
	const struct fcn_snapshot *s;

	app_all(plain);
	s = fcn_control_snapshot(platform.ctl);
	assert_false(s->notify.on);
	assert_false(s->ioam.any_transit);
	assert_false(s->ioam.any_edge);
	assert_false(s->stage_cycles);
	for (unsigned int p = 0; p < s->n_ports; p++) {
		assert_false(s->port[p].pause_on);
		assert_int_equal(s->port[p].lossless, 0);
		assert_false(s->port[p].ioam.transit);
		assert_int_equal(s->port[p].ioam.edge, FCN_IOAM_EDGE_OFF);
		assert_int_equal(s->port[p].egress.at_dequeue, 0);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			assert_int_equal(
					s->port[p].egress.queue[c].detector.type, FCN_DETECTOR_OFF);
			assert_false(s->port[p].egress.queue[c].policy.ecn);
			assert_false(s->port[p].egress.queue[c].policy.notify);
		}
	}
}

/* A port is closed because of a loop only where that was asked for. */
TEST(loop_action)
{
	char *before, *after;

	app_all(plain);
	app_ok("bridge add br0");
	assert_int_equal(fcn_control_config(platform.ctl)->bridge[0].loop_action, FCN_LOOP_LOG);
	before = app_config();
	app_ok("set bridge br0 loop-action disable recover 7s");
	app_ok("set bridge br0 loop-action log");
	after = app_config();
	assert_string_equal(before, after);
	free(after);
	free(before);
	app_ok("set bridge br0 loop-action disable");
	assert_int_equal(fcn_control_config(platform.ctl)->bridge[0].recover_ns,
			UINT64_C(300000000000));
	app_ok("set bridge br0 loop-action disable recover never");
	app_ok("set bridge br0 loop-action disable");
	assert_int_equal(fcn_control_config(platform.ctl)->bridge[0].recover_ns,
			UINT64_C(300000000000));
}

/* And what `show` says of it. */
TEST(show)
{
	json_t *o, *policy;

	app_all(plain);
	app_ok("show notify json");
	o = json_loads(app_output(), 0, NULL);
	assert_non_null(o);
	policy = json_object_get(o, "policy");
	assert_non_null(policy);
	assert_true(json_is_false(json_object_get(policy, "fast_cnp")));
	json_decref(o);
}

/*
 * Both option types of a Fast CNP have action 10 (a node that does not know them drops the packet
 * and says so) and do not change en route (draft-xiao-rtgwg-rocev2-fast-cnp section 4).
 */
TEST(option_types)
{
	static const char *const which[] = {"option1-type", "option2-type"};
	char line[64], expected[64], *before, *text;

	for (unsigned int type = 0; type <= 256; type++) {
		for (unsigned int i = 0; i < RTE_DIM(which); i++) {
			const bool good = type >> 6 == 2 && (type >> 5 & 1) == 0;
			const char *said = "an option type of Fast CNP must be 0x80 to 0x9f";

			snprintf(line, sizeof(line), "set notify %s 0x%02x", which[i], type);
			before = app_config();
			assert_int_equal(app_line(line), good ? 0 : -ERANGE);
			text = app_config();
			snprintf(expected, sizeof(expected), "set notify %s 0x%02x\n", which[i],
					type);
			if (good)
				assert_non_null(strstr(text, expected));
			else
				assert_string_equal(text, before);
			if (!good)
				assert_non_null(strstr(app_output(), said));
			free(text);
			free(before);
		}
	}
}

static unsigned int
count(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

/* `all` stands for whatever is policed by a rate of its own: ports and sub-interfaces, but not
 * interfaces of bridges. */
TEST(police_all)
{
	static const char *const lines[] = {"port add p0", "port add p1",
			"port add p0.7 vlan 7 of p0", "bridge add br0",
			"bridge br0 interface add br0.1", NULL};
	char *config;

	assert_int_not_equal(app_line("set port all police neighbour 2K burst 10"), 0);
	assert_non_null(strstr(app_output(), "there is no port"));
	app_all(lines);
	app_ok("set port all police neighbour 2K burst 10");
	config = app_config();
	assert_int_equal(count(config, " police "), 3);
	assert_int_equal(count(config, "set port p0 police neighbour 2000 burst 10\n"), 1);
	assert_int_equal(count(config, "set port p1 police neighbour 2000 burst 10\n"), 1);
	assert_int_equal(count(config, "set port p0.7 police neighbour 2000 burst 10\n"), 1);
	free(config);
	app_ok("set port all police all default");
	config = app_config();
	assert_int_equal(count(config, " police "), 0);
	free(config);
}
