/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_bth.h"
#include "host_message.h"

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
send_message(struct lab_net_host *from, const struct lab_message *message, lab_message_write write,
		uint64_t now)
{
	struct rte_mbuf *frame = rte_pktmbuf_alloc(from->net->pool);
	struct rte_ether_hdr *eth;

	if (frame == NULL) {
		from->no_mbuf++;
		return;
	}
	eth = (struct rte_ether_hdr *)rte_pktmbuf_append(frame, sizeof(*eth) + LAB_MESSAGE_MAX);
	eth->src_addr = from->mac;
	eth->dst_addr = lab_host_next_hop(from, from);
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	rte_pktmbuf_trim(frame, LAB_MESSAGE_MAX - write(from->net, message, (uint8_t *)(eth + 1)));
	from->sent++;
	fcn_link_send(from->link, from->end, frame, now);
}

void
lab_host_send_messages(struct lab_net_host *from, const struct lab_action *a,
		lab_message_write write, uint64_t now)
{
	const struct lab_network *net = from->net;
	struct lab_message message = {
			.action = a,
			.source = a->as < 0 ? from->addr
					    : fcn_control_config(net->node_switch[a->as].ctl)
								  ->loopback.bytes,
			.to = fcn_control_config(net->node_switch[a->other].ctl),
	};

	for (unsigned int i = 0; i < net->sc->n_flows; i++) {
		message.index = i;
		if (strcmp(net->sc->flow[i].name, a->text) == 0 && describe(net, i, &message.flow))
			send_message(from, &message, write, now);
	}
	lab_host_kick(from, now);
}
