/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* ICMPv6: messages read, echo answered, errors built. Which packets may be answered:
 * test_icmp6_may. */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_icmp6.h"
#include "message.h"
#include "vectors.h"

#define ETHER 14

/* Frames of 32_icmp6; behind the echoes a packet and the error about it in turn. */
enum {
	REQUEST,
	REPLY,
	FIRST_ERROR = 3,
	N_FRAMES = 10,
};

static const uint8_t a[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 1, [15] = 1},
		     b[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 1, [13] = 0xAB, 0xCD, 0xEF},
		     group[16] = {0xFF, 2, [15] = 1};

/* The four errors. */
static const struct fcn_icmp6_error errors[] = {
		{FCN_ICMP6_TIME_EXCEEDED, FCN_ICMP6_HOP_LIMIT, 0},
		{FCN_ICMP6_TOO_BIG, 0, 1400},
		{FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ADDRESS, 0},
		{FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_NEXT_HEADER, 6},
};

/* Read from a buffer of exactly its size; what is refused leaves no trace. */
static enum fcn_msg_error
parse(const uint8_t *data, uint32_t len, struct fcn_icmp6 *out)
{
	uint8_t *copy = exact_copy(data, len);
	struct fcn_icmp6 msg, before;
	enum fcn_msg_error error;

	memset(&msg, 0xA5, sizeof(msg));
	memset(&before, 0xA5, sizeof(before));
	error = fcn_icmp6_parse(copy, len, &msg);
	if (error != FCN_MSG_OK) {
		assert_memory_equal(&msg, &before, sizeof(msg));
	} else {
		assert_true(msg.off >= 40 && msg.len >= 8 && msg.off + msg.len <= len);
		assert_true(msg.quote_len == 0 || msg.quote_off == msg.off + 8);
		assert_true(msg.quote_len <= msg.len - 8);
		if (out != NULL)
			*out = msg;
	}
	free(copy);
	return error;
}

TEST(vectors_read)
{
	struct fcn_icmp6 msg;
	struct vectors v;

	vectors_load(&v, "32_icmp6");
	assert_int_equal(v.n, N_FRAMES);
	for (unsigned int i = REQUEST; i <= REPLY; i++) {
		assert_int_equal(parse(v.data[i] + ETHER, v.len[i] - ETHER, &msg), FCN_MSG_OK);
		assert_int_equal(msg.type, i == REQUEST ? 128 : 129);
		assert_int_equal(msg.code, 0);
		assert_int_equal(msg.tclass, i == REQUEST ? 0x6B : 0x68);
		assert_int_equal(msg.hop_limit, 64);
		assert_memory_equal(msg.src, i == REQUEST ? b : a, 16);
		assert_memory_equal(msg.dst, i == REQUEST ? a : b, 16);
		assert_int_equal(msg.id, 0x1234);
		assert_int_equal(msg.seq, 0xFFFE);
		assert_int_equal(msg.param, 0);
		assert_int_equal(msg.off, 40);
		assert_int_equal(msg.len, 8 + 13);
		assert_int_equal(msg.quote_len, 0);
	}
	for (unsigned int i = 0; i < RTE_DIM(errors); i++) {
		unsigned int frame = FIRST_ERROR + 2 * i;

		assert_int_equal(parse(v.data[frame - 1] + ETHER, v.len[frame - 1] - ETHER, NULL),
				FCN_MSG_PROTOCOL);
		assert_int_equal(parse(v.data[frame] + ETHER, v.len[frame] - ETHER, &msg),
				FCN_MSG_OK);
		assert_int_equal(msg.type, errors[i].type);
		assert_int_equal(msg.code, errors[i].code);
		assert_int_equal(msg.param, errors[i].param);
		assert_int_equal(msg.id | msg.seq, 0);
		assert_int_equal(msg.quote_off, 48);
		/* 40 + 8 + 13, or as much of 1500 as 1280 hold. */
		assert_int_equal(msg.quote_len, i == 1 ? 1232 : 61);
		assert_memory_equal(v.data[frame] + ETHER + msg.quote_off,
				v.data[frame - 1] + ETHER, msg.quote_len);
	}
	vectors_free(&v);
}

/* Rooms of every size; nothing is written into one too small, nor behind the packet. */
TEST(vectors_built)
{
	struct vectors v;

	vectors_load(&v, "32_icmp6");
	for (unsigned int i = 0; i < RTE_DIM(errors); i++) {
		unsigned int frame = FIRST_ERROR + 2 * i;
		const uint8_t *want = v.data[frame] + ETHER;
		uint32_t want_len = v.len[frame] - ETHER;

		for (uint32_t room = 0; room <= want_len + 2; room++) {
			uint8_t *buf = msg_room(room);
			uint32_t len = fcn_icmp6_build_error(&errors[i], a, 64,
					v.data[frame - 1] + ETHER, v.len[frame - 1] - ETHER, buf,
					room);

			assert_int_equal(len, room < want_len ? 0 : want_len);
			assert_memory_equal(buf, want, len);
			assert_true(msg_untouched(buf + len, room - len));
			free(buf);
		}
	}
	vectors_free(&v);
}

TEST(cut)
{
	struct vectors v;

	vectors_load(&v, "32_icmp6");
	for (unsigned int i = 0; i < v.n; i++) {
		const uint8_t *ip = v.data[i] + ETHER;
		uint32_t full = v.len[i] - ETHER;

		for (uint32_t len = 0; len < full; len += len < 200 ? 1 : 13)
			assert_int_equal(parse(ip, len, NULL), FCN_MSG_TRUNCATED);
		/* Made right for its length; not those that errors are about. */
		if (i > REPLY && i % 2 == 0)
			continue;
		for (uint32_t len = 40; len < full; len += len < 200 ? 1 : 13) {
			uint8_t *copy = exact_copy(ip, len);
			struct fcn_icmp6 msg;

			msg_finish6(copy, 40, len);
			if (len < 48) {
				assert_int_equal(parse(copy, len, NULL), FCN_MSG_TRUNCATED);
			} else {
				assert_int_equal(parse(copy, len, &msg), FCN_MSG_OK);
				assert_int_equal(msg.len, len - 40);
				assert_int_equal(msg.quote_len, i > REPLY ? len - 48 : 0);
			}
			free(copy);
		}
	}
	vectors_free(&v);
}

/* Each bit behind what the checksum does not cover; a source that is a group. */
TEST(checksum)
{
	struct vectors v;
	uint8_t *ip;

	vectors_load(&v, "32_icmp6");
	ip = v.data[FIRST_ERROR] + ETHER;
	for (uint32_t bit = 8 * 8; bit < (v.len[FIRST_ERROR] - ETHER) * 8; bit++) {
		ip[bit / 8] ^= 1 << bit % 8;
		assert_int_equal(parse(ip, v.len[FIRST_ERROR] - ETHER, NULL), FCN_MSG_CHECKSUM);
		ip[bit / 8] ^= 1 << bit % 8;
	}
	ip[8] = 0xFF;
	msg_finish6(ip, 40, v.len[FIRST_ERROR] - ETHER);
	assert_int_equal(parse(ip, v.len[FIRST_ERROR] - ETHER, NULL), FCN_MSG_SOURCE);
	ip[0] = 0x4C;
	assert_int_equal(parse(ip, v.len[FIRST_ERROR] - ETHER, NULL), FCN_MSG_IP_HEADER);
	vectors_free(&v);
}

/* All types: errors quote, the others do not; only some have numbers in the word. */
TEST(types)
{
	uint8_t p[40 + 8 + 60] = {0x60, [6] = 58, 64};

	memcpy(p + 8, b, 16);
	memcpy(p + 24, a, 16);
	for (unsigned int type = 0; type < 256; type++) {
		struct fcn_icmp6 msg;

		p[40] = (uint8_t)type;
		p[41] = 77;
		memcpy(p + 44, "\x01\x02\x03\x04", 4);
		msg_finish6(p, 40, sizeof(p));
		assert_int_equal(parse(p, sizeof(p), &msg), FCN_MSG_OK);
		assert_int_equal(msg.type, type);
		assert_int_equal(msg.code, 77);
		assert_int_equal(msg.quote_len, type < 128 ? 60 : 0);
		assert_int_equal(msg.param, type == 2 || type == 4 ? 0x01020304 : 0);
		assert_int_equal(msg.id, type == 128 || type == 129 ? 0x0102 : 0);
		assert_int_equal(msg.seq, type == 128 || type == 129 ? 0x0304 : 0);
	}
}

/*
 * Where the quoted packet ends: with the message, with itself, or where
 * extensions begin, by a length in units of 8 octets of at least 128 (RFC 4884).
 */
TEST(quotes)
{
	static const uint8_t types[] = {1, 2, 3, 4};
	uint8_t p[40 + 8 + 300];

	for (unsigned int t = 0; t < RTE_DIM(types); t++) {
		for (unsigned int units = 0; units < 256; units++) {
			for (uint32_t plen = 0; plen <= 300; plen += 20) {
				bool extended = types[t] == 1 || types[t] == 3;
				uint32_t want = 300;
				struct fcn_icmp6 msg;

				memset(p, 0, sizeof(p));
				p[0] = p[48] = 0x60;
				p[6] = 58;
				p[40] = types[t];
				p[44] = (uint8_t)units;
				p[52] = (uint8_t)(plen >> 8);
				p[53] = (uint8_t)plen;
				msg_finish6(p, 40, sizeof(p));
				if (extended && units >= 16 && units * 8 < want)
					want = units * 8;
				if (40 + plen < want)
					want = 40 + plen;
				assert_int_equal(parse(p, sizeof(p), &msg), FCN_MSG_OK);
				assert_int_equal(msg.quote_len, want);
			}
		}
	}
	/* Of another version, or too short to say: all there is. */
	memset(p + 48, 0, 300);
	p[44] = 0;
	p[48] = 0x45;
	msg_finish6(p, 40, sizeof(p));
	for (uint32_t len = 48; len < 100; len++) {
		struct fcn_icmp6 msg;

		p[48] = len < 88 ? 0x60 : 0x45;
		msg_finish6(p, 40, len);
		assert_int_equal(parse(p, len, &msg), FCN_MSG_OK);
		assert_int_equal(msg.quote_len, len - 48);
	}
}

/* Request of so many data octets, behind n_ext Destination Options headers. */
static uint32_t
make_request(uint8_t *p, uint32_t data, unsigned int n_ext)
{
	uint32_t off = 40 + 8 * n_ext, len = off + 8 + data;

	memset(p, 0, len);
	p[0] = 0x6F;
	p[1] = 0xF0;
	p[6] = n_ext > 0 ? 60 : 58;
	p[7] = 1;
	memcpy(p + 8, b, 16);
	memcpy(p + 24, a, 16);
	for (unsigned int i = 0; i < n_ext; i++) {
		uint8_t *ext = p + 40 + 8 * i;

		ext[0] = i + 1 == n_ext ? 58 : 60;
		ext[2] = 1;
		ext[3] = 4;
	}
	p[off] = 128;
	for (uint32_t i = 4; i < 8 + data; i++)
		p[off + i] = (uint8_t)(i * 7);
	msg_finish6(p, off, len);
	return len;
}

/* In a buffer of its own and in place; data of all lengths, headers in front or not. */
TEST(echo_reply)
{
	static uint8_t request[70000], before[70000];
	static const uint32_t big[] = {1452, 8192, 65535 - 8 - 24};

	for (unsigned int n = 0; n < 3 * 40 + RTE_DIM(big); n++) {
		uint32_t data = n < 120 ? n / 3 : big[n - 120];
		unsigned int n_ext = n % 3;
		uint32_t len = make_request(request, data, n_ext), want = 48 + data, got;
		uint32_t off = 40 + 8 * n_ext;
		uint8_t *copy = exact_copy(request, len), *buf = msg_room(want);
		struct fcn_icmp6 msg;

		memcpy(before, request, len);
		assert_int_equal(parse(request, len, &msg), FCN_MSG_OK);
		assert_int_equal(msg.off, off);
		assert_int_equal(
				fcn_icmp6_build_echo_reply(copy, &msg, NULL, 64, buf, want - 1), 0);
		assert_true(msg_untouched(buf, want));
		assert_int_equal(fcn_icmp6_build_echo_reply(copy, &msg, NULL, 64, buf, want), want);
		assert_memory_equal(copy, before, len);

		/* DSCP kept, ECN and flow label not. */
		assert_memory_equal(buf, "\x6F\xC0\x00\x00", 4);
		assert_int_equal(buf[4] << 8 | buf[5], want - 40);
		assert_int_equal(buf[6], 58);
		assert_int_equal(buf[7], 64);
		assert_memory_equal(buf + 8, a, 16);
		assert_memory_equal(buf + 24, b, 16);
		assert_int_equal(buf[40], 129);
		assert_int_equal(buf[41], 0);
		assert_int_equal(msg_sum6(buf, 40, want), 0xFFFF);
		assert_memory_equal(buf + 44, before + off + 4, 4 + data);

		got = fcn_icmp6_build_echo_reply(copy, &msg, NULL, 64, copy, len);
		assert_int_equal(got, want);
		assert_memory_equal(copy, buf, want);
		assert_memory_equal(copy + want, before + want, len - want);
		free(copy);
		free(buf);
	}
}

TEST(echo_vector)
{
	struct fcn_icmp6 msg;
	struct vectors v;
	uint8_t buf[64];

	vectors_load(&v, "32_icmp6");
	assert_int_equal(parse(v.data[REQUEST] + ETHER, 61, &msg), FCN_MSG_OK);
	assert_int_equal(fcn_icmp6_build_echo_reply(
					 v.data[REQUEST] + ETHER, &msg, NULL, 64, buf, sizeof(buf)),
			61);
	assert_memory_equal(buf, v.data[REPLY] + ETHER, 61);
	/* From an address of choice; the reply is no request. */
	assert_int_equal(fcn_icmp6_build_echo_reply(
					 v.data[REQUEST] + ETHER, &msg, b, 9, buf, sizeof(buf)),
			61);
	assert_memory_equal(buf + 8, b, 16);
	assert_int_equal(buf[7], 9);
	assert_int_equal(parse(v.data[REPLY] + ETHER, 61, &msg), FCN_MSG_OK);
	assert_int_equal(fcn_icmp6_build_echo_reply(
					 v.data[REPLY] + ETHER, &msg, NULL, 64, buf, sizeof(buf)),
			0);
	vectors_free(&v);
}

TEST(echo_groups)
{
	static const uint8_t no_station[][16] = {{0}, {[15] = 1}};
	uint8_t request[64], buf[64];
	uint32_t len = make_request(request, 16, 0);
	struct fcn_icmp6 msg;

	memcpy(request + 24, group, 16);
	msg_finish6(request, 40, len);
	assert_int_equal(parse(request, len, &msg), FCN_MSG_OK);
	assert_int_equal(fcn_icmp6_build_echo_reply(request, &msg, NULL, 64, buf, sizeof(buf)), 0);
	assert_int_equal(fcn_icmp6_build_echo_reply(request, &msg, group, 64, buf, sizeof(buf)), 0);
	assert_int_equal(fcn_icmp6_build_echo_reply(request, &msg, a, 64, buf, sizeof(buf)), len);
	assert_memory_equal(buf + 8, a, 16);
	for (unsigned int i = 0; i < RTE_DIM(no_station); i++) {
		memcpy(request + 8, no_station[i], 16);
		msg_finish6(request, 40, len);
		assert_int_equal(parse(request, len, &msg), FCN_MSG_OK);
		assert_int_equal(fcn_icmp6_build_echo_reply(request, &msg, a, 64, buf, sizeof(buf)),
				0);
	}
}

/* Of a packet of n octets, of which some can be read and some are padding: 1280 in all at most. */
TEST(error_lengths)
{
	static const struct fcn_icmp6_error error = {FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ROUTE, 0};

	for (uint32_t n = 40; n <= 1600; n += n > 60 && n < 1220 ? 19 : 1) {
		for (unsigned int how = 0; how < 3; how++) {
			/* all of it, 30 of padding, or what can be read of 40 more */
			uint32_t readable = n + (how == 1 ? 30 : 0),
				 ip_len = n + (how == 2 ? 40 : 0);
			uint32_t quoted = n < 1232 ? n : 1232;
			uint8_t *ip = msg_room(readable), *buf = msg_room(FCN_ICMP6_ERROR_MAX);
			uint32_t len;

			memset(ip, 0, 40);
			ip[0] = 0x60;
			ip[4] = (uint8_t)((ip_len - 40) >> 8);
			ip[5] = (uint8_t)(ip_len - 40);
			ip[6] = 17;
			memcpy(ip + 8, b, 16);
			memcpy(ip + 24, a, 16);
			len = fcn_icmp6_build_error(
					&error, a, 255, ip, readable, buf, FCN_ICMP6_ERROR_MAX);
			assert_int_equal(len, 48 + quoted);
			assert_memory_equal(buf + 48, ip, quoted);
			assert_true(msg_untouched(buf + len, FCN_ICMP6_ERROR_MAX - len));
			assert_int_equal(msg_sum6(buf, 40, len), 0xFFFF);
			assert_memory_equal(buf, "\x6C\x00\x00\x00", 4);
			assert_int_equal(buf[4] << 8 | buf[5], len - 40);
			assert_memory_equal(buf + 24, b, 16);
			free(ip);
			free(buf);
		}
	}
}

TEST(error_refused)
{
	static const struct fcn_icmp6_error error = {FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ROUTE, 0};
	uint8_t ip[40] = {0x60}, buf[FCN_ICMP6_ERROR_MAX];

	for (uint32_t len = 0; len < 40; len++) {
		uint8_t *copy = exact_copy(ip, len);

		assert_int_equal(fcn_icmp6_build_error(&error, a, 64, copy, len, buf, sizeof(buf)),
				0);
		free(copy);
	}
	assert_int_equal(fcn_icmp6_build_error(&error, a, 64, ip, 40, buf, sizeof(buf)), 88);
	ip[0] = 0x45;
	assert_int_equal(fcn_icmp6_build_error(&error, a, 64, ip, 40, buf, sizeof(buf)), 0);
}
