/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Accounting of the packet buffer, in bytes of frames without FCS. The buffer has three parts: a
 * reserve that belongs to each queue alone; a part that all queues share by dynamic thresholds,
 * with which a queue may have alpha times the bytes that are free (Choudhury and Hahne); and
 * headroom for lossless classes.
 *
 * Every queued packet is charged to one account. A packet of a lossless class is charged to its
 * ingress port and priority (struct fcn_ingress): above a threshold, the sender is asked to pause,
 * and the packets that still arrive are charged to the headroom. Any other packet is charged to its
 * egress queue. Without a shared buffer (size 0), queues have only their own limits, and lossless
 * classes static thresholds.
 *
 * One worker owns these structures; there are no locks. When a reserve changes, the owner has to
 * compute shared_used again, as the sum of fcn_buffer_over() of each queue and fcn_ingress_shared()
 * of each lossless class.
 */

#ifndef FCN_BUFFER_H
#define FCN_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fcn_counter.h"

/** Alpha 1 in fixed point. */
#define FCN_ALPHA_ONE (UINT64_C(1) << 32)

/** Parameters of the buffer. They are part of the configuration, and workers only read them. */
struct fcn_buffer_conf {
	uint64_t size;   /**< bytes; 0: there is no shared buffer */
	uint64_t shared; /**< bytes of the shared part that one worker has: size less all reserves
			    and headrooms, divided among the workers */
};

/** Use of the buffer by one worker. */
struct fcn_buffer {
	uint64_t shared_used;   /**< bytes that all accounts have above their reserves */
	uint64_t headroom_used; /**< bytes in the headroom of all lossless classes */
	uint64_t shared_max;    /**< maximum of shared_used since it was last cleared */
	uint64_t headroom_max;  /**< maximum of headroom_used since it was last cleared */
};

/** Parameters of an egress queue's account. */
struct fcn_account_conf {
	uint32_t reserve; /**< bytes that belong to this queue alone */
	uint64_t alpha;   /**< factor of the bytes that are free; FCN_ALPHA_ONE stands for 1 */
};

/** Parameters of the account of a lossless class, by ingress port and priority. */
struct fcn_ingress_conf {
	bool lossless; /**< packets of this port and priority must not be lost */
	bool dynamic; /**< the threshold is computed from alpha and the free bytes, not from xoff */
	uint32_t reserve; /**< bytes that belong to this account alone; part of the threshold */
	uint64_t alpha;   /**< dynamic: factor of the bytes that are free */
	uint32_t xoff;    /**< static: bytes at which the sender is to pause */
	uint32_t xon;     /**< static: bytes at or below which the sender may resume */
	/** dynamic: bytes below the threshold at which the sender may resume */
	uint32_t xon_below;
	uint32_t headroom; /**< bytes for packets that arrive after the sender was asked to pause */
};

/* In `show pfc`, by ingress port and class; the form of the list is described in fcn_counter.h. */
#define FCN_INGRESS_COUNTERS(X)                                      \
	X(lost_packets, "lost_packets", COUNTER, "pfc_lost_packets", \
			"Packets lost in the lossless class")        \
	X(lost_bytes, "lost_bytes", BYTES, "pfc_lost", "Bytes lost in the lossless class")

/** Account of a lossless class, by ingress port and priority. */
struct fcn_ingress {
	uint32_t used;         /**< bytes charged, including those in headroom */
	uint32_t headroom;     /**< bytes in headroom */
	bool xoff;             /**< the sender is to pause */
	uint32_t used_max;     /**< maximum of used since it was last cleared */
	uint32_t headroom_max; /**< maximum of headroom since it was last cleared */
	FCN_INGRESS_COUNTERS(FCN_COUNTER_MEMBER)
};

/** Set the counters to zero. */
static inline void
fcn_ingress_clear_counters(struct fcn_ingress *c)
{
	FCN_INGRESS_COUNTERS(FCN_COUNTER_CLEAR)
}

/** Reset the watermarks to the present use. */
static inline void
fcn_ingress_clear_watermarks(struct fcn_ingress *c)
{
	c->used_max = c->used;
	c->headroom_max = c->headroom;
}

/** Reset the watermarks to the present use. */
static inline void
fcn_buffer_clear_watermarks(struct fcn_buffer *b)
{
	b->shared_max = b->shared_used;
	b->headroom_max = b->headroom_used;
}

/** Get how many bytes exceed a reserve. */
static inline uint64_t
fcn_buffer_over(uint64_t bytes, uint32_t reserve)
{
	return bytes > reserve ? bytes - reserve : 0;
}

/** Get the bytes of the shared part that are free. */
static inline uint64_t
fcn_buffer_free(const struct fcn_buffer *b, const struct fcn_buffer_conf *conf)
{
	return conf->shared > b->shared_used ? conf->shared - b->shared_used : 0;
}

/**
 * Get the dynamic threshold: the bytes above its reserve that an account may have now, which is
 * alpha times the free bytes.
 */
static inline uint64_t
fcn_buffer_threshold(const struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint64_t alpha)
{
	return (uint64_t)((unsigned __int128)fcn_buffer_free(b, conf) * alpha >> 32);
}

/**
 * Check whether a packet of a queue may be buffered. The threshold is computed without the packet.
 *
 * @param charged bytes that are charged to the queue's account
 * @param len     bytes of the packet
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

/** Update the use of the shared part when the bytes charged to a queue change from one value to
 * another. */
static inline void
fcn_account_move(struct fcn_buffer *b, const struct fcn_account_conf *account, uint32_t from,
		uint32_t to)
{
	b->shared_used += fcn_buffer_over(to, account->reserve) -
			  fcn_buffer_over(from, account->reserve);
	b->shared_max = RTE_MAX(b->shared_max, b->shared_used);
}

/**
 * Check whether all packets of a series may be buffered that arrive one after the other at the same
 * queue, whatever their lengths. Since the threshold only falls and the use only rises meanwhile,
 * it is enough that the last packet fits below the threshold that is left after it.
 *
 * @param charged bytes that are charged to the queue's account
 * @param bytes   sum of the lengths of the packets
 * @return false if fcn_account_admits() has to decide about each of them: it may refuse some
 */
static inline bool
fcn_account_admits_all(const struct fcn_buffer *b, const struct fcn_buffer_conf *conf,
		const struct fcn_account_conf *account, uint32_t charged, uint32_t bytes)
{
	uint64_t after = fcn_buffer_over((uint64_t)charged + bytes, account->reserve);
	uint64_t more = after - fcn_buffer_over(charged, account->reserve);
	struct fcn_buffer then = *b;

	then.shared_used += more;
	return after == 0 ||
	       (more <= fcn_buffer_free(b, conf) &&
			       after <= fcn_buffer_threshold(&then, conf, account->alpha));
}

/** Get the bytes at which the sender of a lossless class is to pause now. */
static inline uint64_t
fcn_ingress_threshold(const struct fcn_ingress_conf *ingress, const struct fcn_buffer *b,
		const struct fcn_buffer_conf *conf)
{
	if (!ingress->dynamic)
		return ingress->xoff;
	return ingress->reserve + fcn_buffer_threshold(b, conf, ingress->alpha);
}

/**
 * Charge an arriving packet of a lossless class, or refuse it.
 *
 * The packet is charged below the threshold if it fits there and, if there is a shared buffer, into
 * its free bytes; otherwise it is charged to the headroom. in->xoff is set when headroom is in use,
 * when the threshold including this packet is reached, and when a packet is lost while others are
 * queued. When none is queued it is not set by a loss, because no release would ever clear it.
 *
 * @return false if the headroom is full; the packet is then lost, and counted as such
 */
bool fcn_ingress_charge(struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint32_t len);

/** Get how many more bytes of the shared part a lossless class uses when it gets `bytes` more. */
static inline uint64_t
fcn_ingress_more(const struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		uint32_t bytes)
{
	return fcn_buffer_over((uint64_t)in->used + bytes, ingress->reserve) -
	       fcn_buffer_over(in->used, ingress->reserve);
}

/**
 * Check whether it is certain that none of a series of arriving packets of a lossless class needs
 * headroom or reaches the threshold.
 *
 * @param bytes sum of the lengths of the packets
 */
static inline bool
fcn_ingress_admits_all(const struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		const struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint32_t bytes)
{
	const uint64_t used = (uint64_t)in->used + bytes;
	const uint64_t shared = fcn_ingress_more(in, ingress, bytes);
	const struct fcn_buffer then = {.shared_used = b->shared_used + shared};

	return likely(in->headroom == 0 && used < fcn_ingress_threshold(ingress, &then, conf) &&
			(conf->size == 0 || shared <= fcn_buffer_free(b, conf)));
}

/** Charge a series of packets for which fcn_ingress_admits_all() is true. */
static inline void
fcn_ingress_add_all(struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		struct fcn_buffer *b, uint32_t bytes)
{
	b->shared_used += fcn_ingress_more(in, ingress, bytes);
	b->shared_max = RTE_MAX(b->shared_max, b->shared_used);
	in->used += bytes;
	in->used_max = RTE_MAX(in->used_max, in->used);
}

/**
 * Check whether fcn_ingress_release() does the same for the sum of some packets as for one after
 * the other: no headroom is in use, and the sender is not to pause, so that neither changes.
 */
static inline bool
fcn_ingress_is_relaxed(const struct fcn_ingress *in)
{
	return in->headroom == 0 && !in->xoff;
}

/** Do the same as fcn_ingress_release() for an account for which fcn_ingress_is_relaxed() is true.
 */
static inline void
fcn_ingress_remove(struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		struct fcn_buffer *b, uint32_t bytes)
{
	b->shared_used -= fcn_buffer_over(in->used, ingress->reserve);
	in->used -= bytes;
	b->shared_used += fcn_buffer_over(in->used, ingress->reserve);
}

/**
 * Release the bytes of a packet of a lossless class that has left, from the headroom first.
 * in->xoff is cleared when the headroom is empty and `used` is at or below the XON threshold, or is
 * 0.
 */
void fcn_ingress_release(struct fcn_ingress *in, const struct fcn_ingress_conf *ingress,
		struct fcn_buffer *b, const struct fcn_buffer_conf *conf, uint32_t len);

/** Get the bytes of the shared part that a lossless class uses. */
static inline uint64_t
fcn_ingress_shared(const struct fcn_ingress *in, const struct fcn_ingress_conf *ingress)
{
	return fcn_buffer_over(in->used - in->headroom, ingress->reserve);
}

/**
 * Compute the headroom with which no packet is lost, in bytes of frames without FCS (IEEE 802.1Qbb
 * annex O). It is the sum of all that can arrive after the threshold is crossed: the packet that
 * crosses it; the octets that the sender transmits during twice the delay of the link, its reaction
 * time, the frame that this port is transmitting when the pause frame is made, and the pause frame
 * itself; and the frame that the sender is transmitting when it stops. Partial octets are rounded
 * up.
 *
 * @param bps      speed of the link in bits per second
 * @param delay_ns delay of the link in one direction
 * @param react_ns time from the end of the pause frame at the sender to its effect
 * @param mtu      maximum frame length without FCS, in both directions
 */
uint64_t fcn_headroom(uint64_t bps, uint64_t delay_ns, uint64_t react_ns, uint32_t mtu);

#endif /* FCN_BUFFER_H */
