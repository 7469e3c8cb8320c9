/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_hash.h>
#include <rte_jhash.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "fcn_collector.h"

#define DRAIN_BURST 32

struct flow_key {
	uint8_t sender[16];
	uint8_t receiver[16];
	uint32_t dest_qp;
};

/* Words of an event. */
struct words {
	uint32_t number; /* 0: there are none */
	struct fcn_event_text text;
	char *memory; /* of its strings */
};

struct fcn_collector {
	struct rte_hash *index; /* from struct flow_key to the position in flow[] */
	void (*listener)(void *arg, const struct fcn_event *ev);
	void *listener_arg;
	void (*watcher)(void *arg, const struct fcn_event *ev);
	void *watcher_arg;
	struct fcn_collector_summary sum;
	struct fcn_collector_flow flow[FCN_COLLECTOR_FLOWS];
	uint64_t n_events; /* number of state events so far; event[] is a ring of the last ones */
	struct fcn_event event[FCN_COLLECTOR_EVENTS];
	uint64_t first_event; /* number of the first event since they were cleared */
	uint32_t n_words;     /* number of the last words; words[] is a ring of the last ones */
	struct words words[FCN_COLLECTOR_EVENTS];
};

struct fcn_collector *
fcn_collector_create(const char *name, uint32_t key)
{
	struct rte_hash_parameters params = {
			.name = name,
			.entries = FCN_COLLECTOR_FLOWS,
			.key_len = sizeof(struct flow_key),
			.hash_func = rte_jhash,
			.hash_func_init_val = key,
			.socket_id = SOCKET_ID_ANY,
	};
	struct fcn_collector *c = calloc(1, sizeof(*c));

	if (c == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	c->index = rte_hash_create(&params);
	if (c->index == NULL) {
		free(c);
		return NULL;
	}
	return c;
}

void
fcn_collector_free(struct fcn_collector *c)
{
	if (c == NULL)
		return;
	rte_hash_free(c->index);
	for (unsigned int i = 0; i < FCN_COLLECTOR_EVENTS; i++)
		free(c->words[i].memory);
	free(c);
}

void
fcn_collector_clear(struct fcn_collector *c)
{
	rte_hash_reset(c->index);
	memset(&c->sum, 0, sizeof(c->sum));
	memset(c->flow, 0, sizeof(c->flow));
	c->first_event = c->n_events;
}

void
fcn_collector_listen(struct fcn_collector *c, void (*fn)(void *arg, const struct fcn_event *ev),
		void *arg)
{
	c->listener = fn;
	c->listener_arg = arg;
}

void
fcn_collector_watch(struct fcn_collector *c, void (*fn)(void *arg, const struct fcn_event *ev),
		void *arg)
{
	c->watcher = fn;
	c->watcher_arg = arg;
}

static struct flow_key
make_key(const uint8_t *sender, const uint8_t *receiver, uint32_t dest_qp)
{
	struct flow_key key = {.dest_qp = dest_qp};

	memcpy(key.sender, sender, sizeof(key.sender));
	memcpy(key.receiver, receiver, sizeof(key.receiver));
	return key;
}

static void
note_flow(struct fcn_collector *c, const struct fcn_event *ev)
{
	const struct flow_key key = make_key(ev->sender, ev->receiver, ev->dest_qp);
	struct fcn_collector_flow *f;
	int32_t pos;
	void *data;

	if (rte_hash_lookup_data(c->index, &key, &data) >= 0) {
		f = &c->flow[(uintptr_t)data];
	} else {
		pos = c->sum.flows;
		if (pos == FCN_COLLECTOR_FLOWS || rte_hash_add_key_data(c->index, &key,
								  (void *)(uintptr_t)pos) != 0) {
			c->sum.untracked++;
			return;
		}
		c->sum.flows++;
		f = &c->flow[pos];
		memcpy(f->sender, key.sender, sizeof(f->sender));
		memcpy(f->receiver, key.receiver, sizeof(f->receiver));
		f->dest_qp = key.dest_qp;
		f->first_ns = ev->time_ns;
	}
	f->notices++;
	f->last_ns = ev->time_ns;
	f->max_level = RTE_MAX(f->max_level, ev->level);
}

static void
note(struct fcn_collector *c, const struct fcn_event *ev)
{
	struct fcn_collector_summary *s = &c->sum;

	if (fcn_event_is_state(ev->type))
		c->event[c->n_events++ % FCN_COLLECTOR_EVENTS] = *ev;
	switch ((enum fcn_event_type)ev->type) {
	case FCN_EVENT_NOTICE:
		if (s->notices++ == 0)
			s->first_ns = ev->time_ns;
		note_flow(c, ev);
		break;
	case FCN_EVENT_NOTICE_SENT:
		if (s->sent == 0 || ev->wait_ns < s->wait_min_ns)
			s->wait_min_ns = ev->wait_ns;
		if (ev->wait_ns > s->wait_max_ns)
			s->wait_max_ns = ev->wait_ns;
		s->wait_sum_ns += ev->wait_ns;
		s->sent++;
		break;
	case FCN_EVENT_CONGESTED:
		if (s->congested++ == 0)
			s->first_congested_ns = ev->time_ns;
		break;
	case FCN_EVENT_RECOVERED:
		s->recovered++;
		break;
	default:
		break;
	}
}

void
fcn_collector_note(struct fcn_collector *c, const struct fcn_event *ev)
{
	note(c, ev);
	if (c->watcher != NULL)
		c->watcher(c->watcher_arg, ev);
	if (c->listener != NULL)
		c->listener(c->listener_arg, ev);
}

unsigned int
fcn_collector_drain(struct fcn_collector *c, struct fcn_worker *w,
		void (*fn)(void *arg, const struct fcn_event *ev), void *arg)
{
	struct fcn_event ev[DRAIN_BURST];
	unsigned int waiting, total = 0, n;

	if (w->events == NULL)
		return 0;
	/* The worker may write as fast as this reads. */
	waiting = rte_ring_count(w->events);
	for (n = 1; total < waiting && n > 0; total += n) {
		n = rte_ring_sc_dequeue_burst_elem(w->events, ev, sizeof(ev[0]),
				RTE_MIN(waiting - total, (unsigned int)DRAIN_BURST), NULL);
		for (unsigned int i = 0; i < n; i++) {
			fcn_collector_note(c, &ev[i]);
			if (fn != NULL)
				fn(arg, &ev[i]);
		}
	}
	c->sum.records += total;
	return total;
}

void
fcn_collector_summary(const struct fcn_collector *c, struct fcn_collector_summary *s)
{
	*s = c->sum;
}

static int
compare_flows(const void *va, const void *vb)
{
	const struct fcn_collector_flow *a = va, *b = vb;
	int d;

	if (a->notices != b->notices)
		return a->notices < b->notices ? 1 : -1;
	d = memcmp(a->sender, b->sender, sizeof(a->sender));
	if (d == 0)
		d = memcmp(a->receiver, b->receiver, sizeof(a->receiver));
	if (d == 0)
		d = (a->dest_qp > b->dest_qp) - (a->dest_qp < b->dest_qp);
	return d;
}

unsigned int
fcn_collector_top(const struct fcn_collector *c, struct fcn_collector_flow *top, unsigned int n)
{
	struct fcn_collector_flow *sorted;

	if (c->sum.flows == 0)
		return 0;
	sorted = malloc(c->sum.flows * sizeof(*sorted));
	if (sorted == NULL)
		return 0;
	memcpy(sorted, c->flow, c->sum.flows * sizeof(*sorted));
	qsort(sorted, c->sum.flows, sizeof(*sorted), compare_flows);
	n = RTE_MIN(n, (unsigned int)c->sum.flows);
	memcpy(top, sorted, n * sizeof(*top));
	free(sorted);
	return n;
}

const struct fcn_collector_flow *
fcn_collector_find(const struct fcn_collector *c, const uint8_t sender[16],
		const uint8_t receiver[16], uint32_t dest_qp)
{
	const struct flow_key key = make_key(sender, receiver, dest_qp);
	void *data;

	if (rte_hash_lookup_data(c->index, &key, &data) < 0)
		return NULL;
	return &c->flow[(uintptr_t)data];
}

uint64_t
fcn_collector_event_count(const struct fcn_collector *c)
{
	return c->n_events;
}

uint64_t
fcn_collector_event_first(const struct fcn_collector *c)
{
	const uint64_t overwritten = c->n_events > FCN_COLLECTOR_EVENTS
						     ? c->n_events - FCN_COLLECTOR_EVENTS
						     : 0;

	return RTE_MAX(c->first_event, overwritten);
}

const struct fcn_event *
fcn_collector_event(const struct fcn_collector *c, uint64_t number)
{
	return &c->event[number % FCN_COLLECTOR_EVENTS];
}

unsigned int
fcn_collector_events(const struct fcn_collector *c, struct fcn_event *event, unsigned int n)
{
	n = RTE_MIN((uint64_t)n, c->n_events - fcn_collector_event_first(c));
	for (unsigned int i = 0; i < n; i++)
		event[i] = *fcn_collector_event(c, c->n_events - n + i);
	return n;
}

/* ---- words ---- */

/* Copy a string to the memory of words. @return the copy; NULL of none */
static const char *
copy(char **to, const char *from)
{
	const char *at = *to;
	size_t size;

	if (from == NULL)
		return NULL;
	size = strlen(from) + 1;
	memcpy(*to, from, size);
	*to += size;
	return at;
}

static size_t
size_of(const char *text)
{
	return text != NULL ? strlen(text) + 1 : 0;
}

uint32_t
fcn_collector_keep_words(struct fcn_collector *c, const struct fcn_event_text *words)
{
	char *memory = malloc(size_of(words->user) + size_of(words->role) + size_of(words->text) +
			      1),
	     *to = memory;
	struct words *w;

	if (memory == NULL)
		return 0;
	c->n_words += c->n_words == UINT32_MAX ? 2 : 1; /* never 0 */
	w = &c->words[c->n_words % FCN_COLLECTOR_EVENTS];
	free(w->memory);
	*w = (struct words){.number = c->n_words, .memory = memory};
	w->text.user = copy(&to, words->user);
	w->text.role = copy(&to, words->role);
	w->text.text = copy(&to, words->text);
	return w->number;
}

const struct fcn_event_text *
fcn_collector_words(const struct fcn_collector *c, uint32_t number)
{
	const struct words *w = &c->words[number % FCN_COLLECTOR_EVENTS];

	return number != 0 && w->number == number ? &w->text : NULL;
}
