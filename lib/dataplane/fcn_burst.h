/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A burst on its way through the stages: the packets, and next to them the metadata that the stages
 * found out about each. A packet that leaves the burst, because it is dropped or queued, leaves a
 * NULL pointer in its place.
 */

#ifndef FCN_BURST_H
#define FCN_BURST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_mbuf.h>

#include "fcn_detector.h"
#include "fcn_drop.h"
#include "fcn_notice_kind.h"
#include "fcn_parse.h"

#define FCN_BURST_MAX 256 /**< packets in a burst */
#define FCN_RX_BURST 32   /**< packets taken from a port at a time */

#define FCN_PORT_NONE UINT16_MAX

/* struct fcn_packet.flags */
#define FCN_PACKET_BRIDGED 0x0001   /**< goes out by a bridge, not by a route */
#define FCN_PACKET_NOTICE 0x0002    /**< made by fastcn */
#define FCN_PACKET_CE_MARKED 0x0004 /**< CE-marked here */
/** The fast path may route it: well-formed, untagged IPv6 to the MAC address of a routed port,
 * between addresses of 2000::/3, which no check of a router can stop. */
#define FCN_PACKET_FAST_ROUTE 0x0008
#define FCN_PACKET_IOAM 0x0010     /**< gets this node's IOAM data */
#define FCN_PACKET_LOSSLESS 0x0020 /**< of a lossless class of the port it came in by */
#define FCN_PACKET_OWN 0x0040      /**< made by the host functions */
#define FCN_PACKET_ACCOUNTED                                                        \
	0x0080 /**< lossless, and on an account of the worker that received it: see \
		lossless.h */
#define FCN_PACKET_LOCAL 0x0100     /**< for the switch itself: the local stage delivers it */
#define FCN_PACKET_AGAIN 0x0200     /**< was changed by a local behaviour, and is routed again */
#define FCN_PACKET_KIND_SHIFT 10    /**< a notice: its number of enum fcn_notice_kind_number ... */
#define FCN_PACKET_KIND 0x0C00      /**< ... stands in these bits */
#define FCN_PACKET_SLOW_PATH 0x0030 /**< mask: is looked at alone when it is queued */

/** What the stages found out about a packet. One cache line. */
struct fcn_packet {
	struct fcn_wire_info info;
	uint32_t next_hop; /**< routed: index of the next hop */
	uint16_t out_port; /**< with flags and class one word: see fcn_packet_egress_key() */
	uint16_t flags;    /**< FCN_PACKET_* */
	uint8_t class;
	uint8_t trace;    /**< 1 + number of its packet trace, 0 for none */
	uint16_t vlan;    /**< bridged: VLAN the frame is in */
	uint8_t drop;     /**< enum fcn_drop_reason */
	int8_t level;     /**< congestion level met, or FCN_LEVEL_NONE */
	uint16_t in_port; /**< routed: the sub-interface, if it is of one */
	/** What became of its notices, by kind: enum fcn_notify_verdict */
	uint8_t verdict[FCN_NOTICE_KIND_MAX];
	uint16_t delay_off; /**< offset of its IOAM transit delay, with FCN_ENTRY_IOAM */
	uint8_t local;      /**< with FCN_PACKET_LOCAL: enum fcn_local */
	uint8_t unwanted;   /**< likewise: enum fcn_drop_reason if nobody takes it */
} __rte_cache_aligned;

/** A notice's kind: enum fcn_notice_kind_number. */
static inline unsigned int
fcn_packet_notice_kind(const struct fcn_packet *p)
{
	return (p->flags & FCN_PACKET_KIND) >> FCN_PACKET_KIND_SHIFT;
}

/** A packet that a port received, before anything is found out about it; info is not said. */
static inline struct fcn_packet
fcn_packet_fresh(uint16_t in_port)
{
	return (struct fcn_packet){
			.out_port = FCN_PORT_NONE,
			.level = FCN_LEVEL_NONE,
			.in_port = in_port,
	};
}

/** Begin a packet with a fresh one: one store of 16 bytes; info and next_hop are left as they
 * are, as classification and look-up write them before anybody reads them. */
static inline void
fcn_packet_begin(struct fcn_packet *p, const struct fcn_packet *fresh)
{
	const size_t from = offsetof(struct fcn_packet, out_port);
	const size_t to = from + 16;

	_Static_assert(offsetof(struct fcn_packet, verdict) + sizeof(p->verdict) -
							offsetof(struct fcn_packet, out_port) ==
					16,
			"one store writes them");
	memcpy((uint8_t *)p + from, (const uint8_t *)fresh + from, to - from);
}

/** No packet's fcn_packet_egress_key(). */
#define FCN_PACKET_NO_EGRESS_KEY UINT64_MAX

/** Egress port, flags and class in one word: packets with the same key go to the same queue, and
 * are treated alike there. */
static inline uint64_t
fcn_packet_egress_key(const struct fcn_packet *p)
{
	uint64_t key;

	_Static_assert(offsetof(struct fcn_packet, class) ==
					offsetof(struct fcn_packet, out_port) + 4,
			"they are the first five bytes of the word");
	memcpy(&key, &p->out_port, sizeof(key));
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return key & UINT64_C(0xFFFFFFFFFF);
#else
	return key >> 24;
#endif
}

struct fcn_burst {
	unsigned int n;
	unsigned int n_traced;  /**< packets with a trace */
	bool has_mac_control;   /**< some packets may be MAC Control frames */
	bool has_checked_ports; /**< some came in by a border port or an untrusted one */
	bool has_tagged;        /**< some may have a VLAN tag on a routed port */
	unsigned int n_bridged; /**< packets that came in by a port in a bridge */
	unsigned int n_local;   /**< packets with FCN_PACKET_LOCAL; 0 before the walk and behind
				   the local stage */
	struct rte_mbuf *mbuf[FCN_BURST_MAX];
	struct fcn_packet pkt[FCN_BURST_MAX];
};

#endif /* FCN_BURST_H */
