/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What a node does with packets to its SIDs: pairs of packets before and after, which scapy, Linux
 * and the maker of the vectors built; each refusal; random packets.
 */

#include "fcn_test.h"

#include <netinet/in.h>

#include "fcn_parse.h"
#include "fcn_srv6_end.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define IP6_LEN 40
#define BOTH (FCN_SRV6_INNER_IPV6 | FCN_SRV6_INNER_IPV4)

enum action {
	END,
	PSP,
	USP,
	DECAPS
};

/* Process a copy of a frame like a node; the result must be the other one from the IP header on. */
static void
assert_processed(const struct vectors *v, unsigned int from, unsigned int to, enum action action)
{
	uint8_t *frame = exact_copy(v->data[from], v->len[from]), *ip = frame + ETHER_LEN;
	uint32_t len = v->len[from] - ETHER_LEN, cut = 0;
	struct fcn_srv6_headers h, again;

	assert_int_equal(fcn_srv6_headers_find(ip, len, &h), FCN_SRV6_OK);
	if (action == END || action == PSP) {
		assert_true(h.segments_left > 0 && h.upper_off == 0);
		assert_int_equal(fcn_srv6_end(ip, &h), FCN_SRV6_OK);
		assert_int_equal(h.segments_left, ip[h.srh_off + 3]);
	}
	if (action == PSP)
		assert_int_equal(h.segments_left, 0);
	if (action == PSP || action == USP) {
		cut = fcn_srv6_remove_srh(frame, ETHER_LEN, &h);
		/* The Ethernet header is in front as it was. */
		assert_memory_equal(frame + cut, v->data[from], ETHER_LEN);
		assert_int_equal(fcn_srv6_headers_find(ip + cut, len - cut, &again), FCN_SRV6_OK);
		assert_true(h.srh_off == 0 && again.srh_off == 0);
		if (action == USP)
			assert_memory_equal(&h, &again, sizeof(h));
	} else if (action == DECAPS) {
		assert_int_equal(fcn_srv6_decaps_check(ip, len, BOTH, &h), FCN_SRV6_OK);
		cut = h.upper_off;
	}
	assert_int_equal(len - cut, v->len[to] - ETHER_LEN);
	assert_memory_equal(ip + cut, v->data[to] + ETHER_LEN, len - cut);
	free(frame);
}

TEST(pairs)
{
	static const enum action actions[] = {
			END, END, END, PSP, PSP, USP, DECAPS, DECAPS, DECAPS, DECAPS};
	struct vectors v;

	vectors_load(&v, "41_srv6_end");
	assert_int_equal(v.n, 2 * RTE_DIM(actions));
	for (unsigned int i = 0; i < RTE_DIM(actions); i++)
		assert_processed(&v, 2 * i, 2 * i + 1, actions[i]);
	vectors_free(&v);
}

/* 06: End; the outer header was CE-marked on the way, and two hops decremented its hop limit. */
TEST(end_vector)
{
	struct vectors v;

	vectors_load(&v, "06_srv6_encaps_srh");
	v.data[0][ETHER_LEN + 1] |= 0x10;
	v.data[0][ETHER_LEN + 7]--;
	assert_processed(&v, 0, 1, END);
	vectors_free(&v);
}

/* What Linux's End.DT6 made of a packet; it decremented the inner hop limit as a router does. */
TEST(linux_decaps)
{
	struct vectors v;

	vectors_load(&v, "22_linux_end_dt6");
	assert_int_equal(v.n, 2);
	v.data[0][ETHER_LEN + IP6_LEN + 7]--;
	assert_processed(&v, 0, 1, DECAPS);
	vectors_free(&v);
}

/* What Linux encapsulated: End at both nodes, and the last one decapsulates the sender's packet. */
TEST(linux_policy)
{
	struct vectors v;

	vectors_load(&v, "21_linux_srv6_encaps");
	for (unsigned int i = 1; i < 3; i++) {
		uint8_t *ip = v.data[i] + ETHER_LEN, *srh = ip + IP6_LEN;
		uint32_t len = v.len[i] - ETHER_LEN;
		struct fcn_srv6_headers h;

		assert_int_equal(fcn_srv6_headers_find(ip, len, &h), FCN_SRV6_OK);
		assert_int_equal(fcn_srv6_decaps_check(ip, len, BOTH, &h), FCN_SRV6_SEGMENTS_LEFT);
		assert_int_equal(h.pointer, 43);
		assert_int_equal(fcn_srv6_end(ip, &h), FCN_SRV6_OK);
		assert_memory_equal(ip + 24, srh + 8, 16);
		assert_int_equal(fcn_srv6_headers_find(ip, len, &h), FCN_SRV6_OK);
		assert_int_equal(h.upper_proto, 41);
		assert_int_equal(fcn_srv6_decaps_check(ip, len, BOTH, &h), FCN_SRV6_OK);
		assert_int_equal(len - h.upper_off, v.len[0] - ETHER_LEN);
		assert_memory_equal(ip + h.upper_off, v.data[0] + ETHER_LEN, len - h.upper_off);
	}
	vectors_free(&v);
}

/* A frame of file 41 with octets changed, counted from the IPv6 header, and what refuses it. */
TEST(refusals)
{
	static const struct {
		unsigned int frame;
		struct {
			uint8_t off, value;
		} set[2];
		enum action action;
		unsigned int inner;
		enum fcn_srv6_error error;
		uint16_t pointer;
	} cases[] = {
			/* Hop Limit, list: Hop-by-Hop and Destination Options in front, SRH at 56
			 */
			{0, {{7, 1}}, END, 0, FCN_SRV6_HOP_LIMIT, 0},
			{0, {{7, 0}}, END, 0, FCN_SRV6_HOP_LIMIT, 0},
			{0, {{59, 4}}, END, 0, FCN_SRV6_SRH_SEGMENTS_LEFT, 59},
			{0, {{60, 3}}, END, 0, FCN_SRV6_SRH_LAST_ENTRY, 59},
			{0, {{57, 5}}, END, 0, FCN_SRV6_SRH_LENGTH, 59},
			/* the hop limit is looked at first */
			{0, {{7, 1}, {60, 3}}, END, 0, FCN_SRV6_HOP_LIMIT, 0},
			/* another type of Routing header, with segments left and without */
			{0, {{58, 3}}, END, 0, FCN_SRV6_ROUTING_TYPE, 58},
			{0, {{58, 3}, {59, 0}}, DECAPS, BOTH, FCN_SRV6_UPPER_LAYER, 112},
			/* headers that run past the packet */
			{0, {{57, 11}}, END, 0, FCN_SRV6_SRH_TRUNCATED, 0},
			{0, {{41, 20}}, END, 0, FCN_SRV6_EXT_TRUNCATED, 0},
			{0, {{58, 3}, {57, 11}}, END, 0, FCN_SRV6_EXT_TRUNCATED, 0},
			{0, {{5, 60}}, END, 0, FCN_SRV6_SRH_TRUNCATED, 0},
			{0, {{5, 20}}, END, 0, FCN_SRV6_EXT_TRUNCATED, 0},
			/* Hop-by-Hop Options that are not first are an upper layer like any other
			 */
			{0, {{40, 0}}, DECAPS, BOTH, FCN_SRV6_UPPER_LAYER, 48},
			/* decapsulation of what follows: 13 IPv6 behind the SRH, 15 IPv6, 19 IPv4
			 */
			{12, {{59, 1}}, DECAPS, BOTH, FCN_SRV6_SEGMENTS_LEFT, 59},
			{14, {{0, 0x60}}, DECAPS, FCN_SRV6_INNER_IPV4, FCN_SRV6_UPPER_LAYER, 40},
			{18, {{0, 0x60}}, DECAPS, FCN_SRV6_INNER_IPV6, FCN_SRV6_UPPER_LAYER, 40},
			{14, {{6, 59}}, DECAPS, BOTH, FCN_SRV6_UPPER_LAYER, 40},
			{14, {{6, 44}}, DECAPS, BOTH, FCN_SRV6_UPPER_LAYER, 40},
			{14, {{40, 0x45}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			{14, {{45, 24}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			{14, {{5, 39}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			{14, {{5, 0}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			{18, {{40, 0x65}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			{18, {{40, 0x44}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			{18, {{40, 0x4F}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			{18, {{43, 44}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			{18, {{5, 19}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
			/* padding behind the packet is no part of it */
			{18, {{5, 42}}, DECAPS, BOTH, FCN_SRV6_INNER_HEADER, 0},
	};
	struct vectors v;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		unsigned int frame = cases[i].frame;
		struct fcn_srv6_headers h;
		enum fcn_srv6_error e;
		uint8_t *ip, *before;
		uint32_t len;

		vectors_load(&v, "41_srv6_end");
		ip = v.data[frame] + ETHER_LEN;
		len = v.len[frame] - ETHER_LEN;
		for (unsigned int j = 0; j < RTE_DIM(cases[i].set); j++) {
			if (cases[i].set[j].value != 0 || cases[i].set[j].off != 0)
				ip[cases[i].set[j].off] = cases[i].set[j].value;
		}
		before = exact_copy(ip, len);
		memset(&h, 0xA5, sizeof(h));
		e = fcn_srv6_headers_find(ip, len, &h);
		if (e == FCN_SRV6_OK && cases[i].action == END)
			e = fcn_srv6_end(ip, &h);
		else if (e == FCN_SRV6_OK)
			e = fcn_srv6_decaps_check(ip, len, cases[i].inner, &h);
		if (e != cases[i].error || h.pointer != cases[i].pointer)
			fail_msg("case %u: %s at %u", i, fcn_srv6_error_name(e), h.pointer);
		assert_memory_equal(ip, before, len);
		free(before);
		vectors_free(&v);
	}
}

/* Eight Destination Options headers are read, nine are too many; a second SRH is one too many. */
TEST(chains)
{
	uint8_t p[40 + 9 * 8 + 8] = {0x60, [5] = 9 * 8 + 8, [6] = IPPROTO_DSTOPTS};
	struct fcn_srv6_headers h;

	for (unsigned int i = 0; i < 9; i++) {
		p[40 + 8 * i] = i == 7 ? IPPROTO_UDP : IPPROTO_DSTOPTS;
		p[40 + 8 * i + 2] = 1;
		p[40 + 8 * i + 3] = 4;
	}
	assert_int_equal(fcn_srv6_headers_find(p, sizeof(p), &h), FCN_SRV6_OK);
	assert_true(h.upper_off == 104 && h.upper_proto == IPPROTO_UDP);
	p[40 + 8 * 7] = IPPROTO_DSTOPTS;
	p[40 + 8 * 8] = IPPROTO_UDP;
	assert_int_equal(fcn_srv6_headers_find(p, sizeof(p), &h), FCN_SRV6_EXT_LIMIT);

	memset(p + 40, 0, sizeof(p) - 40);
	p[6] = IPPROTO_ROUTING;
	p[40] = IPPROTO_ROUTING;
	p[42] = 4;
	p[48] = IPPROTO_UDP;
	p[50] = 4;
	assert_int_equal(fcn_srv6_headers_find(p, sizeof(p), &h), FCN_SRV6_OK);
	assert_true(h.srh_off == 40 && h.srh_len == 8 && h.next_header_off == 6);
	assert_int_equal(h.upper_off, 56);
	p[51] = 1;
	assert_int_equal(fcn_srv6_headers_find(p, sizeof(p), &h), FCN_SRV6_ROUTING_TYPE);
	assert_int_equal(h.pointer, 50);
	/* Segments left in the first one: the others are those of nodes to come. */
	p[43] = 1;
	assert_int_equal(fcn_srv6_headers_find(p, sizeof(p), &h), FCN_SRV6_OK);
	assert_true(h.segments_left == 1 && h.upper_off == 0);
	assert_int_equal(fcn_srv6_headers_find(p, 39, &h), FCN_SRV6_EXT_TRUNCATED);
}

/* Cut frames, on the heap without room behind them. */
TEST(cut)
{
	struct vectors v;

	vectors_load(&v, "41_srv6_end");
	for (unsigned int i = 0; i < v.n; i += 2) {
		for (uint32_t len = IP6_LEN; len <= v.len[i] - ETHER_LEN; len++) {
			uint8_t *ip = exact_copy(v.data[i] + ETHER_LEN, len);
			struct fcn_srv6_headers h;

			if (fcn_srv6_headers_find(ip, len, &h) == FCN_SRV6_OK) {
				assert_true(h.upper_off <= len);
				if (h.segments_left > 0)
					assert_int_equal(fcn_srv6_end(ip, &h), FCN_SRV6_OK);
				else if (fcn_srv6_decaps_check(ip, len, BOTH, &h) == FCN_SRV6_OK)
					assert_int_equal(len, v.len[i] - ETHER_LEN);
			}
			free(ip);
		}
	}
	vectors_free(&v);
}

TEST(csid_vectors)
{
	static const struct fcn_srv6_csid csids[] = {{32, 16}, {32, 16}, {48, 32}, {37, 19},
			{64, 16}, {48, 16}, {16, 64}, {1, 126}, {126, 1}, {8, 96}};
	struct vectors v;

	vectors_load(&v, "43_srv6_csid");
	assert_int_equal(v.n, 2 * RTE_DIM(csids));
	for (unsigned int i = 0; i < RTE_DIM(csids); i++) {
		uint8_t *ip = v.data[2 * i] + ETHER_LEN;

		assert_true(fcn_srv6_csid_is_valid(
				csids[i].block_bits, csids[i].node_function_bits));
		assert_true(fcn_srv6_csid_has_argument(ip + 24, &csids[i]));
		assert_int_equal(fcn_srv6_csid_next(ip, &csids[i]), FCN_SRV6_OK);
		assert_int_equal(v.len[2 * i], v.len[2 * i + 1]);
		assert_memory_equal(v.data[2 * i], v.data[2 * i + 1], v.len[2 * i]);
		ip[7] = 1;
		assert_int_equal(fcn_srv6_csid_next(ip, &csids[i]), FCN_SRV6_HOP_LIMIT);
		ip[7] = 63;
		assert_memory_equal(v.data[2 * i], v.data[2 * i + 1], v.len[2 * i]);
	}
	vectors_free(&v);
}

static unsigned int
bit(const uint8_t *a, unsigned int n)
{
	return a[n / 8] >> (7 - n % 8) & 1;
}

/* All lengths, bit by bit: the argument goes behind the block, zeros behind it. */
TEST(csid_bits)
{
	uint64_t seed = 9800;

	for (unsigned int block = 0; block < 130; block++) {
		for (unsigned int nf = 0; nf < 130; nf++) {
			struct fcn_srv6_csid csid = {(uint8_t)block, (uint8_t)nf};
			uint8_t ip[IP6_LEN], *dst = ip + 24, before[16];
			bool valid = block >= 1 && nf >= 1 && block + nf <= 127, any = false;

			assert_int_equal(fcn_srv6_csid_is_valid(block, nf), valid);
			if (!valid)
				continue;
			ref_random_fill(&seed, ip, sizeof(ip));
			ip[7] |= 2;
			if (nf % 3 == 0)
				memset(dst + (block + nf + 7) / 8, 0, 16 - (block + nf + 7) / 8);
			memcpy(before, dst, 16);
			for (unsigned int i = block + nf; i < 128; i++)
				any |= bit(before, i);
			assert_int_equal(fcn_srv6_csid_has_argument(dst, &csid), any);
			assert_int_equal(fcn_srv6_csid_next(ip, &csid), FCN_SRV6_OK);
			for (unsigned int i = 0; i < 128; i++) {
				unsigned int want = i < block      ? bit(before, i)
						    : i + nf < 128 ? bit(before, i + nf)
								   : 0;

				assert_int_equal(bit(dst, i), want);
			}
		}
	}
	assert_false(fcn_srv6_csid_is_valid(UINT32_MAX, 2));
	assert_false(fcn_srv6_csid_is_valid(2, UINT32_MAX));
}
