/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the outer headers of SRv6 policies, and the next hops of their segment lists. */

#include <errno.h>
#include <stdlib.h>

#include <rte_malloc.h>

#include "build_parts.h"
#include "fcn_path_id.h"
#include "fcn_route_set.h"
#include "fcn_tunnel_ecn.h"

#define KERNEL_HOP_LIMIT 64 /* as by default of a policy */

/* Get a source address of a policy: its own, or the loopback. @return NULL: there is none */
static const uint8_t *
source_of(const struct fcn_config *cfg, const struct fcn_addr *addr)
{
	if (addr->version != 0)
		return addr->bytes;
	return cfg->loopback.version == 6 ? cfg->loopback.bytes : NULL;
}

static int
build_headers(const struct fcn_config_srv6_policy *policy, const struct fcn_segment_list *list,
		const uint8_t *source, struct fcn_srv6_encaps *to)
{
	const struct fcn_srv6_encaps_conf conf = {
			.mode = policy->mode,
			.segments = list->segment,
			.n_segments = list->n,
	};
	struct fcn_srv6_encaps_conf with_source = conf;

	memcpy(with_source.source, source, sizeof(with_source.source));
	return fcn_srv6_encaps_init(to, &with_source);
}

/* Build a segment list of the kernel. Without a source address it stays without headers. */
static void
build_kernel_list(const struct fcn_config *cfg, const struct fcn_kernel_segments *from,
		struct fcn_encaps *to)
{
	const struct fcn_config_srv6_policy policy = {.mode = from->list.mode};
	const uint8_t *source = source_of(cfg, &cfg->srv6.kernel_source);
	const struct fcn_addr *roce = &cfg->srv6.kernel_roce_source;

	if (source != NULL && build_headers(&policy, &from->list, source, &to->other) == 0 &&
			build_headers(&policy, &from->list,
					roce->version != 0 ? roce->bytes : source, &to->roce) != 0)
		to->other.len = 0;
	memcpy(to->first, from->list.segment[0], sizeof(to->first));
	to->tclass_copied = UINT8_MAX;
	to->hop_limit = KERNEL_HOP_LIMIT;
	to->flow_label = FCN_SRV6_FLOW_LABEL_AUTO;
	to->slot = FCN_SRV6_SEGMENT_LISTS + from->slot;
	to->serial = from->serial;
}

static int
build_one(const struct fcn_config *cfg, const struct fcn_config_srv6_segments *from,
		struct fcn_encaps *to, char *err, size_t size)
{
	const struct fcn_config_srv6_policy *policy = fcn_config_srv6_policy_of(cfg, from->policy);
	const uint8_t *source = source_of(cfg, &policy->source);
	const uint8_t *roce = policy->roce_source.version != 0 ? policy->roce_source.bytes : source;

	if (source == NULL)
		return fcn_build_fail(err, size,
				"srv6 policy %s: it needs a source address, or the switch an IPv6 "
				"loopback",
				policy->name);
	if (policy->mode == FCN_SRV6_NO_SRH && from->list.n > 1)
		return fcn_build_fail(err, size,
				"srv6 policy %s: with the mode no-srh, a segment list can have one "
				"segment only",
				policy->name);
	if (build_headers(policy, &from->list, source, &to->other) != 0 ||
			build_headers(policy, &from->list, roce, &to->roce) != 0)
		return fcn_build_fail(err, size,
				"srv6 policy %s: no packet can have its source address",
				policy->name);
	memcpy(to->first, from->list.segment[0], sizeof(to->first));
	to->tclass_copied = fcn_tunnel_ecn_encaps(policy->ecn, FCN_ECN_MASK);
	if (policy->dscp == FCN_SRV6_COPY)
		to->tclass_copied |= (uint8_t)~FCN_ECN_MASK;
	else
		to->tclass = (uint8_t)(policy->dscp << 2);
	to->hop_limit = policy->hop_limit == FCN_SRV6_COPY ? FCN_SRV6_INNER
							   : (uint16_t)policy->hop_limit;
	to->flow_label = policy->flow_label;
	to->slot = from->slot;
	to->has_path_id = from->has_path_id;
	to->path_id = from->path_id;
	to->serial = from->serial;
	return 0;
}

static int
allocate_steering(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s)
{
	s->srv6.n_select = (uint32_t)cfg->srv6.steering.n;
	if (s->srv6.n_select == 0)
		return 0;
	s->srv6.select = rte_calloc_socket("fcn_steering", s->srv6.n_select,
			sizeof(*s->srv6.select), RTE_CACHE_LINE_SIZE, env->socket);
	return s->srv6.select == NULL ? -1 : 0;
}

void
fcn_build_srv6_steering(const struct fcn_config_srv6_steering *from, uint32_t next_hop,
		bool is_live, struct fcn_steering *to)
{
	*to = (struct fcn_steering){.next_hop = next_hop,
			.port = from->port,
			.dscp = from->dscp,
			.roce = from->roce,
			.is_live = is_live,
			.slot = from->slot,
			.serial = from->serial};
}

/* Whoever is told of congestion in its tunnels is an ingress PE, whose outer headers must have the
 * ECN field of the inner ones (draft-hu-rtgwg-rocev2-fcn section 4.2.1). */
static int
check_ecn(const struct fcn_config *cfg, char *err, size_t size)
{
	for (size_t i = 0; i < cfg->srv6.policies.n; i++) {
		const struct fcn_config_srv6_policy *policy = &cfg->srv6.policies.item[i];

		if (policy->roce_source.version != 0 && policy->ecn == FCN_TUNNEL_ECN_COMPATIBILITY)
			return fcn_build_fail(err, size,
					"srv6 policy %s: with roce-source, RoCEv2 needs the ECN "
					"field in the outer header: set ecn normal, or "
					"roce-source none",
					policy->name);
	}
	return 0;
}

int
fcn_build_srv6_encaps(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const size_t n_configured = cfg->srv6.segments.n;
	const size_t n = n_configured + env->n_kernel_segments;

	if (check_ecn(cfg, err, size) != 0)
		return -1;
	if (allocate_steering(cfg, env, s) != 0)
		return fcn_build_fail(err, size, "srv6 steering: out of memory");
	if (n == 0)
		return 0;
	s->srv6.encaps = rte_calloc_socket(
			"fcn_encaps", n, sizeof(*s->srv6.encaps), RTE_CACHE_LINE_SIZE, env->socket);
	if (s->srv6.encaps == NULL)
		return fcn_build_fail(err, size, "srv6 policies: out of memory");
	s->srv6.n_encaps = (uint32_t)n;
	for (size_t i = 0; i < n_configured; i++) {
		if (build_one(cfg, &cfg->srv6.segments.item[i], &s->srv6.encaps[i], err, size) != 0)
			return -1;
	}
	for (size_t i = 0; i < env->n_kernel_segments; i++)
		build_kernel_list(cfg, &env->kernel_segments[i], &s->srv6.encaps[n_configured + i]);
	fcn_path_id_index(&s->srv6);
	return 0;
}

static int
compare_serial(const void *key, const void *element)
{
	const uint64_t serial = ((const struct fcn_encaps *)element)->serial;
	const uint64_t wanted = *(const uint64_t *)key;

	return wanted < serial ? -1 : wanted > serial;
}

/* Serials ascend, as lists are appended, and those of the kernel are greater than others. */
int
fcn_build_srv6_encaps_find(const struct fcn_snapshot *s, uint64_t serial)
{
	const struct fcn_encaps *found = NULL;

	if (s->srv6.n_encaps > 0)
		found = bsearch(&serial, s->srv6.encaps, s->srv6.n_encaps, sizeof(*found),
				compare_serial);
	return found != NULL ? (int)(found - s->srv6.encaps) : -ENOENT;
}

/*
 * Find a segment list among the members of a group. With one, the group does not lead to the first
 * segment of another: no packet gets two tunnels.
 *
 * @return index of its next hop; 0: there is none
 */
static uint32_t
segments_of_group(const struct fcn_snapshot *s, uint32_t index)
{
	const struct fcn_route_set *set = s->table[FCN_TABLE_MAIN].routes;
	const uint32_t first = s->table[FCN_TABLE_MAIN].first + fcn_route_set_group(set, 0);
	const struct fcn_path_group *group;

	if (index < first || index - first >= set->n_groups)
		return 0;
	group = &set->group[index - first];
	for (uint32_t i = 0; i < group->n; i++) {
		const uint32_t k = set->member[group->first + i];

		if (set->gateway[k].port == FCN_GATEWAY_SEGMENTS)
			return s->table[FCN_TABLE_MAIN].first + fcn_route_set_gateway(set, k);
	}
	return 0;
}

void
fcn_build_srv6_via(const struct fcn_snapshot *s, struct fcn_encaps *e)
{
	const struct fcn_next_hop *nh;
	uint8_t addr[1][16];
	uint64_t index;
	uint32_t host, segments;

	memcpy(addr[0], e->first, sizeof(addr[0]));
	fcn_fib6_lookup(s->table[FCN_TABLE_MAIN].normal, addr, &index, 1);
	e->via = (uint32_t)index;
	segments = segments_of_group(s, e->via);
	if (segments != 0)
		e->via = segments;
	nh = &s->next_hop[e->via];
	if (nh->type != FCN_NEXT_HOP_CONNECTED)
		return;
	host = fcn_neighbour_find(&s->neighbours, 6, nh->interface, e->first);
	if (host != 0)
		e->via = host;
}

/* The longest packet that all paths of a group can send, and the interface of the first one. */
static void
set_path(const struct fcn_snapshot *s, const struct fcn_next_hop *via, struct fcn_next_hop *nh)
{
	const struct fcn_next_hop *first = via;

	nh->mtu = via->mtu;
	for (unsigned int i = 0; via->type == FCN_NEXT_HOP_GROUP && i < via->n_members; i++) {
		const struct fcn_next_hop *m = &s->next_hop[s->member[via->first_member + i]];

		if (i == 0)
			first = m;
		nh->mtu = i == 0 ? m->mtu : RTE_MIN(nh->mtu, m->mtu);
	}
	nh->port = first->port;
	nh->interface = first->interface;
}

void
fcn_build_srv6_next_hop(const struct fcn_snapshot *s, uint32_t index, struct fcn_next_hop *nh)
{
	const struct fcn_encaps *e = &s->srv6.encaps[index];
	const struct fcn_next_hop *via = &s->next_hop[e->via];

	*nh = (struct fcn_next_hop){.type = FCN_NEXT_HOP_NO_ROUTE};
	if (via->type == FCN_NEXT_HOP_NO_ROUTE || via->type == FCN_NEXT_HOP_BLACKHOLE ||
			via->type == FCN_NEXT_HOP_LOCAL || via->type == FCN_NEXT_HOP_ENCAPS ||
			e->other.len == 0)
		return;
	set_path(s, via, nh);
	if (nh->mtu <= e->other.len)
		return;
	nh->mtu -= e->other.len;
	nh->type = FCN_NEXT_HOP_ENCAPS;
	nh->first_member = index;
}
