/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The decision about a notice of a kind that is about lost packets. There is one about each such
 * packet, so neither an interval nor a bucket limits it, but a share of the link that it leaves by,
 * of which each ingress port has its part.
 *
 * The decision is compiled into its caller. State and limits belong to one worker, which makes all
 * calls.
 */

#ifndef FCN_NOTIFY_LOST_H
#define FCN_NOTIFY_LOST_H

#include "fcn_notify_limits.h"

/**
 * Decide about a packet that the kind has prepared, and count the decision.
 *
 * @param stats of the queue that has lost the packet
 * @param c     in_port is the port of which the part is asked for; the form and length become those
 *              of the notice
 * @param find  compiled into this function
 * @param arg   argument of find()
 * @param found written if find() was called: its result
 * @param links by egress port
 * @param refuse FCN_NOTIFY_NONE, or the reason for which the worker makes no notice
 * @return FCN_NOTIFY_SENT plus the form of the notice, or why there is none
 */
static __rte_always_inline enum fcn_notify_verdict
fcn_notify_lost(const struct fcn_notify_conf *conf, struct fcn_notify_state *state,
		struct fcn_notify_case *c, fcn_notify_find_fn *find, void *arg,
		struct fcn_notify_found *found, struct fcn_notify_link_shares *links,
		enum fcn_notify_verdict refuse, uint64_t now)
{
	uint32_t *time;

	if (unlikely(c->due.reason != FCN_NOTIFY_NONE))
		return c->due.reason;
	if (unlikely(refuse != FCN_NOTIFY_NONE))
		return refuse;
	*found = find(arg, c);
	if (unlikely(found->reach != FCN_NOTIFY_REACH_ALL)) {
		if (found->reach == FCN_NOTIFY_REACH_NONE)
			return FCN_NOTIFY_UNREACHABLE;
		c->due.len = c->due.edge_len;
		c->due.form = c->due.edge_form;
	}
	if (found->way.port != FCN_NOTIFY_NO_LINK &&
			!fcn_notify_link_take(&conf->common->loss_link[found->way.port],
					&links[found->way.port], conf->common->part[c->in_port],
					(uint32_t)found->way.head + c->due.len, now))
		return FCN_NOTIFY_BUCKET_LINK;
	/* A message that refuses the notice is believed for a while. */
	fcn_limit_cache_interval_check(c->flow_set, c->flow, now, 0, &time);
	if (unlikely(fcn_limit_cache_interval_grant(c->flow_set, c->flow, time, now, 0)))
		state->forgotten++;
	state->has_entries = true;
	return FCN_NOTIFY_SENT + c->due.form;
}

#endif /* FCN_NOTIFY_LOST_H */
