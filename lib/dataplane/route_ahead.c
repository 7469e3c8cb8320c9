/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fast_route.h"
#include "route_ahead.h"
#include "route_check.h"
#include "route_find.h"

/* Number of calls in which the cache is not used after it did not have most destinations. */
#define SKIP_CALLS 32

/* It did not have most if it lacked half of them, and more than this. */
#define FEW_MISSED 8

#define IPV6_DST_OFF (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, dst_addr))

/* Packets whose destinations have to be looked up. */
struct missed {
	unsigned int n;
	struct fcn_packet *packet[FCN_LOOKUP_CHUNK];
	uint8_t addr[FCN_LOOKUP_CHUNK][16];
	uint64_t next_hop[FCN_LOOKUP_CHUNK];
};

/*
 * Collect packets whose destinations the cache does not have, and set the next hops of the others.
 * Which ones it has cannot be predicted, so there is no branch for it.
 *
 * @return index behind the packets that were looked at
 */
static inline unsigned int
collect(const struct fcn_worker *w, struct fcn_burst *b, unsigned int from, bool use_cache,
		struct missed *missed)
{
	const unsigned int end = RTE_MIN(b->n, from + FCN_LOOKUP_CHUNK);
	unsigned int i = from;

	missed->n = 0;
	for (; i < end; i++) {
		struct fcn_packet *p = &b->pkt[i];
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *dst;

		if (unlikely(m == NULL))
			continue;
		if (unlikely(!(p->flags & FCN_PACKET_FAST_ROUTE)))
			break;
		dst = rte_pktmbuf_mtod_offset(m, const uint8_t *, IPV6_DST_OFF);
		memcpy(missed->addr[missed->n], dst, 16);
		missed->packet[missed->n] = p;
		missed->n += !use_cache || !fcn_dest_cache_find(&w->dest_cache, dst, &p->next_hop);
	}
	return i;
}

static inline void
look_up(struct fcn_worker *w, struct missed *missed, bool use_cache)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_snapshot_table *table = &s->table[FCN_TABLE_MAIN];
	const struct fcn_next_hop *first = &s->next_hop[table->first];

	fcn_fib6_lookup(table->fib, (const uint8_t(*)[16])missed->addr, missed->next_hop,
			missed->n);
	for (unsigned int k = 0; k < missed->n; k++)
		rte_prefetch0(&first[missed->next_hop[k]]);
	for (unsigned int k = 0; k < missed->n; k++) {
		const uint32_t index = fcn_route_host(s,
				table->first + (uint32_t)missed->next_hop[k], 6, missed->addr[k]);

		missed->packet[k]->next_hop = index;
		if (use_cache)
			fcn_route_remember(w, missed->addr[k], index);
	}
}

unsigned int
fcn_route_look_ahead(struct fcn_worker *w, struct fcn_burst *b, unsigned int from)
{
	struct fcn_dest_cache *cache = &w->dest_cache;
	const bool use_cache = cache->skip == 0;
	struct missed missed;
	const unsigned int end = collect(w, b, from, use_cache, &missed);

	look_up(w, &missed, use_cache);
	if (!use_cache)
		cache->skip--;
	else if (missed.n > FEW_MISSED && missed.n > (end - from) / 2)
		cache->skip = SKIP_CALLS;
	return end;
}

/* Facts about a packet of RoCEv2 over IPv4 without a tunnel. */
#define ROCE_IP4 \
	(FCN_PKT_IPV4 | FCN_PKT_INNER_IPV4 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT)

/* Check whether a packet is one for fcn_route_look_ahead_ip4(), which is likely. */
static inline bool
is_plain_ip4(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	const struct fcn_snapshot_port *port = &s->port[p->in_port];
	const struct rte_ether_hdr to_us = {.dst_addr = port->mac};
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN);

	return ((p->flags & ~FCN_PACKET_LOSSLESS) | (p->info.flags ^ ROCE_IP4) | p->info.error |
			       p->info.n_vlans | port->table) == 0 &&
	       p->info.l3_off == RTE_ETHER_HDR_LEN &&
	       fcn_mac_word(data) == fcn_mac_word((const uint8_t *)&to_us) &&
	       fcn_reach4(rte_be_to_cpu_32(ip->src_addr), rte_be_to_cpu_32(ip->dst_addr)) ==
			       FCN_REACH_ANY;
}

unsigned int
fcn_route_look_ahead_ip4(struct fcn_worker *w, struct fcn_burst *b, unsigned int from)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_snapshot_table *table = &s->table[FCN_TABLE_MAIN];
	const struct fcn_next_hop *first = &s->next_hop[table->first];
	const unsigned int end = RTE_MIN(b->n, from + FCN_LOOKUP_CHUNK);
	struct fcn_packet *packet[FCN_LOOKUP_CHUNK];
	uint64_t next_hop[FCN_LOOKUP_CHUNK];
	uint32_t addr[FCN_LOOKUP_CHUNK];
	unsigned int i = from, n = 0;

	RTE_BUILD_BUG_ON(FCN_TABLE_MAIN != 0);
	for (; i < end; i++) {
		const uint8_t *data;

		if (unlikely(b->mbuf[i] == NULL))
			continue;
		data = rte_pktmbuf_mtod(b->mbuf[i], const uint8_t *);
		if (unlikely(!is_plain_ip4(s, &b->pkt[i], data)))
			break;
		addr[n] = fcn_get_be32(
				data + RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv4_hdr, dst_addr));
		packet[n++] = &b->pkt[i];
	}
	if (unlikely(n == 0))
		return i;
	fcn_fib4_lookup(table->fib, addr, next_hop, n);
	for (unsigned int k = 0; k < n; k++)
		rte_prefetch0(&first[next_hop[k]]);
	for (unsigned int k = 0; k < n; k++) {
		const uint32_t index = table->first + (uint32_t)next_hop[k];
		uint8_t bytes[16] = {0};

		packet[k]->next_hop = index;
		if (likely(first[next_hop[k]].type != FCN_NEXT_HOP_CONNECTED))
			continue;
		fcn_put_be32(bytes, addr[k]);
		packet[k]->next_hop = fcn_route_host(s, index, 4, bytes);
	}
	return i;
}
