/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The tests of lib/notify share a policy, a state for each kind of notice, and frames to decide
 * about.
 */

#ifndef NOTIFY_UTIL_H
#define NOTIFY_UTIL_H

#include "fcn_notice_fastcnp.h"
#include "fcn_notify.h"
#include "fcn_test.h"
#include "frame.h"

/** A frame and the result of fcn_parse() on it. */
struct packet {
	struct frame f;
	struct fcn_wire_info info;
};

/** Complete the frame and parse it. */
static inline void
packet_parse(struct packet *p)
{
	frame_finish(&p->f);
	fcn_parse(p->f.data, p->f.len, p->f.len, &fcn_parse_default_codes, &p->info);
}

/** Make a packet of RoCEv2 over IPv6. @param sender last byte of the source address @param receiver
 * last byte of the destination address @param qp last byte of the destination queue pair */
static inline void
packet_roce(struct packet *p, uint8_t sender, uint8_t receiver, uint8_t qp)
{
	frame_ether(&p->f, 0x86DD);
	frame_ip6(&p->f, 17);
	frame_roce(&p->f, 64);
	p->f.data[14 + 8 + 15] = sender;
	p->f.data[14 + 24 + 15] = receiver;
	p->f.data[p->f.udp + 8 + 7] = qp;
	packet_parse(p);
}

/** Make a packet of RoCEv2 over IPv6 with an IOAM trace in a Hop-by-Hop Options header. The trace
 * has `words` words of node data, all of them used. */
static inline void
packet_ioam(struct packet *p, unsigned int words)
{
	uint32_t used = 16 + 4 * words, len = RTE_ALIGN_CEIL(used, 8);
	uint8_t *h;

	frame_ether(&p->f, 0x86DD);
	frame_ip6(&p->f, 0);
	h = frame_zero(&p->f, len);
	h[0] = 17;
	h[1] = (uint8_t)(len / 8 - 1);
	h[2] = 1; /* PadN of 2 */
	h[4] = 0x31;
	h[5] = (uint8_t)(2 + 8 + 4 * words);
	h[8] = 0x12; /* namespace 0x1234 */
	h[9] = 0x34;
	h[10] = 1 << 3; /* NodeLen 1, no flags, nothing remaining */
	h[12] = 0x80;   /* Trace-Type: hop limit and node */
	for (unsigned int i = 0; i < 4 * words; i++)
		h[16 + i] = (uint8_t)(i + 1);
	if (len != used) {
		h[used] = 1;
		h[used + 1] = 2;
	}
	frame_roce(&p->f, 64);
	packet_parse(p);
}

extern struct fcn_notices_conf conf;         /**< the policy */
extern struct fcn_fastcnp_kind_conf fastcnp; /**< own configuration of conf.kind[0] */
extern struct fcn_notify_state notify[FCN_NOTICE_KIND_MAX]; /**< the state of each kind */

/** Test setup: Fast CNPs are on, without limits. The capability of every sender is unknown, and its
 * packets are marked. */
int notify_setup(void **state);
int notify_teardown(void **state);

/** Give every congested queue a token bucket. @param cost_ns 0: there is no limit */
void set_queue_bucket(uint32_t cost_ns, uint32_t burst);

/** Class of the congested queues. */
#define CLASS 3

/** A congested queue, and whether notices and ECN are on for it. */
struct place {
	struct fcn_notify_place at;
	bool notify;
	bool ecn;
};

/** Get the place of class CLASS of a port, with notices and ECN on. @param refuse as in struct
 * fcn_notify_place */
static inline struct place
place_of(uint16_t port, enum fcn_notify_verdict refuse)
{
	return (struct place){.at = {.port = port, .class = CLASS, .refuse = refuse},
			.notify = true,
			.ecn = true};
}

/** The decision about a Fast CNP, the only kind of notice here, and about the CE mark. */
struct decision {
	enum fcn_notify_verdict verdict;
	bool mark;
	uint64_t flow;
};

/** Decide about a packet at a place. */
static inline struct decision
decide_at(const struct packet *p, const struct place *place, uint64_t now)
{
	struct fcn_notify_decision d;

	if (!place->notify || conf.on == 0)
		return (struct decision){FCN_NOTIFY_NONE, place->ecn, 0};
	d = fcn_notify_decide(&conf.kind[0], &notify[0], p->f.data, &p->info, &place->at, now);
	return (struct decision){d.verdict, place->ecn && !d.replaces_mark, d.flow};
}

/** Decide about a packet in a queue of a port, with notices and ECN on. */
static inline struct decision
decide(const struct packet *p, uint16_t port, enum fcn_notify_verdict refuse, uint64_t now)
{
	const struct place place = place_of(port, refuse);

	return decide_at(p, &place, now);
}

/** Decide about a packet in a queue of a port, with notices and ECN on and nothing refused. @return
 * the verdict */
static inline enum fcn_notify_verdict
decide_on(const struct packet *p, uint16_t port, uint64_t now)
{
	return decide(p, port, FCN_NOTIFY_NONE, now).verdict;
}

/** Get the counter of a verdict of class CLASS of a port. */
static inline uint64_t
count_of(uint16_t port, enum fcn_notify_verdict v)
{
	return notify[0].stats[port][CLASS].verdict[v];
}

#endif /* NOTIFY_UTIL_H */
