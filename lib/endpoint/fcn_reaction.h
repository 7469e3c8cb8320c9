/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Reaction point of a RoCEv2 sender: how a queue pair changes its rate when it learns of
 * congestion. The reactions are in a list, fcn_reaction_list.h; each is a file, which has its
 * parameters, its state and its functions. A reaction point is a state machine; the caller passes
 * the time. It does no I/O and allocates no memory. It is used by one thread.
 *
 * The rate is a limit for the pacer, in bits per second on the wire. The window is a limit for
 * unacknowledged bytes on the wire. Rates are integers, so that results do not depend on the
 * compiler.
 */

#ifndef FCN_REACTION_H
#define FCN_REACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_ioam.h"
#include "fcn_reaction_list.h"

/** A time that is never reached. */
#define FCN_REACTION_NEVER UINT64_MAX

/** No limit of bytes in flight. */
#define FCN_WINDOW_NONE UINT64_MAX

/** A round-trip time that is not known. */
#define FCN_REACTION_NO_RTT UINT64_MAX

enum fcn_reaction_kind {
#define FCN_REACTION_ENUM(sym, name) FCN_REACTION_##sym,
	FCN_REACTIONS(FCN_REACTION_ENUM)
#undef FCN_REACTION_ENUM
	FCN_REACTION_COUNT,
};

#define FCN_REACTION_CONF_WORDS 16   /**< room for the parameters of a reaction, in 8 bytes */
#define FCN_REACTION_STATE_WORDS 192 /**< room for the state of a reaction point, in 8 bytes */

/** Which reaction queue pairs have, and the parameters of all, so that each keeps its own. */
struct fcn_reaction_conf {
	enum fcn_reaction_kind kind;
	uint64_t of[FCN_REACTION_COUNT][FCN_REACTION_CONF_WORDS]; /**< for their own files */
};

/** A queue pair's reaction point. */
struct fcn_reaction {
	uint64_t rate_bps; /**< current rate; to be read after each call */
	uint64_t window;   /**< current window in bytes on the wire; FCN_WINDOW_NONE: no limit */
	uint64_t line_bps;
	uint32_t packet;                          /**< bytes on the wire of a full packet */
	const struct fcn_reaction_conf *conf;     /**< must outlive this structure */
	uint64_t state[FCN_REACTION_STATE_WORDS]; /**< for the file of its kind */
};

/** What an acknowledgement says. */
struct fcn_reaction_ack {
	/** From the sending of the last packet that it acknowledges; FCN_REACTION_NO_RTT. */
	uint64_t rtt_ns;
	uint64_t packets;   /**< packets that it acknowledges first */
	uint64_t bytes;     /**< their bytes on the wire */
	uint64_t in_flight; /**< bytes on the wire that are not acknowledged yet */
	uint8_t hops;       /**< by how much its hop limit is less than the sender's own */
	bool marked;        /**< the receiver reports a CE mark */
};

/* ---- what a reaction declares about itself ---- */

/** How a parameter is written, and in which unit it is stored. */
enum fcn_reaction_unit {
	FCN_REACTION_NUMBER,
	FCN_REACTION_SIZE,  /**< bytes */
	FCN_REACTION_RATE,  /**< bits per second */
	FCN_REACTION_TIME,  /**< nanoseconds */
	FCN_REACTION_RATIO, /**< thousandths */
	FCN_REACTION_SWITCH /**< on or off */
};

/** A parameter of a reaction: an integer of 1, 4 or 8 bytes. */
struct fcn_reaction_parameter {
	const char *word;
	enum fcn_reaction_unit unit;
	size_t offset, size;
	uint64_t least, most; /**< in the unit it is stored in */
	const char *help;     /**< a phrase, for `WORD is ...`; of a command: a sentence */
};

/** A set of parameters that has a name. */
struct fcn_reaction_profile {
	const char *name;
	void (*set)(struct fcn_reaction_conf *conf, uint64_t line_bps);
};

/** A reaction. What is NULL does nothing. Times are in nanoseconds. */
struct fcn_reaction_type {
	/** The help of the command `reaction NAME`, one or more sentences, the last without stop.
	 */
	const char *help;
	/** Parameters that may follow in that command. */
	const struct fcn_reaction_parameter *arguments;
	unsigned int n_arguments;
	/** Parameters that have commands of their own, as DCQCN's are the names of an adapter's. */
	const struct fcn_reaction_parameter *settings;
	unsigned int n_settings;
	/** Names that may stand first behind the name of the reaction. */
	const struct fcn_reaction_profile *profiles;
	unsigned int n_profiles;
	bool traces; /**< it reads IOAM traces in acknowledgements */
	bool marks;  /**< it reads CE marks in acknowledgements */

	/** Set the default parameters for a line rate; they are all zeros before. */
	void (*defaults)(struct fcn_reaction_conf *conf, uint64_t line_bps);
	/** Begin. Rate and window are those of the line, the state is all zeros. */
	void (*init)(struct fcn_reaction *r, uint64_t now);
	/** The line has another speed than before; the rate is adapted already. */
	void (*line)(struct fcn_reaction *r, uint64_t before_bps, uint64_t now);
	/** See the functions below, which call these after the timers that are due. */
	void (*cnp)(struct fcn_reaction *r, int level, uint64_t now);
	int (*level)(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace);
	void (*trace)(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
			bool full, uint64_t now);
	/** With this function, each packet of a sender asks for an acknowledgement. */
	void (*ack)(struct fcn_reaction *r, const struct fcn_reaction_ack *ack, uint64_t now);
	void (*loss)(struct fcn_reaction *r, bool timeout, uint64_t bytes, uint64_t now);
	void (*sent)(struct fcn_reaction *r, uint32_t bytes, uint64_t now);
	uint64_t (*next)(const struct fcn_reaction *r);
	void (*timers)(struct fcn_reaction *r, uint64_t now);
	/** DCQCN's alpha in units of 1/1024. */
	uint32_t (*alpha)(const struct fcn_reaction *r);
};

/** The reaction of a kind. */
const struct fcn_reaction_type *fcn_reaction_type(enum fcn_reaction_kind kind);
/** The name of a kind, as in commands. */
const char *fcn_reaction_name(enum fcn_reaction_kind kind);

/** Set the defaults of every kind for a line rate. The kind is set to none. */
void fcn_reaction_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps);

/**
 * Find a parameter of a kind, by its word in commands.
 *
 * @param value if not NULL: gets the value of the parameter in conf, in the unit it is stored in
 * @return NULL if there is none
 */
const struct fcn_reaction_parameter *fcn_reaction_parameter(const struct fcn_reaction_conf *conf,
		enum fcn_reaction_kind kind, const char *word, uint64_t *value);

/**
 * Set a parameter of a kind, without regard to its range.
 *
 * @param value in the unit it is stored in
 * @return 0; -ENOENT if the kind has no such parameter
 */
int fcn_reaction_set(struct fcn_reaction_conf *conf, enum fcn_reaction_kind kind, const char *word,
		uint64_t value);

/* ---- reaction points ---- */

/**
 * Initialise the reaction point of a queue pair. It begins at line rate.
 *
 * @param packet bytes on the wire of a full packet, more than 0
 */
void fcn_reaction_init(struct fcn_reaction *r, const struct fcn_reaction_conf *conf,
		uint64_t line_bps, uint32_t packet, uint64_t now);

/**
 * The speed of the sender's line has changed. A sender at line rate stays at line rate; any other
 * keeps its rate, which is at most that of the line.
 */
void fcn_reaction_line(struct fcn_reaction *r, uint64_t line_bps, uint64_t now);

/**
 * A CNP or Fast CNP was received. Reactions that go by traces or acknowledgements ignore it.
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

/** An acknowledgement of packets that were not acknowledged before was received. */
void fcn_reaction_ack(struct fcn_reaction *r, const struct fcn_reaction_ack *ack, uint64_t now);

/**
 * Packets are lost: the receiver reports a gap, or the retransmission timeout has expired.
 *
 * @param bytes bytes on the wire of those packets, as far as the sender knows
 */
void fcn_reaction_loss(struct fcn_reaction *r, bool timeout, uint64_t bytes, uint64_t now);

/** Whether queue pairs of this configuration want to be told of acknowledgements. */
bool fcn_reaction_wants_acks(const struct fcn_reaction_conf *conf);

/** A frame of this many bytes on the wire was sent. */
void fcn_reaction_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now);

/**
 * Time at which a timer may next change the rate. Timers that do not change it run later, with the
 * next call.
 */
uint64_t fcn_reaction_next(const struct fcn_reaction *r);

/** Run the timers that are due by now, in order of time. */
void fcn_reaction_timers(struct fcn_reaction *r, uint64_t now);

/** DCQCN's alpha, in units of 1/1024; 0 for the other kinds. */
uint32_t fcn_reaction_alpha(const struct fcn_reaction *r);

#endif /* FCN_REACTION_H */
