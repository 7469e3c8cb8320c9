/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A priority tag counts as none: the same frames, with and without it, have to be treated alike,
 * although the stage looks up those that leave as they are in a shorter way.
 */

#include "mix.h"
#include "port_bits.h"
#include "testbed.h"

#define STATIONS 40
#define TURNS 400
#define BURST 24
#define PORTS 6
#define FRAMES_MAX 65536

/* What became of the frames: a hash of each that left, by port and order, and counters. */
struct outcome {
	unsigned int n;
	uint64_t left[FRAMES_MAX];
	uint64_t drops[FCN_DROP_REASON_COUNT];
	uint64_t moves, limited, full, replicated;
	uint32_t known;
	unsigned int n_entries;
	struct fcn_mac_entry entry[STATIONS * 2];
};

/* Ports 0 to 3 are in one bridge, 4 and 5 in another one; not all carry the same VLANs. */
static void
configure(void)
{
	bench_add_port(4);
	bench_add_port(5);
	bench_bridge(4);
	bench.snap.bridge[0].ageing_ns = 3000;
	bench.snap.bridge[1] = (struct fcn_snapshot_bridge){
			.used = true, .ageing_ns = 50000, .members = ports_of(3 << 4)};
	for (unsigned int p = 4; p < PORTS; p++) {
		bench.snap.port[p].mode = FCN_PORT_BRIDGED;
		bench.snap.port[p].bridge = 1;
	}
	bench.snap.port[2].pvid = 7;
	bench.snap.port[2].tagged[0] = 1 << 1;
	bench.snap.port[3].tagged[0] = 1 << 7;
	bench.snap.port[1].mtu = 200;
	bench.snap.port[0].mac_limit = 12;
}

/* Change something that the look-ups depend on. */
static void
change(uint64_t *seed)
{
	switch (fcn_test_random(seed) % 4) {
	case 0: /* a port leaves the bridge or comes back; it does not receive meanwhile */
		fcn_port_set_flip(&bench.snap.bridge[0].members, 3);
		break;
	case 1:
		bench.snap.port[3].pvid ^= 7 ^ 1;
		bench.snap.port[3].tagged[0] ^= 1 << 7 | 1 << 1;
		break;
	case 2:
		bench.snap.port[5].pvid ^= 1;
		break;
	default:
		bench.snap.port[1].mtu ^= 200 ^ 100;
		break;
	}
	bench_new_snapshot();
}

static void
frame_random(struct frame *f, bool with_tag, uint64_t *seed)
{
	const uint8_t dst = fcn_test_random(seed) % STATIONS,
		      src = fcn_test_random(seed) % STATIONS;
	const uint32_t kind = fcn_test_random(seed) % 40, len = 46 + fcn_test_random(seed) % 180;

	frame_ether(f, 0x88B5);
	if (with_tag)
		frame_vlan(f, 0x8100, 0);
	memset(frame_zero(f, len), src, len);
	frame_macs(f, dst, src);
	if (kind == 0) /* a group; one of the addresses that are never forwarded */
		f->data[0] |= 1;
	else if (kind == 1)
		memcpy(f->data, (const uint8_t[]){0x01, 0x80, 0xC2, 0, 0, 0x0E}, 6);
	else if (kind == 2)
		f->data[6] |= 1;
}

static void
note(struct outcome *o)
{
	for (uint16_t p = 0; p < PORTS; p++) {
		for (unsigned int i = 0; i < bench.port[p].n_out; i++) {
			assert_in_range(o->n, 0, FRAMES_MAX - 1);
			o->left[o->n++] = mix_of(bench_out(p, i), bench_out_len(p, i)) + p;
		}
	}
}

static void
note_counters(struct outcome *o)
{
	const struct fcn_mac_table *macs = bench.worker->macs;
	uint32_t next = 0;

	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		o->drops[r] = bench_drops(r);
	for (unsigned int p = 0; p < PORTS; p++) {
		o->moves += bench.worker->counters[p].mac_moves;
		o->limited += bench.worker->counters[p].mac_limit;
		o->full += bench.worker->counters[p].mac_full;
		o->replicated += bench.worker->counters[p].replicated;
	}
	o->known = fcn_mac_table_count(macs);
	while (o->n_entries < RTE_DIM(o->entry) &&
			fcn_mac_table_next(macs, &next, &o->entry[o->n_entries]))
		o->n_entries++;
}

static void
run(struct outcome *o, bool with_tag, uint64_t seed)
{
	uint64_t now = 1;

	configure();
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		for (unsigned int k = 0; k < BURST; k++) {
			const uint16_t port = fcn_test_random(&seed) % PORTS;
			struct frame f;

			frame_random(&f, with_tag, &seed);
			bench_in(port, &f);
		}
		if (fcn_test_random(&seed) % 16 == 0)
			change(&seed);
		now += fcn_test_random(&seed) % 500;
		bench_poll(now);
		note(o);
	}
	note_counters(o);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(priority_tag)
{
	static struct outcome outcome[2];

	for (uint64_t seed = 1; seed < 4; seed++) {
		memset(outcome, 0, sizeof(outcome));
		for (unsigned int k = 0; k < 2; k++) {
			assert_int_equal(bench_setup(state), 0);
			run(&outcome[k], k == 1, seed);
			assert_int_equal(bench_teardown(state), 0);
		}
		assert_memory_equal(&outcome[0], &outcome[1], sizeof(outcome[0]));
		/* Everything happened that can happen. */
		assert_in_range(outcome[0].moves, 1, UINT64_MAX);
		assert_in_range(outcome[0].limited, 1, UINT64_MAX);
		assert_in_range(outcome[0].drops[FCN_DROP_MTU], 1, UINT64_MAX);
		assert_in_range(outcome[0].drops[FCN_DROP_SAME_PORT], 1, UINT64_MAX);
		assert_in_range(outcome[0].drops[FCN_DROP_SOURCE_MAC], 1, UINT64_MAX);
		assert_in_range(outcome[0].drops[FCN_DROP_RESERVED_MAC], 1, UINT64_MAX);
		assert_in_range(outcome[0].replicated, 1, UINT64_MAX);
	}
}
