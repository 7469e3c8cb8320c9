/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The test bench of srv6_bench.h as a proxy network node: messages of vector 14 arrive by port 0,
 * the senders are behind port 1, and the receivers behind port 3. Checksums are computed here.
 */

#ifndef PROXY_BENCH_H
#define PROXY_BENCH_H

#include "fcn_cnm.h"
#include "proxy.h"
#include "srv6_bench.h"

#define PORT 1021
#define LOCAL 2 /* next hops of the bench */
#define NO_NEIGHBOUR 3
#define TO_PORT(n) (4 + (n))
#define CONNECTED 31 /* at port 2 */
#define US UINT64_C(1000)

/** Messages of vector 14. */
enum {
	FLOW6,
	FLOW4_OVER6,
	FLOW4,
	CUT
};

/** Vectors 14, 09, 10, 04, 01 and 05. */
extern struct proxy_vectors {
	struct vectors cnm, fast_cnp, fast_cnp_trace, cnp, data, data_ioam;
} proxy_vectors;

/** Number of prefixes of senders; one less takes back the last proxy_translate(). */
extern unsigned int proxy_n_senders;
/** Routes without steering, which are freed after the test; NULL: the same. */
extern struct fcn_fib *proxy_normal;

int proxy_setup(void **state);
int proxy_teardown(void **state);

/** Make the prefixes of senders anew, and a snapshot. */
void proxy_publish(void);
/** Set how the senders of a prefix are told. */
void proxy_translate(const char *prefix, enum fcn_proxy_translation translation);
/** Let one queue pair be all that is known. */
void proxy_add_qp(const char *receiver, uint32_t qp, uint32_t sender_qp);
/** Add a route of the sender's own, and nothing else new. */
void proxy_host_route(uint32_t next_hop);

/** Get the octets in front of the UDP header of a message. */
uint32_t proxy_udp_off(const uint8_t *frame);
/** Set the lengths and checksums of a message (RFC 768, RFC 8200 section 8.1). */
void proxy_finish(uint8_t *frame, uint32_t len);
/** Set the level of a message. */
void proxy_set_level(unsigned int which, unsigned int level);
/** Set the source port of the flow of a message, in the descriptor and in the quote. */
void proxy_set_flow(unsigned int which, uint16_t port);
/** Make a message with another quote. */
void proxy_quote(unsigned int which, const uint8_t *frame, uint32_t len, uint8_t *out,
		uint32_t *out_len);

/** Run a turn. */
void proxy_turn(uint64_t now);
/** Let a message arrive, after a time, and run a turn. */
void proxy_report(unsigned int which, uint64_t after);

const struct fcn_proxy_counters *proxy_counters(void);
/** Each accepted message counts once in the lists of what became of it, or waits. */
void proxy_assert_accounted(void);
/** The packet that left by port 1 is this one, from the IP header on. */
void proxy_assert_sent(const uint8_t *frame, uint32_t len);
void proxy_assert_nothing_sent(void);

#endif /* PROXY_BENCH_H */
