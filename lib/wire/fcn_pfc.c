/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <rte_cycles.h>

#include "fcn_pfc.h"

/* Offsets in the frame. */
#define TYPE_OFF (2 * RTE_ETHER_ADDR_LEN)
#define OPCODE_OFF 14
#define PAUSE_TIME_OFF 16
#define PAUSE_END 18
#define PFC_VECTOR_OFF 16
#define PFC_TIME_OFF 18
#define PFC_END (PFC_TIME_OFF + 2 * FCN_PFC_PRIORITIES)

const struct rte_ether_addr fcn_mac_control_addr = {
		.addr_bytes = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01}};

static inline uint16_t
get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline void
put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static enum fcn_mac_control_type
parse_pfc(const uint8_t *data, uint32_t len, struct fcn_mac_control *out)
{
	if (len < PFC_END)
		return FCN_MAC_CONTROL_IS_MALFORMED;
	out->priorities = data[PFC_VECTOR_OFF + 1];
	for (unsigned int i = 0; i < FCN_PFC_PRIORITIES; i++) {
		if (out->priorities & 1u << i)
			out->quanta[i] = get16(data + PFC_TIME_OFF + 2 * i);
	}
	return FCN_MAC_CONTROL_IS_PFC;
}

static enum fcn_mac_control_type
parse_pause(const uint8_t *data, uint32_t len, struct fcn_mac_control *out)
{
	if (len < PAUSE_END)
		return FCN_MAC_CONTROL_IS_MALFORMED;
	out->priorities = UINT8_MAX;
	for (unsigned int i = 0; i < FCN_PFC_PRIORITIES; i++)
		out->quanta[i] = get16(data + PAUSE_TIME_OFF);
	return FCN_MAC_CONTROL_IS_PAUSE;
}

enum fcn_mac_control_type
fcn_mac_control_parse(const uint8_t *data, uint32_t len, struct fcn_mac_control *out)
{
	memset(out, 0, sizeof(*out));
	if (len < OPCODE_OFF + 2)
		out->type = FCN_MAC_CONTROL_IS_MALFORMED;
	else if (get16(data + TYPE_OFF) != FCN_MAC_CONTROL_ETHER_TYPE)
		out->type = FCN_MAC_CONTROL_IS_OTHER;
	else if (get16(data + OPCODE_OFF) == FCN_MAC_CONTROL_PFC)
		out->type = parse_pfc(data, len, out);
	else if (get16(data + OPCODE_OFF) == FCN_MAC_CONTROL_PAUSE)
		out->type = parse_pause(data, len, out);
	else
		out->type = FCN_MAC_CONTROL_IS_OTHER;
	return out->type;
}

void
fcn_pfc_build(uint8_t *buf, const struct rte_ether_addr *source, uint8_t priorities,
		const uint16_t quanta[FCN_PFC_PRIORITIES])
{
	memset(buf, 0, FCN_PFC_FRAME_LEN);
	memcpy(buf, &fcn_mac_control_addr, RTE_ETHER_ADDR_LEN);
	memcpy(buf + RTE_ETHER_ADDR_LEN, source, RTE_ETHER_ADDR_LEN);
	put16(buf + TYPE_OFF, FCN_MAC_CONTROL_ETHER_TYPE);
	put16(buf + OPCODE_OFF, FCN_MAC_CONTROL_PFC);
	put16(buf + PFC_VECTOR_OFF, priorities);
	for (unsigned int i = 0; i < FCN_PFC_PRIORITIES; i++) {
		if (priorities & 1u << i)
			put16(buf + PFC_TIME_OFF + 2 * i, quanta[i]);
	}
}

uint64_t
fcn_pfc_quanta_to_ns(uint16_t quanta, uint64_t bps)
{
	/* The product is at most 3.4e16, so it does not overflow. */
	uint64_t bit_ns = (uint64_t)quanta * FCN_PFC_QUANTUM_BITS * NS_PER_S;

	if (bps == 0)
		return 0;
	return bit_ns / bps + (bit_ns % bps != 0);
}
