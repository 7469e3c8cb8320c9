/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packets that one worker receives and another one sends, and what is counted of them. */

#include <netinet/in.h>

#include "cross_core.h"
#include "lossless.h"
#include "fcn_stages.h"
#include "fcn_worker_group.h"
#include "workers_bench.h"

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = workers_setup, .teardown = workers_teardown);

/* One packet over a cross-core ring: what the workers count at each step. */
TEST(one)
{
	workers_arrive(0, 1, 3, 1);
	assert_int_equal(workers_poll(0, 100), 1);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(workers[0]->cross_core_tx, 1);
	assert_true(fcn_cross_core_is_pending(workers[1]));
	assert_int_equal(fcn_worker_next_event(workers[1], 150), 150);
	workers_poll(2, 160); /* not its own */
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(workers_poll(1, 200), 2); /* received, sent */
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(workers[1]->cross_core_rx, 1);
	assert_false(fcn_cross_core_is_pending(workers[1]));
	assert_int_equal(workers[0]->counters[0].rx_packets, 1);
	assert_int_equal(workers[1]->counters[1].tx_packets, 1);
	assert_int_equal(workers[1]->counters[1].tx_bytes, WORKERS_LEN);
	assert_int_equal(bench_out(1, 0)[5], 21); /* the next hop's address */
	/* its own port: no ring */
	workers_arrive(0, 3, 3, 1);
	workers_poll(0, 300);
	assert_int_equal(bench.port[3].n_out, 1);
	assert_int_equal(workers[0]->cross_core_tx, 1);
}

/* A packet that a local SID takes out of a tunnel leaves by a port of another worker. */
TEST(local_sid)
{
	static struct fcn_srv6_sid sid = {.behavior = FCN_SRV6_END_DT6,
			.inner = FCN_SRV6_INNER_IPV6,
			.argument = FCN_SRV6_ARGUMENT_TABLE,
			.serial = 1,
			.is_fast_decaps = true};
	struct frame inner, f;

	bench.snap.srv6 = (struct fcn_srv6_conf){.sid = &sid, .n_sids = 1};
	bench.next_hop[40] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_LOCAL, .local = FCN_LOCAL_SRV6};
	bench_route("2001:db8::2/128", 40);
	bench_routes_done();
	bench_new_snapshot();
	frame_roce6(&inner, 1, 1, 9, 100);
	memset(&f, 0, sizeof(f));
	frame_ether(&f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(&f, IPPROTO_IPV6);
	frame_put(&f, inner.data + 14, inner.len - 14);
	f.data[14 + 4] = (uint8_t)((inner.len - 14) >> 8);
	f.data[14 + 5] = (uint8_t)(inner.len - 14);
	frame_class(&f, 3, inner.data[15] >> 4 & 3);
	frame_to_port(&f, 0, 1);
	/* By the slow path, and by the fast one. */
	for (unsigned int i = 1; i < 4; i++) {
		bench_forget_out();
		bench_in(0, &f);
		workers_poll(0, 1000 * i);
		assert_int_equal(workers[0]->cross_core_tx, i);
		workers_poll(1, 1000 * i + 500);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(bench_out_len(1, 0), inner.len);
		assert_int_equal(bench_out(1, 0)[14 + 7], inner.data[14 + 7] - 1);
		assert_memory_equal(
				bench_out(1, 0) + 14 + 8, inner.data + 14 + 8, inner.len - 14 - 8);
		assert_int_equal(workers[0]->srv6.sid[0].packets, i);
	}
}

/* A packet of a port in another table leaves by a port of another worker, as that table says. */
TEST(table)
{
	struct fcn_fib_route route = {.next_hop = 6}; /* of port 2 */
	struct fcn_fib *fib;

	assert_int_equal(fcn_prefix_parse("2001:db8:1::/48", &route.prefix), 0);
	fib = fcn_fib_create("red", &route, 1, SOCKET_ID_ANY);
	assert_non_null(fib);
	bench.snap.table[1] = (struct fcn_snapshot_table){.fib = fib, .normal = fib};
	bench.snap.port[0].table = 1;
	bench_new_snapshot();
	workers_arrive(3, 1, 3, 1); /* main */
	workers_arrive(0, 1, 3, 1);
	workers_arrive(0, 2, 3, 1); /* no route */
	workers_poll(0, 100);
	assert_int_equal(workers[0]->cross_core_tx, 2);
	assert_int_equal(workers[0]->counters[0].drop[FCN_DROP_NO_ROUTE], 1);
	workers_poll(1, 200);
	workers_poll(2, 300);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(bench_out(1, 0)[14 + 8 + 5], 3); /* by its source network */
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench_out(2, 0)[14 + 8 + 5], 0);
	assert_int_equal(bench_out(2, 0)[5], 22);
	bench.snap.table[1] = (struct fcn_snapshot_table){0};
	bench.snap.port[0].table = FCN_TABLE_MAIN;
	bench_new_snapshot();
	fcn_fib_free(fib);
}

/* Packets that wait between workers are counted where they are, cleared counters or not. */
TEST(clear)
{
	struct fcn_conservation c = {0};

	for (unsigned int i = 0; i < 5; i++)
		workers_arrive(0, 1, i, 1);
	workers_poll(0, 100);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_clear_counters(workers[i]);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_conservation(workers[i], &c);
	assert_int_equal(c.carried, 5);
	assert_int_equal(c.between, 5);
	assert_int_equal(c.received, 0);
	workers_check();
	workers_poll(1, 200);
	assert_int_equal(bench.port[1].n_out, 5);
	/* Resting workers are held to what can be found between them. */
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_poll_idle(workers[i], 300);
	memset(&c, 0, sizeof(c));
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_conservation(workers[i], &c);
	assert_false(c.working);
	assert_true(fcn_conservation_holds(&c));
	c.waiting++;
	assert_false(fcn_conservation_holds(&c));
	c.working = true;
	assert_true(fcn_conservation_holds(&c));
}

/* Workers clear their counters one after the other. What the first received since and handed to
 * the second is not sent before the second has cleared its counters, too. */
TEST(clear_between)
{
	struct fcn_conservation c = {0};

	workers_arrive(0, 1, 2, 1);
	workers_poll(0, 50); /* on its way when the counters are cleared */
	workers_clears++;
	fcn_worker_clear_counters_once(workers[0]);
	for (unsigned int i = 0; i < 5; i++)
		workers_arrive(0, 1, i, 1);
	workers_poll(0, 100);
	workers_poll(1, 200);
	assert_int_equal(bench.port[1].n_out, 6);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_clear_counters_once(workers[i]);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_conservation(workers[i], &c);
	assert_int_equal(c.carried, 1);
	assert_int_equal(c.received, 5);
	assert_int_equal(c.transmitted, 6);
	assert_int_equal(c.between, 0);
	workers_check();
	workers_clears = 0;
}

/*
 * A worker that does not come: its ring fills, and the rest is dropped under a name of its own. Low
 * classes leave slots to high ones, and all classes some to what the switch itself makes.
 */
TEST(full)
{
	const unsigned int most = 736, slots = 1024; /* of 1024, class 3 may fill 736 */
	const unsigned int many = 900;

	for (unsigned int i = 0; i < many; i++)
		workers_arrive(0, 1, 3, i);
	workers_arrive(0, 1, 7, 1);
	for (unsigned int i = 0; i < many / FCN_RX_BURST + 2; i++)
		workers_poll(0, 100 + i);
	assert_int_equal(workers[0]->counters[0].drop[FCN_DROP_CROSS_CORE_FULL], many - most);
	assert_int_equal(workers[0]->cross_core_tx, most + 1);
	for (unsigned int i = 0; i < slots; i++)
		workers_arrive(0, 1, 7, 1);
	for (unsigned int i = 0; i < slots / FCN_RX_BURST + 2; i++)
		workers_poll(0, 300 + i);
	assert_int_equal(workers[0]->cross_core_tx, 992); /* what class 7 may fill */
	for (unsigned int i = 0; i < 5; i++)
		workers_poll(1, 1000 + i);
	assert_int_equal(bench.port[1].n_out, 992);
	/* Those that are there came first, in order. */
	for (unsigned int i = 0, n = 0; i < 992; i++) {
		if ((bench_out(1, i)[14] >> 1 & 7) == 3)
			assert_int_equal(bench_out(1, i)[14 + 8 + 15], (uint8_t)n++);
	}
}

/* The counters of a ring pass 2^32, and its slots are used again and again. */
TEST(wrap)
{
	struct fcn_cross_core *h = workers[0]->port[1].cross_core;
	unsigned int sent = 0, received = 0;

	h->filled = h->tail = h->seen_head = h->head = UINT32_MAX - 700;
	for (unsigned int turn = 0; turn < 40; turn++) {
		for (unsigned int i = 0; i < FCN_RX_BURST; i++)
			workers_arrive(0, 1, 3, sent++);
		workers_poll(0, 100 + 2 * turn);
		if (turn % 7 != 6)
			continue;
		workers_poll(1, 101 + 2 * turn);
		for (unsigned int i = 0; i < bench.port[1].n_out; i++)
			assert_int_equal(bench_out(1, i)[14 + 8 + 15], (uint8_t)(received + i));
		received += bench.port[1].n_out;
		bench_forget_out();
	}
	workers_poll(1, 1000);
	assert_int_equal(received + bench.port[1].n_out, sent);
	assert_true(h->head < 1000);
}

#define LINE_OF(type, member) (offsetof(type, member) / RTE_CACHE_LINE_SIZE)
#define LAST_LINE_OF(type, member) \
	((offsetof(type, member) + sizeof(((type *)0)->member) - 1) / RTE_CACHE_LINE_SIZE)

/*
 * No cache line that one worker writes for each burst is read by another one, except for what it
 * has to tell: packets, and where the rings end.
 */
TEST(lines)
{
	const struct fcn_cross_core *h = workers[0]->port[1].cross_core;

	for (unsigned int i = 0; i < N_WORKERS; i++)
		assert_int_equal((uintptr_t)workers[i] % RTE_CACHE_LINE_SIZE, 0);
	assert_int_equal(sizeof(struct fcn_worker) % RTE_CACHE_LINE_SIZE, 0);
	/* other workers read the pauses that this one wants, and nothing else */
	assert_true(LAST_LINE_OF(struct fcn_worker, peer_first) < LINE_OF(struct fcn_worker, xoff));
	assert_true(LAST_LINE_OF(struct fcn_worker, learn_lost) < LINE_OF(struct fcn_worker, xoff));
	assert_true(LAST_LINE_OF(struct fcn_worker, xoff) < LINE_OF(struct fcn_worker, buffer));
	/* what both workers of a ring read, what each writes, and what only the sender uses */
	assert_int_equal((uintptr_t)h % RTE_CACHE_LINE_SIZE, 0);
	assert_true(LAST_LINE_OF(struct fcn_cross_core, to) < LINE_OF(struct fcn_cross_core, tail));
	assert_int_equal(LINE_OF(struct fcn_cross_core, tail),
			LAST_LINE_OF(struct fcn_cross_core, n_pauses));
	assert_true(LAST_LINE_OF(struct fcn_cross_core, n_pauses) <
			LINE_OF(struct fcn_cross_core, head));
	assert_true(LAST_LINE_OF(struct fcn_cross_core, n_gone) <
			LINE_OF(struct fcn_cross_core, filled));
	assert_int_equal(sizeof(struct fcn_cross_core) % RTE_CACHE_LINE_SIZE, 0);
	assert_int_equal((uintptr_t)h->slots % RTE_CACHE_LINE_SIZE, 0);
	assert_int_equal((uintptr_t)h->beside % RTE_CACHE_LINE_SIZE, 0);
	/* lossless classes: what has left queues, and how far the other worker has read that */
	assert_true(LAST_LINE_OF(struct fcn_released, bytes) < LINE_OF(struct fcn_released, seen));
	/* rings of DPDK, for all other messages */
	assert_true(LAST_LINE_OF(struct rte_ring, prod) < LINE_OF(struct rte_ring, cons));
}

/* With more than a burst on its way from each producer: each has its turn, and its order. */
TEST(turns)
{
	struct fcn_worker *w = workers[1];
	struct fcn_burst *b = w->received_cross_core;

	workers_poll(1, 50); /* it looks at the snapshot */
	for (unsigned int i = 0; i < 400; i++) {
		workers_arrive(0, 1, 3, i);
		workers_arrive(2, 1, 3, i);
	}
	for (unsigned int i = 0; i < 400 / FCN_RX_BURST + 1; i++) {
		workers_poll(0, 100 + i);
		workers_poll(2, 100 + i);
	}
	assert_int_equal(fcn_stage_cross_core_rx(w, b, 800), 2 * FCN_BURST_MAX);
	assert_int_equal(b->n, 0); /* their queue takes them at once */
	assert_int_equal(fcn_stage_cross_core_rx(w, b, 100), 100);
	assert_int_equal(fcn_stage_cross_core_rx(w, b, 800), 2 * (400 - FCN_BURST_MAX) - 100);
	assert_int_equal(fcn_stage_cross_core_rx(w, b, 800), 0);
	for (unsigned int i = 0; i < 8; i++)
		workers_poll(1, 1000 + i);
	assert_int_equal(bench.port[1].n_out, 800);
}

/* A port goes while packets are on their way to it. */
TEST(port_gone)
{
	for (unsigned int i = 0; i < 7; i++)
		workers_arrive(0, 1, i, 1);
	workers_arrive(2, 1, 3, 1);
	workers_poll(0, 100);
	workers_poll(2, 100);
	fcn_worker_group_port_remove(workers, N_WORKERS, 1);
	workers_check();
	assert_int_equal(workers[1]->counters[0].drop[FCN_DROP_PORT_GONE], 7);
	assert_int_equal(workers[1]->counters[2].drop[FCN_DROP_PORT_GONE], 1);
	/* nobody knows a way any more */
	workers_arrive(0, 1, 3, 1);
	workers_poll(0, 200);
	assert_int_equal(workers[0]->counters[0].drop[FCN_DROP_PORT_GONE], 1);
	/* and it comes back, to another worker */
	workers_place(1, 2, &bench_ops);
	workers_arrive(0, 1, 3, 1);
	workers_poll_all(300);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_int_equal(workers[2]->counters[1].tx_packets, 1);
}

/* Congestion is seen where the queue is; the notice finds its way back over the other worker. */
TEST(notice)
{
	bench_notices(1, 2 * WORKERS_LEN);
	bench_new_snapshot();
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 4; i++)
		workers_arrive(0, 1, 3, 1);
	workers_poll(0, 100);
	assert_int_equal(workers[0]->counters[1].generated, 0);
	workers_poll(1, 200);
	assert_true(workers[1]->counters[1].generated > 0);
	assert_int_equal(workers[1]->cross_core_tx, workers[1]->counters[1].generated);
	assert_int_equal(bench.port[0].n_out, 0);
	workers_poll(0, 300);
	assert_int_equal(bench.port[0].n_out, workers[1]->counters[1].generated);
	/* to the sender, with the Destination Option that names the receiver */
	assert_int_equal(bench_out(0, 0)[14 + 24 + 15], 1);
	assert_int_equal(bench_out(0, 0)[14 + 6], 60);
	assert_true(workers[1]->port[1].egress->queue[3].stats.ce_marked > 0);
}

/* Copies of one packet that share its bytes leave by ports of other workers, in any order. */
TEST(clones)
{
	static const unsigned int orders[][N_WORKERS] = {{0, 1, 2}, {0, 2, 1}};
	struct frame f;

	bench_bridge(4);
	bench.snap.copies = FCN_COPY_CLONE;
	bench_new_snapshot();
	for (size_t i = 0; i < RTE_DIM(orders); i++) {
		frame_roce6(&f, 1, 1, 2, 1000);
		for (uint32_t k = 100; k < f.len; k++)
			f.data[k] = (uint8_t)(k * 3 + i);
		frame_macs(&f, 9, 1);
		bench_in(0, &f);
		for (unsigned int k = 0; k < N_WORKERS; k++)
			workers_poll(orders[i][k], 1000 + 10 * i + k);
		assert_int_equal(workers[0]->counters[0].cloned, 2 * (i + 1));
		for (unsigned int p = 1; p < 4; p++) {
			uint8_t copy[FRAME_MAX];

			assert_int_equal(bench.port[p].n_out, 1);
			assert_int_equal(bench_out_len(p, 0), f.len);
			assert_memory_equal(rte_pktmbuf_read(bench.port[p].out[0], 0, f.len, copy),
					f.data, f.len);
			/* it is free when the last of them is */
			rte_pktmbuf_free(bench.port[p].out[0]);
			bench.port[p].n_out = 0;
		}
	}
}

/* The trace of a packet goes on at the other worker, and its notice's in both. */
TEST(trace)
{
	const struct fcn_trace_record *r;

	workers[0]->trace.wanted = 1;
	workers_arrive(0, 1, 3, 1);
	workers_poll_all(100);
	assert_int_equal(workers[0]->trace.n, 1);
	r = &workers[0]->trace.record[0];
	assert_int_equal(r->from, 0);
	assert_int_equal(r->step[r->n_steps - 1].stage, FCN_STAGE_CROSS_CORE_TX);
	assert_int_equal(workers[1]->trace.n, 1);
	r = &workers[1]->trace.record[0];
	assert_int_equal(r->from, 1);
	assert_int_equal(r->from_worker, 0);
	assert_int_equal(r->n_steps, 3);
	assert_int_equal(r->step[0].stage, FCN_STAGE_CROSS_CORE_RX);
	assert_int_equal(r->step[1].stage, FCN_STAGE_ENQUEUE);
	assert_int_equal(r->step[1].queue_bytes, WORKERS_LEN);
	assert_int_equal(r->step[2].stage, FCN_STAGE_TRANSMIT);
}

/* Each worker keeps what meets the condition in its own part of the way: what is dropped on receipt
 * at the worker that receives it, and what its queue loses at the worker that has the queue. */
TEST(trace_when_dropped)
{
	const struct fcn_trace_record *r;

	for (unsigned int i = 0; i < N_WORKERS; i++) {
		workers[i]->trace.condition = (struct fcn_trace_condition){
				.type = FCN_TRACE_DROPPED};
		workers[i]->trace.wanted = 1;
	}
	workers_arrive(0, 1, 3, 1);
	workers_poll_all(100); /* port 1 has room for it */
	bench.snap.port[1].egress.queue[3].limit_bytes = 10;
	workers_arrive(0, 1, 3, 2);
	workers_poll_all(200);
	workers_arrive(0, 77, 3, 3); /* there is no route */
	workers_poll_all(300);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_trace_forget_candidates(&workers[i]->trace);
	assert_int_equal(workers[0]->trace.n - workers[0]->trace.n_unused, 1);
	r = &workers[0]->trace.record[workers[0]->trace.n - 1];
	assert_int_equal(r->bytes[14 + 8 + 15], 3);
	assert_int_equal(r->step[r->n_steps - 1].pkt.drop, FCN_DROP_NO_ROUTE);
	assert_int_equal(workers[1]->trace.n - workers[1]->trace.n_unused, 1);
	r = &workers[1]->trace.record[workers[1]->trace.n - 1];
	assert_int_equal(r->from, 0);
	assert_int_equal(r->from_worker, FCN_TRACE_ANY_WORKER);
	assert_int_equal(r->bytes[14 + 8 + 15], 2);
	assert_int_equal(r->n_steps, 2);
	assert_int_equal(r->step[0].stage, FCN_STAGE_CROSS_CORE_RX);
	assert_int_equal(r->step[1].stage, FCN_STAGE_ENQUEUE);
	assert_int_equal(r->step[1].pkt.drop, FCN_DROP_QUEUE_BYTES);
	assert_int_equal(workers[2]->trace.n, 0);
	bench.snap.port[1].egress.queue[3].limit_bytes = UINT32_MAX;
}

/* The traces are cleared while a packet is on its way to port 1 at worker 1. Whichever worker
 * clears its own first, the other's records do not come back. */
static void
clear_on_the_way(void)
{
	for (unsigned int first = 0; first < 2; first++) {
		workers[0]->trace.wanted = 1;
		workers_arrive(0, 1, 3, 1);
		workers_poll(0, 100);
		assert_int_equal(workers[0]->trace.n, 1);
		fcn_trace_clear(workers[first]);
		workers_poll(1, 101);
		fcn_trace_clear(workers[!first]);
		fcn_trace_clear(workers[2]);
		workers_poll(1, 102);
		for (unsigned int i = 0; i < N_WORKERS; i++)
			assert_int_equal(workers[i]->trace.n, 0);
		/* Those that begin now are complete. */
		workers[0]->trace.wanted = 1;
		workers_arrive(0, 1, 3, 1);
		workers_poll_all(103);
		assert_int_equal(workers[1]->trace.n, 1);
		for (unsigned int i = 0; i < N_WORKERS; i++)
			fcn_trace_clear(workers[i]);
	}
}

TEST(trace_clear)
{
	clear_on_the_way();
	/* Packets of a lossless class take another path to the ring. */
	bench_lossless(0, 3, 6 * WORKERS_LEN, 2 * WORKERS_LEN, 8 * WORKERS_LEN);
	bench_new_snapshot();
	clear_on_the_way();
	assert_int_equal(workers[0]->ingress[0][3].used_max, WORKERS_LEN);
}

/* Frames of the host functions go to the worker that has the port. */
TEST(refused_at_the_far_end)
{
	bench.snap.port[1].egress.queue[3].limit_bytes = 3 * WORKERS_LEN;
	bench_new_snapshot();
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 5; i++)
		workers_arrive(0, 1, 3, 1);
	workers_poll_all(100);
	/* by the port they came in by, at the worker that dropped them */
	assert_int_equal(workers[1]->counters[0].drop[FCN_DROP_QUEUE_BYTES], 2);
	assert_int_equal(workers[0]->counters[0].drop[FCN_DROP_QUEUE_BYTES], 0);
}

/* Two queues of one port, at two workers: each packet leaves once, counted at who received it. */
struct two_queues {
	struct bench_port *queue[2];
};

static void *
rx_queue(void *port, uint16_t queue)
{
	return ((struct two_queues *)port)->queue[queue];
}

static uint16_t
rx_queues(void *port)
{
	RTE_SET_USED(port);
	return 2;
}

static uint16_t
no_tx(void *port, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(port);
	RTE_SET_USED(pkts);
	RTE_SET_USED(n);
	RTE_SET_USED(now);
	return 0;
}

TEST(queues)
{
	struct two_queues port = {{&bench.port[0], &bench.port[3]}};
	const struct fcn_port_ops ops = {.kind = "two",
			.rx_burst = bench_ops.rx_burst,
			.tx_burst = no_tx,
			.link_bps = bench_ops.link_bps,
			.rx_queues = rx_queues,
			.rx_queue = rx_queue};
	const struct fcn_placement place = {.owner = 0, .n_rx_queues = 2, .rx_worker = {0, 1}};
	uint32_t slots[FCN_CLASSES] = {8, 8, 8, 8, 8, 8, 8, 8};

	fcn_worker_group_port_remove(workers, N_WORKERS, 0);
	fcn_worker_group_port_remove(workers, N_WORKERS, 3);
	assert_int_equal(fcn_worker_group_port_add(
					 workers, N_WORKERS, &place, 0, &ops, &port, slots),
			0);
	for (unsigned int i = 0; i < 6; i++)
		workers_arrive(0, 2, 3, i);
	for (unsigned int i = 0; i < 4; i++) { /* the second queue's array */
		workers_arrive(0, 1, 3, i);
		bench.port[3].in[bench.port[3].n_in++] = bench.port[0].in[--bench.port[0].n_in];
	}
	workers_poll_all(100);
	assert_int_equal(workers[0]->counters[0].rx_packets, 6);
	assert_int_equal(workers[1]->counters[0].rx_packets, 4);
	assert_int_equal(bench.port[2].n_out, 6);
	assert_int_equal(bench.port[1].n_out, 4);
	fcn_worker_group_port_remove(workers, N_WORKERS, 0);
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		for (unsigned int k = 0; k < workers[i]->n_rx_queues; k++)
			assert_int_not_equal(workers[i]->rx_queue[k].port, 0);
	}
}

/* Anything by any port to any port, turns in any order: nothing is lost, none overtakes another. */
TEST(order)
{
	static uint8_t next_in[4][4][FCN_CLASSES], next_out[4][4][FCN_CLASSES];
	uint64_t seed = 7;
	unsigned int sent = 0, left = 0;

	memset(next_in, 0, sizeof(next_in));
	memset(next_out, 0, sizeof(next_out));
	for (unsigned int turn = 0; turn < 3000; turn++) {
		unsigned int w = fcn_test_random(&seed) % N_WORKERS;

		for (unsigned int k = fcn_test_random(&seed) % 9; k > 0 && turn < 2900; k--) {
			unsigned int from = fcn_test_random(&seed) % 4;
			unsigned int to = fcn_test_random(&seed) % 4;
			unsigned int c = fcn_test_random(&seed) % FCN_CLASSES;

			if (bench.port[from].n_in > 900)
				continue;
			workers_arrive(from, to, c, next_in[from][to][c]++);
			sent++;
		}
		for (unsigned int p = 0; p < 4; p++)
			bench.port[p].accept = fcn_test_random(&seed) % 8;
		workers_poll(turn < 2900 ? w : turn % N_WORKERS, turn);
		for (unsigned int p = 0; p < 4; p++) {
			for (unsigned int i = 0; i < bench.port[p].n_out; i++) {
				const uint8_t *d = bench_out(p, i);
				unsigned int from = d[14 + 8 + 5];
				unsigned int c = d[14] >> 1 & 7;

				assert_int_equal(d[14 + 24 + 5], p);
				assert_int_equal(d[14 + 8 + 15], next_out[from][p][c]++);
				left++;
			}
		}
		bench_forget_out();
	}
	for (unsigned int p = 0; p < 4; p++)
		bench.port[p].accept = UINT16_MAX;
	for (unsigned int turn = 3000; turn < 3100; turn++)
		workers_poll(turn % N_WORKERS, turn);
	for (unsigned int p = 0; p < 4; p++)
		left += bench.port[p].n_out;
	assert_int_equal(left, sent);
	assert_true(sent > 10000);
	assert_true(workers[0]->cross_core_tx > 1000 && workers[1]->cross_core_tx > 1000);
}
