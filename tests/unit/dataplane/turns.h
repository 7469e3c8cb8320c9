/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Bursts of RoCEv2 of several kinds in one turn, and what each frame has to be when it leaves: as
 * RFC 791 and RFC 8200 have it, worked out here and not by the switch. How the switch goes about a
 * turn is no matter of these tests, only what comes of it. Each test runs once for each width of
 * SIMD registers that the CPU has.
 */

#ifndef TURNS_H
#define TURNS_H

#include <rte_vect.h>

#include "testbed.h"

/** Kinds of RoCEv2. */
enum turns_kind {
	TURNS_IP6,
	TURNS_IP4,
	TURNS_TRACE, /**< over IPv6, with an IOAM trace that has room for two nodes */
	TURNS_ODD,   /**< the same over IPv6, with an option that a switch does not know */
	TURNS_KINDS
};

/** What a frame is like. */
struct turns_frame {
	enum turns_kind kind;
	uint8_t net;       /**< to 2001:db8:<net>::2, or 10.<net>.0.2 */
	uint8_t dscp;      /**< with ECT(1) */
	uint8_t hop_limit; /**< or time to live */
	uint32_t len;      /**< octets of the frame without FCS */
	uint32_t number;   /**< PSN */
};

/** Data of class 3, of 200 octets. */
#define TURNS_PLAIN(k, to, n)              \
	((struct turns_frame){.kind = (k), \
			.net = (to),       \
			.dscp = 24,        \
			.hop_limit = 64,   \
			.len = 200,        \
			.number = (n)})

/** Make the routes to networks 1 and 2, by ports 1 and 2, and to 6, by a group of these next hops.
 */
static inline void
turns_routes(const uint32_t *members, unsigned int n)
{
	const uint32_t group = 30;

	memcpy(bench.member, members, n * sizeof(*members));
	bench.next_hop[group] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_GROUP, .first_member = 0, .n_members = n};
	bench_route("2001:db8:1::/48", 5);
	bench_route("2001:db8:2::/48", 6);
	bench_route("2001:db8:6::/48", group);
	bench_route("10.1.0.0/16", 5);
	bench_route("10.2.0.0/16", 6);
	bench_route("10.6.0.0/16", group);
	bench_routes_done();
}

static inline void
turns_put_headers(struct frame *f, enum turns_kind kind)
{
	frame_ether(f, kind == TURNS_IP4 ? 0x0800 : 0x86DD);
	if (kind == TURNS_IP4)
		frame_ip4(f, 17, 20);
	else
		frame_ip6(f, kind == TURNS_IP6 ? 17 : 0);
	if (kind == TURNS_TRACE) {
		/* PadN; option 0x31: namespace 0x1234, four words for nodes of two words. */
		static const uint8_t start[] = {
				17, 3, 1, 0, 0x31, 26, 0, 0, 0x12, 0x34, 2 << 3, 4, 0xC0, 0, 0};

		memcpy(frame_zero(f, 32), start, sizeof(start));
	} else if (kind == TURNS_ODD) {
		static const uint8_t start[] = {17, 0, 0x1E, 4, 1, 2, 3, 4}; /* skipped by others */

		frame_put(f, start, sizeof(start));
	}
}

/** Make a frame, from station <number> to the MAC address of a port. */
static inline void
turns_make(struct frame *f, const struct turns_frame *want, uint16_t port)
{
	uint8_t *ip = f->data + 14;

	turns_put_headers(f, want->kind);
	assert_in_range(want->len, f->len + 24, FRAME_MAX);
	frame_roce(f, want->len - f->len - 24);
	frame_finish(f);
	assert_int_equal(f->len, want->len);
	frame_to_port(f, port, 1);
	f->data[f->udp + 8 + 9] = (uint8_t)(want->number >> 16);
	f->data[f->udp + 8 + 10] = (uint8_t)(want->number >> 8);
	f->data[f->udp + 8 + 11] = (uint8_t)want->number;
	if (want->kind == TURNS_IP4) {
		const uint16_t id = (uint16_t)want->number;

		ip[1] = (uint8_t)(want->dscp << 2 | 1);
		ip[4] = id >> 8;
		ip[5] = id & 0xFF;
		ip[8] = want->hop_limit;
		memcpy(ip + 12, (uint8_t[]){10, 9, 0, 1, 10, want->net, 0, 2}, 8);
		ip[10] = ip4_checksum(ip) >> 8;
		ip[11] = ip4_checksum(ip) & 0xFF;
		return;
	}
	ip[0] = 0x60 | want->dscp >> 2;
	ip[1] = (uint8_t)(want->dscp << 6 | 1 << 4);
	ip[7] = want->hop_limit;
	ip[24 + 5] = want->net;
}

/** Let it arrive at a port. */
static inline void
turns_in(uint16_t port, const struct turns_frame *want)
{
	struct frame f;

	turns_make(&f, want, port);
	bench_in(port, &f);
}

/** Get the number of a frame that left. */
static inline uint32_t
turns_number(uint16_t port, unsigned int i)
{
	const uint8_t *end = bench_out(port, i);
	const bool ip4 = end[12] == 0x08;
	const unsigned int udp = ip4 ? 34 : end[14 + 6] == 0 ? 14 + 40 + 8 + end[14 + 41] * 8u : 54;

	return (uint32_t)end[udp + 17] << 16 | end[udp + 18] << 8 | end[udp + 19];
}

/** Check that frame i which a port sent is this one, routed. The octets of an IOAM trace are left
 * out if this node writes into it. */
static inline void
turns_routed(uint16_t port, unsigned int i, const struct turns_frame *want, bool adds_traces)
{
	struct frame f;

	turns_make(&f, want, 0);
	memcpy(f.data, (uint8_t[]){2, 0, 0, 0, 0, 20 + port, 2, 0, 0, 0, 0, 10 + port}, 12);
	if (want->kind == TURNS_IP4) {
		f.data[14 + 8]--;
		f.data[14 + 10] = ip4_checksum(f.data + 14) >> 8;
		f.data[14 + 11] = ip4_checksum(f.data + 14) & 0xFF;
	} else {
		f.data[14 + 7]--;
	}
	assert_int_equal(bench_out_len(port, i), f.len);
	if (want->kind == TURNS_TRACE && adds_traces) {
		/* One node fewer has room, and it has written its hop limit. */
		assert_int_equal(bench_out(port, i)[14 + 40 + 11], 2);
		assert_int_equal(bench_out(port, i)[14 + 40 + 16 + 8], want->hop_limit - 1);
		memcpy(f.data + 14 + 40, bench_out(port, i) + 14 + 40, 32);
	}
	assert_memory_equal(bench_out(port, i), f.data, f.len);
}

/** Let plain packets pass, so that nothing that the switch has noticed of those before counts. */
static inline void
turns_settle(uint16_t port, uint8_t net)
{
	const struct turns_frame plain = TURNS_PLAIN(TURNS_IP6, net, 0);

	turns_in(port, &plain);
	bench_poll(bench.worker->now + 1);
}

/** Let this node write into traces of packets of all ports. */
static inline void
turns_transit(bool on)
{
	bench.snap.ioam = (struct fcn_ioam_conf){.any_transit = on,
			.node_id = 0x010203,
			.time_format = FCN_IOAM_TIME_POSIX_NS,
			.n_namespaces = 1,
			.ns = {{.id = 0x1234}}};
	for (unsigned int p = 0; p < 4; p++)
		bench.snap.port[p].ioam.transit = on;
	bench_new_snapshot();
}

/** The widths of vector registers, in bits: each test runs for each of them. */
static const struct fcn_test_parameter turns_widths[] = {
		{"128 bits", RTE_VECT_SIMD_128},
		{"256 bits", RTE_VECT_SIMD_256},
		{"512 bits", RTE_VECT_SIMD_512},
		{NULL, 0},
};

/** Set up the bench for registers of so many bits. */
static inline void
turns_set_width(void)
{
	assert_int_equal(rte_vect_set_max_simd_bitwidth((uint16_t)fcn_test_parameter), 0);
}

#endif /* TURNS_H */
