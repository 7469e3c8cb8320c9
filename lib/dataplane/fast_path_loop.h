/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The loops of the fast path. They are inlined into one function for each width of SIMD registers,
 * which differ in how they compare the start of a frame.
 */

#ifndef FAST_PATH_LOOP_H
#define FAST_PATH_LOOP_H

#include "fast_path.h"
#include "fcn_parse_ip4.h"
#include "rewrite.h"
#include "route_ahead.h"

/** Compare the start of a frame with what is constant in it. */
typedef bool (*fcn_fast_matches_t)(const void *head, const uint8_t *data);

/** Offsets of the headers in a frame of RoCEv2 over IPv4, and its least length in octets. */
#define FCN_IP4_UDP (RTE_ETHER_HDR_LEN + (uint32_t)sizeof(struct rte_ipv4_hdr))
#define FCN_IP4_BTH (FCN_IP4_UDP + (uint32_t)sizeof(struct rte_udp_hdr))
#define FCN_IP4_DATA (FCN_IP4_BTH + (uint32_t)sizeof(struct fcn_bth_hdr))
#define FCN_IP4_MIN (FCN_IP4_DATA + (uint32_t)FCN_ICRC_LEN)

/** Place of the next packet of a series, in registers. */
struct fcn_fast_place {
	struct fcn_queue_entry *slot; /**< its slot in the ring of the queue */
	uint32_t bytes;               /**< sum of the lengths of the packets before it */
};

static __rte_always_inline struct fcn_fast_place
fcn_fast_place(const struct fcn_fast *f)
{
	return (struct fcn_fast_place){f->series.slot, f->series.bytes};
}

static __rte_always_inline void
fcn_fast_set_place(struct fcn_fast *f, const struct fcn_fast_place *place)
{
	f->series.slot = place->slot;
	f->series.bytes = place->bytes;
}

/**
 * Queue a packet, and write its new MAC addresses.
 *
 * @param e     entry of its destination
 * @param dscp  its DSCP
 * @return false if it is not for the fast path; it is unchanged then
 */
static __rte_always_inline bool
fcn_fast_queue(struct fcn_fast *f, struct fcn_fast_place *place, struct rte_mbuf *m, uint8_t *data,
		const struct fcn_dest_cache_entry *e, uint8_t dscp)
{
	const uint32_t to = fcn_fast_to(e->port, f->run.class_of_dscp[dscp]);
	const uint32_t len = m->pkt_len;
	struct fcn_queue_entry *slot;

	if (unlikely(len > e->max_frame))
		return false;
	if (unlikely(to != f->series.to || place->slot == f->series.end)) {
		fcn_fast_set_place(f, place);
		if (!fcn_fast_begin(f, to))
			return false;
		*place = fcn_fast_place(f);
	}
	slot = place->slot++;
	slot->mbuf = m;
	slot->meta = f->series.meta | fcn_queue_meta(0, len, 0);
	place->bytes += len;
	if (unlikely(f->series.noted))
		*fcn_queued_at(m, f->w->queued_offset) = f->queued;
	memcpy(data, &e->front, sizeof(e->front));
	memcpy(data + sizeof(e->front), &f->series.port_mac, sizeof(f->series.port_mac));
	return true;
}

/** The same for RoCEv2 over IPv6: with the hop limit. */
static __rte_always_inline bool
fcn_fast_queue6(struct fcn_fast *f, struct fcn_fast_place *place, struct rte_mbuf *m,
		const struct fcn_dest_cache_entry *e)
{
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)(data + RTE_ETHER_HDR_LEN);
	uint16_t first;

	memcpy(&first, ip, sizeof(first));
	/* The DSCP is behind the version, in the upper part of the traffic class. */
	if (unlikely(!fcn_fast_queue(f, place, m, data, e, rte_be_to_cpu_16(first) >> 6 & 0x3F)))
		return false;
	ip->hop_limits--;
	return true;
}

/** The same for RoCEv2 over IPv4: with TTL and checksum. */
static __rte_always_inline bool
fcn_fast_queue4(struct fcn_fast *f, struct fcn_fast_place *place, struct rte_mbuf *m,
		const struct fcn_dest_cache_entry *e)
{
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN);

	if (unlikely(!fcn_fast_queue(f, place, m, data, e, ip->type_of_service >> 2)))
		return false;
	fcn_rewrite_ttl(ip);
	return true;
}

/** Check the headers of a packet: RoCEv2 over IPv6 that may be forwarded. */
static __rte_always_inline bool
fcn_fast_is_ip6(const struct rte_mbuf *m, uint32_t range, fcn_fast_matches_t matches,
		const void *head)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);

	return fcn_classify_has_length(m, data, range) && matches(head, data) &&
	       data[FCN_PLAIN_BTH] != FCN_BTH_OPCODE_CNP &&
	       data[RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, hop_limits)] > 1;
}

/** Check whether the lengths in the headers of RoCEv2 over IPv4 are that of the packet. */
static __rte_always_inline bool
fcn_fast_ip4_has_length(const struct rte_mbuf *m, const uint8_t *data, uint32_t max_frame)
{
	const uint32_t len = m->pkt_len;
	uint16_t total, udp_len;

	if (unlikely(m->data_len < FCN_IP4_DATA || len < FCN_IP4_MIN || len > max_frame))
		return false;
	memcpy(&total, data + RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv4_hdr, total_length),
			sizeof(total));
	memcpy(&udp_len, data + FCN_IP4_UDP + offsetof(struct rte_udp_hdr, dgram_len),
			sizeof(udp_len));
	return total == rte_cpu_to_be_16((uint16_t)(len - RTE_ETHER_HDR_LEN)) &&
	       udp_len == rte_cpu_to_be_16((uint16_t)(len - FCN_IP4_UDP));
}

/** Check the headers of a packet: RoCEv2 over IPv4 that may be forwarded, as far as its source
 * address says. */
static __rte_always_inline bool
fcn_fast_is_ip4(const struct rte_mbuf *m, uint32_t max_frame, fcn_fast_matches_t matches,
		const void *head)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	const struct rte_ipv4_hdr *ip = (const struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN);

	return fcn_fast_ip4_has_length(m, data, max_frame) && matches(head, data) &&
	       data[FCN_IP4_BTH] != FCN_BTH_OPCODE_CNP && ip->time_to_live > 1 &&
	       fcn_is_host4(rte_be_to_cpu_32(ip->src_addr)) &&
	       fcn_ip4_checksum_is_right((const uint8_t *)ip);
}

/** Take packets of RoCEv2 over IPv6. @param head what `matches` compares with */
static __rte_always_inline unsigned int
fcn_fast_ip6(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, fcn_fast_matches_t matches,
		const void *head)
{
	const struct fcn_dest_cache *cache = &f->w->dest_cache;
	const uint32_t range = fcn_classify_range(&f->run);
	struct fcn_fast_place place = fcn_fast_place(f);
	size_t i;

	if (unlikely(!f->cached)) {
		for (i = 0; i < n && fcn_fast_is_ip6(mbuf[i], range, matches, head); i++)
			;
		return fcn_fast_ip6_uncached(f, mbuf, (unsigned int)i);
	}
	for (i = 0; i < n; i++) {
		struct rte_mbuf *m = mbuf[i];
		const struct fcn_dest_cache_entry *e;
		uint64_t key[2];

		if (unlikely(!fcn_fast_is_ip6(m, range, matches, head)))
			break;
		memcpy(key, rte_pktmbuf_mtod_offset(m, const uint8_t *, FCN_FAST_IP6_DST_OFF),
				sizeof(key));
		e = fcn_dest_cache_find_entry(cache, key);
		if (unlikely(e == NULL)) {
			e = fcn_fast_look_up(f, key);
			if (e == NULL)
				break;
		}
		if (unlikely(!fcn_fast_queue6(f, &place, m, e)))
			break;
	}
	fcn_fast_set_place(f, &place);
	return i;
}

/** The same for RoCEv2 over IPv4. */
static __rte_always_inline unsigned int
fcn_fast_ip4(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, fcn_fast_matches_t matches,
		const void *head)
{
	const struct fcn_dest_cache *cache = &f->w->dest_cache;
	const uint32_t max_frame = f->run.max_frame;
	struct fcn_fast_place place = fcn_fast_place(f);
	size_t i;

	if (unlikely(!f->cached)) {
		for (i = 0; i < n && fcn_fast_is_ip4(mbuf[i], max_frame, matches, head); i++)
			;
		return fcn_fast_ip4_uncached(f, mbuf, (unsigned int)i);
	}
	for (i = 0; i < n; i++) {
		struct rte_mbuf *m = mbuf[i];
		const struct fcn_dest_cache_entry *e;
		uint64_t key[2];

		if (unlikely(!fcn_fast_is_ip4(m, max_frame, matches, head)))
			break;
		fcn_dest_cache_key4(
				rte_pktmbuf_mtod_offset(m, const uint8_t *, FCN_FAST_IP4_DST_OFF),
				key);
		e = fcn_dest_cache_find_entry(cache, key);
		if (unlikely(e == NULL)) {
			e = fcn_fast_look_up(f, key);
			if (e == NULL)
				break;
		}
		if (unlikely(!fcn_fast_queue4(f, &place, m, e)))
			break;
	}
	fcn_fast_set_place(f, &place);
	return i;
}

#endif /* FAST_PATH_LOOP_H */
