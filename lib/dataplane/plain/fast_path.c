/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path: packets for which none of the stages would do anything unusual go from receipt to
 * their class queues in one loop (fast_path_loop.h). It takes packets at the front of what was
 * received in a turn, up to the first one that is not like that: this one and all those behind it
 * pass through the stages. So all packets are queued in the order in which they were received. How
 * class queues get packets is in fast_path_series.c; packets of bridges are in fast_path_bridge.c.
 */

#include "fast_path_bridge.h"

#include <rte_cpuflags.h>
#include <rte_vect.h>

/* Number of destinations of a receive queue that are looked up one by one in a turn. More than that
 * are looked up together: see fcn_fast_uncached(). */
#define LOOK_UP_MAX 4

const struct fcn_dest_cache_entry *
fcn_fast_look_up(struct fcn_fast *f, uint64_t key0, uint64_t key1)
{
	const uint64_t key[2] = {key0, key1};
	const struct fcn_snapshot *s = f->w->snap;
	const struct fcn_snapshot_table *table = &s->table[FCN_TABLE_MAIN];
	uint8_t addr[1][16] = {0};
	uint64_t next_hop;
	uint32_t index, addr4;

	if (unlikely(f->w->dest_cache.skip != 0)) /* nothing is stored, and the stages look it up */
		return NULL;
	if (unlikely(f->looked_up == LOOK_UP_MAX)) {
		f->uncached = true;
		return NULL;
	}
	f->looked_up++;
	if (key[0] != FCN_DEST_CACHE_IP4) {
		memcpy(addr, key, sizeof(addr));
		fcn_fib6_lookup(table->fib, (const uint8_t(*)[16])addr, &next_hop, 1);
		index = fcn_route_host(s, table->first + (uint32_t)next_hop, 6, addr[0]);
		return fcn_route_remember(f->w, addr[0], index);
	}
	addr4 = (uint32_t)key[1];
	memcpy(addr, &addr4, sizeof(addr4));
	addr4 = rte_be_to_cpu_32(addr4);
	if (!fcn_is_host4(addr4))
		return NULL;
	fcn_fib4_lookup(table->fib, &addr4, &next_hop, 1);
	index = fcn_route_host(s, table->first + (uint32_t)next_hop, 4, addr[0]);
	return fcn_route_remember4(f->w, addr[0], index);
}

bool
fcn_fast_is_own(const struct fcn_fast *f, const struct rte_mbuf *m, uint32_t cut,
		unsigned int version)
{
	const struct fcn_own_hull *own = &f->w->snap->own;
	const uint8_t *ip = rte_pktmbuf_mtod_offset(m, const uint8_t *, cut + RTE_ETHER_HDR_LEN);
	const uint8_t *src = ip + (version == 4 ? offsetof(struct rte_ipv4_hdr, src_addr)
						: offsetof(struct rte_ipv6_hdr, src_addr));

	return (version == 4 ? fcn_own_may_have4(own, src) : fcn_own_may_have6(own, src)) &&
	       fcn_source_is_own(f->w, version, src);
}

/* Get what the fast path needs of next hops that were looked up, in the main table. */
static void
get_next_hops(const struct fcn_fast *f, const uint64_t *next_hop, const uint8_t (*addr)[16],
		uint8_t version, struct fcn_dest_cache_entry *found, unsigned int n)
{
	const struct fcn_snapshot *s = f->w->snap;
	const uint32_t first = s->table[FCN_TABLE_MAIN].first;

	for (unsigned int i = 0; i < n; i++)
		rte_prefetch0(&s->next_hop[first + next_hop[i]]);
	for (unsigned int i = 0; i < n; i++) {
		const uint32_t index = fcn_route_host(
				s, first + (uint32_t)next_hop[i], version, addr[i]);
		const struct fcn_next_hop *nh = &s->next_hop[index];

		fcn_dest_cache_set_fast(&found[i], nh, &s->port[nh->port].mac);
		if (version == 4)
			fcn_route_remember4(f->w, addr[i], index);
		else
			fcn_route_remember(f->w, addr[i], index);
	}
}

/*
 * Look up the destinations of packets.
 *
 * @return number of packets whose destinations may be those of hosts; those behind them were not
 *         looked up
 */
static unsigned int
look_up_all(const struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, unsigned int version,
		struct fcn_dest_cache_entry *found)
{
	struct fcn_fib *fib = f->w->snap->table[FCN_TABLE_MAIN].fib;
	uint8_t addr[FCN_RX_BURST][16];
	uint64_t next_hop[FCN_RX_BURST];
	uint32_t addr4[FCN_RX_BURST];
	unsigned int i;

	for (i = 0; i < n; i++) {
		const uint8_t *data = rte_pktmbuf_mtod(mbuf[i], const uint8_t *);

		if (version == 6) {
			memcpy(addr[i], data + FCN_FAST_IP6_DST_OFF, sizeof(addr[i]));
			continue;
		}
		memset(addr[i], 0, sizeof(addr[i]));
		memcpy(addr[i], data + FCN_FAST_IP4_DST_OFF, sizeof(addr4[i]));
		addr4[i] = fcn_get_be32(addr[i]);
		if (unlikely(!fcn_is_host4(addr4[i])))
			break;
	}
	n = i;
	if (n == 0)
		return 0;
	if (version == 6)
		fcn_fib6_lookup(fib, (const uint8_t(*)[16])addr, next_hop, n);
	else
		fcn_fib4_lookup(fib, addr4, next_hop, n);
	get_next_hops(f, next_hop, (const uint8_t(*)[16])addr, (uint8_t)version, found, n);
	return n;
}

/* See fcn_fast_uncached(). It is inline so that the compiler makes a function for each IP version:
 * `version` is a constant where it is called. */
static __rte_always_inline unsigned int
take_uncached(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, unsigned int version)
{
	struct fcn_dest_cache_entry found[FCN_RX_BURST];
	struct fcn_fast_place place = fcn_fast_place(&f->series);
	struct fcn_fast_routes routes;
	size_t i = 0;

	n = look_up_all(f, mbuf, n, version, found);
	if (likely(!f->many)) {
		while (i < n && likely(fcn_fast_queue(f, &place, mbuf[i], &found[i], version)))
			i++;
		fcn_fast_set_place(&f->series, &place);
		if (likely(i == n))
			return n;
		fcn_fast_begin_many(f);
	}
	routes = fcn_fast_routes(f);
	while (i < n && likely(fcn_fast_queue_many(f, &routes, mbuf[i], &found[i], version,
					FCN_FAST_UDP(version))))
		i++;
	return (unsigned int)i;
}

unsigned int
fcn_fast_uncached(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, unsigned int version)
{
	return version == 6 ? take_uncached(f, mbuf, n, 6) : take_uncached(f, mbuf, n, 4);
}

const struct fcn_fast_functions *
fcn_fast_path_choose(void)
{
#ifdef FCN_FAST_AVX
	const unsigned int bits = rte_vect_get_max_simd_bitwidth();

	if (bits >= RTE_VECT_SIMD_512 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512BW) == 1)
		return &fcn_fast_avx512;
	if (bits >= RTE_VECT_SIMD_256 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) == 1)
		return &fcn_fast_avx2;
#endif
	return &fcn_fast_any;
}

/* Take packets that have, or get, more headers than plain ones, from the first one on. */
static struct rte_mbuf **
take_others(struct fcn_fast *f, struct rte_mbuf **next, struct rte_mbuf **end)
{
	const uint32_t off = RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, proto);

	switch ((*next)->data_len > off ? rte_pktmbuf_mtod(*next, const uint8_t *)[off]
					: IPPROTO_NONE) {
	case IPPROTO_HOPOPTS:
		return fcn_fast_traces(f, next, end);
	case IPPROTO_UDP:
		return fcn_fast_encaps(f, next, end);
	case IPPROTO_ROUTING:
	case IPPROTO_IPV6:
		return fcn_fast_tunnels(f, next, end);
	default:
		return next;
	}
}

/* Take packets up to the first one that is not for the fast path. @return that packet, or `end` */
static struct rte_mbuf **
take_some(struct fcn_fast *f, struct rte_mbuf **next, struct rte_mbuf **end)
{
	const struct fcn_fast_functions *functions = f->w->fast;

	if (unlikely(f->port->mode == FCN_PORT_BRIDGED))
		return fcn_fast_bridge(f, next, end);
	for (;;) {
		const bool many = f->many;
		struct rte_mbuf **before;

		next = functions->ip6(f, next, end);
		if (likely(next == end))
			return end;
		if (f->many != many) /* the first loop has come to a packet for the second one */
			continue;
		before = next;
		next = functions->ip4(f, next, end);
		if (next == before && f->many == many)
			next = take_others(f, next, end);
		if (next == end || (next == before && f->many == many))
			return next;
	}
}

/*
 * Get the class that a packet will have: the stage `classify` takes it from the DSCP, or from a
 * tag.
 *
 * @return bit set: it will be one of these; all classes if nothing is certain
 */
static uint8_t
class_of(const struct fcn_fast *f, const struct rte_mbuf *m)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	/* Without a valid IP header it is of class 0, and bridges forward it nevertheless. */
	const uint8_t other = f->port->mode == FCN_PORT_BRIDGED ? 1 << 0 : 0;

	/* Packets of untrusted ports may be moved to another class. */
	if (m->data_len < RTE_ETHER_HDR_LEN + sizeof(uint16_t) || f->port->checked_ingress)
		return UINT8_MAX;
	switch (((const struct rte_ether_hdr *)data)->ether_type) {
	case RTE_BE16(RTE_ETHER_TYPE_IPV6):
		return other | 1u << f->class_of_dscp[fcn_fast_dscp(fcn_fast_first(data), 6)];
	case RTE_BE16(RTE_ETHER_TYPE_IPV4):
		return other | 1u << f->class_of_dscp[fcn_fast_dscp(fcn_fast_first(data), 4)];
	default:
		return UINT8_MAX;
	}
}

/* Let packets pass through the stages. Those of their classes that are behind them wait until they
 * have done so. */
static void
pass(struct fcn_fast *f, struct fcn_burst *b, uint16_t port, struct rte_mbuf *const *mbuf,
		unsigned int n)
{
	struct fcn_ready_list *ready = &f->w->ready;

	fcn_fast_end_classes(f, n == 1 ? class_of(f, mbuf[0]) : UINT8_MAX);
	fcn_ready_pass(ready, b, n);
	fcn_rx_pass(b, port, mbuf, n);
}

/* Get the end of the packets before the first one that a packet trace selects. */
static struct rte_mbuf **
end_of_untraced(struct fcn_fast *f, struct rte_mbuf **next, struct rte_mbuf **end)
{
	const struct fcn_trace *trace = &f->w->trace;

	if (likely(trace->wanted == 0))
		return end;
	while (next != end && !fcn_trace_is_wanted(trace, *next))
		next++;
	return next;
}

/*
 * Take packets of one receive queue; the others go into the burst.
 *
 * @return number of packets taken
 */
static unsigned int
take(struct fcn_fast *f, struct fcn_burst *b, struct rte_mbuf **mbuf, unsigned int n)
{
	struct rte_mbuf **const end = mbuf + n, **next = mbuf;
	const uint16_t in_port = f->packet.in_port;
	const unsigned int n_before = b->n;
	unsigned int taken, n_passed;

	if (unlikely(f->port->mode == FCN_PORT_BRIDGED) && !f->bridging->begun)
		fcn_fast_bridging_begin(f, mbuf);
	f->head = &fcn_plain_head_routed;
	f->uncached = f->w->dest_cache.skip != 0;
	f->looked_up = 0;
	f->growth = n * FCN_SRV6_ENCAPS_MAX_LEN;
	if (unlikely(f->many))
		fcn_fast_renew_many(f);
	if (unlikely(f->port->lossless != 0))
		f->w->ready.in_order = true;
	for (;;) {
		struct rte_mbuf **const stop = end_of_untraced(f, next, end), **before = next;

		if (likely(next != stop))
			next = take_some(f, next, stop);
		if (likely(next == end))
			break;
		/* One odd packet is alone, most often; behind two, there are more. */
		n_passed = next == before && next != mbuf ? (unsigned int)(end - next) : 1;
		pass(f, b, in_port, next, n_passed);
		next += n_passed;
		if (next == end)
			break;
	}
	if (likely(!f->many))
		fcn_fast_end(f, &f->series);
	else
		fcn_fast_charge_many(f);
	taken = n - (b->n - n_before);
	f->w->counters[in_port].roce_packets += taken;
	return taken;
}

/* Check whether the fast path may take packets of the port: those that are routed by the main
 * table, and those of bridges. */
static inline bool
may_take(const struct fcn_fast *f)
{
	const struct fcn_snapshot_port *port = f->port;
	const bool routed = port->mode == FCN_PORT_ROUTED && port->table == FCN_TABLE_MAIN;

	return likely(routed || port->mode == FCN_PORT_BRIDGED) && likely(fcn_fast_is_open(f));
}

/* Number of bursts for which a receive queue whose packets are not for the fast path is not tried.
 */
#define NOT_TRIED 7

/*
 * Decide whether the next bursts of a receive queue are tried. They are, unless two tries in a row
 * took nothing: a single packet that is for the stages, even at the front of a burst, says nothing
 * about those behind it.
 */
static inline void
judge(struct fcn_rx_queue *q, unsigned int taken)
{
	const bool in_vain = taken == 0;

	q->not_tried = unlikely(in_vain && q->in_vain) ? NOT_TRIED : 0;
	q->in_vain = in_vain;
}

/* Check whether packets of a receive queue are to be tried on the fast path. */
static inline bool
is_tried(struct fcn_rx_queue *q)
{
	if (likely(q->not_tried == 0))
		return true;
	q->not_tried--;
	return false;
}

void
fcn_stage_fast_path(struct fcn_worker *w, struct fcn_burst *b)
{
	const struct fcn_received *r = &w->received;
	struct fcn_dest_cache *cache = &w->dest_cache;
	const uint32_t displaced = cache->displaced;
	struct fcn_fast_bridging bridging;
	struct fcn_fast f;
	unsigned int from = 0;

	bridging.begun = false;
	fcn_fast_init(&f, w);
	f.may_wait = true;
	f.bridging = &bridging;
	w->ready.in_order = w->snap->buffer.size != 0 || w->snap->ioam.any_transit;
	fcn_rx_begin(b);
	fcn_dest_cache_begin(cache, w->snap->generation);
	fcn_dest_cache_begin(&w->sid_cache, w->snap->generation);
	for (unsigned int k = 0; k < r->n_runs; from += r->run[k++].n) {
		const struct fcn_received_run *run = &r->run[k];
		struct rte_mbuf **mbuf = &w->received.mbuf[from];
		struct fcn_rx_queue *q = &w->rx_queue[run->queue];

		fcn_fast_receive(&f, q->port, run->bytes);
		if (may_take(&f) && likely(is_tried(q)))
			judge(q, take(&f, b, mbuf, run->n));
		else
			pass(&f, b, q->port, mbuf, run->n);
	}
	if (unlikely(f.many))
		fcn_fast_end_many(&f);
	fcn_dest_cache_judge(cache, displaced, r->n);
}
