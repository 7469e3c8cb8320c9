/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The RoCEv2 flows of a replay: when their receivers sent CNPs, by the capture, and when the switch
 * sent Fast CNPs about them, in the replay.
 *
 * A flow is sender, receiver, and the destination queue pair of its data, which is one of the
 * receiver's. A CNP (InfiniBand Architecture Specification, annex A17.9.3) has addresses the other
 * way round, and names the sender's queue pair. Acknowledgements name that one, too, and repeat the
 * packet sequence numbers of data, so they tell which two queue pairs belong together. A CNP is
 * assigned to a flow by them, or, if its addresses have only one flow, by its addresses. Others are
 * only counted.
 *
 * Times are nanoseconds. All functions are for one thread.
 */

#ifndef FCN_REPLAY_FLOWS_H
#define FCN_REPLAY_FLOWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "fcn_control.h"
#include "fcn_parse.h"

/** Longest pause between two CNPs, or Fast CNPs, of a series, by default. */
#define REPLAY_FLOWS_GAP_NS UINT64_C(1000000)

struct replay_flows;

/** What a frame is, as far as it matters here. */
enum replay_frame_kind {
	REPLAY_FRAME_DATA,  /**< RoCEv2 that a congested queue sends a notice for */
	REPLAY_FRAME_ACK,   /**< acknowledgement of RoCEv2 */
	REPLAY_FRAME_CNP,   /**< CNP */
	REPLAY_FRAME_IP,    /**< other IP packet */
	REPLAY_FRAME_OTHER, /**< no IP packet */
	REPLAY_FRAME_KINDS,
};

/** A frame with its headers. */
struct replay_frame {
	const uint8_t *data;
	uint32_t captured; /**< bytes at data */
	uint64_t stamp;    /**< ns since 1970 */
	enum replay_frame_kind kind;
	struct fcn_wire_info info;
	uint8_t source[16], destination[16]; /**< IPv6 or IPv4-mapped; all zero: no IP */
};

/** Read the headers of a frame. @param len its bytes, of which `captured` are there */
void replay_frame_read(struct replay_frame *frame, const uint8_t *data, uint32_t captured,
		uint32_t len, uint64_t stamp);

/** @return NULL when memory is exhausted */
struct replay_flows *replay_flows_create(void);
void replay_flows_free(struct replay_flows *flows);

/**
 * Note a frame of the capture. Frames of one flow come in the order of their times.
 *
 * @param entered whether it enters the switch; CNPs that do not are used only for flows without
 *                others
 */
void replay_flows_frame(struct replay_flows *flows, const struct replay_frame *frame, bool entered);

/**
 * Note a packet that the switch sends, if it is a Fast CNP from its address.
 *
 * @param snapshot of the switch
 * @param left_ns  virtual time at which its last bit leaves
 */
void replay_flows_sent(struct replay_flows *flows, const struct fcn_config *cfg,
		const struct fcn_snapshot *snapshot, const struct rte_mbuf *m, uint64_t left_ns);

/** Tell whether the capture has CNPs. */
bool replay_flows_has_cnps(const struct replay_flows *flows);

/** How to compare. */
struct replay_flows_conf {
	uint64_t base_ns; /**< timestamp of virtual time 0 */
	uint64_t gap_ns;  /**< longest pause within a series */
	bool scaled;      /**< virtual time is not that of the capture: nothing is compared */
};

/** Compare. @return the member `cnps` of the report, see doc/replay.md */
json_t *replay_flows_report(struct replay_flows *flows, const struct replay_flows_conf *conf);

/** Print it as text. */
void replay_flows_print(const json_t *report, FILE *out);

/** Write all its flows as CSV with a heading. */
void replay_flows_csv(const json_t *report, FILE *out);

#endif /* FCN_REPLAY_FLOWS_H */
