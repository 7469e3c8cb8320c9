/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cycles of one Congestion Notification Message to the switch as a proxy, in turns of the worker
 * that receive 32 of them: from receipt to the Fast CNP that has left, or to what else becomes of
 * it. "empty" are turns without packets, by 32. The messages are about many flows in turn. One line
 * of JSON each.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "fcn_list.h"
#include "chunks.h"
#include "config.h"
#include "fcn_cnm.h"

#define POOL 8191
#define CACHE 256
#define BURST 32
#define TURNS 16384
#define PORT 1021
#define LONG 1200 /* bytes of payload of which not all fits into a message */
#define SOON_NS 40
#define LATER_NS 60000 /* longer than the interval of flows */
#define INTERVAL_NS 50000
#define LONG_INTERVAL_NS 100000000

struct variant {
	const char *name;
	enum fcn_proxy_translation translation;
	bool is_paced;    /**< all messages but the first of a flow come within its interval */
	bool is_stranger; /**< the messages are from a node that is not listed */
	bool is_empty;    /**< there are no messages */
};

static const struct variant variants[] = {
		{.name = "empty", .is_empty = true},
		{.name = "refused", .is_stranger = true},
		{.name = "none", .translation = FCN_PROXY_NONE},
		{.name = "interval", .translation = FCN_PROXY_FAST_CNP, .is_paced = true},
		{.name = "fast-cnp", .translation = FCN_PROXY_FAST_CNP},
		{.name = "cnp", .translation = FCN_PROXY_CNP},
		{.name = "ce", .translation = FCN_PROXY_CE},
};

/* Flows of a run. The worker remembers 2048 of them. */
static const unsigned int flows[] = {BURST, 1024, 16384};

static struct rte_mempool *pool;
static struct fcn_cnm_template template = {.port = PORT, .dscp = 48, .hop_limit = 64};
static struct rte_mbuf *pending[BURST];
static unsigned int n_pending;
static uint64_t n_sent;

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	const bool is_receiver = priv != NULL;

	RTE_SET_USED(now);
	if (!is_receiver || n < n_pending)
		return 0;
	n = (uint16_t)n_pending;
	memcpy(pkts, pending, n * sizeof(pkts[0]));
	n_pending = 0;
	return n;
}

static uint16_t
tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(priv);
	RTE_SET_USED(now);
	n_sent += n;
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static uint64_t
link_bps(void *priv)
{
	RTE_SET_USED(priv);
	return 100000000000;
}

static const struct fcn_port_ops ops = {
		.kind = "memory", .rx_burst = rx_burst, .tx_burst = tx_burst, .link_bps = link_bps};

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *why, size_t why_size)
{
	RTE_SET_USED(port);
	RTE_SET_USED(why);
	RTE_SET_USED(why_size);
	out->ops = &ops;
	out->priv = number == 1 ? arg : NULL;
	out->info.link_bps = link_bps(NULL);
	return 0;
}

static void
close_port(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(open);
}

static struct fcn_prefix
prefix_of(const char *text)
{
	struct fcn_prefix p;

	bench_check(fcn_prefix_parse(text, &p), text);
	return p;
}

/* Senders are behind port 0, congested nodes behind port 1. */
static struct fcn_config *
configuration(const struct variant *v)
{
	const struct fcn_prefix node = prefix_of("2001:db8:f0::1/128"),
				senders = prefix_of("2001:db8::/48");
	const struct rte_ether_addr mac = bench_host_mac(0, 0);
	struct fcn_config_route route = {.prefix = senders, .port = 0};
	struct fcn_config *cfg = fcn_config_create();

	if (cfg == NULL)
		errx(1, "out of memory");
	bench_check(fcn_config_port_add(cfg, "p0"), "p0");
	bench_check(fcn_config_port_add(cfg, "p1"), "p1");
	cfg->port[0].mac = cfg->port[1].mac = bench_router_mac;
	bench_check(fcn_addr_parse("2001:db8:0:ff::1", &route.via), "neighbour");
	bench_check(FCN_LIST_ADD(cfg, "neighbour", fcn_config_neighbour, 0, route.via, mac),
			"neighbour");
	bench_check(fcn_list_add(cfg, fcn_list_of("route"), &route, NULL), "route");
	bench_check(fcn_addr_parse("2001:db8:f::1", &cfg->loopback), "loopback");
	cfg->proxy.cnm_port = PORT;
	cfg->proxy.receive = true;
	/* Both buckets are asked, and always have a token. */
	cfg->proxy.node_bucket = (struct fcn_config_bucket){.rate = 1000000000, .burst = 1000};
	cfg->proxy.total_bucket = cfg->proxy.node_bucket;
	cfg->proxy.interval_ns = v->is_paced ? LONG_INTERVAL_NS : INTERVAL_NS;
	bench_check(fcn_list_add(cfg, fcn_list_of("proxy node"), &node, NULL), "node");
	bench_check(FCN_LIST_ADD(cfg, "proxy sender", fcn_config_proxy_sender, senders,
				    v->translation),
			"sender");
	for (unsigned int i = 0; i < BENCH_HOSTS && v->translation == FCN_PROXY_CNP; i++) {
		struct fcn_addr receiver = {.version = 6};

		bench_host_address(1, i, receiver.bytes);
		for (unsigned int qp = 0; qp < 256; qp++)
			bench_check(FCN_LIST_ADD(cfg, "proxy qp", fcn_qp_pair, .receiver = receiver,
						    .receiver_qp = 256 + qp, .sender_qp = 1 + qp),
					"queue pair");
	}
	return cfg;
}

/* Make the message about a flow. @return its length with the Ethernet header */
static uint32_t
make(uint8_t *frame, unsigned int number, uint16_t payload, bool is_stranger)
{
	static const uint8_t proxy[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0x0f, [15] = 1};
	const uint8_t node[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0xf0, [15] = is_stranger ? 2 : 1};
	const struct bench_traffic traffic = {.payload = payload};
	uint8_t data[BENCH_PACKET_MAX], *ip = frame + RTE_ETHER_HDR_LEN;
	struct fcn_flow_descriptor flow = {.version = 6, .level = 3, .proto = 17};
	uint32_t len = bench_packet(&traffic, 0, number, data), head = fcn_cnm_head_len(6, 6);

	len = RTE_MIN(len - RTE_ETHER_HDR_LEN, fcn_cnm_quote_max(6, 6));
	memcpy(frame, data, RTE_ETHER_HDR_LEN);
	memcpy(ip + head, data + RTE_ETHER_HDR_LEN, len);
	memcpy(flow.src, ip + head + 8, 16);
	memcpy(flow.dst, ip + head + 24, 16);
	flow.src_port = (uint16_t)(ip[head + 40] << 8 | ip[head + 41]);
	flow.dst_port = (uint16_t)(ip[head + 42] << 8 | ip[head + 43]);
	fcn_cnm_write(&template, 6, node, proxy, &flow, len, rte_raw_cksum(ip + head, len), ip);
	return RTE_ETHER_HDR_LEN + head + len;
}

/* Fill the port that receives. */
static void
arrive(const uint8_t (*frame)[BENCH_PACKET_MAX], uint32_t len, unsigned int *next, unsigned int n)
{
	for (unsigned int i = 0; i < BURST; i++) {
		struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

		if (m == NULL)
			errx(1, "no buffers");
		memcpy(rte_pktmbuf_append(m, (uint16_t)len), frame[*next], len);
		*next = (*next + 1) % n;
		pending[i] = m;
	}
	n_pending = BURST;
}

/* Check that what was measured is what the name says. */
static void
check(const struct variant *v, const struct fcn_proxy_counters *c, unsigned int n)
{
	const uint64_t all = v->is_empty ? 0 : TURNS * BURST;
	const bool is_packet = v->translation == FCN_PROXY_FAST_CNP ||
			       v->translation == FCN_PROXY_CNP;
	uint64_t told = c->fast_cnps + c->cnps + c->marks;

	if (v->is_stranger ? c->refused != all : c->accepted != all)
		errx(1, "%s: %" PRIu64 " messages, %" PRIu64 " refused", v->name, c->accepted,
				c->refused);
	if (v->is_paced ? n <= 1024 && c->paced + told != all
			: told != (is_packet || v->translation == FCN_PROXY_CE ? all : 0))
		errx(1, "%s: %" PRIu64 " told", v->name, told);
	if (is_packet && n_sent != told)
		errx(1, "%s: %" PRIu64 " sent", v->name, n_sent);
}

static void
run(struct fcn_control *ctl, const struct variant *v, unsigned int n, uint16_t payload)
{
	struct fcn_worker *w = fcn_control_worker(ctl, 0);
	struct bench_chunks cycles = {0};
	uint8_t(*frame)[BENCH_PACKET_MAX] = calloc(n, sizeof(*frame));
	unsigned int next = 0;
	uint64_t now = w->now + LONG_INTERVAL_NS, spent = 0;
	uint32_t len = 0;
	char why[256];

	if (frame == NULL)
		errx(1, "out of memory");
	if (fcn_control_commit(ctl, configuration(v), why, sizeof(why)) != 0)
		errx(1, "%s: %s", v->name, why);
	for (unsigned int i = 0; i < n; i++)
		len = make(frame[i], i, payload, v->is_stranger);
	fcn_poll_once(w, now);
	fcn_worker_clear_counters(w);
	n_sent = 0;
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		uint64_t start;

		if (!v->is_empty)
			arrive((const uint8_t(*)[BENCH_PACKET_MAX])frame, len, &next, n);
		now += v->is_paced ? SOON_NS : LATER_NS;
		start = rte_rdtsc();
		fcn_poll_once(w, now);
		spent += rte_rdtsc() - start;
		if (turn % 16 == 15) {
			if (turn >= TURNS / 2) /* once all flows were there, and caches are warm */
				bench_chunks_add(&cycles, (double)spent / (16 * BURST));
			spent = 0;
		}
	}
	check(v, &w->proxy.counters, n);
	printf("{\"bench\": \"proxy\", \"variant\": \"%s\", \"flows\": %u, \"bytes\": %u, "
	       "\"p10\": %.1f, \"median\": %.1f, \"p90\": %.1f, \"forgotten\": %" PRIu64 "}\n",
			v->name, n, len, bench_chunks_quantile(&cycles, 0.1),
			bench_chunks_quantile(&cycles, 0.5), bench_chunks_quantile(&cycles, 0.9),
			w->proxy.flows.forgotten);
	bench_chunks_free(&cycles);
	free(frame);
}

int
main(int argc, char **argv)
{
	static struct fcn_platform platform = {.name = "bench",
			.port_open = open_port,
			.port_close = close_port,
			.arg = &platform};
	struct fcn_control_conf conf = {.name = "bench",
			.platform = &platform,
			.socket = SOCKET_ID_ANY,
			.mac_entries = 1024,
			.flow_sets = 1024,
			.dest_sets = 64};
	struct fcn_control *ctl;
	char why[256];

	if (rte_eal_init(argc, argv) < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	pool = rte_pktmbuf_pool_create("proxy", POOL, CACHE, 0, FCN_DATA_ROOM, SOCKET_ID_ANY);
	if (pool == NULL || fcn_cnm_template_init(&template) != 0)
		errx(1, "pool: %s", rte_strerror(rte_errno));
	conf.pool = pool;
	ctl = fcn_control_create(&conf, why, sizeof(why));
	if (ctl == NULL)
		errx(1, "%s", why);
	for (unsigned int i = 0; i < RTE_DIM(variants); i++) {
		for (unsigned int k = 0; k < RTE_DIM(flows); k++) {
			run(ctl, &variants[i], flows[k], 0);
			if (variants[i].is_empty)
				break;
			if (flows[k] == 1024)
				run(ctl, &variants[i], flows[k], LONG);
		}
	}
	fcn_control_free(ctl);
	fcn_cnm_template_fini(&template);
	if (rte_mempool_in_use_count(pool) != 0)
		errx(1, "%u buffers are missing", rte_mempool_in_use_count(pool));
	rte_mempool_free(pool);
	rte_eal_cleanup();
	return 0;
}
