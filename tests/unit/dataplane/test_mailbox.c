/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A worker on a thread of its own: calls, ports that come and go, snapshots that change. */

#include <unistd.h>

#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_pause.h>

#include "fcn_test.h"
#include "fcn_worker.h"
#include "frame.h"
#include "one_worker.h"

#define DEADLINE_S 100 /* as others may want the cores */

static struct rte_mempool *pool;
static struct fcn_worker *worker;
static struct rte_rcu_qsbr *qsbr;
static struct fcn_snapshot *published;
static struct fcn_fib *fib;
static int quit;
static struct frame data;

/* A port that always has a packet, and takes any. The packet goes to port 1. */
static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(priv);
	RTE_SET_USED(n);
	RTE_SET_USED(now);
	pkts[0] = rte_pktmbuf_alloc(pool);
	if (pkts[0] == NULL)
		return 0;
	memcpy(rte_pktmbuf_append(pkts[0], data.len), data.data, data.len);
	return 1;
}

static uint16_t
tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(priv);
	RTE_SET_USED(now);
	rte_pktmbuf_free_bulk(pkts, n / 2 + 1);
	return n / 2 + 1;
}

static uint16_t
rx_nothing(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(priv);
	RTE_SET_USED(pkts);
	RTE_SET_USED(n);
	RTE_SET_USED(now);
	return 0;
}

static uint64_t
link_bps(void *priv)
{
	RTE_SET_USED(priv);
	return 0;
}

static const struct fcn_port_ops source = {
		.kind = "source", .rx_burst = rx_burst, .tx_burst = tx_burst, .link_bps = link_bps};
static const struct fcn_port_ops sink = {
		.kind = "sink", .rx_burst = rx_nothing, .tx_burst = tx_burst, .link_bps = link_bps};

static int
worker_main(void *arg)
{
	uint64_t now = 0;

	RTE_SET_USED(arg);
	rte_rcu_qsbr_thread_register(qsbr, 0);
	rte_rcu_qsbr_thread_online(qsbr, 0);
	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED)) {
		fcn_poll_once(worker, now += 100);
		if (now % 6400 == 0) /* two cores for everybody */
			usleep(50);
	}
	rte_rcu_qsbr_thread_offline(qsbr, 0);
	rte_rcu_qsbr_thread_unregister(qsbr, 0);
	return 0;
}

static void
make_snapshot(struct fcn_snapshot *s, struct fcn_next_hop *nh)
{
	memset(s, 0, sizeof(*s));
	s->codes = fcn_parse_default_codes;
	s->table[0].fib = fib;
	s->next_hop = nh;
	for (unsigned int p = 0; p < 2; p++) {
		s->port[p].mode = FCN_PORT_ROUTED;
		s->port[p].parent = p;
		s->port[p].mtu = 1500;
		s->port[p].mac = (struct rte_ether_addr){{2, 0, 0, 0, 1, 1}};
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			s->port[p].egress.queue[c] = (struct fcn_queue_conf){.limit_bytes = 100000,
					.limit_packets = 64,
					.quantum = FCN_DRR_QUANTUM};
	}
	nh[1] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_FORWARD, .port = 1, .mtu = 1500};
}

static const uint32_t slots[FCN_CLASSES] = {64, 64, 64, 64, 64, 64, 64, 64};

static struct fcn_snapshot snaps[2];
static struct fcn_next_hop hops[2][2];

static int
setup(void **state)
{
	struct fcn_fib_route route = {.next_hop = 1};
	struct fcn_worker_conf conf = {.name = "mail",
			.socket = SOCKET_ID_ANY,
			.published = &published,
			.mac_entries = 64,
			.flow_sets = 64,
			.dest_sets = 64,
			.events = 64,
			.threaded = true};

	RTE_SET_USED(state);
	alarm(DEADLINE_S);
	if (fcn_test_eal("0,1") != 0)
		return -1;
	pool = rte_pktmbuf_pool_create("mail", 4095, 0, 0, FCN_DATA_ROOM, SOCKET_ID_ANY);
	qsbr = rte_zmalloc("qsbr", rte_rcu_qsbr_get_memsize(4), RTE_CACHE_LINE_SIZE);
	assert_int_equal(rte_rcu_qsbr_init(qsbr, 4), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8::/32", &route.prefix), 0);
	fib = fcn_fib_create("mail", &route, 1, SOCKET_ID_ANY);
	frame_ether(&data, 0x86DD);
	frame_ip6(&data, 17);
	frame_roce(&data, 100);
	frame_finish(&data);
	memcpy(data.data, (uint8_t[]){2, 0, 0, 0, 1, 1}, 6);
	make_snapshot(&snaps[0], hops[0]);
	make_snapshot(&snaps[1], hops[1]);
	published = &snaps[0];
	conf.pool = pool;
	conf.qsbr = qsbr;
	worker = fcn_worker_create(&conf);
	return worker == NULL ? -1
			      : rte_eal_remote_launch(
						worker_main, NULL, rte_get_next_lcore(-1, 1, 0));
}

static int
teardown(void **state)
{
	struct fcn_conservation c = {0};
	int missing;

	RTE_SET_USED(state);
	__atomic_store_n(&quit, 1, __ATOMIC_RELAXED);
	rte_eal_mp_wait_lcore();
	fcn_worker_conservation(worker, &c);
	assert_true(fcn_conservation_holds(&c));
	fcn_worker_free(worker);
	missing = rte_mempool_in_use_count(pool);
	fcn_fib_free(fib);
	rte_free(qsbr);
	rte_mempool_free(pool);
	rte_eal_cleanup();
	return missing == 0 ? 0 : -1;
}

TEST_FIXTURE(.begin = setup, .end = teardown);

static void
count_up(struct fcn_worker *w, void *arg)
{
	assert_ptr_equal(w, worker);
	(*(unsigned int *)arg)++;
	assert_int_not_equal(rte_lcore_id(), rte_get_main_lcore());
}

/* A call is made once, by the worker, and is over when fcn_worker_call() returns. */
TEST(calls)
{
	unsigned int n = 0;

	for (unsigned int i = 1; i <= 200; i++) {
		assert_int_equal(fcn_worker_call(worker, count_up, &n, sizeof(n)), 0);
		assert_int_equal(n, i);
	}
}

static void
read_conservation(struct fcn_worker *w, void *arg)
{
	fcn_worker_conservation(w, arg);
}

static void
check_conservation(struct fcn_conservation *c)
{
	memset(c, 0, sizeof(*c));
	assert_int_equal(fcn_worker_call(worker, read_conservation, c, sizeof(*c)), 0);
	assert_true(fcn_conservation_holds(c));
}

static void
clear(struct fcn_worker *w, void *arg)
{
	RTE_SET_USED(arg);
	fcn_worker_clear_counters(w);
}

/* Ports come and go under traffic; the packet accounting holds between any two turns. */
TEST(ports)
{
	struct fcn_conservation c = {0};
	uint64_t received = 0;

	assert_int_equal(one_worker_port_add(worker, 0, &source, NULL, slots), 0);
	for (unsigned int i = 0; i < 60; i++) {
		assert_int_equal(one_worker_port_add(worker, 1, &sink, NULL, slots), 0);
		usleep(200);
		check_conservation(&c);
		received += c.received;
		if (i % 7 == 0) {
			assert_int_equal(fcn_worker_call(worker, clear, NULL, 0), 0);
			check_conservation(&c);
		}
		fcn_worker_port_remove(worker, 1);
		check_conservation(&c);
	}
	assert_true(received > 1000);
	fcn_worker_port_remove(worker, 0);
	check_conservation(&c);
	assert_int_equal(c.queued, 0);
	usleep(1000);
	received = c.received;
	check_conservation(&c);
	assert_int_equal(c.received, received);
}

/* A snapshot that was replaced is read by nobody once every thread was quiescent. */
TEST(snapshots)
{
	struct fcn_conservation c;

	assert_int_equal(one_worker_port_add(worker, 0, &source, NULL, slots), 0);
	assert_int_equal(one_worker_port_add(worker, 1, &sink, NULL, slots), 0);
	for (unsigned int i = 1; i <= 300; i++) {
		struct fcn_snapshot *old = &snaps[(i + 1) % 2];

		make_snapshot(&snaps[i % 2], hops[i % 2]);
		__atomic_store_n(&published, &snaps[i % 2], __ATOMIC_RELEASE);
		rte_rcu_qsbr_synchronize(qsbr, RTE_QSBR_THRID_INVALID);
		old->next_hop = NULL; /* who still reads it falls over */
		old->table[0].fib = NULL;
	}
	check_conservation(&c);
	assert_true(c.transmitted > 300);
	fcn_worker_port_remove(worker, 0);
	fcn_worker_port_remove(worker, 1);
	check_conservation(&c);
}
