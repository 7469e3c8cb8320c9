/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "group_bench.h"

#define CHECK_EVERY \
	16 /* turns, to check the packet accounting, besides when nothing moves any more */

struct group group;

static uint16_t
tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct bench_port *p = priv;
	uint16_t k = bench_ops.tx_burst(priv, pkts, n, now);

	p->accept -= k;
	return k;
}

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	return bench_ops.rx_burst(priv, pkts, n, now);
}

static uint16_t
tx_room(void *priv, uint64_t now)
{
	return bench_gate_ops.tx_room(priv, now);
}

static uint64_t
tx_ready(void *priv, uint64_t now)
{
	return bench_gate_ops.tx_ready(priv, now);
}

static uint64_t
link_bps(void *priv)
{
	RTE_SET_USED(priv);
	return BENCH_LINK_BPS;
}

static uint16_t
rx_queues(void *priv)
{
	RTE_SET_USED(priv);
	return 2;
}

static void *
rx_queue(void *priv, uint16_t queue)
{
	return (struct bench_port *)priv + (queue != 0 ? GROUP_SECOND_QUEUE : 0);
}

const struct fcn_port_ops group_ops = {.kind = "group",
		.rx_burst = rx_burst,
		.rx_queues = rx_queues,
		.rx_queue = rx_queue,
		.tx_burst = tx_burst,
		.tx_room = tx_room,
		.tx_ready = tx_ready,
		.link_bps = link_bps};

struct fcn_egress *
group_egress(uint16_t port)
{
	return group.w[group_owner(port)]->port[port].egress;
}

void
group_place(uint16_t port)
{
	const uint8_t owner = (uint8_t)group_owner(port);
	const struct fcn_placement place = {.owner = owner,
			.n_rx_queues = 2,
			.rx_worker = {owner, (uint8_t)((owner + 1) % group.n)}};
	uint32_t slots[FCN_CLASSES];

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		slots[c] = BENCH_QUEUE;
	assert_int_equal(fcn_worker_group_port_add(group.w, group.n, &place, port, &group_ops,
					 &bench.port[port], slots),
			0);
}

static void
create_workers(unsigned int n)
{
	struct fcn_worker_conf conf = {.socket = SOCKET_ID_ANY,
			.pool = bench.pool,
			.published = &bench.published,
			.mac_entries = 1024,
			.flow_sets = 1024,
			.dest_sets = 64,
			.events = 8192,
			.injects = 256,
			.clears = &group.clears};
	char name[16];

	group.n = n;
	for (unsigned int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "g%u", i);
		conf.name = name;
		conf.id = i;
		group.w[i] = fcn_worker_create(&conf);
		assert_non_null(group.w[i]);
	}
	assert_int_equal(fcn_worker_group_connect(group.w, n), 0);
}

/* Routes to all ports, and what is for the switch itself goes to the host functions. */
static void
configure(void)
{
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++) {
		char prefix[32];

		snprintf(prefix, sizeof(prefix), "2001:db8:%x::/48", 0x10 + p);
		bench_route(prefix, p + 4);
		snprintf(prefix, sizeof(prefix), "10.%u.0.0/16", p);
		bench_route(prefix, p + 4);
		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++)
			bench.snap.port[p].punt[k] = (struct fcn_punt_limit){
					.cost_ns = 1, .spare_ns = 1000000};
	}
	bench_route("2001:db8:ff::1/128", 2);
	bench_routes_done();
	bench.snap.punt = 1u << FCN_PUNT_LOCAL | 1u << FCN_PUNT_LINK | 1u << FCN_PUNT_ARP;
}

void
group_begin(unsigned int n)
{
	void *state = NULL;

	bench_setup(&state);
	for (uint16_t p = 4; p < OUTCOME_PORTS; p++)
		bench_add_port(p);
	for (uint16_t p = 0; p < OUTCOME_PORTS; p++)
		fcn_worker_port_remove(bench.worker, p);
	memset(&group, 0, sizeof(group));
	group.now = 1000;
	group.order = n;
	create_workers(n);
	for (uint16_t p = 0; p < OUTCOME_PORTS; p++) {
		group_place(p);
		bench.port[p].accept = 0;
	}
	configure();
}

void
group_end(void)
{
	void *state = NULL;

	group_check();
	bench_forget_out();
	for (unsigned int i = 0; i < group.n; i++) {
		struct fcn_punt punt;

		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
			while (fcn_punt_dequeue(group.w[i]->punts, k, &punt))
				rte_pktmbuf_free(punt.mbuf);
		}
	}
	fcn_worker_group_free(group.w, group.n);
	assert_int_equal(bench_teardown(&state), 0);
}

void
group_check(void)
{
	struct fcn_conservation c = {0};

	for (unsigned int i = 0; i < group.n; i++)
		fcn_worker_conservation(group.w[i], &c);
	assert_true(fcn_conservation_holds(&c));
	assert_int_equal(c.waiting, c.between); /* no worker runs while this thread runs */
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++) {
		struct fcn_notice_accounting n = {0};

		for (unsigned int i = 0; i < group.n; i++)
			fcn_worker_notice_accounting(group.w[i], k, &n);
		assert_int_equal(n.carried + n.made,
				n.transmitted + n.taken + fcn_notice_accounting_lost(&n) +
						n.queued + n.cross_core_tx - n.cross_core_rx);
	}
}

unsigned int
group_turn(unsigned int i)
{
	unsigned int n;

	if (group.away >> i & 1)
		return 0;
	n = fcn_poll_once(group.w[i], group.now);
	if (group.turns++ % CHECK_EVERY == 0)
		group_check();
	if (group.to != NULL) {
		outcome_take_frames(group.to);
		outcome_take_records(group.to, group.w[i]);
	}
	bench_forget_out();
	return n;
}

void
group_turns(unsigned int n)
{
	while (n-- > 0)
		group_turn(fcn_test_random(&group.order) % group.n);
}

void
group_settle(void)
{
	unsigned int quiet = 0;

	/* What the host functions sent, and notices, count only where they come out of a ring. */
	for (unsigned int pass = 0; quiet < 3; pass++) {
		const unsigned int first = fcn_test_random(&group.order) % group.n;
		unsigned int moved = 0;

		for (unsigned int i = 0; i < group.n; i++)
			moved += group_turn((first + i) % group.n);
		quiet = moved == 0 ? quiet + 1 : 0;
		assert_true(pass < 1000);
	}
	group_check();
}

void
group_transmit(const uint16_t room[OUTCOME_PORTS])
{
	group.now += 700;
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
		bench.port[p].accept = room[p];
	group_settle();
	group.now += 300;
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
		bench.port[p].accept = 0;
}

void
group_drain(void)
{
	uint16_t room[OUTCOME_PORTS];

	for (unsigned int p = 0; p < OUTCOME_PORTS; p++)
		room[p] = GROUP_ROOM_ALL;
	group_transmit(room);
}
