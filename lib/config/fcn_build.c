/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>
#include <rte_time.h>

#include "fcn_build.h"
#include "fcn_burst.h"
#include "build_parts.h"
#include "route_build.h"
#include "fcn_nd.h"
#include "fcn_punt.h"

/** Every host of IPv4 accepts packets of this length (RFC 791). */
#define MIN_MTU 68u

_Static_assert(FCN_MAX_PORTS % FCN_SNAPSHOT_PORTS == 0, "a snapshot has at most FCN_MAX_PORTS");

int
fcn_build_fail(char *err, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, size, fmt, ap);
	va_end(ap);
	return -1;
}

struct rte_ether_addr
fcn_build_mac(const struct fcn_config_port *port, const struct fcn_build_port *dev, uint16_t number)
{
	/* This address is unicast and locally administered (IEEE 802). */
	struct rte_ether_addr mac = {{0x02, 0x66, 0x63, 0x6e, number >> 8, number & 0xff}};

	if (!rte_is_zero_ether_addr(&port->mac))
		return port->mac;
	return rte_is_zero_ether_addr(&dev->mac) ? mac : dev->mac;
}

/* Build the MAC limit and the storm control of a port of a bridge. The workers that poll the port's
 * receive queues have equal parts of the rate of storm control. */
static void
build_bridge_limits(const struct fcn_config_port *port, const struct fcn_build_env *env,
		struct fcn_snapshot_port *out)
{
	const uint32_t n_workers = RTE_MAX(env->n_workers, 1u);
	const uint32_t sharers = RTE_MIN((uint32_t)port->queues, n_workers);

	out->mac_limit = port->mac_limit == FCN_AUTO ? 0 : port->mac_limit;
	for (unsigned int k = 0; k < FCN_FLOOD_KINDS; k++) {
		const struct fcn_config_storm *storm = &port->storm[k];

		if (storm->rate == 0)
			continue;
		out->storm_on = true;
		/* This is rounded up, since the rate is a limit. */
		out->storm[k].cost_ns = ((uint64_t)NS_PER_S * sharers + storm->rate - 1) /
					storm->rate;
		out->storm[k].burst = RTE_MAX(storm->burst / sharers, 1u);
	}
}

/* Whether a port of a bridge is closed because of a loop. */
static bool
is_closed(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int number)
{
	return cfg->port[number].bridge >= 0 && fcn_port_set_has(&env->err_disabled, number);
}

/* Get the table of a port. A table that does not exist is refused when the routes are built. */
static uint8_t
table_of(const struct fcn_config *cfg, unsigned int port)
{
	int table = fcn_config_port_table(cfg, port);

	return table < 0 ? FCN_TABLE_MAIN : (uint8_t)table;
}

/*
 * Get the MTU for what is routed out: the configured one, or that of the device, if it is lower at
 * present. What is received, and what a bridge forwards, is not concerned.
 *
 * @param overhead octets of a frame before the packet
 */
static uint16_t
tx_mtu_of(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int number,
		uint32_t overhead)
{
	const struct fcn_config_port *port = &cfg->port[number];
	const uint32_t max_frame = env->port[port->vlan != 0 ? port->parent : number].max_frame;
	char place[FCN_WARNING_PLACE];
	uint16_t mtu;

	if (max_frame == 0 || max_frame >= port->mtu + overhead)
		return port->mtu;
	mtu = max_frame > overhead + MIN_MTU ? (uint16_t)(max_frame - overhead) : MIN_MTU;
	snprintf(place, sizeof(place), "port %s", port->name);
	fcn_warn(env->warnings, FCN_WARNING_MTU, number, place,
			"its MTU is %u, but its device sends packets of at most %u bytes now",
			port->mtu, mtu);
	return mtu;
}

static int
build_port(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int number,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_port *port = &cfg->port[number];
	struct fcn_snapshot_port *out = &s->port[number];
	uint64_t link = env->port[number].link_bps;

	out->mode = port->bridge >= 0 ? FCN_PORT_BRIDGED : FCN_PORT_ROUTED;
	out->table = table_of(cfg, number);
	out->trust = port->trust;
	out->mac = fcn_build_mac(port, &env->port[number], number);
	out->mtu = port->mtu;
	out->tx_mtu = tx_mtu_of(cfg, env, number, RTE_ETHER_HDR_LEN);
	out->bridge = port->bridge >= 0 ? port->bridge : 0;
	out->pvid = port->pvid;
	out->kernel = env->kernel && port->bridge < 0 && port->kernel[0] != '\0';
	memcpy(out->tagged, port->tagged, sizeof(out->tagged));
	if (port->bridge >= 0)
		build_bridge_limits(port, env, out);
	if (is_closed(cfg, env, number)) {
		out->err_disabled = true;
		out->pvid = 0;
		memset(out->tagged, 0, sizeof(out->tagged));
	}
	out->link_bps = link != 0 ? link : port->link_bps;
	out->down = env->port[number].down;
	out->no_clones = env->port[number].no_clones;
	out->arn_edge = port->arn_edge;
	return fcn_build_pfc(cfg, env, number, s, err, size);
}

/* Build a sub-interface. All that belongs to the link is taken from the parent port. */
static int
build_sub_interface(const struct fcn_config *cfg, const struct fcn_build_env *env,
		unsigned int number, struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_port *sub = &cfg->port[number], *parent = &cfg->port[sub->parent];
	struct fcn_snapshot_port *link = &s->port[sub->parent], *out = &s->port[number];

	if (parent->bridge >= 0)
		return fcn_build_fail(err, size,
				"port %s: port %s is in bridge %s and cannot have sub-interfaces",
				sub->name, parent->name, cfg->bridge[parent->bridge].name);
	if (sub->mtu > parent->mtu)
		return fcn_build_fail(err, size,
				"port %s: the MTU of %u is larger than that of port %s, %u",
				sub->name, sub->mtu, parent->name, parent->mtu);
	out->mode = FCN_PORT_ROUTED;
	out->table = table_of(cfg, number);
	out->mac = link->mac;
	out->mtu = sub->mtu;
	out->tx_mtu = tx_mtu_of(cfg, env, number, RTE_ETHER_HDR_LEN + sizeof(struct rte_vlan_hdr));
	out->parent = sub->parent;
	out->vlan = sub->vlan;
	out->kernel = env->kernel && sub->kernel[0] != '\0';
	out->link_bps = link->link_bps;
	out->down = link->down;
	out->arn_edge = parent->arn_edge;
	if (link->sub == NULL) {
		link->sub = rte_malloc_socket("fcn_sub", FCN_VLANS * sizeof(*link->sub),
				RTE_CACHE_LINE_SIZE, env->socket);
		if (link->sub == NULL)
			return fcn_build_fail(err, size, "out of memory");
		for (unsigned int v = 0; v < FCN_VLANS; v++)
			link->sub[v] = FCN_PORT_NONE;
	}
	link->sub[sub->vlan] = number;
	return 0;
}

/*
 * Build the limits of packets that are left to the host functions. Each worker that receives for a
 * port has an equal part of the port's rate. A sub-interface has limits of its own, and its packets
 * come by the receive queues of its parent.
 */
static void
build_police(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int number,
		struct fcn_snapshot_port *out)
{
	const uint16_t parent = fcn_config_is_sub_interface(cfg, number) ? cfg->port[number].parent
									 : number;
	const unsigned int workers = RTE_MAX(env->n_workers, 1u);
	const unsigned int queues = RTE_MAX(cfg->port[parent].queues, (uint16_t)1);
	const unsigned int parts = RTE_MIN(queues, workers);

	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		const struct fcn_punt_rate rate = fcn_config_police(cfg, number, k);

		out->punt[k] = fcn_punt_limit_of(&rate, parts);
	}
}

/* Build a bridge interface. It answers for its own addresses, for the link-local address that is
 * derived from its MAC address (RFC 4291 appendix A), and for the loopback addresses, of which one
 * is the source of notices. */
static int
build_bridge_interface(const struct fcn_config *cfg, const struct fcn_build_env *env,
		unsigned int number, struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_port *port = &cfg->port[number];
	struct fcn_snapshot_port *out = &s->port[number];

	out->mode = FCN_PORT_BRIDGE_INTERFACE;
	out->mac = fcn_build_mac(port, &env->port[number], number);
	out->mtu = out->tx_mtu = port->mtu;
	out->vlan = port->vlan;
	out->bridge = port->of_bridge;
	out->own = rte_calloc_socket(
			"fcn_own", cfg->addresses.n + 3, sizeof(*out->own), 0, env->socket);
	if (out->own == NULL)
		return fcn_build_fail(err, size, "out of memory");
	if (cfg->loopback.version != 0)
		out->own[out->n_own++] = cfg->loopback;
	if (cfg->loopback4.version != 0)
		out->own[out->n_own++] = cfg->loopback4;
	out->own[out->n_own].version = 6;
	fcn_nd_link_local(&out->mac, out->own[out->n_own++].bytes);
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (cfg->addresses.item[i].port == number)
			out->own[out->n_own++] = cfg->addresses.item[i].prefix.addr;
	}
	if (out->n_own > FCN_BRIDGE_ADDRESSES + 3)
		return fcn_build_fail(err, size,
				"port %s: an interface of a bridge has at most %u addresses",
				port->name, FCN_BRIDGE_ADDRESSES);
	if (env->host)
		fcn_port_set_add(&s->bridge[port->of_bridge].interfaces, number);
	return 0;
}

static int
build_ports(const struct fcn_config *cfg, const struct fcn_build_env *env, struct fcn_snapshot *s,
		char *err, size_t size)
{
	for (unsigned int p = 0; p < s->n_ports; p++)
		s->port[p].parent = p;
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (cfg->port[p].name[0] != '\0')
			build_police(cfg, env, p, &s->port[p]);
		if (fcn_config_has_link(cfg, p) && build_port(cfg, env, p, s, err, size) != 0)
			return -1;
	}
	/* What is left of the buffer depends on all ports, and what fits into a queue on that. */
	if (fcn_build_buffer(cfg, env, s, err, size) != 0)
		return -1;
	fcn_build_budget(cfg, env, s);
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_has_link(cfg, p) &&
				fcn_build_pfc_thresholds(cfg, p, s, err, size) != 0)
			return -1;
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_has_link(cfg, p) &&
				(fcn_build_egress(cfg, env, p, s, err, size) != 0 ||
						fcn_build_trim(cfg, p, s, err, size) != 0))
			return -1;
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_sub_interface(cfg, p) &&
				build_sub_interface(cfg, env, p, s, err, size) != 0)
			return -1;
		if (fcn_config_is_bridge_interface(cfg, p) &&
				build_bridge_interface(cfg, env, p, s, err, size) != 0)
			return -1;
	}
	return 0;
}

static int
build_bridges(const struct fcn_config *cfg, const struct fcn_build_env *env, struct fcn_snapshot *s,
		char *err, size_t size)
{
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		if (cfg->bridge[b].name[0] == '\0')
			continue;
		if (cfg->bridge[b].loop_action == FCN_LOOP_DISABLE &&
				cfg->bridge[b].move_limit == 0)
			return fcn_build_fail(err, size,
					"bridge %s: loop-action disable needs a move-limit, "
					"which is off",
					cfg->bridge[b].name);
		s->bridge[b].used = true;
		s->bridge[b].move_limit = cfg->bridge[b].move_limit;
		s->bridge[b].ageing_ns = cfg->bridge[b].ageing_ns;
		s->mac_ageing_ns = RTE_MAX(s->mac_ageing_ns, cfg->bridge[b].ageing_ns);
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		struct fcn_snapshot_bridge *bridge;

		/* Nothing is flooded to a port whose link is down or that is closed. */
		if (cfg->port[p].name[0] == '\0' || cfg->port[p].bridge < 0 || env->port[p].down ||
				is_closed(cfg, env, p))
			continue;
		bridge = &s->bridge[cfg->port[p].bridge];
		fcn_port_set_add(&bridge->members, p);
		if (env->port[p].no_clones)
			fcn_port_set_add(&bridge->no_clones, p);
	}
	return 0;
}

/* Get the number of ports that a snapshot has room for: some more than the configuration has, so
 * that it need not grow with each. */
static unsigned int
ports_of_snapshot(const struct fcn_config *cfg, const struct fcn_build_env *env)
{
	const unsigned int n = RTE_MAX(cfg->n_ports, env->n_ports);

	return RTE_ALIGN_CEIL(RTE_MAX(n, 1u), FCN_SNAPSHOT_PORTS);
}

struct fcn_snapshot *
fcn_snapshot_build(const struct fcn_config *cfg, const struct fcn_build_env *env, char *err,
		size_t err_size)
{
	const unsigned int n_ports = ports_of_snapshot(cfg, env);
	struct fcn_snapshot *s;

	if (env->warnings != NULL)
		env->warnings->n = env->warnings->left_out = 0;
	s = rte_zmalloc_socket("fcn_snapshot",
			offsetof(struct fcn_snapshot, port) + n_ports * sizeof(s->port[0]),
			RTE_CACHE_LINE_SIZE, env->socket);
	if (s == NULL) {
		fcn_build_fail(err, err_size, "out of memory");
		return NULL;
	}
	s->n_ports = n_ports;
	s->generation = env->generation;
	s->codes = cfg->codes;
	s->class_map = cfg->class_map;
	s->idle_ns = cfg->idle_ns;
	s->stage_cycles = cfg->stage_cycles;
	s->cycle_share = cfg->cycle_share;
	s->copies = cfg->copies;
	if (env->host)
		s->punt = (1u << FCN_PUNT_REASON_COUNT) - 1;
	if (build_bridges(cfg, env, s, err, err_size) != 0 ||
			build_ports(cfg, env, s, err, err_size) != 0 ||
			fcn_build_ioam(cfg, s, err, err_size) != 0 ||
			fcn_build_border(cfg, env, s, err, err_size) != 0 ||
			fcn_build_proxy_edge(cfg, env, s, err, err_size) != 0 ||
			fcn_build_notify(cfg, env, s, err, err_size) != 0 ||
			fcn_build_routes(cfg, env, s, err, err_size) != 0 ||
			fcn_build_srv6_sids(cfg, env, s, err, err_size) != 0 ||
			fcn_build_arn(cfg, env, s, err, err_size) != 0 ||
			fcn_build_proxy(cfg, env, s, err, err_size) != 0)
		goto failed;
	return s;
failed:
	fcn_snapshot_free(s);
	return NULL;
}

void
fcn_snapshot_free(struct fcn_snapshot *s)
{
	if (s == NULL)
		return;
	fcn_build_notify_free(s);
	fcn_build_srv6_sids_free(s);
	fcn_build_proxy_free(s);
	fcn_prefix_list_free(s->border.peers);
	fcn_prefix_list_free(s->border.sids);
	fcn_prefix_list_free(s->border.unchecked);
	fcn_proxy_map_free(s->proxy_edge.senders);
	fcn_build_routes_free(s);
	for (unsigned int p = 0; p < s->n_ports; p++) {
		rte_free(s->port[p].sub);
		rte_free(s->port[p].own);
	}
	rte_free(s);
}
