/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "pcap_stream.h"

#include <errno.h>
#include <string.h>

#define MAGIC_MICRO 0xa1b2c3d4 /* pcap, stamps in microseconds */
#define MAGIC_NANO 0xa1b23c4d
#define MAGIC_ORDER 0x1a2b3c4d /* pcapng, in the section header block */
#define FILE_HEADER 24
#define RECORD_HEADER 16
#define BLOCK_MIN 12 /* type, length, length again */
#define LINK_ETHERNET 1
#define MAX_RECORD (PCAP_STREAM_SIZE / 2)

enum block {
	SECTION_HEADER = 0x0a0d0d0a,
	INTERFACE_DESCRIPTION = 1,
	SIMPLE_PACKET = 3,
	ENHANCED_PACKET = 6,
};

/* A number in the byte order of the capture. */
static uint32_t
get32(const struct pcap_stream *s, const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return s->is_swapped ? __builtin_bswap32(value) : value;
}

static uint16_t
get16(const struct pcap_stream *s, const uint8_t *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return s->is_swapped ? __builtin_bswap16(value) : value;
}

void
pcap_stream_init(struct pcap_stream *s)
{
	s->format = PCAP_STREAM_UNKNOWN;
	s->is_swapped = false;
	s->n_interfaces = 0;
	s->used = s->taken = 0;
}

uint8_t *
pcap_stream_room(struct pcap_stream *s, size_t *room)
{
	memmove(s->buffer, s->buffer + s->taken, s->used - s->taken);
	s->used -= s->taken;
	s->taken = 0;
	*room = sizeof(s->buffer) - s->used;
	return s->buffer + s->used;
}

void
pcap_stream_filled(struct pcap_stream *s, size_t len)
{
	s->used += len;
}

/* Recognise the format. A section header of pcapng is read as a block. */
static int
begin(struct pcap_stream *s, const uint8_t *p, size_t len)
{
	uint32_t magic;

	if (len < FILE_HEADER)
		return 0;
	memcpy(&magic, p, sizeof(magic));
	if (magic == SECTION_HEADER) { /* the same in either byte order */
		s->format = PCAP_STREAM_PCAPNG;
		return 1;
	}
	s->is_swapped = magic != MAGIC_MICRO && magic != MAGIC_NANO;
	magic = get32(s, p);
	if (magic != MAGIC_MICRO && magic != MAGIC_NANO)
		return -EBADMSG;
	if ((get32(s, p + 20) & 0x0FFFFFFF) != LINK_ETHERNET) /* the rest are flags */
		return -ENOTSUP;
	s->format = PCAP_STREAM_PCAP;
	s->taken += FILE_HEADER;
	return 1;
}

static int
next_record(struct pcap_stream *s, const uint8_t **frame, size_t *len)
{
	const uint8_t *p = s->buffer + s->taken;
	size_t left = s->used - s->taken;

	if (left < RECORD_HEADER)
		return 0;
	*len = get32(s, p + 8);
	if (*len > MAX_RECORD)
		return -EBADMSG;
	if (left - RECORD_HEADER < *len)
		return 0;
	*frame = p + RECORD_HEADER;
	s->taken += RECORD_HEADER + *len;
	return 1;
}

/*
 * Read the block at p.
 * @return 1: it has a frame; 0: it has none; -EBADMSG
 */
static int
read_block(struct pcap_stream *s, uint32_t type, const uint8_t *p, size_t block,
		const uint8_t **frame, size_t *len, uint32_t *interface)
{
	size_t body = block - BLOCK_MIN;

	p += 8;
	*interface = 0;
	switch (type) {
	case SECTION_HEADER:
		s->n_interfaces = 0;
		return 0;
	case INTERFACE_DESCRIPTION:
		if (body < 8)
			return -EBADMSG;
		if (s->n_interfaces < PCAP_STREAM_INTERFACES)
			s->is_ethernet[s->n_interfaces] = get16(s, p) == LINK_ETHERNET;
		s->n_interfaces++;
		return 0;
	case SIMPLE_PACKET: /* its length is that of the original; the rest is padding */
		if (body < 4)
			return -EBADMSG;
		*frame = p + 4;
		*len = get32(s, p) < body - 4 ? get32(s, p) : body - 4;
		break;
	case ENHANCED_PACKET:
		if (body < 20 || get32(s, p + 12) > body - 20)
			return -EBADMSG;
		*interface = get32(s, p);
		*frame = p + 20;
		*len = get32(s, p + 12);
		break;
	default:
		return 0;
	}
	return *interface < s->n_interfaces && *interface < PCAP_STREAM_INTERFACES &&
	       s->is_ethernet[*interface];
}

static int
next_block(struct pcap_stream *s, const uint8_t **frame, size_t *len, uint32_t *interface)
{
	for (;;) {
		const uint8_t *p = s->buffer + s->taken;
		size_t left = s->used - s->taken, block;
		uint32_t type;
		int rc;

		if (left < BLOCK_MIN)
			return 0;
		memcpy(&type, p, sizeof(type));
		if (type == SECTION_HEADER) {
			uint32_t order;

			memcpy(&order, p + 8, sizeof(order));
			s->is_swapped = order != MAGIC_ORDER;
			if (get32(s, p + 8) != MAGIC_ORDER)
				return -EBADMSG;
		} else {
			type = get32(s, p);
		}
		block = get32(s, p + 4);
		if (block < BLOCK_MIN || block % 4 != 0 || block > MAX_RECORD)
			return -EBADMSG;
		if (left < block)
			return 0;
		s->taken += block;
		rc = read_block(s, type, p, block, frame, len, interface);
		if (rc != 0)
			return rc;
	}
}

int
pcap_stream_next(struct pcap_stream *s, const uint8_t **frame, size_t *len, uint32_t *interface)
{
	if (s->format == PCAP_STREAM_UNKNOWN) {
		int rc = begin(s, s->buffer + s->taken, s->used - s->taken);

		if (rc <= 0)
			return rc;
	}
	*interface = 0;
	return s->format == PCAP_STREAM_PCAP ? next_record(s, frame, len)
					     : next_block(s, frame, len, interface);
}
