/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Segment lists and local SIDs of routes: what is stored of them, and what is no such thing. The
 * messages are written octet by octet, as include/uapi/linux/seg6*.h has them. */

#include <sys/socket.h>

#include <linux/lwtunnel.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <linux/seg6_iptunnel.h>
#include <linux/seg6_local.h>

#include "talk.h"

/* Append an attribute to others. @return their length */
static uint16_t
add_attr(uint8_t *to, uint16_t at, uint16_t type, const void *data, uint16_t len)
{
	struct nlattr a = {.nla_len = sizeof(a) + len, .nla_type = type};

	memcpy(to + at, &a, sizeof(a));
	memcpy(to + at + sizeof(a), data, len);
	return at + NLA_ALIGN(a.nla_len);
}

/* A notification of 10.N.0.0/16 with a tunnel. The kernel puts the type behind the attributes. */
static void
say_tunnel(struct netlink_player *p, uint8_t n, uint16_t type, const uint8_t *encap, uint16_t len)
{
	route(RTM_NEWROUTE, 0, n, RT_TABLE_MAIN);
	if (encap != NULL)
		put(RTA_ENCAP, encap, len);
	put(RTA_ENCAP_TYPE, &type, sizeof(type));
	say(p, NETLINK_CHANGE);
}

/* SEG6_IPTUNNEL_SRH of so many segments, of which `len` octets are there. */
static uint16_t
segments(uint8_t *to, uint32_t mode, uint8_t n, uint8_t units, uint16_t len)
{
	uint8_t data[1024] = {0};

	memcpy(data, &mode, sizeof(mode));
	memcpy(data + 4, (const uint8_t[]){0, units, 4, n - 1, n - 1}, 5);
	for (unsigned int i = 0; i < n; i++) /* 2001:db8:: with its number, the first one last */
		memcpy(data + 12 + 16 * i, (const uint8_t[]){0x20, 1, 0xd, 0xb8, 0, n - i}, 6);
	return add_attr(to, 0, SEG6_IPTUNNEL_SRH, data, len);
}

static struct fcn_kernel_counts
stored(const struct netlink_player *p)
{
	struct fcn_kernel_counts counts;

	fcn_kernel_store_counts(p->store, &counts);
	return counts;
}

TEST(segment_lists)
{
	uint8_t encap[1100];
	struct netlink_player p;
	uint16_t len;

	start(&p);
	len = segments(encap, SEG6_IPTUN_MODE_ENCAP, 16, 32, 4 + 8 + 256);
	say_tunnel(&p, 1, LWTUNNEL_ENCAP_SEG6, encap, len);
	assert_int_equal(stored(&p).segment_lists, 1);
	len = segments(encap, SEG6_IPTUN_MODE_ENCAP, 17, 34, 4 + 8 + 272);
	say_tunnel(&p, 2, LWTUNNEL_ENCAP_SEG6, encap, len);
	len = segments(encap, SEG6_IPTUN_MODE_ENCAP_RED, 1, 3, 4 + 8 + 24); /* 8 octets of TLVs */
	say_tunnel(&p, 3, LWTUNNEL_ENCAP_SEG6, encap, len);
	len = segments(encap, SEG6_IPTUN_MODE_ENCAP_RED, 2, 4, 4 + 8 + 32);
	encap[4 + 4 + 8] = 0xff; /* a multicast address */
	say_tunnel(&p, 10, LWTUNNEL_ENCAP_SEG6, encap, len);
	assert_int_equal(stored(&p).srv6_segments, 3);
	len = segments(encap, SEG6_IPTUN_MODE_L2ENCAP_RED, 1, 2, 4 + 8 + 16);
	say_tunnel(&p, 4, LWTUNNEL_ENCAP_SEG6, encap, len);
	assert_int_equal(stored(&p).srv6_mode, 1);
	assert_int_equal(stored(&p).routes, 5);
	assert_int_equal(counts_of(&p).malformed, 0);
	/* one octet short; a list that ends inside a segment; no mode; nothing */
	len = segments(encap, SEG6_IPTUN_MODE_ENCAP, 2, 4, 4 + 8 + 31);
	say_tunnel(&p, 5, LWTUNNEL_ENCAP_SEG6, encap, len);
	len = segments(encap, SEG6_IPTUN_MODE_ENCAP, 2, 3, 4 + 8 + 24);
	say_tunnel(&p, 6, LWTUNNEL_ENCAP_SEG6, encap, len);
	len = segments(encap, SEG6_IPTUN_MODE_ENCAP, 1, 2, 3);
	say_tunnel(&p, 7, LWTUNNEL_ENCAP_SEG6, encap, len);
	say_tunnel(&p, 8, LWTUNNEL_ENCAP_SEG6, encap, 0);
	say_tunnel(&p, 9, LWTUNNEL_ENCAP_SEG6, NULL, 0);
	assert_int_equal(counts_of(&p).malformed, 5);
	assert_int_equal(stored(&p).routes, 5);
	assert_int_equal(stored(&p).segment_lists, 1);
	netlink_player_close(&p);
}

TEST(local_sids)
{
	const uint8_t bits[] = {32, 16};
	uint8_t encap[128], flavors[64];
	struct netlink_player p;
	uint32_t word, op;
	uint16_t len, n;

	start(&p);
	/* End.DT46 in the table of a VRF, which a kernel without VRFs cannot be asked for */
	word = SEG6_LOCAL_ACTION_END_DT46;
	len = add_attr(encap, 0, SEG6_LOCAL_ACTION, &word, 4);
	word = 100;
	len = add_attr(encap, len, SEG6_LOCAL_VRFTABLE, &word, 4);
	say_tunnel(&p, 1, LWTUNNEL_ENCAP_SEG6_LOCAL, encap, len);
	assert_int_equal(stored(&p).sids, 1);
	/* The same message says nothing new, and another table does. */
	netlink_player_apply(&p);
	word = 200;
	add_attr(encap, 8, SEG6_LOCAL_VRFTABLE, &word, 4);
	route(RTM_NEWROUTE, NLM_F_REPLACE, 1, RT_TABLE_MAIN);
	put(RTA_ENCAP, encap, len);
	put(RTA_ENCAP_TYPE, (const uint16_t[]){LWTUNNEL_ENCAP_SEG6_LOCAL}, 2);
	uint64_t version = fcn_kernel_store_version(p.store);
	say(&p, NETLINK_CHANGE);
	assert_true(fcn_kernel_store_version(p.store) != version);
	version = fcn_kernel_store_version(p.store);
	say(&p, NETLINK_CHANGE);
	assert_true(fcn_kernel_store_version(p.store) == version);
	word = SEG6_LOCAL_ACTION_END_BPF;
	len = add_attr(encap, 0, SEG6_LOCAL_ACTION, &word, 4);
	say_tunnel(&p, 2, LWTUNNEL_ENCAP_SEG6_LOCAL, encap, len);
	assert_int_equal(stored(&p).srv6_behavior, 1);
	for (unsigned int i = 0; i < 2; i++) {
		word = SEG6_LOCAL_ACTION_END;
		len = add_attr(encap, 0, SEG6_LOCAL_ACTION, &word, 4);
		op = 1u << (SEG6_LOCAL_FLV_OP_NEXT_CSID + i); /* the second is not known */
		n = add_attr(flavors, 0, SEG6_LOCAL_FLV_OPERATION, &op, 4);
		n = add_attr(flavors, n, SEG6_LOCAL_FLV_LCBLOCK_BITS, &bits[0], 1);
		n = add_attr(flavors, n, SEG6_LOCAL_FLV_LCNODE_FN_BITS, &bits[1], 1);
		len = add_attr(encap, len, SEG6_LOCAL_FLAVORS, flavors, n);
		say_tunnel(&p, 3 + i, LWTUNNEL_ENCAP_SEG6_LOCAL, encap, len);
	}
	assert_int_equal(stored(&p).srv6_flavor, 1);
	assert_int_equal(stored(&p).sids, 2);
	assert_int_equal(counts_of(&p).malformed, 0);
	/* flavors that are cut short; an address that is; no action; nothing */
	n = add_attr(flavors, 0, SEG6_LOCAL_FLV_OPERATION, &op, 3);
	len = add_attr(encap, 8, SEG6_LOCAL_FLAVORS, flavors, n);
	say_tunnel(&p, 5, LWTUNNEL_ENCAP_SEG6_LOCAL, encap, len);
	len = add_attr(encap, 8, SEG6_LOCAL_NH6, flavors, 15);
	say_tunnel(&p, 6, LWTUNNEL_ENCAP_SEG6_LOCAL, encap, len);
	len = add_attr(encap, 0, SEG6_LOCAL_TABLE, &word, 4);
	say_tunnel(&p, 7, LWTUNNEL_ENCAP_SEG6_LOCAL, encap, len);
	say_tunnel(&p, 8, LWTUNNEL_ENCAP_SEG6_LOCAL, NULL, 0);
	assert_int_equal(counts_of(&p).malformed, 4);
	assert_int_equal(stored(&p).routes, 4);
	netlink_player_close(&p);
}

/* The message that routes 2001:db8:N::/48 by a list of so many segments, whose last one is `last`.
 */
static void
by_list(uint16_t type, uint16_t flags, uint8_t n, uint8_t n_segments, uint16_t last)
{
	struct rtmsg rtm = {.rtm_family = AF_INET6,
			.rtm_dst_len = 48,
			.rtm_type = RTN_UNICAST,
			.rtm_table = RT_TABLE_MAIN};
	uint8_t dst[16] = {0x20, 1, 0xd, 0xb8, 1, n};
	uint16_t encap_type = LWTUNNEL_ENCAP_SEG6, len;
	uint8_t encap[512];
	uint32_t oif = 99; /* none of the switch */

	len = segments(encap, SEG6_IPTUN_MODE_ENCAP_RED, n_segments, 2 * n_segments,
			4 + 8 + 16 * n_segments);
	memcpy(encap + 4 + 4 + 8 + 14, (const uint8_t[]){last >> 8, last & 0xff}, 2);
	begin(type, flags, &rtm, sizeof(rtm));
	put(RTA_DST, dst, sizeof(dst));
	put(RTA_OIF, &oif, sizeof(oif));
	put(RTA_ENCAP_TYPE, &encap_type, sizeof(encap_type));
	put(RTA_ENCAP, encap, len);
}

/* Equal lists are one, which goes with its last route. */
TEST(shared_lists)
{
	struct fcn_kernel_segments *list;
	struct netlink_player p;
	uint64_t first;
	size_t n;

	start(&p);
	by_list(RTM_NEWROUTE, 0, 1, 2, 5);
	say(&p, NETLINK_CHANGE);
	by_list(RTM_NEWROUTE, 0, 2, 2, 5);
	say(&p, NETLINK_CHANGE);
	by_list(RTM_NEWROUTE, 0, 3, 2, 6);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(p.list.path[i].type, FCN_KERNEL_SEGMENTS);
		assert_int_equal(p.list.path[i].port, FCN_KERNEL_NO_PORT);
		assert_int_equal(p.list.path[i].weight, 1);
	}
	first = fcn_kernel_path_serial(&p.list.path[0]);
	assert_true(first == fcn_kernel_path_serial(&p.list.path[1]));
	assert_true(first != fcn_kernel_path_serial(&p.list.path[2]));
	assert_int_equal(fcn_kernel_store_segments(p.store, &list, &n), 0);
	assert_int_equal(n, 2);
	assert_true(list[0].serial == first);
	assert_int_equal(list[0].list.mode, FCN_SRV6_H_ENCAPS_RED);
	assert_int_equal(list[0].list.n, 2);
	assert_memory_equal(list[0].list.segment[0],
			((const uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, 1}), 16);
	assert_memory_equal(list[0].list.segment[1],
			((const uint8_t[16]){0x20, 1, 0xd, 0xb8, 0, 2, [15] = 5}), 16);
	assert_int_not_equal(list[0].slot, list[1].slot);
	free(list);
	/* replaced by another list, withdrawn, and there again */
	by_list(RTM_NEWROUTE, NLM_F_REPLACE, 1, 2, 6);
	say(&p, NETLINK_CHANGE);
	by_list(RTM_DELROUTE, 0, 2, 2, 5);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 2);
	assert_true(fcn_kernel_path_serial(&p.list.path[0]) ==
			fcn_kernel_path_serial(&p.list.path[1]));
	assert_int_equal(stored(&p).segment_lists, 1);
	by_list(RTM_NEWROUTE, 0, 2, 2, 5);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_true(fcn_kernel_path_serial(&p.list.path[1]) != first);
	assert_int_equal(counts_of(&p).malformed + counts_of(&p).unclear, 0);
	netlink_player_close(&p);
}

/* A path is removed by the segment list, not by the interface, which all have. */
TEST(paths_of_one_interface)
{
	uint8_t data[1024] = {0}, encap[512];
	struct rtmsg rtm = {.rtm_family = AF_INET6,
			.rtm_dst_len = 48,
			.rtm_type = RTN_UNICAST,
			.rtm_table = RT_TABLE_MAIN};
	uint8_t dst[16] = {0x20, 1, 0xd, 0xb8, 1, 1};
	uint16_t type = LWTUNNEL_ENCAP_SEG6, len = 0;
	struct netlink_player p;

	start(&p);
	for (unsigned int i = 0; i < 3; i++) { /* lists of 1 to 3 segments, of weight 4 to 6 */
		struct rtnexthop nh = {.rtnh_hops = 3 + i, .rtnh_ifindex = 99};
		uint16_t at = len;

		len += sizeof(nh);
		len = add_attr(data, len, RTA_ENCAP_TYPE, &type, sizeof(type));
		len = add_attr(data, len, RTA_ENCAP, encap,
				segments(encap, SEG6_IPTUN_MODE_ENCAP, i + 1, 2 * i + 2,
						4 + 8 + 16 * (i + 1)));
		nh.rtnh_len = len - at;
		memcpy(data + at, &nh, sizeof(nh));
	}
	begin(RTM_NEWROUTE, 0, &rtm, sizeof(rtm));
	put(RTA_DST, dst, sizeof(dst));
	put(RTA_MULTIPATH, data, len);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 3);
	assert_int_equal(stored(&p).segment_lists, 3);
	begin(RTM_DELROUTE, 0, &rtm, sizeof(rtm));
	put(RTA_DST, dst, sizeof(dst));
	put(RTA_OIF, &(uint32_t){99}, 4);
	len = segments(encap, SEG6_IPTUN_MODE_ENCAP, 2, 4, 4 + 8 + 32);
	put(RTA_ENCAP, encap, len);
	put(RTA_ENCAP_TYPE, &type, sizeof(type));
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 2);
	assert_int_equal(p.list.path[0].weight + p.list.path[1].weight, 2 + 3); /* 4 : 6 */
	assert_int_equal(stored(&p).segment_lists, 2);
	assert_int_equal(counts_of(&p).unclear, 0);
	netlink_player_close(&p);
}

/* Routes with one list too many are not stored, until there is room. */
TEST(most_lists)
{
	struct netlink_player p;

	start(&p);
	for (unsigned int i = 0; i < FCN_SRV6_KERNEL_LISTS + 3; i++) {
		by_list(RTM_NEWROUTE, 0, 1, 1, i);
		/* 2001:db8:1N:NNNN::/48 */
		memcpy(msg + sizeof(struct nlmsghdr) + sizeof(struct rtmsg) + 4 + 4,
				(const uint8_t[]){i >> 8, i & 0xff}, 2);
		say(&p, NETLINK_CHANGE);
	}
	assert_int_equal(stored(&p).segment_lists, FCN_SRV6_KERNEL_LISTS);
	assert_int_equal(stored(&p).routes, FCN_SRV6_KERNEL_LISTS);
	assert_int_equal(stored(&p).segments_full, 3);
	assert_int_equal(stored(&p).full, 0);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, FCN_SRV6_KERNEL_LISTS);
	fcn_kernel_store_clear_counts(p.store);
	assert_int_equal(stored(&p).segments_full, 0);
	netlink_player_close(&p);
}
