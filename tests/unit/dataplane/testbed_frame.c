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

/* Hop-by-Hop Options with a trace: PadN of 2, the option, padding to 8 (RFC 9486 section 3). */
static uint8_t *
put_trace(struct frame *f, uint8_t next_header, uint32_t type, unsigned int node_len,
		unsigned int free_words, unsigned int used_words)
{
	unsigned int words = free_words + used_words;
	uint32_t used = 16 + 4 * words, len = RTE_ALIGN_CEIL(used, 8);
	uint8_t *h = frame_zero(f, len);

	h[0] = next_header;
	h[1] = (uint8_t)(len / 8 - 1);
	h[2] = 1;
	h[4] = 0x31;
	h[5] = (uint8_t)(2 + 8 + 4 * words);
	h[8] = 0x12;
	h[9] = 0x34;
	h[10] = (uint8_t)(node_len << 3);
	h[11] = (uint8_t)free_words;
	h[12] = type >> 16;
	h[13] = type >> 8;
	h[14] = (uint8_t)type;
	for (unsigned int i = 0; i < 4 * used_words; i++)
		h[16 + 4 * free_words + i] = 0xA0 + i % 16;
	if (len != used) {
		h[used] = 1;
		h[used + 1] = 2;
	}
	return h;
}

void
frame_ioam6(struct frame *f, uint32_t type, unsigned int node_len, unsigned int free_words,
		unsigned int used_words, uint32_t payload)
{
	frame_ether(f, 0x86DD);
	frame_ip6(f, 0);
	put_trace(f, 17, type, node_len, free_words, used_words);
	frame_roce(f, payload);
	frame_finish(f);
	frame_to_port(f, 0, 1);
	frame_class(f, 3, 1);
	f->data[14 + 24 + 5] = 1;
}

void
frame_ioam6_tunnel(struct frame *f, uint32_t type, unsigned int node_len, unsigned int free_words,
		bool inner, uint32_t payload)
{
	frame_ether(f, 0x86DD);
	frame_ip6(f, 0);
	put_trace(f, 41, type, node_len, free_words, 0);
	frame_ip6(f, inner ? 0 : 17);
	if (inner)
		put_trace(f, 17, type, node_len, free_words, 0);
	frame_roce(f, payload);
	frame_finish(f);
	frame_to_port(f, 0, 1);
	frame_class(f, 3, 1);
	f->data[14 + 24 + 5] = 1;
}

/* IEEE 802.3 annexes 31B and 31D, padded to 60 octets. */
static void
frame_mac_control(struct frame *f, uint16_t opcode)
{
	static const uint8_t macs[12] = {0x01, 0x80, 0xC2, 0, 0, 1, 2, 0, 0, 0, 1, 0xEE};

	frame_ether(f, 0x8808);
	memcpy(f->data, macs, sizeof(macs));
	frame_zero(f, 46);
	f->data[14] = opcode >> 8;
	f->data[15] = opcode & 0xFF;
}

void
frame_pfc(struct frame *f, uint8_t classes, uint16_t quanta)
{
	frame_mac_control(f, 0x0101);
	f->data[17] = classes;
	for (unsigned int c = 0; c < 8; c++) {
		f->data[18 + 2 * c] = classes >> c & 1 ? quanta >> 8 : 0;
		f->data[19 + 2 * c] = classes >> c & 1 ? quanta & 0xFF : 0;
	}
}

void
frame_pause(struct frame *f, uint16_t quanta)
{
	frame_mac_control(f, 0x0001);
	f->data[16] = quanta >> 8;
	f->data[17] = quanta & 0xFF;
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
