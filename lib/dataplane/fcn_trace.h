/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet trace: the stages that had to do with chosen packets, and what each decided.
 *
 * A worker's own; off costs one test a burst. Control arms it and reads it
 * through fcn_worker_call().
 */

#ifndef FCN_TRACE_H
#define FCN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcap/pcap.h>

#include "fcn_burst.h"
#include "fcn_local.h"

#define FCN_TRACE_MAX 250  /**< packets traced at a time: 1 + number fits 8 bits */
#define FCN_TRACE_BYTES 96 /**< first bytes kept of a packet */

/*
 * The longest trace has 8 stages once (RX, CLASSIFY, TRUST, SUB_INTERFACE, ROUTE, IOAM_EDGE,
 * ENQUEUE, TRANSMIT), and FCN_LOCAL_PASSES times LOCAL followed by ROUTE.
 */
#define FCN_TRACE_STEPS (8 + 2 * FCN_LOCAL_PASSES) /**< steps kept for each packet */

/*
 * X(symbol, name, text). The stages in the order in which a packet meets them; the one source of
 * the enumeration and of the words in `show trace`. pipeline.c has them walk, and the picture in
 * doc/architecture.md shows them by their names: scripts/check-walk holds these against the list.
 */
#define FCN_STAGES(X)                                                                            \
	X(RX, "rx", "packets of all ports are gathered")                                         \
	X(CLASSIFY, "classify", "headers are read, the class is found")                          \
	X(BORDER_IN, "border_in", "what may not come in by a border port is dropped")            \
	X(TRUST, "trust", "packets of untrusted ports get another class or DSCP")                \
	X(MAC_CONTROL, "mac_control", "flow control frames are taken")                           \
	X(SUB_INTERFACE, "sub_interface", "a VLAN's packets enter by its sub-interface")         \
	X(BRIDGE, "bridge", "addresses are learned, the egress port is found")                   \
	X(ROUTE, "route", "what may be forwarded gets its next hop")                             \
	X(LOCAL, "local", "what is for the switch itself is taken, or changed and routed again") \
	X(BORDER_OUT, "border_out", "what may not leave by a border port is dropped")            \
	X(IOAM_EDGE, "ioam_edge", "IOAM is taken out where its domain ends")                     \
	X(CROSS_CORE_TX, "cross_core_tx", "packets go to the worker that has their port")        \
	X(CROSS_CORE_RX, "cross_core_rx", "packets of other workers come in")                    \
	X(ENQUEUE, "enqueue", "detector, marks, decision about notices, and the class queue")    \
	X(NOTICE, "notice", "notices are built")                                                 \
	X(INJECT, "inject", "what the host functions send comes in")                             \
	X(TRANSMIT, "transmit", "class queues are drained into the ports")

enum fcn_stage {
#define FCN_STAGE_ENUM(sym, name, text) FCN_STAGE_##sym,
	FCN_STAGES(FCN_STAGE_ENUM)
#undef FCN_STAGE_ENUM
	FCN_STAGE_COUNT,
};

/** Name as it stands in `show trace` and its JSON, never NULL. */
const char *fcn_stage_name(enum fcn_stage s);
/** What the stage does, one line for people, never NULL. */
const char *fcn_stage_text(enum fcn_stage s);

/** A stage that had to do with the packet: the packet's facts as they stood behind it. */
struct fcn_trace_step {
	uint64_t time_ns;
	uint8_t stage;        /**< enum fcn_stage */
	bool left;            /**< the packet left the burst there: dropped, consumed or queued */
	uint32_t queue_bytes; /**< ENQUEUE: occupancy of the class queue behind it */
	struct fcn_packet pkt;
};

struct fcn_trace_record {
	uint8_t cause; /**< 1 + number of the record of the packet that caused this notice, or 0 */
	uint8_t from;  /**< goes on from 1 + number of a record of another worker, or 0 */
	uint8_t from_worker; /**< that worker */
	uint8_t n_steps;
	bool left; /**< its burst: no later stage of the walk meets it */
	uint16_t n_bytes;
	uint32_t len;                   /**< bytes of the frame */
	uint8_t bytes[FCN_TRACE_BYTES]; /**< as received */
	struct fcn_trace_step step[FCN_TRACE_STEPS];
};

struct fcn_trace {
	uint32_t wanted; /**< packets still to be traced */
	uint32_t n;      /**< records used */
	struct bpf_program filter;
	bool has_filter;
	struct fcn_trace_record record[FCN_TRACE_MAX];
};

struct fcn_worker;

/** Free the filter, if there is one. */
void fcn_trace_filter_free(struct fcn_trace *t);

/** Forget all records, and stop. Packets that are queued lose theirs. Within fcn_worker_call(). */
void fcn_trace_clear(struct fcn_worker *w);

/** Begin traces for packets just received that the filter takes. Called only while wanted > 0. */
void fcn_trace_receive(struct fcn_worker *w, struct fcn_burst *b);

/** Begin the trace of a notice, if its cause is traced and a record is free. @return 1 + number, or
 * 0. */
uint8_t fcn_trace_notice(struct fcn_worker *w, uint8_t cause, const uint8_t *bytes, uint32_t len);

/**
 * Note what a stage did to the traced packets of a burst. It had to do with those that left the
 * burst there, and with those that it found out something new about, or changed: the others get no
 * step.
 */
void fcn_trace_stage(struct fcn_worker *w, const struct fcn_burst *b, enum fcn_stage stage);

/** Record that a traced packet was put on a cross-core ring to the worker that owns its port. */
void fcn_trace_cross_core_tx(struct fcn_worker *w, const struct fcn_packet *p);

/**
 * Continue the trace of a packet that was taken from a cross-core ring.
 *
 * @return 1 + number, or 0
 */
uint8_t fcn_trace_cross_core_rx(struct fcn_worker *w, unsigned int from_worker, uint8_t from);

/** Note that a traced packet was handed to a port. */
void fcn_trace_transmit(struct fcn_worker *w, uint8_t trace, uint16_t port, uint8_t class);

#endif /* FCN_TRACE_H */
