/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_inet.h"
#include "fcn_parse.h"
#include "fcn_udp.h"
#include "roce_repair.h"

void
roce_repair(const struct fcn_crc32 *crc, uint8_t *data, uint32_t len)
{
	struct fcn_wire_info info;
	uint8_t *ip, *udp;
	uint32_t icrc, l4;
	uint16_t sum;

	fcn_parse(data, len, len, &fcn_parse_default_codes, &info);
	if (!(info.flags & FCN_PKT_ROCE) || (info.flags & (FCN_PKT_TUNNEL | FCN_PKT_INNER_IPV4)))
		return;
	ip = data + info.l3_off;
	udp = data + info.l4_off;
	l4 = info.l4_off - (uint32_t)info.l3_off;
	icrc = rte_cpu_to_le_32(fcn_icrc(crc, ip, l4, info.ip_len, FCN_ICRC_SKIP));
	memcpy(ip + info.ip_len - 4, &icrc, 4);
	if (fcn_get_be16(udp + 6) == 0)
		return;
	fcn_put_be16(udp + 6, 0);
	sum = fcn_udp_checksum(ip + 8, ip + 24, 16, udp, info.ip_len - l4);
	memcpy(udp + 6, &sum, sizeof(sum));
}
