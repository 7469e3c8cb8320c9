/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_egress.h"

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

/*
 * Deficit round robin (Shreedhar and Varghese): a class gets its quantum once
 * when its turn begins, and keeps the turn while its head fits the deficit.
 */
static unsigned int
pick_round_robin(struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint8_t ready)
{
	for (;;) {
		unsigned int c = eg->turn;
		struct fcn_queue *q = &eg->queue[c];

		if (ready & 1u << c) {
			if (!eg->in_turn) {
				q->deficit += conf->queue[c].weight * FCN_DRR_QUANTUM;
				eg->in_turn = true;
			}
			if (fcn_queue_peek(q)->len <= q->deficit) {
				q->deficit -= fcn_queue_peek(q)->len;
				return c;
			}
		} else {
			q->deficit = 0;
		}
		eg->turn = (c + 1) % FCN_CLASSES;
		eg->in_turn = false;
	}
}

static unsigned int
pick(struct fcn_egress *eg, const struct fcn_egress_conf *conf, uint8_t strict)
{
	uint8_t urgent = eg->backlog & strict;

	if (urgent != 0)
		return 31 - __builtin_clz(urgent);
	/* A single class needs no round. */
	if ((eg->backlog & (eg->backlog - 1)) == 0)
		return __builtin_ctz(eg->backlog);
	return pick_round_robin(eg, conf, eg->backlog);
}

static void
note_empty(struct fcn_egress *eg, unsigned int c)
{
	if (fcn_queue_is_empty(&eg->queue[c])) {
		eg->backlog &= ~(1u << c);
		eg->queue[c].deficit = 0;
	}
}

/* Up to n packets of one class that nothing holds back. */
static unsigned int
pull_class(struct fcn_egress *eg, unsigned int c, struct fcn_queue_entry *out, unsigned int n,
		uint64_t now)
{
	n = RTE_MIN(n, fcn_queue_packets(&eg->queue[c]));
	fcn_queue_pop_bulk(&eg->queue[c], out, n, now);
	note_empty(eg, c);
	return n;
}

static bool
is_single(uint8_t classes)
{
	return classes != 0 && (classes & (classes - 1)) == 0;
}

unsigned int
fcn_egress_pull(struct fcn_egress *eg, const struct fcn_egress_conf *conf,
		struct fcn_queue_entry *out, unsigned int n, uint64_t now)
{
	const bool shaped = conf->shaper.bps != 0;
	unsigned int taken = 0;
	uint8_t strict = 0;

	if (eg->backlog == 0)
		return 0;
	/* One class has packets: no choice to make. */
	if (likely(!shaped && is_single(eg->backlog)))
		return pull_class(eg, __builtin_ctz(eg->backlog), out, n, now);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		strict |= conf->queue[c].strict << c;
	/* A strict class keeps its turn until it is empty, and so does the last one left. */
	while (!shaped && taken < n && (eg->backlog & strict || is_single(eg->backlog)))
		taken += pull_class(eg, pick(eg, conf, strict), out + taken, n - taken, now);
	while (taken < n && eg->backlog != 0 && fcn_shaper_ready(&eg->shaper, &conf->shaper, now)) {
		unsigned int c = pick(eg, conf, strict);
		struct fcn_queue *q = &eg->queue[c];

		out[taken] = fcn_queue_pop(q, now);
		fcn_shaper_charge(&eg->shaper, &conf->shaper, out[taken].len, now);
		note_empty(eg, c);
		taken++;
	}
	return taken;
}
