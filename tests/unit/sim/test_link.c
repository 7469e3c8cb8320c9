/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Links: when frames leave and arrive, what faults do to them, and that none is lost sight of. */

#include "fcn_link_port.h"
#include "fcn_test.h"

#define BUFFERS 1023
#define GBPS UINT64_C(1000000000)
#define BILLION 1000000000u

static struct rte_mempool *pool;

struct bed {
	struct fcn_sim *sim, *there; /* of end 0, and of end 1: the same, or another */
	struct fcn_link *link;
	uint64_t time[4096];
	uint32_t tag[4096];
	bool same[4096]; /* octets as they were sent */
	unsigned int n;
	unsigned int told[FCN_LINK_FATE_COUNT];
	uint64_t departed;
};

static struct bed bed;

static struct rte_mbuf *
frame(uint32_t len, uint32_t tag)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);
	uint8_t *p;

	assert_non_null(m);
	p = (uint8_t *)rte_pktmbuf_append(m, len);
	memset(p, 0x55, len);
	memcpy(p, &tag, sizeof(tag));
	return m;
}

static void
deliver(void *arg, struct rte_mbuf *m, uint64_t now)
{
	struct bed *b = arg;
	const uint8_t *p = rte_pktmbuf_mtod(m, const uint8_t *);

	b->time[b->n] = now;
	memcpy(&b->tag[b->n], p, sizeof(b->tag[0]));
	b->same[b->n] = true;
	for (uint32_t i = sizeof(b->tag[0]); i < m->data_len; i++)
		b->same[b->n] &= p[i] == 0x55;
	b->n++;
	rte_pktmbuf_free(m);
}

static void
tell(void *arg, unsigned int from, const struct rte_mbuf *m, enum fcn_link_fate fate,
		uint64_t departed)
{
	struct bed *b = arg;

	assert_int_equal(from, 0);
	assert_true(m->pkt_len >= 4);
	b->told[fate]++;
	b->departed = departed;
}

/* The notices of the simulation: frames of 99 octets. */
static bool
is_of_99(void *arg, const struct rte_mbuf *m)
{
	assert_ptr_equal(arg, &bed);
	return m->pkt_len == 99;
}

static void
begin_in(struct fcn_sim *here, struct fcn_sim *there, uint64_t bps, uint64_t delay,
		uint32_t max_frame)
{
	const struct fcn_link_conf conf = {.sim = {here, there},
			.rate_bps = bps,
			.delay_ns = delay,
			.extra_ns = {7, 0},
			.max_frame = max_frame,
			.seed = 3,
			.pool = pool,
			.is_notice = is_of_99,
			.is_notice_arg = &bed};

	memset(&bed, 0, sizeof(bed));
	bed.sim = here;
	bed.there = there;
	bed.link = fcn_link_create(&conf);
	assert_non_null(bed.link);
	fcn_link_attach(bed.link, 1, deliver, &bed);
	fcn_link_attach(bed.link, 0, deliver, &bed);
	fcn_link_observe(bed.link, tell, &bed);
}

static void
begin(uint64_t bps, uint64_t delay, uint32_t max_frame)
{
	struct fcn_sim *sim = fcn_sim_create();

	begin_in(sim, sim, bps, delay, max_frame);
}

static void
run(void)
{
	while (fcn_sim_step(bed.there, FCN_SIM_NEVER - 1))
		;
}

static void
end(void)
{
	fcn_link_free(bed.link);
	if (bed.there != bed.sim)
		fcn_sim_free(bed.there);
	fcn_sim_free(bed.sim);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

/* Every frame put on it is somewhere. */
static void
check_conservation(uint64_t sent)
{
	struct fcn_link_counters c;
	uint64_t all = 0, lost;

	fcn_link_counters(bed.link, 0, &c);
	for (unsigned int f = 0; f < FCN_LINK_FATE_COUNT; f++)
		all += c.packets[f];
	assert_true(all == sent);
	lost = c.packets[FCN_LINK_LOST] + c.packets[FCN_LINK_DOWN] + c.packets[FCN_LINK_TOO_LONG] +
	       c.packets[FCN_LINK_NOTICE_LOST] + c.packets[FCN_LINK_NO_MBUF];
	assert_true(sent + c.copies ==
			lost + c.delivered + c.cut_off + fcn_link_in_flight(bed.link, 0));
	assert_int_equal(c.delivered, bed.n);
}

/* 1102 bytes and 24 of overhead: 90.08 ns at 100 Gbit/s; 500 ns and 7 more on the way. */
TEST(times_on_paper)
{
	const uint64_t departs[] = {91, 181, 271, 361, 451, 541};

	begin(100 * GBPS, 500, 0);
	for (uint32_t i = 0; i < RTE_DIM(departs); i++) {
		assert_true(fcn_link_send(bed.link, 0, frame(1102, i),
					    fcn_link_ready(bed.link, 0)) == departs[i]);
		assert_true(bed.departed == departs[i]);
	}
	assert_int_equal(fcn_link_in_flight(bed.link, 0), RTE_DIM(departs));
	run();
	assert_int_equal(bed.n, RTE_DIM(departs));
	for (uint32_t i = 0; i < RTE_DIM(departs); i++) {
		assert_int_equal(bed.tag[i], i);
		assert_true(bed.time[i] == departs[i] + 507);
	}
	check_conservation(RTE_DIM(departs));
	end();
}

/* 115.2 ns of 1440 bytes at 100 Gbit/s, 1152 ns at 10: the frame that is being sent keeps its time.
 */
TEST(other_speed)
{
	const uint64_t departs[] = {116, 1268, 2420, 2536};

	begin(100 * GBPS, 500, 0);
	for (uint32_t i = 0; i < RTE_DIM(departs); i++) {
		if (i == 1)
			fcn_link_set_rate(bed.link, 10 * GBPS);
		if (i == 3)
			fcn_link_set_rate(bed.link, 100 * GBPS);
		assert_true(fcn_link_send(bed.link, 0, frame(1416, i),
					    fcn_link_ready(bed.link, 0)) == departs[i]);
	}
	fcn_link_set_rate(bed.link, 0);
	assert_true(fcn_link_rate(bed.link) == 100 * GBPS);
	run();
	assert_int_equal(bed.n, RTE_DIM(departs));
	for (uint32_t i = 0; i < RTE_DIM(departs); i++)
		assert_true(bed.time[i] == departs[i] + 507);
	check_conservation(RTE_DIM(departs));
	end();
}

/* The other direction is another line, and the extra delay is not its. */
TEST(directions)
{
	begin(10 * GBPS, 100, 0);
	fcn_link_observe(bed.link, NULL, NULL);
	fcn_link_send(bed.link, 0, frame(60, 0), 0);
	assert_true(fcn_link_ready(bed.link, 1) == 0);
	fcn_link_send(bed.link, 1, frame(60, 1), 0);
	run();
	assert_int_equal(bed.tag[0], 1);
	assert_true(bed.time[0] == 168 && bed.time[1] == 175);
	end();
}

static unsigned int
send_many(unsigned int n)
{
	for (uint32_t i = 0; i < n; i++) {
		fcn_link_send(bed.link, 0, frame(100, i), fcn_link_ready(bed.link, 0));
		while (fcn_sim_step(bed.sim, fcn_link_ready(bed.link, 0)))
			;
	}
	return n;
}

/* A tenth of 3000: 300, give or take four standard deviations of 16.4. */
static void
assert_a_tenth(uint64_t n)
{
	assert_in_range(n, 300 - 66, 300 + 66);
}

TEST(faults_by_chance)
{
	const struct fcn_link_faults loss = {.loss = BILLION / 10};
	const struct fcn_link_faults twice = {.duplicate = BILLION / 10};
	const struct fcn_link_faults flip = {.corrupt = BILLION / 10};
	unsigned int damaged = 0;

	begin(10 * GBPS, 0, 0);
	fcn_link_set_faults(bed.link, 0, &loss);
	send_many(3000);
	run();
	assert_a_tenth(bed.told[FCN_LINK_LOST]);
	assert_int_equal(bed.n + bed.told[FCN_LINK_LOST], 3000);
	check_conservation(3000);
	end();

	begin(10 * GBPS, 0, 0);
	fcn_link_set_faults(bed.link, 0, &twice);
	send_many(3000);
	run();
	assert_a_tenth(bed.told[FCN_LINK_DUPLICATED]);
	assert_int_equal(bed.n, 3000 + bed.told[FCN_LINK_DUPLICATED]);
	check_conservation(3000);
	end();

	begin(10 * GBPS, 0, 0);
	fcn_link_set_faults(bed.link, 0, &flip);
	send_many(3000);
	run();
	assert_int_equal(bed.n, 3000);
	for (unsigned int i = 0; i < bed.n; i++)
		damaged += !bed.same[i] || bed.tag[i] != i;
	assert_int_equal(damaged, bed.told[FCN_LINK_CORRUPTED]);
	assert_a_tenth(damaged);
	check_conservation(3000);
	end();
}

/* A slow frame comes behind those sent within 1 us, which is 10 frames of 99.2 ns. */
TEST(reordered)
{
	const struct fcn_link_faults slow = {.reorder = BILLION / 10, .reorder_ns = 1000};
	unsigned int early = 0;

	begin(10 * GBPS, 5000, 0);
	fcn_link_set_faults(bed.link, 0, &slow);
	send_many(500);
	run();
	assert_int_equal(bed.n, 500);
	for (unsigned int i = 0; i < bed.n; i++) {
		assert_true(i == 0 || bed.time[i] >= bed.time[i - 1]);
		/* late by as many as overtook it */
		assert_in_range(bed.tag[i] + 11, i, i + 22);
		early += i > 0 && bed.tag[i] < bed.tag[i - 1];
	}
	assert_true(early > 20 && early <= bed.told[FCN_LINK_REORDERED]);
	check_conservation(500);
	end();
}

TEST(down_and_up)
{
	struct fcn_link_counters c;

	begin(10 * GBPS, 1000, 0);
	fcn_link_send(bed.link, 0, frame(100, 0), 0);
	fcn_link_send(bed.link, 0, frame(100, 1), fcn_link_ready(bed.link, 0));
	fcn_link_set_up(bed.link, false);
	assert_false(fcn_link_is_up(bed.link));
	fcn_link_send(bed.link, 0, frame(100, 2), fcn_link_ready(bed.link, 0));
	run();
	fcn_link_set_up(bed.link, true);
	fcn_link_send(bed.link, 0, frame(100, 3), fcn_link_ready(bed.link, 0));
	run();
	assert_int_equal(bed.n, 1);
	assert_int_equal(bed.tag[0], 3);
	fcn_link_counters(bed.link, 0, &c);
	assert_int_equal(c.cut_off, 2);
	assert_int_equal(c.packets[FCN_LINK_DOWN], 1);
	check_conservation(4);
	end();
}

TEST(too_long)
{
	begin(10 * GBPS, 0, 1000);
	fcn_link_send(bed.link, 0, frame(1000, 0), 0);
	fcn_link_send(bed.link, 0, frame(1001, 1), fcn_link_ready(bed.link, 0));
	run();
	assert_int_equal(bed.n, 1);
	assert_int_equal(bed.told[FCN_LINK_TOO_LONG], 1);
	check_conservation(2);
	end();
}

/* Who gets a frame may write to it, whoever else has its octets. */
TEST(shared_octets)
{
	const struct fcn_link_faults flip = {.corrupt = BILLION};
	struct rte_mbuf *m = frame(100, 7), *clone = rte_pktmbuf_clone(m, pool);
	const uint8_t *p = rte_pktmbuf_mtod(m, const uint8_t *);

	begin(10 * GBPS, 0, 0);
	fcn_link_set_faults(bed.link, 0, &flip);
	fcn_link_send(bed.link, 0, clone, 0);
	run();
	assert_int_equal(bed.n, 1);
	assert_true(!bed.same[0] || bed.tag[0] != 7);
	for (uint32_t i = 4; i < 100; i++)
		assert_int_equal(p[i], 0x55);
	rte_pktmbuf_free(m);
	check_conservation(1);
	end();
}

/* An empty RoCEv2 packet: Ethernet, IPv6, UDP to port 4791, BTH, ICRC. */
static struct rte_mbuf *
roce(uint8_t opcode, uint16_t udp_port)
{
	const uint8_t octets[14 + 40 + 8 + 12 + 16 + 4] = {[12] = 0x86,
			0xDD,
			0x60,
			0,
			0,
			0,
			0,
			40,
			17,
			64,
			0x20,
			1,
			[37] = 1,
			0x20,
			1,
			[53] = 2,
			0xC0,
			0,
			udp_port >> 8,
			udp_port & 0xFF,
			0,
			40,
			[62] = opcode};
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	memcpy(rte_pktmbuf_append(m, sizeof(octets)), octets, sizeof(octets));
	return m;
}

/* Notices are lost, be they CNPs or Fast CNPs (opcode 0x81 of both), and what the
 * simulation calls a notice; nothing else is. */
TEST(notices)
{
	const struct fcn_link_faults all = {.notice_loss = BILLION},
				     some = {.notice_loss = BILLION / 10};
	struct fcn_link_faults faults;

	begin(10 * GBPS, 0, 0);
	fcn_link_set_faults(bed.link, 0, &all);
	fcn_link_get_faults(bed.link, 0, &faults);
	assert_memory_equal(&faults, &all, sizeof(faults));
	fcn_link_get_faults(bed.link, 1, &faults);
	assert_int_equal(faults.notice_loss, 0);
	fcn_link_send(bed.link, 0, roce(0x81, 4791), 0);
	fcn_link_send(bed.link, 0, roce(0x04, 4791), fcn_link_ready(bed.link, 0));
	fcn_link_send(bed.link, 0, roce(0x11, 4791), fcn_link_ready(bed.link, 0)); /* ACK */
	fcn_link_send(bed.link, 0, roce(0x81, 4790), fcn_link_ready(bed.link, 0));
	fcn_link_send(bed.link, 0, frame(100, 0), fcn_link_ready(bed.link, 0));
	run();
	assert_int_equal(bed.told[FCN_LINK_NOTICE_LOST], 1);
	assert_int_equal(bed.told[FCN_LINK_SENT], 4);
	fcn_link_send(bed.link, 0, frame(99, 0), fcn_link_ready(bed.link, 0));
	run();
	assert_int_equal(bed.told[FCN_LINK_NOTICE_LOST], 2);
	check_conservation(6);
	fcn_link_set_faults(bed.link, 0, &some);
	for (unsigned int i = 0; i < 3000; i++) {
		fcn_link_send(bed.link, 0, roce(0x81, 4791), fcn_link_ready(bed.link, 0));
		run();
	}
	assert_a_tenth(bed.told[FCN_LINK_NOTICE_LOST] - 2);
	check_conservation(3006);
	end();
}

/* No buffer for octets of its own, or for a second one: told by a fate, and a counter. */
TEST(no_mbuf)
{
	const struct fcn_link_faults twice = {.duplicate = BILLION};
	struct rte_mbuf *m = frame(100, 7), *clone = rte_pktmbuf_clone(m, pool),
			*other = frame(100, 8);
	struct rte_mbuf *rest[BUFFERS];
	struct fcn_link_counters c;
	unsigned int n = 0;

	while ((rest[n] = rte_pktmbuf_alloc(pool)) != NULL)
		n++;
	begin(10 * GBPS, 0, 0);
	fcn_link_send(bed.link, 0, clone, 0);
	rest[n] = rte_pktmbuf_alloc(pool); /* the clone's */
	assert_non_null(rest[n++]);
	fcn_link_set_faults(bed.link, 0, &twice);
	fcn_link_send(bed.link, 0, other, fcn_link_ready(bed.link, 0));
	run();
	assert_int_equal(bed.n, 1);
	assert_int_equal(bed.tag[0], 8);
	fcn_link_counters(bed.link, 0, &c);
	assert_int_equal(c.packets[FCN_LINK_NO_MBUF], 1);
	assert_int_equal(c.packets[FCN_LINK_DUPLICATED], 1);
	assert_int_equal(c.copies, 0);
	assert_int_equal(c.no_mbuf, 1);
	check_conservation(2);
	rte_pktmbuf_free_bulk(rest, n);
	rte_pktmbuf_free(m);
	end();
}

static struct rte_mbuf *
frame_of(struct rte_mempool *own, uint32_t tag)
{
	struct rte_mbuf *m = frame(100, tag), *copy = rte_pktmbuf_copy(m, own, 0, UINT32_MAX);

	assert_non_null(copy);
	rte_pktmbuf_free(m);
	return copy;
}

/* The sender's pool has its buffers back when the last bit has left, however long the link is. */
TEST(pool_of_the_sender)
{
	struct rte_mempool *own = rte_pktmbuf_pool_create("sender", 3, 0, 0, 2048, SOCKET_ID_ANY);
	struct rte_mbuf *rest[BUFFERS + 1], *last;
	unsigned int n = 0;

	assert_non_null(own);
	begin(10 * GBPS, 1000000, 0);
	for (uint32_t i = 0; i < 9; i++) {
		fcn_link_send(bed.link, 0, frame_of(own, i), fcn_link_ready(bed.link, 0));
		assert_int_equal(rte_mempool_in_use_count(own), 0);
	}
	/* Without a buffer for the copy the frame takes the sender's along. */
	last = frame_of(own, 9);
	while ((rest[n] = rte_pktmbuf_alloc(pool)) != NULL)
		n++;
	fcn_link_send(bed.link, 0, last, fcn_link_ready(bed.link, 0));
	assert_int_equal(rte_mempool_in_use_count(own), 1);
	run();
	assert_int_equal(bed.n, 10);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(bed.tag[i], i);
	check_conservation(10);
	rte_pktmbuf_free_bulk(rest, n);
	end();
	rte_mempool_free(own);
}

static unsigned int woken;

static void
wake(void *arg, uint64_t now)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(now);
	woken++;
}

/* A port takes one frame when its line is free, and gives what arrived in order. */
TEST(port)
{
	const struct fcn_port_ops *ops = &fcn_link_port_ops;
	struct fcn_link_port *a, *b;
	struct rte_mbuf *m[2] = {frame(60, 0), frame(60, 1)}, *got[200];

	begin(10 * GBPS, 10, 0);
	fcn_link_observe(bed.link, NULL, NULL);
	woken = 0;
	a = fcn_link_port_create(bed.link, 0, wake, NULL);
	b = fcn_link_port_create(bed.link, 1, wake, NULL);
	assert_int_equal(ops->tx_room(a, 0), 1);
	assert_int_equal(ops->tx_burst(a, m, 2, 0), 1);
	assert_int_equal(ops->tx_room(a, 67), 0);
	assert_int_equal(ops->tx_burst(a, &m[1], 1, 67), 0);
	assert_true(ops->tx_ready(a, 67) == 68);
	assert_int_equal(ops->tx_burst(a, &m[1], 1, 68), 1);
	assert_true(ops->link_bps(a) == 10 * GBPS && ops->link_up(a));
	run();
	assert_int_equal(woken, 1);
	assert_int_equal(fcn_link_port_waiting(b), 2);
	assert_int_equal(ops->rx_burst(b, got, 1, 200), 1);
	assert_ptr_equal(got[0], m[0]);
	assert_int_equal(ops->rx_burst(b, got, 32, 200), 1);
	assert_ptr_equal(got[0], m[1]);
	rte_pktmbuf_free(m[0]);
	rte_pktmbuf_free(m[1]);
	for (uint32_t i = 0; i < 200; i++)
		fcn_link_send(bed.link, 0, frame(60, i), fcn_link_ready(bed.link, 0));
	run();
	assert_int_equal(ops->rx_burst(b, got, 150, 0), 150);
	rte_pktmbuf_free_bulk(got, 150);
	assert_int_equal(fcn_link_port_flush(b), 50);
	fcn_link_port_free(a);
	fcn_link_port_free(b);
	end();
}

static int
setup(void **state)
{
	if (fcn_test_eal_init(state) != 0)
		return -1;
	pool = rte_pktmbuf_pool_create(
			"frames", BUFFERS, 0, 0, RTE_PKTMBUF_HEADROOM + 2048, SOCKET_ID_ANY);
	return pool != NULL ? 0 : -1;
}

TEST_FIXTURE(.begin = setup, .end = fcn_test_eal_cleanup);

/*
 * The ends are in two simulations: what is sent waits until it is handed over, and is in flight all
 * the time. 1000 octets and 24 more are 8192 ns at 1 Gb/s; then 500 ns, and 7 of the node.
 */
TEST(between_two_simulations)
{
	struct fcn_link_counters c;
	uint64_t now = 0;

	begin_in(fcn_sim_create(), fcn_sim_create(), GBPS, 500, 0);
	for (uint32_t i = 0; i < 3; i++)
		now = fcn_link_send(bed.link, 0, frame(1000, i), now);
	assert_int_equal(fcn_link_in_flight(bed.link, 0), 3);
	assert_true(fcn_link_last_arrival(bed.link, 0) == 3 * 8192 + 507);
	fcn_link_exchange(bed.link);
	while (fcn_sim_step(bed.there, 3 * 8192))
		assert_true(bed.tag[bed.n - 1] == bed.n - 1 &&
				bed.time[bed.n - 1] == bed.n * 8192 + 507);
	assert_int_equal(bed.n, 2);
	/* the link is cut: what is in flight is lost, handed over or not */
	fcn_link_send(bed.link, 0, frame(1000, 3), now);
	fcn_link_set_up(bed.link, false);
	fcn_link_exchange(bed.link);
	fcn_link_set_up(bed.link, true);
	check_conservation(4);
	fcn_link_send(bed.link, 0, frame(1000, 4), 100000);
	fcn_sim_advance(bed.there, 100000 + 8192 + 508);
	fcn_link_exchange(bed.link);
	fcn_link_counters(bed.link, 0, &c);
	assert_true(c.cut_off == 2 && c.late == 1);
	end();
}

/* Duplicates and frames with an additional delay are handed over in the order of their arrival. */
TEST(faults_between_two_simulations)
{
	const struct fcn_link_faults faults = {
			.duplicate = BILLION / 4, .reorder = BILLION / 4, .reorder_ns = 100000};
	static struct bed one;

	for (unsigned int apart = 0; apart < 2; apart++) {
		struct fcn_sim *here = fcn_sim_create();
		uint64_t now = 0;

		begin_in(here, apart ? fcn_sim_create() : here, GBPS, 500, 0);
		fcn_link_set_faults(bed.link, 0, &faults);
		for (uint32_t i = 0; i < 400; i++) {
			now = fcn_link_send(bed.link, 0, frame(1000, i), now);
			if (i % 200 == 199)
				fcn_link_exchange(bed.link);
		}
		run();
		check_conservation(400);
		if (!apart)
			one = bed;
		assert_true(bed.n > 450 && bed.n == one.n);
		assert_memory_equal(bed.time, one.time, sizeof(one.time));
		assert_memory_equal(bed.tag, one.tag, sizeof(one.tag));
		end();
	}
}
