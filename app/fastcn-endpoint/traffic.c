/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>

#include "fcn_random.h"
#include "live_endpoint.h"

/* Number of messages that are posted on a queue pair, so that it always has a next one to send. */
#define AHEAD 2
#define LINGER_NS UINT64_C(100000000)
#define ASKING_NS UINT64_C(1500000000)
#define PORT_DYNAMIC 0xC000
#define P_KEY 0xFFFF

struct live_qp *
live_qp_find(struct live_endpoint *live, uint32_t number)
{
	uint32_t i = number - live->opt.first_qp;

	return number >= live->opt.first_qp && i < live->n_qps ? &live->qp[i] : NULL;
}

static void
count_source(struct live_endpoint *live, const uint8_t addr[16])
{
	unsigned int i = 0;

	while (i < live->n_sources && memcmp(live->source[i].addr, addr, 16) != 0)
		i++;
	if (i == LIVE_SOURCES) {
		live->n.sources_untold++;
		return;
	}
	if (i == live->n_sources) {
		memcpy(live->source[i].addr, addr, 16);
		live->n_sources++;
	}
	live->source[i].notices++;
}

static void
count_repair(struct live_endpoint *live, uint64_t ns)
{
	if (live->repairs == 0 || ns < live->repair_min_ns)
		live->repair_min_ns = ns;
	live->repair_max_ns = RTE_MAX(live->repair_max_ns, ns);
	live->repair_sum_ns += ns;
	live->repairs++;
}

/* The endpoint calls this function, which must not call it back. */
static void
event(void *arg, const struct fcn_endpoint_event *ev)
{
	struct live_endpoint *live = arg;
	struct live_qp *qp = live_qp_find(live, ev->qp);

	if (ev->type == FCN_ENDPOINT_FASTCNP)
		count_source(live, ev->source);
	else if (ev->type == FCN_ENDPOINT_REPAIR)
		count_repair(live, ev->value);
	live->repeated |= ev->type == FCN_ENDPOINT_REPEAT;
	if (qp == NULL)
		return;
	if (ev->type == FCN_ENDPOINT_DELIVER) {
		qp->delivered++;
	} else if (ev->type == FCN_ENDPOINT_COMPLETE) {
		if (qp->posted - qp->complete == AHEAD)
			live->done[live->n_done++] = qp->number;
		qp->complete++;
	}
}

/* Queue pairs are numbered from 2 on; those below the first number stay unused. */
static int
add_qps(struct live_endpoint *live)
{
	const uint32_t last = live->opt.first_qp + live->opt.qps - 1;

	for (uint32_t number = FCN_ENDPOINT_FIRST_QP; number <= last; number++) {
		if (fcn_endpoint_qp_add(live->ep) != (int)number)
			return -1;
		if (number >= live->opt.first_qp)
			live->qp[live->n_qps++].number = number;
	}
	return 0;
}

int
live_traffic_init(struct live_endpoint *live)
{
	memcpy(live->conf.addr, live->opt.addr.addr.bytes, 16);
	live->conf.mac = live->port.mac;
	live->conf.max_qps = live->opt.first_qp - FCN_ENDPOINT_FIRST_QP + live->opt.qps;
	live->conf.seed = live->opt.seed;
	live->conf.event = event;
	live->conf.arg = live;
	live->qp = calloc(live->opt.qps, sizeof(*live->qp));
	live->done = calloc(live->opt.qps, sizeof(*live->done));
	live->ep = fcn_endpoint_create(&live->conf);
	if (live->qp == NULL || live->done == NULL || live->ep == NULL || add_qps(live) != 0) {
		fprintf(stderr, "fastcn-endpoint: cannot create the endpoint: %s\n",
				rte_strerror(live->ep == NULL ? rte_errno : ENOMEM));
		return -1;
	}
	live->phase = live->opt.peer.version != 0 ? LIVE_RESOLVE : LIVE_RUN;
	return 0;
}

void
live_traffic_fini(struct live_endpoint *live)
{
	fcn_endpoint_free(live->ep);
	free(live->qp);
	free(live->done);
}

void
live_traffic_sum(const struct live_endpoint *live, uint64_t *posted, uint64_t *complete,
		uint64_t *delivered)
{
	*posted = *complete = *delivered = 0;
	for (unsigned int i = 0; i < live->n_qps; i++) {
		*posted += live->qp[i].posted;
		*complete += live->qp[i].complete;
		*delivered += live->qp[i].delivered;
	}
}

uint64_t
live_traffic_acked(const struct live_endpoint *live)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < live->n_qps; i++) {
		struct fcn_endpoint_qp_info info;

		if (fcn_endpoint_qp_info(live->ep, live->qp[i].number, &info) == 0)
			sum += info.acked;
	}
	return sum;
}

bool
live_traffic_ok(const struct live_endpoint *live)
{
	uint64_t posted, complete, delivered;

	live_traffic_sum(live, &posted, &complete, &delivered);
	if (live->failed || posted != complete || (live->opt.size != 0 && posted == 0))
		return false;
	return live->opt.messages == 0 || live->opt.duration_ns != 0 ||
	       complete == live->opt.messages * live->opt.qps;
}

/* ---- phases ---- */

static void
say(const char *what, const struct fcn_addr *addr)
{
	char text[FCN_ADDR_STRLEN];

	fflush(stdout);
	fprintf(stderr, "fastcn-endpoint: %s%s\n", what, fcn_addr_format(addr, text, sizeof(text)));
}

static void
give_up(struct live_endpoint *live, const char *what, const struct fcn_addr *addr)
{
	say(what, addr);
	live->failed = true;
	live->phase = LIVE_END;
}

static struct fcn_addr
next_hop(const struct live_options *opt)
{
	bool near = opt->gateway.version == 0 || fcn_prefix_contains(&opt->addr, &opt->peer);

	return near ? opt->peer : opt->gateway;
}

/* Connect queue pair n to queue pair n of the peer. */
static int
connect_all(struct live_endpoint *live, uint64_t now)
{
	struct fcn_random random = {live->opt.seed};
	struct fcn_endpoint_peer peer = {
			.mac = live->nd.hop_mac,
			.p_key = P_KEY,
			.dscp = live->opt.dscp,
			.rate_bps = live->opt.qp_bps,
	};

	memcpy(peer.addr, live->opt.peer.bytes, 16);
	for (unsigned int i = 0; i < live->n_qps; i++) {
		struct live_qp *qp = &live->qp[i];

		if (qp->connected)
			continue; /* the first packet of the peer has connected it already */
		peer.qp = qp->number;
		peer.src_port = PORT_DYNAMIC | (fcn_random32(&random) & ~PORT_DYNAMIC);
		if (fcn_endpoint_qp_connect(live->ep, qp->number, &peer, now) != 0)
			return -1;
		memcpy(qp->peer, peer.addr, 16);
		qp->connected = true;
	}
	return 0;
}

static void
post(struct live_endpoint *live, struct live_qp *qp, uint64_t now)
{
	const struct live_options *opt = &live->opt;

	while (qp->posted - qp->complete < AHEAD &&
			(opt->messages == 0 || qp->posted < opt->messages)) {
		if (fcn_endpoint_post(live->ep, qp->number, opt->size, qp->posted, now) != 0) {
			live->failed = true;
			return;
		}
		qp->posted++;
	}
}

static uint64_t
resolve(struct live_endpoint *live, uint64_t now)
{
	struct fcn_addr hop = next_hop(&live->opt);

	if (!live->nd.wanted) {
		live->begin_ns = now;
		live_nd_want(&live->nd, hop.bytes, now);
	}
	if (live->nd.known) {
		live->phase = LIVE_RUN;
		live->begin_ns = now;
		live->progress_ns = now;
		if (connect_all(live, now) != 0) {
			give_up(live, "queue pairs cannot be connected to ", &live->opt.peer);
			return now;
		}
		for (unsigned int i = 0; live->opt.size != 0 && i < live->n_qps; i++)
			post(live, &live->qp[i], now);
		return now;
	}
	if (!live->asking_reported && now >= live->begin_ns + ASKING_NS) {
		live->asking_reported = true;
		say("still asking who is ", &hop);
	}
	/* Only a sender gives up waiting. A listener may be started long before its peer. */
	if (!live->opt.listen && now >= live->begin_ns + live->opt.wait_ns) {
		give_up(live, "no answer to neighbour solicitations for ", &hop);
		return now;
	}
	return live->opt.listen ? LIVE_NEVER : live->begin_ns + live->opt.wait_ns;
}

static bool
is_complete(const struct live_endpoint *live)
{
	for (unsigned int i = 0; i < live->n_qps; i++)
		if (live->qp[i].posted != live->qp[i].complete)
			return false;
	return true;
}

/* Whether something was acknowledged since the last time. */
static bool
has_progressed(struct live_endpoint *live)
{
	bool any = false;

	for (unsigned int i = 0; i < live->n_qps; i++) {
		struct live_qp *qp = &live->qp[i];
		struct fcn_endpoint_qp_info info;

		if (fcn_endpoint_qp_info(live->ep, qp->number, &info) != 0 ||
				info.acked == qp->acked)
			continue;
		qp->acked = info.acked;
		any = true;
	}
	return any;
}

static void
give_up_unheard(struct live_endpoint *live)
{
	const struct live_options *opt = &live->opt;

	if (live_traffic_acked(live) != 0) {
		give_up(live, "nothing is acknowledged any more by ", &opt->peer);
		return;
	}
	give_up(live, "nothing was acknowledged by ", &opt->peer);
	fprintf(stderr,
			"fastcn-endpoint: check that the peer listens on queue pairs "
			"%u to %u, and that no other sender uses them\n",
			opt->first_qp, opt->first_qp + opt->qps - 1);
}

/* Give up when there was no progress for too long. @return time of the next check, ns */
static uint64_t
watch_progress(struct live_endpoint *live, uint64_t now)
{
	if (live->opt.size == 0)
		return LIVE_NEVER;
	if (now >= live->progress_ns + live->opt.wait_ns) {
		if (!has_progressed(live))
			give_up_unheard(live);
		live->progress_ns = now;
	}
	return live->progress_ns + live->opt.wait_ns;
}

static uint64_t
transfer(struct live_endpoint *live, uint64_t now)
{
	const struct live_options *opt = &live->opt;
	uint64_t end = opt->duration_ns != 0 ? live->begin_ns + opt->duration_ns : LIVE_NEVER;
	uint64_t again = watch_progress(live, now);

	if (live->phase == LIVE_END)
		return now;
	if (live->phase == LIVE_RUN && (now >= end || live->interrupted))
		live->phase = LIVE_DRAIN;
	if (live->interrupted && !live->drain_reported && !is_complete(live)) {
		live->drain_reported = true;
		fprintf(stderr, "fastcn-endpoint: waiting for started messages; a second "
				"signal ends at once\n");
	}
	for (unsigned int i = 0; live->phase == LIVE_RUN && i < live->n_done; i++)
		post(live, live_qp_find(live, live->done[i]), now);
	live->n_done = 0;
	/* A listener continues until --duration is over or a signal arrives. */
	if ((live->phase == LIVE_DRAIN || (opt->messages != 0 && !opt->listen)) &&
			is_complete(live)) {
		live->phase = LIVE_LINGER;
		live->end_ns = now;
		live->linger_ns = now + LINGER_NS;
		return live->linger_ns;
	}
	return RTE_MIN(again, live->phase == LIVE_RUN ? end : LIVE_NEVER);
}

/* Warn when selective-repeat is on at one end only, so that it has no effect. */
static void
check_repeats(struct live_endpoint *live, uint64_t now)
{
	struct fcn_endpoint_counters c;

	live->repeated = false;
	fcn_endpoint_counters(live->ep, &c, RTE_MAX(now, live->ep_now));
	if (c.nak_other_way == 0 || live->other_way_reported)
		return;
	live->other_way_reported = true;
	fprintf(stderr,
			"fastcn-endpoint: selective-repeat is %s here and %s at a "
			"peer, so that all packets from a lost one on are sent again; "
			"set it at both ends or at neither\n",
			live->conf.selective_repeat ? "on" : "off",
			live->conf.selective_repeat ? "off" : "on");
}

uint64_t
live_traffic_run(struct live_endpoint *live, uint64_t now)
{
	if (live->repeated)
		check_repeats(live, now);
	if (live->nd.duplicate && live->phase != LIVE_END)
		give_up(live, "somebody else on the link has ", &live->opt.addr.addr);
	switch (live->phase) {
	case LIVE_RESOLVE:
		if (live->interrupted)
			live->phase = LIVE_END;
		return resolve(live, now);
	case LIVE_RUN:
	case LIVE_DRAIN:
		return transfer(live, now);
	case LIVE_LINGER:
		if (now >= live->linger_ns)
			live->phase = LIVE_END;
		return live->linger_ns;
	case LIVE_END:
	default:
		return now;
	}
}

/*
 * After the first signal, started messages are completed. A second signal ends the program at once.
 */
void
live_traffic_interrupt(struct live_endpoint *live)
{
	if (live->interrupted || live->phase == LIVE_RESOLVE)
		live->phase = LIVE_END;
	live->interrupted = true;
}
