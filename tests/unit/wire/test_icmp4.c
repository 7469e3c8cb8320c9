/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* ICMP for IPv4: messages read, echo answered, errors built, and which packets may be answered. */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_icmp4.h"
#include "message.h"
#include "vectors.h"

#define ETHER 14

/* Frames of 33_icmp4; behind the echoes a packet and the error about it in turn. */
enum {
	REQUEST,
	REPLY,
	REPLY_WITH_ID,
	FIRST_ERROR = 4,
	N_FRAMES = 11,
};

static const uint8_t a[4] = {192, 0, 2, 1}, b[4] = {192, 0, 2, 9};

/* The four errors. */
static const struct fcn_icmp4_error errors[] = {
		{FCN_ICMP4_TIME_EXCEEDED, FCN_ICMP4_TTL, 0},
		{FCN_ICMP4_UNREACHABLE, FCN_ICMP4_FRAG_NEEDED, 1400},
		{FCN_ICMP4_UNREACHABLE, FCN_ICMP4_HOST, 0},
		{FCN_ICMP4_PARAM_PROBLEM, FCN_ICMP4_POINTER, 20},
};

/* Read from a buffer of exactly its size; what is refused leaves no trace. */
static enum fcn_msg_error
parse(const uint8_t *data, uint32_t len, struct fcn_icmp4 *out)
{
	uint8_t *copy = exact_copy(data, len);
	struct fcn_icmp4 msg, before;
	enum fcn_msg_error error;

	memset(&msg, 0xA5, sizeof(msg));
	memset(&before, 0xA5, sizeof(before));
	error = fcn_icmp4_parse(copy, len, &msg);
	if (error != FCN_MSG_OK) {
		assert_memory_equal(&msg, &before, sizeof(msg));
	} else {
		assert_true(msg.off >= 20 && msg.len >= 8 && msg.off + msg.len <= len);
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
	struct fcn_icmp4 msg;
	struct vectors v;

	vectors_load(&v, "33_icmp4");
	assert_int_equal(v.n, N_FRAMES);
	for (unsigned int i = REQUEST; i <= REPLY_WITH_ID; i++) {
		assert_int_equal(parse(v.data[i] + ETHER, v.len[i] - ETHER, &msg), FCN_MSG_OK);
		assert_int_equal(msg.type, i == REQUEST ? 8 : 0);
		assert_int_equal(msg.code, 0);
		assert_int_equal(msg.tos, i == REQUEST ? 0x6B : 0x68);
		assert_int_equal(msg.ttl, 64);
		assert_memory_equal(msg.src, i == REQUEST ? b : a, 4);
		assert_memory_equal(msg.dst, i == REQUEST ? a : b, 4);
		assert_int_equal(msg.id, 0x1234);
		assert_int_equal(msg.seq, 0xFFFE);
		assert_int_equal(msg.param, 0);
		assert_int_equal(msg.off, 20);
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
		assert_int_equal(msg.quote_off, 28);
		/* 20 + 8 + 13, or as much of 1500 as 576 hold. */
		assert_int_equal(msg.quote_len, i == 1 ? 548 : 41);
		assert_memory_equal(v.data[frame] + ETHER + 28, v.data[frame - 1] + ETHER,
				msg.quote_len);
	}
	vectors_free(&v);
}

/* Rooms of every size; nothing is written into one too small, nor behind the packet. */
TEST(vectors_built)
{
	struct vectors v;

	vectors_load(&v, "33_icmp4");
	for (unsigned int i = 0; i < RTE_DIM(errors); i++) {
		unsigned int frame = FIRST_ERROR + 2 * i;
		const uint8_t *want = v.data[frame] + ETHER;
		uint32_t want_len = v.len[frame] - ETHER;

		for (uint32_t room = 0; room <= want_len + 2; room++) {
			uint8_t *buf = msg_room(room);
			uint32_t len = fcn_icmp4_build_error(&errors[i], a, 64, 0,
					v.data[frame - 1] + ETHER, v.len[frame - 1] - ETHER, buf,
					room);

			assert_int_equal(len, room < want_len ? 0 : want_len);
			assert_memory_equal(buf, want, len);
			assert_true(msg_untouched(buf + len, room - len));
			free(buf);
		}
	}
	for (unsigned int i = REPLY; i <= REPLY_WITH_ID; i++) {
		struct fcn_icmp4 msg;

		assert_int_equal(parse(v.data[REQUEST] + ETHER, 41, &msg), FCN_MSG_OK);
		for (uint32_t room = 0; room <= 43; room++) {
			uint8_t *buf = msg_room(room);
			uint32_t len = fcn_icmp4_build_echo_reply(v.data[REQUEST] + ETHER, &msg,
					NULL, 64, i == REPLY ? 0 : 0x7777, buf, room);

			assert_int_equal(len, room < 41 ? 0 : 41);
			assert_memory_equal(buf, v.data[i] + ETHER, len);
			assert_true(msg_untouched(buf + len, room - len));
			free(buf);
		}
	}
	vectors_free(&v);
}

TEST(cut)
{
	struct vectors v;

	vectors_load(&v, "33_icmp4");
	for (unsigned int i = 0; i < v.n; i++) {
		const uint8_t *ip = v.data[i] + ETHER;
		uint32_t full = v.len[i] - ETHER;

		for (uint32_t len = 0; len < full; len += len < 200 ? 1 : 13)
			assert_int_equal(parse(ip, len, NULL), FCN_MSG_TRUNCATED);
		/* Made right for its length; not those that errors are about. */
		if (i > REPLY_WITH_ID && i % 2 == 1)
			continue;
		for (uint32_t len = 20; len < full; len += len < 200 ? 1 : 13) {
			uint8_t *copy = exact_copy(ip, len);
			struct fcn_icmp4 msg;

			msg_finish4(copy, len);
			if (len < 28) {
				assert_int_equal(parse(copy, len, NULL), FCN_MSG_TRUNCATED);
			} else {
				assert_int_equal(parse(copy, len, &msg), FCN_MSG_OK);
				assert_int_equal(msg.len, len - 20);
				assert_int_equal(msg.quote_len, i >= FIRST_ERROR ? len - 28 : 0);
			}
			free(copy);
		}
	}
	vectors_free(&v);
}

/* Each bit of header and message; behind the total length is padding. */
TEST(bits)
{
	struct vectors v;
	uint8_t ip[41 + 20];

	vectors_load(&v, "33_icmp4");
	memset(ip, 0xFF, sizeof(ip));
	memcpy(ip, v.data[REQUEST] + ETHER, 41);
	for (uint32_t bit = 0; bit < sizeof(ip) * 8; bit++) {
		enum fcn_msg_error error;

		ip[bit / 8] ^= 1 << bit % 8;
		error = parse(ip, sizeof(ip), NULL);
		if (bit / 8 < 4)
			assert_int_not_equal(error, FCN_MSG_OK);
		else if (bit / 8 < 20)
			assert_int_equal(error, FCN_MSG_IP_CHECKSUM);
		else if (bit / 8 < 41)
			assert_int_equal(error, FCN_MSG_CHECKSUM);
		else
			assert_int_equal(error, FCN_MSG_OK);
		ip[bit / 8] ^= 1 << bit % 8;
	}
	vectors_free(&v);
}

/* An echo request with this header length, in words, and total length. */
static uint32_t
make_request(uint8_t *p, unsigned int words, uint32_t data)
{
	uint32_t off = words * 4, len = off + 8 + data;

	memset(p, 0, len);
	p[0] = (uint8_t)(0x40 | words);
	p[1] = 0xFF;
	p[8] = 1;
	p[9] = 1;
	memcpy(p + 12, b, 4);
	memcpy(p + 16, a, 4);
	memset(p + 20, 1, off - 20);
	p[off] = 8;
	for (uint32_t i = 4; i < 8 + data; i++)
		p[off + i] = (uint8_t)(i * 5);
	msg_finish4(p, len);
	return len;
}

TEST(header)
{
	uint8_t p[128];
	uint32_t len = make_request(p, 5, 60);

	for (unsigned int x = 0; x < 256; x++) {
		/* Version and header length; 5 to 15 words are there. */
		make_request(p, 5, 60);
		p[0] = (uint8_t)x;
		if (x >> 4 != 4 || (x & 15) < 5)
			assert_int_equal(parse(p, len, NULL), FCN_MSG_IP_HEADER);
		else
			assert_int_equal(parse(p, len, NULL),
					x == 0x45 ? FCN_MSG_OK : FCN_MSG_IP_CHECKSUM);
		make_request(p, 5, 60);
		p[9] = (uint8_t)x;
		msg_finish4(p, len);
		assert_int_equal(parse(p, len, NULL), x == 1 ? FCN_MSG_OK : FCN_MSG_PROTOCOL);
	}
	/* All flags and offsets: Don't Fragment and the reserved bit are no fragment. */
	for (uint32_t x = 0; x <= 0xFFFF; x++) {
		make_request(p, 5, 60);
		p[6] = (uint8_t)(x >> 8);
		p[7] = (uint8_t)x;
		msg_finish4(p, len);
		assert_int_equal(parse(p, len, NULL),
				(x & 0x3FFF) == 0 ? FCN_MSG_OK : FCN_MSG_FRAGMENT);
	}
	make_request(p, 5, 60);
	for (unsigned int first = 0; first < 256; first++) {
		p[12] = (uint8_t)first;
		msg_finish4(p, len);
		assert_int_equal(parse(p, len, NULL), first == 0 || first == 127 || first >= 224
								      ? FCN_MSG_SOURCE
								      : FCN_MSG_OK);
	}
	/* Total length below the header's. */
	for (uint32_t total = 0; total < 28; total++) {
		make_request(p, 7, 32);
		p[3] = (uint8_t)total;
		assert_int_equal(parse(p, len, NULL), FCN_MSG_IP_HEADER);
	}
}

/* In a buffer of its own and in place; data of all lengths, options in front or not. */
TEST(echo_reply)
{
	static uint8_t request[70000], before[70000];
	static const uint32_t big[] = {1472, 8192, 65535 - 8 - 60};

	for (unsigned int n = 0; n < 3 * 40 + RTE_DIM(big); n++) {
		uint32_t data = n < 120 ? n / 3 : big[n - 120];
		uint32_t off = 20 + 20 * (n % 3);
		uint32_t len = make_request(request, off / 4, data), want = 28 + data, got;
		uint8_t *copy = exact_copy(request, len), *buf = msg_room(want);
		struct fcn_icmp4 msg;

		memcpy(before, request, len);
		assert_int_equal(parse(request, len, &msg), FCN_MSG_OK);
		assert_int_equal(msg.off, off);
		assert_int_equal(fcn_icmp4_build_echo_reply(copy, &msg, NULL, 64, 0, buf, want - 1),
				0);
		assert_true(msg_untouched(buf, want));
		assert_int_equal(fcn_icmp4_build_echo_reply(copy, &msg, NULL, 64, 0, buf, want),
				want);
		assert_memory_equal(copy, before, len);

		/* DSCP kept, ECN not; atomic. */
		assert_memory_equal(buf, "\x45\xFC", 2);
		assert_int_equal(buf[2] << 8 | buf[3], want);
		assert_memory_equal(buf + 4, "\x00\x00\x40\x00\x40\x01", 6);
		assert_memory_equal(buf + 12, a, 4);
		assert_memory_equal(buf + 16, b, 4);
		assert_int_equal(msg_sum(buf, 20, 0), 0xFFFF);
		assert_int_equal(buf[20] | buf[21], 0);
		assert_int_equal(msg_sum(buf + 20, want - 20, 0), 0xFFFF);
		assert_memory_equal(buf + 24, before + off + 4, 4 + data);

		got = fcn_icmp4_build_echo_reply(copy, &msg, NULL, 64, 0, copy, len);
		assert_int_equal(got, want);
		assert_memory_equal(copy, buf, want);
		assert_memory_equal(copy + want, before + want, len - want);
		free(copy);
		free(buf);
	}
}

TEST(echo_groups)
{
	uint8_t request[64], buf[64];
	uint32_t len = make_request(request, 5, 16);
	struct fcn_icmp4 msg;

	for (unsigned int first = 0; first < 256; first++) {
		bool station = first != 0 && first != 127 && first < 224;

		request[16] = (uint8_t)first;
		msg_finish4(request, len);
		assert_int_equal(parse(request, len, &msg), FCN_MSG_OK);
		assert_int_equal(fcn_icmp4_build_echo_reply(
						 request, &msg, NULL, 64, 0, buf, sizeof(buf)),
				station ? len : 0);
		assert_int_equal(fcn_icmp4_build_echo_reply(
						 request, &msg, a, 64, 0, buf, sizeof(buf)),
				len);
		assert_memory_equal(buf + 12, a, 4);
	}
	request[20] = 0;
	msg_finish4(request, len);
	assert_int_equal(parse(request, len, &msg), FCN_MSG_OK);
	assert_int_equal(fcn_icmp4_build_echo_reply(request, &msg, a, 64, 0, buf, sizeof(buf)), 0);
}

/* All types: errors quote, the others do not; the word is read where it says something. */
TEST(types)
{
	uint8_t p[28 + 60];

	for (unsigned int type = 0; type < 256; type++) {
		for (unsigned int code = 0; code < 6; code++) {
			bool error = type == 3 || type == 4 || type == 5 || type == 11 ||
				     type == 12;
			bool echo = type == 0 || type == 8;
			struct fcn_icmp4 msg;

			make_request(p, 5, 60);
			p[20] = (uint8_t)type;
			p[21] = (uint8_t)code;
			memcpy(p + 24, "\x01\x02\x03\x04", 4);
			p[28] = 0;
			msg_finish4(p, sizeof(p));
			assert_int_equal(parse(p, sizeof(p), &msg), FCN_MSG_OK);
			assert_int_equal(msg.quote_len, error ? 60 : 0);
			assert_int_equal(msg.param, type == 3 && code == 4    ? 0x0304
						    : type == 12 && code == 0 ? 1
									      : 0);
			assert_int_equal(msg.id, echo ? 0x0102 : 0);
			assert_int_equal(msg.seq, echo ? 0x0304 : 0);
		}
	}
}

/* Units of 4 octets, of at least 128, in the second octet of the word (RFC 4884). */
TEST(quotes)
{
	static const uint8_t types[] = {3, 4, 5, 11, 12};
	uint8_t p[28 + 300];

	for (unsigned int t = 0; t < RTE_DIM(types); t++) {
		for (unsigned int units = 0; units < 256; units++) {
			for (uint32_t total = 0; total <= 320; total += 10) {
				bool extended = types[t] == 3 || types[t] > 5;
				uint32_t want = 300;
				struct fcn_icmp4 msg;

				make_request(p, 5, 300);
				p[20] = types[t];
				memset(p + 24, 0, 304);
				p[25] = (uint8_t)units;
				p[28] = 0x45;
				p[30] = (uint8_t)(total >> 8);
				p[31] = (uint8_t)total;
				msg_finish4(p, sizeof(p));
				if (extended && units >= 32 && units * 4 < want)
					want = units * 4;
				/* One that is shorter than its header says nothing. */
				if (total >= 20 && total < want)
					want = total;
				assert_int_equal(parse(p, sizeof(p), &msg), FCN_MSG_OK);
				assert_int_equal(msg.quote_len, want);
			}
		}
	}
}

/* Of a packet of n octets, of which some can be read and some are padding: 576 in all at most. */
TEST(error_lengths)
{
	for (uint32_t n = 20; n <= 700; n++) {
		for (unsigned int how = 0; how < 3; how++) {
			uint32_t readable = n + (how == 1 ? 30 : 0),
				 total = n + (how == 2 ? 40 : 0);
			uint32_t quoted = n < 548 ? n : 548;
			uint8_t *ip = msg_room(readable), *buf = msg_room(FCN_ICMP4_ERROR_MAX);
			uint32_t len;

			memset(ip, 0, 20);
			ip[0] = 0x45;
			ip[2] = (uint8_t)(total >> 8);
			ip[3] = (uint8_t)total;
			memcpy(ip + 12, b, 4);
			len = fcn_icmp4_build_error(&errors[0], a, 255, 0xABCD, ip, readable, buf,
					FCN_ICMP4_ERROR_MAX);
			assert_int_equal(len, 28 + quoted);
			assert_memory_equal(buf + 28, ip, quoted);
			assert_true(msg_untouched(buf + len, FCN_ICMP4_ERROR_MAX - len));
			/* With an identification it may be fragmented. */
			assert_memory_equal(buf + 4, "\xAB\xCD\x00\x00\xFF\x01", 6);
			assert_int_equal(msg_sum(buf, 20, 0), 0xFFFF);
			assert_int_equal(msg_sum(buf + 20, len - 20, 0), 0xFFFF);
			free(ip);
			free(buf);
		}
	}
}
