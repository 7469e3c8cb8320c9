/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdlib.h>

#include "fcn_render.h"
#include "show_private.h"

const char *const fcn_show_port_columns[] = {
		"port", "state", "link_bps", "rx_bps", "tx_bps", "drops", "notices", NULL};

static const char *
mode_name(const struct fcn_config_port *port)
{
	return port->bridge >= 0 ? "bridged" : "routed";
}

struct ring_reading {
	unsigned int port;
	bool known;
	uint32_t bytes;
};

static void
read_ring(struct fcn_worker *w, void *arg)
{
	struct ring_reading *r = arg;

	r->known = w->port[r->port].ring != NULL;
	if (r->known)
		r->bytes = w->port[r->port].egress->ring_bytes;
}

static json_t *
ring_bytes(struct fcn_control *ctl, unsigned int port)
{
	struct ring_reading r = {.port = port};

	fcn_worker_read(fcn_control_owner(ctl, port), read_ring, &r, sizeof(r));
	return r.known ? json_integer(r.bytes) : json_null();
}

/* Whether the port's device takes no packets. */
static bool
is_stalled(const struct fcn_control *ctl, unsigned int p)
{
	return __atomic_load_n(&fcn_control_owner(ctl, p)->port[p].stalled, __ATOMIC_RELAXED);
}

static unsigned int
n_queues(const struct fcn_control_port *open)
{
	return open != NULL && open->ops->rx_queues != NULL ? open->ops->rx_queues(open->priv) : 1;
}

static void
read_longest_turn(struct fcn_worker *w, void *arg)
{
	*(uint64_t *)arg = w->load.longest_ns;
}

/* Round up to two significant digits: it is a proposal, not a measurement. */
static uint64_t
round_up(uint64_t value)
{
	uint64_t unit = 1;

	while (value / unit >= 100)
		unit *= 10;
	return (value + unit - 1) / unit * unit;
}

/*
 * A shaper with the default burst loses rate when its worker comes back later than the burst makes
 * up for: propose a larger one. In virtual time no worker is late.
 */
static void
show_shaper_hint(json_t *o, struct fcn_control *ctl, unsigned int p)
{
	const struct fcn_config_port *port = &fcn_control_config(ctl)->port[p];
	char has[32], turn[32], rate[32];
	uint64_t longest = 0;

	if (port->rate_bps == 0 || port->burst != FCN_AUTO)
		return;
	fcn_worker_read(fcn_control_owner(ctl, p), read_longest_turn, &longest, sizeof(longest));
	if (longest <= fcn_control_build_env(ctl)->slack_ns)
		return;
	json_object_set_new(o, "shaper_hint",
			json_sprintf("The shaper makes up for %s, and its worker once came back "
				     "only after %s; \"set port %s rate %s burst %" PRIu64
				     "\" keeps the rate then.",
					fcn_format_time(fcn_control_build_env(ctl)->slack_ns, has,
							sizeof(has)),
					fcn_format_time(round_up(longest), turn, sizeof(turn)),
					port->name,
					fcn_format_rate(port->rate_bps, rate, sizeof(rate)),
					round_up((uint64_t)((double)port->rate_bps / 8e9 *
							    (double)longest))));
}

/* The notices of each kind that congestion of the port has caused. */
static json_t *
notices_by_kind(const struct fcn_port_counters *c)
{
	json_t *o = json_object();

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		fcn_show_set(o, fcn_notice_kinds[k]->name, c->notices[k]);
	return o;
}

const char *
fcn_show_port_state(const struct fcn_control *ctl, unsigned int p)
{
	if (fcn_control_build_env(ctl)->port[p].down)
		return "down";
	if (fcn_control_snapshot(ctl)->port[p].err_disabled)
		return "err-disabled";
	return is_stalled(ctl, p) || fcn_worker_is_stalled(fcn_control_owner(ctl, p)) ? "stalled"
										      : "up";
}

/* What the port carried in the last second, if that was measured. */
static void
show_port_rates(const struct fcn_control *ctl, unsigned int p, json_t *o)
{
	struct fcn_queue_rates queue[FCN_CLASSES];
	struct fcn_port_rates r;
	const bool known = fcn_rates_get(fcn_control_rates(ctl), p, &r, queue);

	fcn_show_set_known(o, "rx_bps", known, known ? r.rx_bits : 0);
	fcn_show_set_known(o, "tx_bps", known, known ? r.tx_bits : 0);
}

/* A sub-interface has no link and no queues; those are shown with its parent port. */
static json_t *
show_sub_interface(struct fcn_control *ctl, unsigned int p, const struct fcn_port_counters *c)
{
	const struct fcn_config_port *sub = &fcn_control_config(ctl)->port[p];
	json_t *o = json_object();

	fcn_show_set_str(o, "port", sub->name);
	fcn_show_set_str(o, "kind", sub->of_bridge >= 0 ? "bridge" : "vlan");
	fcn_show_set_str(o, "mode", sub->of_bridge >= 0 ? "host" : mode_name(sub));
	fcn_show_set_str(o, "parent",
			sub->of_bridge >= 0 ? fcn_control_config(ctl)->bridge[sub->of_bridge].name
					    : fcn_control_config(ctl)->port[sub->parent].name);
	if (sub->of_bridge < 0)
		fcn_show_set_str(o, "state", fcn_show_port_state(ctl, sub->parent));
	if (sub->of_bridge >= 0)
		fcn_show_set_str(o, "bridge", fcn_control_config(ctl)->bridge[sub->of_bridge].name);
	fcn_show_set(o, "vlan", sub->vlan);
	fcn_setting_show(&fcn_mac_scope, "port", sub, &fcn_control_snapshot(ctl)->port[p].mac, o);
	fcn_setting_show(&fcn_mtu_scope, "port", sub, NULL, o);
	if (sub->of_bridge < 0)
		fcn_setting_show(&fcn_source_check_scope, "port", sub, NULL, o);
	FCN_SHOW_COUNTERS(o, c, FCN_SUB_INTERFACE_COUNTERS);
	fcn_show_set(o, "drops", fcn_port_drops(c));
	FCN_SHOW_COUNTERS(o, c, FCN_PORT_LOCAL_COUNTERS);
	return o;
}

/* The effective limit of the notices to one receiver by the port. */
static json_t *
notice_bucket(const struct fcn_control *ctl, unsigned int port)
{
	const struct fcn_config_bucket b = fcn_build_receiver_bucket(fcn_control_config(ctl),
			fcn_control_build_env(ctl)->n_workers,
			fcn_control_snapshot(ctl)->port[port].link_bps);

	return fcn_setting_bucket_json(&b);
}

/* The speed by which a port's queues are managed: that of its link, or the configured one where the
 * device reports none. A link that is down has no speed. */
static json_t *
link_speed(const struct fcn_control *ctl, unsigned int port)
{
	if (fcn_control_build_env(ctl)->port[port].down)
		return json_null();
	return json_integer((json_int_t)(fcn_control_port(ctl, port) == NULL
							 ? 0
							 : fcn_control_snapshot(ctl)
									   ->port[port]
									   .link_bps));
}

/* The defaults of what the port takes of messages of each kind: of one node, and of all. */
static void
show_taken(const struct fcn_control *ctl, unsigned int port, json_t *o)
{
	const uint64_t link_bps = fcn_control_snapshot(ctl)->port[port].link_bps;
	const struct fcn_config_bucket node = fcn_build_node_bucket(link_bps);
	const struct fcn_config_bucket nodes = fcn_build_nodes_bucket(link_bps);

	json_object_set_new(o, "node_bucket", fcn_setting_bucket_json(&node));
	json_object_set_new(o, "nodes_bucket", fcn_setting_bucket_json(&nodes));
}

static json_t *
show_port(struct fcn_control *ctl, unsigned int p, const struct fcn_port_counters *c)
{
	const struct fcn_config_port *port = &fcn_control_config(ctl)->port[p];
	const struct fcn_control_port *open = fcn_control_port(ctl, p);
	struct rte_ether_addr mac = fcn_build_mac(port, &fcn_control_build_env(ctl)->port[p], p);
	struct fcn_port_device_stats device;
	json_t *o = json_object();
	fcn_show_set_str(o, "port", port->name);
	fcn_show_set_str(o, "kind", open != NULL ? open->ops->kind : "none");
	if (port->device[0] != '\0')
		fcn_show_set_str(o, "device", port->device);
	fcn_show_set_str(o, "mode", mode_name(port));
	if (port->bridge >= 0)
		fcn_show_set_str(o, "bridge", fcn_control_config(ctl)->bridge[port->bridge].name);
	fcn_setting_show(&fcn_mac_scope, "port", port, &mac, o);
	fcn_setting_show(&fcn_mtu_scope, "port", port, NULL, o);
	fcn_show_set_str(o, "state", fcn_show_port_state(ctl, p));
	json_object_set_new(o, "link_bps", link_speed(ctl, p));
	fcn_show_set_bool(o, "link_up", !fcn_control_build_env(ctl)->port[p].down);
	fcn_show_set_bool(o, "stalled", is_stalled(ctl, p));
	fcn_show_set(o, "rx_queues", n_queues(open));
	fcn_setting_show(&fcn_port_scope, "port", port, NULL, o);
	fcn_setting_show(&fcn_source_check_scope, "port", port, NULL, o);
	show_shaper_hint(o, ctl, p);
	show_port_rates(ctl, p, o);
	FCN_SHOW_COUNTERS(o, c, FCN_PORT_TRAFFIC_COUNTERS);
	FCN_SHOW_COUNTERS(o, c, FCN_PORT_SHARE_COUNTERS);
	fcn_show_set(o, "drops", fcn_port_drops(c));
	FCN_SHOW_COUNTERS(o, c, FCN_PORT_ROCE_COUNTERS);
	fcn_show_set(o, "notices", fcn_port_notices(c));
	json_object_set_new(o, "notices_by_kind", notices_by_kind(c));
	json_object_set_new(o, "notice_bucket", notice_bucket(ctl, p));
	show_taken(ctl, p, o);
	FCN_SHOW_COUNTERS(o, c, FCN_PORT_LOCAL_COUNTERS);
#define PFC_COUNTER(member, name, ...) fcn_show_set(o, "pause_" name, c->member);
	FCN_PORT_PFC_COUNTERS(PFC_COUNTER)
#undef PFC_COUNTER
	json_object_set_new(o, "ring_bytes", ring_bytes(ctl, p));
	if (open != NULL && open->ops->device_stats != NULL) {
		open->ops->device_stats(open->priv, &device);
		FCN_SHOW_COUNTERS(o, &device, FCN_PORT_DEVICE_COUNTERS);
	}
	if (open != NULL && open->ops->limits != NULL)
		fcn_show_set_str(o, "limits", open->ops->limits(open->priv));
	return o;
}

json_t *
fcn_show_ports(struct fcn_control *ctl, int port)
{
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	json_t *list = json_array();

	for (unsigned int p = 0; c != NULL && p < FCN_MAX_PORTS; p++) {
		if (!fcn_show_is_chosen(ctl, p, port))
			continue;
		json_array_append_new(list, fcn_config_has_link(fcn_control_config(ctl), p)
							    ? show_port(ctl, p, &c[p])
							    : show_sub_interface(ctl, p, &c[p]));
	}
	free(c);
	return list;
}

json_t *
fcn_show_errors(struct fcn_control *ctl)
{
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	json_t *list = json_array();

	for (unsigned int p = 0; c != NULL && p < FCN_MAX_PORTS; p++) {
		for (unsigned int e = 1; e < FCN_WIRE_ERROR_COUNT; e++) {
			json_t *o;

			if (c[p].wire_error[e] == 0)
				continue;
			o = fcn_show_port_row(ctl, list, p);
			fcn_show_set_str(o, "error", fcn_wire_error_name(e));
			fcn_show_set(o, "packets", c[p].wire_error[e]);
			fcn_show_set_str(o, "error_text", fcn_wire_error_text(e));
		}
	}
	free(c);
	return list;
}

json_t *
fcn_show_conservation(struct fcn_control *ctl)
{
	struct fcn_conservation c;
	json_t *o = json_object();
	bool ok;

	fcn_control_conservation(ctl, &c);
	ok = fcn_conservation_holds(&c);
	c.queued += c.between;
	FCN_SHOW_COUNTERS(o, &c, FCN_CONSERVATION_IN_COUNTERS);
	if (c.carried == 0)
		json_object_del(o, "carried");
	if (c.returned == 0)
		json_object_del(o, "returned");
	FCN_SHOW_COUNTERS(o, &c, FCN_CONSERVATION_OUT_COUNTERS);
	fcn_show_set_bool(o, "ok", ok);
	return o;
}
