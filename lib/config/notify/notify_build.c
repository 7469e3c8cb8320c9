/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build what all kinds of notices have in common, and their limits. */

#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_time.h>

#include "build_parts.h"

/* Check that the time in which a bucket fills has at most 31 bits, in nanoseconds. */
static int
check_bucket(const struct fcn_config_bucket *b, const char *what, char *err, size_t size)
{
	if (b->rate != 0 && b->rate != FCN_AUTO64 &&
			(uint64_t)fcn_build_cost_ns(b) * b->burst >= 1u << 31)
		return fcn_build_fail(err, size,
				"notify %s bucket: %u tokens at %" PRIu64
				" a second take longer than 2.1 s to fill",
				what, b->burst, b->rate);
	return 0;
}

/*
 * The share of a link. The burst is short, as other packets wait for it: of notices about
 * congestion it is 50 us of the link with a share of 10 %, of trimmed packets and notices about
 * them, of which there may be any number, 5 us with any share. On a slow link it has to be enough
 * for some of them.
 */
#define LINK_BURST_NS 500000
#define TRIM_BURST_NS 5000 /* of the line */
#define LINK_BURST_OCTETS 10000

static struct fcn_notify_link
share_of(uint64_t share, unsigned int n_workers, uint64_t bps, uint64_t burst_ns)
{
	const unsigned __int128 unit = (unsigned __int128)1 << FCN_NOTIFY_LINK_SHIFT;
	const unsigned __int128 rate = (unsigned __int128)bps * share; /* in billionths */
	struct fcn_notify_link out = {0};
	unsigned __int128 cost;

	if (rate == 0)
		return out;
	/* Each worker has an equal part. This is rounded up, since the share is a limit. */
	cost = (8 * (unsigned __int128)NS_PER_S * RTE_MAX(n_workers, 1u) * FCN_RATIO_ONE * unit +
			       rate - 1) /
	       rate;
	out.cost = cost < FCN_NOTIFY_LINK_MAX_COST ? (uint64_t)cost : FCN_NOTIFY_LINK_MAX_COST;
	out.burst_ns = RTE_MAX(burst_ns, out.cost * LINK_BURST_OCTETS >> FCN_NOTIFY_LINK_SHIFT);
	return out;
}

struct fcn_notify_link
fcn_build_trim_share(uint64_t share, unsigned int n_workers, uint64_t bps)
{
	return share_of(share, n_workers, bps,
			share != 0 ? (uint64_t)TRIM_BURST_NS * FCN_RATIO_ONE / share : 0);
}

static void
set_port_limits(const struct fcn_config *cfg, unsigned int n_workers, const struct fcn_snapshot *s,
		struct fcn_notice_common *out)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		struct fcn_config_bucket receiver;

		if (!fcn_config_has_link(cfg, p))
			continue;
		receiver = fcn_build_receiver_bucket(cfg, n_workers, s->port[p].link_bps);
		out->receiver[p] = (struct fcn_notify_bucket){
				fcn_build_cost_ns(&receiver), receiver.burst};
		out->link[p] = share_of(cfg->notify.link_share, n_workers, s->port[p].link_bps,
				LINK_BURST_NS);
		out->loss_link[p] = fcn_build_trim_share(
				cfg->trim.link_share, n_workers, s->port[p].link_bps);
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_config_bucket b = fcn_build_queue_bucket(
					cfg, n_workers, p, c, s->port[p].link_bps);

			out->queue[p][c] = (struct fcn_notify_bucket){
					fcn_build_cost_ns(&b), b.burst};
		}
	}
}

/* Give each port a part in the buckets of notices, in turn, and its sub-interfaces the same. */
static void
set_parts(const struct fcn_config *cfg, struct fcn_notice_common *out)
{
	unsigned int n = 0;

	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (cfg->port[p].name[0] != '\0' && !fcn_config_is_sub_interface(cfg, p))
			out->part[p] = (uint8_t)(n++ % FCN_NOTIFY_SHARES);
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_sub_interface(cfg, p))
			out->part[p] = out->part[cfg->port[p].parent];
	}
}

static void
set_limits(const struct fcn_config *cfg, unsigned int n_workers, struct fcn_notify_conf *out)
{
	const struct fcn_config_notify *n = &cfg->notify;
	/* What leaves by no link has the least. */
	const struct fcn_config_bucket receiver = fcn_build_receiver_bucket(cfg, n_workers, 0);

	out->recent_ns = (uint32_t)cfg->host.notice_recent_ns;
	if (out->kind->about_loss)
		return;
	out->interval_ns = n->interval_ns;
	/* Each worker has an equal part of the rate for all notices. */
	out->global_cost_ns = (uint64_t)fcn_build_cost_ns(&n->global_bucket) *
			      RTE_MAX(n_workers, 1u);
	out->global_burst = n->global_bucket.burst;
	out->dest_cost_ns = fcn_build_cost_ns(&receiver);
	out->dest_burst = receiver.burst;
	out->source = (struct fcn_notify_bucket){
			fcn_build_cost_ns(&n->source_bucket), n->source_bucket.burst};
}

/* Build the list of END.CON SIDs of the switch itself, at which its own tunnels begin. */
static int
build_own_endcon(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_notice_common *out, char *err, size_t size)
{
	struct fcn_prefix_value *v;
	char name[32];
	size_t n = 0;

	if (cfg->srv6.sids.n == 0)
		return 0;
	v = rte_calloc("fcn_own_endcon", cfg->srv6.sids.n, sizeof(*v), 0);
	if (v == NULL)
		return fcn_build_fail(err, size, "out of memory");
	for (size_t i = 0; i < cfg->srv6.sids.n; i++) {
		if (cfg->srv6.sids.item[i].behavior == FCN_SRV6_END_CON)
			v[n++] = (struct fcn_prefix_value){cfg->srv6.sids.item[i].prefix, 1};
	}
	snprintf(name, sizeof(name), "%s_own%u", env->name, (unsigned int)(env->generation % 2));
	if (n > 0)
		out->own_endcon = fcn_prefix_list_create(name, v, n, env->socket);
	rte_free(v);
	return n > 0 && out->own_endcon == NULL
			       ? fcn_build_fail(err, size, "srv6 sid: out of memory")
			       : 0;
}

/* Say that queues of a port with notices on never cause any. @return whether it has such with a
 * detector or without */
static bool
warn_of_port(const struct fcn_config *cfg, unsigned int p, struct fcn_warnings *warnings)
{
	const struct fcn_config_port *port = &cfg->port[p];
	unsigned int on = 0, blind = 0;
	char place[FCN_WARNING_PLACE];

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (!port->queue[c].policy.notify)
			continue;
		on |= 1u << c;
		if (port->queue[c].detector.type == FCN_DETECTOR_OFF)
			blind |= 1u << c;
	}
	snprintf(place, sizeof(place), "port %s", port->name);
	if (blind != 0)
		fcn_warn(warnings, FCN_WARNING_NOTICES, p, place,
				"%d of its queues with notices on have no congestion detector: set "
				"queue %s class %d detector step",
				__builtin_popcount(blind), port->name, __builtin_ctz(blind));
	return on != 0;
}

static void
warn(const struct fcn_config *cfg, struct fcn_warnings *warnings)
{
	bool any = false;

	for (unsigned int p = 0; p < cfg->n_ports; p++)
		any |= cfg->port[p].name[0] != '\0' && warn_of_port(cfg, p, warnings);
	if (any && cfg->notify.on == 0)
		fcn_warn(warnings, FCN_WARNING_NOTICES, FCN_MAX_PORTS, "notify",
				"queues have notices on, and no kind of notice is: set notify "
				"fast-cnp on");
}

int
fcn_build_notify(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	static int (*const build[])(const struct fcn_config *, const struct fcn_build_env *,
			struct fcn_snapshot *, char *, size_t) = {
#define BUILD(sym, name) fcn_build_notice_##name,
			FCN_NOTICE_KINDS(BUILD)
#undef BUILD
	};
	const struct fcn_config_notify *n = &cfg->notify;
	struct fcn_notices_conf *out = &s->notify;

	if (check_bucket(&n->queue_bucket, "queue", err, size) != 0 ||
			check_bucket(&n->global_bucket, "global", err, size) != 0 ||
			check_bucket(&n->dest_bucket, "destination", err, size) != 0 ||
			check_bucket(&n->source_bucket, "source", err, size) != 0)
		return -1;
	out->on = n->on;
	out->on_loss = fcn_config_notices_on(cfg) & ~n->on;
	out->n_kinds = fcn_notice_kind_count;
	memcpy(out->common.source, cfg->loopback.bytes, sizeof(out->common.source));
	out->common.dscp = n->dscp;
	out->common.hop_limit = n->hop_limit;
	out->common.icrc_mode = n->icrc;
	out->common.class = n->class;
	out->common.entropy = n->entropy;
	out->common.receiver_by_link = n->dest_bucket.rate == FCN_AUTO64;
	set_parts(cfg, &out->common);
	set_port_limits(cfg, env->n_workers, s, &out->common);
	if (build_own_endcon(cfg, env, &out->common, err, size) != 0)
		return -1;
	for (unsigned int k = 0; k < out->n_kinds; k++) {
		out->kind[k].kind = fcn_notice_kinds[k];
		out->kind[k].common = &out->common;
		set_limits(cfg, env->n_workers, &out->kind[k]);
		if (build[k](cfg, env, s, err, size) != 0)
			return -1;
	}
	warn(cfg, env->warnings);
	return 0;
}

void
fcn_build_notify_free(struct fcn_snapshot *s)
{
	for (unsigned int k = 0; k < s->notify.n_kinds; k++) {
		if (s->notify.kind[k].kind != NULL)
			s->notify.kind[k].kind->free(s->notify.kind[k].own);
	}
	fcn_prefix_list_free(s->notify.common.own_endcon);
}
