/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet trace: for selected packets, the stages that did something with them, and the metadata
 * after each stage.
 *
 * It belongs to the worker. The control thread starts and reads it by fcn_worker_call(). While it
 * is off, it costs one test for each stage and burst.
 */

#ifndef FCN_TRACE_H
#define FCN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <pcap/pcap.h>

#include "fcn_burst.h"
#include "fcn_local.h"

#define FCN_TRACE_MAX 250 /**< maximum number of records: 1 + number has to fit in 8 bits */
/** Maximum number of bytes recorded of a packet: a whole message of precise flow control, tagged.
 */
#define FCN_TRACE_BYTES 128

/*
 * The longest trace has 10 stages once (RX, CLASSIFY, TRUST, SUB_INTERFACE, PROXY_INSERT, ROUTE,
 * PROXY_REMOVE, IOAM_EDGE, ENQUEUE, TRANSMIT), twice HOLD, and FCN_LOCAL_PASSES times LOCAL
 * followed by ROUTE.
 */
#define FCN_TRACE_STEPS (12 + 2 * FCN_LOCAL_PASSES) /**< steps kept for each packet */

/*
 * X(symbol, name, text). The stages in the order in which a packet passes through them. This list
 * is the only source of the enumeration and of the words in `show trace`. pipeline.c calls the
 * stages, and the picture in doc/architecture.md shows their names; scripts/check-walk compares
 * both with the list.
 */
#define FCN_STAGES(X)                                                                            \
	X(RX, "rx", "packets of all ports are gathered")                                         \
	X(FAST_PATH, "fast_path", "plain packets go to queues that are not congested, at once")  \
	X(CLASSIFY, "classify", "headers are read, the class is found")                          \
	X(BORDER_IN, "border_in", "what may not come in by a border port is dropped")            \
	X(TRUST, "trust", "packets of untrusted ports get another class or DSCP")                \
	X(MAC_CONTROL, "mac_control", "flow control frames are taken")                           \
	X(SUB_INTERFACE, "sub_interface", "a VLAN's packets enter by its sub-interface")         \
	X(PROXY_INSERT, "proxy_insert", "senders' packets get the address of their proxy")       \
	X(BRIDGE, "bridge", "addresses are learned, the egress port is found")                   \
	X(ROUTE, "route", "what may be forwarded gets its next hop")                             \
	X(LOCAL, "local", "what is for the switch itself is taken, or changed and routed again") \
	X(PROXY_REMOVE, "proxy_remove", "the address of a proxy is taken out")                   \
	X(PROXY_MARK, "proxy_mark", "packets of flows under notification are marked with CE")    \
	X(BORDER_OUT, "border_out", "what may not leave by a border port is dropped")            \
	X(IOAM_EDGE, "ioam_edge", "IOAM is taken out where its domain ends")                     \
	X(CROSS_CORE_TX, "cross_core_tx", "packets go to the worker that has their port")        \
	X(CROSS_CORE_RX, "cross_core_rx", "packets of other workers come in")                    \
	X(HOLD, "hold", "packets of flows that downstream switches ask to hold wait")            \
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

/** Get the name of a stage for `show trace` and its JSON; never NULL. */
const char *fcn_stage_name(enum fcn_stage s);
/** Get the description of a stage, one line of text; never NULL. */
const char *fcn_stage_text(enum fcn_stage s);

/** Step of a trace: a stage, and the metadata of the packet after it. */
struct fcn_trace_step {
	uint64_t time_ns; /**< time of the turn in ns */
	uint8_t stage;    /**< enum fcn_stage */
	bool left;        /**< the packet left the burst: it was dropped, consumed or queued */
	/** ENQUEUE: bytes in the class queue after the packet was queued; HOLD: bytes of the held
	 * flow that wait, with it */
	uint32_t queue_bytes;
	uint64_t until_ns;     /**< HOLD: time up to which the flow is held; 0: its packets leave */
	struct fcn_packet pkt; /**< metadata after the stage */
};

/** Trace of one packet at one worker. */
struct fcn_trace_record {
	/** Notice: 1 + number of the record of the packet that caused it; otherwise 0. */
	uint8_t cause;
	/** Packet of another worker: 1 + number of its record there; otherwise 0. */
	uint8_t from;
	uint8_t from_worker; /**< index of that worker */
	uint8_t n_steps;
	bool left; /**< the packet has left its burst */
	/** By kind of notice, the decision about it if the packet met congestion: enum
	 * fcn_notify_verdict. */
	uint8_t verdict[FCN_NOTICE_KIND_MAX];
	uint16_t n_bytes;               /**< number of bytes in `bytes` */
	uint32_t len;                   /**< length of the frame in bytes, without FCS */
	uint8_t bytes[FCN_TRACE_BYTES]; /**< first bytes of the packet as received */
	struct fcn_trace_step step[FCN_TRACE_STEPS];
};

/** Packet trace of a worker. */
struct fcn_trace {
	uint32_t wanted; /**< number of packets that are still to be selected */
	uint32_t n;      /**< number of records used */
	uint8_t clears;  /**< number of times that fcn_trace_clear() was called, modulo 256 */
	struct bpf_program filter;
	bool has_filter; /**< false: every packet is selected */
	struct fcn_trace_record record[FCN_TRACE_MAX];
};

struct fcn_worker;

/** Free the filter, if there is one. */
void fcn_trace_filter_free(struct fcn_trace *t);

/**
 * Remove all records, stop selecting packets, and end the traces of packets that are queued, or on
 * their way from or to another worker. To be called by fcn_worker_call(), for each worker.
 */
void fcn_trace_clear(struct fcn_worker *w);

/** Check whether the filter selects a packet just received. */
bool fcn_trace_is_wanted(const struct fcn_trace *t, const struct rte_mbuf *m);

/** Begin traces of packets just received that pass the filter. Called only while wanted > 0. */
void fcn_trace_receive(struct fcn_worker *w, struct fcn_burst *b);

/**
 * Begin the trace of a notice whose cause is traced.
 *
 * @param cause 1 + number of the record of the packet that caused it
 * @param bytes the notice, of which `len` bytes are contiguous
 * @return 1 + number of the record, or 0 when none is free
 */
uint8_t fcn_trace_notice(struct fcn_worker *w, uint8_t cause, const uint8_t *bytes, uint32_t len);

/**
 * Add a step to the traces of those packets of a burst that left the burst in a stage, or whose
 * metadata the stage has changed.
 */
void fcn_trace_stage(struct fcn_worker *w, const struct fcn_burst *b, enum fcn_stage stage);

/**
 * Note in the mbufs of traced packets, before they are put on a cross-core ring, how often traces
 * were cleared. If the receiving worker has cleared them since, the trace is not continued.
 *
 * @param from index of the first packet
 * @param n    number of packets
 */
void fcn_trace_stamp(
		struct fcn_worker *w, const struct fcn_burst *b, unsigned int from, unsigned int n);

/** Record that a traced packet was put on a cross-core ring to the worker that owns its port. */
void fcn_trace_cross_core_tx(struct fcn_worker *w, const struct fcn_packet *p);

/**
 * Continue the trace of a packet that was taken from a cross-core ring, unless traces were cleared
 * meanwhile.
 *
 * @param m           the packet
 * @param from_worker index of the worker that received it
 * @param from        1 + number of its record there
 * @return 1 + number of the new record, or 0
 */
uint8_t fcn_trace_cross_core_rx(struct fcn_worker *w, const struct rte_mbuf *m,
		unsigned int from_worker, uint8_t from);

/**
 * Record that a traced packet waits for its flow.
 *
 * @param until_ns time up to which the flow is held; 0: its packets leave already
 * @param bytes    bytes of the flow that wait
 */
void fcn_trace_hold(struct fcn_worker *w, const struct fcn_packet *p, uint64_t until_ns,
		uint64_t bytes);

/** Record the decisions about notices about a traced packet. @param verdict by kind */
void fcn_trace_verdicts(struct fcn_worker *w, const struct fcn_packet *p,
		const uint8_t verdict[FCN_NOTICE_KIND_MAX]);

/** Record that a port has accepted a traced packet. @param trace 1 + number of the record */
void fcn_trace_transmit(struct fcn_worker *w, uint8_t trace, uint16_t port, uint8_t class);

#endif /* FCN_TRACE_H */
