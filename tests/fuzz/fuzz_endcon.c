/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: packets to END.CON. The first octet tells whether ICRC, checksum and the inner
 * source address are corrected first, because random changes never do that; the others are the
 * frame.
 */

#include <rte_common.h>

#include "fcn_endcon_plain.h"
#include "fcn_tunnel_ecn.h"
#include "fcn_udp.h"
#include "fuzz_crc.h"

#define REPAIR 0x01
#define SAME_SOURCE 0x02

/* Set what makes the innermost packet valid, if it is RoCEv2 over IPv6. */
static void
repair(const struct fcn_crc32 *crc, uint8_t *frame, const struct fcn_wire_info *info, uint8_t how)
{
	uint8_t *outer = frame + info->l3_off, *ip = frame + info->inner_l3_off;
	uint8_t *udp = frame + info->l4_off;
	uint32_t l4 = (uint32_t)info->l4_off - info->inner_l3_off;
	uint32_t len = (uint32_t)info->l3_off + info->ip_len - info->inner_l3_off;
	rte_le32_t icrc;
	uint16_t sum;

	if (!(info->flags & FCN_PKT_ROCE) || info->flags & FCN_PKT_INNER_IPV4)
		return;
	if (how & SAME_SOURCE)
		memcpy(ip + 8, outer + 8, 16);
	icrc = rte_cpu_to_le_32(fcn_icrc(crc, ip, l4, len, FCN_ICRC_SKIP));
	memcpy(ip + len - 4, &icrc, 4);
	fcn_put_be16(udp + 6, 0);
	sum = fcn_udp_checksum(ip + 8, frame + info->final_dst_off, 16, udp, len - l4);
	memcpy(udp + 6, &sum, sizeof(sum));
}

/* What was accepted is what fcn_fastcnp_parse() accepts when it stands alone. */
static void
check_accepted(const struct fcn_crc32 *crc, uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, const struct fcn_endcon *out)
{
	const struct fcn_parse_codes *codes = &fcn_parse_default_codes;
	const uint32_t cut = out->headers.upper_off;
	struct fcn_wire_info alone;
	struct fcn_fastcnp notice;

	require(memcmp(out->notice.cnp.src, frame + info->l3_off + cut + 8, 16) == 0);
	fcn_tunnel_ecn_decaps(frame + info->l3_off + cut, info->tclass);
	memmove(frame + cut, frame, info->l3_off);
	fcn_parse(frame + cut, len - cut, len - cut, codes, &alone);
	require(fcn_fastcnp_parse(crc, FCN_ICRC_SKIP, frame + cut, len - cut, &alone, codes,
				&notice) == FCN_WIRE_OK);
	require(notice.option == out->notice.option);
	require(memcmp(notice.receiver, out->notice.receiver, 16) == 0);
}

/* The fast path accepts what the general functions accept, if it has the form for it, and is of who
 * encapsulated it. */
static void
check_plain(const struct fcn_crc32 *crc, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, enum fcn_endcon_error error)
{
	const struct fcn_parse_codes *codes = &fcn_parse_default_codes;
	const uint8_t *inner = frame + FCN_ENDCON_PLAIN_INNER_OFF;
	struct fcn_endcon_node node;

	if (!fcn_endcon_is_plain(frame, len, len, codes->fastcnp_opt1))
		return;
	require(info->error == FCN_WIRE_OK && info->flags & FCN_PKT_FASTCNP &&
			info->inner_l3_off == FCN_ENDCON_PLAIN_INNER_OFF);
	fcn_endcon_node_init(crc, FCN_ICRC_SKIP, frame + info->l3_off + 8, &node);
	require(fcn_endcon_plain_is_intact(crc, FCN_ICRC_SKIP, &node, inner) ==
			((error == FCN_ENDCON_OK || error == FCN_ENDCON_BAD_DESTINATION ||
					 error == FCN_ENDCON_BAD_LOOP) &&
					fcn_endcon_node_is(&node, inner + 8)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fcn_crc32 *crc = fuzz_crc();
	const struct fcn_parse_codes *codes = &fcn_parse_default_codes;
	uint32_t len = (uint32_t)size;
	struct fcn_wire_info info;
	enum fcn_endcon_error error;
	struct fcn_endcon out;
	uint8_t *frame;

	if (len < 2)
		return 0;
	len--;
	frame = fuzz_exact(data + 1, len);
	fcn_parse(frame, len, len, codes, &info);
	if (info.flags & FCN_PKT_IPV6) {
		if (data[0] & REPAIR)
			repair(crc, frame, &info, data[0]);
		error = fcn_endcon_check(crc, FCN_ICRC_SKIP, frame, len, &info, codes, &out);
		check_plain(crc, frame, len, &info, error);
		switch (error) {
		case FCN_ENDCON_OK:
			check_accepted(crc, frame, len, &info, &out);
			break;
		case FCN_ENDCON_BAD_SID:
			require(out.srv6 != FCN_SRV6_OK && out.wire == FCN_WIRE_OK);
			break;
		case FCN_ENDCON_BAD_NOTICE:
			require(out.wire != FCN_WIRE_OK);
			break;
		default:
			require(out.srv6 == FCN_SRV6_OK && out.wire == FCN_WIRE_OK);
		}
	}
	free(frame);
	return 0;
}
