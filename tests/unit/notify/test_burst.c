/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Decisions about a burst are those about one packet after the other: random packets, limits and
 * times, once this way and once that, with two states that have to stay the same.
 */

#include "notify_util.h"

#define PACKETS 40
#define BURST 32
#define ROUNDS 3000

/* The state of the decisions in bursts; `notify[0]` is that of the single ones. */
static struct fcn_notify_state burst_state;
static uint64_t link_full[2][FCN_MAX_PORTS];
static struct packet packet[PACKETS];
static uint64_t seed = 7;

static uint64_t
random_below(uint64_t n)
{
	return fcn_test_random(&seed) % n;
}

static bool
one_in(uint64_t n)
{
	return random_below(n) == 0;
}

/* The way of a notice depends on its receiver. */
static enum fcn_notify_reach
route_to(const uint8_t to[16], struct fcn_notify_way *way)
{
	way->port = to[15] % 5 == 4 ? FCN_NOTIFY_NO_LINK : to[15] % 5;
	way->head = 14 + to[15] % 2 * 4;
	return to[15] % 7 == 6   ? FCN_NOTIFY_REACH_NONE
	       : to[15] % 7 == 5 ? FCN_NOTIFY_REACH_NO_TRACE
				 : FCN_NOTIFY_REACH_ALL;
}

static enum fcn_notify_reach
find_route(struct fcn_notice_route *route, const uint8_t to[16], struct fcn_notify_way *way)
{
	RTE_SET_USED(route);
	return route_to(to, way);
}

static void
make_packets(void)
{
	for (unsigned int i = 0; i < PACKETS; i++) {
		struct packet *p = &packet[i];

		if (i % 8 == 7) {
			packet_ioam(p, 1 + i % 70);
			p->f.data[14 + 8 + 15] = i / 8 % 2 == 0 ? 5 : 1;
		} else {
			packet_roce(p, i % 11, i % 3, i % 2);
		}
		if (i % 16 == 5)
			p->f.data[p->f.udp + 8] = 0x11; /* an acknowledgement */
		if (i % 16 == 9)
			memset(p->f.data + 14 + 8, 0, 16);
		packet_parse(p);
	}
}

static void
random_conf(void)
{
	conf.kind[0].interval_ns = one_in(3) ? 0 : random_below(5000);
	conf.kind[0].global_cost_ns = one_in(2) ? 0 : random_below(300);
	conf.kind[0].global_burst = 1 + random_below(20);
	conf.kind[0].dest_cost_ns = one_in(2) ? 0 : random_below(2000);
	conf.kind[0].dest_burst = 1 + random_below(4);
	conf.common.receiver_by_link = one_in(3);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		conf.common.receiver[p] = (struct fcn_notify_bucket){
				one_in(2) ? 0 : random_below(2000), 1 + random_below(4)};
		conf.common.link[p] = (struct fcn_notify_link){
				one_in(2) ? 0 : random_below(1 << 20), random_below(4000)};
		/* The bucket holds whole notices of 104 bytes behind 14, which take 142 ns. */
		if (one_in(2))
			conf.common.link[p] = (struct fcn_notify_link){
					1 << FCN_NOTIFY_LINK_SHIFT, 142 * random_below(8)};
	}
	set_queue_bucket(one_in(2) ? 0 : random_below(400), 1 + random_below(9));
	fastcnp.default_capability = random_below(3);
}

static void
compare_states(void)
{
	const struct fcn_notify_state *a = &notify[0], *b = &burst_state;

	assert_memory_equal(a->stats, b->stats, sizeof(a->stats));
	assert_memory_equal(a->queue_tat, b->queue_tat, sizeof(a->queue_tat));
	assert_int_equal(a->global_tat, b->global_tat);
	assert_int_equal(a->forgotten, b->forgotten);
	assert_int_equal(a->has_entries, b->has_entries);
	assert_int_equal(a->aged_ns, b->aged_ns);
	assert_memory_equal(
			a->flows.set, b->flows.set, (a->flows.mask + 1) * sizeof(*a->flows.set));
	assert_memory_equal(a->destinations.set, b->destinations.set,
			(a->destinations.mask + 1) * sizeof(*a->destinations.set));
	assert_memory_equal(link_full[0], link_full[1], sizeof(link_full[0]));
}

/* Decide about the same packets in both ways. */
static void
compare(const struct packet *const *p, unsigned int n, const struct fcn_notify_place *at,
		uint64_t now)
{
	struct fcn_notify_place single = *at, burst = *at;
	struct fcn_notify_case c[BURST];

	single.link_full = link_full[0];
	burst.link_full = link_full[1];
	memset(c, 0xA5, sizeof(c));
	for (unsigned int i = 0; i < n; i++) {
		c[i].data = p[i]->f.data;
		c[i].info = &p[i]->info;
	}
	conf.kind[0].kind->prepare(&conf.kind[0], &burst_state, c, n);
	for (unsigned int i = 0; i < n; i++) {
		if (c[i].due.reason != FCN_NOTIFY_NONE)
			continue;
		c[i].reach = one_in(3) ? FCN_NOTIFY_REACH_UNKNOWN
				       : route_to(c[i].due.to, &c[i].way);
	}
	fcn_notify_decide_burst(&conf.kind[0], &burst_state, &burst, c, n, now);
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_notify_decision d = fcn_notify_decide(
				&conf.kind[0], &notify[0], p[i]->f.data, &p[i]->info, &single, now);

		assert_int_equal(c[i].verdict, d.verdict);
		assert_int_equal(c[i].replaces_mark, d.replaces_mark);
		if (fcn_notify_verdict_is_sent(d.verdict))
			assert_int_equal(c[i].flow, d.flow);
	}
	compare_states();
}

static void
test_like_single_decisions(void **state)
{
	uint64_t now = 1, verdicts = 0;

	RTE_SET_USED(state);
	make_packets();
	assert_int_equal(fcn_notify_state_init(&burst_state, 64, 64, SOCKET_ID_ANY), 0);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		const struct packet *p[BURST];
		unsigned int n = 1 + random_below(BURST);
		struct fcn_notify_place place = {.port = random_below(3),
				.class = CLASS,
				.refuse = one_in(6) ? FCN_NOTIFY_NO_MBUF : FCN_NOTIFY_NONE,
				.find_route = find_route};

		if (one_in(8))
			random_conf();
		for (unsigned int i = 0; i < n; i++)
			p[i] = &packet[random_below(PACKETS)];
		compare(p, n, &place, now);
		now += one_in(20) ? random_below(3000000) : random_below(2000);
	}
	for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
		for (unsigned int p = 0; p < 3; p++)
			verdicts |= (uint64_t)(count_of(p, v) != 0) << v;
	}
	/* Every limit had its turn. */
	assert_int_not_equal(verdicts >> FCN_NOTIFY_INTERVAL & 1, 0);
	assert_int_not_equal(verdicts >> FCN_NOTIFY_NO_MBUF & 1, 0);
	assert_int_not_equal(verdicts >> FCN_NOTIFY_UNREACHABLE & 1, 0);
	assert_int_not_equal(verdicts >> FCN_NOTIFY_BUCKET_LINK & 1, 0);
	assert_int_not_equal(verdicts >> FCN_NOTIFY_BUCKET_QUEUE & 1, 0);
	assert_int_not_equal(verdicts >> FCN_NOTIFY_BUCKET_GLOBAL & 1, 0);
	assert_int_not_equal(verdicts >> FCN_NOTIFY_BUCKET_DESTINATION & 1, 0);
	assert_int_not_equal(verdicts >> FCN_FASTCNP_SENT_OPT1 & 1, 0);
	assert_int_not_equal(verdicts >> FCN_FASTCNP_SENT_OPT2 & 1, 0);
	assert_int_not_equal(verdicts >> FCN_FASTCNP_SENT_EDGE & 1, 0);
	fcn_notify_state_fini(&burst_state);
}

/* Of two packets of a flow in one burst, the second is suppressed. */
static void
test_flow_twice_in_a_burst(void **state)
{
	struct fcn_notify_place place = {.port = 1, .class = CLASS};
	struct fcn_notify_case c[3] = {0};
	struct packet p[2];

	RTE_SET_USED(state);
	conf.kind[0].interval_ns = 1000;
	packet_roce(&p[0], 1, 2, 3);
	packet_roce(&p[1], 1, 2, 4);
	for (unsigned int i = 0; i < 3; i++) {
		c[i].data = p[i / 2].f.data;
		c[i].info = &p[i / 2].info;
		c[i].way.port = FCN_NOTIFY_NO_LINK;
		c[i].reach = FCN_NOTIFY_REACH_ALL;
	}
	conf.kind[0].kind->prepare(&conf.kind[0], &notify[0], c, 3);
	fcn_notify_decide_burst(&conf.kind[0], &notify[0], &place, c, 3, 5);
	assert_int_equal(c[0].verdict, FCN_FASTCNP_SENT_OPT1);
	assert_int_equal(c[1].verdict, FCN_NOTIFY_INTERVAL);
	assert_int_equal(c[2].verdict, FCN_FASTCNP_SENT_OPT1);
	assert_int_equal(count_of(1, FCN_FASTCNP_SENT_OPT1), 2);
	assert_int_equal(count_of(1, FCN_NOTIFY_INTERVAL), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(
					test_like_single_decisions, notify_setup, notify_teardown),
			cmocka_unit_test_setup_teardown(
					test_flow_twice_in_a_burst, notify_setup, notify_teardown),
	};

	return cmocka_run_group_tests_name("burst", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
