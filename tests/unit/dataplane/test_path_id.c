/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Path identifiers, found by the outer headers of packets. */

#include <stdlib.h>

#include <rte_common.h>

#include "fcn_path_id.h"
#include "fcn_test.h"

#define LISTS 6
#define INNER 40 /* bytes behind the outer headers */

static struct fcn_encaps encaps[LISTS];
static struct fcn_srv6_conf conf;

static void
address(uint8_t to[16], uint8_t number)
{
	memset(to, 0, 16);
	to[0] = 0x20;
	to[15] = number;
}

/* A segment list with a source for RoCEv2 and one for other packets, and n segments, 10, 11... */
static void
list(unsigned int i, enum fcn_srv6_encaps_mode mode, uint8_t roce, uint8_t other, unsigned int n)
{
	uint8_t segments[4][16];
	struct fcn_srv6_encaps_conf c = {
			.mode = mode,
			.segments = (const uint8_t(*)[16])segments,
			.n_segments = n,
	};

	for (unsigned int k = 0; k < n; k++)
		address(segments[k], 10 + k);
	address(c.source, roce);
	assert_int_equal(fcn_srv6_encaps_init(&encaps[i].roce, &c), 0);
	address(c.source, other);
	assert_int_equal(fcn_srv6_encaps_init(&encaps[i].other, &c), 0);
	encaps[i].has_path_id = true;
	encaps[i].path_id = 1000 + i;
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	memset(&conf, 0, sizeof(conf));
	memset(encaps, 0, sizeof(encaps));
	conf.encaps = encaps;
	conf.n_encaps = LISTS;
	list(0, FCN_SRV6_H_ENCAPS_RED, 1, 2, 3);
	list(1, FCN_SRV6_H_ENCAPS, 1, 2, 3);
	list(2, FCN_SRV6_NO_SRH, 1, 2, 1);
	list(3, FCN_SRV6_NO_SRH, 3, 3, 1);
	list(4, FCN_SRV6_H_ENCAPS_RED, 1, 2, 3); /* as the first one */
	list(5, FCN_SRV6_H_ENCAPS_RED, 1, 2, 4);
	encaps[5].has_path_id = false;
	fcn_path_id_index(&conf);
	return 0;
}

TEST_FIXTURE(.setup = setup);

/* The path identifier of a packet with these outer headers, of which len bytes are readable. */
static uint32_t
found(const struct fcn_srv6_encaps *outer, uint32_t len)
{
	const struct fcn_srv6_encaps_fields f = {
			.flow_label = 0x12345,
			.inner_len = INNER,
			.inner_proto = 41,
			.tclass = 0x6B,
			.hop_limit = 63,
	};
	uint8_t packet[FCN_SRV6_ENCAPS_MAX_LEN + INNER] = {0};
	uint8_t *exact = malloc(RTE_MAX(len, 1u)); /* so that the sanitizer sees what is read */
	uint32_t id = 0;

	assert_non_null(exact);
	fcn_srv6_encaps_write(outer, &f, packet);
	memcpy(exact, packet, len);
	if (!fcn_path_id_find(&conf, exact, len, &id))
		id = 0;
	free(exact);
	return id;
}

TEST(of_a_list)
{
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(found(&encaps[i].roce, encaps[i].roce.len + INNER), 1000 + i);
		assert_int_equal(found(&encaps[i].other, encaps[i].other.len + INNER), 1000 + i);
	}
}

TEST(not_of_a_list)
{
	struct fcn_srv6_encaps other = encaps[0].roce;

	assert_int_equal(found(&encaps[5].roce, encaps[5].roce.len + INNER), 0);
	other.header[23] += 5; /* another source: the packet came with its tunnel */
	assert_int_equal(found(&other, other.len + INNER), 0);
	other.header[23] -= 5;
	other.header[43]--; /* Segments Left: it comes back */
	assert_int_equal(found(&other, other.len + INNER), 0);
	other.header[43]++;
	other.header[other.len - 1]++; /* another segment */
	assert_int_equal(found(&other, other.len + INNER), 0);
	other.header[other.len - 1]--;
	other.header[41] = 0; /* a Segment Routing Header without segments */
	assert_int_equal(found(&other, 48), 0);
	other.header[41] = 3; /* or with a half of one */
	assert_int_equal(found(&other, other.len + INNER), 0);
}

/* Bytes that are not there are not read. */
TEST(cut_short)
{
	for (uint32_t len = 0; len < encaps[0].roce.len; len++)
		assert_int_equal(found(&encaps[0].roce, len), 0);
}

TEST(none)
{
	memset(conf.path_first, 0, sizeof(conf.path_first));
	conf.has_path_ids = false;
	for (unsigned int i = 0; i < LISTS; i++)
		encaps[i].has_path_id = false;
	fcn_path_id_index(&conf);
	assert_false(conf.has_path_ids);
	assert_int_equal(found(&encaps[0].roce, encaps[0].roce.len + INNER), 0);
}
