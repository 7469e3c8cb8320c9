/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Hosts that report their queue pairs to the switch at their link, by the commands of the program
 * to which hosts report. A host reports those over which it sends, and takes one back when it is
 * closed. A host and the switch at its link are in one part.
 */

#include <arpa/inet.h>
#include <errno.h>

#include "network.h"

/* Seconds; no run takes as long. */
#define LIFETIME 1000000

#define LINE_LEN 256

static const struct lab_host *
sender_conf(const struct lab_network *net, unsigned int flow)
{
	return &net->sc->host[net->sc->flow[flow].from];
}

/* Get the switch at the link of a host that reports. */
static unsigned int
first_switch(const struct lab_network *net, unsigned int host)
{
	unsigned int end = 0;
	const int link = lab_link_of_host(net->sc, host, &end);

	return net->sc->link[link].end[!end].index;
}

/* Tell the switch about the queue pair of a flow: that it is there, or that it is closed. */
static void
tell(struct lab_network *net, unsigned int flow, bool closed, uint64_t now)
{
	const struct lab_host *host = sender_conf(net, flow);
	const struct lab_flow *conf = &net->sc->flow[flow];
	const struct lab_net_flow *f = &net->flow[flow];
	struct lab_net_switch *sw = &net->node_switch[first_switch(net, conf->from)];
	char line[LINE_LEN], from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, net->host[conf->from].addr, from, sizeof(from));
	inet_ntop(AF_INET6, net->host[conf->to].addr, to, sizeof(to));
	if (closed)
		snprintf(line, sizeof(line), "proxy qp learned remove %s %u sender %s host %s", to,
				f->peer_qp, from, host->name);
	else
		snprintf(line, sizeof(line),
				"proxy qp learned add %s %u sender %s sender-qp %u host %s "
				"lifetime %u",
				to, f->peer_qp, from, f->qp, host->name, LIFETIME);
	lab_switch_tell(sw, line, &host->reports_place);
	lab_switch_wake(sw, now);
}

static void
report(void *arg, uint64_t now)
{
	struct lab_net_flow *f = arg;

	f->reported = true;
	tell(f->net, (unsigned int)(f - f->net->flow), false, now);
}

void
lab_report_later(struct lab_network *net, unsigned int flow, uint64_t now)
{
	const struct lab_host *host = sender_conf(net, flow);
	struct lab_part *part = net->host[net->sc->flow[flow].from].part;

	if (host->reports)
		fcn_sim_schedule(part->sim, &net->flow[flow].report, now + host->report_ns);
}

void
lab_report_end(struct lab_network *net, unsigned int flow, uint64_t now)
{
	struct lab_part *part = net->host[net->sc->flow[flow].from].part;
	struct lab_net_flow *f = &net->flow[flow];

	if (!sender_conf(net, flow)->reports)
		return;
	fcn_sim_schedule(part->sim, &f->report, FCN_SIM_NEVER);
	if (f->reported)
		tell(net, flow, true, now);
	f->reported = false;
}

void
lab_reports_again(const struct lab_net_switch *sw, uint64_t now)
{
	struct lab_network *net = sw->net;

	for (unsigned int i = 0; i < net->sc->n_flows; i++) {
		struct lab_net_flow *f = &net->flow[i];

		if (!sender_conf(net, i)->reports || !f->begun || f->closed ||
				first_switch(net, net->sc->flow[i].from) != sw->index)
			continue;
		f->reported = false;
		lab_report_later(net, i, now);
	}
}

int
lab_reports_init(struct lab_network *net)
{
	for (unsigned int i = 0; i < net->sc->n_flows; i++) {
		const struct lab_net_host *from = &net->host[net->sc->flow[i].from];
		struct lab_net_flow *f = &net->flow[i];

		if (!sender_conf(net, i)->reports)
			continue;
		if (fcn_sim_event_init(from->part->sim, &f->report, FCN_SIM_TRAFFIC, report, f) !=
				0)
			return -ENOMEM;
	}
	return 0;
}
