/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The loop over the sources of packets of bridges on the fast path. It is inlined into one function
 * for each width of SIMD registers, as those of fast_path_loop.h.
 */

#ifndef FAST_PATH_BRIDGE_H
#define FAST_PATH_BRIDGE_H

#include <fcn_mac_find.h>

#include "bridge.h"
#include "fast_path_loop.h"

/** The functions fcn_fast_functions.admit: see there. @param head what `matches` compares with */
static __rte_always_inline unsigned int
fcn_fast_admit(const struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, uint32_t *home,
		fcn_fast_matches_t matches, const void *head)
{
	const struct fcn_snapshot_port *port = f->port;
	const uint16_t vlan = port->pvid, bridge = port->bridge;
	const uint32_t where = fcn_mac_where(bridge, f->packet.in_port);
	const uint32_t range = fcn_classify_range(&f->run);
	const uint64_t now = f->w->now;
	const uint64_t readvertise_ns = fcn_bridge_readvertise_ns(f->w, bridge);
	/* What was sent to the other workers before that has to be sent again. */
	const uint64_t since = now < readvertise_ns ? 0 : now - readvertise_ns + 1;
	const struct fcn_mac_search table = fcn_mac_search(f->w->macs);
	unsigned int i;

	for (i = 0; i < n; i++) {
		const struct rte_mbuf *m = mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_mac_place *source;
		uint64_t from_mac;
		uint32_t from;

		if (unlikely(!fcn_classify_has_length(m, data, range) || !matches(head, data) ||
				    data[FCN_PLAIN_BTH] == FCN_BTH_OPCODE_CNP))
			break;
		home[i] = fcn_mac_home(&table, fcn_mac_address(data, vlan), bridge);
		rte_prefetch0(&table.place[home[i]]);
		from_mac = fcn_mac_address(data + RTE_ETHER_ADDR_LEN, vlan);
		from = fcn_mac_home(&table, from_mac, bridge);
		source = &table.place[from];
		if (unlikely(source->address != from_mac || source->where != where)) {
			source = fcn_mac_find(&table, from, from_mac, bridge);
			if (source == NULL || source->where != where)
				break;
		}
		if (unlikely(source->shared_ns < since))
			break;
		source->seen_ns = now;
	}
	return i;
}

#endif /* FAST_PATH_BRIDGE_H */
