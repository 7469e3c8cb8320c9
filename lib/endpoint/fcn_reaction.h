/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Reaction point of a RoCEv2 sender: how a queue pair changes its rate when it learns of
 * congestion. There are DCQCN as in ConnectX network adapters, HPCC++, cuts by a factor, cuts by
 * the congestion level of a notice, and no reaction. A reaction point is a state machine; the
 * caller passes the time. It does no I/O and allocates no memory. It is used by one thread.
 *
 * The rate is a limit for the pacer, in bits per second on the wire. The window is a limit for
 * unacknowledged bytes on the wire. Rates are integers, so that results do not depend on the
 * compiler.
 */

#ifndef FCN_REACTION_H
#define FCN_REACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_ioam.h"

/** A time that is never reached. */
#define FCN_REACTION_NEVER UINT64_MAX

/** No limit of bytes in flight. */
#define FCN_WINDOW_NONE UINT64_MAX

/** Number of hops of a trace that HPCC++ stores. */
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

/** Parameters of DCQCN, with the names of mlxconfig. Times are in ns, rates in bits per second. */
struct fcn_dcqcn_conf {
	uint32_t initial_alpha; /**< in units of 1/1024 */
	/** Weight of the old alpha in units of 1/1024; the remainder is added after a CNP. */
	uint32_t tcp_g;
	uint64_t tcp_rtt_ns; /**< period of the alpha timer */
	uint32_t gd;         /**< rate -= rate * alpha >> gd */
	/** Period of the cut timer: at most one cut in it. 0: each CNP cuts when it arrives. */
	uint64_t monitor_ns;
	uint32_t min_dec_fac;   /**< smallest rate after a cut, in percent of the rate before */
	uint64_t time_reset_ns; /**< period of the increase timer; 0: none */
	/** Byte counter of increases: number of bytes sent for an increase; 0: none. */
	uint64_t byte_reset;
	uint32_t threshold;       /**< stages of fast recovery, F */
	uint64_t ai_bps, hai_bps; /**< additive, hyper increase */
	uint64_t min_rate_bps;
	bool clamp; /**< every cut sets the target to the current rate */
	/** A cut does so if the timer has increased the rate since the last cut. */
	bool clamp_after_time;
	/** Rate set by the first CNP; 0: the first CNP cuts like any other. */
	uint64_t first_rate_bps;
	/**
	 * A CNP cuts when it arrives, but not before monitor_ns have passed since the last cut. If
	 * not set, it cuts at the end of the current period of the cut timer, which begins with the
	 * first CNP.
	 */
	bool cut_on_arrival;
	/**
	 * A CNP raises alpha when it arrives, after its cut, and restarts the alpha timer, which
	 * then only lowers alpha. If not set, the alpha timer does both.
	 */
	bool alpha_on_arrival;
};

/* X(name, function): sets of parameters for DCQCN. */
#define FCN_DCQCN_PROFILES(X)             \
	X("connectx", fcn_dcqcn_connectx) \
	X("paper", fcn_dcqcn_paper)       \
	X("fast-recovery", fcn_dcqcn_fast_recovery)

/** The names of the profiles, as the syntax of a command has a choice. */
#define FCN_DCQCN_PROFILE_NAMES "connectx|paper|fast-recovery"

/**
 * Set the defaults of ConnectX, with increases proportional to the line rate (5 and 50 Mb/s at 25
 * Gb/s).
 */
void fcn_dcqcn_connectx(struct fcn_dcqcn_conf *conf, uint64_t line_bps);
/**
 * Set the algorithm and parameters of the DCQCN paper (SIGCOMM 2015): cuts and alpha when a CNP
 * arrives, halving, 55 us, 5 stages.
 */
void fcn_dcqcn_paper(struct fcn_dcqcn_conf *conf, uint64_t line_bps);
/**
 * Set the defaults of ConnectX, but for the recovery: an increase every 55 us (RPG_TIME_RESET) and
 * five stages of fast recovery (RPG_THRESHOLD), as in the paper. Both can be set in these adapters.
 */
void fcn_dcqcn_fast_recovery(struct fcn_dcqcn_conf *conf, uint64_t line_bps);
/**
 * Set the parameters of a profile.
 *
 * @param name one of FCN_DCQCN_PROFILES
 * @return 0; -ENOENT if there is no profile of this name
 */
int fcn_dcqcn_profile(struct fcn_dcqcn_conf *conf, const char *name, uint64_t line_bps);

/** Parameters of HPCC++. */
struct fcn_hpcc_conf {
	uint64_t base_rtt_ns;  /**< base round-trip time T */
	uint32_t eta_permille; /**< target utilisation eta, usually 950 */
	uint32_t max_stage;    /**< maximum number of consecutive additive increases, usually 0 */
	uint64_t wai_bytes;    /**< additive increase of the window; 0: W0 * (1 - eta) / flows */
	uint32_t flows;        /**< expected number of flows, for the default of wai_bytes */
	uint64_t min_rate_bps;
	/** Link speed of hops whose trace does not contain it; 0: the line rate. */
	uint64_t fallback_bps;
	uint64_t min_window; /**< minimum window in bytes, usually one packet; 0: 1024 */
};

/** Parameters of "beta" and "level". */
struct fcn_simple_conf {
	uint32_t default_level; /**< level of notices without one, 0..7 */
	/** Queue length in bytes at which level 0 begins; 0: 32 us at the rate of its link. */
	uint64_t level_threshold;
	/** Queue length in bytes at which level 7 begins; 0: 320 us at the rate of its link, at
	 * least 1 MB. */
	uint64_t level_limit;
	uint32_t beta_permille; /**< rate after a notice, in thousandths of the rate before */
	uint64_t increase_bps;  /**< increase after each round trip without a notice */
	uint64_t rtt_ns;        /**< duration of that round trip */
	/**
	 * Number K of round trips without a notice after which increases are 1/1000 of the line
	 * rate.
	 */
	uint32_t quiet_rounds;
	uint64_t byte_counter; /**< bytes that have to be sent for an increase; 0: none */
	uint64_t guard_ns;     /**< minimum time between two cuts; 0: rtt_ns, but at least 4 us */
	uint64_t min_rate_bps;
};

struct fcn_reaction_conf {
	enum fcn_reaction_kind kind;
	struct fcn_dcqcn_conf dcqcn; /**< of kind dcqcn, and the recovery of kind level */
	struct fcn_hpcc_conf hpcc;
	struct fcn_simple_conf simple; /**< of kind beta; guard time and levels of kind level */
};

/** Set the defaults of every kind for a line rate. The kind is set to none. */
void fcn_reaction_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps);

struct fcn_dcqcn {
	uint32_t alpha;          /**< in units of 1/1024; current after fcn_reaction_timers() */
	uint32_t alpha_fraction; /**< further bits of alpha, in units of 2^-20 */
	bool begun;              /**< a CNP was received */
	bool alpha_seen, decrease_seen;
	uint64_t target_bps;
	uint32_t time_stage, byte_stage;
	uint64_t bytes;
	uint64_t alpha_at, cut_at, increase_at; /**< when these timers expire next */
};

/** Data of a hop, from a trace. */
struct fcn_hpcc_hop {
	uint64_t node; /**< node id, or its position on the path if the trace has no id */
	/** Timestamp by the clock of the node, or by the sender's clock if the trace has none. */
	uint64_t time_ns;
	/** Period after which the timestamp wraps to 0; 0: it is the sender's clock. */
	uint64_t time_wrap;
	uint64_t tx_bytes; /**< FCN_IOAM_NA64: not in the trace */
	uint64_t rate_bps; /**< speed of its link, from the trace or the fallback */
	uint64_t heard_ns; /**< when this data was received */
	uint32_t queue;    /**< queue length in bytes; FCN_IOAM_NA32: not in the trace */
	bool known;
};

/** Data from a notice. It is valid until acknowledgements provide data that is as new. */
struct fcn_hpcc_early {
	struct fcn_hpcc_hop hop[FCN_HPCC_HOPS];
	struct fcn_hpcc_hop cause; /**< the hop that caused the limit; known: there is a limit */
	double window;             /**< limit, bytes */
	double utilisation;
};

struct fcn_hpcc {
	struct fcn_hpcc_hop hop[FCN_HPCC_HOPS]; /**< data of the last acknowledgement */
	unsigned int n_hops;                    /**< number of hops of the last trace */
	double utilisation;
	double window, window_full; /**< W and Wc, in bytes on the wire */
	uint32_t stage;
	struct fcn_hpcc_early by_notice;
	uint64_t full_updates, early; /**< updates by acknowledgements, cuts by notices */
	/** Traces without some hops: the Overflow flag was set, or more than FCN_HPCC_HOPS. */
	uint64_t partial;
	uint64_t malformed; /**< traces that could not be read */
};

struct fcn_simple {
	uint64_t quiet_since; /**< time of the last notice or increase */
	uint64_t guard_until; /**< no cut before this time */
	uint64_t bytes;       /**< bytes sent since quiet_since */
	uint32_t rounds;      /**< increases since the last notice */
};

/** A queue pair's reaction point. */
struct fcn_reaction {
	uint64_t rate_bps; /**< current rate; to be read after each call */
	uint64_t window;   /**< current window in bytes on the wire; FCN_WINDOW_NONE: no limit */
	uint64_t line_bps;
	const struct fcn_reaction_conf *conf; /**< must outlive this structure */
	struct fcn_dcqcn dcqcn;
	union {
		struct fcn_hpcc hpcc;
		struct fcn_simple simple;
	};
};

/** Initialise the reaction point of a queue pair. It begins at line rate. */
void fcn_reaction_init(struct fcn_reaction *r, const struct fcn_reaction_conf *conf,
		uint64_t line_bps, uint64_t now);

/**
 * The speed of the sender's line has changed. A sender at line rate stays at line rate; any other
 * keeps its rate, which is at most that of the line.
 */
void fcn_reaction_line(struct fcn_reaction *r, uint64_t line_bps, uint64_t now);

/**
 * A CNP or Fast CNP was received. HPCC++ ignores it, as it uses traces only.
 *
 * @param level congestion level 0..7; -1: unknown
 */
void fcn_reaction_cnp(struct fcn_reaction *r, int level, uint64_t now);

/**
 * Congestion level from the trace of a notice, for a reaction point of kind level: the position of
 * the queue length of the newest hop, or else of its buffer occupancy, on the logarithmic scale
 * that the detectors of the switch use.
 *
 * @return 0..7; -1 when the kind is another one, or the trace contains neither value
 */
int fcn_reaction_level(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace);

/**
 * An IOAM trace with the state of the hops of the path was received. HPCC++ needs node id,
 * timestamp, link speed, queue length and transmitted bytes; other sets of fields are used as far
 * as possible.
 *
 * @param early the trace comes from a notice, not from an acknowledgement: it never causes a full
 *              update, and is used only if it makes the window smaller
 * @param full  a round trip has passed since the last full update
 */
void fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
		bool full, uint64_t now);

/** A frame of this many bytes on the wire was sent. */
void fcn_reaction_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now);

/**
 * Time at which a timer may next change the rate. Timers that do not change it run later, with the
 * next call.
 */
uint64_t fcn_reaction_next(const struct fcn_reaction *r);

/** Run the timers that are due by now, in order of time. */
void fcn_reaction_timers(struct fcn_reaction *r, uint64_t now);

#endif /* FCN_REACTION_H */
