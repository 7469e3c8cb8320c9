/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show_private.h"

const char *const fcn_show_queue_columns[] = {"port", "class", "threshold", "packets", "dropped",
		"occ_max", "occ_last", "congested", "level", "notices", "ce_marked", NULL};

/* What a worker copies of a port's queues between two turns. */
struct queue_reading {
	unsigned int port;
	bool open;
	bool ring_known;
	uint32_t ring_bytes;
	struct fcn_buffer buffer;
	struct {
		struct fcn_queue_stats stats;
		struct fcn_watermarks wm;
		struct fcn_detector detector;
		uint32_t packets;
		uint32_t charged;
	} class[FCN_CLASSES];
};

static void
read_queues(struct fcn_worker *w, void *arg)
{
	struct queue_reading *r = arg;
	const struct fcn_egress *eg = w->port[r->port].egress;

	r->open = eg != NULL;
	r->buffer = w->buffer;
	if (!r->open)
		return;
	r->ring_known = w->port[r->port].ring != NULL;
	r->ring_bytes = eg->ring_bytes;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		const struct fcn_queue *q = &eg->queue[c];

		r->class[c].stats = q->stats;
		r->class[c].detector = q->detector;
		r->class[c].packets = fcn_queue_packets(q);
		r->class[c].charged = q->charged;
		fcn_queue_watermarks(q, w->now, &r->class[c].wm);
	}
}

static json_t *
drops_by_reason(const struct fcn_queue_stats *s)
{
	json_t *o = json_object();

	for (unsigned int v = FCN_QUEUE_ACCEPTED + 1; v < FCN_QUEUE_VERDICT_COUNT; v++)
		fcn_show_set(o, fcn_drop_name(fcn_drop_of_refusal(v)), s->drop[v]);
	return o;
}

static json_t *
sojourn(const struct fcn_queue_stats *s)
{
	json_t *list = json_array();

	for (unsigned int k = 0; k < FCN_SOJOURN_BUCKETS; k++) {
		json_t *o;

		if (s->sojourn[k] == 0)
			continue;
		o = fcn_show_row(list);
		fcn_show_set(o, "from_ns", k == 0 ? 0 : UINT64_C(1) << (k - 1));
		fcn_show_set(o, "below_ns", UINT64_C(1) << k);
		fcn_show_set(o, "packets", s->sojourn[k]);
	}
	return list;
}

static json_t *
levels(const struct fcn_detector_conf *d)
{
	json_t *list = json_array();

	for (unsigned int l = 0; l <= FCN_LEVEL_MAX; l++)
		json_array_append_new(list, json_integer(d->level_from[l]));
	return list;
}

/* The detector that runs, with its defaults filled in. */
static json_t *
thresholds(const struct fcn_config_queue *q, const struct fcn_detector_conf *d,
		const struct fcn_detector *state)
{
	json_t *o = json_object();

	fcn_setting_show(&fcn_detector_scope, "queue.thresholds", q, d, o);
	if (d->type == FCN_DETECTOR_OFF)
		return o;
	if (d->type == FCN_DETECTOR_RATE) {
		fcn_show_set(o, "of_bps", d->bps);
		fcn_show_set(o, "last_permille", state->rate);
	}
	fcn_show_set(o, "level_hold_ns", d->level_hold_ns);
	if (d->type != FCN_DETECTOR_QCN)
		json_object_set_new(o, "level_from", levels(d));
	return o;
}

json_t *
fcn_show_threshold(const struct fcn_detector_conf *d)
{
	const char *name = fcn_detector_type_name(d->type);

	switch (d->type) {
	case FCN_DETECTOR_OFF:
		return json_string(name);
	case FCN_DETECTOR_SOJOURN:
		return json_sprintf("%s %u ns", name, d->enter);
	case FCN_DETECTOR_RATE:
		return json_sprintf("%s %u/1000", name, d->enter);
	case FCN_DETECTOR_QCN:
		return json_sprintf("%s %u B", name, d->qeq);
	default:
		return json_sprintf("%s %u B", name, d->enter);
	}
}

/* The queue's use of the shared buffer, if there is one. */
static json_t *
account(const struct fcn_control *ctl, const struct queue_reading *r, unsigned int c)
{
	const struct fcn_config_queue *q = &fcn_control_config(ctl)->port[r->port].queue[c];
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	const struct fcn_account_conf *a = &s->port[r->port].egress.queue[c].account;
	json_t *o;

	if (s->buffer.size == 0)
		return json_null();
	o = json_object();
	fcn_show_set(o, "charged_bytes", r->class[c].charged);
	fcn_setting_show(&fcn_queue_buffer_scope, "queue.account", q, NULL, o);
	fcn_show_set(o, "threshold_bytes",
			a->reserve + fcn_buffer_threshold(&r->buffer, &s->buffer, a->alpha));
	return o;
}

static void
show_settings(json_t *o, const struct fcn_config_queue *q, const struct fcn_queue_conf *conf)
{
	fcn_setting_show(&fcn_detector_scope, "queue", q, &conf->detector, o);
	fcn_setting_show(&fcn_queue_scope, "queue", q, conf, o);
}

/* The effective limit of the notices about the queue. */
static json_t *
notice_bucket(const struct fcn_control *ctl, unsigned int port, unsigned int class)
{
	const struct fcn_config_bucket b = fcn_build_queue_bucket(fcn_control_config(ctl),
			fcn_control_build_env(ctl)->n_workers, port, class,
			fcn_control_snapshot(ctl)->port[port].link_bps);

	return fcn_setting_bucket_json(&b);
}

static void
show_traffic(json_t *o, const struct queue_reading *r, unsigned int c)
{
	const struct fcn_queue_stats *s = &r->class[c].stats;
	uint64_t dropped = 0;

	for (unsigned int v = FCN_QUEUE_ACCEPTED + 1; v < FCN_QUEUE_VERDICT_COUNT; v++)
		dropped += s->drop[v];
	fcn_show_set(o, "packets", s->deq_packets + s->discarded_packets + r->class[c].packets);
	fcn_show_set(o, "bytes", s->deq_bytes + s->discarded_bytes + r->class[c].wm.last);
	FCN_SHOW_COUNTERS(o, s, FCN_QUEUE_SENT_COUNTERS);
	fcn_show_set(o, "tail_drops",
			s->drop[FCN_REFUSED_QUEUE_BYTES] + s->drop[FCN_REFUSED_QUEUE_PACKETS]);
	fcn_show_set(o, "dropped", dropped);
	fcn_show_set(o, "queued_packets", r->class[c].packets);
	fcn_show_set(o, "occ_min", r->class[c].wm.min);
	fcn_show_set(o, "occ_avg", r->class[c].wm.avg);
	fcn_show_set(o, "occ_max", r->class[c].wm.max);
	fcn_show_set(o, "occ_last", r->class[c].wm.last);
	fcn_show_set_known(o, "ring_bytes", r->ring_known, r->ring_bytes);
}

static void
show_queue(const struct fcn_control *ctl, const struct queue_reading *r, unsigned int c,
		json_t *list)
{
	const struct fcn_queue_conf *conf =
			&fcn_control_snapshot(ctl)->port[r->port].egress.queue[c];
	const struct fcn_queue_stats *s = &r->class[c].stats;
	const struct fcn_config_queue *q = &fcn_control_config(ctl)->port[r->port].queue[c];
	const struct fcn_detector *d = &r->class[c].detector;
	json_t *o = fcn_show_class_row(ctl, list, r->port, c);

	show_settings(o, q, conf);
	json_object_set_new(o, "threshold", fcn_show_threshold(&conf->detector));
	json_object_set_new(o, "notice_bucket", notice_bucket(ctl, r->port, c));
	show_traffic(o, r, c);
	fcn_show_set_bool(o, "congested", d->congested);
	fcn_show_set_level(o, "level", d->level);
	FCN_SHOW_COUNTERS(o, d, FCN_DETECTOR_COUNTERS);
	FCN_SHOW_COUNTERS(o, s, FCN_QUEUE_CONGESTION_COUNTERS);
	json_object_set_new(o, "account", account(ctl, r, c));
	json_object_set_new(o, "thresholds", thresholds(q, &conf->detector, d));
	json_object_set_new(o, "drops", drops_by_reason(s));
	json_object_set_new(o, "sojourn", sojourn(s));
}

static bool
is_used(const struct queue_reading *r, unsigned int c)
{
	const struct fcn_queue_stats *s = &r->class[c].stats;
	uint64_t packets = s->deq_packets + s->discarded_packets + r->class[c].packets + s->trimmed;

	for (unsigned int v = FCN_QUEUE_ACCEPTED + 1; v < FCN_QUEUE_VERDICT_COUNT; v++)
		packets += s->drop[v];
	return packets != 0;
}

json_t *
fcn_show_queues(struct fcn_control *ctl, int port, int class, bool all)
{
	const bool one = port >= 0 && class >= 0;
	json_t *list = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct queue_reading r = {.port = p};

		if (!fcn_show_is_chosen(ctl, p, port))
			continue;
		fcn_worker_read(fcn_control_owner(ctl, p), read_queues, &r, sizeof(r));
		for (unsigned int c = 0; r.open && c < FCN_CLASSES; c++) {
			if (class >= 0 && (unsigned int)class != c)
				continue;
			if (all || one || is_used(&r, c))
				show_queue(ctl, &r, c, list);
		}
	}
	return list;
}
