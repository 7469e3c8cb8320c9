/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packet trimming: the senders of what a queue has no room for are told of each packet. */

#include "fcn_notice_trimmed.h"
#include "fcn_trimmed_option.h"
#include "testbed.h"

#define KIND FCN_NOTICE_TRIMMED
#define TYPE 0x9D
#define NOTICE_LEN (14 + 40 + 40 + 40)

static struct fcn_notice_trimmed_conf own;

/* The queue of class 3 at port 1 has room for `room` bytes, and its refusals are returned. */
static void
return_from(uint32_t room)
{
	bench_queue_conf(1, 3)->limit_bytes = room;
	bench_queue_conf(1, 3)->trim_return = true;
	bench.snap.notify.on_loss = 1 << KIND;
	bench_new_snapshot();
}

static int
setup(void **state)
{
	const struct fcn_fastcnp_conf fc = {.source = {0x20, 1, 0xd, 0xb8, [15] = 0xFE},
			.opt1_type = 0x9E,
			.opt2_type = 0x9F,
			.dscp = 48,
			.hop_limit = 64};

	bench_setup(state);
	bench_route("192.0.2.0/24", 5);
	bench_port_routes(2);
	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	own = (struct fcn_notice_trimmed_conf){.fast_cnp = {.trimmed_type = TYPE}};
	assert_int_equal(fcn_fastcnp_kind_init(&own.fast_cnp, &fc), 0);
	bench.snap.notify.n_kinds = KIND + 1;
	bench.snap.notify.kind[KIND].kind = &fcn_notice_trimmed;
	bench.snap.notify.kind[KIND].own = &own;
	return 0;
}

static int
teardown(void **state)
{
	fcn_fastcnp_kind_fini(&own.fast_cnp);
	return bench_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static const struct fcn_queue_stats *
stats(void)
{
	return &bench_queue(1, 3)->stats;
}

static uint64_t
verdict(enum fcn_notify_verdict v)
{
	return bench.worker->notify[KIND].stats[1][3].verdict[v];
}

/* Send n frames in one burst. The queue is full after the first. */
static void
send_burst(const struct frame *f, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, f);
	bench_poll(1);
}

/* The octets of the notice are those of doc/trim.md. */
TEST(notice)
{
	const uint32_t udp = 14 + 40;
	const uint8_t *out;
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	f.data[15] |= 0xA; /* flow label */
	f.data[16] = 0xBC;
	f.data[17] = 0xDE;
	f.data[udp + 8 + 9] = 0x12; /* PSN */
	f.data[udp + 8 + 10] = 0x34;
	f.data[udp + 8 + 11] = 0x56;
	return_from(f.len);
	send_burst(&f, 2);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out_len(0, 0), NOTICE_LEN);
	out = bench_out(0, 0) + 14;
	assert_memory_equal(out, ((uint8_t[]){0x6C, 0, 0, 0, 0, 80, 60, 64}), 8);
	assert_memory_equal(out + 24, f.data + 14 + 8, 16);
	assert_memory_equal(out + 40, ((uint8_t[]){17, 4, 1, 2, 0, 0, 0x9E, 16}), 8);
	assert_memory_equal(out + 48, f.data + 14 + 24, 16);
	assert_memory_equal(out + 64, ((uint8_t[]){1, 0, TYPE, 12, 1, 7}), 6);
	assert_int_equal(out[70] << 8 | out[71], f.len - 14);
	assert_int_equal(out[72], f.data[udp + 8]);
	assert_memory_equal(out + 73, ((uint8_t[]){0x12, 0x34, 0x56, 0, 0xA, 0xBC, 0xDE}), 7);
	assert_memory_equal(out + 80, f.data + udp, 2); /* UDP source port */
	assert_int_equal(stats()->returned, 1);
	assert_int_equal(stats()->notices, 1);
	assert_int_equal(stats()->drop[FCN_REFUSED_QUEUE_BYTES], 1);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 1);
	assert_int_equal(stats()->trimmed, 0);
}

/* What is built in one pass, with the Ethernet header, is what the general way builds, in each mode
 * of the ICRC, with and without the flow label. */
TEST(notice_in_one_pass)
{
	uint8_t option[2 + FCN_TRIMMED_OPTION_DATA], want[FCN_FASTCNP_MAX_LEN];
	struct fcn_trimmed_option fields;
	struct fcn_fastcnp_request req;
	struct fcn_fastcnp_conf fc;
	struct fcn_wire_info info;
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	return_from(f.len);
	for (unsigned int i = 0; i < 60; i++) {
		fc = own.fast_cnp.fastcnp.conf;
		fc.icrc_mode = i % 3;
		fcn_fastcnp_kind_fini(&own.fast_cnp);
		assert_int_equal(fcn_fastcnp_kind_init(&own.fast_cnp, &fc), 0);
		bench.snap.notify.common.entropy = i % 2;
		bench_new_snapshot();
		f.data[15] = 0x10 | (uint8_t)bench_below(16); /* flow label */
		f.data[16] = (uint8_t)bench_below(256);
		f.data[17] = (uint8_t)bench_below(256);
		for (unsigned int k = 62; k < f.len; k++)
			f.data[k] = (uint8_t)bench_below(256);
		f.data[62] = 6; /* WRITE First */
		f.data[63] = 0; /* TVer */
		f.data[54] = (uint8_t)bench_below(256);
		f.data[55] = (uint8_t)bench_below(256);
		assert_int_equal(fcn_parse(f.data, f.len, f.len, &bench.snap.codes, &info),
				FCN_WIRE_OK);
		fields = fcn_trimmed_option_of(f.data, &info, 7);
		fcn_trimmed_option_write(option, TYPE, &fields);
		req = (struct fcn_fastcnp_request){.sender = f.data + 22,
				.receiver = f.data + 38,
				.trimmed = option,
				.buf = want,
				.dest_qp = info.dest_qp,
				.src_port = info.src_port,
				.p_key = info.p_key};
		fcn_fastcnp_build_burst(&own.fast_cnp.fastcnp, &req, 1);
		if (i % 2)
			memcpy(want + 1,
					(uint8_t[]){(uint8_t)(want[1] & 0xF0) | (f.data[15] & 0xF),
							f.data[16], f.data[17]},
					3);
		send_burst(&f, i == 0 ? 2 : 1);
		assert_int_equal(bench.port[0].n_out, 1);
		assert_int_equal(bench_out_len(0, 0), 14 + req.len);
		assert_memory_equal(bench_out(0, 0) + 14, want, req.len);
		assert_memory_equal(bench_out(0, 0), bench.next_hop[4].l2.dst_addr.addr_bytes, 6);
	}
}

/* Each packet is named: neither an interval nor a bucket keeps a notice back. */
TEST(each_packet)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_notices(1, 1);
	bench.snap.notify.kind[0].interval_ns = 1000000;
	bench_queue_bucket(1000000, 1);
	bench.snap.notify.common.receiver_by_link = true;
	bench.snap.notify.common.receiver[0] = (struct fcn_notify_bucket){1000000, 1};
	return_from(f.len);
	send_burst(&f, 9);
	assert_int_equal(stats()->returned, 8);
	assert_int_equal(verdict(FCN_NOTIFY_SENT), 8);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_SENT), 1);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_INTERVAL), 8);
	assert_int_equal(bench.port[0].n_out, 9);
}

/* More of them than are made at once. */
TEST(many)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_notices(1, 1);
	return_from(f.len);
	for (unsigned int i = 0; i < 10; i++)
		send_burst(&f, 32);
	assert_int_equal(stats()->returned, 319);
	assert_int_equal(verdict(FCN_NOTIFY_SENT), 319);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_SENT), 320);
}

/* An octet of notices takes 1 ns, and they may take so many of them at once. */
static struct fcn_notify_link
share_of_notices(unsigned int n)
{
	return (struct fcn_notify_link){.cost = 1u << FCN_NOTIFY_LINK_SHIFT,
			.burst_ns = (uint64_t)n * (NOTICE_LEN + 24)};
}

/* They have a share of the link that they leave by for themselves. */
TEST(share_of_the_link)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_notices(1, 1);
	/* An octet takes 1 ns. Half of the bucket is for any port, and the third notice brings that
	 * into debt. */
	bench.snap.notify.common.loss_link[0] = share_of_notices(4);
	return_from(f.len);
	send_burst(&f, 6);
	assert_int_equal(stats()->returned, 3);
	assert_int_equal(verdict(FCN_NOTIFY_SENT), 3);
	assert_int_equal(verdict(FCN_NOTIFY_BUCKET_LINK), 2);
	assert_int_equal(stats()->drop[FCN_REFUSED_QUEUE_BYTES], 5);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_SENT), 6);
	assert_int_equal(bench.worker->loss_link[0].full, 1 + 3 * (NOTICE_LEN + 24));
	assert_int_equal(bench.worker->notify_link[0].full, 0);
}

/* Somebody behind another port who sends with addresses of this one, as fast as the line is, does
 * not take the notices about packets that come by this port. */
TEST(share_of_ingress_ports)
{
	struct frame f, other;

	frame_roce6(&f, 9, 1, 2, 1000);
	other = f;
	frame_to_port(&other, 2, 1);
	bench.snap.notify.common.loss_link[0] = share_of_notices(40);
	return_from(f.len);
	send_burst(&f, 1);
	for (unsigned int i = 0; i < 300; i++)
		bench_in(2, &other);
	while (bench_poll(1) != 0)
		;
	assert_int_equal(stats()->returned, 21);
	/* of the other half, a part of three, and the debt */
	send_burst(&f, 9);
	assert_int_equal(stats()->returned, 21 + 7);
	assert_int_equal(bench.worker->counters[1].notices[KIND], 28);
}

/* The headers go on, and the sender is told. */
TEST(both)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_queue_conf(1, 3)->trim_size = 256;
	bench.snap.port[1].trim = (struct fcn_trim_conf){.class = 5, .dscp = 10};
	return_from(f.len);
	send_burst(&f, 3);
	assert_int_equal(stats()->returned, 2);
	assert_int_equal(stats()->trimmed, 2);
	assert_int_equal(bench_all_drops(), 0);
	/* The notice tells of the whole packet. */
	assert_int_equal(bench_out(0, 1)[84] << 8 | bench_out(0, 1)[85], f.len - 14);
}

/* What nobody can send again: acknowledgements, other traffic, and RoCEv2 over IPv4. */
TEST(not_due)
{
	struct frame f, ack, ip4;

	frame_roce6(&f, 9, 1, 2, 1000);
	ack = f;
	ack.data[14 + 40 + 8] = 0x11;
	frame_ether(&ip4, 0x0800);
	frame_ip4(&ip4, 17, 20);
	frame_roce(&ip4, 1000);
	ip4.data[15] = 24 << 2;
	frame_finish(&ip4);
	frame_to_port(&ip4, 0, 1);
	return_from(f.len);
	send_burst(&f, 1);
	send_burst(&ack, 1);
	send_burst(&ip4, 1);
	assert_int_equal(verdict(FCN_NOTIFY_NOT_DATA), 1);
	assert_int_equal(verdict(FCN_NOTIFY_IPV4), 1);
	assert_int_equal(stats()->returned, 0);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 2);
}

/* A packet that is not lost for lack of room is not returned, and nothing is where no queue asks.
 */
TEST(no_lack_of_room)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	return_from(f.len);
	bench.snap.port[1].down = true;
	bench_new_snapshot();
	send_burst(&f, 2);
	assert_int_equal(stats()->returned, 0);
	bench.snap.port[1].down = false;
	bench_queue_conf(1, 3)->trim_return = false;
	bench_new_snapshot();
	send_burst(&f, 3);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 2);
	assert_int_equal(stats()->returned, 0);
	assert_int_equal(bench.port[0].n_out, 0);
}

/* Whoever is told of the congestion by a notice about a lost packet hears of the highest level. */
TEST(level)
{
	struct fcn_event ev[8];
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_notices(1, 1);
	return_from(f.len);
	send_burst(&f, 2);
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, 8), 3);
	assert_int_not_equal(ev[0].level, FCN_LEVEL_MAX);
	assert_int_equal(ev[1].kind, FCN_NOTICE_FAST_CNP);
	assert_int_equal(ev[1].level, FCN_LEVEL_MAX);
	assert_int_equal(ev[2].kind, KIND);
	assert_int_equal(ev[2].level, FCN_LEVEL_MAX);
	assert_int_equal(ev[2].occupancy, 2 * f.len);
}

/* A sender that is known not to understand notices is told by none. */
TEST(sender_without)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	own.fast_cnp.default_capability = FCN_SENDER_NONE;
	return_from(f.len);
	send_burst(&f, 2);
	assert_int_equal(verdict(FCN_NOTIFY_SENDER_NONE), 1);
	assert_int_equal(stats()->returned, 0);
}

TEST(trace)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	return_from(f.len);
	bench_trace(2, "");
	send_burst(&f, 2);
	assert_int_equal(bench.worker->trace.record[0].verdict[KIND], FCN_NOTIFY_NONE);
	assert_int_equal(bench.worker->trace.record[1].verdict[KIND], FCN_NOTIFY_SENT);
}
