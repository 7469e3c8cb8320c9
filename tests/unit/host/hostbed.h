/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A test bench for the host functions: a time that the test sets, a route table made by the test,
 * and all sent packets stored as bytes. After every step each buffer is accounted for. There is one
 * bench at a time.
 *
 * Two routed ports, p = 0 and 1: MAC 02:00:00:00:00:1p, 2001:db8:p::1/64, 192.0.2.1/24 and
 * 198.51.100.1/24, MTU 1500; loopback 2001:db8:ffff::1. Station A is at port 0 (2001:db8::a,
 * 192.0.2.10, MAC 02:00:00:00:01:0a), station B at port 1 (2001:db8:1::b, 198.51.100.11, MAC
 * 02:00:00:00:01:0b).
 */

#ifndef HOSTBED_H
#define HOSTBED_H

#include "fcn_host.h"
#include "fcn_test.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)
#define BED_BYTES 4096
#define BED_SENT 8192

struct bytes {
	uint8_t data[BED_BYTES];
	uint32_t len;
};

struct sent {
	uint8_t data[BED_BYTES];
	uint32_t len;
	uint16_t port;
	uint8_t class;
	bool discovery; /**< sent as ARP or Neighbour Discovery */
	uint64_t at;
};

struct bed_route {
	struct fcn_prefix prefix;
	struct fcn_host_route route; /**< with a next_hop of version 0, packets go to the
				    destination itself */
};

struct bed {
	struct rte_mempool *pool;
	struct fcn_host *host;
	struct fcn_host_conf conf;
	struct fcn_host_address address[32];
	uint64_t now;
	struct sent sent[BED_SENT];
	unsigned int n_sent;
	bool refuse;            /**< there is no room for sent packets */
	unsigned int forwarded; /**< number of sent packets that a worker had punted */
	/** Number of dropped packets that a worker had punted. */
	unsigned int dropped[FCN_DROP_REASON_COUNT];
	struct bed_route route[16];
	unsigned int n_routes;
	uint64_t forgotten[FCN_HOST_COUNTER_COUNT]; /**< values of the counters at
						       bed_forget_counts() */
	bool trusted;         /**< whether refusals are not believed, for the callback refused() */
	bool notified;        /**< whether a notice was sent, for the callback refused() */
	bool elsewhere;       /**< notices to its receiver leave by another port, likewise */
	uint16_t asked_port;  /**< port that was asked about last */
	uint8_t refused_kind; /**< kind of this notice */
	unsigned int n_asked;
	uint8_t asked_sender[16], asked_receiver[16];
	uint32_t asked_qp;
	uint64_t asked_within;
	unsigned int n_logs;
	char log[256];
};

extern struct bed bed;

/** Group setup and teardown: EAL and pool. */
int bed_begin(void **state);
int bed_end(void **state);
/** Test setup: the host functions are configured as above, without DAD and router advertisements.
 * The announcements are over, and the time is 10 s. */
int bed_setup(void **state);
/** Test setup with new host functions: nothing is configured, and the time is 0. */
int bed_setup_fresh(void **state);
/** Check that no buffer is lost. */
int bed_teardown(void **state);

void bed_configure(void);
/**
 * Check that the buffers in use are those of waiting packets, and that each packet that waited is
 * accounted for.
 */
void bed_check(void);
/** Advance the time, tick by tick. */
void bed_run(uint64_t until);
/** Delete the sent packets. */
void bed_forget(void);
void bed_address(uint16_t port, const char *prefix);
void bed_route(const char *prefix, uint16_t port, const char *next_hop);
/** Add a static neighbour to the route table. */
void bed_static(const char *addr, uint16_t port, uint8_t n);

/** Punt a packet, whose Ethernet header is 14 bytes long. */
void bed_punt(enum fcn_punt_reason reason, uint16_t port, const struct bytes *b);
/** Do the same with one that the test does not look at again. */
void bed_punt_once(enum fcn_punt_reason reason, uint16_t port, struct bytes b);
/** Punt a packet in a chain of segments of `segment` bytes. */
void bed_punt_chain(enum fcn_punt_reason reason, uint16_t port, const struct bytes *b,
		uint32_t segment);
/** Punt a packet because it exceeds this MTU. */
void bed_punt_mtu(uint16_t port, const struct bytes *b, uint16_t mtu);

/** Check that frame i left by this port and has exactly these bytes, in hexadecimal digits. */
void bed_sent_is(unsigned int i, uint16_t port, const char *hex);
uint64_t bed_count(enum fcn_host_counter c);
/** Let bed_count() count from 0 again. */
void bed_forget_counts(void);
/** Get a neighbour. @return its state; -1 if there is none */
int bed_neighbour(uint16_t port, const char *addr, struct fcn_host_neighbour *out);

struct fcn_addr addr_of(const char *text);
/** Get the MAC address 02:00:00:00:01:<n> of a station. */
struct rte_ether_addr mac_of(uint8_t n);
/** Get the MAC address 02:00:00:00:00:1<port> of a port. */
struct rte_ether_addr mac_of_port(uint16_t port);
struct bytes hex_of(const char *hex);
/** Begin a frame. */
void bytes_ether(struct bytes *b, struct rte_ether_addr dst, struct rte_ether_addr src,
		uint16_t type);
void bytes_put(struct bytes *b, const void *data, uint32_t len);
/** Make an IPv6 or IPv4 packet with a payload of zeros, from station n to the MAC address of a
 * port. */
struct bytes packet(uint16_t port, uint8_t n, const char *src, const char *dst, uint8_t proto,
		uint8_t hop_limit, uint32_t payload);
/** Make a UDP packet from A to B that arrives at port 0. */
struct bytes a_to_b(uint8_t hop_limit, uint32_t payload);
/** Set the checksum of an IPv4 header. */
void ip4_set_checksum(struct bytes *b);

/** Let a Neighbour Solicitation, or a Neighbour Advertisement, of station n arrive at a port.
 * @param lladdr the message has the option with the station's MAC address */
void nd_receive_solicitation(
		uint16_t port, uint8_t n, const char *src, const char *target, bool lladdr);
void nd_receive_advertisement(
		uint16_t port, uint8_t n, const char *target, uint8_t flags, bool lladdr);
/** Let an ARP message of station n arrive at a port. @param opcode 1 for a request, 2 for a reply
 */
void arp_receive(uint16_t port, uint8_t n, uint16_t opcode, const char *sender, const char *target);

#endif /* HOSTBED_H */
