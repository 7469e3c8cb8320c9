/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the fast path and its functions for wide SIMD registers have in common. Used by the stage
 * `fast_path` only.
 */

#ifndef FAST_PATH_H
#define FAST_PATH_H

#include "plain_head.h"
#include "queue_target.h"
#include "fcn_ready.h"

/** Value of fcn_fast_series.to: no series has begun. */
#define FCN_FAST_NO_SERIES UINT32_MAX
/** Value of fcn_fast_series.port then. */
#define FCN_FAST_NO_PORT UINT16_MAX

/* What fcn_fast_series.to says beside egress port and class. */
#define FCN_FAST_ACCOUNTED 0x00010000 /**< FCN_READY_ACCOUNTED */
#define FCN_FAST_NOTICE 0x00020000    /**< FCN_READY_NOTICE */
#define FCN_FAST_KIND_SHIFT 18        /**< position of the kind of a notice */

/**
 * Consecutive packets to one class queue, whose limits are checked once for all of them. If the
 * queue belongs to another worker, they go to the cross-core ring to it; if they have to wait, to
 * w->ready. Several series share these slots.
 */
struct fcn_fast_series {
	struct fcn_ready_slots *slots; /**< where the next packet goes: `own`, or shared ones */
	uint64_t meta;     /**< struct fcn_queue_entry.meta without the length of the frame */
	uint32_t to;       /**< egress port and class: fcn_ready_to(), and FCN_FAST_* */
	uint32_t bytes;    /**< sum of the lengths */
	uint32_t port_mac; /**< the last four octets of the port's MAC address */
	uint16_t port;     /**< egress port; FCN_FAST_NO_PORT: no series has begun */
	uint16_t first;    /**< fcn_fast_first() of a packet of the series; for f->series only */
	bool noted;        /**< struct fcn_queued has to be written, as the class is lossless */
	struct fcn_ready_slots own;  /**< slots of the queue */
	struct fcn_cross_core *peer; /**< ring to the worker that has the queue; NULL: it is here */
	uint32_t filled;             /**< with `peer`: its `filled` when the series began */
	/* What is needed at its end. */
	struct fcn_queue_target target;
	struct fcn_queue_fill fill; /**< the queue as it was before */
} __rte_cache_aligned;

/** Number of series that may be open at once, as a power of two. */
#define FCN_FAST_OPEN_BITS 5
#define FCN_FAST_OPEN (1u << FCN_FAST_OPEN_BITS)

struct fcn_fast_bridging;

/**
 * Packets received from one queue of a port, of which the fast path takes those at the front. Where
 * `many` is true, it is used for several receive queues, one after the other.
 */
struct fcn_fast {
	struct fcn_worker *w;
	const struct fcn_snapshot_port *port;
	const struct fcn_plain_head *head; /**< start of the frames of plain RoCEv2 over IPv6 */
	uint32_t max_frame;                /**< maximum frame length in bytes, of all packets */
	/** class by DSCP: the packets have no tag, so they have no other; FCN_CLASSES: not taken */
	const uint8_t *class_of_dscp;
	bool uncached; /**< the next destinations are looked up without asking the cache */
	/** Packets go to several class queues, each of which may have a series in `open`. `series`
	 * is not used any more. */
	bool many;
	bool adds_traces; /**< this node adds its data to the IOAM traces of the next packets */
	/** Packets whose queue does not take them at once wait in w->ready. */
	bool may_wait;
	uint32_t bytes; /**< sum of all lengths: no queue gets more from this receive queue */
	/** What `bytes` lacks if all packets enter tunnels; 0: it has room for that. */
	uint32_t growth;
	uint32_t looked_up;                 /**< destinations that the cache did not have */
	struct fcn_fast_bridging *bridging; /**< shared by all receive queues of a turn */
	struct fcn_fast_series series;
	/** Ports, class and flags of packets, of which only the ingress port is that of all. */
	struct fcn_packet packet;
	struct fcn_queued queued; /**< what is written into the mbufs of a series with `noted` */
	/* Valid with `many`. */
	uint32_t places; /**< bit set of the places of `open` that have or had a series */
	struct fcn_fast_series open[FCN_FAST_OPEN]; /**< by fcn_fast_place_of() */
};

/** Initialise, before the first receive queue. */
static inline void
fcn_fast_init(struct fcn_fast *f, struct fcn_worker *w)
{
	f->w = w;
	f->many = false;
	f->may_wait = false;
	f->series.to = FCN_FAST_NO_SERIES;
	f->series.port = FCN_FAST_NO_PORT;
	f->series.own = (struct fcn_ready_slots){NULL, NULL};
	f->series.slots = &f->series.own;
	f->series.bytes = 0;
	f->series.noted = false;
}

/** Begin with packets of a receive queue. @param bytes sum of their lengths */
static inline void
fcn_fast_receive(struct fcn_fast *f, uint16_t in_port, uint32_t bytes)
{
	const struct fcn_worker *w = f->w;
	static const uint8_t class_0[64];

	f->port = &w->snap->port[in_port];
	f->max_frame = f->port->mtu + (uint32_t)RTE_ETHER_HDR_LEN;
	f->class_of_dscp = f->port->trust != FCN_TRUST_NONE ? w->snap->class_map.dscp : class_0;
	if (unlikely(f->port->untrusted.untrusted))
		f->class_of_dscp = w->snap->untrusted_class_of_dscp;
	f->bytes = bytes;
	f->growth = 0;
	f->adds_traces = false;
	f->packet.in_port = in_port;
}

/** Check whether the stages have to look at all packets of a port that has `checked_ingress`: those
 * of protected classes are all that they move of an untrusted port. */
static inline bool
fcn_fast_checks_all(const struct fcn_fast *f)
{
	const struct fcn_snapshot_port *port = f->port;

	return !port->untrusted.untrusted || port->untrusted.remark == FCN_REMARK_ALL ||
	       port->trust == FCN_TRUST_NONE || port->source_check != FCN_SOURCE_CHECK_OFF ||
	       fcn_port_set_has(&f->w->snap->border.ports, f->packet.in_port);
}

/** Check whether the fast path may take packets of the port: nothing has to look at all of them. */
static inline bool
fcn_fast_is_open(const struct fcn_fast *f)
{
	const struct fcn_snapshot_port *port = f->port;

	return likely(!port->checked_ingress || !fcn_fast_checks_all(f)) &&
	       !(port->proxy_option & FCN_PROXY_EDGE_INSERT) &&
	       !fcn_capture_is_on_port(&f->w->capture, FCN_CAPTURE_RX, f->packet.in_port);
}

/**
 * Begin a series, after ending the one before in the same place.
 *
 * Several series may be open at once, as all of them together get f->bytes at most: the more of
 * these go to one, the fewer go to the others. So what is certain of a series when it begins
 * remains so, also where packets of all series are charged to one account or to one buffer.
 *
 * @param s  where it is stored
 * @param to its queue, for which no other series is open
 * @return false if the stages have to do something for the packets, or, without f->may_wait, if it
 *         is not certain that the queue accepts f->bytes more, with no detector, limit, pause or
 *         account having a say; no series has begun then. With f->may_wait, it is to w->ready in
 *         the latter case.
 */
bool fcn_fast_begin(struct fcn_fast *f, struct fcn_fast_series *s, uint32_t to);

/**
 * Begin f->series, or begin it again to the same queue.
 *
 * @return as fcn_fast_begin(); false, too, if f->series is to another queue, and is left as it was
 */
bool fcn_fast_begin_alone(struct fcn_fast *f, uint32_t to);

/** End a series, if there is one: its packets are in the queue after that. */
void fcn_fast_end(struct fcn_fast *f, struct fcn_fast_series *s);

/**
 * Let all packets of some classes wait that follow, and end their series.
 *
 * @param classes bit set; it stands for all classes if w->ready.in_order is set
 */
void fcn_fast_end_classes(struct fcn_fast *f, uint8_t classes);

/** Change over to several series at once: `many` is true after that. */
void fcn_fast_begin_many(struct fcn_fast *f);

/**
 * Begin a series in its place of `open`. One to another queue in this place ends.
 *
 * @return as fcn_fast_begin()
 */
bool fcn_fast_open(struct fcn_fast *f, uint32_t to);

/**
 * End the series in `open` that may not go on with the packets of the receive queue that
 * fcn_fast_receive() was called for: those that would not be begun now.
 */
void fcn_fast_renew_many(struct fcn_fast *f);

/** End the series in `open` whose packets are charged to an account. The others may go on with
 * another receive queue. */
void fcn_fast_charge_many(struct fcn_fast *f);

/** Let this node add its data to the IOAM traces of the next packets: end series for which that is
 * not possible. */
void fcn_fast_begin_traces(struct fcn_fast *f);

/** End all series in `open`. */
void fcn_fast_end_many(struct fcn_fast *f);

/** Get the place in fcn_fast.open of the series to a queue. */
static inline struct fcn_fast_series *
fcn_fast_place_of(struct fcn_fast *f, uint32_t to)
{
	/* Successive ports get places far from each other (Fibonacci hashing). */
	return &f->open[(uint16_t)to * UINT32_C(0x9E3779B1) >> (32 - FCN_FAST_OPEN_BITS)];
}

/**
 * Look up a destination that the cache does not have, and store it there.
 *
 * @return its entry; NULL: there have been so many that the others are looked up together, the
 * cache stores nothing, or the address is not that of a host
 */
const struct fcn_dest_cache_entry *fcn_fast_look_up(
		struct fcn_fast *f, uint64_t key0, uint64_t key1);

/* Offsets of the destination address in frames of plain RoCEv2 over IPv6 and over IPv4. */
#define FCN_FAST_IP6_DST_OFF (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, dst_addr))
#define FCN_FAST_IP4_DST_OFF (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv4_hdr, dst_addr))

/**
 * Take packets of RoCEv2 whose headers have been checked, without the cache of destinations: all
 * are looked up together.
 *
 * @param n       at most FCN_RX_BURST
 * @param version of IP, 4 or 6
 * @return number of packets taken
 */
unsigned int fcn_fast_uncached(
		struct fcn_fast *f, struct rte_mbuf **mbuf, unsigned int n, unsigned int version);

/**
 * Check whether the source of a packet, which may be an address of the switch, is one.
 *
 * @param cut     octets before the Ethernet header in front of its IP header
 * @param version of IP, 4 or 6
 */
__attribute__((cold)) bool fcn_fast_is_own(const struct fcn_fast *f, const struct rte_mbuf *m,
		uint32_t cut, unsigned int version);

/**
 * Take packets from the first one on.
 *
 * @param end behind the last packet
 * @return the first packet that was not taken, or `end`. Those before it are in their class queues
 *         when their series have ended.
 */
typedef struct rte_mbuf **(*fcn_fast_take_t)(
		struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end);

/** Take RoCEv2 packets over IPv6 that have an IOAM trace. The arguments and the result are those of
 * fcn_fast_take_t. */
struct rte_mbuf **fcn_fast_traces(
		struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end);

/** Take RoCEv2 packets over IPv6 that enter SRv6 tunnels at this switch. See fcn_fast_tunnels(). */
struct rte_mbuf **fcn_fast_encaps(
		struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end);

/** Take packets that arrive in SRv6 tunnels. The arguments and the result are those of
 * fcn_fast_take_t. Afterwards f->many is true. */
struct rte_mbuf **fcn_fast_tunnels(
		struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end);

/** What the stage `classify` knows of plain packets before it reads them, by their ingress port. */
struct fcn_plain_run {
	const struct fcn_plain_head *head6, *head4;
	const struct rte_ether_addr *mac; /**< what these lack: the port's address, or zeros */
	uint32_t max_frame;               /**< maximum frame length in bytes */
	uint16_t flags;                   /**< FCN_PACKET_* */
	/** FCN_PACKET_* of a packet whose source may be an address of the switch */
	uint16_t checked_flags;
	const struct fcn_own_hull *own; /**< of the addresses of the switch; none in bridges */
	const uint8_t *class_of_dscp;
};

/**
 * Write the metadata of RoCEv2 that the stages have to forward, as the stage `classify` does it for
 * any packet, up to the first packet of another kind.
 *
 * @return index of that packet, or `to`
 */
typedef unsigned int (*fcn_fast_classify_t)(struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_plain_run *run);

/** Functions of the fast path, and what recognises its packets in the stages. */
struct fcn_fast_functions {
	fcn_fast_take_t ip6; /**< for RoCEv2 over IPv6 to hosts */
	fcn_fast_take_t ip4; /**< for RoCEv2 over IPv4 */
	/**
	 * For packets that a bridge port has received: refresh the sources of those of RoCEv2
	 * without a tag, and write the addresses and places of their destinations, which are not
	 * looked up. Packets that the stage `bridge` has more to do for are noted, too.
	 */
	void (*admit)(const struct fcn_fast *f, unsigned int from, unsigned int to);
	fcn_fast_classify_t classify6; /**< for RoCEv2 over IPv6 */
	fcn_fast_classify_t classify4; /**< for RoCEv2 over IPv4 */
	/** Count the packets from the first one on that `ip6` would take if their destinations and
	 * queues let it. */
	unsigned int (*count)(
			const struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end);
};

/**
 * Refresh the sources of all packets of bridges that may be taken in this turn: see f->bridging.
 *
 * @param first packet of a bridge that is tried; those of queues before it are not
 */
void fcn_fast_bridging_begin(const struct fcn_fast *f, struct rte_mbuf **first);

/** Take packets of bridges, after fcn_fast_bridging_begin() was called. The arguments and the
 * result are those of fcn_fast_take_t. */
struct rte_mbuf **fcn_fast_bridge(
		struct fcn_fast *f, struct rte_mbuf **mbuf, struct rte_mbuf **end);

extern const struct fcn_fast_functions fcn_fast_any; /**< for any CPU */
#ifdef RTE_ARCH_X86_64
#define FCN_FAST_AVX 1
extern const struct fcn_fast_functions fcn_fast_avx2;   /**< with AVX2 */
extern const struct fcn_fast_functions fcn_fast_avx512; /**< with AVX-512 F and BW */
#endif

#endif /* FAST_PATH_H */
