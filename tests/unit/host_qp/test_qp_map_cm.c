/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The map without probes: queue pairs joined with CM_IDs. */

#include "qp_told.h"

TEST_FIXTURE(TOLD_TEST);

/* A round with one queue pair and one CM_ID. cm_pid 0: without it. */
static void
one_round(uint32_t remote_qp, uint8_t state, uint32_t pid, uint8_t host, uint32_t cm_pid)
{
	begin_round();
	say_qp(17, remote_qp, state, pid);
	if (qp_map_wants_cm_ids(map) && cm_pid != 0)
		say_cm_id(17, host, cm_pid);
	if (qp_map_wants_again(map))
		say_qp(17, remote_qp, state, pid);
	qp_map_end(map, true);
}

TEST(joined)
{
	one_round(18, RTS, 200, 2, 200);
	assert_told("+17>18@2 ");
	one_round(18, RTS, 200, 2, 200);
	assert_told("");
	assert_int_equal(reason_of(17, false), HOST_QP_NONE);
	begin_round();
	assert_false(qp_map_wants_cm_ids(map));
	qp_map_end(map, true);
	assert_told("-17>18@2 ");
	assert_int_equal(reason_of(17, false), HOST_QP_REASON_COUNT);
}

TEST(states)
{
	static const struct {
		uint8_t state;
		bool is_connected;
	} cases[] = {{RESET, false}, {INIT, false}, {RTR, true}, {RTS, true}, {SQD, true},
			{SQE, false}, {ERR, false}, {200, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		one_round(18, cases[i].state, 200, 2, 200);
		assert_told(cases[i].is_connected ? "+17>18@2 " : "");
		one_round(0, RESET, 200, 2, 200);
		assert_told(cases[i].is_connected ? "-17>18@2 " : "");
	}
}

TEST(out_of_band)
{
	one_round(18, RTS, 200, 2, 0);
	assert_told("");
	assert_int_equal(reason_of(17, false), HOST_QP_OUT_OF_BAND);
	assert_int_equal(reason_of(17, true), HOST_QP_NO_ADDRESS);
}

/* Anyone can say that a queue pair is theirs. */
TEST(other_process)
{
	one_round(18, RTS, 2000, 2, 3000);
	assert_told("");
	assert_int_equal(reason_of(17, false), HOST_QP_OTHER_PROCESS);
	/* The right one beside it. */
	for (int i = 0; i < 2; i++) {
		begin_round();
		say_qp(17, 18, RTS, 2000);
		assert_true(qp_map_wants_cm_ids(map));
		say_cm_id(17, i == 0 ? 66 : 2, i == 0 ? 3000 : 2000);
		say_cm_id(17, i == 0 ? 2 : 66, i == 0 ? 2000 : 3000);
		if (qp_map_wants_again(map))
			say_qp(17, 18, RTS, 2000);
		qp_map_end(map, true);
	}
	assert_told("+17>18@2 ");
	/* Threads of one process; one that has ended. */
	one_round(18, RTS, 201, 2, 202);
	assert_told("-17>18@2 +17>18@2 ");
	one_round(18, RTS, 201, 2, 302);
	assert_told("-17>18@2 ");
	one_round(18, RTS, 0, 2, 200);
	assert_told("");
}

TEST(kernel)
{
	struct rdma_nl_qp q = {.device = RXE,
			.local_qp = 17,
			.remote_qp = 18,
			.has_remote = true,
			.is_kernel = true,
			.type = RDMA_NL_TYPE_RC,
			.state = RTS};
	struct rdma_nl_cm_id id = {
			.device = RXE, .local_qp = 17, .pid = 200, .has_addresses = true};

	address(id.local, 1);
	address(id.remote, 2);
	for (int i = 0; i < 2; i++) {
		id.is_kernel = i == 1;
		begin_round();
		qp_map_qp(map, &q);
		assert_true(qp_map_wants_cm_ids(map));
		qp_map_cm_id(map, &id);
		if (qp_map_wants_again(map))
			qp_map_qp(map, &q);
		qp_map_end(map, true);
		assert_told(i == 0 ? "" : "+17>18@2 ");
	}
}

TEST(ambiguous)
{
	for (int i = 0; i < 2; i++) {
		begin_round();
		say_qp(17, 18, RTS, 200);
		assert_true(qp_map_wants_cm_ids(map));
		say_cm_id(17, 2, 200);
		say_cm_id(17, i == 0 ? 2 : 3, 200);
		if (qp_map_wants_again(map))
			say_qp(17, 18, RTS, 200);
		qp_map_end(map, true);
	}
	assert_told("+17>18@2 -17>18@2 ");
	assert_int_equal(reason_of(17, false), HOST_QP_AMBIGUOUS);
	one_round(18, RTS, 200, 2, 200);
	assert_told("+17>18@2 ");
}

/* The number passes to another connection before, or while, it is looked at. */
TEST(number_passes_on)
{
	begin_round();
	say_qp(17, 18, RTS, 200);
	assert_true(qp_map_wants_cm_ids(map));
	say_cm_id(17, 3, 200); /* of the connection to 30 */
	assert_true(qp_map_wants_again(map));
	say_qp(17, 30, RTS, 200);
	qp_map_end(map, true);
	assert_told("");
	assert_int_equal(reason_of(17, false), HOST_QP_OUT_OF_BAND);
	one_round(30, RTS, 200, 3, 200);
	assert_told("+17>30@3 ");
	/* The whole of it changes between two rounds. */
	one_round(40, RTS, 200, 4, 200);
	assert_told("-17>30@3 +17>40@4 ");
	/* The queue pair is not there any more when it is to be confirmed. */
	begin_round();
	say_qp(17, 40, RTS, 200);
	assert_true(qp_map_wants_cm_ids(map));
	say_cm_id(17, 5, 200);
	assert_told("-17>40@4 ");
	assert_true(qp_map_wants_again(map));
	qp_map_end(map, true);
	assert_told("");
	assert_int_equal(reason_of(17, false), HOST_QP_UNCONFIRMED);
}

/* A connection that has ended although its queue pair is still there. */
TEST(cm_id_ends)
{
	one_round(18, RTS, 200, 2, 200);
	assert_told("+17>18@2 ");
	one_round(18, RTS, 200, 2, 0);
	assert_told("-17>18@2 ");
}

/* An answer that is not complete takes nothing away. */
TEST(incomplete)
{
	one_round(18, RTS, 200, 2, 200);
	assert_told("+17>18@2 ");
	begin_round();
	qp_map_end(map, false);
	assert_told("");
	begin_round();
	say_qp(17, 18, RTS, 200);
	assert_true(qp_map_wants_cm_ids(map));
	qp_map_end(map, false);
	assert_told("");
	begin_round();
	qp_map_end(map, true);
	assert_told("-17>18@2 ");
}

TEST(other_types)
{
	struct rdma_nl_qp q = {.device = RXE, .local_qp = 1, .has_remote = true, .state = RTS};
	struct host_qp_counts counts = {0};

	begin_round();
	for (int i = 0; i < 256; i++) {
		q.type = (uint8_t)i;
		if (i != RDMA_NL_TYPE_RC)
			qp_map_qp(map, &q);
	}
	q.type = RDMA_NL_TYPE_RC;
	q.device = RXE + 1; /* of which nothing was said: no RoCE */
	qp_map_qp(map, &q);
	qp_map_end(map, true);
	qp_map_counts(map, &counts);
	assert_int_equal(counts.queue_pairs, 0);
}

TEST(devices)
{
	uint32_t index;

	qp_map_begin(map);
	for (uint32_t i = 0; i < QP_MAP_DEVICES; i++)
		assert_int_equal(qp_map_device(map, 100 + i, "mlx5_0"), 0);
	assert_int_not_equal(qp_map_device(map, 99, "mlx5_64"), 0);
	assert_true(qp_map_next_device(map, QP_MAP_DEVICES - 1, &index));
	assert_int_equal(index, 100 + QP_MAP_DEVICES - 1);
	assert_false(qp_map_next_device(map, QP_MAP_DEVICES, &index));
	qp_map_end(map, true);
	/* They go, and make room. */
	begin_round();
	qp_map_end(map, true);
	begin_round();
	assert_true(qp_map_next_device(map, 0, &index));
	assert_int_equal(index, RXE);
	assert_false(qp_map_next_device(map, 1, &index));
}
