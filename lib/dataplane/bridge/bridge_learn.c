/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Learning of MAC addresses: the table, the exchange with other workers, and the limits of ports.
 */

#include <errno.h>

#include "bridge.h"

/* A message to another worker: a MAC address that was learned. */
struct learned {
	struct fcn_mac_key key;
	uint16_t port;
};

_Static_assert(sizeof(struct learned) == FCN_LEARNED_SIZE, "what the rings are made for");

#define LEARN_BURST 32

#define MOVES_NS UINT64_C(1000000000) /* period in which moves of MAC addresses are counted */

static inline bool
is_own(const struct fcn_snapshot *s, const struct fcn_mac_key *key)
{
	return unlikely(!fcn_port_set_is_empty(&s->bridge[key->bridge].interfaces)) &&
	       fcn_bridge_is_own(s, key);
}

/*
 * Learn an address, and send it to the other workers, which need it for the packets that they
 * receive.
 */
int
fcn_bridge_learn_shared(struct fcn_worker *w, const struct fcn_mac_key *key, uint16_t port)
{
	struct learned what = {.key = *key, .port = port};
	int rc = fcn_mac_table_learn_shared(
			w->macs, key, port, w->now, fcn_bridge_readvertise_ns(w, key->bridge));

	if (rc <= 0)
		return rc;
	/* An address of the switch is not kept here. */
	if (is_own(w->snap, key))
		return rc;
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (rte_ring_sp_enqueue_elem(
				    w->peer[i].tx[FCN_PEER_LEARNED], &what, sizeof(what)) != 0)
			w->learn_lost++;
	}
	return rc;
}

/*
 * Learn the addresses that another worker has sent.
 *
 * @param s the current snapshot
 * @return number of addresses taken from the ring
 */
static unsigned int
learn_rx(struct fcn_worker *w, const struct fcn_snapshot *s, struct rte_ring *ring)
{
	struct learned what[LEARN_BURST];
	unsigned int n;

	n = rte_ring_sc_dequeue_burst_elem(ring, what, sizeof(what[0]), LEARN_BURST, NULL);
	for (unsigned int k = 0; k < n; k++) {
		/* The other worker learned it before it became an address of the switch. */
		if (is_own(s, &what[k].key))
			continue;
		/*
		 * The limit of a port applies in each table. An address for which there is no room
		 * here is lost for this worker.
		 */
		w->learn_lost += fcn_mac_table_learn_shared(w->macs, &what[k].key, what[k].port,
						 w->now, UINT64_MAX) < 0;
	}
	return n;
}

void
fcn_bridge_learn_rx(struct fcn_worker *w)
{
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (unlikely(!rte_ring_empty(w->peer[i].rx[FCN_PEER_LEARNED])))
			learn_rx(w, w->snap, w->peer[i].rx[FCN_PEER_LEARNED]);
	}
}

unsigned int
fcn_bridge_forget(struct fcn_worker *w, int port)
{
	/* The worker may not have run a turn since its snapshot was replaced. */
	const struct fcn_snapshot *s = __atomic_load_n(w->published, __ATOMIC_ACQUIRE);

	/* Empty the rings first: what others learned before may be about that port. */
	for (unsigned int i = 0; i < w->n_peers; i++) {
		unsigned int waiting = rte_ring_count(w->peer[i].rx[FCN_PEER_LEARNED]), n = 1;

		for (; waiting != 0 && n != 0; waiting -= RTE_MIN(n, waiting))
			n = learn_rx(w, s, w->peer[i].rx[FCN_PEER_LEARNED]);
	}
	return fcn_mac_table_flush(w->macs, port);
}

void
fcn_bridge_restore(struct fcn_worker *w, const struct fcn_mac_entry *entry)
{
	/* The worker may not have run a turn since its snapshot was replaced. */
	const struct fcn_snapshot *s = __atomic_load_n(w->published, __ATOMIC_ACQUIRE);

	if (entry->key.bridge < FCN_MAX_BRIDGES && entry->port < FCN_MAX_PORTS &&
			!is_own(s, &entry->key))
		fcn_mac_table_restore(w->macs, &entry->key, entry->port, entry->seen_ns, w->now);
}

void
fcn_bridge_event(struct fcn_worker *w, struct fcn_event *ev, uint64_t *last_ns)
{
	if (*last_ns != 0 && w->now - *last_ns < FCN_BRIDGE_EVENT_NS)
		return;
	*last_ns = RTE_MAX(w->now, UINT64_C(1));
	ev->time_ns = w->now;
	ev->level = FCN_LEVEL_NONE;
	fcn_worker_event(w, ev);
}

/* Push an event that a port had no room for an address. */
static void
no_room_event(struct fcn_worker *w, uint16_t port, enum fcn_event_type type, uint64_t *last_ns)
{
	struct fcn_event ev = {.type = type, .port = port, .in_port = port};

	fcn_bridge_event(w, &ev, last_ns);
}

/*
 * Count a move of an address. Stations move occasionally. In a loop, or when two stations use one
 * address, an address moves all the time. Moves from ports with lower numbers are counted
 * separately from those from ports with higher numbers: of the two ports of a loop, exactly one
 * then has moves from a lower port.
 */
static void
moved(struct fcn_worker *w, const struct fcn_mac_key *key, uint16_t port)
{
	const uint32_t limit = w->snap->bridge[key->bridge].move_limit;
	const uint16_t from = fcn_mac_table_moved_from(w->macs);
	const bool up = from < port;
	struct fcn_bridge_port *state = &w->bridging[port];
	struct fcn_event ev = {.type = FCN_EVENT_MAC_FLAPPING, .port = port, .in_port = from};

	w->counters[port].mac_moves++;
	if (w->now - state->moves_since_ns >= MOVES_NS) {
		state->moves_since_ns = w->now;
		memset(state->moves, 0, sizeof(state->moves));
	}
	state->moves[up]++;
	if (limit == 0 || state->moves[up] < limit)
		return;
	memcpy(ev.sender, &key->mac, sizeof(key->mac));
	fcn_bridge_event(w, &ev, &state->flapping_event_ns[up]);
}

void
fcn_bridge_learned(struct fcn_worker *w, const struct fcn_mac_key *key, uint16_t port, int rc)
{
	struct fcn_port_counters *c = &w->counters[port];
	struct fcn_bridge_port *state = &w->bridging[port];

	switch (rc) {
	case FCN_MAC_MOVED:
		moved(w, key, port);
		break;
	case -EDQUOT:
		c->mac_limit++;
		no_room_event(w, port, FCN_EVENT_MAC_LIMIT, &state->limit_event_ns);
		break;
	case -ENOSPC:
		c->mac_full++;
		no_room_event(w, port, FCN_EVENT_MAC_FULL, &state->full_event_ns);
		break;
	default:
		break;
	}
}
