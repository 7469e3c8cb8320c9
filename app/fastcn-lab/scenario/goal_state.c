/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Which operations of a GOAL trace may begin. An operation whose waits have ended queues for its
 * CPU; sends and receives take no time of it, but do not begin while it computes. Messages and
 * receives are matched by rank and tag, each in its order, as MPI does.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "goal.h"

#define NONE LAB_GOAL_NONE

/* A list of operations, linked by link[]. An operation is in one list at most. */
struct list {
	uint32_t head, tail;
};

struct cpu {
	struct list ready;
	uint32_t next; /* on the agenda */
	bool computes, listed;
};

struct lab_goal_state {
	const struct lab_goal *g;
	struct lab_goal_user user;
	uint32_t *waits; /* how many operations each one still waits for */
	uint32_t *link;
	uint64_t *order; /* of a posted receive, of a message that has come */
	uint64_t now;    /* the last order */
	uint32_t *rank_left;
	struct cpu *cpu;
	struct list *posted;     /* by pair: receives that wait for a message of it */
	struct list *unexpected; /* by pair: messages that nobody has received yet */
	struct list *posted_any; /* by rank: receives of a message from any rank */
	/* The pairs to rank r are to_pair[to_base[r]] and following ones. */
	uint32_t *to_base, *to_pair;
	uint32_t first_cpu, last_cpu; /* the agenda: CPUs that may have something to begin */
	uint32_t left, computing, on_way, unreceived;
	bool running;
};

static void
append(struct lab_goal_state *s, struct list *list, uint32_t op)
{
	s->link[op] = NONE;
	if (list->head == NONE)
		list->head = op;
	else
		s->link[list->tail] = op;
	list->tail = op;
}

/* Take the operation behind `before` (NONE: the first one) out of a list. */
static void
take_out(struct lab_goal_state *s, struct list *list, uint32_t before, uint32_t op)
{
	if (before == NONE)
		list->head = s->link[op];
	else
		s->link[before] = s->link[op];
	if (list->tail == op)
		list->tail = before;
}

static void
put_on_agenda(struct lab_goal_state *s, uint32_t c)
{
	struct cpu *cpu = &s->cpu[c];

	if (cpu->listed)
		return;
	cpu->listed = true;
	cpu->next = NONE;
	if (s->first_cpu == NONE)
		s->first_cpu = c;
	else
		s->cpu[s->last_cpu].next = c;
	s->last_cpu = c;
}

static uint32_t
cpu_of(const struct lab_goal_state *s, uint32_t op)
{
	return s->g->cpu_base[s->g->op[op].rank] + s->g->op[op].cpu;
}

static void
ready(struct lab_goal_state *s, uint32_t op)
{
	uint32_t c = cpu_of(s, op);

	append(s, &s->cpu[c].ready, op);
	put_on_agenda(s, c);
}

/* Tell those that wait for the beginning of an operation, or for its end. */
static void
release(struct lab_goal_state *s, uint32_t op, bool begin)
{
	for (uint32_t i = s->g->op[op].first_next; i < s->g->op[op + 1].first_next; i++) {
		uint32_t next = s->g->next[i];

		if ((next & 1) == begin && --s->waits[next >> 1] == 0)
			ready(s, next >> 1);
	}
}

static void
end(struct lab_goal_state *s, uint32_t op)
{
	const uint32_t rank = s->g->op[op].rank;

	s->left--;
	s->order[op] = 0;
	release(s, op, false);
	if (--s->rank_left[rank] == 0 && s->user.rank_done != NULL)
		s->user.rank_done(s->user.arg, rank);
}

/* ---- messages ---- */

static bool
same_tag(const struct lab_goal_op *recv, const struct lab_goal_op *send)
{
	return recv->tag == LAB_GOAL_ANY || recv->tag == send->tag;
}

/* The first of the posted receives that takes a message, and the one before it in the list. */
static uint32_t
first_taker(const struct lab_goal_state *s, const struct list *list, uint32_t send,
		uint32_t *before)
{
	uint32_t op = list->head;

	for (*before = NONE; op != NONE; op = s->link[op]) {
		if (same_tag(&s->g->op[op], &s->g->op[send]))
			break;
		*before = op;
	}
	return op;
}

/* The first message of a pair that a receive takes, and the one before it in the list. */
static uint32_t
first_message(const struct lab_goal_state *s, uint32_t pair, uint32_t recv, uint32_t *before)
{
	uint32_t op = s->unexpected[pair].head;

	for (*before = NONE; op != NONE; op = s->link[op]) {
		if (same_tag(&s->g->op[recv], &s->g->op[op]))
			break;
		*before = op;
	}
	return op;
}

/* Take the message that has come first of all those that a receive from any rank takes. */
static bool
take_from_any(struct lab_goal_state *s, uint32_t recv)
{
	const uint32_t rank = s->g->op[recv].rank;
	uint32_t found = NONE, found_pair = 0, found_before = NONE;

	for (uint32_t i = s->to_base[rank]; i < s->to_base[rank + 1]; i++) {
		uint32_t before, op = first_message(s, s->to_pair[i], recv, &before);

		if (op == NONE || (found != NONE && s->order[found] < s->order[op]))
			continue;
		found = op;
		found_pair = s->to_pair[i];
		found_before = before;
	}
	if (found == NONE)
		return false;
	take_out(s, &s->unexpected[found_pair], found_before, found);
	s->unreceived--;
	return true;
}

static bool
take_from_pair(struct lab_goal_state *s, uint32_t recv)
{
	const uint32_t pair = s->g->op[recv].pair;
	uint32_t before, op = pair == NONE ? NONE : first_message(s, pair, recv, &before);

	if (op == NONE)
		return false;
	take_out(s, &s->unexpected[pair], before, op);
	s->unreceived--;
	return true;
}

/* Receive a message that has come, or wait for one. */
static void
receive(struct lab_goal_state *s, uint32_t recv)
{
	const struct lab_goal_op *op = &s->g->op[recv];

	s->order[recv] = ++s->now;
	if (op->peer == LAB_GOAL_ANY ? take_from_any(s, recv) : take_from_pair(s, recv))
		end(s, recv);
	else if (op->peer == LAB_GOAL_ANY)
		append(s, &s->posted_any[op->rank], recv);
	else if (op->pair != NONE)
		append(s, &s->posted[op->pair], recv);
}

/* ---- beginning of operations ---- */

static void
begin(struct lab_goal_state *s, uint32_t op)
{
	const uint32_t c = cpu_of(s, op);

	release(s, op, true);
	switch (s->g->op[op].kind) {
	case LAB_GOAL_SEND:
		s->on_way++;
		s->user.send(s->user.arg, op);
		break;
	case LAB_GOAL_RECV:
		receive(s, op);
		break;
	default:
		if (s->g->op[op].size == 0) {
			end(s, op);
			break;
		}
		s->cpu[c].computes = true;
		s->computing++;
		s->user.calc(s->user.arg, op, c);
	}
}

/* Begin what may begin. The functions below may be called by it. */
static void
go_on(struct lab_goal_state *s)
{
	if (s->running)
		return;
	s->running = true;
	while (s->first_cpu != NONE) {
		struct cpu *cpu = &s->cpu[s->first_cpu];

		s->first_cpu = cpu->next;
		cpu->listed = false;
		while (!cpu->computes && cpu->ready.head != NONE) {
			uint32_t op = cpu->ready.head;

			take_out(s, &cpu->ready, NONE, op);
			begin(s, op);
		}
	}
	s->running = false;
}

static void
clear_lists(struct list *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		list[i] = (struct list){NONE, NONE};
}

void
lab_goal_begin(struct lab_goal_state *s)
{
	const struct lab_goal *g = s->g;

	s->left = g->n_ops;
	s->computing = s->on_way = s->unreceived = 0;
	s->first_cpu = NONE;
	clear_lists(s->posted, g->n_pairs);
	clear_lists(s->unexpected, g->n_pairs);
	clear_lists(s->posted_any, g->n_ranks);
	for (uint32_t c = 0; c < g->cpu_base[g->n_ranks]; c++)
		s->cpu[c] = (struct cpu){.ready = {NONE, NONE}};
	memcpy(s->rank_left, g->rank_ops, g->n_ranks * sizeof(*s->rank_left));
	for (uint32_t i = 0; i < g->n_ops; i++)
		s->waits[i] = g->op[i].n_waits;
	s->running = true;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		if (g->op[i].n_waits == 0)
			ready(s, i);
	}
	s->running = false;
	go_on(s);
}

void
lab_goal_calculated(struct lab_goal_state *s, uint32_t op)
{
	const uint32_t c = cpu_of(s, op);

	s->cpu[c].computes = false;
	s->computing--;
	put_on_agenda(s, c);
	end(s, op);
	go_on(s);
}

void
lab_goal_arrived(struct lab_goal_state *s, uint32_t op)
{
	const struct lab_goal_op *send = &s->g->op[op];
	struct list *own = &s->posted[send->pair], *any = &s->posted_any[send->peer];
	uint32_t before, before_any, recv = first_taker(s, own, op, &before);
	uint32_t recv_any = first_taker(s, any, op, &before_any);

	if (recv_any != NONE && (recv == NONE || s->order[recv_any] < s->order[recv])) {
		take_out(s, any, before_any, recv_any);
		end(s, recv_any);
	} else if (recv != NONE) {
		take_out(s, own, before, recv);
		end(s, recv);
	} else {
		s->order[op] = ++s->now;
		append(s, &s->unexpected[send->pair], op);
		s->unreceived++;
	}
	go_on(s);
}

void
lab_goal_sent(struct lab_goal_state *s, uint32_t op)
{
	s->on_way--;
	end(s, op);
	go_on(s);
}

uint32_t
lab_goal_left(const struct lab_goal_state *s)
{
	return s->left;
}

bool
lab_goal_idle(const struct lab_goal_state *s)
{
	return s->computing == 0 && s->on_way == 0;
}

/* ---- creating ---- */

/* Sort pairs by the rank that receives. */
static int
index_pairs(struct lab_goal_state *s)
{
	const struct lab_goal *g = s->g;

	s->to_base = calloc((size_t)g->n_ranks + 2, sizeof(*s->to_base));
	s->to_pair = calloc((size_t)g->n_pairs + 1, sizeof(*s->to_pair));
	if (s->to_base == NULL || s->to_pair == NULL)
		return -ENOMEM;
	for (uint32_t p = 0; p < g->n_pairs; p++)
		s->to_base[g->pair[p].to + 2]++;
	for (uint32_t r = 0; r < g->n_ranks; r++)
		s->to_base[r + 1] += s->to_base[r];
	for (uint32_t p = 0; p < g->n_pairs; p++)
		s->to_pair[s->to_base[g->pair[p].to + 1]++] = p;
	return 0;
}

struct lab_goal_state *
lab_goal_state_create(const struct lab_goal *g, const struct lab_goal_user *user)
{
	struct lab_goal_state *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->g = g;
	s->user = *user;
	s->waits = calloc((size_t)g->n_ops + 1, sizeof(*s->waits));
	s->link = calloc((size_t)g->n_ops + 1, sizeof(*s->link));
	s->order = calloc((size_t)g->n_ops + 1, sizeof(*s->order));
	s->rank_left = calloc(g->n_ranks, sizeof(*s->rank_left));
	s->cpu = calloc((size_t)g->cpu_base[g->n_ranks] + 1, sizeof(*s->cpu));
	s->posted = calloc((size_t)g->n_pairs + 1, sizeof(*s->posted));
	s->unexpected = calloc((size_t)g->n_pairs + 1, sizeof(*s->unexpected));
	s->posted_any = calloc(g->n_ranks, sizeof(*s->posted_any));
	if (s->waits != NULL && s->link != NULL && s->order != NULL && s->rank_left != NULL &&
			s->cpu != NULL && s->posted != NULL && s->unexpected != NULL &&
			s->posted_any != NULL && index_pairs(s) == 0)
		return s;
	lab_goal_state_free(s);
	return NULL;
}

void
lab_goal_state_free(struct lab_goal_state *s)
{
	if (s == NULL)
		return;
	free(s->waits);
	free(s->link);
	free(s->order);
	free(s->rank_left);
	free(s->cpu);
	free(s->posted);
	free(s->unexpected);
	free(s->posted_any);
	free(s->to_base);
	free(s->to_pair);
	free(s);
}

/* ---- checking ---- */

/* What a trace does when nothing takes any time: calculations and messages, in their order. */
struct trial {
	uint32_t *op; /* ring */
	uint32_t first, n, room;
};

static void
note(struct trial *t, uint32_t op)
{
	t->op[(t->first + t->n++) % t->room] = op;
}

static void
trial_calc(void *arg, uint32_t op, uint32_t cpu)
{
	RTE_SET_USED(cpu);
	note(arg, op);
}

static void
trial_send(void *arg, uint32_t op)
{
	note(arg, op);
}

/* Say what the first receive waits for that has begun and does not end, or that there is none. */
static void
explain(const struct lab_goal_state *s, char *err, size_t err_size)
{
	const struct lab_goal *g = s->g;
	const struct lab_goal_op *waiting = NULL;

	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct lab_goal_op *op = &g->op[i];

		if (op->kind == LAB_GOAL_RECV && s->order[i] != 0) {
			snprintf(err, err_size,
					"%u: rank %u waits for a message from rank %u with tag %u "
					"that does not come",
					op->line, op->rank, op->peer, op->tag);
			return;
		}
		if (waiting == NULL && s->waits[i] != 0)
			waiting = op;
	}
	snprintf(err, err_size, "%u: rank %u never begins this: operations wait for each other",
			waiting->line, waiting->rank);
}

/* Say which message nobody receives. */
static void
explain_message(const struct lab_goal_state *s, char *err, size_t err_size)
{
	for (uint32_t p = 0; p < s->g->n_pairs; p++) {
		const struct lab_goal_op *op = &s->g->op[s->unexpected[p].head];

		if (s->unexpected[p].head == NONE)
			continue;
		snprintf(err, err_size,
				"%u: rank %u sends a message with tag %u that rank %u does not "
				"receive",
				op->line, op->rank, op->tag, op->peer);
		return;
	}
}

static void
try_out(struct lab_goal_state *s, struct trial *t)
{
	lab_goal_begin(s);
	while (t->n > 0) {
		uint32_t op = t->op[t->first];

		t->first = (t->first + 1) % t->room;
		t->n--;
		if (s->g->op[op].kind == LAB_GOAL_CALC) {
			lab_goal_calculated(s, op);
		} else {
			lab_goal_arrived(s, op);
			lab_goal_sent(s, op);
		}
	}
}

int
lab_goal_check(const struct lab_goal *g, char *err, size_t err_size)
{
	struct trial t = {.room = g->n_ops + 1};
	struct lab_goal_state *s;
	int rc = 0;

	t.op = calloc(t.room, sizeof(*t.op));
	s = lab_goal_state_create(g,
			&(struct lab_goal_user){.calc = trial_calc, .send = trial_send, .arg = &t});
	if (t.op == NULL || s == NULL) {
		rc = -ENOMEM;
	} else {
		try_out(s, &t);
		if (!g->any && s->left > 0) {
			explain(s, err, err_size);
			rc = -EINVAL;
		} else if (!g->any && s->unreceived > 0) {
			explain_message(s, err, err_size);
			rc = -EINVAL;
		}
	}
	free(t.op);
	lab_goal_state_free(s);
	return rc;
}
