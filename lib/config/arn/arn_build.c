/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build precise flow control. */

#include <stdlib.h>
#include <string.h>

#include <rte_time.h>

#include "build_parts.h"
#include "fcn_burst.h"

/* A token bucket of which each worker has an equal part. */
static struct fcn_arn_bucket
bucket(const struct fcn_config_bucket *b, unsigned int n_workers)
{
	return (struct fcn_arn_bucket){
			/* This is rounded up, since the rate is a limit. */
			.cost_ns = b->rate == 0 ? 0
						: (NS_PER_S + b->rate - 1) / b->rate * n_workers,
			.burst = b->burst,
	};
}

static int
longer_first(const void *a, const void *b)
{
	return ((const struct fcn_arn_source *)b)->len - ((const struct fcn_arn_source *)a)->len;
}

/* Get the port whose link a port or a sub-interface uses. */
static uint16_t
link_of(const struct fcn_config *cfg, uint16_t port)
{
	if (port != FCN_PORT_NONE && fcn_config_is_sub_interface(cfg, port))
		return cfg->port[port].parent;
	return port;
}

/* Get the index of the first neighbour with an address, or the number of them. */
static uint32_t
find_neighbour(const struct fcn_arn_conf *conf, const uint8_t addr[16], uint8_t table)
{
	uint32_t i = 0;

	while (i < conf->n_neighbours &&
			(conf->neighbour[i].table != table ||
					memcmp(conf->neighbour[i].addr, addr, 16) != 0))
		i++;
	return i;
}

/* Add an upstream neighbour, unless it is there already by another sub-interface of the port. */
static void
add_neighbour(struct fcn_arn_conf *out, const uint8_t addr[16], uint16_t port, uint8_t table)
{
	struct fcn_arn_neighbour *n = &out->neighbour[out->n_neighbours];

	for (uint32_t i = 0; i < out->n_neighbours; i++) {
		if (out->neighbour[i].port == port && out->neighbour[i].table == table &&
				memcmp(out->neighbour[i].addr, addr, sizeof(n->addr)) == 0)
			return;
	}
	memcpy(n->addr, addr, sizeof(n->addr));
	n->port = port;
	n->table = table;
	n->same_before = (uint8_t)(out->n_neighbours - find_neighbour(out, addr, table));
	out->sender.neighbour_table[out->n_neighbours] = table;
	memcpy(out->sender.neighbour_addr[out->n_neighbours], addr, sizeof(n->addr));
	out->sender.n_neighbours = ++out->n_neighbours;
}

/* Build what concerns messages that are received. */
static int
build_received(const struct fcn_config *cfg, unsigned int n_workers, const struct fcn_snapshot *s,
		struct fcn_arn_conf *out, char *err, size_t size)
{
	const struct fcn_config_arn *arn = &cfg->arn;
	const struct fcn_build_received received = {
			.each = &arn->source_bucket,
			.all = &arn->receive_bucket,
			.each_name = "arn bucket source",
			.all_name = "arn bucket received",
	};

	if (fcn_build_source_limits(&received, n_workers, s, &out->limits, err, size) != 0)
		return -1;
	out->receive = arn->receive;
	out->least_hop_limit = (uint8_t)(FCN_ARN_HOP_LIMIT + 1 - arn->hops);
	out->any_port = arn->any_port;
	out->held = arn->held;
	out->pass_on_bytes = arn->pass_on_bytes;
	out->from_pfc = arn->from_pfc;
	out->from_pfc_ns = arn->from_pfc_ns;
	for (size_t i = 0; i < arn->sources.n; i++) {
		const struct fcn_config_arn_source *from = &arn->sources.item[i];
		struct fcn_arn_source *to = &out->source_list[out->n_sources++];

		memcpy(to->addr, from->prefix.addr.bytes, sizeof(to->addr));
		to->len = from->prefix.len;
		to->port = link_of(cfg, from->port);
	}
	qsort(out->source_list, out->n_sources, sizeof(out->source_list[0]), longer_first);
	return 0;
}

/* Say that messages of nobody are taken, or that nobody is sent any. */
static void
warn(const struct fcn_config_arn *arn, struct fcn_warnings *warnings)
{
	if (arn->receive && arn->sources.n == 0)
		fcn_warn(warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "arn source",
				"arn receive is on, and messages of no switch are taken: arn "
				"source add PREFIX");
	if (arn->send && arn->neighbours.n == 0)
		fcn_warn(warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "arn neighbour",
				"arn send is on, and no switch is asked to halt traffic: arn "
				"neighbour add ADDRESS");
}

int
fcn_build_arn(const struct fcn_config *cfg, const struct fcn_build_env *env, struct fcn_snapshot *s,
		char *err, size_t size)
{
	const struct fcn_config_arn *arn = &cfg->arn;
	struct fcn_arn_conf *out = &s->arn;

	if (arn->send && arn->port == 0)
		return fcn_build_fail(err, size, "arn send needs a UDP port: set arn port NUMBER");
	if (arn->send && cfg->loopback.version != 6)
		return fcn_build_fail(
				err, size, "arn send needs a source address: set loopback ADDRESS");
	if (arn->receive && arn->port == 0)
		return fcn_build_fail(
				err, size, "arn receive needs a UDP port: set arn port NUMBER");
	if (arn->receive && cfg->loopback.version != 6)
		return fcn_build_fail(err, size,
				"arn receive needs an address to which messages are sent: set "
				"loopback ADDRESS");
	if (arn->port == FCN_ROCE_UDP_PORT)
		return fcn_build_fail(
				err, size, "arn: UDP port %u is that of RoCEv2", FCN_ROCE_UDP_PORT);
	if (arn->port != 0 && arn->port == cfg->border.cnm_port)
		return fcn_build_fail(err, size,
				"arn port and border cnm-port cannot both be UDP port %u",
				arn->port);
	if (build_received(cfg, env->n_workers, s, out, err, size) != 0)
		return -1;
	warn(arn, env->warnings);
	out->port = arn->port;
	out->send = arn->send;
	memcpy(out->source, cfg->loopback.bytes, sizeof(out->source));
	out->dscp = cfg->notify.dscp;
	out->class = cfg->notify.class;
	out->sender.queue = bucket(&arn->queue_bucket, 1);
	out->sender.global = bucket(&arn->global_bucket, RTE_MAX(env->n_workers, 1u));
	out->sender.neighbour = bucket(&arn->neighbour_bucket, RTE_MAX(env->n_workers, 1u));
	for (size_t i = 0; i < arn->neighbours.n; i++) {
		const struct fcn_config_arn_neighbour *n = &arn->neighbours.item[i];

		add_neighbour(out, n->addr.bytes, link_of(cfg, n->port), n->table);
	}
	return 0;
}
