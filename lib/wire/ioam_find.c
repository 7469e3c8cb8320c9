/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include "fcn_ioam.h"
#include "option.h"

bool
fcn_ioam_find_trace(
		const uint8_t *data, uint32_t seg_len, uint16_t l3_off, uint16_t *off, uint8_t *len)
{
	uint32_t hbh = l3_off + sizeof(struct rte_ipv6_hdr);
	struct fcn_option_cursor c = {.data = data, .next = hbh + 2};
	struct fcn_option opt = {0};
	enum fcn_wire_error error;

	if (seg_len < hbh + 8 ||
			data[l3_off + offsetof(struct rte_ipv6_hdr, proto)] != IPPROTO_HOPOPTS)
		return false;
	c.end = hbh + (data[hbh + 1] + 1) * 8;
	if (c.end > seg_len)
		return false;
	while (fcn_option_next(&c, &opt, &error)) {
		const uint8_t *p = data + opt.off;

		/* Option Type, Opt Data Len, Reserved, IOAM Opt-Type, trace option header */
		if (opt.type != FCN_IPV6_OPT_IOAM_CHG || opt.len < 2 + FCN_IOAM_TRACE_HDR_LEN ||
				p[3] != FCN_IOAM_PREALLOC_TRACE)
			continue;
		*off = opt.off + 4;
		*len = opt.len - 2;
		return (opt.off - hbh) % 4 == 0;
	}
	return false;
}
