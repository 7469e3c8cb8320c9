/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_ioam_template.h"

#define TYPE_BIT(n) (0x800000u >> (n)) /* Trace-Type, bit 0 first */

/* Get the offset of the field of a bit of the Trace-Type: the fields of lower bits are before it.
 */
static uint8_t
offset_of(uint32_t type, unsigned int bit)
{
	const uint32_t lower = ~(TYPE_BIT(bit) | (TYPE_BIT(bit) - 1));

	if (!(type & TYPE_BIT(bit)))
		return FCN_IOAM_TEMPLATE_NONE;
	return (uint8_t)(4 * fcn_ioam_node_len(type & lower));
}

void
fcn_ioam_template_make(struct fcn_ioam_template *t, const uint8_t before[FCN_IOAM_TRACE_HDR_LEN],
		const uint8_t *hdr, uint32_t len)
{
	struct fcn_ioam_trace now;
	uint8_t delay;

	t->len = 0;
	if (fcn_ioam_trace_parse(hdr, len, &now) != FCN_WIRE_OK ||
			now.type & FCN_IOAM_TYPE_OPAQUE || now.node_len > FCN_IOAM_TEMPLATE_WORDS)
		return;
	memcpy(t->header, before, sizeof(t->header));
	t->len = len;
	t->at = (uint16_t)(now.data + 4 * now.remaining_len - hdr);
	t->words = now.node_len;
	t->remaining = hdr[3];
	delay = offset_of(now.type, 4);
	t->delay = delay != FCN_IOAM_TEMPLATE_NONE ? t->at + delay : 0;
	t->hop_limit = offset_of(now.type, 0);
	t->hop_limit_wide = offset_of(now.type, 8);
	t->queue_depth = offset_of(now.type, 6);
	t->buffer_occupancy = offset_of(now.type, 11);
	t->others = t->hop_limit != 0 ||
		    (t->hop_limit_wide & t->queue_depth & t->buffer_occupancy) !=
				    FCN_IOAM_TEMPLATE_NONE;
	memcpy(t->data, hdr + t->at, 4 * now.node_len);
}
