/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The attribute of Next Hop Dependent Characteristics, and the messages that encoders make. */

#include <errno.h>

#include "bmp_messages.h"
#include "fcn_bgp_nhc.h"
#include "fcn_bmp_build.h"

static struct bytes b;

static int
parse(const char *hex, struct fcn_bgp_nhc *nhc)
{
	b.len = 0;
	bytes_hex(&b, hex);
	return fcn_bgp_nhc_parse(b.data, b.len, 0xffdc, nhc);
}

#define HOP6 "20010db8 00000000 00000000 00000001"

static void
test_nhc(void **state)
{
	struct fcn_bgp_nhc nhc;
	char text[FCN_ADDR_STRLEN];

	RTE_SET_USED(state);
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

static void
test_nhc_malformed(void **state)
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

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		assert_int_equal(parse(cases[i], &nhc), -EBADMSG);
}

/* A PNC with a value does not take the one without a value beside it, in either order. */
static void
test_nhc_beside(void **state)
{
	static const char *const cases[] = {"0001 01 04 c0000201 ffdc 0001 00 ffdc 0000",
			"0001 01 04 c0000201 ffdc 0000 ffdc 0002 0102",
			"0001 01 04 c0000201 ffdc 0001 00 0003 0000 ffdc 0000"};
	struct fcn_bgp_nhc nhc;

	RTE_SET_USED(state);
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
static void
test_nhc_cut(void **state)
{
	struct fcn_bgp_nhc nhc;
	uint8_t *copy;

	RTE_SET_USED(state);
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
static void
test_nhc_build(void **state)
{
	uint8_t out[FCN_BGP_NHC_MAX_LEN];
	struct fcn_addr hop;

	RTE_SET_USED(state);
	fcn_addr_parse("2001:db8::1", &hop);
	assert_bytes(out, fcn_bgp_nhc_build(39, 65500, false, 2, &hop, out),
			"c0 27 18 0002 01 10 " HOP6 " ffdc 0000");
	fcn_addr_parse("192.0.2.1", &hop);
	assert_bytes(out, fcn_bgp_nhc_build(39, 1, true, 1, &hop, out),
			"e0 27 0c 0001 01 04 c0000201 0001 0000");
}

static struct fcn_bgp_route
route(const char *prefix, const char *hop)
{
	struct fcn_bgp_route r = {.has_pnc = true, .nhc_type = 39, .pnc_code = 65500};

	assert_int_equal(fcn_prefix_parse(prefix, &r.prefix), 0);
	assert_int_equal(fcn_addr_parse(hop, &r.next_hop), 0);
	return r;
}

#define MARKER "ffffffff ffffffff ffffffff ffffffff "

static void
test_update_build(void **state)
{
	struct fcn_bgp_route r = route("198.51.100.0/22", "192.0.2.1");
	uint8_t out[FCN_BMP_BUILD_MAX];

	RTE_SET_USED(state);
	assert_bytes(out, fcn_bgp_update_build(&r, out),
			MARKER "003f 02 0000 0024 400101 00 400200 400304 c0000201 400504 00000064 "
			       "c0270c 0001 01 04 c0000201 ffdc 0000 16 c63364");
	r.is_withdrawn = true;
	assert_bytes(out, fcn_bgp_update_build(&r, out), MARKER "001b 02 0004 16 c63364 0000");
	r = route("2001:db8:a::/48", "2001:db8::1");
	r.as = 65000;
	r.is_partial = true;
	assert_bytes(out, fcn_bgp_update_build(&r, out),
			MARKER "0065 02 0000 004e 400101 00 400206 02 01 0000fde8 "
			       "800e1c 0002 01 10 " HOP6 " 00 30 20010db8 000a "
			       "400504 00000064 e02718 0002 01 10 " HOP6 " ffdc 0000");
	r.is_withdrawn = true;
	assert_bytes(out, fcn_bgp_update_build(&r, out),
			MARKER "0024 02 0000 000d 800f0a 0002 01 30 20010db8 000a");
	/* An IPv4 prefix with an IPv6 next hop (RFC 8950). */
	r = route("192.0.2.7/32", "2001:db8::1");
	r.has_pnc = false;
	assert_bytes(out, fcn_bgp_update_build(&r, out),
			MARKER "0042 02 0000 002b 400101 00 400200 "
			       "800e1a 0001 01 10 " HOP6 " 00 20 c0000207 400504 00000064");
}

#define PER_PEER(flags)                                                       \
	"00 " flags " 00000000 00000000 00000000 00000000 00000000 c0000207 " \
	"0000fde9 0a000001 00000000 00000000 "
#define OPEN                                                                                \
	MARKER "0031 01 04 fde9 00b4 0a000001 14 02 12 0104 0001 0001 0104 0002 0001 4104 " \
	       "0000fde9 "

static void
test_bmp_build(void **state)
{
	struct fcn_bmp_peer peer = {.as = 65001, .identifier = 0x0a000001};
	struct fcn_bgp_route r = route("198.51.100.0/24", "192.0.2.1");
	uint8_t out[FCN_BMP_BUILD_MAX];

	RTE_SET_USED(state);
	fcn_addr_parse("192.0.2.7", &peer.addr);
	assert_bytes(out, fcn_bmp_initiation_build("r1", out),
			"03 00000021 04 0001 0011 66617374636e2d706e6320656e636f6465 0002 0002 "
			"7231");
	assert_bytes(out, fcn_bmp_peer_up_build(&peer, out),
			"03 000000a6 03 " PER_PEER("00") "00000000 00000000 00000000 c0000207 00b3 "
							 "00b3 " OPEN OPEN);
	assert_bytes(out, fcn_bmp_peer_down_build(&peer, out),
			"03 00000031 02 " PER_PEER("00") "04");
	r.is_withdrawn = true;
	peer.is_post_policy = true;
	assert_bytes(out, fcn_bmp_route_build(&peer, &r, out),
			"03 0000004b 00 " PER_PEER("40") MARKER "001b 02 0004 18 c63364 0000");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_nhc),
			cmocka_unit_test(test_nhc_malformed),
			cmocka_unit_test(test_nhc_beside),
			cmocka_unit_test(test_nhc_cut),
			cmocka_unit_test(test_nhc_build),
			cmocka_unit_test(test_update_build),
			cmocka_unit_test(test_bmp_build),
	};

	return cmocka_run_group_tests_name("pnc_bgp", tests, NULL, NULL);
}
