/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The switch's buffer, as bytes: what each queue may always have (its
 * reserve), what all share by a dynamic threshold (Choudhury and Hahne:
 * at most alpha times what is free), and headroom for lossless classes.
 *
 * Every queued packet stands on one account. Packets of a lossless class stand
 * on that of the port and priority they came in by (struct fcn_ingress):
 * what is above its threshold makes the sender pause, and goes into its headroom. All others stand
 * on that of their egress queue (struct fcn_account). Without a shared buffer (size 0) queues have
 * their own limits alone, and lossless classes a static threshold.
 *
 * One owner, no locks. Bytes are those of frames without FCS. When a reserve changes, the owner
 * counts shared_used anew: fcn_buffer_over() of each queue, fcn_ingress_shared() of each class.
 */

#ifndef FCN_BUFFER_H
#define FCN_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>

#include "fcn_counter.h"

/** Alpha 1 in fixed point. */
#define FCN_ALPHA_ONE (UINT64_C(1) << 32)

/** Part of the configuration, read only for workers. */
struct fcn_buffer_conf {
	uint64_t size;   /**< 0: no shared buffer */
	uint64_t shared; /**< size less all reserves and headrooms; of several workers, each one's
			    part */
};

struct fcn_buffer {
	uint64_t shared_used;   /**< bytes above reserves, of all accounts */
	uint64_t headroom_used; /**< bytes in headrooms */
	uint64_t shared_max;    /**< watermarks since the last reading */
	uint64_t headroom_max;
};

/** Parameters of an egress queue's account. */
struct fcn_account_conf {
	uint32_t reserve; /**< bytes always its own */
	uint64_t alpha;   /**< share of what is free, FCN_ALPHA_ONE is 1 */
};

/** Bytes of a lossless class: ingress port and priority. */
struct fcn_ingress_conf {
	bool lossless;      /**< packets of this port and priority are not to be lost */
	bool dynamic;       /**< threshold by alpha, else xoff */
	uint32_t reserve;   /**< bytes always its own; part of the threshold */
	uint64_t alpha;     /**< dynamic: share of what is free */
	uint32_t xoff;      /**< static: bytes from which on the sender is to pause */
	uint32_t xon;       /**< static: bytes at or below which it may go on */
	uint32_t xon_below; /**< dynamic: so far below the threshold it may go on */
	uint32_t headroom;  /**< bytes for what still arrives */
};

/* In `show pfc`, by ingress port and class; the form of the list is described in fcn_counter.h. */
#define FCN_INGRESS_COUNTERS(X)                                      \
	X(lost_packets, "lost_packets", COUNTER, "pfc_lost_packets", \
			"Packets lost in the lossless class")        \
	X(lost_bytes, "lost_bytes", BYTES, "pfc_lost", "Bytes lost in the lossless class")

struct fcn_ingress {
	uint32_t used;     /**< bytes, headroom included */
	uint32_t headroom; /**< bytes of them in headroom */
	bool xoff;         /**< the sender is to pause */
	uint32_t used_max; /**< watermarks since the last reading */
	uint32_t headroom_max;
	FCN_INGRESS_COUNTERS(FCN_COUNTER_MEMBER)
};

/** Set the counters to zero. */
static inline void
fcn_ingress_clear_counters(struct fcn_ingress *c)
{
	FCN_INGRESS_COUNTERS(FCN_COUNTER_CLEAR)
}

/** Bytes above a reserve. */
static inline uint64_t
fcn_buffer_over(uint64_t bytes, uint32_t reserve)
{
	return bytes > reserve ? bytes - reserve : 0;
}

/** Bytes of the shared part that nobody uses. */
static inline uint64_t
fcn_buffer_free(const struct fcn_buffer *b, const struct fcn_buffer_conf *conf)
{
	return conf->shared > b->shared_used ? conf->shared - b->shared_used : 0;
}

/** alpha times what is free: the bytes above its reserve that an account may have now. */
static inline uint64_t
fcn_buffer_threshold(const struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint64_t alpha)
{
	return (uint64_t)((unsigned __int128)fcn_buffer_free(b, conf) * alpha >> 32);
}

/**
 * Whether a packet of a queue may be buffered, by the threshold as it is before it.
 *
 * @param charged bytes that stand on the queue's account
 */
static inline bool
fcn_account_admits(const struct fcn_buffer *b, const struct fcn_buffer_conf *conf,
		const struct fcn_account_conf *account, uint32_t charged, uint32_t len)
{
	uint64_t before = fcn_buffer_over(charged, account->reserve);
	uint64_t after = fcn_buffer_over((uint64_t)charged + len, account->reserve);

	return after == 0 || (after <= fcn_buffer_threshold(b, conf, account->alpha) &&
					     after - before <= fcn_buffer_free(b, conf));
}

/** Note that the bytes on a queue's account changed. */
static inline void
fcn_account_move(struct fcn_buffer *b, const struct fcn_account_conf *account, uint32_t from,
		uint32_t to)
{
	b->shared_used += fcn_buffer_over(to, account->reserve) -
			  fcn_buffer_over(from, account->reserve);
	b->shared_max = RTE_MAX(b->shared_max, b->shared_used);
}

/** Bytes from which on the sender of a lossless class is to pause, now. */
static inline uint64_t
fcn_ingress_threshold(const struct fcn_ingress_conf *ingress, const struct fcn_buffer *b,
		const struct fcn_buffer_conf *conf)
{
	if (!ingress->dynamic)
		return ingress->xoff;
	return ingress->reserve + fcn_buffer_threshold(b, conf, ingress->alpha);
}

/**
 * A packet of a lossless class arrives: charge it, or refuse it.
 *
 * Below the threshold (and within what the shared buffer has free, where there
 * is one) it stands on the account; above, in the headroom. in->xoff is set when
 * the headroom is in use, the threshold (as it is with this packet) is reached, or
 * a packet is lost while others are held; with none held no release would ever clear it.
 *
 * @return false: the headroom is full; the packet is lost, and counted so
 */
bool fcn_ingress_charge(struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint32_t len);

/**
 * A packet of a lossless class left: out of the headroom first. in->xoff is
 * cleared when the headroom is empty and used is at or below the XON threshold, or 0.
 */
void fcn_ingress_release(struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint32_t len);

/** Bytes of the shared part that a lossless class uses. */
static inline uint64_t
fcn_ingress_shared(const struct fcn_ingress *in, const struct fcn_ingress_conf *ingress)
{
	return fcn_buffer_over(in->used - in->headroom, ingress->reserve);
}

/**
 * Headroom that loses nothing, in bytes of frames without FCS (IEEE 802.1Qbb annex O): what arrives
 * between the packet that crosses the threshold and the last one the sender had on the line. Twice
 * the line's delay, the sender's reaction, our frame that is on the line when the pause frame is
 * made, the pause frame, the frame the sender is in the middle of, and the packet that crossed;
 * every partial octet counted up.
 *
 * @param bps      speed of the line
 * @param delay_ns one way
 * @param react_ns from the end of the pause frame at the sender to its effect
 * @param mtu      longest frame without FCS, each way
 */
uint64_t fcn_headroom(uint64_t bps, uint64_t delay_ns, uint64_t react_ns, uint32_t mtu);

#endif /* FCN_BUFFER_H */
