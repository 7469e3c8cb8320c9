/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A proxy with several workers: whichever receives the messages about a flow, one decides, so the
 * interval of the flow holds; the port's owner pauses the sender's link; all workers mark packets.
 * Worker p % 3 owns port p.
 */

#include "proxy.h"
#include "workers_bench.h"

#define US UINT64_C(1000)
#define CONNECTED 31 /* at port 2 */

static int
setup(void **state)
{
	struct fcn_proxy_conf *conf = &bench.snap.proxy;
	struct fcn_prefix_value senders = {.value = FCN_PROXY_CE};
	struct fcn_fastcnp_conf fast = {
			.opt1_type = 0x9e, .opt2_type = 0x9f, .dscp = 48, .hop_limit = 64};

	workers_setup(state);
	assert_int_equal(fcn_prefix_parse("2001:db8::/32", &senders.prefix), 0);
	*conf = (struct fcn_proxy_conf){.receive = true,
			.port = 1021,
			.class = 6,
			.dscp = 48,
			.hop_limit = 64,
			.interval_ns = 50 * US,
			.least_interval_ns = 50 * US,
			.pfc_ns = 800 * US,
			.ce_ns = 1000 * US};
	assert_int_equal(fcn_fastcnp_template_init(&conf->fastcnp, &fast), 0);
	conf->senders = fcn_prefix_list_create("senders", &senders, 1, SOCKET_ID_ANY);
	assert_non_null(conf->senders);
	bench.next_hop[CONNECTED] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_CONNECTED, .port = 2, .interface = 2, .mtu = 1500};
	bench_route("2001:db8:2::/48", CONNECTED);
	bench_routes_done();
	bench_lossless(2, 3, 50000, 40000, 50000);
	bench_new_snapshot();
	workers_poll_all(1000);
	return 0;
}

static int
teardown(void **state)
{
	int rc;

	fcn_fastcnp_template_fini(&bench.snap.proxy.fastcnp);
	fcn_prefix_list_free(bench.snap.proxy.senders);
	rc = workers_teardown(state);
	return rc;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* A message about a flow from 2001:db8:<net>::1 to 2001:db8:3::2. */
static struct fcn_proxy_claim
claim_of(uint16_t src_port, uint8_t net, enum fcn_proxy_translation translation, uint8_t level)
{
	struct fcn_proxy_claim c;

	memset(&c, 0, sizeof(c));
	c.flow.version = 6;
	c.flow.proto = 17;
	c.flow.level = level;
	c.flow.src_port = src_port;
	c.flow.dst_port = 4791;
	memcpy(c.flow.src, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, net, [15] = 1}, 16);
	memcpy(c.flow.dst, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 3, [15] = 2}, 16);
	c.translation = (uint8_t)translation;
	c.tclass = 0x60; /* class 3 */
	c.is_data = true;
	c.generation = bench.snap.generation;
	return c;
}

/* Let worker i have received a message. */
static void
receive(unsigned int i, const struct fcn_proxy_claim *c)
{
	workers[i]->proxy.counters.accepted++;
	fcn_proxy_hand_over(workers[i], c);
}

static uint64_t
sum_of(size_t offset)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < N_WORKERS; i++)
		sum += *(const uint64_t *)((const char *)&workers[i]->proxy.counters + offset);
	return sum;
}

#define SUM(member) sum_of(offsetof(struct fcn_proxy_counters, member))

static unsigned int
take_sent(uint16_t port)
{
	unsigned int n = bench.port[port].n_out;

	bench_forget_out();
	return n;
}

/* 100 flows, each reported to every worker by several nodes: one Fast CNP each, and another after
 * the interval. */
TEST(one_owner)
{
	unsigned int owners = 0;

	for (unsigned int round = 0; round < 2; round++) {
		unsigned int sent = 0;

		for (unsigned int k = 0; k < 300; k++) {
			const struct fcn_proxy_claim c = claim_of(
					k % 100, 1, FCN_PROXY_FAST_CNP, k % 8);

			receive(k / 100, &c);
			if (k % 20 == 19)
				workers_poll_all(2 * US + round * 60 * US + k);
		}
		for (unsigned int t = 0; t < 5; t++)
			workers_poll_all(3 * US + round * 60 * US + t);
		sent += take_sent(1);
		assert_int_equal(sent, 100);
	}
	assert_int_equal(SUM(accepted), 600);
	assert_int_equal(SUM(fast_cnps), 200);
	assert_int_equal(SUM(paced) + SUM(raised), 400);
	assert_int_equal(SUM(lost), 0);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		owners += workers[i]->proxy.counters.fast_cnps != 0;
	assert_int_equal(owners, N_WORKERS);
}

/* Whichever worker owns the flow, the owner of port 2 sends the frames, until the time is over. */
TEST(pause)
{
	for (uint16_t k = 0; k < 16; k++) {
		const uint64_t from = 10 * US + 1000 * US * k;
		const struct fcn_proxy_claim c = claim_of(k, 2, FCN_PROXY_PFC, 3);

		receive(k % N_WORKERS, &c);
		workers_poll_all(from);
		workers_poll_all(from);
		assert_int_equal(take_sent(2), 1);
		workers_poll_all(from + 300 * US);
		take_sent(2); /* perhaps a renewed one */
		workers_poll_all(from + 400 * US);
		workers_poll_all(from + 400 * US);
		assert_int_equal(take_sent(2), 1);
		assert_int_equal(workers[2]->port[2].pause.xoff, 0);
	}
	assert_int_equal(SUM(pauses), 16);
}

/* A flow is marked by all workers. */
TEST(marks)
{
	const struct fcn_proxy_claim c = claim_of(7, 1, FCN_PROXY_CE, 7);
	unsigned int orders = 0, marking = 0;

	receive(1, &c);
	workers_poll_all(10 * US);
	/* Orders to mark are no messages that wait. */
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		for (unsigned int k = 0; k < workers[i]->n_peers; k++) {
			assert_true(rte_ring_empty(workers[i]->peer[k].rx[FCN_PEER_PROXY_CLAIMS]));
			orders += rte_ring_count(workers[i]->peer[k].rx[FCN_PEER_PROXY_ORDERS]);
		}
	}
	for (unsigned int i = 0; i < N_WORKERS; i++)
		marking += workers[i]->proxy.n_marks;
	assert_int_equal(marking + orders, N_WORKERS);
	workers_poll_all(11 * US);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		assert_int_equal(workers[i]->proxy.n_marks, 1);
	assert_int_equal(SUM(marks), 1);
	bench.snap.proxy.receive = false;
	bench_new_snapshot();
	workers_poll_all(12 * US);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		assert_int_equal(workers[i]->proxy.n_marks, 0);
}

/* An order to mark that comes when the configuration says otherwise is not carried out. */
TEST(marks_reconfigured)
{
	const struct fcn_proxy_claim c = claim_of(7, 1, FCN_PROXY_CE, 7);

	for (unsigned int i = 0; i < N_WORKERS; i++) {
		receive(i, &c); /* one of these workers owns the flow */
		workers_poll(i, 10 * US);
	}
	fcn_prefix_list_free(bench.snap.proxy.senders);
	bench.snap.proxy.senders = NULL;
	bench_new_snapshot();
	for (unsigned int k = 0; k < FCN_PROXY_MARK_SETS; k++) {
		struct frame f;

		for (uint16_t p = 0; p < 4; p++) {
			frame_roce6(&f, 1, 3, 2, 64);
			memcpy(f.data, &bench.snap.port[p].mac, 6);
			bench_in(p, &f);
		}
		workers_poll_all(11 * US + k);
		bench_forget_out();
	}
	for (unsigned int i = 0; i < N_WORKERS; i++)
		assert_int_equal(workers[i]->proxy.n_marks, 0);
	assert_int_equal(SUM(marked), 0);
}

/* Messages that wait while the configuration changes are translated as it says now. */
TEST(reconfigured)
{
	struct fcn_prefix_value senders[] = {{.value = FCN_PROXY_NONE}, {.value = FCN_PROXY_CE}};
	const unsigned int n = 90;

	assert_int_equal(fcn_prefix_parse("2001:db8:1::/48", &senders[0].prefix), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:2::/48", &senders[1].prefix), 0);
	for (unsigned int k = 0; k < n; k++) {
		const struct fcn_proxy_claim c = claim_of(
				(uint16_t)k, (uint8_t)(1 + k % 3), FCN_PROXY_FAST_CNP, 0);

		receive(k % N_WORKERS, &c);
	}
	fcn_prefix_list_free(bench.snap.proxy.senders);
	bench.snap.proxy.senders = fcn_prefix_list_create("senders2", senders, 2, SOCKET_ID_ANY);
	assert_non_null(bench.snap.proxy.senders);
	bench_new_snapshot();
	for (unsigned int t = 0; t < 5; t++)
		workers_poll_all(10 * US + t);
	assert_int_equal(SUM(none), n / 3);
	assert_int_equal(SUM(marks), n / 3);
	assert_int_equal(SUM(unknown), n / 3);
	assert_int_equal(SUM(fast_cnps), 0);
	assert_int_equal(SUM(accepted), n);
}

/* A worker that does not come: messages that find no room on its ring are lost and counted, and so
 * are orders to mark. */
TEST(ring_full)
{
	const unsigned int n = 4 * FCN_PROXY_RING;
	unsigned int waiting = 0;

	for (uint16_t k = 0; k < n; k++) {
		const struct fcn_proxy_claim c = claim_of(k, 1, FCN_PROXY_CE, 0);

		receive(0, &c);
	}
	for (unsigned int i = 0; i < workers[0]->n_peers; i++) {
		waiting += rte_ring_count(workers[0]->peer[i].tx[FCN_PEER_PROXY_CLAIMS]);
		assert_true(rte_ring_count(workers[0]->peer[i].tx[FCN_PEER_PROXY_CLAIMS]) <=
				FCN_PROXY_RING);
	}
	assert_true(SUM(lost) > 0);
	assert_int_equal(SUM(lost) + waiting + fcn_proxy_n_claims(&workers[0]->proxy), n);
	assert_int_equal(fcn_worker_next_event(workers[1], 1500), 1500);
	for (unsigned int t = 0; t < 40; t++)
		workers_poll(0, 2 * US + t); /* its orders find no room */
	assert_true(SUM(not_distributed) > 0);
	for (unsigned int t = 0; t < 40; t++)
		workers_poll_all(3 * US + t);
	assert_false(fcn_proxy_is_pending(workers[0]));
	assert_false(fcn_proxy_is_pending(workers[1]));
	assert_int_equal(SUM(marks) + SUM(lost), n);
}

/* Messages that wait on a ring when the proxy is turned off are lost and counted: they do not
 * become notifications when it is turned on again, whatever time later. */
TEST(off_with_messages)
{
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		for (uint16_t k = 0; k < 8; k++) {
			const struct fcn_proxy_claim c = claim_of(k, 1, FCN_PROXY_FAST_CNP, 0);

			receive(i, &c);
		}
	}
	bench.snap.proxy.receive = false;
	bench_new_snapshot();
	/* Worker 1 hands messages over when the others have already turned it off. */
	workers_poll(0, 12 * US);
	workers_poll(2, 12 * US);
	for (uint16_t k = 0; k < 8; k++) {
		const struct fcn_proxy_claim c = claim_of(k, 1, FCN_PROXY_FAST_CNP, 0);

		receive(1, &c);
	}
	workers_poll_all(13 * US);
	bench.snap.proxy.receive = true;
	bench_new_snapshot();
	for (unsigned int t = 0; t < 5; t++)
		workers_poll_all(1000 * US + t);
	assert_int_equal(take_sent(1), 0);
	assert_int_equal(SUM(fast_cnps), 0);
	assert_int_equal(SUM(lost), SUM(accepted));
}

/* A worker that receives more messages than it can process takes those of other workers in turn:
 * nodes at one port cannot keep those at another from being heard. */
TEST(turns)
{
	const struct rte_ring *ring = workers[0]->peer[0].rx[FCN_PEER_PROXY_CLAIMS];
	uint16_t k = 0;

	while (rte_ring_empty(ring)) {
		const struct fcn_proxy_claim c = claim_of(k++, 1, FCN_PROXY_CE, 0);

		receive(1, &c);
	}
	for (unsigned int t = 0; t < 4; t++) {
		while (fcn_proxy_n_claims(&workers[0]->proxy) < 200) {
			const struct fcn_proxy_claim c = claim_of(k++, 1, FCN_PROXY_CE, 0);

			receive(0, &c);
		}
		workers_poll(0, 2 * US + t);
	}
	assert_true(rte_ring_empty(ring));
}
