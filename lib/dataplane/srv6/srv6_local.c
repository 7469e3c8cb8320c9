/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The local behaviour `srv6`: packets to local SIDs (RFC 8986 section 4). All behaviors are one
 * body: go on to the next segment, or decapsulate, and then send the packet to a station or route
 * it by a table. A SID says which of this it does.
 */

#include <netinet/in.h>

#include "srv6.h"

#define IP6_HOP_LIMIT_OFF 7
#define IP6_DST_OFF 24
#define MAC_ADDRESSES (2 * RTE_ETHER_ADDR_LEN)

enum fcn_local_result
fcn_srv6_refuse(const struct fcn_srv6_packet *q, enum fcn_srv6_error error,
		enum fcn_drop_reason why)
{
	struct fcn_icmp6_error icmp;

	q->w->srv6.sid[q->sid->slot].refused++;
	if (!fcn_srv6_icmp_error(error, q->h.pointer, &icmp) ||
			fcn_punt_error(q->w, q->b, q->i, &icmp, why) != FCN_PUNTED)
		fcn_drop(q->w, q->b, q->i, why);
	return FCN_LOCAL_CONSUMED;
}

static enum fcn_local_result
refuse(const struct fcn_srv6_packet *q, enum fcn_srv6_error error)
{
	return fcn_srv6_refuse(q, error, fcn_drop_of_srv6(error));
}

/* Push an event about a combination of ECN fields, at most once a second. */
static __rte_noinline void
ecn_event(struct fcn_worker *w, uint16_t port, enum fcn_tunnel_ecn_combination combination)
{
	struct fcn_event ev = {
			.time_ns = w->now,
			.type = FCN_EVENT_TUNNEL_ECN,
			.verdict = combination,
			.port = port,
			.in_port = port,
	};

	if (!w->snap->srv6.ecn_event ||
			(w->srv6.ecn_event_ns != 0 && w->now - w->srv6.ecn_event_ns < NS_PER_S))
		return;
	w->srv6.ecn_event_ns = RTE_MAX(w->now, UINT64_C(1));
	fcn_worker_event(w, &ev);
}

bool
fcn_srv6_decapsulate(const struct fcn_srv6_packet *q)
{
	struct fcn_packet *p = &q->b->pkt[q->i];
	uint8_t *inner = q->ip + q->h.upper_off;
	const uint8_t outer = (uint8_t)(q->ip[0] << 4 | q->ip[1] >> 4);
	const rte_be16_t ether_type = inner[0] >> 4 == 6 ? RTE_BE16(RTE_ETHER_TYPE_IPV6)
							 : RTE_BE16(RTE_ETHER_TYPE_IPV4);
	enum fcn_tunnel_ecn_combination combination = fcn_tunnel_ecn_decaps(inner, outer);

	if (unlikely(combination != FCN_TUNNEL_ECN_USED)) {
		q->w->srv6.ecn[combination]++;
		ecn_event(q->w, p->in_port, combination);
		if (fcn_tunnel_ecn_is_drop(combination)) {
			fcn_srv6_refuse(q, FCN_SRV6_OK, FCN_DROP_TUNNEL_ECN);
			return false;
		}
	}
	memcpy(rte_pktmbuf_adj(q->b->mbuf[q->i], q->h.upper_off) + MAC_ADDRESSES, &ether_type,
			sizeof(ether_type));
	p->flags &= ~FCN_PACKET_HOP_COUNTED;
	return true;
}

/* Send a packet on as the SID says: to its station, or by its table. */
static enum fcn_local_result
send_on(const struct fcn_srv6_packet *q)
{
	struct fcn_packet *p = &q->b->pkt[q->i];

	p->table = (uint8_t)q->sid->table;
	if (q->sid->argument != FCN_SRV6_ARGUMENT_VIA)
		return FCN_LOCAL_ROUTE;
	p->next_hop = q->sid->next_hop;
	p->flags |= FCN_PACKET_VIA_SID;
	return FCN_LOCAL_FORWARD;
}

/* An echo request goes to the host functions (RFC 8986 section 4.1.1), others are refused. */
static enum fcn_local_result
upper_layer(struct fcn_srv6_packet *q)
{
	if (q->h.upper_proto != IPPROTO_ICMPV6 || q->len <= q->h.upper_off ||
			q->ip[q->h.upper_off] != FCN_ICMP6_ECHO_REQUEST || !q->w->snap->srv6.echo) {
		q->h.pointer = q->h.upper_off;
		return refuse(q, FCN_SRV6_UPPER_LAYER);
	}
	return fcn_local_punt(q->w, q->b, q->i, FCN_PUNT_SID);
}

/* Decapsulate a packet, or process its upper layer if it is another than the SID decapsulates. */
static enum fcn_local_result
decapsulate(struct fcn_srv6_packet *q)
{
	enum fcn_srv6_error error = fcn_srv6_decaps_check(q->ip, q->len, q->sid->inner, &q->h);

	if (error == FCN_SRV6_UPPER_LAYER)
		return upper_layer(q);
	if (error != FCN_SRV6_OK)
		return refuse(q, error);
	return fcn_srv6_decapsulate(q) ? send_on(q) : FCN_LOCAL_CONSUMED;
}

/* Check the TLVs of a Segment Routing Header, if there are any, and its list is valid. */
static enum fcn_srv6_error
check_tlvs(struct fcn_srv6_packet *q)
{
	const uint8_t *data = q->ip + q->h.srh_off;
	struct fcn_srh_tlvs tlvs;
	enum fcn_srv6_error error;
	struct fcn_srh srh;

	if (likely(data[FCN_SRH_LENGTH_OFF] == 2 * (data[FCN_SRH_LAST_ENTRY_OFF] + 1)) ||
			fcn_srh_parse(data, q->h.srh_len, &srh) != FCN_SRV6_OK)
		return FCN_SRV6_OK;
	error = fcn_srh_parse_tlvs(data, &srh, q->ip + IP6_DST_OFF, &tlvs);
	if (error != FCN_SRV6_OK)
		q->h.pointer = q->h.srh_off + tlvs.error_off;
	return error;
}

/* Remove the Segment Routing Header. */
static void
remove_srh(struct fcn_srv6_packet *q)
{
	struct rte_mbuf *m = q->b->mbuf[q->i];
	struct fcn_packet *p = &q->b->pkt[q->i];
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	uint32_t removed = fcn_srv6_remove_srh(data, p->info.l3_off, &q->h);

	data = (uint8_t *)rte_pktmbuf_adj(m, (uint16_t)removed);
	q->ip = data + p->info.l3_off;
	q->len -= removed;
	p->info.ip_len -= removed;
}

/* Go on to the next segment (RFC 8986 section 4.1 lines S02 to S15). */
static enum fcn_local_result
next_segment(struct fcn_srv6_packet *q)
{
	enum fcn_srv6_error error = FCN_SRV6_OK;

	/* The hop limit is checked first (line S05). */
	if (q->ip[IP6_HOP_LIMIT_OFF] > 1)
		error = check_tlvs(q);
	if (error == FCN_SRV6_OK)
		error = fcn_srv6_end(q->ip, &q->h);
	if (error != FCN_SRV6_OK)
		return refuse(q, error);
	if (q->h.segments_left == 0 && q->sid->flavors & FCN_SRV6_FLAVOR_PSP)
		remove_srh(q);
	q->b->pkt[q->i].flags |= FCN_PACKET_HOP_COUNTED;
	return send_on(q);
}

/* Go on to the next compressed SID (RFC 9800 section 4.1.1). */
static enum fcn_local_result
next_csid(struct fcn_srv6_packet *q)
{
	enum fcn_srv6_error error = fcn_srv6_csid_next(q->ip, &q->sid->csid);

	if (error != FCN_SRV6_OK)
		return refuse(q, error);
	q->b->pkt[q->i].flags |= FCN_PACKET_HOP_COUNTED;
	return send_on(q);
}

/* A behavior that goes on to the next segment, when there is none. */
static enum fcn_local_result
last_segment(struct fcn_srv6_packet *q)
{
	const bool is_tunnel = q->h.upper_proto == IPPROTO_IPV6 || q->h.upper_proto == IPPROTO_IPIP;

	if (is_tunnel && q->sid->flavors & FCN_SRV6_FLAVOR_USD)
		return decapsulate(q);
	if (q->h.srh_off != 0 && q->sid->flavors & FCN_SRV6_FLAVOR_USP)
		remove_srh(q);
	return upper_layer(q);
}

static enum fcn_local_result
process(struct fcn_srv6_packet *q)
{
	const bool is_step = fcn_srv6_behaviors[q->sid->behavior].inner == 0;
	enum fcn_srv6_error error;

	if (q->sid->has_csid && fcn_srv6_csid_has_argument(q->ip + IP6_DST_OFF, &q->sid->csid))
		return next_csid(q);
	if (q->sid->behavior == FCN_SRV6_END_CON)
		return fcn_srv6_endcon(q);
	error = fcn_srv6_headers_find(q->ip, q->len, &q->h);
	if (error != FCN_SRV6_OK)
		return refuse(q, error);
	if (!is_step)
		return decapsulate(q);
	return q->h.segments_left != 0 ? next_segment(q) : last_segment(q);
}

enum fcn_local_result
fcn_local_srv6(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	const struct fcn_snapshot *s = w->snap;
	struct fcn_packet *p = &b->pkt[i];
	const struct rte_mbuf *m = b->mbuf[i];
	struct fcn_srv6_packet q = {
			.w = w,
			.b = b,
			.i = i,
			.sid = &s->srv6.sid[s->next_hop[p->next_hop].first_member],
	};
	struct fcn_srv6_sid_counters *c = &w->srv6.sid[q.sid->slot];
	const uint64_t refused = c->refused;
	enum fcn_local_result result;
	uint32_t bytes;

	p->flags &= ~(FCN_PACKET_HOP_COUNTED | FCN_PACKET_VIA_SID);
	if (unlikely(!fcn_srv6_gather(w, b, i))) {
		c->refused++;
		fcn_drop(w, b, i, FCN_DROP_NO_MBUF);
		return FCN_LOCAL_CONSUMED;
	}
	if (unlikely(b->mbuf[i] != m)) /* the parser reads the first segment only */
		fcn_parse_slow(rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *), b->mbuf[i]->data_len,
				b->mbuf[i]->pkt_len, &s->codes, &p->info);
	bytes = b->mbuf[i]->pkt_len;
	q.ip = rte_pktmbuf_mtod_offset(b->mbuf[i], uint8_t *, p->info.l3_off);
	q.len = b->mbuf[i]->data_len - p->info.l3_off;
	result = process(&q);
	if (likely(c->refused == refused)) {
		c->packets++;
		c->bytes += bytes;
	}
	return result;
}
