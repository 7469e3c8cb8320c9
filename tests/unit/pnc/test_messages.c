/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is learned from the frames of tests/data/pnc-messages.txt, which other code has made. */

#include "pnc_util.h"

TEST_FIXTURE(PNC_TEST);

TEST(isis)
{
	pnc_setup(NULL, NULL);
	assert_int_equal(pnc_read("isis-l1", 5 * SECOND), FCN_PNC_FRAME_ISIS);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_NEW), 1);
	assert_int_equal(bench.told.n, 5);
	assert_string_equal(pnc_proxy("10.1.0.0/16"), "192.0.2.1");
	assert_string_equal(pnc_proxy("10.2.0.0/16"), "");
	assert_string_equal(pnc_proxy("10.3.0.0/17"), "198.51.100.7");
	assert_string_equal(pnc_proxy("10.4.4.0/22"), "192.0.2.1");
	assert_string_equal(pnc_proxy("2001:db8:1::/48"), "2001:db8:ffff::1");
	assert_string_equal(pnc_proxy("2001:db8:2::/47"), "2001:db8::8");
	assert_int_equal(pnc_left("10.1.0.0/16", 5 * SECOND), 1200);
	assert_int_equal(bench.told.known[0].protocol, FCN_PNC_ISIS);

	/* Once more: known already, and its lifetime is not extended. */
	pnc_read("isis-l1", 9 * SECOND);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_SAME), 1);
	assert_int_equal(pnc_left("10.1.0.0/16", 5 * SECOND), 1200);
	assert_int_equal(bench.told.adds, 5);

	/* A newer one without some of the prefixes; the older one does not come back. */
	pnc_read("isis-l1-newer", 100 * SECOND);
	assert_int_equal(bench.told.n, 1);
	assert_int_equal(bench.told.removes, 4);
	assert_int_equal(pnc_left("10.1.0.0/16", 100 * SECOND), 1200);
	pnc_read("isis-l1", 101 * SECOND);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_OLD), 1);
	assert_int_equal(bench.told.n, 1);

	/* The same number with other contents: neither counts. */
	pnc_read("isis-l1-conflict", 102 * SECOND);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_CONFLICT), 1);
	assert_int_equal(bench.told.n, 0);
}

TEST(isis_purge)
{
	pnc_setup(NULL, NULL);
	pnc_read("isis-l1-purge", 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_PURGE_UNKNOWN), 1);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).items, 0);
	pnc_read("isis-l1-newer", 0);
	assert_int_equal(bench.told.n, 1);
	pnc_read("isis-l1-purge", SECOND);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_PURGED), 1);
	assert_int_equal(bench.told.n, 0);
	/* An older copy does not bring it back for a minute. */
	pnc_read("isis-l1-newer", 2 * SECOND);
	assert_int_equal(bench.told.n, 0);
	assert_int_equal(fcn_pnc_frame_tick(&bench.readers, 60 * SECOND), 61 * SECOND);
	pnc_read("isis-l1-newer", 60 * SECOND);
	assert_int_equal(bench.told.n, 0);
	assert_true(fcn_pnc_frame_tick(&bench.readers, 61 * SECOND) == UINT64_MAX);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_EXPIRED), 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).items, 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).originators, 0);
}

TEST(isis_fragments)
{
	pnc_setup(NULL, NULL);
	/* Nothing counts before fragment 0 has come. */
	pnc_read("isis-l2-1", 0);
	assert_int_equal(bench.told.n, 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).unresolved, 1);
	/* It has no router ID, but a host prefix with the N-flag. */
	pnc_read("isis-l2-0", 10 * SECOND);
	assert_int_equal(bench.told.n, 1);
	assert_string_equal(pnc_proxy("10.9.0.0/16"), "192.0.2.9");
	assert_int_equal(pnc_state(FCN_PNC_ISIS).unresolved, 0);
	assert_int_equal(pnc_left("10.9.0.0/16", 0), 1200);
	fcn_pnc_frame_tick(&bench.readers, 1200 * SECOND - 1);
	assert_int_equal(bench.told.n, 1);
	fcn_pnc_frame_tick(&bench.readers, 1200 * SECOND);
	assert_int_equal(bench.told.n, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_EXPIRED), 1);
}

TEST(isis_odd)
{
	pnc_setup(NULL, NULL);
	pnc_read("isis-leaked", 0);
	assert_string_equal(pnc_proxy("10.5.0.0/16"), "");
	assert_string_equal(pnc_proxy("10.6.0.0/16"), "");
	assert_string_equal(pnc_proxy("10.7.0.0/16"), "192.0.2.77");
	assert_string_equal(pnc_proxy("192.0.2.88/32"), "192.0.2.88");
	assert_string_equal(pnc_proxy("10.8.0.0/16"), "");
	assert_int_equal(bench.told.n, 2);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).unresolved, 2);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_UNREACHABLE), 1);

	assert_int_equal(pnc_read("isis-vlan", 0), FCN_PNC_FRAME_ISIS);
	assert_string_equal(pnc_proxy("10.10.0.0/16"), "192.0.2.4");

	/* Of a TLV with a defect nothing counts, but the others do. */
	pnc_read("isis-bad-tlv", 0);
	assert_string_equal(pnc_proxy("10.11.0.0/16"), "");
	assert_string_equal(pnc_proxy("10.12.0.0/16"), "192.0.2.5");
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_BAD_TLV), 1);
}

TEST(ospf)
{
	pnc_setup(NULL, NULL);
	assert_int_equal(pnc_read("ospf", 0), FCN_PNC_FRAME_OSPF);
	assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_NEW), 2);
	assert_int_equal(bench.told.n, 1);
	assert_string_equal(pnc_proxy("10.21.0.0/16"), "192.0.2.121");
	assert_int_equal(pnc_left("10.21.0.0/16", 0), 3599);

	pnc_read("ospf-named", 0);
	assert_string_equal(pnc_proxy("10.23.0.0/16"), "192.0.2.99");
	/* Named by its router ID, whose address is known from another LSA. */
	assert_string_equal(pnc_proxy("10.24.0.0/16"), "192.0.2.121");
	assert_string_equal(pnc_proxy("10.25.0.0/16"), "");
	assert_string_equal(pnc_proxy("192.0.2.66/32"), "192.0.2.66");
	assert_int_equal(pnc_state(FCN_PNC_OSPF).unresolved, 1);

	pnc_read("ospf-node", 0);
	assert_string_equal(pnc_proxy("10.26.0.0/16"), "192.0.2.123");
	pnc_read("ospf-id", 0);
	assert_string_equal(pnc_proxy("10.27.0.0/16"), "");

	pnc_read("ospf-scopes", 0);
	assert_string_equal(pnc_proxy("10.28.0.0/16"), "192.0.2.121");
	assert_string_equal(pnc_proxy("10.29.0.0/16"), "192.0.2.121");
	assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_OTHER), 1);
	assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_NEW), 8);

	assert_int_equal(pnc_read("ospf-distant", 0), FCN_PNC_FRAME_DISTANT);
	/* Nothing is left of a router that only a prefix named. */
	fcn_pnc_frame_tick(&bench.readers, 3600 * SECOND);
	assert_int_equal(pnc_state(FCN_PNC_OSPF).originators, 0);
}

TEST(ospf_order)
{
	pnc_setup(NULL, NULL);
	pnc_read("ospf", 0);
	pnc_read("ospf-newer", 10 * SECOND);
	assert_string_equal(pnc_proxy("10.21.0.0/16"), "");
	assert_string_equal(pnc_proxy("10.22.0.0/16"), "192.0.2.121");
	pnc_read("ospf", 20 * SECOND);
	assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_OLD), 1);
	assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_SAME), 1);
	assert_string_equal(pnc_proxy("10.21.0.0/16"), "");

	pnc_read("ospf-flush", 30 * SECOND);
	assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_PURGED), 1);
	assert_int_equal(bench.told.n, 0);
	pnc_read("ospf-newer", 31 * SECOND);
	assert_int_equal(bench.told.n, 0);
	assert_int_equal(fcn_pnc_frame_tick(&bench.readers, 90 * SECOND), 3599 * SECOND);

	/* Malformed, but newer: nothing of it counts, nor of the older one. */
	pnc_read("ospf", 100 * SECOND);
	assert_int_equal(bench.told.n, 1);
	pnc_read("ospf-malformed", 101 * SECOND);
	assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_MALFORMED), 1);
	assert_int_equal(bench.told.n, 0);
	pnc_read("ospf", 102 * SECOND);
	assert_int_equal(bench.told.n, 0);
}

TEST(ospf3)
{
	pnc_setup(NULL, NULL);
	assert_int_equal(pnc_read("ospf3", 0), FCN_PNC_FRAME_OSPF3);
	assert_int_equal(bench.told.n, 1);
	assert_string_equal(pnc_proxy("2001:db8:31::/48"), "2001:db8:ffff::31");
	pnc_read("ospf3-named", 0);
	assert_string_equal(pnc_proxy("2001:db8:33::/48"), "2001:db8::99");
	assert_string_equal(pnc_proxy("2001:db8:34::/48"), "2001:db8:ffff::31");
	assert_string_equal(pnc_proxy("2001:db8:35::/48"), "");
	assert_string_equal(pnc_proxy("2001:db8:36::/48"), "");
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_UNREACHABLE), 1);
	pnc_read("ospf3-node", 0);
	assert_string_equal(pnc_proxy("2001:db8:8000::/33"), "2001:db8:ffff::33");
	pnc_read("ospf3-external", 0);
	assert_string_equal(pnc_proxy("2001:db8:38::/48"), "2001:db8:ffff::31");
	assert_string_equal(pnc_proxy("2001:db8:39::/48"), "2001:db8:ffff::31");
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_OTHER), 1);
	pnc_read("ospf3-ipv4", 0);
	assert_string_equal(pnc_proxy("10.31.0.0/16"), "192.0.2.131");

	pnc_read("ospf3-malformed", 0);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_MALFORMED), 1);
	assert_string_equal(pnc_proxy("2001:db8:31::/48"), "");

	pnc_setup(NULL, NULL);
	pnc_read("ospf3", 0);
	pnc_read("ospf3-flush", 0);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_PURGED) +
					 pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_OLD),
			1);
}
