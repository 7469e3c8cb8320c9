/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet capture, the worker's side: copies of packets that a port received,
 * was handed, or that were dropped, on their way to whoever writes files.
 *
 * Each worker has a ring of its own with one reader. A record is one unit of
 * the ring, the octets of the packet are in the units behind it; so a packet
 * is copied once, whatever its length, and what a port did not take is never
 * published. Without room a packet is missed and counted: a worker waits for
 * nobody, and forwarding does not share memory with captures. Off costs one
 * test a burst, and one a dropped packet.
 *
 * Several captures share a record. Control opens and closes taps through
 * fcn_worker_call().
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
#include "fcn_port_limit.h"

#define FCN_CAPTURE_MAX 8          /**< captures at a time */
#define FCN_CAPTURE_UNIT 64        /**< octets of an element of the ring */
#define FCN_CAPTURE_SNAPLEN 262144 /**< octets kept of a packet at most */
#define FCN_CAPTURE_NO_PORT UINT8_MAX

/** Where packets are seen: X(symbol, name) */
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

/** Who made a packet. */
enum fcn_capture_origin {
	FCN_CAPTURE_FORWARDED, /**< nobody here: it was received */
	FCN_CAPTURE_NOTICE,    /**< a notice of this switch */
	FCN_CAPTURE_PAUSE,     /**< flow control */
	FCN_CAPTURE_HOST,      /**< the host functions */
};

/** A packet as it was seen. One unit of the ring. */
struct fcn_capture_record {
	uint64_t time_ns;                 /**< nanoseconds since 1970 */
	uint32_t len;                     /**< octets of the frame, without FCS */
	uint32_t caplen;                  /**< octets of it that are kept */
	uint32_t missed[FCN_CAPTURE_MAX]; /**< by capture: packets of this port and capture that
					     found no room since the last that did */
	uint32_t occupancy;               /**< NOTICE: bytes of the congested queue; 0: not known */
	uint8_t taps;                     /**< bit set: captures that want it */
	uint8_t point;                    /**< enum fcn_capture_point */
	uint8_t port;        /**< RX, TX: the port; DROP: the port that counts the drop */
	uint8_t out_port;    /**< DROP: where it was to leave, or FCN_CAPTURE_NO_PORT */
	uint8_t class;       /**< DROP: its class there */
	uint8_t reason;      /**< DROP: enum fcn_drop_reason */
	uint8_t origin;      /**< enum fcn_capture_origin */
	uint8_t kind;        /**< NOTICE: enum fcn_notice_kind_number */
	uint8_t cause_port;  /**< NOTICE: congested port, or FCN_CAPTURE_NO_PORT: not known */
	uint8_t cause_class; /**< NOTICE: class of the congested queue */
	int8_t level;        /**< NOTICE: congestion level */
};

/** What a capture wants. */
struct fcn_capture_tap {
	uint64_t ports[FCN_CAPTURE_POINT_COUNT]; /**< bit sets */
	const struct bpf_program *filter;        /**< NULL: every packet; stays control's */
	uint32_t snaplen;
	uint32_t untold[FCN_MAX_PORTS]; /**< missed, and no record says so yet */
	uint64_t missed[FCN_MAX_PORTS]; /**< wanted packets that found no room */
};

/** Packets copied that are not published yet: as many as a port is handed at a time. */
struct fcn_capture_batch {
	struct rte_ring_zc_data room;
	unsigned int free, used; /**< units of it */
	unsigned int n;          /**< packets looked at */
	struct {
		struct fcn_capture_record *record; /**< NULL: no room, or nobody wants it */
		unsigned int end;                  /**< units used behind it */
		uint8_t taps;
		uint8_t port;
	} packet[FCN_EGRESS_BURST];
};

struct fcn_capture {
	uint64_t ports[FCN_CAPTURE_POINT_COUNT]; /**< of all taps together; none: off */
	struct rte_ring *ring;                   /**< NULL: nothing was ever captured */
	struct fcn_capture_tap tap[FCN_CAPTURE_MAX];
	struct fcn_capture_batch batch;
};

struct fcn_worker;

/**
 * Make a ring for a worker.
 *
 * @param name  unique in the process
 * @param units power of two; more than the longest packet to be captured takes
 * @return NULL with rte_errno set on failure
 */
struct rte_ring *fcn_capture_ring_create(const char *name, uint32_t units, int socket);

/** Open a tap: what it missed begins at 0. Within fcn_worker_call(); there must be a ring. */
void fcn_capture_open(struct fcn_worker *w, unsigned int number, const struct fcn_capture_tap *tap);

/** Close a tap: no record behind this is for it. Within fcn_worker_call(). */
void fcn_capture_close(struct fcn_worker *w, unsigned int number);

/** A port is gone: taps for it alone do not take another that gets its number. Within
 * fcn_worker_call(). */
void fcn_capture_forget_port(struct fcn_worker *w, uint16_t port);

/* ---- for the stages, where something is captured ---- */

/** Packets just received. */
void fcn_capture_receive(struct fcn_worker *w, const struct fcn_burst *b);

/** Copy packets that are about to be passed to a port. fcn_capture_tx_done() must follow. */
void fcn_capture_tx(struct fcn_worker *w, uint16_t port, const struct fcn_queue_entry *e,
		unsigned int n, enum fcn_capture_origin origin);

/** The port took the first of them. */
void fcn_capture_tx_done(struct fcn_worker *w, unsigned int taken);

/** A packet that is dropped, on its walk. */
void fcn_capture_drop(struct fcn_worker *w, struct rte_mbuf *m, const struct fcn_packet *p,
		enum fcn_drop_reason reason);

/** A packet that is dropped after it was queued; its port counts it. */
void fcn_capture_drop_queued(struct fcn_worker *w, uint16_t port, const struct fcn_queue_entry *e,
		enum fcn_drop_reason reason);

/*
 * Why a packet was made stands in its mbuf until it leaves, where no port
 * looks without a flag in ol_flags; left there only while something is captured.
 */
#define FCN_CAPTURE_NOTE_SHIFT 56
#define FCN_CAPTURE_NOTE_NOTICE 0xFCull
#define FCN_CAPTURE_NOTE_HOST 0xFDull

/** Whether notes are read: packets are captured when they leave or are dropped. */
static inline bool
fcn_capture_wants_notes(const struct fcn_capture *c)
{
	return (c->ports[FCN_CAPTURE_TX] | c->ports[FCN_CAPTURE_DROP]) != 0;
}

/** Leave a note in a notice: of which queue's congestion it tells. */
static inline void
fcn_capture_note_notice(
		struct rte_mbuf *m, uint16_t port, uint8_t class, int8_t level, uint32_t occupancy)
{
	m->tx_offload = FCN_CAPTURE_NOTE_NOTICE << FCN_CAPTURE_NOTE_SHIFT | (uint64_t)port << 48 |
			(uint64_t) class << 40 | (uint64_t)(uint8_t)level << 32 | occupancy;
}

/** Leave a note in a frame of the host functions. */
static inline void
fcn_capture_note_host(struct rte_mbuf *m)
{
	m->tx_offload = FCN_CAPTURE_NOTE_HOST << FCN_CAPTURE_NOTE_SHIFT;
}

/* ---- for the reader of a ring: one thread ---- */

struct fcn_capture_reader {
	struct rte_ring *ring;
	struct rte_ring_zc_data chunk;
	unsigned int n, used; /**< units of the chunk; n 0: none is open */
};

/** Octets of a packet; the second part is empty unless they go round the ring's end. */
struct fcn_capture_octets {
	const uint8_t *part[2];
	uint32_t len[2];
};

/** The oldest record that was not taken yet, where it is; NULL: there is none. */
const struct fcn_capture_record *fcn_capture_peek(
		struct fcn_capture_reader *reader, struct fcn_capture_octets *octets);

/** Be done with the record that was peeked at. @return units it took */
unsigned int fcn_capture_next(struct fcn_capture_reader *reader);

/** Give the worker back the room of all records taken. */
void fcn_capture_release(struct fcn_capture_reader *reader);

#endif /* FCN_CAPTURE_H */
