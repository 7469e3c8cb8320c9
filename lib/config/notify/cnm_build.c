/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build the configuration of Congestion Notification Messages, and the map of known proxies. */

#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "build_parts.h"
#include "fcn_bth.h"
#include "fcn_notice_cnm.h"

static int
check(const struct fcn_config *cfg, bool on, char *err, size_t size)
{
	const uint16_t port = cfg->proxy.cnm_port;

	if (on && port == 0)
		return fcn_build_fail(
				err, size, "notify cnm needs a UDP port: set cnm port NUMBER");
	if (on && cfg->loopback.version != 6)
		return fcn_build_fail(err, size,
				"notify cnm needs a source address: set loopback ADDRESS");
	if (port == FCN_ROCE_UDP_PORT)
		return fcn_build_fail(
				err, size, "cnm: UDP port %u is that of RoCEv2", FCN_ROCE_UDP_PORT);
	if (port != 0 && port == cfg->arn.port)
		return fcn_build_fail(err, size, "cnm port and arn port cannot both be UDP port %u",
				port);
	if (port != 0 && port == cfg->border.arn_port)
		return fcn_build_fail(err, size,
				"cnm port and border arn-port cannot both be UDP port %u", port);
	return 0;
}

/* The source of messages over IPv4 is the loopback, or else the first IPv4 address of the interface
 * that they leave by. */
static void
build_sources(const struct fcn_config *cfg, struct fcn_notice_common *common)
{
	for (unsigned int p = 0; p < cfg->n_ports && cfg->loopback4.version != 0; p++)
		memcpy(common->source4[p], cfg->loopback4.bytes, 4);
	if (cfg->loopback4.version != 0)
		return;
	for (size_t i = cfg->addresses.n; i-- > 0;) {
		const struct fcn_config_address *a = &cfg->addresses.item[i];

		if (a->prefix.addr.version == 4 && !fcn_addr_is_link_local(&a->prefix.addr))
			memcpy(common->source4[a->port], a->prefix.addr.bytes, 4);
	}
}

static int
build_proxies(const struct fcn_config *cfg, const struct fcn_build_env *env, const char *name,
		struct fcn_notice_cnm_conf *out, char *err, size_t size)
{
	const size_t n = cfg->proxy.prefixes.n + env->n_learned_proxies;
	struct fcn_proxy_prefix *all;
	size_t k = 0;

	if (n == 0)
		return 0;
	all = rte_calloc("fcn_proxies", n, sizeof(*all), 0);
	if (all == NULL)
		return fcn_build_fail(err, size, "out of memory");
	for (size_t i = 0; i < cfg->proxy.prefixes.n; i++)
		all[k++] = (struct fcn_proxy_prefix){
				.prefix = cfg->proxy.prefixes.item[i].prefix,
				.proxy = cfg->proxy.prefixes.item[i].address,
				.origin = FCN_PROXY_STATIC,
		};
	if (env->n_learned_proxies > 0)
		memcpy(all + k, env->learned_proxies, env->n_learned_proxies * sizeof(*all));
	out->proxies = fcn_proxy_map_create(name, all, n, env->socket);
	rte_free(all);
	return out->proxies == NULL
			       ? fcn_build_fail(err, size, "proxies: %s", rte_strerror(rte_errno))
			       : 0;
}

static int
build_list(const struct fcn_prefix_value *v, size_t n, const char *name, int socket,
		struct fcn_prefix_list **out, char *err, size_t size)
{
	if (n == 0)
		return 0;
	*out = fcn_prefix_list_create(name, v, n, socket);
	return *out == NULL ? fcn_build_fail(err, size, "proxies: out of memory") : 0;
}

/* Build the lists of proxies that may be told by options, and of those that refused. */
static int
build_lists(const struct fcn_config *cfg, const struct fcn_build_env *env, const char *name,
		struct fcn_notice_cnm_conf *out, char *err, size_t size)
{
	const size_t room = RTE_MAX(cfg->proxy.allowed.n, env->n_refusals);
	struct fcn_prefix_value *v;
	size_t n = 0;
	int rc;

	if (room == 0)
		return 0;
	v = rte_calloc("fcn_proxies", room, sizeof(*v), 0);
	if (v == NULL)
		return fcn_build_fail(err, size, "out of memory");
	for (; n < cfg->proxy.allowed.n; n++)
		v[n] = (struct fcn_prefix_value){cfg->proxy.allowed.item[n], 1};
	rc = build_list(v, n, name, env->socket, &out->allowed, err, size);
	n = 0;
	for (size_t i = 0; i < env->n_refusals; i++) {
		const struct fcn_addr addr = fcn_addr_unmap(env->refusals[i].sender);

		if (env->refusals[i].kind == FCN_NOTICE_CNM)
			v[n++] = (struct fcn_prefix_value){{addr, addr.version == 4 ? 32 : 128}, 1};
	}
	if (rc == 0)
		rc = build_list(v, n, name, env->socket, &out->refused, err, size);
	rte_free(v);
	return rc;
}

/* All kinds that tell the sender itself yield to this one, as it is configured. */
static void
build_direct(const struct fcn_config *cfg, struct fcn_notices_conf *out)
{
	const uint8_t bit = 1u << FCN_NOTICE_CNM;

	if (!(out->on & bit) || cfg->proxy.direct == FCN_CNM_DIRECT_ALWAYS)
		return;
	for (unsigned int k = 0; k < RTE_DIM(out->yields_to); k++) {
		if (k == FCN_NOTICE_CNM)
			continue;
		out->yields_to[k] |= bit;
		if (cfg->proxy.direct == FCN_CNM_DIRECT_NEVER)
			out->yields_always |= 1u << k;
	}
	out->yielding = out->on & ~bit;
}

/* Say that no proxy can be known in one of the ways that are used. */
static void
warn(const struct fcn_config *cfg, const struct fcn_notice_cnm_conf *out,
		struct fcn_warnings *warnings)
{
	if (cfg->proxy.address_from != FCN_CNM_FROM_PREFIX && cfg->proxy.allowed.n == 0)
		fcn_warn(warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "proxy allowed",
				"notify cnm is on, and options in packets may name no proxy: "
				"proxy allowed add PREFIX, or set cnm address-from prefix");
	if (cfg->proxy.address_from == FCN_CNM_FROM_PREFIX && out->proxies == NULL)
		fcn_warn(warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "proxy prefix",
				"notify cnm is on, and no proxy is known: proxy prefix add PREFIX "
				"address ADDRESS, or a program that learns proxies");
}

/* Say that nobody may send messages to this proxy, which sends none itself. */
static void
warn_nodes(const struct fcn_config *cfg, struct fcn_warnings *warnings)
{
	if (cfg->proxy.receive && cfg->proxy.nodes.n == 0)
		fcn_warn(warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "proxy node",
				"proxy receive is on, and messages of no node are taken: proxy "
				"node add PREFIX");
}

int
fcn_build_notice_cnm(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const bool on = s->notify.on & 1u << FCN_NOTICE_CNM;
	struct fcn_notice_cnm_conf *out;
	char name[32];

	if (check(cfg, on, err, size) != 0)
		return -1;
	out = rte_zmalloc_socket("fcn_notice_cnm", sizeof(*out), RTE_CACHE_LINE_SIZE, env->socket);
	if (out == NULL)
		return fcn_build_fail(err, size, "out of memory");
	s->notify.kind[FCN_NOTICE_CNM].own = out;
	out->address_from = cfg->proxy.address_from;
	out->mark_unknown = cfg->notify.mark_unknown;
	out->is_proxy = cfg->proxy.receive;
	out->arn_port = cfg->arn.port != 0 ? cfg->arn.port : cfg->border.arn_port;
	out->codes = cfg->codes;
	out->message.port = cfg->proxy.cnm_port;
	out->message.dscp = cfg->notify.dscp;
	out->message.hop_limit = cfg->notify.hop_limit;
	if (fcn_cnm_template_init(&out->message) != 0)
		return fcn_build_fail(err, size, "DPDK's rte_net provides no CRC-32");
	if (!on) {
		warn_nodes(cfg, env->warnings);
		return 0;
	}
	build_sources(cfg, &s->notify.common);
	build_direct(cfg, &s->notify);
	snprintf(name, sizeof(name), "%s_proxy%u", env->name, (unsigned int)(env->generation % 2));
	if (build_proxies(cfg, env, name, out, err, size) != 0)
		return -1;
	warn(cfg, out, env->warnings);
	return build_lists(cfg, env, name, out, err, size);
}
