/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* END.CON SIDs that IS-IS and OSPFv3 disseminate, from frames that other code has made. */

#include "fcn_inet.h"
#include "fletcher_write.h"
#include "pnc_util.h"

#define CON 0x8000

TEST(isis)
{
	const struct fcn_pnc_prefix *sid;
	struct bench b;

	pnc_setup_endcon(&b, CON, NULL);
	assert_int_equal(pnc_read(&b, "isis-endcon", 5 * SECOND), FCN_PNC_FRAME_ISIS);
	/* The SID with the behavior End is none; the same address can be a prefix with PNC. */
	assert_int_equal(b.told.n, 3);
	sid = pnc_endcon(&b, "2001:db8:e1:1::c");
	assert_non_null(sid);
	assert_int_equal(sid->protocol, FCN_PNC_ISIS);
	assert_int_equal(sid->expires_ns, 1205 * SECOND);
	assert_non_null(pnc_endcon(&b, "2001:db8:e1:3::c"));
	assert_null(pnc_endcon(&b, "2001:db8:e1:1::1"));
	assert_string_equal(pnc_proxy(&b, "2001:db8:e1:1::c/128"), "2001:db8:ffff::11");
	assert_int_equal(pnc_state(&b, FCN_PNC_ISIS).endcons, 2);
	assert_int_equal(pnc_state(&b, FCN_PNC_ISIS).prefixes, 1);
	assert_int_equal(pnc_state(&b, FCN_PNC_ISIS).unresolved, 0);

	/* A newer one, of a locator that another level has; then its end. */
	pnc_read(&b, "isis-endcon-newer", 10 * SECOND);
	assert_int_equal(b.told.n, 1);
	assert_non_null(pnc_endcon(&b, "2001:db8:e1:1::d"));
	fcn_pnc_frame_tick(&b.readers, 1210 * SECOND - 1);
	assert_int_equal(b.told.n, 1);
	fcn_pnc_frame_tick(&b.readers, 1210 * SECOND);
	assert_int_equal(b.told.n, 0);
	assert_int_equal(pnc_state(&b, FCN_PNC_ISIS).endcons, 0);
	pnc_teardown(&b);
}

/* SIDs outside of their locator, or of a locator that is not reachable; a TLV with a defect. */
TEST(isis_bad)
{
	struct bench b;

	pnc_setup_endcon(&b, CON, NULL);
	pnc_read(&b, "isis-endcon-bad", 0);
	assert_int_equal(b.told.n, 1);
	assert_non_null(pnc_endcon(&b, "2001:db8:e7::c"));
	assert_int_equal(pnc_count(&b, FCN_PNC_ISIS, FCN_PNC_COUNT_BAD_SID), 3);
	assert_int_equal(pnc_count(&b, FCN_PNC_ISIS, FCN_PNC_COUNT_UNREACHABLE), 1);
	assert_int_equal(pnc_count(&b, FCN_PNC_ISIS, FCN_PNC_COUNT_DUPLICATE), 1);
	assert_int_equal(pnc_count(&b, FCN_PNC_ISIS, FCN_PNC_COUNT_BAD_TLV), 1);
	pnc_teardown(&b);
}

TEST(ospf3)
{
	const struct fcn_pnc_prefix *sid;
	struct bench b;

	pnc_setup_endcon(&b, CON, NULL);
	assert_int_equal(pnc_read(&b, "ospf3-endcon", 5 * SECOND), FCN_PNC_FRAME_OSPF3);
	assert_int_equal(b.told.n, 3);
	sid = pnc_endcon(&b, "2001:db8:e1:1::c");
	assert_non_null(sid);
	assert_int_equal(sid->protocol, FCN_PNC_OSPF3);
	/* Its age was 1 s of an hour. */
	assert_int_equal(sid->expires_ns, (5 + 3599) * SECOND);
	assert_non_null(pnc_endcon(&b, "2001:db8:e1:3::c"));
	assert_non_null(pnc_endcon(&b, "2001:db8:e3::c"));
	assert_int_equal(pnc_state(&b, FCN_PNC_OSPF3).endcons, 3);
	pnc_read(&b, "ospf3-endcon-newer", 10 * SECOND);
	assert_int_equal(b.told.n, 2);
	assert_non_null(pnc_endcon(&b, "2001:db8:e1:1::d"));
	assert_non_null(pnc_endcon(&b, "2001:db8:e3::c"));
	pnc_read(&b, "ospf3-endcon-flush", 15 * SECOND);
	assert_int_equal(b.told.n, 1);
	/* Of an instance with IPv4 prefixes. */
	pnc_read(&b, "ospf3-endcon-ipv4", 20 * SECOND);
	assert_int_equal(pnc_count(&b, FCN_PNC_OSPF3, FCN_PNC_COUNT_OTHER), 1);
	assert_int_equal(b.told.n, 1);
	pnc_teardown(&b);
}

TEST(ospf3_bad)
{
	struct bench b;

	pnc_setup_endcon(&b, CON, NULL);
	pnc_read(&b, "ospf3-endcon-bad", 0);
	assert_int_equal(b.told.n, 1);
	assert_non_null(pnc_endcon(&b, "2001:db8:e7::c"));
	assert_int_equal(pnc_count(&b, FCN_PNC_OSPF3, FCN_PNC_COUNT_BAD_SID), 2);
	assert_int_equal(pnc_count(&b, FCN_PNC_OSPF3, FCN_PNC_COUNT_UNREACHABLE), 2);
	assert_int_equal(pnc_count(&b, FCN_PNC_OSPF3, FCN_PNC_COUNT_DUPLICATE), 1);
	/* As of prefixes, an LSA that is malformed says nothing, and replaces the one before. */
	pnc_read(&b, "ospf3-endcon-malformed", 0);
	assert_int_equal(pnc_count(&b, FCN_PNC_OSPF3, FCN_PNC_COUNT_MALFORMED), 1);
	pnc_teardown(&b);
}

/* Without a code nothing is read, and with another one other SIDs. */
TEST(code)
{
	struct bench b;

	pnc_setup_endcon(&b, 0, NULL);
	pnc_read(&b, "isis-endcon", 0);
	pnc_read(&b, "ospf3-endcon", 0);
	assert_int_equal(b.told.n, 1);
	assert_string_equal(pnc_proxy(&b, "2001:db8:e1:1::c/128"), "2001:db8:ffff::11");
	assert_int_equal(pnc_count(&b, FCN_PNC_OSPF3, FCN_PNC_COUNT_OTHER), 2);
	assert_int_equal(pnc_state(&b, FCN_PNC_OSPF3).items, 0);
	pnc_teardown(&b);
	pnc_setup_endcon(&b, 1, NULL);
	pnc_read(&b, "isis-endcon", 0);
	pnc_read(&b, "ospf3-endcon", 0);
	assert_int_equal(b.told.n, 3);
	assert_non_null(pnc_endcon(&b, "2001:db8:e1:1::1"));
	assert_null(pnc_endcon(&b, "2001:db8:e1:1::c"));
	pnc_teardown(&b);
}

/* An LSP cut anywhere, with length and checksum set right: nothing is read past its end. */
TEST(cut)
{
	size_t len;
	const uint8_t *pdu = pnc_frame_named("isis-endcon", &len) + 17;
	struct bench b;

	len = fcn_get_be16(pdu + 8);
	pnc_setup_endcon(&b, CON, NULL);
	for (size_t n = 27; n <= len; n++) {
		uint8_t *copy = malloc(n);

		assert_non_null(copy);
		memcpy(copy, pdu, n);
		fcn_put_be16(copy + 8, (uint16_t)n);
		copy[23] = (uint8_t)n; /* of the sequence number */
		fletcher_write(copy + 12, n - 12, 12);
		fcn_pnc_isis_input(b.readers.isis, copy, n, 0);
		free(copy);
		assert_int_equal(pnc_state(&b, FCN_PNC_ISIS).endcons, n < 168 ? 0 : 2);
	}
	pnc_teardown(&b);
}

/* The SIDs of an originator count among its prefixes. */
TEST(limits)
{
	struct fcn_pnc_limits limits = FCN_PNC_DEFAULT_LIMITS;
	struct bench b;

	limits.originator_prefixes = 2;
	pnc_setup_endcon(&b, CON, &limits);
	pnc_read(&b, "ospf3-endcon", 0);
	assert_int_equal(b.told.n, 2);
	assert_int_equal(pnc_count(&b, FCN_PNC_OSPF3, FCN_PNC_COUNT_ORIGINATOR_PREFIXES_FULL), 1);
	pnc_teardown(&b);
}
