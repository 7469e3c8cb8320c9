/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: messages to the switch itself. The first octet tells whether lengths and
 * checksums are corrected first, because random changes never do that; the others are ARP, an IPv4
 * or an IPv6 packet.
 */

#include <rte_ip.h>

#include "fcn_arp.h"
#include "fcn_cnm_refused.h"
#include "fcn_icmp4.h"
#include "fcn_icmp6.h"
#include "fcn_inet.h"
#include "fcn_mld.h"
#include "fcn_nd.h"
#include "fcn_param_problem.h"
#include "fuzz.h"

#define MAX_LEN 2048
#define FIX_MESSAGE 0x01
#define FIX_QUOTE 0x02

/* Checksum of what stands behind a pseudo-header, at cksum. */
static void
fix6(const uint8_t *ip, uint8_t *upper, uint32_t len, uint8_t proto, uint8_t *cksum)
{
	uint32_t sum;
	uint16_t folded;

	fcn_put_be16(cksum, 0);
	sum = rte_raw_cksum(ip + 8, 32) + rte_raw_cksum(upper, len) +
	      rte_cpu_to_be_16((uint16_t)len) + rte_cpu_to_be_16(proto);
	sum = (sum & 0xFFFF) + (sum >> 16);
	folded = (uint16_t) ~(sum + (sum >> 16));
	memcpy(cksum, &folded, sizeof(folded));
}

/* As if the packet were ICMP directly behind its header or Hop-by-Hop Options, and quoted a whole
 * UDP of 40 octets. */
static void
fix(uint8_t *p, uint32_t len, uint8_t how)
{
	uint32_t off;
	uint16_t sum;

	if (len >= 28 && p[0] == 0x45) {
		fcn_put_be16(p + 2, (uint16_t)len);
		fcn_put_be16(p + 10, 0);
		sum = (uint16_t)~rte_raw_cksum(p, 20);
		memcpy(p + 10, &sum, sizeof(sum));
		fcn_put_be16(p + 22, 0);
		sum = (uint16_t)~rte_raw_cksum(p + 20, len - 20);
		memcpy(p + 22, &sum, sizeof(sum));
	}
	if (len >= 48 && p[0] >> 4 == 6) {
		fcn_put_be16(p + 4, (uint16_t)(len - 40));
		if (how & FIX_QUOTE && len >= 48 + 88) {
			fcn_put_be16(p + 52, (uint16_t)(len - 88));
			fix6(p + 48, p + len - 40, 40, 17, p + len - 34);
		}
		off = p[6] == 0 ? 48 + 8u * p[41] : 40;
		if (off + 4 <= len)
			fix6(p, p + off, len - off, 58, p + off + 2);
	}
}

static void
fuzz_arp(const uint8_t *p, uint32_t len)
{
	uint8_t buf[FCN_ARP_LEN];
	struct fcn_arp arp, again;

	if (fcn_arp_parse(p, len, &arp) != FCN_MSG_OK)
		return;
	require(fcn_arp_build(&arp, buf, sizeof(buf)) == FCN_ARP_LEN);
	require(memcmp(buf, p, sizeof(buf)) == 0);
	if (arp.opcode == FCN_ARP_REQUEST) {
		require(fcn_arp_build_reply(&arp, &arp.sender_mac, buf, sizeof(buf)) != 0);
		require(fcn_arp_parse(buf, sizeof(buf), &again) == FCN_MSG_OK);
	}
}

static void
fuzz_nd(const uint8_t *p, uint32_t len)
{
	static const struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 1}};
	uint8_t buf[FCN_ND_ROUTER_ADVERT_MAX];
	struct fcn_nd nd, again;
	uint32_t built;

	if (fcn_nd_parse(p, len, &nd) != FCN_MSG_OK)
		return;
	require(nd.type >= FCN_ND_ROUTER_SOLICIT && nd.type <= FCN_ND_NEIGHBOUR_ADVERT);
	require(!nd.dad || (!nd.has_lladdr && fcn_ip6_is_unspecified(nd.src)));
	if (nd.type == FCN_ND_NEIGHBOUR_SOLICIT) {
		built = fcn_nd_build_na_reply(&nd, &mac, true, buf, sizeof(buf));
		require(built == FCN_ND_NEIGHBOUR_LEN);
		require(fcn_nd_parse(buf, built, &again) == FCN_MSG_OK);
	} else if (nd.type == FCN_ND_ROUTER_ADVERT) {
		require(nd.ra.n_prefixes <= FCN_ND_MAX_PREFIXES);
		built = fcn_nd_build_ra(nd.src, NULL, nd.has_lladdr ? &nd.lladdr : NULL, &nd.ra,
				buf, sizeof(buf));
		require(built != 0 && fcn_nd_parse(buf, built, &again) == FCN_MSG_OK);
		require(again.ra.n_prefixes == nd.ra.n_prefixes && again.ra.mtu == nd.ra.mtu);
		require(again.has_lladdr == nd.has_lladdr);
	}
}

/* What is asked for is reported; a report is no query. */
static void
fuzz_mld(const uint8_t *p, uint32_t len)
{
	uint8_t buf[FCN_MLD_REPORT_LEN(1)];
	struct fcn_mld_record record = {.type = FCN_MLD_MODE_IS_EXCLUDE};
	struct fcn_mld_query query, none;

	if (fcn_mld_parse_query(p, len, &query) != FCN_MSG_OK)
		return;
	require(query.version == 1 || query.version == 2);
	require(query.max_delay_ms <= (query.version == 1 ? UINT16_MAX : 8387584u));
	require(query.version == 2 || query.n_sources == 0);
	require(40u + 28 + 16u * query.n_sources <= len || query.version == 1);
	memcpy(record.group, query.group, 16);
	require(fcn_mld_build_report(query.src, &record, 1, buf, sizeof(buf)) == sizeof(buf));
	require(fcn_mld_parse_query(buf, sizeof(buf), &none) == FCN_MSG_TYPE);
	require(fcn_mld_build_v1(query.src, FCN_MLD_REPORT_V1, query.group, buf, sizeof(buf)) ==
			FCN_MLD_V1_LEN);
	require(fcn_mld_parse_query(buf, FCN_MLD_V1_LEN, &none) == FCN_MSG_TYPE);
}

static void
fuzz_icmp6(const uint8_t *p, uint32_t len, uint8_t how)
{
	struct fcn_icmp6_error error = {how >> 4 & 7, how >> 2 & 3, how};
	uint8_t *buf = fuzz_room(FCN_ICMP6_ERROR_MAX), *copy;
	struct fcn_icmp6 msg, again;
	uint32_t built;

	if (fcn_icmp6_may_answer(&error, p, len, how & 0x80)) {
		built = fcn_icmp6_build_error(&error, p + 8, 64, p, len, buf, FCN_ICMP6_ERROR_MAX);
		require(built >= 88 && built <= FCN_ICMP6_ERROR_MAX);
		/* No error is sent about an error. */
		require(!fcn_icmp6_may_answer(&error, buf, built, false));
	}
	free(buf);
	if (fcn_icmp6_parse(p, len, &msg) != FCN_MSG_OK)
		return;
	require(msg.off >= 40 && msg.len >= 8 && msg.off + msg.len <= len);
	require(msg.quote_len == 0 || msg.quote_off + msg.quote_len <= msg.off + msg.len);
	copy = fuzz_room(len);
	memcpy(copy, p, len);
	built = fcn_icmp6_build_echo_reply(copy, &msg, NULL, 64, copy, len);
	if (built != 0) {
		require(built == 40 + msg.len);
		require(fcn_icmp6_parse(copy, built, &again) == FCN_MSG_OK);
		require(again.type == FCN_ICMP6_ECHO_REPLY && again.len == msg.len);
		require(again.id == msg.id && again.seq == msg.seq);
	}
	free(copy);
}

static void
fuzz_icmp4(const uint8_t *p, uint32_t len, uint8_t how)
{
	static const uint8_t src[4] = {192, 0, 2, 1};
	struct fcn_icmp4_error error = {
			(how >> 4 & 1) ? FCN_ICMP4_UNREACHABLE : FCN_ICMP4_TIME_EXCEEDED,
			how >> 2 & 3, how};
	uint8_t *buf = fuzz_room(FCN_ICMP4_ERROR_MAX), *copy;
	struct fcn_icmp4 msg, again;
	uint32_t built;

	if (fcn_icmp4_may_answer(p, len, false)) {
		built = fcn_icmp4_build_error(
				&error, src, 64, how, p, len, buf, FCN_ICMP4_ERROR_MAX);
		require(built >= 48 && built <= FCN_ICMP4_ERROR_MAX);
		require(fcn_icmp4_parse(buf, built, &again) == FCN_MSG_OK);
		require(!fcn_icmp4_may_answer(buf, built, false));
	}
	free(buf);
	if (fcn_icmp4_parse(p, len, &msg) != FCN_MSG_OK)
		return;
	require(msg.off >= 20 && msg.len >= 8 && msg.off + msg.len <= len);
	require(msg.quote_len == 0 || msg.quote_off + msg.quote_len <= msg.off + msg.len);
	copy = fuzz_room(len);
	memcpy(copy, p, len);
	built = fcn_icmp4_build_echo_reply(copy, &msg, src, 64, 0, copy, len);
	if (built != 0) {
		require(built == 20 + msg.len);
		require(fcn_icmp4_parse(copy, built, &again) == FCN_MSG_OK);
		require(again.type == FCN_ICMP4_ECHO_REPLY && again.len == msg.len);
	}
	free(copy);
}

/* The destination of the packet is taken as the source address of notices. */
static void
fuzz_param_problem(const uint8_t *p, uint32_t len)
{
	struct fcn_refused_notice notice;

	if (len < 40 || fcn_param_problem_check(p, len, &fcn_parse_default_codes, p + 24,
					&notice) != FCN_MSG_OK)
		return;
	require(notice.option == 1 || notice.option == 2);
	require(notice.dest_qp <= 0xFFFFFF);
	require(memcmp(notice.sender, p + 8, 16) == 0);
}

/* The same of one to END.CON: what is quoted is from us, and to it. */
static void
fuzz_param_problem_endcon(const uint8_t *p, uint32_t len)
{
	struct fcn_refused_notice notice;
	uint8_t endcon[16];

	if (len < 40 || fcn_param_problem_check_endcon(p, len, &fcn_parse_default_codes, p + 24,
					&notice, endcon) != FCN_MSG_OK)
		return;
	require(len >= 48 + 40 && p[48] >> 4 == 6);
	require(memcmp(p + 48 + 8, p + 24, 16) == 0 && memcmp(p + 48 + 24, endcon, 16) == 0);
	require(notice.option == 1 || notice.option == 2);
	require(notice.dest_qp <= 0xFFFFFF);
}

/* The UDP port of messages to proxies is the one that the packet quotes, if it quotes UDP. */
static void
fuzz_cnm_refused(const uint8_t *p, uint32_t len)
{
	static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
	const bool is_ipv6 = len > 0 && p[0] >> 4 == 6;
	const uint32_t quote = is_ipv6 ? 48 : 28, upper = quote + (is_ipv6 ? 40 : 20);
	struct fcn_refused_notice notice;

	if (len < upper + 4 || !fcn_cnm_is_refused(p, len, fcn_get_be16(p + upper + 2),
					       &fcn_parse_default_codes, &notice))
		return;
	if (is_ipv6) {
		require(memcmp(notice.sender, p + 8, 16) == 0);
		require(memcmp(notice.sender, p + quote + 24, 16) == 0);
	} else {
		require(memcmp(notice.sender, mapped, 12) == 0);
		require(memcmp(notice.sender + 12, p + 12, 4) == 0);
		require(memcmp(notice.sender + 12, p + quote + 16, 4) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t len = size > MAX_LEN ? MAX_LEN : (uint32_t)size;
	uint8_t *p;

	if (len < 1)
		return 0;
	len--;
	p = fuzz_exact(data + 1, len);
	if (data[0] & (FIX_MESSAGE | FIX_QUOTE))
		fix(p, len, data[0]);
	fuzz_arp(p, len);
	fuzz_nd(p, len);
	fuzz_mld(p, len);
	fuzz_icmp6(p, len, data[0]);
	fuzz_icmp4(p, len, data[0]);
	fuzz_param_problem(p, len);
	fuzz_param_problem_endcon(p, len);
	fuzz_cnm_refused(p, len);
	free(p);
	return 0;
}
