/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What becomes of Congestion Notification Messages that were accepted: the worker that owns the
 * flow decides whether the sender is to be notified now, and translates the message into what the
 * sender understands.
 */

#include "fcn_fastcnp.h"
#include "proxy.h"

#include <rte_ring_elem.h>

/* Messages processed in a turn. */
#define STEPS 128

/* Orders of each other worker to mark packets, taken in a turn. */
#define ORDERS 16

/* Shortest time between two events of a port. */
#define EVENT_NS 1000000

/* ---- which worker decides ---- */

static bool
push(struct fcn_proxy_state *s, const struct fcn_proxy_claim *claim)
{
	if (fcn_proxy_n_claims(s) == FCN_PROXY_CLAIMS)
		return false;
	memcpy(&s->claim[s->claim_tail++ & (FCN_PROXY_CLAIMS - 1)], claim, sizeof(*claim));
	return true;
}

void
fcn_proxy_hand_over(struct fcn_worker *w, const struct fcn_proxy_claim *claim)
{
	const uint64_t hash = fcn_proxy_flow_hash(&w->hash_key, &claim->flow);
	const unsigned int owner = (unsigned int)((hash >> 32) * (w->n_peers + 1) >> 32);
	bool taken;

	if (likely(owner == w->index)) {
		taken = push(&w->proxy, claim);
	} else {
		/* Peers are numbered without this worker itself. */
		const struct fcn_peer *peer = &w->peer[owner - (owner > w->index)];
		struct fcn_proxy_claim copy; /* the ring takes no pointer to const */

		memcpy(&copy, claim, sizeof(copy));
		taken = rte_ring_sp_enqueue_elem(
					peer->tx[FCN_PEER_PROXY_CLAIMS], &copy, sizeof(copy)) == 0;
	}
	w->proxy.counters.lost += !taken;
}

bool
fcn_proxy_is_pending(const struct fcn_worker *w)
{
	if (fcn_proxy_n_claims(&w->proxy) != 0)
		return true;
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (!rte_ring_empty(w->peer[i].rx[FCN_PEER_PROXY_CLAIMS]) ||
				!rte_ring_empty(w->peer[i].rx[FCN_PEER_PROXY_ORDERS]))
			return true;
	}
	return false;
}

/* Take a message that this worker has received. */
static bool
pop(struct fcn_proxy_state *s, struct fcn_proxy_claim *claim)
{
	if (fcn_proxy_n_claims(s) == 0)
		return false;
	memcpy(claim, &s->claim[s->claim_head++ & (FCN_PROXY_CLAIMS - 1)], sizeof(*claim));
	return true;
}

/* Take the next message: of this worker and of the other ones, in turn. */
static bool
next_claim(struct fcn_worker *w, struct fcn_proxy_claim *claim)
{
	struct fcn_proxy_state *s = &w->proxy;

	for (unsigned int k = 0; k <= w->n_peers; k++) {
		const unsigned int i = s->round_robin_next;

		s->round_robin_next = i < w->n_peers ? i + 1 : 0;
		if (i == w->n_peers ? pop(s, claim)
				    : rte_ring_sc_dequeue_elem(w->peer[i].rx[FCN_PEER_PROXY_CLAIMS],
						      claim, sizeof(*claim)) == 0)
			return true;
	}
	return false;
}

/* ---- packets ---- */

static struct fcn_packet
fresh(const struct fcn_worker *w, const struct fcn_proxy_claim *claim)
{
	return (struct fcn_packet){
			.out_port = FCN_PORT_NONE,
			.flags = FCN_PACKET_OWN | FCN_PACKET_REROUTE | FCN_PACKET_HOP_COUNTED,
			.class = w->snap->proxy.class,
			.level = FCN_LEVEL_NONE,
			.in_port = claim->in_port,
			.table = w->snap->port[claim->in_port].table,
	};
}

static uint16_t
build_fast_cnp(const struct fcn_proxy_conf *conf, const struct fcn_proxy_claim *claim, uint8_t *buf)
{
	struct fcn_fastcnp_request req = {
			.sender = claim->flow.src,
			.receiver = claim->flow.dst,
			.trace = claim->trace_len != 0 ? claim->trace : NULL,
			.buf = buf,
			.dest_qp = claim->dest_qp,
			.src_port = claim->flow.src_port,
			.p_key = claim->p_key,
			.trace_len = claim->trace_len,
			.trace_type = claim->trace_type,
	};

	fcn_fastcnp_build_burst(&conf->fastcnp, &req, 1);
	return req.len;
}

static uint16_t
build_cnp(const struct fcn_proxy_conf *conf, const struct fcn_proxy_claim *claim, uint32_t qp,
		uint8_t *buf)
{
	struct fcn_cnp cnp = {
			.version = claim->flow.version,
			.tclass = (uint8_t)(conf->dscp << 2),
			.hop_limit = conf->hop_limit,
			.src_port = claim->flow.src_port,
			.p_key = claim->p_key,
			.dest_qp = qp,
	};

	memcpy(cnp.src, claim->flow.dst, sizeof(cnp.src));
	memcpy(cnp.dst, claim->flow.src, sizeof(cnp.dst));
	return (uint16_t)fcn_cnp_build(&conf->fastcnp.crc, &cnp, buf, FCN_FASTCNP_MAX_LEN);
}

/*
 * Put a packet to the sender into the burst, behind an Ethernet header that the stage `route`
 * completes.
 *
 * @param sender_qp queue pair for a CNP
 * @param is_trace  written: it is a Fast CNP with option 2
 * @return false: there is no buffer
 */
static bool
add_packet(struct fcn_worker *w, struct fcn_burst *b, const struct fcn_proxy_claim *claim,
		uint32_t sender_qp, uint8_t level, bool *is_trace)
{
	const struct fcn_proxy_conf *conf = &w->snap->proxy;
	struct rte_mbuf *m = rte_pktmbuf_alloc(w->pool);
	struct fcn_packet *p = &b->pkt[b->n];
	struct rte_ether_hdr *eth;
	uint16_t len;

	if (m == NULL)
		return false;
	eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	memset(eth, 0, sizeof(*eth));
	eth->ether_type = rte_cpu_to_be_16(
			claim->flow.version == 4 ? RTE_ETHER_TYPE_IPV4 : RTE_ETHER_TYPE_IPV6);
	len = claim->translation == FCN_PROXY_CNP
			      ? build_cnp(conf, claim, sender_qp, (uint8_t *)(eth + 1))
			      : build_fast_cnp(conf, claim, (uint8_t *)(eth + 1));
	*is_trace = claim->translation != FCN_PROXY_CNP && len > FCN_FASTCNP_OPT1_LEN;
	m->data_len = len + sizeof(*eth);
	m->pkt_len = m->data_len;
	*p = fresh(w, claim);
	fcn_parse_slow((const uint8_t *)eth, m->data_len, m->pkt_len, &w->snap->codes, &p->info);
	w->counters[claim->in_port].generated++;
	w->counters[claim->in_port].proxy_sent++;
	if (fcn_capture_wants_notes(&w->capture))
		fcn_capture_note_proxy(m, claim->translation, level);
	b->mbuf[b->n++] = m;
	return true;
}

/* ---- marks ---- */

/* Have all workers mark the packets of a flow. */
static void
mark(struct fcn_worker *w, const struct fcn_proxy_claim *claim, uint8_t level, uint64_t until_ns)
{
	struct fcn_proxy_order order;

	memset(&order, 0, sizeof(order));
	memcpy(&order.flow, &claim->flow, sizeof(order.flow));
	order.flow.level = level;
	order.until_ns = until_ns;
	fcn_proxy_mark_flow(w, &order.flow, until_ns);
	for (unsigned int i = 0; i < w->n_peers; i++) {
		if (rte_ring_sp_enqueue_elem(w->peer[i].tx[FCN_PEER_PROXY_ORDERS], &order,
				    sizeof(order)) != 0)
			w->proxy.counters.not_distributed++;
	}
}

/* Take orders of other workers. */
static void
take_orders(struct fcn_worker *w)
{
	struct fcn_proxy_order order;

	for (unsigned int i = 0; i < w->n_peers; i++) {
		for (unsigned int k = 0; k < ORDERS; k++) {
			if (rte_ring_sc_dequeue_elem(w->peer[i].rx[FCN_PEER_PROXY_ORDERS], &order,
					    sizeof(order)) != 0)
				break;
			fcn_proxy_mark_flow(w, &order.flow, order.until_ns);
		}
	}
}

/* ---- pauses ---- */

/* Get the class that a sender's packets have at its port. @return -1: the DSCP does not tell it */
static int
class_of(const struct fcn_snapshot *s, uint16_t port, uint8_t tclass)
{
	return s->port[port].trust == FCN_TRUST_DSCP ? s->class_map.dscp[tclass >> 2] : -1;
}

/* Find the link of a directly attached sender, and the class of its packets. @return false: its
 * link cannot be paused, which is counted */
static bool
find_link(struct fcn_worker *w, const struct fcn_proxy_claim *claim, uint16_t *port,
		unsigned int *class)
{
	const struct fcn_snapshot *s = w->snap;
	int found;

	switch (fcn_proxy_find_link(w, claim, port)) {
	case FCN_PROXY_LINK_OPEN:
		break;
	case FCN_PROXY_LINK_CLOSED:
		w->proxy.counters.unreachable++;
		return false;
	case FCN_PROXY_NOT_ATTACHED:
		w->proxy.counters.not_attached++;
		return false;
	}
	found = class_of(s, *port, claim->tclass);
	if (found < 0 || !(s->port[*port].pause.tx_classes >> found & 1)) {
		w->proxy.counters.not_lossless++;
		return false;
	}
	*class = (unsigned int)found;
	return true;
}

/* Time of a pause of a level, 0 to 7. */
static uint64_t
pause_ns(const struct fcn_proxy_conf *conf, unsigned int level)
{
	return (uint64_t)conf->pfc_ns * (level + 1) / FCN_PROXY_LEVELS;
}

/* ---- the decision ---- */

/* Push an event, if the last one of the port is long ago. */
static void
push_event(struct fcn_worker *w, const struct fcn_proxy_claim *claim, uint8_t level)
{
	uint64_t *last = &w->proxy.event_ns[claim->in_port];
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_PROXY_NOTIFIED,
			.level = (int8_t)level,
			.verdict = claim->translation,
			.port = claim->in_port,
			.in_port = claim->in_port,
			.dest_qp = claim->dest_qp,
	};

	if (w->events == NULL || (*last != 0 && w->now - *last < EVENT_NS))
		return;
	*last = RTE_MAX(w->now, UINT64_C(1));
	fcn_proxy_map_address(&claim->flow, claim->flow.src, ev.sender);
	fcn_proxy_map_address(&claim->flow, claim->flow.dst, ev.receiver);
	fcn_worker_event(w, &ev);
}

/*
 * Check whether the sender is still to be told, and how: the configuration may have changed while
 * the message waited. If it is not to be told, that is counted.
 */
static bool
is_wanted(struct fcn_worker *w, struct fcn_proxy_claim *claim)
{
	struct fcn_proxy_counters *c = &w->proxy.counters;
	enum fcn_proxy_translation translation;

	if (likely(claim->generation == w->snap->generation))
		return true;
	translation = fcn_proxy_translation_of(&w->snap->proxy, &claim->flow);
	c->unknown += translation == FCN_PROXY_TRANSLATION_COUNT;
	c->none += translation == FCN_PROXY_NONE;
	if (translation == FCN_PROXY_TRANSLATION_COUNT || translation == FCN_PROXY_NONE)
		return false;
	if (translation != FCN_PROXY_CE && !claim->has_quote) {
		c->untranslatable++;
		return false;
	}
	if (translation != FCN_PROXY_FAST_CNP_TRACE)
		claim->trace_len = 0;
	claim->translation = (uint8_t)translation;
	return true;
}

/*
 * Check whether the sender of a flow can be told by a CNP or Fast CNP. If not, it is counted. A
 * trace that would leave the IOAM domain is taken out of the message.
 */
static bool
can_be_sent(struct fcn_worker *w, struct fcn_proxy_claim *claim, uint32_t *sender_qp,
		struct fcn_notify_way *way)
{
	struct fcn_proxy_counters *c = &w->proxy.counters;

	*sender_qp = 0;
	if (!claim->is_data || (claim->translation != FCN_PROXY_CNP && claim->flow.version != 6)) {
		c->untranslatable++;
		return false;
	}
	if (claim->translation == FCN_PROXY_CNP &&
			!fcn_qp_map_find(w->snap->proxy.qps, claim->flow.version, claim->flow.dst,
					claim->dest_qp, claim->flow.src, sender_qp)) {
		c->no_qp++;
		return false;
	}
	switch (fcn_proxy_reach(w, claim, way)) {
	case FCN_NOTIFY_REACH_ALL:
		break;
	case FCN_NOTIFY_REACH_NO_TRACE:
		claim->trace_len = 0;
		break;
	default:
		c->unreachable++;
		return false;
	}
	if (way->port != FCN_NOTIFY_NO_LINK &&
			!fcn_notify_link_has_room(&w->snap->notify.common.link[way->port],
					w->notify_link[way->port].full, w->now)) {
		c->link++;
		return false;
	}
	return true;
}

/* Tell the sender by a packet. @return whether it is made */
static bool
notify_by_packet(struct fcn_worker *w, struct fcn_burst *b, const struct fcn_proxy_claim *claim,
		uint8_t level, uint32_t sender_qp, const struct fcn_notify_way *way)
{
	struct fcn_proxy_counters *c = &w->proxy.counters;
	bool is_trace;

	if (!add_packet(w, b, claim, sender_qp, level, &is_trace)) {
		c->no_mbuf++;
		return false;
	}
	if (way->port != FCN_NOTIFY_NO_LINK)
		fcn_notify_link_charge(&w->snap->notify.common.link[way->port],
				&w->notify_link[way->port].full,
				way->head + b->mbuf[b->n - 1]->pkt_len - RTE_ETHER_HDR_LEN, w->now);
	if (claim->translation == FCN_PROXY_CNP)
		c->cnps++;
	else if (is_trace)
		c->fast_cnps_trace++;
	else if (claim->translation == FCN_PROXY_FAST_CNP_TRACE)
		c->fast_cnps_no_trace++;
	else
		c->fast_cnps++;
	return true;
}

static void
note(struct fcn_worker *w, const struct fcn_proxy_claim *claim, struct fcn_proxy_flow *f)
{
	f->how = claim->translation;
	f->port = claim->in_port;
	push_event(w, claim, fcn_proxy_flow_notified(f, w->now));
}

/* Process a message. */
static void
process(struct fcn_worker *w, struct fcn_burst *b, struct fcn_proxy_claim *claim)
{
	const struct fcn_proxy_conf *conf = &w->snap->proxy;
	const struct fcn_proxy_interval interval = {
			.longest_ns = conf->interval_ns, .shortest_ns = conf->least_interval_ns};
	struct fcn_proxy_counters *c = &w->proxy.counters;
	enum fcn_proxy_report report;
	struct fcn_proxy_flow *f;
	unsigned int class = 0;
	uint16_t port = FCN_PORT_NONE;
	struct fcn_notify_way way;
	uint32_t sender_qp;
	bool by_packet;

	if (!is_wanted(w, claim))
		return;
	by_packet = claim->translation == FCN_PROXY_FAST_CNP ||
		    claim->translation == FCN_PROXY_FAST_CNP_TRACE ||
		    claim->translation == FCN_PROXY_CNP;
	/* Flows whose sender cannot be notified take no place in the table of flows. */
	if (by_packet ? !can_be_sent(w, claim, &sender_qp, &way)
		      : claim->translation == FCN_PROXY_PFC && !find_link(w, claim, &port, &class))
		return;
	report = fcn_proxy_flows_report(&w->proxy.flows, &claim->flow,
			fcn_proxy_flow_hash(&w->hash_key, &claim->flow), &interval, w->now, &f);
	if (report == FCN_PROXY_PACED) {
		c->paced++;
		return;
	}
	if (report == FCN_PROXY_DUE) {
		if (by_packet && !notify_by_packet(
						 w, b, claim, (uint8_t)f->highest, sender_qp, &way))
			return;
		c->pauses += claim->translation == FCN_PROXY_PFC;
		c->marks += claim->translation == FCN_PROXY_CE;
		note(w, claim, f);
	} else {
		c->raised++;
	}
	if (claim->translation == FCN_PROXY_PFC)
		fcn_proxy_pause(w, port, class, f->notified_ns + pause_ns(conf, f->level));
	else if (claim->translation == FCN_PROXY_CE)
		mark(w, claim, f->level, f->notified_ns + conf->ce_ns);
}

void
fcn_proxy_discard(struct fcn_worker *w)
{
	struct fcn_proxy_claim claim;
	uint32_t left = fcn_proxy_n_claims(&w->proxy);

	/* Only those that wait now: other workers may add to the rings all the time. */
	for (unsigned int i = 0; i < w->n_peers; i++)
		left += rte_ring_count(w->peer[i].rx[FCN_PEER_PROXY_CLAIMS]);
	while (left-- > 0 && next_claim(w, &claim))
		w->proxy.counters.lost++;
	for (unsigned int i = 0; i < w->n_peers; i++) {
		struct fcn_proxy_order order;

		left = rte_ring_count(w->peer[i].rx[FCN_PEER_PROXY_ORDERS]);
		while (left-- > 0)
			rte_ring_sc_dequeue_elem(w->peer[i].rx[FCN_PEER_PROXY_ORDERS], &order,
					sizeof(order));
	}
}

void
fcn_proxy_process(struct fcn_worker *w, struct fcn_burst *b)
{
	struct fcn_proxy_claim claim;

	b->n = 0;
	b->n_traced = 0;
	take_orders(w);
	for (unsigned int steps = 0; steps < STEPS && b->n < FCN_NOTICE_MAX; steps++) {
		if (!next_claim(w, &claim))
			break;
		process(w, b, &claim);
	}
}
