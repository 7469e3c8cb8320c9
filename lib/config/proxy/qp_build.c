/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the map of queue pairs, by which CNPs get the sender's own. */

#include "build_parts.h"

/* Room for pairs of the configuration that are added later. */
#define STEP 256

/* Whether anybody may look up queue pairs: a kind of notice, or the proxy. */
static bool
is_needed(const struct fcn_config *cfg, const struct fcn_snapshot *s)
{
	const struct fcn_config_proxy *proxy = &cfg->proxy;

	return proxy->reported != 0 ||
	       (proxy->qps.n != 0 && (proxy->receive || proxy->intercept || s->notify.on != 0));
}

/* Whether the map in force has all that this configuration asks for. */
static bool
is_same(const struct fcn_config_proxy *proxy, const struct fcn_build_env *env)
{
	return env->qps != NULL && fcn_qp_map_is_made_of(env->qps, proxy->qps.item, proxy->qps.n) &&
	       fcn_qp_map_room(env->qps) == proxy->reported;
}

/* Put what hosts have reported into another map, as far as it has room. */
static void
keep_reports(const struct fcn_qp_map *from, struct fcn_qp_map *to)
{
	struct fcn_qp_entry e;

	for (uint32_t i = 0; from != NULL && i < fcn_qp_map_places(from); i++) {
		/* What is configured has priority. */
		if (fcn_qp_map_get(from, i, &e) && e.owner != FCN_QP_MAP_CONFIGURED &&
				fcn_qp_map_place(to, &e.pair.receiver, e.pair.receiver_qp) ==
						FCN_QP_MAP_NONE)
			fcn_qp_map_put(to, &e.pair, e.owner, e.since_ns);
	}
}

static struct fcn_qp_map *
make(const struct fcn_config_proxy *proxy, const struct fcn_build_env *env)
{
	uint32_t room = RTE_ALIGN_CEIL((uint32_t)proxy->qps.n, STEP);

	/* A page of the map may have no place for one of them, however unlikely that is. */
	for (unsigned int tries = 0; tries < 3; tries++, room = 2 * room + STEP) {
		struct fcn_qp_map *map = fcn_qp_map_create("fcn_proxy_qps", proxy->reported, room,
				env->hash_secret, env->socket);
		size_t i = 0;

		while (map != NULL && i < proxy->qps.n &&
				fcn_qp_map_put(map, &proxy->qps.item[i], FCN_QP_MAP_CONFIGURED,
						0) >= 0)
			i++;
		if (map == NULL || i == proxy->qps.n)
			return map;
		fcn_qp_map_free(map);
	}
	return NULL;
}

int
fcn_build_qps(const struct fcn_config *cfg, const struct fcn_build_env *env, struct fcn_snapshot *s,
		char *err, size_t size)
{
	const struct fcn_config_proxy *proxy = &cfg->proxy;

	if (s->proxy.qps != NULL || !is_needed(cfg, s))
		return 0;
	if (is_same(proxy, env)) {
		s->proxy.qps = fcn_qp_map_share(env->qps);
		return 0;
	}
	s->proxy.qps = make(proxy, env);
	if (s->proxy.qps == NULL)
		return fcn_build_fail(err, size, "proxy qp: out of memory");
	fcn_qp_map_made_of(s->proxy.qps, proxy->qps.item, proxy->qps.n);
	keep_reports(env->qps, s->proxy.qps);
	return 0;
}
