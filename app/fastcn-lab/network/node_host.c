/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"

void
lab_host_identify(struct lab_network *net, unsigned int index)
{
	static const uint8_t none[16];
	const struct fcn_endpoint_conf *conf = &net->sc->host[index].conf;
	struct lab_net_host *h = &net->host[index];
	const unsigned int n = index + 1;

	h->net = net;
	h->index = index;
	h->mac = conf->mac;
	if (rte_is_zero_ether_addr(&h->mac))
		h->mac = (struct rte_ether_addr){{0x02, 0, 0, 0, n >> 8, n & 0xFF}};
	if (memcmp(conf->addr, none, sizeof(none)) != 0) {
		memcpy(h->addr, conf->addr, sizeof(h->addr));
	} else { /* 2001:db8:0:n::1 */
		const uint8_t addr[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, n >> 8, n & 0xFF, 0, 0, 0,
				0, 0, 0, 0, 1};

		memcpy(h->addr, addr, sizeof(h->addr));
	}
}

void
lab_host_kick(struct lab_net_host *h, uint64_t now)
{
	uint64_t next = h->ep != NULL ? fcn_endpoint_next(h->ep, now) : FCN_SIM_NEVER;

	if (next != FCN_SIM_NEVER)
		next = RTE_MAX(next, fcn_link_ready(h->link, h->end));
	fcn_sim_schedule(h->part->sim, &h->nic, next);
}

void
lab_host_line(struct lab_net_host *h, uint64_t bps, uint64_t now)
{
	if (h->ep == NULL) /* it sends a capture file */
		return;
	fcn_endpoint_line(h->ep, bps, now);
	lab_host_kick(h, now);
}

/* Send the next frame, if there is one. The link is free. */
static void
nic(void *arg, uint64_t now)
{
	struct lab_net_host *h = arg;
	uint32_t len;

	if (h->spare == NULL)
		h->spare = rte_pktmbuf_alloc(h->net->pool);
	if (h->spare == NULL) { /* try again later, when a buffer was freed */
		h->no_mbuf++;
		fcn_sim_schedule(h->part->sim, &h->nic, now + 1000);
		return;
	}
	len = fcn_endpoint_send(h->ep, rte_pktmbuf_mtod(h->spare, uint8_t *),
			rte_pktmbuf_tailroom(h->spare), now);
	if (len != 0) {
		struct rte_mbuf *frame = h->spare;

		h->spare = NULL;
		frame->data_len = len;
		frame->pkt_len = len;
		if (h->net->sc->check)
			lab_check_host_sends(h, frame, now);
		h->sent++;
		fcn_link_send(h->link, h->end, frame, now);
	}
	lab_flows_go_on(h, now);
	lab_host_kick(h, now);
}

static void
deliver(void *arg, struct rte_mbuf *frame, uint64_t now)
{
	struct lab_net_host *h = arg;
	uint8_t linear[FCN_ENDPOINT_MAX_FRAME];

	h->received++;
	if (h->ep != NULL) {
		const uint8_t *data = rte_pktmbuf_read(frame, 0,
				RTE_MIN(frame->pkt_len, (uint32_t)sizeof(linear)), linear);

		if (h->net->sc->check)
			lab_check_host_got(h, data, frame->data_len, now);
		fcn_endpoint_receive(h->ep, data,
				frame->pkt_len <= sizeof(linear) ? frame->pkt_len : 0, now);
		lab_flows_go_on(h, now);
		lab_host_kick(h, now);
	}
	rte_pktmbuf_free(frame);
}

/* The endpoint calls this function, which must not call it back. */
static void
event(void *arg, const struct fcn_endpoint_event *ev)
{
	struct lab_net_host *h = arg;

	lab_measure_host(h->net->m, h->index, ev);
	if (ev->type == FCN_ENDPOINT_COMPLETE)
		lab_flow_complete(h, (unsigned int)ev->cookie);
	else if (ev->type == FCN_ENDPOINT_DELIVER && h->net->sc->n_goals > 0)
		lab_flow_arrived(h, ev->qp);
}

struct rte_ether_addr
lab_host_next_hop(const struct lab_net_host *h, const struct lab_net_host *to)
{
	const struct lab_scenario *sc = h->net->sc;
	unsigned int end;
	int link = lab_link_of_host(sc, h->index, &end);
	const struct lab_node *peer = &sc->link[link].end[!end];

	if (peer->kind == LAB_HOST)
		return h->net->host[peer->index].mac;
	return lab_switch_gateway(&h->net->node_switch[peer->index], link, to);
}

int
lab_host_init(struct lab_network *net, unsigned int index)
{
	struct lab_net_host *h = &net->host[index];
	struct fcn_endpoint_conf conf = net->sc->host[index].conf;
	int link = lab_link_of_host(net->sc, index, &h->end);

	if (link < 0)
		return -ENOLINK;
	h->link = net->link[link].link;
	memcpy(conf.addr, h->addr, sizeof(conf.addr));
	conf.mac = h->mac;
	conf.event = event;
	conf.arg = h;
	h->ep = fcn_endpoint_create(&conf);
	if (h->ep == NULL)
		return -ENOMEM;
	fcn_link_attach(h->link, h->end, deliver, h);
	return fcn_sim_event_init(h->part->sim, &h->nic, FCN_SIM_NODE, nic, h);
}

void
lab_host_fini(struct lab_net_host *h)
{
	if (h->net == NULL)
		return;
	fcn_sim_event_fini(h->part->sim, &h->nic);
	rte_pktmbuf_free(h->spare);
	h->spare = NULL;
	fcn_endpoint_free(h->ep);
	h->ep = NULL;
	lab_capture_fini(h);
	free(h->done);
	h->done = NULL;
}
