/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * How a trace returns to the sender: the receiver copies the trace of a data packet into the
 * acknowledgement of that packet, in a Destination Option that has the format of Fast CNP option 2
 * without the address.
 */

#include <string.h>

#include "endpoint_state.h"
#include "fcn_dest_option.h"
#include "fcn_ioam.h"

#define TRACE_OFF 4 /* option type, length, reserved octet, IOAM Opt-Type */

void
endpoint_ioam_keep(struct endpoint_qp *qp, const uint8_t *frame, const struct fcn_wire_info *info)
{
	const uint8_t *option = frame + info->ioam_off;
	uint32_t len = info->ioam_len - 2u;

	if (option[3] != FCN_IOAM_PREALLOC_TRACE || len > sizeof(qp->echo))
		return;
	memcpy(qp->echo, option + TRACE_OFF, len);
	qp->echo_len = (uint8_t)len;
}

bool
endpoint_ioam_echo(struct fcn_endpoint *ep, const uint8_t *frame, const struct fcn_wire_info *info,
		struct fcn_ioam_trace *trace)
{
	uint32_t off, len = (uint32_t)info->l3_off + info->ip_len;
	const uint8_t *option;

	if (!fcn_dest_option_find(frame, len, info, ep->conf.echo_type, &off))
		return false;
	option = frame + off;
	if (option[1] < 2 || fcn_ioam_trace_parse_type(option[3], option + TRACE_OFF,
					     option[1] - 2u, trace) != FCN_WIRE_OK) {
		ep->n.trace_malformed++;
		return false;
	}
	ep->n.trace_received++;
	ep->n.trace_empty += trace->remaining_len == trace->words;
	return true;
}
