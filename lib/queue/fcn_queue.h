/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A class queue: a FIFO of packets with its occupancy in bytes and packets, its limits, its
 * congestion detector, its watermarks and its counters.
 *
 * The worker that transmits on the port owns the queue and makes all calls. Bytes are those of
 * frames without FCS, and times are in nanoseconds.
 */

#ifndef FCN_QUEUE_H
#define FCN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_buffer.h"
#include "fcn_counter.h"
#include "fcn_detector.h"
#include "fcn_episode.h"
#include "fcn_flow_occupancy.h"
#include "fcn_packet_budget.h"
#include "fcn_queue_entry.h"
#include "fcn_shaper.h"
#include "fcn_top_flows.h"

#define FCN_CLASSES 8

/**
 * Treatment of packets that meet congestion in a class queue. The configuration and the workers use
 * the same structure.
 */
struct fcn_queue_policy {
	bool ecn;              /**< CE-mark ECT packets while congested */
	bool notify;           /**< notify senders while congested */
	bool heavy_flows;      /**< notify only senders of heavy flows, see fcn_flow_is_heavy() */
	int8_t mark_level;     /**< lowest congestion level at which packets are CE-marked */
	int8_t notify_level;   /**< lowest congestion level at which senders are notified */
	int8_t arn_level;      /**< lowest congestion level at which upstream neighbours are told */
	uint8_t arn;           /**< precise flow control: 0: off; else 1 + enum fcn_arn_mode */
	uint32_t mark_bytes;   /**< lowest occupancy for CE marks in bytes, including the packet */
	uint32_t notify_bytes; /**< lowest occupancy for notices, likewise */
};

/** Parameters of a class queue. They are part of the configuration, and workers only read them. */
struct fcn_queue_conf {
	uint32_t limit_bytes;   /**< occupancy that packets may not exceed; those that would are
				   dropped */
	uint32_t limit_packets; /**< maximum number of packets, likewise */
	uint32_t quantum;       /**< quantum of deficit round robin in bytes, not 0 */
	bool strict;    /**< strict priority: served before all classes that are not strict */
	bool slow_path; /**< an arrival is more than an entry in the queue: with a shared buffer,
			    heavy_flows or a detector that chooses at dequeue; set by the control
			    thread */
	/** Bytes, from the Ethernet header on, to which a packet is trimmed for which there is no
	 * room; 0: it is dropped. */
	uint16_t trim_size;
	/** The senders of such packets are told about each of them. */
	bool trim_return;
	struct fcn_queue_policy policy;
	struct fcn_shaper_conf committed; /**< committed rate, which the class gets before other
					     classes get more than theirs */
	struct fcn_shaper_conf peak;      /**< peak rate, which the class never exceeds */
	struct fcn_account_conf account;  /**< reserve, and share of the shared buffer */
	struct fcn_detector_conf detector;
	uint32_t arn_time_us; /**< precise flow control: time for which traffic is halted */
	uint32_t slots; /**< packets for which the queue is to have memory, at least limit_packets;
			    for the control thread */
};

/** Occupancy in bytes since the watermarks were last cleared. */
struct fcn_watermarks {
	uint32_t min;  /**< lowest occupancy */
	uint32_t max;  /**< highest occupancy */
	uint32_t last; /**< present occupancy */
	uint64_t avg;  /**< average over time */
};

/*
 * The reasons for which a queue refuses or loses a packet: X(symbol, name, text). This list is the
 * source of the enumeration below, of drop reasons, of counters and of their documentation.
 */
#define FCN_QUEUE_REFUSALS(X)                                                                    \
	X(QUEUE_BYTES, "queue_bytes", "tail drop: the queue is at its limit in bytes")           \
	X(QUEUE_PACKETS, "queue_packets", "tail drop: the queue is at its limit in packets")     \
	X(BUFFER, "buffer", "the queue is at its dynamic threshold of the shared buffer")        \
	X(PACKET_BUFFERS, "packet_buffers",                                                      \
			"the queue is at its dynamic threshold of the switch's packet buffers")  \
	X(LOSSLESS_HEADROOM, "lossless_headroom",                                                \
			"loss in a lossless class: the headroom is full")                        \
	X(LOSSLESS_BUFFERS, "lossless_buffers",                                                  \
			"loss in a lossless class: the headroom in packet buffers is full")      \
	X(LOSSLESS_PACKETS, "lossless_packets",                                                  \
			"loss in a lossless class: the egress queue is at its limit in packets") \
	X(PAUSE_STORM, "pause_storm",                                                            \
			"the class is in a pause storm and the action of its PFC "               \
			"watchdog is drop; packets that were already queued are "                \
			"counted at the egress port")                                            \
	X(PORT_DOWN, "port_down",                                                                \
			"the link of the egress port is down; packets that were "                \
			"already queued are counted at the egress port")

/**
 * Result of enqueueing a packet: the queue has accepted it, or the reason for which it was refused,
 * or lost afterwards.
 */
enum fcn_queue_verdict {
	FCN_QUEUE_ACCEPTED,
#define FCN_QUEUE_ENUM(sym, name, text) FCN_REFUSED_##sym,
	FCN_QUEUE_REFUSALS(FCN_QUEUE_ENUM)
#undef FCN_QUEUE_ENUM
	FCN_QUEUE_VERDICT_COUNT,
};

/** Number of buckets of waiting times. Bucket 0 is for 0 ns, bucket k for 2^(k-1) ns up to 2^k - 1
 * ns. */
#define FCN_SOJOURN_BUCKETS 33

/* In `show queue`; the form of these lists is described in fcn_counter.h. */
#define FCN_QUEUE_SENT_COUNTERS(X)                                                           \
	X(deq_packets, "sent", COUNTER, "queue_sent_packets", "Packets that left the queue") \
	X(deq_bytes, "sent_bytes", BYTES, "queue_sent", "Bytes that left the queue, without FCS")

/* In `show queue`: packets that were lost, and packets that the detector chose. */
#define FCN_QUEUE_CONGESTION_COUNTERS(X)                                                    \
	X(drop_bytes, "dropped_bytes", BYTES, "queue_dropped",                              \
			"Bytes of packets that the queue dropped, on arrival or later, "    \
			"without FCS")                                                      \
	X(congested_packets, "congested_packets", COUNTER, "queue_congested_packets",       \
			"Packets that the congestion detector selected for marking or "     \
			"notification")                                                     \
	X(ce_seen, "ce_seen", COUNTER, "queue_ce_seen_packets",                             \
			"Packets selected by the detector that carried the ECN "            \
			"codepoint CE already")                                             \
	X(ce_marked, "ce_marked", COUNTER, "queue_ce_marked_packets",                       \
			"Packets selected by the detector that this switch marked with CE") \
	X(not_ect, "not_ect", COUNTER, "queue_not_ect_packets",                             \
			"Packets selected by the detector that could not be marked "        \
			"because they are Not-ECT")                                         \
	X(notices, "notices", COUNTER, "queue_notices",                                     \
			"Notices generated for congestion of the queue")                    \
	X(arrived_packets, "arrived_congested", COUNTER, "queue_arrived_congested_packets", \
			"Packets that arrived while the queue was congested, or that it "   \
			"had no room for; `show flows` has whose they are")                 \
	X(arrived_bytes, "arrived_congested_bytes", BYTES, "queue_arrived_congested",       \
			"Bytes of these packets, without FCS")                              \
	X(trimmed, "trimmed", COUNTER, "queue_trimmed_packets",                             \
			"Packets that the queue had no room for, whose headers went on in " \
			"the class of trimmed packets")                                     \
	X(trimmed_bytes, "trimmed_bytes", BYTES, "queue_trimmed",                           \
			"Bytes that were cut off these packets")                            \
	X(returned, "returned", COUNTER, "queue_returned_packets",                          \
			"Packets that the queue had no room for, about which a notice "     \
			"was sent to return their headers")                                 \
	X(trim_limited, "trim_limited", COUNTER, "queue_trim_limited_packets",              \
			"Packets that were dropped instead, because trimmed packets had "   \
			"their share of the link")

/**
 * Counters of a class queue. Bytes are those of frames without FCS. The packets that the queue has
 * accepted are those that left it, those that it discarded, and those that are still in it.
 */
struct fcn_queue_stats {
	FCN_QUEUE_SENT_COUNTERS(FCN_COUNTER_MEMBER)
	uint64_t discarded_packets; /**< packets accepted and lost afterwards; also part of drop */
	uint64_t discarded_bytes;   /**< bytes of those packets */
	uint64_t sojourn[FCN_SOJOURN_BUCKETS];  /**< packets that left, by waiting time */
	uint64_t drop[FCN_QUEUE_VERDICT_COUNT]; /**< packets refused or lost, by reason */
	FCN_QUEUE_CONGESTION_COUNTERS(FCN_COUNTER_MEMBER)
	bool has_roce; /**< RoCEv2 of others than the switch itself came to the queue */
};

/** A class queue. */
struct fcn_queue {
	struct fcn_queue_entry *ring;
	uint32_t mask;     /**< number of slots of the ring, a power of two, minus 1 */
	uint32_t head;     /**< number of the next entry to leave; its slot is head & mask */
	uint32_t tail;     /**< number of the next free slot; it is at tail & mask */
	uint32_t bytes;    /**< occupancy in bytes */
	uint32_t charged;  /**< bytes of the packets with FCN_ENTRY_CHARGED */
	uint32_t lossless; /**< packets with FCN_ENTRY_LOSSLESS */
	int32_t deficit;   /**< deficit round robin: bytes that the class may still send */
	struct fcn_detector detector;
	/* watermarks */
	uint32_t wm_min;               /**< lowest occupancy since wm_since, bytes */
	uint32_t wm_max;               /**< highest occupancy since wm_since, bytes */
	uint64_t wm_since;             /**< time at which the watermarks were last cleared */
	uint64_t wm_at;                /**< time up to which wm_integral is complete */
	unsigned __int128 wm_integral; /**< occupancy integrated over time, byte nanoseconds */
	struct fcn_queue_stats stats;
	struct fcn_episodes *episodes;    /**< congestion episodes */
	struct fcn_flow_occupancy *flows; /**< bytes of each flow, for policy.heavy_flows */
	struct fcn_top_flows *top_flows;  /**< flows that came while the queue was congested */
	/** The byte of stats.arrived_bytes whose packet is added to top_flows next, its position.
	 */
	uint64_t next_drawn;
	uint64_t trim_event_ns; /**< time of the last event about trimmed packets; 0: none yet */
	/** memory that fcn_queue_grow() has replaced, which the control thread frees; NULL: none */
	struct fcn_queue_entry *before;
};

/**
 * Initialise an empty queue.
 *
 * @param slots  packets that the queue can hold, rounded up to a power of two
 * @param socket NUMA node of the memory
 * @return 0 on success, -ENOMEM otherwise
 */
int fcn_queue_init(struct fcn_queue *q, uint32_t slots, int socket);

/**
 * Allocate the memory of a queue that is to hold more packets.
 *
 * @param slots packets, rounded up to a power of two
 * @return NULL when memory is exhausted
 */
struct fcn_queue_entry *fcn_queue_ring_create(uint32_t slots, int socket);

/**
 * Give a queue more memory. Its packets keep their order, and no counter changes. No series of
 * packets may be in progress.
 *
 * @param ring  from fcn_queue_ring_create(); the one that the queue had is q->before
 * @param slots as there, not fewer than the queue has
 */
void fcn_queue_grow(struct fcn_queue *q, struct fcn_queue_entry *ring, uint32_t slots);

/** Get the number of packets for which a queue has memory. */
static inline uint32_t
fcn_queue_slots(const struct fcn_queue *q)
{
	return q->mask + 1;
}

/** Free the memory of a queue. Packets are not freed; the caller has to remove them before. */
void fcn_queue_fini(struct fcn_queue *q);

/** Get the number of packets in the queue. */
static inline uint32_t
fcn_queue_packets(const struct fcn_queue *q)
{
	return q->tail - q->head;
}

/** Check whether the queue has no packets. */
static inline bool
fcn_queue_is_empty(const struct fcn_queue *q)
{
	return q->tail == q->head;
}

/*
 * Integrate the occupancy, which has not changed since wm_at. The time does not change within one
 * turn.
 */
static inline void
fcn_queue_integrate(struct fcn_queue *q, uint64_t now)
{
	if (q->wm_at != now) {
		q->wm_integral += (unsigned __int128)q->bytes * (now - q->wm_at);
		q->wm_at = now;
	}
}

/**
 * Check whether a packet of len bytes is within the queue's own limits and the threshold of packet
 * buffers, and if not, which it exceeds.
 *
 * @param most packets that the queue may have, without those of lossless classes: struct
 *             fcn_packet_use.most
 */
static inline enum fcn_queue_verdict
fcn_queue_check(const struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t most,
		uint32_t len)
{
	uint32_t packets = fcn_queue_packets(q);

	if (unlikely(q->bytes + len > conf->limit_bytes))
		return FCN_REFUSED_QUEUE_BYTES;
	if (unlikely(packets >= conf->limit_packets || packets > q->mask))
		return FCN_REFUSED_QUEUE_PACKETS;
	if (unlikely(packets - q->lossless >= most))
		return FCN_REFUSED_PACKET_BUFFERS;
	return FCN_QUEUE_ACCEPTED;
}

/** Count a packet that was refused, or that was lost after it had been accepted. */
static inline void
fcn_queue_count_drop(struct fcn_queue *q, enum fcn_queue_verdict why, uint32_t len)
{
	q->stats.drop[why]++;
	q->stats.drop_bytes += len;
}

/** Append a packet to a queue that has a free slot. The limits are not checked, and the packet is
 * not charged to any account. @param flags FCN_ENTRY_* */
static inline void
fcn_queue_append(
		struct fcn_queue *q, struct rte_mbuf *m, uint32_t len, uint16_t flags, uint64_t now)
{
	struct fcn_queue_entry *e;

	fcn_queue_integrate(q, now);
	e = &q->ring[q->tail++ & q->mask];
	e->mbuf = m;
	e->meta = fcn_queue_meta(now, len, flags);
	q->bytes += len;
	if (q->bytes > q->wm_max)
		q->wm_max = q->bytes;
}

/** State of a series of packets that is being appended: a copy of the members of the queue that
 * change with each packet, which the compiler can keep in registers. */
struct fcn_queue_fill {
	struct fcn_queue_entry *ring;
	uint32_t mask;
	uint32_t tail;
	uint32_t end;   /**< value of tail at which the limit of packets is reached */
	uint32_t most;  /**< highest occupancy permitted, bytes */
	uint32_t start; /**< occupancy before the first packet, bytes */
	uint32_t bytes; /**< present occupancy, bytes */
};

/**
 * Begin to append a series of packets, all at the time `now`. Until fcn_queue_fill_end(), no other
 * function may use the queue.
 *
 * @param most as for fcn_queue_check(), at most FCN_PACKETS_ANY
 */
static inline struct fcn_queue_fill
fcn_queue_fill_begin(
		struct fcn_queue *q, const struct fcn_queue_conf *conf, uint32_t most, uint64_t now)
{
	uint32_t packets = fcn_queue_packets(q);
	uint32_t room = RTE_MIN(conf->limit_packets, q->mask + 1);

	room = RTE_MIN(room, most + q->lossless);
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

/** Lift the limits of a series whose packets are of a lossless class: only the slots of the ring
 * limit it. To be called before fcn_queue_fill_limit(). */
static inline void
fcn_queue_fill_lift(struct fcn_queue_fill *f, const struct fcn_queue *q)
{
	f->end = q->head + q->mask + 1;
	f->most = UINT32_MAX;
}

/** Lower the highest occupancy permitted in this series to `most` bytes, unless it is lower
 * already. */
static inline void
fcn_queue_fill_limit(struct fcn_queue_fill *f, uint64_t most)
{
	f->most = RTE_MIN(f->most, most);
}

/** Check whether a packet of len bytes keeps within the limit of bytes. */
static inline bool
fcn_queue_fill_fits(const struct fcn_queue_fill *f, uint32_t len)
{
	return f->bytes + len <= f->most;
}

/** Get how many packets may be written one after the other from fcn_queue_fill_slot() on, which are
 * those up to the limit of packets or to the end of the ring. */
static inline uint32_t
fcn_queue_fill_slots(const struct fcn_queue_fill *f)
{
	return RTE_MIN(f->end - f->tail, f->mask + 1 - (f->tail & f->mask));
}

/** Get the slot of the next packet. */
static inline struct fcn_queue_entry *
fcn_queue_fill_slot(const struct fcn_queue_fill *f)
{
	return &f->ring[f->tail & f->mask];
}

/** Record that n packets were written to fcn_queue_fill_slot() and the slots behind it. */
static inline void
fcn_queue_fill_advance(struct fcn_queue_fill *f, uint32_t n)
{
	f->tail += n;
}

/** End a series: write its state back to the queue. Until this is done, the queue is as before the
 * series, which may be forgotten instead. */
static inline void
fcn_queue_fill_end(const struct fcn_queue_fill *f, struct fcn_queue *q)
{
	q->tail = f->tail;
	q->bytes = f->bytes;
	if (q->bytes > q->wm_max)
		q->wm_max = q->bytes;
}

/** Get the bucket of a waiting time, an index of fcn_queue_stats.sojourn. */
static inline unsigned int
fcn_sojourn_bucket(uint32_t ns)
{
	return ns == 0 ? 0 : 32 - __builtin_clz(ns);
}

/** Get the entry at the head of a queue, which must not be empty. */
static inline const struct fcn_queue_entry *
fcn_queue_peek(const struct fcn_queue *q)
{
	return &q->ring[q->head & q->mask];
}

/** Get the time that the packet at the head has waited, in nanoseconds modulo 2^32; 0 for an empty
 * queue. */
static inline uint32_t
fcn_queue_age(const struct fcn_queue *q, uint64_t now)
{
	return fcn_queue_is_empty(q) ? 0 : (uint32_t)now - fcn_queue_peek(q)->enqueued_ns;
}

/** Take the packet at the head of a queue, which must not be empty. */
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
	q->stats.sojourn[fcn_sojourn_bucket((uint32_t)now - e.enqueued_ns)]++;
	return e;
}

/**
 * Take the packet at the head of a queue, which must not be empty, in order to drop it. It counts
 * as discarded, and not as a packet that left.
 */
static inline struct fcn_queue_entry
fcn_queue_discard(struct fcn_queue *q, uint64_t now)
{
	struct fcn_queue_entry e = q->ring[q->head++ & q->mask];

	fcn_queue_integrate(q, now);
	q->bytes -= e.len;
	if (q->bytes < q->wm_min)
		q->wm_min = q->bytes;
	q->stats.discarded_packets++;
	q->stats.discarded_bytes += e.len;
	return e;
}

/* Count the waiting times of several packets. If the first and the last are in the same bucket, so
 * are those between. */
static inline void
fcn_queue_count_sojourn(
		struct fcn_queue *q, const struct fcn_queue_entry *e, unsigned int n, uint64_t now)
{
	unsigned int first = fcn_sojourn_bucket((uint32_t)now - e[0].enqueued_ns);

	if (likely(first == fcn_sojourn_bucket((uint32_t)now - e[n - 1].enqueued_ns))) {
		q->stats.sojourn[first] += n;
		return;
	}
	for (unsigned int i = 0; i < n; i++)
		q->stats.sojourn[fcn_sojourn_bucket((uint32_t)now - e[i].enqueued_ns)]++;
}

/** Take n packets, at least one, out of a queue that has at least n. @return the sum of their
 * lengths in bytes */
static inline uint32_t
fcn_queue_pop_bulk(struct fcn_queue *q, struct fcn_queue_entry *out, unsigned int n, uint64_t now)
{
	const uint32_t slot = q->head & q->mask;
	const unsigned int first = RTE_MIN(n, q->mask + 1 - slot); /* up to the end of the ring */
	uint32_t bytes = fcn_queue_copy(out, &q->ring[slot], first);

	if (unlikely(first < n))
		bytes += fcn_queue_copy(out + first, q->ring, n - first);
	fcn_queue_integrate(q, now);
	q->head += n;
	q->bytes -= bytes;
	if (q->bytes < q->wm_min)
		q->wm_min = q->bytes;
	q->stats.deq_packets += n;
	q->stats.deq_bytes += bytes;
	fcn_queue_count_sojourn(q, out, n, now);
	return bytes;
}

/** Read the watermarks, which reading does not change. */
void fcn_queue_watermarks(const struct fcn_queue *q, uint64_t now, struct fcn_watermarks *wm);

/** Reset the watermarks to the present occupancy. */
void fcn_queue_clear_watermarks(struct fcn_queue *q, uint64_t now);

/** Set the counters of a queue and of its detector to zero, and forget its top flows. */
void fcn_queue_clear_counters(struct fcn_queue *q);

#endif /* FCN_QUEUE_H */
