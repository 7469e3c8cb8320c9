/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The limits of notices, which are the same for all kinds: the minimum interval of the flow, the
 * route, the share of the link, and the token buckets of the congested queue, of the whole kind and
 * of the receiver.
 *
 * The decision about a packet is compiled into the loop of its caller. What the limits read and
 * change for successive packets of one queue is kept between fcn_notify_limits_begin() and
 * fcn_notify_limits_end(), during which the time stands still: the buckets of link, queue and kind
 * are asked once how many tokens they have, and from then on only counted down.
 *
 * State and limits belong to one worker, which makes all calls.
 */

#ifndef FCN_NOTIFY_LIMITS_H
#define FCN_NOTIFY_LIMITS_H

#include "fcn_notify.h"

/**
 * A token bucket in the virtual scheduling form of GCRA (ITU-T I.371), at one time.
 */
struct fcn_notify_gate {
	uint64_t tat;     /**< time at which the bucket is full, now or later */
	uint64_t last;    /**< the latest such time with which there is a token */
	uint64_t cost_ns; /**< nanoseconds for each token; 0: there is no limit */
};

/**
 * A token bucket, and the part of an ingress port in it: see fcn_notify_shares.h. As long as no
 * other port wants notices, the bucket has no parts.
 */
struct fcn_notify_divided {
	struct fcn_notify_gate all;
	struct fcn_notify_gate part;
	bool is_divided;
	/** the latest time at which `all` may be full with which there is a token that is in no
	 * part */
	uint64_t common_last;
	uint64_t burst_ns; /**< time in which the empty bucket fills */
	uint64_t half_ns;  /**< that of the half which is divided into parts */
	bool in_debt;      /**< there is a token as long as the bucket is not in debt */
	/* Where the times are stored at which the bucket and the part are full. */
	uint64_t *tat, *part_tat;
};

/** The limits, while packets of one queue are decided about. Only functions of this file use it. */
struct fcn_notify_limits {
	const struct fcn_notify_conf *conf;
	struct fcn_notify_state *state;
	const struct fcn_notify_place *place;
	uint64_t *count; /**< decisions of this queue, by verdict */
	uint64_t now;
	uint32_t interval_ns;
	enum fcn_notify_verdict refuse; /**< as in `place` */
	/** Notices that link, queue and kind all have tokens for. */
	uint32_t left;
	uint32_t counted; /**< `left` when it was counted */
	/* The link that the notices leave by, FCN_NOTIFY_NO_LINK, or UINT32_MAX: none was asked for
	 * yet; and the length of their frames. */
	uint32_t port;
	uint32_t len;
	uint32_t in_port; /**< the ingress port of the packets, of which the parts are asked for */
	struct fcn_limit_cache_rate receiver; /**< of each receiver behind this link */
	uint32_t n;                           /**< packets about which it is decided at most */
	struct fcn_notify_divided link;
	struct fcn_notify_divided queue;
	struct fcn_notify_divided global;
};

/** The route of a notice. */
struct fcn_notify_found {
	uint8_t reach;             /**< enum fcn_notify_reach; without one, nothing else is set */
	struct fcn_notify_way way; /**< by which link the notice leaves */
	/* What the caller needs to know; not used by the limits. */
	uint32_t next_hop;
	const struct fcn_next_hop *framed;
};

/** Find the route of a notice. @param arg of fcn_notify_limit() */
typedef struct fcn_notify_found fcn_notify_find_fn(void *arg, const struct fcn_notify_case *c);

/**
 * Begin to decide about packets of one queue.
 *
 * @param l   written
 * @param now nanoseconds; never less than in an earlier call
 * @param n   number of packets, at least 1
 */
void fcn_notify_limits_begin(struct fcn_notify_limits *l, const struct fcn_notify_conf *conf,
		struct fcn_notify_state *state, const struct fcn_notify_place *place, uint64_t now,
		unsigned int n);

/** Write back what the limits have become. Until then, only fcn_notify_limit() may use them. */
void fcn_notify_limits_end(struct fcn_notify_limits *l);

/** Load the limits of another link, for notices of another length, or about packets of another
 * ingress port. @param len bytes of a notice from the Ethernet header on */
void fcn_notify_limits_enter(
		struct fcn_notify_limits *l, uint32_t port, uint32_t len, uint16_t in_port);

/** Find out which of link, queue and kind has no token. */
enum fcn_notify_verdict fcn_notify_limits_empty(struct fcn_notify_limits *l);

/**
 * Take a token of the bucket of the receiver of a notice that is another node in place of the
 * sender, and of the bucket of the sender. If one has none, none is taken.
 *
 * @return FCN_NOTIFY_NONE, or which bucket had none
 */
enum fcn_notify_verdict fcn_notify_limits_take_in_place(
		struct fcn_notify_limits *l, const struct fcn_notify_case *c);

/**
 * Apply the limits to a packet about which a notice is due. When one limit refuses, no token of
 * another is taken. Therefore all limits that can be read without a change are checked first, then
 * the buckets by address, which take their tokens at once, and only then the tokens of the others
 * are taken.
 *
 * @param find  called only when the minimum interval has passed. It is compiled into this function
 * @param arg   argument of find()
 * @param found written if find() was called: its result
 * @param c     its form and length become those of the notice
 * @return FCN_NOTIFY_SENT plus the form of the notice, or the limit that refuses it
 */
static __rte_always_inline enum fcn_notify_verdict
fcn_notify_limit(struct fcn_notify_limits *l, struct fcn_notify_case *c, fcn_notify_find_fn *find,
		void *arg, struct fcn_notify_found *found)
{
	enum fcn_notify_verdict why;
	uint32_t len, *time;

	if (!fcn_limit_cache_interval_check(c->flow_set, c->flow, l->now, l->interval_ns, &time))
		return FCN_NOTIFY_INTERVAL;
	if (unlikely(l->refuse != FCN_NOTIFY_NONE))
		return l->refuse;
	*found = find(arg, c);
	if (unlikely(found->reach != FCN_NOTIFY_REACH_ALL)) {
		if (found->reach == FCN_NOTIFY_REACH_NONE)
			return FCN_NOTIFY_UNREACHABLE;
		c->due.len = c->due.edge_len;
		c->due.form = c->due.edge_form;
	}
	len = (uint32_t)found->way.head + c->due.len;
	if (unlikely(found->way.port != l->port || len != l->len || c->in_port != l->in_port))
		fcn_notify_limits_enter(l, found->way.port, len, c->in_port);
	if (unlikely(l->left == 0))
		return fcn_notify_limits_empty(l);
	if (unlikely(c->sender_set == NULL)) {
		why = fcn_notify_limits_take_in_place(l, c);
		if (why != FCN_NOTIFY_NONE)
			return why;
	} else if (l->receiver.cost_ns != 0 && !fcn_limit_cache_bucket_ahead(c->sender_set,
							       c->sender, l->now, &l->receiver)) {
		return FCN_NOTIFY_BUCKET_DESTINATION;
	}
	l->left--;
	if (unlikely(fcn_limit_cache_interval_grant(
			    c->flow_set, c->flow, time, l->now, l->interval_ns)))
		l->state->forgotten++;
	return FCN_NOTIFY_SENT + c->due.form;
}

/** Decide about a packet that was prepared, and count the decision. The parameters are those of
 * fcn_notify_limit(). */
static __rte_always_inline enum fcn_notify_verdict
fcn_notify_verdict_of(struct fcn_notify_limits *l, struct fcn_notify_case *c,
		fcn_notify_find_fn *find, void *arg, struct fcn_notify_found *found)
{
	enum fcn_notify_verdict verdict = c->due.reason;

	if (likely(verdict == FCN_NOTIFY_NONE))
		verdict = fcn_notify_limit(l, c, find, arg, found);
	l->count[verdict]++;
	return verdict;
}

/** Check whether a decision replaces the CE mark of the packet. */
static inline bool
fcn_notify_replaces_mark(const struct fcn_notify_case *c, enum fcn_notify_verdict verdict)
{
	return c->due.replaces_mark && fcn_notify_verdict_is_told(verdict);
}

#endif /* FCN_NOTIFY_LIMITS_H */
