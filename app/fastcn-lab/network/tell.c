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
#include "fcn_udp.h"
#include "host_message.h"

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

static uint16_t
write_message(const struct lab_network *net, const struct lab_message *message, uint8_t *ip)
{
	const uint8_t *dst = message->to->loopback.bytes;
	struct fcn_flow_descriptor flow = message->flow;
	uint8_t *udp, *body;
	uint16_t sum;

	flow.level = (uint8_t)message->action->count;
	udp = put_ip6(ip, DSCP, MESSAGE_LEN, message->source, dst);
	body = put_udp(udp, ENTROPY, message->to->proxy.cnm_port, MESSAGE_LEN);
	body += fcn_flow_descriptor_write(&flow, body);
	put_quote(body, net, message->index, flow.src_port);
	sum = fcn_udp_checksum(message->source, dst, 16, udp, MESSAGE_LEN);
	memcpy(udp + 6, &sum, sizeof(sum));
	return FCN_IP6_LEN + MESSAGE_LEN;
}

void
lab_tell_proxy(struct lab_net_host *from, const struct lab_action *a, uint64_t now)
{
	static_assert(FCN_IP6_LEN + MESSAGE_LEN <= LAB_MESSAGE_MAX, "a message fits");
	lab_host_send_messages(from, a, write_message, now);
}
