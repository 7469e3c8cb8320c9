/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * `explain`: what it says of a packet is what becomes of the packet when it is then really
 * received, and before that nothing has changed.
 */

#include "app_util.h"
#include "explain_private.h"
#include "show_util.h"

#define PORTS 4

static uint64_t now;

static struct fcn_worker *
worker(void)
{
	return fcn_control_worker(platform.ctl, 0);
}

static const char *const base[] = {
		"port add p0",
		"port add p1",
		"port add p2",
		"port add p3",
		"set port p0 mac 02:66:63:6e:00:00",
		"set loopback 2001:db8:f::1",
		"address add p0 2001:db8:a::fe/64",
		"address add p1 2001:db8:1::fe/64",
		"address add p2 2001:db8:2::fe/64",
		"address add p3 2001:db8:3::fe/64",
		"neighbour add p0 2001:db8:a::1 02:00:00:00:00:0a",
		"neighbour add p1 2001:db8:1::1 02:00:00:00:00:01",
		"neighbour add p2 2001:db8:2::2 02:00:00:00:00:02",
		"neighbour add p3 2001:db8:3::3 02:00:00:00:00:03",
		"route add 2001:db8::/64 via 2001:db8:a::1 port p0",
		"route add 2001:db8:e::/48 via 2001:db8:2::2 port p2",
		"route add 2001:db8:e::/48 via 2001:db8:3::3 port p3",
		"route add 2001:db8:bb::/48 blackhole",
		"address add p0 192.0.2.1/25",
		"address add p1 192.0.2.129/25",
		"neighbour add p1 192.0.2.130 02:00:00:00:00:11",
		NULL,
};

static int
setup(void **state)
{
	int rc = app_setup(state);

	now = 1000000;
	app_all(base);
	fcn_poll_once(worker(), now);
	platform.accept = 0; /* queues keep what they have */
	return rc;
}

static int
teardown(void **state)
{
	platform.source = false;
	platform.accept = UINT16_MAX;
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

/* Let a frame arrive at a port, and run a turn. The clock stands still between explanation and
 * packet. */
static void
arrive(unsigned int port, const struct explain_frame *f)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(platform.pool);

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, (uint16_t)f->len), f->data, f->len);
	platform_arrive(port, m);
	fcn_poll_once(worker(), worker()->now);
}

static void
later(uint64_t ns)
{
	now += ns;
	fcn_poll_once(worker(), now);
}

/* Packets of all senders, so that all queues of p1 fill. */
static void
traffic(unsigned int turns)
{
	platform.source = true;
	for (unsigned int i = 0; i < turns; i++, now += 10000)
		fcn_poll_once(worker(), now);
	platform.source = false;
}

#include "explain_check.h"

/* ---- frames ---- */

static void
addr(struct fcn_addr *to, const char *text)
{
	assert_int_equal(fcn_addr_parse(text, to), 0);
}

static struct explain_fields
fields(const char *src, const char *dst)
{
	struct explain_fields f = {
			.from = {{2, 0, 0, 0, 1, 1}},
			.to = {{2, 0x66, 0x63, 0x6e, 0, 0}},
			.qp = 17,
			.source_port = 49152,
			.dscp = 3 << 3,
			.ecn = 2,
			.hop_limit = 64,
			.len = 94,
	};

	addr(&f.src, src);
	addr(&f.dst, dst);
	return f;
}

static json_t *
check_fields(unsigned int port, const struct explain_fields *f)
{
	static struct explain_frame frame;

	assert_int_equal(explain_frame_make(f, &frame), 0);
	return check(port, &frame);
}

static json_t *
check_route(const char *src, const char *dst)
{
	const struct explain_fields f = fields(src, dst);

	return check_fields(0, &f);
}

static void
assert_outcome(json_t *v, const char *outcome, const char *drop, const char *out_port)
{
	assert_string_equal(string(v, "drop"), drop);
	assert_string_equal(string(v, "outcome"), outcome);
	assert_string_equal(string(v, "out_port"), out_port);
	json_decref(v);
}

TEST(a_route)
{
	json_t *v = check_route("2001:db8::1", "2001:db8:1::1");

	platform_shows(v, "{'in_port': 'p0', 'class': 3, 'qp': 17, 'route': [{'prefix': "
			  "'2001:db8:1::/64', 'origin': 'connected'}], 'next_hop': {'interface': "
			  "'p1', 'mac': '02:00:00:00:00:01'}, 'queue': {'port': 'p1', 'class': 3, "
			  "'queued_packets': 0, 'detector': 'off', 'congested': false}}");
	assert_outcome(v, "forwarded", "-", "p1");
	v = check_route("192.0.2.2", "192.0.2.130");
	assert_outcome(v, "forwarded", "-", "p1");
}

/* Different source ports take different members, and each the one that is said. */
TEST(equal_paths)
{
	unsigned int by_p2 = 0;

	for (unsigned int i = 0; i < 16; i++) {
		struct explain_fields f = fields("2001:db8::1", "2001:db8:e::1");
		json_t *v, *hop;

		f.source_port += i;
		v = check_fields(0, &f);
		hop = json_object_get(v, "next_hop");
		assert_int_equal(number(hop, "members"), 2);
		assert_in_range(number(hop, "member"), 1, 2);
		assert_int_equal(json_array_size(json_object_get(v, "route")), 2);
		assert_string_equal(string(hop, "interface"), string(v, "out_port"));
		by_p2 += strcmp(string(v, "out_port"), "p2") == 0;
		json_decref(v);
	}
	assert_in_range(by_p2, 1, 15);
}

TEST(no_way)
{
	struct explain_fields f = fields("2001:db8::1", "2001:db8:1::1");

	assert_outcome(check_route("2001:db8::1", "2001:db8:99::1"), "dropped", "no_route", "-");
	assert_outcome(check_route("2001:db8::1", "2001:db8:bb::1"), "dropped", "blackhole", "-");
	assert_outcome(check_route("2001:db8::1", "2001:db8:1::99"), "dropped", "no_neighbour",
			"-");
	f.hop_limit = 1;
	assert_outcome(check_fields(0, &f), "dropped", "hop_limit", "-");
}

/* With host functions, what cannot be forwarded is left to these, and so is what is for the switch.
 */
TEST(for_the_switch)
{
	struct explain_fields f = fields("2001:db8::1", "2001:db8:f::1");

	app_ok("set host on");
	assert_outcome(check_fields(0, &f), "delivered", "-", "-");
	/* The bucket of such packets is empty. */
	app_ok("set port p0 police local 1 burst 1");
	assert_outcome(check_fields(0, &f), "dropped", "punt_limited", "-");
}

TEST(border)
{
	struct explain_fields f = fields("2001:db8::1", "2001:db8:1::1");
	static struct explain_frame frame;

	app_ok("set port p0 border on");
	json_decref(check_fields(0, &f));
	/* A CNP, whose opcode is that of the draft, may not come in where the border drops them. */
	app_ok("set border cnp drop");
	assert_int_equal(explain_frame_make(&f, &frame), 0);
	frame.data[14 + 40 + 8] = 0x81;
	assert_outcome(check(0, &frame), "dropped", "border_cnp", "-");
	app_ok("set port p0 source-check strict");
	addr(&f.src, "2001:db8:77::1");
	assert_outcome(check_fields(0, &f), "dropped", "source_no_route", "-");
}

TEST(untrusted_class)
{
	struct explain_fields f = fields("2001:db8::1", "2001:db8:1::1");
	json_t *v;

	app_ok("set port p0 class-trust off");
	app_ok("set protected-class 3 on");
	v = check_fields(0, &f);
	assert_int_not_equal(number(v, "class"), 3);
	json_decref(v);
}

/* ---- congestion ---- */

static void
congest(void)
{
	app_ok("set queue p1 class 3 detector step 1");
	app_ok("set queue p1 class 3 notify on");
	app_ok("set notify fast-cnp on");
	traffic(2);
}

static void
assert_verdict(json_t *v, const char *want)
{
	assert_string_equal(verdict_of(v, 0), want);
	json_decref(v);
}

TEST(conditions_of_notices)
{
	json_t *v = check_route("2001:db8::1", "2001:db8:1::1");

	assert_verdict(v, "off");
	app_ok("set notify fast-cnp on");
	v = check_route("2001:db8::1", "2001:db8:1::1");
	platform_shows(v, "{'notices': [{'kind': 'fast_cnp', 'verdict': 'none', 'why': 'notices of "
			  "the queue are off', 'help': 'set queue p1 class 3 notify on'}, {}, {}, "
			  "{}, {}]}");
	json_decref(v);
	app_ok("set queue p1 class 3 notify on");
	v = check_route("2001:db8::1", "2001:db8:1::1");
	platform_shows(v, "{'notices': [{'verdict': 'none', 'help': 'set queue p1 class 3 detector "
			  "step'}, {}, {}, {}, {}]}");
	json_decref(v);
	app_ok("set queue p1 class 3 detector step 300");
	v = check_route("2001:db8::1",
			"2001:db8:1::1"); /* the first of 94 bytes is in the device's hands */
	platform_shows(v,
			"{'notices': [{'verdict': 'none', 'why': 'the detector finds no "
			"congestion: the queue has 282 bytes with this packet'}, {}, {}, {}, {}], "
			"'queue': {'queued_packets': 2, 'queued_bytes': 188, 'detector': 'step "
			"300 B'}}");
	json_decref(v);
	v = check_route("2001:db8::1", "2001:db8:1::1");
	platform_shows(v, "{'queue': {'congested': false, 'queued_bytes': 282}, 'outputs': "
			  "[{'port': 'p0', 'what': 'fast_cnp'}, {'port': 'p1', 'class': 3, 'what': "
			  "'packet'}]}");
	assert_verdict(v, "sent_option1");
	/* The same sender, at once. */
	assert_verdict(check_route("2001:db8::1", "2001:db8:1::1"), "interval");
	/* Another one has not been told. */
	assert_verdict(check_route("2001:db8::2", "2001:db8:1::1"), "sent_option1");
}

TEST(limits_of_notices)
{
	struct explain_fields f = fields("2001:db8::77", "2001:db8:1::1");

	congest();
	assert_verdict(check_fields(0, &f), "sent_option1");
	later(10000000); /* all buckets are full */
	addr(&f.src, "2001:db8::78");
	app_ok("set notify bucket destination 1 burst 1");
	f.qp++; /* another flow of the same sender */
	assert_verdict(check_fields(0, &f), "sent_option1");
	f.qp++;
	assert_verdict(check_fields(0, &f), "bucket_destination");
	app_ok("set notify bucket destination off");
	later(10000000);
	app_ok("set notify bucket queue 1 burst 1");
	f.qp++;
	assert_verdict(check_fields(0, &f), "sent_option1");
	f.qp++;
	assert_verdict(check_fields(0, &f), "bucket_queue");
	app_ok("set notify bucket queue off");
	later(10000000);
	app_ok("set notify bucket global 1 burst 1");
	f.qp++;
	assert_verdict(check_fields(0, &f), "sent_option1");
	f.qp++;
	assert_verdict(check_fields(0, &f), "bucket_global");
	app_ok("set notify bucket global off");
	addr(&f.src, "2001:db8:99::77");
	assert_verdict(check_fields(0, &f), "unreachable");
	app_ok("sender add 2001:db8::/64 none");
	addr(&f.src, "2001:db8::79");
	assert_verdict(check_fields(0, &f), "sender_none");
	addr(&f.src, "192.0.2.2");
	addr(&f.dst, "192.0.2.130");
	assert_verdict(check_fields(0, &f), "ipv4");
}

/* A queue that is full loses the packet, and its sender is told all the same; what is not told is
 * marked. */
TEST(full_and_marked)
{
	json_t *v;

	congest();
	app_ok("set queue p1 class 3 ecn on");
	app_ok("sender add 2001:db8:0:0:5::/80 none");
	v = check_route("2001:db8:0:0:5::1", "2001:db8:1::1");
	assert_true(json_is_true(json_object_get(json_object_get(v, "queue"), "ce_marked")));
	json_decref(v);
	app_ok("set queue p1 class 3 limit 200");
	v = check_route("2001:db8::78", "2001:db8:1::1");
	assert_string_equal(verdict_of(v, 0), "sent_option1");
	assert_outcome(v, "dropped", "queue_bytes", "p1");
}

/* A queue that trims: the headers go on in another class, as long as they may use the link. */
TEST(trimmed)
{
	struct explain_fields f = fields("2001:db8::78", "2001:db8:1::1");
	unsigned int n = 0;
	json_t *v;

	congest();
	app_ok("set queue p1 class 3 limit 200");
	app_ok("set queue p1 class 3 trim forward size 1000");
	f.len = 1200;
	v = check_fields(0, &f);
	platform_shows(v, "{'class': 3, 'drop': null, 'queue': {'class': 3, 'limit_bytes': 200}, "
			  "'outcome_text': 'p1 class 3 has no room: queue_bytes (tail drop: the "
			  "queue is at its limit in bytes), congestion level 7, notice: "
			  "sent_option1; trimmed to 1000 bytes, p1 class 5, 1376 bytes queued', "
			  "'outputs': [{'port': 'p0', 'what': 'fast_cnp'}, {'port': 'p1', "
			  "'class': 5, 'what': 'packet', 'bytes': 1000}]}");
	assert_string_equal(verdict_of(v, 0), "sent_option1");
	assert_outcome(v, "trimmed", "-", "p1");
	/* 10000 octets at once, of which half is for any port, and each packet takes 1024 */
	app_ok("set port p1 link 1G");
	app_ok("set trim link-share 0.1%");
	for (; n < 20; n++) {
		v = check_fields(0, &f);
		if (strcmp(string(v, "outcome"), "trimmed") != 0)
			break;
		json_decref(v);
	}
	assert_outcome(v, "dropped", "queue_bytes", "p1");
	assert_int_equal(n, 5);
}

/* A queue that returns: the packet is dropped, and a notice names it, as long as they may use the
 * link. */
TEST(returned)
{
	struct explain_fields f = fields("2001:db8::78", "2001:db8:1::1");
	unsigned int n = 0;
	json_t *v;

	app_ok("set queue p1 class 3 limit 200");
	app_ok("set queue p1 class 3 trim return");
	v = check_fields(0, &f);
	assert_string_equal(verdict_of(v, FCN_NOTICE_TRIMMED), "none");
	json_decref(v);
	traffic(2);
	v = check_fields(0, &f);
	platform_shows(v, "{'outputs': [{'port': 'p0', 'what': 'trimmed', 'bytes': 134}]}");
	assert_string_equal(verdict_of(v, FCN_NOTICE_TRIMMED), "sent_trimmed");
	assert_outcome(v, "dropped", "queue_bytes", "p1");
	/* The next one is named at once, too. */
	v = check_fields(0, &f);
	assert_string_equal(verdict_of(v, FCN_NOTICE_TRIMMED), "sent_trimmed");
	json_decref(v);
	/* 10000 octets at once, of which half is for any port, and each notice takes 158 */
	app_ok("set port p0 link 1G");
	app_ok("set trim link-share 0.1%");
	for (; n < 64; n++) {
		v = check_fields(0, &f);
		if (strcmp(verdict_of(v, FCN_NOTICE_TRIMMED), "sent_trimmed") != 0)
			break;
		json_decref(v);
	}
	assert_string_equal(verdict_of(v, FCN_NOTICE_TRIMMED), "bucket_link");
	assert_outcome(v, "dropped", "queue_bytes", "p1");
	assert_int_equal(n, 32);
	/* By another port, there is a part for it. */
	app_ok("set port p2 mac 02:66:63:6e:00:02");
	f.to.addr_bytes[5] = 2;
	v = check_fields(2, &f);
	assert_string_equal(verdict_of(v, FCN_NOTICE_TRIMMED), "sent_trimmed");
	json_decref(v);
}

/* A CNP to the sender, where its queue pair is known, and as long as nothing forbids it. */
TEST(cnp)
{
	struct explain_fields f = fields("2001:db8::78", "2001:db8:1::1");
	json_t *v;

	app_ok("set notify cnp on");
	congest();
	app_ok("set notify fast-cnp off");
	v = check_fields(0, &f);
	assert_string_equal(verdict_of(v, FCN_NOTICE_CNP), "no_qp");
	json_decref(v);
	app_ok("proxy qp add 2001:db8:1::1 17 sender-qp 34");
	v = check_fields(0, &f);
	platform_shows(v, "{'outputs': [{'port': 'p0', 'what': 'cnp', 'bytes': 94}, {'port': "
			  "'p1', 'what': 'packet'}]}");
	assert_string_equal(verdict_of(v, FCN_NOTICE_CNP), "sent_cnp");
	json_decref(v);
	v = check_fields(0, &f);
	assert_string_equal(verdict_of(v, FCN_NOTICE_CNP), "interval");
	json_decref(v);
	f.qp++;
	v = check_fields(0, &f);
	assert_string_equal(verdict_of(v, FCN_NOTICE_CNP), "no_qp");
	json_decref(v);
}

TEST(heavy_flows)
{
	congest();
	app_ok("set queue p1 class 3 heavy-flows on");
	traffic(4);
	assert_verdict(check_route("2001:db8::99", "2001:db8:1::1"), "light_flow");
}

/* A detector of every type, in any state, with random decisions. */
TEST(detectors)
{
	static const char *const types[] = {"step 3K", "red kmin 1K kmax 40K pmax 1/2",
			"qcn qeq 2K", "sojourn target 20us", "rate threshold 50%"};

	app_ok("set notify fast-cnp on");
	app_ok("set notify interval 0");
	app_ok("set queue p1 class 3 notify on");
	app_ok("set queue p1 class 3 ecn on");
	for (unsigned int i = 0; i < RTE_DIM(types); i++) {
		char line[96];

		snprintf(line, sizeof(line), "set queue p1 class 3 detector %s", types[i]);
		app_ok(line);
		for (unsigned int k = 0; k < 6; k++) {
			traffic(1);
			platform.accept = k % 2 != 0 ? 20 : 0;
			now += 5000;
			fcn_poll_once(worker(), now);
			platform.accept = 0;
			json_decref(check_route("2001:db8::1", "2001:db8:1::1"));
		}
	}
}

/* ---- bridges ---- */

static json_t *
check_bridged(unsigned int port, uint8_t to, uint8_t from)
{
	struct explain_fields f = fields("2001:db8::1", "2001:db8::2");

	f.to = (struct rte_ether_addr){{2, 0, 0, 0, 0, to}};
	f.from = (struct rte_ether_addr){{2, 0, 0, 0, 0, from}};
	return check_fields(port, &f);
}

TEST(bridge)
{
	json_t *v;

	app_teardown(NULL);
	app_setup(NULL);
	platform.accept = 0;
	app_ok("port add p0");
	app_ok("port add p1");
	app_ok("port add p2");
	app_ok("port add p3");
	app_ok("bridge add br");
	app_ok("bridge br port add p0");
	app_ok("bridge br port add p1");
	app_ok("bridge br port add p2");
	app_ok("bridge br port add p3");
	app_ok("set bridge br port p3 pvid 20");
	fcn_poll_once(worker(), now);
	v = check_bridged(0, 0xB, 0xA); /* unknown: to all of the VLAN */
	assert_int_equal(json_array_size(json_object_get(v, "outputs")), 2);
	assert_string_equal(string(v, "outcome"), "forwarded");
	json_decref(v);
	json_decref(check_bridged(1, 0xA, 0xB));
	v = check_bridged(0, 0xB, 0xA);
	assert_int_equal(json_array_size(json_object_get(v, "outputs")), 1);
	assert_outcome(v, "forwarded", "-", "p1");
	assert_outcome(check_bridged(1, 0xB, 0xC), "dropped", "same_port", "-");
	assert_int_equal(app_line("explain in p0 src 2001:db8::1 dst 2001:db8::2 qp 1"), -EINVAL);
	app_ok("explain in p0 src 2001:db8::1 dst 2001:db8::2 qp 1 to 02:00:00:00:00:0b");
	v = explained("explain in p0 src 2001:db8::1 dst 2001:db8::2 qp 1 to "
		      "02:00:00:00:00:0b vlan 77 json");
	assert_outcome(v, "dropped", "vlan_not_member", "-");
}

TEST(sub_interface)
{
	json_t *v;

	app_ok("port add p0.7 vlan 7 of p0");
	app_ok("address add p0.7 2001:db8:7::fe/64");
	v = explained("explain in p0.7 src 2001:db8:7::1 dst 2001:db8:1::1 qp 1 json");
	assert_string_equal(string(v, "in_port"), "p0");
	assert_outcome(v, "forwarded", "-", "p1");
}

/* Whatever the frame is, it is explained as what then becomes of it. */
TEST(random_frames)
{
	const struct explain_fields f = fields("2001:db8::1", "2001:db8:1::1");
	const unsigned int n = fcn_test_effort(400);
	static struct explain_frame frame;
	uint64_t seed = 35;

	congest();
	app_ok("set host on");
	app_ok("set notify interval 0");
	for (unsigned int i = 0; i < n; i++) {
		assert_int_equal(explain_frame_make(&f, &frame), 0);
		for (uint64_t k = fcn_test_below(&seed, 5); k > 0; k--)
			frame.data[fcn_test_below(&seed, 80)] = (uint8_t)fcn_test_random(&seed);
		if (fcn_test_below(&seed, 8) == 0)
			frame.len = 1 + (uint32_t)fcn_test_below(&seed, 94);
		json_decref(check(0, &frame));
		now += 1000;
		if (i % 16 == 0) {
			fcn_control_host_poll(platform.ctl, now);
			platform.accept = UINT16_MAX;
			fcn_poll_once(worker(), now);
			platform.accept = 0;
		}
	}
}
