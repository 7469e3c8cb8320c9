/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * ICMP of either version, as its tests see it: the same in both, but for lengths and numbers.
 */

#ifndef ICMP_H
#define ICMP_H

#include <stdint.h>

#include "fcn_icmp4.h"
#include "fcn_icmp6.h"

/** A message that was read. */
struct icmp {
	uint8_t version, type, code, tclass, ttl, src[16], dst[16];
	uint16_t id, seq;
	uint32_t param, off, len, quote_off, quote_len;
	struct fcn_icmp4 v4; /**< as the library has read it */
	struct fcn_icmp6 v6;
};

/** Two stations, of version 4 and 6: requests are from b to a. */
extern const uint8_t icmp4_a[4], icmp4_b[4], icmp6_a[16], icmp6_b[16];

/**
 * Read a message from a buffer of exactly its size, and check that all that was read lies in it.
 * What is refused leaves no trace. @param out NULL: the message does not matter
 */
enum fcn_msg_error icmp_parse(
		unsigned int version, const uint8_t *data, uint32_t len, struct icmp *out);

/** Make an echo request with this header length, in words. @return its total length */
uint32_t icmp4_request(uint8_t *p, unsigned int words, uint32_t data);
/** Make an echo request behind n_ext Destination Options headers. @return its total length */
uint32_t icmp6_request(uint8_t *p, uint32_t data, unsigned int n_ext);

/** Answer a request. @param src the sender; NULL: whom the request was sent to */
uint32_t icmp_echo_reply(const struct icmp *msg, const uint8_t *request, const uint8_t *src,
		uint16_t ip_id, uint8_t *buf, uint32_t room);

#endif /* ICMP_H */
