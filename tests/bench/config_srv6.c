/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* SRv6 in the configuration of a switch that is measured. */

#include <stdio.h>
#include <string.h>

#include "fcn_list.h"
#include "config.h"

/* First segments of the policy towards port p are those of the nodes FIRST_NODE + 16 * p and on. */
#define FIRST_NODE 0x40
#define LAST_NODE 0x80 /* the last segments, likewise */
#define PATHS 3

static struct fcn_prefix
prefix_of(const uint8_t addr[16], uint8_t len)
{
	struct fcn_prefix p = {.addr.version = 6, .len = len};

	memcpy(p.addr.bytes, addr, 16);
	return p;
}

/* The SIDs, and no limit of what END.CON takes. */
static void
add_sids(struct fcn_config *cfg)
{
	static const enum fcn_srv6_behavior behaviors[] = {[BENCH_SRV6_END] = FCN_SRV6_END,
			[BENCH_SRV6_END_DT6] = FCN_SRV6_END_DT6,
			[BENCH_SRV6_END_CON] = FCN_SRV6_END_CON};
	struct fcn_prefix nodes = {.addr.version = 6, .len = 40};

	for (unsigned int i = BENCH_SRV6_END; i < RTE_DIM(behaviors); i++) {
		struct fcn_config_srv6_sid sid;

		memset(&sid, 0, sizeof(sid));
		sid.behavior = (uint8_t)behaviors[i];
		sid.prefix.addr.version = 6;
		sid.prefix.len = 128;
		bench_sid_address(i, sid.prefix.addr.bytes);
		bench_check(fcn_list_add(cfg, fcn_list_of("srv6 sid"), &sid, NULL), "SID");
	}
	bench_outer_source(0, nodes.addr.bytes);
	memset(nodes.addr.bytes + 5, 0, 11);
	bench_check(fcn_list_add(cfg, fcn_list_of("srv6 p-node"), &nodes, NULL), "P node");
	bench_check(fcn_list_add(cfg, fcn_list_of("srv6 endcon"), &nodes, NULL), "END.CON");
	cfg->srv6.endcon_source = (struct fcn_config_bucket){.rate = 1000000000, .burst = 1000};
	cfg->srv6.endcon_total = cfg->srv6.endcon_source;
}

/* Add a route to an address, by another router behind a port. */
static void
add_node(struct fcn_config *cfg, const uint8_t addr[16], unsigned int port)
{
	struct fcn_config_route route = {.prefix = prefix_of(addr, 128), .port = (uint16_t)port};
	const struct rte_ether_addr mac = bench_host_mac(port, BENCH_HOSTS);

	route.via.version = 6;
	bench_host_address(port, BENCH_HOSTS, route.via.bytes);
	bench_check(FCN_LIST_ADD(cfg, "neighbour", fcn_config_neighbour, port, route.via, mac),
			"neighbour");
	bench_check(fcn_list_add(cfg, fcn_list_of("route"), &route, NULL), "route to a node");
}

static void
add_segments(struct fcn_config *cfg, uint16_t policy, unsigned int node, unsigned int port,
		bool is_single)
{
	struct fcn_config_srv6_segments s;

	memset(&s, 0, sizeof(s));
	s.policy = policy;
	s.weight = (uint16_t)(1 + node % PATHS);
	s.list.n = is_single ? 1 : 2;
	bench_sid_address(FIRST_NODE + node, s.list.segment[0]);
	if (!is_single)
		bench_sid_address(LAST_NODE + node, s.list.segment[1]);
	add_node(cfg, s.list.segment[0], port);
	bench_check(fcn_list_add(cfg, fcn_list_of("srv6 segments"), &s, NULL), "segment list");
}

uint16_t
bench_policy(struct fcn_config *cfg, enum bench_srv6 kind, unsigned int port)
{
	static const enum fcn_srv6_encaps_mode modes[] = {[BENCH_SRV6_ENCAPS] = FCN_SRV6_H_ENCAPS,
			[BENCH_SRV6_ENCAPS_RED] = FCN_SRV6_H_ENCAPS_RED,
			[BENCH_SRV6_NO_SRH] = FCN_SRV6_NO_SRH,
			[BENCH_SRV6_PATHS] = FCN_SRV6_H_ENCAPS_RED};
	const unsigned int n = kind == BENCH_SRV6_PATHS ? PATHS : 1;
	struct fcn_config_srv6_policy policy;
	int slot;

	memset(&policy, 0, sizeof(policy));
	snprintf(policy.name, sizeof(policy.name), "to-p%u", port);
	slot = fcn_config_srv6_policy_find(cfg, policy.name);
	if (slot >= 0)
		return (uint16_t)(1 + cfg->srv6.policies.item[slot].slot);
	policy.mode = (uint8_t)modes[kind];
	policy.dscp = FCN_SRV6_COPY;
	policy.hop_limit = 64;
	bench_check(fcn_list_add(cfg, fcn_list_of("srv6 policy"), &policy, NULL), "policy");
	slot = cfg->srv6.policies.item[cfg->srv6.policies.n - 1].slot;
	for (unsigned int i = 0; i < n; i++)
		add_segments(cfg, (uint16_t)slot, 16 * port + i, port, kind == BENCH_SRV6_NO_SRH);
	return (uint16_t)(1 + slot);
}

void
bench_config_srv6(struct fcn_config *cfg, enum bench_srv6 kind)
{
	uint8_t addr[16];

	add_sids(cfg);
	for (unsigned int p = 0; p < BENCH_PORTS && kind == BENCH_SRV6_P_NODE; p++) {
		bench_outer_source(p, addr);
		add_node(cfg, addr, p);
	}
}
