/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Notices that are framed when they are built leave as those that pass through the stage `route`,
 * and so do those that are decided about one by one: the same random traffic once for each way,
 * with next hops that are framed and that are not.
 */

#include "testbed.h"

#define TURNS 400
#define TAPE (8 << 20)

/* What was observed in the first way, and how far the comparison with it has come. */
static uint8_t tape[TAPE];
static size_t written, at;
static bool records;
static unsigned int framed; /* notices that were framed in this way */

static void
note(const void *p, size_t n)
{
	if (records) {
		assert_true(written + n <= sizeof(tape));
		memcpy(tape + written, p, n);
		written += n;
	} else {
		assert_true(at + n <= written);
		assert_memory_equal(tape + at, p, n);
		at += n;
	}
}

/* The kind: as it is, or one whose notices are not framed. */
static struct fcn_notice_kind
kind_of_way(unsigned int way)
{
	struct fcn_notice_kind kind = fcn_notice_fastcnp;

	if (way % 2 == 1)
		kind.framed_max = 0;
	return kind;
}

/* A kind whose notices are never due. With it beside the other, each packet is decided about alone.
 */
static void
never(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
		struct fcn_notify_case *c, unsigned int n)
{
	RTE_SET_USED(conf);
	RTE_SET_USED(state);
	assert_int_equal(n, 1);
	c->due.reason = FCN_NOTIFY_SENDER_NONE;
}

static const struct fcn_notice_kind never_kind = {.name = "never", .prepare = never};

/* Senders by next hop: stations behind ports, one with a tag, one whose MTU is too small for some
 * notices, paths of equal cost, and some that cannot be reached. */
static void
make_routes(void)
{
	bench.next_hop[8] = bench.next_hop[4];
	bench.next_hop[8].type = FCN_NEXT_HOP_FORWARD_TAGGED;
	bench.next_hop[8].vlan = 7;
	bench.next_hop[9] = bench.next_hop[6];
	bench.next_hop[9].mtu = 200;
	bench.next_hop[10] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP, .n_members = 2};
	bench.member[0] = 4;
	bench.member[1] = 6;
	bench_route("2001:db8::1/128", 4);
	bench_route("2001:db8::2/128", 6);
	bench_route("2001:db8::3/128", 7);
	bench_route("2001:db8::4/128", 8);
	bench_route("2001:db8::5/128", 9);
	bench_route("2001:db8::6/128", 10);
	bench_route("2001:db8::7/128", 1);
	bench_route("2001:db8::8/128", 2);
	bench_route("2001:db8::9/128", 3);
	bench_port_routes(2);
}

static void
random_frame(struct frame *f, uint64_t *seed)
{
	const unsigned int sender = 1 + fcn_test_random(seed) % 12;

	if (fcn_test_random(seed) % 4 == 0) {
		frame_ioam6(f, 0x800000, 1, 0, fcn_test_random(seed) % 50, 64);
		f->data[14 + 8 + 15] = sender;
	} else {
		frame_roce6(f, sender, 1, 2, 64);
	}
	f->data[f->udp] = fcn_test_random(seed);
	f->data[f->udp + 8 + 7] = fcn_test_random(seed) % 8;
}

static void
send_burst(uint64_t *seed)
{
	const unsigned int n = 1 + fcn_test_random(seed) % 40;

	for (unsigned int i = 0; i < n; i++) {
		struct frame f;

		random_frame(&f, seed);
		frame_to_port(&f, 0, 1);
		bench_in(0, &f);
	}
}

/* What later stages may read of the metadata of a notice. */
static void
note_metadata(const struct fcn_burst *b)
{
	note(&b->n, sizeof(b->n));
	for (unsigned int i = 0; i < b->n; i++) {
		const struct fcn_packet *p = &b->pkt[i];

		note(&p->info, sizeof(p->info));
		note(&p->next_hop, sizeof(p->next_hop));
		note(&p->out_port, sizeof(p->out_port));
		note(&p->flags, sizeof(p->flags));
		note(&p->class, sizeof(p->class));
		note(&p->trace, sizeof(p->trace));
		note(&p->in_port, sizeof(p->in_port));
		note(&p->level, sizeof(p->level));
		note(&p->notice_kind, sizeof(p->notice_kind));
		note(&p->reactions, sizeof(p->reactions));
	}
}

/* What left in a turn, and the events. */
static void
note_turn(void)
{
	struct fcn_event ev;

	for (unsigned int p = 0; p < 4; p++) {
		note(&bench.port[p].n_out, sizeof(bench.port[p].n_out));
		for (unsigned int i = 0; i < bench.port[p].n_out; i++)
			note(bench_out(p, i), bench_out_len(p, i));
	}
	while (bench_events(&ev, 1) == 1)
		note(&ev, sizeof(ev));
}

static void
note_counters(void)
{
	const struct fcn_worker *w = bench.worker;

	for (unsigned int p = 0; p < 4; p++) {
		note(&w->counters[p], sizeof(w->counters[p]));
		note(w->notify[0].stats[p], sizeof(w->notify[0].stats[p]));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			note(&bench_queue(p, c)->stats, sizeof(bench_queue(p, c)->stats));
			note(&bench_queue(p, c)->episodes->current,
					sizeof(bench_queue(p, c)->episodes->current));
		}
	}
	note(&w->notice_accounting[0], sizeof(w->notice_accounting[0]));
	note(w->notify_link, sizeof(w->notify_link));
}

static void
run(unsigned int way)
{
	const struct fcn_notice_kind kind = kind_of_way(way);
	const uint8_t on = way >= 2 ? 3 : 1;
	uint64_t seed = 5, now = 1000;

	records = way == 0;
	at = framed = 0;
	bench_setup(NULL);
	make_routes();
	bench_notices(1, 1);
	bench.snap.notify.kind[0].kind = &kind;
	bench.snap.notify.kind[1].kind = &never_kind;
	bench.snap.notify.kind[0].interval_ns = 1500;
	bench_charge_link(0);
	bench_new_snapshot();
	for (unsigned int turn = 0; turn < TURNS; turn++) {
		bench.snap.notify.on = turn % 16 != 15 ? on : 0;
		bench.worker->notices->n = 0;
		send_burst(&seed);
		bench_poll(now);
		note_metadata(bench.worker->notices);
		note_turn();
		if (turn % 32 == 0)
			note_counters();
		for (unsigned int i = 0; i < bench.worker->notices->n; i++)
			framed += bench.worker->order[i].head != NULL;
		now += fcn_test_random(&seed) % 1000;
	}
	if (!records)
		assert_int_equal(at, written);
	assert_int_equal(framed != 0, kind.framed_max != 0);
	bench_teardown(NULL);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(all_ways)
{
	for (unsigned int way = 0; way < 4; way++)
		run(way);
}
