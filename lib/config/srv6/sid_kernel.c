/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Local SIDs of the Linux kernel, as those of a configuration. */

#include <stdlib.h>

#include <linux/seg6_local.h>

#include "build_parts.h"
#include "fcn_local.h"
#include "fcn_route_set.h"

static const struct {
	uint32_t action;
	enum fcn_srv6_behavior behavior;
} behaviors[] = {
		{SEG6_LOCAL_ACTION_END, FCN_SRV6_END},
		{SEG6_LOCAL_ACTION_END_X, FCN_SRV6_END_X},
		{SEG6_LOCAL_ACTION_END_T, FCN_SRV6_END_T},
		{SEG6_LOCAL_ACTION_END_DX4, FCN_SRV6_END_DX4},
		{SEG6_LOCAL_ACTION_END_DX6, FCN_SRV6_END_DX6},
		{SEG6_LOCAL_ACTION_END_DT4, FCN_SRV6_END_DT4},
		{SEG6_LOCAL_ACTION_END_DT6, FCN_SRV6_END_DT6},
		{SEG6_LOCAL_ACTION_END_DT46, FCN_SRV6_END_DT46},
};

static const struct {
	uint32_t op;
	uint8_t flavor;
} flavors[] = {
		{SEG6_LOCAL_FLV_OP_PSP, FCN_SRV6_FLAVOR_PSP},
		{SEG6_LOCAL_FLV_OP_USP, FCN_SRV6_FLAVOR_USP},
		{SEG6_LOCAL_FLV_OP_USD, FCN_SRV6_FLAVOR_USD},
};

static int
compare_serial(const void *key, const void *element)
{
	const uint64_t wanted = *(const uint64_t *)key;
	const uint64_t serial = ((const struct fcn_kernel_sid *)element)->serial;

	return wanted < serial ? -1 : wanted > serial;
}

const struct fcn_kernel_sid *
fcn_kernel_sid_find(const struct fcn_kernel_sid *list, size_t n, uint64_t serial)
{
	return n == 0 ? NULL : bsearch(&serial, list, n, sizeof(*list), compare_serial);
}

/* Get the behavior of an action. Others are not stored. @return false: there is none */
static bool
behavior_of(uint32_t action, uint8_t *behavior)
{
	for (size_t i = 0; i < RTE_DIM(behaviors); i++) {
		if (behaviors[i].action != action)
			continue;
		*behavior = behaviors[i].behavior;
		return true;
	}
	return false;
}

/* Find the port on whose network a station is. @return FCN_KERNEL_NO_PORT: there is none */
static uint16_t
port_of(const struct fcn_config *cfg, const struct fcn_addr *via)
{
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		const struct fcn_config_address *a = &cfg->addresses.item[i];
		struct fcn_prefix network = a->prefix;

		fcn_prefix_normalise(&network);
		if (fcn_prefix_contains(&network, via) &&
				fcn_config_is_in_table(cfg, a->port, FCN_TABLE_MAIN))
			return a->port;
	}
	return FCN_KERNEL_NO_PORT;
}

/* Tell whether packets can be routed to a port. */
static bool
is_routed(const struct fcn_config *cfg, uint16_t port)
{
	return cfg->port[port].name[0] != '\0' && cfg->port[port].bridge < 0 &&
	       !fcn_config_is_bridge_interface(cfg, port);
}

bool
fcn_kernel_sid_station(const struct fcn_config *cfg, const struct fcn_kernel_sid *sid,
		struct fcn_gateway *station)
{
	uint16_t port = sid->port;
	uint8_t behavior;

	if (!behavior_of(sid->action, &behavior) || sid->is_other_port || sid->via.version == 0 ||
			fcn_srv6_behaviors[behavior].argument != FCN_SRV6_ARGUMENT_VIA)
		return false;
	if (port == FCN_KERNEL_NO_PORT)
		port = port_of(cfg, &sid->via);
	if (port == FCN_KERNEL_NO_PORT || !is_routed(cfg, port))
		return false;
	*station = (struct fcn_gateway){port, sid->via};
	return true;
}

/* Find the table that imports one of the kernel's. @return -ENOENT */
static int
find_table(const struct fcn_config *cfg, const uint32_t kernel_table[FCN_MAX_TABLES],
		uint32_t number)
{
	for (unsigned int t = 0; number != 0 && t < FCN_MAX_TABLES; t++) {
		if (kernel_table[t] == number && cfg->table[t].name[0] != '\0')
			return (int)t;
	}
	return -1;
}

bool
fcn_build_kernel_sid(const struct fcn_config *cfg, const uint32_t kernel_table[FCN_MAX_TABLES],
		const struct fcn_kernel_sid *from, struct fcn_config_srv6_sid *to, const char **why)
{
	struct fcn_gateway station;
	const char *key;
	int table;

	*to = (struct fcn_config_srv6_sid){
			.prefix = from->prefix,
			.has_csid = from->flavors & 1u << SEG6_LOCAL_FLV_OP_NEXT_CSID,
			.csid = {from->block_bits, from->node_function_bits},
			.via = from->via,
			.slot = FCN_SRV6_SIDS + from->slot,
			.serial = from->serial,
	};
	*why = "no such behavior";
	if (!behavior_of(from->action, &to->behavior))
		return false;
	for (size_t i = 0; i < RTE_DIM(flavors); i++) {
		if (from->flavors & 1u << flavors[i].op)
			to->flavors |= flavors[i].flavor;
	}
	if (to->prefix.addr.version == 0) { /* the routes that name it have prefixes */
		to->prefix = (struct fcn_prefix){
				.addr = {.version = 6, .bytes = {0x20, 1, 0xd, 0xb8}}, .len = 128};
		if (to->has_csid)
			to->prefix.len = RTE_MIN(
					to->csid.block_bits + to->csid.node_function_bits, 128);
	}
	*why = fcn_config_srv6_sid_why_not(to, &key);
	if (*why != NULL)
		return false;
	if (fcn_srv6_behaviors[to->behavior].argument == FCN_SRV6_ARGUMENT_TABLE) {
		table = find_table(cfg, kernel_table, from->table);
		*why = "no table of the switch follows this table of the kernel";
		if (table < 0)
			return false;
		to->table = (uint16_t)table;
	}
	if (fcn_srv6_behaviors[to->behavior].argument == FCN_SRV6_ARGUMENT_VIA) {
		*why = "the station is not on a network of a port";
		if (!fcn_kernel_sid_station(cfg, from, &station))
			return false;
		to->port = station.port;
	}
	*why = NULL;
	return true;
}

void
fcn_build_kernel_sid_next_hop(const struct fcn_config *cfg, const struct fcn_build_env *env,
		uint64_t serial, struct fcn_next_hop *nh)
{
	const struct fcn_kernel_sid *from = fcn_kernel_sid_find(
			env->kernel_sids, env->n_kernel_sids, serial);
	struct fcn_config_srv6_sid sid;
	const char *why;

	if (from == NULL || !fcn_build_kernel_sid(cfg, env->kernel_table, from, &sid, &why))
		return;
	*nh = (struct fcn_next_hop){.type = FCN_NEXT_HOP_LOCAL,
			.local = FCN_LOCAL_SRV6,
			.first_member = cfg->srv6.sids.n + (from - env->kernel_sids)};
}
