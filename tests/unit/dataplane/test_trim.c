/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packet trimming: what a queue has no room for goes on as its headers, in a class of its own. */

#include "trim_bench.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = trim_setup, .teardown = bench_teardown);

/* Send two frames, of which the second finds the queue full. @return the one that is shorter, or
 * the first; its length is in `len` */
static const uint8_t *
send_two(const struct frame *f, uint32_t *len)
{
	unsigned int i;

	bench_in(0, f);
	bench_in(0, f);
	bench_poll(1);
	open_gate();
	assert_int_equal(bench.port[1].n_out, 2);
	i = bench_out_len(1, 1) < bench_out_len(1, 0); /* that of the trimmed class is the first */
	*len = bench_out_len(1, i);
	return bench_out(1, i);
}

TEST(ip6)
{
	const uint8_t *out;
	struct frame f;
	uint32_t len;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	out = send_two(&f, &len);
	assert_int_equal(len, KEPT);
	assert_int_equal(out[14] << 4 | out[15] >> 4, 0x600 | TRIM_DSCP << 2 | 1); /* ECT(1) */
	assert_int_equal(out[18] << 8 | out[19], KEPT - 14 - 40);
	/* behind the hop limit, with the UDP length of the whole packet */
	assert_memory_equal(out + 22, f.data + 22, KEPT - 22);
	assert_int_equal(stats()->trimmed, 1);
	assert_int_equal(stats()->trimmed_bytes, f.len - KEPT);
	assert_int_equal(stats()->trim_limited, 0);
	assert_int_equal(stats()->drop[FCN_REFUSED_QUEUE_BYTES], 0);
	assert_int_equal(stats()->arrived_packets, 1);
	assert_int_equal(stats()->arrived_bytes, f.len);
	assert_int_equal(bench_accepted(bench_queue(1, TRIM_CLASS)), 1);
	assert_int_equal(bench_all_drops(), 0);
}

TEST(ip4)
{
	const uint8_t *out;
	struct frame f;
	uint32_t len;

	frame_ether(&f, 0x0800);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 1000);
	f.data[15] = 24 << 2 | 2;
	frame_finish(&f);
	frame_to_port(&f, 0, 1);
	trim_from(f.len);
	out = send_two(&f, &len);
	assert_int_equal(len, KEPT);
	assert_int_equal(out[15], TRIM_DSCP << 2 | 2);
	assert_int_equal(out[16] << 8 | out[17], KEPT - 14);
	assert_int_equal(out[24] << 8 | out[25], ip4_checksum(out + 14));
	assert_memory_equal(out + 26, f.data + 26, KEPT - 26);
}

/* Both headers of a tunnel say how long the packet is; only the outer one has another DSCP. */
TEST(tunnel)
{
	const uint32_t inner = 14 + 40;
	const uint8_t *out;
	struct frame f;
	uint32_t len;

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 4);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 1000);
	f.data[14 + 24 + 5] = 1;
	frame_finish(&f);
	frame_class(&f, 3, 1);
	frame_to_port(&f, 0, 1);
	trim_from(f.len);
	out = send_two(&f, &len);
	assert_int_equal(len, KEPT);
	assert_int_equal(out[14] << 4 | out[15] >> 4, 0x600 | TRIM_DSCP << 2 | 1);
	assert_int_equal(out[18] << 8 | out[19], KEPT - inner);
	assert_int_equal(out[inner + 1], f.data[inner + 1]);
	assert_int_equal(out[inner + 2] << 8 | out[inner + 3], KEPT - inner);
	assert_int_equal(out[inner + 10] << 8 | out[inner + 11], ip4_checksum(out + inner));
	assert_memory_equal(out + inner + 12, f.data + inner + 12, KEPT - inner - 12);
}

/* What is no longer than a trimmed packet is whole. */
TEST(short_packet)
{
	struct frame f;
	uint32_t len;

	frame_roce6(&f, 9, 1, 2, 16);
	assert_true(f.len < KEPT);
	trim_from(f.len);
	send_two(&f, &len);
	assert_int_equal(len, f.len);
	assert_int_equal(stats()->trimmed, 1);
	assert_int_equal(stats()->trimmed_bytes, 0);
	assert_int_equal(bench_accepted(bench_queue(1, TRIM_CLASS)), 1);
}

/* The headers up to the BTH are kept, however small the size is. */
TEST(headers_are_kept)
{
	struct frame f;
	uint32_t len;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	bench_queue_conf(1, 3)->trim_size = 1;
	bench_new_snapshot();
	send_two(&f, &len);
	assert_int_equal(len, 14 + 40 + 8 + 12);
}

/* A packet that is in several buffers; those behind the cut are free again. */
TEST(chained)
{
	const uint8_t *out;
	struct frame f;
	uint32_t len;

	bench.snap.port[0].mtu = bench.snap.port[1].mtu = bench.next_hop[5].mtu = 9000;
	frame_roce6(&f, 9, 1, 2, 3500);
	trim_from(f.len);
	out = send_two(&f, &len);
	assert_int_equal(len, KEPT);
	assert_memory_equal(out + 22, f.data + 22, KEPT - 22);
	assert_int_equal(bench.port[1].out[0]->nb_segs + bench.port[1].out[1]->nb_segs, 3);
}

TEST(keeps_its_dscp)
{
	const uint8_t *out;
	struct frame f;
	uint32_t len;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	bench.snap.port[1].trim.dscp = FCN_TRIM_DSCP_KEEP;
	bench_new_snapshot();
	out = send_two(&f, &len);
	assert_memory_equal(out + 14, f.data + 14, 4);
}

/* Neither marked nor a reason for a notice; but it was one while it was whole, in its own class. */
TEST(no_mark_and_no_notice)
{
	struct fcn_event ev[8];
	struct frame f;
	uint32_t len;

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_notices(1, 1);
	trim_from(f.len);
	assert_int_equal(send_two(&f, &len)[15] >> 4 & 3, 1);
	assert_int_equal(bench_queue(1, TRIM_CLASS)->stats.congested_packets, 0);
	assert_int_equal(stats()->congested_packets, 2);
	assert_int_equal(stats()->ce_marked, 1);
	assert_int_equal(bench_queue(1, TRIM_CLASS)->detector.congested, false);
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, 8), 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(ev[i].class, 3);
		assert_int_equal(ev[i].dest_qp, 0x123456);
	}
	assert_int_equal(ev[1].occupancy, 2 * f.len);
}

/* A detector that looks at packets that leave does not look at it either. */
TEST(no_detector_at_dequeue)
{
	struct fcn_queue_conf *q = bench_queue_conf(1, TRIM_CLASS);
	struct frame f;
	uint32_t len;

	frame_roce6(&f, 9, 1, 2, 1000);
	bench_notices(1, 1);
	q->detector.at_dequeue = q->slow_path = true;
	bench.snap.port[1].egress.at_dequeue = 1 << TRIM_CLASS;
	trim_from(f.len);
	assert_int_equal(send_two(&f, &len)[15] >> 4 & 3, 1);
	assert_int_equal(len, KEPT);
	assert_int_equal(bench_queue(1, TRIM_CLASS)->stats.congested_packets, 0);
	assert_int_equal(bench_queue(1, TRIM_CLASS)->stats.notices, 0);
}

/* An octet of trimmed packets takes 1 ns, and they may take so many packets at once. */
static void
share_of_octets(unsigned int packets)
{
	bench.snap.port[1].trim.link = (struct fcn_notify_link){.cost = 1u << FCN_NOTIFY_LINK_SHIFT,
			.burst_ns = (uint64_t)packets * (KEPT + 24)};
}

/* Beyond their share of the link they are dropped, for the reason of the queue. */
TEST(share_of_the_link)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	/* An octet takes 1 ns, and the bucket has four trimmed packets, of which two are for
	 * whoever comes, and one is for this port, which has each for twice the time. A third one
	 * is in order as long as there is no debt. */
	share_of_octets(4);
	bench_new_snapshot();
	for (unsigned int i = 0; i < 6; i++)
		bench_in(0, &f);
	bench_poll(1);
	assert_int_equal(stats()->trimmed, 3);
	assert_int_equal(stats()->trim_limited, 2);
	assert_int_equal(stats()->drop[FCN_REFUSED_QUEUE_BYTES], 2);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 2);
	/* When one of them would have left, there is room for one. */
	bench_send(0, &f, KEPT + 24);
	assert_int_equal(stats()->trimmed, 3);
	bench_send(0, &f, 1 + KEPT + 24);
	assert_int_equal(stats()->trimmed, 4);
}

/* Send n frames by one port at the same time. @return how many were trimmed */
static unsigned int
trim_by(uint16_t port, unsigned int n)
{
	const uint64_t before = stats()->trimmed;
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	frame_to_port(&f, port, 1);
	for (unsigned int i = 0; i < n; i++)
		bench_in(port, &f);
	while (bench_poll(bench.worker->now) != 0)
		;
	return stats()->trimmed - before;
}

/*
 * A port that floods the queue does not take what is for others. Half of the bucket, 50 packets, is
 * for whoever comes, and that may begin one in debt. Of the other half, the first port has a part
 * of two, the second one of three, the third one of four: 25, 16.7 and 12.5, and the debt.
 */
TEST(share_of_ingress_ports)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	share_of_octets(100);
	bench_new_snapshot();
	bench_send(0, &f, 1);
	assert_int_equal(trim_by(0, 300), 51);
	assert_int_equal(trim_by(2, 100), 17);
	assert_int_equal(trim_by(3, 100), 13);
	assert_int_equal(trim_by(0, 100), 0);
	/* In the time of 40 packets, each has a quarter of them; what they have not used of it, and
	 * all that is above half of the bucket, is for whoever comes first. */
	bench.worker->now += 40 * (KEPT + 24);
	assert_true(trim_by(0, 300) >= 10);
	assert_true(trim_by(2, 100) >= 10);
	assert_true(trim_by(3, 100) >= 10);
	/* A long time later, a port has half of all for itself. */
	bench.worker->now += 1000000000;
	assert_int_equal(trim_by(2, 100), 51);
}

/* The queue of trimmed packets drops what it has no room for, and does not trim it again. */
TEST(trim_queue_is_full)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	bench_queue_conf(1, TRIM_CLASS)->limit_packets = 1;
	bench_queue_conf(1, TRIM_CLASS)->trim_size = KEPT;
	bench_new_snapshot();
	for (unsigned int i = 0; i < 4; i++)
		bench_in(0, &f);
	bench_poll(1);
	assert_int_equal(stats()->trimmed, 3);
	assert_int_equal(bench_queue(1, TRIM_CLASS)->stats.trimmed, 0);
	assert_int_equal(bench_queue(1, TRIM_CLASS)->stats.drop[FCN_REFUSED_QUEUE_PACKETS], 2);
	assert_int_equal(bench_all_drops(), 2);
}

/* A packet that its headroom does not take goes on, and counts on no account. */
TEST(lossless)
{
	struct frame f;
	uint32_t len;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(100000);
	bench_lossless(0, 3, f.len, f.len / 2, 0);
	bench_new_snapshot();
	send_two(&f, &len);
	assert_int_equal(len, KEPT);
	assert_int_equal(stats()->drop[FCN_REFUSED_LOSSLESS_HEADROOM], 0);
	assert_int_equal(bench.worker->ingress[0][3].lost_packets, 1);
	assert_int_equal(bench_all_drops(), 0);
}

/* The shared buffer has no room; trimmed packets are not in it. */
TEST(buffer)
{
	struct frame f;
	uint32_t len;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(100000);
	bench.snap.buffer = (struct fcn_buffer_conf){.size = f.len + 10, .shared = f.len + 10};
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		bench_queue_conf(1, c)->slow_path = true;
		bench_queue_conf(1, c)->account.alpha = 8 * FCN_ALPHA_ONE;
	}
	bench_new_snapshot();
	send_two(&f, &len);
	assert_int_equal(len, KEPT);
	assert_int_equal(bench.worker->buffer.shared_max, f.len);
	assert_int_equal(stats()->trimmed, 1);
	assert_int_equal(stats()->drop[FCN_REFUSED_BUFFER], 0);
}

/* What is no lack of room is dropped: the link is down. */
TEST(port_down)
{
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	bench.snap.port[1].down = true;
	bench_new_snapshot();
	bench_send(0, &f, 1);
	assert_int_equal(stats()->trimmed, 0);
	assert_int_equal(bench_drops(FCN_DROP_PORT_DOWN), 1);
}

/* A part of a packet that has no length of its own is dropped. */
TEST(fragment)
{
	static const uint8_t first_of_more[] = {17, 0, 0, 1, 0, 0, 0, 7};
	struct frame f;

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 44);
	frame_put(&f, first_of_more, sizeof(first_of_more));
	frame_roce(&f, 996);
	f.data[14 + 24 + 5] = 1;
	frame_finish(&f);
	frame_class(&f, 3, 1);
	frame_to_port(&f, 0, 1);
	trim_from(f.len);
	bench_in(0, &f);
	bench_in(0, &f);
	bench_poll(1);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 1);
}

/* The switch has added its data to the trace of a packet before it finds no room for it; the delay
 * is that in the class of trimmed packets. */
TEST(ioam)
{
	const uint8_t *out;
	struct frame f;
	uint32_t len, delay;

	bench.snap.ioam = (struct fcn_ioam_conf){.any_transit = true,
			.n_namespaces = 1,
			.ns = {{.id = 0x1234, .schema_id = FCN_IOAM_NO_SCHEMA}}};
	bench.snap.port[0].ioam.transit = true;
	frame_ioam6(&f, 0x080000, 1, 1, 0, 900); /* the transit delay alone */
	trim_from(f.len);
	bench_in(0, &f);
	bench_in(0, &f);
	bench_poll(1);
	bench.port[1].accept = 64;
	bench_poll(778);
	assert_int_equal(bench.port[1].n_out, 2);
	out = bench_out(1, bench_out_len(1, 1) < bench_out_len(1, 0));
	len = bench_out_len(1, bench_out_len(1, 1) < bench_out_len(1, 0));
	assert_int_equal(len, KEPT);
	memcpy(&delay, out + TRACE_DATA_OFF, sizeof(delay));
	assert_int_equal(rte_be_to_cpu_32(delay), 777);
	assert_int_equal(bench_all_drops(), 0);
}

/* A tunnel in a tunnel, which a bridge forwards: the headers behind the second one were not read,
 * so their lengths cannot be written, and it is dropped as ever. */
TEST(three_headers)
{
	struct frame f;

	bench_bridge(2);
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 41);
	frame_ip6(&f, 4);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 1000);
	frame_finish(&f);
	frame_class(&f, 3, 1);
	trim_from(f.len);
	bench_in(0, &f);
	bench_in(0, &f);
	bench_poll(1);
	assert_int_equal(stats()->trimmed, 0);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 1);
}

/* A notice about a packet of which it is not known yet whether its trace is kept has no trace. */
TEST(trace_of_notice)
{
	struct fcn_trace *t = &bench.worker->trace;
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	bench_notices(1, 1);
	bench_new_snapshot();
	t->condition = (struct fcn_trace_condition){.type = FCN_TRACE_DROPPED};
	t->wanted = 1;
	for (unsigned int i = 0; i < 3; i++)
		bench_in(0, &f);
	bench_poll(1);
	assert_int_equal(stats()->trimmed, 2);
	assert_int_equal(bench.worker->counters[1].notices[0], 3);
	assert_int_equal(fcn_trace_room(t), FCN_TRACE_MAX);
	assert_int_equal(t->wanted, 1);
}

/* A trace that waits for trimmed packets keeps them, and one that waits for dropped ones does not.
 */
TEST(traces)
{
	struct fcn_trace *t = &bench.worker->trace;
	const struct fcn_packet *p;
	struct frame f;

	frame_roce6(&f, 9, 1, 2, 1000);
	trim_from(f.len);
	t->condition = (struct fcn_trace_condition){.type = FCN_TRACE_DROPPED};
	t->wanted = 1;
	for (unsigned int i = 0; i < 3; i++)
		bench_in(0, &f);
	bench_poll(1);
	assert_int_equal(stats()->trimmed, 2);
	assert_int_equal(t->wanted, 1);
	t->condition = (struct fcn_trace_condition){.type = FCN_TRACE_TRIMMED};
	bench_send(0, &f, 2);
	assert_int_equal(t->wanted, 0);
	assert_int_equal(t->n, 1);
	p = &t->record[0].step[t->record[0].n_steps - 1].pkt;
	assert_int_equal(t->record[0].step[t->record[0].n_steps - 1].stage, FCN_STAGE_ENQUEUE);
	assert_int_equal(t->record[0].step[t->record[0].n_steps - 1].queue_bytes, 3 * KEPT);
	assert_true(p->flags & FCN_PACKET_TRIMMED);
	assert_int_equal(p->class, TRIM_CLASS);
	assert_int_equal(p->trim_class, 3);
	assert_int_equal(p->trim_reason, FCN_DROP_QUEUE_BYTES);
	open_gate();
	assert_int_equal(t->record[0].step[t->record[0].n_steps - 1].stage, FCN_STAGE_TRANSMIT);
}
