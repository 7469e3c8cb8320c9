/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <string.h>

#include "fcn_render.h"
#include "live_endpoint.h"

#define SECOND_NS UINT64_C(1000000000)
#define SHOWN_QPS 16 /* maximum number of queue pairs in the text */

struct text_of {
	const char *name, *text;
};

static void
set(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

static void
set_addr(json_t *o, const char *key, const uint8_t bytes[16])
{
	struct fcn_addr addr = {.version = 6};
	char text[FCN_ADDR_STRLEN];

	memcpy(addr.bytes, bytes, 16);
	json_object_set_new(o, key, json_string(fcn_addr_format(&addr, text, sizeof(text))));
}

/* ---- as JSON ---- */

static json_t *
counters_json(const struct live_endpoint *live, const struct fcn_endpoint_counters *c)
{
	json_t *o = json_object();
	uint64_t paused = 0;

#define SET_ENDPOINT(field, text) set(o, #field, c->field);
#define SET_ND(field, text) set(o, #field, live->nd.n.field);
#define SET_HOST(field, text) set(o, #field, live->n.field);
	FCN_ENDPOINT_COUNTERS(SET_ENDPOINT)
	for (unsigned int i = 0; i < RTE_DIM(c->paused_ns); i++)
		paused += c->paused_ns[i];
	set(o, "paused_ns", paused);
	LIVE_ND_COUNTERS(SET_ND)
	LIVE_COUNTERS(SET_HOST)
	return o;
}

static json_t *
qps_json(const struct live_endpoint *live, uint64_t *least, uint64_t *most)
{
	json_t *list = json_array();

	*least = UINT64_MAX;
	*most = 0;
	for (unsigned int i = 0; i < live->n_qps; i++) {
		const struct live_qp *qp = &live->qp[i];
		struct fcn_endpoint_qp_info info;
		json_t *o;

		if (!qp->connected || fcn_endpoint_qp_info(live->ep, qp->number, &info) != 0)
			continue;
		*least = RTE_MIN(*least, info.rate_bps);
		*most = RTE_MAX(*most, info.rate_bps);
		o = json_object();
		set(o, "qp", qp->number);
		set_addr(o, "peer", qp->peer);
		set(o, "rate_bps", info.rate_bps);
		if (info.window != FCN_WINDOW_NONE)
			set(o, "window", info.window);
		set(o, "messages", qp->complete);
		set(o, "acked", info.acked);
		set(o, "delivered", info.delivered);
		set(o, "notices", info.notices);
		set(o, "src_port", info.src_port);
		json_array_append_new(list, o);
	}
	if (*most == 0)
		*least = 0;
	return list;
}

static json_t *
sources_json(const struct live_endpoint *live)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < live->n_sources; i++) {
		json_t *o = json_object();

		set_addr(o, "source", live->source[i].addr);
		set(o, "fast_cnps", live->source[i].notices);
		json_array_append_new(list, o);
	}
	return list;
}

/* Set how long it took until packets of which only the headers had come were there. */
static void
set_repairs(const struct live_endpoint *live, json_t *o)
{
	json_t *times;

	if (live->repairs == 0)
		return;
	times = json_object();
	set(times, "min", live->repair_min_ns);
	set(times, "mean", live->repair_sum_ns / live->repairs);
	set(times, "max", live->repair_max_ns);
	json_object_set_new(o, "repaired_ns", times);
}

static uint64_t
rate(uint64_t bytes, uint64_t ns)
{
	return ns == 0 ? 0 : (uint64_t)((double)bytes * 8e9 / (double)ns);
}

/* Set the rates: since the last report, or in a summary of the whole run. */
static void
set_rates(struct live_endpoint *live, json_t *o, const struct fcn_endpoint_counters *c,
		uint64_t acked, uint64_t now, bool summary)
{
	static const struct fcn_endpoint_counters none;
	const struct fcn_endpoint_counters *last = summary ? &none : &live->reported;
	uint64_t end = summary && live->end_ns != 0 ? live->end_ns : now;
	uint64_t begin = summary ? live->begin_ns : live->reported_ns;
	uint64_t ns = end > begin ? end - begin : 0;

	set(o, "over_ns", ns);
	set(o, "tx_bps", rate(c->tx_bytes - last->tx_bytes, ns));
	set(o, "rx_bps", rate(c->rx_bytes - last->rx_bytes, ns));
	set(o, "acked_bps", rate(summary ? acked : acked - live->reported_acked, ns));
	set(o, "delivered_bps", rate(c->payload_delivered - last->payload_delivered, ns));
	live->reported = *c;
	live->reported_ns = now;
	live->reported_acked = acked;
}

json_t *
live_report(struct live_endpoint *live, uint64_t now, bool summary)
{
	uint64_t posted, complete, delivered, least, most, acked = live_traffic_acked(live);
	struct fcn_endpoint_counters c;
	json_t *o = json_object(), *qps = qps_json(live, &least, &most);

	fcn_endpoint_counters(live->ep, &c, RTE_MAX(now, live->ep_now));
	live_traffic_sum(live, &posted, &complete, &delivered);
	json_object_set_new(o, "type", json_string(summary ? "summary" : "second"));
	set(o, "time_ns", now);
	if (summary)
		json_object_set_new(o, "ok", json_boolean(live_traffic_ok(live)));
	set_rates(live, o, &c, acked, now, summary);
	set(o, "acked", acked);
	set(o, "messages_posted", posted);
	set(o, "messages_complete", complete);
	set(o, "messages_delivered", delivered);
	set_repairs(live, o);
	set(o, "qps_connected", json_array_size(qps));
	set(o, "rate_min_bps", least);
	set(o, "rate_max_bps", most);
	json_object_set_new(o, "qps", qps);
	json_object_set_new(o, "notices", sources_json(live));
	json_object_set_new(o, "counters", counters_json(live, &c));
	return o;
}

/* ---- as text, made from the JSON ---- */

static uint64_t
get(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

static uint64_t
count(const json_t *o, const char *key)
{
	return get(json_object_get(o, "counters"), key);
}

/* Format a rate with three digits. */
static const char *
short_rate(const json_t *o, const char *key, char buf[16])
{
	static const char units[] = " KMGT";
	double v = (double)get(o, key);
	unsigned int unit = 0;
	int digits = 0;

	while (v >= 999.5 && units[unit + 1] != '\0') {
		v /= 1000;
		unit++;
	}
	if (unit != 0 && v < 99.95)
		digits = v >= 9.995 ? 1 : 2;
	if (unit == 0)
		snprintf(buf, 16, "%.0f", v);
	else
		snprintf(buf, 16, "%.*f%c", digits, v, units[unit]);
	return buf;
}

static void
text_second(const json_t *o, FILE *out)
{
	char b[6][16];

	fprintf(out,
			"%6.1fs  tx %s  rx %s  acknowledged %s  delivered %s  rate %s to %s  "
			"Fast CNPs %" PRIu64 "  CNPs %" PRIu64 "  repeated %" PRIu64
			"  messages %" PRIu64 " of %" PRIu64 "\n",
			(double)get(o, "time_ns") / 1e9, short_rate(o, "tx_bps", b[0]),
			short_rate(o, "rx_bps", b[1]), short_rate(o, "acked_bps", b[2]),
			short_rate(o, "delivered_bps", b[3]), short_rate(o, "rate_min_bps", b[4]),
			short_rate(o, "rate_max_bps", b[5]), count(o, "fastcnp_accepted"),
			count(o, "cnp_received"), count(o, "data_repeated"),
			get(o, "messages_complete"), get(o, "messages_posted"));
}

static void
text_counters(const json_t *o, FILE *out)
{
#define TEXT_OF(field, text) {#field, text},
	static const struct text_of texts[] = {
			FCN_ENDPOINT_COUNTERS(TEXT_OF){
					"paused_ns", "time a class was paused, nanoseconds"},
			LIVE_ND_COUNTERS(TEXT_OF) LIVE_COUNTERS(TEXT_OF)};

	fputs("Counters that are not 0:\n", out);
	for (size_t i = 0; i < RTE_DIM(texts); i++)
		if (count(o, texts[i].name) != 0)
			fprintf(out, "%14" PRIu64 "  %-22s %s\n", count(o, texts[i].name),
					texts[i].name, texts[i].text);
}

static void
text_qps(const json_t *qps, FILE *out)
{
	json_t *some = json_array();
	json_t *qp;
	size_t i;

	json_array_foreach (qps, i, qp) {
		if (i < SHOWN_QPS)
			json_array_append(some, qp);
	}
	fputs("Queue pairs:\n", out);
	fcn_render_text(some, out);
	if (json_array_size(qps) > SHOWN_QPS)
		fprintf(out, "and %zu more\n", json_array_size(qps) - SHOWN_QPS);
	json_decref(some);
}

static void
text_summary(const json_t *o, FILE *out)
{
	char b[2][16];

	fprintf(out,
			"\n%" PRIu64 " of %" PRIu64 " messages complete, %" PRIu64
			" bytes acknowledged: %sb/s; %" PRIu64
			" messages received: %sb/s; %.3f s\n",
			get(o, "messages_complete"), get(o, "messages_posted"), get(o, "acked"),
			short_rate(o, "acked_bps", b[0]), get(o, "messages_delivered"),
			short_rate(o, "delivered_bps", b[1]), (double)get(o, "over_ns") / 1e9);
	if (json_object_get(o, "repaired_ns") != NULL)
		fprintf(out,
				"Trimmed packets were repaired after %.3f ms, on average %.3f, at "
				"most %.3f\n",
				(double)get(json_object_get(o, "repaired_ns"), "min") / 1e6,
				(double)get(json_object_get(o, "repaired_ns"), "mean") / 1e6,
				(double)get(json_object_get(o, "repaired_ns"), "max") / 1e6);
	if (json_array_size(json_object_get(o, "qps")) > 0)
		text_qps(json_object_get(o, "qps"), out);
	if (json_array_size(json_object_get(o, "notices")) > 0) {
		fputs("Fast CNPs taken, by source:\n", out);
		fcn_render_text(json_object_get(o, "notices"), out);
	}
	text_counters(o, out);
}

static void
put(struct live_endpoint *live, uint64_t now, bool summary)
{
	json_t *o = live_report(live, now, summary);

	if (live->opt.json) {
		json_dumpf(o, stdout, JSON_COMPACT);
		fputc('\n', stdout);
	} else if (summary) {
		text_summary(o, stdout);
	} else {
		text_second(o, stdout);
	}
	fflush(stdout);
	json_decref(o);
}

uint64_t
live_report_run(struct live_endpoint *live, uint64_t now)
{
	if (live->opt.quiet)
		return LIVE_NEVER;
	if (live->report_ns == 0)
		live->report_ns = now + SECOND_NS;
	if (now >= live->report_ns) {
		put(live, now, false);
		while (live->report_ns <= now)
			live->report_ns += SECOND_NS;
	}
	return live->report_ns;
}

void
live_report_summary(struct live_endpoint *live, uint64_t now)
{
	put(live, now, true);
}
