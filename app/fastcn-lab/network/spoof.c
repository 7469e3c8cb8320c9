/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_fastcnp.h"
#include "fcn_pfc.h"
#include "network.h"

#define DSCP 48
#define HOP_LIMIT 64

/* 2001:db8:bad::1, which is not an address of a switch in the scenario. */
static const uint8_t stranger[16] = {
		0x20, 0x01, 0x0d, 0xb8, 0x0b, 0xad, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

/*
 * Send a spoofed notice about a flow that the host really sends. Only its source address shows that
 * it is spoofed.
 */
static void
spoof_one(struct lab_net_host *from, const struct lab_net_host *to, unsigned int flow,
		const struct fcn_fastcnp_template *tmpl, uint64_t now)
{
	struct lab_network *net = from->net;
	struct rte_mbuf *frame = rte_pktmbuf_alloc(net->pool);
	struct rte_ether_hdr *eth;
	struct fcn_fastcnp_request req = {
			.sender = to->addr,
			.receiver = net->host[net->sc->flow[flow].to].addr,
			.dest_qp = net->flow[flow].peer_qp,
			.src_port = 0xC000,
			.p_key = 0xFFFF,
	};

	if (frame == NULL) {
		from->no_mbuf++;
		return;
	}
	eth = rte_pktmbuf_mtod(frame, struct rte_ether_hdr *);
	eth->src_addr = from->mac;
	eth->dst_addr = lab_host_next_hop(from, to);
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	req.buf = (uint8_t *)(eth + 1);
	fcn_fastcnp_build_burst(tmpl, &req, 1);
	frame->data_len = sizeof(*eth) + req.len;
	frame->pkt_len = frame->data_len;
	from->sent++;
	fcn_link_send(from->link, from->end, frame, now);
}

void
lab_ask_to_pause(struct lab_net_host *from, uint8_t classes, uint16_t quanta, uint64_t now)
{
	struct rte_mbuf *frame = rte_pktmbuf_alloc(from->net->pool);
	uint16_t each[FCN_PFC_PRIORITIES];

	if (frame == NULL) {
		from->no_mbuf++;
		return;
	}
	for (unsigned int c = 0; c < FCN_PFC_PRIORITIES; c++)
		each[c] = quanta;
	fcn_pfc_build((uint8_t *)rte_pktmbuf_append(frame, FCN_PFC_FRAME_LEN), &from->mac, classes,
			each);
	from->sent++;
	fcn_link_send(from->link, from->end, frame, now);
	lab_host_kick(from, now);
}

void
lab_spoof(struct lab_net_host *from, const struct lab_net_host *to, uint64_t count, uint64_t now)
{
	const struct lab_scenario *sc = from->net->sc;
	const struct fcn_endpoint_conf *victim = &sc->host[to->index].conf;
	struct fcn_fastcnp_conf conf = {
			.opt1_type = victim->opt1_type,
			.opt2_type = victim->opt2_type,
			.dscp = DSCP,
			.hop_limit = HOP_LIMIT,
			.icrc_mode = victim->icrc_mode,
	};
	struct fcn_fastcnp_template tmpl;
	unsigned int flow = 0;

	memcpy(conf.source, stranger, sizeof(stranger));
	if (sc->n_flows == 0 || fcn_fastcnp_template_init(&tmpl, &conf) != 0)
		return;
	for (uint64_t i = 0; i < count; i++) {
		for (unsigned int tries = 0; tries < sc->n_flows; tries++) {
			flow = (flow + 1) % sc->n_flows;
			if (sc->flow[flow].from == to->index)
				break;
		}
		spoof_one(from, to, flow, &tmpl, now);
	}
	fcn_fastcnp_template_fini(&tmpl);
	lab_host_kick(from, now);
}
