/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Every show, as text and as JSON: the same names, from a switch that has something to show. */

#include "app_util.h"

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

/* The tables of queues and workers have some of what there is, and no more than a line has room
 * for. */
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
		assert_non_null(strstr(text, name));
	}
	for (; *text != '\0'; text += strcspn(text, "\n") + 1)
		assert_in_range(strcspn(text, "\n"), 1, 110);
}

static json_t *
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
	else if (strcmp(line, "show worker") == 0)
		assert_columns(v, fcn_show_worker_columns, app_output());
	else
		assert_names(v, app_output(), line);
	return v;
}

/* One line for each way to write a show that takes json, without that word. */
static bool
line_of(size_t form, char *line, size_t size)
{
	struct fcn_command_word words[FCN_COMMAND_MAX_WORDS];
	unsigned int n = fcn_command_form_words(session.table, form, words);
	bool json = false;

	line[0] = '\0';
	if (strcmp(words[0].literal, "show") != 0)
		return false;
	for (unsigned int i = 0; i < n; i++) {
		const struct fcn_command_word *w = &words[i];
		const char *word = w->literal != NULL               ? w->literal
				   : strcmp(w->type, "class") == 0  ? "3"
				   : strcmp(w->type, "number") == 0 ? "7"
				   : strcmp(w->type, "prefix") == 0 ? "2001:db8:77::1"
				   : strcmp(w->key, "bridge") == 0  ? "br0"
				   : strcmp(w->key, "table") == 0   ? "main"
								    : "p1";

		if (strcmp(word, "json") == 0)
			json = true;
		else
			snprintf(line + strlen(line), size - strlen(line), "%s%s", i > 0 ? " " : "",
					word);
	}
	return json;
}

/* All there is: traffic, notices, traces, drops. */
static void
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

static void
test_all(void **state)
{
	unsigned int n = 0;
	char line[256];

	RTE_SET_USED(state);
	for (unsigned int round = 0; round < 2; round++) { /* of an empty switch first */
		if (round == 1) {
			fill();
		} else {
			app_ok("port add p1");
			app_ok("bridge add br0");
		}
		for (size_t i = 0; i < fcn_command_form_count(session.table); i++) {
			if (!line_of(i, line, sizeof(line)))
				continue;
			json_decref(show(line));
			n++;
		}
		if (round == 0) {
			app_ok("port remove p1");
			app_ok("bridge remove br0");
		}
	}
	assert_true(n >= 2 * 20);
}

/* Each detector of the list has a command, and a queue shows it with its thresholds. */
static void
test_detectors(void **state)
{
	RTE_SET_USED(state);
	app_ok("port add p1");
	app_ok("set port p1 link 10G");
	for (unsigned int t = 0; t < FCN_DETECTOR_TYPE_COUNT; t++) {
		const char *name = fcn_detector_type_name(t);
		const json_t *row;
		char line[64];
		json_t *v;

		snprintf(line, sizeof(line), "set queue p1 class 3 detector %s", name);
		app_ok(line);
		v = show("show queue p1 class 3");
		row = json_array_get(v, 0);
		assert_string_equal(json_string_value(json_object_get(row, "detector")), name);
		assert_true(t == FCN_DETECTOR_OFF ||
				json_object_size(json_object_get(row, "thresholds")) > 2);
		json_decref(v);
	}
}

static json_int_t
number(const json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return json_integer_value(json_object_get(o, key));
}

/* What the tables say adds up. */
static void
test_sums(void **state)
{
	json_int_t sent = 0, suppressed = 0, drops = 0, rx = 0, tx = 0, queued = 0, generated = 0;
	json_t *v, *row, *total;
	size_t i;

	RTE_SET_USED(state);
	fill();
	v = show("show notify");
	json_array_foreach (json_object_get(v, "verdicts"), i, row) {
		const char *outcome = json_string_value(json_object_get(row, "outcome"));

		if (strcmp(outcome, "sent") == 0)
			sent += number(row, "packets");
		else if (strcmp(outcome, "suppressed") == 0)
			suppressed += number(row, "packets");
	}
	total = json_object_get(v, "total");
	assert_true(sent > 0 && suppressed > 0);
	assert_int_equal(number(total, "sent"), sent);
	assert_int_equal(number(total, "suppressed"), suppressed);
	assert_int_equal(number(total, "wanted"), sent + suppressed);
	json_decref(v);

	v = show("show port");
	json_array_foreach (v, i, row) {
		rx += number(row, "rx_packets");
		tx += number(row, "tx_packets");
		drops += number(row, "drops");
		generated += number(row, "notices");
	}
	assert_int_equal(generated, sent);
	json_decref(v);
	v = show("show drops");
	json_array_foreach (v, i, row)
		drops -= number(row, "packets");
	assert_int_equal(drops, 0);
	json_decref(v);

	v = show("show queue");
	json_array_foreach (v, i, row) {
		queued += number(row, "queued_packets");
		assert_int_equal(number(row, "packets"),
				number(row, "sent") + number(row, "queued_packets"));
	}
	json_decref(v);
	v = show("show conservation");
	assert_true(json_is_true(json_object_get(v, "ok")));
	assert_int_equal(number(v, "received"), rx);
	assert_int_equal(number(v, "transmitted"), tx);
	assert_int_equal(number(v, "generated"), generated);
	assert_true(number(v, "queued") >= queued); /* and those that a port had no room for */
	json_decref(v);

	v = show("show flows");
	assert_true(json_array_size(v) == 10);
	json_array_foreach (v, i, row) {
		if (i > 0)
			assert_true(number(json_array_get(v, i - 1), "notices") >=
					number(row, "notices"));
	}
	json_decref(v);
}

static void
test_trace(void **state)
{
	json_t *v, *row, *cause;
	unsigned int notices = 0;
	size_t i;

	RTE_SET_USED(state);
	fill();
	v = show("show trace");
	assert_int_equal(json_array_size(v), 250);
	json_array_foreach (v, i, row) {
		const json_t *steps = json_object_get(row, "steps");
		const char *first = json_string_value(
				json_object_get(json_array_get(steps, 0), "stage"));

		assert_int_equal(number(row, "packet"), i + 1);
		cause = json_object_get(row, "caused_by");
		assert_string_equal(first, json_is_integer(cause) ? "notice" : "rx");
		if (json_is_integer(cause)) {
			assert_in_range(json_integer_value(cause), 1, i);
			notices++;
		}
	}
	assert_true(notices > 10);
	json_decref(v);
}

/* What `show trace` says of a step of p0's packets, whose facts a test has written down. */
static void
assert_decision(enum fcn_stage stage, bool left, const struct fcn_packet *p, const char *want)
{
	struct fcn_trace *t = &fcn_control_worker(platform.ctl, 0)->trace;
	json_t *v, *step;

	memset(&t->record[0], 0, sizeof(t->record[0]));
	t->n = 1;
	t->record[0].n_steps = 1;
	t->record[0].step[0] = (struct fcn_trace_step){.stage = stage, .left = left, .pkt = *p};
	v = show("show trace");
	step = json_array_get(json_object_get(json_array_get(v, 0), "steps"), 0);
	assert_string_equal(
			json_string_value(json_object_get(step, "stage")), fcn_stage_name(stage));
	assert_string_equal(json_string_value(json_object_get(step, "decision_text")), want);
	json_decref(v);
	t->n = 0;
}

/* Each stage says in words what it did with the packet. */
static void
test_trace_words(void **state)
{
	struct fcn_packet p = {.in_port = 1, .out_port = FCN_PORT_NONE, .level = FCN_LEVEL_NONE};

	RTE_SET_USED(state);
	app_ok("port add p0");
	app_ok("port add p1");
	app_ok("port add p1.7 vlan 7 of p1");
	assert_decision(FCN_STAGE_RX, false, &p, "received on p1");
	p.info.flags = FCN_PKT_IPV6;
	p.info.tclass = 46 << 2;
	p.class = 1;
	assert_decision(FCN_STAGE_CLASSIFY, false, &p, "IPv6, class 1");
	assert_decision(FCN_STAGE_TRUST, false, &p, "port is not trusted: class 1, DSCP 46");
	p.info.n_vlans = 1;
	p.info.vlan_tci = 5 << 13 | 7;
	assert_decision(FCN_STAGE_TRUST, false, &p, "port is not trusted: class 1, DSCP 46, PCP 5");
	assert_decision(FCN_STAGE_MAC_CONTROL, true, &p, "taken: flow control of the link");
	assert_decision(FCN_STAGE_SUB_INTERFACE, false, &p, "tag without a VLAN taken off");
	p.in_port = 0;
	while (strcmp(fcn_control_config(platform.ctl)->port[p.in_port].name, "p1.7") != 0)
		p.in_port++;
	assert_decision(FCN_STAGE_SUB_INTERFACE, false, &p, "tag taken off, enters by p1.7");
	assert_decision(FCN_STAGE_ROUTE, true, &p,
			"cannot be forwarded: left to the host functions");
	p.flags = FCN_PACKET_LOCAL;
	p.local = FCN_LOCAL_ARP;
	assert_decision(FCN_STAGE_ROUTE, false, &p, "for the switch: ARP, for the host functions");
	assert_decision(FCN_STAGE_LOCAL, true, &p, "taken: ARP, for the host functions");
	p.flags = 0;
	p.local = FCN_LOCAL_HOST;
	assert_decision(FCN_STAGE_LOCAL, false, &p,
			"changed, to be routed again: to an address of the switch, for the host "
			"functions");
	p.local = FCN_LOCAL_COUNT;
	assert_decision(FCN_STAGE_LOCAL, true, &p, "taken: unknown");
	p.out_port = 0;
	p.flags = FCN_PACKET_BRIDGED;
	p.vlan = 9;
	assert_decision(FCN_STAGE_BRIDGE, false, &p, "VLAN 9, to p0");
	p.flags = 0;
	p.info.ttl = 63;
	p.next_hop = 4;
	assert_decision(FCN_STAGE_ROUTE, false, &p,
			"from p1.7, next hop 4, to p0, VLAN 7, hop limit 63");
	/* A routed packet has the rule that steered it in place of a VLAN. */
	p.vlan = 2;
	assert_decision(FCN_STAGE_ROUTE, false, &p,
			"from p1.7, next hop 4, to p0, VLAN 7, hop limit 63");
	app_ok("set loopback 2001:db8:ff::1");
	app_ok("srv6 policy add east");
	app_ok("srv6 steering add 2001:db8:2::/48 policy east dscp 46");
	app_ok("srv6 steering add 2001:db8:2::/48 policy east");
	assert_decision(FCN_STAGE_ROUTE, false, &p,
			"from p1.7, steered by rule 1 of 2001:db8:2::/48 into policy east, next "
			"hop 4, to p0, VLAN 7, hop limit 63");
	app_ok("srv6 steering remove 2001:db8:2::/48");
	assert_decision(FCN_STAGE_ROUTE, false, &p,
			"from p1.7, next hop 4, to p0, VLAN 7, hop limit 63");
	p.vlan = 0;
	assert_decision(FCN_STAGE_IOAM_EDGE, false, &p, "IOAM taken out, as its domain ends here");
	assert_decision(FCN_STAGE_CROSS_CORE_RX, false, &p, "received from worker 0");
	assert_decision(FCN_STAGE_TRANSMIT, false, &p, "handed to p0 from class 1");
	p.drop = FCN_DROP_BORDER_FAST_CNP;
	assert_decision(FCN_STAGE_BORDER_OUT, true, &p,
			"dropped: border_fast_cnp (Fast CNP at the domain's border)");
}

/* What `show trace` says of a message of precise flow control, of which it has the first bytes. */
static void
assert_asked(const struct fcn_arn *arn, uint32_t bytes, const char *want)
{
	static const uint8_t to[16] = {0x20, 1, 0x0d, 0xb8};
	const struct fcn_packet p = {.local = FCN_LOCAL_ARN};
	struct fcn_trace *t = &fcn_control_worker(platform.ctl, 0)->trace;
	struct fcn_trace_record *r = &t->record[0];
	json_t *v, *step;

	memset(r, 0, sizeof(*r));
	t->n = 1;
	r->n_steps = 1;
	r->step[0] = (struct fcn_trace_step){.stage = FCN_STAGE_LOCAL, .left = true, .pkt = p};
	memcpy(r->bytes + 12, (uint8_t[]){0x81, 0, 0, 7, 0x86, 0xDD}, 6);
	r->len = 18 + fcn_arn_build(arn, to, to, 1022, r->bytes + 18, FCN_ARN_MAX_PACKET_LEN);
	assert_in_range(r->len, 19, FCN_TRACE_BYTES);
	r->n_bytes = (uint16_t)RTE_MIN(r->len, bytes);
	v = show("show trace");
	step = json_array_get(json_object_get(json_array_get(v, 0), "steps"), 0);
	assert_string_equal(json_string_value(json_object_get(step, "decision_text")), want);
	json_decref(v);
	t->n = 0;
}

static void
test_trace_asked(void **state)
{
	struct fcn_arn arn = {.type = FCN_ARN_CONGESTION,
			.parameters = FCN_ARN_KNOWN,
			.time_us = 250,
			.flow = {.version = 6,
					.proto = 17,
					.src_port = 5,
					.dst_port = 4791,
					.src = {0x20, 1, 0x0d, 0xb8, [15] = 1},
					.dst = {0x20, 1, 0x0d, 0xb8, [15] = 2}}};

	RTE_SET_USED(state);
	assert_asked(&arn, FCN_TRACE_BYTES,
			"taken: asks to halt the flow of protocol 17 from 2001:db8::1 port 5 to "
			"2001:db8::2 port 4791 for 250 us");
	assert_asked(&arn, 100, "taken: an adaptive routing notification to the switch");
	arn.flow.proto = 41;
	arn.flow.src_port = arn.flow.dst_port = 0;
	arn.time_us = FCN_ARN_TIME_FOREVER;
	assert_asked(&arn, FCN_TRACE_BYTES,
			"taken: asks to halt the tunnel from 2001:db8::1 to 2001:db8::2 until it "
			"is told to resume");
	arn.type = FCN_ARN_ENDED;
	arn.parameters = FCN_ARN_PRIORITY;
	arn.priority = 3;
	assert_asked(&arn, FCN_TRACE_BYTES, "taken: lets class 3 resume");
}

/* Sources, the newest first, and refusals by their reasons, of all ports. */
static void
test_arn_received(void **state)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	struct fcn_arn_received *r = &w->arn_received;
	const uint8_t older[16] = {0x20, 1, 0x0d, 0xb8, [15] = 1};
	const uint8_t newer[16] = {0x20, 1, 0x0d, 0xb8, [15] = 2};
	json_t *v, *row;

	RTE_SET_USED(state);
	fcn_arn_received_source(r, &w->hash_key, older, w->now)->flows = 3;
	fcn_arn_received_source(r, &w->hash_key, newer, w->now + 5)->refused = 4;
	w->now += 7;
	w->counters[0].drop[FCN_DROP_ARN_UDP_LENGTH] = 1;
	w->counters[1].drop[FCN_DROP_ARN_UDP_LENGTH] = 2;
	w->counters[1].drop[FCN_DROP_ARN_TOTAL] = 5;
	w->counters[1].drop[FCN_DROP_ARN_TOTAL_LIMIT] = 6; /* of packets that were held */
	v = show("show arn received");
	row = json_array_get(json_object_get(v, "sources"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "source")), "2001:db8::2");
	assert_int_equal(number(row, "refused"), 4);
	assert_int_equal(number(row, "age_ns"), 2);
	row = json_array_get(json_object_get(v, "sources"), 1);
	assert_string_equal(json_string_value(json_object_get(row, "source")), "2001:db8::1");
	assert_int_equal(number(row, "flows"), 3);
	assert_int_equal(number(row, "age_ns"), 7);
	assert_int_equal(json_array_size(json_object_get(v, "sources")), 2);
	row = json_array_get(json_object_get(v, "refusals"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "reason")), "arn_udp_length");
	assert_int_equal(number(row, "packets"), 3);
	row = json_array_get(json_object_get(v, "refusals"), 1);
	assert_string_equal(json_string_value(json_object_get(row, "reason")), "arn_total");
	assert_int_equal(number(row, "packets"), 5);
	assert_int_equal(json_array_size(json_object_get(v, "refusals")), 2);
	json_decref(v);
	memset(w->counters[0].drop, 0, sizeof(w->counters[0].drop));
	memset(w->counters[1].drop, 0, sizeof(w->counters[1].drop));
}

/* Reading the queues starts their watermarks afresh, as text and as JSON. */
static void
test_watermarks(void **state)
{
	json_t *v, *row;

	RTE_SET_USED(state);
	fill();
	v = show("show queue p1"); /* JSON, then text */
	row = json_array_get(v, 0);
	assert_true(number(row, "occ_max") >= number(row, "occ_last"));
	json_decref(v);
	v = show("show queue p1");
	row = json_array_get(v, 0);
	assert_int_equal(number(row, "occ_max"), number(row, "occ_last"));
	assert_int_equal(number(row, "occ_min"), number(row, "occ_last"));
	json_decref(v);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, app_setup, app_teardown)

/* Some of the routes: by number, and by what they hold or lie in. */
static void
test_routes(void **state)
{
	static const char *const lines[] = {"route add 2001:db8:77:8000::/49 blackhole",
			"route add ::/0 blackhole", "route add 0.0.0.0/0 blackhole", NULL};
	static const struct {
		const char *line;
		const char *wanted[4];
	} cases[] = {
			{"show route 2001:db8:77::/48",
					{"2001:db8:77::/48", "2001:db8:77:8000::/49", "::/0"}},
			{"show route 2001:db8:77::1", {"2001:db8:77::/48", "::/0"}},
			{"show route 2001:db8:77::1 skip 1", {"::/0"}},
			{"show route 192.0.2.77", {"192.0.2.0/24", "0.0.0.0/0"}},
			{"show route limit 2", {"192.0.2.0/24", "2001:db8::/48"}},
			{"show route skip 1 limit 2", {"2001:db8::/48", "2001:db8:77::/48"}},
			{"show route skip 7", {NULL}},
	};
	json_t *v;

	RTE_SET_USED(state);
	fill();
	app_all(lines);
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		unsigned int n = 0;

		v = show(cases[i].line);
		for (; n < RTE_DIM(cases[i].wanted) && cases[i].wanted[n] != NULL; n++)
			assert_string_equal(json_string_value(json_object_get(
							    json_array_get(v, n), "prefix")),
					cases[i].wanted[n]);
		assert_int_equal(json_array_size(v), n);
		json_decref(v);
	}
	v = show("show route count");
	assert_int_equal(number(v, "connected"), 1);
	assert_int_equal(number(v, "static"), 2);
	assert_int_equal(number(v, "blackhole"), 4);
	assert_int_equal(number(v, "total"), 7);
	json_decref(v);
}

/* One bridge of several: its own ports and interfaces alone. */
static void
test_bridge(void **state)
{
	static const char *const lines[] = {"port add p1", "port add p2", "bridge add br0",
			"bridge add br1", "bridge br0 port add p1", "bridge br1 port add p2",
			"bridge br1 interface add host", NULL};
	json_t *v, *ports;

	RTE_SET_USED(state);
	app_all(lines);
	v = show("show bridge");
	assert_int_equal(json_array_size(v), 2);
	json_decref(v);
	v = show("show bridge br1");
	assert_int_equal(json_array_size(v), 1);
	assert_string_equal(
			json_string_value(json_object_get(json_array_get(v, 0), "bridge")), "br1");
	ports = json_object_get(json_array_get(v, 0), "ports");
	assert_int_equal(json_array_size(ports), 1);
	assert_string_equal(
			json_string_value(json_object_get(json_array_get(ports, 0), "port")), "p2");
	assert_int_equal(json_array_size(json_object_get(json_array_get(v, 0), "interfaces")), 1);
	json_decref(v);
}

/* How long an address is checked yet is a time like any other. */
static void
test_address(void **state)
{
	static const char *const lines[] = {"port add p1", "set host on", "set host dad on",
			"address add p1 2001:db8::1/64", NULL};
	const char *at;
	json_t *v;

	RTE_SET_USED(state);
	app_all(lines);
	v = show("show address");
	assert_string_equal(json_string_value(json_object_get(json_array_get(v, 0), "state")),
			"tentative");
	assert_true(number(json_array_get(v, 0), "left_ns") > 0);
	json_decref(v);
	at = strstr(app_output(), "tentative");
	assert_non_null(at);
	at += strspn(at, "tentative ");
	assert_in_range(strcspn(at, "\n"), 2, 8); /* a few digits */
	assert_int_equal(at[strcspn(at, "\n") - 1], 's');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_all),
			TEST(test_detectors),
			TEST(test_bridge),
			TEST(test_address),
			TEST(test_sums),
			TEST(test_trace),
			TEST(test_trace_words),
			TEST(test_trace_asked),
			TEST(test_arn_received),
			TEST(test_watermarks),
			TEST(test_routes),
	};

	return cmocka_run_group_tests_name("show", tests, app_group_setup, app_group_teardown);
}
