/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Processing of notices of congestion: CNPs of receivers, and Fast CNPs of switches
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4), of which some return the headers of a packet for
 * which a queue had no room.
 */

#include <string.h>

#include "endpoint_state.h"
#include "fcn_cnp.h"
#include "fcn_dest_option.h"
#include "fcn_trimmed_option.h"

#define PORT_DYNAMIC 0xC000 /* path changes use the dynamic source ports */

bool
endpoint_notice_is_returned(const struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info)
{
	uint32_t off;

	return fcn_dest_option_find(frame, len, info, ep->codes.trimmed, &off);
}

static void
report(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		enum fcn_endpoint_event_type type, const uint8_t source[16], uint64_t now)
{
	struct fcn_endpoint_event ev = {.type = type, .time_ns = now, .qp = qp->number};

	memcpy(ev.source, source, sizeof(ev.source));
	endpoint_report(ep, &ev);
}

/* Whether the queue pair may act on a notice now, by its minimum interval. */
static bool
may_act(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	if (now < qp->notice_next_ns) {
		ep->n.notice_limited++;
		return false;
	}
	qp->notice_next_ns = now + ep->conf.reaction_interval_ns;
	qp->notices++;
	return true;
}

static void
react(struct fcn_endpoint *ep, struct endpoint_qp *qp, const struct fcn_ioam_trace *trace,
		uint64_t now)
{
	int level = trace != NULL ? fcn_reaction_level(&qp->reaction, trace) : -1;

	fcn_reaction_cnp(&qp->reaction, level, now);
	if (trace != NULL)
		fcn_reaction_trace(&qp->reaction, trace, true, false, now);
	endpoint_sender_reacted(ep, qp, now);
}

void
endpoint_notice_trimmed(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	if (ep->conf.trim_reaction == FCN_TRIM_REACTION_CNP && may_act(ep, qp, now))
		react(ep, qp, NULL, now);
}

static void
receive_cnp(struct fcn_endpoint *ep, const uint8_t *frame, const struct fcn_wire_info *info,
		uint64_t now)
{
	struct endpoint_qp *qp;
	struct fcn_cnp cnp;

	if (fcn_cnp_parse(&ep->crc, frame, info, &cnp) != FCN_WIRE_OK) {
		ep->n.rx_malformed++;
		return;
	}
	qp = endpoint_qp_find(ep, cnp.dest_qp);
	if (qp == NULL || !qp->connected || memcmp(cnp.src, qp->to.addr, 16) != 0) {
		ep->n.notice_unknown_qp++;
		return;
	}
	ep->n.cnp_received++;
	report(ep, qp, FCN_ENDPOINT_CNP, cnp.src, now);
	if (may_act(ep, qp, now))
		react(ep, qp, NULL, now);
}

/* Change the UDP source port. Switches that balance load by ports may then use another path. */
static void
detour(struct fcn_endpoint *ep, struct endpoint_qp *qp, uint64_t now)
{
	uint16_t before = qp->to.src_port;

	while (qp->to.src_port == before)
		qp->to.src_port = PORT_DYNAMIC | (fcn_random32(&ep->random) & ~PORT_DYNAMIC);
	endpoint_template_make(ep, qp);
	qp->detour_next_ns = now + ep->conf.detour_hold_ns;
	qp->switch_notices = 0;
	ep->n.detours++;
	endpoint_report(ep, &(struct fcn_endpoint_event){.type = FCN_ENDPOINT_DETOUR,
					    .time_ns = now,
					    .qp = qp->number,
					    .value = qp->to.src_port});
}

static void
count_for_detour(struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t from[16],
		uint64_t now)
{
	if (ep->conf.detour_after == 0)
		return;
	if (memcmp(qp->switch_addr, from, sizeof(qp->switch_addr)) != 0) {
		memcpy(qp->switch_addr, from, sizeof(qp->switch_addr));
		qp->switch_notices = 0;
	}
	if (++qp->switch_notices >= ep->conf.detour_after && now >= qp->detour_next_ns)
		detour(ep, qp, now);
}

static void
accept_fastcnp(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint64_t now)
{
	struct fcn_ioam_trace trace;
	struct fcn_fastcnp notice;
	struct fcn_trimmed_option cut;
	struct endpoint_qp *qp;
	bool traced, returned = endpoint_notice_is_returned(ep, frame, len, info);

	if (fcn_fastcnp_parse(&ep->crc, FCN_ICRC_ANY, frame, len, info, &ep->codes, &notice) !=
					FCN_WIRE_OK ||
			(returned && !fcn_trimmed_option_read(
						     frame, len, info, ep->codes.trimmed, &cut))) {
		ep->n.fastcnp_malformed++;
		return;
	}
	if (fcn_prefix_list_lookup6(ep->access, notice.cnp.src, 0) == 0) {
		ep->n.fastcnp_foreign++;
		return;
	}
	qp = endpoint_qp_by_peer(ep, notice.receiver, notice.cnp.dest_qp);
	if (qp == NULL) {
		ep->n.notice_unknown_qp++;
		return;
	}
	traced = notice.option == 2 && fcn_ioam_trace_parse_type(notice.trace_type, notice.trace,
						       notice.trace_len, &trace) == FCN_WIRE_OK;
	ep->n.fastcnp_accepted++;
	ep->n.fastcnp_trace += traced;
	ep->n.trim_returned += returned;
	report(ep, qp, FCN_ENDPOINT_FASTCNP, notice.cnp.src, now);
	if (memcmp(notice.cnp.src, notice.receiver, 16) == 0)
		ep->n.fastcnp_receiver_made++;
	else
		count_for_detour(ep, qp, notice.cnp.src, now);
	if (returned)
		endpoint_trim_returned(ep, qp, cut.psn, now);
	else if (may_act(ep, qp, now))
		react(ep, qp, traced ? &trace : NULL, now);
}

void
endpoint_notice_receive(struct fcn_endpoint *ep, const uint8_t *frame, uint32_t len,
		const struct fcn_wire_info *info, uint64_t now)
{
	if (!(info->flags & FCN_PKT_FASTCNP)) {
		receive_cnp(ep, frame, info, now);
		return;
	}
	switch (ep->conf.fastcnp) {
	case FCN_FASTCNP_ACCEPT:
		if (ep->conf.trim || !endpoint_notice_is_returned(ep, frame, len, info))
			accept_fastcnp(ep, frame, len, info, now);
		else
			endpoint_refuse(ep, frame, len, info, now);
		break;
	case FCN_FASTCNP_REFUSE:
		endpoint_refuse(ep, frame, len, info, now);
		break;
	case FCN_FASTCNP_IGNORE:
	default:
		ep->n.fastcnp_ignored++;
		break;
	}
}
