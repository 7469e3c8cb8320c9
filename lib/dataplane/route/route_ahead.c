/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fast_route.h"
#include "route_ahead.h"
#include "route_check.h"
#include "route_find.h"

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
	const uint32_t displaced = cache->displaced;
	struct missed missed;
	const unsigned int end = collect(w, b, from, use_cache, &missed);

	look_up(w, &missed, use_cache);
	fcn_dest_cache_judge(cache, displaced, end - from);
	return end;
}

/* The same for packets with FCN_PACKET_FAST_IP4. */
struct missed4 {
	unsigned int n;
	struct fcn_packet *packet[FCN_LOOKUP_CHUNK];
	uint32_t addr[FCN_LOOKUP_CHUNK]; /* host byte order */
	uint64_t next_hop[FCN_LOOKUP_CHUNK];
};

static inline unsigned int
collect4(const struct fcn_worker *w, struct fcn_burst *b, unsigned int from, bool use_cache,
		struct missed4 *missed)
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
		if (unlikely(!(p->flags & FCN_PACKET_FAST_IP4)))
			break;
		dst = rte_pktmbuf_mtod_offset(m, const uint8_t *, FCN_FAST_IP4_DST_OFF);
		missed->addr[missed->n] = fcn_get_be32(dst);
		missed->packet[missed->n] = p;
		missed->n += !use_cache || !fcn_dest_cache_find4(&w->dest_cache, dst, &p->next_hop);
	}
	return i;
}

static inline void
look_up4(struct fcn_worker *w, struct missed4 *missed, bool use_cache)
{
	const struct fcn_snapshot *s = w->snap;
	const struct fcn_snapshot_table *table = &s->table[FCN_TABLE_MAIN];
	const struct fcn_next_hop *first = &s->next_hop[table->first];

	fcn_fib4_lookup(table->fib, missed->addr, missed->next_hop, missed->n);
	for (unsigned int k = 0; k < missed->n; k++)
		rte_prefetch0(&first[missed->next_hop[k]]);
	for (unsigned int k = 0; k < missed->n; k++) {
		uint32_t index = table->first + (uint32_t)missed->next_hop[k];
		uint8_t addr[16] = {0};

		fcn_put_be32(addr, missed->addr[k]);
		index = fcn_route_host(s, index, 4, addr);
		missed->packet[k]->next_hop = index;
		if (use_cache)
			fcn_route_remember4(w, addr, index);
	}
}

unsigned int
fcn_route_look_ahead_ip4(struct fcn_worker *w, struct fcn_burst *b, unsigned int from)
{
	struct fcn_dest_cache *cache = &w->dest_cache;
	const bool use_cache = cache->skip == 0;
	const uint32_t displaced = cache->displaced;
	struct missed4 missed;
	const unsigned int end = collect4(w, b, from, use_cache, &missed);

	if (likely(missed.n != 0))
		look_up4(w, &missed, use_cache);
	fcn_dest_cache_judge(cache, displaced, end - from);
	return end;
}
