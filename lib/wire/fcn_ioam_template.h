/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Adding a node's data to many IOAM traces of the same kind. Nearly all that a node adds to the
 * packets of a burst is the same for all of them, so it is made once and then copied.
 */

#ifndef FCN_IOAM_TEMPLATE_H
#define FCN_IOAM_TEMPLATE_H

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>

#include "fcn_ioam.h"

/** Maximum number of words of a template: all but an opaque state snapshot. */
#define FCN_IOAM_TEMPLATE_WORDS 25
/** Offset of a field that the Trace-Type does not ask for. */
#define FCN_IOAM_TEMPLATE_NONE UINT8_MAX

/** What a node adds to traces with one header. Offsets are in bytes. */
struct fcn_ioam_template {
	uint8_t header[FCN_IOAM_TRACE_HDR_LEN]; /**< the header, as it is before */
	uint32_t len;      /**< bytes of header and node data list; 0: there is no template */
	uint16_t at;       /**< from the header to this node's data */
	uint16_t delay;    /**< from the header to the transit delay; 0: the trace has none */
	uint8_t words;     /**< words that the node adds */
	uint8_t remaining; /**< octet with RemainingLen, as it is afterwards */
	/** Other fields than the hop limit at the start of the data differ from trace to trace. */
	bool others;
	/* Of these fields, from the start of the data; FCN_IOAM_TEMPLATE_NONE: the trace has none.
	 */
	uint8_t hop_limit;        /**< of the octet with the hop limit */
	uint8_t hop_limit_wide;   /**< of that in front of the wide node ID */
	uint8_t queue_depth;      /**< of the queue depth */
	uint8_t buffer_occupancy; /**< of the buffer occupancy */
	uint8_t data[4 * FCN_IOAM_TEMPLATE_WORDS];
};

/**
 * Make a template from a trace to which fcn_ioam_trace_write() has added a node's data. If it
 * cannot be used for other traces, as it has an opaque state snapshot, t->len is set to 0.
 *
 * @param before the trace option header as it was before
 * @param hdr    the trace option header
 * @param len    bytes of header and node data list
 */
void fcn_ioam_template_make(struct fcn_ioam_template *t,
		const uint8_t before[FCN_IOAM_TRACE_HDR_LEN], const uint8_t *hdr, uint32_t len);

static inline void
fcn_ioam_template_put32(uint8_t *p, uint8_t off, uint32_t v)
{
	if (off != FCN_IOAM_TEMPLATE_NONE) {
		v = rte_cpu_to_be_32(v);
		memcpy(p + off, &v, sizeof(v));
	}
}

/* Write the fields that differ from trace to trace. */
static inline void
fcn_ioam_template_put_others(const struct fcn_ioam_template *t, uint8_t *p, uint8_t hop_limit,
		uint32_t queue_depth, uint32_t buffer_occupancy)
{
	if (t->hop_limit != FCN_IOAM_TEMPLATE_NONE)
		p[t->hop_limit] = hop_limit;
	if (t->hop_limit_wide != FCN_IOAM_TEMPLATE_NONE)
		p[t->hop_limit_wide] = hop_limit;
	fcn_ioam_template_put32(p, t->queue_depth, queue_depth);
	fcn_ioam_template_put32(p, t->buffer_occupancy, buffer_occupancy);
}

/**
 * Check whether the data of this node can be written to a trace by fcn_ioam_template_write(): the
 * trace has the header of the template, so it is valid and has room.
 */
static inline bool
fcn_ioam_template_fits(const struct fcn_ioam_template *t, const uint8_t *hdr, uint32_t len)
{
	uint64_t header, same;

	memcpy(&header, hdr, sizeof(header));
	memcpy(&same, t->header, sizeof(same));
	return header == same && len == t->len;
}

/**
 * Write the data of this node to a trace for which fcn_ioam_template_fits() is true, as
 * fcn_ioam_trace_write() would. The data are those of the template, except for the values given
 * here and the transit delay, which is left for the caller to write at offset t->delay.
 */
static inline void
fcn_ioam_template_write(const struct fcn_ioam_template *t, uint8_t *hdr, uint8_t hop_limit,
		uint32_t queue_depth, uint32_t buffer_occupancy)
{
	const uint32_t words = t->words;
	uint8_t *p = hdr + t->at;
	uint32_t k = 0;

	for (; k + 2 <= words; k += 2)
		memcpy(p + 4 * k, t->data + 4 * k, 8);
	if (k < words)
		memcpy(p + 4 * k, t->data + 4 * k, 4);
	if (unlikely(t->others))
		fcn_ioam_template_put_others(t, p, hop_limit, queue_depth, buffer_occupancy);
	else
		p[0] = hop_limit;
	hdr[3] = t->remaining;
}

#endif /* FCN_IOAM_TEMPLATE_H */
