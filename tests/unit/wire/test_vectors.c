/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Every packet vector: what the walk finds in it, which defect it names, and its ICRC. */

#include "fcn_cnp.h"
#include "fcn_fastcnp.h"
#include "fcn_icrc.h"
#include "fcn_parse.h"
#include "crc.h"
#include "reference.h"
#include "vectors.h"

#define ROCE6 (FCN_PKT_IPV6 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT)
#define ROCE4 (FCN_PKT_IPV4 | FCN_PKT_INNER_IPV4 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT)
#define IOAM6 (ROCE6 | FCN_PKT_HBH | FCN_PKT_IOAM_TRACE)
#define TUNNEL6 (ROCE6 | FCN_PKT_TUNNEL)
#define FAST6 (ROCE6 | FCN_PKT_FASTCNP)

#define SKIP FCN_ICRC_SKIP
#define COVER FCN_ICRC_COVER
#define NORM FCN_ICRC_NORM

/* What is in each frame. Offsets follow from the layouts of the headers: Ethernet 14, IPv6 40, IPv4
 * 20, SRH 8 + 16n. What all frames of a kind have in common: check_info(). */
static const struct expected {
	const char *file;
	uint32_t flags;
	uint16_t inner_l3_off, l4_off, ip_len, src_port;
	uint32_t dest_qp;
	uint8_t opcode, tclass, ttl;
	enum fcn_icrc_mode mode;
} expected[] = {
		{"01_roce6_write", ROCE6, 14, 54, 144, 0xC0DE, 0x1A7, 0x0A, 0x6A, 64, SKIP},
		{"01_roce6_write", ROCE6, 14, 54, 144, 0xC0DE, 0x1A7, 0x0A, 0x6B, 63, SKIP},
		{"02_roce4_write", ROCE4, 14, 34, 124, 0xC0DE, 0x1A7, 0x0A, 0x6A, 64, SKIP},
		{"03_roce6_ack", ROCE6, 14, 54, 68, 0xD00D, 0xB2, 0x11, 0x6A, 64, SKIP},
		{"04_cnp", ROCE6, 14, 54, 80, 0xD00D, 0xB2, 0x81, 0xC0, 64, SKIP},
		{"04_cnp", ROCE4, 14, 34, 60, 0xD00D, 0xB2, 0x81, 0xC0, 64, SKIP},
		{"04_cnp", ROCE4, 14, 34, 60, 0, 0x118, 0x81, 0xC2, 64, SKIP},
		/* A Hop-by-Hop header of 104 bytes. */
		{"05_roce6_write_ioam", IOAM6, 14, 158, 248, 0xC0DE, 0x1A7, 0x0A, 0x6A, 64, SKIP},
		{"05_roce6_write_ioam", IOAM6, 14, 158, 248, 0xC0DE, 0x1A7, 0x0A, 0x6A, 63, SKIP},
		{"05_roce6_write_ioam", IOAM6, 14, 158, 248, 0xC0DE, 0x1A7, 0x0A, 0x6A, 62, SKIP},
		{"05_roce6_write_ioam", IOAM6, 14, 158, 248, 0xC0DE, 0x1A7, 0x0A, 0x6A, 61, SKIP},
		{"05_roce6_write_ioam", IOAM6, 14, 158, 248, 0xC0DE, 0x1A7, 0x0A, 0x6A, 60, SKIP},
		{"06_srv6_encaps_srh", TUNNEL6 | FCN_PKT_SRH, 94, 134, 224, 0xC0DE, 0x1A7, 0x0A,
				0x6A, 64, SKIP},
		{"06_srv6_encaps_srh", TUNNEL6, 94, 134, 224, 0xC0DE, 0x1A7, 0x0A, 0x6B, 62, SKIP},
		{"07_srv6_encaps_nosrh", TUNNEL6, 54, 94, 184, 0xC0DE, 0x1A7, 0x0A, 0x6A, 64, SKIP},
		{"08_srv6_encaps_red", TUNNEL6 | FCN_PKT_SRH, 78, 118, 208, 0xC0DE, 0x1A7, 0x0A,
				0x6A, 64, SKIP},
		{"09_fastcnp_opt1", FAST6, 14, 78, 104, 0xC0DE, 0x1A7, 0x81, 0xC0, 64, SKIP},
		{"09_fastcnp_opt1", FAST6, 14, 78, 104, 0xC0DE, 0x1A7, 0x81, 0xC0, 64, COVER},
		{"09_fastcnp_opt1", FAST6, 14, 78, 104, 0xC0DE, 0x1A7, 0x81, 0xC0, 64, NORM},
		{"09_fastcnp_opt1", FAST6, 14, 78, 104, 0xC0DE, 0x1A7, 0x81, 0xC0, 64, SKIP},
		/* Destination Options of 120, 88, 120, 256 bytes. */
		{"10_fastcnp_opt2", FAST6, 14, 174, 200, 0xC0DE, 0x1A7, 0x81, 0xC0, 64, SKIP},
		{"10_fastcnp_opt2", FAST6, 14, 142, 168, 0xC0DE, 0x1A7, 0x81, 0xC0, 64, SKIP},
		{"10_fastcnp_opt2", FAST6, 14, 174, 200, 0xC0DE, 0x1A7, 0x81, 0xC0, 64, COVER},
		{"10_fastcnp_opt2", FAST6, 14, 310, 336, 0xC0DE, 0x1A7, 0x81, 0xC0, 64, SKIP},
		{"11_fastcnp_srv6_endcon", FAST6 | FCN_PKT_TUNNEL, 54, 118, 144, 0xC0DE, 0x1A7,
				0x81, 0xC0, 64, SKIP},
		/* Destination Options of 24 bytes. */
		{"13_roce6_write_proxyopt", ROCE6 | FCN_PKT_PROXY, 14, 78, 168, 0xC0DE, 0x1A7, 0x0A,
				0x6A, 64, SKIP},
};

/* Calls fn for every row of the table, with its frame. */
static void
for_each_valid(void (*fn)(const struct expected *e, const uint8_t *data, uint32_t len))
{
	struct vectors v = {.n = 0};
	unsigned int frame = 0, files = 0;

	for (unsigned int i = 0; i < RTE_DIM(expected); i++) {
		if (i == 0 || strcmp(expected[i].file, expected[i - 1].file) != 0) {
			assert_int_equal(frame, v.n); /* no frame of the last file left out */
			vectors_free(&v);
			vectors_load(&v, expected[i].file);
			frame = 0;
			files++;
		}
		assert_true(frame < v.n);
		fn(&expected[i], v.data[frame], v.len[frame]);
		frame++;
	}
	assert_int_equal(frame, v.n);
	assert_int_equal(files + 1, vector_n_files); /* all but the malformed ones */
	vectors_free(&v);
}

static void
check_info(const struct expected *e, const uint8_t *data, uint32_t len)
{
	const bool ip4 = e->flags & FCN_PKT_IPV4, ioam = e->flags & FCN_PKT_IOAM_TRACE;
	struct fcn_wire_info full, fast,
			want = {.flags = e->flags,
					.ether_type = ip4 ? 0x0800 : 0x86DD,
					.l3_off = 14,
					.inner_l3_off = e->inner_l3_off,
					.ip_len = e->ip_len,
					.l4_off = e->l4_off,
					.final_dst_off = ip4 ? 0 : e->inner_l3_off + 24,
					.src_port = e->src_port,
					.dst_port = 4791,
					.p_key = 0xFFFF,
					/* Behind 54 bytes of other headers, the header's two and
					 * PadN(2): 2 + 8 + 84 bytes of data. */
					.ioam_off = ioam ? 58 : 0,
					.ioam_len = ioam ? 94 : 0,
					.dest_qp = e->dest_qp,
					.opcode = e->opcode,
					.proto = 17,
					.tclass = e->tclass,
					.ttl = e->ttl,
					/* The option is at 6 of its header, the address two bytes
					   behind. */
					.proxy_off = e->flags & FCN_PKT_PROXY ? 54 + 8 : 0};

	memset(&full, 0xA5, sizeof(full));
	memset(&fast, 0x5A, sizeof(fast));
	assert_int_equal(fcn_parse_slow(data, len, len, &fcn_parse_default_codes, &full),
			FCN_WIRE_OK);
	assert_int_equal(fcn_parse(data, len, len, &fcn_parse_default_codes, &fast), FCN_WIRE_OK);
	assert_memory_equal(&full, &want, sizeof(want));
	assert_memory_equal(&fast, &want, sizeof(want));
}

TEST_FIXTURE(FCN_TEST_CRC);

TEST(info)
{
	for_each_valid(check_info);
}

static void
check_icrc(const struct expected *e, const uint8_t *data, uint32_t len)
{
	const uint8_t *ip = data + e->inner_l3_off;
	uint32_t l4 = e->l4_off - e->inner_l3_off;
	uint32_t ip_len = len - e->inner_l3_off;
	const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
	const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};

	assert_true(fcn_icrc_ok(&crc, ip, l4, ip_len, e->mode));
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(fcn_icrc(&crc, ip, l4, ip_len, modes[i]),
				ref_icrc(ip, l4, ip_len, refs[i]));
		/* The conventions differ wherever there is an extension header. */
		if (l4 > 40)
			assert_int_equal(fcn_icrc_ok(&crc, ip, l4, ip_len, modes[i]),
					modes[i] == e->mode);
	}
}

TEST(icrc)
{
	for_each_valid(check_icrc);
}

/* The ICRCs that the format's description lists, as the bytes on the wire. */
TEST(icrc_listed)
{
	static const struct {
		const char *file;
		unsigned int frame;
		enum fcn_icrc_mode mode;
		uint8_t wire[4];
	} listed[] = {
			{"05_roce6_write_ioam", 0, FCN_ICRC_SKIP, {0xe6, 0x11, 0xe8, 0x93}},
			{"05_roce6_write_ioam", 4, FCN_ICRC_SKIP, {0xe6, 0x11, 0xe8, 0x93}},
			{"05_roce6_write_ioam", 0, FCN_ICRC_COVER, {0x99, 0x2b, 0xed, 0xcd}},
			{"05_roce6_write_ioam", 1, FCN_ICRC_COVER, {0xf5, 0x48, 0xed, 0xe9}},
			{"05_roce6_write_ioam", 2, FCN_ICRC_COVER, {0x09, 0x93, 0xb7, 0x3f}},
			{"05_roce6_write_ioam", 3, FCN_ICRC_COVER, {0x4e, 0xef, 0x35, 0xa1}},
			{"05_roce6_write_ioam", 4, FCN_ICRC_COVER, {0x61, 0xda, 0xe2, 0x0a}},
			{"05_roce6_write_ioam", 2, FCN_ICRC_NORM, {0x1d, 0x2e, 0xa1, 0xbf}},
			{"09_fastcnp_opt1", 0, FCN_ICRC_COVER, {0x16, 0x35, 0x35, 0xdf}},
			{"09_fastcnp_opt1", 0, FCN_ICRC_NORM, {0xd5, 0x40, 0xbd, 0xd7}},
			{"09_fastcnp_opt1", 3, FCN_ICRC_COVER, {0xb0, 0xfa, 0x3a, 0xf0}},
			{"09_fastcnp_opt1", 3, FCN_ICRC_NORM, {0xd5, 0x40, 0xbd, 0xd7}},
	};
	struct fcn_wire_info info;
	struct vectors v;

	for (unsigned int i = 0; i < RTE_DIM(listed); i++) {
		const uint8_t *w = listed[i].wire;

		vectors_load(&v, listed[i].file);
		fcn_parse(v.data[listed[i].frame], v.len[listed[i].frame], v.len[listed[i].frame],
				&fcn_parse_default_codes, &info);
		assert_int_equal(fcn_icrc(&crc, v.data[listed[i].frame] + 14, info.l4_off - 14,
						 v.len[listed[i].frame] - 14, listed[i].mode),
				w[0] | w[1] << 8 | w[2] << 16 | (uint32_t)w[3] << 24);
		vectors_free(&v);
	}
}

/* Each malformed frame is refused for its own reason, by the walk or by the reader it is meant for.
 */
TEST(malformed)
{
	static const struct {
		enum fcn_wire_error walk; /* what fcn_parse() says */
		bool roce;                /* and whether it calls the frame RoCEv2 all the same */
	} want[] = {
			{FCN_WIRE_BTH_TRUNCATED, false},
			{FCN_WIRE_CNP_LENGTH, false},
			{FCN_WIRE_OK, true}, /* only the ICRC is wrong */
			{FCN_WIRE_OPTION_LENGTH, false},
			{FCN_WIRE_OPTION_OVERRUN, false},
			{FCN_WIRE_EXT_OVERRUN, false},
			{FCN_WIRE_PADN_NONZERO, false},
			{FCN_WIRE_OPTION_LENGTH, false},
			{FCN_WIRE_IOAM_NODELEN_ZERO, true},
			{FCN_WIRE_IOAM_REMAINING_LEN, true},
			{FCN_WIRE_IOAM_NODELEN_TYPE, true},
			{FCN_WIRE_SRH_SEGMENTS_LEFT, false},
			{FCN_WIRE_SRH_LAST_ENTRY, false},
			{FCN_WIRE_SRH_LENGTH, false},
			{FCN_WIRE_IPV6_LENGTH, false},
			{FCN_WIRE_UDP_LENGTH, false},
	};
	struct fcn_wire_info info, fast;
	struct fcn_fastcnp fcnp;
	struct fcn_cnp cnp;
	struct vectors v;

	vectors_load(&v, "16_malformed");
	assert_int_equal(v.n, RTE_DIM(want));
	for (unsigned int i = 0; i < v.n; i++) {
		enum fcn_wire_error e = fcn_parse_slow(
				v.data[i], v.len[i], v.len[i], &fcn_parse_default_codes, &info);

		assert_string_equal(fcn_wire_error_name(e), fcn_wire_error_name(want[i].walk));
		assert_int_equal(info.error, e);
		assert_int_equal((info.flags & FCN_PKT_ROCE) != 0, want[i].roce);
		assert_int_equal(fcn_wire_error_is_fatal(e), i == 14);
		assert_int_equal(fcn_parse(v.data[i], v.len[i], v.len[i], &fcn_parse_default_codes,
						 &fast),
				e);
		assert_memory_equal(&fast, &info, sizeof(info));
		/* The readers hand the same reason on. */
		if (!want[i].roce) {
			assert_int_equal(fcn_cnp_parse(&crc, v.data[i], &info, &cnp), e);
			assert_int_equal(fcn_fastcnp_parse(&crc, FCN_ICRC_SKIP, v.data[i], v.len[i],
							 &info, &fcn_parse_default_codes, &fcnp),
					e);
		}
		if (e == FCN_WIRE_IOAM_NODELEN_ZERO || e == FCN_WIRE_IOAM_REMAINING_LEN ||
				e == FCN_WIRE_IOAM_NODELEN_TYPE) {
			assert_true(info.flags & FCN_PKT_IOAM_INVALID);
			assert_false(info.flags & FCN_PKT_IOAM_TRACE);
			assert_int_equal(info.ioam_off, 0);
		}
		if (i == 2) {
			assert_false(fcn_icrc_ok(
					&crc, v.data[i] + 14, 40, v.len[i] - 14, FCN_ICRC_SKIP));
			v.data[i][v.len[i] - 1] ^= 1; /* the bit that was flipped */
			assert_true(fcn_icrc_ok(
					&crc, v.data[i] + 14, 40, v.len[i] - 14, FCN_ICRC_SKIP));
		}
	}
	vectors_free(&v);
}
