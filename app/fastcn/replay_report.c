/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdbool.h>

#include "fcn_render.h"
#include "fcn_show.h"
#include "replay_run.h"

#define TOP_FLOWS 10

static void
set(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

static json_t *
input_report(const struct replay_run *run)
{
	json_t *list = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_replay_stats s;
		json_t *o;

		if (fcn_control_port(run->ctl, p) == NULL)
			continue;
		fcn_replay_port_stats(fcn_control_port(run->ctl, p)->priv, &s);
		o = json_object();
		json_object_set_new(
				o, "port", json_string(fcn_control_config(run->ctl)->port[p].name));
		set(o, "packets", s.in_packets);
		set(o, "bytes", s.in_bytes);
		set(o, "filtered", s.in_filtered);
		set(o, "truncated", s.in_truncated);
		set(o, "padded", s.in_padded);
		set(o, "oversize", s.in_oversize);
		set(o, "runt", s.in_runt);
		set(o, "backwards", s.in_backwards);
		set(o, "no_mbuf", s.in_no_mbuf);
		set(o, "file_errors", s.in_file_errors);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
latency_report(const struct replay_run *run)
{
	const struct replay_latency *l = &run->latency;
	struct fcn_collector_summary sum;
	json_t *o = json_object();

	fcn_collector_summary(fcn_control_collector(run->ctl), &sum);
	set(o, "congestion_entered", sum.congested);
	set(o, "congestion_left", sum.recovered);
	set(o, "notices", sum.notices);
	if (sum.congested > 0)
		set(o, "first_congested_ns", sum.first_congested_ns);
	if (sum.notices > 0)
		set(o, "first_notice_ns", sum.first_ns);
	if (l->n > 0) {
		set(o, "first_latency_ns", l->first_ns);
		set(o, "first_latency_waiting_ns", l->first_wait_ns);
		set(o, "latency_min_ns", l->min_ns);
		set(o, "latency_avg_ns", l->sum_ns / l->n);
		set(o, "latency_max_ns", l->max_ns);
		set(o, "waiting_min_ns", sum.wait_min_ns);
		set(o, "waiting_max_ns", sum.wait_max_ns);
	}
	return o;
}

/* Whether a port is at the border of the domain, or untrusted. */
static bool
has_checked_ports(const struct fcn_control *ctl)
{
	for (unsigned int p = 0; p < fcn_control_snapshot(ctl)->n_ports; p++) {
		if (fcn_control_snapshot(ctl)->port[p].checked_ingress)
			return true;
	}
	return false;
}

static bool
has_bridge(const struct fcn_config *cfg)
{
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		if (cfg->bridge[b].name[0] != '\0')
			return true;
	}
	return false;
}

json_t *
replay_report(struct replay_run *run)
{
	json_t *o = json_object();

	json_object_set_new(o, "fastcn", json_string(FCN_VERSION));
	json_object_set_new(o, "speed", json_real(run->opt.speed));
	set(o, "seed", run->opt.seed);
	set(o, "virtual_ns", run->now);
	json_object_set_new(o, "complete", json_boolean(!*run->interrupted && !run->stuck));
	json_object_set_new(o, "inputs", input_report(run));
	json_object_set_new(o, "ports", fcn_show_ports(run->ctl, -1));
	json_object_set_new(o, "queues", fcn_show_queues(run->ctl, -1, -1, false));
	if (has_bridge(fcn_control_config(run->ctl)))
		json_object_set_new(o, "bridges", fcn_show_bridges(run->ctl, -1));
	json_object_set_new(o, "drops", fcn_show_drops(run->ctl));
	json_object_set_new(o, "errors", fcn_show_errors(run->ctl));
	json_object_set_new(o, "notify", fcn_show_notify(run->ctl));
	json_object_set_new(o, "latency", latency_report(run));
	json_object_set_new(o, "flows", fcn_show_notified_flows(run->ctl, TOP_FLOWS));
	json_object_set_new(o, "congested_flows", fcn_show_flows(run->ctl, -1, -1, TOP_FLOWS));
	json_object_set_new(o, "episodes", fcn_show_episodes(run->ctl, -1, -1, UINT32_MAX));
	json_object_set_new(o, "buffer", fcn_show_buffer(run->ctl));
	json_object_set_new(o, "pfc", fcn_show_pfc(run->ctl, -1));
	json_object_set_new(o, "ioam", fcn_show_ioam(run->ctl));
	if (has_checked_ports(run->ctl))
		json_object_set_new(o, "border", fcn_show_border(run->ctl));
	if (run->mirror != NULL)
		json_object_set_new(o, "mirror", replay_mirror_report(run->mirror));
	if (run->mirror != NULL || replay_flows_has_cnps(run->flows))
		json_object_set_new(o, "cnps",
				replay_flows_report(run->flows,
						&(struct replay_flows_conf){
								.base_ns = fcn_replay_base(
										run->replay),
								.gap_ns = run->opt.gap_ns,
								.scaled = run->opt.speed != 1}));
	json_object_set_new(o, "conservation", fcn_show_conservation(run->ctl));
	return o;
}

/* ---- the report as text ---- */

static uint64_t
get(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static void
print_notices(const json_t *report, FILE *out)
{
	const json_t *total = json_object_get(json_object_get(report, "notify"), "total");
	const json_t *made = json_object_get(json_object_get(report, "notify"), "notices");
	const json_t *l = json_object_get(report, "latency");
	char at[32], latency[32], wait[32];

	fprintf(out, "\nNotices: %" PRIu64 " wanted = %" PRIu64 " sent + %" PRIu64 " suppressed\n",
			get(total, "wanted"), get(total, "sent"), get(total, "suppressed"));
	if (get(made, "lost") != 0)
		fprintf(out, "%" PRIu64 " of those sent were lost on their way out.\n",
				get(made, "lost"));
	if (json_array_size(json_object_get(json_object_get(report, "notify"), "verdicts")) > 0)
		fcn_render_text(json_object_get(json_object_get(report, "notify"), "verdicts"),
				out);
	if (json_object_get(l, "first_latency_ns") == NULL)
		return;
	fcn_format_time(get(l, "first_notice_ns"), at, sizeof(at));
	fcn_format_time(get(l, "first_latency_ns"), latency, sizeof(latency));
	fcn_format_time(get(l, "first_latency_waiting_ns"), wait, sizeof(wait));
	fprintf(out,
			"\nFirst notice: decided %s after the first packet, %" PRIu64
			" ns after congestion began;\nits last bit left %s later (%s of that "
			"waiting for the "
			"line).\n",
			at, get(l, "first_notice_ns") - get(l, "first_congested_ns"), latency,
			get(l, "first_latency_waiting_ns") == 0 ? "none" : wait);
	fprintf(out,
			"From decision to last bit: min %" PRIu64 " ns, avg %" PRIu64
			" ns, max %" PRIu64 " ns of virtual time.\n",
			get(l, "latency_min_ns"), get(l, "latency_avg_ns"),
			get(l, "latency_max_ns"));
}

static void
print_conservation(const json_t *report, FILE *out)
{
	const json_t *c = json_object_get(report, "conservation");

	fprintf(out, "\nPacket accounting: %" PRIu64 " received + %" PRIu64 " generated",
			get(c, "received"), get(c, "generated"));
	if (get(c, "returned") != 0)
		fprintf(out, " + %" PRIu64 " returned", get(c, "returned"));
	fprintf(out, " + %" PRIu64 " replicated = %" PRIu64 " transmitted + %" PRIu64 " dropped",
			get(c, "replicated"), get(c, "transmitted"), get(c, "dropped"));
	if (get(c, "consumed") != 0)
		fprintf(out, " + %" PRIu64 " consumed", get(c, "consumed"));
	fprintf(out, " + %" PRIu64 " queued: %s\n", get(c, "queued"),
			json_is_true(json_object_get(c, "ok")) ? "it balances"
							       : "IT DOES NOT BALANCE");
}

/* Print the shared buffer if there is one, and classes that sent or received PAUSE. */
static void
print_buffer(const json_t *report, FILE *out)
{
	static const char *const keys[] = {"port", "class", "tx_xoff", "tx_xon", "tx_pause_ns",
			"rx_xoff", "rx_xon", "rx_pause_ns", "used_max", "headroom_max",
			"lost_packets", "storms", NULL};
	const json_t *b = json_object_get(report, "buffer");
	json_t *rows = json_array(), *row;
	size_t i;

	if (get(b, "size") != 0)
		fprintf(out,
				"\nBuffer: at most %" PRIu64 " of the %" PRIu64
				" bytes that are shared, and %" PRIu64 " of %" PRIu64
				" of headroom\n",
				get(b, "shared_max"), get(b, "shared"), get(b, "headroom_max"),
				get(b, "headroom"));
	json_array_foreach (json_object_get(json_object_get(report, "pfc"), "classes"), i, row) {
		if (get(row, "tx_xoff") + get(row, "rx_xoff") + get(row, "lost_packets") != 0)
			json_array_append(rows, row);
	}
	if (json_array_size(rows) > 0) {
		fputs("\nFlow control (tx: pauses that the switch sent; rx: pauses that it "
		      "received)\n",
				out);
		fcn_render_columns(rows, keys, out);
	}
	json_decref(rows);
}

/* Print packets of input files that were not received, if there are any. */
static void
print_left_out(const json_t *inputs, FILE *out)
{
	static const char *const keys[] = {"port", "filtered", "padded", "oversize", "runt",
			"backwards", "no_mbuf", "file_errors", NULL};
	bool any = false;
	json_t *row;
	size_t i;

	json_array_foreach (inputs, i, row) {
		for (const char *const *k = &keys[2]; *k != NULL; k++)
			any = any || get(row, *k) != 0;
	}
	if (!any)
		return;
	fputs("\nLeft out of the inputs (backwards: delivered late; padded: captured in part, and "
	      "delivered\nwith zeros for the rest)\n",
			out);
	fcn_render_columns(inputs, keys, out);
}

static void
print_congested_flows(const json_t *flows, FILE *out)
{
	if (json_array_size(flows) == 0)
		return;
	fputs("\nFlows by the bytes that came while their queue was congested\n", out);
	fcn_render_columns(flows, fcn_show_flow_columns, out);
}

void
replay_report_print(const struct replay_run *run, const json_t *report, FILE *out)
{
	static const char *const port_keys[] = {"port", "mode", "link_bps", "rate_bps",
			"rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "drops", "notices",
			NULL};
	static const char *const queue_keys[] = {"port", "class", "detector", "packets", "dropped",
			"occ_min", "occ_avg", "occ_max", "occ_last", "enters", "congested_packets",
			"ce_marked", NULL};
	char t[32];

	fprintf(out, "fastcn replay: %s of virtual time%s\n",
			fcn_format_time(run->now, t, sizeof(t)),
			*run->interrupted ? " (interrupted)" : "");
	if (run->mirror != NULL)
		replay_mirror_print(json_object_get(report, "mirror"), out);
	fputs("\nPorts\n", out);
	fcn_render_columns(json_object_get(report, "ports"), port_keys, out);
	if (run->mirror == NULL)
		print_left_out(json_object_get(report, "inputs"), out);
	fputs("\nQueues in use (occupancy in bytes)\n", out);
	fcn_render_columns(json_object_get(report, "queues"), queue_keys, out);
	print_buffer(report, out);
	fputs("\nDrops\n", out);
	fcn_render_text(json_object_get(report, "drops"), out);
	if (json_array_size(json_object_get(report, "errors")) > 0) {
		fputs("\nDefective packets\n", out);
		fcn_render_text(json_object_get(report, "errors"), out);
	}
	print_notices(report, out);
	if (json_array_size(json_object_get(report, "flows")) > 0) {
		fputs("\nFlows notified most\n", out);
		fcn_render_text(json_object_get(report, "flows"), out);
	}
	print_congested_flows(json_object_get(report, "congested_flows"), out);
	print_conservation(report, out);
	if (json_object_get(report, "cnps") != NULL)
		replay_flows_print(json_object_get(report, "cnps"), out);
}
