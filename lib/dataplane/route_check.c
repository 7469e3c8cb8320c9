/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What may be forwarded, and what is for the switch itself although no route says so. */

#include <netinet/in.h>

#include "fcn_route_check.h"

#define LLC_MAX_LENGTH 1500 /* in place of an EtherType: a length (IEEE 802.3) */

static bool
is_link_local6(const uint8_t *addr)
{
	return addr[0] == 0xfe && (addr[1] & 0xc0) == 0x80;
}

static bool
is_loopback_or_unspecified6(const uint8_t *addr)
{
	static const uint8_t zero[15];

	return addr[15] <= 1 && memcmp(addr, zero, sizeof(zero)) == 0;
}

/* How far a packet may go by its addresses. */
enum reach {
	REACH_ANY,     /* it may be forwarded */
	REACH_NOWHERE, /* no packet may carry such addresses */
	REACH_GROUP,   /* to a group, which is not routed */
	REACH_LINK,    /* between hosts of one link */
};

static const enum fcn_drop_reason drop_of_reach[] = {
		[REACH_ANY] = FCN_DROP_NONE,
		[REACH_NOWHERE] = FCN_DROP_MARTIAN,
		[REACH_GROUP] = FCN_DROP_MULTICAST,
		[REACH_LINK] = FCN_DROP_LINK_LOCAL,
};

/* RFC 4291 sections 2.5 and 2.7: what a router must not forward. */
static enum reach
reach6(const uint8_t *src, const uint8_t *dst)
{
	if (src[0] == 0xff || is_loopback_or_unspecified6(src))
		return REACH_NOWHERE;
	if (dst[0] == 0xff)
		return REACH_GROUP;
	if (is_loopback_or_unspecified6(dst))
		return REACH_NOWHERE;
	if (is_link_local6(src) || is_link_local6(dst))
		return REACH_LINK;
	return REACH_ANY;
}

/* RFC 1812 section 5.3.7; addresses in host byte order. */
static enum reach
reach4(uint32_t src, uint32_t dst)
{
	if (src >> 28 >= 14 || src >> 24 == 127 || src >> 24 == 0)
		return REACH_NOWHERE;
	if (dst >> 28 >= 14)
		return REACH_GROUP;
	if (dst >> 24 == 127 || dst >> 24 == 0)
		return REACH_NOWHERE;
	if (src >> 16 == 0xa9fe || dst >> 16 == 0xa9fe)
		return REACH_LINK;
	return REACH_ANY;
}

/* Of an IPv6 or IPv4 packet. */
static inline enum reach
reach_of(const struct fcn_wire_info *info, const uint8_t *data)
{
	const uint8_t *l3 = data + info->l3_off;

	if (likely(info->flags & FCN_PKT_IPV6)) {
		const struct rte_ipv6_hdr *ip = (const struct rte_ipv6_hdr *)l3;

		return reach6((const uint8_t *)&ip->src_addr, (const uint8_t *)&ip->dst_addr);
	}
	return reach4(rte_be_to_cpu_32(((const struct rte_ipv4_hdr *)l3)->src_addr),
			rte_be_to_cpu_32(((const struct rte_ipv4_hdr *)l3)->dst_addr));
}

static inline bool
is_ip(const struct fcn_wire_info *info)
{
	return (info->flags & (FCN_PKT_IPV6 | FCN_PKT_IPV4)) != 0;
}

enum fcn_drop_reason
fcn_route_check_ip(const struct fcn_wire_info *info, const uint8_t *data)
{
	if (fcn_wire_error_is_fatal(info->error))
		return fcn_drop_of_wire_error(info->error);
	return is_ip(info) ? drop_of_reach[reach_of(info, data)] : FCN_DROP_ETHER_TYPE;
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

/* Control protocols are the kernel's where an interface of it stands for the port. */
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

/* Groups of IS-IS (ISO 10589 8.4.8, RFC 5309): all level 1, all level 2, all systems. */
static bool
is_isis_group(const struct rte_ether_addr *mac)
{
	static const struct rte_ether_addr groups[] = {
			{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x14}},
			{{0x01, 0x80, 0xC2, 0x00, 0x00, 0x15}},
			{{0x09, 0x00, 0x2B, 0x00, 0x00, 0x05}},
	};

	for (unsigned int i = 0; i < RTE_DIM(groups); i++) {
		if (rte_is_same_ether_addr(mac, &groups[i]))
			return true;
	}
	return false;
}

/* Neither IPv4 nor IPv6: ARP to all or to the port, and routing protocols by LLC. */
static struct fcn_route_verdict
check_other(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	const struct rte_ether_addr *dst = &((const struct rte_ether_hdr *)data)->dst_addr;

	if (p->info.ether_type == RTE_ETHER_TYPE_ARP &&
			(rte_is_broadcast_ether_addr(dst) || !rte_is_multicast_ether_addr(dst)))
		return local(FCN_LOCAL_ARP, FCN_DROP_ETHER_TYPE);
	if (p->info.ether_type <= LLC_MAX_LENGTH && is_isis_group(dst))
		return control(s, p, FCN_DROP_ETHER_TYPE);
	return drop(FCN_DROP_ETHER_TYPE);
}

/* Of what is sent to groups, the switch hears those of the link: Neighbour Discovery, MLD and
 * routing protocols. */
struct fcn_route_verdict
fcn_route_check_group(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	static const uint8_t group4[] = {224, 0, 0};
	const uint8_t *ip = data + p->info.l3_off;

	if (p->info.flags & FCN_PKT_IPV6) {
		if ((ip[25] & 0x0F) != 2)
			return drop(FCN_DROP_MULTICAST);
		if (is_icmp6(&p->info))
			return local(FCN_LOCAL_LINK, FCN_DROP_MULTICAST);
		return ip[24] == 0xFF ? control(s, p, FCN_DROP_MULTICAST)
				      : drop(FCN_DROP_MULTICAST);
	}
	if (!(p->info.flags & FCN_PKT_IPV4))
		return check_other(s, p, data);
	return memcmp(ip + 16, group4, sizeof(group4)) == 0 ? control(s, p, FCN_DROP_MULTICAST)
							    : drop(FCN_DROP_MULTICAST);
}

/* Addressed to the port, but not to be forwarded: it may be of this link. */
static __rte_noinline struct fcn_route_verdict
check_link(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data,
		enum reach reach)
{
	const enum fcn_drop_reason why = drop_of_reach[reach];

	if (reach == REACH_GROUP)
		return fcn_route_check_group(s, p, data);
	if (is_icmp6(&p->info)) /* from the unspecified address, too: it asks for another one */
		return local(FCN_LOCAL_LINK, why);
	return reach == REACH_LINK ? control(s, p, why) : drop(why);
}

struct fcn_route_verdict
fcn_route_check(const struct fcn_snapshot *s, const struct fcn_packet *p, const uint8_t *data)
{
	const struct rte_ether_hdr *eth = (const struct rte_ether_hdr *)data;
	const struct fcn_wire_info *info = &p->info;
	enum reach reach;

	/* what its interface takes has no tag any more */
	if (unlikely(info->n_vlans > 0))
		return drop(FCN_DROP_VLAN_UNEXPECTED);
	if (unlikely(rte_is_multicast_ether_addr(&eth->dst_addr)))
		return fcn_route_check_group(s, p, data);
	if (unlikely(!rte_is_same_ether_addr(&eth->dst_addr, &s->port[p->in_port].mac)))
		return drop(FCN_DROP_NOT_MY_MAC);
	if (unlikely(fcn_wire_error_is_fatal(info->error)))
		return drop(fcn_drop_of_wire_error(info->error));
	if (unlikely(!is_ip(info)))
		return check_other(s, p, data);
	reach = reach_of(info, data);
	return likely(reach == REACH_ANY) ? drop(FCN_DROP_NONE) : check_link(s, p, data, reach);
}
