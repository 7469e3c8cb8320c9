/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include "fcn_dest_option.h"
#include "fcn_inet.h"
#include "option.h"

#define EXT_MIN_LEN 8

bool
fcn_dest_option_find(const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		uint8_t type, uint32_t *off)
{
	uint32_t hdr = info->inner_l3_off + FCN_IP6_LEN;
	uint8_t proto;

	if (info->l3_off == 0 || (info->flags & FCN_PKT_INNER_IPV4) || hdr > len)
		return false;
	proto = data[hdr - FCN_IP6_LEN + 6];
	while (proto == IPPROTO_HOPOPTS || proto == IPPROTO_ROUTING || proto == IPPROTO_DSTOPTS) {
		struct fcn_option_cursor c = {.data = data, .next = hdr + 2};
		enum fcn_wire_error error;
		struct fcn_option opt;

		if (hdr + EXT_MIN_LEN > len)
			return false;
		c.end = hdr + (data[hdr + 1] + 1u) * 8;
		if (c.end > len)
			return false;
		while (proto == IPPROTO_DSTOPTS && fcn_option_next(&c, &opt, &error)) {
			if (opt.type == type) {
				*off = opt.off;
				return true;
			}
		}
		proto = data[hdr];
		hdr = hdr + (data[hdr + 1] + 1u) * 8;
	}
	return false;
}
