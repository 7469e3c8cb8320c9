/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A configuration that does not fit the links as they are now is not refused: what the links bring
 * is published, with limits, and there is a warning for as long as it is the case. Figures are
 * computed on paper.
 */

#include "app_util.h"

#define G UINT64_C(1000000000)

static char logged[64][400];
static unsigned int n_logged;

static void
log_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	assert_true(n_logged < RTE_DIM(logged));
	snprintf(logged[n_logged++], sizeof(logged[0]), "%s", line);
}

static unsigned int
count_logged(const char *line)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < n_logged; i++)
		n += strcmp(logged[i], line) == 0;
	return n;
}

static int
setup(void **state)
{
	int rc = app_setup(state);

	n_logged = 0;
	platform.ops.log = log_line;
	app_ok("port add p0");
	app_ok("port add p1");
	return rc;
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = app_teardown);

static void
link_is(unsigned int port, bool up, uint64_t bps)
{
	platform.port[port].down = !up;
	platform.port[port].link_bps = bps;
	fcn_control_link_poll(platform.ctl);
}

static const struct fcn_snapshot_port *
snapshot_port(unsigned int port)
{
	return &fcn_control_snapshot(platform.ctl)->port[port];
}

static const struct fcn_warning *
only_warning(enum fcn_warning_kind kind)
{
	const struct fcn_warnings *set = fcn_control_warnings(platform.ctl);

	assert_int_equal(set->n, 1);
	assert_int_equal(set->item[0].kind, kind);
	return &set->item[0];
}

static unsigned int
n_events(enum fcn_event_type type)
{
	struct fcn_event event[FCN_COLLECTOR_EVENTS];
	unsigned int n = fcn_collector_events(
				     fcn_control_collector(platform.ctl), event, RTE_DIM(event)),
		     count = 0;

	for (unsigned int i = 0; i < n; i++)
		count += event[i].type == type;
	return count;
}

/* Whether a change that has nothing to do with it is made, and links are followed. */
static void
assert_not_frozen(void)
{
	uint64_t generation = fcn_control_snapshot(platform.ctl)->generation;

	app_ok("set port p1 trust pcp");
	app_ok("set port p1 trust dscp");
	assert_int_equal(fcn_control_snapshot(platform.ctl)->generation, generation + 2);
	link_is(1, false, 0);
	assert_true(snapshot_port(1)->down);
	link_is(1, true, 10 * G);
	assert_false(snapshot_port(1)->down);
}

/* 12G and 6G are committed; at 25G they fit; at 10G they are 2/3 and 1/3 of it. */
TEST(committed)
{
	static const char line[] =
			"warning: port p0: its classes' committed rates are 18000000000 bits/s "
			"together, more than the 10000000000 of the link; each class has its share "
			"of them";
	const struct fcn_warning *w;

	link_is(0, false, 0);
	app_ok("set queue p0 class 3 committed 12G");
	app_ok("set queue p0 class 4 committed 6G");
	link_is(0, true, 25 * G);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	assert_int_equal(snapshot_port(0)->egress.queue[3].committed.bps, 12 * G);
	link_is(0, true, 10 * G);
	assert_int_equal(snapshot_port(0)->link_bps, 10 * G);
	assert_int_equal(snapshot_port(0)->egress.queue[3].committed.bps, 6666666666);
	assert_int_equal(snapshot_port(0)->egress.queue[4].committed.bps, 3333333333);
	w = only_warning(FCN_WARNING_COMMITTED);
	assert_string_equal(w->place, "port p0");
	assert_int_equal(w->port, 0);
	assert_not_frozen();
	assert_int_equal(count_logged(line), 1);
	assert_int_equal(n_events(FCN_EVENT_WARNING), 1);
	assert_int_equal(n_events(FCN_EVENT_WARNING_OVER), 0);
	/* A link that is down allows no rate, and forbids none. */
	link_is(0, false, 0);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	link_is(0, true, 25 * G);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	assert_int_equal(n_events(FCN_EVENT_WARNING_OVER), 1);
	assert_int_equal(snapshot_port(0)->egress.queue[3].committed.bps, 12 * G);
	assert_int_equal(count_logged(line), 1);
}

/* Who types it is told at once, and told no more by other commands. */
TEST(typed)
{
	link_is(0, true, 10 * G);
	assert_int_equal(app_line("set queue p0 class 3 committed 12G"), 0);
	assert_string_equal(app_output(),
			"warning: port p0: its classes' committed rates are 12000000000 bits/s "
			"together, more than the 10000000000 of the link; each class has its share "
			"of them\n");
	assert_int_equal(app_line("set port p1 trust pcp"), 0);
	assert_string_equal(app_output(), "");
	assert_int_equal(app_line("show warnings"), 0);
	assert_non_null(strstr(app_output(), "committed"));
	assert_int_equal(app_line("show events"), 0);
	assert_non_null(strstr(app_output(), "warning"));
	assert_int_equal(app_line("set queue p0 class 3 committed 10G"), 0);
	assert_string_equal(app_output(), "");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	/* A port that is removed has no warning any more. */
	assert_int_equal(app_line("set queue p0 class 3 committed 12G"), 0);
	app_ok("port remove p0");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
}

/* A cable that is out when the switch starts has no speed, not 10G. */
TEST(down_at_start)
{
	link_is(0, false, 0);
	assert_int_equal(app_line("set queue p0 class 3 committed 20G"), 0);
	assert_string_equal(app_output(), "");
	assert_int_equal(app_line("show port p0 json"), 0);
	assert_non_null(strstr(app_output(), "\"link_bps\": null"));
	link_is(0, true, 100 * G);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	assert_int_equal(snapshot_port(0)->egress.queue[3].committed.bps, 20 * G);
	assert_int_equal(app_line("show port p0 json"), 0);
	assert_non_null(strstr(app_output(), "\"link_bps\": 100000000000"));
}

/* 1 MB drains in 800 us at 10G and in 20 us at 400G, and no packet waits for 50 us there. */
TEST(target)
{
	link_is(0, true, 10 * G);
	app_ok("set queue p0 class 3 limit 1M");
	app_ok("set queue p0 class 3 detector sojourn target 50us");
	assert_int_equal(snapshot_port(0)->egress.queue[3].detector.enter, 50000);
	link_is(0, true, 400 * G);
	assert_int_equal(snapshot_port(0)->egress.queue[3].detector.enter, 10000);
	assert_int_equal(snapshot_port(0)->egress.queue[3].detector.leave, 10000);
	assert_string_equal(only_warning(FCN_WARNING_DETECTOR)->place, "port p0 class 3");
	assert_string_equal(only_warning(FCN_WARNING_DETECTOR)->reason,
			"no packet waits for the detector's target of 50000 ns, because the "
			"queue's "
			"limit of 1000000 bytes drains in 20000 ns; the target is 10000 ns");
	assert_not_frozen();
	link_is(0, true, 100 * G);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	assert_int_equal(snapshot_port(0)->egress.queue[3].detector.enter, 50000);
}

/* Defaults of detectors fit what is configured beside them, at every speed. */
TEST(defaults)
{
	static const char *const lines[] = {"set queue p0 class 0 detector step leave 200K",
			"set queue p0 class 1 detector red kmax 30K",
			"set queue p0 class 2 detector red kmin 600K",
			"set queue p0 class 4 limit 60K", "set queue p0 class 4 detector step",
			NULL};
	static const uint64_t speeds[] = {G / 10, G, 10 * G, 25 * G, 100 * G, 400 * G, 800 * G};

	app_all(lines);
	for (size_t i = 0; i < RTE_DIM(speeds); i++) {
		const struct fcn_queue_conf *q;

		link_is(0, true, speeds[i]);
		assert_int_equal(snapshot_port(0)->link_bps, speeds[i]);
		assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
		q = snapshot_port(0)->egress.queue;
		assert_int_equal(q[0].detector.leave, 200000);
		assert_true(q[0].detector.enter >= q[0].detector.leave);
		assert_int_equal(q[1].detector.kmax, 30000);
		assert_true(q[1].detector.enter < q[1].detector.kmax);
		assert_int_equal(q[2].detector.enter, 600000);
		assert_true(q[2].detector.kmax > q[2].detector.enter);
		assert_true(q[4].detector.enter <= 60000);
	}
}

/*
 * Headroom at 10G: 500 ns of delay each way, 60 quanta of 51.2 ns and 10 us are 17590 octets; then
 * a frame of 1514 with 24 around it, the pause frame's 84, and two frames: 22240. At 100G 141350
 * and 4650: 146000. A buffer of 50000 has room for two classes at 10G; when one port has 100G, they
 * get half of it.
 */
TEST(buffer)
{
	const struct fcn_snapshot *s;
	uint64_t headroom;

	app_ok("set pfc p0 class 3 send on");
	app_ok("set pfc p1 class 3 send on");
	app_ok("set buffer size 50000");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	link_is(0, true, 100 * G);
	assert_string_equal(only_warning(FCN_WARNING_HEADROOM)->place, "buffer");
	s = fcn_control_snapshot(platform.ctl);
	headroom = s->port[0].ingress[3].headroom + s->port[1].ingress[3].headroom;
	assert_true(headroom <= 25000 && headroom >= 24998);
	assert_int_equal(s->buffer.shared, 25000);
	assert_true(s->port[0].ingress[3].headroom > s->port[1].ingress[3].headroom);
	assert_not_frozen();
	link_is(0, true, 10 * G);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
}

/* 2 s, 60 quanta of 51.2 ns and 10 us at 10G are 2500016340 octets; then a frame of 1514 with 24
 * around it, the pause frame's 84, and two frames. */
TEST(headroom)
{
	app_ok("set pfc p0 class 3 send on");
	app_ok("set pfc p0 delay 1s");
	assert_string_equal(only_warning(FCN_WARNING_HEADROOM)->reason,
			"at the speed of the link, the lossless class needs a headroom of "
			"2500020990 bytes, and has 1000000000: set pfc p0 delay, react");
	assert_int_equal(snapshot_port(0)->ingress[3].headroom, 1000000000);
	link_is(0, true, G);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
}

/* What a device refuses at a change of its port is no reason to refuse other changes later. */
TEST(device)
{
	unsigned int updated = platform.port[0].updated;

	app_ok("route add 2001:db8:7::/48 via fe80::1 port p1");
	assert_int_equal(platform.port[0].updated, updated);
	app_ok("set port p0 mtu 9000");
	assert_int_equal(platform.port[0].updated, updated + 1);
}

static uint32_t max_frame;

static uint32_t
tx_max_frame(void *port)
{
	RTE_SET_USED(port);
	return max_frame;
}

/*
 * A device that sends frames of 1414 octets only: packets of 1400, or 1396 in a VLAN. Hosts are
 * told of the MTU that is possible.
 */
TEST(mtu)
{
	struct fcn_port_ops ops = platform_port_ops;
	const struct fcn_warnings *set = fcn_control_warnings(platform.ctl);

	ops.tx_max_frame = tx_max_frame;
	platform.port[2].ops = &ops;
	max_frame = 1518;
	app_ok("port add p2");
	app_ok("port add v2 vlan 7 of p2");
	app_ok("address add p2 192.0.2.254/24");
	app_ok("neighbour add p2 192.0.2.1 02:00:00:00:00:01");
	fcn_control_link_poll(platform.ctl);
	assert_int_equal(set->n, 0);
	max_frame = 1414;
	fcn_control_link_poll(platform.ctl);
	assert_int_equal(set->n, 2);
	assert_int_equal(set->item[0].kind, FCN_WARNING_MTU);
	assert_int_equal(set->item[0].port, 2);
	assert_string_equal(set->item[0].place, "port p2");
	assert_string_equal(set->item[0].reason,
			"its MTU is 1500, but its device sends packets of at most 1400 bytes now");
	assert_string_equal(set->item[1].place, "port v2");
	assert_int_equal(snapshot_port(2)->mtu, 1500); /* what is received may still be longer */
	assert_int_equal(snapshot_port(2)->tx_mtu, 1400);
	assert_int_equal(snapshot_port(3)->tx_mtu, 1396);
	for (unsigned int i = 0; i < fcn_control_snapshot(platform.ctl)->n_next_hops; i++) {
		const struct fcn_next_hop *nh = &fcn_control_snapshot(platform.ctl)->next_hop[i];

		if (nh->type == FCN_NEXT_HOP_FORWARD || nh->type == FCN_NEXT_HOP_CONNECTED)
			assert_int_equal(nh->mtu, 1400);
	}
	assert_not_frozen();
	/* Who types an MTU that the device has is warned of nothing. */
	app_ok("set port v2 mtu 1300");
	app_ok("set port p2 mtu 1400");
	assert_int_equal(set->n, 0);
	max_frame = 1518;
	app_ok("set port p2 mtu 1500");
	app_ok("set port v2 mtu 1500");
	assert_int_equal(set->n, 0);
	assert_int_equal(snapshot_port(2)->tx_mtu, 1500);
	/* The least that a frame can be said to hold. */
	max_frame = 20;
	fcn_control_link_poll(platform.ctl);
	assert_int_equal(snapshot_port(2)->tx_mtu, 68);
	app_ok("port remove v2");
	app_ok("port remove p2");
	assert_int_equal(set->n, 0);
}

/* A set has room for so many, and counts the rest. */
TEST(full)
{
	struct fcn_warnings *set = calloc(1, sizeof(*set));
	char place[FCN_WARNING_PLACE];

	assert_non_null(set);
	for (unsigned int i = 0; i < FCN_WARNINGS_MAX + 3; i++) {
		snprintf(place, sizeof(place), "place %u", i);
		fcn_warn(set, FCN_WARNING_DETECTOR, 0, place, "number %u", i);
	}
	assert_int_equal(set->n, FCN_WARNINGS_MAX);
	assert_int_equal(set->left_out, 3);
	fcn_warn(set, FCN_WARNING_DETECTOR, 0, "place 5", "again");
	assert_int_equal(set->left_out, 3);
	assert_string_equal(
			fcn_warning_find(set, FCN_WARNING_DETECTOR, "place 5")->reason, "again");
	fcn_warning_remove(set, FCN_WARNING_DETECTOR, "place 5");
	assert_null(fcn_warning_find(set, FCN_WARNING_DETECTOR, "place 5"));
	assert_string_equal(set->item[5].place, "place 6");
	assert_int_equal(set->n, FCN_WARNINGS_MAX - 1);
	free(set);
}

/* However many warnings the configuration has, those of control have room: 264 queues of 33 ports
 * have a target that they cannot reach. */
TEST(room)
{
	const struct fcn_warnings *set = fcn_control_warnings(platform.ctl);
	struct fcn_warnings *copy = calloc(1, sizeof(*copy));
	char line[64];

	assert_non_null(copy);
	for (unsigned int p = 2; p < 33; p++) {
		snprintf(line, sizeof(line), "port add p%u", p);
		app_ok(line);
	}
	platform.ops.log = NULL;
	app_ok("set queue all class all detector sojourn target 1s");
	assert_true(set->n < FCN_WARNINGS_MAX);
	assert_int_equal(set->n + set->left_out, 264);
	fcn_control_warn(platform.ctl, FCN_WARNING_WORKER, FCN_MAX_PORTS, "worker 0", "stands");
	memcpy(copy, set, sizeof(*copy));
	assert_non_null(fcn_warning_find(copy, FCN_WARNING_WORKER, "worker 0"));
	free(copy);
	app_ok("set queue all class all detector off");
	assert_int_equal(set->n, 1);
	fcn_control_warning_over(platform.ctl, FCN_WARNING_WORKER, "worker 0");
	assert_int_equal(set->n, 0);
}

/* ---- configurations that are half done ---- */

/* Run lines, of which the last one is warned of, and lines that do what the warning says. */
static void
assert_half_done(const char *const *lines, const char *place, const char *reason,
		const char *const *mend)
{
	const struct fcn_warnings *set = fcn_control_warnings(platform.ctl);
	char line[FCN_WARNING_PLACE + FCN_WARNING_REASON + 32];

	for (; lines[1] != NULL; lines++) {
		app_ok(*lines);
		assert_int_equal(set->n, 0);
	}
	app_ok(*lines);
	assert_int_equal(set->n, 1);
	assert_string_equal(set->item[0].place, place);
	assert_string_equal(set->item[0].reason, reason);
	snprintf(line, sizeof(line), "warning: %s: %s\n", place, reason);
	assert_string_equal(app_output(), line);
	app_ok("show status");
	assert_non_null(strstr(app_output(), "warnings"));
	app_all(mend);
	assert_int_equal(set->n, 0);
}

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* An empty access list permits nobody, and one of those to be told has nobody in it. */
TEST(empty_lists)
{
	app_all(LINES("set loopback 2001:db8:f::1", "set cnm port 1021", "set arn port 1022"));
	assert_half_done(LINES("srv6 sid add 2001:db8:51:1::1/128 end.con"), "srv6 p-node",
			"END.CON takes Fast CNPs of no P node: srv6 p-node add PREFIX",
			LINES("srv6 p-node add 2001:db8:f::/48"));
	assert_half_done(LINES("set notify endcon on"), "srv6 endcon",
			"notify endcon is on, and no END.CON address is known: srv6 endcon add "
			"PREFIX",
			LINES("srv6 endcon add 2001:db8:5e::/48"));
	assert_half_done(LINES("arn source add 2001:db8:f::2/128", "set arn receive on",
					 "arn source remove 2001:db8:f::2/128"),
			"arn source",
			"arn receive is on, and messages of no switch are taken: arn source add "
			"PREFIX",
			LINES("arn source add 2001:db8:f::2/128"));
	assert_half_done(LINES("set arn send on"), "arn neighbour",
			"arn send is on, and no switch is asked to halt traffic: arn neighbour "
			"add ADDRESS",
			LINES("arn neighbour add 2001:db8:f::2"));
	assert_half_done(LINES("proxy sender add 2001:db8:a::/48 translate fast-cnp",
					 "set proxy receive on"),
			"proxy node",
			"proxy receive is on, and messages of no node are taken: proxy node add "
			"PREFIX",
			LINES("proxy node add 2001:db8:f::2/128"));
	assert_half_done(LINES("proxy sender remove 2001:db8:a::/48"), "proxy sender",
			"proxy receive is on, and no sender is notified: proxy sender add PREFIX "
			"translate",
			LINES("proxy sender add 2001:db8:a::/48 translate cnp"));
	assert_half_done(LINES("set notify cnm on"), "proxy allowed",
			"notify cnm is on, and options in packets may name no proxy: proxy allowed "
			"add PREFIX, or set cnm address-from prefix",
			LINES("proxy allowed add 2001:db8:f::/48"));
	assert_half_done(LINES("set cnm address-from prefix"), "proxy prefix",
			"notify cnm is on, and no proxy is known: proxy prefix add PREFIX address "
			"ADDRESS, or a program that learns proxies",
			LINES("proxy prefix add 2001:db8:a::/48 address 2001:db8:f::3"));
	assert_half_done(LINES("set notify cnp on"), "proxy qp",
			"notify cnp is on, and no queue pair of a sender is known: proxy qp add "
			"RECEIVER QP sender-qp QP, or set proxy reported NUMBER for hosts that "
			"report theirs",
			LINES("proxy qp add 192.0.2.7 17 sender-qp 18"));
}

static void
add_devices(unsigned int n)
{
	char line[64];

	for (unsigned int p = 0; p < n; p++) {
		if (p < 2) {
			snprintf(line, sizeof(line), "port remove p%u", p);
			app_ok(line);
		}
		snprintf(line, sizeof(line), "port add p%u device net_tap%u", p, p);
		app_ok(line);
	}
}

/* Classes 6 and 7 are served before all others: whoever may send in them takes the link. */
TEST(class_trust)
{
	static const char both[] = "p0, p1 may send in classes that are served before all others: "
				   "set port PORT class-trust off where hosts are, on where "
				   "switches are";
	static const char p1[] = "p1 may send in classes that are served before all others: set "
				 "port PORT class-trust off where hosts are, on where switches are";

	char line[64];

	/* A switch that sends no notices has no class for itself, and without devices no hosts. */
	app_ok("set loopback 2001:db8:f::1");
	app_ok("set notify fast-cnp on");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("set notify fast-cnp off");
	add_devices(2);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("set notify fast-cnp on");
	assert_string_equal(only_warning(FCN_WARNING_CLASS_TRUST)->reason, both);
	assert_string_equal(only_warning(FCN_WARNING_CLASS_TRUST)->place, "class-trust");
	app_ok("set port p0 class-trust on");
	assert_string_equal(only_warning(FCN_WARNING_CLASS_TRUST)->reason, p1);
	app_ok("set port p1 class-trust off");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("set port all class-trust auto");
	assert_string_equal(only_warning(FCN_WARNING_CLASS_TRUST)->reason, both);
	/* No class of a packet follows from what it says. */
	app_ok("set port p0 trust none");
	assert_string_equal(only_warning(FCN_WARNING_CLASS_TRUST)->reason, p1);
	app_ok("set class-map dscp 48 class 5");
	assert_string_equal(only_warning(FCN_WARNING_CLASS_TRUST)->reason, p1);
	for (unsigned int dscp = 49; dscp < 64; dscp++) {
		snprintf(line, sizeof(line), "set class-map dscp %u class 5", dscp);
		app_ok(line);
	}
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("set class-map dscp 63 class 7");
	assert_string_equal(only_warning(FCN_WARNING_CLASS_TRUST)->reason, p1);
	/* What has a limit leaves something for others. */
	app_ok("set queue all class 7 peak 1G");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("set queue p0 class 7 peak off");
	assert_string_equal(only_warning(FCN_WARNING_CLASS_TRUST)->reason, p1);
	app_ok("set queue all class 7 strict off");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
}

/* A switch is where the configuration says so, and a border is closed without being told. */
TEST(class_trust_of_switches)
{
	add_devices(2);
	app_ok("set loopback 2001:db8:f::1");
	app_ok("set notify fast-cnp on");
	app_ok("arn neighbour add 2001:db8:f::2 port p0");
	app_ok("arn source add 2001:db8:f::3/128 port p1");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("arn source remove 2001:db8:f::3/128");
	assert_int_equal(only_warning(FCN_WARNING_CLASS_TRUST)->port, FCN_MAX_PORTS);
	app_ok("set cnm port 1021");
	app_ok("set arn port 1022");
	app_ok("set port p1 border on");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
}

/* Of many ports, a few are named. */
TEST(class_trust_of_many)
{
	add_devices(7);
	app_ok("set loopback 2001:db8:f::1");
	app_ok("set notify fast-cnp on");
	assert_int_equal(strncmp(only_warning(FCN_WARNING_CLASS_TRUST)->reason,
					 "p0, p1, p2, p3 and 3 more may send", 34),
			0);
}

/* A border drops messages only if their UDP ports are known, and `show border` says so. */
TEST(border)
{
	static const char cnm[] = "congestion notification messages cross the border, as their UDP "
				  "port is not known: set border cnm-port NUMBER";

	app_ok("set border arn-port 1022");
	app_ok("set port p1 border on");
	assert_string_equal(only_warning(FCN_WARNING_BORDER)->reason, cnm);
	app_ok("show border json");
	assert_non_null(strstr(app_output(), cnm));
	app_ok("set cnm port 1021"); /* that of the border unless it has another one */
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("show border json");
	assert_null(strstr(app_output(), cnm));
	app_ok("set border arn-port off");
	assert_string_equal(only_warning(FCN_WARNING_BORDER)->place, "border arn-port");
	app_ok("set arn port 1022");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("border peer add 2001:db8:e::/48");
	assert_string_equal(only_warning(FCN_WARNING_BORDER)->place, "border peer");
	app_ok("set border cnp drop");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
}
