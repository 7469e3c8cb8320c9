/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The flows that brought most bytes to a queue while it was congested, whatever is known of their
 * senders and whether anybody was notified. Packets that the queue refused count, too.
 *
 * The bytes that arrive are cut into *strata*, one behind the other. One byte of each is drawn at
 * random, before it has come, and the packet that brings it stands for the stratum: all of its
 * bytes are added to the flow of this packet. So the bytes of each flow are expected to be what
 * they are, whatever the lengths and the order of packets, and the sum of all flows is exact. A
 * stratum is a byte as long as few packets have come, so that each packet counts with its own
 * length. Later it is a share of the bytes that came before, 1 / FCN_TOP_FLOWS_STRATA, but no more
 * than FCN_TOP_FLOWS_EXACT packets have on average.
 *
 * Flows are kept in a table by the algorithm Space-Saving (Metwally, Agrawal, El Abbadi: Efficient
 * Computation of Frequent and Top-k Elements in Data Streams, 2005). A flow that is not in a full
 * table takes the place of the one with the least count, and inherits the count. Hence the counts
 * add up to all bytes, the count of a flow is never less than its bytes, and never more than the
 * bytes and 1 / FCN_TOP_FLOWS of the sum; a flow with more than this share is always in the table.
 *
 * There are two tables. The present one begins anew when a packet is drawn that comes
 * FCN_TOP_FLOWS_PERIOD_NS after its beginning; the one before is kept. Without congestion nothing
 * changes.
 *
 * The worker that owns the queue makes all calls. The memory is part of the structure.
 */

#ifndef FCN_TOP_FLOWS_H
#define FCN_TOP_FLOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_random.h"

#define FCN_TOP_FLOWS 32        /**< flows that a table has room for */
#define FCN_TOP_FLOWS_EXACT 256 /**< packets of a period that are counted one by one */
#define FCN_TOP_FLOWS_STRATA 64 /**< strata that make up what came before, at least */
/** Time, ns, for which a table collects flows before the next one begins. */
#define FCN_TOP_FLOWS_PERIOD_NS UINT64_C(300000000000)

/* What became of a packet, bits. */
#define FCN_FLOW_MARKED 0x1  /**< this switch has marked it with CE */
#define FCN_FLOW_DROPPED 0x2 /**< the queue refused it */

/** What tells a flow from others. */
enum fcn_flow_form {
	FCN_FLOW_LINK,  /**< not IP: by MAC addresses and EtherType */
	FCN_FLOW_ROCE,  /**< RoCEv2: by addresses and destination queue pair */
	FCN_FLOW_PORTS, /**< other IP: by addresses, protocol and ports */
};

/** A flow. Unused octets are 0, so that equal flows are equal octets. */
struct fcn_flow_key {
	/** IPv6 address, IPv4-mapped address, or a MAC address in the first six octets. */
	uint8_t sender[16];
	uint8_t receiver[16]; /**< likewise; of IPv6 with segments, the last destination */
	uint32_t dest_qp;     /**< ROCE */
	uint16_t src_port;    /**< PORTS: host byte order; 0 when the protocol has none */
	uint16_t dst_port;    /**< likewise */
	uint16_t ether_type;  /**< LINK: host byte order */
	uint8_t proto;        /**< PORTS: protocol number */
	uint8_t form;         /**< enum fcn_flow_form */
};

_Static_assert(sizeof(struct fcn_flow_key) == 44, "there are no octets between the members");

/** A flow of a table. `packets`, `marked` and `dropped` are in units of 1/256 packet, since each
 * packet that was drawn stands for as many as its stratum has bytes of. */
struct fcn_top_flow {
	struct fcn_flow_key key;
	uint64_t bytes;    /**< that arrived since the flow came into the table */
	uint64_t over;     /**< at most so many arrived in the same period before that */
	uint64_t packets;  /**< packets of `bytes` */
	uint64_t marked;   /**< those of them that this switch marked with CE */
	uint64_t dropped;  /**< those of them that the queue refused */
	uint64_t first_ns; /**< when the first of them was drawn; also of the period before */
	uint64_t last_ns;  /**< when the last of them was drawn */
};

/** The flows of a period. */
struct fcn_flow_table {
	uint64_t since_ns; /**< when the period began */
	uint64_t last_ns;  /**< when the last packet was drawn */
	uint64_t before;   /**< packets that had arrived before the period */
	uint64_t bytes;    /**< that were added to flows; 0: there was no period yet */
	uint64_t gone;     /**< those of them that were of flows which are not in the table */
	uint32_t n;        /**< flows in the table */
	bool sampled;      /**< not each packet was drawn */
	uint32_t hash[FCN_TOP_FLOWS];
	uint64_t count[FCN_TOP_FLOWS]; /**< bytes + over */
	struct fcn_top_flow flow[FCN_TOP_FLOWS];
};

/** The flows of a queue. */
struct fcn_top_flows {
	/** Position of the byte behind the present stratum. Positions are sums of the bytes that
	 * arrived since the counters were cleared. */
	uint64_t end;
	uint64_t size;                  /**< bytes of the present stratum */
	unsigned int present;           /**< index of the present table */
	struct fcn_flow_table table[2]; /**< the other one is the period before, if `bytes` != 0 */
};

/** A packet that was drawn. */
struct fcn_flow_arrival {
	uint64_t end;     /**< position behind its last byte */
	uint64_t packets; /**< packets that have arrived since the counters were cleared, with it */
	uint32_t len;     /**< its bytes, not 0 */
	unsigned int fate; /**< FCN_FLOW_MARKED, FCN_FLOW_DROPPED */
};

/** Begin anew. @param next written: position of the byte that is drawn next, the first one */
void fcn_top_flows_clear(struct fcn_top_flows *t, uint64_t *next);

/**
 * Add the packet that brings the byte at *next.
 *
 * @param next   position of the byte drawn, in the packet; replaced by that of the next one, which
 *               is not in the packet
 * @param random decides about positions, and is not asked as long as each packet is drawn
 * @param now    nanoseconds, never less than in an earlier call
 */
void fcn_top_flows_add(struct fcn_top_flows *t, uint64_t *next, const struct fcn_flow_key *key,
		const struct fcn_flow_arrival *packet, struct fcn_random *random, uint64_t now);

/** The flows of both periods together. */
struct fcn_top_flows_sum {
	uint64_t bytes; /**< of all flows, exact but for the present stratum */
	bool exact;     /**< each packet was counted */
	unsigned int n;
	/** By descending bytes. `over` is the most that a flow may have brought in addition. */
	struct fcn_top_flow flow[2 * FCN_TOP_FLOWS];
};

/** Add up both periods. Nothing of `t` changes, so a copy of it will do for other threads. */
void fcn_top_flows_sum(const struct fcn_top_flows *t, struct fcn_top_flows_sum *sum);

#endif /* FCN_TOP_FLOWS_H */
