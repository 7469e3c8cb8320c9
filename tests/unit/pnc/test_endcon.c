/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* END.CON SIDs that IS-IS and OSPFv3 disseminate, from frames that other code has made. */

#include "fcn_inet.h"
#include "fletcher_write.h"
#include "pnc_util.h"

TEST_FIXTURE(PNC_TEST);

#define CON 0x8000

TEST(isis)
{
	const struct fcn_pnc_prefix *sid;

	pnc_setup_endcon(CON, NULL);
	assert_int_equal(pnc_read("isis-endcon", 5 * SECOND), FCN_PNC_FRAME_ISIS);
	/* The SID with the behavior End is none; the same address can be a prefix with PNC. */
	assert_int_equal(bench.told.n, 3);
	sid = pnc_endcon("2001:db8:e1:1::c");
	assert_non_null(sid);
	assert_int_equal(sid->protocol, FCN_PNC_ISIS);
	assert_int_equal(sid->expires_ns, 1205 * SECOND);
	assert_non_null(pnc_endcon("2001:db8:e1:3::c"));
	assert_null(pnc_endcon("2001:db8:e1:1::1"));
	assert_string_equal(pnc_proxy("2001:db8:e1:1::c/128"), "2001:db8:ffff::11");
	assert_int_equal(pnc_state(FCN_PNC_ISIS).endcons, 2);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).prefixes, 1);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).unresolved, 0);

	/* A newer one, of a locator that another level has; then its end. */
	pnc_read("isis-endcon-newer", 10 * SECOND);
	assert_int_equal(bench.told.n, 1);
	assert_non_null(pnc_endcon("2001:db8:e1:1::d"));
	fcn_pnc_frame_tick(&bench.readers, 1210 * SECOND - 1);
	assert_int_equal(bench.told.n, 1);
	fcn_pnc_frame_tick(&bench.readers, 1210 * SECOND);
	assert_int_equal(bench.told.n, 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).endcons, 0);
}

/* SIDs outside of their locator, or of a locator that is not reachable; a TLV with a defect. */
TEST(isis_bad)
{
	pnc_setup_endcon(CON, NULL);
	pnc_read("isis-endcon-bad", 0);
	assert_int_equal(bench.told.n, 1);
	assert_non_null(pnc_endcon("2001:db8:e7::c"));
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_BAD_SID), 3);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_UNREACHABLE), 1);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_DUPLICATE), 1);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_BAD_TLV), 1);
}

TEST(ospf3)
{
	const struct fcn_pnc_prefix *sid;

	pnc_setup_endcon(CON, NULL);
	assert_int_equal(pnc_read("ospf3-endcon", 5 * SECOND), FCN_PNC_FRAME_OSPF3);
	assert_int_equal(bench.told.n, 3);
	sid = pnc_endcon("2001:db8:e1:1::c");
	assert_non_null(sid);
	assert_int_equal(sid->protocol, FCN_PNC_OSPF3);
	/* Its age was 1 s of an hour. */
	assert_int_equal(sid->expires_ns, (5 + 3599) * SECOND);
	assert_non_null(pnc_endcon("2001:db8:e1:3::c"));
	assert_non_null(pnc_endcon("2001:db8:e3::c"));
	assert_int_equal(pnc_state(FCN_PNC_OSPF3).endcons, 3);
	pnc_read("ospf3-endcon-newer", 10 * SECOND);
	assert_int_equal(bench.told.n, 2);
	assert_non_null(pnc_endcon("2001:db8:e1:1::d"));
	assert_non_null(pnc_endcon("2001:db8:e3::c"));
	pnc_read("ospf3-endcon-flush", 15 * SECOND);
	assert_int_equal(bench.told.n, 1);
	/* Of an instance with IPv4 prefixes. */
	pnc_read("ospf3-endcon-ipv4", 20 * SECOND);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_OTHER), 1);
	assert_int_equal(bench.told.n, 1);
}

TEST(ospf3_bad)
{
	pnc_setup_endcon(CON, NULL);
	pnc_read("ospf3-endcon-bad", 0);
	assert_int_equal(bench.told.n, 1);
	assert_non_null(pnc_endcon("2001:db8:e7::c"));
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_BAD_SID), 2);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_UNREACHABLE), 2);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_DUPLICATE), 1);
	/* As of prefixes, an LSA that is malformed says nothing, and replaces the one before. */
	pnc_read("ospf3-endcon-malformed", 0);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_MALFORMED), 1);
}

/* Without a code nothing is read, and with another one other SIDs. */
TEST(code)
{
	pnc_setup_endcon(0, NULL);
	pnc_read("isis-endcon", 0);
	pnc_read("ospf3-endcon", 0);
	assert_int_equal(bench.told.n, 1);
	assert_string_equal(pnc_proxy("2001:db8:e1:1::c/128"), "2001:db8:ffff::11");
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_OTHER), 2);
	assert_int_equal(pnc_state(FCN_PNC_OSPF3).items, 0);
	pnc_setup_endcon(1, NULL);
	pnc_read("isis-endcon", 0);
	pnc_read("ospf3-endcon", 0);
	assert_int_equal(bench.told.n, 3);
	assert_non_null(pnc_endcon("2001:db8:e1:1::1"));
	assert_null(pnc_endcon("2001:db8:e1:1::c"));
}

/* An LSP cut anywhere, with length and checksum set right: nothing is read past its end. */
TEST(cut)
{
	size_t len;
	const uint8_t *pdu = pnc_frame_named("isis-endcon", &len) + 17;

	len = fcn_get_be16(pdu + 8);
	pnc_setup_endcon(CON, NULL);
	for (size_t n = 27; n <= len; n++) {
		uint8_t *copy = malloc(n);

		assert_non_null(copy);
		memcpy(copy, pdu, n);
		fcn_put_be16(copy + 8, (uint16_t)n);
		copy[23] = (uint8_t)n; /* of the sequence number */
		fletcher_write(copy + 12, n - 12, 12);
		fcn_pnc_isis_input(bench.readers.isis, copy, n, 0);
		free(copy);
		assert_int_equal(pnc_state(FCN_PNC_ISIS).endcons, n < 168 ? 0 : 2);
	}
}

/* The SIDs of an originator count among its prefixes. */
TEST(limits)
{
	struct fcn_pnc_limits limits = FCN_PNC_DEFAULT_LIMITS;

	limits.originator_prefixes = 2;
	pnc_setup_endcon(CON, &limits);
	pnc_read("ospf3-endcon", 0);
	assert_int_equal(bench.told.n, 2);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_ORIGINATOR_PREFIXES_FULL), 1);
}
