/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions that the tests of ARP, Neighbour Discovery and ICMP share: checksums computed byte by
 * byte, and buffers of exactly the size that a function may write.
 */

#ifndef MESSAGE_H
#define MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Compute the one's complement sum of big-endian words from a start value, folded, not inverted.
 */
uint16_t msg_sum(const uint8_t *p, uint32_t len, uint32_t sum);

/**
 * Compute the sum of an ICMPv6 message and its pseudo-header: 0xFFFF when the checksum is right.
 */
uint16_t msg_sum6(const uint8_t *ip, uint32_t icmp_off, uint32_t len);

/**
 * Set the payload length of an IPv6 packet of len bytes, and the checksum of the ICMPv6 message at
 * icmp_off.
 */
void msg_finish6(uint8_t *ip, uint32_t icmp_off, uint32_t len);

/** Set the total length and both checksums of an IPv4 packet of len bytes. */
void msg_finish4(uint8_t *ip, uint32_t len);

/** Allocate a buffer of exactly size bytes, all 0xEE. */
uint8_t *msg_room(uint32_t size);

/** Check whether size bytes are as msg_room() made them. */
bool msg_untouched(const uint8_t *p, uint32_t size);

#endif /* MESSAGE_H */
