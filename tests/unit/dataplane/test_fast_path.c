/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path against the stages where packets, ports and queues are unusual: headers that end
 * with a segment, and settings that the fast path has no code for. The same packets leave, and the
 * same is counted.
 */

#include "fast_widths.h"
#include "mix.h"

#define PORTS 4
#define TURNS 1500
#define BURST 20
#define SUB 10 /* sub-interface of port 2, VLAN 100 */

static uint32_t trace_type; /* Trace-Type of most traces */
static uint16_t vlans[FCN_VLANS];

static int
setup(void **state)
{
	bench_setup(state);
	memset(vlans, 0xFF, sizeof(vlans));
	bench.snap.port[SUB] = bench.snap.port[2];
	bench.snap.port[SUB].parent = 2;
	bench.snap.port[SUB].vlan = 100;
	bench.snap.port[2].sub = vlans;
	vlans[100] = SUB;
	bench.next_hop[20] = bench.next_hop[6];
	bench.next_hop[20].type = FCN_NEXT_HOP_FORWARD_TAGGED;
	bench.next_hop[20].interface = SUB;
	bench.next_hop[20].vlan = 100;
	bench_route("2001:db8:1::/48", 5);
	bench_route("2001:db8:2::/48", 6);
	bench_route("2001:db8:3::/48", 7);
	bench_route("2001:db8:4::/48", 20);
	bench_route("2001:db8:5::/48", 1);
	bench_route("10.1.0.0/16", 5);
	bench_route("10.2.0.0/16", 6);
	bench_route("10.3.0.0/16", 7);
	bench_route("10.4.0.0/16", 20);
	bench_route("2001:db8:6::/48", 30);
	bench_route("2001:db8:7::/48", 31);
	bench_route("10.6.0.0/16", 30);
	bench_route("10.7.0.0/16", 31);
	bench_routes_done();
	bench.snap.table[1] = bench.snap.table[FCN_TABLE_MAIN];
	return 0;
}

static void
to_ip4(struct frame *f, uint8_t net)
{
	uint8_t *ip = &f->data[14];
	const uint8_t tos = (uint8_t)(ip[0] << 4 | ip[1] >> 4), ttl = ip[7];
	uint16_t len;

	memmove(ip + 20, ip + 40, f->len - 14 - 40);
	f->len -= 20;
	len = (uint16_t)(f->len - 14);
	f->data[12] = 0x08;
	f->data[13] = 0x00;
	memcpy(ip,
			(uint8_t[20]){0x45, tos, (uint8_t)(len >> 8), (uint8_t)len, 0, 1, 0x40, 0,
					ttl, IPPROTO_UDP, 0, 0, 10, 9, 0, 1, 10, net, 0, 2},
			20);
	fcn_put_be16(ip + 10, ip4_checksum(ip));
}

/* Let a frame arrive whose first segment ends behind n octets. The memory behind them has what the
 * octets of the frame would be, for anything that reads too far. */
static void
split_in(uint16_t port, const struct frame *f, uint32_t n)
{
	struct rte_mbuf *m = bench_in(port, f), *rest = rte_pktmbuf_alloc(bench.pool);

	assert_non_null(rest);
	memcpy(rte_pktmbuf_append(rest, (uint16_t)(f->len - n)), f->data + n, f->len - n);
	m->data_len = (uint16_t)n;
	m->pkt_len = n;
	assert_int_equal(rte_pktmbuf_chain(m, rest), 0);
}

/* What came of packets. */
struct outcome {
	uint64_t packets[FCN_MAX_PORTS], sum[FCN_MAX_PORTS], counters, queues, accounts, events;
};

static void
observe(struct outcome *o)
{
	const struct fcn_worker *w = bench.worker;
	struct fcn_event ev;

	memset(o, 0, sizeof(*o));
	for (uint16_t p = 0; p < bench.snap.n_ports; p++) {
		o->packets[p] = bench.port[p].n_out;
		for (unsigned int i = 0; i < bench.port[p].n_out; i++) {
			struct rte_mbuf *m = bench.port[p].out[i];

			for (; m != NULL; m = m->next)
				mix_bytes(&o->sum[p], rte_pktmbuf_mtod(m, const void *),
						m->data_len);
		}
		mix_bytes(&o->counters, &w->counters[p], sizeof(w->counters[p]));
		mix_bytes(&o->accounts, w->ingress[p], sizeof(w->ingress[p]));
		if (w->port[p].egress == NULL)
			continue;
		mix_bytes(&o->accounts, &w->port[p].egress->backlog,
				sizeof(w->port[p].egress->backlog));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_queue *q = &w->port[p].egress->queue[c];

			mix_bytes(&o->queues, &q->stats, sizeof(q->stats));
			mix_bytes(&o->queues, &q->bytes, sizeof(q->bytes));
			mix_bytes(&o->queues, &q->charged, sizeof(q->charged));
			mix_bytes(&o->queues, &q->wm_max, sizeof(q->wm_max));
			mix_bytes(&o->queues, &q->detector.congested,
					sizeof(q->detector.congested));
			mix_bytes(&o->queues, &q->detector.arrived, sizeof(q->detector.arrived));
			mix_bytes(&o->queues, &q->detector.enters, sizeof(q->detector.enters));
		}
	}
	mix_bytes(&o->accounts, &w->buffer, sizeof(w->buffer));
	while (bench_events(&ev, 1) == 1)
		mix_bytes(&o->events, &ev, sizeof(ev));
}

TEST_FIXTURE(FCN_TEST_EAL);

/* At any octet, the first segment may end. The headers have to be in it. */
TEST(segments)
{
	for (unsigned int ip4 = 0; ip4 < 2; ip4++) {
		const unsigned int need = ip4 ? 54 : 74;
		struct outcome by_stages[64], fast;
		struct frame f;

		frame_roce6(&f, 1, 1, 2, 100);
		frame_to_port(&f, 0, 1);
		if (ip4)
			to_ip4(&f, 1);
		for (unsigned int width = 0; width <= FAST_WIDTHS; width++) {
			setup(state);
			bench.worker->fast = width == 0 ? NULL : fast_width(width - 1);
			for (unsigned int n = need - 40; n < need + 20; n++) {
				struct outcome *o = width == 0 ? &by_stages[n - need + 40] : &fast;

				split_in(0, &f, n);
				fast_try();
				bench_poll(n);
				assert_int_equal(fast_taken(), width != 0 && n >= need);
				observe(o);
				assert_memory_equal(o, &by_stages[n - need + 40], sizeof(*o));
			}
			assert_int_equal(bench_teardown(state), 0);
		}
	}
}

/* What this node adds to traces, and where it removes them. */
static void
reconfigure_ioam(void)
{
	struct fcn_ioam_conf *conf = &bench.snap.ioam;

	*conf = (struct fcn_ioam_conf){.any_transit = true,
			.any_edge = bench_below(4) == 0,
			.node_id = bench_below(1 << 24),
			.node_id_wide = bench_below(UINT32_MAX),
			.time_format = FCN_IOAM_TIME_POSIX_NS,
			.n_namespaces = 1,
			.ns = {{.id = bench_below(8) ? 0x1234 : 1,
					.wide_data = FCN_IOAM_DATA_TX_BYTES}}};
	for (unsigned int p = 0; p < PORTS; p++) {
		struct fcn_ioam_port *port = &bench.snap.port[p].ioam;

		port->transit = bench_below(4) != 0;
		port->edge = conf->any_edge ? bench_below(3) : FCN_IOAM_EDGE_OFF;
		port->id = (uint16_t)bench_below(UINT16_MAX);
	}
}

/* Settings of ports and queues. */
static void
reconfigure(void)
{
	reconfigure_ioam();
	bench.snap.buffer = bench_below(3) ? (struct fcn_buffer_conf){0}
					   : (struct fcn_buffer_conf){
							     .size = 300000, .shared = 90000};
	for (unsigned int p = 0; p < PORTS; p++) {
		struct fcn_snapshot_port *sp = &bench.snap.port[p];
		struct fcn_next_hop *nh = &bench.next_hop[p + 4];

		sp->mtu = bench_below(8) ? 1500 : (uint16_t)(100 + bench_below(1400));
		sp->table = bench_below(12) == 0;
		sp->down = bench_below(12) == 0;
		sp->trust = bench_below(3);
		sp->untrusted.untrusted = bench_below(12) == 0;
		sp->untrusted.remark = bench_below(3);
		sp->checked_ingress = sp->untrusted.untrusted;
		sp->lossless = sp->pause.tx_classes = 0;
		memset(sp->ingress, 0, sizeof(sp->ingress));
		if (bench_below(3) == 0)
			bench_lossless(p, 3, 3000 + bench_below(9000), 2000, bench_below(9000));
		sp->mac.addr_bytes[5] = (uint8_t)(10 + p + 16 * bench_below(2));
		nh->l2.src_addr = bench_below(16) ? sp->mac
						  : (struct rte_ether_addr){{2, 9, 9, 9, 9, 9}};
		nh->mtu = bench_below(8) ? 1500 : (uint16_t)(60 + bench_below(1400));
		nh->type = bench_below(16) ? FCN_NEXT_HOP_FORWARD : FCN_NEXT_HOP_NO_NEIGHBOUR;
		nh->l2.dst_addr.addr_bytes[0] = (uint8_t)(2 + 4 * bench_below(9));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			struct fcn_queue_conf *q = bench_queue_conf(p, c);

			q->limit_bytes = 2000 + bench_below(200000);
			q->limit_packets = 1 + bench_below(200);
			bench_random_detector(&q->detector, q->limit_bytes, &bench_seed);
			if (bench_below(2))
				q->detector.type = FCN_DETECTOR_OFF;
			q->detector.at_dequeue = q->detector.type == FCN_DETECTOR_RED &&
						 bench_below(2);
			q->policy.heavy_flows = bench_below(12) == 0;
			q->policy.ecn = bench_below(2);
			q->slow_path = bench.snap.buffer.size != 0 || q->policy.heavy_flows ||
				       q->detector.at_dequeue;
			q->account.reserve = bench_below(2) ? bench_below(5000) : 0;
			q->account.alpha = fcn_test_random(&bench_seed) % (2 * FCN_ALPHA_ONE);
		}
	}
	/* Two groups, of stations behind all ports; in one there may be a sub-interface, too. */
	for (unsigned int i = 0; i < 8; i++)
		bench.member[i] = i == 7 && bench_below(4) == 0 ? 20 : 4 + bench_below(PORTS);
	for (unsigned int i = 0; i < 2; i++)
		bench.next_hop[30 + i] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP,
				.first_member = 3 * i,
				.n_members = 2 + bench_below(2 + 2 * i)};
	fcn_snapshot_protect(&bench.snap, (uint8_t)bench_below(256));
	bench.snap.port[SUB].mac = bench.next_hop[20].l2.src_addr = bench.snap.port[2].mac;
	bench_new_snapshot();
}

/* Make a packet with an IOAM trace. Most traces of a turn are alike. */
static void
frame_trace(struct frame *f, uint8_t src, uint8_t net, uint8_t dst)
{
	static const uint32_t types[] = {
			0xC00000, 0xFE0000, 0x00F000, 0xC80000, 0xF10000, 0xC00002};

	unsigned int words;

	if (bench_below(4) == 0)
		trace_type = types[bench_below(RTE_DIM(types))];
	words = fcn_ioam_node_len(trace_type);
	frame_ioam6(f, trace_type, words, bench_below(4) * words, bench_below(2) * words,
			4 * bench_below(99));
	f->data[14 + 8 + 15] = src;
	f->data[14 + 24 + 5] = net;
	f->data[14 + 24 + 15] = dst;
	if (bench_below(30) == 0) /* another octet of the options header */
		f->data[14 + 40 + bench_below(16)] ^= (uint8_t)(1 + bench_below(255));
}

static void
traffic(uint16_t port)
{
	static const uint8_t nets[] = {1, 2, 3, 6, 6, 7, 7};
	unsigned int n = 1 + bench_below(BURST), run;

	for (; n > 0; n -= run) {
		const uint8_t net = (uint8_t)(bench_below(20) ? nets[bench_below(RTE_DIM(nets))]
							      : bench_below(8));
		const bool trace = bench_below(4) == 0;
		struct frame f;

		run = RTE_MIN(n, 1 + bench_below(6));

		if (trace)
			frame_trace(&f, (uint8_t)(1 + bench_below(9)), net,
					(uint8_t)bench_below(9));
		else
			frame_roce6(&f, (uint8_t)(1 + bench_below(9)), net, (uint8_t)bench_below(9),
					4 * bench_below(300));
		frame_to_port(&f, port, 1);
		memcpy(f.data, &bench.snap.port[port].mac, 6);
		frame_class(&f, bench_below(2) ? 3 : bench_below(8), bench_below(4));
		f.data[21] = (uint8_t)(bench_below(30) ? 64 : bench_below(3));
		f.data[f.udp + 1] = (uint8_t)bench_below(256);
		if (!trace && bench_below(3) == 0)
			to_ip4(&f, net);
		if (bench_below(30) == 0) /* padding behind what the IP header counts */
			frame_zero(&f, 1 + bench_below(8));
		for (unsigned int i = 0; i < run; i++) {
			if (bench_below(60))
				bench_in(port, &f);
			else
				split_in(port, &f, 34 + bench_below(f.len - 34));
		}
	}
}

static struct outcome outcome[TURNS];

TEST(settings)
{
	const unsigned int turns = RTE_MIN(fcn_test_effort(TURNS), (unsigned int)TURNS);

	for (unsigned int width = 0; width <= FAST_WIDTHS; width++) {
		uint64_t now = 1, taken = 0;

		setup(state);
		bench_seed = 5;
		trace_type = 0xC00000;
		bench_notices(3, 100000);
		bench_set_ops(1, &bench_gate_ops);
		bench_set_ops(2, &bench_ring_ops);
		bench.worker->fast = width == 0 ? NULL : fast_width(width - 1);
		for (unsigned int turn = 0; turn < turns; turn++) {
			struct outcome o;

			if (turn % 20 == 0)
				reconfigure();
			for (uint16_t p = 0; p < PORTS; p++) {
				if (bench_below(4) == 0)
					traffic(p);
				bench.port[p].accept = (uint16_t)(bench_below(2) ? bench_below(20)
										 : 4096);
				bench.port[p].backlog = (int)bench_below(12) - 1;
			}
			if (bench_below(100) == 0)
				bench.worker->dest_cache.skip = 10;
			now += bench_below(3000);
			fast_try();
			bench_poll(now);
			taken += fast_taken();
			observe(&o);
			if (width == 0)
				outcome[turn] = o;
			else if (memcmp(&outcome[turn], &o, sizeof(o)) != 0)
				print_error("turn %u, width %u\n", turn, width);
			assert_memory_equal(&outcome[turn], &o, sizeof(o));
		}
		assert_true(width == 0 ? taken == 0 : taken > turns / 2);
		assert_int_equal(bench_teardown(state), 0);
	}
}

/* Many destinations that are new at once are looked up together: only the packet that shows that
 * there are many passes through the stages, and all are known in the next turn. */
TEST(new_destinations)
{
	for (unsigned int width = 0; width < FAST_WIDTHS; width++) {
		assert_int_equal(setup(state), 0);
		bench.worker->fast = fast_width(width);
		for (unsigned int turn = 0; turn < 2; turn++) {
			for (unsigned int i = 0; i < BURST; i++) {
				struct frame f;

				frame_roce6(&f, 1, 2, (uint8_t)(1 + i), 0);
				frame_to_port(&f, 0, 1);
				bench_in(0, &f);
			}
			bench_poll(1 + turn);
			assert_int_equal(fast_taken(), turn == 0 ? BURST - 1 : BURST);
			assert_int_equal(bench.port[2].n_out, BURST);
			for (unsigned int i = 0; i < BURST; i++)
				assert_int_equal(bench_out(2, i)[14 + 39], 1 + i);
			bench_forget_out();
		}
		assert_int_equal(bench_teardown(state), 0);
	}
}
