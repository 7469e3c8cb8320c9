/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions that the source files of the bridge stage share. Internal to lib/dataplane.
 */

#ifndef BRIDGE_H
#define BRIDGE_H

#include <fcn_mac_find.h>

#include "fcn_stages.h"

/** Minimum time in ns between two events of the same kind about a port of a bridge. */
#define FCN_BRIDGE_EVENT_NS UINT64_C(1000000000)

/**
 * An address is sent to the other workers again whenever this part of the ageing time has passed,
 * because each worker ages its own table.
 */
#define FCN_BRIDGE_READVERTISE_PARTS 4

/**
 * Get the time in ns after which an address of a bridge is to be sent to the other workers again;
 * UINT64_MAX when there are none.
 */
static inline uint64_t
fcn_bridge_readvertise_ns(const struct fcn_worker *w, uint16_t bridge)
{
	return w->n_peers == 0 ? UINT64_MAX
			       : w->snap->bridge[bridge].ageing_ns / FCN_BRIDGE_READVERTISE_PARTS;
}

/** Get the time in ns before which an address of a bridge was sent to the other workers, so that it
 * is to be sent again; 0 when there are none. */
static inline uint64_t
fcn_bridge_shared_since(const struct fcn_worker *w, uint16_t bridge)
{
	const uint64_t readvertise_ns = fcn_bridge_readvertise_ns(w, bridge);

	return w->now < readvertise_ns ? 0 : w->now - readvertise_ns + 1;
}

/**
 * Refresh an address that is known at its port.
 *
 * @param mac   at least eight readable octets
 * @param where fcn_mac_where()
 * @param since of fcn_bridge_shared_since()
 * @return false if there is more to do: it is to be learned, or to be sent to the other workers
 */
static __rte_always_inline bool
fcn_bridge_refresh(const struct fcn_mac_search *table, const uint8_t *mac, uint16_t vlan,
		uint32_t where, uint64_t now, uint64_t since)
{
	const uint64_t address = fcn_mac_address(mac, vlan);
	const uint16_t bridge = (uint16_t)(where >> 16);
	struct fcn_mac_place *place = &table->place[fcn_mac_home(table, address, bridge)];

	if (unlikely(place->address != address || place->where != where)) {
		place = fcn_mac_find(table, (uint32_t)(place - table->place), address, bridge);
		if (place == NULL || place->where != where)
			return false;
	}
	if (unlikely(place->shared_ns < since))
		return false;
	place->seen_ns = now;
	return true;
}

/** Check whether a port carries a VLAN. */
static inline bool
fcn_bridge_is_member(const struct fcn_snapshot_port *port, uint16_t vlan)
{
	return port->pvid == vlan || fcn_vlan_is_set(port->tagged, vlan);
}

/**
 * Get the length of the longest untagged frame of a port's own VLAN that may go where an address is
 * known, and as it is. @param where fcn_mac_where() @return 0: none may
 */
static inline uint32_t
fcn_bridge_longest(const struct fcn_snapshot *s, uint16_t in_port, uint32_t where)
{
	const uint16_t bridge = s->port[in_port].bridge, number = (uint16_t)where;
	const struct fcn_snapshot_port *out = &s->port[number];

	if (where != fcn_mac_where(bridge, number) || number == in_port ||
			!fcn_port_set_has(&s->bridge[bridge].members, number) ||
			out->pvid != s->port[in_port].pvid)
		return 0;
	return out->mtu + (uint32_t)RTE_ETHER_HDR_LEN;
}

/**
 * Learn the source address of a frame, and send it to the other workers. Called only if there are
 * other workers.
 *
 * @return as fcn_mac_table_learn()
 */
int fcn_bridge_learn_shared(struct fcn_worker *w, const struct fcn_mac_key *key, uint16_t port);

/**
 * Count the result of learning an address that was not simply refreshed, and push events.
 *
 * @param rc result of the learn function
 */
void fcn_bridge_learned(struct fcn_worker *w, const struct fcn_mac_key *key, uint16_t port, int rc);

/** Send packet i of a burst by a port of its VLAN, with the tag that this port wants. */
void fcn_bridge_send(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint16_t out);

/** Look up the destination of packet i: send the packet to its port, or flood it. */
void fcn_bridge_forward(struct fcn_worker *w, struct fcn_burst *b, unsigned int i);

/**
 * Append a copy of packet i to w->flood. The copy shares no bytes with the packet.
 *
 * @return false when w->flood is full or there is no buffer, which is counted as a drop
 */
bool fcn_bridge_copy(struct fcn_worker *w, const struct fcn_burst *b, unsigned int i);

/** Send packet i to all ports of its VLAN except its ingress port, if storm control allows it. */
void fcn_bridge_flood(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_snapshot_bridge *bridge);

/** Check whether a MAC address is that of the bridge interface in its VLAN. */
bool fcn_bridge_is_own(const struct fcn_snapshot *s, const struct fcn_mac_key *key);

/**
 * Have packet i delivered by the local stage if it is addressed to an interface of the bridge, or a
 * copy of it if it is addressed to a group and asks for an address of that interface.
 *
 * @return whether the packet needs no further forwarding; otherwise it has to be flooded
 */
bool fcn_bridge_to_interface(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		const struct fcn_snapshot_bridge *bridge);

/**
 * Push an event about a port, unless one of its kind was pushed less than FCN_BRIDGE_EVENT_NS ago.
 *
 * @param last_ns time of the last such event; 0: never; updated
 */
void fcn_bridge_event(struct fcn_worker *w, struct fcn_event *ev, uint64_t *last_ns);

/**
 * Learn the source address of a frame, and send it to the other workers, if there are any.
 *
 * @return as fcn_mac_table_learn()
 */
static inline int
fcn_bridge_learn(struct fcn_worker *w, const struct fcn_mac_key *key, uint16_t port)
{
	if (likely(w->n_peers == 0))
		return fcn_mac_table_learn(w->macs, key, port, w->now);
	return fcn_bridge_learn_shared(w, key, port);
}

#endif /* BRIDGE_H */
