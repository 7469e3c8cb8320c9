/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The map with probes: events between and within rounds, and its size. */

#include <errno.h>
#include <malloc.h>

#include "qp_told.h"

static int
begin_with_device(void **state)
{
	if (told_begin(state) != 0)
		return -1;
	begin_round();
	qp_map_end(map, true);
	return 0;
}

TEST_FIXTURE(.setup = begin_with_device, .teardown = told_end);

TEST(life)
{
	event(17, 18, RTR, 2);
	assert_told("+17>18@2 ");
	event(17, 0, RTS, 0);
	assert_told("");
	event(17, 0, ERR, 0);
	assert_told("-17>18@2 ");
	event_destroyed(17);
	event_destroyed(17);
	assert_told("");
	assert_int_equal(reason_of(17, true), HOST_QP_REASON_COUNT);
}

TEST(destroyed_at_once)
{
	event(17, 18, RTR, 2);
	event_destroyed(17);
	event(17, 30, RTR, 3);
	assert_told("+17>18@2 -17>18@2 +17>30@3 ");
}

TEST(connected_again)
{
	event(17, 18, RTR, 2);
	event(17, 0, RESET, 0);
	event(17, 18, RTR, 2);
	assert_told("+17>18@2 -17>18@2 +17>18@2 ");
	/* The reset was missed. */
	event(17, 19, RTR, 2);
	assert_told("-17>18@2 +17>19@2 ");
	event(17, 19, RTR, 3);
	assert_told("-17>19@2 +17>19@3 ");
}

/* What was there before the probes: the kernel is asked, and they tell what it answers. */
TEST(asked)
{
	begin_round();
	event(17, 18, RTS, 2);
	assert_told("+17>18@2 ");
	say_qp(17, 18, RTS, 200);
	assert_false(qp_map_wants_cm_ids(map));
	qp_map_end(map, true);
	assert_told("");
	begin_round();
	event(17, 18, RTS, 2);
	say_qp(17, 18, RTS, 200);
	qp_map_end(map, true);
	assert_told("");
}

/* The answer of netlink is older than what probes have told since. */
TEST(destroyed_while_asked)
{
	begin_round();
	event(17, 18, RTS, 2);
	event_destroyed(17);
	assert_told("+17>18@2 -17>18@2 ");
	say_qp(17, 18, RTS, 200);
	say_cm_id(17, 2, 200);
	qp_map_end(map, true);
	assert_told("");
	assert_int_equal(reason_of(17, true), HOST_QP_REASON_COUNT);
}

TEST(error_while_asked)
{
	event(17, 18, RTR, 2);
	told_reset();
	begin_round();
	event(17, 0, ERR, 0);
	assert_told("-17>18@2 ");
	say_qp(17, 18, RTS, 200);
	qp_map_end(map, true);
	assert_told("");
}

TEST(made_while_asked)
{
	begin_round();
	event(17, 18, RTR, 2);
	qp_map_end(map, true);
	assert_told("+17>18@2 ");
	/* Destroyed and made again. */
	begin_round();
	say_qp(17, 18, RTS, 200);
	event_destroyed(17);
	event(17, 30, RTR, 3);
	say_qp(17, 18, RTS, 200);
	qp_map_end(map, true);
	assert_told("-17>18@2 +17>30@3 ");
}

/* An event was missed: the round finds out. */
TEST(missed)
{
	event(17, 18, RTR, 2);
	event(20, 21, RTR, 2);
	told_reset();
	begin_round();
	say_qp(20, 22, RTS, 200);
	assert_told("-20>21@2 ");
	qp_map_end(map, true);
	assert_told("-17>18@2 ");
	assert_int_equal(reason_of(20, true), HOST_QP_NO_ADDRESS);
	event(20, 22, RTS, 3);
	assert_told("+20>22@3 ");
}

/* Where the driver does not tell addresses, RDMA CM may; where both do, nothing is told twice. */
TEST(both)
{
	begin_round();
	say_qp(17, 18, RTS, 200);
	assert_true(qp_map_wants_cm_ids(map));
	say_cm_id(17, 2, 200);
	assert_true(qp_map_wants_again(map));
	say_qp(17, 18, RTS, 200);
	qp_map_end(map, true);
	assert_told("+17>18@2 ");
	event(17, 18, RTS, 2);
	assert_told("");
	begin_round();
	say_qp(17, 18, RTS, 200);
	assert_false(qp_map_wants_cm_ids(map));
	qp_map_end(map, true);
	assert_told("");
	event(17, 18, RTS, 4);
	assert_told("-17>18@2 +17>18@4 ");
}

TEST(not_roce_v2)
{
	struct qp_map_event e = {.device = RXE,
			.local_qp = 17,
			.remote_qp = 18,
			.state = RTR,
			.has_state = true,
			.has_remote_qp = true,
			.has_addresses = true};

	address(e.local, 1);
	address(e.remote, 2);
	assert_int_equal(qp_map_event(map, &e), 0);
	assert_told("");
	assert_int_equal(reason_of(17, true), HOST_QP_NOT_ROCE_V2);
}

TEST(unknown_device)
{
	const struct qp_map_event e = {.device = RXE + 1, .local_qp = 17};

	assert_int_equal(qp_map_event(map, &e), -ENODEV);
}

TEST(adapter_goes)
{
	event(17, 18, RTR, 2);
	told_reset();
	qp_map_begin(map);
	qp_map_end(map, true);
	assert_told("-17>18@2 ");
	assert_int_equal(qp_map_event(map, &(const struct qp_map_event){.device = RXE}), -ENODEV);
}

TEST(full)
{
	struct host_qp_counts counts = {0};

	for (uint32_t i = 0; i < TOLD_MOST + 3; i++)
		event(100 + i, 1, RTR, 2);
	qp_map_counts(map, &counts);
	assert_int_equal(counts.queue_pairs, TOLD_MOST);
	assert_int_equal(counts.told, TOLD_MOST);
	assert_int_equal(counts.full, 3);
	event_destroyed(100);
	told_reset();
	event(100 + TOLD_MOST, 1, RTR, 2);
	assert_told("+164>1@2 ");
}

/* Against a list: any events in any order, with rounds between and around them. */
TEST(any_order)
{
	static struct {
		uint32_t remote_qp;
		uint8_t host;
	} model[32];
	uint32_t seed = 1;
	bool in_round = false;

	for (int i = 0; i < 20000; i++) {
		struct host_qp_counts counts = {0};
		unsigned int n = 0;
		uint32_t qp, what;

		seed = seed * 1664525 + 1013904223;
		qp = seed >> 8 & 31;
		what = seed >> 16 & 7;
		told_reset();
		if (what < 3) {
			model[qp].remote_qp = 1 + (seed >> 20 & 3);
			model[qp].host = 2 + (seed >> 24 & 1);
			event(qp, model[qp].remote_qp, RTR, model[qp].host);
		} else if (what < 5) {
			memset(&model[qp], 0, sizeof(model[qp]));
			if (what == 3)
				event_destroyed(qp);
			else
				event(qp, 0, ERR, 0);
		} else if (what == 5 && !in_round) {
			begin_round();
			in_round = true;
		} else if (in_round) {
			/* What the kernel answers is what is so, or was so when the round began. */
			for (uint32_t k = 0; k < 32; k++) {
				if (model[k].host == 0)
					continue;
				event(k, model[k].remote_qp, RTS, model[k].host);
				say_qp(k, model[k].remote_qp, RTS, 200);
			}
			qp_map_end(map, true);
			in_round = false;
		}
		for (uint32_t k = 0; k < 32; k++)
			n += model[k].host != 0;
		qp_map_counts(map, &counts);
		assert_int_equal(counts.told, n);
	}
}

static void
nothing(void *arg, const struct host_qp *qp)
{
	(void)arg;
	(void)qp;
}

/* 100,000 queue pairs, of which the program has 20 MB for all it does. */
TEST(memory)
{
	static const struct host_qp_ops ops = {nothing, nothing};
	const struct qp_map_conf conf = {.ops = &ops, .most = 131072};
	struct host_qp_counts counts = {0};
	struct qp_map *small = map;
	const struct mallinfo2 before = mallinfo2();
	struct mallinfo2 after;

	map = qp_map_create(&conf);
	assert_non_null(map);
	begin_round();
	for (uint32_t i = 0; i < 100000; i++)
		event(i, i, RTR, 2);
	qp_map_end(map, true);
	after = mallinfo2();
	qp_map_counts(map, &counts);
	assert_int_equal(counts.told, 100000);
	if (after.uordblks + after.hblkhd != 0) /* not with a sanitizer */
		assert_in_range(after.uordblks + after.hblkhd - before.uordblks - before.hblkhd, 1,
				12 << 20);
	qp_map_free(map);
	map = small;
}
