/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "frame.h"

static void
put16(uint8_t *p, uint32_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

uint8_t *
frame_put(struct frame *f, const void *bytes, uint32_t len)
{
	uint8_t *p = f->data + f->len;

	memcpy(p, bytes, len);
	f->len += len;
	return p;
}

uint8_t *
frame_zero(struct frame *f, uint32_t len)
{
	uint8_t *p = f->data + f->len;

	memset(p, 0, len);
	f->len += len;
	return p;
}

void
frame_ether(struct frame *f, uint16_t type)
{
	static const uint8_t macs[12] = {2, 0, 0, 0, 1, 1, 2, 0, 0, 0, 0, 1};

	memset(f, 0, sizeof(*f));
	frame_put(f, macs, sizeof(macs));
	put16(frame_zero(f, 2), type);
}

void
frame_vlan(struct frame *f, uint16_t tpid, uint16_t tci)
{
	uint8_t *type = f->data + f->len - 2, *tag = frame_zero(f, 4);

	memcpy(tag + 2, type, 2);
	put16(type, tpid);
	put16(tag, tci);
}

void
frame_ip6(struct frame *f, uint8_t next_header)
{
	static const uint8_t hdr[40] = {0x66, 0xA0, 0, 0, 0, 0, 0, 64, 0x20, 0x01, 0x0d,
			0xb8, [23] = 1, 0x20, 0x01, 0x0d, 0xb8, [39] = 2};

	f->ip[f->n_ip++] = f->len;
	frame_put(f, hdr, sizeof(hdr))[6] = next_header;
}

void
frame_ip4(struct frame *f, uint8_t proto, uint32_t hdr_len)
{
	static const uint8_t hdr[20] = {
			0x45, 0x6A, 0, 0, 0, 0, 0x40, 0, 64, 0, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2};
	uint8_t *p;

	f->ip[f->n_ip++] = f->len;
	p = frame_put(f, hdr, sizeof(hdr));
	p[0] = (uint8_t)(0x40 | hdr_len / 4);
	p[9] = proto;
	memset(frame_zero(f, hdr_len - 20), 1, hdr_len - 20); /* no-operation options */
}

uint8_t *
frame_options(struct frame *f, uint8_t next_header, uint32_t len)
{
	uint8_t *p = frame_zero(f, len);

	p[0] = next_header;
	p[1] = (uint8_t)(len / 8 - 1);
	/* A PadN holds 255 octets at most; longer headers end in Pad1s. */
	p[2] = 1;
	p[3] = (uint8_t)(len - 4 > 255 ? 255 : len - 4);
	return p;
}

uint8_t *
frame_srh(struct frame *f, uint8_t next_header, uint8_t n, uint8_t left, uint32_t tlv_len)
{
	uint8_t *p = frame_zero(f, 8 + 16 * n + tlv_len);

	p[0] = next_header;
	p[1] = (uint8_t)(2 * n + tlv_len / 8);
	p[2] = 4;
	p[3] = left;
	p[4] = (uint8_t)(n - 1);
	return p;
}

void
frame_roce(struct frame *f, uint32_t payload)
{
	static const uint8_t hdr[20] = {0xC0, 0xDE, 0x12, 0xB7, 0, 0, 0, 0, 0x04, 0x40, 0xAB, 0xCD,
			0, 0x12, 0x34, 0x56, 0x80, 0, 0, 7};

	f->udp = f->len;
	frame_put(f, hdr, sizeof(hdr));
	frame_zero(f, payload + 4);
}

void
frame_finish(struct frame *f)
{
	for (unsigned int i = 0; i < f->n_ip; i++) {
		uint8_t *p = f->data + f->ip[i];
		uint32_t sum = 0, len = f->len - f->ip[i];

		if (p[0] >> 4 == 6) {
			put16(p + 4, len - 40);
			continue;
		}
		put16(p + 2, len);
		put16(p + 10, 0);
		for (uint32_t j = 0; j < (p[0] & 15) * 4u; j += 2)
			sum += p[j] << 8 | p[j + 1];
		sum = (sum & 0xFFFF) + (sum >> 16);
		sum = (sum & 0xFFFF) + (sum >> 16);
		put16(p + 10, ~sum);
	}
	if (f->udp != 0)
		put16(f->data + f->udp + 4, f->len - f->udp);
}
