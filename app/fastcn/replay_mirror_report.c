/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "fcn_render.h"
#include "replay_mirror_private.h"

static void
set(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

static const char *
port_name(const struct replay_mirror *m, int port)
{
	return port < 0 ? "" : fcn_control_config(m->ctl)->port[port].name;
}

static json_t *
address_json(const struct mirror_station *s)
{
	static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};
	char text[INET6_ADDRSTRLEN];

	if (!s->has_address)
		return json_null();
	if (memcmp(s->address, mapped, sizeof(mapped)) == 0)
		inet_ntop(AF_INET, s->address + sizeof(mapped), text, sizeof(text));
	else
		inet_ntop(AF_INET6, s->address, text, sizeof(text));
	return json_string(text);
}

/* List who is in the capture, with the rates that tell how much of it a link has to carry. */
static json_t *
sources(const struct replay_mirror *m)
{
	json_t *list = json_array(), *o;
	char mac[RTE_ETHER_ADDR_FMT_SIZE];

	for (uint32_t i = 0; m->by_interface && i < m->n_interfaces; i++) {
		const struct mirror_interface *n = &m->interface[i];

		o = json_object();
		json_object_set_new(o, "port", json_string(port_name(m, n->port)));
		json_object_set_new(o, "interface", json_string(n->name));
		set(o, "entered", n->entered);
		set(o, "from_frames", n->in + n->unknown);
		set(o, "to_frames", n->out);
		set(o, "from_peak_bps", n->rate.most * 8 * (1000000000 / MIRROR_RATE_NS));
		json_array_append_new(list, o);
	}
	for (uint32_t i = 0; !m->by_interface && i < m->n_stations; i++) {
		const struct mirror_station *s = &m->station[i];

		if (s->port < 0)
			continue;
		o = json_object();
		json_object_set_new(o, "port", json_string(port_name(m, s->port)));
		json_object_set_new(o, "mac", json_string(replay_mirror_mac(&s->mac, mac)));
		json_object_set_new(o, "address", address_json(s));
		set(o, "entered", s->entered);
		set(o, "from_frames", s->own);
		set(o, "to_frames", s->reached);
		set(o, "from_peak_bps", s->out.most * 8 * (1000000000 / MIRROR_RATE_NS));
		set(o, "to_peak_bps", s->in.most * 8 * (1000000000 / MIRROR_RATE_NS));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *
replay_mirror_report(const struct replay_mirror *m)
{
	static const char *const kinds[REPLAY_FRAME_KINDS] = {
			"data", "acks", "cnps", "other_ip", "not_ip"};
	const struct mirror_counts *c = &m->counts;
	json_t *o = json_object(), *entered = json_object(), *out = json_object(),
	       *files = json_array();
	struct fcn_replay_stats files_stats;
	uint64_t padded = 0, total = 0;

	for (unsigned int i = 0; i < m->opt->n_files; i++)
		json_array_append_new(files, json_string(m->opt->file[i]));
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_replay_stats s;

		if (fcn_control_port(m->ctl, p) == NULL)
			continue;
		fcn_replay_port_stats(fcn_control_port(m->ctl, p)->priv, &s);
		padded += s.in_padded;
	}
	fcn_replay_mirror_stats(m->replay, &files_stats);
	for (unsigned int k = 0; k < REPLAY_FRAME_KINDS; k++) {
		set(entered, kinds[k], c->entered[k]);
		total += c->entered[k];
	}
	set(out, "outbound", c->outbound);
	set(out, "forwarded", c->forwarded);
	set(out, "copies", c->copies);
	set(out, "other_interface", c->other_interface);
	set(out, "no_port", c->no_port);
	set(out, "filtered", files_stats.in_filtered);
	set(out, "runt", files_stats.in_runt);
	set(out, "oversize", files_stats.in_oversize);
	json_object_set_new(o, "files", files);
	set(o, "frames",
			c->frames + files_stats.in_filtered + files_stats.in_runt +
					files_stats.in_oversize);
	set(o, "entered", total);
	json_object_set_new(o, "entered_by_kind", entered);
	json_object_set_new(o, "left_out", out);
	set(o, "padded", padded);
	set(o, "rerouted", c->rerouted);
	set(o, "as_ipv6", c->translated);
	set(o, "backwards", files_stats.in_backwards);
	json_object_set_new(o, "ports_from", json_string(m->by_interface ? "interfaces" : "mac"));
	json_object_set_new(o, "configuration_made", json_boolean(m->made));
	json_object_set_new(o, "link_bps",
			m->made ? json_integer((json_int_t)m->link_bps) : json_null());
	json_object_set_new(o, "link_from", m->made ? json_string(m->link_from) : json_null());
	json_object_set_new(o, "ports", sources(m));
	return o;
}

/* ---- text ---- */

static uint64_t
get(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static void
say(uint64_t n, const char *what, bool *first, FILE *out)
{
	if (n == 0)
		return;
	fprintf(out, "%s%" PRIu64 " %s", *first ? "" : ", ", n, what);
	*first = false;
}

static void
print_used(const json_t *report, FILE *out)
{
	const json_t *k = json_object_get(report, "entered_by_kind");
	bool first = true;

	fprintf(out, "  %" PRIu64 " entered the switch", get(report, "entered"));
	fputs(get(report, "entered") != 0 ? ": " : "", out);
	say(get(k, "data"), "RoCEv2 data", &first, out);
	say(get(k, "acks"), "acknowledgements", &first, out);
	say(get(k, "cnps"), "CNPs", &first, out);
	say(get(k, "other_ip"), "other IP", &first, out);
	say(get(k, "not_ip"), "not IP", &first, out);
	fputc('\n', out);
}

static void
print_left_out(const json_t *report, FILE *out)
{
	const json_t *l = json_object_get(report, "left_out");
	bool first = true;

	fprintf(out, "  %" PRIu64 " were not used", get(report, "frames") - get(report, "entered"));
	fputs(get(report, "frames") != get(report, "entered") ? ": " : "", out);
	say(get(l, "outbound"), "sent by the switch (other direction)", &first, out);
	say(get(l, "forwarded"), "forwarded by a router in the capture (other direction)", &first,
			out);
	say(get(l, "copies"), "second copies (other direction)", &first, out);
	say(get(l, "other_interface"), "of other interfaces", &first, out);
	say(get(l, "no_port"), "from senders without a port", &first, out);
	say(get(l, "filtered"), "not selected by the filter", &first, out);
	say(get(l, "runt"), "shorter than an Ethernet header", &first, out);
	say(get(l, "oversize"), "longer than 16000 bytes", &first, out);
	fputc('\n', out);
}

void
replay_mirror_print(const json_t *report, FILE *out)
{
	static const char *const by_mac[] = {
			"port", "mac", "address", "entered", "from_peak_bps", "to_peak_bps", NULL};
	static const char *const by_interface[] = {
			"port", "interface", "entered", "to_frames", "from_peak_bps", NULL};
	const char *from = json_string_value(json_object_get(report, "ports_from"));
	char rate[32];

	fprintf(out, "\nMirror capture: %" PRIu64 " frames\n", get(report, "frames"));
	print_used(report, out);
	print_left_out(report, out);
	if (get(report, "padded") != 0)
		fprintf(out,
				"  %" PRIu64 " of those used were captured in part, and have zeros "
				"for the rest\n",
				get(report, "padded"));
	if (get(report, "rerouted") != 0)
		fprintf(out,
				"  %" PRIu64
				" of those used were for a router, and went to the port "
				"of their destination address instead\n",
				get(report, "rerouted"));
	if (get(report, "as_ipv6") != 0)
		fprintf(out,
				"  %" PRIu64
				" of those used were IPv4, and were replayed as IPv6, 20 "
				"bytes longer\n",
				get(report, "as_ipv6"));
	if (get(report, "backwards") != 0)
		fprintf(out,
				"  %" PRIu64
				" came with the frame before them, which has a later time\n",
				get(report, "backwards"));
	fprintf(out, "Ports from %s of the capture (peak: busiest 100 us)\n",
			strcmp(from, "mac") == 0 ? "MAC addresses" : "the interfaces");
	fcn_render_columns(json_object_get(report, "ports"),
			strcmp(from, "mac") == 0 ? by_mac : by_interface, out);
	if (json_is_true(json_object_get(report, "configuration_made")))
		fprintf(out,
				"The configuration was made for this capture (--save-config FILE "
				"writes it). Links: %s, by %s.\n",
				fcn_format_rate(get(report, "link_bps"), rate, sizeof(rate)),
				json_string_value(json_object_get(report, "link_from")));
}
