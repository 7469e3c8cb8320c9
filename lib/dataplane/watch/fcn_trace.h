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
#define FCN_TRACE_ANY_WORKER UINT8_MAX /**< index of a worker: not known */

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

/*
 * X(symbol, name, text): what a packet has to meet to be kept. A condition holds or not when the
 * packet leaves the stages of this worker: when it is dropped, or when its class queue has taken
 * it. Each worker sees its own part of a packet's way. One that receives a packet sees what happens
 * before the packet goes to the worker of its port, and that one sees what happens at the queue.
 * What is decided when a packet leaves its queue comes too late.
 */
#define FCN_TRACE_CONDITIONS(X)                                            \
	X(ANY, "any", "every packet")                                      \
	X(DROPPED, "dropped", "the packet is dropped")                     \
	X(NOTIFIED, "notified", "a verdict about a notice is one of some") \
	X(MARKED, "marked", "the switch marks the packet with CE")         \
	X(TRIMMED, "trimmed", "the packet is cut to its headers")

enum fcn_trace_condition_type {
#define FCN_TRACE_CONDITION_ENUM(sym, name, text) FCN_TRACE_##sym,
	FCN_TRACE_CONDITIONS(FCN_TRACE_CONDITION_ENUM)
#undef FCN_TRACE_CONDITION_ENUM
	FCN_TRACE_CONDITION_COUNT,
};

/** Get the name of a condition; never NULL. */
const char *fcn_trace_condition_name(enum fcn_trace_condition_type type);

/** Which packets are kept. All zeros: every packet. */
struct fcn_trace_condition {
	uint8_t type; /**< enum fcn_trace_condition_type */
	uint8_t drop; /**< DROPPED: enum fcn_drop_reason; FCN_DROP_NONE: any */
	/** NOTIFIED: by kind, bit set of the verdicts (enum fcn_notify_verdict) that count */
	uint64_t verdicts[FCN_NOTICE_KIND_MAX];
};

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
	/** index of that worker; FCN_TRACE_ANY_WORKER: another one, which has no record of it */
	uint8_t from_worker;
	uint8_t n_steps;
	bool left;       /**< the packet has left its burst */
	bool candidate;  /**< it is not known yet whether the condition holds; not shown */
	bool unused;     /**< it is free again, although it is below fcn_trace.n */
	uint32_t serial; /**< its place in the order in which records were begun */
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
	uint32_t wanted;   /**< number of packets that are still to be selected */
	uint32_t n;        /**< number of records, with those that are unused again */
	uint32_t n_unused; /**< number of these */
	uint32_t n_candidates;
	uint32_t serial; /**< records that were ever begun, modulo 2^32 */
	struct fcn_trace_condition condition;
	uint8_t clears; /**< number of times that fcn_trace_clear() was called, modulo 256 */
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

/** Forget the packets of which it is not known whether the condition holds. To be called between
 * two turns. */
void fcn_trace_forget_candidates(struct fcn_trace *t);

/** Get the number of records that are not in use. */
static inline uint32_t
fcn_trace_room(const struct fcn_trace *t)
{
	return FCN_TRACE_MAX - t->n + t->n_unused;
}

/** Check whether the filter selects a packet just received. */
bool fcn_trace_is_wanted(const struct fcn_trace *t, const struct rte_mbuf *m);

/** Begin traces of packets just received that pass the filter. Called in each turn while wanted >
 * 0. With a condition, as many packets are tried as there are records. */
void fcn_trace_receive(struct fcn_worker *w, struct fcn_burst *b);

/** With a condition, begin traces of packets that other workers received, and which their queues
 * have not taken without further ado. Called only while wanted > 0. */
void fcn_trace_receive_cross_core(struct fcn_worker *w, struct fcn_burst *b);

/**
 * A class queue has decided about a traced packet: keep its trace if the condition holds, and end
 * it if not.
 *
 * @param drop   FCN_DROP_NONE, or the reason for which the packet is dropped now
 * @param marked the switch marks it
 */
void fcn_trace_settle(struct fcn_worker *w, struct fcn_burst *b, unsigned int i,
		enum fcn_drop_reason drop, bool marked);

/** Get the trace of a packet if it waits for its condition: 1 + number of the record; otherwise 0.
 */
uint8_t fcn_trace_candidate(const struct fcn_worker *w, const struct fcn_packet *p);

/** End the trace of packet i if it is not known whether the condition holds: the packet leaves the
 * stages of this worker. */
void fcn_trace_end_candidate(struct fcn_worker *w, struct fcn_burst *b, unsigned int i);

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
 * were cleared. If the receiving worker has cleared them since, the trace is not continued. Traces
 * of which it is not known whether the condition holds end here.
 *
 * @param from index of the first packet
 * @param n    number of packets
 */
void fcn_trace_stamp(struct fcn_worker *w, struct fcn_burst *b, unsigned int from, unsigned int n);

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

/** Record the decision about a notice of one kind about a traced packet. */
void fcn_trace_verdict(struct fcn_worker *w, const struct fcn_packet *p, unsigned int kind,
		uint8_t verdict);

/** Record the decisions about notices about a traced packet. @param verdict by kind */
void fcn_trace_verdicts(struct fcn_worker *w, const struct fcn_packet *p,
		const uint8_t verdict[FCN_NOTICE_KIND_MAX]);

/** Record that a port has accepted a traced packet. @param trace 1 + number of the record */
void fcn_trace_transmit(struct fcn_worker *w, uint8_t trace, uint16_t port, uint8_t class);

#endif /* FCN_TRACE_H */
