/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Adding this node's data to the IOAM traces of consecutive packets: the first one is written field
 * by field, and those behind it that are like it by a template. Used by the stage `enqueue` and the
 * fast path.
 */

#ifndef IOAM_TRANSIT_H
#define IOAM_TRANSIT_H

#include <fcn_ioam_template.h>

#include "fcn_stages.h"

#define FCN_IOAM_TRACE_OFF 4 /**< from the Option Type to the trace option header */
#define FCN_IOAM_TRACE_OPTION_LEN \
	2 /**< octets of the option in front of that header: Reserved, IOAM Opt-Type */

/** What the traces of consecutive packets have in common. */
struct fcn_ioam_alike {
	struct fcn_ioam_template template; /**< its length is 0 before the first packet */
	uint16_t in_port;                  /**< port that received the packet of the template */
	unsigned int n_written; /**< traces written by the template that are not counted yet */
};

/** Count the traces that were written by the template. */
static inline void
fcn_ioam_alike_count(struct fcn_worker *w, struct fcn_ioam_alike *alike)
{
	if (alike->n_written != 0)
		w->counters[alike->in_port].ioam_written += alike->n_written;
	alike->n_written = 0;
}

/**
 * Add this node's data to the trace of a packet, and make a template for those behind it.
 *
 * @param p         `info` has the place of the trace; its delay_off may be written
 * @param depth     bytes in the class queue of the packet
 * @param occupancy of fcn_ioam_occupancy()
 * @return whether the transit delay has to be written when the packet leaves
 */
bool fcn_ioam_transit_write_first(struct fcn_worker *w, struct fcn_packet *p, struct rte_mbuf *m,
		uint32_t depth, uint32_t occupancy, struct fcn_ioam_alike *alike);

/** Get the bytes queued at a port. */
static inline uint64_t
fcn_ioam_queued_bytes(const struct fcn_egress *eg)
{
	uint64_t bytes = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		bytes += eg->queue[c].bytes;
	return bytes;
}

/** Get the value of the IOAM field buffer occupancy (RFC 9197 section 4.4.2) for so many bytes. */
static inline uint32_t
fcn_ioam_occupancy(uint64_t bytes)
{
	return RTE_MIN(bytes, (uint64_t)FCN_IOAM_NA32 - 1);
}

#endif /* IOAM_TRANSIT_H */
