/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* IOAM options taken out of any packet: headers thrown together, cut, chained, damaged. */

#include <netinet/in.h>

#include <rte_common.h>

#include "ioam_remove.h"
#include "fcn_icrc.h"
#include "crc.h"
#include "vectors.h"

static const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
static const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};

static struct frame f;
static uint64_t seed = 9486;

static uint32_t
below(uint32_t n)
{
	return (uint32_t)(ref_random(&seed) >> 16) % n;
}

static bool
one_in(uint32_t n)
{
	return below(n) == 0;
}

/* Append len octets of padding of some kind. */
static void
throw_padding(uint32_t len)
{
	while (len > 0) {
		uint32_t n = one_in(3) ? 1 : 1 + below(len);

		if (n > 257)
			n = 257;
		if (n == 1) {
			frame_zero(&f, 1);
		} else {
			uint8_t *p = frame_zero(&f, n);

			p[0] = 1;
			p[1] = (uint8_t)(n - 2);
		}
		len -= n;
	}
}

static void
throw_option(void)
{
	static const uint8_t types[] = {0x31, 0x31, 0x11, 0x05, 0xC2, 0x3E, 0x04, 0x8A, 0x1E, 0x9E};
	uint8_t type = types[below(sizeof(types))];
	uint32_t len = type == 0x1E || type == 0x9E ? 16
						    : below(one_in(10) && f.len < 1500 ? 256 : 24);
	uint8_t *p = frame_zero(&f, 2 + len);

	p[0] = type;
	p[1] = (uint8_t)len;
	ref_random_fill(&seed, p + 2, len);
	/* Some of the traces are sound, one slot of four words. */
	if (type == 0x31 && len == 26) {
		static const uint8_t hdr[10] = {0, 0, 0, 0, 4 << 3, 0, 0xF0};

		memcpy(p + 2, hdr, sizeof(hdr));
	}
}

static void
throw_options(uint8_t next)
{
	uint32_t start = f.len, n = below(5);

	frame_zero(&f, 2)[0] = next;
	while (n-- > 0) {
		/* Where options are aligned as they should be, where not, and where by chance. */
		if (one_in(2))
			throw_padding((2 - (f.len - start)) % 4);
		else
			throw_padding(below(12));
		throw_option();
	}
	throw_padding((start - f.len) % 8);
	if (f.len - start > 8 * 256 - 8 || f.len == start + 2)
		throw_padding(6);
	if (one_in(8))
		throw_padding(8 * below(3));
	f.data[start + 1] = (uint8_t)((f.len - start) / 8 - 1);
}

static void
throw_chain(uint8_t upper)
{
	uint8_t proto[8], next;
	uint32_t n = 0;

	if (!one_in(4))
		proto[n++] = IPPROTO_HOPOPTS;
	if (one_in(2))
		proto[n++] = IPPROTO_DSTOPTS;
	if (one_in(4))
		proto[n++] = IPPROTO_ROUTING;
	if (one_in(4))
		proto[n++] = IPPROTO_DSTOPTS;
	if (one_in(20))
		proto[n++] = IPPROTO_HOPOPTS;
	next = n > 0 ? proto[0] : upper;
	frame_ip6(&f, next);
	for (uint32_t i = 0; i < n; i++) {
		next = i + 1 < n ? proto[i + 1] : upper;
		if (proto[i] == IPPROTO_ROUTING)
			frame_srh(&f, next, (uint8_t)(1 + below(3)), (uint8_t)below(2), 0);
		else
			throw_options(next);
	}
}

static void
throw_frame(void)
{
	bool roce = !one_in(8), tunnel = one_in(6);

	frame_ether(&f, 0x86DD);
	for (uint32_t n = one_in(2) ? 0 : below(3); n > 0; n--)
		frame_vlan(&f, 0x8100, (uint16_t)(n + 4));
	throw_chain(tunnel ? IPPROTO_IPV6 : roce ? IPPROTO_UDP : IPPROTO_ICMPV6);
	if (tunnel)
		throw_chain(roce ? IPPROTO_UDP : IPPROTO_ICMPV6);
	if (roce)
		frame_roce(&f, below(200));
	else
		ref_random_fill(&seed, frame_zero(&f, 60), 60);
	if (roce && !one_in(4))
		ref_random_fill(&seed, f.data + f.udp + 13, f.len - f.udp - 13);
	frame_finish(&f);
}

/* The ICRC is right, or any value; and so is the UDP checksum, or there is none. */
TEST(thrown)
{
	unsigned int count[3] = {0}, n_roce = 0;

	for (unsigned int i = 0; i < 60000; i++) {
		enum fcn_ioam_remove_result result;
		struct fcn_wire_info info;

		throw_frame();
		if (f.udp != 0 && one_in(2))
			ioam_finish(&f, refs[i % 3], !one_in(3));
		else if (f.udp != 0)
			ref_random_fill(&seed, f.data + f.udp + 6, 2);
		result = ioam_remove_check(f.data, f.len, modes[i % 3], NULL, NULL);
		assert_int_not_equal(result, FCN_IOAM_REMOVE_FAILED);
		count[result]++;
		fcn_parse_slow(f.data, f.len, f.len, &fcn_parse_default_codes, &info);
		if (result == FCN_IOAM_REMOVE_DONE && info.flags & FCN_PKT_ROCE)
			n_roce++;
	}
	/* Otherwise the generator is not what it is taken for. */
	assert_true(count[FCN_IOAM_REMOVE_NONE] > 5000);
	assert_true(count[FCN_IOAM_REMOVE_DONE] > 20000);
	assert_true(n_roce > 10000);
}

/* Packets with the right ICRC have the right one afterwards, as lib/wire itself sees it. */
TEST(recomputed)
{
	unsigned int n = 0;

	for (unsigned int i = 0; n < 6000; i++) {
		struct fcn_wire_info info;
		uint8_t out[FRAME_MAX];
		uint32_t len;

		throw_frame();
		if (f.udp == 0)
			continue;
		ioam_finish(&f, refs[i % 3], true);
		fcn_parse_slow(f.data, f.len, f.len, &fcn_parse_default_codes, &info);
		if (!(info.flags & FCN_PKT_ROCE) ||
				ioam_remove_check(f.data, f.len, modes[i % 3], out, &len) !=
						FCN_IOAM_REMOVE_DONE)
			continue;
		n++;
		fcn_parse_slow(out, len, len, &fcn_parse_default_codes, &info);
		assert_true(fcn_icrc_ok(&crc, out + info.inner_l3_off,
				(uint32_t)info.l4_off - info.inner_l3_off,
				(uint32_t)info.l3_off + info.ip_len - info.inner_l3_off,
				modes[i % 3]));
	}
}

/* Any octets wrong: nothing outside the buffer, and what is stripped is well-formed. */
TEST(scrambled)
{
	for (unsigned int i = 0; i < 60000; i++) {
		throw_frame();
		for (uint32_t n = 1 + below(6); n > 0; n--) {
			uint32_t headers = RTE_MIN(f.len, 160u);

			f.data[12 + below(headers - 12)] = (uint8_t)(one_in(2) ? below(256)
									       : below(8));
		}
		ioam_remove_check(
				f.data, one_in(2) ? f.len : below(f.len), modes[i % 3], NULL, NULL);
	}
}

/* A packet in two segments: the ICRC in the last, the headers in the first or not. */
static void
check_segments(const uint8_t *data, uint32_t len, enum fcn_icrc_mode mode)
{
	struct fcn_wire_info whole, info, before;
	uint8_t *copy = exact_copy(data, len);
	uint32_t removed, all, chain;

	fcn_parse_slow(data, len, len, &fcn_parse_default_codes, &whole);
	assert_true(whole.flags & FCN_PKT_ROCE);
	chain = whole.flags & FCN_PKT_TUNNEL ? whole.inner_l3_off : whole.l4_off;
	info = whole;
	assert_int_equal(fcn_ioam_remove(copy, len, &info, mode, copy + len - 4, &all),
			FCN_IOAM_REMOVE_DONE);
	for (uint32_t cut = 0; cut < len; cut++) {
		uint8_t *seg = exact_copy(data, cut), *icrc = exact_copy(data + len - 4, 4);
		enum fcn_ioam_remove_result result;
		bool roce, has;

		fcn_parse_slow(seg, cut, len, &fcn_parse_default_codes, &info);
		before = info;
		roce = (info.flags & FCN_PKT_ROCE) != 0;
		has = fcn_ioam_has_option(seg, cut, &info);
		result = fcn_ioam_remove(seg, cut, &info, mode, roce ? icrc : NULL, &removed);
		assert_int_equal(has, result != FCN_IOAM_REMOVE_NONE);
		if (cut >= chain) {
			assert_int_equal(result, FCN_IOAM_REMOVE_DONE);
			assert_int_equal(removed, all);
			if (roce) {
				assert_memory_equal(
						seg + all, copy + all, RTE_MIN(cut, len - 4) - all);
				assert_memory_equal(icrc, copy + len - 4, 4);
			} else {
				assert_memory_equal(seg + all, copy + all, chain - all);
				assert_memory_equal(icrc, data + len - 4, 4);
			}
		} else {
			assert_int_not_equal(result, FCN_IOAM_REMOVE_DONE);
			assert_int_equal(removed, 0);
			assert_memory_equal(seg, data, cut);
			assert_memory_equal(icrc, data + len - 4, 4);
			assert_memory_equal(&info, &before, sizeof(info));
		}
		free(seg);
		free(icrc);
	}
	free(copy);
}

TEST(segments)
{
	struct vectors v;
	unsigned int n = 0;

	vectors_load(&v, "05_roce6_write_ioam");
	for (unsigned int i = 0; i < 3 * v.n; i++)
		check_segments(v.data[i / 3], v.len[i / 3], modes[i % 3]);
	vectors_free(&v);
	while (n < 60) {
		struct fcn_wire_info info;

		throw_frame();
		fcn_parse_slow(f.data, f.len, f.len, &fcn_parse_default_codes, &info);
		if (info.flags & FCN_PKT_ROCE && fcn_ioam_has_option(f.data, f.len, &info))
			check_segments(f.data, f.len, modes[n++ % 3]);
	}
}

/* Without a place of the ICRC it stays as it is, and so does the UDP checksum. */
TEST(no_icrc)
{
	struct fcn_wire_info info;
	struct vectors v;
	uint8_t *copy;
	uint32_t removed;

	vectors_load(&v, "05_roce6_write_ioam");
	copy = exact_copy(v.data[0], v.len[0]);
	fcn_parse_slow(copy, v.len[0], v.len[0], &fcn_parse_default_codes, &info);
	assert_int_equal(fcn_ioam_remove(copy, v.len[0], &info, FCN_ICRC_SKIP, NULL, &removed),
			FCN_IOAM_REMOVE_DONE);
	assert_int_equal(removed, 104);
	assert_memory_equal(copy + 158, v.data[0] + 158, v.len[0] - 158);
	free(copy);
	vectors_free(&v);
}

/* Each octet of a packet wrong, one at a time: where the ICRC tells before, it tells after. */
TEST(damage)
{
	struct vectors v;
	uint8_t out[512];
	uint32_t len;

	vectors_load(&v, "05_roce6_write_ioam");
	for (uint32_t i = 158; i < v.len[0]; i++) {
		/* UDP checksum and the congestion bits of the BTH are not covered. */
		bool covered = i != 158 + 6 && i != 158 + 7 && i != 158 + 12;
		/* The port and the length make it another packet. */
		if (i >= 158 + 2 && i < 158 + 6)
			continue;
		/* Transport version: not RoCEv2 as far as we know. */
		if (i == 158 + 9)
			continue;
		v.data[0][i] ^= 0x40;
		assert_int_equal(ioam_remove_check(v.data[0], v.len[0], FCN_ICRC_SKIP, out, &len),
				FCN_IOAM_REMOVE_DONE);
		v.data[0][i] ^= 0x40;
		assert_int_equal(
				fcn_icrc_ok(&crc, out + 14, 40, len - 14, FCN_ICRC_SKIP), !covered);
	}
	vectors_free(&v);
}

/* The checksum that would be 0 after the correction is written as 0xFFFF. */
TEST(checksum_zero)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < 4 * 65536 && n < 2; i++) {
		static const uint8_t area[6] = {0x31, 0x04, 0, 0, 0xA1, 0xA2};
		struct fcn_wire_info info;
		uint8_t *payload, *udp;
		uint32_t removed;

		frame_ether(&f, 0x86DD);
		frame_ip6(&f, IPPROTO_HOPOPTS);
		frame_put(&f, (const uint8_t[2]){IPPROTO_UDP, 0}, 2);
		frame_put(&f, area, 6);
		frame_roce(&f, 4 + n);
		frame_finish(&f);
		payload = f.data + f.udp + 20;
		payload[0] = (uint8_t)i;
		payload[1] = (uint8_t)(i >> 8);
		payload[2] = (uint8_t)(i >> 16);
		ioam_finish(&f, REF_SKIP, true);
		fcn_parse_slow(f.data, f.len, f.len, &fcn_parse_default_codes, &info);
		udp = f.data + f.udp;
		assert_int_equal(fcn_ioam_remove(f.data, f.len, &info, FCN_ICRC_SKIP,
						 f.data + f.len - 4, &removed),
				FCN_IOAM_REMOVE_DONE);
		assert_int_not_equal(udp[6] << 8 | udp[7], 0);
		if (udp[6] == 0xFF && udp[7] == 0xFF) {
			const uint8_t *ip = f.data + removed + 14;

			assert_int_equal(ref_udp_sum(ip + 8, ip + 24, 16, udp, f.len - f.udp),
					0xFFFF);
			n++;
		}
	}
	assert_int_equal(n, 2);
}

TEST_FIXTURE(FCN_TEST_CRC);
