/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <net/if.h>

#include <linux/if.h> /* after net/if.h, which lacks IFF_LOWER_UP */
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "rtnl_attr.h"

int
fcn_rtnl_read_neighbour(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_rtnl_neighbour *n = &out->neighbour;
	bool has_mac = false, ok = true;
	struct ndmsg ndm;
	struct fcn_rtnl_attrs a;
	struct fcn_rtnl_attr attr;

	if (!fcn_rtnl_take_header(body, &ndm, sizeof(ndm), &a))
		return -EBADMSG;
	if ((ndm.ndm_family != AF_INET && ndm.ndm_family != AF_INET6) || ndm.ndm_flags & NTF_PROXY)
		return 0;
	n->ifindex = ndm.ndm_ifindex;
	while (ok && fcn_rtnl_next_attr(&a, &attr)) {
		if (attr.type == NDA_DST) {
			ok = fcn_rtnl_get_addr(&attr, ndm.ndm_family, &n->addr);
		} else if (attr.type == NDA_LLADDR && attr.len == sizeof(n->mac)) {
			memcpy(n->mac, attr.data, sizeof(n->mac));
			has_mac = !(n->mac[0] & 1);
		}
	}
	if (!ok || a.bad)
		return -EBADMSG;
	if (n->addr.version == 0)
		return 0;
	n->permanent = has_mac && ndm.ndm_state & NUD_PERMANENT;
	out->kind = FCN_RTNL_NEIGHBOUR;
	return 0;
}

static bool
get_string(const struct fcn_rtnl_attr *attr, char *text, size_t size)
{
	size_t len = strnlen((const char *)attr->data, attr->len);

	if (len >= size)
		return false;
	memcpy(text, attr->data, len);
	text[len] = '\0';
	return true;
}

static bool
read_link_info(const struct fcn_rtnl_attr *info, struct fcn_rtnl_link *l)
{
	struct fcn_rtnl_attrs a = fcn_rtnl_nested(info), inner = {0};
	uint32_t table = 0;
	char kind[16] = "";
	struct fcn_rtnl_attr attr;

	while (fcn_rtnl_next_attr(&a, &attr)) {
		if (attr.type == IFLA_INFO_KIND)
			/* a longer kind is none of those that are looked for */
			(void)get_string(&attr, kind, sizeof(kind));
		else if (attr.type == IFLA_INFO_DATA)
			inner = fcn_rtnl_nested(&attr);
	}
	if (a.bad)
		return false;
	l->is_own |= strcmp(kind, "vrf") == 0 || strcmp(kind, "dummy") == 0;
	if (strcmp(kind, "vrf") != 0)
		return true;
	while (fcn_rtnl_next_attr(&inner, &attr)) {
		if (attr.type == IFLA_VRF_TABLE && !fcn_rtnl_get_u32(&attr, &table))
			return false;
	}
	l->vrf_table = table;
	return !inner.bad;
}

int
fcn_rtnl_read_link(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_rtnl_link *l = &out->link;
	struct ifinfomsg ifi;
	struct fcn_rtnl_attrs a;
	struct fcn_rtnl_attr attr;
	bool ok = true;

	if (!fcn_rtnl_take_header(body, &ifi, sizeof(ifi), &a))
		return -EBADMSG;
	if (ifi.ifi_family != AF_UNSPEC) /* a message of a bridge */
		return 0;
	l->ifindex = ifi.ifi_index;
	l->up = ifi.ifi_flags & IFF_UP;
	l->running = ifi.ifi_flags & IFF_RUNNING;
	l->carrier = ifi.ifi_flags & IFF_LOWER_UP;
	l->is_own = ifi.ifi_flags & IFF_LOOPBACK;
	while (ok && fcn_rtnl_next_attr(&a, &attr)) {
		if (attr.type == IFLA_IFNAME)
			ok = get_string(&attr, l->name, sizeof(l->name));
		else if (attr.type == IFLA_OPERSTATE && attr.len >= 1)
			l->operstate = attr.data[0];
		else if (attr.type == IFLA_MASTER)
			ok = fcn_rtnl_get_u32(&attr, &l->master);
		else if (attr.type == IFLA_LINKINFO)
			ok = read_link_info(&attr, l);
	}
	if (!ok || a.bad)
		return -EBADMSG;
	out->kind = FCN_RTNL_LINK;
	return 0;
}

/* Of a link between two nodes, IFA_ADDRESS is the other end, and IFA_LOCAL the node's own address;
 * elsewhere, IPv6 has IFA_ADDRESS alone. */
int
fcn_rtnl_read_address(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_addr *addr = &out->address.addr, other = {0};
	struct fcn_rtnl_attrs a;
	struct fcn_rtnl_attr attr;
	struct ifaddrmsg ifa;
	bool ok = true;

	if (!fcn_rtnl_take_header(body, &ifa, sizeof(ifa), &a))
		return -EBADMSG;
	if (ifa.ifa_family != AF_INET && ifa.ifa_family != AF_INET6)
		return 0;
	out->address.ifindex = ifa.ifa_index;
	while (ok && fcn_rtnl_next_attr(&a, &attr)) {
		if (attr.type == IFA_LOCAL)
			ok = fcn_rtnl_get_addr(&attr, ifa.ifa_family, addr);
		else if (attr.type == IFA_ADDRESS)
			ok = fcn_rtnl_get_addr(&attr, ifa.ifa_family, &other);
	}
	if (!ok || a.bad)
		return -EBADMSG;
	if (addr->version == 0)
		*addr = other;
	if (addr->version == 0) /* the kernel never says so little */
		addr->version = ifa.ifa_family == AF_INET6 ? 6 : 4;
	out->kind = FCN_RTNL_ADDRESS;
	return 0;
}
