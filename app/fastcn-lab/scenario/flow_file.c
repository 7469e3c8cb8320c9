/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "flow_file.h"
#include "scenario_private.h"

#define MAX_WORD 63
#define MAX_START_NS 1e15
#define NS_IN_S 1e9
#define PS_IN_NS 1e3

struct reader {
	const char *at, *end, *line_begin, *word; /* word: the one that was read last */
	size_t len;                               /* of it */
	uint32_t line;
	struct lab_flow_list *list;
	char *err;
	size_t err_size;
};

/* Begin to read a text into an empty list. */
static struct reader
reader_of(const char *text, size_t size, struct lab_flow_list *list, char *err, size_t err_size)
{
	*list = (struct lab_flow_list){.n = 0};
	return (struct reader){.at = text,
			.end = text + size,
			.line_begin = text,
			.line = 1,
			.list = list,
			.err = err,
			.err_size = err_size};
}

static int __attribute__((format(printf, 3, 4)))
wrong(struct reader *r, const char *at, const char *fmt, ...)
{
	int used = snprintf(r->err, r->err_size, "%" PRIu32 ":%zu: ", r->line,
			(size_t)(at - r->line_begin) + 1);
	va_list ap;

	va_start(ap, fmt);
	if (used > 0 && (size_t)used < r->err_size)
		vsnprintf(r->err + used, r->err_size - (size_t)used, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

/* ---- words ---- */

/* Skip blanks in the line. @return whether a word follows */
static bool
more_in_line(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	return r->at < r->end && *r->at != '\n';
}

/* Skip what is left of a line, and its end. */
static void
next_line(struct reader *r)
{
	while (r->at < r->end && *r->at != '\n')
		r->at++;
	if (r->at < r->end) {
		r->line++;
		r->line_begin = ++r->at;
	}
}

/* Skip blanks and ends of lines. @return whether a word follows */
static bool
more(struct reader *r)
{
	while (!more_in_line(r)) {
		if (r->at == r->end)
			return false;
		next_line(r);
	}
	return true;
}

static void
take_word(struct reader *r)
{
	r->word = r->at;
	while (r->at < r->end && *r->at != ' ' && *r->at != '\t' && *r->at != '\r' &&
			*r->at != '\n')
		r->at++;
	r->len = (size_t)(r->at - r->word);
}

static bool
is_word(const struct reader *r, const char *word)
{
	return strlen(word) == r->len && memcmp(r->word, word, r->len) == 0;
}

/* The number at the beginning of some bytes. @return its digits; 0: there is none, or it is too
 * great */
static size_t
digits(const char *text, size_t len, uint64_t max, uint64_t *value)
{
	size_t n = 0;

	for (*value = 0; n < len && text[n] >= '0' && text[n] <= '9'; n++) {
		const uint64_t digit = (uint64_t)(text[n] - '0');

		if (digit > max || *value > (max - digit) / 10)
			return 0;
		*value = *value * 10 + (uint64_t)(text[n] - '0');
	}
	return n;
}

static int
number(struct reader *r, const char *what, uint64_t max, uint64_t *value)
{
	if (!more_in_line(r))
		return wrong(r, r->at, "expected %s, found the end of the line", what);
	take_word(r);
	if (digits(r->word, r->len, max, value) != r->len)
		return wrong(r, r->word, "expected %s, 0 to %" PRIu64, what, max);
	return 0;
}

/* Read a time, which may have a fraction. @param ns in one of its units */
static int
start_time(struct reader *r, double ns, const char *unit, uint64_t *value)
{
	char word[MAX_WORD + 1], *end;
	double time;

	if (!more_in_line(r))
		return wrong(r, r->at, "expected the start in %s, found the end of the line", unit);
	take_word(r);
	if (r->len > MAX_WORD)
		return wrong(r, r->word, "expected the start in %s", unit);
	memcpy(word, r->word, r->len);
	word[r->len] = '\0';
	time = strtod(word, &end);
	/* Neither names of numbers nor hexadecimal ones. */
	if (*end != '\0' || word[strspn(word, "0123456789.eE+-")] != '\0')
		return wrong(r, r->word, "expected the start in %s", unit);
	time *= ns;
	if (!(time >= 0 && time <= MAX_START_NS))
		return wrong(r, r->word, "a start is at least 0, and at most 1000000 s");
	*value = (uint64_t)llround(time);
	return 0;
}

static int
add(struct reader *r, const struct lab_listed_flow *flow)
{
	struct lab_listed_flow *item;

	if (flow->from == flow->to)
		return wrong(r, r->line_begin, "host %u sends to itself", flow->from);
	if (r->list->n == LAB_FLOW_FILE_MAX)
		return wrong(r, r->line_begin, "there are more than %u flows", LAB_FLOW_FILE_MAX);
	item = lab_push(&r->list->flow, &r->list->n, sizeof(*item));
	if (item == NULL)
		return -ENOMEM;
	*item = *flow;
	item->line = r->line;
	r->list->n_hosts = RTE_MAX(r->list->n_hosts, flow->from + 1);
	r->list->n_hosts = RTE_MAX(r->list->n_hosts, flow->to + 1);
	return 0;
}

static int
end_of_line(struct reader *r)
{
	return more_in_line(r) ? wrong(r, r->at, "expected the end of the line") : 0;
}

/* ---- flow.txt ---- */

static int
read_ns3_flow(struct reader *r)
{
	struct lab_listed_flow flow = {.group = -1};
	uint64_t from, to, group, port;
	int rc = number(r, "a source", LAB_MAX_HOSTS - 1, &from);

	if (rc == 0)
		rc = number(r, "a destination", LAB_MAX_HOSTS - 1, &to);
	if (rc == 0)
		rc = number(r, "a priority group", 7, &group);
	if (rc == 0)
		rc = number(r, "a port", UINT16_MAX, &port);
	if (rc == 0)
		rc = number(r, "a number of bytes", LAB_MAX_MESSAGE, &flow.bytes);
	if (rc == 0 && flow.bytes == 0)
		rc = wrong(r, r->word, "a flow has at least one byte");
	if (rc == 0)
		rc = start_time(r, NS_IN_S, "seconds", &flow.start_ns);
	if (rc == 0)
		rc = end_of_line(r);
	if (rc != 0)
		return rc;
	flow.from = (uint32_t)from;
	flow.to = (uint32_t)to;
	flow.group = (int)group;
	flow.port = (uint16_t)port;
	return add(r, &flow);
}

int
lab_flow_list_read_ns3(const char *text, size_t size, struct lab_flow_list *list, char *err,
		size_t err_size)
{
	struct reader r = reader_of(text, size, list, err, err_size);
	uint64_t n;
	int rc;

	if (!more(&r))
		return wrong(&r, r.at, "expected the number of flows, found the end of the file");
	rc = number(&r, "the number of flows", LAB_FLOW_FILE_MAX, &n);
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		if (more(&r))
			rc = read_ns3_flow(&r);
		else
			rc = wrong(&r, r.at, "the file ends after %" PRIu64 " of %" PRIu64 " flows",
					i, n);
	}
	if (rc != 0)
		lab_flow_list_free(list);
	return rc;
}

/* ---- connection matrices ---- */

/* Read "SOURCE->DESTINATION". */
static int
read_ends(struct reader *r, uint32_t nodes, struct lab_listed_flow *flow)
{
	uint64_t from, to;
	size_t n = digits(r->word, r->len, LAB_MAX_HOSTS - 1, &from), m = 0;

	if (n > 0 && r->len - n > 2 && r->word[n] == '-' && r->word[n + 1] == '>')
		m = digits(r->word + n + 2, r->len - n - 2, LAB_MAX_HOSTS - 1, &to);
	if (m == 0 || n + 2 + m != r->len)
		return wrong(r, r->word, "expected SOURCE->DESTINATION, two numbers up to %u",
				LAB_MAX_HOSTS - 1);
	if (RTE_MAX(from, to) >= nodes)
		return wrong(r, r->word, "there are %u nodes, counted from 0", nodes);
	flow->from = (uint32_t)from;
	flow->to = (uint32_t)to;
	return 0;
}

/* Read the words behind the ends of a connection. */
static int
read_connection(struct reader *r, struct lab_listed_flow *flow)
{
	bool start = false, bytes = false;
	uint64_t unused;
	int rc = 0;

	while (rc == 0 && more_in_line(r)) {
		take_word(r);
		if (is_word(r, "start")) {
			start = true;
			rc = start_time(r, 1 / PS_IN_NS, "ps", &flow->start_ns);
		} else if (is_word(r, "size")) {
			bytes = true;
			rc = number(r, "a number of bytes", LAB_MAX_MESSAGE, &flow->bytes);
		} else if (is_word(r, "id") || is_word(r, "prio")) {
			rc = number(r, "a number", UINT32_MAX, &unused);
		} else if (memmem(r->word, r->len, "trigger", strlen("trigger")) != NULL) {
			rc = wrong(r, r->word,
					"flows that others trigger are not read: a trace of "
					"group operations has what waits for what");
		} else {
			rc = wrong(r, r->word, "expected start, size, id or prio");
		}
	}
	if (rc == 0 && (!start || !bytes))
		rc = wrong(r, r->at, "the connection has no %s", start ? "size" : "start");
	return rc;
}

/* The numbers that the head of a matrix gives. */
struct head {
	uint64_t nodes, connections, triggers, failures;
};

/* Read a line of the head. @return 1: it is none; 0, or a negative errno */
static int
read_head(struct reader *r, struct head *head)
{
	if (is_word(r, "Nodes"))
		return number(r, "a number of nodes", LAB_MAX_HOSTS, &head->nodes);
	if (is_word(r, "Connections"))
		return number(r, "a number of connections", LAB_FLOW_FILE_MAX, &head->connections);
	if (is_word(r, "Triggers"))
		return number(r, "a number of triggers", UINT32_MAX, &head->triggers);
	if (is_word(r, "Failures"))
		return number(r, "a number of failures", UINT32_MAX, &head->failures);
	return 1;
}

static int
read_htsim_line(struct reader *r, struct head *head)
{
	struct lab_listed_flow flow = {.group = -1};
	int rc;

	take_word(r);
	if (r->word[0] == '#') {
		next_line(r);
		return 0;
	}
	if (is_word(r, "trigger") || is_word(r, "failure"))
		return wrong(r, r->word, "triggers and failures are not read");
	rc = read_head(r, head);
	if (rc <= 0)
		return rc != 0 ? rc : end_of_line(r);
	rc = read_ends(r, (uint32_t)head->nodes, &flow);
	if (rc == 0)
		rc = read_connection(r, &flow);
	return rc == 0 ? add(r, &flow) : rc;
}

int
lab_flow_list_read_htsim(const char *text, size_t size, struct lab_flow_list *list, char *err,
		size_t err_size)
{
	struct reader r = reader_of(text, size, list, err, err_size);
	struct head head = {.nodes = 0};
	int rc = 0;

	while (rc == 0 && more(&r))
		rc = read_htsim_line(&r, &head);
	if (rc == 0 && list->n != head.connections)
		rc = wrong(&r, r.at, "there are %u connections, not %" PRIu64, list->n,
				head.connections);
	if (rc == 0)
		list->n_hosts = (uint32_t)head.nodes;
	else
		lab_flow_list_free(list);
	return rc;
}

void
lab_flow_list_free(struct lab_flow_list *list)
{
	free(list->flow);
	*list = (struct lab_flow_list){.n = 0};
}
