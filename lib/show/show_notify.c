/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "fcn_config_names.h"
#include "show_private.h"

static json_t *
policy(const struct fcn_config *cfg)
{
	json_t *o = json_object();

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		fcn_show_set_bool(
				o, fcn_notice_kinds[k]->name, fcn_config_notices_on(cfg) >> k & 1);
	fcn_setting_show(&fcn_loopback_scope, "notify.policy", cfg, NULL, o);
	fcn_setting_show(&fcn_notify_scope, "notify.policy", cfg, NULL, o);
	fcn_setting_show(&fcn_sender_scope, "notify.policy", cfg, NULL, o);
	fcn_setting_show(&fcn_cnm_scope, "notify.policy", cfg, NULL, o);
	return o;
}

/* Sums over the workers, of one kind of notice. */
struct sums {
	unsigned int kind;
	struct fcn_notify_stats queue[FCN_MAX_PORTS][FCN_NOTIFY_CLASSES];
	struct fcn_notify_stats all;                  /* of all queues */
	FCN_NOTIFY_STATE_COUNTERS(FCN_COUNTER_MEMBER) /* of all queues */
	struct fcn_notice_accounting made;
};

static void
read_sums(struct fcn_worker *w, void *arg)
{
	struct sums *s = arg;
	const struct fcn_notify_state *state = &w->notify[s->kind];

	for (unsigned int p = 0; p < w->n_ports; p++) {
		for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++) {
			for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
				s->queue[p][c].verdict[v] += state->stats[p][c].verdict[v];
				s->all.verdict[v] += state->stats[p][c].verdict[v];
			}
		}
	}
	FCN_COUNTERS_ADD(s, state, FCN_NOTIFY_STATE_COUNTERS);
	fcn_worker_notice_accounting(w, s->kind, &s->made);
}

const char *
fcn_show_outcome(unsigned int v)
{
	if (fcn_notify_verdict_is_sent(v))
		return "sent";
	return fcn_notify_verdict_is_suppressed(v) ? "suppressed" : "not due";
}

/* What became of the packets that met congestion in one queue. */
static void
show_verdicts(const struct fcn_control *ctl, unsigned int port, unsigned int class,
		const struct sums *s, json_t *rows)
{
	const struct fcn_notice_kind *kind = fcn_notice_kinds[s->kind];
	const struct fcn_notify_stats *stats = &s->queue[port][class];

	for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
		json_t *row;

		if (stats->verdict[v] == 0)
			continue;
		row = fcn_show_class_row(ctl, rows, port, class);
		fcn_show_set_str(row, "kind", kind->name);
		fcn_show_set_str(row, "outcome", fcn_show_outcome(v));
		fcn_show_set_str(row, "verdict", fcn_notify_verdict_name(kind, v));
		fcn_show_set(row, "packets", stats->verdict[v]);
		fcn_show_set_str(row, "verdict_text", fcn_notify_verdict_text(kind, v));
	}
}

/* wanted = sent + suppressed */
static void
show_wanted(const struct fcn_notify_stats *stats, json_t *o)
{
	const uint64_t sent = fcn_notify_sent(stats), suppressed = fcn_notify_suppressed(stats);

	fcn_show_set(o, "wanted", sent + suppressed);
	fcn_show_set(o, "sent", sent);
	fcn_show_set(o, "suppressed", suppressed);
}

/* The sums over all queues and kinds, with suppressed notices by reason. */
static json_t *
show_total(const struct sums *all)
{
	json_t *total = json_object();

	show_wanted(&all->all, total);
	FCN_SHOW_COUNTERS(total, all, FCN_NOTIFY_STATE_COUNTERS);
	for (unsigned int v = FCN_NOTIFY_INTERVAL; v < FCN_NOTIFY_SENT; v++) {
		char key[64];

		if (all->all.verdict[v] == 0)
			continue;
		snprintf(key, sizeof(key), "suppressed_%s",
				fcn_notify_verdict_name(fcn_notice_kinds[0], v));
		fcn_show_set(total, key, all->all.verdict[v]);
	}
	return total;
}

/*
 * What became of notices that were made: carried + made = transmitted + lost + queued +
 * between. The first is what was under way when the counters were last cleared, the last what is
 * on its way from one worker to another.
 */
static void
show_made(const struct fcn_notice_accounting *l, json_t *o)
{
	FCN_SHOW_COUNTERS(o, l, FCN_NOTICE_COUNTERS);
	fcn_show_set(o, "lost", fcn_notice_accounting_lost(l));
	fcn_show_set(o, "between", l->cross_core_tx - l->cross_core_rx);
}

/* The sums over all kinds, with lost notices by reason. */
static json_t *
show_all_made(const struct fcn_notice_accounting *l)
{
	json_t *o = json_object();

	show_made(l, o);
	for (unsigned int r = 1; r < FCN_DROP_REASON_COUNT; r++) {
		char key[64];

		if (l->lost[r] == 0)
			continue;
		snprintf(key, sizeof(key), "lost_%s", fcn_drop_name(r));
		fcn_show_set(o, key, l->lost[r]);
	}
	return o;
}

/* The sums of one kind. */
static json_t *
show_kind(const struct fcn_control *ctl, const struct sums *s)
{
	json_t *o = json_object();

	fcn_show_set_str(o, "kind", fcn_notice_kinds[s->kind]->name);
	fcn_show_set_bool(o, "on", fcn_config_notices_on(fcn_control_config(ctl)) >> s->kind & 1);
	show_wanted(&s->all, o);
	show_made(&s->made, o);
	return o;
}

static void
add_sums(struct sums *sum, const struct sums *c)
{
	for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++)
		sum->all.verdict[v] += c->all.verdict[v];
	FCN_COUNTERS_ADD(sum, c, FCN_NOTIFY_STATE_COUNTERS);
	fcn_notice_accounting_add(&sum->made, &c->made);
}

json_t *
fcn_show_endcon_notices(struct fcn_control *ctl)
{
	struct sums *s = calloc(1, sizeof(*s));
	json_t *o;

	if (s == NULL)
		return json_null();
	while (s->kind < fcn_notice_kind_count && !fcn_notice_kinds[s->kind]->to_endcon)
		s->kind++;
	fcn_control_read(ctl, read_sums, s, sizeof(*s));
	o = show_kind(ctl, s);
	free(s);
	return o;
}

json_t *
fcn_show_notify(struct fcn_control *ctl)
{
	struct sums *s = calloc(1, sizeof(*s)), *all = calloc(1, sizeof(*all));
	json_t *o = json_object(), *rows = json_array(), *kinds = json_array();

	for (unsigned int k = 0; s != NULL && all != NULL && k < fcn_notice_kind_count; k++) {
		memset(s, 0, sizeof(*s));
		s->kind = k;
		fcn_control_read(ctl, read_sums, s, sizeof(*s));
		for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
			for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++)
				show_verdicts(ctl, p, c, s, rows);
		}
		json_array_append_new(kinds, show_kind(ctl, s));
		add_sums(all, s);
	}
	json_object_set_new(o, "policy", policy(fcn_control_config(ctl)));
	if (s != NULL && all != NULL) {
		json_object_set_new(o, "total", show_total(all));
		json_object_set_new(o, "notices", show_all_made(&all->made));
	}
	json_object_set_new(o, "kinds", kinds);
	json_object_set_new(o, "verdicts", rows);
	free(s);
	free(all);
	return o;
}

json_t *
fcn_show_senders(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *list = json_array();

	for (size_t i = 0; i < cfg->senders.n; i++) {
		json_t *o = fcn_show_row(list);

		json_object_set_new(o, "prefix", fcn_show_prefix(&cfg->senders.item[i].prefix));
		fcn_show_set_str(o, "capability",
				fcn_capability_name(cfg->senders.item[i].capability));
	}
	fcn_show_found_senders(ctl, list);
	return list;
}

json_t *
fcn_show_notified_flows(struct fcn_control *ctl, unsigned int n)
{
	struct fcn_collector_flow *top = calloc(n, sizeof(*top));
	json_t *list = json_array();

	if (top == NULL)
		return list;
	fcn_control_drain(ctl);
	n = fcn_collector_top(fcn_control_collector(ctl), top, n);
	for (unsigned int i = 0; i < n; i++) {
		json_t *o = fcn_show_row(list);

		json_object_set_new(o, "sender", fcn_show_addr6(top[i].sender));
		json_object_set_new(o, "receiver", fcn_show_addr6(top[i].receiver));
		json_object_set_new(o, "qp", json_sprintf("0x%06x", top[i].dest_qp));
		fcn_show_set(o, "notices", top[i].notices);
		fcn_show_set(o, "first_ns", top[i].first_ns);
		fcn_show_set(o, "last_ns", top[i].last_ns);
		json_object_set_new(o, "max_level", json_integer(top[i].max_level));
	}
	free(top);
	return list;
}
