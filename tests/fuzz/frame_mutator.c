/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A mutator of libFuzzer for targets that read Ethernet frames. Half of the time it changes octets
 * as libFuzzer does; otherwise it changes the structure of a frame: VLAN tags, IPv6 extension
 * headers and their options, tunnels. Afterwards it mostly corrects the lengths.
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frame_mutator.h"

#define ETH_LEN 14
#define IP6_LEN 40
#define AH 51

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

struct bytes {
	uint8_t *data;
	size_t size, max;
};

static const uint8_t headers[] = {IPPROTO_HOPOPTS, IPPROTO_ROUTING, IPPROTO_FRAGMENT,
		IPPROTO_DSTOPTS, 135, 139, 140, AH};
/* IOAM, Fast CNP, router alert, jumbo, padding, and types of each action. */
static const uint8_t options[] = {
		0x31, 0x11, 0x9E, 0x9F, 0x05, 0xC2, 0x00, 0x01, 0x1E, 0x3E, 0x5E, 0x7E, 0xDE, 0xFE};

static bool
insert(struct bytes *b, size_t at, const uint8_t *what, size_t n)
{
	if (at > b->size || b->size + n > b->max)
		return false;
	memmove(b->data + at + n, b->data + at, b->size - at);
	memcpy(b->data + at, what, n);
	b->size += n;
	return true;
}

static void
cut(struct bytes *b, size_t at, size_t n)
{
	if (at + n > b->size)
		return;
	memmove(b->data + at, b->data + at + n, b->size - at - n);
	b->size -= n;
}

/* Offset of the IPv6 header; 0 if there is no complete one. */
static size_t
ip6_of(const struct bytes *b)
{
	size_t at = 12;

	while (at + 2 <= b->size &&
			((b->data[at] == 0x81 && b->data[at + 1] == 0) ||
					(b->data[at] == 0x88 && b->data[at + 1] == 0xA8)))
		at += 4;
	if (at + 2 + IP6_LEN > b->size || b->data[at] != 0x86 || b->data[at + 1] != 0xDD)
		return 0;
	return at + 2;
}

static size_t
header_len(const uint8_t *p, uint8_t type)
{
	if (type == IPPROTO_FRAGMENT)
		return 8;
	return type == AH ? (p[1] + 2u) * 4u : (p[1] + 1u) * 8u;
}

/*
 * Choose a random position in the chain of headers. *next points to the Next Header octet for that
 * position.
 *
 * @return 0 when the frame has no IPv6 header
 */
static size_t
place_in_chain(const struct bytes *b, uint8_t **next)
{
	size_t at = ip6_of(b);

	if (at == 0)
		return 0;
	*next = b->data + at + 6;
	at += IP6_LEN;
	while (memchr(headers, **next, sizeof(headers)) != NULL && rand() % 3 != 0) {
		uint8_t type = **next;

		if (at + 8 > b->size || at + header_len(b->data + at, type) > b->size)
			break;
		*next = b->data + at;
		at += header_len(b->data + at, type);
	}
	return at;
}

static void
fill_options(uint8_t *p, size_t n)
{
	while (n >= 2) {
		size_t len = (size_t)rand() % n;

		len = len > n - 2 ? n - 2 : len;
		p[0] = options[(size_t)rand() % sizeof(options)];
		p[1] = (uint8_t)len;
		p += 2 + len;
		n -= 2 + len;
	}
}

static void
add_header(struct bytes *b)
{
	uint8_t hdr[8 * 8], *next, type = headers[(size_t)rand() % sizeof(headers)];
	size_t n = 8u * (1u + (size_t)rand() % 8u), at = place_in_chain(b, &next);

	if (at == 0)
		return;
	if (type == IPPROTO_FRAGMENT)
		n = 8;
	for (size_t i = 0; i < n; i++)
		hdr[i] = (uint8_t)(rand() % 4 == 0 ? rand() : 0);
	hdr[0] = *next;
	hdr[1] = (uint8_t)(type == IPPROTO_FRAGMENT ? 0 : type == AH ? n / 4 - 2 : n / 8 - 1);
	if (type == IPPROTO_HOPOPTS || type == IPPROTO_DSTOPTS)
		fill_options(hdr + 2, n - 2);
	/* An atomic fragment, as often as another one. */
	if (type == IPPROTO_FRAGMENT && rand() % 2 == 0)
		memset(hdr + 2, 0, 2);
	if (insert(b, at, hdr, n))
		*next = type;
}

static void
remove_header(struct bytes *b)
{
	uint8_t *next, behind;
	size_t at = place_in_chain(b, &next), n;

	if (at == 0 || at + 8 > b->size || memchr(headers, *next, sizeof(headers)) == NULL)
		return;
	n = header_len(b->data + at, *next);
	if (at + n > b->size)
		return;
	behind = b->data[at];
	cut(b, at, n);
	*next = behind;
}

static void
add_tag(struct bytes *b)
{
	const uint8_t tag[4] = {rand() % 2 != 0 ? 0x81 : 0x88, 0, (uint8_t)rand(), (uint8_t)rand()};

	if (b->size >= ETH_LEN && insert(b, 12, tag, 4) && tag[0] == 0x88)
		b->data[13] = 0xA8;
}

static void
remove_tag(struct bytes *b)
{
	if (b->size >= ETH_LEN + 4 && (b->data[12] == 0x81 || b->data[12] == 0x88))
		cut(b, 12, 4);
}

/* Put the packet into a tunnel with the same addresses. */
static void
wrap(struct bytes *b)
{
	uint8_t outer[IP6_LEN], *next;
	size_t at = ip6_of(b);

	if (at == 0)
		return;
	if (rand() % 4 == 0) { /* what is inside is IPv4, or says so */
		at = place_in_chain(b, &next);
		*next = IPPROTO_IPIP;
		return;
	}
	memcpy(outer, b->data + at, IP6_LEN);
	outer[6] = IPPROTO_IPV6;
	insert(b, at, outer, IP6_LEN);
}

static void
repair_length(struct bytes *b)
{
	size_t at = ip6_of(b);

	for (; at != 0 && at + IP6_LEN <= b->size; at += IP6_LEN) {
		const size_t len = b->size - at - IP6_LEN;

		b->data[at] = (uint8_t)(0x60 | (b->data[at] & 0xF));
		b->data[at + 4] = (uint8_t)(len >> 8);
		b->data[at + 5] = (uint8_t)len;
		if (b->data[at + 6] != IPPROTO_IPV6)
			break;
	}
}

size_t
frame_mutate(uint8_t *data, size_t size, size_t max_size)
{
	struct bytes b = {.data = data, .size = size, .max = max_size};

	switch (rand() % 10) {
	case 0:
	case 1:
		add_header(&b);
		break;
	case 2:
		remove_header(&b);
		break;
	case 3:
		rand() % 2 != 0 ? add_tag(&b) : remove_tag(&b);
		break;
	case 4:
		wrap(&b);
		break;
	default:
		b.size = LLVMFuzzerMutate(data, size, max_size);
		break;
	}
	if (rand() % 4 != 0)
		repair_length(&b);
	return b.size;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	srand(seed);
	if (size <= FRAME_OFFSET || max_size <= FRAME_OFFSET || rand() % 8 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	return FRAME_OFFSET +
	       frame_mutate(data + FRAME_OFFSET, size - FRAME_OFFSET, max_size - FRAME_OFFSET);
}
