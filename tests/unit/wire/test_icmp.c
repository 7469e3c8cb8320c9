/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What ICMP is in both versions: messages read, echo answered, errors built. */

#include <rte_common.h>

#include "fcn_test.h"
#include "icmp.h"
#include "message.h"
#include "vectors.h"

#define ETHER 14

struct error {
	uint8_t type, code;
	uint32_t param;
};

/* What differs. In the vectors there are echo request and replies, and then a packet and the error
 * about it in turn. */
static const struct family {
	const char *vectors;
	unsigned int version, n_echoes, n_frames;
	uint8_t request, reply;
	uint32_t ip_len, addr_len, src_off, dst_off;
	const uint8_t *a, *b;
	uint32_t most;      /* octets that an error quotes */
	uint32_t long_step; /* from one length of a quoted packet to the next */
	uint32_t biggest;   /* octets of data of the longest request */
	struct error errors[4];
} families[] = {
		{"33_icmp4", 4, 3, 11, 8, 0, 20, 4, 12, 16, icmp4_a, icmp4_b, 548, 1,
				65535 - 8 - 60,
				{{FCN_ICMP4_TIME_EXCEEDED, FCN_ICMP4_TTL, 0},
						{FCN_ICMP4_UNREACHABLE, FCN_ICMP4_FRAG_NEEDED,
								1400},
						{FCN_ICMP4_UNREACHABLE, FCN_ICMP4_HOST, 0},
						{FCN_ICMP4_PARAM_PROBLEM, FCN_ICMP4_POINTER, 20}}},
		{"32_icmp6", 6, 2, 10, 128, 129, 40, 16, 8, 24, icmp6_a, icmp6_b, 1232, 19,
				65535 - 8 - 24,
				{{FCN_ICMP6_TIME_EXCEEDED, FCN_ICMP6_HOP_LIMIT, 0},
						{FCN_ICMP6_TOO_BIG, 0, 1400},
						{FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ADDRESS, 0},
						{FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_NEXT_HEADER,
								6}}},
};

static const struct fcn_test_parameter versions[] = {{"IPv4", 0}, {"IPv6", 1}, {NULL, 0}};

static const struct family *f;
static struct vectors v;

static int
setup(void **state)
{
	RTE_SET_USED(state);
	f = &families[fcn_test_parameter];
	vectors_load(&v, f->vectors);
	return v.n == f->n_frames ? 0 : -1;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	vectors_free(&v);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown, .each = versions);

static enum fcn_msg_error
parse(const uint8_t *data, uint32_t len, struct icmp *msg)
{
	return icmp_parse(f->version, data, len, msg);
}

static enum fcn_msg_error
parse_frame(unsigned int i, struct icmp *msg)
{
	return parse(v.data[i] + ETHER, v.len[i] - ETHER, msg);
}

static uint32_t
build_error(const struct error *e, uint8_t ttl, uint16_t id, const uint8_t *packet, uint32_t len,
		uint8_t *buf, uint32_t room)
{
	const struct fcn_icmp4_error e4 = {e->type, e->code, (uint16_t)e->param};
	const struct fcn_icmp6_error e6 = {e->type, e->code, e->param};

	return f->version == 4 ? fcn_icmp4_build_error(&e4, f->a, ttl, id, packet, len, buf, room)
			       : fcn_icmp6_build_error(&e6, f->a, ttl, packet, len, buf, room);
}

TEST(vectors_read)
{
	struct icmp msg;

	for (unsigned int i = 0; i < f->n_echoes; i++) {
		assert_int_equal(parse_frame(i, &msg), FCN_MSG_OK);
		assert_int_equal(msg.type, i == 0 ? f->request : f->reply);
		assert_int_equal(msg.code, 0);
		assert_int_equal(msg.tclass, i == 0 ? 0x6B : 0x68);
		assert_int_equal(msg.ttl, 64);
		assert_memory_equal(msg.src, i == 0 ? f->b : f->a, f->addr_len);
		assert_memory_equal(msg.dst, i == 0 ? f->a : f->b, f->addr_len);
		assert_int_equal(msg.id, 0x1234);
		assert_int_equal(msg.seq, 0xFFFE);
		assert_int_equal(msg.param, 0);
		assert_int_equal(msg.off, f->ip_len);
		assert_int_equal(msg.len, 8 + 13);
		assert_int_equal(msg.quote_len, 0);
	}
	for (unsigned int i = 0; i < RTE_DIM(f->errors); i++) {
		unsigned int packet = f->n_echoes + 2 * i, error = packet + 1;

		assert_int_equal(parse_frame(packet, NULL), FCN_MSG_PROTOCOL);
		assert_int_equal(parse_frame(error, &msg), FCN_MSG_OK);
		assert_int_equal(msg.type, f->errors[i].type);
		assert_int_equal(msg.code, f->errors[i].code);
		assert_int_equal(msg.param, f->errors[i].param);
		assert_int_equal(msg.id | msg.seq, 0);
		assert_int_equal(msg.quote_off, f->ip_len + 8);
		/* All there is, or as much of 1500 as fits. */
		assert_int_equal(msg.quote_len, i == 1 ? f->most : f->ip_len + 8 + 13);
		assert_memory_equal(v.data[error] + ETHER + msg.quote_off, v.data[packet] + ETHER,
				msg.quote_len);
	}
}

/* Rooms of every size; nothing is written into one too small, nor behind the packet. */
TEST(vectors_built)
{
	struct icmp msg;

	for (unsigned int i = 1; i < f->n_frames; i++) {
		const bool echo = i < f->n_echoes;
		const uint8_t *want = v.data[i] + ETHER;
		const uint32_t want_len = v.len[i] - ETHER;
		const unsigned int error = (i - f->n_echoes) / 2;

		if (!echo && (i - f->n_echoes) % 2 == 0)
			continue;
		assert_int_equal(parse_frame(0, &msg), FCN_MSG_OK);
		for (uint32_t room = 0; room <= want_len + 2; room++) {
			uint8_t *buf = msg_room(room);
			uint32_t len = echo ? icmp_echo_reply(&msg, v.data[0] + ETHER, NULL,
							      i == 1 ? 0 : 0x7777, buf, room)
					    : build_error(&f->errors[error], 64, 0,
							      v.data[i - 1] + ETHER,
							      v.len[i - 1] - ETHER, buf, room);

			assert_int_equal(len, room < want_len ? 0 : want_len);
			assert_memory_equal(buf, want, len);
			assert_true(msg_untouched(buf + len, room - len));
			free(buf);
		}
	}
}

TEST(cut)
{
	for (unsigned int i = 0; i < v.n; i++) {
		const uint8_t *ip = v.data[i] + ETHER;
		const uint32_t full = v.len[i] - ETHER;

		for (uint32_t len = 0; len < full; len += len < 200 ? 1 : 13)
			assert_int_equal(parse(ip, len, NULL), FCN_MSG_TRUNCATED);
		/* Made right for its length; not those that errors are about. */
		if (i >= f->n_echoes && (i - f->n_echoes) % 2 == 0)
			continue;
		for (uint32_t len = f->ip_len; len < full; len += len < 200 ? 1 : 13) {
			uint8_t *copy = exact_copy(ip, len);
			struct icmp msg;

			if (f->version == 4)
				msg_finish4(copy, len);
			else
				msg_finish6(copy, 40, len);
			if (len < f->ip_len + 8) {
				assert_int_equal(parse(copy, len, NULL), FCN_MSG_TRUNCATED);
			} else {
				assert_int_equal(parse(copy, len, &msg), FCN_MSG_OK);
				assert_int_equal(msg.len, len - f->ip_len);
				assert_int_equal(msg.quote_len,
						i < f->n_echoes ? 0 : len - f->ip_len - 8);
			}
			free(copy);
		}
	}
}

/* DSCP kept, ECN and flow label not; atomic. */
static void
assert_reply(const uint8_t *buf, uint32_t len)
{
	if (f->version == 4) {
		assert_memory_equal(buf, "\x45\xFC", 2);
		assert_int_equal(buf[2] << 8 | buf[3], len);
		assert_memory_equal(buf + 4, "\x00\x00\x40\x00\x40\x01", 6);
		assert_int_equal(msg_sum(buf, 20, 0), 0xFFFF);
		assert_int_equal(msg_sum(buf + 20, len - 20, 0), 0xFFFF);
	} else {
		assert_memory_equal(buf, "\x6F\xC0\x00\x00", 4);
		assert_int_equal(buf[4] << 8 | buf[5], len - 40);
		assert_memory_equal(buf + 6, "\x3A\x40", 2);
		assert_int_equal(msg_sum6(buf, 40, len), 0xFFFF);
	}
	assert_memory_equal(buf + f->src_off, f->a, f->addr_len);
	assert_memory_equal(buf + f->dst_off, f->b, f->addr_len);
	assert_int_equal(buf[f->ip_len], f->reply);
	assert_int_equal(buf[f->ip_len + 1], 0);
}

/* In a buffer of its own and in place; data of all lengths, options or headers in front or not. */
TEST(echo_reply)
{
	static uint8_t request[70000], before[70000];
	const uint32_t big[] = {1472, 8192, f->biggest};

	for (unsigned int n = 0; n < 3 * 40 + RTE_DIM(big); n++) {
		uint32_t data = n < 120 ? n / 3 : big[n - 120];
		uint32_t off = f->ip_len + (f->version == 4 ? 20 : 8) * (n % 3);
		uint32_t len = f->version == 4 ? icmp4_request(request, off / 4, data)
					       : icmp6_request(request, data, n % 3);
		uint32_t want = f->ip_len + 8 + data;
		uint8_t *copy = exact_copy(request, len), *buf = msg_room(want);
		struct icmp msg;

		memcpy(before, request, len);
		assert_int_equal(parse(request, len, &msg), FCN_MSG_OK);
		assert_int_equal(msg.off, off);
		assert_int_equal(icmp_echo_reply(&msg, copy, NULL, 0, buf, want - 1), 0);
		assert_true(msg_untouched(buf, want));
		assert_int_equal(icmp_echo_reply(&msg, copy, NULL, 0, buf, want), want);
		assert_memory_equal(copy, before, len);
		assert_reply(buf, want);
		assert_memory_equal(buf + f->ip_len + 4, before + off + 4, 4 + data);

		assert_int_equal(icmp_echo_reply(&msg, copy, NULL, 0, copy, len), want);
		assert_memory_equal(copy, buf, want);
		assert_memory_equal(copy + want, before + want, len - want);
		free(copy);
		free(buf);
	}
}

/* A packet of n octets, according to its header. */
static void
make_packet(uint8_t *ip, uint32_t n)
{
	memset(ip, 0, f->ip_len);
	if (f->version == 4) {
		ip[0] = 0x45;
		ip[2] = (uint8_t)(n >> 8);
		ip[3] = (uint8_t)n;
	} else {
		ip[0] = 0x60;
		ip[4] = (uint8_t)((n - 40) >> 8);
		ip[5] = (uint8_t)(n - 40);
		ip[6] = 17;
		memcpy(ip + 24, f->a, 16);
	}
	memcpy(ip + f->src_off, f->b, f->addr_len);
}

/* Of a packet of n octets, of which some can be read and some are padding: so many in all at most.
 */
TEST(error_lengths)
{
	const uint32_t all = f->ip_len + 8 + f->most;

	for (uint32_t n = f->ip_len; n <= f->most + 368;
			n += n > f->ip_len + 20 && n < f->most - 12 ? f->long_step : 1) {
		for (unsigned int how = 0; how < 3; how++) {
			/* all of it, 30 of padding, or what can be read of 40 more */
			uint32_t readable = n + (how == 1 ? 30 : 0), quoted = RTE_MIN(n, f->most);
			uint8_t *ip = msg_room(readable), *buf = msg_room(all);
			uint32_t len;

			make_packet(ip, n + (how == 2 ? 40 : 0));
			len = build_error(&f->errors[0], 255, 0xABCD, ip, readable, buf, all);
			assert_int_equal(len, f->ip_len + 8 + quoted);
			assert_memory_equal(buf + f->ip_len + 8, ip, quoted);
			assert_true(msg_untouched(buf + len, all - len));
			if (f->version == 4) {
				/* With an identification it may be fragmented. */
				assert_memory_equal(buf + 4, "\xAB\xCD\x00\x00\xFF\x01", 6);
				assert_int_equal(msg_sum(buf, 20, 0), 0xFFFF);
				assert_int_equal(msg_sum(buf + 20, len - 20, 0), 0xFFFF);
			} else {
				assert_memory_equal(buf, "\x6C\x00\x00\x00", 4);
				assert_int_equal(buf[4] << 8 | buf[5], len - 40);
				assert_int_equal(msg_sum6(buf, 40, len), 0xFFFF);
			}
			assert_memory_equal(buf + f->dst_off, f->b, f->addr_len);
			free(ip);
			free(buf);
		}
	}
	assert_int_equal(all, f->version == 4 ? FCN_ICMP4_ERROR_MAX : FCN_ICMP6_ERROR_MAX);
}
