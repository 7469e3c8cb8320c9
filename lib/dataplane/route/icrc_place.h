/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Where the ICRC of a RoCEv2 packet is, for stages that change headers which it covers.
 */

#ifndef ICRC_PLACE_H
#define ICRC_PLACE_H

#include <rte_mbuf.h>

#include "fcn_icrc.h"
#include "fcn_parse.h"

/**
 * Get the ICRC of a RoCEv2 packet. A bridged frame keeps its Ethernet padding behind the IP packet.
 *
 * @return the four bytes; NULL when they are not in one segment
 */
static inline uint8_t *
fcn_icrc_place(struct rte_mbuf *m, const struct fcn_wire_info *info)
{
	const uint32_t end = (uint32_t)info->l3_off + info->ip_len;
	struct rte_mbuf *last = rte_pktmbuf_lastseg(m);

	if (m->nb_segs == 1)
		return rte_pktmbuf_mtod_offset(m, uint8_t *, end - FCN_ICRC_LEN);
	if (m->pkt_len > end || last->data_len < FCN_ICRC_LEN)
		return NULL;
	return rte_pktmbuf_mtod_offset(last, uint8_t *, last->data_len - FCN_ICRC_LEN);
}

#endif /* ICRC_PLACE_H */
