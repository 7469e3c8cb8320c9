/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What the page of the switch reads once a second. The values are those of `show queue`, `show
 * port` and `show notify`; only what the page draws is read, with one call of each worker, and a
 * row is an array, which takes a tenth of the time and of the bytes of an object.
 */

#include <stdlib.h>
#include <string.h>

#include "show_private.h"

/* Ports whose verdicts a worker adds up between two turns. */
#define PORTS_A_CALL 32

/* What a worker copies of its queues between two turns, and the sums of verdicts about them. */
struct look {
	unsigned int first; /* verdicts are added of ports from this one on */
	bool queues;        /* queues are copied, too */
	uint64_t verdict[FCN_NOTICE_KIND_MAX][FCN_NOTIFY_VERDICT_COUNT];
	struct {
		bool open;
		struct {
			uint64_t packets, dropped, ce_marked, notices;
			uint32_t occ_last, occ_max;
			bool congested;
			int8_t level;
		} class[FCN_CLASSES];
	} port[FCN_MAX_PORTS];
};

static void
add_verdicts(struct fcn_worker *w, struct look *look)
{
	const unsigned int end = RTE_MIN(w->n_ports, look->first + PORTS_A_CALL);

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		for (unsigned int p = look->first; p < end; p++) {
			for (unsigned int c = 0; c < FCN_NOTIFY_CLASSES; c++) {
				const struct fcn_notify_stats *s = &w->notify[k].stats[p][c];

				for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++)
					look->verdict[k][v] += s->verdict[v];
			}
		}
	}
}

static void
read_worker(struct fcn_worker *w, void *arg)
{
	struct look *look = arg;

	add_verdicts(w, look);
	for (unsigned int i = 0; look->queues && i < w->n_own_ports; i++) {
		const uint16_t p = w->own_port[i];
		const struct fcn_egress *eg = w->port[p].egress;

		look->port[p].open = eg != NULL;
		for (unsigned int c = 0; eg != NULL && c < FCN_CLASSES; c++) {
			const struct fcn_queue *q = &eg->queue[c];
			__typeof__(&look->port[p].class[c]) to = &look->port[p].class[c];

			to->packets = q->stats.deq_packets + q->stats.discarded_packets +
				      fcn_queue_packets(q);
			for (unsigned int v = FCN_QUEUE_ACCEPTED + 1; v < FCN_QUEUE_VERDICT_COUNT;
					v++)
				to->dropped += q->stats.drop[v];
			to->ce_marked = q->stats.ce_marked;
			to->notices = q->stats.notices;
			to->occ_last = q->bytes;
			to->occ_max = q->wm_max;
			to->congested = q->detector.congested;
			to->level = q->detector.level;
		}
	}
}

/* The occupancy in bytes from which on the detector finds congestion; null if it measures something
 * else, or is off. */
static json_t *
threshold_bytes(const struct fcn_detector_conf *d)
{
	switch (d->type) {
	case FCN_DETECTOR_STEP:
	case FCN_DETECTOR_RED:
		return json_integer(d->enter);
	case FCN_DETECTOR_QCN:
		return json_integer(d->qeq);
	default:
		return json_null();
	}
}

static json_t *
number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* A queue's row: X(column, value). */
#define QUEUE_COLUMNS(X)                                                                    \
	X("port", json_string(fcn_show_port_name(ctl, p)))                                  \
	X("class", json_integer(c))                                                         \
	X("threshold", fcn_show_threshold(&conf->detector))                                 \
	X("threshold_bytes", threshold_bytes(&conf->detector))                              \
	X("limit_bytes", json_integer(conf->limit_bytes))                                   \
	X("notify", json_boolean(conf->policy.notify))                                      \
	X("occ_last", json_integer(look->occ_last))                                         \
	X("occ_max", json_integer(look->occ_max))                                           \
	X("congested", json_boolean(look->congested))                                       \
	X("level", look->level != FCN_LEVEL_NONE ? json_integer(look->level) : json_null()) \
	X("packets", number(look->packets))                                                 \
	X("dropped", number(look->dropped))                                                 \
	X("ce_marked", number(look->ce_marked))                                             \
	X("notices", number(look->notices))                                                 \
	X("rate_bps", number(rate->bits))                                                   \
	X("dropped_per_s", number(rate->drops))                                             \
	X("ce_marked_per_s", number(rate->marks))                                           \
	X("notices_per_s", number(rate->notices))

/* A port's row. */
#define PORT_COLUMNS(X)                                                    \
	X("port", json_string(fcn_show_port_name(ctl, p)))                 \
	X("state", json_string(fcn_show_port_state(ctl, p)))               \
	X("link_bps", number(fcn_control_snapshot(ctl)->port[p].link_bps)) \
	X("rx_bps", number(rate.rx_bits))                                  \
	X("tx_bps", number(rate.tx_bits))                                  \
	X("drops_per_s", number(rate.drops))                               \
	X("notices_per_s", number(rate.notices))

/* A verdict's row. */
#define VERDICT_COLUMNS(X)                                          \
	X("kind", json_string(kind->name))                          \
	X("outcome", json_string(fcn_show_outcome(v)))              \
	X("verdict", json_string(fcn_notify_verdict_name(kind, v))) \
	X("packets", number(look->verdict[k][v]))                   \
	X("verdict_text", json_string(fcn_notify_verdict_text(kind, v)))

#define NAME(column, value) json_array_append_new(names, json_string(column));
#define VALUE(column, value) json_array_append_new(row, value);
#define TABLE_OF(COLUMNS)                                                           \
	json_t *table = json_object(), *names = json_array(), *rows = json_array(); \
                                                                                    \
	COLUMNS(NAME)                                                               \
	json_object_set_new(table, "columns", names);                               \
	json_object_set_new(table, "rows", rows)

/* Packets went to the queue, or it is configured to tell about congestion. */
static bool
is_of_interest(const struct fcn_queue_conf *conf, uint64_t packets)
{
	return packets != 0 || conf->policy.notify || conf->policy.ecn ||
	       conf->detector.type != FCN_DETECTOR_OFF;
}

static json_t *
show_queues(struct fcn_control *ctl, const struct look *all)
{
	TABLE_OF(QUEUE_COLUMNS);

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_queue_rates rates[FCN_CLASSES];
		struct fcn_port_rates port;

		if (!all->port[p].open || !fcn_show_is_chosen(ctl, p, -1))
			continue;
		if (!fcn_rates_get(fcn_control_rates(ctl), p, &port, rates))
			memset(rates, 0, sizeof(rates));
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			const struct fcn_queue_conf *conf =
					&fcn_control_snapshot(ctl)->port[p].egress.queue[c];
			const __typeof__(all->port[p].class[c]) *look = &all->port[p].class[c];
			const struct fcn_queue_rates *rate = &rates[c];
			json_t *row;

			if (!is_of_interest(conf, look->packets + look->dropped))
				continue;
			row = json_array();
			QUEUE_COLUMNS(VALUE)
			json_array_append_new(rows, row);
		}
	}
	return table;
}

static json_t *
show_ports(struct fcn_control *ctl)
{
	TABLE_OF(PORT_COLUMNS);

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_queue_rates queues[FCN_CLASSES];
		struct fcn_port_rates rate;
		json_t *row;

		if (!fcn_config_has_link(fcn_control_config(ctl), p))
			continue;
		if (!fcn_rates_get(fcn_control_rates(ctl), p, &rate, queues))
			memset(&rate, 0, sizeof(rate));
		row = json_array();
		PORT_COLUMNS(VALUE)
		json_array_append_new(rows, row);
	}
	return table;
}

static json_t *
show_verdicts(const struct look *look)
{
	TABLE_OF(VERDICT_COLUMNS);

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		const struct fcn_notice_kind *kind = fcn_notice_kinds[k];

		for (unsigned int v = 1; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
			json_t *row;

			if (look->verdict[k][v] == 0)
				continue;
			row = json_array();
			VERDICT_COLUMNS(VALUE)
			json_array_append_new(rows, row);
		}
	}
	return table;
}

void
fcn_show_feed(struct fcn_control *ctl, json_t *o)
{
	struct look *look = calloc(1, sizeof(*look));
	unsigned int n_ports = FCN_MAX_PORTS;

	if (look == NULL)
		return;
	while (n_ports > 0 && !fcn_show_is_chosen(ctl, n_ports - 1, -1))
		n_ports--;
	for (; look->first < RTE_MAX(n_ports, 1u); look->first += PORTS_A_CALL) {
		look->queues = look->first == 0;
		fcn_control_read(ctl, read_worker, look, sizeof(*look));
	}
	json_object_set_new(o, "ports", show_ports(ctl));
	json_object_set_new(o, "queues", show_queues(ctl, look));
	json_object_set_new(o, "verdicts", show_verdicts(look));
	free(look);
}
