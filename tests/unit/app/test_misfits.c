/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings that are right each for itself, and do not fit together: what is said, and that nothing
 * is changed. */

#include "app_util.h"

static const char *const start[] = {"port add p0", "port add p1", "port add p0.7 vlan 7 of p0",
		"bridge add br0", "set loopback 2001:db8:f::5", "ioam namespace add 7", NULL};

/* Lines that are fine, and then one that does not fit to them. */
static const struct {
	const char *lines[6];
	const char *said;
} misfits[] = {
		{{"set queue p0 class 3 limit 39999",
				 "set queue p0 class 3 detector step threshold 40000"},
				"port p0 class 3: the detector's threshold of 40000 "
				"bytes is above the queue's limit of 39999 bytes"},
		{{"set queue p0 class 3 detector red kmin 30K kmax 31K",
				 "set queue p0 class 3 limit 29999"},
				"port p0 class 3: the detector's threshold of 30000 "
				"bytes is above the queue's limit of 29999 bytes"},
		{{"set queue p0 class 3 limit 1M", "set queue p0 class 3 mark from 1000001"},
				"port p0 class 3: mark from 1000001 bytes is above the "
				"queue's limit of 1000000 bytes"},
		{{"set queue p0 class 3 notify from 2000", "set queue p0 class 3 limit 1999"},
				"port p0 class 3: notify from 2000 bytes is above the "
				"queue's limit of 1999 bytes"},
		{{"set queue p0 class 3 peak 1G", "set queue p0 class 3 committed 1000001K"},
				"port p0 class 3: a peak of 1000000000 bits/s is below "
				"the committed rate of 1000001000"},
		{{"set queue p0 class 3 committed 6G", "set port p0 rate 5G"},
				"port p0: its classes' committed rates are 6000000000 bits/s "
				"together, more than the port's rate of 5000000000"},
		{{"set notify fast-cnp on", "set queue p0 class 6 committed 1G"},
				"port p0 class 6: this is the class of notices, which must not "
				"be shaped: set committed off and peak off"},
		{{"set queue p1 class 6 peak 1G", "set notify fast-cnp on"},
				"port p1 class 6: this is the class of notices, which must not "
				"be shaped: set committed off and peak off"},
		{{"set notify fast-cnp on", "set queue p1 class 6 strict off"},
				"port p1 class 6: this is the class of notices, which must "
				"have strict priority: set strict on"},
		{{"set notify fast-cnp on", "set queue p1 class 5 strict off",
				 "set notify class 5"},
				"port p1 class 5: this is the class of notices, which must "
				"have strict priority: set strict on"},
		{{"set queue all class all reserve 10K", "set pfc p0 class 3 send on",
				 "set pfc p0 class 3 headroom 20K", "set pfc p0 class 3 reserve 5K",
				 "set buffer size 184999"},
				"buffer of 184999 bytes: queues reserve 160000, lossless classes "
				"5000 and a headroom of 20000, together 185000"},
		{{"set pfc p0 class 3 send on", "set pfc p0 class 3 xoff dynamic"},
				"port p0 class 3: a dynamic threshold needs a shared "
				"buffer: set buffer size SIZE"},
		{{"set notify fast-cnp on", "set pfc p0 class 6 send on"},
				"port p0 class 6: this is the class of notices, which "
				"a pause would delay: set pfc send off and receive off"},
		{{"set pfc p1 class 6 receive on", "set notify fast-cnp on"},
				"port p1 class 6: this is the class of notices, which "
				"a pause would delay: set pfc send off and receive off"},
		{{"set ioam port p0 transit on", "set ioam port p0 edge drop"},
				"port p0: packets received at the edge of the IOAM "
				"domain have no trace of the domain: set ioam transit "
				"off, or edge off"},
		{{"set port p0 border on", "set ioam port p0 transit on"},
				"port p0: packets received at the domain's border have "
				"no IOAM trace of the domain: set ioam transit off, or "
				"border off"},
		{{"set port p0 untrusted-class 7", "set port p0 class-trust off"},
				"port p0: untrusted-class cannot be class 7, which is "
				"protected"},
		{{"set border arn-port 1021", "set border cnm-port 1021"},
				"border: cnm-port and arn-port cannot both be UDP port "
				"1021"},
		{{"set border arn-port 1021", "set cnm port 1021"},
				"border: cnm-port and arn-port cannot both be UDP port "
				"1021"},
		{{"set arn port 1021", "set border cnm-port 1021"},
				"border: cnm-port and arn-port cannot both be UDP port "
				"1021"},
		{{"set border cnm-port 4791"}, "border: UDP port 4791 is that of RoCEv2"},
		{{"set notify cnm on"}, "notify cnm needs a UDP port: set cnm port NUMBER"},
		{{"set cnm port 1021", "set loopback none", "set notify cnm on"},
				"notify cnm needs a source address: set loopback ADDRESS"},
		{{"set cnm port 4791"}, "cnm: UDP port 4791 is that of RoCEv2"},
		{{"set arn port 1021", "set cnm port 1021"},
				"cnm port and arn port cannot both be UDP port 1021"},
		{{"set border arn-port 1021", "set cnm port 1021"},
				"border: cnm-port and arn-port cannot both be UDP port "
				"1021"},
		{{"set bridge br0 loop-action disable", "set bridge br0 move-limit off"},
				"bridge br0: loop-action disable needs a move-limit, "
				"which is off"},
		{{"set bridge br0 move-limit off", "set bridge br0 loop-action disable recover 1s"},
				"bridge br0: loop-action disable needs a move-limit, "
				"which is off"},
		{{"srv6 sid add 2001:db8:f::5/128 end"},
				"srv6 sid 2001:db8:f::5/128: it is an address of the switch"},
		{{"srv6 sid add 2001:db8:8::/64 end.x via fe80::1 port p1",
				 "bridge br0 port add p1"},
				"srv6 sid 2001:db8:8::/64: port p1 is in bridge br0 and cannot be "
				"routed to"},
		{{"srv6 policy add east", "set srv6 policy east roce-source 2001:db8:e1::c",
				 "set srv6 policy east ecn compatibility"},
				"srv6 policy east: with roce-source, RoCEv2 needs the ECN field in "
				"the outer header: set ecn normal, or roce-source none"},
		{{"srv6 policy add east", "set srv6 policy east ecn compatibility",
				 "set srv6 policy east roce-source 2001:db8:e1::c"},
				"srv6 policy east: with roce-source, RoCEv2 needs the ECN field in "
				"the outer header: set ecn normal, or roce-source none"},
		{{"set srv6 endcon-rate 1 burst 3"},
				"srv6 endcon-rate: 3 tokens at 1 a second take longer than 2.1 s "
				"to fill"},
		{{"set cnm port 4791"}, "cnm: UDP port 4791 is that of RoCEv2"},
		{{"set arn port 1022", "set cnm port 1022"},
				"cnm port and arn port cannot both be UDP port 1022"},
		{{"set proxy receive on"}, "proxy receive needs a UDP port: set cnm port NUMBER"},
		{{"set loopback none", "set cnm port 1021",
				 "proxy sender add ::/0 translate fast-cnp-trace",
				 "set proxy receive on"},
				"the proxy needs a source address for Fast CNPs: set loopback "
				"ADDRESS"},
		{{"set proxy rate 1 burst 9"},
				"proxy rate: 9 tokens at 1 a second take longer than 2.1 s to "
				"fill"},
		{{"set arn receive on"}, "arn receive needs a UDP port: set arn port NUMBER"},
		{{"set loopback none", "set arn port 1022", "set arn receive on"},
				"arn receive needs an address to which messages are sent: set "
				"loopback ADDRESS"},
		{{"set arn bucket source 1 burst 3"},
				"arn bucket source: 3 tokens at 1 a second take longer than 2.1 s "
				"to fill"},
		{{"set notify bucket global 1 burst 3"},
				"notify global bucket: 3 tokens at 1 a second take longer than 2.1 "
				"s to fill"},
};

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(misfits)
{
	for (size_t i = 0; i < RTE_DIM(misfits); i++) {
		const char *const *line = misfits[i].lines;
		char want[512], *before, *after;

		app_teardown(NULL);
		app_setup(NULL);
		app_all(start);
		for (; line[1] != NULL; line++)
			app_ok(*line);
		before = app_config();
		assert_int_not_equal(app_line(*line), 0);
		snprintf(want, sizeof(want), "%s\nnothing was changed\n", misfits[i].said);
		if (strcmp(app_output(), want) != 0)
			fail_msg("%s:\n%s", *line, app_output());
		after = app_config();
		assert_string_equal(after, before);
		free(before);
		free(after);
	}
}

/* Namespaces: 16 of them, and 0 counts when it must be there. */
TEST(namespaces)
{
	char line[64];

	app_ok("port add p0");
	for (unsigned int i = 1; i <= 16; i++) {
		snprintf(line, sizeof(line), "ioam namespace add %u", i);
		app_ok(line);
	}
	assert_int_not_equal(app_line("ioam namespace add 17"), 0);
	assert_string_equal(app_output(),
			"column 20: there are 16 namespaces already, the most there can be\n");
	assert_int_not_equal(app_line("set ioam port p0 transit on"), 0);
	assert_string_equal(app_output(),
			"ioam: 17 namespaces, including namespace 0, which always exists, are "
			"more than the maximum of 16\nnothing was changed\n");
	app_ok("ioam namespace remove 16");
	app_ok("set ioam port p0 transit on");
	assert_int_equal(fcn_control_snapshot(platform.ctl)->ioam.n_namespaces, 16);
	/* one id serves as both */
	app_ok("set ioam port p0 id 300");
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[0].ioam.id, 300);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[0].ioam.id_wide, 300);
}
