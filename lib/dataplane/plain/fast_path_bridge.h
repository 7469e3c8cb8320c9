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

/** In place of that of an address: the packet is not for the fast path. */
extern const struct fcn_mac_place fcn_fast_no_place;

/** Packets of bridges in a turn, by their index in w->received. */
struct fcn_fast_bridging {
	bool begun;     /**< the sources of all have been looked at: the rest is valid */
	unsigned int n; /**< packets that may be taken */
	/** Their destinations, and the first places where these may be; those of other packets are
	 * those of fcn_fast_no_place. */
	uint64_t address[FCN_BURST_MAX];
	const struct fcn_mac_place *place[FCN_BURST_MAX];
};

/** Note that packet i is not for the fast path. */
static inline void
fcn_fast_bridging_pass(struct fcn_fast_bridging *b, size_t i)
{
	b->address[i] = fcn_fast_no_place.address;
	b->place[i] = &fcn_fast_no_place;
	b->n--;
}

/** How packets of bridges are recognised. */
struct fcn_fast_stations {
	fcn_fast_plain_t roce6, roce4;
	const void *head6, *head4; /**< what these compare with */
};

/** fcn_fast_admit() for a worker that shares addresses with others, and for one that does not.
 * @param since of fcn_bridge_shared_since() */
static __rte_always_inline void
fcn_fast_admit_all(const struct fcn_fast *f, unsigned int from, unsigned int to,
		const struct fcn_fast_stations *known, uint64_t since)
{
	struct rte_mbuf *const *mbuf = f->w->received.mbuf;
	struct fcn_fast_bridging *b = f->bridging;
	const struct fcn_snapshot_port *port = f->port;
	const uint16_t vlan = port->pvid, bridge = port->bridge;
	const uint32_t where = fcn_mac_where(bridge, f->packet.in_port);
	const uint32_t max_frame = f->max_frame, range = fcn_plain_range(max_frame);
	const uint64_t now = f->w->now;
	const struct fcn_mac_search table = fcn_mac_search(f->w->macs);

	for (size_t i = from; i < to; i++) {
		const struct rte_mbuf *m = mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		uint64_t address;

		if ((unlikely(!fcn_fast_kind_of(m, range, known->roce6, known->head6, 6)) &&
				    !fcn_fast_kind_of(
						    m, max_frame, known->roce4, known->head4, 4))) {
			fcn_fast_bridging_pass(b, i);
			continue;
		}
		address = fcn_mac_address(data, vlan);
		b->address[i] = address;
		b->place[i] = &table.place[fcn_mac_home(&table, address, bridge)];
		rte_prefetch0(b->place[i]);
		if (unlikely(!fcn_bridge_refresh(
				    &table, data + RTE_ETHER_ADDR_LEN, vlan, where, now, since)))
			fcn_fast_bridging_pass(b, i);
	}
}

/** The functions fcn_fast_functions.admit: see there. */
static __rte_always_inline void
fcn_fast_admit(const struct fcn_fast *f, unsigned int from, unsigned int to,
		const struct fcn_fast_stations *known)
{
	if (likely(f->w->n_peers == 0))
		fcn_fast_admit_all(f, from, to, known, 0);
	else
		fcn_fast_admit_all(
				f, from, to, known, fcn_bridge_shared_since(f->w, f->port->bridge));
}

#endif /* FAST_PATH_BRIDGE_H */
