/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Classification of received frames. */

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_ether.h>

#include "endpoint_state.h"
#include "fcn_inet.h"
#include "fcn_pfc.h"

#define ACK_LEN (8 + 12 + ENDPOINT_AETH_LEN + FCN_ICRC_LEN) /* UDP to ICRC */

static bool
mac_is_mine(const struct fcn_endpoint *ep, const uint8_t *frame)
{
	const struct rte_ether_addr *dst = (const void *)frame;

	return rte_is_same_ether_addr(dst, &ep->conf.mac) || rte_is_multicast_ether_addr(dst);
}

static bool
address_is_mine(const struct fcn_endpoint *ep, const uint8_t *frame,
		const struct fcn_wire_info *info)
{
	return (info->flags & (FCN_PKT_IPV6 | FCN_PKT_TUNNEL | FCN_PKT_SRH)) == FCN_PKT_IPV6 &&
	       memcmp(frame + info->l3_off + 24, ep->conf.addr, 16) == 0;
}

/* Process a complete data packet or acknowledgement to this address. */
static void
receive_roce(struct fcn_endpoint *ep, const uint8_t *frame, const struct fcn_wire_info *info,
		uint64_t now)
{
	const uint8_t *ip = frame + info->l3_off;
	uint32_t l4 = info->l4_off - (uint32_t)info->l3_off;
	struct endpoint_qp *qp = endpoint_qp_find(ep, info->dest_qp);

	if (unlikely(qp == NULL || !qp->connected || memcmp(ip + 8, qp->to.addr, 16) != 0))
		qp = NULL;
	if (unlikely(!endpoint_icrc_ok(ep, qp, ip, l4, info->ip_len))) {
		ep->n.rx_malformed++;
		return;
	}
	if (unlikely(qp == NULL))
		ep->n.rx_unknown_qp++;
	else if (endpoint_op_is_data(info->opcode))
		endpoint_receiver_data(ep, qp, frame, info, now);
	else if (info->opcode == ENDPOINT_OP_ACK && info->ip_len - l4 == ACK_LEN)
		endpoint_sender_ack(ep, qp, frame, info, now);
	else
		ep->n.rx_malformed++;
}

void
fcn_endpoint_receive(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len, uint64_t now)
{
	struct fcn_wire_info info;

	ep->n.rx_packets++;
	ep->n.rx_bytes += len;
	if (unlikely(ep->paused != 0))
		endpoint_pfc_expire(ep, now);
	if (unlikely(len < RTE_ETHER_HDR_LEN)) {
		ep->n.rx_malformed++;
		return;
	}
	if (unlikely(fcn_get_be16(frame + 12) == FCN_MAC_CONTROL_ETHER_TYPE)) {
		endpoint_pfc_receive(ep, frame, len, now);
		return;
	}
	if (unlikely(!mac_is_mine(ep, frame))) {
		ep->n.rx_not_mine++;
		return;
	}
	fcn_parse(frame, len, len, &ep->codes, &info);
	if (likely((info.flags & FCN_PKT_ROCE) && info.opcode != FCN_BTH_OPCODE_CNP &&
			    !(info.flags & FCN_PKT_FASTCNP))) {
		if (likely(address_is_mine(ep, frame, &info)))
			receive_roce(ep, frame, &info, now);
		else
			ep->n.rx_not_mine++;
		return;
	}
	if ((info.flags & FCN_PKT_FASTCNP) ||
			((info.flags & FCN_PKT_ROCE) && info.opcode == FCN_BTH_OPCODE_CNP)) {
		if (address_is_mine(ep, frame, &info))
			endpoint_notice_receive(ep, frame, len, &info, now);
		else
			ep->n.rx_not_mine++;
	} else if (ep->conf.trim && endpoint_trim_is(&info) && address_is_mine(ep, frame, &info)) {
		endpoint_trim_receive(ep, frame, &info, now);
	} else if (info.error != FCN_WIRE_OK || (info.flags & FCN_PKT_ROCE_PORT)) {
		ep->n.rx_malformed++;
	} else {
		ep->n.rx_other++;
	}
}
