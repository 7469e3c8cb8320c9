/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A worker on a bench: ports that are arrays, a snapshot made by hand, time
 * that stands until it is moved. One at a time.
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

/** A port whose ends are arrays. */
struct bench_port {
	struct rte_mbuf *in[1024];
	unsigned int n_in, next_in;
	struct rte_mbuf *out[4096];
	unsigned int n_out;
	uint16_t accept;   /**< packets taken a call */
	uint64_t sent_at;  /**< time of the last call that took any */
	uint64_t line_bps; /**< bench_line_ops: what a frame takes of the line, 0: no time */
	uint64_t ready_at; /**< bench_line_ops: when the line is free */
	int backlog;       /**< bench_ring_ops: what the device says of its ring */
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
/** One packet at a time, the next when the line is free. */
extern const struct fcn_port_ops bench_line_ops;
/** Room for as many as `accept` says: what finds none stays in its queue. */
extern const struct fcn_port_ops bench_gate_ops;
/** With a transmit ring that tells its backlog. */
extern const struct fcn_port_ops bench_ring_ops;

/**
 * Test setup: 4 routed ports of MTU 1500, 10 Gbit/s, with the MAC address
 * 02:00:00:00:00:<10 + port>; class by DSCP, 6 and 7 strict; detectors,
 * notices, shared buffer, flow control and IOAM off. Next hop n + 4 is by port n to
 * 02:00:00:00:00:<20 + n>, next hops 1, 2, 3 are blackhole, local, no neighbour. No routes.
 */
int bench_setup(void **state);
/** Every packet accounted for; every buffer given back, direct, and with no reference left. */
int bench_teardown(void **state);

/** More ports, the same way. */
void bench_add_port(uint16_t port);
/** Put other operations behind a port. */
void bench_set_ops(uint16_t port, const struct fcn_port_ops *ops);
/** What was changed in bench.snap is another snapshot. */
void bench_new_snapshot(void);
/** Route to a prefix; bench_routes_done() puts them in force. */
void bench_route(const char *prefix, uint32_t next_hop);
void bench_routes_done(void);
/** Put ports 0..n-1 in bridge 0, VLAN 1 untagged. */
void bench_bridge(unsigned int n);
/** Fast CNPs on, without limits, every sender unknown. Step detector at `enter` on all queues of a
 * port; what is below `enter` / 2 has recovered at once. */
void bench_notices(uint16_t port, uint32_t enter);
/** Flow control on a port: these classes are stopped by what is received. */
void bench_pfc_taken(uint16_t port, uint8_t classes);
/** A lossless class: what comes in by this port, with a threshold of its own. */
void bench_lossless(
		uint16_t port, unsigned int class, uint32_t xoff, uint32_t xon, uint32_t headroom);

/** A frame arrives; chained when it is longer than a buffer. */
struct rte_mbuf *bench_in(uint16_t port, const struct frame *f);
/** One turn. Whatever was sent before is forgotten first. */
unsigned int bench_poll(uint64_t now);
/** The only packet that left, and that by this port; bytes of it. */
const uint8_t *bench_only_out(uint16_t port);
/** Packet i that left by a port, as bytes. */
const uint8_t *bench_out(uint16_t port, unsigned int i);
uint32_t bench_out_len(uint16_t port, unsigned int i);
void bench_forget_out(void);

uint64_t bench_drops(enum fcn_drop_reason reason);
uint64_t bench_all_drops(void);
/** The ledger holds; accounts and sums are those of the packets that are queued. */
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
/** Events pushed since they were last asked for. @return how many, at most n. */
unsigned int bench_events(struct fcn_event *ev, unsigned int n);
/** The same, of one type alone; the others are forgotten. */
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
