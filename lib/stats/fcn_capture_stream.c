/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_capture_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>

#define ROOM (64 * 1024)
/* Longest block or record that is looked at; libpcap refuses longer ones. */
#define LONGEST (16 * 1024 * 1024)

/* pcap */
#define PCAP_MAGIC 0xA1B2C3D4u      /* timestamps in microseconds */
#define PCAP_MAGIC_NANO 0xA1B23C4Du /* in nanoseconds */
#define PCAP_HEADER 24
#define PCAP_LINK_OFF 20
#define PCAP_RECORD 16
#define PCAP_CAPTURED_OFF 8
#define PCAP_LENGTH_OFF 12
#define PCAP_HAS_FCS 0x04000000u
#define PCAP_FCS_SHIFT 28 /* units of 16 bits */

/* pcapng */
#define SECTION 0x0A0D0D0Au
#define SECTION_ORDER 0x1A2B3C4Du
#define SECTION_ORDER_OFF 8
#define INTERFACE 1
#define INTERFACE_SNAPLEN_OFF 12
#define INTERFACE_OPTIONS_OFF 16
#define OLD_PACKET 2
#define SIMPLE_PACKET 3
#define PACKET 6
#define BLOCK_MIN 12
#define BLOCK_LENGTH_OFF 4
#define BODY_OFF 8
#define PACKET_CAPTURED_OFF 20
#define PACKET_LENGTH_OFF 24
#define PACKET_DATA_OFF 28
#define OPTION_FLAGS 2    /* of a packet */
#define OPTION_NAME 2     /* of an interface */
#define OPTION_SPEED 8    /* of an interface */
#define OPTION_FCS_LEN 13 /* of an interface */
#define ANY_LENGTH UINT16_MAX
#define DIRECTION_MASK 3u /* of the flags of a packet */

enum format {
	UNKNOWN, /* nothing was read yet */
	PLAIN,   /* what follows is not changed */
	PCAP,
	PCAPNG,
};

struct stream {
	FILE *in;
	struct fcn_capture_watch watch;
	bool begun;      /* the first octet was read */
	uint32_t before; /* pcapng: interfaces of the sections before this one */
	enum format format;
	bool swapped;       /* the other byte order than that of this machine */
	uint32_t fcs;       /* pcap: octets of the FCS */
	uint8_t *interface; /* pcapng: the same of each interface of the section */
	size_t n_interfaces, interface_room;
	uint8_t *buf;
	size_t room;
	size_t at, ready; /* octets of buf that can be handed out */
	size_t skip;      /* octets behind `ready` that are left out */
	size_t end;       /* octets in buf */
};

static uint32_t
get32(const struct stream *s, const uint8_t *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return s->swapped ? __builtin_bswap32(value) : value;
}

static void
put32(const struct stream *s, uint8_t *p, uint32_t value)
{
	if (s->swapped)
		value = __builtin_bswap32(value);
	memcpy(p, &value, sizeof(value));
}

static uint16_t
get16(const struct stream *s, const uint8_t *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return s->swapped ? __builtin_bswap16(value) : value;
}

/* Read some octets, at least one. @return 0: the file has ended, -1: an error */
static ssize_t
take(struct stream *s, void *out, size_t size)
{
	const int fd = fileno(s->in);
	ssize_t got;

	/* An octet may have been put back. */
	if (fd < 0 || !s->begun) {
		s->begun = true;
		do {
			clearerr(s->in);
			got = (ssize_t)fread(out, 1, fd < 0 ? size : 1, s->in);
		} while (got == 0 && ferror(s->in) && errno == EINTR);
		return got == 0 && ferror(s->in) ? -1 : got;
	}
	do
		got = read(fd, out, size);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Read until n octets are there from `at` on. @return false: the file ends before */
static bool
fill(struct stream *s, size_t n)
{
	while (s->end - s->at < n) {
		ssize_t got;

		if (s->at > 0) {
			memmove(s->buf, s->buf + s->at, s->end - s->at);
			s->end -= s->at;
			s->at = s->ready = 0;
		}
		if (n > s->room) {
			uint8_t *more = realloc(s->buf, n);

			if (more == NULL)
				return false;
			s->buf = more;
			s->room = n;
		}
		got = take(s, s->buf + s->end, s->room - s->end);
		if (got <= 0)
			return false;
		s->end += (size_t)got;
	}
	return true;
}

/* Leave the FCS out of the lengths of a frame: of what was captured, and of all of it. */
static void
shorten(const struct stream *s, uint8_t *captured, uint8_t *length, uint32_t fcs)
{
	const uint32_t all = get32(s, length), left = all > fcs ? all - fcs : 0;

	put32(s, length, left);
	if (captured != NULL)
		put32(s, captured, RTE_MIN(get32(s, captured), left));
}

/* Find an option of a block with a value of this length, or of any. @return NULL: it has none */
static const uint8_t *
option(const struct stream *s, const uint8_t *at, const uint8_t *end, uint16_t code, uint16_t len)
{
	while (end - at >= 4) {
		const uint16_t is = get16(s, at), has = get16(s, at + 2);

		if (is == 0 || has > end - at - 4)
			return NULL;
		if (is == code && (has == len || len == ANY_LENGTH))
			return at + 4;
		at += RTE_MIN(4 + RTE_ALIGN_CEIL((ptrdiff_t)has, 4), end - at);
	}
	return NULL;
}

/* Tell the watch about an interface. */
static void
show_interface(struct stream *s, const uint8_t *block, uint32_t len)
{
	const uint8_t *at = block + INTERFACE_OPTIONS_OFF, *end = block + len - 4;
	const uint8_t *name, *speed;
	uint64_t bps = 0;

	if (s->watch.interface == NULL)
		return;
	name = len < INTERFACE_OPTIONS_OFF + 4 ? NULL : option(s, at, end, OPTION_NAME, ANY_LENGTH);
	speed = len < INTERFACE_OPTIONS_OFF + 4 ? NULL : option(s, at, end, OPTION_SPEED, 8);
	if (speed != NULL) {
		memcpy(&bps, speed, sizeof(bps));
		bps = s->swapped ? __builtin_bswap64(bps) : bps;
	}
	s->watch.interface(s->watch.arg, name != NULL ? (const char *)name : "",
			name != NULL ? get16(s, name - 2) : 0, bps);
}

static void
read_interface(struct stream *s, uint8_t *block, uint32_t len)
{
	const uint8_t *found = len < INTERFACE_OPTIONS_OFF + 4
					       ? NULL
					       : option(s, block + INTERFACE_OPTIONS_OFF,
								 block + len - 4, OPTION_FCS_LEN,
								 1);

	if (s->n_interfaces == s->interface_room) {
		const size_t room = 2 * s->interface_room + 8;
		uint8_t *more = realloc(s->interface, room);

		if (more == NULL) {
			s->format = PLAIN;
			return;
		}
		s->interface = more;
		s->interface_room = room;
	}
	/* libpcap refuses interfaces whose limits differ; 0: there is none. */
	if (len >= INTERFACE_OPTIONS_OFF + 4)
		memset(block + INTERFACE_SNAPLEN_OFF, 0, sizeof(uint32_t));
	show_interface(s, block, len);
	/* The standard says bits, its example and Wireshark octets: 32 and 4 mean the same. */
	s->interface[s->n_interfaces++] = found == NULL ? 0 : *found < 8 ? *found : *found / 8;
}

/* Tell the watch about a packet. */
static void
show_packet(const struct stream *s, uint32_t interface, uint32_t flags)
{
	if (s->watch.packet != NULL)
		s->watch.packet(s->watch.arg, s->before + interface, flags & DIRECTION_MASK);
}

static void
edit_packet(const struct stream *s, uint8_t *block, uint32_t len)
{
	const uint32_t type = get32(s, block);
	const uint8_t *flags = NULL;
	uint32_t interface, captured, fcs;

	if (type == SIMPLE_PACKET) {
		show_packet(s, 0, 0);
		if (s->n_interfaces > 0 && len >= BODY_OFF + 4 + 4)
			shorten(s, NULL, block + BODY_OFF, s->interface[0]);
		return;
	}
	if (len < PACKET_DATA_OFF + 4) {
		show_packet(s, 0, 0);
		return;
	}
	interface = type == PACKET ? get32(s, block + BODY_OFF) : get16(s, block + BODY_OFF);
	captured = get32(s, block + PACKET_CAPTURED_OFF);
	if (interface >= s->n_interfaces || captured > len - PACKET_DATA_OFF - 4) {
		show_packet(s, interface, 0);
		return;
	}
	fcs = s->interface[interface];
	if (RTE_ALIGN_CEIL(captured, 4) <= len - PACKET_DATA_OFF - 4)
		flags = option(s, block + PACKET_DATA_OFF + RTE_ALIGN_CEIL(captured, 4),
				block + len - 4, OPTION_FLAGS, 4);
	if (flags != NULL && (get32(s, flags) >> 5 & 0xF) != 0)
		fcs = get32(s, flags) >> 5 & 0xF;
	show_packet(s, interface, flags != NULL ? get32(s, flags) : 0);
	shorten(s, block + PACKET_CAPTURED_OFF, block + PACKET_LENGTH_OFF, fcs);
}

/* Make a block of pcapng ready. */
static void
next_block(struct stream *s)
{
	uint32_t len;
	uint8_t *p;

	if (!fill(s, BLOCK_MIN)) {
		s->ready = s->end;
		return;
	}
	if (get32(s, s->buf + s->at) == SECTION) {
		s->swapped = false;
		s->swapped = get32(s, s->buf + s->at + SECTION_ORDER_OFF) != SECTION_ORDER;
		s->before += (uint32_t)s->n_interfaces;
		s->n_interfaces = 0;
	}
	len = get32(s, s->buf + s->at + BLOCK_LENGTH_OFF);
	if (len < BLOCK_MIN || len > LONGEST) {
		s->format = PLAIN;
		s->ready = s->end;
		return;
	}
	if (!fill(s, len)) {
		s->ready = s->end;
		return;
	}
	p = s->buf + s->at;
	switch (get32(s, p)) {
	case INTERFACE:
		read_interface(s, p, len);
		break;
	case OLD_PACKET:
	case SIMPLE_PACKET:
	case PACKET:
		edit_packet(s, p, len);
		break;
	default:
		break;
	}
	s->ready = s->at + len;
}

/* Make a record of pcap ready. */
static void
next_record(struct stream *s)
{
	uint32_t captured, left;
	uint8_t *p;

	if (!fill(s, PCAP_RECORD)) {
		s->ready = s->end;
		return;
	}
	captured = get32(s, s->buf + s->at + PCAP_CAPTURED_OFF);
	if (captured > LONGEST || !fill(s, PCAP_RECORD + captured)) {
		s->format = PLAIN;
		s->ready = s->end;
		return;
	}
	p = s->buf + s->at;
	shorten(s, p + PCAP_CAPTURED_OFF, p + PCAP_LENGTH_OFF, s->fcs);
	left = get32(s, p + PCAP_CAPTURED_OFF);
	s->ready = s->at + PCAP_RECORD + left;
	s->skip = captured - left;
}

/* Recognise the format. */
static void
begin(struct stream *s)
{
	uint32_t magic = 0, link;

	s->format = PLAIN;
	if (fill(s, sizeof(magic)))
		magic = get32(s, s->buf + s->at);
	if (magic == SECTION) { /* the same in either byte order */
		s->format = PCAPNG;
		return;
	}
	s->swapped = magic == __builtin_bswap32(PCAP_MAGIC) ||
		     magic == __builtin_bswap32(PCAP_MAGIC_NANO);
	if ((s->swapped || magic == PCAP_MAGIC || magic == PCAP_MAGIC_NANO) &&
			fill(s, PCAP_HEADER)) {
		link = get32(s, s->buf + s->at + PCAP_LINK_OFF);
		s->fcs = link & PCAP_HAS_FCS ? 2 * (link >> PCAP_FCS_SHIFT) : 0;
		if (s->fcs != 0) {
			s->format = PCAP;
			put32(s, s->buf + s->at + PCAP_LINK_OFF, link & (PCAP_HAS_FCS - 1));
			s->ready = s->at + PCAP_HEADER;
		}
	}
}

/* Make ready what comes next. If nothing is then, the buffer is empty. */
static void
advance(struct stream *s)
{
	s->at += s->skip;
	s->ready = s->at;
	s->skip = 0;
	if (s->format == UNKNOWN)
		begin(s);
	else if (s->format == PCAP)
		next_record(s);
	if (s->format == PCAPNG)
		next_block(s);
	else if (s->ready == s->at)
		s->ready = s->end;
}

static ssize_t
stream_read(void *cookie, char *out, size_t size)
{
	struct stream *s = cookie;

	if (s->at == s->ready)
		advance(s);
	if (s->at == s->ready)
		return take(s, out, size);
	size = RTE_MIN(size, s->ready - s->at);
	memcpy(out, s->buf + s->at, size);
	s->at += size;
	return (ssize_t)size;
}

static int
stream_close(void *cookie)
{
	struct stream *s = cookie;
	const int rc = fclose(s->in);

	free(s->interface);
	free(s->buf);
	free(s);
	return rc;
}

FILE *
fcn_capture_stream(FILE *in, const struct fcn_capture_watch *watch)
{
	const cookie_io_functions_t io = {.read = stream_read, .close = stream_close};
	struct stream *s = calloc(1, sizeof(*s));
	FILE *out = NULL;

	if (s == NULL)
		return NULL;
	s->in = in;
	if (watch != NULL)
		s->watch = *watch;
	s->room = ROOM;
	s->buf = malloc(ROOM);
	if (s->buf != NULL)
		out = fopencookie(s, "rb", io);
	if (out == NULL) {
		free(s->buf);
		free(s);
	}
	return out;
}
