/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <net/if.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "talk.h"

uint8_t msg[MOST_OCTETS];

struct nlmsghdr *
begin(uint16_t type, uint16_t flags, const void *header, size_t len)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)msg;

	memset(msg, 0, sizeof(msg));
	hdr->nlmsg_type = type;
	hdr->nlmsg_flags = flags;
	hdr->nlmsg_len = NLMSG_ALIGN(sizeof(*hdr) + len);
	memcpy(msg + sizeof(*hdr), header, len);
	return hdr;
}

void
put(uint16_t type, const void *data, uint16_t len)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)msg;
	struct nlattr a = {.nla_len = sizeof(a) + len, .nla_type = type};

	memcpy(msg + hdr->nlmsg_len, &a, sizeof(a));
	if (len > 0)
		memcpy(msg + hdr->nlmsg_len + sizeof(a), data, len);
	hdr->nlmsg_len += NLMSG_ALIGN(a.nla_len);
}

void
say(struct netlink_player *p, enum netlink_record kind)
{
	netlink_player_record(p, kind, msg, ((struct nlmsghdr *)msg)->nlmsg_len);
}

void
pass(struct netlink_player *p, uint32_t ms)
{
	netlink_player_record(p, NETLINK_TIME, (const uint8_t *)&ms, sizeof(ms));
}

void
configure(struct netlink_player *p, uint32_t table, const char *vrf)
{
	uint8_t data[4 + IFNAMSIZ] = {0};

	memcpy(data, &table, sizeof(table));
	memcpy(data + 4, vrf, strlen(vrf));
	netlink_player_record(p, NETLINK_CONFIGURE, data, vrf[0] != '\0' ? 4 + strlen(vrf) : 4);
}

void
done(struct netlink_player *p, int error)
{
	begin(error != 0 ? NLMSG_ERROR : NLMSG_DONE, 0, &error, sizeof(error));
	say(p, NETLINK_ANSWER);
}

void
answer_all(struct netlink_player *p)
{
	for (unsigned int q = 0; q < 6; q++)
		done(p, 0);
}

/* Build a message about the route to 10.N.0.0/16 via 192.0.2.1 by interface 7. */
void
route(uint16_t type, uint16_t flags, uint8_t n, uint32_t table)
{
	uint8_t dst[4] = {10, n}, via[4] = {192, 0, 2, 1};
	struct rtmsg rtm = {.rtm_family = AF_INET, .rtm_dst_len = 16, .rtm_type = RTN_UNICAST};
	uint32_t oif = 7;

	begin(type, flags, &rtm, sizeof(rtm));
	put(RTA_DST, dst, sizeof(dst));
	put(RTA_GATEWAY, via, sizeof(via));
	put(RTA_OIF, &oif, sizeof(oif));
	put(RTA_TABLE, &table, sizeof(table));
}

struct fcn_netlink_counts
counts_of(const struct netlink_player *p)
{
	struct fcn_netlink_counts counts;

	fcn_netlink_counts(p->nl, &counts);
	return counts;
}

void
start(struct netlink_player *p)
{
	netlink_player_open(p);
	fcn_kernel_store_set_port(p->store, 0, 7);
	fcn_kernel_store_set_port(p->store, 1, 8);
	configure(p, 254, "");
	answer_all(p);
	assert_int_equal(fcn_netlink_state(p->nl), FCN_NETLINK_LISTENING);
}
