/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the configuration of Fast CNPs to END.CON, and the list of known END.CON addresses. */

#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>

#include "build_parts.h"
#include "fcn_kernel_list.h"
#include "fcn_notice_endcon.h"

bool
fcn_config_srv6_is_endcon_route(
		const struct fcn_config *cfg, uint8_t protocol, const struct fcn_prefix *prefix)
{
	return cfg->srv6.endcon_protocol == protocol && prefix->addr.version == 6;
}

/* Append a prefix of END.CON addresses. Each has a number of its own, so that it can be told
 * whether two addresses are of one node. @return the number of prefixes */
static size_t
add(struct fcn_prefix_value *v, size_t n, const struct fcn_prefix *prefix)
{
	v[n] = (struct fcn_prefix_value){*prefix, (uint32_t)n + 1};
	return n + 1;
}

static int
build_list(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_prefix_list **out, char *err, size_t size)
{
	const bool by_routes = cfg->srv6.endcon_protocol != FCN_SRV6_NO_PROTOCOL;
	const struct fcn_kernel_path *path;
	struct fcn_prefix_value *v;
	size_t n = 0, n_paths, room;
	char name[32];

	path = fcn_kernel_list_table(
			env->kernel_paths, env->n_kernel_paths, FCN_TABLE_MAIN, &n_paths);
	room = cfg->srv6.endcons.n + (by_routes ? n_paths : 0) + env->n_learned_endcons;
	if (room == 0)
		return 0;
	v = rte_calloc("fcn_endcon", room, sizeof(*v), 0);
	if (v == NULL)
		return fcn_build_fail(err, size, "out of memory");
	for (size_t i = 0; i < cfg->srv6.endcons.n; i++)
		n = add(v, n, &cfg->srv6.endcons.item[i]);
	for (size_t i = 0; by_routes && i < n_paths; i++) {
		if (fcn_config_srv6_is_endcon_route(cfg, path[i].protocol, &path[i].prefix))
			n = add(v, n, &path[i].prefix);
	}
	for (size_t i = 0; i < env->n_learned_endcons; i++)
		n = add(v, n, &env->learned_endcons[i]);
	snprintf(name, sizeof(name), "%s_endcon%u", env->name, (unsigned int)(env->generation % 2));
	if (n > 0)
		*out = fcn_prefix_list_create(name, v, n, env->socket);
	rte_free(v);
	return n > 0 && *out == NULL ? fcn_build_fail(err, size, "srv6 endcon: out of memory") : 0;
}

/* Build the list of END.CON addresses that have refused notices. What senders have refused is in
 * it, too, but no tunnel begins there. */
static int
build_refused(const struct fcn_build_env *env, struct fcn_prefix_list **out, char *err, size_t size)
{
	struct fcn_prefix_value *v;
	char name[32];
	size_t n = 0;

	if (env->n_refusals == 0)
		return 0;
	v = rte_calloc("fcn_endcon", env->n_refusals, sizeof(*v), 0);
	if (v == NULL)
		return fcn_build_fail(err, size, "out of memory");
	for (size_t i = 0; i < env->n_refusals; i++) {
		if (env->refusals[i].kind != FCN_NOTICE_ENDCON)
			continue;
		v[n].prefix = (struct fcn_prefix){.addr = {.version = 6}, .len = 128};
		memcpy(v[n].prefix.addr.bytes, env->refusals[i].sender, 16);
		v[n++].value = 1;
	}
	snprintf(name, sizeof(name), "%s_endref%u", env->name, (unsigned int)(env->generation % 2));
	if (n > 0)
		*out = fcn_prefix_list_create(name, v, n, env->socket);
	rte_free(v);
	return n > 0 && *out == NULL ? fcn_build_fail(err, size, "srv6 endcon: out of memory") : 0;
}

int
fcn_build_notice_endcon(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	struct fcn_fastcnp_conf notice;
	struct fcn_notice_endcon_conf *out;

	if (s->notify.on & 1u << FCN_NOTICE_ENDCON && cfg->loopback.version != 6)
		return fcn_build_fail(err, size,
				"notify endcon needs a source address: set loopback ADDRESS");
	out = rte_zmalloc_socket(
			"fcn_notice_endcon", sizeof(*out), RTE_CACHE_LINE_SIZE, env->socket);
	if (out == NULL)
		return fcn_build_fail(err, size, "out of memory");
	s->notify.kind[FCN_NOTICE_ENDCON].own = out;
	if (fcn_build_fastcnp_kind(cfg, env, s, FCN_NOTICE_ENDCON, &notice, &out->fast_cnp, err,
			    size) != 0)
		return -1;
	if (fcn_notice_endcon_init(out, &notice) != 0)
		return fcn_build_fail(err, size, "DPDK's rte_net provides no CRC-32");
	if (!(s->notify.on & 1u << FCN_NOTICE_ENDCON))
		return 0;
	out->is_direct = s->notify.on & 1u << FCN_NOTICE_FAST_CNP;
	if (build_refused(env, &out->refused, err, size) != 0)
		return -1;
	if (build_list(cfg, env, &out->endcon, err, size) != 0)
		return -1;
	if (out->endcon == NULL)
		fcn_warn(env->warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "srv6 endcon",
				"notify endcon is on, and no END.CON address is known: srv6 "
				"endcon add PREFIX");
	return 0;
}
