/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* IOAM options taken out at the edge: vectors, headers laid out on paper, what cannot be done. */

#include <netinet/in.h>

#include <rte_common.h>

#include "ioam_remove.h"
#include "fcn_test.h"
#include "vectors.h"

#define HBH IPPROTO_HOPOPTS
#define DST IPPROTO_DSTOPTS

static const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
static const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};

/* An IOAM option of 8 octets with its padding, and an area of 14 octets with a kept option in it.
 */
static const uint8_t ioam_area[6] = {0x31, 0x04, 0, 0, 0xA1, 0xA2};
static const uint8_t mixed_area[14] = {
		0x01, 0x00, 0x11, 0x02, 0x00, 0x03, 0x05, 0x02, 0xCA, 0xFE, 0x01, 0x02, 0, 0};
/* The same without the IOAM option: 05 stays at 8n. */
static const uint8_t mixed_left[14] = {
		0x01, 0x04, 0, 0, 0, 0, 0x05, 0x02, 0xCA, 0xFE, 0x01, 0x02, 0, 0};

/* Frame given and frame expected. */
static struct frame in, out;

static void
put_header(struct frame *f, uint8_t next, const uint8_t *area, uint32_t len)
{
	uint8_t hdr[2] = {next, (uint8_t)((len + 2) / 8 - 1)};

	assert_int_equal((len + 2) % 8, 0);
	frame_put(f, hdr, sizeof(hdr));
	frame_put(f, area, len);
}

/* Sealed in each convention, with and without a UDP checksum, octet by octet. */
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
		assert_int_equal(ioam_remove_check(in.data, in.len, modes[i / 2], got, &len),
				FCN_IOAM_REMOVE_DONE);
		assert_int_equal(len, out.len);
		assert_memory_equal(got, out.data, len);
	}
}

/* The vector with a trace becomes the one without, at its hop limit. */
TEST(vector)
{
	/* The ICRCs of the frames by convention, as they are known for this file. */
	static const uint8_t icrc[3][5][4] = {
			{{0xE6, 0x11, 0xE8, 0x93}, {0xE6, 0x11, 0xE8, 0x93},
					{0xE6, 0x11, 0xE8, 0x93}, {0xE6, 0x11, 0xE8, 0x93},
					{0xE6, 0x11, 0xE8, 0x93}},
			{{0x99, 0x2B, 0xED, 0xCD}, {0xF5, 0x48, 0xED, 0xE9},
					{0x09, 0x93, 0xB7, 0x3F}, {0x4E, 0xEF, 0x35, 0xA1},
					{0x61, 0xDA, 0xE2, 0x0A}},
			{{0x1D, 0x2E, 0xA1, 0xBF}, {0x1D, 0x2E, 0xA1, 0xBF},
					{0x1D, 0x2E, 0xA1, 0xBF}, {0x1D, 0x2E, 0xA1, 0xBF},
					{0x1D, 0x2E, 0xA1, 0xBF}},
	};
	struct vectors with, without;
	uint8_t got[512];
	uint32_t len;

	vectors_load(&with, "05_roce6_write_ioam");
	vectors_load(&without, "01_roce6_write");
	for (unsigned int i = 0; i < 3; i++) {
		for (unsigned int j = 0; j < with.n; j++) {
			uint8_t *udp = with.data[j] + 158;
			uint16_t sum;

			memcpy(with.data[j] + with.len[j] - 4, icrc[i][j], 4);
			udp[6] = udp[7] = 0;
			sum = (uint16_t)~ref_udp_sum(
					with.data[j] + 22, with.data[j] + 38, 16, udp, 104);
			udp[6] = (uint8_t)(sum >> 8);
			udp[7] = (uint8_t)sum;
			assert_int_equal(ioam_remove_check(with.data[j], with.len[j], modes[i], got,
							 &len),
					FCN_IOAM_REMOVE_DONE);
			assert_int_equal(len, without.len[0]);
			assert_int_equal(got[21], 64 - j);
			got[21] = 64;
			assert_memory_equal(got, without.data[0], len);
		}
	}
	vectors_free(&with);
	vectors_free(&without);
}

TEST(linux)
{
	struct vectors with, without;
	uint8_t got[512];
	uint32_t len;

	vectors_load(&with, "20_linux_ioam_hop");
	vectors_load(&without, "01_roce6_write");
	for (unsigned int j = 0; j < with.n; j++) {
		assert_int_equal(ioam_remove_check(with.data[j], with.len[j], FCN_ICRC_SKIP, got,
						 &len),
				FCN_IOAM_REMOVE_DONE);
		assert_int_equal(len, without.len[0]);
		got[21] = 64;
		assert_memory_equal(got + 14, without.data[0] + 14, len - 14);
	}
	vectors_free(&with);
	vectors_free(&without);
}

/* Fast CNPs behind a trace: the Destination Options header stays as it is in the vectors. */
TEST(in_front_of_options)
{
	static const struct {
		const char *file;
		unsigned int frame, mode;
	} cases[] = {{"09_fastcnp_opt1", 0, 0}, {"09_fastcnp_opt1", 1, 1},
			{"09_fastcnp_opt1", 2, 2}, {"09_fastcnp_opt1", 3, 0},
			{"10_fastcnp_opt2", 0, 0}, {"10_fastcnp_opt2", 1, 0},
			{"10_fastcnp_opt2", 2, 1}, {"13_roce6_write_proxyopt", 0, 0}};
	static uint8_t area[102] = {0x01, 0x00, 0x31, 0x5E, 0, 0, 0, 0x7B, 0x38, 0x15, 0xB6,
			0x20, [98] = 0x01, [99] = 0x02};
	uint8_t got[FRAME_MAX];
	struct vectors v;
	uint32_t len;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		const uint8_t *p;
		uint32_t l4;

		vectors_load(&v, cases[i].file);
		p = v.data[cases[i].frame];
		l4 = 54 + (p[55] + 1u) * 8;
		memset(&in, 0, sizeof(in));
		frame_put(&in, p, 54);
		in.data[20] = HBH;
		put_header(&in, DST, area, sizeof(area));
		frame_put(&in, p + 54, v.len[cases[i].frame] - 54);
		in.ip[0] = 14;
		in.n_ip = 1;
		in.udp = l4 + 104;
		frame_finish(&in);
		ioam_finish(&in, refs[cases[i].mode], true);
		assert_int_equal(
				ioam_remove_check(in.data, in.len, modes[cases[i].mode], got, &len),
				FCN_IOAM_REMOVE_DONE);
		assert_int_equal(len, v.len[cases[i].frame]);
		assert_memory_equal(got, p, len);
		vectors_free(&v);
	}
}

/* Frames without IOAM options, a Fast CNP that carries a trace among them, stay as they are. */
TEST(others)
{
	struct vectors v;

	for (unsigned int i = 0; i < vector_n_files; i++) {
		bool malformed = strcmp(vector_files[i], "16_malformed") == 0;

		vectors_load(&v, vector_files[i]);
		for (unsigned int j = 0; j < v.n; j++) {
			enum fcn_ioam_remove_result result = FCN_IOAM_REMOVE_NONE;

			if (strcmp(vector_files[i], "05_roce6_write_ioam") == 0)
				result = FCN_IOAM_REMOVE_DONE;
			/* Cut one short, its option leaves A0 00, 06 00, 11 22 ..., 0D B8 behind.
			 */
			if (malformed && j == 7)
				result = FCN_IOAM_REMOVE_FAILED;
			/* NodeLen and RemainingLen that are wrong keep no trace in the packet. */
			if (malformed && j >= 8 && j <= 10)
				result = FCN_IOAM_REMOVE_DONE;
			assert_int_equal(ioam_remove_check(v.data[j], v.len[j], FCN_ICRC_SKIP, NULL,
							 NULL),
					result);
		}
		vectors_free(&v);
	}
}

/* One header laid out on paper, and what is left of it. Offsets in it: area[0] is 2. */
static const struct {
	uint8_t in_len, out_len;
	uint8_t in[54], out[30];
} layouts[] = {
		/* Nothing but IOAM, one, two, without data, behind long padding. */
		{6, 0, {0x31, 0x04, 0, 0, 0xA1, 0xA2}, {0}},
		{6, 0, {0x31, 0x00, 0x11, 0x00, 0x01, 0x00}, {0}},
		{14, 0, {0x01, 0x06, 0, 0, 0, 0, 0, 0, 0x11, 0x02, 0x00, 0x03, 0x00, 0x00}, {0}},
		/* 05 at 16 goes to 8. */
		{22, 14,
				{0x01, 0x00, 0x31, 0x0A, 0, 0, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8,
						0xA9, 0xAA, 0x05, 0x02, 0xCA, 0xFE, 0x01, 0x02, 0,
						0},
				{0x01, 0x04, 0, 0, 0, 0, 0x05, 0x02, 0xCA, 0xFE, 0x01, 0x02, 0, 0}},
		/* 05 at 11 goes to 3: a gap of one on either side. */
		{14, 6, {0x31, 0x03, 0, 0, 0xA1, 0x11, 0x02, 0, 3, 0x05, 0x02, 0xCA, 0xFE, 0x00},
				{0x00, 0x05, 0x02, 0xCA, 0xFE, 0x00}},
		/* C2 at 8 cannot move: nothing gets shorter. */
		{14, 14,
				{0x31, 0x02, 0, 0, 0x01, 0x00, 0xC2, 0x06, 0xB1, 0xB2, 0xB3, 0xB4,
						0xB5, 0xB6},
				{0x01, 0x04, 0, 0, 0, 0, 0xC2, 0x06, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5,
						0xB6}},
		/* 3E at 20, behind 14 octets of padding, goes to 4. */
		{22, 6,
				{0x01, 0x0C, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x31, 0x02, 0, 0,
						0x3E, 0x00, 0x00, 0x00},
				{0x01, 0x00, 0x3E, 0x00, 0x01, 0x00}},
		/* IOAM on both sides of 04 at 8. */
		{14, 14, {0x01, 0x00, 0x31, 0x02, 0, 1, 0x04, 0x02, 0xCA, 0xFE, 0x11, 0x02, 0, 3},
				{0x01, 0x04, 0, 0, 0, 0, 0x04, 0x02, 0xCA, 0xFE, 0x01, 0x02, 0, 0}},
		/* 05 at 2 stays, 3E at 16 goes to 8, the rest goes. */
		{30, 14,
				{0x05, 0x02, 0xCA, 0xFE, 0x01, 0x00, 0x31, 0x06, 0, 0, 0xA1, 0xA2,
						0xA3, 0xA4, 0x3E, 0x06, 0xB1, 0xB2, 0xB3, 0xB4,
						0xB5, 0xB6, 0x11, 0x02, 0, 3, 0x01, 0x02, 0, 0},
				{0x05, 0x02, 0xCA, 0xFE, 0x01, 0x00, 0x3E, 0x06, 0xB1, 0xB2, 0xB3,
						0xB4, 0xB5, 0xB6}},
		/* 1E at 10 goes to 2, 3E directly behind it goes along, and Pad1s are counted anew.
		 */
		{22, 6,
				{0x31, 0x06, 0, 0, 0xA1, 0xA2, 0xA3, 0xA4, 0x1E, 0x01, 0xB1, 0x3E,
						0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
						0x00, 0x00},
				{0x1E, 0x01, 0xB1, 0x3E, 0x00, 0x00}},
		/* 05 at 9, behind IOAM from 3 on, stays where the gap is seven. */
		{14, 14,
				{0x00, 0x31, 0x04, 0, 0, 0xA1, 0xA2, 0x05, 0x02, 0xCA, 0xFE, 0x01,
						0x01, 0x00},
				{0x01, 0x05, 0, 0, 0, 0, 0, 0x05, 0x02, 0xCA, 0xFE, 0x01, 0x01, 0}},
};

TEST(layouts)
{
	for (unsigned int i = 0; i < 2 * RTE_DIM(layouts); i++) {
		uint8_t proto = i % 2 == 0 ? HBH : DST;

		frame_ether(&in, 0x86DD);
		frame_ip6(&in, proto);
		put_header(&in, IPPROTO_UDP, layouts[i / 2].in, layouts[i / 2].in_len);
		frame_roce(&in, 37);
		frame_ether(&out, 0x86DD);
		frame_ip6(&out, layouts[i / 2].out_len != 0 ? proto : IPPROTO_UDP);
		if (layouts[i / 2].out_len != 0)
			put_header(&out, IPPROTO_UDP, layouts[i / 2].out, layouts[i / 2].out_len);
		frame_roce(&out, 37);
		check_frames();
	}
}

/* Which headers there are, each with nothing, IOAM alone, IOAM and more; which then stay. */
TEST(chains)
{
	static const uint8_t plain_area[6] = {0x05, 0x02, 0xCA, 0xFE, 0x01, 0x00};
	enum {
		ABSENT,
		PLAIN,
		IOAM,
		MIXED,
		KINDS
	};
	static const uint8_t protos[4] = {HBH, DST, IPPROTO_ROUTING, DST};

	for (unsigned int set = 0; set < KINDS * KINDS * KINDS * 2 * 3; set++) {
		unsigned int kind[4] = {set % KINDS, set / KINDS % KINDS, set / (KINDS * KINDS) % 2,
				set / (KINDS * KINDS * 2) % KINDS};
		unsigned int vlans = set / (KINDS * KINDS * KINDS * 2);
		unsigned int n_ioam = 0;

		for (unsigned int i = 0; i < 4; i++)
			n_ioam += kind[i] == IOAM || kind[i] == MIXED;
		if (n_ioam == 0)
			continue;
		for (unsigned int side = 0; side < 2; side++) {
			struct frame *f = side == 0 ? &in : &out;
			uint8_t next = IPPROTO_UDP, nexts[4];

			for (unsigned int i = 4; i-- > 0;) {
				nexts[i] = next;
				if (kind[i] != ABSENT && (side == 0 || kind[i] != IOAM))
					next = protos[i];
			}
			frame_ether(f, 0x86DD);
			for (unsigned int i = 0; i < vlans; i++)
				frame_vlan(f, 0x8100, (uint16_t)(0x2001 + i));
			frame_ip6(f, next);
			for (unsigned int i = 0; i < 4; i++) {
				if (kind[i] == ABSENT || (side == 1 && kind[i] == IOAM))
					continue;
				if (i == 2)
					frame_srh(f, nexts[i], 2, 0, 0);
				else if (kind[i] == PLAIN)
					put_header(f, nexts[i], plain_area, 6);
				else if (kind[i] == IOAM)
					put_header(f, nexts[i], ioam_area, 6);
				else
					put_header(f, nexts[i], side == 0 ? mixed_area : mixed_left,
							14);
			}
			frame_roce(f, 64);
		}
		check_frames();
	}
}

/* The ICRC of a packet in a tunnel covers nothing of the outer headers; a trace inside stays. */
TEST(tunnel)
{
	/* A trace with room for one node of one word. */
	static const uint8_t trace_area[22] = {0x01, 0x00, 0x31, 0x0E, 0, 0, 0, 0x7B, 0x08, 0x01,
			0x80, [18] = 0x01, [19] = 0x02};

	for (unsigned int inside = 0; inside < 2; inside++) {
		for (unsigned int side = 0; side < 2; side++) {
			struct frame *f = side == 0 ? &in : &out;

			frame_ether(f, 0x86DD);
			frame_ip6(f, side == 0 ? HBH : DST);
			if (side == 0)
				put_header(f, DST, ioam_area, 6);
			put_header(f, IPPROTO_IPV6, side == 0 ? mixed_area : mixed_left, 14);
			frame_ip6(f, inside ? HBH : IPPROTO_UDP);
			if (inside)
				put_header(f, IPPROTO_UDP, trace_area, sizeof(trace_area));
			frame_roce(f, 64);
		}
		check_frames();
	}
}

/* Not in one segment, not well-formed, not RoCEv2: only the headers change. */
static void
check_not_roce(enum fcn_ioam_remove_result result)
{
	uint8_t got[FRAME_MAX];
	uint32_t len;

	frame_finish(&in);
	frame_finish(&out);
	for (unsigned int i = 0; i < RTE_DIM(modes); i++) {
		assert_int_equal(ioam_remove_check(in.data, in.len, modes[i], got, &len), result);
		if (result == FCN_IOAM_REMOVE_DONE) {
			assert_int_equal(len, out.len);
			assert_memory_equal(got, out.data, len);
		}
	}
}

/* In front of what is not read; behind that it is not looked for. */
TEST(upper_layers)
{
	static const uint8_t protos[] = {IPPROTO_FRAGMENT, IPPROTO_ESP, IPPROTO_AH, IPPROTO_NONE,
			IPPROTO_TCP, IPPROTO_ICMPV6, 135, 139, 253};
	static const uint8_t later[8] = {IPPROTO_UDP, 0, 0x00, 0x09, 0, 0, 0, 7};

	for (unsigned int i = 0; i < RTE_DIM(protos); i++) {
		for (unsigned int side = 0; side < 2; side++) {
			struct frame *f = side == 0 ? &in : &out;

			frame_ether(f, 0x86DD);
			frame_ip6(f, side == 0 ? HBH : protos[i]);
			if (side == 0)
				put_header(f, protos[i], ioam_area, 6);
			frame_put(f, later, 8);
			frame_zero(f, 40);
		}
		check_not_roce(FCN_IOAM_REMOVE_DONE);

		frame_ether(&in, 0x86DD);
		frame_ip6(&in, protos[i]);
		/* Reads as a header of eight octets with Destination Options behind it. */
		frame_put(&in, (const uint8_t[8]){DST}, 8);
		put_header(&in, IPPROTO_UDP, ioam_area, 6);
		frame_zero(&in, 40);
		check_not_roce(FCN_IOAM_REMOVE_NONE);
	}
	frame_ether(&in, 0x0800);
	frame_ip4(&in, HBH, 20);
	put_header(&in, IPPROTO_UDP, ioam_area, 6);
	check_not_roce(FCN_IOAM_REMOVE_NONE);
	frame_ether(&in, 0x0800);
	frame_ip4(&in, IPPROTO_IPV6, 20);
	frame_ip6(&in, HBH);
	put_header(&in, IPPROTO_UDP, ioam_area, 6);
	frame_roce(&in, 20);
	check_not_roce(FCN_IOAM_REMOVE_NONE);
}

TEST(stuck)
{
	/* Header and what its options area is; each seen to hold IOAM or not before it breaks. */
	static const struct {
		enum fcn_ioam_remove_result result;
		uint8_t area[6];
	} cases[] = {
			{FCN_IOAM_REMOVE_FAILED, {0x31, 0x05, 0, 0, 0, 0}}, /* past its header */
			{FCN_IOAM_REMOVE_FAILED, {0x31, 0xFF, 0, 0, 0, 0}},
			{FCN_IOAM_REMOVE_FAILED, {0x01, 0x03, 0, 0, 0, 0x11}}, /* no length */
			{FCN_IOAM_REMOVE_FAILED, {0x31, 0x02, 0, 0, 0x05, 0x01}},
			{FCN_IOAM_REMOVE_FAILED, {0x11, 0x02, 0, 0, 0x01, 0x01}},
			{FCN_IOAM_REMOVE_FAILED, {0x11, 0x03, 0, 0, 0, 0x05}},
			{FCN_IOAM_REMOVE_NONE, {0x05, 0x05, 0, 0, 0x31, 0x00}},
			{FCN_IOAM_REMOVE_NONE, {0x01, 0x03, 0x31, 0x00, 0x31, 0x05}},
			{FCN_IOAM_REMOVE_NONE, {0x01, 0x05, 0, 0, 0x31, 0x00}},
			{FCN_IOAM_REMOVE_DONE, {0x01, 0x02, 0xFF, 0xFF, 0x31, 0x00}},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		for (unsigned int side = 0; side < 2; side++) {
			struct frame *f = side == 0 ? &in : &out;

			frame_ether(f, 0x86DD);
			frame_ip6(f, side == 0 ? HBH : IPPROTO_UDP);
			if (side == 0)
				put_header(f, IPPROTO_UDP, cases[i].area, 6);
			frame_roce(f, 20);
		}
		check_not_roce(cases[i].result);
	}

	/* One header malformed, another with IOAM: what is in the former nobody knows. */
	for (unsigned int i = 0; i < 2; i++) {
		frame_ether(&in, 0x86DD);
		frame_ip6(&in, HBH);
		put_header(&in, DST, i == 0 ? cases[6].area : ioam_area, 6);
		put_header(&in, IPPROTO_UDP, i == 0 ? ioam_area : cases[6].area, 6);
		frame_roce(&in, 20);
		check_not_roce(FCN_IOAM_REMOVE_FAILED);
	}

	/* The option's type is the last octet there is. */
	frame_ether(&in, 0x86DD);
	frame_ip6(&in, HBH);
	frame_put(&in, (const uint8_t[3]){IPPROTO_UDP, 0, 0x31}, 3);
	check_not_roce(FCN_IOAM_REMOVE_FAILED);
	in.len--;
	check_not_roce(FCN_IOAM_REMOVE_NONE);
	in.len--;
	check_not_roce(FCN_IOAM_REMOVE_NONE);

	/* A header that ends behind its packet, with IOAM in front of the packet's end or behind.
	 */
	for (unsigned int i = 0; i < 2; i++) {
		frame_ether(&in, 0x86DD);
		frame_ip6(&in, HBH);
		put_header(&in, IPPROTO_UDP, mixed_area, 14);
		in.data[55] = 9;
		frame_finish(&in);
		in.data[19] = i == 0 ? 16 : 8;
		in.data[58] = i == 0 ? 0x11 : 0x01;
		in.n_ip = 0;
		frame_put(&in, ioam_area, 6); /* not the packet's */
		check_not_roce(i == 0 ? FCN_IOAM_REMOVE_FAILED : FCN_IOAM_REMOVE_NONE);
	}
}

/* As many headers as are read, and one more. */
TEST(many_headers)
{
	static const uint8_t pad_area[6] = {0x01, 0x04};

	for (unsigned int n = 7; n <= 9; n++) {
		for (unsigned int at = 0; at < n; at++) {
			for (unsigned int side = 0; side < 2; side++) {
				struct frame *f = side == 0 ? &in : &out;

				frame_ether(f, 0x86DD);
				frame_ip6(f, DST);
				for (unsigned int i = 0; i < n; i++) {
					uint8_t next = i + 1 == n ? IPPROTO_UDP : DST;

					/* The last on the other side is the one before. */
					if (side == 1 && i + 2 == n && at == n - 1)
						next = IPPROTO_UDP;
					if (i == at && side == 1)
						continue;
					put_header(f, next, i == at ? ioam_area : pad_area, 6);
				}
				frame_roce(f, 20);
			}
			if (n <= FCN_PARSE_MAX_EXT)
				check_frames();
			else
				check_not_roce(at < FCN_PARSE_MAX_EXT ? FCN_IOAM_REMOVE_FAILED
								      : FCN_IOAM_REMOVE_NONE);
		}
	}
}
