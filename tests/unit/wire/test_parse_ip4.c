/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The fast path of the parser for IPv4 against the slow one. */

#include "fcn_test.h"
#include "fcn_parse_ip4.h"
#include "frame.h"
#include "reference.h"

#define IP RTE_ETHER_HDR_LEN
#define UDP (IP + 20)
#define BTH (UDP + 8)

static void
roce(struct frame *f, uint32_t payload)
{
	*f = (struct frame){.len = 0};
	frame_ether(f, RTE_ETHER_TYPE_IPV4);
	frame_ip4(f, IPPROTO_UDP, 20);
	frame_roce(f, payload);
	frame_finish(f);
}

static void
put_checksum(uint8_t *ip)
{
	uint16_t sum;

	memset(ip + 10, 0, 2);
	sum = rte_ipv4_cksum((const struct rte_ipv4_hdr *)(void *)ip);
	memcpy(ip + 10, &sum, sizeof(sum));
}

/* Parse so many bytes of a frame, and no other. @return whether the fast path takes it */
static bool
is_taken(const uint8_t *frame, uint32_t seg_len, uint32_t pkt_len)
{
	struct fcn_wire_info fast, slow;
	uint8_t *data = malloc(seg_len);
	bool taken;

	assert_non_null(data);
	memcpy(data, frame, seg_len);
	memset(&fast, 0x5a, sizeof(fast));
	taken = fcn_parse_fast_ip4(data, seg_len, pkt_len, &fast);
	if (taken) {
		assert_int_equal(fcn_parse_slow(data, seg_len, pkt_len, &fcn_parse_default_codes,
						 &slow),
				FCN_WIRE_OK);
		assert_memory_equal(&fast, &slow, sizeof(slow));
	}
	free(data);
	return taken;
}

TEST(taken)
{
	struct frame f;

	for (uint32_t payload = 0; payload < 1500; payload += 4) {
		roce(&f, payload);
		assert_true(is_taken(f.data, f.len, f.len));
		/* of a chain of buffers, the first may end behind the headers */
		assert_true(is_taken(f.data, BTH + 12, f.len));
		assert_false(is_taken(f.data, BTH + 11, f.len));
		/* padding */
		assert_true(is_taken(f.data, f.len + 6, f.len + 6));
		assert_false(is_taken(f.data, f.len - 1, f.len - 1));
	}
}

/* Every TTL and TOS has another checksum, some of them 0 and 0xFFFF. */
TEST(checksum)
{
	struct frame f;

	roce(&f, 16);
	for (unsigned int i = 0; i < 65536; i++) {
		f.data[IP + 1] = i >> 8;
		f.data[IP + 8] = i;
		put_checksum(&f.data[IP]);
		assert_true(is_taken(f.data, f.len, f.len));
		f.data[IP + 10 + i % 2] ^= 1 << i % 8;
		assert_false(is_taken(f.data, f.len, f.len));
	}
}

/* What the fast path leaves to the slow one, although its checksum is right. */
TEST(not_taken)
{
	static const struct {
		uint16_t at;
		uint8_t octet;
	} changes[] = {{12, 0x86}, {IP, 0x46}, {IP, 0x65}, {IP + 2, 1}, {IP + 6, 0x20}, {IP + 7, 1},
			{IP + 9, IPPROTO_TCP}, {UDP + 2, 1}, {UDP + 5, 1},
			{BTH, FCN_BTH_OPCODE_CNP}, {BTH + 1, 1}};
	struct frame f;

	for (unsigned int i = 0; i < RTE_DIM(changes); i++) {
		roce(&f, 16);
		f.data[changes[i].at] = changes[i].octet;
		put_checksum(&f.data[IP]);
		assert_false(is_taken(f.data, f.len, f.len));
	}
	/* "do not fragment" and the reserved flag are no fragments */
	for (unsigned int flags = 0; flags <= 0xc0; flags += 0x40) {
		roce(&f, 16);
		f.data[IP + 6] = flags;
		put_checksum(&f.data[IP]);
		assert_true(is_taken(f.data, f.len, f.len));
	}
}

/* Frames with some octets at random. */
TEST(random)
{
	uint64_t seed = 3;
	unsigned int taken = 0;
	struct frame f;

	for (unsigned int round = 0; round < 200000; round++) {
		const uint64_t draw = ref_random(&seed);

		roce(&f, draw % 64 * 4);
		for (unsigned int n = draw >> 8 & 3; n > 0; n--) {
			const uint64_t change = ref_random(&seed);

			f.data[change % (BTH + 12)] ^= 1 << (change >> 32) % 8;
		}
		if (draw >> 16 & 1)
			put_checksum(&f.data[IP]);
		taken += is_taken(f.data, f.len, f.len);
	}
	assert_in_range(taken, 50000, 199999);
}
