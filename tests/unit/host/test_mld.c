/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Multicast Listener Discovery by the host functions: what is reported, and when. */

#include <rte_ether.h>

#include "fcn_mld.h"
#include "fcn_nd.h"
#include "host_state.h"
#include "hostbed.h"
#include "mld_frames.h"

/* Port 1 alone, without DAD; its reports are over. */
static int
setup(void **state)
{
	if (bed_setup_fresh(state) != 0)
		return -1;
	bed.conf.port[0].routed = false;
	bed.conf.mld = true;
	bed_configure();
	bed_run(10 * S);
	bed_forget();
	bed_forget_counts();
	return 0;
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = setup, .teardown = bed_teardown);

static int
setup_fresh(void **state)
{
	if (bed_setup_fresh(state) != 0)
		return -1;
	bed.conf.port[0].routed = false;
	bed.conf.mld = true;
	return 0;
}

static bool
is_mld(const struct sent *s)
{
	return s->data[12] == 0x86 && s->data[13] == 0xDD && s->data[20] == 0;
}

/* Leave what is no MLD out. */
static void
mld_alone(void)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < bed.n_sent; i++) {
		if (is_mld(&bed.sent[i]))
			bed.sent[n++] = bed.sent[i];
	}
	bed.n_sent = n;
}

static void
query(const char *hex)
{
	struct bytes b, ip = hex_of(hex);

	bytes_ether(&b, (struct rte_ether_addr){{0x33, 0x33, 0, 0, 0, 1}}, mac_of(0x0b),
			RTE_ETHER_TYPE_IPV6);
	bytes_put(&b, ip.data, ip.len);
	bed_punt(FCN_PUNT_LINK, 1, &b);
}

/* All is reported at once, and again within a second (robustness 2); never ff02::1. */
TEST_WITH(begin, setup_fresh, bed_teardown)
{
	bed_configure();
	assert_int_equal(bed.n_sent, 0);
	bed_run(0);
	mld_alone();
	assert_int_equal(bed.n_sent, 2);
	bed_sent_is(0, 1, MLD_JOIN_1);
	bed_sent_is(1, 1, MLD_JOIN_LINK_LOCAL_1);
	bed_run(100 * S);
	mld_alone();
	assert_int_equal(bed.n_sent, 3);
	bed_sent_is(2, 1, MLD_JOIN_ALL_1);
	assert_true(bed.sent[2].at > 0 && bed.sent[2].at <= S);
	assert_int_equal(bed_count(FCN_HOST_MLD_TX), 3);
}

/* Before the question whether an address is taken, from ::; from the link-local address when there
 * is one (RFC 4862 section 5.4.2, RFC 3590). */
TEST_WITH(dad, setup_fresh, bed_teardown)
{
	struct fcn_addr link_local = addr_of("fe80::ff:fe00:11");
	bool reported = false, usable = false;
	uint64_t at = 0;

	bed.conf.dad = true;
	bed_configure();
	while (fcn_host_next(bed.host) <= 20 * S) {
		unsigned int before = bed.n_sent;
		bool now_usable;

		bed_run(fcn_host_next(bed.host));
		now_usable = fcn_host_address_usable(bed.host, &link_local);
		for (unsigned int i = before; i < bed.n_sent; i++) {
			const uint8_t *d = bed.sent[i].data;

			if (is_mld(&bed.sent[i])) {
				/* the source: the first byte of fe80::, or of :: */
				assert_int_equal(d[22], now_usable ? 0xFE : 0);
				reported |= !now_usable &&
					    memcmp(d + 74,
							    (uint8_t[]){0xFF, 2, 0, 0, 0, 0, 0, 0,
									    0, 0, 0, 1, 0xFF, 0, 0,
									    1},
							    16) == 0;
			} else if (d[12] == 0x86 && d[54] == FCN_ND_NEIGHBOUR_SOLICIT &&
					d[77] == 1) {
				/* for 2001:db8:1::1, whose group was reported before */
				assert_true(reported || now_usable);
				at = bed.sent[i].at;
			}
		}
		if (now_usable && !usable) {
			usable = true;
			bed.sent[0] = bed.sent[before];
			bed_sent_is(0, 1, MLD_JOIN_ALL_1);
		}
	}
	assert_true(usable);
	assert_true(at > 0);
}

TEST(leave)
{
	uint64_t t = bed.now;

	bed.address[2] = bed.address[0]; /* 2001:db8:1::1 is gone */
	bed_configure();
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, MLD_LEAVE_1);
	bed_run(t + 100 * S);
	assert_int_equal(bed.n_sent, 2);
	bed_sent_is(1, 1, MLD_LEAVE_1);
	assert_true(bed.sent[1].at > t && bed.sent[1].at <= t + S);
}

/* Back before the leave was said again: it is not said again. */
TEST(leave_and_back)
{
	struct fcn_host_address kept = bed.address[2];

	bed.address[2] = bed.address[0];
	bed_configure();
	bed.address[2] = kept;
	bed_configure();
	bed_run(bed.now + 100 * S);
	mld_alone();
	assert_int_equal(bed.n_sent, 3);
	bed_sent_is(0, 1, MLD_LEAVE_1);
	bed_sent_is(1, 1, MLD_JOIN_1);
	bed_sent_is(2, 1, MLD_JOIN_1);
}

/* Two addresses of one group: the second begins nothing, the first ends nothing. */
TEST(same_group)
{
	bed_address(1, "2001:db8:77::1/64");
	bed_configure();
	bed_run(bed.now + 5 * S);
	bed.address[2] = bed.address[0];
	bed_configure();
	bed_run(bed.now + 5 * S);
	mld_alone();
	assert_int_equal(bed.n_sent, 0);
}

TEST(off_and_on)
{
	bed.conf.mld = false;
	bed_configure();
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, MLD_LEAVE_ALL_1);
	query(MLD_QUERY_V2_NOW);
	bed_run(bed.now + 100 * S);
	assert_int_equal(bed.n_sent, 1);
	assert_int_equal(bed_count(FCN_HOST_MLD_RX), 0);
	bed.conf.mld = true;
	bed_configure();
	assert_int_equal(bed.n_sent, 3);
	bed_sent_is(1, 1, MLD_JOIN_1);
	bed_sent_is(2, 1, MLD_JOIN_LINK_LOCAL_1);
	bed_run(bed.now + 100 * S);
	assert_int_equal(bed.n_sent, 4);
	bed_sent_is(3, 1, MLD_JOIN_ALL_1);
	/* a port that is no routed one any more */
	bed.conf.port[1].routed = false;
	bed_configure();
	assert_int_equal(bed.n_sent, 5);
	assert_memory_equal(bed.sent[4].data, hex_of(MLD_LEAVE_ALL_1).data, bed.sent[4].len);
}

TEST(link_down_and_up)
{
	query(MLD_QUERY_V2);
	bed.conf.port[1].up = false;
	bed_configure();
	bed_run(bed.now + 100 * S);
	assert_int_equal(bed.n_sent, 0);
	bed.conf.port[1].up = true;
	bed_configure();
	bed_run(bed.now + 100 * S);
	mld_alone();
	assert_int_equal(bed.n_sent, 3);
	bed_sent_is(0, 1, MLD_JOIN_1);
	bed_sent_is(1, 1, MLD_JOIN_LINK_LOCAL_1);
	bed_sent_is(2, 1, MLD_JOIN_ALL_1);
}

/* Within the time that the query gives, not always after the same; once for many queries. */
TEST(answer)
{
	uint64_t first = 0;
	bool differ = false;

	for (unsigned int i = 0; i < 10; i++) {
		uint64_t t = bed.now;

		bed_forget();
		for (unsigned int n = 0; n < 5; n++)
			query(MLD_QUERY_V2);
		assert_int_equal(bed.n_sent, 0);
		bed_run(t + 30 * S);
		assert_int_equal(bed.n_sent, 1);
		bed_sent_is(0, 1, MLD_IS_ALL_1);
		assert_true(bed.sent[0].at <= t + 10 * S);
		if (i == 0)
			first = bed.sent[0].at - t;
		differ |= bed.sent[0].at - t != first;
	}
	assert_true(differ);
	assert_int_equal(bed_count(FCN_HOST_MLD_RX), 50);
	assert_int_equal(bed_count(FCN_HOST_MLD_TX), 10);
}

TEST(group)
{
	uint64_t t = bed.now;

	query(MLD_QUERY_V2_GROUP_1);
	query(MLD_QUERY_V2_GROUP_1);
	bed_run(t + 20 * S);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, MLD_IS_1);
	assert_true(bed.sent[0].at <= t + S);
	/* about sources of the group: all of them are listened to */
	query(MLD_QUERY_V2_SOURCES);
	bed_run(bed.now + 100 * S);
	assert_int_equal(bed.n_sent, 2);
	bed_sent_is(1, 1, MLD_IS_1);
	/* a question about the group and one about all, with one answer in the shorter time */
	t = bed.now;
	query(MLD_QUERY_V2_GROUP_1);
	query(MLD_QUERY_V2);
	bed_run(t + 100 * S);
	assert_int_equal(bed.n_sent, 3);
	bed_sent_is(2, 1, MLD_IS_ALL_1);
	assert_true(bed.sent[2].at <= t + S);
	/* a group that nobody listens to here */
	bed.address[2] = bed.address[0];
	bed_configure();
	bed_run(bed.now + 100 * S);
	bed_forget();
	query(MLD_QUERY_V2_GROUP_1);
	bed_run(bed.now + 100 * S);
	assert_int_equal(bed.n_sent, 0);
}

/* However many queries ask for an answer at once, there are ten answers a second at the most. */
TEST(flood)
{
	uint64_t t = bed.now;

	for (unsigned int i = 0; i < 2000; i++) {
		query(MLD_QUERY_V2_NOW);
		bed_run(t + i * MS);
	}
	assert_true(bed.n_sent >= 20 && bed.n_sent <= 21);
	bed_sent_is(0, 1, MLD_IS_ALL_1);
	assert_int_equal(bed.sent[0].at, t);
}

/* Version 1 as long as its querier is believed to be there: 2 * 125 s and its 10 s. */
TEST(version_1)
{
	struct fcn_host_address kept = bed.address[2];
	uint64_t t = bed.now;

	query(MLD_QUERY_V1);
	bed_run(t + 10 * S);
	assert_int_equal(bed.n_sent, 3);
	bed_sent_is(0, 1, MLD_V1_REPORT_1);
	bed_sent_is(1, 1, MLD_V1_REPORT_LINK_LOCAL_1);
	bed_sent_is(2, 1, MLD_V1_REPORT_ROUTERS_1);
	bed_forget();
	query(MLD_QUERY_V1_GROUP_1);
	bed_run(t + 20 * S);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, MLD_V1_REPORT_1);
	bed_forget();
	bed.address[2] = bed.address[0];
	bed_configure();
	bed_sent_is(0, 1, MLD_V1_DONE_1);
	bed_run(t + 50 * S);
	bed.address[2] = kept;
	bed_forget();
	bed_configure();
	bed_run(t + 60 * S);
	mld_alone();
	assert_int_equal(bed.n_sent, 2);
	bed_sent_is(0, 1, MLD_V1_REPORT_1);
	bed_sent_is(1, 1, MLD_V1_REPORT_1);
	/* The query about the group, of 1 s, was the last one. */
	bed_forget();
	bed_run(t + 10 * S + 251 * S - 1);
	query(MLD_QUERY_V2_NOW);
	bed_run(bed.now);
	assert_int_equal(bed.n_sent, 3);
	bed_run(bed.now + S);
	bed_forget();
	query(MLD_QUERY_V2_NOW);
	bed_run(bed.now);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, MLD_IS_ALL_1);
}

TEST(bad)
{
	query(MLD_QUERY_HOP_LIMIT);
	query(MLD_QUERY_GLOBAL);
	query(MLD_QUERY_NO_ALERT);
	query(MLD_QUERY_UNICAST);
	bed_run(bed.now + 100 * S);
	assert_int_equal(bed.n_sent, 0);
	assert_int_equal(bed_count(FCN_HOST_MLD_RX), 4);
	assert_int_equal(bed_count(FCN_HOST_MLD_BAD), 4);
}
