/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A burst of packets that passes through the stages, and the metadata that the stages determine for
 * each packet. The mbuf pointer of a packet that leaves the burst, because it is dropped, punted or
 * queued, is set to NULL. A burst belongs to one worker.
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

#define FCN_BURST_MAX 256 /**< maximum number of packets in a burst */
#define FCN_RX_BURST 32   /**< maximum number of packets received from a port by one call */

#define FCN_PORT_NONE UINT16_MAX /**< value of a port number: none */

/* struct fcn_packet.flags */
#define FCN_PACKET_BRIDGED 0x0001   /**< it is forwarded by a bridge, not by a route */
#define FCN_PACKET_NOTICE 0x0002    /**< it is a notice that this switch made */
#define FCN_PACKET_CE_MARKED 0x0004 /**< this switch has set its CE codepoint */
/**
 * It passes all checks of a router, and its table is the main one, so its next hop may be in the
 * cache of destinations: it is well-formed, untagged IPv6 or IPv4 to the MAC address of a routed
 * port. Of IPv6, both addresses are in 2000::/3.
 */
#define FCN_PACKET_FAST_ROUTE 0x0008
#define FCN_PACKET_IOAM 0x0010     /**< the switch adds its data to the IOAM trace */
#define FCN_PACKET_LOSSLESS 0x0020 /**< its class is lossless at its ingress port */
#define FCN_PACKET_OWN 0x0040      /**< the host functions or the proxy made it */
/** It is lossless, and counts on an account of the worker that received it: see lossless.h. */
#define FCN_PACKET_ACCOUNTED 0x0080
#define FCN_PACKET_LOCAL 0x0100   /**< it is for the switch itself: the local stage delivers it */
#define FCN_PACKET_REROUTE 0x0200 /**< a local behaviour has changed it: it is routed again */
/** A local SID has decremented its hop limit, so the stage `route` does not do it. */
#define FCN_PACKET_HOP_COUNTED 0x1000
#define FCN_PACKET_VIA_SID 0x2000 /**< its next hop is that of a local SID */
#define FCN_PACKET_CHECKED 0x0008 /**< mask: flags of packets that pass all checks of a router */
/** It was a Fast CNP of another switch, and is now the CNP of its flow. */
#define FCN_PACKET_TRANSLATED 0x4000
#define FCN_PACKET_ARN 0x8000 /**< it is an Adaptive Routing Notification of this switch */
/** This switch has inserted the option with a proxy's address into it. */
#define FCN_PACKET_PROXY_ADDED 0x0400
/** It is the headers of a packet that this switch has trimmed, as its queue refused it, or one
 * before: see fcn_packet_is_trimmed_here(). It is no reason for a mark or a notice. */
#define FCN_PACKET_TRIMMED 0x0800

/* struct fcn_packet.reactions */
#define FCN_REACTION_DECIDED 0x01 /**< it was decided whether notices about it are made */
#define FCN_REACTION_HALT 0x02    /**< upstream neighbours are asked to halt its traffic */

/** Metadata of a packet, one cache line. Numbers are in host byte order. */
struct fcn_packet {
	struct fcn_wire_info info; /**< result of the parser */
	uint32_t next_hop;         /**< routed packet: index of the next hop */
	uint16_t out_port; /**< egress port, or FCN_PORT_NONE; see fcn_packet_egress_key() */
	uint16_t flags;    /**< FCN_PACKET_* */
	uint8_t class;     /**< traffic class, which selects the class queue */
	/** With FCN_PACKET_NOTICE: enum fcn_notice_kind_number; otherwise 0. */
	uint8_t notice_kind;
	union {
		uint16_t vlan; /**< with FCN_PACKET_BRIDGED: VLAN ID of the frame */
		/** With FCN_PACKET_LOCAL and FCN_LOCAL_SRV6: fcn_srv6_sid.slot. */
		uint16_t sid_slot;
		/** With FCN_PACKET_LOCAL by another route: number of the table that has it. */
		uint16_t own_table;
		/** Routed to another station: 1 + fcn_steering.slot of the rule that it met, or 0.
		 */
		uint16_t steering;
	};
	uint16_t in_port; /**< ingress port, or the sub-interface that the packet belongs to */
	uint8_t trace;    /**< 1 + number of its packet trace; 0: it is not traced */
	union {
		/** With FCN_PACKET_LOCAL: enum fcn_drop_reason for the case that it is not
		 * accepted. */
		uint8_t unwanted;
		/** Otherwise, with FCN_PACKET_REROUTE: number of the route table. */
		uint8_t table;
	};
	/* What is not passed on to the worker that has the queue, but determined there; `local`
	 * has no meaning any more. See cross_core.h. */
	uint8_t drop;       /**< enum fcn_drop_reason */
	int8_t level;       /**< congestion level at the queue, or FCN_LEVEL_NONE */
	uint8_t reactions;  /**< to congestion: FCN_REACTION_* */
	uint8_t local;      /**< with FCN_PACKET_LOCAL: enum fcn_local */
	uint16_t delay_off; /**< with FCN_ENTRY_IOAM: offset of the IOAM transit delay */
	/** If this switch has trimmed it: the class whose queue had no room for it. */
	uint8_t trim_class;
	uint8_t trim_reason; /**< likewise: enum fcn_drop_reason of this queue */
} __rte_cache_aligned;

_Static_assert(sizeof(struct fcn_packet) == 64, "a packet's metadata are one cache line");

/** Return the initial metadata of a packet received by a port. `info` is all zeros. */
static inline struct fcn_packet
fcn_packet_fresh(uint16_t in_port)
{
	return (struct fcn_packet){
			.out_port = FCN_PORT_NONE,
			.level = FCN_LEVEL_NONE,
			.in_port = in_port,
	};
}

/**
 * Initialise the metadata of a received packet from fcn_packet_fresh(), with one store of 16 bytes.
 * `info`, `next_hop` and what follows `local` keep their old values: other functions write them
 * before they are read.
 */
static inline void
fcn_packet_begin(struct fcn_packet *p, const struct fcn_packet *fresh)
{
	const size_t from = offsetof(struct fcn_packet, out_port);
	const size_t to = from + 16;

	_Static_assert(offsetof(struct fcn_packet, local) + sizeof(p->local) -
							offsetof(struct fcn_packet, out_port) ==
					16,
			"one store writes them");
	memcpy((uint8_t *)p + from, (const uint8_t *)fresh + from, to - from);
}

/** Check whether this switch has trimmed a packet, and not one before it on its way. */
static inline bool
fcn_packet_is_trimmed_here(const struct fcn_packet *p)
{
	return p->flags & FCN_PACKET_TRIMMED && !(p->info.flags & FCN_PKT_TRIMMED);
}

/** A value that fcn_packet_egress_key() never returns. */
#define FCN_PACKET_NO_EGRESS_KEY UINT64_MAX

/**
 * Combine egress port, flags, class and kind of notice in one word. Packets with the same key go to
 * the same class queue and are handled there in the same way.
 */
static inline uint64_t
fcn_packet_egress_key(const struct fcn_packet *p)
{
	uint64_t key;

	_Static_assert(offsetof(struct fcn_packet, notice_kind) ==
					offsetof(struct fcn_packet, out_port) + 5,
			"they are the first six bytes of the word");
	memcpy(&key, &p->out_port, sizeof(key));
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return key & UINT64_C(0xFFFFFFFFFFFF);
#else
	return key >> 16;
#endif
}

/** What a receive queue has delivered in a turn. */
struct fcn_received_run {
	uint16_t queue; /**< index in fcn_worker.rx_queue */
	uint16_t n;     /**< packets */
	uint32_t bytes; /**< sum of their lengths */
};

/** Packets received in a turn, before they are put into a burst. */
struct fcn_received {
	unsigned int n;      /**< packets */
	unsigned int n_runs; /**< receive queues that have delivered some; their packets stand
				together */
	struct fcn_received_run run[FCN_BURST_MAX];
	struct rte_mbuf *mbuf[FCN_BURST_MAX];
};

/** A burst of packets. */
struct fcn_burst {
	unsigned int n;         /**< packets, including those that have left the burst */
	unsigned int n_traced;  /**< packets that are traced */
	bool has_mac_control;   /**< some packets may be MAC Control frames */
	bool has_checked_ports; /**< the ingress port of some is a border port or untrusted */
	bool has_tagged;        /**< some, received on a routed port, may have a VLAN tag */
	unsigned int n_bridged; /**< packets received by ports of bridges */
	/** Packets received by one port stand together, in so many runs: see run_end. */
	unsigned int n_runs;
	/** Packets with FCN_PACKET_LOCAL; 0 before the first stage and after the local stage. */
	unsigned int n_local;
	uint16_t run_end[FCN_BURST_MAX]; /**< index behind the last packet of each run */
	struct rte_mbuf *mbuf[FCN_BURST_MAX];
	struct fcn_packet pkt[FCN_BURST_MAX];
};

#endif /* FCN_BURST_H */
