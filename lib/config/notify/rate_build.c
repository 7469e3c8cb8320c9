/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Token buckets whose defaults follow a link: of notices that are sent, and of messages of other
 * nodes that are taken. */

#include <inttypes.h>

#include <rte_time.h>

#include "build_parts.h"
#include "default_rates.h"

uint32_t
fcn_build_cost_ns(const struct fcn_config_bucket *b)
{
	/* This is rounded up, since the rate is a limit. */
	return b->rate == 0 ? 0 : ((uint64_t)NS_PER_S + b->rate - 1) / b->rate;
}

/* ---- what is sent ---- */

/*
 * The default of a queue's bucket. While a queue keeps its length, as many packets arrive as leave,
 * so the rate permits a notice for each packet of this length. The burst is for the packets that
 * arrive before their senders have slowed down.
 */
#define QUEUE_BUCKET_OCTETS 1024

struct fcn_config_bucket
fcn_build_queue_bucket(const struct fcn_config *cfg, unsigned int n_workers, unsigned int port,
		unsigned int class, uint64_t link_bps)
{
	const struct fcn_config_bucket *ceiling = &cfg->notify.global_bucket;
	const unsigned int parts = 2 * RTE_MAX(n_workers, 1u);
	struct fcn_config_bucket b = cfg->notify.queue_bucket;

	if (b.rate != FCN_AUTO64)
		return b;
	b.rate = fcn_build_queue_rate(&cfg->port[port], &cfg->port[port].queue[class], link_bps) /
		 (8 * QUEUE_BUCKET_OCTETS);
	if (ceiling->rate != 0)
		b.rate = RTE_MIN(b.rate, ceiling->rate / parts);
	b.rate = RTE_MAX(b.rate, (uint64_t)SENT_LEAST);
	b.burst = (uint32_t)(b.rate * SENT_BURST_NS / (uint64_t)NS_PER_S);
	return b;
}

/*
 * The default of a receiver's bucket is half of that of a queue of the link towards it, so that one
 * receiver leaves half of a queue's notices to the others.
 */
#define RECEIVER_BUCKET_OCTETS (2 * QUEUE_BUCKET_OCTETS)

struct fcn_config_bucket
fcn_build_receiver_bucket(const struct fcn_config *cfg, unsigned int n_workers, uint64_t link_bps)
{
	const struct fcn_config_bucket *ceiling = &cfg->notify.global_bucket;
	const unsigned int workers = RTE_MAX(n_workers, 1u);
	const uint64_t least = RTE_MIN(SENT_LEAST, SENT_RECEIVER_MOST / (int)workers);
	struct fcn_config_bucket b = cfg->notify.dest_bucket;

	if (b.rate != FCN_AUTO64)
		return b;
	b.rate = link_bps / (8 * RECEIVER_BUCKET_OCTETS);
	if (ceiling->rate != 0)
		b.rate = RTE_MIN(b.rate, ceiling->rate / (SENT_RECEIVER_PART * workers));
	b.rate = RTE_MAX(b.rate, least);
	/*
	 * By the time for a token, so that none takes longer to fill than SENT_BURST_NS: a receiver
	 * may be reached by links of different rates, and then each of them reads the same time.
	 */
	b.burst = SENT_BURST_NS / RTE_MIN(fcn_build_cost_ns(&b), (uint32_t)SENT_BURST_NS);
	return b;
}

/* ---- what is taken ---- */

/* Get a bucket that takes TAKEN_BURST_NS to fill, as all of them do: fcn_source_limit.h asks for
 * that. */
static struct fcn_config_bucket
taken(uint64_t rate)
{
	struct fcn_config_bucket b = {.rate = rate};

	b.burst = TAKEN_BURST_NS / fcn_build_cost_ns(&b);
	return b;
}

/* A link whose speed is not known sets no limit. */
static uint64_t
rate_of_nodes(uint64_t link_bps)
{
	const uint64_t rate = link_bps == 0 ? TAKEN_MOST : link_bps / (8 * TAKEN_OCTETS);

	if (rate < TAKEN_LEAST)
		return TAKEN_LEAST;
	return RTE_MIN(rate, (uint64_t)TAKEN_MOST);
}

struct fcn_config_bucket
fcn_build_nodes_bucket(uint64_t link_bps)
{
	return taken(rate_of_nodes(link_bps));
}

struct fcn_config_bucket
fcn_build_node_bucket(uint64_t link_bps)
{
	return taken(rate_of_nodes(link_bps) / TAKEN_NODE_PART);
}

/* Build a bucket. @param parts workers, each of which gets an equal part of the rate */
static int
build_bucket(const struct fcn_config_bucket *from, unsigned int parts, const char *what,
		struct fcn_source_bucket *to, char *err, size_t size)
{
	uint64_t cost_ns;

	if (from->rate == 0)
		return 0;
	/* This is rounded up, since the rate is a limit. */
	cost_ns = ((uint64_t)NS_PER_S * parts + from->rate - 1) / from->rate;
	if (cost_ns * (from->burst + 1) > INT32_MAX)
		return fcn_build_fail(err, size,
				"%s: %u tokens at %" PRIu64
				" a second take longer than 2.1 s to fill",
				what, from->burst, from->rate);
	*to = (struct fcn_source_bucket){.cost_ns = (uint32_t)cost_ns, .burst = from->burst};
	return 0;
}

/*
 * Build the buckets of all ports. What all nodes send by one port may come to one worker, and so
 * the default is not divided.
 */
static int
build_buckets(const struct fcn_config_bucket *from, unsigned int parts, const char *what,
		struct fcn_config_bucket (*of_link)(uint64_t), const struct fcn_snapshot *s,
		struct fcn_source_buckets *to, char *err, size_t size)
{
	to->by_port = from->rate == FCN_AUTO64;
	if (!to->by_port)
		return build_bucket(from, parts, what, &to->port[0], err, size);
	for (unsigned int p = 0; p < s->n_ports; p++) {
		const struct fcn_config_bucket b = of_link(s->port[p].link_bps);

		if (build_bucket(&b, 1, what, &to->port[p], err, size) != 0)
			return -1;
	}
	return 0;
}

int
fcn_build_source_limits(const struct fcn_build_received *from, unsigned int n_workers,
		const struct fcn_snapshot *s, struct fcn_source_limits *to, char *err, size_t size)
{
	return build_buckets(from->each, 1, from->each_name, fcn_build_node_bucket, s, &to->each,
			       err,
			       size) != 0 || build_buckets(from->all, RTE_MAX(n_workers, 1u),
							     from->all_name, fcn_build_nodes_bucket,
							     s, &to->all, err, size) != 0
			       ? -1
			       : 0;
}
