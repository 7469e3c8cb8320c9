/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Neighbour Discovery read: frames of scapy, and every check of RFC 4861 broken by hand. */

#include <rte_common.h>

#include "fcn_test.h"
#include "message.h"
#include "nd_frames.h"

TEST_FIXTURE(.begin = nd_setup);

TEST(vectors_read)
{
	struct fcn_nd nd;

	for (unsigned int i = 0; i < N_FRAMES; i++) {
		assert_int_equal(nd_parse(nd_frames[i].data, nd_frames[i].len, &nd), FCN_MSG_OK);
		nd_assert_equal(&nd, i);
	}
}

/* Cut as it is: the packet is not all there. Longer: padding, of any content. */
TEST(cut)
{
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		struct nd_packet p = nd_frames[i];
		struct fcn_nd nd;

		for (uint32_t len = 0; len < p.len; len++)
			assert_int_equal(nd_parse(p.data, len, NULL), FCN_MSG_TRUNCATED);
		memset(p.data + p.len, 0xFF, 20);
		for (uint32_t len = p.len; len < p.len + 20; len++) {
			assert_int_equal(nd_parse(p.data, len, &nd), FCN_MSG_OK);
			nd_assert_equal(&nd, i);
		}
	}
}

/* Cut, and made right for its length: up to the fixed part too short, then between options. */
TEST(short)
{
	static const uint32_t fixed[N_FRAMES] = {24, 24, 24, 24, 24, 8, 8, 16};

	for (unsigned int i = 0; i < N_FRAMES; i++) {
		for (uint32_t len = 40; len <= nd_frames[i].len; len++) {
			struct nd_packet p = nd_frames[i];
			uint32_t options = len - 40 - fixed[i];
			/* Router advertisement: options end at 8, 16, 48 and 80. */
			bool whole = options == 0 || options == 8 ||
				     (i == RA && (options == 16 || options == 48 || options == 80));
			struct fcn_nd nd;

			p.len = len;
			if (len < 40 + fixed[i]) {
				assert_int_equal(nd_parse_completed(&p, NULL), FCN_MSG_TRUNCATED);
			} else if (!whole) {
				assert_int_equal(nd_parse_completed(&p, NULL),
						FCN_MSG_OPTION_LENGTH);
			} else {
				assert_int_equal(nd_parse_completed(&p, &nd), FCN_MSG_OK);
				assert_int_equal(nd.has_lladdr, options > 0);
				assert_int_equal(nd.ra.mtu, options >= 16 ? 9000 : 0);
				assert_int_equal(nd.ra.n_prefixes,
						options < 48 ? 0 : (options - 16) / 32);
			}
		}
	}
}

/* Each bit of pseudo-header addresses and message; hop limit, class and label are not covered. */
TEST(checksum)
{
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		struct nd_packet p = nd_frames[i];

		for (uint32_t bit = 8 * 8; bit < p.len * 8; bit++) {
			p.data[bit / 8] ^= 1 << bit % 8;
			assert_int_equal(nd_parse(p.data, p.len, NULL), FCN_MSG_CHECKSUM);
			p.data[bit / 8] ^= 1 << bit % 8;
		}
		p.data[0] ^= 0x0F;
		p.data[1] = p.data[2] = p.data[3] = 0xFF;
		assert_int_equal(nd_parse(p.data, p.len, NULL), FCN_MSG_OK);
		p.data[0] ^= 0x20;
		assert_int_equal(nd_parse(p.data, p.len, NULL), FCN_MSG_IP_HEADER);
	}
}

TEST(header_fields)
{
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		struct nd_packet p = nd_frames[i];

		for (unsigned int x = 0; x < 256; x++) {
			p.data[7] = (uint8_t)x;
			assert_int_equal(nd_parse_completed(&p, NULL),
					x == 255 ? FCN_MSG_OK : FCN_MSG_HOP_LIMIT);
		}
		for (unsigned int x = 0; x < 256; x++) {
			p.data[41] = (uint8_t)x;
			assert_int_equal(nd_parse_completed(&p, NULL),
					x == 0 ? FCN_MSG_OK : FCN_MSG_CODE);
		}
		p.data[41] = 0;
		for (unsigned int x = 0; x < 256; x++) {
			p.data[40] = (uint8_t)x;
			if (x < 133 || x > 136)
				assert_int_equal(nd_parse_completed(&p, NULL), FCN_MSG_TYPE);
		}
	}
}

TEST(next_headers)
{
	static const uint8_t padded[8] = {58, 0, 1, 4}, first[8] = {58, 0, 0, 1},
			     later[8] = {58, 0, 0, 8}, atomic[8] = {58};
	struct nd_packet p;
	struct fcn_nd nd;

	for (unsigned int x = 0; x < 256; x++) {
		enum fcn_msg_error error;

		p = nd_frames[NS];
		p.data[6] = (uint8_t)x;
		error = nd_parse(p.data, p.len, NULL);
		/* As an extension header the message's first octet names no ICMPv6. */
		if (x == 58)
			assert_int_equal(error, FCN_MSG_OK);
		else
			assert_true(error == FCN_MSG_PROTOCOL || error == FCN_MSG_IP_HEADER ||
					(x == 44 && error == FCN_MSG_FRAGMENT));
	}
	/* Destination Options in front are no harm. */
	for (unsigned int kind = 0; kind < 4; kind++) {
		const uint8_t *ext = kind == 0   ? padded
				     : kind == 1 ? first
				     : kind == 2 ? later
						 : atomic;

		p = nd_frames[NS];
		memmove(p.data + 48, p.data + 40, p.len - 40);
		memcpy(p.data + 40, ext, 8);
		p.len += 8;
		p.data[6] = kind == 0 ? 60 : 44;
		msg_finish6(p.data, 48, p.len);
		assert_int_equal(nd_parse(p.data, p.len, &nd),
				kind == 0 ? FCN_MSG_OK : FCN_MSG_FRAGMENT);
		if (kind == 0)
			nd_assert_equal(&nd, NS);
		/* The first fragment may hold more headers. */
		if (kind == 2) {
			p.data[40] = 60;
			assert_int_equal(nd_parse(p.data, p.len, NULL), FCN_MSG_FRAGMENT);
		}
	}
}

/* An address of each kind. */
enum kind {
	UNSPECIFIED,
	LOOPBACK,
	LINK_LOCAL,
	GLOBAL,
	GROUP_NODES,
	GROUP_SOLICITED,
	N_KINDS,
};

static const uint8_t of_kind[N_KINDS][16] = {
		[LOOPBACK] = {[15] = 1},
		[LINK_LOCAL] = {0xFE, 0xBF, [15] = 7},
		[GLOBAL] = {0x20, 0x01, 0x0D, 0xB8, [15] = 7},
		[GROUP_NODES] = {0xFF, 2, [15] = 1},
		[GROUP_SOLICITED] = {0xFF, 2, [11] = 1, [12] = 0xFF, [15] = 7},
};

/* What RFC 4861 says of a source, destination and target, message by message. */
static enum fcn_msg_error
verdict(unsigned int i, enum kind src, enum kind dst, enum kind target)
{
	bool group = dst >= GROUP_NODES, station = src == LINK_LOCAL || src == GLOBAL;

	if (src >= GROUP_NODES || src == LOOPBACK)
		return FCN_MSG_SOURCE;
	if (i == RA)
		return src == LINK_LOCAL ? FCN_MSG_OK : FCN_MSG_SOURCE;
	if ((i == NA || i == NA_ALL) && !station)
		return FCN_MSG_SOURCE;
	if (i <= NS_DAD && !station && dst != GROUP_SOLICITED)
		return FCN_MSG_DESTINATION;
	if (i == NA && group)
		return FCN_MSG_SOLICITED;
	if (i <= NA_ALL && target != LINK_LOCAL && target != GLOBAL)
		return FCN_MSG_TARGET;
	/* Who has no address has no link-layer address to tell. */
	if (i != NS_DAD && i != RS_UNSPECIFIED && !station)
		return FCN_MSG_OPTION_LLADDR;
	return FCN_MSG_OK;
}

TEST(addresses)
{
	unsigned int ok = 0;

	for (unsigned int i = 0; i < N_FRAMES; i++) {
		for (unsigned int n = 0; n < N_KINDS * N_KINDS * N_KINDS; n++) {
			enum kind src = n % N_KINDS, dst = n / N_KINDS % N_KINDS,
				  target = n / N_KINDS / N_KINDS;
			struct nd_packet p = nd_frames[i];
			enum fcn_msg_error error, want = verdict(i, src, dst, target);

			memcpy(p.data + 8, of_kind[src], 16);
			memcpy(p.data + 24, of_kind[dst], 16);
			if (i <= NA_ALL)
				memcpy(p.data + 48, of_kind[target], 16);
			error = nd_parse_completed(&p, NULL);
			if (error != want)
				fail_msg("frame %u, addresses %u %u %u: error %d, not %d", i, src,
						dst, target, error, want);
			ok += error == FCN_MSG_OK;
		}
	}
	assert_true(ok > 0);
}

/* Router advertisements come from fe80::/10, and from nowhere else. */
TEST(router_source)
{
	struct nd_packet p = nd_frames[RA];

	for (uint32_t x = 0; x <= 0xFFFF; x++) {
		p.data[8] = (uint8_t)(x >> 8);
		p.data[9] = (uint8_t)x;
		assert_int_equal(nd_parse_completed(&p, NULL),
				(x & 0xFFC0) == 0xFE80 ? FCN_MSG_OK : FCN_MSG_SOURCE);
	}
}

/* A header in front, of every length that it can claim: 16 octets are right. */
TEST(header_lengths)
{
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		for (unsigned int units = 0; units < 256; units++) {
			struct nd_packet p = nd_frames[i];
			uint32_t end;
			struct fcn_nd nd;
			enum fcn_msg_error error;

			memmove(p.data + 56, p.data + 40, p.len - 40);
			memset(p.data + 40, 0, 16);
			p.data[6] = 60;
			p.data[40] = 58;
			p.data[41] = (uint8_t)units;
			p.len += 16;
			msg_finish6(p.data, 56, p.len);
			end = 40 + 8 * (units + 1);
			error = nd_parse(p.data, p.len, &nd);
			if (units == 1) {
				assert_int_equal(error, FCN_MSG_OK);
				nd_assert_equal(&nd, i);
			} else if (end > p.len) {
				assert_int_equal(error, FCN_MSG_IP_HEADER);
			} else if (end + 8 > p.len) {
				assert_int_equal(error, FCN_MSG_TRUNCATED);
			} else {
				assert_int_equal(error, FCN_MSG_CHECKSUM);
			}
		}
	}
}

/* Every octet of the prefix counts: a group that is nearly a solicited-node one is none. */
TEST(solicited_prefix)
{
	for (unsigned int bit = 0; bit < 128; bit++) {
		struct nd_packet p = nd_frames[NS_DAD];

		p.data[24 + bit / 8] ^= 0x80 >> bit % 8;
		assert_int_equal(nd_parse_completed(&p, NULL),
				bit < 104 ? FCN_MSG_DESTINATION : FCN_MSG_OK);
		assert_int_equal(fcn_nd_is_solicited_node(p.data + 24), bit >= 104);
	}
}

TEST(flags)
{
	struct fcn_nd nd;

	for (unsigned int x = 0; x < 256; x++) {
		struct nd_packet p = nd_frames[NA];

		/* Reserved bits and octets are ignored. */
		p.data[44] = (uint8_t)x;
		memset(p.data + 45, x, 3);
		assert_int_equal(nd_parse_completed(&p, &nd), FCN_MSG_OK);
		assert_int_equal(nd.flags, x & 0xE0);
		p = nd_frames[NA_ALL];
		p.data[44] = (uint8_t)x;
		assert_int_equal(nd_parse_completed(&p, NULL),
				x & 0x40 ? FCN_MSG_SOLICITED : FCN_MSG_OK);
		p = nd_frames[RA];
		p.data[45] = (uint8_t)x;
		assert_int_equal(nd_parse_completed(&p, &nd), FCN_MSG_OK);
		assert_int_equal(nd.ra.flags, x & 0xC0);
		p.data[75] = (uint8_t)x; /* first prefix option: 40 + 16 + 8 + 8 + 3 */
		assert_int_equal(nd_parse_completed(&p, &nd), FCN_MSG_OK);
		assert_int_equal(nd.ra.prefix[0].flags, x & 0xC0);
		for (unsigned int i = 0; i < N_FRAMES; i++) {
			p = nd_frames[i];
			if (i != RA)
				memset(p.data + 45, x, 3);
			assert_int_equal(nd_parse_completed(&p, NULL), FCN_MSG_OK);
		}
	}
}

/* Every option type with every length, as the last one of 48 octets of room. */
TEST(option_lengths)
{
	for (unsigned int i = 0; i < N_FRAMES; i++) {
		for (unsigned int type = 0; type < 256; type++) {
			for (unsigned int units = 0; units < 256; units++) {
				uint8_t opt[48] = {(uint8_t)type, (uint8_t)units, 2};
				struct nd_packet p = nd_frames[i];
				bool lladdr = type == (i == NA || i == NA_ALL ? 2 : 1);
				unsigned int right = lladdr || (i == RA && type == 5) ? 1
						     : i == RA && type == 3           ? 4
										      : units;
				bool unspecified = i == NS_DAD || i == RS_UNSPECIFIED;
				enum fcn_msg_error want = FCN_MSG_OK;

				if (type > 5 && type < 250 && units > 8 && units < 250)
					continue;
				/* What is behind the option is options again: of type 0, long
				 * enough. */
				for (unsigned int off = units * 8; off < sizeof(opt); off += 8)
					opt[off + 1] = off == 0 ? 0 : 1;
				if (units == 0 || units > 6 || units != right)
					want = FCN_MSG_OPTION_LENGTH;
				else if (lladdr && unspecified)
					want = FCN_MSG_OPTION_LLADDR;
				nd_add(&p, opt, sizeof(opt));
				assert_int_equal(nd_parse_completed(&p, NULL), want);
			}
		}
	}
}

TEST(lladdr)
{
	static const unsigned int with_option[] = {NS, NS_UNICAST, NA, NA_ALL, RS, RA};
	static const uint8_t source[16] = {1, 1, 2, 9, 9, 9, 9, 9, 2, 1, 2, 8, 8, 8, 8, 8};

	for (unsigned int n = 0; n < RTE_DIM(with_option); n++) {
		unsigned int i = with_option[n];
		uint32_t at = i == RS ? 48 : i == RA ? 56 : 64;
		struct nd_packet p = nd_frames[i];
		struct fcn_nd nd;

		for (unsigned int first = 0; first < 256; first++) {
			p.data[at + 2] = (uint8_t)first;
			assert_int_equal(nd_parse_completed(&p, NULL),
					first & 1 ? FCN_MSG_OPTION_LLADDR : FCN_MSG_OK);
		}
		memset(p.data + at + 2, 0, 6);
		assert_int_equal(nd_parse_completed(&p, NULL), FCN_MSG_OPTION_LLADDR);
		p.data[at + 7] = 1;
		assert_int_equal(nd_parse_completed(&p, NULL), FCN_MSG_OK);

		/* The first of several counts; the other message's option does not. */
		p = nd_frames[i];
		nd_add(&p, source, sizeof(source));
		assert_int_equal(nd_parse_completed(&p, &nd), FCN_MSG_OK);
		assert_memory_equal(&nd.lladdr, &nd_expected[i].lladdr, 6);
		p.data[at] ^= 3;
		assert_int_equal(nd_parse_completed(&p, &nd), FCN_MSG_OK);
		assert_memory_equal(&nd.lladdr, source + (i == NA || i == NA_ALL ? 10 : 2), 6);
	}
}

TEST(prefixes)
{
	uint8_t opt[32] = {3, 4};
	struct nd_packet p = nd_frames[RA];
	struct fcn_nd nd;

	for (unsigned int x = 0; x < 256; x++) {
		p.data[74] = (uint8_t)x;
		assert_int_equal(nd_parse_completed(&p, &nd),
				x > 128 ? FCN_MSG_OPTION_PREFIX : FCN_MSG_OK);
		if (x <= 128)
			assert_int_equal(nd.ra.prefix[0].len, x);
	}
	/* Two are there; more than eight are left out, but still checked. */
	p = nd_frames[RA];
	for (unsigned int n = 3; n <= 12; n++) {
		opt[2] = (uint8_t)n;
		opt[16] = (uint8_t)n;
		nd_add(&p, opt, sizeof(opt));
		assert_int_equal(nd_parse_completed(&p, &nd), FCN_MSG_OK);
		assert_int_equal(nd.ra.n_prefixes, RTE_MIN(n, 8u));
		assert_int_equal(nd.prefixes_left_out, n > 8);
		if (n <= 8)
			assert_memory_equal(nd.ra.prefix[n - 1].addr, opt + 16, 16);
		assert_int_equal(nd.ra.prefix[RTE_MIN(n, 8u) - 1].len, RTE_MIN(n, 8u));
	}
	p.data[p.len - 30] = 129;
	assert_int_equal(nd_parse_completed(&p, NULL), FCN_MSG_OPTION_PREFIX);
	/* The first MTU counts. */
	p = nd_frames[RA];
	nd_add(&p, (uint8_t[8]){5, 1, 0, 0, 0, 0, 5, 0xDC}, 8);
	assert_int_equal(nd_parse_completed(&p, &nd), FCN_MSG_OK);
	assert_int_equal(nd.ra.mtu, 9000);
}
