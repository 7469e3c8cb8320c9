/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * One class queue: a FIFO of packets with exact occupancy in bytes and
 * packets, its limit, its detector, its watermarks and counters.
 *
 * Owned by the worker that drains the port; no locks.
 */

#ifndef FCN_QUEUE_H
#define FCN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_mbuf.h>

#include "fcn_detector.h"

#define FCN_CLASSES 8

/* struct fcn_queue_entry.flags */
#define FCN_ENTRY_CLASS 0x07  /**< mask: class of the queue */
#define FCN_ENTRY_NOTICE 0x08 /**< the packet is a notice that fastcn made */

/** A queued packet, with what must be known of it when it leaves. */
struct fcn_queue_entry {
	struct rte_mbuf *mbuf;
	union {
		uint64_t meta; /**< the fields below, written at once: fcn_queue_meta() */
		struct {
			uint32_t enqueued_ns; /**< time of arrival modulo 2^32 ns */
			uint16_t len;         /**< bytes of the frame */
			uint8_t flags;        /**< FCN_ENTRY_* */
			uint8_t trace;        /**< 1 + number of its packet trace, 0 for none */
		};
	};
};

/** The fields of an entry behind its packet, as one word. */
static inline uint64_t
fcn_queue_meta(uint32_t now, uint16_t len, uint8_t flags, uint8_t trace)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return now | (uint64_t)len << 32 | (uint64_t)flags << 48 | (uint64_t)trace << 56;
#else
	return (uint64_t)now << 32 | (uint64_t)len << 16 | (uint64_t)flags << 8 | trace;
#endif
}

/** Parameters of a class queue; part of the configuration, read only for workers. */
struct fcn_queue_conf {
	uint32_t limit_bytes;   /**< tail drop above this occupancy */
	uint32_t limit_packets; /**< ... and above this many packets */
	uint16_t weight;        /**< share among classes that are not strict, 1.. */
	bool strict;            /**< served before any class below it */
	bool ecn;               /**< CE-mark ECT packets while congested */
	bool notify;            /**< notify senders while congested */
	struct fcn_detector_conf detector;
};

/** Occupancy in bytes since the last reading. */
struct fcn_watermarks {
	uint32_t min;
	uint32_t max;
	uint32_t last;
	uint64_t avg; /**< average over time */
};

/**
 * Counters of a class queue. Packets and bytes of frames without FCS. What was
 * ever taken is what left and what is still there.
 */
struct fcn_queue_stats {
	uint64_t deq_packets;
	uint64_t deq_bytes;
	uint64_t drop_bytes_limit;   /**< packets refused by limit_bytes */
	uint64_t drop_packets_limit; /**< packets refused by limit_packets */
	uint64_t congested_packets;  /**< packets that met congestion */
	uint64_t ce_seen;            /**< congested packets that carried CE already */
	uint64_t ce_marked;          /**< congested packets CE-marked here */
	uint64_t not_ect;            /**< congested packets to mark that were Not-ECT */
};

struct fcn_queue {
	struct fcn_queue_entry *ring;
	uint32_t mask;   /**< slots - 1 */
	uint32_t head;   /**< next to leave */
	uint32_t tail;   /**< next free slot */
	uint32_t bytes;  /**< occupancy */
	int32_t deficit; /**< deficit round robin, bytes */
	struct fcn_detector detector;
	/* watermarks: occupancy integrated over time since wm_since */
	uint32_t wm_min;
	uint32_t wm_max;
	uint64_t wm_since;
	uint64_t wm_at;
	unsigned __int128 wm_integral; /**< byte nanoseconds */
	struct fcn_queue_stats stats;
};

/**
 * @param slots packets the queue can hold, rounded up to a power of two
 * @return 0 or -ENOMEM
 */
int fcn_queue_init(struct fcn_queue *q, uint32_t slots, int socket);

/** Frees the queue's memory, not its packets: see fcn_queue_pop(). */
void fcn_queue_fini(struct fcn_queue *q);

static inline uint32_t
fcn_queue_packets(const struct fcn_queue *q)
{
	return q->tail - q->head;
}

/** Packets ever taken, since the counters were cleared. */
static inline uint64_t
fcn_queue_enq_packets(const struct fcn_queue *q)
{
	return q->stats.deq_packets + fcn_queue_packets(q);
}

/** Bytes ever taken, since the counters were cleared. */
static inline uint64_t
fcn_queue_enq_bytes(const struct fcn_queue *q)
{
	return q->stats.deq_bytes + q->bytes;
}

static inline bool
fcn_queue_is_empty(const struct fcn_queue *q)
{
	return q->tail == q->head;
}

/* Occupancy stood since wm_at; within one poll nothing accrues. */
static inline void
fcn_queue_integrate(struct fcn_queue *q, uint64_t now)
{
	if (q->wm_at != now) {
		q->wm_integral += (unsigned __int128)q->bytes * (now - q->wm_at);
		q->wm_at = now;
	}
}

/** Result of a push. */
enum fcn_queue_verdict {
	FCN_QUEUE_TAKEN,
	FCN_QUEUE_BYTES_LIMIT,
	FCN_QUEUE_PACKETS_LIMIT,
};

/** Append a packet, or refuse it. */
static inline enum fcn_queue_verdict
fcn_queue_push(struct fcn_queue *q, const struct fcn_queue_conf *conf, struct rte_mbuf *m,
		uint32_t len, uint8_t flags, uint8_t trace, uint64_t now)
{
	uint32_t packets = fcn_queue_packets(q);
	struct fcn_queue_entry *e;

	if (unlikely(q->bytes + len > conf->limit_bytes)) {
		q->stats.drop_bytes_limit++;
		return FCN_QUEUE_BYTES_LIMIT;
	}
	if (unlikely(packets >= conf->limit_packets || packets > q->mask)) {
		q->stats.drop_packets_limit++;
		return FCN_QUEUE_PACKETS_LIMIT;
	}
	fcn_queue_integrate(q, now);
	e = &q->ring[q->tail++ & q->mask];
	e->mbuf = m;
	e->meta = fcn_queue_meta(now, len, flags, trace);
	q->bytes += len;
	if (q->bytes > q->wm_max)
		q->wm_max = q->bytes;
	return FCN_QUEUE_TAKEN;
}

/** Several packets appended, one behind the other: what changes with each, kept at hand. */
struct fcn_queue_fill {
	struct fcn_queue_entry *ring;
	uint32_t mask;
	uint32_t tail;
	uint32_t end;   /**< tail at which the packet limit is reached */
	uint32_t most;  /**< occupancy that the byte limit allows */
	uint32_t start; /**< occupancy before the first */
	uint32_t bytes; /**< occupancy */
};

/** Begin; the queue must not be used otherwise until fcn_queue_fill_end(). */
static inline struct fcn_queue_fill
fcn_queue_fill_begin(struct fcn_queue *q, const struct fcn_queue_conf *conf, uint64_t now)
{
	uint32_t packets = fcn_queue_packets(q);
	uint32_t room = RTE_MIN(conf->limit_packets, q->mask + 1);

	fcn_queue_integrate(q, now);
	return (struct fcn_queue_fill){
			.ring = q->ring,
			.mask = q->mask,
			.tail = q->tail,
			.end = q->tail + (room > packets ? room - packets : 0),
			.most = conf->limit_bytes,
			.start = q->bytes,
			.bytes = q->bytes,
	};
}

static inline bool
fcn_queue_fill_has_room(const struct fcn_queue_fill *f, uint32_t len)
{
	return f->bytes + len <= f->most && f->tail != f->end;
}

/** Append a packet for which there is room; meta is fcn_queue_meta(). */
static inline void
fcn_queue_fill_add(struct fcn_queue_fill *f, struct rte_mbuf *m, uint32_t len, uint64_t meta)
{
	struct fcn_queue_entry *e = &f->ring[f->tail++ & f->mask];

	e->mbuf = m;
	e->meta = meta;
	f->bytes += len;
}

static inline void
fcn_queue_fill_end(const struct fcn_queue_fill *f, struct fcn_queue *q)
{
	q->tail = f->tail;
	q->bytes = f->bytes;
	if (q->bytes > q->wm_max)
		q->wm_max = q->bytes;
}

/** Head of a queue that is not empty. */
static inline const struct fcn_queue_entry *
fcn_queue_peek(const struct fcn_queue *q)
{
	return &q->ring[q->head & q->mask];
}

/** Take the head of a queue that is not empty. */
static inline struct fcn_queue_entry
fcn_queue_pop(struct fcn_queue *q, uint64_t now)
{
	struct fcn_queue_entry e = q->ring[q->head++ & q->mask];

	fcn_queue_integrate(q, now);
	q->bytes -= e.len;
	if (q->bytes < q->wm_min)
		q->wm_min = q->bytes;
	q->stats.deq_packets++;
	q->stats.deq_bytes += e.len;
	return e;
}

/** Take the first n packets of a queue that has as many. @return their bytes. */
static inline uint32_t
fcn_queue_pop_bulk(struct fcn_queue *q, struct fcn_queue_entry *out, unsigned int n, uint64_t now)
{
	uint32_t bytes = 0;

	for (unsigned int i = 0; i < n; i++) {
		out[i] = q->ring[(q->head + i) & q->mask];
		bytes += out[i].len;
	}
	fcn_queue_integrate(q, now);
	q->head += n;
	q->bytes -= bytes;
	if (q->bytes < q->wm_min)
		q->wm_min = q->bytes;
	q->stats.deq_packets += n;
	q->stats.deq_bytes += bytes;
	return bytes;
}

/** Read the watermarks and start them afresh. */
void fcn_queue_watermarks(struct fcn_queue *q, uint64_t now, struct fcn_watermarks *wm);

#endif /* FCN_QUEUE_H */
