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

/* Packets of the test bench: those of large pools take longer to make than most tests. */
#define BENCH_POOL 2047
#define BENCH_LARGE_POOL 4095
#define BENCH_QUEUE 1024
#define BENCH_LINK_BPS UINT64_C(10000000000)

/** A port that receives from an array and sends into another one. */
struct bench_port {
	unsigned int n_in, next_in, n_out;
	uint16_t accept;   /**< maximum number of packets accepted in a call */
	uint64_t sent_at;  /**< time of the last call that accepted any */
	uint64_t line_bps; /**< bench_link_ops: speed of the link; 0: frames take no time */
	uint64_t ready_at; /**< bench_link_ops: when the link is free */
	int backlog; /**< bench_ring_ops: fill level of the transmit ring that the device reports */
	struct rte_mbuf *in[1024];
	struct rte_mbuf *out[4096];
};

/** The test bench. */
struct bench {
	struct rte_mempool *pool;
	struct fcn_snapshot snap;
	struct fcn_fastcnp_kind_conf fastcnp; /**< own configuration of snap.notify.kind[0] */
	struct fcn_snapshot *published;
	struct fcn_worker *worker;
	struct fcn_next_hop next_hop[FCN_MAX_PORTS + 4];
	uint32_t member[64];
	struct fcn_fib_route route[64];
	unsigned int n_routes;
	unsigned int n_ports;
	struct bench_port port[FCN_MAX_PORTS]; /**< those below snap.n_ports are in use */
};

extern struct bench bench;
extern const struct fcn_port_ops bench_ops;
/** A port that accepts one packet at a time, and the next when the link is free. */
extern const struct fcn_port_ops bench_link_ops;
/** A port with room for `accept` packets: the others stay in their queues. */
extern const struct fcn_port_ops bench_gate_ops;
/** A port with a transmit ring that reports its backlog. */
extern const struct fcn_port_ops bench_ring_ops;

/**
 * Test setup: 4 routed ports of MTU 1500, 10 Gbit/s, with the MAC address
 * 02:00:00:00:00:<10 + port>. The class follows from the DSCP: 8 * c is of class c, and DSCPs that
 * differ in one bit are of different classes. Classes 6 and 7 are strict;
 * detectors, notices, shared buffer, flow control and IOAM are off. Next hop n + 4 leads to
 * 02:00:00:00:00:<20 + n> at port n; next hops 1, 2 and 3 are blackhole, local and no neighbour.
 * There are no routes. Numbers of ports are below 64, unless a test sets snap.n_ports.
 */
int bench_setup(void **state);

/** Group setup, as fcn_test_eal_init(): the pools of this file's tests are large. */
int bench_begin_large(void **state);

/** For TEST_FIXTURE(), instead of FCN_TEST_EAL: tests of this file have BENCH_LARGE_POOL packets.
 */
#define BENCH_LARGE_EAL .begin = bench_begin_large, .end = fcn_test_eal_cleanup

/** Test setup: the same, with bench_port_routes(2). */
int bench_setup_two_ports(void **state);
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
/** Add a route of 2001:db8:<p>::/48 by each port p of 0..n-1, and publish the routes. */
void bench_port_routes(unsigned int n);
/** Put ports 0..n-1 in bridge 0, VLAN 1 untagged. */
void bench_bridge(unsigned int n);
/** Turn Fast CNPs on, without limits; the capability of every sender is unknown. All queues of the
 * port get a step detector, which enters at `enter` bytes and leaves below `enter` / 2 at once. */
void bench_notices(uint16_t port, uint32_t enter);
/** Let these classes (a bit set) of a port obey received PFC frames. */
void bench_pfc_rx(uint16_t port, uint8_t classes);
/** Make a class lossless for packets received on a port, with a threshold of its own. */
void bench_lossless(
		uint16_t port, unsigned int class, uint32_t xoff, uint32_t xon, uint32_t headroom);

/** Let a frame arrive at a port. It is in a chain of buffers if it is longer than one. */
struct rte_mbuf *bench_in(uint16_t port, const struct frame *f);
/** Run one turn of the worker, after deleting the packets sent before. */
unsigned int bench_poll(uint64_t now);
/** Let a frame arrive at a port, and run one turn of the worker. */
void bench_send(uint16_t port, const struct frame *f, uint64_t now);
/** Check that exactly one packet has left, by this port. @return its bytes */
const uint8_t *bench_only_out(uint16_t port);
/** Get the bytes of packet i that left by a port. */
const uint8_t *bench_out(uint16_t port, unsigned int i);
/** Get the length of packet i that left by a port. */
uint32_t bench_out_len(uint16_t port, unsigned int i);
/** Get the number of packets that have left by any port. */
unsigned int bench_n_out(void);
/** Delete the packets that have left by any port. */
void bench_forget_out(void);

uint64_t bench_drops(enum fcn_drop_reason reason);
uint64_t bench_all_drops(void);
/** Check that the packet accounting balances, and that the buffer's accounts and the sums of the
 * queues are those of the packets that are queued. */
void bench_check(void);

/** Where random numbers of a test begin; bench_below() goes on from it. */
extern uint64_t bench_seed;
/** Get the next random number, below n. */
static inline uint64_t
bench_below(uint64_t n)
{
	return fcn_test_random(&bench_seed) % n;
}

/** Choose a detector at random, with small parameters: of any type, but none that chooses at
 * dequeue. */
void bench_random_detector(struct fcn_detector_conf *d, uint32_t limit_bytes, uint64_t *seed);

struct fcn_queue *bench_queue(uint16_t port, unsigned int class);
/**
 * Get the number of packets that a queue has accepted: those that left it or were discarded, and
 * those that are in it.
 */
static inline uint64_t
bench_accepted(const struct fcn_queue *q)
{
	return q->stats.deq_packets + q->stats.discarded_packets + fcn_queue_packets(q);
}
/** Get the bytes of these packets. */
static inline uint64_t
bench_accepted_bytes(const struct fcn_queue *q)
{
	return q->stats.deq_bytes + q->stats.discarded_bytes + q->bytes;
}
struct fcn_queue_conf *bench_queue_conf(uint16_t port, unsigned int class);
/** Give every congested queue a token bucket of notices. @param cost_ns 0: there is no limit */
void bench_queue_bucket(uint32_t cost_ns, uint32_t burst);
/** Charge notices that leave by a port one nanosecond for each octet, without a limit. */
void bench_charge_link(uint16_t port);
/** Check that exactly one frame of this length, without FCS, was charged to the link of a port
 * since the last call, in the turn that was just polled. */
void bench_assert_charged(uint16_t port, uint32_t len);
/** Get the counter of a verdict about notices of a queue. */
uint64_t bench_verdict(uint16_t port, unsigned int class, enum fcn_notify_verdict v);
/** Get the events pushed since the last call. @return their number, at most n */
unsigned int bench_events(struct fcn_event *ev, unsigned int n);
/** Get the events of one type pushed since the last call; other events are discarded. @return their
 * number, at most n */
unsigned int bench_events_of(enum fcn_event_type type, struct fcn_event *ev, unsigned int n);

/** Make the queues to host functions, which take every kind of packet of ports 0..3 at such a rate
 * that the tests do not reach it. */
void bench_punts(void);

/** Let a packet trace select the next n packets, or those that a filter takes. @param filter as
 * tcpdump has it, or NULL */
void bench_trace(uint32_t n, const char *filter);
/** Capture what these ports receive, and nothing else; nobody reads it. @param ports bit set */
void bench_capture(uint64_t ports);

/** Set the MAC addresses: from 02:00:00:00:01:<n> to that of the port. */
void frame_to_port(struct frame *f, uint16_t port, uint8_t n);
/** Set the MAC addresses to 02:00:00:00:01:<dst> and 02:00:00:00:01:<src>. */
void frame_macs(struct frame *f, uint8_t dst, uint8_t src);
/** Make a frame of RoCEv2 over IPv6 from 2001:db8::<sender> to 2001:db8:<net>::<receiver>, ECT(1),
 * class 3. */
void frame_roce6(struct frame *f, uint8_t sender, uint16_t net, uint8_t receiver, uint32_t payload);
/** Set the DSCP to that of a class, and the ECN field. */
void frame_class(struct frame *f, unsigned int class, unsigned int ecn);
/** Offset of the trace option header in frames without a VLAN tag, and of its node data list. */
#define TRACE_OFF (14 + 40 + 8)
#define TRACE_DATA_OFF (TRACE_OFF + 8)
/**
 * Make a frame of RoCEv2 over IPv6 from 2001:db8::1 to 2001:db8:1::2, ECT(1), class 3, with a
 * pre-allocated IOAM trace of namespace 0x1234: free words, followed by used ones (RFC 9197
 * section 4.4).
 */
void frame_ioam6(struct frame *f, uint32_t type, unsigned int node_len, unsigned int free_words,
		unsigned int used_words, uint32_t payload);
/** Make the same frame in an IPv6 tunnel between the same two addresses. The outer header has the
 * trace. @param inner the inner header has a trace, too */
void frame_ioam6_tunnel(struct frame *f, uint32_t type, unsigned int node_len,
		unsigned int free_words, bool inner, uint32_t payload);
/** Make a PFC frame for these classes (a bit set), each with `quanta` (units of 512 bit times). The
 * frame says nothing about other classes. */
void frame_pfc(struct frame *f, uint8_t classes, uint16_t quanta);
/** Make an IEEE 802.3 PAUSE frame, with `quanta` in units of 512 bit times. */
void frame_pause(struct frame *f, uint16_t quanta);
/** Compute the checksum that an IPv4 header has to have. @return it in host byte order */
uint16_t ip4_checksum(const uint8_t *ip);

#endif /* TESTBED_H */
