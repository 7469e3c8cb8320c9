/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Build what kinds of notices that send Fast CNPs have in common: option types, and the capability
 * of senders.
 */

#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>

#include "build_parts.h"

static int
build_senders(const struct fcn_config *cfg, const struct fcn_build_env *env, unsigned int kind,
		struct fcn_fastcnp_kind_conf *out, char *err, size_t size)
{
	struct fcn_prefix_value *v;
	size_t n = cfg->senders.n + env->n_refusals, found = 0;
	char name[32];

	if (n == 0)
		return 0;
	v = rte_calloc("fcn_senders", n, sizeof(*v), 0);
	if (v == NULL)
		return fcn_build_fail(err, size, "out of memory");
	/* Of equal prefixes the last one counts. So configured senders, which come last, have
	 * priority over those that were found. */
	for (size_t i = 0; i < env->n_refusals; i++) {
		if (env->refusals[i].kind != kind)
			continue;
		v[found].prefix = (struct fcn_prefix){.addr = {.version = 6}, .len = 128};
		memcpy(v[found].prefix.addr.bytes, env->refusals[i].sender, 16);
		v[found++].value = FCN_SENDER_NONE;
	}
	for (size_t i = 0; i < cfg->senders.n; i++) {
		v[found + i].prefix = cfg->senders.item[i].prefix;
		v[found + i].value = cfg->senders.item[i].capability;
	}
	snprintf(name, sizeof(name), "%s_snd%u_%u", env->name, kind,
			(unsigned int)(env->generation % 2));
	out->senders = fcn_prefix_list_create(name, v, found + cfg->senders.n, env->socket);
	rte_free(v);
	return out->senders == NULL ? fcn_build_fail(err, size, "senders: out of memory") : 0;
}

int
fcn_build_fastcnp_kind(const struct fcn_config *cfg, const struct fcn_build_env *env,
		const struct fcn_snapshot *s, unsigned int kind, struct fcn_fastcnp_conf *notice,
		struct fcn_fastcnp_kind_conf *out, char *err, size_t size)
{
	const struct fcn_notice_common *common = &s->notify.common;

	*notice = (struct fcn_fastcnp_conf){
			.opt1_type = cfg->codes.fastcnp_opt1,
			.opt2_type = cfg->codes.fastcnp_opt2,
			.dscp = common->dscp,
			.hop_limit = common->hop_limit,
			.icrc_mode = common->icrc_mode,
	};
	memcpy(notice->source, common->source, sizeof(notice->source));
	if (!fcn_fastcnp_type_is_valid(notice->opt1_type) ||
			!fcn_fastcnp_type_is_valid(notice->opt2_type))
		return fcn_build_fail(
				err, size, "the option types of Fast CNP must be 0x80 to 0x9f");
	out->mark_unknown = cfg->notify.mark_unknown;
	out->default_capability = cfg->notify.default_capability;
	return build_senders(cfg, env, kind, out, err, size);
}
