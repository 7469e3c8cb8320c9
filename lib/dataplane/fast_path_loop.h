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

/**
 * Queue a packet, and write its new MAC addresses.
 *
 * @param slot slot for it in the ring of the queue
 */
static __rte_always_inline void
fcn_fast_put(const struct fcn_fast *f, struct fcn_queue_entry *slot, struct rte_mbuf *m,
		uint8_t *data, uint32_t len, const struct fcn_dest_cache_entry *e)
{
	slot->mbuf = m;
	slot->meta = f->series.meta | fcn_queue_meta(0, len, 0);
	if (unlikely(f->series.noted))
		*fcn_queued_at(m, f->w->queued_offset) = f->queued;
	memcpy(data, &e->front, sizeof(e->front));
	memcpy(data + sizeof(e->front), &f->series.port_mac, sizeof(f->series.port_mac));
}

/** Take packets of RoCEv2 over IPv6. @param head what `matches` compares with */
static __rte_always_inline unsigned int
fcn_fast_ip6(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, fcn_fast_matches_t matches,
		const void *head)
{
	const struct fcn_dest_cache *cache = &f->w->dest_cache;
	const uint8_t *class_of_dscp = f->run.class_of_dscp;
	const uint32_t range = fcn_classify_range(&f->run);
	struct fcn_queue_entry *slot = f->series.slot;
	uint32_t bytes = f->series.bytes;
	size_t i;

	for (i = 0; i < n; i++) {
		struct rte_mbuf *m = mbuf[i];
		uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
		struct rte_ipv6_hdr *ip = (struct rte_ipv6_hdr *)(data + RTE_ETHER_HDR_LEN);
		const uint32_t len = m->pkt_len;
		const struct fcn_dest_cache_entry *e;
		uint64_t dst[2];
		uint16_t first;
		uint32_t to;

		if (unlikely(!fcn_classify_has_length(m, data, range) || !matches(head, data) ||
				    data[FCN_PLAIN_BTH] == FCN_BTH_OPCODE_CNP ||
				    ip->hop_limits <= 1))
			break;
		memcpy(dst, &ip->dst_addr, sizeof(dst));
		e = fcn_dest_cache_find_entry(cache, dst);
		if (unlikely(e == NULL)) {
			e = fcn_fast_look_up(f, dst);
			if (e == NULL)
				break;
		}
		if (unlikely(len > e->max_frame))
			break;
		memcpy(&first, ip, sizeof(first));
		/* The DSCP is behind the version, in the upper part of the traffic class. */
		to = fcn_fast_to(e->port, class_of_dscp[rte_be_to_cpu_16(first) >> 6 & 0x3F]);
		if (unlikely(to != f->series.to || slot == f->series.end)) {
			f->series.slot = slot;
			f->series.bytes = bytes;
			if (!fcn_fast_begin(f, to))
				return i;
			slot = f->series.slot;
			bytes = 0;
		}
		ip->hop_limits--;
		fcn_fast_put(f, slot++, m, data, len, e);
		bytes += len;
	}
	f->series.slot = slot;
	f->series.bytes = bytes;
	return i;
}

/** Offsets of the headers in a frame of RoCEv2 over IPv4, and its least length in octets. */
#define FCN_IP4_UDP (RTE_ETHER_HDR_LEN + (uint32_t)sizeof(struct rte_ipv4_hdr))
#define FCN_IP4_BTH (FCN_IP4_UDP + (uint32_t)sizeof(struct rte_udp_hdr))
#define FCN_IP4_DATA (FCN_IP4_BTH + (uint32_t)sizeof(struct fcn_bth_hdr))
#define FCN_IP4_MIN (FCN_IP4_DATA + (uint32_t)FCN_ICRC_LEN)

/** Check whether the lengths in the headers are that of the packet. */
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

/** The same as fcn_fast_ip6() for RoCEv2 over IPv4. */
static __rte_always_inline unsigned int
fcn_fast_ip4(struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, fcn_fast_matches_t matches,
		const void *head)
{
	const struct fcn_dest_cache *cache = &f->w->dest_cache;
	const uint8_t *class_of_dscp = f->run.class_of_dscp;
	const uint32_t max_frame = f->run.max_frame;
	struct fcn_queue_entry *slot = f->series.slot;
	uint32_t bytes = f->series.bytes;
	size_t i;

	for (i = 0; i < n; i++) {
		struct rte_mbuf *m = mbuf[i];
		uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(data + RTE_ETHER_HDR_LEN);
		const uint32_t len = m->pkt_len;
		const struct fcn_dest_cache_entry *e;
		uint64_t key[2];
		uint32_t to;

		if (unlikely(!fcn_fast_ip4_has_length(m, data, max_frame) || !matches(head, data) ||
				    data[FCN_IP4_BTH] == FCN_BTH_OPCODE_CNP ||
				    ip->time_to_live <= 1 ||
				    !fcn_is_host4(rte_be_to_cpu_32(ip->src_addr)) ||
				    !fcn_ip4_checksum_is_right((const uint8_t *)ip)))
			break;
		fcn_dest_cache_key4((const uint8_t *)&ip->dst_addr, key);
		e = fcn_dest_cache_find_entry(cache, key);
		if (unlikely(e == NULL)) {
			e = fcn_fast_look_up(f, key);
			if (e == NULL)
				break;
		}
		if (unlikely(len > e->max_frame))
			break;
		to = fcn_fast_to(e->port, class_of_dscp[ip->type_of_service >> 2]);
		if (unlikely(to != f->series.to || slot == f->series.end)) {
			f->series.slot = slot;
			f->series.bytes = bytes;
			if (!fcn_fast_begin(f, to))
				return i;
			slot = f->series.slot;
			bytes = 0;
		}
		fcn_rewrite_ttl(ip);
		fcn_fast_put(f, slot++, m, data, len, e);
		bytes += len;
	}
	f->series.slot = slot;
	f->series.bytes = bytes;
	return i;
}

#endif /* FAST_PATH_LOOP_H */
