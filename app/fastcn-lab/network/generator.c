/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets of more flows than endpoints have queue pairs for: frames from a template, sent past the
 * host's endpoint, which nobody acknowledges. For each flow and switch the time of the last notice
 * is kept: 8 MB for a million flows and each switch that sends notices.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <netinet/in.h>

#include "fcn_bth.h"
#include "fcn_icrc.h"
#include "fcn_inet.h"
#include "network.h"

#define UDP_LEN 8
#define L4_OFF (RTE_ETHER_HDR_LEN + sizeof(struct rte_ipv6_hdr))
#define BTH_OFF (L4_OFF + UDP_LEN)
#define HEADERS (BTH_OFF + sizeof(struct fcn_bth_hdr))
#define MAX_BYTES 1024
#define HOP_LIMIT 64
#define FIRST_QP 0x800000u /* greater than the numbers of endpoints' queue pairs */
#define NUMBERS 0x7FFFFFu
#define ECT_0 2
#define SEND_ONLY 0x04        /* opcode of a reliable connection (RC) */
#define FIRST_ENTROPY 0xC000u /* UDP source ports of RoCEv2 are 49152 and above */

/* What a switch has to do with a generator. */
struct by_switch {
	/* Time of the last notice about each flow, FCN_TIME_NEVER: none; NULL: it has sent none. */
	uint64_t *notified_ns;
	uint64_t notices, notified, early;
};

struct lab_net_generator {
	struct lab_network *net;
	const struct lab_generator *conf;
	struct fcn_sim_event event;
	struct fcn_serializer pace;
	uint64_t next; /* number of the next packet, counted from 0 */
	struct by_switch *by_switch;
	uint64_t packets, no_mbuf;
	uint32_t len;
	struct fcn_crc32 crc;
	bool crc_ready;
	_Alignas(uint16_t) uint8_t frame[HEADERS + MAX_BYTES + FCN_ICRC_LEN];
};

/* ---- frames ---- */

/*
 * The numbers of flows are scattered over half of all queue pairs, as in a network of many
 * adapters; consecutive queue pairs would spread over the sets of a cache more evenly than random
 * ones. The function is a bijection of 23 bits, and gather() is its inverse.
 */
static uint32_t
scatter(uint32_t x)
{
	x ^= x >> 12;
	x = x * 0x1b3c6du & NUMBERS;
	x ^= x >> 11;
	x = x * 0x7a2d39u & NUMBERS;
	return x ^ x >> 12;
}

static uint32_t
gather(uint32_t x)
{
	x ^= x >> 12;
	x = x * 0x70b109u & NUMBERS;
	x ^= x >> 11 ^ x >> 22;
	x = x * 0x6a2d65u & NUMBERS;
	return x ^ x >> 12;
}

/* The queue pair FIRST_QP | NUMBERS, the last one, is that of multicast, and no flow has it. */
static uint32_t
qp_of(uint32_t number)
{
	uint32_t x = scatter(number);

	return FIRST_QP | (x != NUMBERS ? x : scatter(NUMBERS));
}

static uint32_t
number_of(uint32_t qp)
{
	uint32_t x = gather(qp & NUMBERS);

	return x != NUMBERS ? x : gather(NUMBERS);
}

static void
put_be24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	fcn_put_be16(p + 1, (uint16_t)v);
}

/* Build the template of all frames. */
static void
make_frame(struct lab_net_generator *s)
{
	const struct lab_net_host *from = &s->net->host[s->conf->from];
	const struct lab_net_host *to = &s->net->host[s->conf->to];
	const uint32_t l4_len = UDP_LEN + sizeof(struct fcn_bth_hdr) + s->conf->bytes +
				FCN_ICRC_LEN;
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)s->frame;
	struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)(eth + 1);
	struct fcn_bth_hdr *bth = (struct fcn_bth_hdr *)(s->frame + BTH_OFF);

	eth->dst_addr = lab_host_next_hop(from, to);
	eth->src_addr = from->mac;
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	ip->vtc_flow = rte_cpu_to_be_32(
			UINT32_C(6) << 28 | (uint32_t)(s->conf->dscp << 2 | ECT_0) << 20);
	ip->payload_len = rte_cpu_to_be_16((uint16_t)l4_len);
	ip->proto = IPPROTO_UDP;
	ip->hop_limits = HOP_LIMIT;
	memcpy(&ip->src_addr, from->addr, sizeof(ip->src_addr));
	memcpy(&ip->dst_addr, to->addr, sizeof(ip->dst_addr));
	fcn_put_be16(s->frame + L4_OFF + 2, FCN_ROCE_UDP_PORT);
	fcn_put_be16(s->frame + L4_OFF + 4, (uint16_t)l4_len);
	bth->opcode = SEND_ONLY;
	bth->p_key = RTE_BE16(0xFFFF);
	s->len = L4_OFF + l4_len;
}

/*
 * Compute the flow of a packet from the packet's number, and how many packets of that flow come
 * before it.
 */
static uint32_t
flow_of(const struct lab_generator *conf, uint64_t packet, uint32_t *before)
{
	const uint64_t block = (uint64_t)conf->active * conf->packets;
	const uint32_t first = (uint32_t)(packet / block) * conf->active;
	const uint32_t active = RTE_MIN(conf->active, conf->flows - first);
	const uint32_t within = (uint32_t)(packet % block % active);

	*before = (uint32_t)(packet % block / active);
	return first + within;
}

static void
fill_frame(struct lab_net_generator *s, uint8_t *data)
{
	struct fcn_bth_hdr *bth = (struct fcn_bth_hdr *)(data + BTH_OFF);
	uint32_t before, flow = flow_of(s->conf, s->next, &before), icrc;

	memcpy(data, s->frame, s->len);
	fcn_put_be16(data + L4_OFF, (uint16_t)(FIRST_ENTROPY | (flow * 0x9e3779b1u) >> 18));
	put_be24(bth->dest_qp, qp_of(s->conf->first + flow));
	put_be24(bth->psn, before);
	icrc = rte_cpu_to_le_32(fcn_icrc(&s->crc, data + RTE_ETHER_HDR_LEN,
			L4_OFF - RTE_ETHER_HDR_LEN, s->len - RTE_ETHER_HDR_LEN, FCN_ICRC_SKIP));
	memcpy(data + s->len - FCN_ICRC_LEN, &icrc, sizeof(icrc));
}

/* ---- sending ---- */

/* Send the next packet if it is due and the link is free. */
static void
send_next(void *arg, uint64_t now)
{
	struct lab_net_generator *s = arg;
	struct lab_net_host *h = &s->net->host[s->conf->from];
	uint64_t ready = fcn_link_ready(h->link, h->end);
	struct rte_mbuf *frame;

	if (ready > now) {
		fcn_sim_schedule(h->part->sim, &s->event, ready);
		return;
	}
	frame = rte_pktmbuf_alloc(s->net->pool);
	if (frame == NULL) {
		s->no_mbuf++;
		h->no_mbuf++;
	} else {
		fill_frame(s, (uint8_t *)rte_pktmbuf_append(frame, (uint16_t)s->len));
		s->packets++;
		h->sent++;
		fcn_link_send(h->link, h->end, frame, now);
	}
	fcn_serializer_send(&s->pace, s->len, now);
	if (++s->next == (uint64_t)s->conf->flows * s->conf->packets) {
		lab_traffic_ended(h->part);
		return;
	}
	fcn_sim_schedule(h->part->sim, &s->event,
			RTE_MAX(fcn_serializer_ready(&s->pace), fcn_link_ready(h->link, h->end)));
}

/* ---- events of switches ---- */

/* Find the generator and its flow that a notice is about. @return NULL when there is none */
static struct lab_net_generator *
generator_of(const struct lab_network *net, const struct fcn_event *ev, uint32_t *flow)
{
	const uint32_t number = number_of(ev->dest_qp);
	unsigned int low = 0, high = net->sc->n_generators;
	struct lab_net_generator *s;

	while (high > low) {
		unsigned int middle = low + (high - low) / 2;

		if (net->sc->generator[middle].first <= number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || ev->dest_qp < FIRST_QP)
		return NULL;
	s = &net->generator[low - 1];
	*flow = number - s->conf->first;
	if (*flow >= s->conf->flows || memcmp(net->host[s->conf->from].addr, ev->sender, 16) != 0 ||
			memcmp(net->host[s->conf->to].addr, ev->receiver, 16) != 0)
		return NULL;
	return s;
}

const uint64_t *
lab_generator_notified_at(const struct lab_net_switch *sw, const struct fcn_event *ev)
{
	static const uint64_t never = FCN_TIME_NEVER;
	uint32_t flow;
	const struct lab_net_generator *s = generator_of(sw->net, ev, &flow);

	if (s == NULL)
		return NULL;
	return s->by_switch[sw->index].notified_ns != NULL
			       ? &s->by_switch[sw->index].notified_ns[flow]
			       : &never;
}

void
lab_generator_event(const struct lab_net_switch *sw, const struct fcn_event *ev)
{
	uint32_t flow;
	struct lab_net_generator *s = generator_of(sw->net, ev, &flow);
	const size_t size = s != NULL ? s->conf->flows * sizeof(uint64_t) : 0;
	struct by_switch *by;
	uint64_t *last;

	if (s == NULL)
		return;
	by = &s->by_switch[sw->index];
	by->notices++;
	if (by->notified_ns == NULL) {
		last = malloc(size);
		if (last == NULL) {
			lab_fail(sw->part, "%s: no memory for %u flows", s->conf->name,
					s->conf->flows);
			return;
		}
		memset(last, 0xFF, size); /* every time is FCN_TIME_NEVER */
		by->notified_ns = last;
	}
	last = &by->notified_ns[flow];
	if (*last == FCN_TIME_NEVER)
		by->notified++;
	else if (!sw->late && ev->time_ns - *last < fcn_control_worker(sw->ctl, 0)
								    ->snap->notify.kind[ev->kind]
								    .interval_ns)
		by->early++;
	*last = ev->time_ns;
}

json_t *
lab_generators_result(const struct lab_network *net)
{
	json_t *all = net->sc->n_generators > 0 ? json_object() : NULL;

	for (unsigned int i = 0; i < net->sc->n_generators; i++) {
		const struct lab_net_generator *s = &net->generator[i];
		json_t *o = json_object_get(all, s->conf->name);

		if (o == NULL) {
			o = json_object();
			json_object_set_new(all, s->conf->name, o);
		}
#define ADD(key, value)                                                            \
	json_object_set_new(o, key,                                                \
			json_integer(json_integer_value(json_object_get(o, key)) + \
					(json_int_t)(value)))
		ADD("flows", s->conf->flows);
		ADD("packets", s->packets);
		ADD("no_mbuf", s->no_mbuf);
		for (unsigned int n = 0; n < net->sc->n_switches; n++) {
			ADD("notified", s->by_switch[n].notified);
			ADD("notices", s->by_switch[n].notices);
			ADD("early", s->by_switch[n].early);
		}
#undef ADD
	}
	return all;
}

/* ---- begin and end ---- */

static int
generator_init(struct lab_network *net, struct lab_net_generator *s,
		const struct lab_generator *conf)
{
	struct lab_net_host *h = &net->host[conf->from];

	s->net = net;
	s->conf = conf;
	s->pace.bps = conf->rate_bps != 0 ? conf->rate_bps : fcn_link_rate(h->link);
	s->by_switch = calloc(net->sc->n_switches + 1, sizeof(s->by_switch[0]));
	if (s->by_switch == NULL || fcn_crc32_init(&s->crc) != 0)
		return -ENOMEM;
	s->crc_ready = true;
	if (fcn_sim_event_init(h->part->sim, &s->event, FCN_SIM_NODE, send_next, s) != 0)
		return -ENOMEM;
	make_frame(s);
	net->n_ending++;
	fcn_sim_schedule(h->part->sim, &s->event, conf->start_ns);
	return 0;
}

int
lab_generators_init(struct lab_network *net)
{
	int rc = 0;

	net->generator = calloc(net->sc->n_generators + 1, sizeof(net->generator[0]));
	if (net->generator == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; rc == 0 && i < net->sc->n_generators; i++)
		rc = generator_init(net, &net->generator[i], &net->sc->generator[i]);
	return rc;
}

void
lab_generators_fini(struct lab_network *net)
{
	for (unsigned int i = 0; net->generator != NULL && i < net->sc->n_generators; i++) {
		struct lab_net_generator *s = &net->generator[i];

		for (unsigned int n = 0; s->by_switch != NULL && n < net->sc->n_switches; n++)
			free(s->by_switch[n].notified_ns);
		free(s->by_switch);
		if (s->crc_ready)
			fcn_crc32_fini(&s->crc);
	}
	free(net->generator);
	net->generator = NULL;
}
