/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Several workers against one: the traces of packets. What the traces of a packet at two workers
 * say, one after the other, is what one worker says of it, but for the way between them.
 */

#include "group_mix.h"
#include "mix.h"

#define STEPS 60
#define PACKETS 60 /* of a step: all of them, and their notices, have records */
#define TEXT 1024

/* What is known of the way of each packet, as text. */
static struct paths {
	char (*text)[TEXT];
	unsigned int n, crossed;
} paths[2];

/* Find the record at another worker that continues one. */
static const struct fcn_trace_record *
next_record(unsigned int worker, unsigned int record, unsigned int *next)
{
	for (unsigned int i = 0; i < group.n; i++) {
		const struct fcn_trace *t = &group.w[i]->trace;

		for (unsigned int r = 0; r < t->n; r++) {
			if (i == worker || t->record[r].from != 1 + record ||
					t->record[r].from_worker != worker)
				continue;
			*next = i;
			return &t->record[r];
		}
	}
	return NULL;
}

/* Get the record that one continues, or itself. */
static const struct fcn_trace_record *
origin_of(const struct fcn_trace_record *r)
{
	while (r->from != 0)
		r = &group.w[r->from_worker]->trace.record[r->from - 1];
	return r;
}

static unsigned int
add_step(char *text, unsigned int used, const struct fcn_trace_step *s)
{
	const struct fcn_packet *p = &s->pkt;
	const bool routed = p->out_port != FCN_PORT_NONE;
	/* Which of the parsers has accepted a packet depends on its neighbours in the burst. */
	const uint16_t flags = p->flags & ~FCN_PACKET_CHECKED;
	/* Of these queues it is known which packets came before. */
	const bool has_bytes = routed && p->out_port >= MIX_CONGESTED && p->class < 6;

	return used + (unsigned int)snprintf(text + used, TEXT - used,
				      " %s@%llu%s in%u out%d class%u flags%x level%d reactions%u "
				      "drop%u ttl%u l4+%u bytes%u;",
				      fcn_stage_name(s->stage), (unsigned long long)s->time_ns,
				      s->left ? "!" : "", p->in_port, routed ? p->out_port : -1,
				      p->class, flags, p->level, p->reactions, p->drop, p->info.ttl,
				      p->info.l4_off, has_bytes ? s->queue_bytes : 0);
}

/* Write down the way of the packet with this record, from the worker that it begins at. */
static void
add_path(struct paths *to, unsigned int worker, unsigned int record)
{
	const struct fcn_trace_record *r = &group.w[worker]->trace.record[record];
	const struct fcn_trace_record *cause = NULL;
	unsigned int used;
	char *text;

	if (r->from != 0)
		return;
	if (r->cause != 0)
		cause = origin_of(&group.w[worker]->trace.record[r->cause - 1]);
	text = to->text[to->n++];
	used = (unsigned int)snprintf(text, TEXT, "%016llx+%u about %016llx:",
			(unsigned long long)mix_of(r->bytes, r->n_bytes), r->len,
			cause == NULL ? 0ull
				      : (unsigned long long)mix_of(cause->bytes, cause->n_bytes));
	while (r != NULL) {
		const struct fcn_trace_record *next = next_record(worker, record, &worker);

		for (unsigned int i = 0; i < r->n_steps; i++) {
			const uint8_t stage = r->step[i].stage;

			if (stage == FCN_STAGE_CROSS_CORE_TX)
				assert_true(next != NULL && i == r->n_steps - 1u);
			else if (stage == FCN_STAGE_CROSS_CORE_RX)
				assert_true(r->from != 0 && i == 0);
			else
				used = add_step(text, used, &r->step[i]);
		}
		to->crossed += next != NULL;
		r = next;
		if (r != NULL)
			record = (unsigned int)(r - group.w[worker]->trace.record);
	}
	assert_true(used < TEXT - 1);
}

/* Write down the ways of all packets of a step. */
static void
take_traces(struct paths *to)
{
	for (unsigned int i = 0; i < group.n; i++) {
		for (unsigned int r = 0; r < group.w[i]->trace.n; r++)
			add_path(to, i, r);
	}
	for (unsigned int i = 0; i < group.n; i++)
		fcn_trace_clear(group.w[i]);
}

static void
run(unsigned int workers, struct mix *mix, struct paths *to)
{
	uint16_t room[OUTCOME_PORTS];

	to->n = to->crossed = 0;
	group_begin(workers);
	mix_configure();
	mix_begin(mix, 5);
	for (unsigned int step = 0; step < STEPS; step++) {
		for (unsigned int i = 0; i < group.n; i++)
			group.w[i]->trace.wanted = PACKETS;
		for (unsigned int i = 0; i < PACKETS; i++)
			mix_send(mix, mix_below(mix, MIX_FLOWS));
		group_settle();
		mix_rooms(mix, room);
		group_transmit(room);
		take_traces(to);
	}
	group_drain();
	mix_unconfigure();
	group_end();
}

static int
compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(trace)
{
	static struct mix mix;
	unsigned int notices = 0;

	for (unsigned int i = 0; i < 2; i++) {
		paths[i].text = calloc(STEPS * 250, TEXT);
		assert_non_null(paths[i].text);
	}
	run(1, &mix, &paths[0]);
	assert_true(paths[0].n > STEPS * PACKETS);
	assert_int_equal(paths[0].crossed, 0);
	qsort(paths[0].text, paths[0].n, TEXT, compare);
	for (unsigned int i = 0; i < paths[0].n; i++)
		notices += strstr(paths[0].text[i], "about 0000000000000000") == NULL;
	assert_true(notices > 20);
	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		run(n, &mix, &paths[1]);
		assert_true(paths[1].crossed > STEPS * PACKETS / 4);
		qsort(paths[1].text, paths[1].n, TEXT, compare);
		for (unsigned int i = 0; i < RTE_MIN(paths[0].n, paths[1].n); i++)
			assert_string_equal(paths[1].text[i], paths[0].text[i]);
		assert_int_equal(paths[1].n, paths[0].n);
	}
	free(paths[0].text);
	free(paths[1].text);
}

/* Traces that wait for a mark, at several workers: of a burst of another one, some packets may be
 * in their queues already. */
TEST(trace_when_marked)
{
	static struct mix mix;
	unsigned int marked = 0;

	for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
		group_begin(n);
		mix_configure();
		mix_begin(&mix, 7);
		for (unsigned int step = 0; step < 10 * STEPS; step++) {
			uint16_t room[OUTCOME_PORTS];

			for (unsigned int i = 0; i < n; i++) {
				group.w[i]->trace.condition = (struct fcn_trace_condition){
						.type = FCN_TRACE_MARKED};
				group.w[i]->trace.wanted = FCN_TRACE_MAX;
			}
			for (unsigned int i = 0; i < PACKETS; i++)
				mix_send(&mix, mix_below(&mix, MIX_FLOWS));
			group_settle();
			mix_rooms(&mix, room);
			group_transmit(room);
			for (unsigned int i = 0; i < n; i++) {
				marked += fcn_trace_room(&group.w[i]->trace) < FCN_TRACE_MAX;
				fcn_trace_clear(group.w[i]);
			}
		}
		group_drain();
		mix_unconfigure();
		group_end();
	}
	assert_true(marked > STEPS);
}
