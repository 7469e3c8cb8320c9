/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "show.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 64

struct row {
	struct host_qp_view view;
	char adapter[NAME_SIZE];
};

struct rows {
	struct row *row;
	size_t n, room;
	bool failed;
};

/* The three lists. */
enum list {
	LIST_TOLD,
	LIST_UNRESOLVED,
	LIST_OTHERS
};

void
show_address(const uint8_t address[16], char out[SHOW_ADDRESS_SIZE])
{
	static const uint8_t mapped[12] = {[10] = 0xFF, 0xFF};

	if (memcmp(address, mapped, sizeof(mapped)) == 0)
		inet_ntop(AF_INET, address + sizeof(mapped), out, SHOW_ADDRESS_SIZE);
	else
		inet_ntop(AF_INET6, address, out, SHOW_ADDRESS_SIZE);
}

static void
add_row(void *arg, const struct host_qp_view *view)
{
	struct rows *rows = arg;
	struct row *row;

	if (rows->n == rows->room) {
		const size_t room = rows->room == 0 ? 64 : 2 * rows->room;
		struct row *more = realloc(rows->row, room * sizeof(*more));

		if (more == NULL) {
			rows->failed = true;
			return;
		}
		rows->row = more;
		rows->room = room;
	}
	row = &rows->row[rows->n++];
	row->view = *view;
	snprintf(row->adapter, sizeof(row->adapter), "%s", view->adapter);
}

static int
compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const int c = strcmp(x->adapter, y->adapter);

	if (c != 0)
		return c;
	return (x->view.qp.local_qp > y->view.qp.local_qp) -
	       (x->view.qp.local_qp < y->view.qp.local_qp);
}

static enum list
list_of(const struct host_qp_view *view)
{
	if (!view->is_connected)
		return LIST_OTHERS;
	return view->reason == HOST_QP_NONE ? LIST_TOLD : LIST_UNRESOLVED;
}

static const char *
source_of(const struct host_qp_view *view)
{
	return view->is_probed ? "probe" : "rdma-cm";
}

/* ---- JSON ---- */

static json_t *
row_json(const struct row *row)
{
	char local[SHOW_ADDRESS_SIZE], remote[SHOW_ADDRESS_SIZE];
	const struct host_qp_view *v = &row->view;
	const enum list list = list_of(v);
	json_t *o = json_pack("{s:s, s:I, s:s}", "adapter", row->adapter, "qp",
			(json_int_t)v->qp.local_qp, "state", v->state);

	json_object_set_new(o, "pid", v->pid != 0 ? json_integer(v->pid) : json_null());
	if (list == LIST_OTHERS)
		return o;
	json_object_set_new(o, "remote_qp", json_integer(v->qp.remote_qp));
	if (list == LIST_UNRESOLVED) {
		json_object_set_new(o, "reason", json_string(host_qp_reason_name(v->reason)));
		return o;
	}
	show_address(v->qp.local, local);
	show_address(v->qp.remote, remote);
	json_object_set_new(o, "local", json_string(local));
	json_object_set_new(o, "remote", json_string(remote));
	json_object_set_new(o, "source", json_string(source_of(v)));
	return o;
}

/* One row at a time: there can be many. */
static void
print_list_json(const struct rows *rows, enum list list, const char *name, FILE *out)
{
	const char *between = "";

	fprintf(out, "\"%s\": [", name);
	for (size_t i = 0; i < rows->n; i++) {
		json_t *o;

		if (list_of(&rows->row[i].view) != list)
			continue;
		o = row_json(&rows->row[i]);
		fprintf(out, "%s\n  ", between);
		json_dumpf(o, out, 0);
		json_decref(o);
		between = ",";
	}
	fputs("]", out);
}

static void
print_json(const struct host_qp_source *s, const struct rows *rows, FILE *out)
{
	const char *complaint = host_qp_source_complaint(s);
	json_t *why = complaint[0] != '\0' ? json_string(complaint) : json_null();

	fprintf(out, "{\"probes\": %s, \"why_no_probes\": ",
			host_qp_source_has_probes(s) ? "true" : "false");
	json_dumpf(why, out, JSON_ENCODE_ANY);
	json_decref(why);
	fputs(",\n", out);
	print_list_json(rows, LIST_TOLD, "queue_pairs", out);
	fputs(",\n", out);
	print_list_json(rows, LIST_UNRESOLVED, "unresolved", out);
	fputs(",\n", out);
	print_list_json(rows, LIST_OTHERS, "not_connected", out);
	fputs("}\n", out);
}

/* ---- text ---- */

static size_t
count(const struct rows *rows, enum list list)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++)
		n += list_of(&rows->row[i].view) == list;
	return n;
}

static void
print_row(const struct row *row, enum list list, FILE *out)
{
	char local[SHOW_ADDRESS_SIZE], remote[SHOW_ADDRESS_SIZE], pid[12] = "-";
	const struct host_qp_view *v = &row->view;

	if (v->pid != 0)
		snprintf(pid, sizeof(pid), "%" PRIu32, v->pid);
	fprintf(out, "%-10s %8" PRIu32 " ", row->adapter, v->qp.local_qp);
	if (list == LIST_OTHERS) {
		fprintf(out, "%-5s %8s\n", v->state, pid);
		return;
	}
	fprintf(out, "%9" PRIu32 " %-5s %8s ", v->qp.remote_qp, v->state, pid);
	if (list == LIST_UNRESOLVED) {
		fprintf(out, "%s\n", host_qp_reason_text(v->reason));
		return;
	}
	show_address(v->qp.local, local);
	show_address(v->qp.remote, remote);
	fprintf(out, "%-7s %s -> %s\n", source_of(v), local, remote);
}

static void
print_text(const struct host_qp_source *s, const struct rows *rows, FILE *out)
{
	static const char *const heads[] = {[LIST_TOLD] = "adapter          qp remote-qp state     "
							  " pid source  addresses",
			[LIST_UNRESOLVED] = "\nNot resolved:\n"
					    "adapter          qp remote-qp state      pid why",
			[LIST_OTHERS] = "\nNot connected:\n"
					"adapter          qp state      pid"};

	if (host_qp_source_complaint(s)[0] != '\0')
		fprintf(out, "No probes: %s. Only what RDMA CM has connected is known.\n\n",
				host_qp_source_complaint(s));
	for (enum list list = LIST_TOLD; list <= LIST_OTHERS; list++) {
		if (count(rows, list) == 0) {
			if (list == LIST_TOLD)
				fputs("No connected queue pair is known.\n", out);
			continue;
		}
		fprintf(out, "%s\n", heads[list]);
		for (size_t i = 0; i < rows->n; i++)
			if (list_of(&rows->row[i].view) == list)
				print_row(&rows->row[i], list, out);
	}
}

int
show_map(const struct host_qp_source *s, bool is_json, FILE *out)
{
	struct rows rows = {0};

	host_qp_source_walk(s, add_row, &rows);
	if (!rows.failed) {
		if (rows.n > 0)
			qsort(rows.row, rows.n, sizeof(*rows.row), compare);
		if (is_json)
			print_json(s, &rows, out);
		else
			print_text(s, &rows, out);
	}
	free(rows.row);
	return rows.failed ? -1 : 0;
}

void
show_change(const char *what, const struct host_qp *qp, bool is_json, FILE *out)
{
	char local[SHOW_ADDRESS_SIZE], remote[SHOW_ADDRESS_SIZE];

	show_address(qp->local, local);
	show_address(qp->remote, remote);
	fprintf(out,
			is_json ? "{\"change\": \"%s\", \"local\": \"%s\", \"qp\": %" PRIu32
				  ", \"remote\": \"%s\", \"remote_qp\": %" PRIu32 "}\n"
				: "%-7s %s qp %" PRIu32 " -> %s qp %" PRIu32 "\n",
			what, local, qp->local_qp, remote, qp->remote_qp);
}
