/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>
#include <rte_malloc.h>

#include "fcn_proxy_flows.h"

_Static_assert(sizeof(struct fcn_flow_descriptor) == 5 * sizeof(uint64_t), "five words");

int
fcn_proxy_flows_init(struct fcn_proxy_flows *flows, int socket)
{
	flows->forgotten = 0;
	flows->flow = rte_calloc_socket("fcn_proxy_flows", FCN_PROXY_FLOWS, sizeof(*flows->flow),
			RTE_CACHE_LINE_SIZE, socket);
	return flows->flow != NULL ? 0 : -ENOMEM;
}

void
fcn_proxy_flows_fini(struct fcn_proxy_flows *flows)
{
	rte_free(flows->flow);
	flows->flow = NULL;
}

void
fcn_proxy_flows_clear(struct fcn_proxy_flows *flows)
{
	memset(flows->flow, 0, FCN_PROXY_FLOWS * sizeof(*flows->flow));
}

uint64_t
fcn_proxy_flow_hash(const struct fcn_hash_key *key, const struct fcn_flow_descriptor *flow)
{
	struct fcn_flow_descriptor f;
	uint64_t word[5];

	memcpy(&f, flow, sizeof(f));
	f.level = 0;
	memcpy(word, &f, sizeof(word));
	return fcn_hash_pair(key,
			fcn_hash_pair(key, word[0], word[1]) ^
					fcn_hash_other_pair(key, word[2], word[3]),
			word[4]);
}

bool
fcn_proxy_flow_is_same(const struct fcn_flow_descriptor *a, const struct fcn_flow_descriptor *b)
{
	return a->version == b->version && a->proto == b->proto && a->src_port == b->src_port &&
	       a->dst_port == b->dst_port && memcmp(a->src, b->src, sizeof(a->src)) == 0 &&
	       memcmp(a->dst, b->dst, sizeof(a->dst)) == 0;
}

uint32_t
fcn_proxy_interval_at(const struct fcn_proxy_interval *interval, unsigned int level)
{
	const uint64_t range = interval->longest_ns - interval->shortest_ns;

	return interval->longest_ns - (uint32_t)(range * level / FCN_PROXY_LEVEL_MAX);
}

/* Find a flow, or put it into the table, perhaps in place of another one. */
static struct fcn_proxy_flow *
find_or_add(struct fcn_proxy_flows *flows, const struct fcn_flow_descriptor *flow, uint64_t hash)
{
	struct fcn_proxy_flow *set =
			&flows->flow[(hash & (FCN_PROXY_FLOW_SETS - 1)) * FCN_PROXY_FLOW_WAYS];
	struct fcn_proxy_flow *oldest = set;

	for (struct fcn_proxy_flow *f = set; f < set + FCN_PROXY_FLOW_WAYS; f++) {
		if (f->used && fcn_proxy_flow_is_same(&f->flow, flow))
			return f;
		if (oldest->used && (!f->used || f->last_ns < oldest->last_ns))
			oldest = f;
	}
	flows->forgotten += oldest->used;
	memset(oldest, 0, sizeof(*oldest));
	oldest->used = true;
	memcpy(&oldest->flow, flow, sizeof(oldest->flow));
	oldest->flow.level = 0;
	oldest->highest = -1;
	return oldest;
}

enum fcn_proxy_report
fcn_proxy_flows_report(struct fcn_proxy_flows *flows, const struct fcn_flow_descriptor *flow,
		uint64_t hash, const struct fcn_proxy_interval *interval, uint64_t now,
		struct fcn_proxy_flow **found)
{
	struct fcn_proxy_flow *f = find_or_add(flows, flow, hash);
	const uint8_t level = RTE_MIN(flow->level, (uint8_t)FCN_PROXY_LEVEL_MAX);

	*found = f;
	f->last_ns = now;
	f->reports++;
	f->highest = RTE_MAX(f->highest, (int8_t)level);
	if (!f->notified || now - f->notified_ns >=
					    fcn_proxy_interval_at(interval, (uint8_t)f->highest))
		return FCN_PROXY_DUE;
	if (level <= f->level)
		return FCN_PROXY_PACED;
	f->level = level;
	return FCN_PROXY_RAISED;
}

uint8_t
fcn_proxy_flow_notified(struct fcn_proxy_flow *flow, uint64_t now)
{
	flow->level = (uint8_t)flow->highest;
	flow->highest = -1;
	flow->notified = true;
	flow->notified_ns = now;
	flow->notifications++;
	return flow->level;
}
