/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path for packets of bridges: untagged plain ones from stations that are known at their
 * port to stations that are known behind another one. As in the stage `bridge`, all sources of a
 * turn come before the first destination. Those of packets that the fast path does not take may be
 * learned later, as long as that moves no address which is known: only then would a packet that is
 * taken have gone elsewhere.
 */

#include "fast_path_bridge.h"

#define VLAN_MASK 0x0FFF

const struct fcn_mac_place fcn_fast_no_place = {.address = FCN_MAC_NO_ADDRESS, .seen_ns = 0};

/* Get the VLAN in which the source of a frame may be learned. @return 0: it is not learned */
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
	if (vlan == 0)
		vlan = port->pvid;
	return fcn_bridge_is_member(port, vlan) ? vlan : 0;
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

/* Check whether a packet that the fast path does not take may move a station. */
static __rte_noinline bool
any_may_move(const struct fcn_worker *w, const struct fcn_fast_bridging *b)
{
	const struct fcn_received *r = &w->received;
	unsigned int i = 0, end = 0;

	for (unsigned int k = 0; k < r->n_runs; k++, i = end) {
		const uint16_t port = w->rx_queue[r->run[k].queue].port;

		end += r->run[k].n;
		if (w->snap->port[port].mode != FCN_PORT_BRIDGED)
			continue;
		for (; i < end; i++) {
			if (b->place[i] == &fcn_fast_no_place && may_move(w, r->mbuf[i], port))
				return true;
		}
	}
	return false;
}

void
fcn_fast_bridging_begin(const struct fcn_fast *tried, struct rte_mbuf **first)
{
	struct fcn_worker *w = tried->w;
	struct fcn_received *r = &w->received;
	struct fcn_fast_bridging *b = tried->bridging;
	unsigned int n_bridged = 0, from = 0;
	struct fcn_fast f; /* what depends on the port is all that is needed of it */

	f.w = w;
	f.bridging = b;
	b->begun = true;
	b->n = 0;
	for (unsigned int k = 0; k < r->n_runs; from += r->run[k++].n) {
		const struct fcn_rx_queue *q = &w->rx_queue[r->run[k].queue];
		const unsigned int to = from + r->run[k].n;

		fcn_fast_receive(&f, q->port, 0);
		if (f.port->mode != FCN_PORT_BRIDGED)
			continue;
		n_bridged += to - from;
		b->n += to - from;
		if (likely(&r->mbuf[from] >= first && q->not_tried == 0 && f.port->pvid != 0 &&
				    fcn_fast_is_open(&f))) {
			w->fast->admit(&f, from, to);
			continue;
		}
		for (unsigned int i = from; i < to; i++)
			fcn_fast_bridging_pass(b, i);
	}
	if (unlikely(b->n != n_bridged) && b->n != 0 && any_may_move(w, b))
		b->n = 0;
}

/* The way of packets that go to the same port one after the other, with the same class. */
struct way {
	uint32_t where;   /* that of the entries of their destinations */
	uint32_t longest; /* of fcn_bridge_longest() */
	uint16_t first;   /* fcn_fast_first() of the last one */
	uint16_t bits;    /* FCN_FAST_DSCP_BITS */
	struct fcn_fast_series *s;
};

/* Get the series to a queue, with a slot. @return NULL if the stages have to take the packet */
static struct fcn_fast_series *
series_to(struct fcn_fast *f, uint32_t to)
{
	struct fcn_fast_series *s;

	if (likely(!f->many)) {
		s = &f->series;
		if (likely(s->to == to && s->slots->next != s->slots->end) ||
				fcn_fast_begin_alone(f, to))
			return s;
		fcn_fast_begin_many(f);
	}
	s = fcn_fast_place_of(f, to);
	if (likely(s->to == to && s->slots->next != s->slots->end) || fcn_fast_open(f, to))
		return s;
	return NULL;
}

/* Choose the way of a packet. @return false if it is for the stages */
static __rte_noinline bool
choose(struct fcn_fast *f, struct way *way, uint32_t where, const struct rte_mbuf *m)
{
	const uint16_t first = fcn_fast_first(rte_pktmbuf_mtod(m, const uint8_t *));
	const unsigned int version = (first & RTE_BE16(0xF000)) == RTE_BE16(0x4000) ? 4 : 6;
	const uint8_t class = f->class_of_dscp[fcn_fast_dscp(first, version)];

	if (where != way->where)
		way->longest = fcn_bridge_longest(f->w->snap, f->packet.in_port, where);
	way->where = where;
	way->first = first;
	way->bits = FCN_FAST_DSCP_BITS(version);
	if (unlikely(way->longest == 0))
		return false;
	way->s = series_to(f, fcn_ready_to((uint16_t)where, class));
	return way->s != NULL;
}

struct rte_mbuf **
fcn_fast_bridge(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end)
{
	const struct fcn_worker *w = f->w;
	const struct fcn_fast_bridging *b = f->bridging;
	const uint16_t bridge = f->port->bridge;
	const uint64_t now = w->now, ageing_ns = w->snap->bridge[bridge].ageing_ns;
	/* What was not seen since then has been forgotten. */
	const uint64_t oldest = now <= ageing_ns ? 1 : now - ageing_ns;
	const struct fcn_mac_search table = fcn_mac_search(w->macs);
	const size_t from = (size_t)(mbuf - w->received.mbuf), to = from + (size_t)(end - mbuf);
	struct way way = {.where = UINT32_MAX, .s = &f->series};
	struct fcn_fast_place p = fcn_fast_place(way.s);
	size_t i, stop = to; /* before this packet, there are slots */

	if (unlikely(b->n == 0))
		return mbuf;
	for (i = from; i < stop; i++) {
		const struct fcn_mac_place *place = b->place[i];
		struct rte_mbuf *m = w->received.mbuf[i];
		uint16_t first;

		if (unlikely(place->address != b->address[i])) {
			place = fcn_mac_find(&table, (uint32_t)(place - table.place), b->address[i],
					bridge);
			if (place == NULL)
				break;
		}
		if (unlikely(place->seen_ns < oldest))
			break;
		first = fcn_fast_first(rte_pktmbuf_mtod(m, const uint8_t *));
		if (unlikely(place->where != way.where || ((first ^ way.first) & way.bits) != 0)) {
			fcn_fast_set_place(way.s, &p);
			if (!choose(f, &way, place->where, m))
				return mbuf + (i - from);
			p = fcn_fast_place(way.s);
			stop = RTE_MIN(to, i + (size_t)(p.end - p.slot));
		}
		if (unlikely(m->pkt_len > way.longest))
			break;
		fcn_fast_put(f, way.s, &p, m);
	}
	fcn_fast_set_place(way.s, &p);
	mbuf += i - from;
	return likely(i != stop || stop == to) ? mbuf : fcn_fast_bridge(f, mbuf, end);
}
