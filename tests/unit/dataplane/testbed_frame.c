/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "testbed.h"

void
frame_to_port(struct frame *f, uint16_t port, uint8_t n)
{
	memcpy(f->data, (uint8_t[]){2, 0, 0, 0, 0, 10 + port}, 6);
	memcpy(f->data + 6, (uint8_t[]){2, 0, 0, 0, 1, n}, 6);
}

void
frame_macs(struct frame *f, uint8_t dst, uint8_t src)
{
	memcpy(f->data, (uint8_t[]){2, 0, 0, 0, 1, dst}, 6);
	memcpy(f->data + 6, (uint8_t[]){2, 0, 0, 0, 1, src}, 6);
}

void
frame_roce6(struct frame *f, uint8_t sender, uint16_t net, uint8_t receiver, uint32_t payload)
{
	frame_ether(f, 0x86DD);
	frame_ip6(f, 17);
	frame_roce(f, payload);
	frame_finish(f);
	frame_to_port(f, 0, sender);
	/* traffic class 0x61: DSCP 24, ECT(1) */
	f->data[14] = 0x66;
	f->data[15] = 0x10;
	f->data[14 + 8 + 15] = sender;
	f->data[14 + 24 + 4] = net >> 8;
	f->data[14 + 24 + 5] = net & 0xFF;
	f->data[14 + 24 + 15] = receiver;
}

void
frame_class(struct frame *f, unsigned int class, unsigned int ecn)
{
	f->data[14] = 0x60 | class << 1;
	f->data[15] = (f->data[15] & 0x0F) | ecn << 4;
}

uint16_t
ip4_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned int i = 0; i < (ip[0] & 15) * 4u; i += 2)
		sum += i == 10 ? 0 : ip[i] << 8 | ip[i + 1];
	while (sum > 0xFFFF)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)~sum;
}
