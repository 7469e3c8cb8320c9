/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Checks whether a packet may be forwarded, and whether it is for the switch itself independent of
 * its route.
 */

#include <netinet/in.h>

#include "fcn_link_protocol.h"
#include "route_check.h"

#define IP6_SRC 8
#define IP6_DST 24
#define IP4_SRC 12
#define IP4_DST 16
/* Scope in the low half of the second byte of a group address (RFC 4291 section 2.7). */
#define SCOPE_LINK 2

static const enum fcn_drop_reason drop_of_reach[] = {
		[FCN_REACH_ANY] = FCN_DROP_NONE,
		[FCN_REACH_NOWHERE] = FCN_DROP_MARTIAN,
		[FCN_REACH_GROUP] = FCN_DROP_MULTICAST,
		[FCN_REACH_LINK] = FCN_DROP_LINK_LOCAL,
};

enum fcn_drop_reason
fcn_route_check_ip(const struct fcn_wire_info *info, const uint8_t *data)
{
	if (fcn_wire_error_is_fatal(info->error))
		return fcn_drop_of_wire_error(info->error);
	return fcn_is_ip(info) ? drop_of_reach[fcn_reach_of(info, data)] : FCN_DROP_ETHER_TYPE;
}

static struct fcn_route_verdict
drop(enum fcn_drop_reason why)
{
	return (struct fcn_route_verdict){.drop = why};
}

static struct fcn_route_verdict
local(enum fcn_local behaviour, enum fcn_drop_reason unwanted)
{
	return (struct fcn_route_verdict){.drop = unwanted, .local = behaviour, .is_local = true};
}

/* Deliver a packet of a control protocol to the kernel interface of its port, if there is one. */
static struct fcn_route_verdict
control(const struct fcn_snapshot *s, const struct fcn_packet *p, enum fcn_drop_reason unwanted)
{
	return s->port[p->in_port].kernel ? local(FCN_LOCAL_CONTROL, unwanted) : drop(unwanted);
}

static bool
is_icmp6(const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_IPV6 && info->proto == IPPROTO_ICMPV6;
}

/*
 * Check a frame that is neither IPv4 nor IPv6: ARP to the broadcast address or the port, and
 * protocols of the link.
 */
static struct fcn_route_verdict
check_other(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	const struct rte_ether_addr *dst = &((const struct rte_ether_hdr *)data)->dst_addr;
	const bool own = rte_is_same_ether_addr(dst, &s->port[p->in_port].mac);

	if (p->info.ether_type == RTE_ETHER_TYPE_ARP &&
			(rte_is_broadcast_ether_addr(dst) || !rte_is_multicast_ether_addr(dst)))
		return local(FCN_LOCAL_ARP, FCN_DROP_ETHER_TYPE);
	if (fcn_link_protocol_of(dst, p->info.ether_type, own) != FCN_LINK_PROTOCOL_COUNT)
		return control(s, p, FCN_DROP_ETHER_TYPE);
	return drop(FCN_DROP_ETHER_TYPE);
}

/*
 * Check whether a source address is invalid in an IPv6 packet. The unspecified address is valid in
 * ICMPv6, because it is the source in duplicate address detection and router solicitations (RFC
 * 4861 sections 4.1 and 4.3) and in MLD reports (RFC 3590).
 */
static bool
is_martian_source6(const struct fcn_wire_info *info, const uint8_t *src)
{
	if (fcn_ip6_is_unspecified(src))
		return !is_icmp6(info);
	return src[0] == 0xFF || fcn_is_loopback_or_unspecified6(src);
}

/*
 * Check a packet to a group: ICMPv6 and control protocols are accepted if the group has link scope.
 */
static struct fcn_route_verdict
check_group6(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *ip)
{
	const uint8_t *dst = ip + IP6_DST;

	if (dst[0] != 0xFF || (dst[1] & 0x0F) != SCOPE_LINK)
		return drop(FCN_DROP_MULTICAST);
	if (is_martian_source6(&p->info, ip + IP6_SRC))
		return drop(FCN_DROP_MARTIAN);
	return is_icmp6(&p->info) ? local(FCN_LOCAL_LINK, FCN_DROP_MULTICAST)
				  : control(s, p, FCN_DROP_MULTICAST);
}

/*
 * Check whether a source address is invalid in an IPv4 packet to a group of the link. The
 * unspecified address is that of hosts and switches without one (RFC 4541 section 2.1.1).
 */
static bool
is_martian_source4(uint32_t src)
{
	const enum fcn_reach reach = fcn_reach_of4(src);

	return src != 0 && (reach == FCN_REACH_GROUP || reach == FCN_REACH_NOWHERE);
}

/* Accept packets to groups of the link: Neighbour Discovery, MLD and routing protocols. */
struct fcn_route_verdict
fcn_route_check_group(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	static const uint8_t group4[] = {224, 0, 0};
	const uint8_t *ip = data + p->info.l3_off;

	if (p->info.flags & FCN_PKT_IPV6)
		return check_group6(s, p, ip);
	if (!(p->info.flags & FCN_PKT_IPV4))
		return check_other(s, p, data);
	if (memcmp(ip + IP4_DST, group4, sizeof(group4)) != 0)
		return drop(FCN_DROP_MULTICAST);
	return is_martian_source4(fcn_get_be32(ip + IP4_SRC)) ? drop(FCN_DROP_MARTIAN)
							      : control(s, p, FCN_DROP_MULTICAST);
}

/*
 * Check a packet that is addressed to the port but not to be forwarded: it may be for this link
 * only.
 */
static struct fcn_route_verdict
check_link(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data,
		enum fcn_reach reach)
{
	const enum fcn_drop_reason why = drop_of_reach[reach];
	const uint8_t *ip = data + p->info.l3_off;

	if (reach == FCN_REACH_GROUP)
		return fcn_route_check_group(s, p, data);
	if (is_icmp6(&p->info)) {
		/* A frame to a unicast MAC address may contain a packet to a group (RFC 6085). */
		if (ip[IP6_DST] == 0xFF)
			return check_group6(s, p, ip);
		if (reach == FCN_REACH_NOWHERE &&
				(is_martian_source6(&p->info, ip + IP6_SRC) ||
						fcn_is_loopback_or_unspecified6(ip + IP6_DST)))
			return drop(why);
		return local(FCN_LOCAL_LINK, why);
	}
	return reach == FCN_REACH_LINK ? control(s, p, why) : drop(why);
}

struct fcn_route_verdict
fcn_route_check(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;
	const struct fcn_wire_info *info = &p->info;

	if (info->n_vlans > 0)
		return drop(FCN_DROP_VLAN_UNEXPECTED);
	if (rte_is_multicast_ether_addr(&eth->dst_addr))
		return fcn_route_check_group(s, p, data);
	if (!rte_is_same_ether_addr(&eth->dst_addr, &s->port[p->in_port].mac))
		return drop(FCN_DROP_NOT_MY_MAC);
	if (fcn_wire_error_is_fatal(info->error))
		return drop(fcn_drop_of_wire_error(info->error));
	if (!fcn_is_ip(info))
		return check_other(s, p, data);
	return check_link(s, p, data, fcn_reach_of(info, data));
}
