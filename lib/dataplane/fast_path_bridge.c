/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path for packets of bridges: untagged plain ones from stations that are known at their
 * port to stations that are known behind another one. As in the stage `bridge`, all sources of a
 * turn come before the first destination. Those of packets that the fast path does not take may be
 * learned later, as long as that moves no address which is known: only then would a packet ahead of
 * them have gone elsewhere.
 */

#include "fast_path_bridge.h"

#define VLAN_MASK 0x0FFF

/*
 * Get the VLAN in which the source of a frame may be learned, as if its port carried all VLANs; 0:
 * it is not learned.
 */
static uint16_t
vlan_of(const struct rte_mbuf *m, const struct fcn_snapshot_port *port)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct rte_ether_hdr eth;
	struct rte_vlan_hdr tag;
	uint16_t vlan = 0;

	if (m->data_len < sizeof(eth))
		return 0;
	memcpy(&eth, data, sizeof(eth));
	if (eth.ether_type == RTE_BE16(RTE_ETHER_TYPE_VLAN) ||
			eth.ether_type == RTE_BE16(RTE_ETHER_TYPE_QINQ)) {
		if (m->data_len < sizeof(eth) + sizeof(tag))
			return 0;
		memcpy(&tag, data + sizeof(eth), sizeof(tag));
		vlan = rte_be_to_cpu_16(tag.vlan_tci) & VLAN_MASK;
	}
	return vlan != 0 ? vlan : port->pvid;
}

/* Check whether the source of a packet may be known at another port. */
static bool
may_move(const struct fcn_worker *w, const struct rte_mbuf *m, uint16_t in_port)
{
	const struct fcn_snapshot_port *port = &w->snap->port[in_port];
	const struct fcn_mac_search table = fcn_mac_search(w->macs);
	const uint16_t vlan = vlan_of(m, port);
	const struct fcn_mac_place *place;
	uint64_t mac;

	if (vlan == 0)
		return false;
	mac = fcn_mac_address(rte_pktmbuf_mtod(m, const uint8_t *) + RTE_ETHER_ADDR_LEN, vlan);
	place = fcn_mac_find(&table, fcn_mac_home(&table, mac, port->bridge), mac, port->bridge);
	return place != NULL && fcn_mac_port_of(place) != in_port;
}

/* Check whether packets of a port may be taken. */
static inline bool
is_open(const struct fcn_snapshot_port *port)
{
	return port->pvid != 0 && !port->checked_ingress;
}

static void
init(struct fcn_fast *f, struct fcn_worker *w, uint16_t in_port, uint32_t bytes)
{
	fcn_fast_init(f, w, in_port, bytes);
	f->run.head = &fcn_plain_head_stations;
}

/*
 * Refresh the sources of all packets of bridges that may be taken in this turn, and find out up to
 * which packet that is.
 */
static __rte_noinline void
admit(struct fcn_worker *w, unsigned int k, unsigned int from, struct fcn_fast_bridging *b)
{
	const struct fcn_received *r = &w->received;
	const unsigned int first = from;

	b->begun = true;
	b->end = first;
	for (; k < r->n_runs; from += r->run[k++].n) {
		const struct fcn_rx_queue *q = &w->rx_queue[r->run[k].queue];
		const struct fcn_snapshot_port *port = &w->snap->port[q->port];
		unsigned int n = 0;

		if (port->mode != FCN_PORT_BRIDGED) {
			if (b->end == from)
				b->end += r->run[k].n;
			continue;
		}
		if (b->end == from && is_open(port) && q->not_tried == 0) {
			struct fcn_fast f;

			init(&f, w, q->port, 0);
			n = w->fast->admit(
					&f, w->received.mbuf + from, r->run[k].n, b->home + from);
			b->end += n;
		}
		if (unlikely(b->end == first))
			return;
		for (; unlikely(n < r->run[k].n); n++) {
			if (may_move(w, r->mbuf[from + n], q->port)) {
				b->end = 0;
				return;
			}
		}
	}
}

/*
 * Begin a series to the port of an entry, if packets of the VLAN leave by it as they are.
 *
 * @param limit written: longest frame that may be sent there
 * @return false if not, or if it has no room
 */
static __rte_noinline bool
begin_series(struct fcn_fast *f, uint32_t where, uint8_t class, uint32_t len, uint32_t *limit)
{
	const struct fcn_snapshot *s = f->w->snap;
	const uint16_t bridge = f->port->bridge, number = (uint16_t)where;
	const struct fcn_snapshot_port *out = &s->port[number];

	if (where != fcn_mac_where(bridge, number) || number == f->packet.in_port ||
			!(s->bridge[bridge].members >> number & 1) || out->pvid != f->port->pvid)
		return false;
	*limit = out->mtu + (uint32_t)RTE_ETHER_HDR_LEN;
	return len <= *limit && fcn_fast_begin(f, fcn_fast_to((uint8_t)number, class));
}

/* Queue packets that were admitted, up to the first whose destination does not let it. @return
 * number of packets */
static unsigned int
forward(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, const uint32_t *home)
{
	const uint16_t vlan = f->port->pvid, bridge = f->port->bridge;
	const uint64_t now = f->w->now, ageing_ns = f->w->snap->bridge[bridge].ageing_ns;
	/* What was not seen since then has been forgotten. */
	const uint64_t oldest = now < ageing_ns ? 0 : now - ageing_ns;
	const struct fcn_mac_search table = fcn_mac_search(f->w->macs);
	const uint8_t *class_of_dscp = f->run.class_of_dscp;
	struct fcn_queue_entry *slot = f->series.slot;
	uint64_t to_series = UINT64_MAX;
	uint32_t bytes = 0, limit = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		struct rte_mbuf *m = mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		const struct fcn_mac_place *place = &table.place[home[i]];
		const uint64_t address = fcn_mac_address(data, vlan);
		const uint32_t len = m->pkt_len;
		uint16_t first;
		uint8_t class;
		uint64_t to;

		if (unlikely(place->address != address)) {
			place = fcn_mac_find(&table, home[i], address, bridge);
			if (place == NULL)
				break;
		}
		if (unlikely(place->seen_ns < oldest))
			break;
		memcpy(&first, data + RTE_ETHER_HDR_LEN, sizeof(first));
		class = class_of_dscp[rte_be_to_cpu_16(first) >> 6 & 0x3F];
		to = (uint64_t)place->where << 8 | class;
		if (unlikely(to != to_series || slot == f->series.end)) {
			f->series.slot = slot;
			f->series.bytes = bytes;
			if (!begin_series(f, place->where, class, len, &limit))
				return i;
			to_series = to;
			slot = f->series.slot;
			bytes = 0;
		}
		if (unlikely(len > limit))
			break;
		slot->mbuf = m;
		slot->meta = f->series.meta | fcn_queue_meta(0, len, 0);
		slot++;
		if (unlikely(f->series.noted))
			*fcn_queued_at(m, f->w->queued_offset) = f->queued;
		bytes += len;
	}
	f->series.slot = slot;
	f->series.bytes = bytes;
	return i;
}

unsigned int
fcn_fast_bridge(struct fcn_worker *w, unsigned int k, unsigned int from,
		struct fcn_fast_bridging *b)
{
	const struct fcn_received_run *run = &w->received.run[k];
	const uint16_t in_port = w->rx_queue[run->queue].port;
	struct fcn_fast f;
	unsigned int n;

	if (!b->begun)
		admit(w, k, from, b);
	if (unlikely(b->end <= from))
		return 0;
	init(&f, w, in_port, run->bytes);
	n = forward(&f, &w->received.mbuf[from], RTE_MIN(run->n, b->end - from), &b->home[from]);
	fcn_fast_end(&f);
	w->counters[in_port].roce_packets += n;
	return n;
}
