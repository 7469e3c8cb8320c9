/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet trace: the stages that chosen packets met, and what each decided.
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

#define FCN_TRACE_MAX 250  /**< packets traced at a time: 1 + number fits 8 bits */
#define FCN_TRACE_STEPS 12 /**< stages kept a packet */
#define FCN_TRACE_BYTES 96 /**< first bytes kept of a packet */

/* Stages, in the order of the walk: X(symbol, name) */
#define FCN_STAGES(X)           \
	X(RX, "rx")             \
	X(CLASSIFY, "classify") \
	X(BRIDGE, "bridge")     \
	X(ROUTE, "route")       \
	X(HANDOVER, "handover") \
	X(ENQUEUE, "enqueue")   \
	X(NOTICE, "notice")     \
	X(TRANSMIT, "transmit")

enum fcn_stage {
#define FCN_STAGE_ENUM(sym, name) FCN_STAGE_##sym,
	FCN_STAGES(FCN_STAGE_ENUM)
#undef FCN_STAGE_ENUM
	FCN_STAGE_COUNT,
};

const char *fcn_stage_name(enum fcn_stage s);

/** A stage met: the packet's facts as they stood behind it. */
struct fcn_trace_step {
	uint64_t time_ns;
	uint8_t stage;        /**< enum fcn_stage */
	uint32_t queue_bytes; /**< ENQUEUE: occupancy of the class queue behind it */
	struct fcn_packet pkt;
};

struct fcn_trace_record {
	uint8_t cause; /**< 1 + number of the record of the packet that caused this notice, or 0 */
	uint8_t from;  /**< goes on from 1 + number of a record of another worker, or 0 */
	uint8_t from_worker; /**< that worker */
	uint8_t n_steps;
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

/** Note what a stage decided about the traced packets of a burst. */
void fcn_trace_stage(struct fcn_worker *w, const struct fcn_burst *b, enum fcn_stage stage);

/** Note that a traced packet was handed over to the worker that has its port. */
void fcn_trace_hand_over(struct fcn_worker *w, const struct fcn_packet *p);

/** Go on with the trace of a packet that was taken over. @return 1 + number, or 0 */
uint8_t fcn_trace_take_over(struct fcn_worker *w, unsigned int from_worker, uint8_t from);

/** Note that a traced packet was handed to a port. */
void fcn_trace_transmit(struct fcn_worker *w, uint8_t trace, uint16_t port, uint8_t class);

#endif /* FCN_TRACE_H */
