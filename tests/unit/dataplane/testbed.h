/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A test bench for a worker: ports that are arrays, a snapshot made by the test, and a time that
 * the test sets. There is one bench at a time.
 */

#ifndef TESTBED_H
#define TESTBED_H

#include "fcn_notice_fastcnp.h"
#include "fcn_test.h"
#include "fcn_worker.h"
#include "frame.h"

#define BENCH_POOL 4095
#define BENCH_QUEUE 1024
#define BENCH_LINK_BPS UINT64_C(10000000000)

/** A port that receives from an array and sends into another one. */
struct bench_port {
	struct rte_mbuf *in[1024];
	unsigned int n_in, next_in;
	struct rte_mbuf *out[4096];
	unsigned int n_out;
	uint16_t accept;   /**< packets accepted in a call */
	uint64_t sent_at;  /**< time of the last call that accepted any */
	uint64_t line_bps; /**< bench_link_ops: speed of the link; 0: frames take no time */
	uint64_t ready_at; /**< bench_link_ops: when the link is free */
	int backlog; /**< bench_ring_ops: fill level of the transmit ring that the device reports */
};

struct bench {
	struct rte_mempool *pool;
	struct fcn_snapshot snap;
	struct fcn_notice_fastcnp_conf fastcnp; /**< of snap.notify.kind[0] */
	struct fcn_snapshot *published;
	struct fcn_worker *worker;
	struct bench_port port[FCN_MAX_PORTS];
	struct fcn_next_hop next_hop[64];
	uint32_t member[64];
	struct fcn_fib_route route[64];
	unsigned int n_routes;
	unsigned int n_ports;
};

extern struct bench bench;
extern const struct fcn_port_ops bench_ops;
/** One packet at a time, the next when the link is free. */
extern const struct fcn_port_ops bench_link_ops;
/** Has room for `accept` packets: the others stay in their queue. */
extern const struct fcn_port_ops bench_gate_ops;
/** Has a transmit ring that reports its backlog. */
extern const struct fcn_port_ops bench_ring_ops;

/**
 * Test setup: 4 routed ports of MTU 1500, 10 Gbit/s, with the MAC address
 * 02:00:00:00:00:<10 + port>; class by DSCP, 6 and 7 strict; detectors,
 * notices, shared buffer, flow control and IOAM off. Next hop n + 4 is by port n to
 * 02:00:00:00:00:<20 + n>, next hops 1, 2, 3 are blackhole, local, no neighbour. No routes.
 */
int bench_setup(void **state);
/**
 * Check that every packet is accounted for, and that every buffer has been returned, as a direct
 * mbuf without further references.
 */
int bench_teardown(void **state);

/** Add a port with the same settings. */
void bench_add_port(uint16_t port);
/** Replace the operations of a port. */
void bench_set_ops(uint16_t port, const struct fcn_port_ops *ops);
/** Publish the changes in bench.snap as a new snapshot. */
void bench_new_snapshot(void);
/** Add a route; bench_routes_done() publishes the routes. */
void bench_route(const char *prefix, uint32_t next_hop);
void bench_routes_done(void);
/** Put ports 0..n-1 in bridge 0, VLAN 1 untagged. */
void bench_bridge(unsigned int n);
/** Fast CNPs on, without limits, every sender unknown. Step detector at `enter` on all queues of a
 * port; what is below `enter` / 2 has recovered at once. */
void bench_notices(uint16_t port, uint32_t enter);
/** Flow control on a port: these classes obey received PFC frames. */
void bench_pfc_taken(uint16_t port, uint8_t classes);
/** Make a class lossless for packets received on a port, with a threshold of its own. */
void bench_lossless(
		uint16_t port, unsigned int class, uint32_t xoff, uint32_t xon, uint32_t headroom);

/** Let a frame arrive; it is chained when it is longer than a buffer. */
struct rte_mbuf *bench_in(uint16_t port, const struct frame *f);
/** Run one turn, after deleting the packets sent before. */
unsigned int bench_poll(uint64_t now);
/** Check that exactly one packet has left, by this port. @return its bytes */
const uint8_t *bench_only_out(uint16_t port);
/** Bytes of packet i that left by a port. */
const uint8_t *bench_out(uint16_t port, unsigned int i);
uint32_t bench_out_len(uint16_t port, unsigned int i);
void bench_forget_out(void);

uint64_t bench_drops(enum fcn_drop_reason reason);
uint64_t bench_all_drops(void);
/** The packet accounting holds; accounts and sums are those of the packets that are queued. */
void bench_check(void);

/** A detector of any type but one that looks at departures, with small numbers. */
void bench_random_detector(struct fcn_detector_conf *d, uint32_t limit_bytes, uint64_t *seed);

struct fcn_queue *bench_queue(uint16_t port, unsigned int class);
/** Packets, and bytes, that a queue ever took: what left it and what is in it. */
static inline uint64_t
bench_taken(const struct fcn_queue *q)
{
	return q->stats.deq_packets + q->stats.discarded_packets + fcn_queue_packets(q);
}
static inline uint64_t
bench_taken_bytes(const struct fcn_queue *q)
{
	return q->stats.deq_bytes + q->stats.discarded_bytes + q->bytes;
}
struct fcn_queue_conf *bench_queue_conf(uint16_t port, unsigned int class);
/** Counter of a queue's verdict about notices. */
uint64_t bench_verdict(uint16_t port, unsigned int class, enum fcn_notify_verdict v);
/** Events pushed since the last call. @return their number, at most n */
unsigned int bench_events(struct fcn_event *ev, unsigned int n);
/** The same for one type of event; the others are discarded. */
unsigned int bench_events_of(enum fcn_event_type type, struct fcn_event *ev, unsigned int n);

/** Addresses: to the port's MAC, from 02:00:00:00:01:<n>. */
void frame_to_port(struct frame *f, uint16_t port, uint8_t n);
/** MAC addresses 02:00:00:00:01:<n>. */
void frame_macs(struct frame *f, uint8_t dst, uint8_t src);
/** RoCEv2 over IPv6, 2001:db8::<sender> to 2001:db8:<net>::<receiver>, ECT(1), class 3. */
void frame_roce6(struct frame *f, uint8_t sender, uint16_t net, uint8_t receiver, uint32_t payload);
/** Another class, as its DSCP says, and ECN field. */
void frame_class(struct frame *f, unsigned int class, unsigned int ecn);
/** Offset of the trace option header in frames without a VLAN tag, and of its node data list. */
#define TRACE_OFF (14 + 40 + 8)
#define TRACE_DATA_OFF (TRACE_OFF + 8)
/**
 * RoCEv2 over IPv6 from 2001:db8::1 to 2001:db8:1::2, ECT(1), class 3, with a
 * pre-allocated IOAM trace of namespace 0x1234: free words, and behind them used ones.
 */
void frame_ioam6(struct frame *f, uint32_t type, unsigned int node_len, unsigned int free_words,
		unsigned int used_words, uint32_t payload);
/** The same in a tunnel of IPv6 between the same two: the trace is the tunnel's; inside, too. */
void frame_ioam6_tunnel(struct frame *f, uint32_t type, unsigned int node_len,
		unsigned int free_words, bool inner, uint32_t payload);
/** PFC: so many quanta for these classes; the other classes are not spoken of. */
void frame_pfc(struct frame *f, uint8_t classes, uint16_t quanta);
/** IEEE 802.3 PAUSE. */
void frame_pause(struct frame *f, uint16_t quanta);
/** Internet checksum over an IPv4 header, as it stands in it. */
uint16_t ip4_checksum(const uint8_t *ip);

#endif /* TESTBED_H */
