/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The local behaviour `arn`: messages by which downstream switches ask to halt traffic
 * (draft-hu-rtgwg-rocev2-fcn section 4.1).
 */

#include "arn_order.h"
#include "arn_receive.h"
#include "fcn_source_check.h"
#include "fcn_stages.h"

#define IP6_SRC_OFF 8

/* Shortest time between two events of a port. */
#define EVENT_NS 1000000

static bool
has_prefix(const uint8_t addr[16], const struct fcn_arn_source *s)
{
	const unsigned int octets = s->len / 8, bits = s->len % 8;

	if (memcmp(addr, s->addr, octets) != 0)
		return false;
	return bits == 0 || ((addr[octets] ^ s->addr[octets]) >> (8 - bits)) == 0;
}

/* Find the entry of the access list for an address. @return NULL: there is none */
static const struct fcn_arn_source *
find_source(const struct fcn_arn_conf *conf, const uint8_t addr[16])
{
	for (uint32_t i = 0; i < conf->n_sources; i++) {
		if (has_prefix(addr, &conf->source_list[i]))
			return &conf->source_list[i];
	}
	return NULL;
}

/* Check whether a message arrived by a port by which its source is. */
static bool
is_from_its_port(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *source,
		const struct fcn_arn_source *listed)
{
	/* A bridge gives messages to its interface. */
	const uint16_t interface = p->flags & FCN_PACKET_BRIDGED ? p->out_port : p->in_port;
	struct fcn_addr addr = {.version = 6};

	if (listed->port != FCN_PORT_NONE)
		return s->port[p->in_port].parent == listed->port;
	memcpy(addr.bytes, source, sizeof(addr.bytes));
	return s->arn.any_port ||
	       fcn_source_is_behind(s, s->port[interface].table, &addr, interface);
}

/* Check where a message comes from, before its limits. @return FCN_DROP_NONE, or why it is refused
 */
static enum fcn_drop_reason
check_source(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *source,
		const struct fcn_arn_source *listed)
{
	if (listed == NULL)
		return FCN_DROP_ARN_ACCESS;
	if (!is_from_its_port(s, p, source, listed))
		return FCN_DROP_ARN_PORT;
	return p->info.ttl < s->arn.least_hop_limit ? FCN_DROP_ARN_HOP_LIMIT : FCN_DROP_NONE;
}

/* Read and check a message. @return FCN_DROP_NONE, or why it is refused */
static enum fcn_drop_reason
check(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_arn *arn)
{
	const struct fcn_wire_info *info = &p->info;
	const struct fcn_arn_conf *conf = &w->snap->arn;
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, info->l3_off);
	enum fcn_arn_error error;

	switch (fcn_source_limit_take(&w->arn_received.limit, &w->hash_key, ip + IP6_SRC_OFF,
			&conf->limits, w->snap->port[p->in_port].parent, w->now)) {
	case FCN_SOURCE_TAKEN:
		break;
	case FCN_SOURCE_OVER_RATE:
		return FCN_DROP_ARN_RATE;
	case FCN_SOURCE_OVER_TOTAL:
		return FCN_DROP_ARN_TOTAL;
	}
	/* A message fits in one segment, so there is something behind it in a chained packet. */
	if (info->l3_off + info->ip_len > m->data_len)
		return FCN_DROP_ARN_LENGTH;
	error = fcn_arn_parse(ip, info->l4_off - info->l3_off, info->ip_len, arn);
	if (error == FCN_ARN_OK)
		error = fcn_arn_check_parameters(arn);
	return error == FCN_ARN_OK ? FCN_DROP_NONE : fcn_drop_of_arn(error);
}

/* Push an event, if the last one of its type and port is long ago. */
static void
push_event(struct fcn_worker *w, const struct fcn_arn_order *order, uint16_t port)
{
	const bool resumes = fcn_arn_is_end(&order->arn);
	uint64_t *last = &w->arn_received.event_ns[resumes][port];
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = resumes ? FCN_EVENT_ARN_RESUMED : FCN_EVENT_ARN_RECEIVED,
			.class = order->arn.priority,
			.level = (int8_t)order->arn.level,
			.verdict = fcn_arn_mode_of(&order->arn),
			.port = port,
			.in_port = port,
	};

	if (w->events == NULL || (*last != 0 && w->now - *last < EVENT_NS))
		return;
	*last = RTE_MAX(w->now, UINT64_C(1));
	memcpy(ev.sender, order->source, sizeof(ev.sender));
	fcn_worker_event(w, &ev);
}

enum fcn_local_result
fcn_local_arn(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	struct fcn_arn_received *r = &w->arn_received;
	const struct fcn_packet *p = &b->pkt[i];
	const uint8_t *source = rte_pktmbuf_mtod_offset(
			b->mbuf[i], const uint8_t *, p->info.l3_off + IP6_SRC_OFF);
	const struct fcn_arn_source *listed = find_source(&w->snap->arn, source);
	enum fcn_drop_reason why = check_source(w->snap, p, source, listed);
	struct fcn_arn_received_counters *c = NULL;
	struct fcn_arn_order order;

	memset(&order, 0, sizeof(order)); /* padding, too: it is copied as bytes */
	/* Who only pretends to be a source changes nothing of it. */
	if (why == FCN_DROP_NONE) {
		c = fcn_arn_received_source(r, &w->hash_key, source, w->now);
		why = check(w, b->mbuf[i], p, &order.arn);
	}
	if (why != FCN_DROP_NONE) {
		r->counters.refused++;
		if (c != NULL)
			c->refused++;
		fcn_drop(w, b, i, why);
		return FCN_LOCAL_CONSUMED;
	}
	fcn_arn_received_count(&r->counters, &order.arn, fcn_arn_mode_of(&order.arn));
	fcn_arn_received_count(c, &order.arn, fcn_arn_mode_of(&order.arn));
	memcpy(order.source, source, sizeof(order.source));
	order.port = listed->port != FCN_PORT_NONE ? listed->port
						   : w->snap->port[p->in_port].parent;
	push_event(w, &order, p->in_port);
	fcn_arn_distribute(w, &order);
	w->counters[p->in_port].consumed++;
	w->dead[w->n_dead++] = b->mbuf[i];
	b->mbuf[i] = NULL;
	return FCN_LOCAL_CONSUMED;
}
