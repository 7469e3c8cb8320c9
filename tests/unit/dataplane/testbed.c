/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_pfc.h"
#include "fcn_punt.h"
#include "one_worker.h"
#include "port_bits.h"
#include "testbed.h"

struct bench bench;

static unsigned int pool_size = BENCH_POOL;
uint64_t bench_seed;

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct bench_port *p = priv;
	uint16_t k = 0;

	RTE_SET_USED(now);
	while (k < n && p->next_in < p->n_in)
		pkts[k++] = p->in[p->next_in++];
	if (p->next_in == p->n_in)
		p->next_in = p->n_in = 0;
	return k;
}

static uint16_t
tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct bench_port *p = priv;
	uint16_t k = 0;

	while (k < n && k < p->accept && p->n_out < RTE_DIM(p->out))
		p->out[p->n_out++] = pkts[k++];
	if (k > 0)
		p->sent_at = now;
	return k;
}

static uint64_t
link_bps(void *priv)
{
	RTE_SET_USED(priv);
	return BENCH_LINK_BPS;
}

static uint16_t
line_tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct bench_port *p = priv;
	uint32_t len = n > 0 ? pkts[0]->pkt_len : 0;
	uint16_t k;

	assert_true(n <= 1 && now >= p->ready_at);
	k = tx_burst(priv, pkts, n, now);
	if (k > 0 && p->line_bps != 0)
		p->ready_at = now +
			      (RTE_MAX(len, 60u) + FCN_WIRE_OVERHEAD) * 8000000000 / p->line_bps;
	return k;
}

static uint16_t
line_tx_room(void *priv, uint64_t now)
{
	const struct bench_port *p = priv;

	return now >= p->ready_at && p->accept != 0;
}

static uint64_t
line_tx_ready(void *priv, uint64_t now)
{
	const struct bench_port *p = priv;

	return RTE_MAX(now, p->ready_at);
}

static uint16_t
gate_tx_room(void *priv, uint64_t now)
{
	const struct bench_port *p = priv;

	RTE_SET_USED(now);
	return p->accept;
}

static uint64_t
gate_tx_ready(void *priv, uint64_t now)
{
	const struct bench_port *p = priv;

	return p->accept != 0 ? now : FCN_TIME_NEVER;
}

static int
ring_tx_backlog(void *priv)
{
	const struct bench_port *p = priv;

	return p->backlog;
}

const struct fcn_port_ops bench_ops = {
		.kind = "bench", .rx_burst = rx_burst, .tx_burst = tx_burst, .link_bps = link_bps};

const struct fcn_port_ops bench_link_ops = {.kind = "line",
		.rx_burst = rx_burst,
		.tx_burst = line_tx_burst,
		.tx_room = line_tx_room,
		.tx_ready = line_tx_ready,
		.link_bps = link_bps};

const struct fcn_port_ops bench_gate_ops = {.kind = "gate",
		.rx_burst = rx_burst,
		.tx_burst = tx_burst,
		.tx_room = gate_tx_room,
		.tx_ready = gate_tx_ready,
		.link_bps = link_bps};

const struct fcn_port_ops bench_ring_ops = {.kind = "ring",
		.rx_burst = rx_burst,
		.tx_burst = tx_burst,
		.tx_backlog = ring_tx_backlog,
		.link_bps = link_bps};

void
bench_add_port(uint16_t port)
{
	struct fcn_snapshot_port *sp = &bench.snap.port[port];
	uint32_t slots[FCN_CLASSES];

	sp->mode = FCN_PORT_ROUTED;
	sp->parent = port;
	sp->mac = (struct rte_ether_addr){{2, 0, 0, 0, 0, 10 + port}};
	sp->mtu = 1500;
	sp->pvid = 1;
	sp->link_bps = BENCH_LINK_BPS;
	sp->pause.link_bps = BENCH_LINK_BPS;
	sp->ioam.id = FCN_IOAM_NA16;
	sp->ioam.id_wide = FCN_IOAM_NA32;
	sp->egress.strict = 0xC0;
	sp->egress.shaper.overhead = FCN_SHAPER_OVERHEAD;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		slots[c] = BENCH_QUEUE;
		sp->egress.queue[c] = (struct fcn_queue_conf){.limit_bytes = 1000000,
				.limit_packets = BENCH_QUEUE,
				.quantum = FCN_DRR_QUANTUM,
				.strict = c >= 6,
				.account.alpha = FCN_ALPHA_ONE};
	}
	bench.next_hop[port + 4] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_FORWARD,
			.port = port,
			.interface = port,
			.mtu = 1500,
			.l2 = {.dst_addr = {{2, 0, 0, 0, 0, 20 + port}},
					.src_addr = sp->mac,
					.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6)}};
	memset(&bench.port[port], 0, offsetof(struct bench_port, in));
	bench.port[port].accept = UINT16_MAX;
	assert_int_equal(one_worker_port_add(
					 bench.worker, port, &bench_ops, &bench.port[port], slots),
			0);
	bench.n_ports = RTE_MAX(bench.n_ports, port + 1u);
}

void
bench_set_ops(uint16_t port, const struct fcn_port_ops *ops)
{
	uint32_t slots[FCN_CLASSES];

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		slots[c] = BENCH_QUEUE;
	fcn_worker_port_remove(bench.worker, port);
	assert_int_equal(one_worker_port_add(bench.worker, port, ops, &bench.port[port], slots), 0);
}

void
bench_new_snapshot(void)
{
	bench.snap.generation++;
}

/*
 * Class c has DSCP 8 * c, as frame_class() writes it. The classes of the others are random, but two
 * DSCPs that differ in one bit have different classes: whoever ignores a bit finds another class.
 */
static void
map_dscp(uint8_t class[64])
{
	uint64_t seed = 1;

	for (unsigned int d = 0; d < 64; d++) {
		uint8_t taken = 0;

		for (unsigned int bit = 1; bit < 64; bit <<= 1) {
			const unsigned int other = d ^ bit;

			if (other % 8 == 0)
				taken |= 1u << other / 8;
			else if (other < d)
				taken |= 1u << class[other];
		}
		do
			class[d] = d % 8 == 0 ? d / 8 : fcn_test_random(&seed) % FCN_CLASSES;
		while (taken >> class[d] & 1);
	}
}

int
bench_begin_large(void **state)
{
	pool_size = BENCH_LARGE_POOL;
	return fcn_test_eal_init(state);
}

int
bench_setup(void **state)
{
	struct fcn_worker_conf conf = {.name = "bench",
			.socket = SOCKET_ID_ANY,
			.published = &bench.published,
			.mac_entries = 1024,
			.flow_sets = 1024,
			.dest_sets = 64,
			.events = 256};
	struct fcn_fastcnp_conf fc = {.source = {0x20, 1, 0xd, 0xb8, [15] = 0xFE},
			.opt1_type = 0x9E,
			.opt2_type = 0x9F,
			.dscp = 48,
			.hop_limit = 64};

	RTE_SET_USED(state);
	/* The arrays of ports are large, and count only up to their numbers. */
	memset(&bench, 0, offsetof(struct bench, port));
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		memset(&bench.port[p], 0, offsetof(struct bench_port, in));
	bench.snap.n_ports = 64;
	bench.snap.generation = 1;
	bench.pool = rte_pktmbuf_pool_create(
			"bench", pool_size, 0, 0, FCN_DATA_ROOM, SOCKET_ID_ANY);
	assert_non_null(bench.pool);
	conf.pool = bench.pool;
	bench.published = &bench.snap;
	bench.worker = fcn_worker_create(&conf);
	assert_non_null(bench.worker);
	bench.snap.codes = fcn_parse_default_codes;
	bench.snap.border.codes.options = fcn_parse_default_codes;
	map_dscp(bench.snap.class_map.dscp);
	for (unsigned int p = 0; p < 8; p++)
		bench.snap.class_map.pcp[p] = p;
	bench.snap.next_hop = bench.next_hop;
	bench.snap.member = bench.member;
	bench.next_hop[1].type = FCN_NEXT_HOP_BLACKHOLE;
	bench.next_hop[2].type = FCN_NEXT_HOP_LOCAL;
	bench.next_hop[3].type = FCN_NEXT_HOP_NO_NEIGHBOUR;
	bench.snap.n_next_hops = RTE_DIM(bench.next_hop);
	bench.snap.notify.n_kinds = 1;
	bench.snap.notify.kind[0].kind = &fcn_notice_fastcnp;
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++)
		bench.snap.notify.kind[k].common = &bench.snap.notify.common;
	bench.snap.notify.kind[0].own = &bench.fastcnp;
	bench.snap.notify.common = (struct fcn_notice_common){.dscp = fc.dscp,
			.hop_limit = fc.hop_limit,
			.icrc_mode = fc.icrc_mode,
			.class = 6};
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		bench.snap.notify.common.part[p] = p % FCN_NOTIFY_SHARES;
	memcpy(bench.snap.notify.common.source, fc.source, sizeof(fc.source));
	assert_int_equal(fcn_fastcnp_kind_init(&bench.fastcnp, &fc), 0);
	bench.fastcnp.senders = fcn_prefix_list_create("senders", NULL, 0, SOCKET_ID_ANY);
	bench_routes_done();
	for (uint16_t p = 0; p < 4; p++)
		bench_add_port(p);
	return 0;
}

/* Numbers of buffers that are not in the state in which the pool returns buffers. */
struct bench_odd {
	unsigned int attached; /* buffers that are indirect, or have an external buffer */
	unsigned int shared;   /* buffers with further references */
	unsigned int chained;
};

static void
look_at_mbuf(struct rte_mempool *pool, void *arg, void *obj, unsigned int index)
{
	const struct rte_mbuf *m = obj;
	struct bench_odd *odd = arg;

	RTE_SET_USED(pool);
	RTE_SET_USED(index);
	odd->attached += !RTE_MBUF_DIRECT(m);
	odd->shared += rte_mbuf_refcnt_read(m) != 1;
	odd->chained += m->next != NULL || m->nb_segs != 1;
}

/* Check whether all buffers are in the pool again, direct and without further references. */
static bool
are_all_returned(void)
{
	unsigned int missing = rte_mempool_in_use_count(bench.pool);
	struct bench_odd odd = {0};

	rte_mempool_obj_iter(bench.pool, look_at_mbuf, &odd);
	if (missing + odd.attached + odd.shared + odd.chained == 0)
		return true;
	print_error("%u buffers missing; of all %u indirect, %u shared, %u chained\n", missing,
			odd.attached, odd.shared, odd.chained);
	return false;
}

int
bench_teardown(void **state)
{
	bool returned;

	RTE_SET_USED(state);
	bench_check();
	bench_forget_out();
	for (unsigned int p = 0; p < bench.snap.n_ports; p++) {
		while (bench.port[p].next_in < bench.port[p].n_in)
			rte_pktmbuf_free(bench.port[p].in[bench.port[p].next_in++]);
	}
	fcn_worker_free(bench.worker);
	fcn_fib_free(bench.snap.table[0].fib);
	fcn_prefix_list_free(bench.fastcnp.senders);
	fcn_fastcnp_template_fini(&bench.fastcnp.fastcnp);
	returned = are_all_returned();
	rte_mempool_free(bench.pool);
	return returned ? 0 : -1;
}

void
bench_route(const char *prefix, uint32_t next_hop)
{
	struct fcn_fib_route *r = &bench.route[bench.n_routes++];

	assert_int_equal(fcn_prefix_parse(prefix, &r->prefix), 0);
	r->next_hop = next_hop;
}

void
bench_routes_done(void)
{
	fcn_fib_free(bench.snap.table[0].fib);
	bench.snap.table[0].fib = fcn_fib_create(
			"bench", bench.route, bench.n_routes, SOCKET_ID_ANY);
	assert_non_null(bench.snap.table[0].fib);
	bench.snap.table[0].normal = bench.snap.table[0].fib;
}

void
bench_port_routes(unsigned int n)
{
	char prefix[32];

	for (unsigned int p = 0; p < n; p++) {
		snprintf(prefix, sizeof(prefix), "2001:db8:%x::/48", p);
		bench_route(prefix, p + 4);
	}
	bench_routes_done();
}

int
bench_setup_two_ports(void **state)
{
	int rc = bench_setup(state);

	bench_port_routes(2);
	return rc;
}

void
bench_punts(void)
{
	bench.worker->punts = fcn_punt_queues_create(SOCKET_ID_ANY);
	assert_non_null(bench.worker->punts);
	bench.snap.punt = (1u << FCN_PUNT_REASON_COUNT) - 1;
	for (unsigned int p = 0; p < 4; p++) {
		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
			bench.snap.port[p].punt[k] = (struct fcn_punt_limit){
					.cost_ns = 1, .spare_ns = 1000};
	}
}

void
bench_bridge(unsigned int n)
{
	bench.snap.bridge[0] = (struct fcn_snapshot_bridge){.used = true,
			.ageing_ns = 300000000000,
			.members = ports_of((1ull << n) - 1)};
	bench.snap.mac_ageing_ns = 300000000000;
	for (unsigned int p = 0; p < n; p++)
		bench.snap.port[p].mode = FCN_PORT_BRIDGED;
}

void
bench_notices(uint16_t port, uint32_t enter)
{
	bench.snap.notify.on = 1;
	bench.fastcnp.mark_unknown = true;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		bench.snap.port[p].egress.urgent = 1u << bench.snap.notify.common.class;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct fcn_queue_conf *q = &bench.snap.port[port].egress.queue[c];

		q->policy.notify = true;
		q->policy.ecn = true;
		q->detector = (struct fcn_detector_conf){.type = FCN_DETECTOR_STEP,
				.enter = enter,
				.leave = enter / 2,
				.limit = q->limit_bytes};
		fcn_detector_levels(&q->detector);
	}
}

void
bench_pfc_rx(uint16_t port, uint8_t classes)
{
	struct fcn_snapshot_port *sp = &bench.snap.port[port];

	sp->pause_on = true;
	sp->pause.rx_classes |= classes;
}

void
bench_lossless(uint16_t port, unsigned int class, uint32_t xoff, uint32_t xon, uint32_t headroom)
{
	struct fcn_snapshot_port *sp = &bench.snap.port[port];

	sp->pause_on = true;
	sp->lossless |= 1u << class;
	sp->pause.tx_classes |= 1u << class;
	sp->pause.quanta = 65535;
	sp->pause.refresh_ns = fcn_pfc_quanta_to_ns(65535, sp->pause.link_bps) / 2;
	sp->ingress[class] = (struct fcn_ingress_conf){
			.lossless = true, .xoff = xoff, .xon = xon, .headroom = headroom};
}

struct rte_mbuf *
bench_in(uint16_t port, const struct frame *f)
{
	struct bench_port *p = &bench.port[port];
	struct rte_mbuf *head = NULL;
	uint32_t done = 0;

	do {
		struct rte_mbuf *seg = rte_pktmbuf_alloc(bench.pool);
		uint32_t n = RTE_MIN(f->len - done, 2048u);

		assert_non_null(seg);
		memcpy(rte_pktmbuf_append(seg, n), f->data + done, n);
		done += n;
		if (head == NULL)
			head = seg;
		else
			assert_int_equal(rte_pktmbuf_chain(head, seg), 0);
	} while (done < f->len);
	assert_true(p->n_in < RTE_DIM(p->in));
	p->in[p->n_in++] = head;
	return head;
}

unsigned int
bench_n_out(void)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < bench.snap.n_ports; p++)
		n += bench.port[p].n_out;
	return n;
}

void
bench_forget_out(void)
{
	for (unsigned int p = 0; p < bench.snap.n_ports; p++) {
		rte_pktmbuf_free_bulk(bench.port[p].out, bench.port[p].n_out);
		bench.port[p].n_out = 0;
	}
}

unsigned int
bench_poll(uint64_t now)
{
	unsigned int n;

	bench_forget_out();
	n = fcn_poll_once(bench.worker, now);
	assert_int_equal(bench.worker->generation, bench.snap.generation);
	bench_check();
	return n;
}

void
bench_send(uint16_t port, const struct frame *f, uint64_t now)
{
	bench_in(port, f);
	bench_poll(now);
}

const uint8_t *
bench_out(uint16_t port, unsigned int i)
{
	assert_true(i < bench.port[port].n_out);
	return rte_pktmbuf_mtod(bench.port[port].out[i], const uint8_t *);
}

uint32_t
bench_out_len(uint16_t port, unsigned int i)
{
	assert_true(i < bench.port[port].n_out);
	rte_mbuf_sanity_check(bench.port[port].out[i], 1);
	return bench.port[port].out[i]->pkt_len;
}

const uint8_t *
bench_only_out(uint16_t port)
{
	for (unsigned int p = 0; p < bench.snap.n_ports; p++)
		assert_int_equal(bench.port[p].n_out, p == port ? 1 : 0);
	return bench_out(port, 0);
}

void
bench_random_detector(struct fcn_detector_conf *d, uint32_t limit_bytes, uint64_t *seed)
{
	/*
	 * Half of the thresholds are multiples of 200, so that sums of packet lengths can equal
	 * them.
	 */
	uint32_t bytes = fcn_test_below(seed, 2) == 0 ? 1 + fcn_test_below(seed, 4000)
						      : 200 * (1 + fcn_test_below(seed, 20));

	*d = (struct fcn_detector_conf){.type = fcn_test_below(seed, FCN_DETECTOR_RATE + 1),
			.enter = bytes,
			.limit = limit_bytes,
			.kmax = bytes + 1 + fcn_test_below(seed, 10000),
			.pmax = fcn_test_below(seed, UINT64_C(1) << 32),
			.qeq = bytes,
			.weight = fcn_test_below(seed, 5),
			.sample = fcn_test_below(seed, 2) == 0
						  ? 1 + fcn_test_below(seed, 9000)
						  : 200 * (1 + fcn_test_below(seed, 20)),
			.interval_ns = 100 + fcn_test_below(seed, 6000),
			.bps = BENCH_LINK_BPS,
			.hold_ns = fcn_test_below(seed, 2) * fcn_test_below(seed, 20000),
			.level_hold_ns = fcn_test_below(seed, 2) * fcn_test_below(seed, 5000)};
	if (d->type == FCN_DETECTOR_SOJOURN) {
		d->enter = 1 + fcn_test_below(seed, 6000);
		d->limit = 50000;
	} else if (d->type == FCN_DETECTOR_RATE) {
		d->enter = 1 + fcn_test_below(seed, 900);
		d->limit = 3000;
	}
	d->leave = d->enter - fcn_test_below(seed, d->enter);
	fcn_detector_levels(d);
}

struct fcn_queue *
bench_queue(uint16_t port, unsigned int class)
{
	return &bench.worker->port[port].egress->queue[class];
}

struct fcn_queue_conf *
bench_queue_conf(uint16_t port, unsigned int class)
{
	return &bench.snap.port[port].egress.queue[class];
}

uint64_t
bench_verdict(uint16_t port, unsigned int class, enum fcn_notify_verdict v)
{
	return bench.worker->notify[0].stats[port][class].verdict[v];
}

void
bench_queue_bucket(uint32_t cost_ns, uint32_t burst)
{
	struct fcn_notify_bucket *b = &bench.snap.notify.common.queue[0][0];

	for (size_t i = 0; i < sizeof(bench.snap.notify.common.queue) / sizeof(*b); i++)
		b[i] = (struct fcn_notify_bucket){cost_ns, burst};
}

void
bench_charge_link(uint16_t port)
{
	bench.snap.notify.common.link[port] = (struct fcn_notify_link){
			.cost = 1 << FCN_NOTIFY_LINK_SHIFT, .burst_ns = UINT64_C(1) << 40};
}

void
bench_assert_charged(uint16_t port, uint32_t len)
{
	assert_int_equal(bench.worker->notify_link[port].full - bench.worker->now, len + 24);
	bench.worker->notify_link[port].full = 0;
}

unsigned int
bench_events(struct fcn_event *ev, unsigned int n)
{
	return rte_ring_sc_dequeue_burst_elem(bench.worker->events, ev, sizeof(*ev), n, NULL);
}

unsigned int
bench_events_of(enum fcn_event_type type, struct fcn_event *ev, unsigned int n)
{
	unsigned int k = 0;

	while (k < n && bench_events(&ev[k], 1) == 1)
		k += ev[k].type == type;
	return k;
}
