/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A local behaviour: decapsulate IPv6 or IPv4 in IPv6, and route the inner packet. */

#include <netinet/in.h>

#include "fcn_stages.h"
#include "local_test.h"

enum fcn_local_result
fcn_local_strip(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct rte_mbuf *m = b->mbuf[i];
	const struct rte_ipv6_hdr *ip = rte_pktmbuf_mtod_offset(
			m, const struct rte_ipv6_hdr *, b->pkt[i].info.l3_off);
	const uint8_t inside = ip->proto;
	struct rte_ether_hdr *eth;

	if (inside != IPPROTO_IPV6 && inside != IPPROTO_IPIP) {
		fcn_drop(w, b, i, b->pkt[i].unwanted);
		return FCN_LOCAL_CONSUMED;
	}
	eth = (struct rte_ether_hdr *)rte_pktmbuf_adj(m, sizeof(*ip));
	eth->ether_type = inside == IPPROTO_IPV6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6)
						 : RTE_BE16(RTE_ETHER_TYPE_IPV4);
	b->pkt[i].table = FCN_TABLE_MAIN;
	return FCN_LOCAL_ROUTE;
}
