/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets of bridges on the fast path, with registers of each width, against those that pass
 * through the stages: the same random traffic, with stations that are unknown, move and are
 * forgotten, and all that can be seen of it compared turn by turn.
 */

#include "fast_widths.h"
#include "fcn_stages.h"
#include "mix.h"
#include "port_bits.h"
#include "reference.h"
#include "testbed.h"

#define PORTS 6
#define INTERFACE 9
#define STATIONS 30
#define TURNS 2500
#define WAYS (1 + FAST_WIDTHS) /* without the fast path, and with each of its functions */

/* What a turn left behind, as sums that differ when anything does. */
struct outcome {
	uint64_t departures;
	uint64_t queues;
	uint64_t waiting;
	uint64_t accounts;
	uint64_t counters;
	uint64_t macs;
	uint64_t events;
};

static struct outcome outcome[WAYS][TURNS];
static uint64_t seed;
static uint64_t n_taken;

static unsigned int
below(unsigned int n)
{
	return (unsigned int)(ref_random(&seed) % n);
}

static bool
one_in(unsigned int n)
{
	return below(n) == 0;
}

/* What is in a queue, with what is noted for the time when it leaves. */
static void
mix_waiting(uint64_t *sum, const struct fcn_queue *q)
{
	for (uint32_t i = q->head; i != q->tail; i++) {
		const struct fcn_queue_entry *e = &q->ring[i & q->mask];
		const struct fcn_queued *noted = fcn_queued_of(bench.worker, e->mbuf);

		/* With a trace in the burst, all packets are noted. */
		mix(sum, e->enqueued_ns | (uint64_t)e->len << 32);
		mix(sum, e->flags & ~(FCN_ENTRY_NOTED | FCN_ENTRY_TRACED));
		if (!(e->flags & FCN_ENTRY_LOSSLESS))
			continue;
		assert_true(e->flags & FCN_ENTRY_NOTED);
		mix(sum, noted->in_port | (uint64_t)noted->vlan << 16);
		mix(sum, noted->account | (uint64_t)noted->proxy_front << 16);
	}
}

static void
mix_macs(uint64_t *sum)
{
	const struct fcn_mac_table *macs = bench.worker->macs;
	struct fcn_mac_entry e;
	uint32_t next = 0;

	mix(sum, fcn_mac_table_count(macs));
	while (fcn_mac_table_next(macs, &next, &e)) {
		mix(sum, next);
		mix_bytes(sum, &e.key.mac, sizeof(e.key.mac));
		mix(sum, e.key.vlan | (uint64_t)e.key.bridge << 16 | (uint64_t)e.port << 32);
		mix(sum, e.seen_ns);
	}
	for (uint16_t p = 0; p < PORTS; p++)
		mix(sum, fcn_mac_table_count_port(macs, p));
}

static void
observe(struct outcome *o)
{
	const struct fcn_worker *w = bench.worker;
	struct fcn_event ev;

	memset(o, 0, sizeof(*o));
	mix_macs(&o->macs);
	mix(&o->accounts, w->buffer.shared_used);
	mix(&o->accounts, w->buffer.headroom_used);
	for (uint16_t p = 0; p < PORTS; p++) {
		for (unsigned int i = 0; i < bench.port[p].n_out; i++) {
			mix(&o->departures, p);
			mix_bytes(&o->departures, bench_out(p, i), bench_out_len(p, i));
		}
		mix_bytes(&o->counters, &w->counters[p], sizeof(w->counters[p]));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_queue *q = bench_queue(p, c);
			const struct fcn_ingress *in = &w->ingress[p][c];

			mix_bytes(&o->queues, &q->stats, sizeof(q->stats));
			mix(&o->queues, q->bytes);
			mix(&o->queues, q->wm_max);
			mix(&o->queues, q->detector.enters);
			mix_waiting(&o->waiting, q);
			mix(&o->accounts, q->charged);
			mix(&o->accounts, in->used);
			mix(&o->accounts, in->headroom | (uint64_t)in->xoff << 32);
			mix(&o->accounts, in->used_max);
			mix(&o->accounts, in->lost_packets);
		}
	}
	mix_bytes(&o->counters, &w->counters[INTERFACE], sizeof(w->counters[INTERFACE]));
	while (bench_events(&ev, 1) == 1)
		mix_bytes(&o->events, &ev, sizeof(ev));
}

/* Ports 0 to 3 are in one bridge with an interface, 4 and 5 in another one. Not all carry the same
 * VLANs. */
static void
configure(void)
{
	bench_add_port(4);
	bench_add_port(5);
	bench_bridge(PORTS);
	bench.snap.bridge[0].members = ports_of(0xF);
	bench.snap.bridge[0].interfaces = ports_of(1 << INTERFACE);
	bench.snap.bridge[0].move_limit = 3;
	bench.snap.bridge[1] = bench.snap.bridge[0];
	bench.snap.bridge[1].members = ports_of(3 << 4);
	bench.snap.bridge[1].interfaces = ports_of(0);
	bench.snap.port[4].bridge = bench.snap.port[5].bridge = 1;
	bench.snap.port[INTERFACE] = (struct fcn_snapshot_port){.mode = FCN_PORT_BRIDGE_INTERFACE,
			.mac = {{2, 0, 0, 0, 1, STATIONS}},
			.mtu = 1500,
			.parent = INTERFACE,
			.vlan = 1};
	bench_notices(1, 4000);
	for (uint16_t p = 0; p < PORTS; p += 2)
		bench_set_ops(p, &bench_gate_ops);
	bench_trace(0, "ether[11] % 8 == 3"); /* sources */
}

/* Mostly nothing is unusual, or packets would hardly ever take the fast path. */
static bool calm;

static bool
unusual(unsigned int n)
{
	return one_in(n) && !calm;
}

/* Change what the way of a packet depends on. */
static void
reconfigure(void)
{
	calm = !one_in(3);
	bench.snap.bridge[0].ageing_ns = 3000 + below(20000);
	bench.snap.bridge[1].ageing_ns = one_in(3) ? 2000 : 50000;
	bench.snap.mac_ageing_ns = one_in(2) ? 50000 : 300000;
	bench.snap.bridge[0].members = ports_of(unusual(6) ? 0x7 : 0xF);
	fcn_snapshot_protect(&bench.snap, 1 << 3);
	bench_capture(unusual(3) ? 1u << below(PORTS) : 0);
	fcn_trace_clear(bench.worker);
	bench.snap.buffer = (struct fcn_buffer_conf){0};
	if (one_in(3))
		bench.snap.buffer = (struct fcn_buffer_conf){
				.size = 300000, .shared = 10000 + below(90000)};
	for (uint16_t p = 0; p < PORTS; p++) {
		struct fcn_snapshot_port *sp = &bench.snap.port[p];

		sp->pvid = unusual(8) ? below(2) * 7 : 1;
		sp->tagged[0] = one_in(2) ? 1 << 7 | 1 << 1 : 0;
		sp->mtu = (uint16_t)(unusual(4) ? 80 + below(200) : 1500);
		sp->trust = unusual(8) ? FCN_TRUST_NONE : FCN_TRUST_DSCP;
		sp->mac_limit = unusual(8) ? 3 + below(10) : 0;
		sp->checked_ingress = unusual(8);
		sp->untrusted = (struct fcn_trust_conf){.untrusted = sp->checked_ingress,
				.class = 1,
				.remark = FCN_REMARK_MOVED,
				.dscp = 9};
		sp->storm_on = unusual(3);
		for (unsigned int k = 0; k < FCN_FLOOD_KINDS; k++)
			sp->storm[k] = (struct fcn_storm_control){
					.cost_ns = sp->storm_on ? 1000 : 0, .burst = 1 + below(5)};
		sp->down = unusual(12);
		sp->lossless = sp->pause.tx_classes = 0;
		memset(sp->ingress, 0, sizeof(sp->ingress));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			struct fcn_queue_conf *q = bench_queue_conf(p, c);

			q->limit_bytes = 1000 + below(10000);
			q->limit_packets = 8 + below(200);
			q->slow_path = bench.snap.buffer.size != 0;
			q->account.alpha = ref_random(&seed) % (4 * FCN_ALPHA_ONE);
			if (c == 3 && one_in(2))
				bench_lossless(p, c, below(20000), below(9000), below(6000));
		}
		sp->pause_on = sp->pause.tx_classes != 0;
	}
	if (one_in(4)) {
		bench.snap.port[3].pvid = 7;
		bench.snap.port[3].tagged[0] = 1 << 1;
	}
	bench_new_snapshot();
}

/* Add a tag, which may be that of a provider. */
static void
add_tag(struct frame *f, bool provider, uint8_t vlan)
{
	memmove(f->data + 16, f->data + 12, f->len - 12);
	fcn_put_be16(f->data + 12, provider ? RTE_ETHER_TYPE_QINQ : RTE_ETHER_TYPE_VLAN);
	f->data[14] = (uint8_t)(below(8) << 5);
	f->data[15] = vlan;
	f->len += 4;
}

/* Make a frame that is not plain RoCEv2, or not for the fast path. */
static void
spoil(struct frame *f)
{
	switch (below(13)) {
	case 0: /* a group, or an address that is never forwarded */
		f->data[0] |= 1;
		if (one_in(2))
			memcpy(f->data, (const uint8_t[]){0x01, 0x80, 0xC2, 0, 0, 0x0E}, 6);
		break;
	case 1:
		f->data[6] |= 1;
		break;
	case 2:
		memset(f->data + f->len, 0, 5);
		f->len += 1 + below(4);
		break;
	case 3: /* a CNP, or any opcode */
		f->data[14 + 40 + 8] = one_in(2) ? FCN_BTH_OPCODE_CNP : (uint8_t)below(256);
		break;
	case 4:
		f->len -= RTE_MIN(f->len, below(80));
		break;
	case 5:
		f->data[below(78)] = (uint8_t)below(256);
		break;
	case 6:
		frame_pfc(f, (uint8_t)below(256), 0);
		break;
	case 7:
		memcpy(f->data + 12, (const uint8_t[]){0x88, 0xB5}, 2);
		break;
	default: { /* a tag, often of no VLAN */
		static const uint8_t vlans[] = {0, 0, 1, 7, 9};

		add_tag(f, one_in(2), vlans[below(RTE_DIM(vlans))]);
		break;
	}
	}
}

/* Make a frame of RoCEv2. A bridge ignores its hop limit. */
static void
make(struct frame *f, uint8_t src, uint8_t dst)
{
	const uint32_t payload = one_in(2) ? 0 : 4 * below(one_in(20) ? 400 : 40);
	const unsigned int class = one_in(4) ? below(8) : 3;
	uint8_t *ip = f->data + 14;

	if (one_in(3)) {
		frame_ether(f, 0x0800);
		frame_ip4(f, 17, 20);
		frame_roce(f, payload);
		frame_finish(f);
		ip[1] = (uint8_t)(class << 5 | below(4));
		ip[8] = (uint8_t)below(3);
		fcn_put_be16(ip + 10, ip4_checksum(ip));
	} else {
		frame_roce6(f, src, 1, dst, payload);
		frame_class(f, class, below(4));
		ip[7] = (uint8_t)below(3);
	}
	frame_macs(f, dst, src);
}

/* Let a frame arrive at the port where its source usually is. @param rare how seldom anything is
 * unusual */
static void
arrive(unsigned int rare)
{
	uint8_t src = (uint8_t)below(STATIONS), dst = (uint8_t)below(STATIONS);
	uint16_t port = src % PORTS;
	struct frame f;

	if (!one_in(rare)) /* behind another port of the same bridge */
		dst = (uint8_t)(dst / PORTS * PORTS +
				(port < 4 ? (port + 1 + below(3)) % 4 : 9u - port));
	if (one_in(rare))
		port = (uint16_t)below(PORTS);
	if (one_in(8 * rare)) /* the interface of the bridge, or a station that is never heard */
		dst = (uint8_t)(STATIONS + below(2));
	if (one_in(40 * rare))
		src = STATIONS;
	make(&f, src, dst);
	if (one_in(2 * rare)) {
		spoil(&f);
	} else if (one_in(8 * rare)) { /* a station that moves, but not in the VLAN of the port */
		add_tag(&f, one_in(2), 1);
		port = 3;
	}
	bench_in(port, &f);
}

/* The functions of the fast path of a way to go. */
static const struct fcn_fast_functions *
functions(unsigned int way)
{
	return way == 0 ? NULL : fast_width(way - 1);
}

static uint64_t
total(size_t counter)
{
	uint64_t sum = 0;

	for (uint16_t p = 0; p < PORTS; p++) {
		const uint8_t *c = (const uint8_t *)&bench.worker->counters[p];
		uint64_t value;

		memcpy(&value, c + counter, sizeof(value));
		sum += value;
	}
	return sum;
}

#define TOTAL(member) total(offsetof(struct fcn_port_counters, member))

static void
run(unsigned int way, uint64_t with_seed)
{
	uint64_t now = 1;

	assert_int_equal(bench_setup(NULL), 0);
	seed = with_seed;
	bench.worker->fast = functions(way);
	configure();
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		const unsigned int rare = 8u << below(12);

		if (turn % 40 == 0)
			reconfigure();
		for (unsigned int n = 1 + below(one_in(2) ? 20 : 100); n > 0; n--)
			arrive(rare);
		for (uint16_t p = 0; p < PORTS; p++)
			bench.port[p].accept = one_in(2) ? 0 : below(30);
		if (one_in(2))
			fast_try();
		bench.worker->trace.wanted = one_in(6) ? 1 + below(4) : 0;
		now += one_in(4) ? 0 : one_in(20) ? below(30000) : below(1500);
		bench_poll(now);
		if (way == 0)
			assert_int_equal(fast_taken(), 0);
		else
			n_taken += fast_taken();
		observe(&outcome[way][turn]);
	}
	/* It saw what it is about. */
	assert_true(TOTAL(moved) > 100);
	assert_true(TOTAL(mac_moves) > 100);
	assert_true(TOTAL(mac_limit) > 10);
	assert_true(TOTAL(replicated) > 1000);
	assert_true(bench_drops(FCN_DROP_MTU) > 100);
	assert_true(bench_drops(FCN_DROP_SAME_PORT) > 100);
	assert_true(bench_drops(FCN_DROP_SOURCE_MAC) > 10);
	assert_true(bench_drops(FCN_DROP_RESERVED_MAC) > 10);
	assert_true(bench_drops(FCN_DROP_VLAN_NOT_MEMBER) > 100);
	assert_true(bench_drops(FCN_DROP_STORM_UNKNOWN_UNICAST) > 10);
	assert_true(bench_drops(FCN_DROP_QUEUE_BYTES) > 100);
	assert_int_equal(bench_teardown(NULL), 0);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(same)
{
	const unsigned int seeds = fcn_test_effort(3);

	for (uint64_t s = 1; s <= seeds; s++) {
		for (unsigned int way = 0; way < WAYS; way++)
			run(way, s);
		for (unsigned int i = TURNS; i < WAYS * TURNS; i++) {
			const unsigned int turn = i % TURNS, way = i / TURNS;
			const struct outcome *a = &outcome[way][turn], *b = &outcome[0][turn];

			if (memcmp(a, b, sizeof(*a)) == 0)
				continue;
			print_error("seed %u, turn %u, way %u\n", (unsigned int)s, turn, way);
			assert_int_equal(a->macs, b->macs);
			assert_int_equal(a->counters, b->counters);
			assert_int_equal(a->accounts, b->accounts);
			assert_int_equal(a->queues, b->queues);
			assert_int_equal(a->waiting, b->waiting);
			assert_int_equal(a->departures, b->departures);
			assert_int_equal(a->events, b->events);
		}
	}
	print_message("%u packets took the fast path\n", (unsigned int)n_taken);
	assert_true(n_taken > 20 * TURNS / 3 * seeds);
}

/* A frame to station 2 by port 0. */
static void
to_station(void)
{
	struct frame f;

	frame_roce6(&f, 10, 1, 2, 0);
	frame_macs(&f, 2, 10);
	bench_in(0, &f);
}

/*
 * A station is known at port 2, and moves in the same turn in which a packet to it arrived before.
 * The packet follows it, as all sources of a turn are learned before the first destination is
 * looked up.
 */
TEST(move_behind)
{
	static const struct {
		bool is_tagged, is_provider, is_other;
		uint8_t vlan;
		uint16_t port;
	} cases[] = {{.port = 1}, {.port = 1, .is_other = true}, {.port = 1, .is_tagged = true},
			{.port = 1, .is_tagged = true, .vlan = 1},
			{.port = 3, .is_tagged = true, .vlan = 1},
			{.port = 3, .is_tagged = true, .is_provider = true, .vlan = 1}};

	for (unsigned int i = 0; i < WAYS * RTE_DIM(cases); i++) {
		const unsigned int k = i / WAYS, way = i % WAYS;
		struct frame f;

		assert_int_equal(bench_setup(NULL), 0);
		bench.worker->fast = functions(way);
		bench_bridge(4);
		bench.snap.port[3].pvid = 7;
		bench.snap.port[3].tagged[0] = 1 << 1;
		bench_new_snapshot();
		frame_roce6(&f, 2, 1, 10, 0);
		frame_macs(&f, 10, 2);
		bench_in(2, &f);
		to_station();
		bench_poll(1);
		assert_int_equal(bench.port[2].n_out, 1);
		fast_try();
		to_station();
		bench_poll(2);
		assert_int_equal(fast_taken(), way != 0);
		to_station();
		if (cases[k].is_other)
			fcn_put_be16(f.data + 12, 0x88B5);
		if (cases[k].is_tagged)
			add_tag(&f, cases[k].is_provider, cases[k].vlan);
		bench_in(cases[k].port, &f);
		bench_poll(3);
		assert_int_equal(bench.port[2].n_out, 0);
		assert_int_equal(bench.port[cases[k].port].n_out, 1);
		assert_int_equal(bench.worker->counters[cases[k].port].mac_moves, 1);
		assert_int_equal(bench_teardown(NULL), 0);
	}
}
