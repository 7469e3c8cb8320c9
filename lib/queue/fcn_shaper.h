/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A shaper limits the rate at which packets leave, counted in octets on the wire.
 *
 * Its state is the time until which the octets sent so far use up the rate, in whole nanoseconds
 * and an exact remainder; so the rate is exact over any time, without drift. A packet may leave up
 * to slack_ns before that time, which makes up for idle time and late polls. A new shaper has the
 * whole slack. This is the virtual scheduling form of a token bucket (GCRA, ITU-T I.371).
 *
 * The owner makes all calls; times are in nanoseconds.
 */

#ifndef FCN_SHAPER_H
#define FCN_SHAPER_H

#include <stdbool.h>
#include <stdint.h>

/** Octets of a frame on the wire beyond those in memory: FCS 4, preamble 8, gap 12. */
#define FCN_SHAPER_OVERHEAD 24

/** Parameters of a shaper. They are part of the configuration, and workers only read them. */
struct fcn_shaper_conf {
	uint64_t bps;      /**< rate in bits per second on the wire; 0: there is no limit */
	uint64_t slack_ns; /**< size of the burst, as the time that it takes at the rate */
	uint32_t overhead; /**< octets added to the frame in memory, see FCN_SHAPER_OVERHEAD */
};

/** Get the octets that the shaper counts for a frame of frame_len bytes without FCS: at least 60,
 * plus the overhead. */
static inline uint32_t
fcn_shaper_bytes(const struct fcn_shaper_conf *conf, uint32_t frame_len)
{
	return (frame_len < 60 ? 60 : frame_len) + conf->overhead;
}

/** State of a shaper. */
struct fcn_shaper {
	uint64_t next_ns; /**< time until which the octets sent so far use up the rate */
	uint64_t rem;     /**< fraction of next_ns, in units of 1/bps nanoseconds */
	uint64_t bps;     /**< rate that these are based on, see fcn_shaper_reconfigure() */
};

/* Get the first whole nanosecond at which the octets sent so far have used up the rate. */
static inline uint64_t
fcn_shaper_paid(const struct fcn_shaper *s)
{
	return s->next_ns + (s->rem != 0);
}

/** Check whether a packet may leave now. */
static inline bool
fcn_shaper_ready(const struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint64_t now)
{
	return conf->bps == 0 || fcn_shaper_paid(s) <= now + conf->slack_ns;
}

/** Get the earliest time at which a packet may leave. */
static inline uint64_t
fcn_shaper_next(const struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint64_t now)
{
	return fcn_shaper_ready(s, conf, now) ? now : fcn_shaper_paid(s) - conf->slack_ns;
}

/** Charge a packet that leaves now. @param frame_len bytes of the frame without FCS */
static inline void
fcn_shaper_charge(struct fcn_shaper *s, const struct fcn_shaper_conf *conf, uint32_t frame_len,
		uint64_t now)
{
	uint64_t t;

	if (conf->bps == 0)
		return;
	/*
	 * If a packet leaves at the first possible nanosecond, the fraction is kept, because the
	 * time is exact.
	 */
	if (fcn_shaper_paid(s) < now) {
		s->next_ns = now;
		s->rem = 0;
	}
	t = (uint64_t)fcn_shaper_bytes(conf, frame_len) * 8 * 1000000000 + s->rem;
	s->next_ns += t / conf->bps;
	s->rem = t % conf->bps;
}

/**
 * Adapt the state to a new configuration. The octets that were sent ahead of the rate are converted
 * to time at the new rate. Without a rate limit there are none.
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
