/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <rte_common.h>

#include "netlink_socket.h"

/* Room for some ten thousand notifications. */
#define RECEIVE_BUFFER (8 << 20)
#define REQUEST_ROOM 512

struct fcn_netlink_socket {
	struct mnl_socket *nl;
	uint32_t seq;
};

bool
fcn_netlink_socket_is_built(void)
{
	return true;
}

static int
join(struct mnl_socket *nl)
{
	static const int groups[] = {RTNLGRP_LINK, RTNLGRP_NEIGH, RTNLGRP_IPV4_IFADDR,
			RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
			RTNLGRP_NEXTHOP};

	for (unsigned int i = 0; i < RTE_DIM(groups); i++) {
		int group = groups[i];

		if (mnl_socket_setsockopt(nl, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) != 0 &&
				group != RTNLGRP_NEXTHOP) /* since Linux 5.3 */
			return -1;
	}
	return 0;
}

static struct fcn_netlink_socket *
open_socket(bool listen)
{
	struct fcn_netlink_socket *s = calloc(1, sizeof(*s));
	int size = RECEIVE_BUFFER, on = 1, fd, error;

	if (s == NULL)
		return NULL;
	s->nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (s->nl == NULL || mnl_socket_bind(s->nl, 0, MNL_SOCKET_AUTOPID) != 0)
		goto failed;
	fd = mnl_socket_get_fd(s->nl);
	/* exceed the system's limit, if the process may do so */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	/* Since Linux 4.20: a dump request for one table returns only routes of that table. */
	mnl_socket_setsockopt(s->nl, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	if (listen && join(s->nl) != 0)
		goto failed;
	return s;
failed:
	error = errno;
	fcn_netlink_socket_close(s);
	errno = error;
	return NULL;
}

struct fcn_netlink_socket *
fcn_netlink_socket_listen(void)
{
	return open_socket(true);
}

struct fcn_netlink_socket *
fcn_netlink_socket_request(void)
{
	return open_socket(false);
}

void
fcn_netlink_socket_close(struct fcn_netlink_socket *s)
{
	if (s == NULL)
		return;
	if (s->nl != NULL)
		mnl_socket_close(s->nl);
	free(s);
}

int
fcn_netlink_socket_fd(const struct fcn_netlink_socket *s)
{
	return mnl_socket_get_fd(s->nl);
}

static int
send_message(void *arg, const void *msg, size_t len)
{
	struct fcn_netlink_socket *s = arg;

	return mnl_socket_sendto(s->nl, msg, len) < 0 ? -errno : 0;
}

static ssize_t
receive_message(void *arg, void *buf, size_t size)
{
	struct fcn_netlink_socket *s = arg;
	struct sockaddr_nl from;
	struct iovec iov = {.iov_base = buf, .iov_len = size};
	ssize_t n;

	do {
		struct msghdr msg = {.msg_name = &from,
				.msg_namelen = sizeof(from),
				.msg_iov = &iov,
				.msg_iovlen = 1};

		n = recvmsg(mnl_socket_get_fd(s->nl), &msg, MSG_DONTWAIT | MSG_TRUNC);
		/* skip datagrams from other processes */
	} while ((n < 0 && errno == EINTR) || (n >= 0 && from.nl_pid != 0));
	if (n < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : -errno;
	return n;
}

struct fcn_netlink_io
fcn_netlink_socket_io(struct fcn_netlink_socket *s)
{
	return (struct fcn_netlink_io){.send = send_message,
			.recv = receive_message,
			.arg = s,
			.port = mnl_socket_get_portid(s->nl)};
}

/* ---- requests ---- */

/* The kernel processes a request during the send call, so the answer can be read at once. */
static int
request(struct fcn_netlink_socket *s, struct nlmsghdr *hdr)
{
	char buf[FCN_NETLINK_BUFFER / 8];
	ssize_t n;
	int rc;

	hdr->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	hdr->nlmsg_seq = ++s->seq;
	rc = send_message(s, hdr, hdr->nlmsg_len);
	if (rc != 0)
		return rc;
	do {
		n = receive_message(s, buf, sizeof(buf));
		if (n < 0)
			return (int)n;
		rc = mnl_cb_run(buf, RTE_MIN((size_t)n, sizeof(buf)), hdr->nlmsg_seq,
				mnl_socket_get_portid(s->nl), NULL, NULL);
	} while (rc < 0 && errno == EPROTO); /* skip the answer to another request */
	return rc < 0 ? -errno : 0;
}

/* Disable the automatic link-local address and the processing of router advertisements. */
static void
put_no_autoconf(struct nlmsghdr *hdr)
{
	struct nlattr *spec = mnl_attr_nest_start(hdr, IFLA_AF_SPEC);
	struct nlattr *inet6 = mnl_attr_nest_start(hdr, AF_INET6);

	mnl_attr_put_u8(hdr, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE);
	mnl_attr_nest_end(hdr, inet6);
	mnl_attr_nest_end(hdr, spec);
}

static struct nlmsghdr *
begin_link(char *buf, uint32_t ifindex, unsigned int flags)
{
	struct nlmsghdr *hdr = mnl_nlmsg_put_header(buf);
	struct ifinfomsg *ifi;

	hdr->nlmsg_type = RTM_NEWLINK;
	ifi = mnl_nlmsg_put_extra_header(hdr, sizeof(*ifi));
	ifi->ifi_index = (int)ifindex;
	ifi->ifi_flags = flags;
	ifi->ifi_change = flags;
	return hdr;
}

int
fcn_netlink_set_link(struct fcn_netlink_socket *s, const struct fcn_netlink_link *link)
{
	char buf[REQUEST_ROOM] __rte_aligned(8);
	struct nlmsghdr *hdr = begin_link(buf, link->ifindex, 0);
	int rc;

	/* On a host without IPv6 the request fails, which does not matter. */
	put_no_autoconf(hdr);
	(void)request(s, hdr);
	hdr = begin_link(buf, link->ifindex, 0);
	mnl_attr_put(hdr, IFLA_ADDRESS, sizeof(link->mac), &link->mac);
	mnl_attr_put_u32(hdr, IFLA_MTU, link->mtu);
	if (link->set_master)
		mnl_attr_put_u32(hdr, IFLA_MASTER, link->master);
	rc = request(s, hdr);
	if (rc != 0)
		return rc;
	/* Set the interface up last, so that everything else is configured before. */
	return request(s, begin_link(buf, link->ifindex, IFF_UP));
}

int
fcn_netlink_set_address(struct fcn_netlink_socket *s, uint32_t ifindex,
		const struct fcn_prefix *address, bool add)
{
	char buf[REQUEST_ROOM] __rte_aligned(8);
	struct nlmsghdr *hdr = mnl_nlmsg_put_header(buf);
	const struct fcn_addr *addr = &address->addr;
	size_t len = addr->version == 6 ? 16 : 4;
	struct ifaddrmsg *ifa;
	int rc;

	hdr->nlmsg_type = add ? RTM_NEWADDR : RTM_DELADDR;
	hdr->nlmsg_flags = add ? NLM_F_CREATE | NLM_F_REPLACE : 0;
	ifa = mnl_nlmsg_put_extra_header(hdr, sizeof(*ifa));
	ifa->ifa_family = addr->version == 6 ? AF_INET6 : AF_INET;
	ifa->ifa_prefixlen = address->len;
	ifa->ifa_index = ifindex;
	ifa->ifa_scope = addr->version == 6 && addr->bytes[0] == 0xfe ? RT_SCOPE_LINK
								      : RT_SCOPE_UNIVERSE;
	mnl_attr_put(hdr, IFA_LOCAL, len, addr->bytes);
	mnl_attr_put(hdr, IFA_ADDRESS, len, addr->bytes);
	mnl_attr_put_u32(hdr, IFA_FLAGS, IFA_F_NODAD);
	rc = request(s, hdr);
	if (rc == -EEXIST || (!add && (rc == -EADDRNOTAVAIL || rc == -ENODEV)))
		return 0;
	return rc;
}
