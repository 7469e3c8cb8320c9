/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Addresses of the node itself. Flags, kinds and attributes are those of linux/if.h,
 * linux/if_link.h and linux/if_addr.h; that addresses are of the VRF of their device is that of the
 * kernel's Documentation/networking/vrf.rst.
 */

#include <net/if.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "talk.h"

#define LO 1
#define ETH 3
#define RED 5
#define DUMMY 6
#define OTHER 12
#define RED_TABLE 300

static void
link_as(uint16_t type, uint32_t ifindex, unsigned int flags, const char *kind, uint32_t table,
		uint32_t master)
{
	struct ifinfomsg ifi = {.ifi_index = (int)ifindex, .ifi_flags = IFF_UP | flags};
	const uint16_t len = (uint16_t)RTE_ALIGN(strlen(kind) + 1, 4);
	uint8_t info[64] = {0};
	struct nlattr name = {sizeof(name) + len, IFLA_INFO_KIND},
		      data = {sizeof(data) + 8, IFLA_INFO_DATA},
		      number = {sizeof(number) + 4, IFLA_VRF_TABLE};

	memcpy(info, &name, 4);
	memcpy(info + 4, kind, strlen(kind));
	memcpy(info + 4 + len, &data, 4);
	memcpy(info + 8 + len, &number, 4);
	memcpy(info + 12 + len, &table, 4);
	begin(type, 0, &ifi, sizeof(ifi));
	put(IFLA_IFNAME, ifindex == RED ? "red" : "oth", 4);
	if (kind[0] != '\0')
		put(IFLA_LINKINFO, info, table != 0 ? 16 + len : 4 + len);
	if (master != 0)
		put(IFLA_MASTER, &master, sizeof(master));
}

static void
address(uint16_t type, uint32_t ifindex, const char *text)
{
	struct fcn_addr a;
	struct ifaddrmsg ifa = {.ifa_index = ifindex};
	uint8_t peer[16] = {9};
	uint16_t len;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	len = a.version == 6 ? 16 : 4;
	ifa.ifa_family = a.version == 6 ? AF_INET6 : AF_INET;
	begin(type, 0, &ifa, sizeof(ifa));
	/* IPv4 has both, of which one may be the other end's; IPv6 only this. */
	put(IFA_ADDRESS, a.version == 6 ? a.bytes : peer, len);
	if (a.version == 4)
		put(IFA_LOCAL, a.bytes, len);
}

/* The addresses are these: "table address", in the order of tables and addresses. */
static void
assert_own(const struct netlink_player *p, const char *want)
{
	char text[1024] = "", addr[FCN_ADDR_STRLEN];
	struct fcn_kernel_own *list;
	size_t n, len = 0;

	assert_int_equal(fcn_kernel_store_own(p->store, &list, &n), 0);
	for (size_t i = 0; i < n; i++)
		len += snprintf(text + len, sizeof(text) - len, "%u %s\n", list[i].table,
				fcn_addr_format(&list[i].addr, addr, sizeof(addr)));
	free(list);
	assert_string_equal(text, want);
}

/* Follow the main table and, if it is not "", that of a VRF. */
static void
follow(struct netlink_player *p, const char *vrf)
{
	const uint32_t main = 254;
	uint8_t octets[40] = {0};

	memcpy(octets, &main, 4);
	memcpy(octets + 24, vrf, strlen(vrf));
	netlink_player_record(p, NETLINK_CONFIGURE, octets, sizeof(octets));
}

static void
change(struct netlink_player *p, bool is_own)
{
	const uint64_t version = fcn_kernel_store_version(p->store);

	say(p, NETLINK_CHANGE);
	assert_int_equal(fcn_kernel_store_version(p->store) != version, is_own);
}

TEST(own)
{
	struct netlink_player p;

	start(&p);
	link_as(RTM_NEWLINK, LO, IFF_LOOPBACK, "", 0, 0);
	say(&p, NETLINK_CHANGE);
	link_as(RTM_NEWLINK, ETH, 0, "veth", 0, 0);
	change(&p, false);
	/* What every loopback has, and what no switch can have. */
	address(RTM_NEWADDR, LO, "127.0.0.1");
	say(&p, NETLINK_CHANGE);
	address(RTM_NEWADDR, LO, "::1");
	say(&p, NETLINK_CHANGE);
	address(RTM_NEWADDR, LO, "fe80::1");
	say(&p, NETLINK_CHANGE);
	address(RTM_NEWADDR, LO, "169.254.1.1");
	say(&p, NETLINK_CHANGE);
	assert_own(&p, "");
	address(RTM_NEWADDR, LO, "203.0.113.1");
	change(&p, true);
	address(RTM_NEWADDR, LO, "203.0.113.1");
	change(&p, false);
	address(RTM_NEWADDR, LO, "2001:db8:f::1");
	change(&p, true);
	address(RTM_NEWADDR, ETH, "198.51.100.1");
	change(&p, false);
	assert_own(&p, "0 203.0.113.1\n0 2001:db8:f::1\n");
	address(RTM_DELADDR, LO, "203.0.113.1");
	change(&p, true);
	assert_own(&p, "0 2001:db8:f::1\n");
	/* A dummy is as good; one that goes takes its addresses along. */
	link_as(RTM_NEWLINK, DUMMY, 0, "dummy", 0, 0);
	say(&p, NETLINK_CHANGE);
	address(RTM_NEWADDR, DUMMY, "203.0.113.2");
	change(&p, true);
	assert_own(&p, "0 203.0.113.2\n0 2001:db8:f::1\n");
	link_as(RTM_DELLINK, DUMMY, 0, "dummy", 0, 0);
	change(&p, true);
	assert_own(&p, "0 2001:db8:f::1\n");
	/* All is read again: what is not said is gone. */
	pass(&p, 31000);
	link_as(RTM_NEWLINK, LO, IFF_LOOPBACK, "", 0, 0);
	say(&p, NETLINK_ANSWER);
	done(&p, 0);
	assert_int_equal(p.question, RTM_GETADDR);
	address(RTM_NEWADDR, LO, "2001:db8:f::2");
	say(&p, NETLINK_ANSWER);
	for (unsigned int q = 0; q < 5; q++)
		done(&p, 0);
	assert_own(&p, "0 2001:db8:f::2\n");
	/* A table that follows none has none. */
	configure(&p, 0, "");
	assert_own(&p, "");
	netlink_player_close(&p);
}

/* Addresses of a VRF are in the tables that follow it, and no others. */
TEST(vrf)
{
	struct netlink_player p;

	start(&p);
	follow(&p, "red");
	link_as(RTM_NEWLINK, LO, IFF_LOOPBACK, "", 0, 0);
	say(&p, NETLINK_ANSWER);
	link_as(RTM_NEWLINK, RED, 0, "vrf", RED_TABLE, 0);
	say(&p, NETLINK_ANSWER);
	link_as(RTM_NEWLINK, DUMMY, 0, "dummy", 0, RED);
	say(&p, NETLINK_ANSWER);
	link_as(RTM_NEWLINK, OTHER, 0, "vrf", 301, 0);
	say(&p, NETLINK_ANSWER);
	done(&p, 0);
	address(RTM_NEWADDR, LO, "203.0.113.1");
	say(&p, NETLINK_ANSWER);
	address(RTM_NEWADDR, RED, "203.0.113.1");
	say(&p, NETLINK_ANSWER);
	address(RTM_NEWADDR, DUMMY, "203.0.113.3");
	say(&p, NETLINK_ANSWER);
	address(RTM_NEWADDR, OTHER, "203.0.113.4");
	say(&p, NETLINK_ANSWER);
	/* nexthops, two tables of two versions, neighbours */
	for (unsigned int q = 0; q < 7; q++)
		done(&p, 0);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_LISTENING);
	assert_own(&p, "0 203.0.113.1\n1 203.0.113.1\n1 203.0.113.3\n");
	/* The dummy leaves the VRF. */
	link_as(RTM_NEWLINK, DUMMY, 0, "dummy", 0, 0);
	change(&p, true);
	assert_own(&p, "0 203.0.113.1\n0 203.0.113.3\n1 203.0.113.1\n");
	netlink_player_close(&p);
}
