/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>

#include "qpd.h"

#define PREFIX "fastcn_qpd_"

/* The lists of counters have sentences without a full stop. */
static void
put_head(FILE *out, const char *place, const char *name, const char *suffix, const char *type,
		const char *text)
{
	fprintf(out, "# TYPE " PREFIX "%s%s%s %s\n", place, name, suffix, type);
	fprintf(out, "# HELP " PREFIX "%s%s%s %s.\n", place, name, suffix, text);
}

static void
put_counter(FILE *out, const char *place, const char *name, const char *text, uint64_t v)
{
	put_head(out, place, name, "_total", "counter", text);
	fprintf(out, PREFIX "%s%s_total %" PRIu64 "\n", place, name, v);
}

static void
put_gauge(FILE *out, const char *name, const char *text, uint64_t v)
{
	put_head(out, "", name, "", "gauge", text);
	fprintf(out, PREFIX "%s %" PRIu64 "\n", name, v);
}

static void
put_ends(const struct server *s, FILE *out)
{
	put_head(out, "", "ends_total", "", "counter", "Sessions of hosts that have ended");
#define PUT(sym, name, text)                                                  \
	fprintf(out, PREFIX "ends_total{reason=\"" #name "\"} %" PRIu64 "\n", \
			s->counters.ends[SESSION_##sym]);
	SESSION_ENDS(PUT)
#undef PUT
}

/* X(key, text, value): of each host. Names of hosts have nothing that would need an escape. */
#define OF_HOST(X)                                                                              \
	X(has_session, "1 while the host has a session, 0 until it is forgotten", h.is_live)    \
	X(queue_pairs, "Queue pairs that the host has reported", h.entries)                     \
	X(in_force, "Those of them that the switch has taken", h.in_force)                      \
	X(pending, "Those of them that the switch is still to be told of, or has not answered", \
			h.pending)

static void
put_hosts(const struct hosts *hosts, FILE *out)
{
#define PUT(key, text, value)                                                           \
	put_head(out, "host_", #key, "", "gauge", text);                                \
	for (uint32_t i = 0; i < hosts_count(hosts); i++) {                             \
		const struct hosts_shown h = hosts_show(hosts, i);                      \
                                                                                        \
		fprintf(out, PREFIX "host_" #key "{host=\"%s\"} %" PRIu32 "\n", h.name, \
				(uint32_t)(value));                                     \
	}
	OF_HOST(PUT)
#undef PUT
}

void
qpd_metrics_write(const struct qpd *qpd, FILE *out)
{
	const struct server *s = &qpd->server;
	const struct fcn_remote_feed_counters *feed = &qpd->feed.counters;
	const struct hosts_counters *hosts = hosts_counters(qpd->hosts);

	put_gauge(out, "switch_is_connected", "1 while there is a connection to the switch",
			qpd->feed.fd >= 0);
	put_gauge(out, "switch_unanswered", "Lines that the switch has not answered yet",
			qpd->feed.waiting);
	put_gauge(out, "switch_to_retry",
			"Queue pairs that the switch has refused, and is to be told again",
			hosts_refused(qpd->hosts));
	put_gauge(out, "open_sessions", "Sessions of hosts", s->n_open);
	put_gauge(out, "open_handshakes", "Connections without a certificate yet", s->n_handshakes);
	put_gauge(out, "queue_pairs", "Queue pairs of all hosts", hosts_entries(qpd->hosts));
	put_hosts(qpd->hosts, out);
#define PUT(member, text) put_counter(out, "switch_", #member, text, feed->member);
	FCN_REMOTE_FEED_COUNTERS(PUT)
#undef PUT
#define PUT(member, text) put_counter(out, "switch_", #member, text, hosts->member);
	HOSTS_COUNTERS(PUT)
#undef PUT
#define PUT(member, text) \
	put_counter(out, "connections_", #member, text, s->counters.server.member);
	SERVER_COUNTERS(PUT)
#undef PUT
#define PUT(member, text) put_counter(out, "reports_", #member, text, s->counters.session.member);
	SESSION_COUNTERS(PUT)
#undef PUT
	put_ends(s, out);
}
