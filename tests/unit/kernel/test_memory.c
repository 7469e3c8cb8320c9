/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What recorded conversations say is kept while memory runs out at each allocation in turn: what
 * does not fit is counted, and once there is memory again and all was said again, it is there.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/rtnetlink.h>

#include "fcn_kernel_list.h"
#include "fcn_netlink.h"
#include "fcn_test.h"
#include "netlink_player.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);

static unsigned int countdown; /* the allocation at which there is no memory; 0: there is */
static unsigned int failures;

static bool
fails(void)
{
	if (countdown == 0 || --countdown > 0)
		return false;
	failures++;
	return true;
}

void *
__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

static void
say_datagram(struct fcn_kernel_store *s, const uint8_t *data, size_t len, bool answer)
{
	struct fcn_rtnl_span body;
	struct nlmsghdr hdr;
	struct fcn_rtnl msg;

	while (fcn_rtnl_next(&data, &len, &hdr, &body)) {
		if (hdr.nlmsg_type >= NLMSG_MIN_TYPE && fcn_rtnl_read(&hdr, &body, &msg) == 0)
			fcn_kernel_store_apply(s, &msg, answer);
	}
}

/* All of it once; each change of ports by the recording. */
static void
say_all(struct fcn_kernel_store *s, const uint8_t *data, size_t size)
{
	while (size >= 3) {
		size_t len = data[1] | (size_t)data[2] << 8;
		uint32_t ifindex;

		if (data[0] == NETLINK_PORT) {
			memcpy(&ifindex, data + 4, sizeof(ifindex));
			fcn_kernel_store_set_port(s, data[3], ifindex);
		} else if (data[0] == NETLINK_CHANGE || data[0] == NETLINK_ANSWER) {
			say_datagram(s, data + 3, len, data[0] == NETLINK_ANSWER);
		}
		data += 3 + len;
		size -= 3 + len;
	}
}

static bool
take(struct fcn_kernel_store *s, struct fcn_kernel_list *list)
{
	struct fcn_kernel_changes changes;
	struct fcn_kernel_neighbour *neighbours;
	struct fcn_kernel_segments *segments;
	struct fcn_kernel_sid *sids;
	size_t n;
	int rc;

	if (fcn_kernel_store_changes(s, &changes) != 0)
		return false;
	rc = fcn_kernel_list_change(list, &changes);
	if (rc != 0)
		fcn_kernel_store_set_all_changed(s);
	fcn_kernel_changes_free(&changes);
	if (fcn_kernel_store_neighbours(s, &neighbours, &n) == 0)
		free(neighbours);
	if (fcn_kernel_store_segments(s, &segments, &n) == 0)
		free(segments);
	if (fcn_kernel_store_sids(s, &sids, &n) == 0)
		free(sids);
	return rc == 0;
}

/* @return whether memory did run out */
static bool
play_without_memory(const uint8_t *data, size_t size, unsigned int at)
{
	struct fcn_kernel_store *s = fcn_kernel_store_create();
	struct fcn_kernel_list list = {0};
	struct fcn_kernel_path *whole;
	uint64_t left_out;
	bool ran_out;
	size_t n;

	fcn_kernel_store_set_table(s, 0, RT_TABLE_MAIN);
	failures = 0;
	countdown = at;
	fcn_kernel_store_begin_sync(s);
	say_all(s, data, size);
	take(s, &list);
	fcn_kernel_store_end_sync(s, false);
	take(s, &list);
	countdown = 0;
	ran_out = failures > 0;
	fcn_kernel_store_begin_sync(s);
	say_all(s, data, size);
	fcn_kernel_store_end_sync(s, false);
	assert_true(take(s, &list));
	assert_int_equal(fcn_kernel_store_paths(s, &whole, &n, &left_out), 0);
	assert_true(n > 0);
	assert_int_equal(n, list.n);
	for (size_t i = 0; i < n; i++) {
		assert_true(fcn_prefix_equal(&whole[i].prefix, &list.path[i].prefix));
		assert_true(fcn_addr_equal(&whole[i].via, &list.path[i].via));
	}
	free(whole);
	fcn_kernel_list_free(&list);
	fcn_kernel_store_free(s);
	return ran_out;
}

TEST(recordings)
{
	static const char *const names[] = {"routes", "nexthops", "carrier", "replaced", "srv6"};
	static uint8_t data[1 << 16];

	for (unsigned int i = 0; i < RTE_DIM(names); i++) {
		unsigned int at = 1;
		char path[512];
		size_t size;
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", fcn_test_args[0], names[i]);
		f = fopen(path, "rb");
		assert_non_null(f);
		size = fread(data, 1, sizeof(data), f);
		fclose(f);
		while (play_without_memory(data, size, at))
			at++;
		assert_true(at > 20);
	}
}

TEST(creation)
{
	struct fcn_netlink_io io = {0};
	struct fcn_kernel_store *s;

	for (unsigned int at = 1; at <= 5; at++) {
		countdown = at;
		s = fcn_kernel_store_create();
		countdown = 0;
		assert_null(s);
	}
	countdown = 1;
	assert_null(fcn_netlink_create(&io, NULL));
	countdown = 0;
	fcn_kernel_store_free(NULL);
}

/* As iproute2's rt_protos and FRR have them. */
TEST(protocol_names)
{
	static const struct {
		uint8_t protocol;
		const char *name;
	} cases[] = {{1, "redirect"}, {2, "kernel"}, {3, "boot"}, {4, "static"}, {9, "ra"},
			{11, "zebra"}, {12, "bird"}, {16, "dhcp"}, {42, "babel"}, {186, "bgp"},
			{187, "isis"}, {188, "ospf"}, {189, "rip"}, {190, "rip"}, {192, "eigrp"},
			{196, "static"}};
	unsigned int known = 0;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++)
		assert_string_equal(fcn_rtnl_protocol_name(cases[i].protocol), cases[i].name);
	for (unsigned int p = 0; p < 256; p++)
		known += fcn_rtnl_protocol_name(p) != NULL;
	assert_int_equal(known, RTE_DIM(cases));
}
