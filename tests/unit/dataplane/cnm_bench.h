/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The test bench with Congestion Notification Messages: packets that arrive at port 0 meet
 * congestion at port 1, and proxies are behind port 2.
 */

#ifndef CNM_BENCH_H
#define CNM_BENCH_H

#include "fcn_cnm.h"
#include "fcn_notice_cnm.h"
#include "testbed.h"

#define ETHER_LEN 14
#define CLASS 3
#define PORT 1021 /* UDP port of messages */

/** The configuration of the kind of notices. */
extern struct fcn_notice_cnm_conf cnm;

/** Addresses that messages come from: by IPv6, and by IPv4 by port 2. */
extern const uint8_t cnm_node[16], cnm_node4[4];

/** Addresses of proxies: 2001:db8:f::21, 2001:db8:f::22, and 198.51.100.21. */
extern const uint8_t cnm_proxy6[16], cnm_other6[16], cnm_proxy4[4];

/** Test setup and teardown. */
int cnm_setup(void **state);
int cnm_teardown(void **state);

/** Make a list of one prefix. */
struct fcn_prefix_list *cnm_list_of(const char *text);

/** Set the proxy of one prefix of senders, the only prefix there is. */
void cnm_proxy_of(const char *senders, const char *proxy);

/** Get how many packets to port 1 got a verdict of a kind of notices. */
uint64_t cnm_verdict(unsigned int kind, enum fcn_notify_verdict v);

/** Let a packet arrive at port 0, and run a turn. */
void cnm_arrive(struct frame *f);

/** Let a packet arrive, which causes no message by port 2, for this reason. */
void cnm_assert_none(struct frame *f, enum fcn_notify_verdict why);

/**
 * Let a packet arrive, which causes a message to a proxy, and check the message.
 *
 * @param version      of the IP packet that contains the message
 * @param proxy        its destination
 * @param quote_off    offset in the frame from which on the message quotes the packet
 * @param flow_version IP version of the flow
 */
void cnm_assert_told(struct frame *f, unsigned int version, const uint8_t *proxy,
		uint32_t quote_off, unsigned int flow_version);

/** Make an IPv4 packet of RoCEv2. */
void cnm_make_roce4(struct frame *f, uint32_t payload);

/** Make the packet of vector 13, with an option that names a proxy. @return offset of the option */
uint32_t cnm_make_named(struct frame *f, const uint8_t *proxy);

#endif /* CNM_BENCH_H */
