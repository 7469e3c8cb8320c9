/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Link-rate shaper: packets leave no faster than a rate, on the wire.
 *
 * Kept as the time from which on the next packet may leave, in whole
 * nanoseconds and an exact remainder: over any time the rate is met to the
 * bit, without drift. A shaper that was idle, or polled late, may make up for
 * at most slack_ns; a fresh one has all of it.
 */

#ifndef FCN_SHAPER_H
#define FCN_SHAPER_H

#include <stdbool.h>
#include <stdint.h>

/** Octets of a frame on the wire beyond those in memory: FCS 4, preamble 8, gap 12. */
#define FCN_SHAPER_OVERHEAD 24

struct fcn_shaper_conf {
	uint64_t bps;      /**< bits per second on the wire, 0: no shaper */
	uint64_t slack_ns; /**< idle time or poll delay that may be made up for: the burst */
	uint32_t overhead; /**< octets counted beyond those in memory, see FCN_SHAPER_OVERHEAD */
};

/** Octets of a frame as the shaper counts it; before the overhead, a frame has 60 at least. */
static inline uint32_t
fcn_shaper_bytes(const struct fcn_shaper_conf *conf, uint32_t frame_len)
{
	return (frame_len < 60 ? 60 : frame_len) + conf->overhead;
}

struct fcn_shaper {
	uint64_t next_ns; /**< when what was sent so far is paid for */
	uint64_t rem;     /**< remainder of next_ns, in 1/bps nanoseconds */
	uint64_t bps;     /**< rate at which that is paid: see fcn_shaper_reconfigure() */
};

/* First whole nanosecond at which all is paid for. */
static inline uint64_t
fcn_shaper_paid(const struct fcn_shaper *s)
{
	return s->next_ns + (s->rem != 0);
}

static inline bool
fcn_shaper_ready(const struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint64_t now)
{
	return conf->bps == 0 || fcn_shaper_paid(s) <= now + conf->slack_ns;
}

/** Earliest time the next packet may leave. */
static inline uint64_t
fcn_shaper_next(const struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint64_t now)
{
	return fcn_shaper_ready(s, conf, now) ? now : fcn_shaper_paid(s) - conf->slack_ns;
}

/** Charge a packet that leaves now. */
static inline void
fcn_shaper_charge(struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint32_t frame_len,
		uint64_t now)
{
	uint64_t t;

	if (conf->bps == 0)
		return;
	/* Who leaves at the first whole nanosecond leaves back to back: the fraction is kept. */
	if (fcn_shaper_paid(s) < now) {
		s->next_ns = now;
		s->rem = 0;
	}
	t = (uint64_t)fcn_shaper_bytes(conf, frame_len) * 8 * 1000000000 + s->rem;
	s->next_ns += t / conf->bps;
	s->rem = t % conf->bps;
}

/**
 * The configuration may have changed. What was sent and is not paid for yet remains owed in octets,
 * and is paid at the new rate; without a shaper nothing is owed.
 */
static inline void
fcn_shaper_reconfigure(struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint64_t now)
{
	unsigned __int128 owed;

	if (s->bps == conf->bps)
		return;
	if (conf->bps == 0 || s->bps == 0) {
		s->next_ns = conf->bps == 0 ? 0 : s->next_ns;
		s->rem = 0;
	} else if (s->next_ns > now) {
		owed = (unsigned __int128)(s->next_ns - now) * s->bps + s->rem;
		s->next_ns = now + (uint64_t)(owed / conf->bps);
		s->rem = (uint64_t)(owed % conf->bps);
	} else {
		s->rem = 0;
	}
	s->bps = conf->bps;
}

#endif /* FCN_SHAPER_H */
