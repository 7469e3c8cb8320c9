/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "test_case.h"

#include "message.h"
#include "nd_frames.h"
#include "vectors.h"

#define ETHER 14

/* clang-format off */
#define MAC_A {{2, 0x11, 0x22, 0x33, 0x44, 0x55}}
#define MAC_B {{2, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE}}
#define LINK_A {0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0xFF, 0xFE, 0x33, 0x44, 0x55}
#define ADDR_B {0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xAB, 0xCD, 0xEF}
#define NODE_B {0xFF, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xAB, 0xCD, 0xEF}
#define NODES {0xFF, 2, [15] = 1}
#define ROUTERS {0xFF, 2, [15] = 2}
/* clang-format on */

const struct rte_ether_addr nd_mac_a = MAC_A, nd_mac_b = MAC_B;
const uint8_t nd_link_a[16] = LINK_A, nd_addr_b[16] = ADDR_B;

const struct fcn_nd_ra nd_expected_ra = {64, 0x40, 1800, 30000, 1000, 9000, 2,
		{{{0x20, 0x01, 0x0D, 0xB8, 0, 1}, 64, 0xC0, 2592000, 604800},
				{{0x20, 0x01, 0x0D, 0xB8, 0, 2, 0, 8}, 61, 0x80, UINT32_MAX,
						UINT32_MAX}}};

const struct fcn_nd nd_expected[N_FRAMES] = {
		[NS] = {135, 0, false, true, MAC_A, LINK_A, NODE_B, ADDR_B},
		[NS_UNICAST] = {135, 0, false, true, MAC_A, LINK_A, ADDR_B, ADDR_B},
		[NS_DAD] = {135, 0, true, false, {{0}}, {0}, NODE_B, ADDR_B},
		[NA] = {136, 0xE0, false, true, MAC_B, ADDR_B, LINK_A, ADDR_B},
		[NA_ALL] = {136, 0x20, false, true, MAC_B, ADDR_B, NODES, ADDR_B},
		[RS] = {133, 0, false, true, MAC_A, LINK_A, ROUTERS, {0}},
		[RS_UNSPECIFIED] = {133, 0, false, false, {{0}}, {0}, ROUTERS, {0}},
		[RA] = {134, 0, false, true, MAC_A, LINK_A, NODES, {0}},
};

struct nd_packet nd_frames[N_FRAMES];

int
nd_setup(void **state)
{
	struct vectors v;

	(void)state;
	vectors_load(&v, "31_nd");
	if (v.n != N_FRAMES)
		return -1;
	for (unsigned int i = 0; i < v.n; i++) {
		nd_frames[i].len = v.len[i] - ETHER;
		memcpy(nd_frames[i].data, v.data[i] + ETHER, nd_frames[i].len);
	}
	vectors_free(&v);
	return 0;
}

enum fcn_msg_error
nd_parse(const uint8_t *data, uint32_t len, struct fcn_nd *out)
{
	uint8_t *copy = exact_copy(data, len);
	struct fcn_nd nd, before;
	enum fcn_msg_error error;

	memset(&nd, 0xA5, sizeof(nd));
	memset(&before, 0xA5, sizeof(before));
	error = fcn_nd_parse(copy, len, &nd);
	if (error != FCN_MSG_OK)
		assert_memory_equal(&nd, &before, sizeof(nd));
	else if (out != NULL)
		*out = nd;
	free(copy);
	return error;
}

enum fcn_msg_error
nd_parse_completed(struct nd_packet *p, struct fcn_nd *out)
{
	msg_finish6(p->data, 40, p->len);
	return nd_parse(p->data, p->len, out);
}

void
nd_add(struct nd_packet *p, const void *bytes, uint32_t len)
{
	assert_true(p->len + len <= ND_PACKET_MAX);
	memcpy(p->data + p->len, bytes, len);
	p->len += len;
}

void
nd_assert_same_ra(const struct fcn_nd_ra *ra, const struct fcn_nd_ra *want)
{
	assert_int_equal(ra->hop_limit, want->hop_limit);
	assert_int_equal(ra->flags, want->flags);
	assert_int_equal(ra->lifetime_s, want->lifetime_s);
	assert_int_equal(ra->reachable_ms, want->reachable_ms);
	assert_int_equal(ra->retrans_ms, want->retrans_ms);
	assert_int_equal(ra->mtu, want->mtu);
	assert_int_equal(ra->n_prefixes, want->n_prefixes);
	for (unsigned int i = 0; i < FCN_ND_MAX_PREFIXES; i++) {
		assert_memory_equal(ra->prefix[i].addr, want->prefix[i].addr, 16);
		assert_int_equal(ra->prefix[i].len, want->prefix[i].len);
		assert_int_equal(ra->prefix[i].flags, want->prefix[i].flags);
		assert_int_equal(ra->prefix[i].valid_s, want->prefix[i].valid_s);
		assert_int_equal(ra->prefix[i].preferred_s, want->prefix[i].preferred_s);
	}
}

void
nd_assert_equal(const struct fcn_nd *nd, unsigned int i)
{
	const struct fcn_nd *want = &nd_expected[i];

	assert_int_equal(nd->type, want->type);
	assert_int_equal(nd->flags, want->flags);
	assert_int_equal(nd->dad, want->dad);
	assert_int_equal(nd->has_lladdr, want->has_lladdr);
	assert_memory_equal(&nd->lladdr, &want->lladdr, sizeof(nd->lladdr));
	assert_memory_equal(nd->src, want->src, 16);
	assert_memory_equal(nd->dst, want->dst, 16);
	assert_memory_equal(nd->target, want->target, 16);
	assert_false(nd->prefixes_left_out);
	nd_assert_same_ra(&nd->ra, i == RA ? &nd_expected_ra : &want->ra);
}
