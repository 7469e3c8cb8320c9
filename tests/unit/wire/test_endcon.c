/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Fast CNPs in IPv6 to END.CON: the vectors built and read, each reason for a refusal. */

#include <netinet/in.h>

#include "fcn_endcon.h"
#include "crc.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define IP6_LEN 40

static const uint8_t node[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 2};
static const uint8_t sender[16] = {0x20, 1, 0x0d, 0xb8, 0, 1, [15] = 0x10};
static const uint8_t receiver[16] = {0x20, 1, 0x0d, 0xb8, 0, 2, [15] = 0x20};
static const uint8_t endcon[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xe1, 0, 1, [15] = 0x0c};

/* A frame in a buffer: Ethernet, outer headers, and room for what is in the tunnel. */
struct packet {
	uint8_t data[1024];
	uint32_t len;
};

static void
put(struct packet *p, const void *bytes, uint32_t len)
{
	assert_true(p->len + len <= sizeof(p->data));
	memcpy(p->data + p->len, bytes, len);
	p->len += len;
}

/* Ethernet and IPv6 of fixed content; the payload length is set by finish(). */
static void
start(struct packet *p, uint8_t next_header)
{
	static const uint8_t ether[ETHER_LEN] = {2, [5] = 1, [6] = 2, [11] = 2, [12] = 0x86, 0xDD};
	uint8_t ip[IP6_LEN] = {0x6C, [6] = next_header, [7] = 64};

	memcpy(ip + 8, node, 16);
	memcpy(ip + 24, endcon, 16);
	p->len = 0;
	put(p, ether, sizeof(ether));
	put(p, ip, sizeof(ip));
}

static void
finish(struct packet *p)
{
	fcn_put_be16(p->data + ETHER_LEN + 4, (uint16_t)(p->len - ETHER_LEN - IP6_LEN));
}

/* Append the Fast CNP for a data packet. */
static void
put_notice(struct packet *p, const uint8_t *source, const uint8_t *to)
{
	struct fcn_fastcnp_conf conf = {.opt1_type = 0x9E,
			.opt2_type = 0x9F,
			.dscp = 48,
			.hop_limit = 64,
			.icrc_mode = FCN_ICRC_SKIP};
	struct fcn_fastcnp_request req = {.sender = to,
			.receiver = receiver,
			.buf = p->data + p->len,
			.dest_qp = 0x1A7,
			.src_port = 0xC0DE,
			.p_key = 0xFFFF};
	struct fcn_fastcnp_template tmpl;

	memcpy(conf.source, source, 16);
	assert_int_equal(fcn_fastcnp_template_init(&tmpl, &conf), 0);
	fcn_fastcnp_build_burst(&tmpl, &req, 1);
	fcn_fastcnp_template_fini(&tmpl);
	p->len += req.len;
}

static enum fcn_endcon_error
check_by(enum fcn_icrc_mode mode, const uint8_t *data, uint32_t len, struct fcn_endcon *out)
{
	const struct fcn_parse_codes *codes = &fcn_parse_default_codes;
	uint8_t *copy = exact_copy(data, len);
	struct fcn_wire_info info;
	enum fcn_endcon_error e;

	fcn_parse(copy, len, len, codes, &info);
	memset(out, 0xA5, sizeof(*out));
	e = fcn_endcon_check(&crc, mode, copy, len, &info, codes, out);
	assert_int_equal(out->srv6 != FCN_SRV6_OK, e == FCN_ENDCON_BAD_SID);
	assert_int_equal(out->wire != FCN_WIRE_OK, e == FCN_ENDCON_BAD_NOTICE);
	out->notice.trace = NULL; /* it was in the copy */
	free(copy);
	return e;
}

static enum fcn_endcon_error
check(const uint8_t *data, uint32_t len, struct fcn_endcon *out)
{
	return check_by(FCN_ICRC_SKIP, data, len, out);
}

static void
assert_checked(struct packet *p, enum fcn_endcon_error want)
{
	struct fcn_endcon out;
	enum fcn_endcon_error e;

	finish(p);
	e = check(p->data, p->len, &out);
	if (e != want)
		fail_msg("%s (%s, %s)", fcn_endcon_error_name(e), fcn_srv6_error_name(out.srv6),
				fcn_wire_error_name(out.wire));
}

/* Vector 11 from the fields that wire the notice to its data packet. */
TEST(built)
{
	struct fcn_endcon_template tmpl;
	struct packet p = {.len = 0};
	struct vectors v;

	vectors_load(&v, "11_fastcnp_srv6_endcon");
	put(&p, v.data[0], ETHER_LEN);
	p.len += FCN_ENDCON_OUTER_LEN;
	put_notice(&p, node, sender);
	memset(&tmpl, 0xA5, sizeof(tmpl));
	fcn_endcon_init(&tmpl, node, 48, 64);
	memset(p.data + ETHER_LEN, 0xEE, FCN_ENDCON_OUTER_LEN);
	fcn_endcon_write(&tmpl, endcon, (uint16_t)(p.len - ETHER_LEN - FCN_ENDCON_OUTER_LEN),
			p.data + ETHER_LEN);
	assert_int_equal(p.len, v.len[0]);
	assert_memory_equal(p.data, v.data[0], p.len);
	vectors_free(&v);
	/* Bits of a DSCP that it does not have do not get into other fields. */
	fcn_endcon_init(&tmpl, node, 0xFF, 1);
	assert_memory_equal(tmpl.header, ((const uint8_t[8]){0x6F, 0xC0, 0, 0, 0, 0, 41, 1}), 8);
}

/* What Linux's End.DT6 made of it is what is found at the inner offset, one hop further. */
TEST(linux)
{
	struct fcn_endcon out;
	struct vectors v;
	uint8_t *inner;

	vectors_load(&v, "22_linux_end_dt6");
	assert_int_equal(check(v.data[0], v.len[0], &out), FCN_ENDCON_OK);
	assert_int_equal(out.headers.upper_off, IP6_LEN);
	assert_int_equal(out.notice.option, 1);
	assert_int_equal(out.notice.cnp.dest_qp, 0x1A7);
	assert_int_equal(out.notice.cnp.src_port, 0xC0DE);
	assert_memory_equal(out.notice.cnp.src, node, 16);
	assert_memory_equal(out.notice.cnp.dst, sender, 16);
	assert_memory_equal(out.notice.receiver, receiver, 16);
	inner = v.data[0] + ETHER_LEN + out.headers.upper_off;
	inner[7]--;
	assert_int_equal(v.len[0] - ETHER_LEN - IP6_LEN, v.len[1] - ETHER_LEN);
	assert_memory_equal(inner, v.data[1] + ETHER_LEN, v.len[1] - ETHER_LEN);
	vectors_free(&v);
}

/* All Fast CNPs of the vectors that have ICRC mode skip, both options, and traffic of other kinds.
 */
TEST(other_vectors)
{
	static const struct {
		const char *file;
		unsigned int frame;
		enum fcn_endcon_error error;
		enum fcn_wire_error wire;
	} cases[] = {
			{"09_fastcnp_opt1", 0, FCN_ENDCON_OK, FCN_WIRE_OK},
			{"09_fastcnp_opt1", 1, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_ICRC},
			{"09_fastcnp_opt1", 3, FCN_ENDCON_OK, FCN_WIRE_OK},
			{"10_fastcnp_opt2", 0, FCN_ENDCON_OK, FCN_WIRE_OK},
			{"10_fastcnp_opt2", 1, FCN_ENDCON_OK, FCN_WIRE_OK},
			{"10_fastcnp_opt2", 3, FCN_ENDCON_OK, FCN_WIRE_OK},
			{"01_roce6_write", 0, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_NOT_CNP},
			{"03_roce6_ack", 0, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_NOT_CNP},
			{"04_cnp", 0, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_OPTION_MISSING},
			{"15_arn", 0, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_NOT_CNP},
			/* a tunnel in the tunnel: the parser reads two IP headers */
			{"11_fastcnp_srv6_endcon", 0, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_EXT_LIMIT},
			{"16_malformed", 1, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_CNP_LENGTH},
			{"16_malformed", 3, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_OPTION_LENGTH},
			{"16_malformed", 4, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_OPTION_OVERRUN},
			{"16_malformed", 5, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_EXT_OVERRUN},
			{"16_malformed", 6, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_PADN_NONZERO},
			{"16_malformed", 7, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_OPTION_LENGTH},
			{"16_malformed", 15, FCN_ENDCON_BAD_NOTICE, FCN_WIRE_UDP_LENGTH},
	};
	struct fcn_endcon out;
	enum fcn_endcon_error e;
	struct vectors v;
	struct packet p;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		unsigned int frame = cases[i].frame;

		vectors_load(&v, cases[i].file);
		start(&p, IPPROTO_IPV6);
		memcpy(p.data + ETHER_LEN + 8, v.data[frame] + ETHER_LEN + 8, 16);
		put(&p, v.data[frame] + ETHER_LEN, v.len[frame] - ETHER_LEN);
		finish(&p);
		e = check(p.data, p.len, &out);
		if (e != cases[i].error || out.wire != cases[i].wire)
			fail_msg("case %u: %s, %s", i, fcn_endcon_error_name(e),
					fcn_wire_error_name(out.wire));
		vectors_free(&v);
	}
}

/* Rules that hold for any SID: what follows, segments left, a header that is malformed. */
TEST(outer)
{
	uint8_t srh[24] = {41, 2, 4, 0, 0};
	struct fcn_endcon out;
	struct vectors v;
	struct packet p;

	memcpy(srh + 8, endcon, 16);
	start(&p, IPPROTO_ROUTING);
	put(&p, srh, sizeof(srh));
	put_notice(&p, node, sender);
	assert_checked(&p, FCN_ENDCON_OK);

	p.data[ETHER_LEN + IP6_LEN + 3] = 1;
	assert_checked(&p, FCN_ENDCON_BAD_SID);
	check(p.data, p.len, &out);
	assert_int_equal(out.srv6, FCN_SRV6_SEGMENTS_LEFT);
	assert_int_equal(out.headers.pointer, IP6_LEN + 3);

	/* A CNP over IPv4; a notice that is not encapsulated. */
	vectors_load(&v, "04_cnp");
	start(&p, IPPROTO_IPIP);
	put(&p, v.data[1] + ETHER_LEN, v.len[1] - ETHER_LEN);
	assert_checked(&p, FCN_ENDCON_BAD_SID);
	check(p.data, p.len, &out);
	assert_int_equal(out.srv6, FCN_SRV6_UPPER_LAYER);
	assert_int_equal(out.headers.pointer, IP6_LEN);
	vectors_free(&v);
	vectors_load(&v, "09_fastcnp_opt1");
	assert_int_equal(check(v.data[0], v.len[0], &out), FCN_ENDCON_BAD_SID);
	assert_int_equal(out.srv6, FCN_SRV6_UPPER_LAYER);
	assert_int_equal(out.headers.pointer, IP6_LEN + 24);
	vectors_free(&v);

	start(&p, IPPROTO_IPV6);
	put_notice(&p, node, sender);
	finish(&p);
	p.data[ETHER_LEN + IP6_LEN + 5]++;
	assert_int_equal(check(p.data, p.len, &out), FCN_ENDCON_BAD_SID);
	assert_int_equal(out.srv6, FCN_SRV6_INNER_HEADER);
}

/* Notices that are valid by themselves, made by another than who encapsulated them, or to somebody
 * who is no sender. */
TEST(addresses)
{
	static const uint8_t other[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xf, [15] = 3};
	static const uint8_t nobody[][16] = {
			{0}, {[15] = 1}, {0xFF, 2, [15] = 1}, {0xFE, 0x80, [15] = 1}};
	struct packet p;

	start(&p, IPPROTO_IPV6);
	put_notice(&p, other, sender);
	assert_checked(&p, FCN_ENDCON_OK);
	start(&p, IPPROTO_IPV6);
	put_notice(&p, node, endcon);
	assert_checked(&p, FCN_ENDCON_BAD_LOOP);
	for (unsigned int i = 0; i < RTE_DIM(nobody); i++) {
		start(&p, IPPROTO_IPV6);
		put_notice(&p, node, nobody[i]);
		assert_checked(&p, FCN_ENDCON_BAD_DESTINATION);
	}
}

/*
 * What P nodes of others may send: an ICRC by each reading of the rule for extension headers, with
 * a UDP checksum or without. A wrong one is right by none.
 */
TEST(readings)
{
	static const enum ref_mode refs[] = {REF_SKIP, REF_COVER, REF_NORM};
	static const enum fcn_icrc_mode modes[] = {FCN_ICRC_SKIP, FCN_ICRC_COVER, FCN_ICRC_NORM};
	struct fcn_endcon out;
	struct packet p;
	uint8_t *ip, *udp;
	uint32_t icrc;
	uint16_t sum;

	for (unsigned int i = 0; i < 4 * RTE_DIM(refs); i++) {
		const bool is_wrong = i & 1, has_sum = i & 2;

		start(&p, IPPROTO_IPV6);
		put_notice(&p, node, sender);
		finish(&p);
		ip = p.data + ETHER_LEN + IP6_LEN;
		udp = ip + IP6_LEN + 24;
		icrc = ref_icrc(ip, 64, 104, refs[i / 4]) ^ (is_wrong ? 0x100 : 0);
		for (unsigned int k = 0; k < 4; k++)
			udp[36 + k] = (uint8_t)(icrc >> 8 * k);
		udp[6] = udp[7] = 0;
		sum = (uint16_t)~ref_udp_sum(ip + 8, sender, 16, udp, 40);
		if (has_sum)
			fcn_put_be16(udp + 6, sum);
		assert_int_equal(check_by(FCN_ICRC_ANY, p.data, p.len, &out),
				is_wrong ? FCN_ENDCON_BAD_NOTICE : FCN_ENDCON_OK);
		/* Whoever asks for one reading gets that one, with a checksum. */
		for (unsigned int k = 0; !is_wrong && k < RTE_DIM(modes); k++)
			assert_int_equal(check_by(modes[k], p.data, p.len, &out) == FCN_ENDCON_OK,
					has_sum && k == i / 4);
		/* A wrong checksum is none that is missing. */
		fcn_put_be16(udp + 6, sum == 1 ? 2 : 1);
		assert_int_equal(
				check_by(FCN_ICRC_ANY, p.data, p.len, &out), FCN_ENDCON_BAD_NOTICE);
	}
}

/* A Routing header in the notice: with a segment left its destination is not who gets it. */
TEST(routing)
{
	uint8_t srh[24] = {60, 2, 4, 1, 0}, *ip, *udp;
	struct packet notice, p;
	uint16_t sum;
	uint32_t icrc;

	memcpy(srh + 8, sender, 16);
	for (unsigned int left = 0; left < 2; left++) {
		srh[3] = (uint8_t)left;
		start(&notice, IPPROTO_IPV6);
		put_notice(&notice, node, left ? endcon : sender);
		ip = notice.data + ETHER_LEN + IP6_LEN;
		start(&p, IPPROTO_IPV6);
		put(&p, ip, IP6_LEN);
		put(&p, srh, sizeof(srh));
		put(&p, ip + IP6_LEN, 64);
		ip = p.data + ETHER_LEN + IP6_LEN;
		ip[6] = IPPROTO_ROUTING;
		ip[5] = 64 + 24;
		udp = ip + IP6_LEN + 24 + 24;
		icrc = ref_icrc(ip, 88, 128, REF_SKIP);
		for (unsigned int i = 0; i < 4; i++)
			udp[36 + i] = (uint8_t)(icrc >> 8 * i);
		udp[6] = udp[7] = 0;
		sum = (uint16_t)~ref_udp_sum(ip + 8, sender, 16, udp, 40);
		udp[6] = (uint8_t)(sum >> 8);
		udp[7] = (uint8_t)sum;
		assert_checked(&p, left ? FCN_ENDCON_BAD_ROUTING : FCN_ENDCON_OK);
	}
}

/* Each bit that ICRC or checksum cover, and each octet cut off: no longer a notice. */
TEST(damaged)
{
	struct fcn_endcon out;
	struct vectors v;

	vectors_load(&v, "11_fastcnp_srv6_endcon");
	for (uint32_t i = ETHER_LEN + 2 * IP6_LEN + 24; i < v.len[0]; i++) {
		v.data[0][i] ^= 1;
		assert_int_equal(check(v.data[0], v.len[0], &out), FCN_ENDCON_BAD_NOTICE);
		v.data[0][i] ^= 1;
	}
	for (uint32_t len = ETHER_LEN + IP6_LEN; len < v.len[0]; len++) {
		fcn_put_be16(v.data[0] + ETHER_LEN + 4, (uint16_t)(len - ETHER_LEN - IP6_LEN));
		assert_int_equal(check(v.data[0], len, &out), FCN_ENDCON_BAD_SID);
		assert_int_equal(out.srv6, FCN_SRV6_INNER_HEADER);
	}
	vectors_free(&v);
}

TEST(names)
{
	for (unsigned int e = 0; e < FCN_ENDCON_ERROR_COUNT; e++)
		assert_true(strlen(fcn_endcon_error_text(e)) > 4);
	assert_string_equal(fcn_endcon_error_name(FCN_ENDCON_BAD_LOOP), "endcon_loop");
	assert_string_equal(fcn_endcon_error_name(FCN_ENDCON_ERROR_COUNT), "unknown");
}

TEST_FIXTURE(FCN_TEST_CRC);
