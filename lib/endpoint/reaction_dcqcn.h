/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Parameters and state of DCQCN, by which reactions of other files recover, too. */

#ifndef REACTION_DCQCN_H
#define REACTION_DCQCN_H

#include "reaction_private.h"

/* Parameters of DCQCN, with the names of mlxconfig. Times are in ns, rates in bits per second. */
struct REACTION_PART dcqcn_conf {
	uint32_t initial_alpha; /* in units of 1/1024 */
	/* Weight of the old alpha in units of 1/1024; the remainder is added after a CNP. */
	uint32_t tcp_g;
	uint64_t tcp_rtt_ns; /* period of the alpha timer */
	uint32_t gd;         /* rate -= rate * alpha >> gd */
	/* Period of the cut timer: at most one cut in it. 0: each CNP cuts when it arrives. */
	uint64_t monitor_ns;
	uint32_t min_dec_fac;   /* smallest rate after a cut, in percent of the rate before */
	uint64_t time_reset_ns; /* period of the increase timer; 0: none */
	/* Byte counter of increases: number of bytes sent for an increase; 0: none. */
	uint64_t byte_reset;
	uint32_t threshold;       /* stages of fast recovery, F */
	uint64_t ai_bps, hai_bps; /* additive, hyper increase */
	uint64_t min_rate_bps;
	bool clamp; /* every cut sets the target to the current rate */
	/* A cut does so if the timer has increased the rate since the last cut. */
	bool clamp_after_time;
	/* Rate set by the first CNP; 0: the first CNP cuts like any other. */
	uint64_t first_rate_bps;
	/*
	 * A CNP cuts when it arrives, but not before monitor_ns have passed since the last cut. If
	 * not set, it cuts at the end of the current period of the cut timer, which begins with the
	 * first CNP.
	 */
	bool cut_on_arrival;
	/*
	 * A CNP raises alpha when it arrives, after its cut, and restarts the alpha timer, which
	 * then only lowers alpha. If not set, the alpha timer does both.
	 */
	bool alpha_on_arrival;
	/* With alpha_on_arrival: a CNP raises alpha before its cut. */
	bool alpha_before_cut;
	/*
	 * An increase with which one of the counters reaches its first stage divides a target of
	 * more than ten times the rate by 8, instead of adding to it.
	 */
	bool target_cut;
};

/* The state of a reaction point; that of another kind which recovers as DCQCN begins with it. */
struct REACTION_PART dcqcn {
	uint32_t alpha;          /* in units of 1/1024; current after fcn_reaction_timers() */
	uint32_t alpha_fraction; /* further bits of alpha, in units of 2^-20 */
	bool begun;              /* a CNP was received */
	bool alpha_seen, decrease_seen;
	uint64_t target_bps;
	uint32_t time_stage, byte_stage;
	uint64_t bytes;
	uint64_t alpha_at, cut_at, increase_at; /* when these timers expire next */
};

REACTION_CONF(DCQCN, dcqcn)
REACTION_STATE(dcqcn)

/*
 * Set the defaults of ConnectX, with increases proportional to the line rate (5 and 50 Mb/s at 25
 * Gb/s).
 */
void reaction_dcqcn_connectx(struct dcqcn_conf *conf, uint64_t line_bps);
/*
 * Set the algorithm and parameters of the DCQCN paper (SIGCOMM 2015): cuts and alpha when a CNP
 * arrives, halving, 55 us, 5 stages.
 */
void reaction_dcqcn_paper(struct dcqcn_conf *conf, uint64_t line_bps);
/*
 * Set the defaults of ConnectX, but for the recovery: an increase every 55 us (RPG_TIME_RESET) and
 * five stages of fast recovery (RPG_THRESHOLD), as in the paper. Both can be set in these adapters.
 */
void reaction_dcqcn_fast_recovery(struct dcqcn_conf *conf, uint64_t line_bps);

/* The profiles of DCQCN's parameters, in a table. */
extern const struct fcn_reaction_profile reaction_dcqcn_profiles[];
#define REACTION_DCQCN_PROFILES 3

/* The functions of DCQCN's recovery. */
void reaction_dcqcn_init(struct fcn_reaction *r, uint64_t now);
void reaction_dcqcn_line(struct fcn_reaction *r, uint64_t before_bps, uint64_t now);
void reaction_dcqcn_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now);
uint64_t reaction_dcqcn_next(const struct fcn_reaction *r);
void reaction_dcqcn_timers(struct fcn_reaction *r, uint64_t now);
/* Cut the rate, and start the recovery from its beginning. */
void reaction_dcqcn_cut(struct fcn_reaction *r, uint64_t by_bps, uint64_t now);

#endif /* REACTION_DCQCN_H */
