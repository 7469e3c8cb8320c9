/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Congestion Notification Messages of a host, which tell a proxy about a flow. So a scenario can
 * give their levels and times, and can forge them. They do not use the code by which switches build
 * such messages.
 */

#include <string.h>

#include "fcn_bth.h"
#include "fcn_flow_descriptor.h"
#include "fcn_udp.h"
#include "network.h"

#define DSCP 48
#define HOP_LIMIT 64
#define UDP_LEN 8
#define ENTROPY 0xC000
#define OPCODE_SEND_ONLY 0x04
#define P_KEY 0xFFFF
/* What is quoted of a packet: its headers. */
#define QUOTE_LEN (FCN_IP6_LEN + UDP_LEN + sizeof(struct fcn_bth_hdr))
#define MESSAGE_LEN (UDP_LEN + FCN_FLOW_DESCRIPTOR_LEN6 + QUOTE_LEN)

static uint8_t *
put_ip6(uint8_t *p, uint8_t dscp, uint16_t payload, const uint8_t *src, const uint8_t *dst)
{
	fcn_put_be32(p, 6u << 28 | (uint32_t)dscp << 22);
	fcn_put_be16(p + 4, payload);
	p[6] = IPPROTO_UDP;
	p[7] = HOP_LIMIT;
	memcpy(p + 8, src, 16);
	memcpy(p + 24, dst, 16);
	return p + FCN_IP6_LEN;
}

static uint8_t *
put_udp(uint8_t *p, uint16_t from, uint16_t to, uint16_t len)
{
	fcn_put_be16(p, from);
	fcn_put_be16(p + 2, to);
	fcn_put_be16(p + 4, len);
	fcn_put_be16(p + 6, 0);
	return p + UDP_LEN;
}

/* The headers of a data packet of a flow; its payload is cut off. */
static void
put_quote(uint8_t *p, const struct lab_network *net, unsigned int flow, uint16_t port)
{
	const struct lab_flow *conf = &net->sc->flow[flow];
	const uint16_t udp_len = UDP_LEN + sizeof(struct fcn_bth_hdr) +
				 (uint16_t)net->sc->host[conf->from].conf.payload + FCN_ICRC_LEN;
	struct fcn_bth_hdr *bth;

	p = put_ip6(p, conf->dscp, udp_len, net->host[conf->from].addr, net->host[conf->to].addr);
	bth = (struct fcn_bth_hdr *)put_udp(p, port, FCN_ROCE_UDP_PORT, udp_len);
	*bth = (struct fcn_bth_hdr){.opcode = OPCODE_SEND_ONLY, .p_key = RTE_BE16(P_KEY)};
	bth->dest_qp[0] = (uint8_t)(net->flow[flow].peer_qp >> 16);
	bth->dest_qp[1] = (uint8_t)(net->flow[flow].peer_qp >> 8);
	bth->dest_qp[2] = (uint8_t)net->flow[flow].peer_qp;
}

/* Write the five-tuple of a flow's packets. @return false when the flow has not started */
static bool
describe(const struct lab_network *net, unsigned int flow, uint8_t level,
		struct fcn_flow_descriptor *d)
{
	const struct lab_flow *conf = &net->sc->flow[flow];
	const struct lab_net_host *from = &net->host[conf->from];
	struct fcn_endpoint_qp_info info;

	if (from->ep == NULL || fcn_endpoint_qp_info(from->ep, net->flow[flow].qp, &info) != 0)
		return false;
	*d = (struct fcn_flow_descriptor){
			.version = 6,
			.level = level,
			.proto = IPPROTO_UDP,
			.src_port = info.src_port,
			.dst_port = FCN_ROCE_UDP_PORT,
	};
	memcpy(d->src, from->addr, sizeof(d->src));
	memcpy(d->dst, net->host[conf->to].addr, sizeof(d->dst));
	return true;
}

static void
send_message(struct lab_net_host *from, const struct lab_action *a, unsigned int flow,
		const struct fcn_flow_descriptor *d, uint64_t now)
{
	struct lab_network *net = from->net;
	const struct fcn_config *to = fcn_control_config(net->node_switch[a->other].ctl);
	const uint8_t *source =
			a->as < 0 ? from->addr
				  : fcn_control_config(net->node_switch[a->as].ctl)->loopback.bytes;
	struct rte_mbuf *frame = rte_pktmbuf_alloc(net->pool);
	struct rte_ether_hdr *eth;
	uint8_t *udp, *body;
	uint16_t sum;

	if (frame == NULL) {
		from->no_mbuf++;
		return;
	}
	eth = (struct rte_ether_hdr *)rte_pktmbuf_append(
			frame, sizeof(*eth) + FCN_IP6_LEN + MESSAGE_LEN);
	eth->src_addr = from->mac;
	eth->dst_addr = lab_host_next_hop(from, from);
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	udp = put_ip6((uint8_t *)(eth + 1), DSCP, MESSAGE_LEN, source, to->loopback.bytes);
	body = put_udp(udp, ENTROPY, to->proxy.cnm_port, MESSAGE_LEN);
	body += fcn_flow_descriptor_write(d, body);
	put_quote(body, net, flow, d->src_port);
	sum = fcn_udp_checksum(source, to->loopback.bytes, 16, udp, MESSAGE_LEN);
	memcpy(udp + 6, &sum, sizeof(sum));
	from->sent++;
	fcn_link_send(from->link, from->end, frame, now);
}

void
lab_tell_proxy(struct lab_net_host *from, const struct lab_action *a, uint64_t now)
{
	const struct lab_network *net = from->net;
	struct fcn_flow_descriptor d;

	for (unsigned int i = 0; i < net->sc->n_flows; i++) {
		if (strcmp(net->sc->flow[i].name, a->text) == 0 &&
				describe(net, i, (uint8_t)a->count, &d))
			send_message(from, a, i, &d, now);
	}
	lab_host_kick(from, now);
}
