/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <rte_common.h>

#include "fcn_pcapng.h"

/* Section numbers are those of draft-ietf-opsawg-pcapng. */
enum block_type {
	SECTION = 0x0A0D0D0A, /* section 4.1 */
	INTERFACE = 1,        /* section 4.2 */
	PACKET = 6,           /* section 4.3 */
	STATISTICS = 5,       /* section 4.6 */
};

enum option_code {
	OPT_END = 0,
	OPT_COMMENT = 1,
	SHB_APPLICATION = 4,
	IF_NAME = 2,
	IF_SPEED = 8,
	IF_TSRESOL = 9,
	IF_FILTER = 11,
	EPB_FLAGS = 2,
	EPB_DROPCOUNT = 4,
	ISB_IFRECV = 4,
	ISB_IFDROP = 5,
};

#define BYTE_ORDER_MAGIC 0x1A2B3C4D
#define LINKTYPE_ETHERNET 1
#define NANOSECONDS 9 /* if_tsresol: units of 10^-9 s */
#define FILTER_PCAP 0 /* first octet of if_filter: an expression of libpcap follows */

/* A block that is being built; its length is filled in at the end. */
struct block {
	uint8_t *buf;
	size_t len;
};

static void
put(struct block *b, const void *data, size_t len)
{
	memcpy(b->buf + b->len, data, len);
	b->len += len;
}

static void
put_u16(struct block *b, uint16_t v)
{
	put(b, &v, sizeof(v));
}

static void
put_u32(struct block *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void
pad(struct block *b)
{
	static const uint8_t zeros[4];

	put(b, zeros, -b->len & 3);
}

/*
 * Append a timestamp. It has two words, of which the high one comes first in any byte order
 * (section 4.3).
 */
static void
put_time(struct block *b, uint64_t time)
{
	put_u32(b, time >> 32);
	put_u32(b, (uint32_t)time);
}

static struct block
begin(uint8_t *buf, enum block_type type)
{
	struct block b = {.buf = buf};

	put_u32(&b, type);
	put_u32(&b, 0);
	return b;
}

/* End the options and the block. @return the length of the block */
static size_t
end(struct block *b)
{
	uint32_t len = b->len + sizeof(uint32_t) + sizeof(len);

	put_u32(b, OPT_END);
	put_u32(b, len);
	memcpy(b->buf + 4, &len, sizeof(len));
	return b->len;
}

static void
put_option(struct block *b, enum option_code code, const void *data, uint16_t len)
{
	put_u16(b, code);
	put_u16(b, len);
	put(b, data, len);
	pad(b);
}

static void
put_text(struct block *b, enum option_code code, const char *text)
{
	put_option(b, code, text, strnlen(text, FCN_PCAPNG_TEXT_MAX));
}

static void
put_option_u64(struct block *b, enum option_code code, uint64_t v)
{
	put_option(b, code, &v, sizeof(v));
}

size_t
fcn_pcapng_section(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], const char *application)
{
	const uint64_t unknown = UINT64_MAX; /* length of the section */
	struct block b = begin(buf, SECTION);

	put_u32(&b, BYTE_ORDER_MAGIC);
	put_u16(&b, 1); /* version 1.0 */
	put_u16(&b, 0);
	put(&b, &unknown, sizeof(unknown));
	put_text(&b, SHB_APPLICATION, application);
	return end(&b);
}

size_t
fcn_pcapng_interface(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], const char *name, uint64_t bps,
		uint32_t snaplen, const char *filter)
{
	const uint8_t resolution = NANOSECONDS;
	uint8_t expression[1 + FCN_PCAPNG_TEXT_MAX] = {FILTER_PCAP};
	struct block b = begin(buf, INTERFACE);

	put_u16(&b, LINKTYPE_ETHERNET);
	put_u16(&b, 0);
	put_u32(&b, snaplen);
	put_text(&b, IF_NAME, name);
	put_option(&b, IF_TSRESOL, &resolution, sizeof(resolution));
	if (bps != 0)
		put_option_u64(&b, IF_SPEED, bps);
	if (filter != NULL) {
		size_t len = strnlen(filter, FCN_PCAPNG_TEXT_MAX);

		memcpy(expression + 1, filter, len);
		put_option(&b, IF_FILTER, expression, 1 + len);
	}
	return end(&b);
}

size_t
fcn_pcapng_packet(uint8_t *buf, const struct fcn_pcapng_packet *packet)
{
	const uint32_t flags = packet->direction;
	struct block b = begin(buf, PACKET);

	put_u32(&b, packet->interface);
	put_time(&b, packet->time_ns);
	put_u32(&b, packet->part_len[0] + packet->part_len[1]);
	put_u32(&b, packet->len);
	for (unsigned int i = 0; i < RTE_DIM(packet->part); i++) {
		if (packet->part_len[i] != 0)
			put(&b, packet->part[i], packet->part_len[i]);
	}
	pad(&b);
	if (packet->comment != NULL)
		put_text(&b, OPT_COMMENT, packet->comment);
	if (packet->direction != FCN_PCAPNG_NO_DIRECTION)
		put_option(&b, EPB_FLAGS, &flags, sizeof(flags));
	if (packet->dropped != 0)
		put_option_u64(&b, EPB_DROPCOUNT, packet->dropped);
	return end(&b);
}

size_t
fcn_pcapng_statistics(uint8_t buf[FCN_PCAPNG_BLOCK_MAX], uint32_t interface, uint64_t time_ns,
		uint64_t received, uint64_t dropped)
{
	struct block b = begin(buf, STATISTICS);

	put_u32(&b, interface);
	put_time(&b, time_ns);
	put_option_u64(&b, ISB_IFRECV, received);
	put_option_u64(&b, ISB_IFDROP, dropped);
	return end(&b);
}
