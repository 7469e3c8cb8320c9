/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_metrics.h"

/* The bounds of a histogram are powers of two: bucket k holds values below 2^k ns. */
#define FIRST_BOUND 8 /* 256 ns */
#define LAST_BOUND 30 /* 1.07 s */

#define MAX_SHOWS 48
#define NS 1000000000u

/* The JSON of each `show`, which get() is called for once. */
struct shows {
	json_t *(*get)(void *arg, const char *show);
	void *arg;
	struct {
		const char *name;
		json_t *value;
	} show[MAX_SHOWS];
	size_t n;
	bool failed; /* get() returned NULL for one of them, for lack of memory */
};

struct writer {
	FILE *out;
	enum fcn_metrics_format format;
	const struct fcn_metric_rows *rows;
	const struct fcn_metric *metric;
};

const char *
fcn_metrics_content_type(enum fcn_metrics_format format)
{
	return format == FCN_METRICS_TEXT
			       ? "text/plain; version=0.0.4; charset=utf-8"
			       : "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

/*
 * Get the weight that one element of an Accept header gives to what it names, in thousandths (RFC
 * 9110 sections 12.4.2 and 12.5.1): 1000 unless its parameter q says otherwise.
 */
static int
weight_of(const char *element, size_t len)
{
	for (const char *p = memchr(element, ';', len); p != NULL;
			p = memchr(p, ';', (size_t)(element + len - p))) {
		int weight, unit = 100;

		p++;
		p += strspn(p, " \t");
		if (strncasecmp(p, "q=", 2) != 0)
			continue;
		p += 2;
		weight = *p == '0' ? 0 : 1000;
		for (p += *p != '\0' && p[1] == '.' ? 2 : 1;
				weight < 1000 && unit > 0 && *p >= '0' && *p <= '9'; unit /= 10)
			weight += (*p++ - '0') * unit;
		return weight;
	}
	return 1000;
}

/* How much a client wants a format. */
struct wish {
	int weight;      /* thousandths; 0: not at all; -1: the client says nothing about it */
	int specificity; /* of the element that says so: 3 for the type itself, 1 for any */
};

/* Find what an Accept header says about a media type, in the element that is the most specific. */
static struct wish
wish_of(const char *accept, const char *type)
{
	struct wish wish = {.weight = -1};

	for (const char *at = accept; *at != '\0';) {
		const size_t len = strcspn(at, ",");
		const char *name = at + strspn(at, " \t");
		const size_t name_len = strcspn(name, ",; \t");
		const size_t slash = strcspn(type, "/") + 1;
		int specificity = 0;

		if (name_len == strlen(type) && strncasecmp(name, type, name_len) == 0)
			specificity = 3;
		else if (name_len == slash + 1 && strncasecmp(name, type, slash) == 0 &&
				name[slash] == '*')
			specificity = 2;
		else if (name_len == 3 && strncmp(name, "*/*", 3) == 0)
			specificity = 1;
		if (specificity > wish.specificity)
			wish = (struct wish){weight_of(at, len), specificity};
		else if (specificity != 0 && specificity == wish.specificity) /* another version */
			wish.weight = RTE_MAX(wish.weight, weight_of(at, len));
		at += len;
		at += *at == ',';
	}
	return wish;
}

enum fcn_metrics_format
fcn_metrics_choose(const char *accept)
{
	struct wish open, text;

	if (accept == NULL)
		return FCN_METRICS_OPENMETRICS;
	open = wish_of(accept, "application/openmetrics-text");
	text = wish_of(accept, "text/plain");
	/* What the client does not name is better than what it refuses. */
	if (open.weight <= 0 && text.weight <= 0)
		return open.weight == 0 && text.weight < 0 ? FCN_METRICS_TEXT
							   : FCN_METRICS_OPENMETRICS;
	if (open.weight != text.weight)
		return text.weight > open.weight ? FCN_METRICS_TEXT : FCN_METRICS_OPENMETRICS;
	return text.specificity > open.specificity ? FCN_METRICS_TEXT : FCN_METRICS_OPENMETRICS;
}

static const json_t *
what_shows(struct shows *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->show[i].name, name) == 0)
			return s->show[i].value;
	}
	if (s->n == MAX_SHOWS)
		return NULL;
	s->show[s->n].name = name;
	s->show[s->n].value = s->get(s->arg, name);
	s->failed |= s->show[s->n].value == NULL;
	return s->show[s->n++].value;
}

/* Get the member of a row by its path: "a.b" is member b of member a. */
static const json_t *
member_of(const json_t *row, const char *path)
{
	size_t len = strcspn(path, ".");
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)len, path);
	row = json_object_get(row, name);
	return path[len] == '.' ? member_of(row, path + len + 1) : row;
}

/* A quotation mark is escaped in the value of a label, and not in HELP. */
static void
put_escaped(FILE *out, const char *text, bool quoted)
{
	for (; *text != '\0'; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '\\' || (quoted && *text == '"'))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static void
put_label(FILE *out, bool *first, const char *name, const char *value)
{
	fprintf(out, "%c%s=\"", *first ? '{' : ',', name);
	put_escaped(out, value, true);
	fputc('"', out);
	*first = false;
}

static void
put_row_labels(const struct writer *w, const json_t *row, bool *first)
{
	const char *name = w->rows->labels;
	size_t len;

	for (; *name != '\0'; name += len + (name[len] == ' ')) {
		const json_t *v;
		char key[64], number[24];

		len = strcspn(name, " ");
		snprintf(key, sizeof(key), "%.*s", (int)len, name);
		v = json_object_get(row, key);
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		put_label(w->out, first, key, json_is_string(v) ? json_string_value(v) : number);
	}
}

static void
put_name(const struct writer *w, const char *suffix)
{
	fprintf(w->out, FCN_METRICS_PREFIX "%s%s", w->metric->name, suffix);
}

/* Write the name and the labels of a sample; extra is the name of one more label, or NULL. */
static void
put_head(const struct writer *w, const char *suffix, const json_t *row, const char *extra,
		const char *value)
{
	bool first = true;

	put_name(w, suffix);
	put_row_labels(w, row, &first);
	if (extra != NULL)
		put_label(w->out, &first, extra, value);
	fputs(first ? " " : "} ", w->out);
}

static bool
is_value(const json_t *v)
{
	return json_is_number(v) || json_is_boolean(v);
}

static bool
is_bit_rate(const struct fcn_metric *m)
{
	size_t len = strlen(m->member);

	return len > 4 && strcmp(m->member + len - 4, "_bps") == 0;
}

static void
put_value(const struct writer *w, const json_t *v)
{
	const char *unit = w->metric->unit;

	if (json_is_boolean(v))
		fputs(json_is_true(v) ? "1" : "0", w->out);
	else if (json_is_real(v))
		fprintf(w->out, "%.17g", json_real_value(v));
	else if (is_bit_rate(w->metric))
		fprintf(w->out, "%.17g", (double)json_integer_value(v) / 8);
	else if (unit != NULL && strcmp(unit, "seconds") == 0)
		fprintf(w->out, "%" PRIu64 ".%09" PRIu64, (uint64_t)json_integer_value(v) / NS,
				(uint64_t)json_integer_value(v) % NS);
	else
		fprintf(w->out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	fputc('\n', w->out);
}

static void
put_sample(const struct writer *w, const json_t *row)
{
	const char *suffix = w->metric->type == FCN_METRIC_COUNTER ? "_total" : "";
	const json_t *v = member_of(row, w->metric->member);
	const char *name;
	json_t *item;

	if (w->metric->each == NULL) {
		if (is_value(v)) {
			put_head(w, suffix, row, NULL, NULL);
			put_value(w, v);
		}
		return;
	}
	json_object_foreach ((json_t *)(uintptr_t)v, name, item) {
		if (is_value(item)) {
			put_head(w, suffix, row, w->metric->each, name);
			put_value(w, item);
		}
	}
}

/* Count the packets of the buckets below a bound. As values are whole nanoseconds, those below 2^k
 * are at most 2^k - 1, which is what the label `le` says. */
static uint64_t
packets_below(const json_t *buckets, uint64_t bound)
{
	uint64_t sum = 0;
	json_t *b;
	size_t i;

	json_array_foreach (buckets, i, b) {
		if ((uint64_t)json_integer_value(json_object_get(b, "below_ns")) <= bound)
			sum += json_integer_value(json_object_get(b, "packets"));
	}
	return sum;
}

static void
put_histogram(const struct writer *w, const json_t *row)
{
	const json_t *buckets = member_of(row, w->metric->member);
	uint64_t all = packets_below(buckets, UINT64_MAX);
	char le[32];

	if (!json_is_array(buckets))
		return;
	for (unsigned int k = FIRST_BOUND; k <= LAST_BOUND; k++) {
		uint64_t bound = UINT64_C(1) << k;

		snprintf(le, sizeof(le), "%.10g", (double)(bound - 1) / NS);
		put_head(w, "_bucket", row, "le", le);
		fprintf(w->out, "%" PRIu64 "\n", packets_below(buckets, bound));
	}
	put_head(w, "_bucket", row, "le", "+Inf");
	fprintf(w->out, "%" PRIu64 "\n", all);
	/* The switch keeps no sum of times, and OpenMetrics allows a count only together with a
	 * sum. */
	if (w->format == FCN_METRICS_TEXT) {
		put_head(w, "_count", row, NULL, NULL);
		fprintf(w->out, "%" PRIu64 "\n", all);
	}
}

static bool
is_row_of(const struct fcn_metric_rows *rows, const json_t *row)
{
	const char *kind = json_string_value(json_object_get(row, "kind"));
	enum fcn_metric_of of = FCN_METRIC_OF_LINE;

	if (rows->of == FCN_METRIC_OF_ALL)
		return true;
	if (json_object_get(row, "parent") != NULL)
		of = kind != NULL && strcmp(kind, "bridge") == 0 ? FCN_METRIC_OF_BRIDGE_INTERFACE
								 : FCN_METRIC_OF_SUB_INTERFACE;
	return rows->of == of;
}

static void
put_row(const struct writer *w, const json_t *row)
{
	if (!is_row_of(w->rows, row))
		return;
	switch (w->metric->type) {
	case FCN_METRIC_COUNTER:
	case FCN_METRIC_GAUGE:
		put_sample(w, row);
		break;
	case FCN_METRIC_HISTOGRAM:
		put_histogram(w, row);
		break;
	case FCN_METRIC_INFO:
		put_head(w, "_info", row, NULL, NULL);
		fputs("1\n", w->out);
		break;
	}
}

static const char *
type_name(enum fcn_metric_type type, enum fcn_metrics_format format)
{
	static const char *const names[] = {"counter", "gauge", "histogram", "info"};

	return type == FCN_METRIC_INFO && format == FCN_METRICS_TEXT ? "gauge" : names[type];
}

static void
put_family(const struct writer *w, const char *keyword)
{
	const char *suffix = "";

	if (w->format == FCN_METRICS_TEXT && w->metric->type == FCN_METRIC_COUNTER)
		suffix = "_total";
	if (w->format == FCN_METRICS_TEXT && w->metric->type == FCN_METRIC_INFO)
		suffix = "_info";
	fprintf(w->out, "# %s ", keyword);
	put_name(w, suffix);
	fputc(' ', w->out);
}

static void
put_rows(const struct writer *w, const json_t *rows)
{
	json_t *row;
	size_t i;

	if (json_is_object(rows))
		put_row(w, rows);
	json_array_foreach (rows, i, row)
		put_row(w, row);
}

static void
put_metric(const struct writer *w, const json_t *shown)
{
	const struct fcn_metric *m = w->metric;
	const char *rows = w->rows->rows;
	json_t *part;
	size_t i;

	put_family(w, "TYPE");
	fprintf(w->out, "%s\n", type_name(m->type, w->format));
	if (m->unit != NULL && w->format == FCN_METRICS_OPENMETRICS) {
		put_family(w, "UNIT");
		fprintf(w->out, "%s\n", m->unit);
	}
	put_family(w, "HELP");
	put_escaped(w->out, m->help, false);
	fputs(".\n", w->out);
	if (rows == NULL)
		put_rows(w, shown);
	else if (json_is_object(shown))
		put_rows(w, json_object_get(shown, rows));
	else /* a list whose objects each hold rows, such as bridges with their ports */
		json_array_foreach (shown, i, part)
			put_rows(w, json_object_get(part, rows));
}

int
fcn_metrics_write(FILE *out, enum fcn_metrics_format format,
		json_t *(*get)(void *arg, const char *show), void *arg)
{
	struct shows shows = {.get = get, .arg = arg};
	struct writer w = {.out = out, .format = format};

	FCN_METRIC_FOREACH (w.rows, w.metric)
		put_metric(&w, what_shows(&shows, w.rows->show));
	if (format == FCN_METRICS_OPENMETRICS)
		fputs("# EOF\n", out);
	for (size_t i = 0; i < shows.n; i++)
		json_decref(shows.show[i].value);
	return ferror(out) || shows.failed ? -ENOMEM : 0;
}
