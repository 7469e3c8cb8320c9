/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include "group_mix.h"
#include "vectors.h"

#define NET 0x10 /* 2001:db8:<NET + p>::/48 is behind port p */
#define IP 14
#define NEXT_HOP_SID 40
#define NEXT_HOP_SUB 50
#define VLAN 100    /* of sub-interfaces */
#define NET_SUB 0x8 /* 2001:db8:<NET + NET_SUB + i>::/48 is behind sub-interface i */

enum sid {
	SID_END,
	SID_DECAPS,
	SID_ENDCON,
	SIDS
};

static struct fcn_srv6_sid sids[SIDS];

static const uint8_t sub_parents[] = {2, 5}; /* ports that have sub-interfaces */
static uint16_t sub_vlans[RTE_DIM(sub_parents)][FCN_VLANS];

static const struct {
	enum fcn_srv6_behavior behavior;
	const char *addr;
} sid_rows[SIDS] = {
		{FCN_SRV6_END, "2001:db8:e0::1/128"}, {FCN_SRV6_END_DT6, "2001:db8:e0::2/128"},
		{FCN_SRV6_END_CON, "2001:db8:e1:1::c/128"}, /* as in the vector */
};

unsigned int
mix_below(struct mix *mix, unsigned int n)
{
	return (unsigned int)(fcn_test_random(&mix->seed) % n);
}

static bool
has_sub(unsigned int port)
{
	return port == sub_parents[0] || port == sub_parents[1];
}

/* Choose the class of a flow: at a congested port that of its ingress port. */
static uint8_t
choose_class(struct mix *mix, unsigned int in, unsigned int out)
{
	if (out < MIX_CONGESTED)
		return (uint8_t)mix_below(mix, FCN_CLASSES);
	if (in >= MIX_CONGESTED)
		return 7;
	return (uint8_t)((in + 2 * (out - MIX_CONGESTED)) % MIX_CONGESTED);
}

void
mix_begin(struct mix *mix, uint64_t seed)
{
	memset(mix, 0, sizeof(*mix));
	mix->seed = seed;
	mix->congested_burst = MIX_CONGESTED_BURST;
	for (unsigned int i = 0; i < MIX_FLOWS; i++) {
		struct mix_flow *f = &mix->flow[i];

		/* Half of the flows are plain. */
		f->family = i % 2 == 0 ? MIX_ROCE6 : (uint8_t)mix_below(mix, MIX_FAMILIES);
		f->in = (uint8_t)mix_below(mix, OUTCOME_PORTS);
		f->out = (uint8_t)mix_below(mix, OUTCOME_PORTS);
		mix->queue[i] = f->in;
		if (f->out < MIX_CONGESTED && mix_below(mix, 3) == 0)
			mix->queue[i] += GROUP_SECOND_QUEUE;
		f->class = choose_class(mix, f->in, f->out);
		f->tagged_in = has_sub(f->in) && mix_below(mix, 3) == 0;
		f->tagged_out = has_sub(f->out) && mix_below(mix, 3) == 0;
		f->ecn = (uint8_t)mix_below(mix, 4);
		f->sender = (uint8_t)(1 + i);
		f->receiver = (uint8_t)(1 + mix_below(mix, 9));
	}
}

static void
configure_sids(void)
{
	struct fcn_prefix_value node = {.value = 1};

	memset(sids, 0, sizeof(sids));
	for (unsigned int i = 0; i < SIDS; i++) {
		const enum fcn_srv6_behavior behavior = sid_rows[i].behavior;
		const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[behavior];

		sids[i] = (struct fcn_srv6_sid){.behavior = (uint8_t)behavior,
				.inner = row->inner,
				.argument = row->argument,
				.slot = (uint16_t)i,
				.serial = 1 + i,
				.is_fast_step = i == SID_END,
				.is_fast_decaps = i == SID_DECAPS,
				.is_fast_endcon = i == SID_ENDCON};
		bench.next_hop[NEXT_HOP_SID + i] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_LOCAL,
				.local = FCN_LOCAL_SRV6,
				.first_member = i};
		bench_route(sid_rows[i].addr, NEXT_HOP_SID + i);
	}
	bench_route("2001:db8:1::/48", 4 + 2); /* the sender in the vector is behind port 2 */
	bench_routes_done();
	assert_int_equal(fcn_prefix_parse("2001:db8:f::/48", &node.prefix), 0);
	bench.snap.srv6 = (struct fcn_srv6_conf){.sid = sids,
			.n_sids = SIDS,
			.ecn_event = true,
			.p_nodes = fcn_prefix_list_create("nodes", &node, 1, SOCKET_ID_ANY)};
	assert_non_null(bench.snap.srv6.p_nodes);
}

/* Give two ports a sub-interface each, with their other settings. */
static void
configure_subs(void)
{
	for (unsigned int i = 0; i < RTE_DIM(sub_parents); i++) {
		const uint16_t parent = sub_parents[i], number = (uint16_t)(MIX_SUB + i);
		char prefix[32];

		memset(sub_vlans[i], 0xFF, sizeof(sub_vlans[i]));
		sub_vlans[i][VLAN] = number;
		bench.snap.port[number] = bench.snap.port[parent];
		bench.snap.port[number].parent = parent;
		bench.snap.port[number].vlan = VLAN;
		bench.snap.port[parent].sub = sub_vlans[i];
		bench.next_hop[NEXT_HOP_SUB + i] = bench.next_hop[parent + 4];
		bench.next_hop[NEXT_HOP_SUB + i].type = FCN_NEXT_HOP_FORWARD_TAGGED;
		bench.next_hop[NEXT_HOP_SUB + i].interface = number;
		bench.next_hop[NEXT_HOP_SUB + i].vlan = VLAN;
		snprintf(prefix, sizeof(prefix), "2001:db8:%x::/48", NET + NET_SUB + i);
		bench_route(prefix, NEXT_HOP_SUB + i);
		snprintf(prefix, sizeof(prefix), "10.%u.0.0/16", NET_SUB + i);
		bench_route(prefix, NEXT_HOP_SUB + i);
	}
	bench_routes_done();
}

void
mix_configure(void)
{
	configure_sids();
	for (uint16_t p = MIX_CONGESTED; p < OUTCOME_PORTS; p++) {
		bench_notices(p, 1000 + 500 * (p - MIX_CONGESTED));
		for (unsigned int c = 0; c < 6; c++)
			bench_queue_conf(p, c)->limit_bytes = 5000;
		for (unsigned int c = 6; c < FCN_CLASSES; c++)
			bench_queue_conf(p, c)->detector.type = FCN_DETECTOR_OFF;
	}
	/* Many packets of a flow meet congestion within this time, and some after it. */
	bench.snap.notify.kind[0].interval_ns = 800;
	bench.snap.ioam = (struct fcn_ioam_conf){.any_transit = true,
			.node_id = 0x010203,
			.node_id_wide = 0x01020304050607,
			.time_format = FCN_IOAM_TIME_POSIX_NS,
			.n_namespaces = 1,
			.ns = {{.id = 0x1234, .schema_id = FCN_IOAM_NO_SCHEMA}}};
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++) {
		bench.snap.port[p].ioam.transit = p != 3;
		bench.snap.port[p].ioam.id = (uint16_t)(0x100 + p);
		bench.snap.port[p].ioam.id_wide = 0x10000 + p;
	}
	configure_subs();
	bench_new_snapshot();
}

void
mix_choose_at_dequeue(uint16_t port, unsigned int class)
{
	struct fcn_queue_conf *q = bench_queue_conf(port, class);

	q->slow_path = true;
	bench.snap.port[port].egress.at_dequeue |= 1u << class;
	q->detector = (struct fcn_detector_conf){.type = FCN_DETECTOR_RED,
			.at_dequeue = true,
			.enter = 1000,
			.leave = 500,
			.kmax = 1001, /* from there on all are chosen */
			.pmax = UINT64_C(1) << 32,
			.limit = q->limit_bytes};
	fcn_detector_levels(&q->detector);
}

void
mix_unconfigure(void)
{
	fcn_prefix_list_free(bench.snap.srv6.p_nodes);
	bench.snap.srv6.p_nodes = NULL;
}

/* ---- frames ---- */

/* Get the number of the network behind a port or its sub-interface. */
static uint8_t
net_of(uint8_t port, bool tagged)
{
	return tagged ? NET_SUB + (port == sub_parents[1]) : port;
}

static uint8_t
net_in(const struct mix_flow *flow)
{
	return net_of(flow->in, flow->tagged_in);
}

static uint8_t
net_out(const struct mix_flow *flow)
{
	return net_of(flow->out, flow->tagged_out);
}

/* Put a tag behind the MAC addresses of a frame that is complete. */
static void
put_tag(struct frame *f, unsigned int class)
{
	memmove(f->data + 16, f->data + 12, f->len - 12);
	memcpy(f->data + 12, (uint8_t[]){0x81, 0, (uint8_t)(class << 5), VLAN}, 4);
	f->len += 4;
}

static void
set_addresses(struct frame *f, uint32_t ip, const struct mix_flow *flow)
{
	f->data[ip + 8 + 5] = NET + net_in(flow);
	f->data[ip + 8 + 15] = flow->sender;
	f->data[ip + 24 + 5] = NET + net_out(flow);
	f->data[ip + 24 + 15] = flow->receiver;
}

static void
set_sid(struct frame *f, enum sid sid)
{
	static const uint8_t addr[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xe0, [15] = 1};

	memcpy(f->data + IP + 24, addr, sizeof(addr));
	f->data[IP + 24 + 15] = (uint8_t)(1 + sid);
}

/* Set what the BTH of a frame says of its flow, and the packet sequence number. */
static void
set_bth(struct frame *f, const struct mix_flow *flow)
{
	uint8_t *bth = f->data + f->udp + 8;

	if (flow->number % 8 == 5)
		bth[0] = 0x11;   /* an acknowledgement, about which nobody is notified */
	bth[3] = flow->receiver; /* P_Key */
	bth[7] = flow->sender;   /* queue pair */
	bth[9] = (uint8_t)(flow->number >> 16);
	bth[10] = (uint8_t)(flow->number >> 8);
	bth[11] = (uint8_t)flow->number;
}

/* Append UDP and BTH with room for a mark. */
static void
put_roce(struct mix *mix, struct frame *f)
{
	frame_roce(f, OUTCOME_MARK_LEN + 4 * mix_below(mix, mix_below(mix, 4) == 0 ? 250 : 20));
	f->data[f->udp + 1] = 0xDE;
}

/*
 * Make a packet with an IOAM trace. In a class queue that gets the packets of one ingress port, the
 * queue depth may be in it.
 */
static void
frame_trace(struct mix *mix, struct frame *f, const struct mix_flow *flow)
{
	static const uint32_t types[] = {0xC00000, 0xF80000, 0x00C000, 0xC80000, 0xC20000};
	const bool has_depth = flow->out >= MIX_CONGESTED && flow->class != 7;
	const uint32_t type = types[mix_below(mix, has_depth ? 5 : 4)];
	const unsigned int words = fcn_ioam_node_len(type);

	frame_ioam6(f, type, words, mix_below(mix, 4) * words, mix_below(mix, 2) * words,
			OUTCOME_MARK_LEN + 4 * mix_below(mix, 99));
}

/* Put an IPv6 header and a frame's packet as its payload. */
static void
frame_tunnel(struct frame *f, const struct frame *inner)
{
	frame_ether(f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(f, IPPROTO_IPV6);
	f->udp = inner->udp + 40;
	frame_put(f, inner->data + IP, inner->len - IP);
	f->data[IP + 4] = (uint8_t)((f->len - IP - 40) >> 8);
	f->data[IP + 5] = (uint8_t)(f->len - IP - 40);
	set_sid(f, SID_DECAPS);
}

/* RoCEv2 over IPv6: two of three packets are plain, the others something that is odd. */
static void
frame6(struct mix *mix, struct frame *f, const struct mix_flow *flow)
{
	const unsigned int shape = mix_below(mix, 18);
	struct frame inner;

	if (shape == 0) {
		frame_trace(mix, f, flow);
		set_addresses(f, IP, flow);
		return;
	}
	frame_ether(f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(f, shape == 1 ? 0 : shape == 2 ? IPPROTO_DSTOPTS : IPPROTO_UDP);
	if (shape == 1 || shape == 2)
		frame_options(f, IPPROTO_UDP, 8 + 8 * mix_below(mix, 3));
	put_roce(mix, f);
	frame_finish(f);
	set_addresses(f, IP, flow);
	if (shape != 3)
		return;
	inner = *f;
	frame_class(&inner, flow->class, flow->ecn);
	frame_tunnel(f, &inner);
}

static void
frame4(struct mix *mix, struct frame *f, const struct mix_flow *flow)
{
	uint8_t *ip;

	frame_ether(f, RTE_ETHER_TYPE_IPV4);
	frame_ip4(f, IPPROTO_UDP, mix_below(mix, 6) == 0 ? 24 : 20);
	put_roce(mix, f);
	ip = f->data + IP;
	ip[1] = (uint8_t)(flow->class << 5 | flow->ecn);
	memcpy(ip + 12,
			(uint8_t[]){10, net_in(flow), 0, flow->sender, 10, net_out(flow), 0,
					flow->receiver},
			8);
	frame_finish(f);
}

static void
frame_other(struct mix *mix, struct frame *f, const struct mix_flow *flow)
{
	const uint32_t len = 20 + OUTCOME_MARK_LEN + mix_below(mix, 300);
	uint8_t *l4;

	frame_ether(f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(f, flow->family == MIX_UDP6 ? IPPROTO_UDP : IPPROTO_TCP);
	l4 = frame_zero(f, len);
	l4[1] = flow->sender;
	l4[3] = 80;
	if (flow->family == MIX_UDP6) {
		l4[4] = (uint8_t)(len >> 8);
		l4[5] = (uint8_t)len;
	} else {
		l4[12] = 5 << 4;
	}
	frame_finish(f);
	set_addresses(f, IP, flow);
	if (flow->family == MIX_REFUSED && mix_below(mix, 2) == 0)
		f->data[IP + 7] = 1;
	else if (flow->family == MIX_REFUSED)
		f->data[IP + 24 + 5] = 0x77;
}

static void
frame_segments(struct mix *mix, struct frame *f, const struct mix_flow *flow)
{
	uint8_t *srh;

	frame_ether(f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(f, IPPROTO_ROUTING);
	srh = frame_srh(f, IPPROTO_UDP, 2, 1, 0);
	put_roce(mix, f);
	frame_finish(f);
	set_addresses(f, IP, flow);
	memcpy(srh + 8, f->data + IP + 24, 16);
	set_sid(f, SID_END);
	memcpy(srh + 24, f->data + IP + 24, 16);
}

static void
frame_echo(struct mix *mix, struct frame *f, const struct mix_flow *flow)
{
	static const uint8_t own[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xff, [15] = 1};
	uint8_t *icmp;

	frame_ether(f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(f, IPPROTO_ICMPV6);
	icmp = frame_zero(f, 8 + OUTCOME_MARK_LEN + mix_below(mix, 50));
	icmp[0] = 128;
	frame_finish(f);
	set_addresses(f, IP, flow);
	memcpy(f->data + IP + 24, own, sizeof(own));
}

/* A Fast CNP that a P node has sent in a tunnel. */
static void
frame_endcon(struct frame *f)
{
	static struct vectors v;

	if (v.n == 0)
		vectors_load(&v, "11_fastcnp_srv6_endcon");
	memset(f, 0, sizeof(*f));
	frame_put(f, v.data[0], v.len[0]);
}

/* Make the next packet of a flow. */
static void
next_frame(struct mix *mix, struct frame *f, unsigned int i)
{
	struct mix_flow *flow = &mix->flow[i];

	switch (flow->family) {
	case MIX_ROCE6:
		frame6(mix, f, flow);
		break;
	case MIX_ROCE4:
		frame4(mix, f, flow);
		break;
	case MIX_SRH:
		frame_segments(mix, f, flow);
		break;
	case MIX_LOCAL:
		frame_echo(mix, f, flow);
		break;
	case MIX_ENDCON:
		frame_endcon(f);
		break;
	default:
		frame_other(mix, f, flow);
		break;
	}
	frame_to_port(f, flow->in, 1);
	if (flow->family != MIX_ROCE4)
		frame_class(f, flow->class, flow->family == MIX_ENDCON ? 0 : flow->ecn);
	if (f->udp != 0)
		set_bth(f, flow);
	if (flow->family != MIX_ENDCON)
		outcome_mark(f, i, flow->class, flow->number);
	if (flow->tagged_in)
		put_tag(f, flow->class);
	flow->number++;
}

/* Let a frame arrive in two buffers. */
static void
split_in(struct mix *mix, uint16_t port, const struct frame *f)
{
	const uint32_t n = RTE_MIN(f->len - 4, 54 + mix_below(mix, 80));
	struct rte_mbuf *m = bench_in(port, f), *rest = rte_pktmbuf_alloc(bench.pool);

	assert_non_null(rest);
	memcpy(rte_pktmbuf_append(rest, (uint16_t)(f->len - n)), f->data + n, f->len - n);
	m->data_len = (uint16_t)n;
	m->pkt_len = n;
	assert_int_equal(rte_pktmbuf_chain(m, rest), 0);
}

void
mix_send(struct mix *mix, unsigned int i)
{
	struct frame f;

	mix->packets++;
	next_frame(mix, &f, i);
	if (mix_below(mix, 40) == 0)
		split_in(mix, mix->queue[i], &f);
	else
		bench_in(mix->queue[i], &f);
}

void
mix_arrive(struct mix *mix)
{
	unsigned int arrived[OUTCOME_PORTS] = {0}, congested = 0;
	unsigned int n = 20 + mix_below(mix, 160);

	while (n-- > 0) {
		const unsigned int i = mix_below(mix, MIX_FLOWS);
		const struct mix_flow *flow = &mix->flow[i];

		for (unsigned int run = 1 + mix_below(mix, 4); run > 0; run--) {
			if (arrived[flow->in] == MIX_BURST ||
					(flow->out >= MIX_CONGESTED &&
							congested == mix->congested_burst))
				break;
			arrived[flow->in]++;
			congested += flow->out >= MIX_CONGESTED;
			mix_send(mix, i);
		}
	}
}

void
mix_rooms(struct mix *mix, uint16_t room[OUTCOME_PORTS])
{
	for (uint16_t p = 0; p < OUTCOME_PORTS; p++) {
		const struct fcn_queue *q = group_egress(p)->queue;

		room[p] = p < MIX_CONGESTED
					  ? GROUP_ROOM_ALL
					  : (uint16_t)(fcn_queue_packets(&q[6]) +
							    fcn_queue_packets(&q[7]) +
							    mix_below(mix, mix->packets / 1500 % 2 == 0
											    ? 12
											    : 90));
	}
}
