/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Multicast Listener Discovery: packets of scapy built and read, every defect, every length. */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_mld.h"
#include "message.h"
#include "mld_frames.h"

#define ETH_LEN 14
#define ICMP_OFF 48

static const uint8_t link_local[16] = {0xFE, 0x80, [11] = 0xFF, [12] = 0xFE, [15] = 0x11};
static const uint8_t group_1[16] = {0xFF, 2, [11] = 1, [12] = 0xFF, [15] = 1};
static const uint8_t group_link_local[16] = {0xFF, 2, [11] = 1, [12] = 0xFF, [15] = 0x11};
static const uint8_t group_routers[16] = {0xFF, 2, [15] = 2};
static const uint8_t querier[16] = {0xFE, 0x80, [15] = 0xB};
static const uint8_t zero[16];

/* Bytes in a buffer of exactly their size. */
static uint8_t *
bytes_of(const char *hex, uint32_t skip, uint32_t *len)
{
	uint8_t *p;

	hex += 2 * skip;
	*len = (uint32_t)strlen(hex) / 2;
	p = malloc(*len);
	assert_non_null(p);
	for (uint32_t i = 0; i < *len; i++) {
		unsigned int byte;

		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		p[i] = (uint8_t)byte;
	}
	return p;
}

/* A message of scapy, in rooms of every size. */
static void
built_is(const char *hex, const uint8_t *src, uint8_t v1, const uint8_t *group,
		const struct fcn_mld_record *record, uint16_t n)
{
	uint32_t len, got;
	uint8_t *want = bytes_of(hex, ETH_LEN, &len);

	for (uint32_t room = 0; room <= len + 8; room++) {
		uint8_t *buf = msg_room(room);

		got = v1 != 0 ? fcn_mld_build_v1(src, v1, group, buf, room)
			      : fcn_mld_build_report(src, record, n, buf, room);
		if (room < len) {
			assert_int_equal(got, 0);
			assert_true(msg_untouched(buf, room));
		} else {
			assert_int_equal(got, len);
			assert_memory_equal(buf, want, len);
			assert_true(msg_untouched(buf + len, room - len));
		}
		free(buf);
	}
	free(want);
}

TEST(build)
{
	struct fcn_mld_record r[3] = {{.type = FCN_MLD_CHANGE_TO_EXCLUDE},
			{.type = FCN_MLD_CHANGE_TO_EXCLUDE}, {.type = FCN_MLD_CHANGE_TO_EXCLUDE}};

	memcpy(r[0].group, group_1, 16);
	memcpy(r[1].group, group_link_local, 16);
	memcpy(r[2].group, group_routers, 16);
	built_is(MLD_JOIN_1, link_local, 0, NULL, r, 1);
	built_is(MLD_JOIN_1_UNSPECIFIED, NULL, 0, NULL, r, 1);
	built_is(MLD_JOIN_LINK_LOCAL_1, link_local, 0, NULL, r + 1, 2);
	built_is(MLD_JOIN_ALL_1, link_local, 0, NULL, r, 3);
	r[0].type = FCN_MLD_CHANGE_TO_INCLUDE;
	built_is(MLD_LEAVE_1, link_local, 0, NULL, r, 1);
	r[0].type = FCN_MLD_MODE_IS_EXCLUDE;
	built_is(MLD_IS_1, link_local, 0, NULL, r, 1);
	built_is(MLD_V1_REPORT_1, link_local, FCN_MLD_REPORT_V1, group_1, NULL, 0);
	built_is(MLD_V1_REPORT_ROUTERS_1, link_local, FCN_MLD_REPORT_V1, group_routers, NULL, 0);
	built_is(MLD_V1_DONE_1, link_local, FCN_MLD_DONE, group_1, NULL, 0);
	assert_int_equal(FCN_MLD_REPORT_LEN(3), strlen(MLD_JOIN_ALL_1) / 2 - ETH_LEN);
	assert_int_equal(FCN_MLD_V1_LEN, strlen(MLD_V1_DONE_1) / 2 - ETH_LEN);
}

TEST(nothing_to_report)
{
	struct fcn_mld_record r = {.type = FCN_MLD_MODE_IS_EXCLUDE};
	uint8_t *big = malloc(70000);

	assert_non_null(big);
	assert_int_equal(fcn_mld_build_report(NULL, &r, 0, big, 70000), 0);
	/* more than an IPv6 packet can hold: nothing is read */
	assert_int_equal(fcn_mld_build_report(NULL, &r, 3300, big, 70000), 0);
	free(big);
}

/* RFC 3810 section 5.1.3; by hand: 0x9234 is (0x1000 | 0x234) << (1 + 3), 0xFFFF is 0x1FFF << 10 */
TEST(read)
{
	static const struct {
		const char *hex;
		uint8_t version;
		const uint8_t *group;
		uint32_t max_delay_ms;
		uint16_t n_sources;
	} q[] = {{MLD_QUERY_V2, 2, zero, 10000, 0}, {MLD_QUERY_V2_GROUP_1, 2, group_1, 1000, 0},
			{MLD_QUERY_V2_SOURCES, 2, group_1, 0x12340, 2},
			{MLD_QUERY_V2_MAX, 2, zero, 8387584, 0}, {MLD_QUERY_V2_NOW, 2, zero, 0, 0},
			{MLD_QUERY_V1, 1, zero, 10000, 0},
			{MLD_QUERY_V1_GROUP_1, 1, group_1, 1000, 0}};

	for (unsigned int i = 0; i < RTE_DIM(q); i++) {
		struct fcn_mld_query got;
		uint32_t len;
		uint8_t *p = bytes_of(q[i].hex, 0, &len);

		assert_int_equal(fcn_mld_parse_query(p, len, &got), FCN_MSG_OK);
		assert_int_equal(got.version, q[i].version);
		assert_memory_equal(got.src, querier, 16);
		assert_memory_equal(got.group, q[i].group, 16);
		assert_int_equal(got.max_delay_ms, q[i].max_delay_ms);
		assert_int_equal(got.n_sources, q[i].n_sources);
		/* cut short anywhere it is none, and nothing behind its end is read */
		for (uint32_t cut = 0; cut < len; cut++) {
			uint8_t *part = malloc(cut + 1);
			uint8_t *exact = realloc(part, cut == 0 ? 1 : cut);

			assert_non_null(exact);
			memcpy(exact, p, cut);
			assert_int_equal(fcn_mld_parse_query(exact, cut, &got), FCN_MSG_TRUNCATED);
			free(exact);
		}
		free(p);
	}
}

static enum fcn_msg_error
read_hex(const char *hex)
{
	struct fcn_mld_query got;
	uint32_t len;
	uint8_t *p = bytes_of(hex, 0, &len);
	enum fcn_msg_error error = fcn_mld_parse_query(p, len, &got);

	free(p);
	return error;
}

/* One byte of a good query is another, and the checksum is right all the same. */
static enum fcn_msg_error
changed(const char *hex, uint32_t off, uint8_t value, uint32_t cut)
{
	struct fcn_mld_query got;
	uint32_t len;
	uint8_t *p = bytes_of(hex, 0, &len);
	enum fcn_msg_error error;

	p[off] = value;
	msg_finish6(p, ICMP_OFF, len - cut);
	error = fcn_mld_parse_query(p, len - cut, &got);
	free(p);
	return error;
}

TEST(refused)
{
	struct fcn_mld_query got;
	uint32_t len;
	uint8_t *p;

	assert_int_equal(read_hex(MLD_QUERY_HOP_LIMIT), FCN_MSG_HOP_LIMIT);
	assert_int_equal(read_hex(MLD_QUERY_GLOBAL), FCN_MSG_SOURCE);
	assert_int_equal(read_hex(MLD_QUERY_NO_ALERT), FCN_MSG_ROUTER_ALERT);
	assert_int_equal(read_hex(MLD_QUERY_UNICAST), FCN_MSG_TARGET);
	assert_int_equal(changed(MLD_QUERY_V2, 47, 0, 0), FCN_MSG_OK);
	assert_int_equal(changed(MLD_QUERY_V2, ICMP_OFF, 131, 0), FCN_MSG_TYPE);
	assert_int_equal(changed(MLD_QUERY_V2, ICMP_OFF + 1, 1, 0), FCN_MSG_CODE);
	assert_int_equal(changed(MLD_QUERY_V2, 8, 0, 0), FCN_MSG_SOURCE);
	/* Router Alert: another option, another length, another value, past its header */
	assert_int_equal(changed(MLD_QUERY_V2, 42, 6, 0), FCN_MSG_ROUTER_ALERT);
	assert_int_equal(changed(MLD_QUERY_V2, 43, 4, 0), FCN_MSG_ROUTER_ALERT);
	assert_int_equal(changed(MLD_QUERY_V2, 45, 1, 0), FCN_MSG_ROUTER_ALERT);
	assert_int_equal(changed(MLD_QUERY_V2, 43, 200, 0), FCN_MSG_ROUTER_ALERT);
	/* more sources than there are; lengths between the versions; a version 1 of 24 bytes */
	assert_int_equal(changed(MLD_QUERY_V2, ICMP_OFF + 27, 1, 0), FCN_MSG_TRUNCATED);
	assert_int_equal(changed(MLD_QUERY_V2_SOURCES, ICMP_OFF + 27, 3, 0), FCN_MSG_TRUNCATED);
	assert_int_equal(changed(MLD_QUERY_V2, ICMP_OFF + 26, 0xFF, 0), FCN_MSG_TRUNCATED);
	for (uint32_t cut = 1; cut <= 3; cut++)
		assert_int_equal(changed(MLD_QUERY_V2, 47, 0, cut), FCN_MSG_TRUNCATED);
	assert_int_equal(changed(MLD_QUERY_V2, 47, 0, 4), FCN_MSG_OK);
	assert_int_equal(changed(MLD_QUERY_V2, 47, 0, 5), FCN_MSG_TRUNCATED);
	p = bytes_of(MLD_QUERY_V2, 0, &len);
	p[len - 1] ^= 1;
	assert_int_equal(fcn_mld_parse_query(p, len, &got), FCN_MSG_CHECKSUM);
	free(p);
}
