/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What would become of a packet: fcn_control_explain() in words. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_source_check.h"
#include "show_private.h"

/* How the way of the packet ends. */
enum outcome {
	FORWARDED, /* it comes to a class queue, or copies of it do */
	TRIMMED,   /* its headers do */
	DROPPED,
	HELD,      /* it waits, because a downstream switch has asked to halt its flow */
	DELIVERED, /* it is for the switch itself, or left to its host functions */
};

static const char *const outcomes[] = {"forwarded", "trimmed", "dropped", "held", "delivered"};

/* A packet, and what is known of its way. */
struct way {
	const struct fcn_control *ctl;
	const struct fcn_explanation *ex;
	const struct fcn_trace_record *record;
	const struct fcn_packet *last;     /* after the last stage */
	const struct fcn_packet *routed;   /* after its last stage `route`; NULL: it has none */
	const struct fcn_packet *enqueued; /* at its class queue; NULL: it comes to none */
	enum outcome outcome;
};

static enum outcome
outcome_of(const struct way *way, const struct fcn_trace_step *last)
{
	if (last->pkt.drop != FCN_DROP_NONE)
		return DROPPED;
	if (last->stage == FCN_STAGE_HOLD)
		return HELD;
	if (last->stage == FCN_STAGE_ENQUEUE && fcn_packet_is_trimmed_here(&last->pkt))
		return TRIMMED;
	/* Of a packet for all ports, each may get a copy, and the packet itself goes nowhere. */
	return last->stage == FCN_STAGE_ENQUEUE || way->ex->n_outputs != 0 ? FORWARDED : DELIVERED;
}

static struct way
way_of(const struct fcn_control *ctl, const struct fcn_explanation *ex)
{
	struct way way = {.ctl = ctl, .ex = ex, .record = &ex->trace->record[0]};

	for (unsigned int i = 0; i < way.record->n_steps; i++) {
		const struct fcn_trace_step *step = &way.record->step[i];

		way.last = &step->pkt;
		if (step->stage == FCN_STAGE_ROUTE)
			way.routed = &step->pkt;
		if (step->stage == FCN_STAGE_ENQUEUE)
			way.enqueued = &step->pkt;
		way.outcome = outcome_of(&way, step);
	}
	return way;
}

/* ---- the route ---- */

/* Get the destination of a packet from its first bytes. @return false: it is not IP */
static bool
destination_of(const uint8_t *bytes, uint32_t n, uint32_t len, struct fcn_addr *dst)
{
	struct fcn_wire_info info;
	uint32_t off;

	fcn_parse_slow(bytes, n, RTE_MAX(len, n), &fcn_parse_default_codes, &info);
	if (info.l3_off == 0 || !(info.flags & (FCN_PKT_IPV4 | FCN_PKT_IPV6)))
		return false;
	*dst = (struct fcn_addr){.version = info.flags & FCN_PKT_IPV4 ? 4 : 6};
	off = info.l3_off + (dst->version == 4 ? 16u : 24u);
	if (off + (dst->version == 4 ? 4u : 16u) > n)
		return false;
	memcpy(dst->bytes, bytes + off, dst->version == 4 ? 4 : 16);
	return true;
}

/* Get what the packet was looked up by: what it was received with, unless a local SID has changed
 * it. */
static bool
looked_up(const struct way *way, struct fcn_addr *dst)
{
	if (way->routed->flags & FCN_PACKET_REROUTE)
		return destination_of(way->ex->queued, way->ex->n_queued, way->ex->len, dst);
	return destination_of(way->record->bytes, way->record->n_bytes, way->record->len, dst);
}

static unsigned int
prefix_len(const json_t *route)
{
	const char *prefix = json_string_value(json_object_get(route, "prefix"));
	const char *slash = prefix != NULL ? strchr(prefix, '/') : NULL;

	return slash != NULL ? (unsigned int)strtoul(slash + 1, NULL, 10) : 0;
}

/* The routes of the longest prefix that contains a destination: one for each equal path. */
static json_t *
matching_routes(struct fcn_control *ctl, unsigned int table, const struct fcn_addr *dst)
{
	const struct fcn_prefix host = {.addr = *dst, .len = dst->version == 4 ? 32 : 128};
	const struct fcn_route_query query = {
			.table = (int)table, .prefix = &host, .limit = UINT64_MAX};
	json_t *all = fcn_show_some_routes(ctl, &query), *best = json_array(), *route;
	unsigned int longest = 0;
	size_t i;

	json_array_foreach (all, i, route)
		longest = RTE_MAX(longest, prefix_len(route));
	json_array_foreach (all, i, route) {
		if (prefix_len(route) == longest)
			json_array_append(best, route);
	}
	json_decref(all);
	return best;
}

/* Find the path of a group that the packet takes. */
static void
set_member(json_t *o, const struct fcn_snapshot *s, const struct fcn_next_hop *group,
		uint32_t next_hop)
{
	unsigned int i = 0;

	if (group->type != FCN_NEXT_HOP_GROUP)
		return;
	while (i < group->n_members && s->member[group->first_member + i] != next_hop)
		i++;
	if (i == group->n_members)
		return;
	fcn_show_set(o, "member", i + 1);
	fcn_show_set(o, "members", group->n_members);
}

/* The next hop of the packet, and which of equal paths it is. */
static json_t *
next_hop(const struct way *way, unsigned int table, const struct fcn_addr *dst)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(way->ctl);
	const struct fcn_next_hop *nh = &s->next_hop[way->routed->next_hop];
	const struct fcn_snapshot_table *t = &s->table[table];
	json_t *o;

	if (way->routed->next_hop >= s->n_next_hops || t->fib == NULL ||
			!fcn_next_hop_is_forward(nh))
		return json_null();
	o = json_object();
	fcn_show_set_str(o, "interface", fcn_show_port_name(way->ctl, nh->interface));
	json_object_set_new(o, "mac", fcn_show_mac(&nh->l2.dst_addr));
	if (nh->type == FCN_NEXT_HOP_FORWARD_TAGGED)
		fcn_show_set(o, "vlan", nh->vlan);
	set_member(o, s, &s->next_hop[fcn_route_look_up(t, t->normal, dst->version, dst->bytes)],
			way->routed->next_hop);
	return o;
}

static void
show_route(struct fcn_control *ctl, const struct way *way, json_t *o)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	struct fcn_addr dst;
	unsigned int table;

	if (way->routed == NULL || way->routed->in_port >= FCN_MAX_PORTS || !looked_up(way, &dst)) {
		json_object_set_new(o, "next_hop", json_null());
		json_object_set_new(o, "route", json_array());
		return;
	}
	table = way->routed->flags & FCN_PACKET_REROUTE ? way->routed->table
							: s->port[way->routed->in_port].table;
	json_object_set_new(o, "next_hop", next_hop(way, table, &dst));
	json_object_set_new(o, "route", matching_routes(ctl, table, &dst));
}

/* ---- the queue ---- */

/* The class whose queue the packet meets first. */
static uint8_t
met_class(const struct fcn_packet *p)
{
	return fcn_packet_is_trimmed_here(p) ? p->trim_class : p->class;
}

static const struct fcn_queue_conf *
queue_conf(const struct way *way)
{
	return &fcn_control_snapshot(way->ctl)
				->port[way->enqueued->out_port]
				.egress.queue[met_class(way->enqueued)];
}

/* Bytes of the queue with the packet, as the detector sees them. */
static uint32_t
occupancy(const struct way *way)
{
	const struct fcn_dry_run_port *port = way->ex->queues;

	return port->queue[met_class(way->enqueued)].bytes + port->ring_bytes + way->ex->len;
}

/* The queue as it is before the packet, and what the packet meets there. */
static json_t *
queue(const struct way *way)
{
	const struct fcn_packet *p = way->enqueued;
	const struct fcn_queue_conf *conf;
	const struct fcn_dry_run_queue *q;
	json_t *o;

	if (p == NULL || way->ex->queues == NULL || !way->ex->queues->open)
		return json_null();
	conf = queue_conf(way);
	q = &way->ex->queues->queue[met_class(p)];
	o = json_object();
	fcn_show_set_str(o, "port", fcn_show_port_name(way->ctl, p->out_port));
	fcn_show_set(o, "class", met_class(p));
	fcn_show_set(o, "queued_packets", q->packets);
	fcn_show_set(o, "queued_bytes", q->bytes);
	fcn_show_set_known(
			o, "ring_bytes", way->ex->queues->ring_known, way->ex->queues->ring_bytes);
	fcn_show_set(o, "limit_bytes", conf->limit_bytes);
	fcn_show_set(o, "limit_packets", conf->limit_packets);
	json_object_set_new(o, "detector", fcn_show_threshold(&conf->detector));
	fcn_show_set_bool(o, "congested", q->detector.congested);
	fcn_show_set_level(o, "level", p->level);
	fcn_show_set_bool(o, "ce_marked", p->flags & FCN_PACKET_CE_MARKED);
	return o;
}

/* ---- notices ---- */

/* The first condition before the rule and the limits of a kind that is not met, and what helps.
 * @return false: all are */
static bool
show_condition(const struct way *way, json_t *o)
{
	const struct fcn_packet *p = way->enqueued;
	const struct fcn_queue_conf *conf;
	json_t *why = NULL, *help = NULL;
	const char *port;
	uint8_t class;

	if (p == NULL || way->ex->queues == NULL) {
		fcn_show_set_str(o, "why", "the packet comes to no class queue");
		fcn_show_set_str(o, "help", "");
		return true;
	}
	conf = queue_conf(way);
	port = fcn_show_port_name(way->ctl, p->out_port);
	class = met_class(p);
	if (fcn_control_snapshot(way->ctl)->port[p->out_port].down) {
		why = json_string("the link of the port is down");
	} else if (!conf->policy.notify) {
		why = json_string("notices of the queue are off");
		help = json_sprintf("set queue %s class %u notify on", port, class);
	} else if (conf->detector.type == FCN_DETECTOR_OFF) {
		why = json_string("the queue has no congestion detector");
		help = json_sprintf("set queue %s class %u detector step", port, class);
	} else if (conf->detector.at_dequeue) {
		why = json_string("the detector of the queue looks at packets that leave, so it "
				  "is decided when this one does");
	} else if (p->level == FCN_LEVEL_NONE) {
		why = json_sprintf("the detector finds no congestion: the queue has %u bytes with "
				   "this packet",
				occupancy(way));
	} else if (p->level < conf->policy.notify_level) {
		why = json_sprintf("the congestion level is %d, and notices of the queue begin at "
				   "%d",
				p->level, conf->policy.notify_level);
		help = json_sprintf("set queue %s class %u notify level %d", port, class, p->level);
	} else if (occupancy(way) < conf->policy.notify_bytes) {
		why = json_sprintf("the queue has %u bytes with this packet, and notices of the "
				   "queue begin at %u",
				occupancy(way), conf->policy.notify_bytes);
	} else {
		return false;
	}
	json_object_set_new(o, "why", why);
	json_object_set_new(o, "help", help != NULL ? help : json_string(""));
	return true;
}

/* The command that turns a kind on. */
static json_t *
command_for(const struct fcn_notice_kind *kind)
{
	char name[64];

	if (kind->about_loss)
		return json_string("set queue PORT class CLASS trim return");
	snprintf(name, sizeof(name), "%s", kind->name);
	for (char *c = name; *c != '\0'; c++)
		*c = *c == '_' ? '-' : *c;
	return json_sprintf("set notify %s on", name);
}

static json_t *
notices(const struct way *way)
{
	const struct fcn_notices_conf *conf = &fcn_control_snapshot(way->ctl)->notify;
	json_t *list = json_array();

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		const struct fcn_notice_kind *kind = fcn_notice_kind_of(k);
		const uint8_t verdict = way->record->verdict[k];
		json_t *o = fcn_show_row(list);

		fcn_show_set_str(o, "kind", kind->name);
		if (!((conf->on | conf->on_loss) >> k & 1)) {
			fcn_show_set_str(o, "verdict", "off");
			fcn_show_set_str(o, "why", "this kind of notice is off");
			json_object_set_new(o, "help", command_for(kind));
			continue;
		}
		fcn_show_set_str(o, "verdict", fcn_notify_verdict_name(kind, verdict));
		if (verdict == FCN_NOTIFY_NONE && kind->about_loss) {
			fcn_show_set_str(o, "why",
					"the queue has room for the packet, or does not trim it to "
					"return it");
			fcn_show_set_str(o, "help", "");
			continue;
		}
		if (verdict == FCN_NOTIFY_NONE && show_condition(way, o))
			continue;
		fcn_show_set_str(o, "why", fcn_notify_verdict_text(kind, verdict));
		fcn_show_set_str(o, "help", fcn_notify_verdict_help(verdict));
	}
	return list;
}

/* ---- the whole ---- */

static json_t *
outputs(const struct way *way)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < way->ex->n_outputs; i++) {
		const struct fcn_dry_run_output *out = &way->ex->output[i];
		json_t *o = fcn_show_class_row(way->ctl, list, out->port, out->class);

		fcn_show_set_str(o, "what",
				out->is_notice ? fcn_notice_kind_of(out->kind)->name : "packet");
		fcn_show_set(o, "bytes", out->len);
	}
	return list;
}

/* The last decision about the packet: that of the row of its last step. */
static json_t *
last_decision(const json_t *steps)
{
	const json_t *step = json_array_get(steps, json_array_size(steps) - 1);
	json_t *text = json_object_get(step, "decision_text");

	return text != NULL ? json_incref(text) : json_null();
}

/* What the result does not say. */
static json_t *
notes(const struct way *way)
{
	json_t *list = json_array();

	if (way->ex->several_queues)
		json_array_append_new(list,
				json_string("the port has receive queues at several workers: the "
					    "limits are those of the worker of the first one"));
	if (way->outcome == DELIVERED)
		json_array_append_new(list,
				json_string("what the host functions do with it is not followed"));
	return list;
}

json_t *
fcn_show_explanation(struct fcn_control *ctl, const struct fcn_explanation *ex)
{
	const struct way way = way_of(ctl, ex);
	json_t *o = json_object(), *traces = fcn_show_trace_of(ctl, ex->trace), *steps;

	steps = json_object_get(json_array_get(traces, 0), "steps");
	fcn_show_set_str(o, "in_port", fcn_show_port_name(ctl, ex->in_port));
	fcn_show_set(o, "bytes", ex->len);
	fcn_show_trace_packet(way.record, o);
	fcn_show_set_str(o, "outcome", outcomes[way.outcome]);
	json_object_set_new(o, "outcome_text", last_decision(steps));
	fcn_show_set_str(o, "drop", way.outcome == DROPPED ? fcn_drop_name(way.last->drop) : NULL);
	fcn_show_set(o, "class", met_class(way.last));
	show_route(ctl, &way, o);
	fcn_show_set_str(o, "out_port",
			way.enqueued != NULL ? fcn_show_port_name(ctl, way.enqueued->out_port)
					     : NULL);
	json_object_set_new(o, "queue", queue(&way));
	json_object_set_new(o, "notices", notices(&way));
	json_object_set_new(o, "outputs", outputs(&way));
	json_object_set(o, "steps", steps);
	json_object_set_new(o, "notes", notes(&way));
	json_decref(traces);
	return o;
}
