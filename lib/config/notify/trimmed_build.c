/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the configuration of notices that return the headers of packets to their senders. */

#include <rte_malloc.h>

#include "build_parts.h"
#include "fcn_notice_trimmed.h"

int
fcn_build_notice_trimmed(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	struct fcn_notice_trimmed_conf *out;
	struct fcn_fastcnp_conf notice;

	if (s->notify.on_loss & 1u << FCN_NOTICE_TRIMMED && cfg->loopback.version != 6)
		return fcn_build_fail(err, size,
				"trim return needs a source address of the notices: set loopback "
				"ADDRESS");
	out = rte_zmalloc_socket(
			"fcn_notice_trimmed", sizeof(*out), RTE_CACHE_LINE_SIZE, env->socket);
	if (out == NULL)
		return fcn_build_fail(err, size, "out of memory");
	s->notify.kind[FCN_NOTICE_TRIMMED].own = out;
	if (fcn_build_fastcnp_kind(cfg, env, s, FCN_NOTICE_TRIMMED, &notice, &out->fast_cnp, err,
			    size) != 0)
		return -1;
	out->fast_cnp.trimmed_type = cfg->codes.trimmed;
	if (s->notify.on_loss & 1u << FCN_NOTICE_TRIMMED &&
			(!fcn_fastcnp_type_is_valid(cfg->codes.trimmed) ||
					cfg->codes.trimmed == cfg->codes.fastcnp_opt1 ||
					cfg->codes.trimmed == cfg->codes.fastcnp_opt2))
		return fcn_build_fail(err, size,
				"trim return needs an option type that is neither of those of Fast "
				"CNP, from 0x80 to 0x9f: set trim option-type TYPE");
	if (s->notify.on & 1u << FCN_NOTICE_ENDCON)
		out->endcon = s->notify.kind[FCN_NOTICE_ENDCON].own;
	if (fcn_fastcnp_kind_init(&out->fast_cnp, &notice) != 0)
		return fcn_build_fail(err, size, "DPDK's rte_net provides no CRC-32");
	return 0;
}
