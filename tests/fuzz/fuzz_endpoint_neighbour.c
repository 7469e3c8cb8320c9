/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Frames that a live endpoint (fastcn-endpoint) gets, as far as it answers them itself: neighbour
 * discovery and echo. The input is a sequence of frames, each with two bytes in front: its length.
 * The highest bit of the length sets the ICMPv6 checksum right.
 */

#include <netinet/in.h>

#include "neighbour.h"
#include "fuzz.h"

#define ROOM 9216
#define ETH 14
#define IP6 40

/* The addresses of the seeds that make-corpus makes. */
static const struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 0x10}};
static const uint8_t addr[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
static const uint8_t hop[16] = {0x20, 1, 0xd, 0xb8, [15] = 0xa};

/* The checksum of RFC 4443 section 2.3 over an IPv6 packet; 0 when the one in it is right. */
static uint16_t
checksum(const uint8_t *ip, uint32_t len)
{
	uint32_t sum = len - IP6 + IPPROTO_ICMPV6;

	for (uint32_t i = 8; i < len; i++)
		sum += i % 2 == 0 ? (uint32_t)ip[i] << 8 : ip[i];
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void
seal(uint8_t *frame, uint32_t len)
{
	uint16_t sum;

	if (len < ETH + IP6 + 4)
		return;
	frame[ETH + IP6 + 2] = frame[ETH + IP6 + 3] = 0;
	sum = checksum(frame + ETH, len - ETH);
	frame[ETH + IP6 + 2] = (uint8_t)(sum >> 8);
	frame[ETH + IP6 + 3] = (uint8_t)sum;
}

/* Whatever goes out is a whole ICMPv6 packet of this station. */
static void
check_frame(const uint8_t *f, uint32_t len)
{
	require(len >= ETH + IP6 + 8 && len <= ROOM);
	require(memcmp(f + 6, &mac, 6) == 0 && f[12] == 0x86 && f[13] == 0xdd);
	require(f[ETH] >> 4 == 6 && f[ETH + 6] == IPPROTO_ICMPV6);
	require((uint32_t)(f[ETH + 4] << 8 | f[ETH + 5]) == len - ETH - IP6);
	require(checksum(f + ETH, len - ETH) == 0);
}

static void
poll_all(struct live_nd *nd, uint64_t now)
{
	uint8_t *buf = malloc(RTE_ETHER_MAX_LEN);
	unsigned int n = 0;
	uint32_t len;

	require(buf != NULL);
	while (live_nd_next(nd) <= now &&
			(len = live_nd_poll(nd, buf, RTE_ETHER_MAX_LEN, now)) != 0) {
		check_frame(buf, len);
		require(++n <= 3); /* a probe, an announcement, a question */
	}
	free(buf);
}

static void
receive(struct live_nd *nd, const uint8_t *data, uint32_t len, bool sealed)
{
	uint8_t *frame = malloc(len != 0 ? len : 1), *buf = malloc(ROOM);
	struct live_nd before = *nd;
	uint64_t answered;
	uint32_t answer;
	bool ours;

	require(frame != NULL && buf != NULL);
	memcpy(frame, data, len);
	if (sealed)
		seal(frame, len);
	ours = live_nd_receive(nd, frame, len, buf, ROOM, &answer);
	answered = nd->n.nd_answered + nd->n.echo_answered - before.n.nd_answered -
		   before.n.echo_answered;
	require(answered == (answer != 0));
	if (answer != 0)
		check_frame(buf, answer);
	if (!ours)
		require(memcmp(nd, &before, sizeof(before)) == 0 && answer == 0);
	/* What was learned stays, whoever says otherwise later. */
	if (before.known)
		require(nd->known && memcmp(&nd->hop_mac, &before.hop_mac, 6) == 0);
	free(frame);
	free(buf);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t now = 0;
	struct live_nd nd;

	live_nd_init(&nd, addr, &mac, 64);
	live_nd_want(&nd, hop, now);
	poll_all(&nd, now);
	while (size >= 2) {
		uint32_t len = (data[0] & 0x7fu) << 8 | data[1];
		bool sealed = data[0] >> 7;

		data += 2;
		size -= 2;
		if (len > size)
			len = (uint32_t)size;
		if (len > ROOM)
			len = ROOM;
		receive(&nd, data, len, sealed);
		data += len;
		size -= len;
		now += LIVE_ND_RETRY_NS / 3;
		poll_all(&nd, now);
	}
	return 0;
}
