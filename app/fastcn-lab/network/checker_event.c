/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The events of a switch about its notices, compared with the packets at its ports. */

#include <inttypes.h>
#include <string.h>

#include "fcn_notice_cnm.h"
#include "fcn_notice_endcon.h"
#include "network.h"
#include "checker_private.h"

const char *
lab_checker_name(const struct lab_net_switch *sw)
{
	return sw->net->sc->node_switch[sw->index].name;
}

bool
lab_checker_is_loopback(const struct lab_network *net, const uint8_t *addr)
{
	for (unsigned int i = 0; i < net->sc->n_switches; i++) {
		if (memcmp(fcn_control_config(net->node_switch[i].ctl)->loopback.bytes, addr, 16) ==
				0)
			return true;
	}
	return false;
}

const struct fcn_fastcnp_kind_conf *
lab_checker_conf(const struct lab_net_switch *sw, unsigned int kind)
{
	const void *own = fcn_control_worker(sw->ctl, 0)->snap->notify.kind[kind].own;

	return kind == FCN_NOTICE_ENDCON ? &((const struct fcn_notice_endcon_conf *)own)->fast_cnp
					 : own;
}

static bool
is_about(const struct sighting *s, const struct fcn_event *ev, bool leaving)
{
	return s->dest_qp == ev->dest_qp &&
	       (leaving ? s->out_port == ev->port : s->in_port == ev->in_port) &&
	       memcmp(s->sender, ev->sender, sizeof(s->sender)) == 0 &&
	       memcmp(s->receiver, ev->receiver, sizeof(s->receiver)) == 0;
}

/* Check whether a queue marks the packet of an event, unless a notice replaces the mark. */
static bool
is_to_mark(const struct lab_net_switch *sw, const struct fcn_event *ev)
{
	const struct fcn_snapshot *snap = fcn_control_worker(sw->ctl, 0)->snap;
	const struct fcn_queue_conf *q = &snap->port[ev->port].egress.queue[ev->class];

	return q->policy.ecn && ev->level >= q->policy.mark_level &&
	       ev->occupancy >= q->policy.mark_bytes;
}

/*
 * The same for a message to a proxy. Whether the proxy gets through to the sender is not known, so
 * the packet is marked as well, unless a notice of another kind replaces the mark.
 */
static enum look
look_of_cnm(const struct lab_net_switch *sw, const struct fcn_event *ev)
{
	const struct fcn_notices_conf *notify = &fcn_control_worker(sw->ctl, 0)->snap->notify;
	const struct fcn_notice_cnm_conf *conf = notify->kind[FCN_NOTICE_CNM].own;

	if (!conf->mark_unknown)
		return LOOK_NOT_CE;
	return notify->on == 1u << FCN_NOTICE_CNM && is_to_mark(sw, ev) ? LOOK_CE : LOOK_ANY;
}

static enum look
look_of_fast_cnp(const struct lab_net_switch *sw, const struct fcn_event *ev)
{
	const struct fcn_fastcnp_kind_conf *fastcnp = lab_checker_conf(sw, ev->kind);
	enum fcn_sender_capability cap = fastcnp->default_capability;

	if (fastcnp->senders != NULL)
		cap = fcn_prefix_list_lookup6(fastcnp->senders, ev->sender, cap);
	if (cap == FCN_SENDER_NONE)
		lab_violation(sw->part, "%s: a notice to a sender that does not understand it",
				lab_checker_name(sw));
	if (cap == FCN_SENDER_UNKNOWN && fastcnp->mark_unknown && is_to_mark(sw, ev))
		return LOOK_CE;
	return LOOK_NOT_CE;
}

/* Tell how the packet of an event leaves. */
static enum look
look_of(const struct lab_net_switch *sw, const struct fcn_event *ev)
{
	if (ev->kind == FCN_NOTICE_CNM)
		return look_of_cnm(sw, ev);
	/* Every sender understands CNPs. */
	return ev->kind == FCN_NOTICE_CNP ? LOOK_NOT_CE : look_of_fast_cnp(sw, ev);
}

/* Find the packet of this turn that an event is about, when there is only one candidate. */
static void
find_cause(struct lab_net_switch *sw, const struct fcn_event *ev)
{
	const struct fcn_snapshot *snap = fcn_control_worker(sw->ctl, 0)->snap;
	const struct fcn_queue_conf *q = &snap->port[ev->port].egress.queue[ev->class];
	const bool leaving = q->detector.at_dequeue;
	const struct sightings *list = leaving ? &sw->checker->out : &sw->checker->in;
	const uint64_t left = fcn_control_worker(sw->ctl, 0)->arn_held.left_packets;
	enum look look = look_of(sw, ev);
	struct sighting *cause = NULL;
	unsigned int n = 0;

	/* It may be about a packet that came earlier, and was held until this turn. */
	if (left != sw->checker->left_seen)
		return;
	/* Messages to proxies are about all flows, also those of packets that have no queue pair,
	 * such as packets of RoCEv2 that a link has corrupted. Only packets of queue pairs are
	 * known. */
	if (ev->kind == FCN_NOTICE_CNM && ev->dest_qp == 0)
		return;
	for (unsigned int i = 0; i < list->n; i++) {
		if (!is_about(list->item[i], ev, leaving))
			continue;
		cause = list->item[i];
		n++;
	}
	if (n == 0 && !leaving)
		lab_violation(sw->part, "%s: a notice about a packet that did not come",
				lab_checker_name(sw));
	if (n != 1)
		return;
	/* Of several notices about a packet, one suffices to replace the mark. What a proxy marks
	 * has nothing to do with this switch's congestion. */
	if (look == LOOK_NOT_CE && snap->proxy.receive)
		look = LOOK_ANY;
	if (cause->look == LOOK_NOT_CE || look == LOOK_ANY)
		return;
	cause->look = look;
	cause->look_port = ev->port;
}

/*
 * Find the time of the last notice about the flow of an event.
 *
 * @return NULL when it is not a flow of the scenario
 */
static const uint64_t *
last_notice_sent(struct lab_net_switch *sw, const struct fcn_event *ev, const char **name)
{
	const struct lab_network *net = sw->net;
	int flow = lab_measure_flow_of(net->m, ev->receiver, ev->dest_qp);

	*name = "of a generator";
	if (flow < 0)
		return lab_generator_notified_at(sw, ev);
	if (memcmp(net->host[net->sc->flow[flow].from].addr, ev->sender, 16) != 0)
		return NULL;
	*name = net->sc->flow[flow].name;
	return &sw->checker->kind[ev->kind].notified[flow];
}

/*
 * Count the flows that the switch has forgotten since its restart, also if its counters were
 * cleared meanwhile.
 */
static uint64_t
forgotten(struct lab_net_switch *sw, unsigned int kind)
{
	const uint64_t now = fcn_control_worker(sw->ctl, 0)->notify[kind].forgotten;
	struct kind_check *k = &sw->checker->kind[kind];

	k->forgotten += now >= k->forgotten_seen ? now - k->forgotten_seen : now;
	k->forgotten_seen = now;
	return k->forgotten;
}

/*
 * Check the interval between two notices of a kind about a flow. For each forgotten flow, one
 * notice may come before the interval has passed.
 */
static void
check_interval(struct lab_net_switch *sw, const struct fcn_event *ev)
{
	const struct fcn_notify_conf *conf =
			&fcn_control_worker(sw->ctl, 0)->snap->notify.kind[ev->kind];
	int flow = lab_measure_flow_of(sw->net->m, ev->receiver, ev->dest_qp);
	const char *name;
	const uint64_t *last = last_notice_sent(sw, ev, &name);

	if (last == NULL)
		return;
	if (*last != FCN_TIME_NEVER && !sw->late && ev->time_ns - *last < conf->interval_ns &&
			++sw->checker->kind[ev->kind].early > forgotten(sw, ev->kind))
		lab_violation(sw->part,
				"%s: flow %s is notified %" PRIu64
				" ns after it was, the interval is %" PRIu32,
				lab_checker_name(sw), name, ev->time_ns - *last, conf->interval_ns);
	if (flow >= 0)
		sw->checker->kind[ev->kind].notified[flow] = ev->time_ns;
}

void
lab_checker_event(struct lab_net_switch *sw, const struct fcn_event *ev)
{
	if (ev->type != FCN_EVENT_NOTICE || !fcn_notify_verdict_is_sent(ev->verdict))
		return;
	if (lab_checker_is_loopback(sw->net, ev->sender))
		lab_violation(sw->part, "%s: a notice about a packet of a switch",
				lab_checker_name(sw));
	/* The packet and the configuration of an event that is read late may not exist any more. */
	if (!sw->late)
		find_cause(sw, ev);
	check_interval(sw, ev);
}

static void
check_look(const struct lab_net_switch *sw, const struct sighting *s)
{
	const char *port = fcn_control_config(sw->ctl)->port[s->out_port].name;

	if (s->look == LOOK_ANY || s->look_port != s->out_port || s->ecn_in == ECN_CE)
		return;
	if (s->look == LOOK_NOT_CE && s->ecn_out == ECN_CE)
		lab_violation(sw->part,
				"%s: a packet leaves by port %s with CE, whose sender was notified",
				lab_checker_name(sw), port);
	/* A tunnel whose ingress writes Not-ECT cannot be marked. */
	if (s->look == LOOK_CE && s->ecn_in != 0 && s->ecn_out != ECN_CE &&
			!(s->tunnel_out && s->ecn_out == 0))
		lab_violation(sw->part,
				"%s: a packet leaves by port %s without CE, whose sender may not "
				"have understood a notice",
				lab_checker_name(sw), port);
}

void
lab_checker_turn(struct lab_net_switch *sw)
{
	struct lab_checker *w = sw->checker;

	for (unsigned int i = 0; i < w->out.n; i++)
		check_look(sw, w->out.item[i]);
	w->in.n = 0;
	w->out.n = 0;
	w->left_seen = fcn_control_worker(sw->ctl, 0)->arn_held.left_packets;
	/* the counts are read before the counters are cleared */
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++)
		forgotten(sw, k);
}
