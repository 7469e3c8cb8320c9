/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_dest_option.h"
#include "fcn_inet.h"
#include "fcn_trimmed_option.h"

#define FLOW_LABEL 0xFFFFFu
#define PSN 0xFFFFFFu
#define BTH_PSN_OFF 8 /* word of the BTH with AckReq and PSN */

struct fcn_trimmed_option
fcn_trimmed_option_of(const uint8_t *data, const struct fcn_wire_info *info, uint8_t level)
{
	const uint8_t *ip = data + info->inner_l3_off;
	const uint8_t *bth = data + info->l4_off + sizeof(struct rte_udp_hdr);

	return (struct fcn_trimmed_option){
			.reason = FCN_TRIMMED_NO_ROOM,
			.level = level,
			.length = (uint16_t)(FCN_IP6_LEN + fcn_get_be16(ip + 4)),
			.opcode = bth[0],
			.psn = fcn_load_be32(bth + BTH_PSN_OFF) & PSN,
			.flow_label = fcn_load_be32(ip) & FLOW_LABEL,
	};
}

static void
put32(uint8_t *p, uint32_t value)
{
	const rte_be32_t be = rte_cpu_to_be_32(value);

	memcpy(p, &be, sizeof(be));
}

void
fcn_trimmed_option_write(uint8_t *p, uint8_t type, const struct fcn_trimmed_option *option)
{
	p[0] = type;
	p[1] = FCN_TRIMMED_OPTION_DATA;
	put32(p + 2, (uint32_t)option->reason << 24 | (uint32_t)option->level << 16 |
					option->length);
	put32(p + 6, (uint32_t)option->opcode << 24 | (option->psn & PSN));
	put32(p + 10, option->flow_label & FLOW_LABEL);
}

bool
fcn_trimmed_option_read(const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		uint8_t type, struct fcn_trimmed_option *out)
{
	const uint8_t *p;
	uint32_t off;

	if (!fcn_dest_option_find(data, len, info, type, &off))
		return false;
	p = data + off;
	if (p[1] != FCN_TRIMMED_OPTION_DATA)
		return false;
	*out = (struct fcn_trimmed_option){
			.reason = p[2],
			.level = p[3],
			.length = fcn_get_be16(p + 4),
			.opcode = p[6],
			.psn = fcn_load_be32(p + 6) & PSN,
			.flow_label = fcn_load_be32(p + 10) & FLOW_LABEL,
	};
	return true;
}
