/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* `show trace`, as text and as JSON. */

#include "app_util.h"
#include "show_util.h"

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(trace)
{
	json_t *v, *row, *cause;
	unsigned int notices = 0;
	size_t i;

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

/* The decisions about notices in the record of assert_decision(). */
static uint8_t verdict[FCN_NOTICE_KIND_MAX];

/* What `show trace` says of a step of p0's packets, whose facts a test has written down. */
static void
assert_decision(enum fcn_stage stage, bool left, const struct fcn_packet *p, const char *want)
{
	struct fcn_trace *t = &fcn_control_worker(platform.ctl, 0)->trace;
	json_t *v, *step;

	memset(&t->record[0], 0, sizeof(t->record[0]));
	t->n = 1;
	memcpy(t->record[0].verdict, verdict, sizeof(verdict));
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

/* What `show trace` says of the headers of a packet. The packet is the first of
 * tests/data/incast-h1.pcap, and tshark shows the same numbers of it. */
TEST(trace_headers)
{
	static const uint8_t bytes[] = {0x02, 0x00, 0x00, 0x00, 0x0b, 0x01, 0x02, 0x00, 0x00, 0x00,
			0x0a, 0x11, 0x86, 0xdd, 0x66, 0xa0, 0x00, 0x00, 0x04, 0x28, 0x11, 0x40,
			0x20, 0x01, 0x0d, 0xb8, 0x00, 0xab, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
			0x00, 0x00, 0x00, 0x11, 0x20, 0x01, 0x0d, 0xb8, 0x00, 0xab, 0x00, 0x00,
			0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0b, 0xc1, 0x44, 0x12, 0xb7,
			0x04, 0x28, 0xa7, 0x01, 0x06, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x12,
			0x00, 0xe5, 0xee, 0x69};
	struct fcn_trace *t = &fcn_control_worker(platform.ctl, 0)->trace;
	struct fcn_trace_record *r = &t->record[0];
	json_t *v, *row, *steps;

	memset(r, 0, sizeof(*r));
	memcpy(r->bytes, bytes, sizeof(bytes));
	r->n_bytes = sizeof(bytes);
	r->len = 1118;
	r->n_steps = 2;
	r->step[0].time_ns = 1000;
	r->step[1].time_ns = 1250;
	t->n = 1;
	v = show("show trace");
	row = json_array_get(v, 0);
	assert_string_equal(json_string_value(json_object_get(row, "source")), "2001:db8:ab::11");
	assert_string_equal(
			json_string_value(json_object_get(row, "destination")), "2001:db8:ab::b");
	assert_string_equal(json_string_value(json_object_get(row, "protocol")), "RoCEv2");
	assert_string_equal(json_string_value(json_object_get(row, "operation")),
			"RC RDMA WRITE First");
	assert_int_equal(number(row, "qp"), 18);
	assert_int_equal(number(row, "psn"), 15068777);
	assert_string_equal(json_string_value(json_object_get(row, "headers_text")),
			"2001:db8:ab::11 > 2001:db8:ab::b, RoCEv2 RC RDMA WRITE First, QP 18, PSN "
			"15068777");
	assert_null(json_object_get(row, "first_bytes"));
	steps = json_object_get(row, "steps");
	assert_true(json_is_null(json_object_get(json_array_get(steps, 0), "after_ns")));
	assert_int_equal(number(json_array_get(steps, 1), "after_ns"), 250);
	json_decref(v);
	r->n_bytes = sizeof(bytes) - 1; /* no further than the second octet of the PSN */
	v = show("show trace bytes");
	row = json_array_get(v, 0);
	assert_int_equal(strlen(json_string_value(json_object_get(row, "first_bytes"))),
			2 * r->n_bytes);
	assert_false(json_is_integer(json_object_get(row, "psn")));
	json_decref(v);
	r->bytes[12] = 0x08; /* ARP: there are only the addresses of the link */
	r->bytes[13] = 0x06;
	v = show("show trace");
	row = json_array_get(v, 0);
	assert_string_equal(json_string_value(json_object_get(row, "source")), "02:00:00:00:0a:11");
	assert_string_equal(json_string_value(json_object_get(row, "protocol")), "ARP");
	assert_true(json_is_null(json_object_get(row, "operation")));
	json_decref(v);
	r->n_bytes = 0; /* nothing is kept of a packet that another worker received */
	v = show("show trace");
	assert_true(json_is_null(json_object_get(json_array_get(v, 0), "source")));
	json_decref(v);
	t->n = 0;
}

/* Each stage says in words what it did with the packet. */
TEST(trace_words)
{
	struct fcn_packet p = {.in_port = 1, .out_port = FCN_PORT_NONE, .level = FCN_LEVEL_NONE};

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
	p.steering = 2;
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
	p.steering = 0;
	assert_decision(FCN_STAGE_IOAM_EDGE, false, &p, "IOAM taken out, as its domain ends here");
	assert_decision(FCN_STAGE_PROXY_INSERT, false, &p,
			"option with the address of the sender's proxy inserted");
	assert_decision(FCN_STAGE_PROXY_REMOVE, false, &p,
			"option with the address of a proxy removed");
	assert_decision(FCN_STAGE_PROXY_MARK, false, &p,
			"CE-marked, as the proxy was told about its flow");
	assert_decision(FCN_STAGE_CROSS_CORE_RX, false, &p, "received from worker 0");
	assert_decision(FCN_STAGE_TRANSMIT, false, &p, "handed to p0 from class 1");
	verdict[FCN_NOTICE_FAST_CNP] = FCN_NOTIFY_INTERVAL; /* shown only of what met congestion */
	assert_decision(FCN_STAGE_ENQUEUE, true, &p, "p0 class 1, 0 bytes queued");
	p.level = 3;
	assert_decision(FCN_STAGE_ENQUEUE, true, &p,
			"p0 class 1, 0 bytes queued, congestion level 3, notice: interval");
	verdict[FCN_NOTICE_CNM] = FCN_NOTIFY_NO_PROXY;
	p.flags = FCN_PACKET_CE_MARKED;
	p.reactions = FCN_REACTION_HALT;
	assert_decision(FCN_STAGE_ENQUEUE, true, &p,
			"p0 class 1, 0 bytes queued, congestion level 3, notice: interval, "
			"CNM: no_proxy, upstream asked to halt it, CE-marked");
	memset(verdict, 0, sizeof(verdict));
	p.notice_kind = FCN_NOTICE_CNM;
	assert_decision(FCN_STAGE_NOTICE, false, &p, "CNM for congestion of p1.7, class 1");
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

TEST(trace_asked)
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

/* Write bytes of hexadecimal digits with blanks between some of them. @return their number */
static uint32_t
put_hex(const char *hex, uint8_t *to, uint32_t room)
{
	uint32_t n = 0;
	int read = 0;

	while (n < room && sscanf(hex, " %2hhx%n", &to[n], &read) == 1) {
		hex += read;
		n++;
	}
	return n;
}

/* What `show trace` says of a Congestion Notification Message of which it has the first bytes.
 * @param hex Ethernet header and all that follows it */
static void
assert_reported(const char *hex, uint32_t bytes, const char *want)
{
	const struct fcn_packet p = {.local = FCN_LOCAL_CNM};
	struct fcn_trace *t = &fcn_control_worker(platform.ctl, 0)->trace;
	struct fcn_trace_record *r = &t->record[0];
	json_t *v, *step;

	memset(r, 0, sizeof(*r));
	t->n = 1;
	r->n_steps = 1;
	r->step[0] = (struct fcn_trace_step){.stage = FCN_STAGE_LOCAL, .left = true, .pkt = p};
	r->len = put_hex(hex, r->bytes, sizeof(r->bytes));
	r->n_bytes = (uint16_t)RTE_MIN(r->len, bytes);
	v = show("show trace");
	step = json_array_get(json_object_get(json_array_get(v, 0), "steps"), 0);
	assert_string_equal(json_string_value(json_object_get(step, "decision_text")), want);
	json_decref(v);
	t->n = 0;
}

/* The bytes are written by hand after the description of the message. */
TEST(trace_reported)
{
	/* Ethernet; IPv6 of 48 + 1 octets; UDP; version 6, level 5, TCP, ports 443 and 5000. */
	static const char six[] = "020000000001020000000002 86dd"
				  "60000000 0031 11 40"
				  "20010db8000f00000000000000000005"
				  "20010db8000f00000000000000000021"
				  "c001 03fd 0031 0000"
				  "6a 06 0000 01bb 1388"
				  "20010db8000100000000000000000010"
				  "20010db8000200000000000000000020"
				  "60";
	/* IPv4 of 20 + 24 octets; version 4, level 0, UDP, ports 49408 and 4791. */
	static const char four[] = "020000000001020000000002 0800"
				   "4500002c 00004000 4011 0dc0 0a000d01 0a000c01"
				   "c001 03fd 0018 0000"
				   "40 11 0000 c100 12b7 c000020e c6336414";
	static const char taken[] = "taken: a congestion notification message to the proxy";

	assert_reported(six, FCN_TRACE_BYTES,
			"taken: reports congestion of level 5 by the flow of protocol 6 from "
			"2001:db8:1::10 port 443 to 2001:db8:2::20 port 5000");
	assert_reported(four, FCN_TRACE_BYTES,
			"taken: reports congestion of level 0 by the flow of protocol 17 from "
			"192.0.2.14 port 49408 to 198.51.100.20 port 4791");
	/* The trace has no more than a part of the five-tuple, or nothing of it. */
	assert_reported(six, 101, taken);
	assert_reported(four, 42, taken);
}
