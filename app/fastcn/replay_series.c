/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The series of a replay: what changed in each turn, and each notice, as a table. */

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_drop.h"
#include "replay_run.h"

/* What the series has told so far. */
struct replay_series {
	uint32_t occupancy[FCN_MAX_PORTS][FCN_CLASSES];
	uint64_t congested[FCN_MAX_PORTS][FCN_CLASSES];
	uint64_t dropped[FCN_MAX_PORTS][FCN_CLASSES]; /* bytes */
	uint64_t drop[FCN_MAX_PORTS][FCN_CLASSES][FCN_QUEUE_VERDICT_COUNT];
	uint64_t received[FCN_MAX_PORTS];
	uint64_t port_drop[FCN_MAX_PORTS][FCN_DROP_REASON_COUNT];
	uint64_t verdict[FCN_NOTICE_KIND_MAX][FCN_MAX_PORTS][FCN_CLASSES][FCN_NOTIFY_VERDICT_COUNT];
};

static const char *
port_name(const struct replay_run *run, unsigned int port)
{
	return fcn_control_config(run->ctl)->port[port].name;
}

int
replay_series_begin(struct replay_run *run)
{
	run->told = calloc(1, sizeof(*run->told));
	if (run->told == NULL)
		return -1;
	fputs("time_ns\twhat\tport\tclass\tbytes\tlevel\tpackets\tkind\tname\tsender\treceiver\t"
	      "dest_qp\n",
			run->series);
	return 0;
}

void
replay_series_end(struct replay_run *run)
{
	free(run->told);
}

static const char *
address(const uint8_t bytes[16], char *buf)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
		return inet_ntop(AF_INET, bytes + sizeof(mapped), buf, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, bytes, buf, INET6_ADDRSTRLEN);
}

void
replay_series_notice(struct replay_run *run, const struct fcn_event *ev)
{
	const struct fcn_notice_kind *kind = fcn_notice_kinds[ev->kind];
	char sender[INET6_ADDRSTRLEN], receiver[INET6_ADDRSTRLEN];

	fprintf(run->series,
			"%" PRIu64 "\tnotice\t%s\t%u\t%u\t%d\t1\t%s\t%s\t%s\t%s\t%" PRIu32 "\n",
			ev->time_ns, port_name(run, ev->port), ev->class, ev->occupancy, ev->level,
			kind->name, fcn_notify_verdict_name(kind, ev->verdict),
			address(ev->sender, sender), address(ev->receiver, receiver), ev->dest_qp);
}

/* Packets that met congestion, and for which no notice was sent. */
static void
tell_verdicts(struct replay_run *run, unsigned int p, unsigned int c)
{
	const struct fcn_worker *w = fcn_control_worker(run->ctl, 0);

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		const uint64_t *now = w->notify[k].stats[p][c].verdict;
		uint64_t *told = run->told->verdict[k][p][c];

		for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
			if (now[v] == told[v])
				continue;
			if (!fcn_notify_verdict_is_sent(v))
				fprintf(run->series,
						"%" PRIu64 "\tverdict\t%s\t%u\t\t\t%" PRIu64
						"\t%s\t%s\t\t\t\n",
						run->now, port_name(run, p), c, now[v] - told[v],
						fcn_notice_kinds[k]->name,
						fcn_notify_verdict_name(fcn_notice_kinds[k], v));
			told[v] = now[v];
		}
	}
}

static void
tell_drop(struct replay_run *run, unsigned int p, const char *class, uint64_t packets,
		enum fcn_drop_reason reason)
{
	fprintf(run->series, "%" PRIu64 "\tdrop\t%s\t%s\t\t\t%" PRIu64 "\t\t%s\t\t\t\n", run->now,
			port_name(run, p), class, packets, fcn_drop_name(reason));
}

static void
tell_queue_drops(struct replay_run *run, unsigned int p, unsigned int c, const uint64_t *now)
{
	uint64_t *told = run->told->drop[p][c];
	const char class[] = {(char)('0' + c), '\0'};

	for (unsigned int v = FCN_QUEUE_ACCEPTED + 1; v < FCN_QUEUE_VERDICT_COUNT; v++) {
		if (now[v] != told[v])
			tell_drop(run, p, class, now[v] - told[v], fcn_drop_of_refusal(v));
		told[v] = now[v];
	}
}

/* Packets that were dropped before they came to a queue. */
static void
tell_port_drops(struct replay_run *run, unsigned int p, const uint64_t *now)
{
	uint64_t *told = run->told->port_drop[p];

	/* The list of reasons ends with those of queues. */
	for (unsigned int r = 1; r < FCN_DROP_QUEUE_BYTES; r++) {
		if (now[r] != told[r])
			tell_drop(run, p, "", now[r] - told[r], r);
		told[r] = now[r];
	}
}

static void
tell_queue(struct replay_run *run, unsigned int p, unsigned int c, const struct fcn_queue *q)
{
	struct replay_series *told = run->told;

	if (q->bytes != told->occupancy[p][c])
		fprintf(run->series, "%" PRIu64 "\toccupancy\t%s\t%u\t%" PRIu32 "\t\t\t\t\t\t\t\n",
				run->now, port_name(run, p), c, q->bytes);
	told->occupancy[p][c] = q->bytes;
	if (q->stats.congested_packets != told->congested[p][c])
		tell_verdicts(run, p, c);
	told->congested[p][c] = q->stats.congested_packets;
	if (q->stats.drop_bytes != told->dropped[p][c])
		tell_queue_drops(run, p, c, q->stats.drop);
	told->dropped[p][c] = q->stats.drop_bytes;
}

void
replay_series_turn(struct replay_run *run, bool last)
{
	const struct fcn_worker *w = fcn_control_worker(run->ctl, 0);

	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		uint16_t p = w->own_port[i];

		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			tell_queue(run, p, c, &w->port[p].egress->queue[c]);
		/* What is dropped was received in the same turn, nearly always. */
		if (last || w->counters[p].rx_packets != run->told->received[p])
			tell_port_drops(run, p, w->counters[p].drop);
		run->told->received[p] = w->counters[p].rx_packets;
	}
}
