/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What goes wrong in the conversation with the kernel, played record by record; weights; lists. */

#include <errno.h>
#include <net/if.h>
#include <sys/socket.h>

#include <linux/if_link.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "talk.h"

static void
vrf(uint16_t type, uint32_t ifindex, const char *name, uint32_t table)
{
	struct ifinfomsg ifi = {.ifi_index = (int)ifindex, .ifi_flags = IFF_UP};
	uint8_t info[64] = {0};
	struct nlattr kind = {sizeof(kind) + 4, IFLA_INFO_KIND},
		      data = {sizeof(data) + 8, IFLA_INFO_DATA},
		      number = {sizeof(number) + 4, IFLA_VRF_TABLE};

	memcpy(info, &kind, 4);
	memcpy(info + 4, "vrf", 4);
	memcpy(info + 8, &data, 4);
	memcpy(info + 12, &number, 4);
	memcpy(info + 16, &table, 4);
	begin(type, 0, &ifi, sizeof(ifi));
	put(IFLA_IFNAME, name, strlen(name) + 1);
	put(IFLA_LINKINFO, info, 20);
}

/* All is read again now and then; what is different counts, and what came by a message does not. */
TEST(check)
{
	struct netlink_player p;

	start(&p);
	route(RTM_NEWROUTE, 0, 1, 254);
	say(&p, NETLINK_CHANGE);
	pass(&p, 31 * S);
	assert_int_equal(p.question, RTM_GETLINK);
	done(&p, 0);
	assert_int_equal(p.question, RTM_GETADDR);
	done(&p, 0);
	done(&p, 0);
	done(&p, 0);
	assert_int_equal(p.question, RTM_GETROUTE);
	/* 10.1 went without a word; 10.2 came so; 10.3 has its message behind the answer. */
	route(RTM_NEWROUTE, 0, 2, 254);
	say(&p, NETLINK_ANSWER);
	route(RTM_NEWROUTE, 0, 3, 254);
	say(&p, NETLINK_ANSWER);
	say(&p, NETLINK_CHANGE);
	done(&p, 0);
	done(&p, 0);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 2);
	assert_int_equal(counts_of(&p).checks, 1);
	assert_int_equal(counts_of(&p).differences, 2);
	netlink_player_close(&p);
}

/* Interrupted all the time: what was not said twice is gone all the same. */
TEST(never_still)
{
	struct netlink_player p;

	start(&p);
	route(RTM_NEWROUTE, 0, 1, 254);
	say(&p, NETLINK_CHANGE);
	for (unsigned int i = 0; i < 2; i++) {
		pass(&p, 31 * S);
		done(&p, 0);
		done(&p, 0);
		begin(NLMSG_DONE, NLM_F_DUMP_INTR, "\0\0\0", 4);
		say(&p, NETLINK_ANSWER);
		done(&p, 0);
		done(&p, 0);
		done(&p, 0);
		netlink_player_apply(&p);
		assert_int_equal(p.list.n, i == 0 ? 1 : 0);
	}
	netlink_player_close(&p);
}

TEST(socket_errors)
{
	struct netlink_player p;

	start(&p);
	/* Interrupted by a signal: no error. */
	netlink_player_record(&p, NETLINK_ERROR, (const uint8_t[]){EINTR, 3}, 2);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_LISTENING);
	/* An error that stays does not keep control busy. */
	netlink_player_record(&p, NETLINK_ERROR, (const uint8_t[]){EIO, 200}, 2);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_FAILED);
	assert_true(p.due > p.now);
	assert_true(p.n_errors > 100);
	assert_non_null(strstr(fcn_netlink_last_error(p.nl), "cannot receive"));
	p.n_errors = 0;
	netlink_player_record(&p, NETLINK_REFUSE, (const uint8_t[]){ENOBUFS, 1}, 2);
	pass(&p, 2 * S);
	assert_non_null(strstr(fcn_netlink_last_error(p.nl), "cannot send a request"));
	pass(&p, 2 * S);
	answer_all(&p);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_LISTENING);
	/* Too long for the buffer, and cut short. */
	netlink_player_record(&p, NETLINK_LONG, msg, 100);
	assert_int_equal(counts_of(&p).lost, 1);
	pass(&p, 60);
	answer_all(&p);
	assert_int_equal(counts_of(&p).syncs, 3);
	route(RTM_NEWROUTE, 0, 1, 254);
	netlink_player_record(&p, NETLINK_CHANGE, msg, 30);
	assert_int_equal(counts_of(&p).malformed, 1);
	/* Questions that the kernel refuses, some of which it may. */
	netlink_player_record(&p, NETLINK_ERROR, (const uint8_t[]){ENOBUFS, 1}, 2);
	pass(&p, 60);
	done(&p, 0);
	done(&p, 0);
	done(&p, -EOPNOTSUPP);
	done(&p, -EAFNOSUPPORT);
	done(&p, -ENOENT);
	done(&p, -EBUSY);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_FAILED);
	pass(&p, 60);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_READING);
	pass(&p, 6 * S);
	assert_non_null(strstr(fcn_netlink_last_error(p.nl), "does not answer"));
	configure(&p, 0, "");
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_OFF);
	route(RTM_NEWROUTE, 0, 1, 254);
	say(&p, NETLINK_CHANGE);
	netlink_player_record(&p, NETLINK_ERROR, (const uint8_t[]){EIO, 1}, 2);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_OFF);
	netlink_player_close(&p);
}

TEST(vrf)
{
	struct netlink_player p;

	netlink_player_open(&p);
	fcn_kernel_store_set_port(p.store, 0, 7);
	configure(&p, 0, "red");
	done(&p, 0);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_NO_VRF);
	assert_string_equal(fcn_netlink_state_name(FCN_NETLINK_NO_VRF), "no such vrf");
	/* Its coming was lost: it is looked for. */
	netlink_player_record(&p, NETLINK_ERROR, (const uint8_t[]){ENOBUFS, 1}, 2);
	pass(&p, 60);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_READING);
	vrf(RTM_NEWLINK, 5, "red", 300);
	say(&p, NETLINK_ANSWER);
	answer_all(&p);
	assert_int_equal(fcn_netlink_table(p.nl, 0), 300);
	route(RTM_NEWROUTE, 0, 1, 300);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 1);
	/* Its going was lost: its routes do not stay. */
	netlink_player_record(&p, NETLINK_ERROR, (const uint8_t[]){ENOBUFS, 1}, 2);
	pass(&p, 60);
	done(&p, 0);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_NO_VRF);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 0);
	/* It comes; and becomes another while its routes are read: they are read again. */
	vrf(RTM_NEWLINK, 5, "red", 300);
	say(&p, NETLINK_CHANGE);
	vrf(RTM_NEWLINK, 5, "red", 300);
	say(&p, NETLINK_ANSWER);
	done(&p, 0);
	vrf(RTM_NEWLINK, 5, "red", 301);
	say(&p, NETLINK_CHANGE);
	for (unsigned int q = 0; q < 5; q++)
		done(&p, 0);
	assert_int_equal(fcn_netlink_table(p.nl, 0), 301);
	pass(&p, 4 * S);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_READING);
	vrf(RTM_NEWLINK, 5, "red", 301);
	say(&p, NETLINK_ANSWER);
	answer_all(&p);
	vrf(RTM_DELLINK, 5, "red", 301);
	say(&p, NETLINK_CHANGE);
	done(&p, 0);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_NO_VRF);
	netlink_player_close(&p);
}

/* Groups of two with these weights come to these places. */
TEST(weights)
{
	static const struct {
		uint32_t weight[2], places[2];
	} cases[] = {
			{{1, 1}, {1, 1}},
			{{300, 100}, {3, 1}},
			{{65536, 1}, {63, 1}},
			{{65536, 65536}, {1, 1}},
			{{65536, 65535}, {1, 1}},
			{{65536, 32768}, {2, 1}},
			{{1000, 77}, {59, 5}}, /* 59.4 and 4.6 of 64 */
			{{200, 1}, {63, 1}},
	};
	struct netlink_player p;

	start(&p);
	for (uint32_t id = 1; id <= 2; id++) {
		struct nhmsg nhm = {.nh_family = AF_INET};
		uint8_t via[4] = {192, 0, 2, id};
		uint32_t oif = 6 + id;

		begin(RTM_NEWNEXTHOP, 0, &nhm, sizeof(nhm));
		put(NHA_ID, &id, sizeof(id));
		put(NHA_OIF, &oif, sizeof(oif));
		put(NHA_GATEWAY, via, sizeof(via));
		say(&p, NETLINK_CHANGE);
	}
	route(RTM_NEWROUTE, 0, 1, 254);
	put(RTA_NH_ID, &(uint32_t){9}, 4);
	say(&p, NETLINK_CHANGE);
	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct nhmsg nhm = {0};
		uint8_t group[16] = {[0] = 1, [8] = 2};

		for (unsigned int k = 0; k < 2; k++) {
			group[8 * k + 4] = (cases[i].weight[k] - 1) & 0xff;
			group[8 * k + 5] = (cases[i].weight[k] - 1) >> 8;
		}
		begin(RTM_NEWNEXTHOP, NLM_F_REPLACE, &nhm, sizeof(nhm));
		put(NHA_ID, &(uint32_t){9}, 4);
		put(NHA_GROUP, group, sizeof(group));
		say(&p, NETLINK_CHANGE);
		netlink_player_apply(&p);
		assert_int_equal(p.list.n, 2);
		assert_int_equal(p.list.path[0].weight, cases[i].places[0]);
		assert_int_equal(p.list.path[1].weight, cases[i].places[1]);
	}
	/* A member goes: its group's routes follow, and all is asked for. */
	begin(RTM_DELNEXTHOP, 0, &(struct nhmsg){0}, sizeof(struct nhmsg));
	put(NHA_ID, &(uint32_t){1}, 4);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 1);
	assert_int_equal(p.list.path[0].via.bytes[3], 2);
	netlink_player_close(&p);
}

/* An address goes that IPv4 routes have as their source, on an interface that nothing goes by. */
TEST(source)
{
	struct ifaddrmsg ifa = {.ifa_family = AF_INET, .ifa_index = 99};
	struct netlink_player p;

	start(&p);
	begin(RTM_DELADDR, 0, &ifa, sizeof(ifa));
	say(&p, NETLINK_CHANGE);
	pass(&p, 60);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_LISTENING);
	route(RTM_NEWROUTE, 0, 1, 254);
	put(RTA_PREFSRC, "\1\2\3\4", 4);
	say(&p, NETLINK_CHANGE);
	begin(RTM_DELADDR, 0, &ifa, sizeof(ifa));
	say(&p, NETLINK_CHANGE);
	pass(&p, 60);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_READING);
	netlink_player_close(&p);
}

/* So many changes that all is told, then none, then a few. */
TEST(many_changes)
{
	struct netlink_player p;

	start(&p);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < FCN_KERNEL_MAX_CHANGES + 500; i++) {
			route(round == 0 ? RTM_NEWROUTE : RTM_DELROUTE, 0, 1, 254);
			/* 11.x.y.0/24, which stands behind the headers and that of the attribute */
			msg[sizeof(struct nlmsghdr) + 1] = 24;
			msg[sizeof(struct nlmsghdr) + sizeof(struct rtmsg) + 4] = 11;
			msg[sizeof(struct nlmsghdr) + sizeof(struct rtmsg) + 5] = i >> 8;
			msg[sizeof(struct nlmsghdr) + sizeof(struct rtmsg) + 6] = i;
			say(&p, NETLINK_CHANGE);
		}
		netlink_player_apply(&p);
		assert_int_equal(p.list.n, round == 0 ? FCN_KERNEL_MAX_CHANGES + 500 : 20);
		netlink_player_apply(&p);
		for (uint8_t i = 0; i < 20; i++) {
			route(RTM_NEWROUTE, 0, i, 254);
			say(&p, NETLINK_CHANGE);
		}
		netlink_player_apply(&p);
	}
	assert_int_equal(p.list.n, 20);
	netlink_player_close(&p);
}

/* Number of paths of a table. */
static size_t
n_of(const struct netlink_player *p, unsigned int table)
{
	size_t n;

	fcn_kernel_list_table(p->list.path, p->list.n, table, &n);
	return n;
}

/* Follow these: the octets of a record have 20 for each table. */
static void
follow(struct netlink_player *p, uint32_t main, uint32_t first, const char *second)
{
	uint8_t octets[60] = {0};

	memcpy(octets, &main, 4);
	memcpy(octets + 20, &first, 4);
	memcpy(octets + 44, second, strlen(second));
	netlink_player_record(p, NETLINK_CONFIGURE, octets, sizeof(octets));
}

/* Tables that follow three of the kernel's, of which one is that of a VRF. */
TEST(tables)
{
	struct netlink_player p;

	netlink_player_open(&p);
	fcn_kernel_store_set_port(p.store, 0, 7);
	follow(&p, 254, 100, "red");
	assert_int_equal(p.question, RTM_GETLINK);
	done(&p, 0);
	done(&p, 0);
	done(&p, 0);
	/* The VRF is not there: both versions of two tables. */
	for (uint8_t t = 0; t < 2; t++) {
		assert_int_equal(p.question, RTM_GETROUTE);
		done(&p, 0);
		route(RTM_NEWROUTE, 0, 1, t == 0 ? 254 : 100);
		say(&p, NETLINK_ANSWER);
		done(&p, 0);
	}
	assert_int_equal(p.question, RTM_GETNEIGH);
	done(&p, 0);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_LISTENING);
	assert_int_equal(fcn_netlink_table_state(p.nl, 1), FCN_NETLINK_LISTENING);
	assert_int_equal(fcn_netlink_table_state(p.nl, 2), FCN_NETLINK_NO_VRF);
	assert_int_equal(fcn_netlink_table_state(p.nl, 3), FCN_NETLINK_OFF);
	netlink_player_apply(&p);
	assert_int_equal(n_of(&p, 0), 1);
	assert_int_equal(n_of(&p, 1), 1);
	assert_int_equal(n_of(&p, 2), 0);
	/* It comes: all is read again, and until then the others keep what they have. */
	vrf(RTM_NEWLINK, 5, "red", 300);
	say(&p, NETLINK_CHANGE);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_READING);
	vrf(RTM_NEWLINK, 5, "red", 300);
	say(&p, NETLINK_ANSWER);
	done(&p, 0);
	done(&p, 0);
	done(&p, 0);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 2);
	for (unsigned int t = 0; t < 3; t++) {
		done(&p, 0);
		for (uint8_t n = 1; n <= t + 1; n++) {
			route(RTM_NEWROUTE, 0, n, (const uint32_t[]){254, 100, 300}[t]);
			say(&p, NETLINK_ANSWER);
		}
		done(&p, 0);
	}
	done(&p, 0);
	assert_int_equal(fcn_netlink_table(p.nl, 2), 300);
	netlink_player_apply(&p);
	for (unsigned int t = 0; t < 3; t++)
		assert_int_equal(n_of(&p, t), t + 1);
	/* A change of one is none of the others. */
	route(RTM_DELROUTE, 0, 1, 100);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(n_of(&p, 0), 1);
	assert_int_equal(n_of(&p, 1), 1);
	assert_int_equal(n_of(&p, 2), 3);
	/* Two that follow the same: the kernel is asked once, and each has the routes. */
	follow(&p, 254, 254, "red");
	netlink_player_apply(&p);
	assert_int_equal(n_of(&p, 0), 1);
	assert_int_equal(n_of(&p, 1), 0);
	assert_int_equal(n_of(&p, 2), 3);
	answer_all(&p);
	route(RTM_NEWROUTE, 0, 9, 254);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(n_of(&p, 0), n_of(&p, 1));
	assert_int_equal(p.list.path[p.list.n - 1].table, 1);
	netlink_player_close(&p);
}
