/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "rx_fair.h"

/* Turns for which ports are taken to compete after they did. */
#define COMPETE 64

/* Bursts of a port that are charged by an estimate before the next is measured. */
#define UNMEASURED 8

/* The part that a measurement has in the estimate is 1 / WEIGHT. */
#define WEIGHT 4

/* Waiting turns after which the senders of a port are not paused any more: more than a queue of
 * 4096 packets takes that are received every tenth turn. */
#define PAUSE 4096

/* The estimate before the first measurement: 200 cycles a packet. */
#define FIRST (200 * FCN_RX_BURST * FCN_RX_SHARE_UNIT)

/* Of struct fcn_rx_share.most: nobody is short, and whether anybody is has to be found out. */
#define ANY UINT64_MAX
#define UNKNOWN 0

static uint64_t
cost(const struct fcn_rx_share_port *p)
{
	return p->burst != 0 ? p->burst : FIRST;
}

/* Set who has to wait: those that are ahead of the port with least. Only ports that have more
 * packets than they were allowed count, as others have all that they want. */
static void
set_most(struct fcn_worker *w)
{
	struct fcn_rx_share *s = &w->rx_share;
	uint64_t least = UINT64_MAX, burst = UINT64_MAX;

	for (unsigned int i = 0; i < w->n_rx_queues; i++) {
		const struct fcn_rx_share_port *p = &s->port[w->rx_queue[i].port];

		if (!w->rx_queue[i].full)
			continue;
		least = RTE_MIN(least, p->used);
		burst = RTE_MIN(burst, cost(p));
	}
	s->most = ANY;
	if (least == UINT64_MAX)
		return;
	s->least = RTE_MAX(s->least, least);
	s->most = s->least + FCN_RX_SHARE_AHEAD * burst;
}

/* Pause or release the senders of the lossless classes of a port. */
static void
set_pauses(struct fcn_worker *w, uint16_t port, bool pauses)
{
	struct fcn_rx_share_port *p = &w->rx_share.port[port];

	if (likely(p->pauses == pauses))
		return;
	p->pauses = pauses;
	for (unsigned int left = w->snap->port[port].lossless; left != 0; left &= left - 1) {
		const unsigned int c = (unsigned int)__builtin_ctz(left);

		fcn_pause_publish(w, port, c, pauses || w->ingress[port][c].xoff);
	}
}

static void
release(struct fcn_worker *w, uint16_t port)
{
	set_pauses(w, port, false);
	w->rx_share.port[port].paused = 0;
}

/*
 * A port has to wait, and its senders of lossless classes with it, so that their packets are not
 * lost meanwhile. If its queue is not empty after as long as that takes, it is packets of other
 * classes that fill it, and a pause only stops those that did nothing.
 *
 * @return number of packets to receive from it all the same
 */
static uint16_t
make_wait(struct fcn_worker *w, uint16_t port)
{
	struct fcn_rx_share_port *p = &w->rx_share.port[port];

	w->counters[port].rx_waited++;
	w->rx_share.left = COMPETE;
	if (p->paused < PAUSE && w->snap->port[port].lossless != 0)
		set_pauses(w, port, ++p->paused < PAUSE);
	if (++p->waits < FCN_RX_SHARE_WAIT)
		return 0;
	p->waits = 0;
	p->unmeasured = 0; /* what made it wait has to be right */
	return FCN_RX_SHARE_SOME;
}

/* A port does not have to wait any more, or never had. */
static uint16_t
go(struct fcn_rx_share_port *p)
{
	if (unlikely(p->waits != 0)) {
		p->waits = 0;
		p->unmeasured = 0;
	}
	return FCN_RX_BURST;
}

static void
charge(struct fcn_worker *w, uint16_t port, unsigned int n)
{
	struct fcn_rx_share *s = &w->rx_share;
	struct fcn_rx_share_port *p = &s->port[port];
	const uint64_t used = n == FCN_RX_BURST ? cost(p) : cost(p) * n / FCN_RX_BURST;

	/* What a port did not need before is not saved for later. */
	p->used = RTE_MAX(p->used, s->least) + used;
	w->counters[port].rx_cycles += used / FCN_RX_SHARE_UNIT;
	if (p->unmeasured != 0)
		p->unmeasured--;
}

/*
 * Receive from a queue, measured if so few packets of a port were measured that it is its turn.
 *
 * @param most number of packets
 * @return number of packets
 */
static uint16_t
receive(struct fcn_worker *w, unsigned int queue, uint16_t most)
{
	struct fcn_rx_share *s = &w->rx_share;
	struct fcn_rx_queue *q = &w->rx_queue[queue];
	struct fcn_received *r = &w->received;
	const bool measured = r->n == 0 && s->port[q->port].unmeasured == 0;
	uint16_t n;

	if (measured)
		s->began = w->stage_clock.read();
	n = q->burst(q->handle, &r->mbuf[r->n], most, w->now);
	q->full = n == most;
	if (unlikely(s->most == ANY) && q->full)
		s->most = UNKNOWN;
	if (unlikely(s->port[q->port].paused != 0) && !q->full)
		release(w, q->port); /* nothing waits there any more */
	if (n != 0) {
		fcn_rx_note(w, queue, n);
		charge(w, q->port, n);
	}
	if (!measured)
		return n;
	/* What is done once in a turn would be too large a part of fewer packets. */
	if (n >= FCN_RX_SHARE_SOME) {
		s->measured = q->port;
		s->took = 0;
	}
	s->port[q->port].unmeasured = UNMEASURED;
	return n;
}

void
fcn_rx_fair(struct fcn_worker *w, unsigned int enough)
{
	struct fcn_rx_share *s = &w->rx_share;
	struct fcn_received *r = &w->received;
	unsigned int next = w->rx_first;
	bool is_set = false;

	w->shared_turns++;
	r->n = 0;
	r->n_runs = 0;
	for (unsigned int i = 0; i < w->n_rx_queues && r->n < enough; i++) {
		const uint16_t port = w->rx_queue[next].port;
		struct fcn_rx_share_port *p = &s->port[port];
		uint16_t most;

		if (unlikely(p->used > s->most) && !is_set) {
			set_most(w);
			is_set = true;
		}
		most = unlikely(p->used > s->most) ? make_wait(w, port) : go(p);
		if (most != 0) {
			if (p->unmeasured == 0 && r->n != 0)
				break; /* alone in the next turn */
			receive(w, next, most);
		}
		next = next + 1 < w->n_rx_queues ? next + 1 : 0;
		if (unlikely(s->measured != FCN_PORT_NONE))
			break;
	}
	w->rx_first = next;
	if (!is_set && r->n < FCN_RX_BURST)
		set_most(w); /* perhaps nobody is short any more */
}

/* Check whether ports compete: one has delivered a full burst, and another one packets. */
static bool
do_compete(struct fcn_worker *w)
{
	const struct fcn_received *r = &w->received;
	bool full = false, other;
	uint16_t first;

	if (r->n < FCN_RX_BURST)
		return false;
	first = w->rx_queue[r->run[0].queue].port;
	other = first != w->rx_share.last_port;
	for (unsigned int k = 0; k < r->n_runs; k++) {
		full |= r->run[k].n == FCN_RX_BURST;
		other |= w->rx_queue[r->run[k].queue].port != first;
	}
	w->rx_share.last_port = first;
	return full && other;
}

static void
release_all(struct fcn_worker *w)
{
	for (unsigned int i = 0; i < w->n_rx_queues; i++)
		release(w, w->rx_queue[i].port);
}

static void
stop(struct fcn_worker *w)
{
	w->rx_share.on = false;
	release_all(w);
}

static void
start(struct fcn_worker *w)
{
	struct fcn_rx_share *s = &w->rx_share;

	s->on = true;
	s->least = 0;
	s->most = UNKNOWN;
	for (unsigned int i = 0; i < w->n_rx_queues; i++) {
		struct fcn_rx_queue *q = &w->rx_queue[i];

		q->full = false;
		s->port[q->port].used = 0;
		s->port[q->port].waits = 0;
	}
}

void
fcn_rx_share_look(struct fcn_worker *w)
{
	struct fcn_rx_share *s = &w->rx_share;

	if (do_compete(w)) {
		if (!s->on)
			start(w);
		s->left = COMPETE;
	} else if (s->on && --s->left == 0) {
		stop(w);
	}
}

void
fcn_rx_share_interrupt(struct fcn_worker *w)
{
	const uint64_t now = w->stage_clock.read();

	/* The counters of cores may differ by a few cycles. */
	w->rx_share.took += now > w->rx_share.began ? now - w->rx_share.began : 0;
}

void
fcn_rx_share_resume(struct fcn_worker *w)
{
	w->rx_share.began = w->stage_clock.read();
}

/* Get the median of three numbers. */
static uint64_t
median(uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t low = RTE_MIN(a, b), high = RTE_MAX(a, b), most = RTE_MIN(high, c);

	return RTE_MAX(low, most);
}

/* The operating system may have interrupted the thread: of three measurements, neither the longest
 * nor the shortest counts. */
void
fcn_rx_share_measured(struct fcn_worker *w)
{
	struct fcn_rx_share *s = &w->rx_share;
	struct fcn_rx_share_port *p = &s->port[s->measured];
	const uint64_t before = cost(p);
	uint64_t took;

	fcn_rx_share_interrupt(w);
	took = s->took * FCN_RX_SHARE_UNIT * FCN_RX_BURST / w->received.n;
	if (p->burst == 0)
		p->last[0] = p->last[1] = before;
	p->burst = before - before / WEIGHT + median(took, p->last[0], p->last[1]) / WEIGHT;
	p->burst = RTE_MAX(p->burst, (uint64_t)1);
	p->last[1] = p->last[0];
	p->last[0] = took;
	if (took > 2 * before)
		p->unmeasured = 0; /* it has changed: the next burst is measured, too */
	s->measured = FCN_PORT_NONE;
}

void
fcn_rx_share_reconfigure(struct fcn_worker *w)
{
	struct fcn_rx_share *s = &w->rx_share;

	s->is_wanted = w->snap->cycle_share && w->stage_clock.read != NULL;
	if (!s->on)
		return;
	release_all(w); /* other classes may be lossless now */
	s->on = s->is_wanted;
}

void
fcn_rx_share_forget_port(struct fcn_worker *w, uint16_t port)
{
	w->rx_share.port[port] = (struct fcn_rx_share_port){0};
	if (w->rx_share.measured == port)
		w->rx_share.measured = FCN_PORT_NONE;
}
