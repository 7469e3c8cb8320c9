/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_parse_trace.h"
#include "option.h"

#define TAIL_PAD 4 /* bytes of padding behind a trace whose length is no multiple of 8 */
#define FINAL_DST_OFF \
	((uint32_t)(sizeof(struct rte_ether_hdr) + offsetof(struct rte_ipv6_hdr, dst_addr)))

bool
fcn_parse_trace_layout(const uint8_t *hbh, uint32_t len, struct fcn_trace_layout *known)
{
	const uint32_t hdr_len = 8u * (hbh[1] + 1u), option_len = hbh[FCN_TRACE_OPTION + 1];
	const uint32_t option_end = FCN_TRACE_OPTION + 2 + option_len;
	struct fcn_ioam_trace trace;

	if (hbh[0] != IPPROTO_UDP || hbh[2] != FCN_IPV6_OPT_PADN || hbh[3] != 0 ||
			hbh[FCN_TRACE_OPTION] != FCN_IPV6_OPT_IOAM_CHG ||
			option_len < 2 + FCN_IOAM_TRACE_HDR_LEN ||
			hbh[FCN_TRACE_OPTION + 3] != FCN_IOAM_PREALLOC_TRACE)
		return false;
	if ((option_end != hdr_len && option_end + TAIL_PAD != hdr_len) || hdr_len > len ||
			FCN_TRACE_HBH_OFF + hdr_len + FCN_TRACE_UPPER_LEN > FCN_PARSE_MAX_HEADERS)
		return false;
	if (fcn_ioam_trace_parse(hbh + FCN_TRACE_HEADER, option_len - 2, &trace) != FCN_WIRE_OK)
		return false;
	memcpy(&known->head, hbh, sizeof(known->head));
	known->trace = fcn_parse_trace_word(hbh + FCN_TRACE_HEADER);
	known->offsets = (FCN_TRACE_HBH_OFF + hdr_len) | FINAL_DST_OFF << 16 |
			 (uint64_t)FCN_ROCE_UDP_PORT << 48;
	known->tail = IPPROTO_UDP << 8 | (uint64_t)option_len << 48;
	known->len = hdr_len;
	known->padded = option_end == hdr_len ? 0 : UINT32_MAX;
	return true;
}
