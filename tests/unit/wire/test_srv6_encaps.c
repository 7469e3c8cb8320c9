/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The headend: outer headers as the vectors, scapy and Linux write them; policies refused. */

#include "fcn_test.h"

#include <errno.h>
#include <netinet/in.h>

#include "fcn_srv6_encaps.h"
#include "fcn_srv6_end.h"
#include "reference.h"
#include "vectors.h"

#define ETHER_LEN 14
#define IP6_LEN 40

/* Segments of a frame in the order of the visits, read from its headers by offset. */
static unsigned int
segments_of(const uint8_t *ip, enum fcn_srv6_encaps_mode mode, uint8_t segments[][16])
{
	unsigned int n = 0, listed = ip[6] == IPPROTO_ROUTING ? ip[44] + 1u : 0;

	if (mode != FCN_SRV6_H_ENCAPS)
		memcpy(segments[n++], ip + 24, 16);
	while (listed-- > 0)
		memcpy(segments[n++], ip + 48 + 16 * listed, 16);
	return n;
}

/* Encapsulate the inner packet of a frame again, and compare with the frame. */
static void
assert_rebuilt(const uint8_t *frame, uint32_t frame_len, enum fcn_srv6_encaps_mode mode)
{
	const uint8_t *ip = frame + ETHER_LEN;
	uint32_t len = frame_len - ETHER_LEN;
	uint32_t outer_len = IP6_LEN + (ip[6] == IPPROTO_ROUTING ? 8 * (ip[41] + 1u) : 0);
	uint8_t segments[FCN_SRV6_MAX_SEGMENTS + 1][16], *buf = malloc(outer_len);
	const struct fcn_srv6_encaps_conf conf = {
			.mode = mode,
			.segments = segments,
			.n_segments = segments_of(ip, mode, segments),
			.source = {0},
			.tag = ip[6] == IPPROTO_ROUTING ? (uint16_t)(ip[46] << 8 | ip[47]) : 0,
	};
	const struct fcn_srv6_encaps_fields fields = {
			/* bits above the 20 are not to get into the traffic class */
			.flow_label = 0xABC00000u | (ip[1] & 0xFu) << 16 | (uint32_t)ip[2] << 8 |
				      ip[3],
			.inner_len = (uint16_t)(len - outer_len),
			.inner_proto = ip[outer_len] >> 4 == 6 ? IPPROTO_IPV6 : IPPROTO_IPIP,
			.tclass = (uint8_t)(ip[0] << 4 | ip[1] >> 4),
			.hop_limit = ip[7],
	};
	struct fcn_srv6_encaps_conf with_source = conf;
	struct fcn_srv6_encaps e;

	assert_non_null(buf);
	memcpy(with_source.source, ip + 8, 16);
	memset(&e, 0xA5, sizeof(e));
	memset(buf, 0xEE, outer_len);
	assert_int_equal(fcn_srv6_encaps_init(&e, &with_source), 0);
	assert_int_equal(e.len, outer_len);
	fcn_srv6_encaps_write(&e, &fields, buf);
	assert_memory_equal(buf, ip, outer_len);
	free(buf);
}

TEST(vectors)
{
	static const struct {
		const char *file;
		unsigned int frame;
		enum fcn_srv6_encaps_mode mode;
	} cases[] = {
			{"06_srv6_encaps_srh", 0, FCN_SRV6_H_ENCAPS},
			{"07_srv6_encaps_nosrh", 0, FCN_SRV6_NO_SRH},
			{"07_srv6_encaps_nosrh", 0, FCN_SRV6_H_ENCAPS_RED},
			{"08_srv6_encaps_red", 0, FCN_SRV6_H_ENCAPS_RED},
			{"11_fastcnp_srv6_endcon", 0, FCN_SRV6_NO_SRH},
			{"21_linux_srv6_encaps", 1, FCN_SRV6_H_ENCAPS},
			{"21_linux_srv6_encaps", 2, FCN_SRV6_H_ENCAPS_RED},
			{"42_srv6_encaps", 1, FCN_SRV6_H_ENCAPS},
			{"42_srv6_encaps", 3, FCN_SRV6_NO_SRH},
			{"42_srv6_encaps", 3, FCN_SRV6_H_ENCAPS_RED},
			{"42_srv6_encaps", 5, FCN_SRV6_H_ENCAPS_RED},
			{"42_srv6_encaps", 7, FCN_SRV6_H_ENCAPS},
			{"42_srv6_encaps", 9, FCN_SRV6_H_ENCAPS_RED},
	};
	struct vectors v;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		vectors_load(&v, cases[i].file);
		assert_rebuilt(v.data[cases[i].frame], v.len[cases[i].frame], cases[i].mode);
		vectors_free(&v);
	}
}

/* The vectors hold what was encapsulated: 01 with its hop limit decremented, unchanged with Linux.
 */
TEST(inner)
{
	struct vectors data, v;

	vectors_load(&data, "01_roce6_write");
	vectors_load(&v, "06_srv6_encaps_srh");
	data.data[0][21]--;
	assert_memory_equal(v.data[0] + 94, data.data[0] + 14, data.len[0] - 14);
	vectors_free(&v);
	vectors_load(&v, "21_linux_srv6_encaps");
	data.data[0][21]++;
	assert_memory_equal(v.data[1] + 94, data.data[0] + 14, data.len[0] - 14);
	vectors_free(&v);
	vectors_free(&data);
}

TEST(refused)
{
	uint8_t good[FCN_SRV6_MAX_SEGMENTS + 1][16] = {0};
	static const uint8_t bad[][16] = {{0}, {[15] = 1}, {0xFF, 2, [15] = 1}};
	struct fcn_srv6_encaps_conf conf = {.source = {0x20, 1, [15] = 2}, .segments = good};
	struct fcn_srv6_encaps e;

	for (unsigned int i = 0; i < RTE_DIM(good); i++) {
		good[i][0] = 0x20;
		good[i][15] = 1;
	}
	for (unsigned int n = 0; n <= FCN_SRV6_MAX_SEGMENTS + 1; n++) {
		bool possible = n >= 1 && n <= FCN_SRV6_MAX_SEGMENTS;

		conf.n_segments = n;
		conf.mode = FCN_SRV6_H_ENCAPS;
		assert_int_equal(fcn_srv6_encaps_init(&e, &conf), possible ? 0 : -EINVAL);
		if (possible)
			assert_int_equal(e.len, 48 + 16 * n);
		conf.mode = FCN_SRV6_H_ENCAPS_RED;
		assert_int_equal(fcn_srv6_encaps_init(&e, &conf), possible ? 0 : -EINVAL);
		if (possible)
			assert_int_equal(e.len, n == 1 ? 40 : 48 + 16 * (n - 1));
		conf.mode = FCN_SRV6_NO_SRH;
		assert_int_equal(fcn_srv6_encaps_init(&e, &conf), n == 1 ? 0 : -EINVAL);
	}
	/* A Tag needs a header. */
	conf.n_segments = 1;
	conf.tag = 1;
	assert_int_equal(fcn_srv6_encaps_init(&e, &conf), -EINVAL);
	conf.mode = FCN_SRV6_H_ENCAPS_RED;
	assert_int_equal(fcn_srv6_encaps_init(&e, &conf), -EINVAL);
	conf.n_segments = 2;
	assert_int_equal(fcn_srv6_encaps_init(&e, &conf), 0);
	conf.n_segments = 1;
	conf.mode = FCN_SRV6_H_ENCAPS;
	assert_int_equal(fcn_srv6_encaps_init(&e, &conf), 0);
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		conf.segments = &bad[i];
		assert_int_equal(fcn_srv6_encaps_init(&e, &conf), -EINVAL);
		conf.segments = good;
		memcpy(conf.source, bad[i], 16);
		assert_int_equal(fcn_srv6_encaps_init(&e, &conf), -EINVAL);
		memcpy(conf.source, good[0], 16);
	}
}

/* Random policies: End visits the segments in order, and the last node finds the inner packet. */
TEST(walk)
{
	uint64_t seed = 8986;

	for (unsigned int i = 0; i < 20000; i++) {
		uint8_t segments[FCN_SRV6_MAX_SEGMENTS][16], inner[64] = {0x60, [5] = 24};
		struct fcn_srv6_encaps_conf conf = {
				.mode = ref_random(&seed) % 2 ? FCN_SRV6_H_ENCAPS
							      : FCN_SRV6_H_ENCAPS_RED,
				.source = {0x20, 1, [15] = 2},
				.segments = segments,
				.n_segments = 1 + ref_random(&seed) % FCN_SRV6_MAX_SEGMENTS,
		};
		struct fcn_srv6_encaps_fields fields = {.inner_proto = IPPROTO_IPV6,
				.inner_len = sizeof(inner),
				.hop_limit = 64};
		uint8_t buf[FCN_SRV6_ENCAPS_MAX_LEN + sizeof(inner)];
		struct fcn_srv6_headers h;
		struct fcn_srv6_encaps e;
		uint32_t len;

		ref_random_fill(&seed, segments[0], sizeof(segments));
		for (unsigned int j = 0; j < conf.n_segments; j++)
			segments[j][0] = 0x20;
		assert_int_equal(fcn_srv6_encaps_init(&e, &conf), 0);
		memcpy(buf + e.len, inner, sizeof(inner));
		fcn_srv6_encaps_write(&e, &fields, buf);
		len = e.len + (uint32_t)sizeof(inner);
		for (unsigned int j = 0; j < conf.n_segments; j++) {
			assert_memory_equal(buf + 24, segments[j], 16);
			assert_int_equal(fcn_srv6_headers_find(buf, len, &h), FCN_SRV6_OK);
			assert_int_equal(h.segments_left, conf.n_segments - 1 - j);
			if (h.segments_left > 0)
				assert_int_equal(fcn_srv6_end(buf, &h), FCN_SRV6_OK);
		}
		assert_int_equal(fcn_srv6_decaps_check(buf, len, FCN_SRV6_INNER_IPV6, &h),
				FCN_SRV6_OK);
		assert_int_equal(h.upper_off, e.len);
		assert_int_equal(buf[7], 64 - (conf.n_segments - 1));
	}
}

/* Flow labels by what Linux's seg6_flowlabel says (0 copies, 1 computes, -1 is zero), and by both.
 */
TEST(flow_label)
{
	static const struct {
		enum fcn_srv6_flow_label how;
		uint32_t inner, hash, want;
	} cases[] = {
			{FCN_SRV6_FLOW_LABEL_AUTO, 0x12345, 0xFFF54321, 0x12345},
			{FCN_SRV6_FLOW_LABEL_AUTO, 0, 0xFFF54321, 0x54321},
			{FCN_SRV6_FLOW_LABEL_AUTO, 0, 0xFFF00000, 1},
			{FCN_SRV6_FLOW_LABEL_COPY, 0x12345, 0x54321, 0x12345},
			{FCN_SRV6_FLOW_LABEL_COPY, 0, 0x54321, 0},
			{FCN_SRV6_FLOW_LABEL_HASH, 0x12345, 0x54321, 0x54321},
			{FCN_SRV6_FLOW_LABEL_HASH, 0x12345, 0, 1},
			{FCN_SRV6_FLOW_LABEL_ZERO, 0x12345, 0x54321, 0},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		assert_int_equal(fcn_srv6_flow_label(cases[i].how, cases[i].inner, cases[i].hash),
				cases[i].want);
}
