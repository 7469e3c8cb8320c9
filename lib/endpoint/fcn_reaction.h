/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Reaction point of a RoCEv2 sender: what a queue pair does with what it is told about congestion.
 * DCQCN as in ConnectX network adapters, HPCC++, cuts by a factor or by the level of a notice, or
 * nothing. A state machine over the time it is handed; no I/O, no memory of its own, one owner.
 *
 * The rate is what a pacer may send, bits per second on the wire; the window is how many bytes
 * on the wire may be unacknowledged. Rates are integers, so that every compiler gives the same
 * sequence.
 */

#ifndef FCN_REACTION_H
#define FCN_REACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_ioam.h"

/** Time that never comes. */
#define FCN_REACTION_NEVER UINT64_MAX

/** No limit of bytes in flight. */
#define FCN_WINDOW_NONE UINT64_MAX

/** Hops of a trace that HPCC++ keeps. */
#define FCN_HPCC_HOPS 8

/* X(symbol, name, text): one source of the enumeration, of words in scenarios and of the
 * documentation. */
#define FCN_REACTIONS(X)                                                                    \
	X(NONE, "none", "does not react: line rate, whatever it is told")                   \
	X(DCQCN, "dcqcn", "DCQCN: alpha, cuts, fast recovery, additive and hyper increase") \
	X(HPCC, "hpcc",                                                                     \
			"HPCC++: window and rate from IOAM traces in acknowledgements and " \
			"notices")                                                          \
	X(BETA, "beta", "a factor for each notice, additive increase afterwards")           \
	X(LEVEL, "level", "a cut by the notice's congestion level, recovery as DCQCN's")

enum fcn_reaction_kind {
#define FCN_REACTION_ENUM(sym, name, text) FCN_REACTION_##sym,
	FCN_REACTIONS(FCN_REACTION_ENUM)
#undef FCN_REACTION_ENUM
	FCN_REACTION_COUNT,
};

/** Name, never NULL. */
const char *fcn_reaction_name(enum fcn_reaction_kind kind);

/** DCQCN's parameters, named as mlxconfig names them. Times ns, rates bits per second. */
struct fcn_dcqcn_conf {
	uint32_t initial_alpha; /**< of 1024 */
	uint32_t tcp_g;       /**< weight alpha keeps, of 1024; what it lacks is added with a CNP */
	uint64_t tcp_rtt_ns;  /**< alpha timer */
	uint32_t gd;          /**< rate -= rate * alpha >> gd */
	uint64_t monitor_ns;  /**< cut timer: at most one cut a period */
	uint32_t min_dec_fac; /**< percent of the rate that a cut leaves at least */
	uint64_t time_reset_ns;   /**< increase timer */
	uint64_t byte_reset;      /**< increase byte counter, bytes */
	uint32_t threshold;       /**< stages of fast recovery, F */
	uint64_t ai_bps, hai_bps; /**< additive, hyper increase */
	uint64_t min_rate_bps;
	bool clamp;              /**< every cut pulls the target to the current rate */
	bool clamp_after_time;   /**< ... when the timer increased since the last cut */
	uint64_t first_rate_bps; /**< rate at the first CNP, 0: no override */
};

/** ConnectX defaults, increases scaled with the line's rate (5 and 50 Mb/s at 25 Gb/s). */
void fcn_dcqcn_connectx(struct fcn_dcqcn_conf *conf, uint64_t line_bps);
/** Of the paper (SIGCOMM 2015) as its simulator has them: halving, 55 us, 5 stages. */
void fcn_dcqcn_paper(struct fcn_dcqcn_conf *conf, uint64_t line_bps);

/** HPCC++'s parameters. */
struct fcn_hpcc_conf {
	uint64_t base_rtt_ns;  /**< T */
	uint32_t eta_permille; /**< target utilisation, 950 */
	uint32_t max_stage;    /**< additive increases in a row, 0 */
	uint64_t wai_bytes;    /**< additive increase of the window; 0: W0 * (1 - eta) / flows */
	uint32_t flows;        /**< expected, for the default of wai_bytes */
	uint64_t min_rate_bps;
	uint64_t fallback_bps; /**< speed of hops whose trace does not tell, 0: the line's */
	uint64_t min_window;   /**< bytes, a packet; 0: 1024 */
};

/** Parameters of "beta" and "level". */
struct fcn_simple_conf {
	uint32_t default_level;   /**< of notices that tell none, 0..7 */
	uint64_t level_threshold; /**< bytes of a queue where level 0 begins; 0: 32 us of its link
				   */
	uint64_t level_limit;     /**< bytes of a queue where level 7 begins */
	uint32_t beta_permille;   /**< rate that a notice leaves, of 1000 */
	uint64_t increase_bps;    /**< of each quiet round trip */
	uint64_t rtt_ns;          /**< that round trip */
	uint32_t quiet_rounds;    /**< K: then increases are line / 1000 */
	uint64_t byte_counter;    /**< bytes that must have been sent for an increase, 0: none */
	uint64_t guard_ns;        /**< least time between two cuts; 0: rtt_ns, but 4 us at least */
	uint64_t min_rate_bps;
};

struct fcn_reaction_conf {
	enum fcn_reaction_kind kind;
	struct fcn_dcqcn_conf dcqcn; /**< dcqcn; level recovers by it */
	struct fcn_hpcc_conf hpcc;
	struct fcn_simple_conf simple; /**< beta; level's guard and levels */
};

/** Defaults of every kind for a line; the kind is none. */
void fcn_reaction_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps);

struct fcn_dcqcn {
	uint32_t alpha;          /**< of 1024; up to date after fcn_reaction_timers() */
	uint32_t alpha_fraction; /**< what it has beyond, 2^-20 */
	bool begun;              /**< a CNP came */
	bool alpha_seen, decrease_seen;
	uint64_t target_bps;
	uint32_t time_stage, byte_stage;
	uint64_t bytes;
	uint64_t alpha_at, cut_at, increase_at; /**< when these timers run out next */
};

/** What a hop told. */
struct fcn_hpcc_hop {
	uint64_t node;      /**< its identity, or its place on the path when it has none */
	uint64_t time_ns;   /**< by its clock, or by ours when it tells no time */
	uint64_t time_wrap; /**< where that time begins again at 0; 0: our clock */
	uint64_t tx_bytes;  /**< FCN_IOAM_NA64: not told */
	uint64_t rate_bps;  /**< of its link; told, or the fallback */
	uint64_t heard_ns;  /**< when we heard of it */
	uint32_t queue;     /**< bytes; FCN_IOAM_NA32: not told */
	bool known;
};

/** What a notice taught: holds until acknowledgements tell as much. */
struct fcn_hpcc_early {
	struct fcn_hpcc_hop hop[FCN_HPCC_HOPS];
	struct fcn_hpcc_hop cause; /**< known: the hop that the limit is for */
	double window;             /**< limit, bytes */
	double utilisation;
};

struct fcn_hpcc {
	struct fcn_hpcc_hop hop[FCN_HPCC_HOPS]; /**< as acknowledgements told last */
	unsigned int n_hops;                    /**< of the trace read last */
	double utilisation;
	double window, window_full; /**< W, Wc, bytes on the wire */
	uint32_t stage;
	struct fcn_hpcc_early by_notice;
	uint64_t full_updates, early; /**< updates by acknowledgements, cuts by notices */
	uint64_t partial;   /**< traces that left hops out: Overflow, more than FCN_HPCC_HOPS */
	uint64_t malformed; /**< traces that could not be read */
};

struct fcn_simple {
	uint64_t quiet_since; /**< last notice or increase */
	uint64_t guard_until; /**< no cut before */
	uint64_t bytes;       /**< sent since */
	uint32_t rounds;      /**< increases since the last notice */
};

/** A queue pair's reaction point. */
struct fcn_reaction {
	uint64_t rate_bps; /**< now; read it after each call */
	uint64_t window;   /**< bytes on the wire, FCN_WINDOW_NONE: no limit */
	uint64_t line_bps;
	const struct fcn_reaction_conf *conf; /**< outlives this */
	struct fcn_dcqcn dcqcn;
	union {
		struct fcn_hpcc hpcc;
		struct fcn_simple simple;
	};
};

/** A queue pair that begins to send: line rate. */
void fcn_reaction_init(struct fcn_reaction *r, const struct fcn_reaction_conf *conf,
		uint64_t line_bps, uint64_t now);

/**
 * It was told of congestion, by a CNP or a Fast CNP. Nothing to HPCC++, which goes by traces.
 *
 * @param level 0..7, -1: not told
 */
void fcn_reaction_cnp(struct fcn_reaction *r, int level, uint64_t now);

/**
 * The congestion level that a notice's trace tells to a reaction point that goes by levels: where
 * the queue of the newest hop, else its buffer, stands on the logarithmic scale that detectors of
 * switches have.
 *
 * @return 0..7, -1: this one goes by no levels, or the trace tells neither
 */
int fcn_reaction_level(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace);

/**
 * It was told what the hops of the path saw, by a trace (wire-formats of profile HPCC:
 * node, time, link speed, queue, transmitted bytes; other sets of fields as far as they go).
 *
 * @param early by a notice on its way, not by an acknowledgement: never a full update, taken only
 *              if the window gets smaller
 * @param full  the acknowledged sequence passed the mark: once a round trip
 */
void fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
		bool full, uint64_t now);

/** Bytes on the wire were sent. */
void fcn_reaction_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now);

/** When the rate may change by itself; timers without such effect are caught up with lazily. */
uint64_t fcn_reaction_next(const struct fcn_reaction *r);

/** Timers that are due by now run, in order. */
void fcn_reaction_timers(struct fcn_reaction *r, uint64_t now);

#endif /* FCN_REACTION_H */
