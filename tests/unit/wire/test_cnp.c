/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Plain CNPs built and read; opcodes that trigger; names of errors; UDP checksum. */

#include "fcn_bth.h"
#include "fcn_cnp.h"
#include "fcn_cnp_template.h"
#include "fcn_udp.h"
#include "crc.h"
#include "reference.h"
#include "vectors.h"

static const struct fcn_cnp cnp6 = {
		.version = 6,
		.tclass = 0xC0,
		.hop_limit = 64,
		.src = {0x20, 0x01, 0x0d, 0xb8, 0, 2, [15] = 0x20},
		.dst = {0x20, 0x01, 0x0d, 0xb8, 0, 1, [15] = 0x10},
		.src_port = 0xD00D,
		.p_key = 0xFFFF,
		.dest_qp = 0xB2,
};
static const struct fcn_cnp cnp4 = {
		.version = 4,
		.tclass = 0xC0,
		.hop_limit = 64,
		.src = {198, 51, 100, 20},
		.dst = {192, 0, 2, 10},
		.src_port = 0xD00D,
		.p_key = 0xFFFF,
		.dest_qp = 0xB2,
};

static void
check_rebuild(const struct fcn_cnp *cnp, unsigned int frame, uint32_t len)
{
	uint8_t *buf = malloc(len);
	struct vectors v;

	vectors_load(&v, "04_cnp");
	assert_int_equal(v.len[frame], 14 + len);
	memset(buf, 0xEE, len);
	assert_int_equal(fcn_cnp_build(&crc, cnp, buf, len - 1), 0);
	assert_int_equal(buf[0], 0xEE); /* nothing written when the room is too small */
	assert_int_equal(fcn_cnp_build(&crc, cnp, buf, len), len);
	assert_memory_equal(buf, v.data[frame] + 14, len);
	vectors_free(&v);
	free(buf);
}

TEST(rebuild)
{
	check_rebuild(&cnp6, 0, 80);
	check_rebuild(&cnp4, 1, 60);
}

/* With a template they are the same, whatever the fields are. */
static void
check_template(struct fcn_cnp cnp)
{
	struct fcn_cnp_template tmpl;
	uint64_t random = 1;

	fcn_cnp_template_init(&tmpl, &crc, cnp.version, cnp.tclass, cnp.hop_limit);
	for (unsigned int i = 0; i < 200000; i++) {
		uint8_t want[FCN_CNP_MAX_LEN + 1], got[FCN_CNP_MAX_LEN + 1];
		const struct fcn_cnp_fields fields = {
				cnp.src, cnp.dst, cnp.src_port, cnp.p_key, cnp.dest_qp};

		memset(want, 0xEE, sizeof(want));
		memset(got, 0xEE, sizeof(got));
		assert_int_equal(fcn_cnp_build(&crc, &cnp, want, FCN_CNP_MAX_LEN), tmpl.len);
		fcn_cnp_template_build(&tmpl, &crc, &fields, got);
		assert_memory_equal(got, want, sizeof(want));
		for (unsigned int n = 0; n < (cnp.version == 4 ? 4 : 16); n++) {
			random = random * UINT64_C(6364136223846793005) + 1;
			cnp.src[n] = (uint8_t)(random >> 56);
			cnp.dst[n] = (uint8_t)(random >> 48);
		}
		random = random * UINT64_C(6364136223846793005) + 1;
		cnp.src_port = (uint16_t)(random >> 48);
		cnp.p_key = (uint16_t)(random >> 40);
		cnp.dest_qp = (uint32_t)(random >> 32) & 0xFFFFFF;
	}
}

TEST(template)
{
	check_template(cnp6);
	check_template(cnp4);
}

/* Field by field: the structure has padding. */
static void
assert_cnp(const struct fcn_cnp *got, const struct fcn_cnp *want)
{
	assert_int_equal(got->version, want->version);
	assert_int_equal(got->tclass, want->tclass);
	assert_int_equal(got->hop_limit, want->hop_limit);
	assert_memory_equal(got->src, want->src, 16);
	assert_memory_equal(got->dst, want->dst, 16);
	assert_int_equal(got->src_port, want->src_port);
	assert_int_equal(got->p_key, want->p_key);
	assert_int_equal(got->dest_qp, want->dest_qp);
}

static enum fcn_wire_error
read_frame(const uint8_t *data, uint32_t len, struct fcn_cnp *out)
{
	struct fcn_wire_info info;

	fcn_parse(data, len, len, &fcn_parse_default_codes, &info);
	return fcn_cnp_parse(&crc, data, &info, out);
}

TEST(read)
{
	struct fcn_cnp hw = {.version = 4,
			.tclass = 0xC2,
			.hop_limit = 64,
			.src = {10, 0, 17, 1},
			.dst = {10, 0, 18, 1},
			.src_port = 0,
			.p_key = 0xFFFF,
			.dest_qp = 0x118};
	struct fcn_cnp out;
	struct vectors v;

	vectors_load(&v, "04_cnp");
	assert_int_equal(read_frame(v.data[0], v.len[0], &out), FCN_WIRE_OK);
	assert_cnp(&out, &cnp6);
	assert_int_equal(read_frame(v.data[1], v.len[1], &out), FCN_WIRE_OK);
	assert_cnp(&out, &cnp4);
	assert_int_equal(read_frame(v.data[2], v.len[2], &out), FCN_WIRE_OK);
	assert_cnp(&out, &hw);

	v.data[0][93] ^= 1;
	assert_int_equal(read_frame(v.data[0], v.len[0], &out), FCN_WIRE_ICRC);
	v.data[1][41] ^= 1; /* UDP checksum */
	assert_int_equal(read_frame(v.data[1], v.len[1], &out), FCN_WIRE_UDP_CHECKSUM);
	v.data[2][41] ^= 1; /* there was none */
	assert_int_equal(read_frame(v.data[2], v.len[2], &out), FCN_WIRE_UDP_CHECKSUM);
	vectors_free(&v);

	vectors_load(&v, "01_roce6_write");
	assert_int_equal(read_frame(v.data[0], v.len[0], &out), FCN_WIRE_NOT_CNP);
	vectors_free(&v);
	vectors_load(&v, "09_fastcnp_opt1");
	assert_int_equal(read_frame(v.data[0], v.len[0], &out), FCN_WIRE_NOT_CNP);
	vectors_free(&v);
}

TEST(round_trip)
{
	uint64_t seed = 0xC0FFEE;

	for (int i = 0; i < 2000; i++) {
		bool v4 = i % 2 == 0;
		uint32_t ip_len = v4 ? 20 : 40, addr_len = v4 ? 4 : 16;
		uint8_t frame[14 + 80] = {[12] = v4 ? 0x08 : 0x86, v4 ? 0x00 : 0xDD},
				   *ip = frame + 14;
		struct fcn_cnp in = {.version = v4 ? 4 : 6}, out;

		in.tclass = (uint8_t)ref_random(&seed);
		in.hop_limit = (uint8_t)ref_random(&seed);
		ref_random_fill(&seed, in.src, addr_len);
		ref_random_fill(&seed, in.dst, addr_len);
		in.src_port = (uint16_t)ref_random(&seed);
		in.p_key = (uint16_t)ref_random(&seed);
		in.dest_qp = ref_random(&seed) & 0xFFFFFF;
		assert_int_equal(fcn_cnp_build(&crc, &in, ip, 80), ip_len + 40);
		assert_int_equal(read_frame(frame, 14 + ip_len + 40, &out), FCN_WIRE_OK);
		assert_cnp(&out, &in);
		assert_int_equal(ref_udp_sum(in.src, in.dst, addr_len, ip + ip_len, 40), 0xFFFF);
	}
}

/* All of them but acknowledgements, of whichever transport, and CNPs. */
TEST(opcodes)
{
	assert_true(fcn_bth_opcode_triggers(0x04));
	assert_true(fcn_bth_opcode_triggers(0x0A));
	assert_true(fcn_bth_opcode_triggers(0x0C));
	assert_true(fcn_bth_opcode_triggers(0x10));
	assert_true(fcn_bth_opcode_triggers(0x64));
	assert_false(fcn_bth_opcode_triggers(0x11));
	assert_false(fcn_bth_opcode_triggers(0x12));
	assert_false(fcn_bth_opcode_triggers(0x81));
	assert_false(fcn_bth_opcode_triggers(0xB1)); /* XRC acknowledge */
}

TEST(error_names)
{
	for (int e = 0; e < FCN_WIRE_ERROR_COUNT; e++) {
		assert_non_null(fcn_wire_error_name(e));
		assert_true(strlen(fcn_wire_error_text(e)) > 0);
		for (int f = 0; f < e; f++)
			assert_string_not_equal(fcn_wire_error_name(e), fcn_wire_error_name(f));
	}
	assert_string_equal(fcn_wire_error_name(FCN_WIRE_OK), "ok");
	assert_string_equal(fcn_wire_error_name(FCN_WIRE_NOT_CNP), "not_cnp");
	assert_string_equal(fcn_wire_error_name(FCN_WIRE_ERROR_COUNT), "unknown");
	assert_non_null(fcn_wire_error_text((enum fcn_wire_error)10000));
	assert_false(fcn_wire_error_is_fatal(FCN_WIRE_OK));
	assert_true(fcn_wire_error_is_fatal(FCN_WIRE_IPV6_LENGTH));
	assert_true(fcn_wire_error_is_fatal(FCN_WIRE_IPV6_JUMBOGRAM));
	assert_false(fcn_wire_error_is_fatal(FCN_WIRE_TUNNEL_HEADER));
	assert_false(fcn_wire_error_is_fatal(FCN_WIRE_UDP_LENGTH));
}

TEST(udp_checksum)
{
	/* All zero but pseudo-header 17 + 9 and a length of 9: the sum is 35, complement 0xFFDC. */
	uint8_t udp[10] = {0, 0, 0, 0, 0, 9}, addr[16] = {0};
	uint16_t sum;

	sum = fcn_udp_checksum(addr, addr, 16, udp, 9);
	assert_int_equal(rte_be_to_cpu_16(sum), 0xFFFF - (17 + 9 + 9));
	/* The odd last octet is the high half of its word. */
	udp[8] = 0x12;
	sum = fcn_udp_checksum(addr, addr, 4, udp, 9);
	assert_int_equal(rte_be_to_cpu_16(sum), 0xFFFF - (17 + 9 + 9 + 0x1200));
	/* A sum of 0xFFFF would give 0, which says "no checksum". */
	udp[0] = 0xFF;
	udp[1] = 0xFF - (17 + 9 + 9);
	udp[8] = 0;
	assert_int_equal(fcn_udp_checksum(addr, addr, 16, udp, 9), 0xFFFF);
	udp[6] = 0xFF;
	udp[7] = 0xFF;
	assert_true(fcn_udp_checksum_ok(addr, addr, 16, udp, 9));
	udp[7] = 0xFE;
	assert_false(fcn_udp_checksum_ok(addr, addr, 16, udp, 9));
}

TEST_FIXTURE(FCN_TEST_CRC);
