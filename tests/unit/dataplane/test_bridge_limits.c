/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What one port of a bridge can take from the others: places in the MAC table, and floods. */

#include "testbed.h"

#define SECOND UINT64_C(1000000000)

static int
setup(void **state)
{
	bench_setup(state);
	bench_bridge(4);
	bench_new_snapshot();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* A frame from station 02:00:00:02:<n> to dst. */
static void
from(struct frame *f, const uint8_t dst[6], uint32_t n)
{
	frame_ether(f, 0x88B5);
	memset(frame_zero(f, 46), 0x5A, 46);
	memcpy(f->data, dst, 6);
	memcpy(f->data + 6, (uint8_t[]){2, 0, 2, n >> 16, n >> 8, n}, 6);
}

static void
station(uint8_t mac[6], uint32_t n)
{
	memcpy(mac, (uint8_t[]){2, 0, 2, n >> 16, n >> 8, n}, 6);
}

/* n stations from `first` on send by a port. */
static void
stations(uint16_t port, uint32_t first, uint32_t n, uint64_t now)
{
	static const uint8_t unknown[6] = {2, 0, 9, 9, 9, 9};
	struct frame f;

	for (uint32_t i = 0; i < n; i++) {
		from(&f, unknown, first + i);
		bench_send(port, &f, now);
	}
}

/* Ports that a frame from one station to another goes out by. */
static unsigned int
reaches(uint16_t port, uint32_t src, uint32_t dst, uint64_t now)
{
	uint8_t to[6];
	struct frame f;

	station(to, dst);
	from(&f, to, src);
	bench_send(port, &f, now);
	return bench_n_out();
}

/* More sources on one port than the table holds: the others' unicast is not flooded. */
TEST(one_port_with_many_sources)
{
	struct fcn_event ev[8];

	stations(0, 0, 1500, 1); /* of a table for 1024 */
	assert_int_equal(fcn_mac_table_count_port(bench.worker->macs, 0), 256);
	assert_int_equal(bench.worker->counters[0].mac_limit, 1500 - 256);
	stations(1, 100001, 1, 1);
	stations(2, 100002, 1, 1);
	assert_int_equal(reaches(1, 100001, 100002, 1), 1);
	assert_int_equal(reaches(2, 100002, 100001, 1), 1);
	/* Told once, and again when a second has passed. */
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_LIMIT, ev, 8), 1);
	assert_int_equal(ev[0].port, 0);
	stations(0, 5000, 1, SECOND);
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_LIMIT, ev, 8), 0);
	stations(0, 5000, 1, SECOND + 1);
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_LIMIT, ev, 8), 1);
	assert_int_equal(bench_all_drops(), 0);
}

/* A station of another port cannot be taken away by a port that is full. */
TEST(no_theft)
{
	bench.snap.port[0].mac_limit = 10;
	bench_new_snapshot();
	stations(0, 0, 10, 1);
	stations(1, 500, 1, 1);
	assert_int_equal(bench.worker->counters[0].mac_limit, 0);
	stations(0, 500, 1, 2);
	assert_int_equal(bench.worker->counters[0].mac_limit, 1);
	assert_int_equal(bench.worker->counters[0].mac_moves, 0);
	assert_int_equal(reaches(2, 9, 500, 3), 1);
	assert_int_equal(bench.port[1].n_out, 1);
	/* One that moves away makes room. */
	assert_int_equal(bench.worker->counters[2].mac_moves, 1);
	stations(0, 11, 1, 4);
	assert_int_equal(bench.worker->counters[0].mac_limit, 1);
}

/* What ports share is full: each has what is set aside for it, 8 of 1024. */
TEST(reserve)
{
	struct fcn_event ev[8];

	for (uint16_t p = 4; p < 6; p++)
		bench_add_port(p);
	bench_bridge(6);
	bench_new_snapshot();
	for (uint16_t p = 0; p < 3; p++)
		stations(p, 10000 * p, 256, 1);
	/* 512 are shared: 248 each of two, 16 of the third */
	assert_int_equal(fcn_mac_table_count_port(bench.worker->macs, 2), 24);
	assert_int_equal(bench.worker->counters[2].mac_full, 232);
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_FULL, ev, 8), 1);
	assert_int_equal(ev[0].port, 2);
	stations(4, 50000, 8, 1);
	stations(5, 60000, 9, 1);
	assert_int_equal(bench.worker->counters[4].mac_full, 0);
	assert_int_equal(bench.worker->counters[5].mac_full, 1);
	assert_int_equal(reaches(4, 50000, 60000, 1), 1);
}

/* One address behind two ports, as in a loop: told from ten moves a second to a port on. */
TEST(flapping)
{
	struct fcn_event ev[8];

	bench.snap.bridge[0].move_limit = 10;
	bench_new_snapshot();
	stations(1, 7, 1, 1);
	for (unsigned int i = 0; i < 9; i++) {
		stations(2, 7, 1, 2 + i);
		stations(1, 7, 1, 2 + i);
	}
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_FLAPPING, ev, 8), 0);
	stations(2, 7, 1, 20);
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_FLAPPING, ev, 8), 1);
	assert_int_equal(ev[0].port, 2);
	assert_int_equal(ev[0].in_port, 1);
	assert_memory_equal(ev[0].sender, ((uint8_t[]){2, 0, 2, 0, 0, 7}), 6);
	assert_int_equal(bench.worker->counters[2].mac_moves, 10);
	/* Nine in each second are not told of. */
	for (unsigned int i = 0; i < 27; i++) {
		stations(1, 7, 1, (2 + i / 9) * SECOND + i);
		stations(2, 7, 1, (2 + i / 9) * SECOND + i);
	}
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_FLAPPING, ev, 8), 0);
}

/* Moves from lower ports and those from higher ones are counted apart, and told of apart. */
TEST(flapping_by_direction)
{
	struct fcn_event ev[8];

	bench.snap.bridge[0].move_limit = 10;
	bench_new_snapshot();
	stations(1, 7, 1, 1);
	stations(3, 8, 1, 1);
	for (unsigned int i = 0; i < 9; i++) {
		stations(2, 7, 2, 2 + i); /* 7 from port 1, 8 from port 3 */
		stations(1, 7, 1, 2 + i);
		stations(3, 8, 1, 2 + i);
	}
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_FLAPPING, ev, 8), 0);
	stations(2, 8, 1, 20);
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_FLAPPING, ev, 8), 1);
	assert_int_equal(ev[0].port, 2);
	assert_int_equal(ev[0].in_port, 3);
	/* That it was told of the one does not keep it from telling of the other. */
	stations(2, 7, 1, 20);
	assert_int_equal(bench_events_of(FCN_EVENT_MAC_FLAPPING, ev, 8), 1);
	assert_int_equal(ev[0].port, 2);
	assert_int_equal(ev[0].in_port, 1);
}

/* A port that is closed because of a loop is in no VLAN; what comes in has a reason of its own. */
TEST(closed_port)
{
	bench.snap.port[1].err_disabled = true;
	bench.snap.port[1].pvid = 0;
	fcn_port_set_remove(&bench.snap.bridge[0].members, 1);
	bench_new_snapshot();
	stations(1, 7, 3, 1);
	assert_int_equal(bench_drops(FCN_DROP_ERR_DISABLED), 3);
	assert_int_equal(bench_all_drops(), 3);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 0);
	assert_int_equal(reaches(0, 8, 7, 2), 2);
	assert_int_equal(bench.port[1].n_out, 0);
}

static void
storm(uint16_t port, enum fcn_flood_kind kind, uint64_t per_second, uint32_t burst)
{
	bench.snap.port[port].storm_on = true;
	bench.snap.port[port].storm[kind] = (struct fcn_storm_control){
			.cost_ns = SECOND / per_second, .burst = burst};
	bench_new_snapshot();
}

static void
arrive(uint16_t port, const uint8_t dst[6], unsigned int n, uint64_t now)
{
	struct frame f;

	from(&f, dst, 1);
	for (unsigned int i = 0; i < n; i++) {
		bench_send(port, &f, now);
	}
}

/* Each kind has its own bucket; the one that is not limited passes. */
TEST(storm_control)
{
	static const struct {
		enum fcn_flood_kind kind;
		uint8_t dst[6];
		enum fcn_drop_reason reason;
	} kinds[] = {
			{FCN_FLOOD_BROADCAST, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
					FCN_DROP_STORM_BROADCAST},
			{FCN_FLOOD_UNKNOWN_UNICAST, {2, 0, 9, 9, 9, 9},
					FCN_DROP_STORM_UNKNOWN_UNICAST},
			{FCN_FLOOD_MULTICAST, {0x33, 0x33, 0, 0, 0, 1}, FCN_DROP_STORM_MULTICAST},
	};
	uint64_t now = 1;

	for (unsigned int k = 0; k < RTE_DIM(kinds); k++) {
		struct fcn_event ev[8];

		memset(bench.snap.port[0].storm, 0, sizeof(bench.snap.port[0].storm));
		storm(0, kinds[k].kind, 1000, 5);
		now += SECOND;
		for (unsigned int other = 0; other < RTE_DIM(kinds); other++)
			arrive(0, kinds[other].dst, 20, now);
		assert_int_equal(bench_drops(kinds[k].reason), 15);
		assert_int_equal(bench_all_drops(), 18 * k + 15);
		assert_int_equal(bench_events_of(FCN_EVENT_FLOOD_STORM, ev, 8), 1);
		assert_int_equal(ev[0].port, 0);
		assert_int_equal(ev[0].class, kinds[k].kind);
		/* A token a millisecond. */
		arrive(0, kinds[k].dst, 2, now + SECOND / 1000 - 1);
		assert_int_equal(bench_drops(kinds[k].reason), 17);
		arrive(0, kinds[k].dst, 2, now + SECOND / 1000);
		assert_int_equal(bench_drops(kinds[k].reason), 18);
		/* Another port is not concerned. */
		arrive(1, kinds[k].dst, 20, now);
		assert_int_equal(bench_drops(kinds[k].reason), 18);
		arrive(0, kinds[k].dst, 3, now + SECOND / 1000 * 4);
		assert_int_equal(bench_drops(kinds[k].reason), 18);
	}
}

/* A thousand frames at a rate of one a second fill the bucket for a thousand seconds. A rate that
 * is configured then holds at once. */
TEST(new_storm_rate)
{
	static const uint8_t all[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

	storm(0, FCN_FLOOD_BROADCAST, 1, 1000);
	arrive(0, all, 1001, 1);
	assert_int_equal(bench_drops(FCN_DROP_STORM_BROADCAST), 1);
	/* A new snapshot with the same rate gives nothing away. */
	bench_new_snapshot();
	arrive(0, all, 1, 2);
	assert_int_equal(bench_drops(FCN_DROP_STORM_BROADCAST), 2);
	storm(0, FCN_FLOOD_BROADCAST, 1000, 5);
	bench_poll(2);
	arrive(0, all, 6, 2 + SECOND / 200);
	assert_int_equal(bench_drops(FCN_DROP_STORM_BROADCAST), 3);
}

/* What is known is not flooded, and not limited. */
TEST(known_unicast_passes)
{
	uint8_t known[6];

	storm(0, FCN_FLOOD_UNKNOWN_UNICAST, 1, 1);
	stations(3, 77, 1, 1);
	station(known, 77);
	arrive(0, known, 100, 2);
	assert_int_equal(bench_all_drops(), 0);
}
