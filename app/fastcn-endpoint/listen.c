/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * With --listen, a queue pair learns its peer from the first packet: queue pair n of one side is
 * connected to queue pair n of the other, and answers go to the MAC address that the packet came
 * from. A peer that starts again, with the first packet sequence number and another UDP source
 * port, is taken for a new one.
 */

#include <string.h>

#include "fcn_bth.h"
#include "fcn_icrc.h"
#include "fcn_inet.h"
#include "fcn_parse.h"
#include "live_endpoint.h"

#define BTH_OFF 8 /* offset of the BTH from the UDP header */
#define OP_FIRST 0x00
#define OP_ONLY 0x04
#define OP_WRITE 0x06 /* added to the opcode of a SEND to get that of an RDMA WRITE */
#define P_KEY 0xFFFF

/* Whether a frame is the first packet of a sender to this endpoint, with a correct ICRC. */
static bool
is_first(const struct live_endpoint *live, const uint8_t *frame, uint32_t len,
		struct fcn_wire_info *info)
{
	const struct rte_ether_hdr *eth = (const void *)frame;
	const struct fcn_bth_hdr *bth;
	const uint8_t *ip;
	uint8_t opcode;

	if (len < sizeof(*eth) || !rte_is_same_ether_addr(&eth->dst_addr, &live->port.mac) ||
			!fcn_mac_is_station(&eth->src_addr))
		return false;
	fcn_parse(frame, len, len, &fcn_parse_default_codes, info);
	opcode = info->opcode >= OP_WRITE ? info->opcode - OP_WRITE : info->opcode;
	if ((info->flags & (FCN_PKT_ROCE | FCN_PKT_IPV6 | FCN_PKT_TUNNEL | FCN_PKT_FASTCNP)) !=
					(FCN_PKT_ROCE | FCN_PKT_IPV6) ||
			(opcode != OP_FIRST && opcode != OP_ONLY))
		return false;
	ip = frame + info->l3_off;
	bth = (const void *)(frame + info->l4_off + BTH_OFF);
	if ((bth->psn[0] | bth->psn[1] | bth->psn[2]) != 0 ||
			memcmp(ip + 24, live->conf.addr, 16) != 0 || !fcn_ip6_is_station(ip + 8))
		return false;
	return fcn_icrc_ok(&live->crc, ip, info->l4_off - (uint32_t)info->l3_off, info->ip_len,
			live->conf.icrc_mode);
}

static void
connect_to(struct live_endpoint *live, struct live_qp *qp, const uint8_t *frame,
		const struct fcn_wire_info *info, uint64_t now)
{
	const struct rte_ether_hdr *eth = (const void *)frame;
	struct fcn_endpoint_peer peer = {
			.mac = eth->src_addr,
			.qp = qp->number,
			.src_port = info->src_port,
			.p_key = P_KEY,
			.dscp = live->opt.dscp,
			.rate_bps = live->opt.qp_bps,
	};

	memcpy(peer.addr, frame + info->l3_off + 8, 16);
	if (qp->connected)
		fcn_endpoint_qp_reset(live->ep, qp->number);
	qp->connected = fcn_endpoint_qp_connect(live->ep, qp->number, &peer, now) == 0;
	if (!qp->connected) {
		live->n.listen_refused++;
		return;
	}
	memcpy(qp->peer, peer.addr, 16);
	qp->learnt = true;
	qp->src_port = info->src_port;
	live->n.listened++;
}

void
live_listen(struct live_endpoint *live, const uint8_t *frame, uint32_t len, uint64_t now)
{
	struct fcn_wire_info info;
	struct live_qp *qp;
	bool same;

	if (!is_first(live, frame, len, &info))
		return;
	qp = live_qp_find(live, info.dest_qp);
	if (qp == NULL) {
		live->n.listen_refused++;
		return;
	}
	same = memcmp(qp->peer, frame + info.l3_off + 8, 16) == 0;
	if (qp->connected && (!qp->learnt || (same && qp->src_port == info.src_port)))
		return;
	/* A queue pair that is in use is not taken away by another host's packet. */
	if (qp->connected && !same) {
		live->n.listen_refused++;
		return;
	}
	connect_to(live, qp, frame, &info, now);
}
