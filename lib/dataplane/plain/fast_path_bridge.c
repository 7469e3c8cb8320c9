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

static void
init(struct fcn_fast *f, struct fcn_worker *w, uint16_t in_port, uint32_t bytes)
{
	fcn_fast_init(f, w);
	fcn_fast_receive(f, in_port, bytes);
	f->head = &fcn_plain_head_stations;
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
		const unsigned int to = from + r->run[k].n;
		unsigned int i = from;

		if (port->mode != FCN_PORT_BRIDGED) {
			if (b->end == from)
				b->end = to;
			continue;
		}
		if (b->end == from && port->pvid != 0 && fcn_fast_is_open(w, q->port) &&
				q->not_tried == 0) {
			struct fcn_fast f;

			init(&f, w, q->port, 0);
			i = w->fast->admit(&f, b, from, to);
			b->end = i;
		}
		if (unlikely(b->end == first))
			return;
		for (; unlikely(i < to); i++) {
			if (may_move(w, r->mbuf[i], q->port)) {
				b->end = first;
				return;
			}
		}
	}
}

/* Series of packets to one port of a bridge, with one class. */
struct series {
	uint32_t where; /* that of the entries of their destinations */
	uint32_t limit; /* longest frame that may be sent there */
	uint16_t dscp;  /* word with the DSCP of the last one, as in the frame */
	uint8_t class;
	struct fcn_queue_entry *first;
};

/* The bits of the first word of an IPv6 header in which the DSCP is. */
#define DSCP_BITS RTE_BE16(0x0FC0)

/* Let the series end before the slot, and note what has to be known of its packets when they leave.
 */
static void
set_end(struct fcn_fast *f, const struct series *series, struct fcn_queue_entry *slot,
		uint32_t bytes)
{
	f->series.slots->next = slot;
	f->series.bytes = bytes;
	if (likely(!f->series.noted))
		return;
	for (struct fcn_queue_entry *e = series->first; e != slot; e++)
		*fcn_queued_at(e->mbuf, f->w->queued_offset) = f->queued;
}

/*
 * Begin a series to the port of an entry, if packets of the VLAN leave by it as they are.
 *
 * @return false if they do not, or if there is no room for them
 */
static __rte_noinline bool
begin_series(struct fcn_fast *f, struct series *series, uint32_t where, uint8_t class, uint32_t len)
{
	const struct fcn_snapshot *s = f->w->snap;
	const uint16_t bridge = f->port->bridge, number = (uint16_t)where;
	const struct fcn_snapshot_port *out = &s->port[number];

	if (where != fcn_mac_where(bridge, number) || number == f->packet.in_port ||
			!(s->bridge[bridge].members >> number & 1) || out->pvid != f->port->pvid ||
			len > out->mtu + (uint32_t)RTE_ETHER_HDR_LEN ||
			!fcn_fast_begin(f, &f->series, fcn_ready_to((uint8_t)number, class)))
		return false;
	series->where = where;
	series->limit = out->mtu + (uint32_t)RTE_ETHER_HDR_LEN;
	series->class = class;
	series->first = f->series.slots->next;
	return true;
}

/*
 * Queue packets that were admitted, up to the first whose destination does not let it.
 *
 * @return index of that packet, or `to`
 */
static unsigned int
forward(struct fcn_fast *f, const struct fcn_fast_bridging *b, unsigned int from, unsigned int to)
{
	struct rte_mbuf *const *mbuf = f->w->received.mbuf;
	const uint16_t bridge = f->port->bridge;
	const uint64_t now = f->w->now, ageing_ns = f->w->snap->bridge[bridge].ageing_ns;
	/* What was not seen since then has been forgotten. */
	const uint64_t oldest = now < ageing_ns ? 0 : now - ageing_ns;
	const struct fcn_mac_search table = fcn_mac_search(f->w->macs);
	const uint8_t *class_of_dscp = f->class_of_dscp;
	struct series series = {.where = UINT32_MAX};
	struct fcn_queue_entry *slot = NULL, *end = NULL;
	uint32_t bytes = 0;
	size_t i;

	for (i = from; i < to; i++) {
		struct rte_mbuf *m = mbuf[i];
		const struct fcn_mac_place *place = b->place[i];
		const uint32_t len = m->pkt_len;
		uint16_t dscp;

		if (unlikely(place->address != b->address[i])) {
			place = fcn_mac_find(&table, (uint32_t)(place - table.place), b->address[i],
					bridge);
			if (place == NULL)
				break;
		}
		if (unlikely(place->seen_ns < oldest))
			break;
		memcpy(&dscp, rte_pktmbuf_mtod_offset(m, const uint8_t *, RTE_ETHER_HDR_LEN),
				sizeof(dscp));
		if (unlikely(place->where != series.where || slot == end ||
				    ((dscp ^ series.dscp) & DSCP_BITS) != 0)) {
			const uint8_t class = class_of_dscp[rte_be_to_cpu_16(dscp) >> 6 & 0x3F];

			series.dscp = dscp;
			if (place->where != series.where || slot == end || class != series.class) {
				set_end(f, &series, slot, bytes);
				if (!begin_series(f, &series, place->where, class, len))
					return (unsigned int)i;
				slot = f->series.slots->next;
				end = f->series.slots->end;
				bytes = 0;
			}
		}
		if (unlikely(len > series.limit))
			break;
		slot->mbuf = m;
		slot->meta = f->series.meta | fcn_queue_meta(0, len, 0);
		slot++;
		bytes += len;
	}
	set_end(f, &series, slot, bytes);
	return (unsigned int)i;
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
	n = forward(&f, b, from, RTE_MIN(from + run->n, b->end)) - from;
	fcn_fast_end(&f, &f.series);
	w->counters[in_port].roce_packets += n;
	return n;
}
