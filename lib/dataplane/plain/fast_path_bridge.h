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

/** fcn_fast_admit() for a worker that shares addresses with others, and for one that does not. */
static __rte_always_inline unsigned int
fcn_fast_admit_all(const struct fcn_fast *f, struct fcn_fast_bridging *b, unsigned int from,
		unsigned int to, fcn_fast_matches_t matches, const void *head, bool shares)
{
	struct rte_mbuf *const *mbuf = f->w->received.mbuf;
	const struct fcn_snapshot_port *port = f->port;
	const uint16_t vlan = port->pvid, bridge = port->bridge;
	const uint32_t where = fcn_mac_where(bridge, f->packet.in_port);
	const uint32_t range = fcn_plain_range(f->max_frame);
	const uint64_t now = f->w->now;
	const uint64_t readvertise_ns = fcn_bridge_readvertise_ns(f->w, bridge);
	/* What was sent to the other workers before that has to be sent again. */
	const uint64_t since = now < readvertise_ns ? 0 : now - readvertise_ns + 1;
	const struct fcn_mac_search table = fcn_mac_search(f->w->macs);
	size_t i;

	for (i = from; i < to; i++) {
		const struct rte_mbuf *m = mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_mac_place *place;
		uint64_t address;

		if (unlikely(!fcn_plain_has_length(m, data, range) || !matches(head, data) ||
				    data[FCN_PLAIN_BTH] == FCN_BTH_OPCODE_CNP))
			break;
		address = fcn_mac_address(data, vlan);
		place = &table.place[fcn_mac_home(&table, address, bridge)];
		rte_prefetch0(place);
		b->address[i] = address;
		b->place[i] = place;
		address = fcn_mac_address(data + RTE_ETHER_ADDR_LEN, vlan);
		place = &table.place[fcn_mac_home(&table, address, bridge)];
		if (unlikely(place->address != address || place->where != where)) {
			place = fcn_mac_find(
					&table, (uint32_t)(place - table.place), address, bridge);
			if (place == NULL || place->where != where)
				break;
		}
		if (shares && unlikely(place->shared_ns < since))
			break;
		place->seen_ns = now;
	}
	return (unsigned int)i;
}

/** The functions fcn_fast_functions.admit: see there. @param head what `matches` compares with */
static __rte_always_inline unsigned int
fcn_fast_admit(const struct fcn_fast *f, struct fcn_fast_bridging *b, unsigned int from,
		unsigned int to, fcn_fast_matches_t matches, const void *head)
{
	if (likely(f->w->n_peers == 0))
		return fcn_fast_admit_all(f, b, from, to, matches, head, false);
	return fcn_fast_admit_all(f, b, from, to, matches, head, true);
}

#endif /* FAST_PATH_BRIDGE_H */
