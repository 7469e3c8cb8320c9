/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The loops of the fast path. They are inlined into functions for each width of SIMD registers and
 * for each version of IP: `version`, 4 or 6, is a constant wherever it is a parameter. Widths
 * differ in how they compare the start of a frame.
 *
 * There are two loops. The first one is for packets to a single class queue, whose next hops are
 * stations: the place in this queue is in registers. The first packet that is another one, to
 * another queue or by a group, goes to the second loop, with all packets behind it. This has a
 * series for each queue.
 */

#ifndef FAST_PATH_LOOP_H
#define FAST_PATH_LOOP_H

#include "fast_path.h"
#include "fcn_parse_ip4.h"
#include "rewrite.h"
#include "route_check.h"
#include "route_find.h"
#include "route_remember.h"
#include "fcn_source_check.h"

/** Compare the start of a frame with what is constant in it. */
typedef bool (*fcn_fast_matches_t)(const void *head, const uint8_t *data);

/** What the headers of a frame say. */
enum fcn_fast_kind {
	FCN_FAST_ODD,   /**< it is not plain RoCEv2, or may not be forwarded */
	FCN_FAST_PLAIN, /**< it is, and may be forwarded */
	/** The same, but its source may be an address of the switch: fcn_fast_is_own() tells. */
	FCN_FAST_MAY_BE_OWN,
};

/** Check all headers of a frame of so many octets, which has them in its first segment. */
typedef enum fcn_fast_kind (*fcn_fast_plain_t)(const void *head, const uint8_t *data, uint32_t len);

/**
 * Get the first two octets of the IP header of a packet, of which FCN_FAST_DSCP_BITS are the
 * version of IP and its DSCP.
 *
 * @param data its frame
 */
static __rte_always_inline uint16_t
fcn_fast_first(const uint8_t *data)
{
	uint16_t first;

	memcpy(&first, data + RTE_ETHER_HDR_LEN, sizeof(first));
	return first;
}

/** Where they are: the DSCP of IPv6 is right behind the version, that of IPv4 in the next octet. */
#define FCN_FAST_DSCP_BITS(version) ((version) == 4 ? RTE_BE16(0xF0FC) : RTE_BE16(0xFFC0))

/** Get the DSCP of a packet. @param first of fcn_fast_first() */
static __rte_always_inline uint8_t
fcn_fast_dscp(uint16_t first, unsigned int version)
{
	return fcn_swap_be16(first) >> (version == 4 ? 2 : 6) & 0x3F;
}

/** Write that a packet has passed one hop more. */
static __rte_always_inline void
fcn_fast_count_hop(uint8_t *data, unsigned int version)
{
	if (version == 4)
		fcn_rewrite_ttl((struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN));
	else
		((struct rte_ipv6_hdr *)(data + RTE_ETHER_HDR_LEN))->hop_limits--;
}

/** Place of the next packet of a series, in registers. */
struct fcn_fast_place {
	struct fcn_queue_entry *slot; /**< its slot */
	struct fcn_queue_entry *end;  /**< end of the slots */
	uint32_t bytes;               /**< sum of the lengths of the packets before it */
};

static __rte_always_inline struct fcn_fast_place
fcn_fast_place(const struct fcn_fast_series *s)
{
	return (struct fcn_fast_place){s->slots->next, s->slots->end, s->bytes};
}

static __rte_always_inline void
fcn_fast_set_place(struct fcn_fast_series *s, const struct fcn_fast_place *place)
{
	s->slots->next = place->slot;
	s->bytes = place->bytes;
}

/** Put a packet into the next slot of a series. */
static __rte_always_inline void
fcn_fast_put(struct fcn_fast *f, const struct fcn_fast_series *s, struct fcn_fast_place *place,
		struct rte_mbuf *m)
{
	struct fcn_queue_entry *slot = place->slot++;
	const uint32_t len = m->pkt_len;

	slot->mbuf = m;
	slot->meta = s->meta | fcn_queue_meta(0, len, 0);
	place->bytes += len;
	if (unlikely(s->noted))
		*fcn_queued_at(m, f->w->queued_offset) = f->queued;
}

/**
 * Let a packet go on with f->series if its class is the same with another DSCP, or begin f->series
 * or begin it again.
 *
 * @return as fcn_fast_begin_alone()
 */
static inline bool
fcn_fast_go_on(struct fcn_fast *f, uint8_t port, uint16_t first, unsigned int version)
{
	const uint32_t to = fcn_ready_to(port, f->class_of_dscp[fcn_fast_dscp(first, version)]);

	if (to != f->series.to || f->series.slots->next == f->series.slots->end) {
		if (!fcn_fast_begin_alone(f, to))
			return false;
	}
	f->series.first = first;
	return true;
}

/**
 * Queue a packet to a station by f->series, and write its new MAC addresses and hop limit.
 *
 * @param e entry of its destination
 * @return false if its next hop is no station, if it is to another queue, or if it is not for the
 *         fast path; it is unchanged then
 */
static __rte_always_inline bool
fcn_fast_queue(struct fcn_fast *f, struct fcn_fast_place *place, struct rte_mbuf *m,
		const struct fcn_dest_cache_entry *e, unsigned int version)
{
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	const uint16_t first = fcn_fast_first(data);

	if (unlikely(m->pkt_len > e->max_frame))
		return false;
	if (unlikely(e->port != f->series.port || place->slot == place->end ||
			    ((first ^ f->series.first) & FCN_FAST_DSCP_BITS(version)) != 0)) {
		fcn_fast_set_place(&f->series, place);
		if (!fcn_fast_go_on(f, e->port, first, version))
			return false;
		*place = fcn_fast_place(&f->series);
	}
	fcn_fast_put(f, &f->series, place, m);
	memcpy(data, &e->front, sizeof(e->front));
	memcpy(data + sizeof(e->front), &f->series.port_mac, sizeof(f->series.port_mac));
	fcn_fast_count_hop(data, version);
	return true;
}

/** Offset of the UDP header in a frame of plain RoCEv2. */
#define FCN_FAST_UDP(version) ((version) == 4 ? FCN_PLAIN_UDP4 : FCN_PLAIN_UDP)

/** Compute the flow hash of a packet, as fcn_route_flow_hash() does. @param udp offset of its UDP
 * header */
static __rte_always_inline uint32_t
fcn_fast_hash(const struct fcn_hash_prepared *key, const uint8_t *data, unsigned int version,
		uint32_t udp)
{
	const uint8_t *ip = data + RTE_ETHER_HDR_LEN;
	uint16_t src_port;
	uint32_t ports;

	memcpy(&src_port, data + udp + offsetof(struct rte_udp_hdr, src_port), sizeof(src_port));
	ports = fcn_route_ports(fcn_swap_be16(src_port), FCN_ROCE_UDP_PORT);
	if (version == 4)
		return fcn_route_prepared_hash4(
				key, ip + offsetof(struct rte_ipv4_hdr, src_addr), ports);
	return fcn_route_prepared_hash6(key, ip + offsetof(struct rte_ipv6_hdr, src_addr),
			ip + offsetof(struct rte_ipv6_hdr, dst_addr), ports);
}

/** What the second loop needs of the snapshot and the worker, so that it has it in registers. */
struct fcn_fast_routes {
	const struct fcn_next_hop *next_hop;
	const uint32_t *member;
	struct fcn_hash_prepared hash_key;
};

static __rte_always_inline struct fcn_fast_routes
fcn_fast_routes(const struct fcn_fast *f)
{
	return (struct fcn_fast_routes){f->w->snap->next_hop, f->w->snap->member,
			fcn_hash_prepare(&f->w->hash_key)};
}

/** A station behind a port without a tag, to which a packet is sent. */
struct fcn_fast_station {
	uint32_t to;                              /**< egress port and class: fcn_ready_to() */
	const struct fcn_next_hop *member;        /**< next hop, by a group; otherwise NULL */
	const struct fcn_dest_cache_entry *entry; /**< valid without `member` */
};

/**
 * Queue a packet to a station by the series of its queue, and write its new MAC addresses. Its
 * length is not checked.
 *
 * @param data start of the frame that leaves, whose EtherType is not written
 * @param len  its length in bytes
 * @return its series; NULL: it is not for the fast path, and is unchanged
 */
static __rte_always_inline struct fcn_fast_series *
fcn_fast_put_to(struct fcn_fast *f, const struct fcn_fast_station *station, struct rte_mbuf *m,
		uint8_t *data, uint32_t len)
{
	struct fcn_fast_series *s = fcn_fast_place_of(f, station->to);
	struct fcn_ready_slots *slots = s->slots;
	struct fcn_queue_entry *slot = slots->next;

	if (unlikely(s->to != station->to || slot == slots->end)) {
		if (!fcn_fast_open(f, station->to))
			return NULL;
		slots = s->slots;
		slot = slots->next;
	}
	slots->next = slot + 1;
	slot->mbuf = m;
	slot->meta = s->meta | fcn_queue_meta(0, len, 0);
	s->bytes += len;
	if (unlikely(s->noted))
		*fcn_queued_at(m, f->w->queued_offset) = f->queued;
	if (station->member != NULL) {
		memcpy(data, &station->member->l2, 2 * RTE_ETHER_ADDR_LEN);
	} else {
		const struct fcn_dest_cache_entry *e = station->entry;

		memcpy(data, &e->front, sizeof(e->front));
		memcpy(data + sizeof(e->front), &s->port_mac, sizeof(s->port_mac));
	}
	return s;
}

/** Get the class of a packet. @param data its frame, as it was received */
static __rte_always_inline uint8_t
fcn_fast_class(const struct fcn_fast *f, const uint8_t *data, unsigned int version)
{
	return f->class_of_dscp[fcn_fast_dscp(fcn_fast_first(data), version)];
}

/**
 * Queue a packet to a station, or by a group, by the series of its queue; otherwise as
 * fcn_fast_queue().
 *
 * @param udp offset of its UDP header
 * @return its series; NULL: it is not for the fast path, and is unchanged
 */
static __rte_always_inline struct fcn_fast_series *
fcn_fast_queue_many(struct fcn_fast *f, const struct fcn_fast_routes *routes, struct rte_mbuf *m,
		const struct fcn_dest_cache_entry *e, unsigned int version, uint32_t udp)
{
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	struct fcn_fast_station station = {.member = NULL, .entry = e};
	uint32_t max_frame = e->max_frame, len;
	uint8_t port = e->port;
	struct fcn_fast_series *s;

	if (max_frame == 0) {
		const struct fcn_dest_cache_group group = fcn_dest_cache_group(e);
		const struct fcn_next_hop *member;
		uint32_t hash;

		if (unlikely(group.n == 0))
			return NULL;
		hash = fcn_fast_hash(&routes->hash_key, data, version, udp);
		member = &routes->next_hop[routes->member[fcn_route_pick(
				group.first, group.n, hash)]];
		if (unlikely(member->type != FCN_NEXT_HOP_FORWARD))
			return NULL;
		max_frame = member->mtu + (uint32_t)RTE_ETHER_HDR_LEN;
		port = (uint8_t)member->port;
		station.member = member;
	}
	len = m->pkt_len;
	if (unlikely(len > max_frame))
		return NULL;
	station.to = fcn_ready_to(port, fcn_fast_class(f, data, version));
	s = fcn_fast_put_to(f, &station, m, data, len);
	if (likely(s != NULL))
		fcn_fast_count_hop(data, version);
	return s;
}

/** The check of RoCEv2 over IPv6 for any width, but for the hop limit, which bridges ignore. */
static __rte_always_inline bool
fcn_fast_roce6(fcn_fast_matches_t matches, const void *head, const uint8_t *data, uint32_t len)
{
	return fcn_plain_lengths_agree(data, len) && matches(head, data) &&
	       data[FCN_PLAIN_BTH] != FCN_BTH_OPCODE_CNP;
}

/** Tell what a frame of plain RoCEv2 over IPv6 is, by its source. */
static __rte_always_inline enum fcn_fast_kind
fcn_fast_kind6(const struct fcn_own_hull *own, const uint8_t *data)
{
	const uint8_t *src = data + RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, src_addr);

	return unlikely(fcn_own_may_have6(own, src)) ? FCN_FAST_MAY_BE_OWN : FCN_FAST_PLAIN;
}

/** The same over IPv4. */
static __rte_always_inline enum fcn_fast_kind
fcn_fast_kind4(const struct fcn_own_hull *own, const uint8_t *data)
{
	const uint8_t *src = data + RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv4_hdr, src_addr);

	return unlikely(fcn_own_may_have4(own, src)) ? FCN_FAST_MAY_BE_OWN : FCN_FAST_PLAIN;
}

/** Check RoCEv2 over IPv6 for any width, with the hop limit and the source. */
static __rte_always_inline enum fcn_fast_kind
fcn_fast_plain6(fcn_fast_matches_t matches, const void *head, const struct fcn_own_hull *own,
		const uint8_t *data, uint32_t len)
{
	if (!fcn_fast_roce6(matches, head, data, len) ||
			data[RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, hop_limits)] <= 1)
		return FCN_FAST_ODD;
	return fcn_fast_kind6(own, data);
}

/** Check whether the lengths in the headers of RoCEv2 over IPv4 are that of the packet. */
static __rte_always_inline bool
fcn_fast_lengths4_agree(const uint8_t *data, uint32_t len)
{
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN);
	uint16_t udp_len;

	memcpy(&udp_len, data + FCN_PLAIN_UDP4 + offsetof(struct rte_udp_hdr, dgram_len),
			sizeof(udp_len));
	return ip->total_length == fcn_swap_be16((uint16_t)(len - RTE_ETHER_HDR_LEN)) &&
	       udp_len == fcn_swap_be16((uint16_t)(len - FCN_PLAIN_UDP4));
}

/** Check the header checksum of IPv4 without options, and the source address. */
static __rte_always_inline bool
fcn_fast_is_sound4(const uint8_t *data)
{
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN);

	return fcn_ip4_checksum_is_right((const uint8_t *)ip) &&
	       fcn_is_host4(rte_be_to_cpu_32(ip->src_addr));
}

/** The check of RoCEv2 over IPv4, but for the time to live and the source, which bridges ignore. */
static __rte_always_inline bool
fcn_fast_roce4(fcn_fast_matches_t matches, const void *head, const uint8_t *data, uint32_t len)
{
	return fcn_fast_lengths4_agree(data, len) && matches(head, data) &&
	       data[FCN_PLAIN_BTH4] != FCN_BTH_OPCODE_CNP &&
	       fcn_ip4_checksum_is_right(data + RTE_ETHER_HDR_LEN);
}

/** The same with both. */
static __rte_always_inline enum fcn_fast_kind
fcn_fast_plain4(fcn_fast_matches_t matches, const void *head, const struct fcn_own_hull *own,
		const uint8_t *data, uint32_t len)
{
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN);

	if (!fcn_fast_roce4(matches, head, data, len) || ip->time_to_live <= 1 ||
			!fcn_is_host4(rte_be_to_cpu_32(ip->src_addr)))
		return FCN_FAST_ODD;
	return fcn_fast_kind4(own, data);
}

/** Get the longest frame, or the range of lengths, for fcn_fast_is_plain(). */
static __rte_always_inline uint32_t
fcn_fast_lengths(uint32_t max_frame, unsigned int version)
{
	return version == 4 ? max_frame : fcn_plain_range(max_frame);
}

/**
 * Tell whether a packet is RoCEv2 that may be forwarded; over IPv4 as far as its source address
 * says.
 *
 * @param lengths of fcn_fast_lengths()
 */
static __rte_always_inline enum fcn_fast_kind
fcn_fast_kind_of(const struct rte_mbuf *m, uint32_t lengths, fcn_fast_plain_t plain,
		const void *head, unsigned int version)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const uint32_t len = m->pkt_len;

	if (version == 4 ? unlikely(m->data_len < FCN_PLAIN_DATA4 || len < FCN_PLAIN_MIN4 ||
					   len > lengths)
			 : !fcn_plain_is_in_range(m, lengths))
		return FCN_FAST_ODD;
	return plain(head, data, len);
}

/** Check whether a packet is RoCEv2 for the fast path: fcn_fast_kind_of(), and of no source of the
 * switch. */
static __rte_always_inline bool
fcn_fast_is_plain(const struct fcn_fast *f, const struct rte_mbuf *m, uint32_t lengths,
		fcn_fast_plain_t plain, const void *head, unsigned int version)
{
	const enum fcn_fast_kind kind = fcn_fast_kind_of(m, lengths, plain, head, version);

	if (likely(kind == FCN_FAST_PLAIN))
		return true;
	return kind == FCN_FAST_MAY_BE_OWN && !fcn_fast_is_own(f, m, 0, version);
}

/** Count the packets from the first one on that fcn_fast_is_plain() is true for. */
static __rte_always_inline unsigned int
fcn_fast_count(const struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end,
		fcn_fast_plain_t plain, const void *head, unsigned int version)
{
	const uint32_t lengths = fcn_fast_lengths(f->max_frame, version);
	struct rte_mbuf **m = mbuf;

	while (m != end && fcn_fast_is_plain(f, *m, lengths, plain, head, version))
		m++;
	return (unsigned int)(m - mbuf);
}

/** The functions of fcn_fast_classify_t: see there. @param head what `plain` compares with */
static __rte_always_inline unsigned int
fcn_fast_classify(struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_plain_run *run, fcn_fast_plain_t plain, const void *head,
		unsigned int version)
{
	const uint32_t lengths = fcn_fast_lengths(run->max_frame, version);
	const uint8_t *class_of_dscp = run->class_of_dscp;
	const uint16_t flags = run->flags, checked = run->checked_flags;
	const bool any_own = version == 4 ? run->own->any4 : run->own->any6;
	unsigned int i;

	for (i = from; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		const enum fcn_fast_kind kind = fcn_fast_kind_of(m, lengths, plain, head, version);
		struct fcn_packet *p = &b->pkt[i];
		uint64_t word;

		if (unlikely(kind == FCN_FAST_ODD))
			break;
		word = fcn_get_be64(data + RTE_ETHER_HDR_LEN);
		if (version == 6)
			fcn_parse_fast_info(data, word, &p->info);
		else if (likely(fcn_is_host4(fcn_get_be32(data + FCN_FAST_IP4_DST_OFF))))
			fcn_parse_fast_ip4_info(data, word, &p->info);
		else
			break;
		p->flags = unlikely(kind == FCN_FAST_MAY_BE_OWN && any_own) ? checked : flags;
		p->class = class_of_dscp[p->info.tclass >> 2];
	}
	return i;
}

/** Find the entry of a destination. @param dst its address @return NULL: it is not for the fast
 * path */
static __rte_always_inline const struct fcn_dest_cache_entry *
fcn_fast_find_address(struct fcn_fast *f, const struct fcn_dest_cache *cache, const uint8_t *dst,
		unsigned int version)
{
	const struct fcn_dest_cache_entry *e;
	uint64_t key[2];

	if (version == 4)
		fcn_dest_cache_key4(dst, key);
	else
		memcpy(key, dst, sizeof(key));
	e = fcn_dest_cache_find_entry(cache, key);
	return likely(e != NULL) ? e : fcn_fast_look_up(f, key[0], key[1]);
}

/** The same for the destination of a packet. */
static __rte_always_inline const struct fcn_dest_cache_entry *
fcn_fast_find(struct fcn_fast *f, const struct fcn_dest_cache *cache, const struct rte_mbuf *m,
		unsigned int version)
{
	return fcn_fast_find_address(f, cache,
			rte_pktmbuf_mtod_offset(m, const uint8_t *,
					version == 4 ? FCN_FAST_IP4_DST_OFF : FCN_FAST_IP6_DST_OFF),
			version);
}

/**
 * Take packets: the second loop.
 *
 * @param head what `plain` compares with
 */
static __rte_always_inline struct rte_mbuf **
fcn_fast_take_many(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end,
		fcn_fast_plain_t plain, const void *head, unsigned int version)
{
	const struct fcn_dest_cache *cache = &f->w->dest_cache;
	const struct fcn_fast_routes routes = fcn_fast_routes(f);
	const uint32_t lengths = fcn_fast_lengths(f->max_frame, version);

	for (; mbuf != end; mbuf++) {
		struct rte_mbuf *m = *mbuf;
		const struct fcn_dest_cache_entry *e;

		if (unlikely(!fcn_fast_is_plain(f, m, lengths, plain, head, version)))
			break;
		e = fcn_fast_find(f, cache, m, version);
		if (unlikely(e == NULL || !fcn_fast_queue_many(f, &routes, m, e, version,
							  FCN_FAST_UDP(version))))
			break;
	}
	return mbuf;
}

/**
 * Take packets: the first loop, unless the second one has begun. After a packet for the second
 * loop, fcn_fast.many is true, and this function has to be called again for it and those behind it.
 *
 * @param many function with the second loop, for the same packets
 */
static __rte_always_inline struct rte_mbuf **
fcn_fast_take(struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end,
		fcn_fast_plain_t plain, const void *head, fcn_fast_take_t many,
		unsigned int version)
{
	const struct fcn_dest_cache *cache = &f->w->dest_cache;
	const uint32_t lengths = fcn_fast_lengths(f->max_frame, version);
	struct fcn_fast_place place = fcn_fast_place(&f->series);

	if (unlikely(f->uncached))
		return mbuf + fcn_fast_uncached(f, mbuf,
					      fcn_fast_count(f, mbuf, end, plain, head, version),
					      version);
	if (unlikely(f->many))
		return many(f, mbuf, end);
	for (; mbuf != end; mbuf++) {
		struct rte_mbuf *m = *mbuf;
		const struct fcn_dest_cache_entry *e;

		if (unlikely(!fcn_fast_is_plain(f, m, lengths, plain, head, version)))
			break;
		e = fcn_fast_find(f, cache, m, version);
		if (unlikely(e == NULL))
			break;
		if (unlikely(!fcn_fast_queue(f, &place, m, e, version))) {
			fcn_fast_set_place(&f->series, &place);
			fcn_fast_begin_many(f);
			break;
		}
	}
	fcn_fast_set_place(&f->series, &place);
	return mbuf;
}

#endif /* FAST_PATH_LOOP_H */
