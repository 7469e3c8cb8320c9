/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Flow control of one port, both ways.
 *
 * Taken: pause that the other end asked for, each class until its own time
 * (newest wins), and the watchdog against storms: a class that is paused
 * without a break for `detect_ns` while it has packets is no longer believed,
 * until no pause came for it for `restore_ns`. What is left of its pause then
 * is obeyed, as if it began there. No storm begins when no pause came for so long.
 * A pause that begins in the nanosecond in which the one before ends leaves no break.
 *
 * Given: classes whose sender behind this port is to pause. A frame tells all
 * of them at once; it is repeated at half the pause time as long as any is.
 *
 * Priority and class are one here. One owner, no locks, no clock but `now`.
 */

#ifndef FCN_PAUSE_H
#define FCN_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_counter.h"

#define FCN_PAUSE_CLASSES 8
#define FCN_PAUSE_NEVER UINT64_MAX

/** What the watchdog does with the packets of a class in a storm. */
enum fcn_storm_action {
	FCN_STORM_OFF,     /**< no watchdog */
	FCN_STORM_DROP,    /**< drop those queued and those that arrive */
	FCN_STORM_FORWARD, /**< send them, pause or not */
};

/** Part of the configuration, read only for workers. */
struct fcn_pause_conf {
	uint8_t taken;     /**< bit set: classes that a received PFC frame stops */
	bool link;         /**< a received 802.3x PAUSE stops the port: every class but `exempt` */
	uint8_t exempt;    /**< bit set: classes that nothing stops (that of the notices) */
	uint8_t given;     /**< bit set: classes for which PFC frames are sent */
	uint64_t link_bps; /**< speed of the line: what a quantum lasts */
	uint16_t quanta;   /**< pause time that is asked for */
	uint64_t refresh_ns; /**< half of it */
	enum fcn_storm_action action;
	uint64_t detect_ns;
	uint64_t restore_ns;
};

/* In `show pfc`, by class: pauses that the other end asked for. */
#define FCN_PAUSE_RECEIVED_COUNTERS(X)                                                            \
	X(taken_ns, "taken_ns", SECONDS, "pfc_paused",                                            \
			"Time the class was stopped by pauses from the other end")                \
	X(rx_xoff, "rx_xoff", COUNTER, "pfc_received_xoff", "Pauses received for the class")      \
	X(rx_xon, "rx_xon", COUNTER, "pfc_received_xon", "Ends of pauses received for the class") \
	X(rx_ignored, "rx_ignored", COUNTER, "pfc_ignored",                                       \
			"Pauses received for the class and not believed")                         \
	X(storms, "storms", COUNTER, "pfc_storms", "Pause storms of the class")

/* In `show pfc`, by class: pauses that the other end was asked for. */
#define FCN_PAUSE_SENT_COUNTERS(X)                                          \
	X(given_ns, "given_ns", SECONDS, "pfc_pausing",                     \
			"Time the other end was asked to pause the class")  \
	X(tx_xoff, "tx_xoff", COUNTER, "pfc_sent_xoff", "Pauses asked for") \
	X(tx_xon, "tx_xon", COUNTER, "pfc_sent_xon", "Ends of pauses told")

/**
 * Counters of one class; the form of the lists is described in fcn_counter.h. Pauses are frames of
 * PFC, repetitions included, and 802.3x PAUSE frames received. Times include those of storms, and
 * only fcn_pause_read() gives them up to now: in struct fcn_pause they end at the last change.
 */
struct fcn_pause_class_stats {
	FCN_PAUSE_RECEIVED_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PAUSE_SENT_COUNTERS(FCN_COUNTER_MEMBER)
};

struct fcn_pause {
	/* taken */
	uint8_t stopped; /**< bit set: until lies ahead */
	uint8_t storm;   /**< bit set: not believed now */
	uint64_t until[FCN_PAUSE_CLASSES];
	uint64_t since[FCN_PAUSE_CLASSES];   /**< stopped without a break since */
	uint64_t counted[FCN_PAUSE_CLASSES]; /**< taken_ns is complete up to here */
	uint64_t last_rx[FCN_PAUSE_CLASSES]; /**< last frame that stops it */
	/* given */
	uint8_t xoff;                           /**< bit set: the other end is to be stopped */
	uint8_t told;                           /**< bit set: what the last frame said */
	uint8_t pending;                        /**< bit set: must be told, now */
	uint64_t refresh_at;                    /**< when to tell again; FCN_PAUSE_NEVER */
	uint64_t xoff_since[FCN_PAUSE_CLASSES]; /**< given_ns counted from */
	struct fcn_pause_class_stats stats[FCN_PAUSE_CLASSES];
};

/** Start afresh. */
void fcn_pause_reset(struct fcn_pause *p);

/**
 * A frame came. From `now` on, each class it speaks of is stopped until
 * now + quanta * 512 bit times (rounded up), or goes on at once when that is 0.
 *
 * @param priorities bit set: classes it speaks of
 * @param link       it is an 802.3x PAUSE
 * @param now        when it came; a little earlier than other calls had it, if another worker
 *                   received it
 */
void fcn_pause_receive(struct fcn_pause *p, const struct fcn_pause_conf *conf, bool link,
		uint8_t priorities, const uint16_t quanta[FCN_PAUSE_CLASSES], uint64_t now);

/** What fcn_pause_look() found. */
struct fcn_pause_look {
	uint8_t held;     /**< bit set: classes that must not be sent now, `dropped` included */
	uint8_t dropped;  /**< bit set: classes in a storm whose packets are to be dropped */
	uint8_t began;    /**< bit set: classes whose storm began with this look */
	uint8_t restored; /**< bit set: classes whose storm ended with this look */
};

/**
 * Let time pass: pauses end, storms begin and end. For a port with anything
 * stopped or in a storm: see fcn_pause_is_idle().
 *
 * @param backlog bit set: classes that have packets
 */
struct fcn_pause_look fcn_pause_look(struct fcn_pause *p, const struct fcn_pause_conf *conf,
		uint8_t backlog, uint64_t now);

/** Whether nothing is taken: fcn_pause_look() has nothing to say. */
static inline bool
fcn_pause_is_idle(const struct fcn_pause *p)
{
	return (p->stopped | p->storm) == 0;
}

/**
 * Say whether the sender of a class is to pause; of a class that is not given
 * it is never said. Takes effect with the next frame sent; what was taken back before needs none.
 */
void fcn_pause_set_xoff(struct fcn_pause *p, const struct fcn_pause_conf *conf, unsigned int class,
		bool xoff, uint64_t now);

/** Whether a frame is to be sent now. */
static inline bool
fcn_pause_is_due(const struct fcn_pause *p, uint64_t now)
{
	return p->pending != 0 || p->refresh_at <= now;
}

/**
 * A frame leaves now: what it has to say. To be called once for each frame sent.
 *
 * @param quanta of each class it speaks of; 0 for the others
 * @return bit set: classes it speaks of
 */
uint8_t fcn_pause_tell(struct fcn_pause *p, const struct fcn_pause_conf *conf,
		uint16_t quanta[FCN_PAUSE_CLASSES], uint64_t now);

/**
 * Earliest time at which anything changes without a further frame or packet:
 * a pause ends, a storm begins or ends, a frame is due.
 */
uint64_t fcn_pause_next(const struct fcn_pause *p, const struct fcn_pause_conf *conf,
		uint8_t backlog, uint64_t now);

/**
 * The configuration changed: what is not taken or given any more ends; a class that was told to
 * stop and is not given any more is told to go on (pending). Without a watchdog no storm lasts;
 * pauses keep the times they have.
 */
void fcn_pause_reconfigure(struct fcn_pause *p, const struct fcn_pause_conf *conf, uint64_t now);

/** Counters, complete up to now. */
void fcn_pause_read(struct fcn_pause *p, uint64_t now,
		struct fcn_pause_class_stats stats[FCN_PAUSE_CLASSES]);

/** Set counters to zero; what is stopped stays so. */
void fcn_pause_clear_stats(struct fcn_pause *p, uint64_t now);

#endif /* FCN_PAUSE_H */
