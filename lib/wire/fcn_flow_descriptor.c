/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_flow_descriptor.h"
#include "fcn_inet.h"

#define PROTO_OFF 1
#define RESERVED_OFF 2
#define SRC_PORT_OFF 4
#define DST_PORT_OFF 6
#define ADDRESSES_OFF 8

void
fcn_flow_descriptor_read(const uint8_t *data, struct fcn_flow_descriptor *flow)
{
	uint32_t address_len;

	memset(flow, 0, sizeof(*flow));
	flow->version = data[0] >> 4;
	flow->level = data[0] >> 1 & 7;
	flow->proto = data[PROTO_OFF];
	flow->src_port = fcn_get_be16(data + SRC_PORT_OFF);
	flow->dst_port = fcn_get_be16(data + DST_PORT_OFF);
	address_len = flow->version == 4 ? 4 : 16;
	memcpy(flow->src, data + ADDRESSES_OFF, address_len);
	memcpy(flow->dst, data + ADDRESSES_OFF + address_len, address_len);
}

uint32_t
fcn_flow_descriptor_write(const struct fcn_flow_descriptor *flow, uint8_t *buf)
{
	uint32_t address_len = flow->version == 4 ? 4 : 16;

	buf[0] = (uint8_t)(flow->version << 4 | (flow->level & 7) << 1);
	buf[PROTO_OFF] = flow->proto;
	fcn_put_be16(buf + RESERVED_OFF, 0);
	fcn_put_be16(buf + SRC_PORT_OFF, flow->src_port);
	fcn_put_be16(buf + DST_PORT_OFF, flow->dst_port);
	memcpy(buf + ADDRESSES_OFF, flow->src, address_len);
	memcpy(buf + ADDRESSES_OFF + address_len, flow->dst, address_len);
	return ADDRESSES_OFF + 2 * address_len;
}
