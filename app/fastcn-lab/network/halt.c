/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Adaptive Routing Notifications of a host, which ask a switch to hold flows. So a scenario can
 * give the time and the duration of a hold, and can forge such messages.
 */

#include <string.h>

#include "fcn_arn.h"
#include "fcn_bth.h"
#include "network.h"

#define NS_PER_US 1000

/* Write the five-tuple of a flow's packets. @return false when the flow has not started */
static bool
describe(const struct lab_network *net, unsigned int flow, struct fcn_flow_descriptor *d)
{
	const struct lab_flow *conf = &net->sc->flow[flow];
	const struct lab_net_host *from = &net->host[conf->from];
	struct fcn_endpoint_qp_info info;

	if (from->ep == NULL || fcn_endpoint_qp_info(from->ep, net->flow[flow].qp, &info) != 0)
		return false;
	*d = (struct fcn_flow_descriptor){
			.version = 6,
			.proto = IPPROTO_UDP,
			.src_port = info.src_port,
			.dst_port = FCN_ROCE_UDP_PORT,
	};
	memcpy(d->src, from->addr, sizeof(d->src));
	memcpy(d->dst, net->host[conf->to].addr, sizeof(d->dst));
	return true;
}

static void
send_message(struct lab_net_host *from, const struct lab_action *a, const struct fcn_arn *arn,
		uint64_t now)
{
	struct lab_network *net = from->net;
	const struct fcn_config *to = fcn_control_config(net->node_switch[a->other].ctl);
	const uint8_t *source =
			a->as < 0 ? from->addr
				  : fcn_control_config(net->node_switch[a->as].ctl)->loopback.bytes;
	struct rte_mbuf *frame = rte_pktmbuf_alloc(net->pool);
	struct rte_ether_hdr *eth;

	if (frame == NULL) {
		from->no_mbuf++;
		return;
	}
	eth = (struct rte_ether_hdr *)rte_pktmbuf_append(frame, sizeof(*eth));
	eth->src_addr = from->mac;
	eth->dst_addr = lab_host_next_hop(from, from);
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	rte_pktmbuf_append(frame,
			(uint16_t)fcn_arn_build(arn, source, to->loopback.bytes, to->arn.port,
					(uint8_t *)(eth + 1), FCN_ARN_MAX_PACKET_LEN));
	from->sent++;
	fcn_link_send(from->link, from->end, frame, now);
}

void
lab_ask_to_halt(struct lab_net_host *from, const struct lab_action *a, uint64_t now)
{
	const struct lab_network *net = from->net;
	struct fcn_arn arn = {
			.type = a->count > 0 ? FCN_ARN_CONGESTION : FCN_ARN_ENDED,
			.level = 1,
			.parameters = FCN_ARN_FLOW | FCN_ARN_TIME,
			.time_us = (uint32_t)(a->count / NS_PER_US),
	};

	for (unsigned int i = 0; i < net->sc->n_flows; i++) {
		if (strcmp(net->sc->flow[i].name, a->text) == 0 && describe(net, i, &arn.flow))
			send_message(from, a, &arn, now);
	}
	lab_host_kick(from, now);
}
