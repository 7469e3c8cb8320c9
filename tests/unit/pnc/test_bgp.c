/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The attribute of Next Hop Dependent Characteristics, read and written. */

#include <errno.h>

#include "bmp_messages.h"
#include "fcn_bgp_nhc.h"

static struct bytes b;

static int
parse(const char *hex, struct fcn_bgp_nhc *nhc)
{
	b.len = 0;
	bytes_hex(&b, hex);
	return fcn_bgp_nhc_parse(b.data, b.len, 0xffdc, nhc);
}

#define HOP6 "20010db8 00000000 00000000 00000001"

TEST(nhc)
{
	struct fcn_bgp_nhc nhc;
	char text[FCN_ADDR_STRLEN];

	assert_int_equal(parse("0002 01 10 " HOP6 " ffdc 0000", &nhc), 0);
	assert_true(nhc.has_pnc);
	assert_int_equal(nhc.afi, 2);
	assert_int_equal(nhc.safi, 1);
	assert_string_equal(fcn_addr_format(&nhc.next_hop, text, sizeof(text)), "2001:db8::1");
	/* Others first, behind it, and twice. */
	assert_int_equal(parse("0001 01 04 c0000201 0003 0004 01020304 ffdc 0000 0001 0000 "
			       "ffdc 0000",
					 &nhc),
			0);
	assert_true(nhc.has_pnc);
	assert_string_equal(fcn_addr_format(&nhc.next_hop, text, sizeof(text)), "192.0.2.1");
	/* Another code. */
	assert_int_equal(parse("0001 01 04 c0000201 ffdd 0000", &nhc), 0);
	assert_false(nhc.has_pnc);
	/* A link-local address behind the global one. */
	assert_int_equal(parse("0002 01 20 " HOP6 " fe800000 00000000 00000000 00000009 "
			       "ffdc 0000",
					 &nhc),
			0);
	assert_string_equal(fcn_addr_format(&nhc.next_hop, text, sizeof(text)), "2001:db8::1");
}

TEST(nhc_malformed)
{
	static const char *const cases[] = {"", "000101", "0001 01 04", "0001 01 04 c00002",
			"0001 01 04 c0000201", /* no characteristic */
			"0001 01 04 c0000201 ff", "0001 01 04 c0000201 ffdc 00",
			"0001 01 04 c0000201 ffdc 0000 00",
			"0001 01 04 c0000201 ffdc 0001",    /* a value that is not there */
			"0001 01 04 c0000201 ffdc 0001 00", /* a value that must not be there */
			"0001 01 04 c0000201 0003 0004 010203", "0001 01 05 c000020101 ffdc 0000",
			"0001 01 00 ffdc 0000", "0002 01 ff " HOP6 " ffdc 0000"};
	struct fcn_bgp_nhc nhc;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		assert_int_equal(parse(cases[i], &nhc), -EBADMSG);
}

/* A PNC with a value does not take the one without a value beside it, in either order. */
TEST(nhc_beside)
{
	static const char *const cases[] = {"0001 01 04 c0000201 ffdc 0001 00 ffdc 0000",
			"0001 01 04 c0000201 ffdc 0000 ffdc 0002 0102",
			"0001 01 04 c0000201 ffdc 0001 00 0003 0000 ffdc 0000"};
	struct fcn_bgp_nhc nhc;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		assert_int_equal(parse(cases[i], &nhc), 0);
		assert_true(nhc.has_pnc);
		assert_true(nhc.has_bad_pnc);
	}
	assert_int_equal(parse("0001 01 04 c0000201 ffdc 0000", &nhc), 0);
	assert_false(nhc.has_bad_pnc);
	assert_int_equal(parse("0001 01 04 c0000201 ffdc 0001 00 ffdc 0001 00", &nhc), -EBADMSG);
}

/* Any beginning of a valid attribute is malformed, unless it ends between characteristics. */
TEST(nhc_cut)
{
	struct fcn_bgp_nhc nhc;
	uint8_t *copy;

	assert_int_equal(parse("0001 01 04 c0000201 0003 0002 0102 ffdc 0000", &nhc), 0);
	for (size_t len = 0; len < b.len; len++) {
		copy = malloc(len + 1);
		memcpy(copy, b.data, len);
		assert_int_equal(fcn_bgp_nhc_parse(copy, len, 0xffdc, &nhc),
				len == 14 ? 0 : -EBADMSG);
		free(copy);
	}
}

static void
assert_bytes(const uint8_t *data, size_t len, const char *hex)
{
	b.len = 0;
	bytes_hex(&b, hex);
	assert_int_equal(len, b.len);
	assert_memory_equal(data, b.data, len);
}

/* The bytes of the draft. */
TEST(nhc_build)
{
	uint8_t out[FCN_BGP_NHC_MAX_LEN];
	struct fcn_addr hop;

	fcn_addr_parse("2001:db8::1", &hop);
	assert_bytes(out, fcn_bgp_nhc_build(39, 65500, false, 2, &hop, out),
			"c0 27 18 0002 01 10 " HOP6 " ffdc 0000");
	fcn_addr_parse("192.0.2.1", &hop);
	assert_bytes(out, fcn_bgp_nhc_build(39, 1, true, 1, &hop, out),
			"e0 27 0c 0001 01 04 c0000201 0001 0000");
}
