/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the configuration of Fast CNPs to senders. */

#include <rte_malloc.h>

#include "build_parts.h"

int
fcn_build_notice_fastcnp(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	struct fcn_fastcnp_conf notice;
	struct fcn_fastcnp_kind_conf *out;

	if (s->notify.on & 1u << FCN_NOTICE_FAST_CNP && cfg->loopback.version != 6)
		return fcn_build_fail(err, size,
				"notify fast-cnp needs a source address: set loopback ADDRESS");
	out = rte_zmalloc_socket(
			"fcn_notice_fastcnp", sizeof(*out), RTE_CACHE_LINE_SIZE, env->socket);
	if (out == NULL)
		return fcn_build_fail(err, size, "out of memory");
	s->notify.kind[FCN_NOTICE_FAST_CNP].own = out;
	if (fcn_build_fastcnp_kind(cfg, env, s, FCN_NOTICE_FAST_CNP, &notice, out, err, size) != 0)
		return -1;
	if (fcn_fastcnp_kind_init(out, &notice) != 0)
		return fcn_build_fail(err, size, "DPDK's rte_net provides no CRC-32");
	return 0;
}
