/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Adaptive Routing Notifications: vectors read and built again, each reason to ignore one. */

#include "fcn_test.h"

#include "fcn_arn.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define IP6_LEN 40
#define PORT 1022

static const uint8_t sender[16] = {0x20, 1, 0x0d, 0xb8, 0, 1, [15] = 0x10};
static const uint8_t receiver[16] = {0x20, 1, 0x0d, 0xb8, 0, 2, [15] = 0x20};
static const uint8_t endcon[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xe1, 0, 1, [15] = 0x0c};
static const uint8_t last_segment[16] = {0x20, 1, 0x0d, 0xb8, 0, 0xe4, 0, 1, [15] = 0xd6};

static struct fcn_flow_descriptor
data_flow(void)
{
	struct fcn_flow_descriptor flow = {
			.version = 6, .proto = 17, .src_port = 0xC0DE, .dst_port = 4791};

	memcpy(flow.src, sender, 16);
	memcpy(flow.dst, receiver, 16);
	return flow;
}

static struct fcn_flow_descriptor
ipv4_flow(void)
{
	return (struct fcn_flow_descriptor){.version = 4,
			.proto = 6,
			.src_port = 1,
			.dst_port = 65535,
			.src = {192, 0, 2, 10},
			.dst = {198, 51, 100, 20}};
}

/* A frame holds the message, and the message makes the frame, in a buffer of exactly its size. */
static void
assert_both_ways(const uint8_t *frame, uint32_t frame_len, const struct fcn_arn *want)
{
	const uint8_t *ip = frame + ETHER_LEN;
	uint32_t len = frame_len - ETHER_LEN;
	uint8_t *buf = malloc(len);
	struct fcn_arn arn;

	assert_non_null(buf);
	memset(&arn, 0xA5, sizeof(arn));
	assert_int_equal(fcn_arn_parse(ip, IP6_LEN, len, &arn), FCN_ARN_OK);
	assert_memory_equal(&arn, want, sizeof(arn));
	for (uint32_t room = 0; room < len; room++)
		assert_int_equal(fcn_arn_build(want, ip + 8, ip + 24, PORT, buf, room), 0);
	memset(buf, 0xEE, len);
	assert_int_equal(fcn_arn_build(want, ip + 8, ip + 24, PORT, buf, len), len);
	assert_memory_equal(buf, ip, len);
	free(buf);
}

TEST(vectors)
{
	struct fcn_arn want[4] = {
			{.type = 1, .level = 5, .parameters = 0x90, .time_us = 500},
			{.type = 1, .level = 5, .parameters = 0x90, .time_us = 500},
			{.type = 1, .level = 5, .parameters = 0x30, .time_us = 250, .priority = 3},
			{.type = 2, .level = 0, .parameters = 0x90, .time_us = 0},
	};
	struct vectors v;

	want[0].flow = want[3].flow = data_flow();
	fcn_arn_service(endcon, last_segment, &want[1].flow);
	vectors_load(&v, "15_arn");
	assert_int_equal(v.n, RTE_DIM(want));
	for (unsigned int i = 0; i < v.n; i++)
		assert_both_ways(v.data[i], v.len[i], &want[i]);
	vectors_free(&v);
}

/* Each set of parameters, bit 0 first: flow, path, priority, time. */
TEST(parameters)
{
	struct vectors v;

	vectors_load(&v, "45_arn");
	assert_int_equal(v.n, 32);
	for (unsigned int i = 0; i < v.n; i++) {
		unsigned int mask = i % 16;
		struct fcn_arn want = {.type = (uint8_t)(1 + mask % 2),
				.level = (uint8_t)(mask % 8),
				.parameters = (uint8_t)(mask << 4)};

		if (mask & 8)
			want.flow = i < 16 ? data_flow() : ipv4_flow();
		if (mask & 4)
			want.path_id = 0x01020304;
		if (mask & 2)
			want.priority = 7;
		if (mask & 1)
			want.time_us = 0xFFFEFDFC;
		assert_both_ways(v.data[i], v.len[i], &want);
	}
	vectors_free(&v);
}

/* Octets of the message of vector 15, frame 1, changed, and what is said then. */
TEST(refused)
{
	static const struct {
		uint8_t off, value;
		enum fcn_arn_error error;
	} cases[] = {
			{1, 0x00, FCN_ARN_BAD_VERSION},
			{1, 0x20, FCN_ARN_BAD_VERSION},
			{1, 0xF0, FCN_ARN_BAD_VERSION},
			{1, 0x1F, FCN_ARN_OK}, /* reserved bits */
			{0, 0, FCN_ARN_BAD_TYPE},
			{0, 3, FCN_ARN_BAD_TYPE},
			{0, 2, FCN_ARN_OK},
			{2, 7, FCN_ARN_OK},
			{2, 8, FCN_ARN_BAD_LEVEL},
			{2, 255, FCN_ARN_BAD_LEVEL},
			{3, 0x98, FCN_ARN_BAD_UNKNOWN_PARAMETER},
			{3, 0x94, FCN_ARN_BAD_UNKNOWN_PARAMETER},
			{3, 0x92, FCN_ARN_BAD_UNKNOWN_PARAMETER},
			{3, 0x91, FCN_ARN_BAD_UNKNOWN_PARAMETER},
			{3, 0x09, FCN_ARN_BAD_UNKNOWN_PARAMETER}, /* as if bits counted from the end
								   */
			{3, 0x80, FCN_ARN_BAD_LENGTH},
			{3, 0x10, FCN_ARN_BAD_LENGTH},
			{3, 0xB0, FCN_ARN_BAD_TRUNCATED},
			{3, 0xF0, FCN_ARN_BAD_TRUNCATED},
			{4, 0x50, FCN_ARN_BAD_FLOW},
			{4, 0x00, FCN_ARN_BAD_FLOW},
			{4, 0x40, FCN_ARN_BAD_LENGTH},
			{4, 0x6F, FCN_ARN_OK}, /* a level is not meant here */
			{6, 0xFF, FCN_ARN_OK},
	};
	const struct fcn_flow_descriptor flow = data_flow();
	struct fcn_arn arn;
	struct vectors v;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		enum fcn_arn_error e;
		uint8_t *p;

		vectors_load(&v, "15_arn");
		p = v.data[0] + ETHER_LEN + IP6_LEN + 8;
		p[cases[i].off] = cases[i].value;
		e = fcn_arn_read(p, v.len[0] - ETHER_LEN - IP6_LEN - 8, &arn);
		if (e != cases[i].error)
			fail_msg("case %u: %s", i, fcn_arn_error_name(e));
		if (e == FCN_ARN_OK)
			assert_memory_equal(&arn.flow, &flow, sizeof(flow));
		vectors_free(&v);
	}
	/* Priorities above 7, in each of the four octets. */
	for (unsigned int i = 0; i < 32; i++) {
		uint8_t m[8] = {1, 0x10, 0, 0x20};

		m[7 - i / 8] = (uint8_t)(1u << i % 8);
		assert_int_equal(fcn_arn_read(m, sizeof(m), &arn),
				i < 3 ? FCN_ARN_OK : FCN_ARN_BAD_PRIORITY);
	}
}

TEST(udp)
{
	struct fcn_arn arn;
	struct vectors v;
	uint32_t len;
	uint8_t *ip;

	vectors_load(&v, "15_arn");
	ip = v.data[0] + ETHER_LEN;
	len = v.len[0] - ETHER_LEN;
	/* Any bit that the checksum covers; what it does not cover is what the lengths are about.
	 */
	for (uint32_t bit = 8 * 8; bit < 8 * len; bit++) {
		enum fcn_arn_error e;

		ip[bit / 8] ^= (uint8_t)(1 << bit % 8);
		e = fcn_arn_parse(ip, IP6_LEN, len, &arn);
		assert_int_equal(e, bit / 16 == (IP6_LEN + 4) / 2 ? FCN_ARN_BAD_UDP_LENGTH
								  : FCN_ARN_BAD_UDP_CHECKSUM);
		ip[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	/* Absent. */
	ip[46] = ip[47] = 0;
	assert_int_equal(fcn_arn_parse(ip, IP6_LEN, len, &arn), FCN_ARN_BAD_UDP_CHECKSUM);
	vectors_free(&v);

	/* Cut, and with padding behind. */
	vectors_load(&v, "15_arn");
	for (uint32_t cut = IP6_LEN; cut < len; cut++) {
		uint8_t *copy = exact_copy(v.data[0] + ETHER_LEN, cut);

		assert_int_equal(fcn_arn_parse(copy, IP6_LEN, cut, &arn), FCN_ARN_BAD_UDP_LENGTH);
		free(copy);
	}
	ip = malloc(len + 6);
	assert_non_null(ip);
	memcpy(ip, v.data[0] + ETHER_LEN, len);
	memset(ip + len, 0xEE, 6);
	assert_int_equal(fcn_arn_parse(ip, IP6_LEN, len + 6, &arn), FCN_ARN_OK);
	ip[5]++; /* the IPv6 packet is longer than UDP says */
	assert_int_equal(fcn_arn_parse(ip, IP6_LEN, len + 6, &arn), FCN_ARN_BAD_UDP_LENGTH);
	free(ip);
	vectors_free(&v);
}

/* Behind extension headers, the message is where the UDP header is said to be. */
TEST(extension)
{
	struct fcn_arn arn;
	struct vectors v;
	uint8_t ip[200];
	uint32_t len;

	vectors_load(&v, "15_arn");
	len = v.len[2] - ETHER_LEN;
	memcpy(ip, v.data[2] + ETHER_LEN, IP6_LEN);
	memcpy(ip + IP6_LEN, (const uint8_t[8]){17, 0, 1, 4}, 8);
	memcpy(ip + IP6_LEN + 8, v.data[2] + ETHER_LEN + IP6_LEN, len - IP6_LEN);
	ip[6] = 60;
	ip[5] += 8;
	assert_int_equal(fcn_arn_parse(ip, IP6_LEN + 8, len + 8, &arn), FCN_ARN_OK);
	assert_int_equal(arn.priority, 3);
	vectors_free(&v);
}

TEST(not_written)
{
	struct fcn_arn good = {.type = 1, .parameters = 0xF0, .flow = {.version = 4}}, bad;
	uint8_t buf[FCN_ARN_MAX_LEN];

	assert_int_equal(fcn_arn_write(&good, buf, sizeof(buf)), 4 + 16 + 12);
	good.flow.version = 6;
	assert_int_equal(fcn_arn_write(&good, buf, sizeof(buf)), FCN_ARN_MAX_LEN);
	bad = good;
	bad.type = 0;
	assert_int_equal(fcn_arn_write(&bad, buf, sizeof(buf)), 0);
	bad = good;
	bad.level = 8;
	assert_int_equal(fcn_arn_write(&bad, buf, sizeof(buf)), 0);
	bad = good;
	bad.priority = 8;
	assert_int_equal(fcn_arn_write(&bad, buf, sizeof(buf)), 0);
	bad.parameters &= (uint8_t)~FCN_ARN_PRIORITY;
	assert_int_equal(fcn_arn_write(&bad, buf, sizeof(buf)), FCN_ARN_MAX_LEN - 4);
	bad = good;
	bad.parameters |= 1;
	assert_int_equal(fcn_arn_write(&bad, buf, sizeof(buf)), 0);
	bad = good;
	bad.flow.version = 5;
	assert_int_equal(fcn_arn_write(&bad, buf, sizeof(buf)), 0);
}

TEST(modes)
{
	struct fcn_arn arn = {.type = FCN_ARN_CONGESTION};

	assert_int_equal(fcn_arn_mode_parameters(FCN_ARN_MODE_SERVICE), 0x90);
	assert_int_equal(fcn_arn_mode_parameters(FCN_ARN_MODE_FLOW), 0x90);
	assert_int_equal(fcn_arn_mode_parameters(FCN_ARN_MODE_PRIORITY), 0x30);
	assert_int_equal(fcn_arn_mode_parameters(FCN_ARN_MODE_COUNT), 0);
	assert_string_equal(fcn_arn_mode_name(FCN_ARN_MODE_SERVICE), "service");
	assert_string_equal(fcn_arn_mode_name(FCN_ARN_MODE_COUNT), "unknown");
	for (unsigned int parameters = 0; parameters < 256; parameters += 16) {
		bool time = parameters & FCN_ARN_TIME;

		arn.parameters = (uint8_t)parameters;
		for (uint8_t type = 1; type <= 2; type++) {
			enum fcn_arn_error timely = time || type == FCN_ARN_ENDED
								    ? FCN_ARN_OK
								    : FCN_ARN_BAD_NO_TIME;

			arn.type = type;
			assert_int_equal(fcn_arn_check_parameters(&arn),
					parameters & (FCN_ARN_FLOW | FCN_ARN_PRIORITY)
							? timely
							: FCN_ARN_BAD_NO_FLOW);
			assert_int_equal(fcn_arn_is_end(&arn), type == FCN_ARN_ENDED || time);
			arn.time_us = 1;
			assert_int_equal(fcn_arn_is_end(&arn), type == FCN_ARN_ENDED);
			arn.time_us = 0;
		}
	}
	arn.time_us = 250;
	assert_true(fcn_arn_time_ns(&arn) == 250000);
	arn.time_us = 0xFFFFFFFE;
	assert_true(fcn_arn_time_ns(&arn) == UINT64_C(4294967294000));
	arn.time_us = FCN_ARN_TIME_FOREVER;
	assert_true(fcn_arn_time_ns(&arn) == UINT64_MAX);
	for (unsigned int e = 0; e < FCN_ARN_ERROR_COUNT; e++)
		assert_true(strlen(fcn_arn_error_text(e)) > 4);
	assert_string_equal(fcn_arn_error_name(FCN_ARN_ERROR_COUNT), "unknown");
}

/* Random messages: those that are read are written again octet for octet, but for reserved bits. */
TEST(random)
{
	uint64_t seed = 1022;
	unsigned int read = 0;

	for (unsigned int i = 0; i < 200000; i++) {
		uint32_t len = (uint32_t)(ref_random(&seed) % (FCN_ARN_MAX_LEN + 8));
		uint8_t *p = malloc(len), buf[FCN_ARN_MAX_LEN];
		struct fcn_arn arn, again;

		assert_true(p != NULL || len == 0);
		ref_random_fill(&seed, p, len);
		if (len >= 4) {
			p[0] = 1 + p[0] % 2;
			p[1] = 0x10;
			p[2] %= 8;
			p[3] &= 0xF0;
			if (len > 4 && p[3] & 0x80)
				p[4] = p[4] % 2 ? 0x40 : 0x60;
			/* the length that the parameters have, mostly */
			if (i % 4 != 0)
				len = RTE_MIN(len,
						4 + (p[3] & 0x80 && len > 4 ? p[4] == 0x40 ? 16 : 40 : 0) +
								4u * __builtin_popcount(
										     p[3] & 0x70));
			for (uint32_t j = 4; j < len; j++)
				p[j] = j > 4 && ref_random(&seed) % 2 ? 0 : p[j];
		}
		if (fcn_arn_read(p, len, &arn) == FCN_ARN_OK) {
			read++;
			assert_int_equal(fcn_arn_write(&arn, buf, sizeof(buf)), len);
			assert_int_equal(fcn_arn_read(buf, len, &again), FCN_ARN_OK);
			assert_memory_equal(&again, &arn, sizeof(arn));
			if (arn.parameters & FCN_ARN_FLOW)
				p[6] = p[7] = 0;
			assert_memory_equal(buf, p, len);
		}
		free(p);
	}
	assert_true(read > 1000 && read < 150000);
}
