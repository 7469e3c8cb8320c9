/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "icmp.h"
#include "message.h"
#include "test_case.h"
#include "vectors.h"

const uint8_t icmp4_a[4] = {192, 0, 2, 1}, icmp4_b[4] = {192, 0, 2, 9};
const uint8_t icmp6_a[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 1, [15] = 1},
	      icmp6_b[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 1, [13] = 0xAB, 0xCD, 0xEF};

#define COPY(msg, v, tos_member, ttl_member)                  \
	do {                                                  \
		(msg)->type = (v).type;                       \
		(msg)->code = (v).code;                       \
		(msg)->tclass = (v).tos_member;               \
		(msg)->ttl = (v).ttl_member;                  \
		memcpy((msg)->src, (v).src, sizeof((v).src)); \
		memcpy((msg)->dst, (v).dst, sizeof((v).dst)); \
		(msg)->id = (v).id;                           \
		(msg)->seq = (v).seq;                         \
		(msg)->param = (v).param;                     \
		(msg)->off = (v).off;                         \
		(msg)->len = (v).len;                         \
		(msg)->quote_off = (v).quote_off;             \
		(msg)->quote_len = (v).quote_len;             \
	} while (0)

enum fcn_msg_error
icmp_parse(unsigned int version, const uint8_t *data, uint32_t len, struct icmp *out)
{
	uint8_t *copy = exact_copy(data, len);
	struct icmp msg = {.version = (uint8_t)version}, before;
	enum fcn_msg_error error;

	memset(&msg.v4, 0xA5, sizeof(msg.v4));
	memset(&msg.v6, 0xA5, sizeof(msg.v6));
	memcpy(&before, &msg, sizeof(msg));
	error = version == 4 ? fcn_icmp4_parse(copy, len, &msg.v4)
			     : fcn_icmp6_parse(copy, len, &msg.v6);
	free(copy);
	if (error != FCN_MSG_OK) {
		assert_memory_equal(&msg.v4, &before.v4, sizeof(msg.v4));
		assert_memory_equal(&msg.v6, &before.v6, sizeof(msg.v6));
		return error;
	}
	if (version == 4)
		COPY(&msg, msg.v4, tos, ttl);
	else
		COPY(&msg, msg.v6, tclass, hop_limit);
	assert_true(msg.off >= (version == 4 ? 20 : 40) && msg.len >= 8 &&
			msg.off + msg.len <= len);
	assert_true(msg.quote_len == 0 || msg.quote_off == msg.off + 8);
	assert_true(msg.quote_len <= msg.len - 8);
	if (out != NULL)
		*out = msg;
	return error;
}

uint32_t
icmp4_request(uint8_t *p, unsigned int words, uint32_t data)
{
	uint32_t off = words * 4, len = off + 8 + data;

	memset(p, 0, len);
	p[0] = (uint8_t)(0x40 | words);
	p[1] = 0xFF;
	p[8] = 1;
	p[9] = 1;
	memcpy(p + 12, icmp4_b, 4);
	memcpy(p + 16, icmp4_a, 4);
	memset(p + 20, 1, off - 20);
	p[off] = 8;
	for (uint32_t i = 4; i < 8 + data; i++)
		p[off + i] = (uint8_t)(i * 5);
	msg_finish4(p, len);
	return len;
}

uint32_t
icmp6_request(uint8_t *p, uint32_t data, unsigned int n_ext)
{
	uint32_t off = 40 + 8 * n_ext, len = off + 8 + data;

	memset(p, 0, len);
	p[0] = 0x6F;
	p[1] = 0xF0;
	p[6] = n_ext > 0 ? 60 : 58;
	p[7] = 1;
	memcpy(p + 8, icmp6_b, 16);
	memcpy(p + 24, icmp6_a, 16);
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

uint32_t
icmp_echo_reply(const struct icmp *msg, const uint8_t *request, const uint8_t *src, uint16_t ip_id,
		uint8_t *buf, uint32_t room)
{
	return msg->version == 4
			       ? fcn_icmp4_build_echo_reply(
						 request, &msg->v4, src, 64, ip_id, buf, room)
			       : fcn_icmp6_build_echo_reply(request, &msg->v6, src, 64, buf, room);
}
