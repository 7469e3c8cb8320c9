/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "fcn_show_private.h"

static json_t *
bucket(const struct fcn_config_bucket *b)
{
	if (b->rate == 0)
		return json_string("off");
	return json_sprintf("%llu/s, burst %u", (unsigned long long)b->rate, b->burst);
}

static json_t *
policy(const struct fcn_config *cfg)
{
	const struct fcn_config_notify *n = &cfg->notify;
	json_t *o = json_object();

	json_object_set_new(o, "fast_cnp", json_boolean(n->fast_cnp));
	json_object_set_new(o, "source", fcn_show_addr(&cfg->loopback));
	fcn_show_set(o, "class", n->class);
	fcn_show_set(o, "dscp", n->dscp);
	fcn_show_set(o, "hop_limit", n->hop_limit);
	json_object_set_new(o, "icrc", json_string(fcn_icrc_mode_name(n->icrc)));
	json_object_set_new(o, "option1_type", json_sprintf("0x%02x", cfg->codes.fastcnp_opt1));
	json_object_set_new(o, "option2_type", json_sprintf("0x%02x", cfg->codes.fastcnp_opt2));
	fcn_show_set(o, "interval_ns", n->interval_ns);
	json_object_set_new(o, "queue_bucket", bucket(&n->queue_bucket));
	json_object_set_new(o, "global_bucket", bucket(&n->global_bucket));
	json_object_set_new(o, "destination_bucket", bucket(&n->dest_bucket));
	json_object_set_new(o, "mark_unknown", json_boolean(n->mark_unknown));
	json_object_set_new(o, "default_sender",
			json_string(fcn_capability_name(n->default_capability)));
	return o;
}

static void
read_forgotten(struct fcn_worker *w, void *arg)
{
	*(uint64_t *)arg += w->notify.forgotten;
}

static void
read_ledger(struct fcn_worker *w, void *arg)
{
	fcn_worker_notice_ledger(w, arg);
}

static void
read_stats(struct fcn_worker *w, void *arg)
{
	struct fcn_notify_stats(*sum)[FCN_NOTIFY_CLASSES] = arg;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++) {
			for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++)
				sum[p][c].verdict[v] += w->notify.stats[p][c].verdict[v];
		}
	}
}

static const char *
kind_of(enum fcn_notify_verdict v)
{
	if (fcn_notify_verdict_is_sent(v))
		return "sent";
	return fcn_notify_verdict_is_suppressed(v) ? "suppressed" : "not due";
}

/* What became of the packets that met congestion in one queue. */
static void
show_verdicts(const struct fcn_control *ctl, unsigned int port, unsigned int class,
		const struct fcn_notify_stats *stats, json_t *rows)
{
	for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
		json_t *row;

		if (stats->verdict[v] == 0)
			continue;
		row = json_object();
		fcn_show_set_str(row, "port", fcn_show_port_name(ctl, port));
		fcn_show_set(row, "class", class);
		fcn_show_set_str(row, "outcome", kind_of(v));
		fcn_show_set_str(row, "verdict", fcn_notify_verdict_name(v));
		fcn_show_set(row, "packets", stats->verdict[v]);
		fcn_show_set_str(row, "verdict_text", fcn_notify_verdict_text(v));
		json_array_append_new(rows, row);
	}
}

/* Over all queues: wanted = sent + suppressed, and suppressed by reason. */
static json_t *
show_total(const struct fcn_notify_stats *sum, uint64_t forgotten)
{
	json_t *total = json_object();
	uint64_t sent = 0, suppressed = 0;

	for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
		sent += fcn_notify_verdict_is_sent(v) ? sum->verdict[v] : 0;
		suppressed += fcn_notify_verdict_is_suppressed(v) ? sum->verdict[v] : 0;
	}
	fcn_show_set(total, "wanted", sent + suppressed);
	fcn_show_set(total, "sent", sent);
	fcn_show_set(total, "suppressed", suppressed);
	fcn_show_set(total, "forgotten", forgotten);
	for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
		char key[64];

		if (!fcn_notify_verdict_is_suppressed(v) || sum->verdict[v] == 0)
			continue;
		snprintf(key, sizeof(key), "suppressed_%s", fcn_notify_verdict_name(v));
		fcn_show_set(total, key, sum->verdict[v]);
	}
	return total;
}

/*
 * What became of the notices that were made: carried + made = transmitted + lost + queued +
 * between. The first is what was under way when the counters were last cleared, the last what is
 * on its way from one worker to another.
 */
static json_t *
show_made(struct fcn_control *ctl)
{
	struct fcn_notice_ledger l = {0};
	json_t *o = json_object();

	fcn_control_call(ctl, read_ledger, &l);
	fcn_show_set(o, "carried", l.carried);
	fcn_show_set(o, "made", l.made);
	fcn_show_set(o, "transmitted", l.transmitted);
	fcn_show_set(o, "lost", fcn_notice_ledger_lost(&l));
	fcn_show_set(o, "queued", l.queued);
	fcn_show_set(o, "between", l.handed - l.taken_over);
	for (unsigned int r = 1; r < FCN_DROP_REASON_COUNT; r++) {
		char key[64];

		if (l.lost[r] == 0)
			continue;
		snprintf(key, sizeof(key), "lost_%s", fcn_drop_name(r));
		fcn_show_set(o, key, l.lost[r]);
	}
	return o;
}

json_t *
fcn_show_notify(struct fcn_control *ctl)
{
	struct fcn_notify_stats(*stats)[FCN_NOTIFY_CLASSES] = calloc(FCN_MAX_PORTS, sizeof(*stats));
	struct fcn_notify_stats sum = {0};
	uint64_t forgotten = 0;
	json_t *o = json_object(), *rows = json_array();

	if (stats != NULL)
		fcn_control_call(ctl, read_stats, stats);
	for (unsigned int p = 0; stats != NULL && p < FCN_MAX_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++) {
			show_verdicts(ctl, p, c, &stats[p][c], rows);
			for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++)
				sum.verdict[v] += stats[p][c].verdict[v];
		}
	}
	free(stats);
	fcn_control_call(ctl, read_forgotten, &forgotten);
	json_object_set_new(o, "policy", policy(ctl->config));
	json_object_set_new(o, "total", show_total(&sum, forgotten));
	json_object_set_new(o, "notices", show_made(ctl));
	json_object_set_new(o, "verdicts", rows);
	return o;
}

json_t *
fcn_show_senders(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = ctl->config;
	json_t *list = json_array();

	for (size_t i = 0; i < cfg->senders.n; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "prefix", fcn_show_prefix(&cfg->senders.item[i].prefix));
		json_object_set_new(o, "capability",
				json_string(fcn_capability_name(cfg->senders.item[i].capability)));
		json_array_append_new(list, o);
	}
	fcn_show_found_senders(ctl, list);
	return list;
}

json_t *
fcn_show_flows(struct fcn_control *ctl, unsigned int n)
{
	struct fcn_collector_flow *top = calloc(n, sizeof(*top));
	json_t *list = json_array();

	if (top == NULL)
		return list;
	fcn_control_drain(ctl);
	n = fcn_collector_top(ctl->collector, top, n);
	for (unsigned int i = 0; i < n; i++) {
		json_t *o = json_object();

		json_object_set_new(o, "sender", fcn_show_addr6(top[i].sender));
		json_object_set_new(o, "receiver", fcn_show_addr6(top[i].receiver));
		json_object_set_new(o, "qp", json_sprintf("0x%06x", top[i].dest_qp));
		fcn_show_set(o, "notices", top[i].notices);
		fcn_show_set(o, "first_ns", top[i].first_ns);
		fcn_show_set(o, "last_ns", top[i].last_ns);
		json_object_set_new(o, "max_level", json_integer(top[i].max_level));
		json_array_append_new(list, o);
	}
	free(top);
	return list;
}
