/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Flows by the bytes that they brought while their queue was congested. Each queue has its top
 * flows; the notices about them are the collector's.
 */

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_event_line.h"
#include "show_private.h"

/* Units of struct fcn_top_flow in a packet. */
#define PARTS 256

/* A table that is wide is in parts, each of which has the first column, or the first two. */
const char *const fcn_show_flow_columns[] = {"sender", "flow", "receiver", "port", "class", "bytes",
		"percent", "dropped", "marked", "notices", "last_seen", NULL};

/* By port number: bit sets of the classes with top flows. */
struct used {
	uint8_t classes[FCN_MAX_PORTS];
};

static bool
has_flows(const struct fcn_top_flows *t)
{
	return (t->table[0].bytes | t->table[1].bytes) != 0;
}

static void
read_used(struct fcn_worker *w, void *arg)
{
	struct used *used = arg;

	for (unsigned int i = 0; i < w->n_own_ports; i++) {
		const unsigned int p = w->own_port[i];
		const struct fcn_egress *eg = w->port[p].egress;

		for (unsigned int c = 0; eg != NULL && c < FCN_CLASSES; c++) {
			if (has_flows(eg->queue[c].top_flows))
				used->classes[p] |= 1u << c;
		}
	}
}

/* What a worker copies of a port between two turns. */
struct reading {
	unsigned int port;
	uint8_t classes;
	uint64_t epoch_ns;
	struct fcn_top_flows class[FCN_CLASSES];
};

static void
read_port(struct fcn_worker *w, void *arg)
{
	struct reading *r = arg;
	const struct fcn_egress *eg = w->port[r->port].egress;

	r->epoch_ns = w->epoch_ns;
	if (eg == NULL)
		r->classes = 0;
	for (unsigned int left = r->classes; left != 0; left &= left - 1) {
		const unsigned int c = __builtin_ctz(left);

		r->class[c] = *eg->queue[c].top_flows;
	}
}

/* A flow, and the queue where it was. */
struct row {
	struct fcn_top_flow f;
	const struct fcn_collector_flow *notified; /* NULL: no notice is known */
	unsigned int port, class;
	uint64_t of_bytes, epoch_ns;
	bool exact;
};

struct rows {
	struct row *item;
	size_t n;
};

static const struct fcn_collector_flow *
find_notified(const struct fcn_control *ctl, const struct fcn_flow_key *key)
{
	if (key->form != FCN_FLOW_ROCE)
		return NULL;
	return fcn_collector_find(
			fcn_control_collector(ctl), key->sender, key->receiver, key->dest_qp);
}

static void
add_class(struct fcn_control *ctl, const struct reading *r, unsigned int c, struct rows *rows)
{
	struct fcn_top_flows_sum sum;
	struct row *item;

	fcn_top_flows_sum(&r->class[c], &sum);
	if (sum.n == 0)
		return;
	item = realloc(rows->item, (rows->n + sum.n) * sizeof(*item));
	if (item == NULL)
		return;
	rows->item = item;
	for (unsigned int i = 0; i < sum.n; i++)
		rows->item[rows->n++] = (struct row){
				.f = sum.flow[i],
				.notified = find_notified(ctl, &sum.flow[i].key),
				.port = r->port,
				.class = c,
				.of_bytes = sum.bytes,
				.epoch_ns = r->epoch_ns,
				.exact = sum.exact,
		};
}

/* Read the top flows of all queues that are chosen. */
static void
read_rows(struct fcn_control *ctl, int port, int class, struct rows *rows)
{
	struct used used = {{0}};
	struct reading *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return;
	fcn_control_read(ctl, read_used, &used, sizeof(used));
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (used.classes[p] == 0 || !fcn_show_is_chosen(ctl, p, port))
			continue;
		r->port = p;
		r->classes = used.classes[p] & (class >= 0 ? 1u << class : UINT8_MAX);
		fcn_worker_read(fcn_control_owner(ctl, p), read_port, r, sizeof(*r));
		for (unsigned int left = r->classes; left != 0; left &= left - 1)
			add_class(ctl, r, __builtin_ctz(left), rows);
	}
	free(r);
}

static int
compare(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (a->f.bytes != b->f.bytes)
		return a->f.bytes < b->f.bytes ? 1 : -1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return memcmp(&a->f.key, &b->f.key, sizeof(a->f.key));
}

static json_t *
show_end(const struct fcn_flow_key *key, const uint8_t *bytes)
{
	struct rte_ether_addr mac;

	if (key->form != FCN_FLOW_LINK)
		return fcn_show_addr6(bytes);
	memcpy(&mac, bytes, sizeof(mac));
	return fcn_show_mac(&mac);
}

/* What tells the flow from others between the same ends, for people. */
static json_t *
show_flow(const struct fcn_flow_key *key)
{
	switch ((enum fcn_flow_form)key->form) {
	case FCN_FLOW_LINK:
		return json_sprintf("type 0x%04x", key->ether_type);
	case FCN_FLOW_ROCE:
		return json_sprintf("qp 0x%06x", key->dest_qp);
	default:
		break;
	}
	if (key->proto != IPPROTO_UDP && key->proto != IPPROTO_TCP)
		return json_sprintf("proto %u", key->proto);
	return json_sprintf("%s %u>%u", key->proto == IPPROTO_UDP ? "udp" : "tcp", key->src_port,
			key->dst_port);
}

static void
show_key(json_t *o, const struct fcn_flow_key *key)
{
	const bool ports = key->form == FCN_FLOW_PORTS;

	json_object_set_new(o, "sender", show_end(key, key->sender));
	json_object_set_new(o, "receiver", show_end(key, key->receiver));
	json_object_set_new(o, "qp",
			key->form == FCN_FLOW_ROCE ? json_sprintf("0x%06x", key->dest_qp)
						   : json_null());
	json_object_set_new(o, "flow", show_flow(key));
	fcn_show_set_known(o, "proto", ports, key->proto);
	fcn_show_set_known(o, "src_port", ports && key->src_port != 0, key->src_port);
	fcn_show_set_known(o, "dst_port", ports && key->dst_port != 0, key->dst_port);
}

/* The date is known where the program has told the worker what time it is. */
static void
show_time(json_t *o, const char *key, uint64_t epoch_ns, uint64_t ns)
{
	char buf[FCN_UTC_SIZE];

	fcn_show_set_str(o, key, epoch_ns != 0 ? fcn_format_utc(epoch_ns + ns, buf) : NULL);
}

/* @param f NULL: there were none, or, if not `known`, there was no room for the flow */
static void
show_notices(json_t *o, const struct fcn_collector_flow *f, bool known)
{
	fcn_show_set_known(o, "notices", f != NULL || known, f != NULL ? f->notices : 0);
	fcn_show_set_known(o, "first_ns", f != NULL, f != NULL ? f->first_ns : 0);
	fcn_show_set_known(o, "last_ns", f != NULL, f != NULL ? f->last_ns : 0);
	fcn_show_set_level(o, "max_level", f != NULL ? f->max_level : FCN_LEVEL_NONE);
}

/* A share to a tenth of a percent. */
static json_t *
show_percent(uint64_t bytes, uint64_t of)
{
	return json_real((double)((1000 * bytes + of / 2) / of) / 10);
}

static uint64_t
packets_of(uint64_t parts)
{
	return (parts + PARTS / 2) / PARTS;
}

static void
show_row(const struct fcn_control *ctl, const struct row *r, bool knows_all, json_t *list)
{
	json_t *o = fcn_show_class_row(ctl, list, r->port, r->class);

	show_key(o, &r->f.key);
	fcn_show_set(o, "bytes", r->f.bytes);
	json_object_set_new(o, "percent", show_percent(r->f.bytes, r->of_bytes));
	fcn_show_set(o, "packets", packets_of(r->f.packets));
	fcn_show_set(o, "dropped", packets_of(r->f.dropped));
	fcn_show_set(o, "marked", packets_of(r->f.marked));
	show_notices(o, r->notified, knows_all || r->f.key.form != FCN_FLOW_ROCE);
	show_time(o, "first_seen", r->epoch_ns, r->f.first_ns);
	show_time(o, "last_seen", r->epoch_ns, r->f.last_ns);
	fcn_show_set(o, "more_bytes_at_most", r->f.over);
	fcn_show_set_bool(o, "exact", r->exact);
}

static bool
has_row_of(const struct rows *rows, const struct fcn_collector_flow *f)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct fcn_flow_key *key = &rows->item[i].f.key;

		if (rows->item[i].notified != NULL && key->dest_qp == f->dest_qp &&
				memcmp(key->sender, f->sender, sizeof(f->sender)) == 0 &&
				memcmp(key->receiver, f->receiver, sizeof(f->receiver)) == 0)
			return true;
	}
	return false;
}

/* A flow that was notified, and is not among the top flows of any queue: it brought little, or has
 * been quiet for long. */
static void
show_notified_row(const struct fcn_collector_flow *f, json_t *list)
{
	static const char *const unknown[] = {"bytes", "percent", "packets", "dropped", "marked"};
	struct fcn_flow_key key = {.form = FCN_FLOW_ROCE, .dest_qp = f->dest_qp};
	json_t *o = fcn_show_row(list);

	memcpy(key.sender, f->sender, sizeof(key.sender));
	memcpy(key.receiver, f->receiver, sizeof(key.receiver));
	fcn_show_set_str(o, "port", NULL);
	fcn_show_set_str(o, "class", NULL);
	show_key(o, &key);
	for (unsigned int i = 0; i < RTE_DIM(unknown); i++)
		fcn_show_set_str(o, unknown[i], NULL);
	show_notices(o, f, true);
	show_time(o, "first_seen", 0, 0);
	show_time(o, "last_seen", 0, 0);
	fcn_show_set_str(o, "more_bytes_at_most", NULL);
	fcn_show_set_bool(o, "exact", false);
}

static void
show_notified(struct fcn_control *ctl, const struct rows *rows, size_t n, json_t *list)
{
	const size_t most = RTE_MIN(rows->n + n, (size_t)FCN_COLLECTOR_FLOWS);
	struct fcn_collector_flow *top = calloc(most, sizeof(*top));
	const unsigned int found =
			top == NULL ? 0 : fcn_collector_top(fcn_control_collector(ctl), top, most);

	for (unsigned int i = 0; i < found && json_array_size(list) < n; i++) {
		if (!has_row_of(rows, &top[i]))
			show_notified_row(&top[i], list);
	}
	free(top);
}

json_t *
fcn_show_flows(struct fcn_control *ctl, int port, int class, unsigned int n)
{
	struct fcn_collector_summary notified;
	struct rows rows = {NULL, 0};
	json_t *list = json_array();

	fcn_control_drain(ctl);
	fcn_collector_summary(fcn_control_collector(ctl), &notified);
	read_rows(ctl, port, class, &rows);
	if (rows.n > 0)
		qsort(rows.item, rows.n, sizeof(rows.item[0]), compare);
	for (size_t i = 0; i < RTE_MIN(rows.n, (size_t)n); i++)
		show_row(ctl, &rows.item[i], notified.untracked == 0, list);
	if (port < 0 && class < 0 && rows.n < n)
		show_notified(ctl, &rows, n, list);
	free(rows.item);
	return list;
}
