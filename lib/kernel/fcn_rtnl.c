/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/lwtunnel.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "fcn_rtnl.h"

#define ALIGN4(len) (((len) + 3u) & ~3u)

/* Attributes not read yet. */
struct attrs {
	const uint8_t *data;
	uint32_t left;
	bool bad; /* one was longer than what there is */
};

struct attr {
	uint16_t type;
	uint16_t len;
	const uint8_t *data;
};

bool
fcn_rtnl_next(const uint8_t **data, size_t *left, struct nlmsghdr *hdr, struct fcn_rtnl_span *body)
{
	size_t step;

	if (*left < sizeof(*hdr))
		return false;
	memcpy(hdr, *data, sizeof(*hdr));
	if (hdr->nlmsg_len < sizeof(*hdr) || hdr->nlmsg_len > *left)
		return false;
	body->data = *data + sizeof(*hdr);
	body->len = hdr->nlmsg_len - sizeof(*hdr);
	step = ALIGN4((size_t)hdr->nlmsg_len);
	step = step < *left ? step : *left;
	*data += step;
	*left -= step;
	return true;
}

int
fcn_rtnl_error(const struct fcn_rtnl_span *body)
{
	int error = 0;

	if (body->len >= sizeof(error))
		memcpy(&error, body->data, sizeof(error));
	return error > 0 ? -error : error;
}

static bool
next_attr(struct attrs *a, struct attr *out)
{
	struct nlattr hdr;
	uint32_t step;

	if (a->left < sizeof(hdr))
		return false;
	memcpy(&hdr, a->data, sizeof(hdr));
	if (hdr.nla_len < sizeof(hdr) || hdr.nla_len > a->left) {
		a->bad = true;
		return false;
	}
	out->type = hdr.nla_type & NLA_TYPE_MASK;
	out->len = hdr.nla_len - sizeof(hdr);
	out->data = a->data + sizeof(hdr);
	step = ALIGN4((uint32_t)hdr.nla_len);
	step = step < a->left ? step : a->left;
	a->data += step;
	a->left -= step;
	return true;
}

/* The fixed part of a message; its attributes follow. */
static bool
take_header(const struct fcn_rtnl_span *body, void *header, uint32_t size, struct attrs *a)
{
	if (body->len < size)
		return false;
	memcpy(header, body->data, size);
	size = ALIGN4(size) < body->len ? ALIGN4(size) : body->len;
	*a = (struct attrs){.data = body->data + size, .left = body->len - size};
	return true;
}

static struct attrs
nested(const struct attr *attr)
{
	return (struct attrs){.data = attr->data, .left = attr->len};
}

static bool
get_u32(const struct attr *attr, uint32_t *value)
{
	if (attr->len < sizeof(*value))
		return false;
	memcpy(value, attr->data, sizeof(*value));
	return true;
}

static bool
get_u16(const struct attr *attr, uint16_t *value)
{
	if (attr->len < sizeof(*value))
		return false;
	memcpy(value, attr->data, sizeof(*value));
	return true;
}

static bool
set_addr(const uint8_t *data, uint32_t len, uint8_t family, struct fcn_addr *addr)
{
	uint32_t want = family == AF_INET6 ? 16 : 4;

	if (len < want || (family != AF_INET && family != AF_INET6))
		return false;
	*addr = (struct fcn_addr){.version = family == AF_INET6 ? 6 : 4};
	memcpy(addr->bytes, data, want);
	return true;
}

static bool
get_addr(const struct attr *attr, uint8_t family, struct fcn_addr *addr)
{
	return set_addr(attr->data, attr->len, family, addr);
}

/* struct rtvia: a gateway of another family than the prefix. */
static bool
get_via(const struct attr *attr, struct fcn_addr *addr)
{
	uint16_t family;

	if (!get_u16(attr, &family))
		return false;
	return set_addr(attr->data + sizeof(family), attr->len - sizeof(family), (uint8_t)family,
			addr);
}

/* What a path says, be it the only one of a route or one of several. @return false: malformed */
static bool
read_path_attr(const struct attr *attr, uint8_t family, struct fcn_rtnl_path *path)
{
	uint16_t encap;

	switch (attr->type) {
	case RTA_GATEWAY:
		return get_addr(attr, family, &path->via);
	case RTA_VIA:
		return get_via(attr, &path->via);
	case RTA_ENCAP_TYPE:
		if (!get_u16(attr, &encap))
			return false;
		path->unusable |= encap != LWTUNNEL_ENCAP_NONE;
		return true;
	case RTA_NEWDST: /* MPLS */
		path->unusable = true;
		return true;
	default:
		return true;
	}
}

static bool
read_multipath(const struct attr *all, uint8_t family, struct fcn_rtnl_route *r)
{
	const uint8_t *data = all->data;
	uint32_t left = all->len;

	r->n_paths = 0;
	while (left >= sizeof(struct rtnexthop)) {
		struct fcn_rtnl_path path = {.weight = 1};
		struct rtnexthop nh;
		struct attrs a;
		struct attr attr;
		uint32_t step;

		memcpy(&nh, data, sizeof(nh));
		if (nh.rtnh_len < sizeof(nh) || nh.rtnh_len > left)
			return false;
		path.ifindex = nh.rtnh_ifindex;
		path.weight = nh.rtnh_hops + 1;
		path.unusable = nh.rtnh_flags & RTNH_F_DEAD;
		a = (struct attrs){.data = data + sizeof(nh), .left = nh.rtnh_len - sizeof(nh)};
		while (next_attr(&a, &attr)) {
			if (!read_path_attr(&attr, family, &path))
				return false;
		}
		if (a.bad)
			return false;
		if (r->n_paths < FCN_RTNL_MAX_PATHS)
			r->path[r->n_paths++] = path;
		else
			r->left_out++;
		step = ALIGN4((uint32_t)nh.rtnh_len);
		step = step < left ? step : left;
		data += step;
		left -= step;
	}
	return true;
}

static bool
route_type(uint8_t type, uint8_t *out)
{
	switch (type) {
	case RTN_UNICAST:
		*out = FCN_RTNL_FORWARD;
		return true;
	case RTN_BLACKHOLE:
		*out = FCN_RTNL_BLACKHOLE;
		return true;
	case RTN_UNREACHABLE:
	case RTN_PROHIBIT:
		*out = FCN_RTNL_UNREACHABLE;
		return true;
	default: /* local, broadcast, multicast, ...: the kernel's own */
		return false;
	}
}

/* Routes that choose by more than the destination are not for this switch. */
static bool
is_plain_route(const struct rtmsg *rtm)
{
	return (rtm->rtm_family == AF_INET || rtm->rtm_family == AF_INET6) && rtm->rtm_tos == 0 &&
	       rtm->rtm_src_len == 0 && !(rtm->rtm_flags & RTM_F_CLONED);
}

static int
read_route(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_rtnl_route *r = &out->route;
	struct fcn_rtnl_path only = {.weight = 1};
	struct rtmsg rtm;
	struct attrs a;
	struct attr attr;
	bool several = false, ok = true;

	if (!take_header(body, &rtm, sizeof(rtm), &a))
		return -EBADMSG;
	if (!is_plain_route(&rtm) || !route_type(rtm.rtm_type, &r->type))
		return 0;
	if (rtm.rtm_dst_len > (rtm.rtm_family == AF_INET6 ? 128 : 32))
		return -EBADMSG;
	r->table = rtm.rtm_table;
	r->protocol = rtm.rtm_protocol;
	r->prefix.addr.version = rtm.rtm_family == AF_INET6 ? 6 : 4;
	r->prefix.len = rtm.rtm_dst_len;
	only.unusable = rtm.rtm_flags & RTNH_F_DEAD;
	while (ok && next_attr(&a, &attr)) {
		switch (attr.type) {
		case RTA_DST:
			ok = get_addr(&attr, rtm.rtm_family, &r->prefix.addr);
			break;
		case RTA_OIF:
			ok = get_u32(&attr, &only.ifindex);
			break;
		case RTA_PRIORITY:
			ok = get_u32(&attr, &r->metric);
			break;
		case RTA_TABLE:
			ok = get_u32(&attr, &r->table);
			break;
		case RTA_NH_ID:
			ok = get_u32(&attr, &r->nexthop);
			break;
		case RTA_MULTIPATH:
			several = true;
			ok = read_multipath(&attr, rtm.rtm_family, r);
			break;
		default:
			ok = read_path_attr(&attr, rtm.rtm_family, &only);
		}
	}
	if (!ok || a.bad)
		return -EBADMSG;
	fcn_prefix_normalise(&r->prefix);
	if (!several) {
		r->n_paths = 1;
		r->path[0] = only;
	}
	out->kind = FCN_RTNL_ROUTE;
	return 0;
}

static bool
read_group(const struct attr *attr, struct fcn_rtnl_nexthop *n)
{
	uint32_t count = attr->len / sizeof(struct nexthop_grp);

	if (attr->len % sizeof(struct nexthop_grp) != 0)
		return false;
	n->n_members = 0;
	n->left_out = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct nexthop_grp grp;

		memcpy(&grp, attr->data + i * sizeof(grp), sizeof(grp));
		if (n->n_members < FCN_RTNL_MAX_PATHS)
			n->member[n->n_members++] = (struct fcn_rtnl_member){
					.id = grp.id, .weight = grp.weight + 1};
		else
			n->left_out++;
	}
	return true;
}

static int
read_nexthop(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_rtnl_nexthop *n = &out->nexthop;
	struct nhmsg nhm;
	struct attrs a;
	struct attr attr;
	uint16_t encap;
	bool ok = true;

	if (!take_header(body, &nhm, sizeof(nhm), &a))
		return -EBADMSG;
	n->path = (struct fcn_rtnl_path){.weight = 1, .unusable = nhm.nh_flags & RTNH_F_DEAD};
	while (ok && next_attr(&a, &attr)) {
		switch (attr.type) {
		case NHA_ID:
			ok = get_u32(&attr, &n->id);
			break;
		case NHA_GROUP:
			ok = read_group(&attr, n);
			break;
		case NHA_BLACKHOLE:
			n->blackhole = true;
			break;
		case NHA_OIF:
			ok = get_u32(&attr, &n->path.ifindex);
			break;
		case NHA_GATEWAY:
			ok = get_addr(&attr, nhm.nh_family, &n->path.via);
			break;
		case NHA_ENCAP_TYPE:
			ok = get_u16(&attr, &encap);
			n->path.unusable |= ok && encap != LWTUNNEL_ENCAP_NONE;
			break;
		case NHA_FDB: /* of a bridge, not of routes */
			n->path.unusable = true;
			break;
		default:
			break;
		}
	}
	if (!ok || a.bad || n->id == 0)
		return -EBADMSG;
	out->kind = FCN_RTNL_NEXTHOP;
	return 0;
}

static int
read_neighbour(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_rtnl_neighbour *n = &out->neighbour;
	bool has_mac = false, ok = true;
	struct ndmsg ndm;
	struct attrs a;
	struct attr attr;

	if (!take_header(body, &ndm, sizeof(ndm), &a))
		return -EBADMSG;
	if ((ndm.ndm_family != AF_INET && ndm.ndm_family != AF_INET6) || ndm.ndm_flags & NTF_PROXY)
		return 0;
	n->ifindex = ndm.ndm_ifindex;
	while (ok && next_attr(&a, &attr)) {
		if (attr.type == NDA_DST) {
			ok = get_addr(&attr, ndm.ndm_family, &n->addr);
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
get_string(const struct attr *attr, char *text, size_t size)
{
	size_t len = strnlen((const char *)attr->data, attr->len);

	if (len >= size)
		return false;
	memcpy(text, attr->data, len);
	text[len] = '\0';
	return true;
}

static bool
read_link_info(const struct attr *info, struct fcn_rtnl_link *l)
{
	struct attrs a = nested(info), inner = {0};
	uint32_t table = 0;
	char kind[16] = "";
	struct attr attr;

	while (next_attr(&a, &attr)) {
		if (attr.type == IFLA_INFO_KIND)
			(void)get_string(&attr, kind, sizeof(kind)); /* no longer one concerns us */
		else if (attr.type == IFLA_INFO_DATA)
			inner = nested(&attr);
	}
	if (a.bad)
		return false;
	if (strcmp(kind, "vrf") != 0)
		return true;
	while (next_attr(&inner, &attr)) {
		if (attr.type == IFLA_VRF_TABLE && !get_u32(&attr, &table))
			return false;
	}
	l->vrf_table = table;
	return !inner.bad;
}

static int
read_link(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_rtnl_link *l = &out->link;
	struct ifinfomsg ifi;
	struct attrs a;
	struct attr attr;
	bool ok = true;

	if (!take_header(body, &ifi, sizeof(ifi), &a))
		return -EBADMSG;
	if (ifi.ifi_family != AF_UNSPEC) /* of a bridge */
		return 0;
	l->ifindex = ifi.ifi_index;
	l->up = ifi.ifi_flags & IFF_UP;
	while (ok && next_attr(&a, &attr)) {
		if (attr.type == IFLA_IFNAME)
			ok = get_string(&attr, l->name, sizeof(l->name));
		else if (attr.type == IFLA_LINKINFO)
			ok = read_link_info(&attr, l);
	}
	if (!ok || a.bad)
		return -EBADMSG;
	out->kind = FCN_RTNL_LINK;
	return 0;
}

static int
read_address(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct ifaddrmsg ifa;
	struct attrs a;

	if (!take_header(body, &ifa, sizeof(ifa), &a))
		return -EBADMSG;
	if (ifa.ifa_family != AF_INET && ifa.ifa_family != AF_INET6)
		return 0;
	out->address.ifindex = ifa.ifa_index;
	out->address.version = ifa.ifa_family == AF_INET6 ? 6 : 4;
	out->kind = FCN_RTNL_ADDRESS;
	return 0;
}

int
fcn_rtnl_read(const struct nlmsghdr *hdr, const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	memset(out, 0, sizeof(*out));
	out->replace = hdr->nlmsg_flags & NLM_F_REPLACE;
	out->append = hdr->nlmsg_flags & NLM_F_APPEND;
	switch (hdr->nlmsg_type) {
	case RTM_DELROUTE:
		out->gone = true;
		/* fall through */
	case RTM_NEWROUTE:
		return read_route(body, out);
	case RTM_DELNEXTHOP:
		out->gone = true;
		/* fall through */
	case RTM_NEWNEXTHOP:
		return read_nexthop(body, out);
	case RTM_DELNEIGH:
		out->gone = true;
		/* fall through */
	case RTM_NEWNEIGH:
		return read_neighbour(body, out);
	case RTM_DELLINK:
		out->gone = true;
		/* fall through */
	case RTM_NEWLINK:
		return read_link(body, out);
	case RTM_DELADDR:
		out->gone = true;
		/* fall through */
	case RTM_NEWADDR:
		return read_address(body, out);
	default:
		return 0;
	}
}

const char *
fcn_rtnl_protocol_name(uint8_t protocol)
{
	switch (protocol) {
	case RTPROT_REDIRECT:
		return "redirect";
	case RTPROT_KERNEL:
		return "kernel";
	case RTPROT_BOOT:
		return "boot";
	case RTPROT_STATIC:
	case 196: /* FRR's staticd */
		return "static";
	case RTPROT_RA:
		return "ra";
	case RTPROT_ZEBRA:
		return "zebra";
	case RTPROT_BIRD:
		return "bird";
	case RTPROT_DHCP:
		return "dhcp";
	case RTPROT_BGP:
		return "bgp";
	case RTPROT_ISIS:
		return "isis";
	case RTPROT_OSPF:
		return "ospf";
	case RTPROT_RIP:
	case 190: /* FRR's ripngd */
		return "rip";
	case RTPROT_EIGRP:
		return "eigrp";
	case RTPROT_BABEL:
		return "babel";
	default:
		return NULL;
	}
}
