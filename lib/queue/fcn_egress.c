/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_egress.h"

/*
 * This limit is far above the quantum of any weight. A deficit, which is at most this limit and a
 * frame, fits into 32 bits.
 */
#define QUANTUM_MAX (1u << 30)

int
fcn_egress_init(struct fcn_egress *eg, const uint32_t slots[FCN_CLASSES], int socket)
{
	memset(eg, 0, sizeof(*eg));
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		int rc = fcn_queue_init(&eg->queue[c], slots[c], socket);

		if (rc != 0) {
			fcn_egress_fini(eg);
			return rc;
		}
	}
	return 0;
}

void
fcn_egress_fini(struct fcn_egress *eg)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		fcn_queue_fini(&eg->queue[c]);
}

static uint32_t
greatest_common_divisor(uint32_t a, uint32_t b)
{
	while (b != 0) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

void
fcn_egress_quanta(const uint16_t weight[FCN_CLASSES], uint8_t strict, uint32_t quantum[FCN_CLASSES])
{
	uint32_t unit = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		if (!(strict & 1u << c))
			unit = greatest_common_divisor(unit, RTE_MAX(weight[c], 1u));
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		quantum[c] = strict & 1u << c ? FCN_DRR_QUANTUM
					      : FCN_DRR_QUANTUM * (RTE_MAX(weight[c], 1u) / unit);
}

static bool
is_single(uint8_t classes)
{
	return classes != 0 && (classes & (classes - 1)) == 0;
}

static unsigned int
highest(uint8_t classes)
{
	return 31 - __builtin_clz(classes);
}

static int32_t
quantum_of(const struct fcn_egress_conf *conf, unsigned int c)
{
	uint32_t quantum = RTE_MAX(conf->queue[c].quantum, 1u);

	return RTE_MIN(quantum, QUANTUM_MAX);
}

/*
 * Skip rounds: in a whole round no class had a deficit that covers the packet at its head. Add at
 * once the quanta of all further such rounds, so that small quanta do not cause long loops.
 */
static void
skip_rounds(struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint8_t may)
{
	int32_t rounds = INT32_MAX;

	for (uint8_t left = may; left != 0; left &= left - 1) {
		unsigned int c = __builtin_ctz(left);
		const struct fcn_queue *q = &eg->queue[c];
		/* Number of rounds after which the deficit is still too small. */
		int32_t vain = (fcn_queue_peek(q)->len - q->deficit - 1) / quantum_of(conf, c);

		rounds = RTE_MIN(rounds, vain);
	}
	for (uint8_t left = may; left != 0; left &= left - 1) {
		unsigned int c = __builtin_ctz(left);

		eg->queue[c].deficit += rounds * quantum_of(conf, c);
	}
}

/*
 * Deficit round robin (Shreedhar and Varghese): a class gets its quantum once in a turn, and keeps
 * the turn while the deficit covers the packet at its head. The quantum is added only when the
 * deficit does not cover that packet; so a class whose turn was interrupted, because it had to
 * wait, cannot save up more than one quantum and a frame.
 */
static unsigned int
pick_round_robin(struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint8_t may)
{
	for (;;) {
		/* One round, which ends with the class that it began with. */
		for (unsigned int i = 0; i <= FCN_CLASSES; i++) {
			unsigned int c = eg->turn;
			struct fcn_queue *q = &eg->queue[c];

			if (may & 1u << c) {
				int32_t len = fcn_queue_peek(q)->len;

				if (q->deficit < len && !eg->in_turn) {
					q->deficit += quantum_of(conf, c);
					eg->in_turn = true;
				}
				if (q->deficit >= len) {
					q->deficit -= len;
					return c;
				}
			}
			eg->turn = (c + 1) % FCN_CLASSES;
			eg->in_turn = false;
		}
		skip_rounds(eg, conf, may);
	}
}

/* Bit sets of the classes that may be served now, and of those that have not had their committed
 * rate. */
struct choice {
	uint8_t may;
	uint8_t due;
};

static unsigned int
pick(struct fcn_egress *eg, const struct fcn_egress_conf *conf, struct choice left)
{
	const uint8_t may = left.may;

	if (may & conf->urgent)
		return highest(may & conf->urgent);
	if (left.due != 0)
		return highest(left.due);
	if (may & conf->strict)
		return highest(may & conf->strict);
	/* If only one class may be served, there is nothing to choose. */
	if (is_single(may))
		return __builtin_ctz(may);
	return pick_round_robin(eg, conf, may);
}

static void
note_empty(struct fcn_egress *eg, unsigned int c)
{
	if (fcn_queue_is_empty(&eg->queue[c])) {
		eg->backlog &= ~(1u << c);
		eg->queue[c].deficit = 0;
	}
}

/* Take up to n packets of one class that no shaper limits. */
static unsigned int
pull_class(struct fcn_egress *eg, unsigned int c, struct fcn_queue_entry *out, unsigned int n,
		uint64_t now)
{
	struct fcn_queue *q = &eg->queue[c];

	n = RTE_MIN(n, fcn_queue_packets(q));
	if (n == 1)
		*out = fcn_queue_pop(q, now);
	else
		fcn_queue_pop_bulk(q, out, n, now);
	note_empty(eg, c);
	return n;
}

static bool
is_below_peak(const struct fcn_egress *eg, const struct fcn_egress_conf *conf, unsigned int c,
		uint64_t now)
{
	return fcn_shaper_ready(&eg->peak[c], &conf->queue[c].peak, now);
}

static bool
is_due(const struct fcn_egress *eg, const struct fcn_egress_conf *conf, unsigned int c,
		uint64_t now)
{
	return fcn_shaper_ready(&eg->committed[c], &conf->queue[c].committed, now);
}

/* Get the bit set of classes that have packets and are not held; shapers may still limit them. */
static uint8_t
ready_classes(const struct fcn_egress *eg, const struct fcn_egress_conf *conf)
{
	return eg->backlog & (~eg->held | conf->urgent);
}

/* Take one packet and charge it to all shapers that it counts for. */
static struct fcn_queue_entry
pull_one(struct fcn_egress *eg, const struct fcn_egress_conf *conf, unsigned int c,
		struct choice *left, uint64_t now)
{
	const struct fcn_queue_conf *class = &conf->queue[c];
	const struct fcn_queue_entry e = fcn_queue_pop(&eg->queue[c], now);
	const uint8_t bit = 1u << c;

	fcn_shaper_charge(&eg->shaper, &conf->shaper, e.len, now);
	if (conf->peak & ~conf->urgent & bit) {
		fcn_shaper_charge(&eg->peak[c], &class->peak, e.len, now);
		if (!is_below_peak(eg, conf, c, now))
			left->may &= ~bit;
	}
	if (left->due & bit) {
		fcn_shaper_charge(&eg->committed[c], &class->committed, e.len, now);
		if (!is_due(eg, conf, c, now))
			left->due &= ~bit;
	}
	note_empty(eg, c);
	return e;
}

/*
 * Get the number of packets, up to n, for which deficit round robin chooses a class one after the
 * other, and take their lengths from its deficit. It has been chosen for the first one.
 */
static unsigned int
cover(struct fcn_queue *q, unsigned int n)
{
	unsigned int i = 1;

	n = RTE_MIN(n, fcn_queue_packets(q));
	while (i < n) {
		const int32_t len = q->ring[(q->head + i) & q->mask].len;

		if (q->deficit < len)
			break;
		q->deficit -= len;
		i++;
	}
	return i;
}

/* Take packets in the order of the scheduler, as far as every shaper permits. */
static unsigned int
pull_in_order(struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint8_t ready,
		struct fcn_queue_entry *out, unsigned int n, uint64_t now)
{
	const bool shaped = conf->shaper.bps != 0;
	const uint8_t peak = conf->peak & ~conf->urgent;
	const uint8_t committed = conf->committed & ~conf->urgent;
	struct choice left = {.may = ready};
	unsigned int taken = 0;

	for (uint8_t todo = ready & peak; todo != 0; todo &= todo - 1)
		if (!is_below_peak(eg, conf, __builtin_ctz(todo), now))
			left.may &= ~(todo & -todo);
	for (uint8_t todo = left.may & committed; todo != 0; todo &= todo - 1)
		if (is_due(eg, conf, __builtin_ctz(todo), now))
			left.due |= todo & -todo;
	while (taken < n && left.may != 0 && fcn_shaper_ready(&eg->shaper, &conf->shaper, now)) {
		const unsigned int c = pick(eg, conf, left);
		const uint8_t bit = 1u << c;

		/* A class with priority over all others is served until it is empty, and so is the
		 * only one that is left; another one, as long as it has its turn. */
		if (shaped || (peak | committed) & bit)
			out[taken++] = pull_one(eg, conf, c, &left, now);
		else if ((conf->strict | conf->urgent) & bit || is_single(left.may))
			taken += pull_class(eg, c, out + taken, n - taken, now);
		else
			taken += pull_class(
					eg, c, out + taken, cover(&eg->queue[c], n - taken), now);
		left.may &= eg->backlog;
		left.due &= left.may;
	}
	return taken;
}

unsigned int
fcn_egress_pull(struct fcn_egress *eg, const struct fcn_egress_conf *conf,
		struct fcn_queue_entry *out, unsigned int n, uint64_t now)
{
	const uint8_t may = ready_classes(eg, conf);

	if (may == 0 || n == 0)
		return 0;
	/* If only one class has packets, there is nothing to choose. */
	if (likely(conf->shaper.bps == 0 && is_single(may) &&
			    !(may & (conf->committed | conf->peak) & ~conf->urgent)))
		return pull_class(eg, __builtin_ctz(may), out, n, now);
	return pull_in_order(eg, conf, may, out, n, now);
}

uint64_t
fcn_egress_next(const struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint64_t now)
{
	const uint8_t ready = ready_classes(eg, conf);
	const uint8_t free = ready & (~conf->peak | conf->urgent);
	uint64_t port, class = UINT64_MAX;

	if (eg->n_staged != 0)
		return now;
	if (ready == 0)
		return UINT64_MAX;
	port = fcn_shaper_next(&eg->shaper, &conf->shaper, now);
	if (free != 0)
		return port;
	for (uint8_t left = ready; left != 0; left &= left - 1) {
		unsigned int c = __builtin_ctz(left);

		class = RTE_MIN(class, fcn_shaper_next(&eg->peak[c], &conf->queue[c].peak, now));
	}
	return RTE_MAX(port, class);
}

void
fcn_egress_reconfigure(struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint64_t now)
{
	fcn_shaper_reconfigure(&eg->shaper, &conf->shaper, now);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		fcn_shaper_reconfigure(&eg->committed[c], &conf->queue[c].committed, now);
		fcn_shaper_reconfigure(&eg->peak[c], &conf->queue[c].peak, now);
	}
}
