/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <rte_common.h>

#include "fcn_arn.h"
#include "fcn_drop.h"
#include "fcn_event_line.h"
#include "fcn_notify.h"
#include "fcn_proxy_conf.h"
#include "fcn_proxy_map.h"
#include "fcn_snapshot.h"
#include "fcn_tunnel_ecn.h"
#include "fcn_warning.h"

#define NS 1000000000u

/* Sets of event types, each of which has certain fields. */
#define BIT(type) (UINT64_C(1) << FCN_EVENT_##type)
#define NOTICE (BIT(NOTICE))
#define SENT (BIT(NOTICE_SENT))
#define STATE ((BIT(TYPE_COUNT) - 1) & ~(NOTICE | SENT))
#define ALL (NOTICE | SENT | STATE)
#define BORDER (BIT(BORDER))
#define TUNNEL (BIT(TUNNEL_ECN))
#define COUNTED (BIT(DROP_BURST) | BIT(POLICED) | BIT(SUPPRESSED) | BORDER)
#define FLOOD_STORM (BIT(FLOOD_STORM))
#define MOVED FCN_EVENTS_MOVED
#define BRIDGE (FLOOD_STORM | MOVED | BIT(MAC_LIMIT) | BIT(MAC_FULL) | BIT(ERR_RECOVERED))
#define NEIGHBOUR (BIT(NEIGHBOUR) | BIT(NEIGHBOUR_LOST))

#define ARN (BIT(ARN_SENT) | BIT(ARN_ENDED))
#define ARN_RECEIVED (BIT(ARN_RECEIVED) | BIT(ARN_RESUMED))
#define PASSED_ON (BIT(ARN_PASSED_ON))
#define NOTIFIED (BIT(PROXY_NOTIFIED))
#define PROXY (BIT(PROXY_LEARNED) | BIT(PROXY_LOST))
#define ENDCON (BIT(ENDCON_LEARNED) | BIT(ENDCON_LOST))
#define LEARNED (PROXY | ENDCON)
#define WARNING (BIT(WARNING) | BIT(WARNING_OVER))
#define WORKER (BIT(WORKER_STALLED) | BIT(WORKER_RECOVERED))
#define LINK FCN_EVENTS_LINK
#define WORDED FCN_EVENTS_WORDED
#define OPERATION (LINK | WORDED)
#define SENDER (BIT(SENDER) | BIT(SENDER_IGNORED) | BIT(SENDER_FORGOTTEN))

struct line {
	char *buf;
	size_t len;
	const struct fcn_event *ev;
	const struct fcn_event_names *names;
};

__attribute__((format(printf, 2, 3))) static void
put(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->buf + l->len, FCN_EVENT_LINE_MAX - l->len, fmt, ap);
	va_end(ap);
	l->len = RTE_MIN(l->len + (n > 0 ? (size_t)n : 0), (size_t)FCN_EVENT_LINE_MAX - 1);
}

const char *
fcn_format_utc(uint64_t ns, char buf[FCN_UTC_SIZE])
{
	time_t seconds = ns / NS;
	struct tm tm;
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(buf, FCN_UTC_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + len, FCN_UTC_SIZE - len, ".%09" PRIu64 "Z", ns % NS);
	return buf;
}

static void
put_time(struct line *l)
{
	char buf[FCN_UTC_SIZE];

	put(l, "\"%s\"", fcn_format_utc(l->names->epoch_ns + l->ev->time_ns, buf));
}

static void
put_port(struct line *l, unsigned int port)
{
	put(l, "\"%.64s\"", l->names->port(l->names->arg, port));
}

static void
put_mac(struct line *l, const uint8_t *b)
{
	put(l, "\"%02x:%02x:%02x:%02x:%02x:%02x\"", b[0], b[1], b[2], b[3], b[4], b[5]);
}

/* Write an address of the data packet, IPv4 as such. */
static void
put_end(struct line *l, const uint8_t *bytes)
{
	const struct fcn_addr addr = fcn_addr_unmap(bytes);
	char buf[FCN_ADDR_STRLEN];

	put(l, "\"%s\"", fcn_addr_format(&addr, buf, sizeof(buf)));
}

static void
put_address(struct line *l, const uint8_t *bytes)
{
	char buf[INET6_ADDRSTRLEN];

	put(l, "\"%s\"", inet_ntop(AF_INET6, bytes, buf, sizeof(buf)));
}

/* Write an address of either IP version, which stands as an IPv6 address, without quotes. */
static void
put_either(struct line *l, const uint8_t *bytes)
{
	static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF}; /* RFC 4291 section 2.5.5.2 */
	char buf[INET6_ADDRSTRLEN];

	if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
		put(l, "%s", inet_ntop(AF_INET, bytes + sizeof(mapped), buf, sizeof(buf)));
	else
		put(l, "%s", inet_ntop(AF_INET6, bytes, buf, sizeof(buf)));
}

static void
put_mapped(struct line *l, const uint8_t *bytes)
{
	put(l, "\"");
	put_either(l, bytes);
	put(l, "\"");
}

static const struct fcn_event_text *
words_of(const struct line *l)
{
	static const struct fcn_event_text none = {0};
	const struct fcn_event_text *words =
			l->names->words != NULL ? l->names->words(l->names->arg, l->ev->len) : NULL;

	return words != NULL ? words : &none;
}

/* Write a string of a person, which is UTF-8 and has no control characters but tabs. */
static void
put_word(struct line *l, const char *word)
{
	if (word == NULL) {
		put(l, "null");
		return;
	}
	put(l, "\"");
	for (; *word != '\0'; word++) {
		if (*word == '"' || *word == '\\')
			put(l, "\\%c", *word);
		else if ((unsigned char)*word < ' ')
			put(l, " ");
		else
			put(l, "%c", *word);
	}
	put(l, "\"");
}

static void
put_or_null(struct line *l, uint32_t number)
{
	if (number == 0)
		put(l, "null");
	else
		put(l, "%u", number);
}

static void
put_prefix(struct line *l)
{
	put(l, "\"");
	put_either(l, l->ev->sender);
	put(l, "/%u\"", l->ev->len);
}

/* Types of events that are about a class queue, and those that tell what it holds. */
#define OF_CLASS                                                                              \
	(ALL & ~(NEIGHBOUR | SENDER | LEARNED | BRIDGE | BORDER | TUNNEL | WARNING | WORKER | \
			       ARN_RECEIVED | NOTIFIED | OPERATION))
#define OF_OCCUPANCY                                                                              \
	(NOTICE | (STATE & ~(COUNTED | NEIGHBOUR | SENDER | LEARNED | BRIDGE | TUNNEL | WARNING | \
					   WORKER | OPERATION | ARN_RECEIVED | NOTIFIED)))

bool
fcn_event_has_class(enum fcn_event_type type)
{
	return OF_CLASS >> type & 1;
}

bool
fcn_event_has_occupancy(enum fcn_event_type type)
{
	return OF_OCCUPANCY >> type & 1;
}

/* The fields in their order: X(name, types of events that have it, statement that writes it, help).
 */
#define FIELDS(X)                                                                                  \
	X("time", ALL, put_time(l), "when, UTC by RFC 3339 with nine decimals")                    \
	X("time_ns", ALL, put(l, "%" PRIu64, l->ev->time_ns),                                      \
			"when, nanoseconds of the worker's clock, as in `show events`")            \
	X("event", ALL, put(l, "\"%s\"", fcn_event_name(l->ev->type)), "what happened: see above") \
	X("port", ALL & ~(SENDER | LEARNED | WORKER | WORDED), put_port(l, l->ev->port),           \
			"the congested port; `notice_sent`: where the notice left; flow control "  \
			"and "                                                                     \
			"losses: where the packets came in; `warning`: the port that it is "       \
			"about, "                                                                  \
			"or - for none")                                                           \
	X("class", OF_CLASS, put(l, "%u", l->ev->class), "class queue, 0 to 7")                    \
	X("occupancy", OF_OCCUPANCY, put(l, "%u", l->ev->occupancy), "bytes in the queue")         \
	X("notice", NOTICE | SENT | SENDER,                                                        \
			put(l, "\"%s\"", fcn_notice_kind_of(l->ev->kind)->name),                   \
			"kind of the notice")                                                      \
	X("level", NOTICE | PASSED_ON | NOTIFIED, put(l, "%d", l->ev->level), "congestion level")  \
	X("verdict", NOTICE,                                                                       \
			put(l, "\"%s\"",                                                           \
					fcn_notify_verdict_name(fcn_notice_kind_of(l->ev->kind),   \
							l->ev->verdict)),                          \
			"which notice was made: a verdict of counters.md that was sent")           \
	X("in_port", NOTICE | PASSED_ON, put_port(l, l->ev->in_port),                              \
			"port the data packet came in by")                                         \
	X("sender", NOTICE | NOTIFIED, put_end(l, l->ev->sender),                                  \
			"source address of the data packet")                                       \
	X("receiver", NOTICE | NOTIFIED, put_end(l, l->ev->receiver),                              \
			"final destination address of the data packet")                            \
	X("qp", NOTICE | NOTIFIED, put(l, "\"0x%06x\"", l->ev->dest_qp),                           \
			"destination queue pair of the data packet")                               \
	X("wait_ns", SENT, put(l, "%u", l->ev->wait_ns),                                           \
			"from the decision to the hand-over to the port")                          \
	X("bytes", SENT, put(l, "%u", l->ev->len), "length of the notice's frame, without FCS")    \
	X("prefix", PROXY, put_prefix(l), "of the senders")                                        \
	X("proxy", PROXY, put_mapped(l, l->ev->receiver), "address of their proxy")                \
	X("sid", ENDCON, put_mapped(l, l->ev->sender), "END.CON SID")                              \
	X("protocol", LEARNED, put(l, "\"%s\"", fcn_proxy_origin_name(l->ev->kind)),               \
			"by which it was learned: isis, ospf, ospf3 or bgp")                       \
	X("warning", WARNING, put(l, "\"%s\"", fcn_warning_name(l->ev->verdict)),                  \
			"its kind, as in `show warnings`")                                         \
	X("packets", COUNTED, put(l, "%u", l->ev->len), "packets of the last second")              \
	X("kind", FLOOD_STORM, put(l, "\"%s\"", fcn_flood_kind_name(l->ev->class)),                \
			"of the frames: broadcast, unknown-unicast or multicast")                  \
	X("reason", BORDER, put(l, "\"%s\"", fcn_drop_name(l->ev->verdict)),                       \
			"why they did not cross: a drop reason of counters.md")                    \
	X("combination", TUNNEL, put(l, "\"%s\"", fcn_tunnel_ecn_name(l->ev->verdict)),            \
			"of the ECN fields: a combination of `show srv6 sid`")                     \
	X("mode", ARN_RECEIVED, put(l, "\"%s\"", fcn_arn_mode_name(l->ev->verdict)),               \
			"of what is halted: service, flow or priority")                            \
	X("translation", NOTIFIED, put(l, "\"%s\"", fcn_proxy_translation_name(l->ev->verdict)),   \
			"how the sender was told: as in proxy sender add")                         \
	X("from", MOVED, put_port(l, l->ev->in_port), "port that it was known on before")          \
	X("mac", MOVED, put_mac(l, l->ev->sender), "MAC address that moved last")                  \
	X("worker", WORKER, put(l, "%u", l->ev->len), "number of the worker, as in `show worker`") \
	X("address", NEIGHBOUR | SENDER | ARN | ARN_RECEIVED, put_address(l, l->ev->sender),       \
			"of the neighbour, upstream neighbour, downstream switch or sender; IPv4 " \
			"as "                                                                      \
			"::ffff:192.0.2.1")                                                        \
	X("mbps", LINK, put_or_null(l, l->ev->len), "speed of the link, Mb/s; null: not known")    \
	X("user", WORDED, put_word(l, words_of(l)->user),                                          \
			"who did it; null: nobody in particular")                                  \
	X("role", WORDED, put_word(l, words_of(l)->role), "role of the session; null: none")       \
	X("text", WORDED, put_word(l, words_of(l)->text), "the command, or what was done")

size_t
fcn_event_line(const struct fcn_event *ev, const struct fcn_event_names *names, char *buf)
{
	struct line line = {.buf = buf, .ev = ev, .names = names}, *l = &line;

#define PUT_FIELD(name, events, put_it, help)                       \
	if ((events) >> ev->type & 1) {                             \
		put(l, "%s\"" name "\":", l->len == 0 ? "{" : ","); \
		put_it;                                             \
	}
	FIELDS(PUT_FIELD)
#undef PUT_FIELD
	put(l, "}\n");
	return l->len;
}

/* Copy a value of JSON, in which \" does not end a string. A string without blanks loses its
 * quotes.
 * @return what is behind it */
static const char *
copy_value(struct line *to, const char *value)
{
	const bool is_string = *value == '"';
	size_t len = is_string ? 1 : strcspn(value, ",}");

	while (is_string && value[len] != '"' && value[len] != '\0')
		len += value[len] == '\\' && value[len + 1] != '\0' ? 2 : 1;
	if (is_string && memchr(value, ' ', len) == NULL)
		put(to, "%.*s", (int)len - 1, value + 1);
	else
		put(to, "%.*s", (int)len + is_string, value);
	return value + len + is_string;
}

size_t
fcn_event_words_line(const struct fcn_event *ev, const struct fcn_event_names *names, char *buf)
{
	char json[FCN_EVENT_LINE_MAX], name[32];
	struct line line = {.buf = buf}, *l = &line;
	const char *p = json;

	fcn_event_line(ev, names, json);
	while (*p == '{' || *p == ',') {
		const size_t len = strcspn(p + 2, "\"");

		snprintf(name, sizeof(name), "%.*s", (int)len, p + 2);
		p += len + 4; /* behind the colon */
		if (strcmp(name, "time") == 0) {
			put(l, "%.15s", p + 1 + strlen("2026-01-31T"));
			p += strcspn(p, ",");
		} else if (strcmp(name, "time_ns") == 0) {
			p += strcspn(p, ",");
		} else {
			put(l, strcmp(name, "event") == 0 ? " " : " %s ", name);
			p = copy_value(l, p);
		}
	}
	put(l, "\n");
	return l->len;
}

/* Print the names of a set of event types, or, if that is shorter, of the types that are not in it.
 */
static void
print_events(uint64_t events, FILE *out)
{
	const char *before = "";

	if (__builtin_popcountll(events) > FCN_EVENT_TYPE_COUNT / 2) {
		fputs(events == ALL ? "all" : "all but ", out);
		events = ALL & ~events;
	}
	for (; events != 0; events &= events - 1) {
		fprintf(out, "%s`%s`", before, fcn_event_name(__builtin_ctzll(events)));
		before = ", ";
	}
}

void
fcn_event_reference(FILE *out)
{
	fputs("| event | meaning |\n|---|---|\n", out);
	for (unsigned int t = 0; t < FCN_EVENT_TYPE_COUNT; t++)
		fprintf(out, "| `%s` | %s |\n", fcn_event_name(t), fcn_event_text(t));
	fputs("\n| field | in events | meaning |\n|---|---|---|\n", out);
#define PRINT_FIELD(name, events, put_it, help) \
	fprintf(out, "| `%s` | ", name);        \
	print_events(events, out);              \
	fprintf(out, " | %s |\n", help);
	FIELDS(PRINT_FIELD)
#undef PRINT_FIELD
	fputs("\n| kind of warning | meaning |\n|---|---|\n", out);
	for (unsigned int k = 0; k < FCN_WARNING_KIND_COUNT; k++)
		fprintf(out, "| `%s` | %s |\n", fcn_warning_name(k), fcn_warning_text(k));
}
