/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Several workers against one: the same packets to the ports of a bridge, with tags and without,
 * to known stations and to unknown ones, and notices that go back with a tag.
 */

#include <netinet/in.h>

#include "group_mix.h"

#define STEPS 100
#define FLOWS 120
#define VLAN_A 10
#define VLAN_B 20
#define FLOODED 20 /* most frames of a step that are flooded: their copies fit into a burst */

/* What a flow consists of. */
enum family {
	ROCE6,
	ROCE4,
	TCP6,
	NOT_IP,
	FAMILIES
};

/* Whom it is sent to. */
enum whom {
	KNOWN,
	UNKNOWN,
	BROADCAST,
	WHOM
};

struct flow {
	uint8_t family, whom, in, out, class;
	uint16_t vlan;
	bool tagged; /* by its ingress port */
	uint32_t number;
};

static struct mix mix; /* its random numbers, and the receive queues */
static struct flow flow[FLOWS];

/* Ports 0 and 1 are in VLAN A, 2 and 3 in B, 4 and 5 in both, with tags in B, the others in both
 * with tags. */
static bool
is_member(unsigned int port, uint16_t vlan)
{
	return port >= 4 || (vlan == VLAN_A ? port < 2 : port >= 2);
}

static bool
has_tag(unsigned int port, uint16_t vlan)
{
	return port >= 6 || (port >= 4 && vlan == VLAN_B);
}

static void
configure(enum fcn_copy_mode copies, uint32_t interval_ns, bool at_dequeue)
{
	bench_bridge(OUTCOME_PORTS);
	bench.snap.copies = copies;
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++) {
		struct fcn_snapshot_port *sp = &bench.snap.port[p];

		sp->pvid = 0;
		for (uint16_t v = VLAN_A; v <= VLAN_B; v += VLAN_B - VLAN_A) {
			if (is_member(p, v) && !has_tag(p, v))
				sp->pvid = v;
			else if (is_member(p, v))
				sp->tagged[v / 64] |= UINT64_C(1) << v % 64;
		}
	}
	for (uint16_t p = MIX_CONGESTED; p < OUTCOME_PORTS; p++) {
		bench_notices(p, 1000);
		for (unsigned int c = 0; c < 6; c++)
			bench_queue_conf(p, c)->limit_bytes = 5000;
		for (unsigned int c = 6; c < FCN_CLASSES; c++)
			bench_queue_conf(p, c)->detector.type = FCN_DETECTOR_OFF;
		for (unsigned int c = 1; c < 6 && at_dequeue; c += 2)
			mix_choose_at_dequeue(p, c);
	}
	bench.snap.notify.kind[0].interval_ns = interval_ns;
	bench_new_snapshot();
}

/* Get the last octet of the address of the station in a VLAN behind a port. */
static uint8_t
station(unsigned int port, uint16_t vlan)
{
	return (uint8_t)(16 * (1 + port) + vlan / 10);
}

/*
 * Choose flows. Each worker notes by itself when a flow was notified last, so with a minimum
 * interval none of them is to meet congestion at two ports.
 */
static void
choose_flows(uint64_t seed, uint32_t interval_ns)
{
	mix_begin(&mix, seed);
	for (unsigned int i = 0; i < FLOWS; i++) {
		struct flow *f = &flow[i];

		*f = (struct flow){.family = i % 2 ? ROCE6 : (uint8_t)mix_below(&mix, FAMILIES),
				.whom = (uint8_t)(mix_below(&mix, 6) ? KNOWN
								     : mix_below(&mix, WHOM)),
				.vlan = mix_below(&mix, 2) ? VLAN_A : VLAN_B};
		do {
			f->in = (uint8_t)mix_below(&mix, OUTCOME_PORTS);
			f->out = (uint8_t)mix_below(&mix, OUTCOME_PORTS);
		} while (!is_member(f->in, f->vlan) || !is_member(f->out, f->vlan) ||
				f->in == f->out);
		f->tagged = has_tag(f->in, f->vlan);
		if (f->family == NOT_IP && !f->tagged) /* it would be of class 0 */
			f->family = ROCE6;
		/* A class queue of the congested ports gets the packets of one port. */
		f->class = f->in < MIX_CONGESTED ? f->in : 7;
		if (f->whom == KNOWN && f->out < MIX_CONGESTED)
			f->class = (uint8_t)mix_below(&mix, FCN_CLASSES);
		if (f->whom != KNOWN && f->family == ROCE6 && interval_ns != 0)
			f->class = 7;
		mix.queue[i] = f->in;
	}
}

static void
begin_frame(struct frame *f, const struct flow *to, uint16_t type)
{
	frame_ether(f, type);
	if (to->tagged)
		frame_vlan(f, RTE_ETHER_TYPE_VLAN, (uint16_t)(to->class << 13 | to->vlan));
}

static void
put_packet(struct frame *f, const struct flow *to)
{
	const uint32_t len = OUTCOME_MARK_LEN + 4 * mix_below(&mix, 100);
	uint8_t *ip;

	switch (to->family) {
	case NOT_IP:
		begin_frame(f, to, 0x88B5);
		frame_zero(f, 46 + len);
		return;
	case ROCE4:
		begin_frame(f, to, RTE_ETHER_TYPE_IPV4);
		frame_ip4(f, IPPROTO_UDP, 20);
		frame_roce(f, len);
		f->data[f->ip[0] + 1] = (uint8_t)(to->class << 5 | 1);
		break;
	default:
		begin_frame(f, to, RTE_ETHER_TYPE_IPV6);
		frame_ip6(f, to->family == TCP6 ? IPPROTO_TCP : IPPROTO_UDP);
		if (to->family == TCP6)
			frame_zero(f, 20 + len)[12] = 5 << 4;
		else
			frame_roce(f, len);
		ip = f->data + f->ip[0];
		ip[0] = (uint8_t)(0x60 | to->class << 1);
		ip[1] = 1 << 4; /* ECT(1) */
		ip[8 + 15] = station(to->in, to->vlan);
		ip[24 + 15] = station(to->out, to->vlan);
		break;
	}
	frame_finish(f);
}

/* Let the next frame of a flow arrive. */
static void
arrive(unsigned int i)
{
	struct flow *to = &flow[i];
	struct frame f;

	put_packet(&f, to);
	frame_macs(&f, to->whom == KNOWN ? station(to->out, to->vlan) : 0xEE,
			station(to->in, to->vlan));
	if (to->whom == BROADCAST)
		memset(f.data, 0xFF, 6);
	if (f.udp != 0)
		f.data[f.udp + 8 + 7] = (uint8_t)i; /* queue pair */
	outcome_mark(&f, i, to->class, to->number++);
	mix.packets++;
	bench_in(to->in, &f);
}

/* All stations are heard of once, by all workers. */
static void
teach(void)
{
	for (uint8_t p = 0; p < OUTCOME_PORTS; p++) {
		for (uint16_t v = VLAN_A; v <= VLAN_B; v += VLAN_B - VLAN_A) {
			struct flow one = {.family = TCP6,
					.in = p,
					.out = p,
					.class = p < MIX_CONGESTED ? p : 7,
					.vlan = v,
					.tagged = has_tag(p, v)};
			struct frame f;

			if (!is_member(p, v))
				continue;
			put_packet(&f, &one);
			frame_macs(&f, 0xEE, station(p, v));
			bench_in(p, &f);
		}
		group_settle();
		group_drain();
	}
}

/* Let frames of random flows arrive for one step of time. */
static void
arrive_all(void)
{
	unsigned int arrived[OUTCOME_PORTS] = {0}, congested = 0, flooded = 0;

	for (unsigned int n = 20 + mix_below(&mix, 120); n > 0; n--) {
		const unsigned int i = mix_below(&mix, FLOWS);
		const struct flow *to = &flow[i];
		const bool floods = to->whom != KNOWN;
		const unsigned int at_congested = floods ? 2 : to->out >= MIX_CONGESTED;

		for (unsigned int run = 1 + mix_below(&mix, 4); run > 0; run--) {
			if (arrived[to->in] == MIX_BURST ||
					congested + at_congested > MIX_CONGESTED_BURST ||
					flooded + floods > FLOODED)
				break;
			arrived[to->in]++;
			congested += at_congested;
			flooded += floods;
			arrive(i);
		}
	}
}

static void
run(unsigned int workers, uint64_t seed, struct outcome *o)
{
	const uint32_t interval_ns = seed == 1 || seed == 4 ? 0 : 800;
	uint16_t room[OUTCOME_PORTS];

	group_begin(workers);
	configure(seed % 2 == 0 ? FCN_COPY_CLONE : FCN_COPY_BYTES, interval_ns, seed >= 3);
	choose_flows(seed, interval_ns);
	outcome_reset(o);
	group.to = o;
	teach();
	for (unsigned int step = 0; step < STEPS; step++) {
		arrive_all();
		group_turns(workers > 1 ? (unsigned int)(fcn_test_random(&group.order) % 6) : 1);
		group_settle();
		mix_rooms(&mix, room);
		group_transmit(room);
	}
	group_drain();
	outcome_add_counters(o, group.w, group.n);
	group_end();
}

/* Count the notices that left by a port with a tag of this VLAN. */
static unsigned int
tagged_notices(const struct outcome *o, uint16_t port, uint16_t vlan)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < o->n_frames; i++) {
		const struct outcome_frame *f = &o->frame[i];

		n += f->flow == OUTCOME_NO_FLOW && f->port == port && f->class == 6 &&
		     f->head[12] == 0x81 && (f->head[14] & 0xF) << 8 == 0 && f->head[15] == vlan;
	}
	return n;
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(bridged)
{
	for (uint64_t seed = 1; seed <= fcn_test_effort(4); seed++) {
		static struct outcome one, many;
		uint64_t copies = 0, drops = 0;

		run(1, seed, &one);
		assert_true(mix.packets > 5000);
		for (unsigned int p = 0; p < OUTCOME_PORTS; p++) {
			copies += one.sums.port[p].replicated;
			drops += one.sums.port[p].drop[FCN_DROP_QUEUE_BYTES];
			assert_int_equal(one.sums.port[p].drop[FCN_DROP_FLOOD_LIMIT], 0);
		}
		assert_true(copies > 1000 && drops > 20);
		assert_true(tagged_notices(&one, 4, VLAN_B) + tagged_notices(&one, 5, VLAN_B) > 5);
		assert_int_equal(one.sums.learn_lost, 0);
		for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
			run(n, seed, &many);
			outcome_check_same(&one, &many, mix.queue);
			outcome_reset(&many);
		}
		outcome_reset(&one);
	}
}
