/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Messages of the kernel, built by hand, and a conversation in which some are lost. */

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "fcn_netlink.h"
#include "fcn_test.h"

#define PORT 4242
#define MS 1000000ull

static struct {
	uint8_t queue[64][512];
	ssize_t len[64]; /* negative: an errno */
	unsigned int head, tail;
	uint32_t seq; /* of the last question */
	unsigned int asked;
} wire;

static int
wire_send(void *arg, const void *msg, size_t len)
{
	struct nlmsghdr hdr;

	RTE_SET_USED(arg);
	assert_true(len >= sizeof(hdr));
	memcpy(&hdr, msg, sizeof(hdr));
	wire.seq = hdr.nlmsg_seq;
	wire.asked++;
	return 0;
}

static ssize_t
wire_recv(void *arg, void *buf, size_t size)
{
	unsigned int i = wire.head % 64;

	RTE_SET_USED(arg);
	RTE_SET_USED(size);
	if (wire.head == wire.tail)
		return -EAGAIN;
	wire.head++;
	if (wire.len[i] > 0)
		memcpy(buf, wire.queue[i], wire.len[i]);
	return wire.len[i];
}

static void
attr(uint8_t *msg, uint16_t type, const void *data, uint16_t len)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)msg;
	struct nlattr a = {.nla_len = sizeof(a) + len, .nla_type = type};

	memcpy(msg + hdr->nlmsg_len, &a, sizeof(a));
	memcpy(msg + hdr->nlmsg_len + sizeof(a), data, len);
	hdr->nlmsg_len += NLMSG_ALIGN(a.nla_len);
}

/* 2001:db8:N::/48 via 2001:db8::9 by interface 7. */
static uint32_t
route(uint8_t *msg, uint16_t type, uint8_t n, uint32_t table)
{
	uint8_t dst[16] = {0x20, 1, 0xd, 0xb8, 0, n}, via[16] = {0x20, 1, 0xd, 0xb8, [15] = 9};
	struct rtmsg rtm = {.rtm_family = AF_INET6,
			.rtm_dst_len = 48,
			.rtm_table = RT_TABLE_MAIN,
			.rtm_protocol = RTPROT_BGP,
			.rtm_type = RTN_UNICAST};
	struct nlmsghdr *hdr = (struct nlmsghdr *)msg;
	uint32_t oif = 7;

	memset(msg, 0, 512);
	hdr->nlmsg_type = type;
	hdr->nlmsg_len = sizeof(*hdr) + sizeof(rtm);
	memcpy(msg + sizeof(*hdr), &rtm, sizeof(rtm));
	attr(msg, RTA_DST, dst, sizeof(dst));
	attr(msg, RTA_GATEWAY, via, sizeof(via));
	attr(msg, RTA_OIF, &oif, sizeof(oif));
	attr(msg, RTA_TABLE, &table, sizeof(table));
	return hdr->nlmsg_len;
}

static uint8_t *
room(void)
{
	return wire.queue[wire.tail % 64];
}

static void
put(ssize_t len)
{
	wire.len[wire.tail++ % 64] = len;
}

static void
put_change(uint16_t type, uint8_t n)
{
	put(route(room(), type, n, RT_TABLE_MAIN));
}

static void
put_answer(uint8_t n)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)room();
	uint32_t len = route(room(), RTM_NEWROUTE, n, RT_TABLE_MAIN);

	hdr->nlmsg_seq = wire.seq;
	hdr->nlmsg_pid = PORT;
	put(len);
}

static void
put_done(void)
{
	struct nlmsghdr hdr = {.nlmsg_len = sizeof(hdr) + 4,
			.nlmsg_type = NLMSG_DONE,
			.nlmsg_seq = wire.seq,
			.nlmsg_pid = PORT};

	memset(room(), 0, 64);
	memcpy(room(), &hdr, sizeof(hdr));
	put(sizeof(hdr) + 4);
}

/* All six questions, with these routes as the answer to that for IPv6. */
static void
answer_all(struct fcn_netlink *nl, uint64_t now, unsigned int n_routes)
{
	for (unsigned int q = 0; q < 6; q++) {
		for (unsigned int n = 1; q == 3 && n <= n_routes; n++)
			put_answer(n);
		put_done();
		fcn_netlink_poll(nl, now);
	}
}

static size_t
n_paths(struct fcn_kernel_store *store)
{
	struct fcn_kernel_path *list;
	uint64_t left_out;
	size_t n;

	assert_int_equal(fcn_kernel_store_paths(store, &list, &n, &left_out), 0);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(list[i].port, 3);
		assert_int_equal(list[i].protocol, RTPROT_BGP);
		assert_int_equal(list[i].type, FCN_KERNEL_GATEWAY);
		assert_int_equal(list[i].via.bytes[15], 9);
	}
	free(list);
	return n;
}

TEST(conversation)
{
	const struct fcn_netlink_io io = {wire_send, wire_recv, NULL, PORT};
	const struct fcn_netlink_conf conf = {.table[0].number = RT_TABLE_MAIN};
	struct fcn_kernel_store *store = fcn_kernel_store_create();
	struct fcn_netlink *nl = fcn_netlink_create(&io, store);
	struct fcn_netlink_counts counts;
	uint64_t version;

	memset(&wire, 0, sizeof(wire));
	fcn_kernel_store_set_port(store, 3, 7);
	fcn_netlink_configure(nl, &conf, 0);
	assert_int_equal(fcn_netlink_state(nl), FCN_NETLINK_READING);
	answer_all(nl, MS, 4);
	assert_int_equal(fcn_netlink_state(nl), FCN_NETLINK_LISTENING);
	assert_int_equal(n_paths(store), 4);

	/* Changes; of another table, none; the same again, none. */
	put_change(RTM_NEWROUTE, 9);
	put_change(RTM_DELROUTE, 1);
	fcn_netlink_poll(nl, 2 * MS);
	assert_int_equal(n_paths(store), 4);
	version = fcn_kernel_store_version(store);
	put_change(RTM_NEWROUTE, 9);
	put(route(room(), RTM_NEWROUTE, 8, 77));
	fcn_netlink_poll(nl, 2 * MS);
	assert_int_equal(fcn_kernel_store_version(store), version);

	/* Some were lost: all is asked for, and what is not said any more is gone only then. */
	put(-ENOBUFS);
	fcn_netlink_poll(nl, 3 * MS);
	fcn_netlink_poll(nl, 1000 * MS);
	assert_int_equal(fcn_netlink_state(nl), FCN_NETLINK_READING);
	assert_int_equal(n_paths(store), 4);
	answer_all(nl, 1001 * MS, 2);
	assert_int_equal(n_paths(store), 2);
	fcn_netlink_counts(nl, &counts);
	assert_int_equal(counts.lost, 1);
	assert_int_equal(counts.syncs, 2);
	assert_int_equal(counts.malformed, 0);

	/* No answer: failed, and tried again. */
	put(-ENOBUFS);
	fcn_netlink_poll(nl, 1002 * MS);
	fcn_netlink_poll(nl, 2000 * MS);
	fcn_netlink_poll(nl, 9000 * MS);
	assert_int_equal(fcn_netlink_state(nl), FCN_NETLINK_FAILED);
	assert_int_equal(n_paths(store), 2);
	fcn_netlink_poll(nl, 11000 * MS);
	assert_int_equal(fcn_netlink_state(nl), FCN_NETLINK_READING);
	fcn_netlink_free(nl);
	fcn_kernel_store_free(store);
}

/* Cut anywhere, with any octet changed: never past the end, which is that of the heap's block. */
TEST(malformed)
{
	uint64_t seed = 1;

	for (unsigned int i = 0; i < 200000; i++) {
		uint8_t whole[512];
		uint32_t len = route(whole, RTM_NEWROUTE, 1, RT_TABLE_MAIN);
		struct fcn_rtnl_span body;
		struct fcn_rtnl msg;
		struct nlmsghdr hdr;
		const uint8_t *data;
		uint8_t *copy;
		size_t left;

		whole[4] = RTM_NEWLINK + fcn_test_random(&seed) % 100;
		for (unsigned int k = fcn_test_random(&seed) % 3; k > 0; k--)
			whole[sizeof(hdr) + fcn_test_random(&seed) % (len - sizeof(hdr))] =
					fcn_test_random(&seed);
		left = sizeof(hdr) + fcn_test_random(&seed) % (len - sizeof(hdr) + 1);
		((struct nlmsghdr *)whole)->nlmsg_len = left;
		copy = malloc(left);
		memcpy(copy, whole, left);
		data = copy;
		assert_true(fcn_rtnl_next(&data, &left, &hdr, &body));
		if (fcn_rtnl_read(&hdr, &body, &msg) == 0 && msg.kind == FCN_RTNL_ROUTE)
			assert_true(msg.route.n_paths <= FCN_RTNL_MAX_PATHS &&
					msg.route.prefix.len <= 128);
		free(copy);
	}
}
