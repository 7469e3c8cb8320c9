/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The option with a proxy's address put into packets and taken out: the vector, headers on paper.
 */

#include <netinet/in.h>

#include <rte_common.h>

#include "fcn_proxy_option.h"
#include "fcn_test.h"
#include "ioam_remove.h"
#include "vectors.h"

#define TYPE 0x1E
#define HBH IPPROTO_HOPOPTS
#define DST IPPROTO_DSTOPTS
#define ROUTING IPPROTO_ROUTING

static const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
static const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};

static const uint8_t proxy[16] = {0x20, 0x01, 0x0D, 0xB8, 0x00, 0x0F, [15] = 0x03};

/* Option of that address behind its padding, as the options area of a header. */
static const uint8_t proxy_area[22] = {
		0x01, 0x02, 0, 0, TYPE, 16, 0x20, 0x01, 0x0D, 0xB8, 0x00, 0x0F, [21] = 0x03};

/* Frame without and with the option. */
static struct frame in, out;

static void
put_header(struct frame *f, uint8_t next, const uint8_t *area, uint32_t len)
{
	uint8_t hdr[2] = {next, (uint8_t)((len + 2) / 8 - 1)};

	assert_int_equal((len + 2) % 8, 0);
	frame_put(f, hdr, sizeof(hdr));
	frame_put(f, area, len);
}

/*
 * Insert the option into a copy of a frame that ends where its memory does.
 *
 * @param got room for the frame with the option
 */
static enum fcn_proxy_option_fit
insert(const uint8_t *data, uint32_t len, const uint8_t addr[16], enum fcn_icrc_mode mode,
		uint8_t *got, uint32_t *got_len)
{
	uint8_t *exact = exact_copy(data, len), *copy;
	struct fcn_wire_info info, again;
	struct fcn_proxy_option_place place;
	enum fcn_proxy_option_fit fit;

	fcn_parse_slow(exact, len, len, &fcn_parse_default_codes, &info);
	fit = fcn_proxy_option_find_place(exact, len, &info, TYPE, &place);
	free(exact);
	if (fit != FCN_PROXY_OPTION_FITS)
		return fit;
	copy = malloc(len + place.growth);
	assert_non_null(copy);
	memset(copy, 0xA5, place.growth);
	memcpy(copy + place.growth, data, len);
	*got_len = len + place.growth;
	fcn_proxy_option_insert(copy, &info, &place, TYPE, addr, mode,
			info.flags & FCN_PKT_ROCE
					? copy + place.growth + info.l3_off + info.ip_len - 4
					: NULL);
	fcn_parse_slow(copy, *got_len, *got_len, &fcn_parse_default_codes, &again);
	assert_int_equal(again.error, FCN_WIRE_OK);
	assert_memory_equal(&info, &again, sizeof(info));
	assert_true(info.flags & FCN_PKT_PROXY);
	assert_memory_equal(copy + info.proxy_off, addr, 16);
	assert_true(fcn_proxy_option_is_there(copy, *got_len, &info, TYPE));
	memcpy(got, copy, *got_len);
	free(copy);
	return fit;
}

/* Remove the option from a copy of a frame. @return whether the headers could be read */
static bool
take_out(const uint8_t *data, uint32_t len, enum fcn_icrc_mode mode, uint8_t *got,
		uint32_t *got_len)
{
	uint8_t *copy = exact_copy(data, len);
	struct fcn_wire_info info, again;
	uint32_t removed = 0xABCD;
	bool done;

	fcn_parse_slow(copy, len, len, &fcn_parse_default_codes, &info);
	done = fcn_proxy_option_remove(copy, len, &info, TYPE, mode,
			info.flags & FCN_PKT_ROCE ? copy + info.l3_off + info.ip_len - 4 : NULL,
			&removed);
	*got_len = len - removed;
	memcpy(got, copy + removed, *got_len);
	if (done) {
		fcn_parse_slow(copy + removed, *got_len, *got_len, &fcn_parse_default_codes,
				&again);
		assert_memory_equal(&info, &again, sizeof(info));
		assert_false(fcn_proxy_option_is_there(copy + removed, *got_len, &info, TYPE));
	} else {
		assert_int_equal(removed, 0);
		assert_memory_equal(copy, data, len);
	}
	free(copy);
	return done;
}

/* Compare both ways, in each convention of the ICRC, with and without a UDP checksum. */
static void
check_frames(void)
{
	uint8_t got[FRAME_MAX];
	uint32_t len;

	frame_finish(&in);
	frame_finish(&out);
	for (unsigned int i = 0; i < 2 * RTE_DIM(modes); i++) {
		ioam_finish(&in, refs[i / 2], i % 2 == 0);
		ioam_finish(&out, refs[i / 2], i % 2 == 0);
		assert_int_equal(insert(in.data, in.len, proxy, modes[i / 2], got, &len),
				FCN_PROXY_OPTION_FITS);
		assert_int_equal(len, out.len);
		assert_memory_equal(got, out.data, len);
		assert_true(take_out(out.data, out.len, modes[i / 2], got, &len));
		assert_int_equal(len, in.len);
		assert_memory_equal(got, in.data, len);
	}
}

TEST(vector)
{
	struct vectors with, without;
	uint8_t got[512];
	uint32_t len;

	vectors_load(&with, "13_roce6_write_proxyopt");
	vectors_load(&without, "01_roce6_write");
	assert_int_equal(insert(without.data[0], without.len[0], with.data[0] + 62, FCN_ICRC_SKIP,
					 got, &len),
			FCN_PROXY_OPTION_FITS);
	assert_int_equal(len, with.len[0]);
	assert_memory_equal(got, with.data[0], len);
	assert_true(take_out(with.data[0], with.len[0], FCN_ICRC_SKIP, got, &len));
	assert_int_equal(len, without.len[0]);
	assert_memory_equal(got, without.data[0], len);
	assert_int_equal(insert(with.data[0], with.len[0], proxy, FCN_ICRC_SKIP, got, &len),
			FCN_PROXY_OPTION_PRESENT);
	vectors_free(&with);
	vectors_free(&without);
}

/* A Destination Options header before and after the option is appended. */
static const struct {
	uint8_t in_len, out_len;
	uint8_t in[30], out[46];
} layouts[] = {
		/* No padding at the end: 6 octets of it, then the option. */
		{6, 30, {0x05, 0x04, 0xB1, 0xB2, 0xB3, 0xB4},
				{0x05, 0x04, 0xB1, 0xB2, 0xB3, 0xB4, 0x01, 0x04, 0, 0, 0, 0, TYPE,
						16, 0x20, 0x01, 0x0D, 0xB8, 0x00,
						0x0F, [29] = 0x03}},
		/* One octet of padding becomes 7. */
		{6, 30, {0x05, 0x03, 0xB1, 0xB2, 0xB3, 0x00},
				{0x05, 0x03, 0xB1, 0xB2, 0xB3, 0x01, 0x05, 0, 0, 0, 0, 0, TYPE, 16,
						0x20, 0x01, 0x0D, 0xB8, 0x00, 0x0F, [29] = 0x03}},
		/* Two octets are those that the option itself takes. */
		{6, 22, {0x05, 0x02, 0xB1, 0xB2, 0x01, 0x00},
				{0x05, 0x02, 0xB1, 0xB2, TYPE, 16, 0x20, 0x01, 0x0D, 0xB8, 0x00,
						0x0F, [21] = 0x03}},
		/* Four octets become two. */
		{6, 22, {0x05, 0x00, 0x01, 0x02, 0, 0},
				{0x05, 0x00, 0x01, 0x00, TYPE, 16, 0x20, 0x01, 0x0D, 0xB8, 0x00,
						0x0F, [21] = 0x03}},
		/* Seven octets at the end of a longer header become five. */
		{14, 30, {0x05, 0x05, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0x01, 0x05, 0, 0, 0, 0, 0},
				{0x05, 0x05, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0x01, 0x03, 0, 0, 0,
						TYPE, 16, 0x20, 0x01, 0x0D, 0xB8, 0x00,
						0x0F, [29] = 0x03}},
};

/* A header that is extended, alone, behind Hop-by-Hop Options, in front of a Routing header. */
TEST(extended)
{
	static const uint8_t hop_area[6] = {0x05, 0x02, 0xCA, 0xFE, 0x01, 0x00};

	for (unsigned int i = 0; i < 4 * RTE_DIM(layouts); i++) {
		const bool hop = i & 1, routing = i & 2;

		for (unsigned int side = 0; side < 2; side++) {
			struct frame *f = side == 0 ? &in : &out;

			frame_ether(f, 0x86DD);
			frame_ip6(f, hop ? HBH : DST);
			if (hop)
				put_header(f, DST, hop_area, sizeof(hop_area));
			put_header(f, routing ? ROUTING : IPPROTO_UDP,
					side == 0 ? layouts[i / 4].in : layouts[i / 4].out,
					side == 0 ? layouts[i / 4].in_len : layouts[i / 4].out_len);
			if (routing)
				frame_srh(f, IPPROTO_UDP, 2, 0, 0);
			frame_roce(f, 37);
		}
		check_frames();
	}
}

/* A header of its own: behind Hop-by-Hop Options, in front of all others; with VLAN tags. */
TEST(own_header)
{
	static const uint8_t trace_area[22] = {0x01, 0x00, 0x31, 0x0E, 0, 0, 0, 0x7B, 0x08, 0x01,
			0x80, [18] = 0x01, [19] = 0x02};
	static const uint8_t last_area[6] = {0x05, 0x02, 0xCA, 0xFE, 0x01, 0x00};

	for (unsigned int set = 0; set < 2 * 2 * 2 * 2 * 3; set++) {
		const bool hop = set & 1, routing = set & 2, last = set & 4 && routing;
		const unsigned int left = set >> 3 & 1, vlans = set >> 4;

		for (unsigned int side = 0; side < 2; side++) {
			struct frame *f = side == 0 ? &in : &out;
			uint8_t upper = last ? DST : IPPROTO_UDP;
			uint8_t next = routing ? ROUTING : IPPROTO_UDP;
			uint8_t first = side == 1 ? DST : next;

			frame_ether(f, 0x86DD);
			for (unsigned int i = 0; i < vlans; i++)
				frame_vlan(f, 0x8100, (uint16_t)(0x2001 + i));
			frame_ip6(f, hop ? HBH : first);
			if (hop)
				put_header(f, first, trace_area, sizeof(trace_area));
			if (side == 1)
				put_header(f, next, proxy_area, sizeof(proxy_area));
			if (routing)
				frame_srh(f, upper, 2, (uint8_t)left, 0);
			if (last)
				put_header(f, IPPROTO_UDP, last_area, sizeof(last_area));
			frame_roce(f, 64);
		}
		check_frames();
	}
}

/* TCP and others than RoCEv2: only the headers change. */
TEST(other_protocols)
{
	static const uint8_t protos[] = {IPPROTO_TCP, IPPROTO_ESP, IPPROTO_NONE, IPPROTO_SCTP, 253};

	for (unsigned int i = 0; i < RTE_DIM(protos); i++) {
		uint8_t got[FRAME_MAX];
		uint32_t len;

		for (unsigned int side = 0; side < 2; side++) {
			struct frame *f = side == 0 ? &in : &out;

			frame_ether(f, 0x86DD);
			frame_ip6(f, side == 1 ? DST : protos[i]);
			if (side == 1)
				put_header(f, protos[i], proxy_area, sizeof(proxy_area));
			frame_zero(f, 40);
			frame_finish(f);
		}
		assert_int_equal(insert(in.data, in.len, proxy, FCN_ICRC_SKIP, got, &len),
				FCN_PROXY_OPTION_FITS);
		assert_int_equal(len, out.len);
		assert_memory_equal(got, out.data, len);
		assert_true(take_out(out.data, out.len, FCN_ICRC_SKIP, got, &len));
		assert_int_equal(len, in.len);
		assert_memory_equal(got, in.data, len);
	}
}

static enum fcn_proxy_option_fit
try_in(void)
{
	static uint8_t got[65536 + 64];
	uint32_t len;

	frame_finish(&in);
	return insert(in.data, in.len, proxy, FCN_ICRC_SKIP, got, &len);
}

/* Packets that stay without it. */
TEST(unfit)
{
	static const uint8_t first[8] = {IPPROTO_UDP, 0, 0x00, 0x01, 0, 0, 0, 7};
	static const uint8_t later[8] = {IPPROTO_UDP, 0, 0x00, 0x09, 0, 0, 0, 7};
	static const uint8_t padding[14] = {0x05, 0x02, 0xCA, 0xFE, 0x01, 0x06, [12] = 0, 0};
	static const uint8_t shorter[14] = {TYPE, 4, 1, 2, 3, 4, 0x01, 0x06};
	static const uint8_t overrun[6] = {0x05, 0x05, 0, 0, 0, 0};

	frame_ether(&in, 0x0800);
	frame_ip4(&in, IPPROTO_UDP, 20);
	frame_roce(&in, 20);
	assert_int_equal(try_in(), FCN_PROXY_OPTION_UNFIT);
	frame_ether(&in, 0x0806);
	frame_zero(&in, 46);
	assert_int_equal(try_in(), FCN_PROXY_OPTION_UNFIT);
	for (unsigned int i = 0; i < 2; i++) { /* in a tunnel */
		frame_ether(&in, 0x86DD);
		frame_ip6(&in, i == 0 ? IPPROTO_IPV6 : IPPROTO_IPIP);
		if (i == 0)
			frame_ip6(&in, IPPROTO_UDP);
		else
			frame_ip4(&in, IPPROTO_UDP, 20);
		frame_roce(&in, 20);
		assert_int_equal(try_in(), FCN_PROXY_OPTION_UNFIT);
	}
	for (unsigned int i = 0; i < 2; i++) { /* fragments */
		frame_ether(&in, 0x86DD);
		frame_ip6(&in, IPPROTO_FRAGMENT);
		frame_put(&in, i == 0 ? first : later, 8);
		frame_zero(&in, 40);
		assert_int_equal(try_in(), FCN_PROXY_OPTION_UNFIT);
	}
	frame_ether(&in, 0x86DD); /* its Integrity Check Value covers the headers */
	frame_ip6(&in, IPPROTO_AH);
	frame_zero(&in, 40);
	assert_int_equal(try_in(), FCN_PROXY_OPTION_UNFIT);
	frame_ether(&in, 0x86DD); /* too much padding at the end of the header */
	frame_ip6(&in, DST);
	put_header(&in, IPPROTO_UDP, padding, sizeof(padding));
	frame_roce(&in, 20);
	in.data[14 + 40 + 8 + 6] = 0;
	assert_int_equal(try_in(), FCN_PROXY_OPTION_UNFIT);
	frame_ether(&in, 0x86DD); /* it has one, though no valid one */
	frame_ip6(&in, DST);
	put_header(&in, IPPROTO_UDP, shorter, sizeof(shorter));
	frame_roce(&in, 20);
	assert_int_equal(try_in(), FCN_PROXY_OPTION_PRESENT);
	frame_ether(&in, 0x86DD); /* it has one behind the Routing header */
	frame_ip6(&in, ROUTING);
	frame_srh(&in, DST, 2, 1, 0);
	put_header(&in, IPPROTO_UDP, proxy_area, sizeof(proxy_area));
	frame_roce(&in, 20);
	assert_int_equal(try_in(), FCN_PROXY_OPTION_PRESENT);
	frame_ether(&in, 0x86DD);
	frame_ip6(&in, DST);
	put_header(&in, IPPROTO_UDP, overrun, sizeof(overrun));
	frame_roce(&in, 20);
	assert_int_equal(try_in(), FCN_PROXY_OPTION_UNFIT);
}

/* The same octet in a Hop-by-Hop Options header is another option. */
TEST(hop_by_hop)
{
	for (unsigned int side = 0; side < 2; side++) {
		struct frame *f = side == 0 ? &in : &out;

		frame_ether(f, 0x86DD);
		frame_ip6(f, HBH);
		put_header(f, side == 0 ? IPPROTO_UDP : DST, proxy_area, sizeof(proxy_area));
		if (side == 1)
			put_header(f, IPPROTO_UDP, proxy_area, sizeof(proxy_area));
		frame_roce(f, 20);
	}
	check_frames();
}

/* As many headers and as long ones as the parser reads, and one more; the longest packet. */
TEST(limits)
{
	for (unsigned int n = 6; n <= 8; n++) {
		frame_ether(&in, 0x86DD);
		frame_ip6(&in, ROUTING);
		for (unsigned int i = 0; i < n; i++)
			frame_srh(&in, i + 1 == n ? IPPROTO_UDP : ROUTING, 1, 0, 0);
		frame_roce(&in, 20);
		assert_int_equal(try_in(), n < FCN_PARSE_MAX_EXT ? FCN_PROXY_OPTION_FITS
								 : FCN_PROXY_OPTION_UNFIT);
	}
	/* Headers of 54 + x octets, and 24 more of the option, in front of 24 of the upper layer.
	 */
	for (unsigned int x = 400; x <= 424; x += 8) {
		frame_ether(&in, 0x86DD);
		frame_ip6(&in, HBH);
		frame_options(&in, IPPROTO_UDP, x);
		frame_roce(&in, 20);
		assert_int_equal(try_in(), 54 + x + 24 + 24 <= 512 ? FCN_PROXY_OPTION_FITS
								   : FCN_PROXY_OPTION_UNFIT);
	}
}

/* What cannot be read is not changed. */
TEST(stuck)
{
	static const uint8_t overrun[22] = {0x01, 0x02, 0, 0, TYPE, 17};
	uint8_t got[FRAME_MAX];
	uint32_t len;

	frame_ether(&in, 0x86DD);
	frame_ip6(&in, DST);
	put_header(&in, IPPROTO_UDP, overrun, sizeof(overrun));
	frame_roce(&in, 20);
	frame_finish(&in);
	assert_false(take_out(in.data, in.len, FCN_ICRC_SKIP, got, &len));
	frame_ether(&in, 0x86DD); /* there is none */
	frame_ip6(&in, IPPROTO_UDP);
	frame_roce(&in, 20);
	frame_finish(&in);
	assert_true(take_out(in.data, in.len, FCN_ICRC_SKIP, got, &len));
	assert_int_equal(len, in.len);
	assert_memory_equal(got, in.data, len);
}

/* The outer packet of a tunnel loses it; the inner packet keeps its own. */
TEST(tunnel)
{
	uint8_t got[FRAME_MAX];
	uint32_t len;

	for (unsigned int side = 0; side < 2; side++) {
		struct frame *f = side == 0 ? &in : &out;

		frame_ether(f, 0x86DD);
		frame_ip6(f, side == 0 ? DST : IPPROTO_IPV6);
		if (side == 0)
			put_header(f, IPPROTO_IPV6, proxy_area, sizeof(proxy_area));
		frame_ip6(f, DST);
		put_header(f, IPPROTO_UDP, proxy_area, sizeof(proxy_area));
		frame_roce(f, 64);
		frame_finish(f);
		ioam_finish(f, REF_SKIP, true);
	}
	assert_true(take_out(in.data, in.len, FCN_ICRC_SKIP, got, &len));
	assert_int_equal(len, out.len);
	assert_memory_equal(got, out.data, len);
}
