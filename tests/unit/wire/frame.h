/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Frames built header by header, for cases that the vectors do not contain. Lengths and IPv4
 * checksums are filled in by frame_finish().
 */

#ifndef FRAME_H
#define FRAME_H

#include <stdint.h>

#define FRAME_MAX 4096
#define FRAME_MAX_IP 4

struct frame {
	uint8_t data[FRAME_MAX];
	uint32_t len;
	uint32_t ip[FRAME_MAX_IP]; /**< offsets of the IP headers, outermost first */
	unsigned int n_ip;
	uint32_t udp; /**< offset of the UDP header, 0 when none */
};

void frame_ether(struct frame *f, uint16_t type);
/** Append a VLAN tag. The last EtherType written becomes that of the tag. */
void frame_vlan(struct frame *f, uint16_t tpid, uint16_t tci);
/** Append bytes. @return the place of the first one */
uint8_t *frame_put(struct frame *f, const void *bytes, uint32_t len);
uint8_t *frame_zero(struct frame *f, uint32_t len);
/** Append an IPv6 header: traffic class 0x6A, hop limit 64; addresses 2001:db8::1 and ::2. */
void frame_ip6(struct frame *f, uint8_t next_header);
/** Append an IPv4 header of hdr_len bytes: TOS 0x6A, TTL 64, 192.0.2.1 to 192.0.2.2. */
void frame_ip4(struct frame *f, uint8_t proto, uint32_t hdr_len);
/** Append an options header of len bytes, a multiple of 8, which holds a single PadN. */
uint8_t *frame_options(struct frame *f, uint8_t next_header, uint32_t len);
/** Append an SRH with n segments of zeros, and tlv_len bytes behind them. */
uint8_t *frame_srh(struct frame *f, uint8_t next_header, uint8_t n, uint8_t left, uint32_t tlv_len);
/**
 * Append UDP to port 4791, a BTH with opcode 0x04 and queue pair 0x123456, payload, and an ICRC of
 * zeros.
 */
void frame_roce(struct frame *f, uint32_t payload);
/**
 * Fill in the lengths and checksums of all IP headers and of UDP. Each of them extends to the end
 * of the frame.
 */
void frame_finish(struct frame *f);

#endif /* FRAME_H */
