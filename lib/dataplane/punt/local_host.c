/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Local behaviours that punt a packet to the host functions. */

#include "arn_receive.h"
#include "fcn_local.h"
#include "fcn_srv6_headers.h"
#include "fcn_stages.h"
#include "proxy.h"

enum fcn_local_result
fcn_local_punt(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		enum fcn_punt_reason reason)
{
	switch (fcn_punt(w, b, i, reason)) {
	case FCN_PUNTED:
		break;
	case FCN_PUNT_UNWANTED:
		fcn_drop(w, b, i, b->pkt[i].unwanted);
		break;
	case FCN_PUNT_OVER_RATE:
	case FCN_PUNT_OVER_BACKLOG:
		fcn_drop(w, b, i, FCN_DROP_PUNT_LIMITED);
		break;
	}
	return FCN_LOCAL_CONSUMED;
}

/*
 * Refuse a packet to an address that is no SID, if its Segment Routing Header has segments left
 * (RFC 8754 section 4.3.2): with an ICMPv6 error that points at the Routing Type.
 *
 * @return whether it was refused
 */
static __rte_noinline bool
refuse_segments(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	const struct fcn_packet *p = &b->pkt[i];
	const struct rte_mbuf *m = b->mbuf[i];
	struct fcn_srv6_headers h;
	struct fcn_icmp6_error error = {
			.type = FCN_ICMP6_PARAM_PROBLEM, .code = FCN_ICMP6_BAD_FIELD};

	if (!(p->info.flags & FCN_PKT_IPV6) ||
			fcn_srv6_headers_find(
					rte_pktmbuf_mtod_offset(m, const uint8_t *, p->info.l3_off),
					m->data_len - p->info.l3_off, &h) != FCN_SRV6_OK ||
			h.segments_left == 0)
		return false;
	error.param = h.srh_off + FCN_SRH_TYPE_OFF;
	if (fcn_punt_error(w, b, i, &error, FCN_DROP_SRV6_NO_SID) != FCN_PUNTED)
		fcn_drop(w, b, i, FCN_DROP_SRV6_NO_SID);
	return true;
}

enum fcn_local_result
fcn_local_host(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	const struct fcn_wire_info *info = &b->pkt[i].info;

	/* An inner packet can have such a header, too. */
	if (unlikely(info->flags & FCN_PKT_SRH || info->error != FCN_WIRE_OK) &&
			refuse_segments(w, b, i))
		return FCN_LOCAL_CONSUMED;
	if (unlikely(fcn_arn_is_message(&w->snap->arn, info))) {
		b->pkt[i].local = FCN_LOCAL_ARN;
		return fcn_local_arn(w, b, i);
	}
	if (unlikely(fcn_proxy_is_message(&w->snap->proxy, &b->pkt[i]))) {
		b->pkt[i].local = FCN_LOCAL_CNM;
		return fcn_local_cnm(w, b, i);
	}
	return fcn_local_punt(w, b, i, FCN_PUNT_LOCAL);
}

enum fcn_local_result
fcn_local_link(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	return fcn_local_punt(w, b, i, FCN_PUNT_LINK);
}

enum fcn_local_result
fcn_local_arp(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	return fcn_local_punt(w, b, i, FCN_PUNT_ARP);
}

enum fcn_local_result
fcn_local_control(struct fcn_worker *w, struct fcn_burst *b, unsigned int i)
{
	return fcn_local_punt(w, b, i, FCN_PUNT_CONTROL);
}
