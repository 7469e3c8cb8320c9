/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* ICMP for IPv4: what is like nothing in ICMPv6. */

#include <rte_common.h>

#include "fcn_test.h"
#include "icmp.h"
#include "message.h"
#include "vectors.h"

#define ETHER 14

#define REQUEST 0 /* frame of 33_icmp4 */

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
		error = icmp_parse(4, ip, sizeof(ip), NULL);
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

TEST(header)
{
	uint8_t p[128];
	uint32_t len = icmp4_request(p, 5, 60);

	for (unsigned int x = 0; x < 256; x++) {
		/* Version and header length; 5 to 15 words are there. */
		icmp4_request(p, 5, 60);
		p[0] = (uint8_t)x;
		if (x >> 4 != 4 || (x & 15) < 5)
			assert_int_equal(icmp_parse(4, p, len, NULL), FCN_MSG_IP_HEADER);
		else
			assert_int_equal(icmp_parse(4, p, len, NULL),
					x == 0x45 ? FCN_MSG_OK : FCN_MSG_IP_CHECKSUM);
		icmp4_request(p, 5, 60);
		p[9] = (uint8_t)x;
		msg_finish4(p, len);
		assert_int_equal(icmp_parse(4, p, len, NULL),
				x == 1 ? FCN_MSG_OK : FCN_MSG_PROTOCOL);
	}
	/* All flags and offsets: Don't Fragment and the reserved bit are no fragment. */
	for (uint32_t x = 0; x <= 0xFFFF; x++) {
		icmp4_request(p, 5, 60);
		p[6] = (uint8_t)(x >> 8);
		p[7] = (uint8_t)x;
		msg_finish4(p, len);
		assert_int_equal(icmp_parse(4, p, len, NULL),
				(x & 0x3FFF) == 0 ? FCN_MSG_OK : FCN_MSG_FRAGMENT);
	}
	icmp4_request(p, 5, 60);
	for (unsigned int first = 0; first < 256; first++) {
		p[12] = (uint8_t)first;
		msg_finish4(p, len);
		assert_int_equal(icmp_parse(4, p, len, NULL),
				first == 0 || first == 127 || first >= 224 ? FCN_MSG_SOURCE
									   : FCN_MSG_OK);
	}
	/* Total length below the header's. */
	for (uint32_t total = 0; total < 28; total++) {
		icmp4_request(p, 7, 32);
		p[3] = (uint8_t)total;
		assert_int_equal(icmp_parse(4, p, len, NULL), FCN_MSG_IP_HEADER);
	}
}

TEST(echo_groups)
{
	uint8_t request[64], buf[64];
	uint32_t len = icmp4_request(request, 5, 16);
	struct icmp msg;

	for (unsigned int first = 0; first < 256; first++) {
		bool station = first != 0 && first != 127 && first < 224;

		request[16] = (uint8_t)first;
		msg_finish4(request, len);
		assert_int_equal(icmp_parse(4, request, len, &msg), FCN_MSG_OK);
		assert_int_equal(icmp_echo_reply(&msg, request, NULL, 0, buf, sizeof(buf)),
				station ? len : 0);
		assert_int_equal(icmp_echo_reply(&msg, request, icmp4_a, 0, buf, sizeof(buf)), len);
		assert_memory_equal(buf + 12, icmp4_a, 4);
	}
	request[20] = 0;
	msg_finish4(request, len);
	assert_int_equal(icmp_parse(4, request, len, &msg), FCN_MSG_OK);
	assert_int_equal(icmp_echo_reply(&msg, request, icmp4_a, 0, buf, sizeof(buf)), 0);
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
			struct icmp msg;

			icmp4_request(p, 5, 60);
			p[20] = (uint8_t)type;
			p[21] = (uint8_t)code;
			memcpy(p + 24, "\x01\x02\x03\x04", 4);
			p[28] = 0;
			msg_finish4(p, sizeof(p));
			assert_int_equal(icmp_parse(4, p, sizeof(p), &msg), FCN_MSG_OK);
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
				struct icmp msg;

				icmp4_request(p, 5, 300);
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
				assert_int_equal(icmp_parse(4, p, sizeof(p), &msg), FCN_MSG_OK);
				assert_int_equal(msg.quote_len, want);
			}
		}
	}
}
