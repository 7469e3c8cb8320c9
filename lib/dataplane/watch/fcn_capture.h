/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet capture at a worker: it copies packets that are received, sent or dropped to a ring, whose
 * reader writes them to files.
 *
 * Each worker has one ring with one reader. A record is one unit of the ring, and the octets of the
 * packet are in the units after it. So a packet is copied once, whatever its length. A packet that
 * a port does not accept is not published. If the ring has no room, the packet is not captured, and
 * is counted as missed: the worker does not wait, and forwarding shares no memory with captures.
 * While nothing is captured, the cost is one test for each burst and one for each dropped packet.
 *
 * Several captures share one record. A tap is the part of a capture at one worker. The control
 * thread opens and closes taps by fcn_worker_call().
 */

#ifndef FCN_CAPTURE_H
#define FCN_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcap/pcap.h>
#include <rte_ring_elem.h>
#include <rte_ring_peek_zc.h>

#include "fcn_burst.h"
#include "fcn_egress.h"
#include "fcn_port_set.h"

#define FCN_CAPTURE_MAX 8          /**< maximum number of captures at a time */
#define FCN_CAPTURE_UNIT 64        /**< size of an element of the ring in octets */
#define FCN_CAPTURE_SNAPLEN 262144 /**< maximum number of octets captured of a packet */
/** Value of a class: there is no port that it could be of. */
#define FCN_CAPTURE_NO_CLASS UINT8_MAX

/** Points at which packets are captured: X(symbol, name) */
#define FCN_CAPTURE_POINTS(X) \
	X(RX, "rx")           \
	X(TX, "tx")           \
	X(DROP, "drop")

enum fcn_capture_point {
#define FCN_CAPTURE_ENUM(sym, name) FCN_CAPTURE_##sym,
	FCN_CAPTURE_POINTS(FCN_CAPTURE_ENUM)
#undef FCN_CAPTURE_ENUM
	FCN_CAPTURE_POINT_COUNT,
};

/** Origin of a packet. */
enum fcn_capture_origin {
	FCN_CAPTURE_FORWARDED, /**< it was received */
	FCN_CAPTURE_NOTICE,    /**< it is a notice that this switch made */
	FCN_CAPTURE_PAUSE,     /**< flow control made it */
	FCN_CAPTURE_HOST,      /**< the host functions made it */
	FCN_CAPTURE_ARN,       /**< it is an Adaptive Routing Notification that this switch made */
	FCN_CAPTURE_PROXY,     /**< it tells a sender what a proxy was told */
	FCN_CAPTURE_TRIMMED,   /**< it was received, and this switch has trimmed it */
};

/** Record of a captured packet, one unit of the ring. Numbers are in host byte order. */
struct fcn_capture_record {
	uint64_t time_ns; /**< time of the capture, nanoseconds since 1970 */
	uint32_t len;     /**< length of the frame in octets, without FCS */
	uint32_t caplen;  /**< number of octets captured */
	/** By capture: packets of this port missed since the previous record of the port. */
	uint32_t missed[FCN_CAPTURE_MAX];
	/** NOTICE: bytes in the congested queue, 0: unknown; TRIMMED: bytes of the whole packet */
	uint32_t occupancy;
	uint8_t taps;     /**< bit set of the captures that the record is for */
	uint8_t point;    /**< enum fcn_capture_point */
	uint8_t port;     /**< RX, TX: the port; DROP: the port that counts the drop */
	uint8_t out_port; /**< DROP: egress port, if there is a class */
	uint8_t class;    /**< DROP: class of the packet, or FCN_CAPTURE_NO_CLASS: no egress port */
	uint8_t reason;   /**< DROP: enum fcn_drop_reason */
	uint8_t origin;   /**< enum fcn_capture_origin */
	/** NOTICE: enum fcn_notice_kind_number; PROXY: enum fcn_proxy_translation; TRIMMED: enum
	 * fcn_drop_reason for which a queue refused it */
	uint8_t kind;
	/** NOTICE, ARN, TRIMMED: port of the congested or full queue, if there is a class */
	uint8_t cause_port;
	uint8_t cause_class; /**< class of that queue, or FCN_CAPTURE_NO_CLASS: unknown */
	int8_t level;        /**< NOTICE, ARN, PROXY: congestion level */
	uint8_t reasons;     /**< ARN: set of enum fcn_arn_reason; 0: the halt ends */
};

/** Part of a capture at one worker: which packets it selects, and how many it missed. */
struct fcn_capture_tap {
	struct fcn_port_set ports[FCN_CAPTURE_POINT_COUNT]; /**< by capture point */
	/** NULL: every packet is selected. It belongs to the control thread. */
	const struct bpf_program *filter;
	uint32_t snaplen;                   /**< maximum number of octets captured of a packet */
	uint32_t unreported[FCN_MAX_PORTS]; /**< missed packets that no record has reported yet */
	uint64_t missed[FCN_MAX_PORTS];     /**< selected packets for which the ring had no room */
};

/** Packets that have been copied and not published yet: those passed to a port at a time. */
struct fcn_capture_batch {
	struct rte_ring_zc_data room; /**< reserved part of the ring */
	unsigned int free, used;      /**< its units: reserved, and used */
	unsigned int n;               /**< number of packets */
	struct {
		struct fcn_capture_record *record; /**< NULL: no room, or not selected */
		unsigned int end;                  /**< units used up to its end */
		uint8_t taps;                      /**< bit set of the captures that select it */
		uint8_t port;
	} packet[FCN_EGRESS_BURST];
};

/** Packet capture of a worker. */
struct fcn_capture {
	/** By capture point: whether packets are captured at any port, so that there is only this
	 * to read while none is. */
	bool on[FCN_CAPTURE_POINT_COUNT];
	/** Ports of all taps, by capture point. */
	struct fcn_port_set ports[FCN_CAPTURE_POINT_COUNT];
	struct rte_ring *ring; /**< NULL until the first capture */
	struct fcn_capture_tap tap[FCN_CAPTURE_MAX];
	struct fcn_capture_batch batch;
};

struct fcn_worker;

/**
 * Create the ring of a worker.
 *
 * @param name   unique in the process
 * @param units  a power of two; more than the longest packet to be captured needs
 * @param socket NUMA node
 * @return NULL with rte_errno set on failure
 */
struct rte_ring *fcn_capture_ring_create(const char *name, uint32_t units, int socket);

/**
 * Open a tap, below FCN_CAPTURE_MAX; `*tap` is copied. The worker must have a ring. To be called by
 * fcn_worker_call().
 */
void fcn_capture_open(struct fcn_worker *w, unsigned int number, const struct fcn_capture_tap *tap);

/** Close a tap: no later record is for it. To be called by fcn_worker_call(). */
void fcn_capture_close(struct fcn_worker *w, unsigned int number);

/**
 * Remove a port that no longer exists from the taps that are for this port only, so that they do
 * not capture another port that gets its number. To be called by fcn_worker_call().
 */
void fcn_capture_forget_port(struct fcn_worker *w, uint16_t port);

/*
 * ---- for the stages: functions of the worker, called while something is captured at the point
 * ----
 */

/** Capture the packets of a burst that have just been received. */
void fcn_capture_receive(struct fcn_worker *w, const struct fcn_burst *b);

/**
 * Copy packets, at most FCN_EGRESS_BURST, that are about to be passed to a port.
 * fcn_capture_tx_done() has to follow.
 *
 * @param origin FCN_CAPTURE_FORWARDED: it is determined for each packet
 */
void fcn_capture_tx(struct fcn_worker *w, uint16_t port, const struct fcn_queue_entry *e,
		unsigned int n, enum fcn_capture_origin origin);

/** Publish the first `taken` packets of fcn_capture_tx(), which the port has accepted. */
void fcn_capture_tx_done(struct fcn_worker *w, unsigned int taken);

/** Capture a packet of a burst that is dropped. */
void fcn_capture_drop(struct fcn_worker *w, struct rte_mbuf *m, const struct fcn_packet *p,
		enum fcn_drop_reason reason);

/** Capture a packet that is dropped after it was queued; its egress port counts the drop. */
void fcn_capture_drop_queued(struct fcn_worker *w, uint16_t port, const struct fcn_queue_entry *e,
		enum fcn_drop_reason reason);

/*
 * A note about the origin of a packet, in mbuf.tx_offload until the packet leaves. Ports do not
 * read this field unless ol_flags says so. Notes are written only while packets are captured.
 */
#define FCN_CAPTURE_NOTE_SHIFT 56
#define FCN_CAPTURE_NOTE_NOTICE 0xFCull
#define FCN_CAPTURE_NOTE_HOST 0xFDull
#define FCN_CAPTURE_NOTE_ARN 0xFEull
#define FCN_CAPTURE_NOTE_PROXY 0xFBull
#define FCN_CAPTURE_NOTE_TRIMMED 0xFAull

/** Check whether packets are captured at a point, at whatever port. */
static inline bool
fcn_capture_is_on(const struct fcn_capture *c, enum fcn_capture_point point)
{
	return c->on[point];
}

/** Check whether packets of a port are captured at a point. */
static inline bool
fcn_capture_is_on_port(const struct fcn_capture *c, enum fcn_capture_point point, unsigned int port)
{
	return unlikely(c->on[point]) && fcn_port_set_has(&c->ports[point], port);
}

/** Check whether notes are needed: packets are captured when they are sent or dropped. */
static inline bool
fcn_capture_wants_notes(const struct fcn_capture *c)
{
	return fcn_capture_is_on(c, FCN_CAPTURE_TX) || fcn_capture_is_on(c, FCN_CAPTURE_DROP);
}

/** Write a note to a notice: port, class, level and occupancy (bytes) of the congested queue. */
static inline void
fcn_capture_note_notice(
		struct rte_mbuf *m, uint16_t port, uint8_t class, int8_t level, uint32_t occupancy)
{
	m->tx_offload = FCN_CAPTURE_NOTE_NOTICE << FCN_CAPTURE_NOTE_SHIFT | (uint64_t)port << 48 |
			(uint64_t) class << 40 | (uint64_t)(uint8_t)level << 32 | occupancy;
}

/** Write a note to a frame that the host functions made. */
static inline void
fcn_capture_note_host(struct rte_mbuf *m)
{
	m->tx_offload = FCN_CAPTURE_NOTE_HOST << FCN_CAPTURE_NOTE_SHIFT;
}

/** Write a note to an Adaptive Routing Notification: its reasons, a set of enum fcn_arn_reason that
 * is 0 when the halt ends, and port, class and level of the queue that it is about. */
static inline void
fcn_capture_note_arn(
		struct rte_mbuf *m, uint8_t reasons, uint16_t port, uint8_t class, uint8_t level)
{
	m->tx_offload = FCN_CAPTURE_NOTE_ARN << FCN_CAPTURE_NOTE_SHIFT | (uint64_t)port << 48 |
			(uint64_t) class << 40 | (uint64_t)level << 32 | reasons;
}

/** Write a note to a packet of a proxy to a sender: enum fcn_proxy_translation, and the level that
 * was reported. */
static inline void
fcn_capture_note_proxy(struct rte_mbuf *m, uint8_t translation, uint8_t level)
{
	m->tx_offload = FCN_CAPTURE_NOTE_PROXY << FCN_CAPTURE_NOTE_SHIFT | (uint64_t)level << 32 |
			translation;
}

/** Write a note to a trimmed packet: port and class of the queue that refused it, enum
 * fcn_drop_reason of the refusal, and the length of the whole packet in bytes, below 65536. */
static inline void
fcn_capture_note_trimmed(
		struct rte_mbuf *m, uint16_t port, uint8_t class, uint8_t reason, uint32_t len)
{
	m->tx_offload = FCN_CAPTURE_NOTE_TRIMMED << FCN_CAPTURE_NOTE_SHIFT | (uint64_t)port << 48 |
			(uint64_t) class << 40 | (uint64_t)reason << 32 | len;
}

/* ---- for the reader of a ring, which is one thread ---- */

/** Reader of a ring; all but `ring` is initialised with 0. */
struct fcn_capture_reader {
	struct rte_ring *ring;
	struct rte_ring_zc_data chunk; /**< part of the ring that is being read */
	unsigned int n, used;          /**< its units: all (0: there is no chunk), and those read */
};

/** Octets of a captured packet. The second part is empty unless they wrap at the ring's end. */
struct fcn_capture_octets {
	const uint8_t *part[2];
	uint32_t len[2];
};

/**
 * Get the oldest record that has not been read, without copying it. Record and octets are valid
 * until fcn_capture_release() or the next call of this function.
 *
 * @param octets written: the captured octets of the packet
 * @return NULL when there is no record
 */
const struct fcn_capture_record *fcn_capture_peek(
		struct fcn_capture_reader *reader, struct fcn_capture_octets *octets);

/** Mark the record of fcn_capture_peek() as read. @return number of its units */
unsigned int fcn_capture_next(struct fcn_capture_reader *reader);

/** Return the room of all records that have been read to the worker. */
void fcn_capture_release(struct fcn_capture_reader *reader);

#endif /* FCN_CAPTURE_H */
