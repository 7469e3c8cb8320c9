/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Extension headers and their options: order, limits, each option known, each way it can be wrong.
 */

#include <netinet/in.h>

#include "fcn_test.h"
#include "fcn_ioam.h"
#include "fcn_parse.h"
#include "frame.h"
#include "vectors.h"

static struct fcn_wire_info info;
static struct frame f;

static enum fcn_wire_error
walk_codes(const struct fcn_parse_codes *codes)
{
	uint8_t *copy = exact_copy(f.data, f.len);
	enum fcn_wire_error e;

	memset(&info, 0xA5, sizeof(info));
	e = fcn_parse(copy, f.len, f.len, codes, &info);
	free(copy);
	return e;
}

static enum fcn_wire_error
walk(void)
{
	return walk_codes(&fcn_parse_default_codes);
}

static bool
is_roce(void)
{
	return (info.flags & FCN_PKT_ROCE) != 0;
}

/* One options header with the given area, a multiple of 8 less 2, then RoCEv2. */
static void
options_frame(uint8_t proto, const uint8_t *area, uint32_t len)
{
	uint8_t hdr[2] = {IPPROTO_UDP, (uint8_t)((len + 2) / 8 - 1)};

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, proto);
	frame_put(&f, hdr, sizeof(hdr));
	frame_put(&f, area, len);
	frame_roce(&f, 16);
	frame_finish(&f);
}

TEST(header_limits)
{
	for (unsigned int n = 1; n <= 9; n++) {
		frame_ether(&f, 0x86DD);
		frame_ip6(&f, IPPROTO_DSTOPTS);
		for (unsigned int i = 0; i < n; i++)
			frame_options(&f, i + 1 < n ? IPPROTO_DSTOPTS : IPPROTO_UDP, 8);
		frame_roce(&f, 0);
		frame_finish(&f);
		assert_int_equal(walk(), n <= 8 ? FCN_WIRE_OK : FCN_WIRE_EXT_LIMIT);
		assert_int_equal(is_roce(), n <= 8);
		assert_int_equal(info.l4_off, n <= 8 ? 54 + 8 * n : 0);
	}
	/* 512 bytes up to the end of the BTH (54 + 432 + 20 = 506), then 8 more. */
	for (uint32_t len = 432; len <= 464; len += 8) {
		frame_ether(&f, 0x86DD);
		frame_ip6(&f, IPPROTO_DSTOPTS);
		frame_options(&f, IPPROTO_UDP, len);
		frame_roce(&f, 0);
		frame_finish(&f);
		assert_int_equal(walk(), len == 432 ? FCN_WIRE_OK : FCN_WIRE_EXT_LIMIT);
		assert_int_equal(is_roce(), len == 432);
		assert_int_equal(info.l4_off, len <= 456 ? 54 + len : 0);
	}
}

TEST(header_extent)
{
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_DSTOPTS);
	frame_options(&f, IPPROTO_NONE, 16);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_OK);
	f.len -= 1;
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_EXT_OVERRUN);
	f.len = 54 + 7;
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_EXT_TRUNCATED);
	assert_true(info.flags & FCN_PKT_IPV6);
	assert_int_equal(info.proto, IPPROTO_DSTOPTS);
}

TEST(order)
{
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_DSTOPTS);
	frame_options(&f, IPPROTO_HOPOPTS, 8);
	frame_options(&f, IPPROTO_UDP, 8);
	frame_roce(&f, 0);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_EXT_ORDER);
	assert_false(is_roce());
	assert_false(info.flags & FCN_PKT_HBH);
	assert_true(info.flags & FCN_PKT_ROCE_PORT); /* the walk went on to see what it is */
	assert_int_equal(info.l4_off, 70);

	/* The inner packet may have its own; it is not the outermost's. */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_IPV6);
	frame_ip6(&f, IPPROTO_HOPOPTS);
	frame_options(&f, IPPROTO_UDP, 8);
	frame_roce(&f, 0);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_false(info.flags & FCN_PKT_HBH);
}

TEST(padding)
{
	static const uint8_t good[][6] = {{0, 0, 0, 0, 0, 0}, {1, 4, 0, 0, 0, 0},
			{1, 0, 1, 0, 1, 0}, {0, 1, 3, 0, 0, 0}};
	static const uint8_t nonzero[6] = {1, 4, 0, 0, 0, 1};
	static const uint8_t nonzero_first[6] = {1, 1, 9, 0, 0x3E, 0};
	static const uint8_t overrun[][6] = {{1, 5, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1},
			{0x3E, 5, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0x3E}};

	for (unsigned int i = 0; i < RTE_DIM(good); i++) {
		options_frame(IPPROTO_HOPOPTS, good[i], 6);
		assert_int_equal(walk(), FCN_WIRE_OK);
		assert_true(is_roce() && info.flags & FCN_PKT_HBH);
	}
	options_frame(IPPROTO_HOPOPTS, nonzero, 6);
	assert_int_equal(walk(), FCN_WIRE_PADN_NONZERO);
	assert_false(is_roce());
	options_frame(IPPROTO_HOPOPTS, nonzero_first, 6);
	assert_int_equal(walk(), FCN_WIRE_PADN_NONZERO);
	for (unsigned int i = 0; i < RTE_DIM(overrun); i++) {
		options_frame(IPPROTO_DSTOPTS, overrun[i], 6);
		assert_int_equal(walk(), FCN_WIRE_OPTION_OVERRUN);
		assert_false(is_roce());
		assert_true(info.flags & FCN_PKT_ROCE_PORT);
	}
}

TEST(fastcnp_options)
{
	/* Two of option 1, and one each of option 1 and 2. */
	uint8_t two[46] = {1, 2, 0, 0, 0x9E, 16, [22] = 1, 2, 0, 0, 1, 0, 0x9E, 16, [44] = 1, 0};
	uint8_t one[22] = {1, 2, 0, 0, 0x9E, 16};
	uint8_t opt2[38] = {1, 0, 0x9F, 26};
	struct fcn_parse_codes same = fcn_parse_default_codes;

	options_frame(IPPROTO_DSTOPTS, two, sizeof(two));
	assert_int_equal(walk(), FCN_WIRE_OPTION_DUPLICATE);
	assert_false(is_roce());
	two[28] = 0x3E;
	options_frame(IPPROTO_DSTOPTS, two, sizeof(two));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(info.flags & FCN_PKT_FASTCNP);

	/* One each in the outer and the inner packet is no duplicate. */
	frame_ether(&f, 0x86DD);
	for (int i = 0; i < 2; i++) {
		frame_ip6(&f, IPPROTO_DSTOPTS);
		frame_put(&f, (const uint8_t[]){i == 0 ? IPPROTO_IPV6 : IPPROTO_UDP, 2}, 2);
		frame_put(&f, one, sizeof(one));
	}
	frame_roce(&f, 0);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(is_roce());

	/* In a Hop-by-Hop header it means nothing. */
	options_frame(IPPROTO_HOPOPTS, one, sizeof(one));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_false(info.flags & FCN_PKT_FASTCNP);

	options_frame(IPPROTO_DSTOPTS, opt2, sizeof(opt2));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(info.flags & FCN_PKT_FASTCNP);
	opt2[3] = 25;
	options_frame(IPPROTO_DSTOPTS, opt2, sizeof(opt2));
	assert_int_equal(walk(), FCN_WIRE_OPTION_LENGTH);
	opt2[3] = 27; /* half a word of trace */
	options_frame(IPPROTO_DSTOPTS, opt2, sizeof(opt2));
	assert_int_equal(walk(), FCN_WIRE_OPTION_LENGTH);
	opt2[3] = 26;

	/* One code for both: length tells them apart. */
	same.fastcnp_opt2 = same.fastcnp_opt1;
	opt2[2] = 0x9E;
	options_frame(IPPROTO_DSTOPTS, one, sizeof(one));
	assert_int_equal(walk_codes(&same), FCN_WIRE_OK);
	options_frame(IPPROTO_DSTOPTS, opt2, sizeof(opt2));
	assert_int_equal(walk_codes(&same), FCN_WIRE_OK);
	assert_int_equal(walk(), FCN_WIRE_OPTION_LENGTH);
	one[5] = 15;
	options_frame(IPPROTO_DSTOPTS, one, sizeof(one));
	assert_int_equal(walk_codes(&same), FCN_WIRE_OPTION_LENGTH);

	/* Configured code points are what counts. */
	one[5] = 16;
	one[4] = 0xDE;
	options_frame(IPPROTO_DSTOPTS, one, sizeof(one));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_false(info.flags & FCN_PKT_FASTCNP);
	same.fastcnp_opt1 = 0xDE;
	assert_int_equal(walk_codes(&same), FCN_WIRE_OK);
	assert_true(info.flags & FCN_PKT_FASTCNP);
}

TEST(proxy_option)
{
	uint8_t area[22] = {1, 2, 0, 0, 0x1E, 16, 0x20, 0x01, 0x0d, 0xb8, [21] = 0x99};
	static const uint8_t unusable[][2] = {
			{0x00, 0x00}, {0xFF, 0x02}, {0xFE, 0x80}, {0xFE, 0xBF}};

	options_frame(IPPROTO_DSTOPTS, area, sizeof(area));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(info.flags & FCN_PKT_PROXY);
	assert_int_equal(info.proxy_off, 62);
	/* Ignored: another length, and addresses nothing can be sent to; the packet is sound. */
	area[5] = 15;
	area[21] = 0;
	options_frame(IPPROTO_DSTOPTS, area, sizeof(area));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_false(info.flags & FCN_PKT_PROXY);
	area[5] = 16;
	for (unsigned int i = 0; i < RTE_DIM(unusable); i++) {
		memset(area + 6, 0, 16);
		memcpy(area + 6, unusable[i], 2);
		options_frame(IPPROTO_DSTOPTS, area, sizeof(area));
		assert_int_equal(walk(), FCN_WIRE_OK);
		assert_false(info.flags & FCN_PKT_PROXY);
		assert_int_equal(info.proxy_off, 0);
		assert_true(is_roce());
	}
}

/* PadN(2), then an IOAM option at 4n with one free word. */
#define IOAM_AREA                                                                              \
	{                                                                                      \
		1, 0, 0x31, 14, 0, 0, 0, 123, 1 << 3, 1, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0 \
	}

TEST(ioam_option)
{
	const uint8_t good[22] = IOAM_AREA;
	uint8_t area[22] = IOAM_AREA, two[38];

	options_frame(IPPROTO_HOPOPTS, area, sizeof(area));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(info.flags & FCN_PKT_IOAM_TRACE);
	assert_int_equal(info.ioam_off, 58);
	assert_int_equal(info.ioam_len, 14);

	area[5] = FCN_IOAM_INCR_TRACE;
	options_frame(IPPROTO_HOPOPTS, area, sizeof(area));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(info.flags & FCN_PKT_IOAM_TRACE);
	area[5] = FCN_IOAM_POT; /* no trace, whatever stands in it */
	area[8] = 0;
	options_frame(IPPROTO_HOPOPTS, area, sizeof(area));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_false(info.flags & (FCN_PKT_IOAM_TRACE | FCN_PKT_IOAM_INVALID));

	/* In a Destination Options header it is not ours. */
	options_frame(IPPROTO_DSTOPTS, good, sizeof(good));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_false(info.flags & FCN_PKT_IOAM_TRACE);

	/* Two octets early: not at 4n. The packet stays RoCEv2. */
	memcpy(area, good + 2, 16);
	memcpy(area + 16, (const uint8_t[]){1, 4, 0, 0, 0, 0}, 6);
	options_frame(IPPROTO_HOPOPTS, area, sizeof(area));
	assert_int_equal(walk(), FCN_WIRE_IOAM_ALIGNMENT);
	assert_true(info.flags & FCN_PKT_IOAM_INVALID);
	assert_true(is_roce());

	memset(area, 0, sizeof(area));
	area[2] = 0x31;
	area[3] = 1; /* not even an Opt-Type: what follows is the next option */
	area[5] = 0x3E;
	options_frame(IPPROTO_HOPOPTS, area, sizeof(area));
	assert_int_equal(walk(), FCN_WIRE_IOAM_LENGTH);
	assert_true(is_roce());

	/* The first of two traces is the packet's, be it right or wrong. */
	memcpy(two, good, 18);
	memcpy(two + 18, good + 2, 16);
	memcpy(two + 34, good + 18, 4);
	options_frame(IPPROTO_HOPOPTS, two, sizeof(two));
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_int_equal(info.ioam_off, 58);
	two[8] = 0; /* NodeLen of the first */
	options_frame(IPPROTO_HOPOPTS, two, sizeof(two));
	assert_int_equal(walk(), FCN_WIRE_IOAM_NODELEN_ZERO);
	assert_false(info.flags & FCN_PKT_IOAM_TRACE);
	two[8] = 1 << 3;
	two[24] = 0; /* of the second */
	options_frame(IPPROTO_HOPOPTS, two, sizeof(two));
	assert_int_equal(walk(), FCN_WIRE_OK);

	/* The first defect is the one reported; the upper layer's takes the claim away. */
	two[8] = 0;
	options_frame(IPPROTO_HOPOPTS, two, sizeof(two));
	f.data[f.udp + 9] |= 1; /* TVer */
	assert_int_equal(walk(), FCN_WIRE_IOAM_NODELEN_ZERO);
	assert_false(is_roce());
}

/* A trace in the outer header is not the inner packet's. */
TEST(ioam_outer)
{
	const uint8_t area[22] = IOAM_AREA;
	uint8_t hdr[2] = {IPPROTO_IPV6, 2};

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_HOPOPTS);
	frame_put(&f, hdr, sizeof(hdr));
	frame_put(&f, area, sizeof(area));
	frame_ip6(&f, IPPROTO_UDP);
	frame_roce(&f, 0);
	frame_finish(&f);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(is_roce());
	assert_true(info.flags & FCN_PKT_HBH);
	assert_false(info.flags & FCN_PKT_IOAM_TRACE);
	assert_int_equal(info.ioam_off, 0);
}

static void
srh_frame(uint8_t n, uint8_t left, uint32_t tlv_len, int last_entry)
{
	uint8_t *srh;

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, IPPROTO_ROUTING);
	srh = frame_srh(&f, IPPROTO_UDP, n, left, tlv_len);
	if (last_entry >= 0)
		srh[4] = (uint8_t)last_entry;
	frame_roce(&f, 0);
	frame_finish(&f);
}

TEST(srh)
{
	srh_frame(3, 2, 0, -1);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(is_roce() && info.flags & FCN_PKT_SRH);
	assert_int_equal(info.final_dst_off, 62); /* Segment List[0] */
	srh_frame(3, 0, 0, -1);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_false(info.flags & FCN_PKT_SRH);
	assert_int_equal(info.final_dst_off, 38);
	srh_frame(3, 3, 0, -1); /* reduced */
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(info.flags & FCN_PKT_SRH);
	srh_frame(3, 4, 0, -1);
	assert_int_equal(walk(), FCN_WIRE_SRH_SEGMENTS_LEFT);
	assert_false(is_roce());
	assert_int_equal(info.final_dst_off, 38);
	srh_frame(3, 2, 0, 3);
	assert_int_equal(walk(), FCN_WIRE_SRH_LAST_ENTRY);
	srh_frame(0, 0, 0, 0); /* no segment at all */
	assert_int_equal(walk(), FCN_WIRE_SRH_LAST_ENTRY);
	/* TLVs, as the 40 octets of an HMAC, may make the length odd. */
	srh_frame(2, 1, 40, -1);
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(is_roce());
	srh_frame(2, 1, 8, 2); /* odd, and the list ends inside a segment */
	assert_int_equal(walk(), FCN_WIRE_SRH_LENGTH);
	/* Other routing types are passed over. */
	srh_frame(2, 1, 8, 2);
	f.data[56] = 0;
	assert_int_equal(walk(), FCN_WIRE_OK);
	assert_true(is_roce());
	assert_int_equal(info.final_dst_off, 38);
}
