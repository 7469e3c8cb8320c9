/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_render.h"
#include "replay_flows_private.h"

#define PRINTED 10

/* How a queue pair of a sender is assigned to a flow. */
enum match {
	MATCH_NOT_SEEN, /* no data of these addresses is in the capture */
	MATCH_AMBIGUOUS,
	MATCH_ADDRESSES,
	MATCH_ACKS,
};

/* What is compared of a flow. */
struct compared {
	enum match match;
	size_t cnps, fast;
	uint64_t first_cnp, first_fast; /* valid if there are any; virtual time */
	unsigned int series;            /* of CNPs that have one of Fast CNPs */
	int64_t lead;                   /* of the first of these */
};

/* Counts for the report. */
struct totals {
	uint64_t assigned, ambiguous, not_seen, repeated;
	uint64_t with_cnps, with_fast, with_both, ipv4;
	uint64_t earlier, later, same;
	int64_t *lead;
	size_t n_lead;
};

static enum match
match_of(const struct replay_flows *f, const struct flow_back *back, uint32_t *flow)
{
	struct pair_key key;
	const struct flow_pair *pair;
	void *found;

	if (back->narrowed && back->n == 1) {
		*flow = back->candidate[0];
		return MATCH_ACKS;
	}
	memcpy(key.sender, back->key.sender, sizeof(key.sender));
	memcpy(key.receiver, back->key.receiver, sizeof(key.receiver));
	if (rte_hash_lookup_data(f->pair_table.hash, &key, &found) < 0)
		return MATCH_NOT_SEEN;
	pair = &f->pair[(uintptr_t)found];
	if (pair->n != 1)
		return pair->n == 0 ? MATCH_NOT_SEEN : MATCH_AMBIGUOUS;
	*flow = pair->first;
	return MATCH_ADDRESSES;
}

static int
by_flow_and_time(const void *a, const void *b)
{
	const struct flow_time *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int
by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Find the end of the series that begins at i. */
static size_t
series_end(const struct flow_time *t, size_t i, size_t n, uint64_t gap)
{
	while (i + 1 < n && t[i + 1].ns - t[i].ns <= gap)
		i++;
	return i;
}

/* Pair series of CNPs and of Fast CNPs that overlap or are at most `gap` apart, each with one. */
static void
compare(struct compared *c, const struct flow_time *cnp, const struct flow_time *fast, uint64_t gap)
{
	size_t i = 0, j = 0;

	while (i < c->cnps && j < c->fast) {
		const size_t i_end = series_end(cnp, i, c->cnps, gap);
		const size_t j_end = series_end(fast, j, c->fast, gap);

		if (fast[j_end].ns + gap < cnp[i].ns) {
			j = j_end + 1;
		} else if (cnp[i_end].ns + gap < fast[j].ns) {
			i = i_end + 1;
		} else {
			if (c->series++ == 0)
				c->lead = (int64_t)(cnp[i].ns - fast[j].ns);
			i = i_end + 1;
			j = j_end + 1;
		}
	}
}

/* Make a list of the CNPs that are assigned to flows, sorted by flow and time, in virtual time. */
static struct flow_time *
assign(const struct replay_flows *f, uint64_t base, enum match *match, struct totals *t)
{
	struct flow_time *list = calloc(f->n_cnp + 1, sizeof(*list));

	if (list == NULL)
		return NULL;
	for (size_t i = 0; i < f->n_cnp; i++) {
		const struct flow_back *back = &f->back[f->cnp[i].index];
		uint32_t flow = NONE;
		enum match m;

		if (back->entered && !f->cnp[i].entered) {
			t->repeated++;
			continue;
		}
		m = match_of(f, back, &flow);
		t->ambiguous += m == MATCH_AMBIGUOUS;
		t->not_seen += m == MATCH_NOT_SEEN;
		if (flow == NONE)
			continue;
		match[flow] = RTE_MAX(match[flow], m);
		/* One that did not enter may be before the first packet that did. */
		list[t->assigned++] = (struct flow_time){
				.index = flow, .ns = f->cnp[i].ns > base ? f->cnp[i].ns - base : 0};
	}
	qsort(list, t->assigned, sizeof(*list), by_flow_and_time);
	return list;
}

static bool
is_ipv4(const struct flow *flow)
{
	static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};

	return memcmp(flow->key.sender, mapped, sizeof(mapped)) == 0;
}

static json_t *
address_json(const struct flow *flow, const uint8_t address[16])
{
	char text[INET6_ADDRSTRLEN];

	if (is_ipv4(flow))
		inet_ntop(AF_INET, address + 12, text, sizeof(text));
	else
		inet_ntop(AF_INET6, address, text, sizeof(text));
	return json_string(text);
}

static json_t *
time_or_null(bool valid, uint64_t ns)
{
	return valid ? json_integer((json_int_t)ns) : json_null();
}

static json_t *
flow_json(const struct flow *flow, const struct compared *c, uint64_t base)
{
	static const char *const matches[] = {NULL, NULL, "addresses", "acknowledgements"};

	return json_pack("{s:o,s:o,s:I,s:I,s:I,s:o,s:o,s:I,s:o,s:I,s:o,s:o}", "sender",
			address_json(flow, flow->key.sender), "receiver",
			address_json(flow, flow->key.receiver), "qp", (json_int_t)flow->key.qp,
			"packets", (json_int_t)flow->entered, "cnps", (json_int_t)c->cnps,
			"first_cnp_ns", time_or_null(c->cnps != 0, c->first_cnp), "matched_by",
			c->cnps != 0 ? json_string(matches[c->match]) : json_null(), "fast_cnps",
			(json_int_t)c->fast, "first_fast_cnp_ns",
			time_or_null(c->fast != 0, c->first_fast), "series", (json_int_t)c->series,
			"lead_ns", c->series != 0 ? json_integer(c->lead) : json_null(),
			"first_ce_ns",
			time_or_null(flow->first_ce != 0 && flow->first_ce >= base,
					flow->first_ce - base));
}

/* Compare the flows one after the other; both lists are sorted by flow. */
static void
compare_flows(const struct replay_flows *f, const struct replay_flows_conf *conf,
		const struct flow_time *cnp, const struct flow_time *fast, const enum match *match,
		struct totals *t, json_t *list)
{
	size_t i = 0, j = 0;

	for (uint32_t n = 0; n < f->n_flows; n++) {
		struct compared c = {.match = match[n]};

		while (i + c.cnps < t->assigned && cnp[i + c.cnps].index == n)
			c.cnps++;
		while (j + c.fast < f->n_fast && fast[j + c.fast].index == n)
			c.fast++;
		if (c.cnps != 0 || c.fast != 0) {
			c.first_cnp = c.cnps != 0 ? cnp[i].ns : 0;
			c.first_fast = c.fast != 0 ? fast[j].ns : 0;
			if (!conf->scaled && c.cnps != 0 && c.fast != 0)
				compare(&c, cnp + i, fast + j, conf->gap_ns);
			if (c.series != 0)
				t->lead[t->n_lead++] = c.lead;
			t->earlier += c.series != 0 && c.lead > 0;
			t->later += c.series != 0 && c.lead < 0;
			t->same += c.series != 0 && c.lead == 0;
			t->with_cnps += c.cnps != 0;
			t->with_fast += c.fast != 0;
			t->with_both += c.cnps != 0 && c.fast != 0;
			t->ipv4 += c.cnps != 0 && c.fast == 0 && is_ipv4(&f->flow[n]);
			json_array_append_new(list, flow_json(&f->flow[n], &c, conf->base_ns));
		}
		i += c.cnps;
		j += c.fast;
	}
}

/* Get a value of a sorted list: the smallest that is at least that of so many percent. */
static json_int_t
percentile(const int64_t *v, size_t n, unsigned int percent)
{
	const size_t rank = (n * percent + 99) / 100;

	return v[rank > 0 ? rank - 1 : 0];
}

static json_t *
lead_json(struct totals *t)
{
	const size_t n = t->n_lead;
	int64_t *v = t->lead;
	int64_t median;

	if (n == 0)
		return json_null();
	qsort(v, n, sizeof(*v), by_value);
	median = n % 2 != 0 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "flows", (json_int_t)n,
			"median_ns", (json_int_t)median, "min_ns", (json_int_t)v[0], "p10_ns",
			percentile(v, n, 10), "p90_ns", percentile(v, n, 90), "max_ns",
			(json_int_t)v[n - 1], "earlier", (json_int_t)t->earlier, "later",
			(json_int_t)t->later, "same", (json_int_t)t->same);
}

json_t *
replay_flows_report(struct replay_flows *f, const struct replay_flows_conf *conf)
{
	enum match *match = calloc(f->n_flows + 1, sizeof(*match));
	struct totals t = {.lead = calloc(f->n_flows + 1, sizeof(*t.lead))};
	struct flow_time *cnp = match != NULL ? assign(f, conf->base_ns, match, &t) : NULL;
	json_t *list = json_array(), *report = NULL;

	if (cnp != NULL && t.lead != NULL) {
		if (f->n_fast > 0)
			qsort(f->fast, f->n_fast, sizeof(*f->fast), by_flow_and_time);
		compare_flows(f, conf, cnp, f->fast, match, &t, list);
		report = json_pack(
				"{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:b,s:b,s:I,s:I,s:I,s:I,s:I,s:I,s:o,"
				"s:O}",
				"in_capture", (json_int_t)f->cnps_seen, "entered",
				(json_int_t)f->cnps, "seen_twice", (json_int_t)t.repeated,
				"assigned", (json_int_t)t.assigned, "ambiguous",
				(json_int_t)t.ambiguous, "without_data", (json_int_t)t.not_seen,
				"fast_cnps_in_capture", (json_int_t)f->fast_in_capture,
				"comparable", !conf->scaled, "complete", !f->overflow, "gap_ns",
				(json_int_t)conf->gap_ns, "fast_cnps", (json_int_t)f->fast_sent,
				"flows_with_cnps", (json_int_t)t.with_cnps, "flows_with_fast_cnps",
				(json_int_t)t.with_fast, "flows_with_both", (json_int_t)t.with_both,
				"ipv4_without_fast_cnps", (json_int_t)t.ipv4, "lead", lead_json(&t),
				"flows", list);
	}
	free(match);
	free(cnp);
	free(t.lead);
	json_decref(list);
	return report != NULL ? report : json_null();
}

/* ---- text ---- */

static uint64_t
get(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static int
by_cnps(const void *a, const void *b)
{
	const json_t *const *x = a, *const *y = b;
	uint64_t n = get(*x, "cnps"), m = get(*y, "cnps");

	if (n != m)
		return n > m ? -1 : 1;
	n = get(*x, "first_cnp_ns");
	m = get(*y, "first_cnp_ns");
	return n < m ? -1 : n > m;
}

/* Print the flows with the most CNPs. */
static void
print_flows(const json_t *flows, FILE *out)
{
	static const char *const keys[] = {"sender", "receiver", "qp", "cnps", "first_cnp_ns",
			"fast_cnps", "first_fast_cnp_ns", "lead_ns", "matched_by", NULL};
	const size_t n = json_array_size(flows);
	json_t **sorted = calloc(n + 1, sizeof(json_t *)), *some = json_array();

	if (sorted != NULL && n > 0) {
		for (size_t i = 0; i < n; i++)
			sorted[i] = json_array_get(flows, i);
		qsort(sorted, n, sizeof(json_t *), by_cnps);
		for (size_t i = 0; i < RTE_MIN(n, (size_t)PRINTED); i++)
			json_array_append(some, sorted[i]);
		fcn_render_columns(some, keys, out);
		if (n > PRINTED)
			fprintf(out,
					"(%d of %zu flows, those with the most CNPs; --flows FILE "
					"writes all)\n",
					PRINTED, n);
	}
	json_decref(some);
	free(sorted);
}

static const char *
format_lead(int64_t ns, char *buf, size_t size)
{
	char t[32];

	if (ns == 0)
		snprintf(buf, size, "at the same time");
	else
		snprintf(buf, size, "%s %s",
				fcn_format_short_time((uint64_t)(ns < 0 ? -ns : ns), t, sizeof(t)),
				ns < 0 ? "later" : "earlier");
	return buf;
}

static void
print_lead(const json_t *lead, FILE *out)
{
	char median[48], low[48], high[48];

	format_lead(json_integer_value(json_object_get(lead, "median_ns")), median, sizeof(median));
	format_lead(json_integer_value(json_object_get(lead, "p10_ns")), low, sizeof(low));
	format_lead(json_integer_value(json_object_get(lead, "p90_ns")), high, sizeof(high));
	fprintf(out,
			"The switch would have told the senders %s than their receivers did, "
			"median "
			"of %" PRIu64 " flows\n(10 %%: %s or less; 90 %%: %s or less). It would "
			"have been first for %" PRIu64 " flows, second for %" PRIu64 ".\n",
			median, get(lead, "flows"), low, high, get(lead, "earlier"),
			get(lead, "later"));
}

/* Say why there is no lead. */
static void
print_no_lead(const json_t *report, FILE *out)
{
	if (!json_is_true(json_object_get(report, "comparable")))
		fputs("Not compared: --speed makes the times of the replay other than those of the "
		      "capture.\n",
				out);
	else if (get(report, "in_capture") == 0)
		fputs("The capture has no CNPs: there is nothing to compare with.\n", out);
	else if (get(report, "flows_with_cnps") == 0)
		fputs("No CNP could be assigned to a flow.\n", out);
	else if (get(report, "fast_cnps") == 0)
		fputs("The switch sent no Fast CNPs in this replay, so nothing is compared. Links "
		      "may be too fast for a queue\nto build (--link), or the frames were "
		      "captured behind it.\n",
				out);
	else if (get(report, "flows_with_both") == 0)
		fputs("No flow has both CNPs and Fast CNPs, so nothing is compared.\n", out);
	else
		fputs("CNPs and Fast CNPs of the same flow are too far apart to have the same "
		      "cause "
		      "(--gap).\n",
				out);
}

void
replay_flows_print(const json_t *report, FILE *out)
{
	const json_t *lead = json_object_get(report, "lead");

	if (!json_is_object(report))
		return;
	fputs("\nCNPs of receivers in the capture, and Fast CNPs of the switch in this replay\n",
			out);
	print_flows(json_object_get(report, "flows"), out);
	if (json_is_object(lead))
		print_lead(lead, out);
	else
		print_no_lead(report, out);
	if (get(report, "ambiguous") + get(report, "without_data") != 0)
		fprintf(out,
				"Left out: %" PRIu64
				" CNPs that can be about several flows, %" PRIu64
				" about none in the capture.\n",
				get(report, "ambiguous"), get(report, "without_data"));
	if (get(report, "ipv4_without_fast_cnps") != 0)
		fprintf(out,
				"%" PRIu64 " flows with CNPs are IPv4, for which there are no Fast "
				"CNPs; --ipv6 replays them as IPv6.\n",
				get(report, "ipv4_without_fast_cnps"));
	if (!json_is_true(json_object_get(report, "complete")))
		fputs("The capture has more flows than are compared.\n", out);
	if (json_is_object(lead))
		fputs("Senders do not react in a replay: they sent what the capture has, whatever "
		      "the switch told them.\n",
				out);
}

static void
csv_value(const json_t *v, FILE *out)
{
	if (json_is_integer(v))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_string(v))
		fputs(json_string_value(v), out);
	else if (json_is_array(v)) {
		const json_t *item;
		size_t i;

		json_array_foreach (v, i, item)
			fprintf(out, "%s%s", i > 0 ? " " : "", json_string_value(item));
	}
}

void
replay_flows_csv(const json_t *report, FILE *out)
{
	static const char *const keys[] = {"sender", "receiver", "qp", "packets", "cnps",
			"first_cnp_ns", "matched_by", "fast_cnps", "first_fast_cnp_ns", "series",
			"lead_ns", "first_ce_ns"};
	const json_t *flow;
	size_t i;

	for (unsigned int k = 0; k < RTE_DIM(keys); k++)
		fprintf(out, "%s%s", k > 0 ? "," : "", keys[k]);
	fputc('\n', out);
	json_array_foreach (json_object_get(report, "flows"), i, flow) {
		for (unsigned int k = 0; k < RTE_DIM(keys); k++) {
			if (k > 0)
				fputc(',', out);
			csv_value(json_object_get(flow, keys[k]), out);
		}
		fputc('\n', out);
	}
}
