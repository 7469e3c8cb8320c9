/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_pause.h"

#include <string.h>

#include <rte_common.h>

#include "halt_time.h"
#include "fcn_pfc.h"

/* Add times; a sum beyond the range stands for never. */
static uint64_t
after(uint64_t from, uint64_t ns)
{
	return from > UINT64_MAX - ns ? FCN_PAUSE_NEVER : from + ns;
}

/* Get the bit set of classes that a received frame may stop: a PAUSE, or else a PFC frame. */
static uint8_t
obeyed(const struct fcn_pause_conf *conf, bool link)
{
	return (link ? (conf->link ? 0xff : 0) : conf->rx_classes) & ~conf->exempt;
}

/* Count the time for which a class was stopped up to now, and end its pause if it is over. */
static void
settle(struct fcn_pause *p, unsigned int c, uint64_t now)
{
	uint64_t end = RTE_MIN(p->until[c], now);

	if ((p->stopped >> c & 1) == 0)
		return;
	if (end > p->counted[c]) {
		p->stats[c].rx_pause_ns += end - p->counted[c];
		p->counted[c] = end;
	}
	if (p->until[c] <= now)
		p->stopped &= ~(1u << c);
}

/* Release a class now, before its pause time is over. */
static void
resume(struct fcn_pause *p, unsigned int c, uint64_t now)
{
	settle(p, c, now);
	p->stopped &= ~(1u << c);
	p->until[c] = RTE_MIN(p->until[c], now);
}

/* Get the time at which a storm ends. No storm begins at that time or later, since the condition
 * that would end it is already true. */
static uint64_t
storm_end(const struct fcn_pause *p, const struct fcn_pause_conf *conf, unsigned int c)
{
	return after(p->last_rx[c], conf->restore_ns);
}

/* Check whether a storm of a paused class that has packets can begin at the time `at`. */
static bool
storm_may_begin(const struct fcn_pause *p, const struct fcn_pause_conf *conf, unsigned int c,
		uint64_t at)
{
	return conf->action != FCN_STORM_OFF && at < storm_end(p, conf, c);
}

static void
update_pending(struct fcn_pause *p)
{
	p->pending = p->xoff ^ p->sent_xoff;
}

void
fcn_pause_reset(struct fcn_pause *p)
{
	memset(p, 0, sizeof(*p));
	p->refresh_at = FCN_PAUSE_NEVER;
}

void
fcn_pause_receive(struct fcn_pause *p, const struct fcn_pause_conf *conf, bool link,
		uint8_t priorities, const uint16_t quanta[FCN_PAUSE_CLASSES], uint64_t now)
{
	uint8_t mask = obeyed(conf, link);

	for (unsigned int c = 0; c < FCN_PAUSE_CLASSES; c++) {
		uint8_t bit = 1u << c;

		if ((priorities & bit) == 0)
			continue;
		if ((mask & bit) == 0) {
			p->stats[c].rx_ignored++;
			continue;
		}
		if (quanta[c] == 0) {
			p->stats[c].rx_xon++;
			resume(p, c, now);
			continue;
		}
		p->stats[c].rx_xoff++;
		p->stats[c].rx_ignored_storm += (p->storm & bit) != 0;
		settle(p, c, now);
		/* A frame that arrives just when the pause ends does not interrupt it. */
		if (p->until[c] < now)
			p->since[c] = now;
		/*
		 * If another worker received the frame, its time may be before the time that is
		 * already counted.
		 */
		if ((p->stopped & bit) == 0)
			p->counted[c] = RTE_MAX(p->counted[c], now);
		p->last_rx[c] = RTE_MAX(p->last_rx[c], now);
		p->until[c] = now + fcn_pfc_quanta_to_ns(quanta[c], conf->link_bps);
		if (p->until[c] > now)
			p->stopped |= bit;
		else
			p->stopped &= ~bit;
	}
}

static enum fcn_halt_result
resume_halted(struct fcn_pause *p, unsigned int c, uint64_t now)
{
	const uint8_t bit = 1u << c;

	if (now < p->halt_until[c]) {
		p->halt_watched &= ~bit;
		p->halt_until[c] = now;
	}
	p->halted &= ~bit;
	return FCN_HALT_OBEYED;
}

/* Check whether the watchdog has ended the halt of a class, and ignores halts. */
static bool
is_halt_storm(const struct fcn_pause *p, uint64_t restore_ns, unsigned int c, uint64_t now)
{
	return p->halt_watched >> c & 1 && p->halt_until[c] <= now &&
	       now < after(p->halt_last[c], restore_ns);
}

uint8_t
fcn_pause_halt_storms(const struct fcn_pause *p, uint64_t restore_ns, uint64_t now)
{
	uint8_t storms = 0;

	for (unsigned int c = 0; c < FCN_PAUSE_CLASSES; c++)
		storms |= is_halt_storm(p, restore_ns, c, now) << c;
	return storms;
}

enum fcn_halt_result
fcn_pause_halt(struct fcn_pause *p, const struct fcn_pause_conf *conf,
		const struct fcn_halt_conf *limits, unsigned int class, uint64_t ns, uint64_t now)
{
	const uint8_t bit = 1u << class;
	const uint64_t until = after(now, RTE_MIN(ns, limits->max_ns));
	const bool storm = is_halt_storm(p, limits->restore_ns, class, now);
	uint64_t end;

	if (conf->exempt & bit)
		return FCN_HALT_EXEMPT;
	if (ns == 0)
		return resume_halted(p, class, now);
	p->halt_last[class] = now;
	if (storm)
		return FCN_HALT_STORM;
	if (p->halt_watched & bit && p->halt_until[class] <= now)
		p->halt_since[class] = now; /* the watchdog ended it, and obeys again */
	else if (p->halt_until[class] <= now)
		p->halt_since[class] = fcn_halt_since(p->halt_since[class], p->halt_until[class],
				limits->detect_ns, limits->restore_ns, now);
	end = limits->detect_ns != 0 ? after(p->halt_since[class], limits->detect_ns)
				     : FCN_PAUSE_NEVER;
	p->halt_until[class] = RTE_MIN(until, end);
	p->halt_watched = until > end ? p->halt_watched | bit : p->halt_watched & ~bit;
	p->halted = p->halt_until[class] > now ? p->halted | bit : p->halted & ~bit;
	return FCN_HALT_OBEYED;
}

void
fcn_pause_halt_none(struct fcn_pause *p, uint64_t now)
{
	for (unsigned int c = 0; c < FCN_PAUSE_CLASSES; c++) {
		p->halt_until[c] = RTE_MIN(p->halt_until[c], now);
		p->halt_since[c] = p->halt_until[c]; /* nothing is left of their total */
	}
	p->halted = 0;
	p->halt_watched = 0;
}

/* End the halts whose time is over. */
static void
end_halts(struct fcn_pause *p, uint64_t now)
{
	for (uint32_t left = p->halted; left != 0; left &= left - 1) {
		unsigned int c = __builtin_ctz(left);

		if (p->halt_until[c] <= now)
			p->halted &= ~(1u << c);
	}
}

struct fcn_pause_update
fcn_pause_update(struct fcn_pause *p, const struct fcn_pause_conf *conf, uint8_t backlog,
		uint64_t now)
{
	struct fcn_pause_update look = {0};

	for (uint32_t left = p->stopped | p->storm; left != 0; left &= left - 1) {
		unsigned int c = __builtin_ctz(left);
		uint8_t bit = 1u << c;

		settle(p, c, now);
		if ((p->storm & bit) != 0 && now >= storm_end(p, conf, c)) {
			p->storm &= ~bit;
			look.restored |= bit;
			/*
			 * The class obeys what remains of the pause, which counts as a pause that
			 * begins now.
			 */
			p->since[c] = storm_end(p, conf, c);
		}
		if ((p->stopped & ~p->storm & backlog & bit) != 0 &&
				now >= after(p->since[c], conf->detect_ns) &&
				storm_may_begin(p, conf, c, now)) {
			p->storm |= bit;
			look.began |= bit;
			p->stats[c].storms++;
		}
	}
	look.dropped = conf->action == FCN_STORM_DROP ? p->storm : 0;
	end_halts(p, now);
	look.held = (p->stopped & ~p->storm) | look.dropped | p->halted;
	return look;
}

void
fcn_pause_set_xoff(struct fcn_pause *p, const struct fcn_pause_conf *conf, unsigned int class,
		bool xoff)
{
	uint8_t bit = 1u << class;

	if (xoff)
		p->xoff |= bit & conf->tx_classes;
	else
		p->xoff &= ~bit;
	update_pending(p);
}

uint8_t
fcn_pause_fill_frame(struct fcn_pause *p, const struct fcn_pause_conf *conf,
		uint16_t quanta[FCN_PAUSE_CLASSES], uint64_t now)
{
	uint8_t named = p->xoff | p->sent_xoff;

	for (unsigned int c = 0; c < FCN_PAUSE_CLASSES; c++) {
		uint8_t bit = 1u << c;

		quanta[c] = (p->xoff & bit) != 0 ? conf->quanta : 0;
		if ((p->sent_xoff & bit) != 0)
			p->stats[c].tx_pause_ns += now - p->xoff_since[c];
		p->xoff_since[c] = now;
		p->stats[c].tx_xoff += (p->xoff & bit) != 0;
		p->stats[c].tx_xon += (p->sent_xoff & ~p->xoff & bit) != 0;
	}
	p->sent_xoff = p->xoff;
	p->pending = 0;
	p->refresh_at = p->xoff != 0 ? after(now, conf->refresh_ns) : FCN_PAUSE_NEVER;
	return named;
}

uint64_t
fcn_pause_next(const struct fcn_pause *p, const struct fcn_pause_conf *conf, uint8_t backlog,
		uint64_t now)
{
	uint64_t next = p->pending != 0 ? now : p->refresh_at;

	for (uint32_t left = p->stopped | p->storm; left != 0; left &= left - 1) {
		unsigned int c = __builtin_ctz(left);
		uint8_t bit = 1u << c;

		if ((p->stopped & bit) != 0)
			next = RTE_MIN(next, p->until[c]);
		if ((p->storm & bit) != 0) {
			next = RTE_MIN(next, storm_end(p, conf, c));
		} else if ((backlog & bit) != 0) {
			uint64_t begin = RTE_MAX(after(p->since[c], conf->detect_ns), now);

			if (storm_may_begin(p, conf, c, begin))
				next = RTE_MIN(next, begin);
		}
	}
	for (uint32_t left = p->halted; left != 0; left &= left - 1)
		next = RTE_MIN(next, p->halt_until[__builtin_ctz(left)]);
	return RTE_MAX(next, now);
}

void
fcn_pause_reconfigure(struct fcn_pause *p, const struct fcn_pause_conf *conf, uint64_t now)
{
	uint8_t keep = obeyed(conf, false) | obeyed(conf, true);

	for (unsigned int c = 0; c < FCN_PAUSE_CLASSES; c++) {
		uint8_t bit = 1u << c;

		if ((keep & bit) == 0)
			resume(p, c, now);
		if ((p->storm & bit) == 0 || ((keep & bit) != 0 && conf->action != FCN_STORM_OFF))
			continue;
		/* From now on the class obeys what remains of its pause. */
		p->storm &= ~bit;
		p->since[c] = now;
	}
	p->halted &= ~conf->exempt;
	p->xoff &= conf->tx_classes;
	update_pending(p);
}

/* Complete the times in the counters up to now. */
static void
settle_all(struct fcn_pause *p, uint64_t now)
{
	for (unsigned int c = 0; c < FCN_PAUSE_CLASSES; c++) {
		settle(p, c, now);
		if ((p->sent_xoff >> c & 1) != 0)
			p->stats[c].tx_pause_ns += now - p->xoff_since[c];
		p->xoff_since[c] = now;
	}
}

void
fcn_pause_read(struct fcn_pause *p, uint64_t now,
		struct fcn_pause_class_stats stats[FCN_PAUSE_CLASSES])
{
	settle_all(p, now);
	memcpy(stats, p->stats, sizeof(p->stats));
}

void
fcn_pause_clear_stats(struct fcn_pause *p, uint64_t now)
{
	settle_all(p, now);
	memset(p->stats, 0, sizeof(p->stats));
}
