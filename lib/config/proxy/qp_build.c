/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the map of queue pairs, by which CNPs get the sender's own. */

#include "build_parts.h"

int
fcn_build_qps(const struct fcn_config *cfg, const struct fcn_build_env *env, struct fcn_snapshot *s,
		char *err, size_t size)
{
	const struct fcn_config_proxy *proxy = &cfg->proxy;

	if (s->proxy.qps != NULL || proxy->qps.n == 0)
		return 0;
	s->proxy.qps = fcn_qp_map_create(
			"fcn_proxy_qps", proxy->qps.item, proxy->qps.n, env->socket);
	return s->proxy.qps == NULL ? fcn_build_fail(err, size, "proxy qp: out of memory") : 0;
}
