/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "network.h"

/* Messages of an endless flow that are posted at once, so that there is always something to send.
 */
#define ENDLESS_AHEAD 2

#define DONE_ROOM 64

#define FIRST_ENTROPY 0xC000 /* UDP source ports of RoCEv2 are 49152 and above */

static unsigned int
index_of(const struct lab_net_flow *f)
{
	return (unsigned int)(f - f->net->flow);
}

static struct lab_net_host *
sender_of(const struct lab_network *net, const struct lab_flow *flow)
{
	return &net->host[flow->from];
}

static void
fail(struct lab_network *net, const struct lab_flow *flow, const char *what, int rc)
{
	lab_violation(sender_of(net, flow)->part, "flow %s from %s to %s: %s: %s", flow->name,
			net->sc->host[flow->from].name, net->sc->host[flow->to].name, what,
			strerror(-rc));
}

/* Make a queue pair at each end and connect them. @return 0 or a negative errno */
static int
connect_pair(struct lab_network *net, struct lab_net_flow *f, const struct lab_flow *flow,
		uint64_t now)
{
	struct lab_net_host *from = &net->host[flow->from], *to = &net->host[flow->to];
	struct fcn_endpoint_peer there = {
			.p_key = 0xFFFF,
			.dscp = flow->dscp,
			.rate_bps = flow->rate_bps,
			.operation = flow->operation,
	};
	struct fcn_endpoint_peer back = {.p_key = 0xFFFF, .dscp = flow->dscp};
	int a = fcn_endpoint_qp_add(from->ep), b = fcn_endpoint_qp_add(to->ep), rc;

	if (a < 0 || b < 0)
		return a < 0 ? a : b;
	f->qp = a;
	f->peer_qp = b;
	memcpy(there.addr, to->addr, sizeof(there.addr));
	memcpy(back.addr, from->addr, sizeof(back.addr));
	there.mac = lab_host_next_hop(from, to);
	back.mac = lab_host_next_hop(to, from);
	there.qp = b;
	back.qp = a;
	there.src_port = flow->src_port != 0
					 ? flow->src_port
					 : FIRST_ENTROPY | (fcn_random32(&net->random) & 0x3FFF);
	back.src_port = there.src_port;
	lab_measure_flow(net->m, index_of(f), a, b, to->addr);
	rc = fcn_endpoint_qp_connect(to->ep, b, &back, now);
	return rc != 0 ? rc : fcn_endpoint_qp_connect(from->ep, a, &there, now);
}

static void
get_ready(struct lab_network *net, unsigned int i, uint64_t now)
{
	struct lab_net_flow *f = &net->flow[i];

	if (f->ready)
		return;
	f->ready = true;
	f->rc = connect_pair(net, f, &net->sc->flow[i], now);
}

int
lab_flow_connect(struct lab_network *net, unsigned int i, uint64_t now)
{
	struct lab_net_flow *f = &net->flow[i];

	get_ready(net, i, now);
	lab_measure_flow_begins(net->m, i);
	if (f->rc != 0)
		fail(net, &net->sc->flow[i], "connect", f->rc);
	else
		f->begun = true;
	if (f->begun)
		lab_report_later(net, i, now);
	return f->rc;
}

void
lab_flows_get_ready(struct lab_network *net, uint64_t until)
{
	for (; net->next_start < net->sc->n_flows; net->next_start++) {
		const unsigned int i = net->start[net->next_start];

		if (net->sc->flow[i].start_ns > until)
			return;
		get_ready(net, i, net->sc->flow[i].start_ns);
	}
}

void
lab_flow_post(struct lab_network *net, unsigned int i, uint64_t bytes, uint64_t now)
{
	const struct lab_flow *flow = &net->sc->flow[i];
	int rc = fcn_endpoint_post(net->host[flow->from].ep, net->flow[i].qp, bytes, i, now);

	if (rc != 0)
		fail(net, flow, "post", rc);
	net->flow[i].posted++;
}

static void
post(struct lab_network *net, struct lab_net_flow *f, uint64_t now)
{
	lab_flow_post(net, index_of(f), net->sc->flow[index_of(f)].bytes, now);
}

static void
end(struct lab_network *net, struct lab_net_flow *f)
{
	const struct lab_net_host *from = sender_of(net, &net->sc->flow[index_of(f)]);

	if (f->ended)
		return;
	f->ended = true;
	if (f->ends)
		lab_traffic_ended(from->part);
	fcn_sim_schedule(from->part->sim, &f->event, FCN_SIM_NEVER);
}

/* End a flow: close its queue pairs. Its packets that are still in the network belong to no flow.
 */
static void
stop(void *arg, uint64_t now)
{
	struct lab_net_flow *f = arg;
	struct lab_network *net = f->net;
	const struct lab_flow *flow = &net->sc->flow[index_of(f)];

	if (f->ended)
		return;
	lab_flow_sample(net, index_of(f), now);
	fcn_endpoint_qp_close(net->host[flow->from].ep, f->qp);
	fcn_endpoint_qp_close(net->host[flow->to].ep, f->peer_qp);
	f->closed = true;
	if (f->begun)
		lab_report_end(net, index_of(f), now);
	end(net, f);
}

static void
schedule(struct lab_network *net, struct lab_net_flow *f)
{
	const struct lab_flow *flow = &net->sc->flow[index_of(f)];
	const bool more = flow->interval_ns != 0 && f->posted < flow->messages &&
			  f->next_post < flow->stop_ns;

	fcn_sim_schedule(sender_of(net, flow)->part->sim, &f->event,
			more ? f->next_post : FCN_SIM_NEVER);
}

static void
begin(struct lab_network *net, struct lab_net_flow *f, uint64_t now)
{
	const struct lab_flow *flow = &net->sc->flow[index_of(f)];

	if (lab_flow_connect(net, index_of(f), now) != 0) {
		end(net, f);
		return;
	}
	do
		post(net, f, now);
	while (flow->messages == UINT64_MAX && flow->interval_ns == 0 && f->posted < ENDLESS_AHEAD);
	f->next_post = now + flow->interval_ns;
}

/* Process the time event of a flow: it starts, or its next message is due. */
static void
flow_event(void *arg, uint64_t now)
{
	struct lab_net_flow *f = arg;
	struct lab_network *net = f->net;
	const struct lab_flow *flow = &net->sc->flow[index_of(f)];

	if (!f->begun) {
		begin(net, f, now);
	} else {
		post(net, f, now);
		f->next_post += flow->interval_ns;
	}
	if (f->ended)
		return;
	schedule(net, f);
	lab_host_kick(&net->host[flow->from], now);
}

static void
message_done(struct lab_network *net, struct lab_net_flow *f, uint64_t now)
{
	const struct lab_flow *flow = &net->sc->flow[index_of(f)];

	f->complete++;
	if (f->ended)
		return;
	if (flow->messages != UINT64_MAX && f->complete == flow->messages)
		end(net, f);
	else if (flow->interval_ns == 0 && f->posted < flow->messages)
		post(net, f, now);
}

static void
note_done(struct lab_net_host *h, uint32_t flow)
{
	const unsigned int room = RTE_MAX(2 * h->done_room, (unsigned int)DONE_ROOM);
	uint32_t *more;

	if (h->n_done == h->done_room) {
		more = realloc(h->done, room * sizeof(*more));
		if (more == NULL) {
			lab_fail(h->part, "no memory for messages that are complete");
			return;
		}
		h->done = more;
		h->done_room = room;
	}
	h->done[h->n_done++] = flow;
}

void
lab_flow_complete(struct lab_net_host *h, unsigned int flow)
{
	note_done(h, flow);
}

void
lab_flow_arrived(struct lab_net_host *to, uint32_t qp)
{
	int flow = lab_measure_flow_of(to->net->m, to->addr, qp);

	if (flow >= 0 && to->net->sc->flow[flow].goal != 0)
		note_done(to, (uint32_t)flow | LAB_DONE_ARRIVED);
}

void
lab_flows_go_on(struct lab_net_host *h, uint64_t now)
{
	struct lab_network *net = h->net;

	while (h->n_done > 0) {
		uint32_t done = h->done[--h->n_done];
		unsigned int flow = done & ~LAB_DONE_ARRIVED;

		if (net->sc->flow[flow].goal != 0)
			lab_goals_done(net, flow, (done & LAB_DONE_ARRIVED) != 0, now);
		else
			message_done(net, &net->flow[flow], now);
	}
}

void
lab_flow_sample(struct lab_network *net, unsigned int i, uint64_t now)
{
	const struct lab_flow *flow = &net->sc->flow[i];
	const struct lab_net_flow *f = &net->flow[i];
	struct fcn_endpoint_qp_info here = {0}, there = {0};

	if (f->closed)
		return;
	if (f->begun && (fcn_endpoint_qp_info(net->host[flow->from].ep, f->qp, &here) != 0 ||
					fcn_endpoint_qp_info(net->host[flow->to].ep, f->peer_qp,
							&there) != 0))
		return;
	lab_measure_sample(net->m, i, here.posted, here.acked, there.delivered, now);
}

void
lab_flows_sample(struct lab_network *net, uint64_t now)
{
	for (unsigned int i = 0; i < net->sc->n_flows; i++)
		lab_flow_sample(net, i, now);
	lab_measure_sampled(net->m, now);
}

static void
sample(void *arg, uint64_t now)
{
	struct lab_network *net = arg;
	uint64_t next;

	lab_flows_sample(net, now);
	next = lab_measure_sample_time(net->m);
	fcn_sim_schedule(net->sim, &net->sample, next > now ? next : FCN_SIM_NEVER);
}

static int
flow_events(struct lab_network *net, struct lab_net_flow *f, const struct lab_flow *flow)
{
	struct fcn_sim *sim = sender_of(net, flow)->part->sim;

	if (fcn_sim_event_init(sim, &f->event, FCN_SIM_TRAFFIC, flow_event, f) != 0)
		return -ENOMEM;
	fcn_sim_schedule(sim, &f->event, flow->start_ns);
	if (flow->stop_ns == FCN_SIM_NEVER)
		return 0;
	if (fcn_sim_event_init(net->sim, &f->stop, FCN_SIM_ACTION, stop, f) != 0)
		return -ENOMEM;
	fcn_sim_schedule(net->sim, &f->stop, flow->stop_ns);
	return 0;
}

int
lab_flows_init(struct lab_network *net)
{
	const struct lab_scenario *sc = net->sc;

	net->flow = calloc(sc->n_flows + 1, sizeof(net->flow[0]));
	if (net->flow == NULL || fcn_sim_event_init(net->sim, &net->sample, FCN_SIM_ACTION, sample,
						 net) != 0)
		return -ENOMEM;
	for (unsigned int i = 0; i < sc->n_flows; i++) {
		struct lab_net_flow *f = &net->flow[i];
		const struct lab_flow *flow = &sc->flow[i];

		f->net = net;
		if (flow->goal != 0)
			continue; /* goals.c posts its messages */
		f->ends = flow->messages != UINT64_MAX || flow->stop_ns != FCN_SIM_NEVER;
		net->n_ending += f->ends;
		if (flow_events(net, f, flow) != 0)
			return -ENOMEM;
	}
	fcn_sim_schedule(net->sim, &net->sample, lab_measure_sample_time(net->m));
	return 0;
}

void
lab_flows_fini(struct lab_network *net)
{
	free(net->flow);
}
