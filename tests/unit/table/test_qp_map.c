/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_qp_map.h"
#include "table_test.h"

static struct fcn_qp_pair
pair(const char *receiver, uint32_t receiver_qp, uint32_t sender_qp)
{
	struct fcn_qp_pair p = {.receiver_qp = receiver_qp, .sender_qp = sender_qp};

	assert_int_equal(fcn_addr_parse(receiver, &p.receiver), 0);
	return p;
}

/* Look up a queue pair. @return that of the sender; -1: it is not found */
static int64_t
find(const struct fcn_qp_map *map, const char *receiver, uint32_t receiver_qp)
{
	struct fcn_addr addr;
	uint32_t qp;

	assert_int_equal(fcn_addr_parse(receiver, &addr), 0);
	return fcn_qp_map_find(map, addr.version, addr.bytes, receiver_qp, &qp) ? (int64_t)qp : -1;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(find)
{
	const struct fcn_qp_pair pairs[] = {
			pair("2001:db8::2", 18, 1),
			pair("192.0.2.1", 17, 2),
			pair("2001:db8::2", 17, 3),
			pair("192.0.2.1", FCN_QP_MAX, 0),
			/* the same bytes as 192.0.2.1 */
			pair("c000:201::", 17, 4),
			pair("2001:db8::3", 0, FCN_QP_MAX),
	};
	struct fcn_qp_map *map = fcn_qp_map_create("map", pairs, RTE_DIM(pairs), SOCKET_ID_ANY);

	assert_non_null(map);
	assert_int_equal(find(map, "2001:db8::2", 18), 1);
	assert_int_equal(find(map, "192.0.2.1", 17), 2);
	assert_int_equal(find(map, "2001:db8::2", 17), 3);
	assert_int_equal(find(map, "192.0.2.1", FCN_QP_MAX), 0);
	assert_int_equal(find(map, "c000:201::", 17), 4);
	assert_int_equal(find(map, "2001:db8::3", 0), FCN_QP_MAX);
	assert_int_equal(find(map, "2001:db8::2", 19), -1);
	assert_int_equal(find(map, "2001:db8::3", 17), -1);
	assert_int_equal(find(map, "192.0.2.2", 17), -1);
	fcn_qp_map_free(map);
	assert_int_equal(find(NULL, "192.0.2.1", 17), -1);
	fcn_qp_map_free(NULL);
}

/* IPv4 addresses are the first four bytes, whatever is behind them. */
TEST(ipv4_bytes)
{
	const struct fcn_qp_pair p = pair("192.0.2.1", 17, 5);
	struct fcn_qp_map *map = fcn_qp_map_create("map", &p, 1, SOCKET_ID_ANY);
	const uint8_t addr[16] = {192, 0, 2, 1, 0xff, 0xff};
	uint32_t qp = 0;

	assert_non_null(map);
	assert_true(fcn_qp_map_find(map, 4, addr, 17, &qp));
	assert_int_equal(qp, 5);
	assert_false(fcn_qp_map_find(map, 6, addr, 17, &qp));
	fcn_qp_map_free(map);
}
