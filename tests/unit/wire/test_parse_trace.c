/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The fast path for packets with an IOAM trace finds what the parser of all packets finds. */

#include <stdlib.h>

#include "fcn_parse_trace.h"
#include "fcn_test.h"

#define HBH_OFF 54
#define FRAME_MAX 1024

struct trace_frame {
	uint32_t len;
	uint8_t data[FRAME_MAX];
};

/* A RoCEv2 packet with a trace of node_len words a node, and some words more or less of padding. */
static void
trace_frame(struct trace_frame *f, uint32_t type, unsigned int free_words, unsigned int used_words,
		uint32_t payload)
{
	const uint32_t words = free_words + used_words, end = 16 + 4 * words;
	const uint32_t hbh_len = (end + 7) / 8 * 8, udp_len = 8 + 12 + payload + 4;
	uint8_t *p = f->data + HBH_OFF;
	const struct fcn_ioam_trace trace = {.namespace_id = 0x1234,
			.node_len = fcn_ioam_node_len(type),
			.remaining_len = free_words,
			.type = type};

	memset(f, 0, sizeof(*f));
	f->data[12] = 0x86;
	f->data[13] = 0xDD;
	f->data[14] = 0x66;
	f->data[15] = 0x20;
	f->data[18] = (hbh_len + udp_len) >> 8;
	f->data[19] = hbh_len + udp_len;
	f->data[21] = 64;
	f->data[22] = f->data[38] = 0x20;
	p[0] = 17;
	p[1] = hbh_len / 8 - 1;
	p[2] = 1;
	p[4] = 0x31;
	p[5] = 2 + 8 + 4 * words;
	fcn_ioam_trace_hdr_build(p + 8, &trace);
	for (uint32_t i = 16; i < end; i++)
		p[i] = i;
	if (end != hbh_len) {
		p[end] = 1;
		p[end + 1] = 2;
	}
	p += hbh_len;
	p[0] = 0xC0;
	p[1] = 7;
	p[2] = 4791 >> 8;
	p[3] = 4791 & 0xFF;
	p[4] = udp_len >> 8;
	p[5] = udp_len;
	p[8] = 4;
	p[10] = p[11] = 0xFF;
	p[14] = 3;
	f->len = HBH_OFF + hbh_len + udp_len;
}

/* Parse the first bytes of a frame in both ways. @return whether the fast path parses it */
static bool
parse_both(const struct trace_frame *f, uint32_t part, uint32_t whole,
		struct fcn_trace_layout *known)
{
	struct fcn_trace_layout none = {.head = 0};
	struct fcn_wire_info fast, first, slow;
	/* No byte behind the part belongs to it, so that tools see who reads one. */
	uint8_t *bytes = malloc(RTE_MAX(part, 1u));
	bool is_parsed;

	assert_non_null(bytes);
	memcpy(bytes, f->data, part);
	memset(&fast, 0xA5, sizeof(fast));
	memset(&first, 0xA5, sizeof(first));
	is_parsed = fcn_parse_trace(bytes, part, whole, &none, &first);
	assert_int_equal(fcn_parse_trace(bytes, part, whole, known, &fast), is_parsed);
	if (is_parsed) {
		fcn_parse_slow(bytes, part, whole, &fcn_parse_default_codes, &slow);
		assert_memory_equal(&fast, &slow, sizeof(slow));
		assert_memory_equal(&first, &slow, sizeof(slow));
	}
	free(bytes);
	return is_parsed;
}

TEST(layouts)
{
	static const uint32_t types[] = {
			0x800000, 0xC00000, 0xF80000, 0xFE0000, 0x80E000, 0xFFFFFC, 0xC00002};
	struct fcn_trace_layout known = {.head = 0};
	struct trace_frame f;

	for (size_t t = 0; t < RTE_DIM(types); t++) {
		const unsigned int node = fcn_ioam_node_len(types[t]);

		for (unsigned int hops = 1; hops * node <= 60; hops++) {
			for (unsigned int used = 0; used <= hops; used++) {
				trace_frame(&f, types[t], (hops - used) * node, used * node,
						7 * hops);
				assert_true(parse_both(&f, f.len, f.len, &known));
				/* padding of the link, and the end of the headers */
				assert_true(parse_both(&f, f.len, f.len + 9, &known));
				assert_false(parse_both(&f, f.len - 7 * hops, f.len - 1, &known));
			}
		}
	}
}

/* Any octet of the headers changed, any length cut, one after the other and with what was read. */
TEST(changed)
{
	struct fcn_trace_layout known = {.head = 0};
	unsigned int parsed = 0, refused = 0;
	uint64_t seed = 9;

	for (unsigned int i = 0; i < 300000; i++) {
		const unsigned int hops = 1 + fcn_test_random(&seed) % 4;
		const unsigned int used = fcn_test_random(&seed) % (hops + 1);
		const uint32_t type = fcn_test_random(&seed) % 2 ? 0xC00000 : 0xF80000;
		const unsigned int node = fcn_ioam_node_len(type);
		struct trace_frame f;
		uint32_t part;

		trace_frame(&f, type, (hops - used) * node, used * node,
				fcn_test_random(&seed) % 40);
		part = f.len;
		for (unsigned int k = fcn_test_random(&seed) % 3; k > 0; k--)
			f.data[12 + fcn_test_random(&seed) % (f.len - 12)] =
					fcn_test_random(&seed) % 4 ? (uint8_t)fcn_test_random(&seed)
								   : 0;
		if (fcn_test_random(&seed) % 4 == 0)
			part = fcn_test_random(&seed) % (f.len + 1);
		if (parse_both(&f, part, f.len, &known))
			parsed++;
		else
			refused++;
	}
	assert_in_range(parsed, 100000, 300000);
	assert_in_range(refused, 50000, 300000);
}
