/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Several workers against one: packets of the host functions, among others, to queues that are
 * congested. Nobody is told of them, and they are not marked.
 */

#include "group_mix.h"
#include "port_bits.h"

#define STEPS 100
#define OWN_FLOWS (2 * MIX_CONGESTED)
#define INTERFACE 9 /* of the bridge */

/* Packets that the host functions have the owner of a port route, forward or send: one flow for
 * each class queue that gets congested. */
struct own_flow {
	uint8_t kind, in, out, class;
	uint32_t number;
};

static struct mix mix;
static struct own_flow own[OWN_FLOWS];
static uint8_t queue[MIX_FLOWS + OWN_FLOWS];

static void
choose_flows(uint64_t seed)
{
	static const uint8_t kinds[] = {
			FCN_INJECT_ROUTE, FCN_INJECT_FORWARD, FCN_INJECT_ROUTE, FCN_INJECT_SEND};

	mix_begin(&mix, seed);
	memcpy(queue, mix.queue, sizeof(mix.queue));
	for (unsigned int i = 0; i < OWN_FLOWS; i++) {
		own[i] = (struct own_flow){.kind = kinds[i % 4],
				.in = (uint8_t)(i % MIX_CONGESTED),
				.out = (uint8_t)(MIX_CONGESTED + i / MIX_CONGESTED)};
		own[i].class = (uint8_t)((own[i].in + 2 * (i / MIX_CONGESTED)) % MIX_CONGESTED);
		queue[MIX_FLOWS + i] = own[i].in;
	}
}

/* A frame of RoCEv2 that anybody else would be notified about. */
static void
own_frame(struct frame *f, unsigned int i)
{
	struct own_flow *flow = &own[i];

	frame_roce6(f, (uint8_t)(200 + i), 0x10 + flow->out, 9, OUTCOME_MARK_LEN + 200);
	f->data[14 + 8 + 5] = 0x10 + flow->in;
	frame_class(f, flow->class, 1);
	outcome_mark(f, MIX_FLOWS + i, flow->class, flow->number++);
}

/* As the control thread does it: the worker of the port that a packet is sent by has it, or of the
 * port on whose behalf it is routed. */
static void
inject(const struct frame *f, struct fcn_inject in, unsigned int worker)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(bench.pool);

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, (uint16_t)f->len), f->data, f->len);
	in.mbuf = m;
	assert_int_equal(rte_ring_sp_enqueue_elem(group.w[worker]->injects, &in, sizeof(in)), 0);
}

static void
send_own(void)
{
	for (unsigned int n = mix_below(&mix, 9); n > 0; n--) {
		const unsigned int i = mix_below(&mix, OWN_FLOWS);
		const struct own_flow *flow = &own[i];
		struct fcn_inject in = {.kind = flow->kind,
				.class = flow->class,
				.in_port = flow->in,
				.out_port = flow->out};
		struct fcn_port_counters *c = &group.w[group_owner(flow->in)]->counters[flow->in];
		struct frame f;

		own_frame(&f, i);
		/* What was punted before was counted as consumed then. */
		if (flow->kind == FCN_INJECT_FORWARD) {
			c->rx_packets++;
			c->consumed++;
		}
		if (flow->kind == FCN_INJECT_ROUTE)
			in.out_port = FCN_PORT_NONE;
		inject(&f, in, group_owner(flow->kind == FCN_INJECT_ROUTE ? flow->in : flow->out));
	}
}

static void
run(unsigned int workers, uint64_t seed, struct outcome *o)
{
	uint16_t room[OUTCOME_PORTS];

	group_begin(workers);
	mix_configure();
	choose_flows(seed);
	outcome_reset(o);
	group.to = o;
	for (unsigned int step = 0; step < STEPS; step++) {
		mix_arrive(&mix);
		group_settle();
		send_own();
		group_settle();
		mix_rooms(&mix, room);
		group_transmit(room);
	}
	group_drain();
	outcome_add_counters(o, group.w, group.n);
	mix_unconfigure();
	group_end();
}

/* Get the number of frames of the host functions that left, but those that they only forward. */
static unsigned int
count_own(const struct outcome *o)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < o->n_frames; i++) {
		const struct outcome_frame *f = &o->frame[i];

		if (f->flow == OUTCOME_NO_FLOW || f->flow < MIX_FLOWS ||
				own[f->flow - MIX_FLOWS].kind == FCN_INJECT_FORWARD)
			continue;
		n++;
		assert_int_equal(f->head[15] >> 4 & 3, 1); /* not marked */
	}
	return n;
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(own)
{
	for (uint64_t seed = 1; seed <= fcn_test_effort(3); seed++) {
		static struct outcome one, many;
		uint64_t congested = 0;

		run(1, seed, &one);
		assert_true(count_own(&one) > 100);
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			congested += one.sums.queue[6][c].stats.congested_packets;
		assert_true(congested > 200);
		for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
			run(n, seed, &many);
			outcome_check_same(&one, &many, queue);
			outcome_reset(&many);
		}
		outcome_reset(&one);
	}
}

/* ---- by the interface of a bridge ---- */

static void
configure_bridge(void)
{
	bench_bridge(OUTCOME_PORTS);
	bench.snap.port[INTERFACE] = (struct fcn_snapshot_port){.mode = FCN_PORT_BRIDGE_INTERFACE,
			.mac = {{2, 0, 0, 0, 0, 10 + INTERFACE}},
			.mtu = 1500,
			.parent = INTERFACE,
			.vlan = 1};
	bench.snap.bridge[0].interfaces = ports_of(UINT64_C(1) << INTERFACE);
	for (uint16_t p = MIX_CONGESTED; p < OUTCOME_PORTS; p++)
		bench_notices(p, 1000);
	bench_new_snapshot();
}

/* To the station behind each port, and every fourth frame to an unknown one. */
static void
send_by_interface(unsigned int step)
{
	for (unsigned int i = 0; i < OUTCOME_PORTS; i++) {
		struct frame f;

		own_frame(&f, i % OWN_FLOWS);
		frame_macs(&f, step % 4 == 0 ? 0xEE : (uint8_t)(1 + i), 1);
		memcpy(f.data + 6, &bench.snap.port[INTERFACE].mac, 6);
		inject(&f,
				(struct fcn_inject){.kind = FCN_INJECT_SEND,
						.class = own[i].class,
						.out_port = INTERFACE},
				0);
	}
}

/* Frames from the station behind a port to that behind port 6. */
static void
station_sends(uint16_t port, unsigned int n)
{
	while (n-- > 0) {
		struct frame f;

		frame_roce6(&f, (uint8_t)(1 + port), 1, 7, 300);
		frame_macs(&f, 1 + MIX_CONGESTED, (uint8_t)(1 + port));
		bench_in(port, &f);
	}
}

static void
run_bridge(unsigned int workers, struct outcome *o)
{
	uint16_t room[OUTCOME_PORTS] = {20, 20, 20, 20, 20, 20, 3, 3};

	group_begin(workers);
	configure_bridge();
	choose_flows(1);
	outcome_reset(o);
	group.to = o;
	for (uint16_t p = 0; p < OUTCOME_PORTS; p++) {
		station_sends(p, 1);
		group_settle();
		group_drain();
	}
	for (unsigned int step = 0; step < 40; step++) {
		station_sends(1, 2);
		group_settle();
		send_by_interface(step);
		group_settle();
		group_transmit(room);
	}
	group_drain();
	outcome_add_counters(o, group.w, group.n);
	group_end();
}

TEST(interface)
{
	static struct outcome one, many;

	run_bridge(1, &one);
	assert_true(count_own(&one) > 400);
	assert_true(fcn_port_notices(&one.sums.port[6]) > 50);
	assert_int_equal(fcn_port_notices(&one.sums.port[7]), 0);
	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		run_bridge(n, &many);
		outcome_check_same(&one, &many, queue);
		outcome_reset(&many);
	}
	outcome_reset(&one);
}
