/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A link of a simulated network. It has two directions, each with a serializer, a delay, and
 * optional faults. Frames are mbufs. Every frame that is put on the link is delivered, lost and
 * counted with a reason, or in flight. Times are in nanoseconds, rates in bits per second, lengths
 * in bytes without FCS. An end of a link is used by the thread of its simulation; there are no
 * locks. When the ends are in two simulations that run side by side (fcn_sim_group.h), the frames
 * that one end sends are kept until fcn_link_exchange() hands them over to the other.
 */

#ifndef FCN_LINK_H
#define FCN_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_serializer.h"
#include "fcn_random.h"
#include "fcn_sim.h"

/** Faults. Probabilities are in billionths, for each frame. */
struct fcn_link_faults {
	uint32_t loss;
	uint32_t duplicate;
	uint32_t corrupt;     /**< one bit is inverted, as if the FCS had not detected the error */
	uint32_t reorder;     /**< the frame is delayed, so that later frames overtake it */
	uint32_t notice_loss; /**< additional loss of notices, see fcn_link_conf.is_notice */
	uint64_t reorder_ns;  /**< additional delay of a reordered frame */
};

/* X(symbol, name, text): outcome of sending a frame. */
#define FCN_LINK_FATES(X)                                                           \
	X(SENT, "sent", "sent")                                                     \
	X(LOST, "lost", "lost by chance")                                           \
	X(CORRUPTED, "corrupted", "sent with one bit inverted")                     \
	X(DUPLICATED, "duplicated", "sent twice")                                   \
	X(REORDERED, "reordered", "sent with an additional delay")                  \
	X(DOWN, "down", "the link was down")                                        \
	X(TOO_LONG, "too_long", "longer than the maximum frame length of the link") \
	X(NOTICE_LOST, "notice_lost", "a notice, lost by chance")                   \
	X(NO_MBUF, "no_mbuf", "lost because memory was exhausted")

enum fcn_link_fate {
#define FCN_LINK_ENUM(sym, name, text) FCN_LINK_##sym,
	FCN_LINK_FATES(FCN_LINK_ENUM)
#undef FCN_LINK_ENUM
	FCN_LINK_FATE_COUNT,
};

/** Get the name of an outcome; never NULL. */
const char *fcn_link_fate_name(enum fcn_link_fate fate);

/** Counters of one direction of a link. */
struct fcn_link_counters {
	uint64_t packets[FCN_LINK_FATE_COUNT]; /**< frames sent, by outcome */
	uint64_t bytes;                        /**< bytes of these frames, without FCS */
	uint64_t copies;                       /**< copies of duplicated frames */
	uint64_t delivered;                    /**< frames delivered to the other end */
	uint64_t cut_off; /**< frames that were in flight when the link went down */
	uint64_t no_mbuf; /**< duplicates not made because there was no buffer */
	uint64_t late;    /**< frames handed over to the other end after their arrival: a defect */
};

/** Parameters of a link. */
struct fcn_link_conf {
	struct fcn_sim *sim[2];   /**< simulation of the node at each end */
	uint64_t rate_bps;        /**< of each direction */
	uint64_t delay_ns;        /**< propagation delay of each direction */
	uint64_t extra_ns[2];     /**< additional delay for frames from end 0 and 1 */
	uint32_t max_frame;       /**< longest frame, bytes without FCS; 0: any */
	uint64_t seed;            /**< seed of the faults */
	struct rte_mempool *pool; /**< pool for copies */
	/** Tells which frames are notices, beside CNPs and Fast CNPs; NULL: none are. The frame
	 * may have several segments. */
	bool (*is_notice)(void *arg, const struct rte_mbuf *frame);
	void *is_notice_arg;
};

struct fcn_link;

/** Create a link. @return NULL when memory is exhausted or the rate is 0 */
struct fcn_link *fcn_link_create(const struct fcn_link_conf *conf);

/** Free a link and the frames in flight. */
void fcn_link_free(struct fcn_link *link);

/**
 * Set the receiver at an end, 0 or 1. The callback is called at the time of arrival and takes over
 * the frame.
 */
void fcn_link_attach(struct fcn_link *link, unsigned int end,
		void (*deliver)(void *arg, struct rte_mbuf *frame, uint64_t now), void *arg);

/**
 * Set a callback that observes each frame that is put on the link, before it is sent; NULL: none.
 */
void fcn_link_observe(struct fcn_link *link,
		void (*observe)(void *arg, unsigned int from, const struct rte_mbuf *frame,
				enum fcn_link_fate fate, uint64_t departed),
		void *arg);

/** Get the serializer of an end. It may only be read, and exists as long as the link. */
const struct fcn_serializer *fcn_link_serializer(const struct fcn_link *link, unsigned int end);

/** Get the time at which the serializer of an end is free for a frame. */
uint64_t fcn_link_ready(const struct fcn_link *link, unsigned int end);

/**
 * Send a frame from an end, whose serializer must be free. The link takes over the frame. A frame
 * that shares data with other mbufs (a clone) is copied, because the receiver may write to it; one
 * of another pool than the link's is copied, so that the sender has its buffer back at once.
 *
 * @return time at which its last bit has left
 */
uint64_t fcn_link_send(
		struct fcn_link *link, unsigned int end, struct rte_mbuf *frame, uint64_t now);

/**
 * Hand over the frames that the ends have sent one another; to be called while no simulation runs.
 * It does nothing to a link within one simulation.
 */
void fcn_link_exchange(struct fcn_link *link);

/** Get the time at which the last of the frames in flight from an end arrives; 0: there is none. */
uint64_t fcn_link_last_arrival(const struct fcn_link *link, unsigned int end);

/** Set a link down, which loses all frames in flight, or up again. */
void fcn_link_set_up(struct fcn_link *link, bool up);
bool fcn_link_is_up(const struct fcn_link *link);

/** Set the faults of frames that an end sends from now on. */
void fcn_link_set_faults(
		struct fcn_link *link, unsigned int end, const struct fcn_link_faults *faults);
void fcn_link_get_faults(
		const struct fcn_link *link, unsigned int end, struct fcn_link_faults *faults);

uint64_t fcn_link_rate(const struct fcn_link *link);

/**
 * Change the speed of both directions. Frames that are being sent or are in flight arrive as they
 * would have. A rate of 0 is ignored.
 */
void fcn_link_set_rate(struct fcn_link *link, uint64_t bps);

/** Get the number of frames in flight from an end. */
uint64_t fcn_link_in_flight(const struct fcn_link *link, unsigned int end);

void fcn_link_counters(
		const struct fcn_link *link, unsigned int end, struct fcn_link_counters *counters);

#endif /* FCN_LINK_H */
