/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A link of a simulated network: two directions, each a line of some rate, a delay, and faults on
 * demand. Frames are mbufs; those it loses are freed and counted, so that every frame put on it is
 * delivered, lost by a named fate, or on its way. Times are nanoseconds, rates bits per second,
 * lengths bytes without FCS. One owner, that of its simulation; no locks.
 */

#ifndef FCN_LINK_H
#define FCN_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_line.h"
#include "fcn_random.h"
#include "fcn_sim.h"

/** Probabilities in billionths, of each frame. */
struct fcn_link_faults {
	uint32_t loss;
	uint32_t duplicate;
	uint32_t corrupt;     /**< a bit is turned over: one that a good FCS would have caught */
	uint32_t reorder;     /**< the frame comes later than those behind it */
	uint32_t notice_loss; /**< of CNPs and Fast CNPs */
	uint64_t reorder_ns;  /**< how much later */
};

/* X(symbol, name, text): what became of a frame. */
#define FCN_LINK_FATES(X)                                              \
	X(SENT, "sent", "on its way")                                  \
	X(LOST, "lost", "lost by chance")                              \
	X(CORRUPTED, "corrupted", "on its way with a bit turned over") \
	X(DUPLICATED, "duplicated", "on its way twice")                \
	X(REORDERED, "reordered", "on its way, slower")                \
	X(DOWN, "down", "the link was down")                           \
	X(TOO_LONG, "too_long", "longer than the link takes")          \
	X(NOTICE_LOST, "notice_lost", "a notice, lost by chance")      \
	X(NO_MBUF, "no_mbuf", "lost: no memory for it")

enum fcn_link_fate {
#define FCN_LINK_ENUM(sym, name, text) FCN_LINK_##sym,
	FCN_LINK_FATES(FCN_LINK_ENUM)
#undef FCN_LINK_ENUM
	FCN_LINK_FATE_COUNT,
};

/** Name, never NULL. */
const char *fcn_link_fate_name(enum fcn_link_fate fate);

/** What one direction of a link did. */
struct fcn_link_counters {
	uint64_t packets[FCN_LINK_FATE_COUNT]; /**< frames put on it, by fate */
	uint64_t bytes;                        /**< of all of them, without FCS */
	uint64_t copies;                       /**< made of duplicated frames */
	uint64_t delivered;                    /**< frames given to the other end */
	uint64_t cut_off;                      /**< were on their way when the link went down */
	uint64_t no_mbuf;                      /**< duplicates not made for want of memory */
};

/** Parameters of a link. */
struct fcn_link_conf {
	uint64_t rate_bps;    /**< of both directions */
	uint64_t delay_ns;    /**< from the last bit's departure to its arrival, both directions */
	uint64_t extra_ns[2]; /**< more of it, for frames from end 0, 1 */
	uint32_t max_frame;   /**< longest frame, bytes without FCS; 0: any */
	uint64_t seed;        /**< of faults */
	struct rte_mempool *pool; /**< of copies */
};

struct fcn_link;

/** @return NULL on lack of memory, or rate 0 */
struct fcn_link *fcn_link_create(struct fcn_sim *sim, const struct fcn_link_conf *conf);

/** Frames on their way are freed. */
void fcn_link_free(struct fcn_link *link);

/**
 * Who gets what arrives at an end, 0 or 1: called at the time of arrival with a frame that is its
 * own from then on.
 */
void fcn_link_attach(struct fcn_link *link, unsigned int end,
		void (*deliver)(void *arg, struct rte_mbuf *frame, uint64_t now), void *arg);

/** Who is told of each frame that is put on the link, before it goes; NULL: nobody. */
void fcn_link_listen(struct fcn_link *link,
		void (*tell)(void *arg, unsigned int from, const struct rte_mbuf *frame,
				enum fcn_link_fate fate, uint64_t departed),
		void *arg);

/** The line of an end, as long as the link is; to be read only. */
const struct fcn_line *fcn_link_line(const struct fcn_link *link, unsigned int end);

/** When the line of an end is free for a frame. */
uint64_t fcn_link_ready(const struct fcn_link *link, unsigned int end);

/**
 * Put a frame on the line of an end, which is free; the frame belongs to the link. One that shares
 * octets with others (clones) is copied: who gets it may write to it.
 * @return when its last bit has left
 */
uint64_t fcn_link_send(
		struct fcn_link *link, unsigned int end, struct rte_mbuf *frame, uint64_t now);

/** Take it down, what is on its way is lost; or up again. */
void fcn_link_set_up(struct fcn_link *link, bool up);
bool fcn_link_is_up(const struct fcn_link *link);

/** Faults of frames from an end, from now on. */
void fcn_link_set_faults(
		struct fcn_link *link, unsigned int end, const struct fcn_link_faults *faults);
void fcn_link_get_faults(
		const struct fcn_link *link, unsigned int end, struct fcn_link_faults *faults);

uint64_t fcn_link_rate(const struct fcn_link *link);

/** Frames on their way from an end. */
uint64_t fcn_link_on_way(const struct fcn_link *link, unsigned int end);

void fcn_link_counters(
		const struct fcn_link *link, unsigned int end, struct fcn_link_counters *counters);

#endif /* FCN_LINK_H */
