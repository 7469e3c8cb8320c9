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
 * at most slack_ns.
 */

#ifndef FCN_SHAPER_H
#define FCN_SHAPER_H

#include <stdbool.h>
#include <stdint.h>

/** Octets of a frame on the wire: FCS 4, preamble 8, gap 12, and 60 at least before those. */
static inline uint32_t
fcn_wire_bytes(uint32_t frame_len)
{
	return (frame_len < 60 ? 60 : frame_len) + 24;
}

struct fcn_shaper_conf {
	uint64_t bps;      /**< bits per second on the wire, 0: no shaper */
	uint64_t slack_ns; /**< idle time or poll delay that may be made up for */
};

struct fcn_shaper {
	uint64_t next_ns; /**< the next packet may leave from here on */
	uint64_t rem;     /**< remainder of next_ns, in 1/bps nanoseconds */
};

static inline bool
fcn_shaper_ready(const struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint64_t now)
{
	return conf->bps == 0 || s->next_ns + (s->rem != 0) <= now;
}

/** Earliest time the next packet may leave. */
static inline uint64_t
fcn_shaper_next(const struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint64_t now)
{
	uint64_t next = s->next_ns + (s->rem != 0);

	return conf->bps == 0 || next <= now ? now : next;
}

/** Charge a packet that leaves now. */
static inline void
fcn_shaper_charge(struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint32_t frame_len,
		uint64_t now)
{
	uint64_t from, t;

	if (conf->bps == 0)
		return;
	from = now > conf->slack_ns ? now - conf->slack_ns : 0;
	/* Less than a nanosecond late is the clock's doing: that is not idle, else rates drift. */
	if (s->next_ns + (s->rem != 0) < from) {
		s->next_ns = from;
		s->rem = 0;
	}
	t = (uint64_t)fcn_wire_bytes(frame_len) * 8 * 1000000000 + s->rem;
	s->next_ns += t / conf->bps;
	s->rem = t % conf->bps;
}

#endif /* FCN_SHAPER_H */
