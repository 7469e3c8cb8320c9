/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path: packets for which none of the stages would do anything unusual go from receipt to
 * their class queues in one loop. It takes packets at the front of what was received in a turn, up
 * to the first one that is not like that: this one and all those behind it pass through the stages.
 * So all packets are queued in the order in which they were received. Those of bridges are in
 * fast_path_bridge.c.
 */

#include "admit.h"
#include "fast_path_bridge.h"
#include "lossless.h"
#include "route_find.h"

#include <rte_cpuflags.h>
#include <rte_vect.h>

/* Number of destinations of a receive queue that are looked up one by one in a turn. More than that
 * are looked up together, by the stage `route`. */
#define LOOK_UP_MAX 4

/* Offsets and octets that RoCEv2 over IPv4 always has there, but for the MAC address. */
#define IP4 RTE_ETHER_HDR_LEN
#define IP4_FRAGMENT (IP4 + offsetof(struct rte_ipv4_hdr, fragment_offset))
#define IP4_PROTO (IP4 + offsetof(struct rte_ipv4_hdr, next_proto_id))
#define IP4_DST_PORT (FCN_IP4_UDP + offsetof(struct rte_udp_hdr, dst_port))
#define ETHER_TYPE offsetof(struct rte_ether_hdr, ether_type)

static const struct fcn_plain_head ip4_head = {
		.value = {[ETHER_TYPE] = RTE_ETHER_TYPE_IPV4 >> 8,
				[ETHER_TYPE + 1] = RTE_ETHER_TYPE_IPV4 & 0xff,
				[IP4] = RTE_IPV4_VHL_DEF,
				[IP4_PROTO] = IPPROTO_UDP,
				[IP4_DST_PORT] = FCN_ROCE_UDP_PORT >> 8,
				[IP4_DST_PORT + 1] = FCN_ROCE_UDP_PORT & 0xff},
		/* Of the fragment, the bit "do not fragment" may be set. */
		.mask = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, [ETHER_TYPE] = 0xff,
				[ETHER_TYPE + 1] = 0xff, [IP4] = 0xff, [IP4_FRAGMENT] = 0x3f,
				[IP4_FRAGMENT + 1] = 0xff, [IP4_PROTO] = 0xff,
				[IP4_DST_PORT] = 0xff, [IP4_DST_PORT + 1] = 0xff,
				[FCN_IP4_BTH + 1] = FCN_BTH_TVER_MASK},
};

/* Get the FCN_PACKET_* of packets of a class. */
static inline uint16_t
flags_of(const struct fcn_fast *f, uint8_t class)
{
	return f->port->lossless >> class & 1 ? FCN_PACKET_LOSSLESS : 0;
}

bool
fcn_fast_begin(struct fcn_fast *f, uint32_t to)
{
	struct fcn_worker *w = f->w;
	struct fcn_packet *p = &f->packet;
	struct fcn_queue_target *t = &f->target;
	const struct fcn_detector_conf *detector;
	struct fcn_detector_bounds bounds;
	uint32_t slots;

	fcn_fast_end(f);
	p->out_port = to >> 8;
	p->class = to;
	p->flags = flags_of(f, p->class);
	fcn_select_queue(w, p, t);
	if (unlikely(t->eg == NULL || t->down || t->alone))
		return false;
	/* What traces tell of a shared buffer is not known before packets are charged to it. */
	if (unlikely(f->adds_traces) && (t->account != FCN_CHARGE_NONE || t->conf->slow_path))
		return false;
	detector = &t->conf->detector;
	bounds = fcn_detector_bounds(
			&t->q->detector, detector, fcn_head_age(t->q, detector, w->now), w->now);
	if (unlikely(bounds.occupancy <= t->eg->ring_bytes || bounds.arrived == 0))
		return false;
	f->fill = fcn_queue_fill_begin(t->q, t->conf, w->now);
	if (t->account == FCN_CHARGE_INGRESS)
		fcn_queue_fill_lift(&f->fill, t->q);
	fcn_queue_fill_limit(&f->fill, bounds.occupancy - t->eg->ring_bytes - 1);
	fcn_queue_fill_limit(&f->fill, (uint64_t)f->fill.start + bounds.arrived - 1);
	slots = fcn_queue_fill_slots(&f->fill);
	if (unlikely(slots == 0 || !fcn_queue_fill_fits(&f->fill, f->bytes)))
		return false;
	if (t->account != FCN_CHARGE_NONE &&
			unlikely(!fcn_admits_all(w, p, t->q, t->conf, f->bytes)))
		return false;
	f->queued = (struct fcn_queued){
			.in_port = f->port->parent,
			.vlan = f->port->mode == FCN_PORT_BRIDGED ? f->port->pvid : 0,
			.account = FCN_ACCOUNT_OWN,
	};
	f->series = (struct fcn_fast_series){
			.slot = fcn_queue_fill_slot(&f->fill),
			.end = fcn_queue_fill_slot(&f->fill) + slots,
			.meta = fcn_queue_meta(w->now, 0, t->flags | fcn_charge_flags(t->account)),
			.to = to,
			.noted = t->account == FCN_CHARGE_INGRESS,
	};
	memcpy(&f->series.port_mac, &w->snap->port[p->out_port].mac.addr_bytes[2],
			sizeof(f->series.port_mac));
	return true;
}

void
fcn_fast_end(struct fcn_fast *f)
{
	const struct fcn_fast_series *s = &f->series;
	const struct fcn_queue_target *t = &f->target;
	const struct fcn_queue_entry *first;

	if (s->to == FCN_FAST_NO_SERIES)
		return;
	first = fcn_queue_fill_slot(&f->fill);
	f->fill.bytes += s->bytes;
	fcn_queue_fill_advance(&f->fill, (uint32_t)(s->slot - first));
	if (t->account != FCN_CHARGE_NONE) /* fcn_admits_all() has said that it will do so */
		fcn_admit_all(f->w, &f->packet, t->q, t->conf, s->bytes);
	fcn_detector_add_arrived(&t->q->detector, &t->conf->detector, s->bytes);
	fcn_queue_fill_end(&f->fill, t->q);
	if (likely(s->bytes != 0))
		t->eg->backlog |= 1u << t->class;
	f->series.to = FCN_FAST_NO_SERIES;
}

const struct fcn_dest_cache_entry *
fcn_fast_look_up(struct fcn_fast *f, const uint64_t key[2])
{
	const struct fcn_snapshot *s = f->w->snap;
	const struct fcn_snapshot_table *table = &s->table[FCN_TABLE_MAIN];
	uint8_t addr[1][16] = {0};
	uint64_t next_hop;
	uint32_t index, addr4;

	if (unlikely(f->looked_up == LOOK_UP_MAX))
		return NULL;
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

/* Get what the fast path needs of next hops that were looked up, in the main table. */
static void
find(const struct fcn_fast *f, const uint64_t *next_hop, const uint8_t (*addr)[16], uint8_t version,
		struct fcn_dest_cache_entry *found, unsigned int n)
{
	const struct fcn_snapshot *s = f->w->snap;
	const uint32_t first = s->table[FCN_TABLE_MAIN].first;

	for (unsigned int i = 0; i < n; i++)
		rte_prefetch0(&s->next_hop[first + next_hop[i]]);
	for (unsigned int i = 0; i < n; i++) {
		const struct fcn_next_hop *nh = &s->next_hop[fcn_route_host(
				s, first + (uint32_t)next_hop[i], version, addr[i])];

		found[i].max_frame = 0;
		fcn_dest_cache_set_fast(&found[i], nh, &s->port[nh->port].mac);
	}
}

unsigned int
fcn_fast_ip6_uncached(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n)
{
	struct fcn_fast_place place = fcn_fast_place(f);
	struct fcn_dest_cache_entry found[FCN_RX_BURST];
	uint64_t next_hop[FCN_RX_BURST];
	uint8_t addr[FCN_RX_BURST][16];
	size_t i;

	if (n == 0)
		return 0;
	for (i = 0; i < n; i++)
		memcpy(addr[i], rte_pktmbuf_mtod_offset(mbuf[i], uint8_t *, FCN_FAST_IP6_DST_OFF),
				sizeof(addr[i]));
	fcn_fib6_lookup(f->w->snap->table[FCN_TABLE_MAIN].fib, (const uint8_t(*)[16])addr, next_hop,
			n);
	find(f, next_hop, (const uint8_t(*)[16])addr, 6, found, n);
	for (i = 0; i < n; i++) {
		if (unlikely(!fcn_fast_queue6(f, &place, mbuf[i], &found[i])))
			break;
	}
	fcn_fast_set_place(f, &place);
	return i;
}

unsigned int
fcn_fast_ip4_uncached(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n)
{
	struct fcn_fast_place place = fcn_fast_place(f);
	struct fcn_dest_cache_entry found[FCN_RX_BURST];
	uint64_t next_hop[FCN_RX_BURST];
	uint8_t addr[FCN_RX_BURST][16] = {0};
	uint32_t addr4[FCN_RX_BURST];
	size_t i;

	for (i = 0; i < n; i++) {
		memcpy(addr[i], rte_pktmbuf_mtod_offset(mbuf[i], uint8_t *, FCN_FAST_IP4_DST_OFF),
				sizeof(addr4[i]));
		addr4[i] = fcn_get_be32(addr[i]);
		if (unlikely(!fcn_is_host4(addr4[i])))
			break;
	}
	n = i;
	if (n == 0)
		return 0;
	fcn_fib4_lookup(f->w->snap->table[FCN_TABLE_MAIN].fib, addr4, next_hop, n);
	find(f, next_hop, (const uint8_t(*)[16])addr, 4, found, n);
	for (i = 0; i < n; i++) {
		if (unlikely(!fcn_fast_queue4(f, &place, mbuf[i], &found[i])))
			break;
	}
	fcn_fast_set_place(f, &place);
	return i;
}

/* What a frame is compared with, in words of 64 bits. */
struct words {
	uint64_t value[FCN_PLAIN_HEAD / sizeof(uint64_t)];
	uint64_t mask[FCN_PLAIN_HEAD / sizeof(uint64_t)];
};

static inline struct words
words_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac)
{
	struct words words;

	memcpy(words.value, head->value, sizeof(words.value));
	memcpy(words.mask, head->mask, sizeof(words.mask));
	memcpy(words.value, mac, sizeof(*mac));
	return words;
}

static __rte_always_inline uint64_t
differences(const struct words *words, const uint8_t *data, unsigned int n)
{
	uint64_t different = 0;

	for (unsigned int i = 0; i < n; i++) {
		uint64_t word;

		memcpy(&word, data + i * sizeof(word), sizeof(word));
		different |= (word ^ words->value[i]) & words->mask[i];
	}
	return different;
}

static __rte_always_inline bool
matches6(const void *head, const uint8_t *data)
{
	return differences(head, data, FCN_PLAIN_HEAD / sizeof(uint64_t)) == 0;
}

static __rte_always_inline bool
matches4(const void *head, const uint8_t *data)
{
	return differences(head, data, FCN_FAST_IP4_HEAD / sizeof(uint64_t)) == 0;
}

static unsigned int
take_ip6(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n)
{
	const struct words words = words_of(f->run.head, &f->port->mac);

	return fcn_fast_ip6(f, mbuf, n, matches6, &words);
}

static unsigned int
take_ip4(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n)
{
	const struct words words = words_of(&ip4_head, &f->port->mac);

	return fcn_fast_ip4(f, mbuf, n, matches4, &words);
}

static unsigned int
admit(const struct fcn_fast *f, struct fcn_fast_bridging *b, unsigned int from, unsigned int to)
{
	const struct rte_ether_addr no_mac = {.addr_bytes = {0}};
	const struct words words = words_of(f->run.head, &no_mac);

	return fcn_fast_admit(f, b, from, to, matches6, &words);
}

const struct fcn_fast_functions fcn_fast_any = {.ip6 = take_ip6, .ip4 = take_ip4, .admit = admit};

const struct fcn_fast_functions *
fcn_fast_path_choose(void)
{
#ifdef FCN_CLASSIFY_AVX
	const unsigned int bits = rte_vect_get_max_simd_bitwidth();

	if (bits >= RTE_VECT_SIMD_512 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512BW) == 1)
		return &fcn_fast_avx512;
	if (bits >= RTE_VECT_SIMD_256 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) == 1)
		return &fcn_fast_avx2;
#endif
	return &fcn_fast_any;
}

/* Take packets of one receive queue. @return number of packets */
static unsigned int
take(struct fcn_worker *w, struct rte_mbuf **mbuf, unsigned int n, uint16_t in_port, uint32_t bytes)
{
	const struct fcn_fast_functions *functions = w->fast;
	struct fcn_fast f;
	unsigned int i = 0, n6, others;

	fcn_fast_init(&f, w, in_port, bytes);
	if (unlikely(f.port->mode != FCN_PORT_ROUTED || f.port->table != FCN_TABLE_MAIN ||
			    f.port->checked_ingress))
		return 0;
	f.run.head = &fcn_plain_head_routed;
	f.ip4 = &ip4_head;
	f.cached = w->dest_cache.skip == 0;
	f.looked_up = 0;
	do {
		n6 = functions->ip6(&f, mbuf + i, n - i);
		i += n6;
		if (likely(i == n))
			break;
		others = functions->ip4(&f, mbuf + i, n - i);
		if (others == 0)
			others = fcn_fast_traces(&f, mbuf + i, n - i);
		i += others;
	} while (unlikely(others != 0 && i != n));
	fcn_fast_end(&f);
	w->counters[in_port].roce_packets += i;
	return i;
}

/* Number of bursts for which a receive queue whose packets are not for the fast path is not tried.
 */
#define NOT_TRIED 7

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
	unsigned int from = 0;

	bridging.begun = false;
	fcn_rx_begin(b);
	fcn_dest_cache_begin(cache, w->snap->generation);
	fcn_dest_cache_begin(&w->sid_cache, w->snap->generation);
	for (unsigned int k = 0; k < r->n_runs; k++) {
		const struct fcn_received_run *run = &r->run[k];
		struct fcn_rx_queue *q = &w->rx_queue[run->queue];
		unsigned int taken = 0;

		if (likely(b->n == 0 && is_tried(q))) {
			if (w->snap->port[q->port].mode == FCN_PORT_BRIDGED)
				taken = fcn_fast_bridge(w, k, from, &bridging);
			else
				taken = take(w, &w->received.mbuf[from], run->n, q->port,
						run->bytes);
			q->not_tried = likely(taken >= run->n / 2u) ? 0 : NOT_TRIED;
		}
		if (unlikely(taken < run->n))
			fcn_rx_pass(b, q->port, &r->mbuf[from + taken], run->n - taken);
		from += run->n;
	}
	fcn_dest_cache_judge(cache, displaced, r->n);
}
