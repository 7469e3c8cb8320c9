/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the proxy, which translates Congestion Notification Messages. */

#include <stdio.h>
#include <string.h>

#include <rte_malloc.h>

#include "build_parts.h"

/* The value of each prefix in the access list. */
#define LISTED 1

static int
build_list(const struct fcn_build_env *env, const char *what, struct fcn_prefix_value *v, size_t n,
		struct fcn_prefix_list **out, char *err, size_t size)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%s%u", env->name, what,
			(unsigned int)(env->generation % 2));
	*out = fcn_prefix_list_create(name, v, n, env->socket);
	return *out == NULL ? fcn_build_fail(err, size, "proxy: out of memory") : 0;
}

static int
build_lists(const struct fcn_config_proxy *proxy, const struct fcn_build_env *env,
		struct fcn_proxy_conf *out, char *err, size_t size)
{
	const size_t room = proxy->nodes.n + proxy->senders.n + 1;
	struct fcn_prefix_value *v = rte_calloc("fcn_proxy", room, sizeof(*v), 0);
	int rc = 0;

	if (v == NULL)
		return fcn_build_fail(err, size, "proxy: out of memory");
	for (size_t i = 0; i < proxy->nodes.n; i++)
		v[i] = (struct fcn_prefix_value){.prefix = proxy->nodes.item[i], .value = LISTED};
	if (proxy->nodes.n != 0)
		rc = build_list(env, "prn", v, proxy->nodes.n, &out->nodes, err, size);
	for (size_t i = 0; i < proxy->senders.n; i++) {
		v[i].prefix = proxy->senders.item[i].prefix;
		v[i].value = proxy->senders.item[i].translation;
	}
	if (rc == 0 && proxy->senders.n != 0)
		rc = build_list(env, "prs", v, proxy->senders.n, &out->senders, err, size);
	rte_free(v);
	return rc;
}

/* Whether some senders are told by Fast CNPs, which have the loopback as source. */
static bool
sends_fast_cnps(const struct fcn_config_proxy *proxy)
{
	for (size_t i = 0; i < proxy->senders.n; i++) {
		if (proxy->senders.item[i].translation == FCN_PROXY_FAST_CNP ||
				proxy->senders.item[i].translation == FCN_PROXY_FAST_CNP_TRACE)
			return true;
	}
	return false;
}

static int
build_fast_cnp(const struct fcn_config *cfg, const struct fcn_snapshot *s,
		struct fcn_proxy_conf *out, char *err, size_t size)
{
	const struct fcn_notice_common *common = &s->notify.common;
	struct fcn_fastcnp_conf conf = {
			.opt1_type = cfg->codes.fastcnp_opt1,
			.opt2_type = cfg->codes.fastcnp_opt2,
			.dscp = common->dscp,
			.hop_limit = common->hop_limit,
			.icrc_mode = common->icrc_mode,
	};

	memcpy(conf.source, common->source, sizeof(conf.source));
	if (fcn_fastcnp_template_init(&out->fastcnp, &conf) != 0)
		return fcn_build_fail(err, size, "DPDK's rte_net provides no CRC-32");
	return 0;
}

static int
check(const struct fcn_config *cfg, char *err, size_t size)
{
	const struct fcn_config_proxy *proxy = &cfg->proxy;

	if (proxy->cnm_port == FCN_ROCE_UDP_PORT)
		return fcn_build_fail(
				err, size, "cnm: UDP port %u is that of RoCEv2", FCN_ROCE_UDP_PORT);
	if (proxy->cnm_port != 0 && proxy->cnm_port == cfg->arn.port)
		return fcn_build_fail(err, size, "cnm port and arn port cannot both be UDP port %u",
				proxy->cnm_port);
	if (!proxy->receive)
		return 0;
	if (proxy->cnm_port == 0)
		return fcn_build_fail(
				err, size, "proxy receive needs a UDP port: set cnm port NUMBER");
	if (sends_fast_cnps(proxy) && cfg->loopback.version != 6)
		return fcn_build_fail(err, size,
				"the proxy needs a source address for Fast CNPs: set loopback "
				"ADDRESS");
	return 0;
}

/* Say that nobody is told because of messages. */
static void
warn(const struct fcn_config *cfg, struct fcn_warnings *warnings)
{
	if (cfg->proxy.senders.n == 0)
		fcn_warn(warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "proxy sender",
				"proxy receive is on, and no sender is notified: proxy sender add "
				"PREFIX translate");
}

int
fcn_build_proxy(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_proxy *proxy = &cfg->proxy;
	const struct fcn_build_received received = {
			.each = &proxy->node_bucket,
			.all = &proxy->total_bucket,
			.each_name = "proxy rate",
			.all_name = "proxy total-rate",
	};
	struct fcn_proxy_conf *out = &s->proxy;

	if (check(cfg, err, size) != 0 || fcn_build_source_limits(&received, env->n_workers, s,
							  &out->limits, err, size) != 0)
		return -1;
	out->port = proxy->cnm_port;
	out->interval_ns = (uint32_t)proxy->interval_ns;
	out->least_interval_ns = proxy->level7_ns == FCN_AUTO64 ? out->interval_ns
								: (uint32_t)proxy->level7_ns;
	out->pfc_ns = (uint32_t)proxy->pfc_ns;
	out->ce_ns = proxy->ce_ns;
	out->class = cfg->notify.class;
	out->dscp = cfg->notify.dscp;
	out->hop_limit = cfg->notify.hop_limit;
	out->intercept = proxy->intercept;
	if (fcn_crc32_init(&out->crc) != 0)
		return fcn_build_fail(err, size, "DPDK's rte_net provides no CRC-32");
	if (fcn_build_qps(cfg, env, s, err, size) != 0)
		return -1;
	if (!proxy->receive)
		return 0;
	out->receive = true;
	warn(cfg, env->warnings);
	if (build_fast_cnp(cfg, s, out, err, size) != 0)
		return -1;
	return build_lists(proxy, env, out, err, size);
}

void
fcn_build_proxy_free(struct fcn_snapshot *s)
{
	fcn_prefix_list_free(s->proxy.nodes);
	fcn_prefix_list_free(s->proxy.senders);
	fcn_qp_map_free(s->proxy.qps);
	fcn_crc32_fini(&s->proxy.crc);
	fcn_fastcnp_template_fini(&s->proxy.fastcnp);
}
