/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a node adds to a trace by a template is what it would add to that trace alone. */

#include "fcn_ioam_template.h"
#include "fcn_test.h"

#define LEN_MAX 252

static struct fcn_ioam_node
node_random(uint64_t *seed)
{
	return (struct fcn_ioam_node){
			.hop_limit = (uint8_t)fcn_test_random(seed),
			.node_id = (uint32_t)fcn_test_random(seed) & 0xFFFFFF,
			.node_id_wide = fcn_test_random(seed) >> 8,
			.ingress_id = (uint16_t)fcn_test_random(seed),
			.egress_id = (uint16_t)fcn_test_random(seed),
			.ingress_id_wide = (uint32_t)fcn_test_random(seed),
			.egress_id_wide = (uint32_t)fcn_test_random(seed),
			.time = {(uint32_t)fcn_test_random(seed), (uint32_t)fcn_test_random(seed)},
			.transit_delay = FCN_IOAM_NA32,
			.namespace_short = (uint32_t)fcn_test_random(seed),
			.namespace_wide = fcn_test_random(seed),
			.queue_depth = (uint32_t)fcn_test_random(seed),
			.buffer_occupancy = (uint32_t)fcn_test_random(seed),
			.schema_id = FCN_IOAM_NO_SCHEMA,
	};
}

static uint32_t
type_random(uint64_t *seed)
{
	uint32_t type = (uint32_t)fcn_test_random(seed) &
			(FCN_IOAM_TYPE_SHORT | FCN_IOAM_TYPE_WIDE);

	if (fcn_test_random(seed) % 2)
		type &= (uint32_t)fcn_test_random(seed);
	if (fcn_test_random(seed) % 8 == 0)
		type |= FCN_IOAM_TYPE_OPAQUE;
	return (type & ~FCN_IOAM_TYPE_OPAQUE) != 0 ? type : 0x800000;
}

/* Make a trace for some hops. @return its length in bytes */
static uint32_t
trace_random(uint8_t *hdr, uint32_t type, uint64_t *seed)
{
	const unsigned int node = fcn_ioam_node_len(type), most = RTE_MIN(60 / node, 5u);
	const unsigned int hops = 1 + fcn_test_random(seed) % RTE_MAX(most, 1u);
	const struct fcn_ioam_trace trace = {.namespace_id = 0x1234,
			.node_len = node,
			.flags = (uint8_t)(fcn_test_random(seed) % 4),
			.remaining_len = node * (fcn_test_random(seed) % (hops + 1)),
			.type = type};

	for (uint32_t i = 0; i < LEN_MAX; i++)
		hdr[i] = (uint8_t)fcn_test_random(seed);
	fcn_ioam_trace_hdr_build(hdr, &trace);
	return 8 + 4 * node * hops;
}

TEST(like_single_ones)
{
	struct fcn_ioam_template t = {.len = 0};
	unsigned int by_template = 0;
	uint64_t seed = 4;

	for (unsigned int i = 0; i < 20000; i++) {
		const uint32_t type = type_random(&seed);
		struct fcn_ioam_node node = node_random(&seed);
		uint8_t same[LEN_MAX];
		const uint32_t same_len = trace_random(same, type, &seed);

		t.len = 0;
		for (unsigned int k = 0; k < 12; k++) {
			uint8_t want[LEN_MAX], got[LEN_MAX], before[LEN_MAX];
			uint16_t want_delay = 1;
			uint32_t len = same_len;
			enum fcn_ioam_write result;
			bool done;

			memcpy(before, same, sizeof(before));
			if (k % 4 == 3) /* another one, often with the same Trace-Type */
				len = trace_random(
						before, k == 7 ? type : type_random(&seed), &seed);
			if (k == 6)
				before[2] |= 0x04; /* Overflow */
			if (k == 9)
				before[0] ^= 1; /* another namespace */
			memcpy(want, before, sizeof(want));
			memcpy(got, before, sizeof(got));
			node.hop_limit = (uint8_t)fcn_test_random(&seed);
			node.queue_depth = (uint32_t)fcn_test_random(&seed);
			node.buffer_occupancy = (uint32_t)fcn_test_random(&seed);
			result = fcn_ioam_trace_write(want, len, &node, &want_delay);
			done = fcn_ioam_template_fits(&t, got, len);
			if (done)
				fcn_ioam_template_write(&t, got, node.hop_limit, node.queue_depth,
						node.buffer_occupancy);
			if (done) {
				assert_int_equal(result, FCN_IOAM_WRITTEN);
				assert_memory_equal(got, want, sizeof(got));
				assert_int_equal(t.delay, want_delay);
				by_template++;
				continue;
			}
			assert_memory_equal(got, before, sizeof(got));
			if (result != FCN_IOAM_WRITTEN)
				continue;
			fcn_ioam_template_make(&t, before, want, len);
			if (type & FCN_IOAM_TYPE_OPAQUE && k % 4 != 3)
				assert_int_equal(t.len, 0);
		}
	}
	assert_in_range(by_template, 40000, UINT32_MAX);
}
