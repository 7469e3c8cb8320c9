/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>

#include "fcn_arn_flow.h"
#include "fcn_dry_run.h"
#include "fcn_stages.h"
#include "proxy.h"

#define MACS 256   /* addresses that a dry run can learn: those of one packet, really */
#define INJECTS 64 /* elements of a ring that has to be there */
#define SPARE 64   /* slots of a class queue besides those of the packets that stand in it */

struct fcn_dry_run {
	struct fcn_worker *w;
	struct fcn_snapshot *snapshot; /* what the worker reads */
	const struct fcn_dry_run_facts
			*facts; /* while it is created: the caller may learn more then */
	uint64_t now;
	struct rte_mbuf *frame; /* what the port receives next */
	struct fcn_port_set ports;
	/* What was put into the worker without a packet behind it, to be taken out again. */
	uint32_t packets[FCN_MAX_PORTS][FCN_CLASSES], bytes[FCN_MAX_PORTS][FCN_CLASSES];
	struct {
		uint32_t at; /* 1 + index of the flow; 0: none */
		uint32_t packets;
		uint64_t bytes;
	} held[2];
	uint32_t held_packets;
	uint64_t held_bytes;
};

/* ---- ports that receive one packet, and send nothing ---- */

static uint16_t
receive(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct fcn_dry_run *s = port;

	RTE_SET_USED(now);
	if (n == 0 || s->frame == NULL)
		return 0;
	pkts[0] = s->frame;
	s->frame = NULL;
	return 1;
}

static uint16_t
transmit(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(port);
	RTE_SET_USED(pkts);
	RTE_SET_USED(n);
	RTE_SET_USED(now);
	return 0;
}

static uint64_t
no_speed(void *port)
{
	RTE_SET_USED(port);
	return 0;
}

static const struct fcn_port_ops dry_run_ops = {
		.kind = "dry run",
		.rx_burst = receive,
		.tx_burst = transmit,
		.link_bps = no_speed,
};

/* The slots of a class queue: as many as that of the switch has, or enough for its packets and for
 * what comes now, if that is less. */
static uint32_t
slots_of(const struct fcn_dry_run_queue *q)
{
	return RTE_MIN(rte_align32pow2(q->packets + SPARE), q->slots);
}

static int
add_ports(struct fcn_dry_run *s)
{
	FCN_PORT_SET_FOREACH (p, &s->ports) {
		const struct fcn_dry_run_port *known = s->facts->port[p];
		const struct fcn_placement place = {.n_rx_queues = p == s->facts->receiver.parent};
		uint32_t slots[FCN_CLASSES];
		int rc;

		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			slots[c] = known != NULL && known->open ? slots_of(&known->queue[c])
								: SPARE;
		rc = fcn_worker_group_port_add(&s->w, 1, &place, p, &dry_run_ops, s, slots);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* ---- the state of the switch ---- */

static void
apply_receiver(struct fcn_worker *w, const struct fcn_dry_run_receiver *r)
{
	w->epoch_ns = r->epoch_ns;
	w->bridging[r->in_port] = r->bridging;
	memcpy(w->punt_tat[r->in_port], r->punt_tat, sizeof(r->punt_tat));
	memcpy(w->ingress[r->parent], r->ingress, sizeof(r->ingress));
	memcpy(w->ingress_packets[r->parent], r->ingress_packets, sizeof(r->ingress_packets));
	if (r->has_mac && r->mac_port >= 0)
		fcn_mac_table_learn(w->macs, &r->mac, (uint16_t)r->mac_port, w->now);
	if (!r->any_marks || r->mark >= FCN_PROXY_MARKS)
		return;
	memcpy(&w->proxy.mark[r->mark], r->marks, sizeof(r->marks));
	for (unsigned int i = 0; i < FCN_PROXY_MARK_WAYS; i++)
		w->proxy.n_marks += r->marks[i].used;
}

static void
apply_limit(struct fcn_source_limit *to, const struct fcn_dry_run_limit *from, uint64_t now)
{
	memcpy(to->sources.set, from->set, sizeof(from->set));
	memcpy(to->total_tat, from->total_tat, sizeof(from->total_tat));
	to->sources.aged_ns = now;
}

static void
apply_queue(struct fcn_queue *q, const struct fcn_dry_run_queue *from, uint64_t now)
{
	q->head = 0;
	q->tail = from->packets;
	q->bytes = from->bytes;
	q->charged = from->charged;
	q->lossless = from->lossless;
	q->detector = from->detector;
	q->wm_at = now;
	if (from->packets != 0)
		q->ring[0] = (struct fcn_queue_entry){.meta = fcn_queue_meta(from->head_ns, 0, 0)};
}

static void
apply_port(struct fcn_dry_run *s, unsigned int port, const struct fcn_dry_run_port *from)
{
	struct fcn_egress *eg = s->w->port[port].egress;

	if (!from->open)
		return;
	eg->ring_bytes = from->ring_bytes;
	eg->held = from->held;
	eg->dropping = from->dropping;
	eg->paused = from->paused;
	eg->halted = from->halted;
	eg->congested = from->congested;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		s->packets[port][c] = from->queue[c].packets;
		s->bytes[port][c] = from->queue[c].bytes;
		apply_queue(&eg->queue[c], &from->queue[c], s->now);
		if (from->heavy >> c & 1)
			*eg->queue[c].flows = from->flows[c];
		if (from->queue[c].packets != 0)
			eg->backlog |= 1u << c;
	}
}

/*
 * Put the sets of keys into an empty cache. It is so small that the keys just have sets of their
 * own, as far as they have in the cache of the switch.
 */
static int
put_sets(struct fcn_limit_cache *cache, const uint64_t *key, const struct fcn_dry_run_set *set,
		unsigned int n, uint32_t mask, int socket)
{
	const uint32_t differ = n == 2 ? (uint32_t)(key[0] ^ key[1]) & mask : 0;
	const uint32_t sets = differ != 0 ? 2u << __builtin_ctz(differ) : 1;
	const uint64_t aged_ns = cache->aged_ns;

	if (sets != 1) {
		fcn_limit_cache_fini(cache);
		if (fcn_limit_cache_init(cache, sets, socket) != 0)
			return -ENOMEM;
		cache->aged_ns = aged_ns;
	}
	for (unsigned int i = 0; i < n; i++)
		memcpy(fcn_limit_cache_set_of(cache, key[i]), &set[i], sizeof(set[i]));
	return 0;
}

static int
apply_kind(struct fcn_dry_run *s, const struct fcn_dry_run_decider *d, unsigned int k)
{
	struct fcn_notify_state *n = &s->w->notify[k];
	const struct fcn_notify_keys *keys = &d->notify[k];

	n->global_tat = d->kind[k].global_tat;
	n->global_share = d->kind[k].global_share;
	memcpy(n->queue_tat[d->port], d->kind[k].queue_tat, sizeof(d->kind[k].queue_tat));
	memcpy(n->share[d->port], d->kind[k].share, sizeof(d->kind[k].share));
	if (keys->n_destinations == 0)
		return 0;
	if (put_sets(&n->flows, &keys->flow, &d->kind[k].flow, 1, 0, s->w->socket) != 0)
		return -ENOMEM;
	return put_sets(&n->destinations, keys->destination, d->kind[k].destination,
			keys->n_destinations, d->kind[k].mask, s->w->socket);
}

/* Hold a flow as the switch does. */
static void
apply_held(struct fcn_dry_run *s, const struct fcn_dry_run_decider *d, unsigned int i)
{
	struct fcn_held_flows *flows = &s->w->arn_held.flows;
	const struct fcn_held_flow *from = &d->held[i];
	struct fcn_held_flow *f;
	uint32_t at;

	if (!d->is_held[i])
		return;
	fcn_held_flows_message(flows, &s->snapshot->arn.held, &d->key[i],
			from->until > s->now ? from->until - s->now : 1, s->now);
	at = fcn_held_flows_find(flows, &d->key[i]);
	if (at == FCN_HELD_FLOWS_NONE)
		return;
	s->held[i].at = at + 1;
	s->held[i].packets = from->packets;
	s->held[i].bytes = from->bytes;
	f = &flows->flow[at];
	f->held = from->held;
	f->until = from->until;
	f->bytes += from->bytes;
	f->packets += from->packets;
}

static int
apply_decider(struct fcn_dry_run *s, const struct fcn_dry_run_decider *d)
{
	struct fcn_worker *w = s->w;

	w->random = d->random;
	w->buffer = d->buffer;
	w->packets = d->packets;
	memcpy(w->notify_link, d->notify_link, sizeof(d->notify_link));
	memcpy(w->loss_link, d->loss_link, sizeof(d->loss_link));
	w->trim_link[d->port] = d->trim_link;
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		if (apply_kind(s, d, k) != 0)
			return -ENOMEM;
	}
	for (unsigned int i = 0; i < d->n_keys; i++)
		apply_held(s, d, i);
	s->held_packets = d->held_packets;
	s->held_bytes = d->held_bytes;
	w->arn_held.flows.packets += d->held_packets;
	w->arn_held.flows.bytes += d->held_bytes;
	return 0;
}

/* Let the dry run know what is known. It has the snapshot already. */
static int
apply(struct fcn_dry_run *s)
{
	const struct fcn_dry_run_facts *f = s->facts;
	struct fcn_worker *w = s->w;

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		w->notify[k].aged_ns = w->notify[k].flows.aged_ns =
				w->notify[k].destinations.aged_ns = s->now;
	apply_receiver(w, &f->receiver);
	if (f->limits != NULL) {
		apply_limit(&w->srv6.nodes, &f->limits->limit[0], s->now);
		apply_limit(&w->arn_received.limit, &f->limits->limit[1], s->now);
		apply_limit(&w->proxy.limit, &f->limits->limit[2], s->now);
	}
	FCN_PORT_SET_FOREACH (p, &s->ports) {
		if (f->port[p] != NULL)
			apply_port(s, p, f->port[p]);
	}
	return f->decider != NULL ? apply_decider(s, f->decider) : 0;
}

/* Take away what was never there: packets in queues, and those that wait for their flows. */
static void
take_back(struct fcn_dry_run *s)
{
	struct fcn_held_flows *flows = &s->w->arn_held.flows;

	FCN_PORT_SET_FOREACH (p, &s->ports) {
		struct fcn_egress *eg = s->w->port[p].egress;

		for (unsigned int c = 0; eg != NULL && c < FCN_CLASSES; c++) {
			eg->queue[c].head += s->packets[p][c];
			eg->queue[c].bytes -= s->bytes[p][c];
		}
	}
	for (unsigned int i = 0; i < RTE_DIM(s->held); i++) {
		if (s->held[i].at == 0)
			continue;
		flows->flow[s->held[i].at - 1].bytes -= s->held[i].bytes;
		flows->flow[s->held[i].at - 1].packets -= s->held[i].packets;
	}
	flows->packets -= s->held_packets;
	flows->bytes -= s->held_bytes;
}

/* ---- life ---- */

static struct fcn_worker *
create_worker(struct fcn_dry_run *s, const struct fcn_dry_run_conf *conf)
{
	return fcn_worker_create(&(struct fcn_worker_conf){
			.name = conf->name,
			.socket = conf->socket,
			.pool = conf->pool,
			.published = &s->snapshot,
			.mac_entries = MACS,
			.flow_sets = 1,
			.dest_sets = 1,
			.injects = INJECTS,
			.hash_secret = conf->hash_secret,
	});
}

struct fcn_dry_run *
fcn_dry_run_create(const struct fcn_dry_run_conf *conf, const struct fcn_dry_run_facts *facts)
{
	struct fcn_dry_run *s = calloc(1, sizeof(*s));

	if (s == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	s->snapshot = conf->snapshot;
	s->facts = facts;
	s->ports = conf->ports;
	s->now = facts->receiver.now;
	if (facts->decider != NULL)
		s->now = RTE_MAX(s->now, facts->decider->now);
	s->w = create_worker(s, conf);
	if (s->w == NULL) {
		free(s);
		return NULL;
	}
	if (add_ports(s) != 0) {
		fcn_dry_run_free(s);
		rte_errno = ENOMEM;
		return NULL;
	}
	fcn_poll_idle(s->w, s->now); /* it adapts to the snapshot */
	if (apply(s) != 0) {
		fcn_dry_run_free(s);
		rte_errno = ENOMEM;
		return NULL;
	}
	return s;
}

void
fcn_dry_run_free(struct fcn_dry_run *s)
{
	if (s == NULL)
		return;
	take_back(s);
	fcn_worker_free(s->w);
	rte_pktmbuf_free(s->frame);
	free(s);
}

/* ---- the packet ---- */

static struct rte_mbuf *
make_packet(struct rte_mempool *pool, const uint8_t *frame, uint32_t len)
{
	struct rte_mbuf *m = NULL;

	for (uint32_t done = 0, n; done < len; done += n) {
		struct rte_mbuf *part = rte_pktmbuf_alloc(pool);

		if (part == NULL || (m != NULL && rte_pktmbuf_chain(m, part) != 0)) {
			rte_pktmbuf_free(part);
			rte_pktmbuf_free(m);
			return NULL;
		}
		n = RTE_MIN(len - done, (uint32_t)rte_pktmbuf_tailroom(part));
		memcpy(rte_pktmbuf_mtod(part, uint8_t *), frame + done, n);
		part->data_len = (uint16_t)n;
		if (m == NULL) {
			m = part;
			m->pkt_len = n;
		} else {
			m->pkt_len += n;
		}
	}
	return m;
}

int
fcn_dry_run_pass(struct fcn_dry_run *s, const uint8_t *frame, uint32_t len)
{
	s->frame = make_packet(s->w->pool, frame, len);
	if (s->frame == NULL)
		return -ENOMEM;
	s->w->trace.wanted = 1;
	fcn_poll_to_queues(s->w, s->now);
	return 0;
}

/* ---- what became of it ---- */

const struct fcn_trace *
fcn_dry_run_trace(const struct fcn_dry_run *s)
{
	return &s->w->trace;
}

/* Get the first packet of a queue that was not in the queue of the switch. */
static uint32_t
first_new(const struct fcn_dry_run *s, unsigned int port, unsigned int class)
{
	return s->w->port[port].egress->queue[class].head + s->packets[port][class];
}

unsigned int
fcn_dry_run_outputs(const struct fcn_dry_run *s, struct fcn_dry_run_output *out, unsigned int n)
{
	unsigned int found = 0;

	FCN_PORT_SET_FOREACH (p, &s->ports) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_queue *q = &s->w->port[p].egress->queue[c];

			for (uint32_t k = first_new(s, p, c); k != q->tail && found < n; k++) {
				const struct fcn_queue_entry *e = &q->ring[k & q->mask];

				out[found++] = (struct fcn_dry_run_output){
						.port = (uint16_t)p,
						.class = (uint8_t)c,
						.is_notice = e->flags & FCN_ENTRY_NOTICE,
						.kind = (uint8_t)fcn_entry_notice_kind(e),
						.len = e->len,
				};
			}
		}
	}
	return found;
}

/* Find the packet in its class queue. @return NULL: it is not there */
static const struct rte_mbuf *
queued_packet(const struct fcn_dry_run *s, const struct fcn_packet *p)
{
	const struct fcn_queue *q = &s->w->port[p->out_port].egress->queue[p->class];

	for (uint32_t k = first_new(s, p->out_port, p->class); k != q->tail; k++) {
		const struct fcn_queue_entry *e = &q->ring[k & q->mask];

		if (e->flags & FCN_ENTRY_TRACED && fcn_queued_of(s->w, e->mbuf)->trace == 1)
			return e->mbuf;
	}
	return NULL;
}

/* Find the step in which the packet came to a class queue. @return NULL: it came to none */
static const struct fcn_packet *
enqueued(const struct fcn_dry_run *s)
{
	const struct fcn_trace_record *r = &s->w->trace.record[0];

	for (unsigned int i = 0; s->w->trace.n != 0 && i < r->n_steps; i++) {
		const struct fcn_packet *p = &r->step[i].pkt;

		if (r->step[i].stage == FCN_STAGE_ENQUEUE && p->out_port < FCN_MAX_PORTS &&
				s->w->port[p->out_port].egress != NULL)
			return p;
	}
	return NULL;
}

uint32_t
fcn_dry_run_queued(const struct fcn_dry_run *s, uint8_t *out, uint32_t n)
{
	const struct fcn_packet *p = enqueued(s);
	const struct rte_mbuf *m = p != NULL ? queued_packet(s, p) : NULL;

	if (m == NULL)
		return 0;
	n = RTE_MIN(n, (uint32_t)m->data_len);
	memcpy(out, rte_pktmbuf_mtod(m, const uint8_t *), n);
	return n;
}

/* Ask for the station of a bridge that the packet is sent to. */
static void
want_mac(const struct fcn_dry_run *s, const struct fcn_trace_record *r,
		struct fcn_dry_run_receiver *to)
{
	const struct fcn_snapshot_port *port = &s->snapshot->port[to->parent];
	struct rte_ether_addr mac;

	for (unsigned int i = 0; i < r->n_steps; i++) {
		const struct fcn_packet *p = &r->step[i].pkt;

		if (r->step[i].stage != FCN_STAGE_BRIDGE || !(p->flags & FCN_PACKET_BRIDGED) ||
				p->vlan == 0 || r->n_bytes < sizeof(mac))
			continue;
		memcpy(&mac, r->bytes, sizeof(mac));
		to->has_mac = !rte_is_multicast_ether_addr(&mac);
		to->mac = (struct fcn_mac_key){.mac = mac, .vlan = p->vlan, .bridge = port->bridge};
		to->mac_ageing_ns = s->snapshot->bridge[port->bridge].ageing_ns;
	}
}

/* Ask for the service and the flow of the packet, which may be held. */
static void
want_held(const struct rte_mbuf *m, const struct fcn_packet *p, struct fcn_dry_run_decider *d)
{
	static const enum fcn_arn_mode modes[] = {FCN_ARN_MODE_SERVICE, FCN_ARN_MODE_FLOW};

	d->n_keys = 0;
	for (unsigned int i = 0; i < RTE_DIM(modes); i++) {
		struct fcn_held_key *key = &d->key[d->n_keys];

		if (modes[i] == FCN_ARN_MODE_SERVICE && !(p->info.flags & FCN_PKT_TUNNEL))
			continue;
		if (!fcn_arn_flow_of(rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, &p->info,
				    modes[i], &key->flow))
			continue;
		key->mode = fcn_arn_mode_of_flow(&key->flow);
		d->n_keys++;
	}
}

static void
want_decider(const struct fcn_dry_run *s, const struct fcn_packet *p,
		struct fcn_dry_run_receiver *receiver, struct fcn_dry_run_decider *d)
{
	const struct fcn_notices_conf *conf = &s->snapshot->notify;
	const struct rte_mbuf *m = queued_packet(s, p);

	if (m == NULL && d->port == p->out_port)
		return; /* it was lost, and what it asks for is known */
	d->port = p->out_port;
	d->n_keys = 0;
	memset(d->notify, 0, sizeof(d->notify));
	if (m == NULL)
		return;
	receiver->mark = fcn_proxy_mark_find(s->w, m, p);
	want_held(m, p, d);
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		if (conf->on >> k & 1)
			fcn_notify_keys_of(&conf->kind[k], &s->w->notify[k],
					rte_pktmbuf_mtod(m, const uint8_t *), &p->info,
					&d->notify[k]);
	}
}

bool
fcn_dry_run_wants(const struct fcn_dry_run *s, struct fcn_dry_run_receiver *receiver,
		struct fcn_dry_run_decider *decider)
{
	const struct fcn_trace_record *r = &s->w->trace.record[0];
	const struct fcn_packet *p = enqueued(s);

	if (s->w->trace.n == 0)
		return false;
	receiver->in_port = r->step[r->n_steps - 1].pkt.in_port;
	want_mac(s, r, receiver);
	if (p != NULL)
		want_decider(s, p, receiver, decider);
	return p != NULL;
}
