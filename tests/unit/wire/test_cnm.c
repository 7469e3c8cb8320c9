/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Congestion Notification Messages: vectors read and built again, each reason to ignore one, and
 * the packets whose five-tuple is known.
 */

#include "fcn_test.h"

#include "fcn_cnm_refused.h"
#include "frame.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define PORT 1021

static struct fcn_cnm_template template = {.port = PORT, .dscp = 48, .hop_limit = 64};

static int
setup(void **state)
{
	RTE_SET_USED(state);
	return fcn_cnm_template_init(&template);
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_cnm_template_fini(&template);
	return 0;
}

TEST_FIXTURE(.begin = setup, .end = teardown);

static uint32_t
header_len(const uint8_t *ip)
{
	return ip[0] >> 4 == 4 ? 20 : 40;
}

/* Write a message with a quote into a heap buffer of exactly its size. */
static uint8_t *
build(unsigned int version, const uint8_t *src, const uint8_t *dst,
		const struct fcn_flow_descriptor *flow, const uint8_t *quote, uint32_t quote_len,
		uint32_t *len)
{
	const uint32_t head = fcn_cnm_head_len(version, flow->version);
	uint8_t *buf;

	*len = head + quote_len;
	buf = malloc(*len);
	assert_non_null(buf);
	memset(buf, 0xEE, *len);
	memcpy(buf + head, quote, quote_len);
	assert_int_equal(fcn_cnm_write(&template, version, src, dst, flow, quote_len,
					 rte_raw_cksum(buf + head, quote_len), buf),
			head);
	return buf;
}

static enum fcn_cnm_error
parse(const uint8_t *ip, uint32_t len, struct fcn_cnm *cnm)
{
	return fcn_cnm_parse(ip, header_len(ip), len, &fcn_parse_default_codes, cnm);
}

TEST(vectors)
{
	static const struct {
		uint8_t flow_version, level;
		uint32_t quote_len;
	} want[] = {{6, 5, 144}, {4, 7, 124}, {4, 0, 124}, {6, 3, 1192}};
	struct vectors v;

	vectors_load(&v, "14_cnm");
	assert_int_equal(v.n, RTE_DIM(want));
	for (unsigned int i = 0; i < v.n; i++) {
		const uint8_t *ip = v.data[i] + ETHER_LEN;
		const uint32_t addr = ip[0] >> 4 == 4 ? 12 : 8, addr_len = addr == 12 ? 4 : 16;
		struct fcn_cnm cnm;
		uint32_t len;
		uint8_t *again;

		assert_int_equal(parse(ip, v.len[i] - ETHER_LEN, &cnm), FCN_CNM_OK);
		assert_int_equal(cnm.flow.version, want[i].flow_version);
		assert_int_equal(cnm.flow.level, want[i].level);
		assert_int_equal(cnm.flow.proto, 17);
		assert_int_equal(cnm.flow.src_port, 0xC0DE);
		assert_int_equal(cnm.flow.dst_port, 4791);
		assert_int_equal(cnm.quote_len, want[i].quote_len);
		assert_true(cnm.about.flags & FCN_PKT_ROCE);
		assert_int_equal(cnm.about.dest_qp, 0x0001a7);
		assert_int_equal(cnm.about.p_key, 0xFFFF);
		again = build(ip[0] >> 4, ip + addr, ip + addr + addr_len, &cnm.flow, cnm.quote,
				cnm.quote_len, &len);
		assert_int_equal(len, v.len[i] - ETHER_LEN);
		assert_memory_equal(again, ip, len);
		free(again);
	}
	vectors_free(&v);
}

/* The numbers of draft-xiao-rtgwg-proxy-congestion-notification section 4, IP header included. */
TEST(limits)
{
	assert_int_equal(fcn_cnm_quote_max(6, 6), 1192);
	assert_int_equal(fcn_cnm_quote_max(6, 4), 1216);
	assert_int_equal(fcn_cnm_quote_max(4, 4), 532);
	assert_int_equal(fcn_cnm_quote_max(4, 6), 508);
	assert_int_equal(fcn_cnm_head_len(6, 6), FCN_CNM_MAX_HEAD_LEN);
}

/* Checksums of messages of each length, by a function that shares no code. */
TEST(checksums)
{
	static const uint8_t src[16] = {0x20, 1, [15] = 1}, dst[16] = {0x20, 1, [15] = 2};
	uint8_t quote[1216];
	uint64_t seed = 11;

	for (unsigned int i = 0; i < 4; i++) {
		const unsigned int version = i & 1 ? 4 : 6;
		const uint32_t ip_len = version == 4 ? 20 : 40, addr_len = version == 4 ? 4 : 16;
		struct fcn_flow_descriptor flow = {.version = i & 2 ? 4 : 6,
				.level = (uint8_t)(2 * i + 1),
				.proto = 6,
				.src_port = 1,
				.dst_port = 65535};
		const uint32_t most = fcn_cnm_quote_max(version, flow.version);

		for (uint32_t n = 0; n <= most; n++) {
			uint32_t len;
			uint8_t *buf;

			ref_random_fill(&seed, quote, n);
			ref_random_fill(&seed, flow.src, flow.version == 4 ? 4 : 16);
			buf = build(version, src, dst, &flow, quote, n, &len);
			assert_int_equal(
					ref_udp_sum(src, dst, addr_len, buf + ip_len, len - ip_len),
					0xFFFF);
			assert_true(fcn_get_be16(buf + ip_len + 6) != 0);
			assert_true(fcn_get_be16(buf + ip_len) >= 0xC000);
			free(buf);
		}
		assert_int_equal(most + fcn_cnm_head_len(version, flow.version),
				version == 4 ? 576 : 1280);
	}
}

static void
repair_checksum(uint8_t *ip, uint32_t len)
{
	const uint32_t l4 = header_len(ip), addr_len = l4 == 20 ? 4 : 16;
	const uint8_t *src = ip + (l4 == 20 ? 12 : 8);
	uint16_t sum;

	memset(ip + l4 + 6, 0, 2);
	sum = (uint16_t)~ref_udp_sum(src, src + addr_len, addr_len, ip + l4, len - l4);
	fcn_put_be16(ip + l4 + 6, sum == 0 ? 0xFFFF : sum);
}

/* One octet of the first vector, a message over IPv6 about a flow over IPv6, changed. The
 * descriptor is at 48, and the quote at 88. */
TEST(refused)
{
	static const struct {
		uint16_t off;
		uint8_t value;
		bool keep_checksum;
		enum fcn_cnm_error error;
	} row[] = {
			{45, 9, true, FCN_CNM_BAD_UDP_LENGTH}, /* UDP length */
			{100, 0x55, true, FCN_CNM_BAD_UDP_CHECKSUM},
			{48, 0x5A, false, FCN_CNM_BAD_VERSION},
			{48, 0x4A, false, FCN_CNM_BAD_QUOTE},  /* read as IPv4 */
			{48, 0x6F, false, FCN_CNM_OK},         /* level 7, a reserved bit */
			{50, 0xFF, false, FCN_CNM_OK},         /* reserved */
			{49, 6, false, FCN_CNM_BAD_MISMATCH},  /* protocol */
			{53, 1, false, FCN_CNM_BAD_MISMATCH},  /* source port */
			{55, 1, false, FCN_CNM_BAD_MISMATCH},  /* destination port */
			{71, 1, false, FCN_CNM_BAD_MISMATCH},  /* source address */
			{87, 1, false, FCN_CNM_BAD_MISMATCH},  /* destination address */
			{88, 0x45, false, FCN_CNM_BAD_QUOTE},  /* quote of another version */
			{94, 44, false, FCN_CNM_BAD_QUOTE},    /* a fragment */
			{93, 0, false, FCN_CNM_BAD_QUOTE},     /* length of the quoted packet */
			{95, 1, false, FCN_CNM_OK},            /* its hop limit may differ */
			{89, 0x33, false, FCN_CNM_OK},         /* its ECN field, too */
			{137, 0x0F, false, FCN_CNM_BAD_QUOTE}, /* BTH of an unknown version */
	};
	struct vectors v;

	vectors_load(&v, "14_cnm");
	for (size_t i = 0; i < RTE_DIM(row); i++) {
		const uint32_t len = v.len[0] - ETHER_LEN;
		uint8_t *ip = exact_copy(v.data[0] + ETHER_LEN, len);
		struct fcn_cnm cnm;

		ip[row[i].off] = row[i].value;
		if (!row[i].keep_checksum)
			repair_checksum(ip, len);
		if (parse(ip, len, &cnm) != row[i].error)
			fail_msg("octet %u = 0x%02x: %s", row[i].off, row[i].value,
					fcn_cnm_error_name(parse(ip, len, &cnm)));
		free(ip);
	}
	vectors_free(&v);
}

/* Without a checksum over IPv4 all is well (RFC 768), but not over IPv6 (RFC 8200 section 8.1), and
 * a wrong one is wrong over both. */
TEST(no_checksum)
{
	struct vectors v;

	vectors_load(&v, "14_cnm");
	for (unsigned int i = 0; i < v.n; i++) {
		const uint32_t len = v.len[i] - ETHER_LEN;
		uint8_t *ip = exact_copy(v.data[i] + ETHER_LEN, len);
		uint8_t *sum = ip + header_len(ip) + 6;
		struct fcn_cnm cnm;

		memset(sum, 0, 2);
		assert_int_equal(parse(ip, len, &cnm),
				ip[0] >> 4 == 4 ? FCN_CNM_OK : FCN_CNM_BAD_UDP_CHECKSUM);
		memcpy(sum, v.data[i] + ETHER_LEN + header_len(ip) + 6, 2);
		sum[1] ^= 1;
		if ((sum[0] | sum[1]) != 0)
			assert_int_equal(parse(ip, len, &cnm), FCN_CNM_BAD_UDP_CHECKSUM);
		free(ip);
	}
	vectors_free(&v);
}

/* Cut at each length, with lengths and checksum that say so: up to the BTH of the quote the
 * message is refused, and nothing is read behind its end. */
TEST(cut)
{
	struct vectors v;

	vectors_load(&v, "14_cnm");
	for (unsigned int i = 0; i < v.n; i++) {
		const uint8_t *whole = v.data[i] + ETHER_LEN;
		const uint32_t ip_len = header_len(whole);
		const uint32_t descriptor = whole[ip_len + 8] >> 4 == 4 ? 16 : 40;
		const uint32_t quote_min = (descriptor == 16 ? 20 : 40) + 8 + 12;
		const uint32_t head = ip_len + 8 + descriptor;

		for (uint32_t len = ip_len + 8; len < v.len[i] - ETHER_LEN; len++) {
			enum fcn_cnm_error want = FCN_CNM_OK;
			uint8_t *ip = exact_copy(whole, len);
			struct fcn_cnm cnm;

			fcn_put_be16(ip + (ip_len == 20 ? 2 : 4), ip_len == 20 ? len : len - 40);
			fcn_put_be16(ip + ip_len + 4, len - ip_len);
			repair_checksum(ip, len);
			if (len < head)
				want = FCN_CNM_BAD_TRUNCATED;
			else if (len < head + quote_min)
				want = FCN_CNM_BAD_QUOTE;
			assert_int_equal(parse(ip, len, &cnm), want);
			if (want == FCN_CNM_OK) {
				assert_int_equal(cnm.quote_len, len - head);
			} else if (want == FCN_CNM_BAD_QUOTE) {
				assert_int_equal(cnm.flow.dst_port, 4791);
				assert_null(cnm.quote);
				assert_int_equal(cnm.quote_len | cnm.about.flags, 0);
			}
			free(ip);
		}
	}
	vectors_free(&v);
}

/* ---- of which packets the five-tuple is known ---- */

static const uint8_t ip6_src[16] = {0x20, 1, 0x0d, 0xb8, [15] = 1};
static const uint8_t ip6_dst[16] = {0x20, 1, 0x0d, 0xb8, [15] = 2};

/* Parse a frame, and send it to itself: what is quoted of it has to be accepted. */
static bool
flow_of(const struct frame *f, struct fcn_wire_info *info, struct fcn_flow_descriptor *flow)
{
	const uint8_t *ip;
	uint8_t *buf;
	uint32_t len, quote_len;
	struct fcn_cnm cnm;

	fcn_parse(f->data, f->len, f->len, &fcn_parse_default_codes, info);
	if (!fcn_cnm_has_flow(info))
		return false;
	fcn_cnm_flow_of(f->data, info, flow);
	flow->level = 4;
	ip = f->data + info->inner_l3_off;
	quote_len = RTE_MIN(f->len - info->inner_l3_off, fcn_cnm_quote_max(6, flow->version));
	buf = build(6, ip6_src, ip6_dst, flow, ip, quote_len, &len);
	assert_int_equal(parse(buf, len, &cnm), FCN_CNM_OK);
	assert_memory_equal(&cnm.flow, flow, sizeof(*flow));
	assert_int_equal(cnm.quote_len, quote_len);
	free(buf);
	/* No more of it is needed. */
	buf = build(6, ip6_src, ip6_dst, flow, ip, fcn_cnm_quote_min(info), &len);
	assert_int_equal(parse(buf, len, &cnm), FCN_CNM_OK);
	free(buf);
	return true;
}

static void
put_ports(struct frame *f, uint16_t src, uint16_t dst)
{
	uint8_t *p = frame_zero(f, 20);

	fcn_put_be16(p, src);
	fcn_put_be16(p + 2, dst);
	p[12] = 0x50;
}

TEST(tcp)
{
	struct fcn_flow_descriptor flow;
	struct fcn_wire_info info;
	struct frame f = {0};

	frame_ether(&f, 0x0800);
	frame_ip4(&f, 6, 24);
	put_ports(&f, 1234, 80);
	frame_finish(&f);
	assert_true(flow_of(&f, &info, &flow));
	assert_int_equal(flow.version, 4);
	assert_int_equal(flow.proto, 6);
	assert_int_equal(flow.src_port, 1234);
	assert_int_equal(flow.dst_port, 80);
	assert_memory_equal(flow.src, ((uint8_t[16]){192, 0, 2, 1}), 16);
	assert_memory_equal(flow.dst, ((uint8_t[16]){192, 0, 2, 2}), 16);
}

/* Protocols without ports: ESP, and a third IP header, which is not read. */
TEST(other_protocols)
{
	struct fcn_flow_descriptor flow;
	struct fcn_wire_info info;
	struct frame f = {0};

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 50);
	frame_zero(&f, 32);
	frame_finish(&f);
	assert_true(flow_of(&f, &info, &flow));
	assert_int_equal(flow.proto, 50);
	assert_int_equal(flow.src_port | flow.dst_port, 0);

	f = (struct frame){0};
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 41);
	frame_ip6(&f, 4);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 100);
	frame_finish(&f);
	assert_int_equal(fcn_parse(f.data, f.len, f.len, &fcn_parse_default_codes, &info),
			FCN_WIRE_EXT_LIMIT);
	assert_false(fcn_cnm_has_flow(&info));
}

/* RoCEv2 over IPv4 in IPv6, and the reverse: the flow is that of the inner packet. */
TEST(tunnels)
{
	struct fcn_flow_descriptor flow;
	struct fcn_wire_info info;
	struct frame f = {0};

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 43);
	frame_srh(&f, 4, 2, 1, 0);
	frame_ip4(&f, 17, 20);
	frame_roce(&f, 2000);
	frame_finish(&f);
	assert_true(flow_of(&f, &info, &flow));
	assert_int_equal(info.inner_l3_off, 14 + 40 + 40);
	assert_int_equal(flow.version, 4);
	assert_int_equal(flow.dst_port, 4791);

	f = (struct frame){0};
	frame_ether(&f, 0x0800);
	frame_ip4(&f, 41, 20);
	frame_ip6(&f, 17);
	frame_roce(&f, 2000);
	frame_finish(&f);
	assert_true(flow_of(&f, &info, &flow));
	assert_int_equal(info.inner_l3_off, 14 + 20);
	assert_int_equal(flow.version, 6);
	assert_memory_equal(flow.src, ip6_src, 16);
	assert_memory_equal(flow.dst, ip6_dst, 16);
}

/* With segments left, the destination is the last segment, in the descriptor and in the quote. */
TEST(segments)
{
	struct fcn_flow_descriptor flow;
	struct fcn_wire_info info;
	struct frame f = {0};
	uint8_t *srh;

	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 43);
	srh = frame_srh(&f, 17, 2, 1, 0);
	memset(srh + 8, 0x77, 16);
	frame_roce(&f, 64);
	frame_finish(&f);
	assert_true(flow_of(&f, &info, &flow));
	for (unsigned int i = 0; i < 16; i++)
		assert_int_equal(flow.dst[i], 0x77);
}

/* Of a fragment, first or later, the five-tuple counts as unknown: a later one has no ports. */
TEST(fragments)
{
	static const uint16_t offsets[] = {0x2000, 0x2001, 0x0001};
	struct fcn_wire_info info;

	for (size_t i = 0; i < RTE_DIM(offsets); i++) {
		struct frame f = {0};

		frame_ether(&f, 0x0800);
		frame_ip4(&f, 17, 20);
		frame_roce(&f, 64);
		fcn_put_be16(f.data + 14 + 6, offsets[i]);
		frame_finish(&f);
		assert_int_equal(fcn_parse(f.data, f.len, f.len, &fcn_parse_default_codes, &info),
				FCN_WIRE_OK);
		assert_true(info.flags & FCN_PKT_FRAGMENT);
		assert_false(fcn_cnm_has_flow(&info));
	}
}

TEST(malformed)
{
	struct fcn_wire_info info;
	struct frame f = {0};

	/* UDP to the port of RoCEv2 that is none */
	frame_ether(&f, 0x86DD);
	frame_ip6(&f, 17);
	frame_roce(&f, 64);
	frame_finish(&f);
	f.data[14 + 40 + 8 + 1] |= 1; /* TVer */
	fcn_parse(f.data, f.len, f.len, &fcn_parse_default_codes, &info);
	assert_true(info.flags & FCN_PKT_UDP);
	assert_false(fcn_cnm_has_flow(&info));
	/* a wrong UDP length */
	f.data[14 + 40 + 8 + 1] &= ~1;
	f.data[14 + 40 + 3]++; /* any other port */
	f.data[14 + 40 + 5]++;
	fcn_parse(f.data, f.len, f.len, &fcn_parse_default_codes, &info);
	assert_false(fcn_cnm_has_flow(&info));
	f.data[14 + 40 + 5]--;
	fcn_parse(f.data, f.len, f.len, &fcn_parse_default_codes, &info);
	assert_true(fcn_cnm_has_flow(&info));
	/* not IP */
	f.data[12] = 0x08;
	f.data[13] = 0x06;
	fcn_parse(f.data, f.len, f.len, &fcn_parse_default_codes, &info);
	assert_false(fcn_cnm_has_flow(&info));
}

TEST(names)
{
	assert_string_equal(fcn_cnm_error_name(FCN_CNM_OK), "ok");
	assert_string_equal(fcn_cnm_error_name(FCN_CNM_BAD_QUOTE), "cnm_quote");
	assert_string_equal(fcn_cnm_error_name(FCN_CNM_ERROR_COUNT), "unknown");
	for (unsigned int e = 0; e < FCN_CNM_ERROR_COUNT; e++)
		assert_non_null(fcn_cnm_error_text(e));
	assert_string_equal(fcn_cnm_error_text(FCN_CNM_ERROR_COUNT), "unknown");
}
