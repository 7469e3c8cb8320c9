/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the configuration of CNPs to senders. */

#include <rte_malloc.h>

#include "build_parts.h"
#include "fcn_notice_cnp.h"

/* A sender that gets a CNP is told, so the other kinds that tell it yield. A sender that is known
 * to understand Fast CNPs gets no CNP, so these do not yield for it. */
static void
build_precedence(struct fcn_notices_conf *out)
{
	const uint8_t others = 1u << FCN_NOTICE_FAST_CNP | 1u << FCN_NOTICE_ENDCON;

	out->yields_to[FCN_NOTICE_FAST_CNP] |= 1u << FCN_NOTICE_CNP;
	out->yields_to[FCN_NOTICE_ENDCON] |= 1u << FCN_NOTICE_CNP;
	out->yielding |= out->on & others;
}

int
fcn_build_notice_cnp(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_notice_common *common = &s->notify.common;
	const uint8_t tclass = (uint8_t)(common->dscp << 2);
	struct fcn_notice_cnp_conf *out;

	out = rte_zmalloc_socket("fcn_notice_cnp", sizeof(*out), RTE_CACHE_LINE_SIZE, env->socket);
	if (out == NULL)
		return fcn_build_fail(err, size, "out of memory");
	s->notify.kind[FCN_NOTICE_CNP].own = out;
	if (fcn_crc32_init(&out->crc) != 0)
		return fcn_build_fail(err, size, "DPDK's rte_net provides no CRC-32");
	if (!(s->notify.on & 1u << FCN_NOTICE_CNP))
		return 0;
	fcn_cnp_template_init(&out->ip4, &out->crc, 4, tclass, common->hop_limit);
	fcn_cnp_template_init(&out->ip6, &out->crc, 6, tclass, common->hop_limit);
	build_precedence(&s->notify);
	if (s->notify.on & 1u << FCN_NOTICE_FAST_CNP)
		out->fast_cnp = s->notify.kind[FCN_NOTICE_FAST_CNP].own;
	if (fcn_build_qps(cfg, env, s, err, size) != 0)
		return -1;
	out->qps = s->proxy.qps;
	if (cfg->proxy.qps.n == 0 && cfg->proxy.reported == 0)
		fcn_warn(env->warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "proxy qp",
				"notify cnp is on, and no queue pair of a sender is known: proxy "
				"qp add RECEIVER QP sender-qp QP, or set proxy reported NUMBER for "
				"hosts that report theirs");
	return 0;
}
