/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The Neighbour Discovery messages of the vectors, their expected fields, and functions that pass a
 * changed message to fcn_nd_parse().
 */

#ifndef ND_FRAMES_H
#define ND_FRAMES_H

#include <stdint.h>

#include "fcn_nd.h"

#define ND_PACKET_MAX 700

/** Frames of 31_nd, in their order. */
enum {
	NS,
	NS_UNICAST,
	NS_DAD,
	NA,
	NA_ALL,
	RS,
	RS_UNSPECIFIED,
	RA,
	N_FRAMES,
};

/** A message that is parsed: the IPv6 packet. */
struct nd_packet {
	uint8_t data[ND_PACKET_MAX];
	uint32_t len;
};

extern const struct rte_ether_addr nd_mac_a, nd_mac_b;
extern const uint8_t nd_link_a[16]; /**< link-local address of A */
extern const uint8_t nd_addr_b[16]; /**< address of B, the target of all messages that have one */

extern const struct fcn_nd nd_expected[N_FRAMES]; /**< expected fields, except ra */
extern const struct fcn_nd_ra nd_expected_ra;     /**< expected fields of RA */

/** The frames, without Ethernet header. */
extern struct nd_packet nd_frames[N_FRAMES];

/** Group setup: load nd_frames. */
int nd_setup(void **state);

/**
 * Parse a message from a buffer of exactly its size. If it is refused, *out must not change. out
 * may be NULL.
 */
enum fcn_msg_error nd_parse(const uint8_t *data, uint32_t len, struct fcn_nd *out);

/** Do the same after setting the payload length and the checksum. */
enum fcn_msg_error nd_parse_completed(struct nd_packet *p, struct fcn_nd *out);

void nd_add(struct nd_packet *p, const void *bytes, uint32_t len);

void nd_assert_same_ra(const struct fcn_nd_ra *ra, const struct fcn_nd_ra *want);

/** Check that a message has the fields of frame i. */
void nd_assert_equal(const struct fcn_nd *nd, unsigned int i);

#endif /* ND_FRAMES_H */
