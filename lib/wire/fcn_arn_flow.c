/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_arn_flow.h"
#include "fcn_srv6_headers.h"

#define IP4_PROTO_OFF 9
#define IP4_SRC_OFF 12
#define IP4_DST_OFF 16
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24

/* The IPv4 addresses of a header. */
static void
addresses4(const uint8_t *ip, struct fcn_flow_descriptor *flow)
{
	flow->version = 4;
	memcpy(flow->src, ip + IP4_SRC_OFF, 4);
	memcpy(flow->dst, ip + IP4_DST_OFF, 4);
}

/* The header of a tunnel. */
static bool
outer(const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		struct fcn_flow_descriptor *flow)
{
	const uint8_t *ip = data + info->l3_off, *last = ip + IP6_DST_OFF;
	struct fcn_srv6_headers h;

	if (info->flags & FCN_PKT_IPV4) {
		addresses4(ip, flow);
		flow->proto = ip[IP4_PROTO_OFF];
		return true;
	}
	/* The list ends with the last segment, which is its first element, also if it is reduced
	 * (RFC 8754 section 4.1.1). */
	fcn_srv6_headers_find(ip, len - info->l3_off, &h);
	if (h.srh_off != 0 && fcn_srh_check_list(ip + h.srh_off) == FCN_SRV6_OK &&
			h.srh_len >= FCN_SRH_FIXED_LEN + FCN_SRH_SEGMENT_LEN)
		last = fcn_srh_segment(ip + h.srh_off, 0);
	fcn_arn_service(ip + IP6_SRC_OFF, last, flow);
	return true;
}

bool
fcn_arn_flow_of(const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		enum fcn_arn_mode mode, struct fcn_flow_descriptor *flow)
{
	const uint8_t *ip = data + info->inner_l3_off;

	if (!(info->flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6)))
		return false;
	memset(flow, 0, sizeof(*flow));
	if (mode == FCN_ARN_MODE_SERVICE && info->flags & FCN_PKT_TUNNEL)
		return outer(data, len, info, flow);
	if (info->flags & FCN_PKT_INNER_IPV4) {
		addresses4(ip, flow);
	} else {
		if (info->final_dst_off == 0)
			return false;
		flow->version = 6;
		memcpy(flow->src, ip + IP6_SRC_OFF, sizeof(flow->src));
		memcpy(flow->dst, data + info->final_dst_off, sizeof(flow->dst));
	}
	flow->proto = info->proto;
	if (!(info->flags & FCN_PKT_FRAGMENT)) {
		flow->src_port = info->src_port;
		flow->dst_port = info->dst_port;
	}
	return true;
}
