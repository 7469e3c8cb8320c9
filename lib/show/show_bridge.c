/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "show_private.h"

/* MAC addresses learned on each port; macs is the table of one of the workers. */
struct mac_counts {
	uint32_t n[FCN_MAX_PORTS];
	const struct fcn_mac_table *macs;
};

static void
count_macs(struct fcn_worker *w, void *arg)
{
	struct mac_counts *c = arg;

	/* Workers tell each other what they learn, so the one that knows most of a port knows
	 * (nearly) all of it. */
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		c->n[p] = RTE_MAX(c->n[p], fcn_mac_table_count_port(w->macs, p));
	c->macs = w->macs;
}

static json_t *
storm_list(const struct fcn_config_port *port, const struct fcn_port_counters *c)
{
	static const enum fcn_drop_reason reasons[] = {
			[FCN_FLOOD_BROADCAST] = FCN_DROP_STORM_BROADCAST,
			[FCN_FLOOD_UNKNOWN_UNICAST] = FCN_DROP_STORM_UNKNOWN_UNICAST,
			[FCN_FLOOD_MULTICAST] = FCN_DROP_STORM_MULTICAST,
	};
	json_t *list = json_array();

	for (unsigned int k = 0; k < FCN_FLOOD_KINDS; k++) {
		json_t *o;

		if (port->storm[k].rate == 0 && c->drop[reasons[k]] == 0)
			continue;
		o = fcn_show_row(list);
		fcn_show_set_str(o, "kind", fcn_flood_kind_name(k));
		fcn_setting_show(&fcn_storm_scope, "bridge.ports.storm_control", &port->storm[k],
				NULL, o);
		fcn_show_set(o, "dropped", c->drop[reasons[k]]);
	}
	return list;
}

static json_t *
show_member(struct fcn_control *ctl, const struct fcn_port_counters *c,
		const struct mac_counts *macs, unsigned int number)
{
	const struct fcn_config_port *port = &fcn_control_config(ctl)->port[number];
	const uint64_t left = fcn_control_err_disable_left(ctl, number);
	struct fcn_config_port now = *port;
	json_t *m = json_object();

	fcn_show_set_str(m, "port", port->name);
	/* The effective limit also depends on how many addresses the table holds. */
	now.mac_limit = fcn_mac_limit(
			macs->macs, port->mac_limit == FCN_AUTO ? 0 : port->mac_limit);
	fcn_setting_show(&fcn_bridge_port_scope, "bridge.ports", &now, NULL, m);
	fcn_show_set(m, "macs", macs->n[number]);
	FCN_SHOW_COUNTERS(m, c, FCN_BRIDGE_PORT_COUNTERS);
	fcn_show_set_bool(m, "accepts_clones", !fcn_control_snapshot(ctl)->port[number].no_clones);
	fcn_show_set_bool(m, "err_disabled", fcn_control_snapshot(ctl)->port[number].err_disabled);
	/* Null: the port is not closed, or opens by a command only. */
	fcn_show_set_known(m, "recover_in_ns", left != FCN_HOST_NEVER, left);
	json_object_set_new(m, "storm_control", storm_list(port, c));
	return m;
}

/* The interfaces of a bridge, by which the switch itself is a station there. */
static json_t *
interface_list(const struct fcn_control *ctl, unsigned int bridge)
{
	json_t *list = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &fcn_control_config(ctl)->port[p];
		json_t *o;

		if (!fcn_config_is_bridge_interface(fcn_control_config(ctl), p) ||
				port->of_bridge != (int)bridge)
			continue;
		o = fcn_show_row(list);
		fcn_show_set_str(o, "port", port->name);
		fcn_show_set(o, "vlan", port->vlan);
		fcn_setting_show(&fcn_mac_scope, "bridge.interfaces", port,
				&fcn_control_snapshot(ctl)->port[p].mac, o);
	}
	return list;
}

json_t *
fcn_show_bridges(struct fcn_control *ctl, int bridge)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	struct mac_counts macs = {.macs = NULL};
	json_t *list = json_array();

	fcn_control_read(ctl, count_macs, &macs, sizeof(macs));
	for (unsigned int b = 0; c != NULL && b < FCN_MAX_BRIDGES; b++) {
		json_t *o, *ports;

		if (cfg->bridge[b].name[0] == '\0' || (bridge >= 0 && b != (unsigned int)bridge))
			continue;
		o = fcn_show_row(list);
		ports = json_array();
		fcn_show_set_str(o, "bridge", cfg->bridge[b].name);
		fcn_setting_show(&fcn_bridge_scope, "bridge", &cfg->bridge[b], NULL, o);
		fcn_setting_show(&fcn_copies_scope, "bridge", cfg, NULL, o);
		for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
			if (cfg->port[p].name[0] != '\0' && cfg->port[p].bridge == (int)b)
				json_array_append_new(ports, show_member(ctl, &c[p], &macs, p));
		}
		json_object_set_new(o, "interfaces", interface_list(ctl, b));
		json_object_set_new(o, "ports", ports);
	}
	free(c);
	return list;
}

/* What a worker copies of its table between two turns: entries, up to a bound. */
#define MACS_SHOWN 4096

struct mac_reading {
	uint32_t n;
	uint32_t room;
	struct fcn_mac_entry entry[]; /* seen_ns holds the age */
};

static void
read_macs(struct fcn_worker *w, void *arg)
{
	struct mac_reading *r = arg;
	uint32_t next = 0, n = 0;

	while (n < MACS_SHOWN && r->n < r->room &&
			fcn_mac_table_next(w->macs, &next, &r->entry[r->n])) {
		struct fcn_mac_entry *e = &r->entry[r->n++];

		const int64_t age = (int64_t)(w->now - e->seen_ns);

		e->seen_ns = age > 0 ? (uint64_t)age : 0;
		n++;
	}
}

static int
compare_macs(const void *va, const void *vb)
{
	const struct fcn_mac_entry *a = va, *b = vb;
	int d = a->key.bridge - b->key.bridge;

	if (d == 0)
		d = a->key.vlan - b->key.vlan;
	if (d == 0)
		d = memcmp(&a->key.mac, &b->key.mac, sizeof(a->key.mac));
	return d != 0 ? d : (a->seen_ns > b->seen_ns) - (a->seen_ns < b->seen_ns);
}

/* Several workers may know an address: keep the entry of the one that saw it last. */
static bool
is_repeated(const struct mac_reading *r, uint32_t i)
{
	return i > 0 &&
	       memcmp(&r->entry[i].key, &r->entry[i - 1].key, sizeof(r->entry[i].key)) == 0;
}

json_t *
fcn_show_macs(struct fcn_control *ctl)
{
	const uint32_t room = MACS_SHOWN * fcn_control_n_workers(ctl);
	const size_t size = sizeof(struct mac_reading) + room * sizeof(struct fcn_mac_entry);
	struct mac_reading *r = calloc(1, size);
	json_t *list = json_array();

	if (r == NULL)
		return list;
	r->room = room;
	fcn_control_read(ctl, read_macs, r, size);
	qsort(r->entry, r->n, sizeof(r->entry[0]), compare_macs);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct fcn_mac_entry *e = &r->entry[i];
		json_t *o;

		if (i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		if (is_repeated(r, i))
			continue;
		o = fcn_show_row(list);
		fcn_show_set_str(o, "bridge", fcn_control_config(ctl)->bridge[e->key.bridge].name);
		fcn_show_set(o, "vlan", e->key.vlan);
		json_object_set_new(o, "mac", fcn_show_mac(&e->key.mac));
		fcn_show_set_str(o, "port", fcn_show_port_name(ctl, e->port));
		fcn_show_set(o, "age_ns", e->seen_ns);
	}
	free(r);
	return list;
}
