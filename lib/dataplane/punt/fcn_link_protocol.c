/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>

#include "fcn_link_protocol.h"

/* The least value of the EtherType field that is no length (IEEE 802.3 clause 3.2.6). */
#define LEAST_TYPE 1536

#define LIST(...)           \
	{                   \
		__VA_ARGS__ \
	}
#define GROUPS(...) (sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define TYPES(...) (sizeof((uint16_t[]){__VA_ARGS__}) / sizeof(uint16_t))

const struct fcn_link_protocol_info fcn_link_protocols[FCN_LINK_PROTOCOL_COUNT] = {
#define INFO(sym, name, kind, groups, types, own, title, text)                           \
	{name, text, FCN_PUNT_KIND_##kind, own, GROUPS groups, TYPES types, LIST groups, \
			LIST types},
		FCN_LINK_PROTOCOLS(INFO)
#undef INFO
};

static uint64_t
number_of(const struct rte_ether_addr *mac)
{
	uint64_t number = 0;

	for (unsigned int i = 0; i < RTE_ETHER_ADDR_LEN; i++)
		number = number << 8 | mac->addr_bytes[i];
	return number;
}

static bool
has_type(const struct fcn_link_protocol_info *p, uint16_t type)
{
	for (unsigned int i = 0; i < p->n_types; i++) {
		if (p->type[i] == type)
			return true;
	}
	return false;
}

static bool
has_group(const struct fcn_link_protocol_info *p, uint64_t group)
{
	for (unsigned int i = 0; i < p->n_groups; i++) {
		if (p->group[i] == group)
			return true;
	}
	return false;
}

enum fcn_link_protocol
fcn_link_protocol_of(const struct rte_ether_addr *dst, uint16_t type, bool own)
{
	const uint64_t group = number_of(dst);

	if (type < LEAST_TYPE)
		type = FCN_LINK_LLC;
	for (unsigned int i = 0; i < FCN_LINK_PROTOCOL_COUNT; i++) {
		const struct fcn_link_protocol_info *p = &fcn_link_protocols[i];

		if (has_type(p, type) && (own ? p->own : has_group(p, group)))
			return i;
	}
	return FCN_LINK_PROTOCOL_COUNT;
}
