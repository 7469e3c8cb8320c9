/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "netlink_request.h"

struct request {
	struct nlmsghdr hdr;
	union {
		struct rtgenmsg gen;
		struct ifinfomsg link;
		struct ifaddrmsg address;
		struct nhmsg nexthop;
		struct ndmsg neighbour;
		struct {
			struct rtmsg rtm;
			struct nlattr attr;
			uint32_t table;
		} route;
	};
};

static uint32_t
fill_request(struct request *r, enum fcn_netlink_request question, uint32_t table)
{
	switch (question) {
	case ASK_LINKS:
		r->hdr.nlmsg_type = RTM_GETLINK;
		return sizeof(r->link);
	case ASK_ADDRESSES:
		r->hdr.nlmsg_type = RTM_GETADDR;
		return sizeof(r->address);
	case ASK_NEXTHOPS:
		r->hdr.nlmsg_type = RTM_GETNEXTHOP;
		return sizeof(r->nexthop);
	case ASK_NEIGHBOURS:
		r->hdr.nlmsg_type = RTM_GETNEIGH;
		return sizeof(r->neighbour);
	default:
		r->hdr.nlmsg_type = RTM_GETROUTE;
		r->route.rtm.rtm_family = question == ASK_ROUTES6 ? AF_INET6 : AF_INET;
		/* limit the dump to this table, if the kernel supports that */
		r->route.attr = (struct nlattr){
				.nla_len = sizeof(r->route.attr) + sizeof(r->route.table),
				.nla_type = RTA_TABLE};
		r->route.table = table;
		return sizeof(r->route);
	}
}

int
fcn_netlink_ask(const struct fcn_netlink_io *io, enum fcn_netlink_request question, uint32_t table,
		uint32_t seq)
{
	struct request r = {.hdr = {.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP, .nlmsg_seq = seq}};

	r.hdr.nlmsg_len = sizeof(r.hdr) + fill_request(&r, question, table);
	return io->send(io->arg, &r, r.hdr.nlmsg_len);
}
