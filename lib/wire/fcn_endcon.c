/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include "fcn_endcon.h"
#include "fcn_names.h"
#include "fcn_srv6_end.h"

#define IP6_NEXT_HEADER_OFF 6
#define IP6_HOP_LIMIT_OFF 7
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24

FCN_NAME_FUNCTION(fcn_endcon_error_name, enum fcn_endcon_error, "ok",
		FCN_ENDCON_REFUSALS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_endcon_error_text, enum fcn_endcon_error, "valid",
		FCN_ENDCON_REFUSALS(FCN_ITEM_TEXT))

void
fcn_endcon_init(struct fcn_endcon_template *tmpl, const uint8_t source[16], uint8_t dscp,
		uint8_t hop_limit)
{
	uint8_t *ip = tmpl->header;

	memset(tmpl, 0, sizeof(*tmpl));
	fcn_put_be32(ip, 6u << 28 | (uint32_t)(dscp & 0x3F) << 22);
	ip[IP6_NEXT_HEADER_OFF] = IPPROTO_IPV6;
	ip[IP6_HOP_LIMIT_OFF] = hop_limit;
	memcpy(ip + IP6_SRC_OFF, source, 16);
}

/* The rules for a packet to any SID that ends a policy. */
static enum fcn_srv6_error
check_outer(const uint8_t *ip, uint32_t len, struct fcn_srv6_headers *h)
{
	enum fcn_srv6_error error = fcn_srv6_headers_find(ip, len, h);

	if (error != FCN_SRV6_OK)
		return error;
	return fcn_srv6_decaps_check(ip, len, FCN_SRV6_INNER_IPV6, h);
}

/* The inner packet is the one that the parser of the frame has read, and it has no segments left.
 */
static enum fcn_endcon_error
check_inner(const uint8_t *outer, const uint8_t *inner, uint32_t len)
{
	const uint8_t *dst = inner + IP6_DST_OFF;
	struct fcn_srv6_headers h;

	if (fcn_srv6_headers_find(inner, len, &h) != FCN_SRV6_OK || h.segments_left != 0)
		return FCN_ENDCON_BAD_ROUTING;
	if (!fcn_ip6_is_station(dst) || fcn_ip6_is_link_local(dst))
		return FCN_ENDCON_BAD_DESTINATION;
	if (memcmp(dst, outer + IP6_DST_OFF, 16) == 0)
		return FCN_ENDCON_BAD_LOOP;
	return FCN_ENDCON_OK;
}

enum fcn_endcon_error
fcn_endcon_check(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode, const uint8_t *data,
		uint32_t len, const struct fcn_wire_info *info, const struct fcn_parse_codes *codes,
		struct fcn_endcon *out)
{
	const uint8_t *ip = data + info->l3_off;
	uint32_t inner_off;

	memset(out, 0, sizeof(*out));
	len -= info->l3_off;
	out->srv6 = check_outer(ip, len, &out->headers);
	if (out->srv6 != FCN_SRV6_OK)
		return FCN_ENDCON_BAD_SID;
	inner_off = info->l3_off + out->headers.upper_off;
	/* The parser may have ended before the inner header. */
	if (!(info->flags & FCN_PKT_TUNNEL) || info->inner_l3_off != inner_off)
		out->wire = info->error != FCN_WIRE_OK ? info->error : FCN_WIRE_NOT_CNP;
	else
		out->wire = fcn_fastcnp_parse(
				crc, mode, data, len + info->l3_off, info, codes, &out->notice);
	if (out->wire != FCN_WIRE_OK)
		return FCN_ENDCON_BAD_NOTICE;
	return check_inner(ip, data + inner_off, len - out->headers.upper_off);
}
