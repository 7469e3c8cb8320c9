/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Windows of several parts against a plain list: random nodes that send one another messages over
 * random links, each after its delay; and now and then something changes of all nodes at once. The
 * oracle keeps all that is due in a list, takes the least, and knows nothing of parts, windows or
 * tournament trees.
 */

#include <stdlib.h>
#include <string.h>

#include "fcn_sim_group.h"
#include "fcn_test.h"

#define NODES 12
#define LINKS 40
#define UNTIL 10000
#define WAITING 4096
#define CHANGES 15

/* A message, and how far its link is. */
struct message {
	uint64_t time, word;
};

struct queue {
	struct message item[WAITING];
	unsigned int n;
};

struct link {
	unsigned int from, to;
	uint64_t delay;
	struct fcn_sim_event arrival;
	struct queue there, sent; /* at the receiver; not handed over yet */
};

struct node {
	struct fcn_sim_event turn;
	uint64_t state, due, got;
	unsigned int part;
};

/* The model, which the oracle and the group share; what they do not share is what runs when. */
static struct {
	struct link link[LINKS];
	struct node node[NODES];
	struct fcn_sim_event change;
	uint64_t changes, late, end, seen;
	struct fcn_sim_group *group; /* NULL: the oracle */
	unsigned int n_parts;
	uint64_t change_due;
	bool alone;
	unsigned int windows[2]; /* on all threads, and alone */
} m;

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return x ^ x >> 29;
}

static void
put(struct queue *q, struct message one)
{
	unsigned int i = q->n++;

	assert_true(q->n < WAITING);
	for (; i > 0 && q->item[i - 1].time > one.time; i--)
		q->item[i] = q->item[i - 1];
	q->item[i] = one;
}

static void
schedule(struct fcn_sim_event *ev, uint64_t *due, unsigned int part, uint64_t time)
{
	*due = time;
	if (m.group != NULL)
		fcn_sim_schedule(fcn_sim_group_part(m.group, part), ev, time);
}

static void
receive(struct link *l, struct message one)
{
	const unsigned int part = m.node[l->to].part;

	if (m.group != NULL && one.time < fcn_sim_now(fcn_sim_group_part(m.group, part)))
		m.late++;
	put(&l->there, one);
	if (m.group != NULL && l->there.item[0].time == one.time)
		fcn_sim_schedule(fcn_sim_group_part(m.group, part), &l->arrival, one.time);
}

static void
arrive(void *arg, uint64_t now)
{
	struct link *l = arg;
	struct node *to = &m.node[l->to];
	unsigned int n = 0;

	for (; n < l->there.n && l->there.item[n].time <= now; n++) {
		to->state = mix(to->state ^ l->there.item[n].word ^ now);
		to->got++;
	}
	memmove(l->there.item, l->there.item + n, (l->there.n - n) * sizeof(struct message));
	l->there.n -= n;
	if (l->there.n > 0 && m.group != NULL)
		fcn_sim_schedule(fcn_sim_group_part(m.group, to->part), &l->arrival,
				l->there.item[0].time);
	if (to->due > now)
		schedule(&to->turn, &to->due, to->part, now);
}

/* A node sends some messages, and comes again at some time, perhaps at once. */
static void
turn(void *arg, uint64_t now)
{
	struct node *node = arg;

	node->state = mix(node->state + now);
	for (unsigned int i = 0; i < LINKS; i++) {
		struct link *l = &m.link[i];
		struct message one = {now + l->delay + node->state % 3, node->state + i};

		if (&m.node[l->from] != node || mix(node->state ^ i) % 3 != 0)
			continue;
		if (m.group != NULL && m.node[l->to].part != node->part)
			put(&l->sent, one);
		else
			receive(l, one);
	}
	schedule(&node->turn, &node->due, node->part,
			now + (node->state % 16 == 0 ? 0 : node->state % 97));
}

/* Something changes of all nodes, and it matters in which states they are. */
static void
change(void *arg, uint64_t now)
{
	RTE_SET_USED(arg);
	m.changes++;
	for (unsigned int i = 0; i < NODES; i++) {
		m.seen = mix(m.seen ^ m.node[i].state);
		m.node[i].state ^= m.seen;
		if (m.node[i].due > now)
			schedule(&m.node[i].turn, &m.node[i].due, m.node[i].part, now);
	}
	schedule(&m.change, &m.change_due, m.n_parts,
			m.changes < CHANGES ? now + m.seen % 1000 : FCN_SIM_NEVER);
}

static void
exchange(void *arg)
{
	RTE_SET_USED(arg);
	for (unsigned int i = 0; i < LINKS; i++) {
		for (unsigned int k = 0; k < m.link[i].sent.n; k++)
			receive(&m.link[i], m.link[i].sent.item[k]);
		m.link[i].sent.n = 0;
	}
}

static enum fcn_sim_way
window(void *arg, uint64_t from, uint64_t to)
{
	RTE_SET_USED(arg);
	assert_true(from < to || m.change_due == from);
	m.alone = m.alone ? mix(from) % 4 != 0 : mix(from) % 16 == 0;
	m.windows[m.alone]++;
	return m.alone ? FCN_SIM_ALONE : FCN_SIM_TOGETHER;
}

static bool
after(void *arg, uint64_t now)
{
	RTE_SET_USED(arg);
	return now <= m.end;
}

static uint64_t
make(uint64_t seed)
{
	uint64_t lookahead = FCN_SIM_NEVER;

	memset(&m, 0, sizeof(m));
	m.end = UNTIL;
	for (unsigned int i = 0; i < LINKS; i++) {
		m.link[i].from = fcn_test_random(&seed) % NODES;
		m.link[i].to = fcn_test_random(&seed) % NODES;
		m.link[i].delay = 20 + fcn_test_random(&seed) % 200;
		lookahead = RTE_MIN(lookahead, m.link[i].delay);
	}
	for (unsigned int i = 0; i < NODES; i++) {
		m.node[i].state = fcn_test_random(&seed);
		m.node[i].due = m.node[i].state % 50;
	}
	m.change_due = 100;
	return lookahead;
}

static uint64_t
least(uint64_t *due, unsigned int *which)
{
	uint64_t first = m.change_due;

	*which = 0;
	for (unsigned int i = 0; i < LINKS; i++) {
		if (m.link[i].there.n > 0 && m.link[i].there.item[0].time < first) {
			first = m.link[i].there.item[0].time;
			*which = 1 + i;
		}
	}
	for (unsigned int i = 0; i < NODES; i++) {
		if (m.node[i].due < first) {
			first = m.node[i].due;
			*which = 1 + LINKS + i;
		}
	}
	*due = first;
	return first;
}

/* The oracle: of all that is due, the first; at one time what changes all, links, nodes. */
static void
run_list(uint64_t seed)
{
	unsigned int which;
	uint64_t now;

	make(seed);
	while (least(&now, &which) <= UNTIL) {
		if (which == 0) {
			change(NULL, now);
		} else if (which <= LINKS) {
			arrive(&m.link[which - 1], now);
		} else {
			m.node[which - 1 - LINKS].due = FCN_SIM_NEVER;
			turn(&m.node[which - 1 - LINKS], now);
		}
	}
}

static void
node_turn(void *arg, uint64_t now)
{
	struct node *node = arg;

	assert_true(node->due == now);
	node->due = FCN_SIM_NEVER;
	turn(node, now);
}

static void
run_group(uint64_t seed, unsigned int n_parts, bool spare)
{
	const struct fcn_sim_group_user user = {
			.exchange = exchange, .window = window, .after = after};
	const uint64_t lookahead = make(seed);

	m.n_parts = n_parts;
	m.group = fcn_sim_group_create(n_parts, lookahead, 1000000);
	assert_non_null(m.group);
	assert_int_equal(fcn_sim_event_init(fcn_sim_group_part(m.group, n_parts), &m.change,
					 FCN_SIM_ACTION, change, NULL),
			0);
	for (unsigned int i = 0; i < NODES; i++)
		m.node[i].part = mix(seed + i) % n_parts;
	for (unsigned int i = 0; i < LINKS; i++) {
		struct link *l = &m.link[i];

		assert_int_equal(fcn_sim_event_init(fcn_sim_group_part(m.group, m.node[l->to].part),
						 &l->arrival, FCN_SIM_ARRIVAL, arrive, l),
				0);
	}
	for (unsigned int i = 0; i < NODES; i++) {
		struct node *node = &m.node[i];

		assert_int_equal(fcn_sim_event_init(fcn_sim_group_part(m.group, node->part),
						 &node->turn, FCN_SIM_NODE, node_turn, node),
				0);
		schedule(&node->turn, &node->due, node->part, node->due);
	}
	schedule(&m.change, &m.change_due, n_parts, m.change_due);
	assert_int_equal(fcn_sim_group_run(m.group, UNTIL, spare, &user), FCN_SIM_GROUP_DONE);
	assert_true(m.windows[0] > 50 && m.windows[1] > 10);
	assert_true(m.late == 0);
	fcn_sim_group_free(m.group);
	m.group = NULL;
}

TEST(as_a_list)
{
	uint64_t states[NODES], got[NODES], seen;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		run_list(seed);
		seen = m.seen;
		assert_true(m.changes == CHANGES);
		for (unsigned int i = 0; i < NODES; i++) {
			states[i] = m.node[i].state;
			got[i] = m.node[i].got;
		}
		for (unsigned int n_parts = 1; n_parts <= 4; n_parts++) {
			run_group(seed, n_parts, n_parts == 2 && seed % 2 == 0);
			assert_true(m.seen == seen && m.changes == CHANGES);
			for (unsigned int i = 0; i < NODES; i++)
				assert_true(m.node[i].state == states[i] &&
						m.node[i].got == got[i]);
		}
	}
}

/* What runs in two simulations has one order: the one in which a single one runs it. */
struct noted {
	struct fcn_sim *sim;
	struct fcn_sim_event ev;
	struct noted *next; /* scheduled by it at the same time */
	unsigned int id;
};

static struct {
	fcn_sim_order place[16];
	unsigned int id[16], n;
} notes;

static void
note(void *arg, uint64_t now)
{
	struct noted *one = arg;

	notes.place[notes.n] = fcn_sim_place(one->sim);
	notes.id[notes.n++] = one->id;
	if (one->next != NULL)
		fcn_sim_schedule(one->next->sim, &one->next->ev, now);
}

/* Events 0 to 3, of which 3 schedules 0, and 2 schedules 1. */
static void
note_all(struct fcn_sim *a, struct fcn_sim *b)
{
	struct fcn_sim *sim[] = {a, b, b, a};
	struct noted one[4];

	notes.n = 0;
	for (unsigned int i = 0; i < 4; i++) {
		one[i] = (struct noted){.sim = sim[i], .id = i};
		assert_int_equal(
				fcn_sim_event_init(sim[i], &one[i].ev, FCN_SIM_NODE, note, &one[i]),
				0);
	}
	one[3].next = &one[0];
	one[2].next = &one[1];
	fcn_sim_schedule(sim[3], &one[3].ev, 7);
	fcn_sim_schedule(sim[2], &one[2].ev, 7);
	while (fcn_sim_step(a, 7))
		;
	while (fcn_sim_step(b, 7))
		;
	assert_int_equal(notes.n, 4);
	/* a stable sort by place */
	for (unsigned int i = 1; i < 4; i++) {
		for (unsigned int k = i; k > 0 && notes.place[k - 1] > notes.place[k]; k--) {
			fcn_sim_order place = notes.place[k];
			unsigned int id = notes.id[k];

			notes.place[k] = notes.place[k - 1];
			notes.id[k] = notes.id[k - 1];
			notes.place[k - 1] = place;
			notes.id[k - 1] = id;
		}
	}
}

TEST(one_order)
{
	const unsigned int expected[] = {2, 1, 3, 0};
	struct fcn_sim_group *group = fcn_sim_group_create(2, 1, 100);
	struct fcn_sim *sim = fcn_sim_create();

	note_all(sim, sim);
	assert_memory_equal(notes.id, expected, sizeof(expected));
	note_all(fcn_sim_group_part(group, 0), fcn_sim_group_part(group, 1));
	assert_memory_equal(notes.id, expected, sizeof(expected));
	fcn_sim_free(sim);
	fcn_sim_group_free(group);
}

/* A part whose events are all at one time does not hold the run up for ever. */
static struct noted again;

static void
at_once(void *arg, uint64_t now)
{
	struct noted *one = arg;

	fcn_sim_schedule(one->sim, &one->ev, now);
}

static void
nothing(void *arg)
{
	RTE_SET_USED(arg);
}

static enum fcn_sim_way
way(void *arg, uint64_t from, uint64_t to)
{
	RTE_SET_USED(from);
	RTE_SET_USED(to);
	return *(enum fcn_sim_way *)arg;
}

TEST(stuck)
{
	enum fcn_sim_way each[] = {FCN_SIM_TOGETHER, FCN_SIM_ALONE};

	for (unsigned int part = 0; part < 4; part++) {
		struct fcn_sim_group *group = fcn_sim_group_create(2, 1, 100);
		const struct fcn_sim_group_user user = {
				nothing, way, after, NULL, NULL, &each[part / 2]};

		again.sim = fcn_sim_group_part(group, part % 2);
		assert_int_equal(fcn_sim_event_init(again.sim, &again.ev, FCN_SIM_NODE, at_once,
						 &again),
				0);
		fcn_sim_schedule(again.sim, &again.ev, 5);
		m.end = UNTIL;
		assert_int_equal(
				fcn_sim_group_run(group, UNTIL, false, &user), FCN_SIM_GROUP_STUCK);
		fcn_sim_group_free(group);
	}
}

/* The run ends after the event after which its user says so, and before a window of that kind. */
TEST(ended)
{
	enum fcn_sim_way each[] = {FCN_SIM_END, FCN_SIM_ALONE};

	for (unsigned int i = 0; i < 2; i++) {
		struct fcn_sim_group *group = fcn_sim_group_create(2, 10, 100);
		const struct fcn_sim_group_user user = {nothing, way, after, NULL, NULL, &each[i]};
		struct noted one = {.sim = fcn_sim_group_part(group, 1)};

		notes.n = 0;
		assert_int_equal(fcn_sim_event_init(one.sim, &one.ev, FCN_SIM_NODE, note, &one), 0);
		fcn_sim_schedule(one.sim, &one.ev, 50);
		m.end = 49;
		assert_int_equal(fcn_sim_group_run(group, UNTIL, false, &user),
				FCN_SIM_GROUP_STOPPED);
		assert_int_equal(notes.n, i);
		fcn_sim_group_free(group);
	}
}
