/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Which packets an ICMPv6 error may answer: RFC 4443 section 2.4 (e), rule by rule. */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_icmp6.h"
#include "vectors.h"

#define PACKET_MAX 2048

static const uint8_t host[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 1, [15] = 9},
		     far[16] = {0x20, 0x01, 0x0D, 0xB8, 0, 9, [15] = 9},
		     group[16] = {0xFF, 0x0E, [15] = 9};

/* All errors that there are; the last but one of an option, its pointer at octet 42. */
static const struct fcn_icmp6_error errors[] = {
		{FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ROUTE, 0},
		{FCN_ICMP6_UNREACHABLE, FCN_ICMP6_PROHIBITED, 0},
		{FCN_ICMP6_UNREACHABLE, FCN_ICMP6_BEYOND_SCOPE, 0},
		{FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_ADDRESS, 0},
		{FCN_ICMP6_UNREACHABLE, FCN_ICMP6_NO_PORT, 0},
		{FCN_ICMP6_TIME_EXCEEDED, FCN_ICMP6_HOP_LIMIT, 0},
		{FCN_ICMP6_TIME_EXCEEDED, FCN_ICMP6_REASSEMBLY, 0},
		{FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD, 42},
		{FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_NEXT_HEADER, 42},
		{FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_OPTION, 42},
		{FCN_ICMP6_TOO_BIG, 0, 1400},
};
#define N_ERRORS RTE_DIM(errors)
#define OPTION (N_ERRORS - 2)
#define TOO_BIG (N_ERRORS - 1)

struct packet {
	uint8_t data[PACKET_MAX];
	uint32_t len;
};

static void
begin(struct packet *p, uint8_t next_header)
{
	memset(p, 0, sizeof(*p));
	p->data[0] = 0x60;
	p->data[6] = next_header;
	p->data[7] = 1;
	memcpy(p->data + 8, host, 16);
	memcpy(p->data + 24, far, 16);
	p->len = 40;
}

/* Extension header of 8 * units octets; a Fragment header's offset is 0. */
static uint8_t *
extension(struct packet *p, uint8_t next_header, unsigned int units)
{
	uint8_t *ext = p->data + p->len;

	ext[0] = next_header;
	ext[1] = (uint8_t)(units - 1);
	p->len += 8 * units;
	return ext;
}

/* Octets of an upper layer, and the payload length. */
static void
finish(struct packet *p, const void *upper, uint32_t len)
{
	memcpy(p->data + p->len, upper, len);
	p->len += len;
	p->data[4] = (uint8_t)((p->len - 40) >> 8);
	p->data[5] = (uint8_t)(p->len - 40);
}

static bool
may(const struct fcn_icmp6_error *error, const struct packet *p, uint32_t len, bool link_group)
{
	uint8_t *copy = exact_copy(p->data, len);
	bool answer = fcn_icmp6_may_answer(error, copy, len, link_group);

	free(copy);
	return answer;
}

static void
udp_packet(struct packet *p)
{
	begin(p, 60);
	extension(p, 17, 1)[2] = 0x9E; /* an option of action 10, at 42 */
	finish(p, (uint8_t[8]){4, 0, 8, 0, 0, 8}, 8);
}

/* A packet with nothing against it. */
TEST(ordinary)
{
	struct packet p;

	udp_packet(&p);
	for (unsigned int i = 0; i < N_ERRORS; i++)
		assert_true(may(&errors[i], &p, p.len, false));
}

/* (e.1), (e.2): every type of ICMPv6, with and without headers in front. */
TEST(icmp)
{
	for (unsigned int type = 0; type < 256; type++) {
		bool want = type >= 128 && type != 137;

		for (unsigned int n_ext = 0; n_ext < 4; n_ext++) {
			uint8_t message[8] = {(uint8_t)type};
			struct packet p;

			begin(&p, n_ext == 0 ? 58 : 60);
			for (unsigned int i = 1; i <= n_ext; i++)
				extension(&p, i == n_ext ? 58 : 60, i)[2] = 0x9E;
			finish(&p, message, sizeof(message));
			for (unsigned int i = 0; i < N_ERRORS; i++)
				assert_int_equal(may(&errors[i], &p, p.len, false), want);
		}
	}
}

/* What stands in front of an error must not hide it. */
TEST(every_extension)
{
	static const uint8_t kinds[] = {0, 43, 44, 51, 60, 135, 139, 140};
	struct packet p;

	for (unsigned int i = 0; i < RTE_DIM(kinds); i++) {
		for (uint8_t type = 3; type <= 128; type += 125) {
			begin(&p, kinds[i]);
			/* Authentication counts in units of 4, from 8 octets on. */
			extension(&p, 58, 2)[1] = kinds[i] == 51 ? 2 : kinds[i] == 44 ? 0 : 1;
			if (kinds[i] == 44)
				p.len -= 8;
			finish(&p, (uint8_t[8]){type}, 8);
			assert_int_equal(may(&errors[0], &p, p.len, false), type >= 128);
		}
	}
	/* Other protocols are no extension headers: what is behind them is theirs. */
	for (unsigned int proto = 0; proto < 256; proto++) {
		bool extension_header = memchr(kinds, (int)proto, sizeof(kinds)) != NULL;

		begin(&p, (uint8_t)proto);
		extension(&p, 58, 1);
		finish(&p, (uint8_t[8]){3}, 8);
		/* Of ICMPv6 58 is an error's type. */
		assert_int_equal(may(&errors[0], &p, p.len, false),
				!extension_header && proto != 58);
	}
}

/* Fragments: only the first shows the type. */
TEST(fragments)
{
	struct packet p;

	for (unsigned int later = 0; later < 2; later++) {
		for (unsigned int proto = 17; proto <= 58; proto += 41) {
			for (uint8_t type = 3; type <= 128; type += 125) {
				begin(&p, 44);
				extension(&p, (uint8_t)proto, 1)[3] = (uint8_t)(1 | later * 8);
				finish(&p, (uint8_t[8]){type}, 8);
				assert_int_equal(may(&errors[0], &p, p.len, false),
						proto == 17 || (!later && type == 128));
			}
		}
	}
}

/* Behind a later fragment's header stands data; what it looks like says nothing. */
TEST(fragment_data)
{
	static const uint8_t inside[] = {17, 58};
	struct packet p;

	for (unsigned int i = 0; i < RTE_DIM(inside); i++) {
		begin(&p, 44);
		extension(&p, 60, 1)[3] = 8;
		extension(&p, inside[i], 1);
		finish(&p, (uint8_t[8]){128}, 8);
		assert_false(may(&errors[0], &p, p.len, false));
		/* The first fragment shows it. */
		p.data[43] = 1;
		assert_true(may(&errors[0], &p, p.len, false));
	}
}

/* (e.3) to (e.5): to a group by either address; the two exceptions, and nobody else. */
TEST(groups)
{
	struct packet p;

	for (unsigned int i = 0; i < N_ERRORS; i++) {
		for (unsigned int n = 1; n < 4; n++) {
			udp_packet(&p);
			if (n & 1)
				memcpy(p.data + 24, group, 16);
			assert_int_equal(may(&errors[i], &p, p.len, n & 2),
					i == OPTION || i == TOO_BIG);
		}
	}
	/* By type: only options of action 10. */
	for (unsigned int type = 0; type < 256; type++) {
		udp_packet(&p);
		p.data[42] = (uint8_t)type;
		assert_true(may(&errors[OPTION], &p, p.len, false));
		assert_int_equal(may(&errors[OPTION], &p, p.len, true), type >> 6 == 2);
		memcpy(p.data + 24, group, 16);
		assert_int_equal(may(&errors[OPTION], &p, p.len, false), type >> 6 == 2);
	}
	/* The exceptions are of (e.3) to (e.5) only. */
	for (unsigned int i = OPTION; i <= TOO_BIG; i++) {
		begin(&p, 60);
		extension(&p, 58, 1)[2] = 0x9E;
		finish(&p, (uint8_t[8]){1}, 8);
		memcpy(p.data + 24, group, 16);
		assert_false(may(&errors[i], &p, p.len, true));
		udp_packet(&p);
		memcpy(p.data + 24, group, 16);
		memcpy(p.data + 8, group, 16);
		assert_false(may(&errors[i], &p, p.len, true));
	}
}

/* A pointer anywhere: outside the packet or in its header there is no option. */
TEST(pointer)
{
	struct packet p;

	udp_packet(&p);
	memcpy(p.data + 24, group, 16);
	p.data[39] = 0x9E;
	for (uint32_t pointer = 0; pointer < 100; pointer++) {
		struct fcn_icmp6_error error = {
				FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_OPTION, pointer};

		assert_int_equal(may(&error, &p, p.len, false), pointer == 42);
	}
	for (unsigned int bit = 6; bit < 32; bit++) {
		struct fcn_icmp6_error error = {
				FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_OPTION, 42 + (1u << bit)};

		assert_false(may(&error, &p, p.len, false));
	}
}

/* (e.6) */
TEST(sources)
{
	struct packet p;

	udp_packet(&p);
	for (unsigned int first = 0; first < 256; first++) {
		p.data[8] = (uint8_t)first;
		for (unsigned int i = 0; i < N_ERRORS; i++)
			assert_int_equal(may(&errors[i], &p, p.len, false), first != 0xFF);
	}
	memset(p.data + 8, 0, 16);
	assert_false(may(&errors[TOO_BIG], &p, p.len, false));
	for (unsigned int bit = 0; bit < 128; bit++) {
		memset(p.data + 8, 0, 16);
		p.data[8 + bit / 8] = 0x80 >> bit % 8;
		assert_int_equal(may(&errors[TOO_BIG], &p, p.len, false), bit != 127);
	}
}

/* Cut at every octet: what may be an error behind the cut is taken for one. */
TEST(cut)
{
	for (unsigned int proto = 17; proto <= 58; proto += 41) {
		struct packet p;

		begin(&p, 0);
		extension(&p, 60, 2);
		extension(&p, 43, 3);
		extension(&p, (uint8_t)proto, 2);
		finish(&p, (uint8_t[8]){128}, 8);
		for (uint32_t len = 0; len <= p.len; len++) {
			/* The last header is at 80 and must be begun; of ICMPv6 the type is at 96.
			 */
			bool want = len >= (proto == 17 ? 88u : 97u);

			assert_int_equal(may(&errors[0], &p, len, false), want);
		}
		/*
		 * The same with a payload length that ends there, and octets behind it that are
		 * padding: nobody can find an upper layer, but ICMPv6 without a type is one.
		 */
		for (uint32_t len = 40; len <= p.len; len++) {
			bool want = proto == 17 || len != 96;

			p.data[4] = 0;
			p.data[5] = (uint8_t)(len - 40);
			assert_int_equal(may(&errors[0], &p, len, false), want);
			assert_int_equal(may(&errors[0], &p, p.len, false), want);
		}
	}
}

/* More headers than are looked at hide the upper layer; with fewer it is found. */
TEST(many_headers)
{
	for (unsigned int n = 1; n <= 200; n++) {
		for (uint8_t type = 3; type <= 128; type += 125) {
			struct packet p;

			begin(&p, 60);
			for (unsigned int i = 1; i <= n; i++)
				extension(&p, i == n ? 58 : 60, 1);
			finish(&p, (uint8_t[8]){type}, 8);
			if (type == 3)
				assert_false(may(&errors[0], &p, p.len, false));
			else if (n <= 59)
				assert_true(may(&errors[0], &p, p.len, false));
			else if (n > 60)
				assert_false(may(&errors[0], &p, p.len, false));
		}
	}
}

TEST(no_ipv6)
{
	struct packet p;

	udp_packet(&p);
	for (unsigned int version = 0; version < 16; version++) {
		p.data[0] = (uint8_t)(version << 4);
		assert_int_equal(may(&errors[0], &p, p.len, false), version == 6);
	}
}
