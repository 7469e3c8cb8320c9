/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Bursts that meet congestion: which packets cause a Fast CNP, and which limit refuses the others.
 * A model on a page decides about one packet after the other: minimum interval of the flow, share
 * of the link, buckets of the queue, of all, and of the receiver. What one of them refuses takes
 * nothing from any other.
 */

#include "turns.h"

#define SENDERS 5
#define QPS 3
#define BURST 30
#define OPTION 60 /* Destination Options */

/* A token costs so many ns, and the bucket holds `burst` of them; cost 0: there is no limit. */
struct bucket {
	uint64_t cost, burst;
	uint64_t full_at;
};

static struct bucket queue, global, receiver[SENDERS];
static uint64_t interval, sent_at[SENDERS][QPS];
static uint64_t link_burst, link_full_at;
static bool link_limited;
static uint64_t verdicts[FCN_NOTIFY_VERDICT_COUNT];

static int
setup(void **state)
{
	turns_set_width();
	bench_setup(state);
	bench_route("2001:db8::/48", 4);
	bench_route("2001:db8:1::/48", 5);
	bench_routes_done();
	bench_notices(1, 1); /* each packet meets congestion */
	bench.snap.notify.kind[0].global_burst = bench.snap.notify.kind[0].dest_burst = 1;
	bench_new_snapshot();
	bench_seed = 5;
	interval = link_burst = link_full_at = 0;
	link_limited = false;
	queue = global = (struct bucket){0};
	memset(receiver, 0, sizeof(receiver));
	memset(sent_at, 0, sizeof(sent_at));
	memset(verdicts, 0, sizeof(verdicts));
	bench_poll(1000000);
	return 0;
}

/* A packet of a flow. */
struct packet {
	enum turns_kind kind; /* TURNS_IP6 or TURNS_TRACE */
	uint8_t sender, qp, opcode;
};

static void
arrive(const struct packet *p)
{
	const struct turns_frame plain = TURNS_PLAIN(p->kind, 1, 0);
	struct frame f;

	turns_make(&f, &plain, 0);
	f.data[14 + 8 + 15] = (uint8_t)(p->sender + 1);
	f.data[f.udp + 8] = p->opcode;
	f.data[f.udp + 8 + 7] = p->qp;
	bench_in(0, &f);
}

/* Octets of the notice about a packet behind the Ethernet header: IPv6, an option with the address
 * of the receiver, or with it and a trace of four words, and UDP of 40 octets. */
static uint32_t
notice_len(const struct packet *p)
{
	return 40 + (p->kind == TURNS_TRACE ? 48 : 24) + 40;
}

static bool
has(const struct bucket *b, uint64_t now)
{
	return b->cost == 0 || RTE_MAX(b->full_at, now) - now <= b->cost * (b->burst - 1);
}

static void
take(struct bucket *b, uint64_t now)
{
	b->full_at = RTE_MAX(b->full_at, now) + b->cost;
}

/* Decide as the model does. */
static enum fcn_notify_verdict
decide(const struct packet *p, uint64_t now)
{
	uint64_t *last = &sent_at[p->sender][p->qp];
	const unsigned int op = p->opcode & 0x1F;

	if (op == 0x11 || op == 0x12 || p->opcode >> 5 == 4)
		return FCN_NOTIFY_NOT_DATA; /* acknowledgements, and what belongs to CNPs */
	if (interval != 0 && *last != 0 && now - *last < interval)
		return FCN_NOTIFY_INTERVAL;
	link_full_at = RTE_MAX(link_full_at, now);
	if (link_limited && link_full_at - now > link_burst)
		return FCN_NOTIFY_BUCKET_LINK;
	if (!has(&queue, now))
		return FCN_NOTIFY_BUCKET_QUEUE;
	if (!has(&global, now))
		return FCN_NOTIFY_BUCKET_GLOBAL;
	if (!has(&receiver[p->sender], now))
		return FCN_NOTIFY_BUCKET_DESTINATION;
	link_full_at += 14 + notice_len(p) + 24; /* a nanosecond for each octet on the wire */
	take(&queue, now);
	take(&global, now);
	take(&receiver[p->sender], now);
	*last = now;
	return p->kind == TURNS_TRACE ? FCN_FASTCNP_SENT_OPT2 : FCN_FASTCNP_SENT_OPT1;
}

/* Run a turn: the notices that leave are those of the model, and so is what was counted. */
static void
check(const struct packet *p, unsigned int n, uint64_t now)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < n; i++)
		arrive(&p[i]);
	bench_poll(now);
	assert_int_equal(bench.port[1].n_out, n);
	for (unsigned int i = 0; i < n; i++) {
		const enum fcn_notify_verdict v = decide(&p[i], now);
		const uint8_t *f;

		verdicts[v]++;
		if (v != FCN_FASTCNP_SENT_OPT1 && v != FCN_FASTCNP_SENT_OPT2)
			continue;
		f = bench_out(0, left);
		assert_int_equal(bench_out_len(0, left), 14 + notice_len(&p[i]));
		assert_int_equal(f[14 + 6], OPTION);
		assert_int_equal(f[14 + 24 + 15], p[i].sender + 1);
		assert_int_equal(f[14 + notice_len(&p[i]) - 40 + 8 + 7], p[i].qp);
		left++;
	}
	assert_int_equal(bench.port[0].n_out, left);
	for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++)
		assert_int_equal(bench_verdict(1, 3, v), verdicts[v]);
}

static struct packet
random_packet(void)
{
	return (struct packet){.kind = bench_below(4) == 0 ? TURNS_TRACE : TURNS_IP6,
			.sender = (uint8_t)bench_below(SENDERS),
			.qp = (uint8_t)bench_below(QPS),
			.opcode = 0x04};
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown, .each = turns_widths);

/* Acknowledgements of every transport cause no notice, wherever they are in a burst. */
TEST(opcodes)
{
	for (unsigned int turn = 0; turn < 300; turn++) {
		struct packet p[BURST];

		for (unsigned int i = 0; i < BURST; i++) {
			p[i] = random_packet();
			if (bench_below(3) == 0)
				p[i].opcode = bench_below(2) ? 0x11 : (uint8_t)bench_below(256);
			if (p[i].opcode == 0x81) /* not as long as a CNP */
				p[i].opcode = 0x11;
		}
		check(p, BURST, 1000000 + 1000 * turn);
	}
	assert_true(verdicts[FCN_NOTIFY_NOT_DATA] > fcn_test_effort(1000));
	assert_true(verdicts[FCN_FASTCNP_SENT_OPT1] > fcn_test_effort(1000));
	assert_true(verdicts[FCN_FASTCNP_SENT_OPT2] > fcn_test_effort(1000));
}

/* A flow is notified again when the interval is over since its last notice, to the nanosecond. */
TEST(interval)
{
	uint64_t now = 1000000;

	interval = 4000;
	bench.snap.notify.kind[0].interval_ns = (uint32_t)interval;
	bench_new_snapshot();
	for (unsigned int turn = 0; turn < 3000; turn++) {
		static const uint16_t steps[] = {1, 100, 1999, 2000, 2001, 3999, 4000, 4001};
		const unsigned int n = 1 + bench_below(BURST);
		struct packet p[BURST];

		for (unsigned int i = 0; i < n; i++)
			p[i] = random_packet();
		now += steps[bench_below(RTE_DIM(steps))];
		check(p, n, now);
	}
	assert_true(verdicts[FCN_NOTIFY_INTERVAL] > fcn_test_effort(3000));
	assert_true(verdicts[FCN_FASTCNP_SENT_OPT1] > fcn_test_effort(3000));
}

/* A limit that is not there, or one of some tokens. */
static struct bucket
random_bucket(unsigned int most_cost)
{
	if (bench_below(3) == 0)
		return (struct bucket){.burst = 1};
	return (struct bucket){.cost = 1 + bench_below(most_cost), .burst = 1 + bench_below(12)};
}

/* Choose limits anew. What was taken stays taken only by the clock: all buckets are full again. */
static void
random_limits(uint64_t now)
{
	struct fcn_notices_conf *conf = &bench.snap.notify;
	const struct bucket each = random_bucket(3000);

	queue = random_bucket(400);
	global = random_bucket(400);
	for (unsigned int i = 0; i < SENDERS; i++)
		receiver[i] = each;
	interval = bench_below(2) ? 0 : 100 + bench_below(4000);
	link_limited = bench_below(2);
	link_burst = bench_below(6000);
	link_full_at = now;
	bench_queue_bucket((uint32_t)queue.cost, (uint32_t)queue.burst);
	conf->kind[0].global_cost_ns = (uint32_t)global.cost;
	conf->kind[0].global_burst = (uint32_t)global.burst;
	conf->kind[0].dest_cost_ns = (uint32_t)each.cost;
	conf->kind[0].dest_burst = (uint32_t)each.burst;
	conf->kind[0].interval_ns = (uint32_t)interval;
	conf->common.link[0] = (struct fcn_notify_link){0};
	if (link_limited)
		conf->common.link[0] = (struct fcn_notify_link){
				.cost = 1 << FCN_NOTIFY_LINK_SHIFT, .burst_ns = link_burst};
	bench_new_snapshot();
}

TEST(limits)
{
	uint64_t now = 1000000;

	for (unsigned int turn = 0; turn < fcn_test_effort(4000); turn++) {
		const unsigned int n = 1 + bench_below(BURST);
		struct packet p[BURST];

		if (turn % 20 == 0) {
			now += 200000; /* longer than any bucket takes to be full */
			random_limits(now);
		}
		for (unsigned int i = 0; i < n; i++) {
			p[i] = random_packet();
			if (bench_below(20) == 0)
				p[i].opcode = 0x11;
		}
		now += bench_below(3) ? bench_below(1000) : bench_below(20000);
		check(p, n, now);
	}
	/* Every limit had its turn. */
	assert_true(verdicts[FCN_NOTIFY_INTERVAL] > fcn_test_effort(100));
	assert_true(verdicts[FCN_NOTIFY_BUCKET_LINK] > fcn_test_effort(100));
	assert_true(verdicts[FCN_NOTIFY_BUCKET_QUEUE] > fcn_test_effort(100));
	assert_true(verdicts[FCN_NOTIFY_BUCKET_GLOBAL] > fcn_test_effort(100));
	assert_true(verdicts[FCN_NOTIFY_BUCKET_DESTINATION] > fcn_test_effort(100));
}

/* The link is charged the octets of all notices that leave by it, short and long ones. */
TEST(charge)
{
	uint64_t now = 1000000;

	bench_charge_link(0);
	bench_new_snapshot();
	for (unsigned int turn = 0; turn < 200; turn++, now += 100000) {
		const unsigned int n = 1 + bench_below(BURST);
		struct packet p[BURST];
		uint64_t octets = 0;

		for (unsigned int i = 0; i < n; i++)
			p[i] = random_packet();
		check(p, n, now);
		for (unsigned int i = 0; i < bench.port[0].n_out; i++)
			octets += bench_out_len(0, i) + 24;
		assert_int_equal(bench.worker->notify_link[0].full - now, octets);
	}
}
