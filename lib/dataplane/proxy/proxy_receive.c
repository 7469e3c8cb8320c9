/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The local behaviour `cnm`: Congestion Notification Messages to this proxy network node
 * (draft-xiao-rtgwg-proxy-congestion-notification section 4).
 */

#include "fcn_cnm.h"
#include "proxy.h"

#define IP4_SRC_OFF 12
#define IP6_SRC_OFF 8

/* Behind the Option Type, Opt Data Len, Reserved and IOAM Opt-Type octets is the trace. */
#define IOAM_TYPE_OFF 3
#define IOAM_TRACE_OFF 4

/* Get the source of a message: IPv6, or IPv4-mapped. */
static void
source_of(const struct rte_mbuf *m, const struct fcn_wire_info *info, uint8_t source[16])
{
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, info->l3_off);

	if (info->flags & FCN_PKT_IPV6) {
		memcpy(source, ip + IP6_SRC_OFF, 16);
		return;
	}
	fcn_addr_map(ip + IP4_SRC_OFF, source);
}

static bool
is_listed(const struct fcn_proxy_conf *conf, const struct fcn_wire_info *info,
		const uint8_t source[16])
{
	if (conf->nodes == NULL)
		return false;
	return (info->flags & FCN_PKT_IPV6 ? fcn_prefix_list_lookup6(conf->nodes, source, 0)
					   : fcn_prefix_list_lookup4(conf->nodes,
							     fcn_load_be32(source + 12), 0)) != 0;
}

/* Check whether a flow's addresses are those of hosts: packets can be sent to them. */
static bool
is_of_hosts(const struct fcn_flow_descriptor *flow)
{
	struct fcn_addr src = {.version = flow->version}, dst = {.version = flow->version};

	memcpy(src.bytes, flow->src, sizeof(src.bytes));
	memcpy(dst.bytes, flow->dst, sizeof(dst.bytes));
	return fcn_addr_why_no_host(&src) == NULL && !fcn_addr_is_link_local(&src) &&
	       fcn_addr_why_no_host(&dst) == NULL && !fcn_addr_is_link_local(&dst);
}

/*
 * Check whether a message reports a packet that is itself about congestion: a message, a CNP or any
 * packet of this switch. To notify somebody about such packets would cause more of them.
 */
static bool
is_loop(const struct fcn_worker *w, const struct fcn_packet *p, const struct fcn_cnm *cnm)
{
	const struct fcn_wire_info *about = &cnm->about;
	const struct fcn_next_hop *route = fcn_proxy_find_route(
			w, w->snap->port[p->in_port].table, cnm->flow.version, cnm->flow.src);

	return route->type == FCN_NEXT_HOP_LOCAL ||
	       (about->flags & FCN_PKT_ROCE && about->opcode == FCN_BTH_OPCODE_CNP) ||
	       (cnm->flow.proto == IPPROTO_UDP && cnm->flow.dst_port == w->snap->proxy.port);
}

/* Read and check a message. @return FCN_DROP_NONE, or why it is refused */
static enum fcn_drop_reason
check(struct fcn_worker *w, const struct rte_mbuf *m, const struct fcn_packet *p,
		struct fcn_cnm *cnm)
{
	const struct fcn_proxy_conf *conf = &w->snap->proxy;
	const struct fcn_wire_info *info = &p->info;
	enum fcn_cnm_error error;
	uint8_t source[16];

	source_of(m, info, source);
	if (!(p->flags & FCN_PACKET_NOTICE) && !is_listed(conf, info, source))
		return FCN_DROP_CNM_ACCESS;
	switch (fcn_source_limit_take(&w->proxy.limit, &w->hash_key, source, &conf->limits,
			w->snap->port[p->in_port].parent, w->now)) {
	case FCN_SOURCE_TAKEN:
		break;
	case FCN_SOURCE_OVER_RATE:
		return FCN_DROP_CNM_RATE;
	case FCN_SOURCE_OVER_TOTAL:
		return FCN_DROP_CNM_TOTAL;
	}
	/* A message fits in one segment, so there is something behind it in a chained packet. */
	if (info->l3_off + info->ip_len > m->data_len)
		return FCN_DROP_CNM_UDP_LENGTH;
	error = fcn_cnm_parse(rte_pktmbuf_mtod_offset(m, const uint8_t *, info->l3_off),
			info->l4_off - info->l3_off, info->ip_len, &w->snap->codes, cnm);
	/* Packets are marked by their five-tuple alone, which the message has in front of the
	 * quote. */
	if (error != FCN_CNM_OK &&
			!(error == FCN_CNM_BAD_QUOTE &&
					fcn_proxy_translation_of(conf, &cnm->flow) == FCN_PROXY_CE))
		return fcn_drop_of_cnm(error);
	if (!is_of_hosts(&cnm->flow))
		return FCN_DROP_CNM_ADDRESS;
	return is_loop(w, p, cnm) ? FCN_DROP_CNM_LOOP : FCN_DROP_NONE;
}

/* Copy the IOAM trace of the quoted packet, if there is one that fits into a Fast CNP. */
static void
take_trace(const struct fcn_cnm *cnm, struct fcn_proxy_claim *claim)
{
	const struct fcn_wire_info *about = &cnm->about;
	uint32_t len;

	if (!(about->flags & FCN_PKT_IOAM_TRACE))
		return;
	len = about->ioam_len - 2; /* Reserved and IOAM Opt-Type are no part of it */
	if (len > sizeof(claim->trace) || about->ioam_off + IOAM_TRACE_OFF + len > cnm->quote_len)
		return;
	claim->trace_type = cnm->quote[about->ioam_off + IOAM_TYPE_OFF];
	claim->trace_len = (uint16_t)len;
	memcpy(claim->trace, cnm->quote + about->ioam_off + IOAM_TRACE_OFF, len);
}

/* Hand what a message says to the owner of the flow, if somebody is to be notified at all. */
static void
take(struct fcn_worker *w, const struct fcn_packet *p, const struct fcn_cnm *cnm)
{
	const struct fcn_wire_info *about = &cnm->about;
	struct fcn_proxy_counters *c = &w->proxy.counters;
	struct fcn_proxy_claim claim;
	const enum fcn_proxy_translation translation = fcn_proxy_translation_of(
			&w->snap->proxy, &cnm->flow);

	c->accepted++;
	c->unknown += translation == FCN_PROXY_TRANSLATION_COUNT;
	c->none += translation == FCN_PROXY_NONE;
	if (translation == FCN_PROXY_TRANSLATION_COUNT || translation == FCN_PROXY_NONE)
		return;
	memset(&claim, 0, offsetof(struct fcn_proxy_claim, trace));
	memcpy(&claim.flow, &cnm->flow, sizeof(claim.flow));
	claim.dest_qp = about->dest_qp;
	claim.p_key = about->p_key;
	claim.in_port = p->in_port;
	claim.generation = w->snap->generation;
	claim.translation = (uint8_t)translation;
	claim.has_quote = cnm->quote != NULL;
	claim.tclass = about->tclass;
	claim.is_data = about->flags & FCN_PKT_ROCE && fcn_bth_opcode_triggers(about->opcode);
	if (translation == FCN_PROXY_FAST_CNP_TRACE)
		take_trace(cnm, &claim);
	fcn_proxy_hand_over(w, &claim);
}

enum fcn_local_result
fcn_local_cnm(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	const struct fcn_packet *p = &b->pkt[i];
	struct fcn_cnm cnm;
	const enum fcn_drop_reason why = check(w, b->mbuf[i], p, &cnm);

	if (why != FCN_DROP_NONE) {
		w->proxy.counters.refused++;
		fcn_drop(w, b, i, why);
		return FCN_LOCAL_CONSUMED;
	}
	take(w, p, &cnm);
	w->counters[p->in_port].consumed++;
	if (p->flags & FCN_PACKET_NOTICE) /* the switch is also the congested node */
		w->notice_accounting[p->notice_kind].taken++;
	w->dead[w->n_dead++] = b->mbuf[i];
	b->mbuf[i] = NULL;
	return FCN_LOCAL_CONSUMED;
}
