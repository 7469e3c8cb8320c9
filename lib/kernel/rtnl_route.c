/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include <linux/lwtunnel.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "fcn_srh.h"
#include "rtnl_attr.h"

/* Read struct rtvia: a gateway of another address family than the prefix. */
static bool
get_via(const struct fcn_rtnl_attr *attr, struct fcn_addr *addr)
{
	uint16_t family;

	if (!fcn_rtnl_get_u16(attr, &family))
		return false;
	return fcn_rtnl_set_addr(attr->data + sizeof(family), attr->len - sizeof(family),
			(uint8_t)family, addr);
}

/* The tunnel of a path. Its type may come before or after its attributes. */
struct tunnel {
	uint16_t type; /* LWTUNNEL_ENCAP_* */
	struct fcn_rtnl_attr encap;
};

static void
set_unusable(struct fcn_rtnl_path *path, bool is, enum fcn_rtnl_unusable why)
{
	if (is && path->unusable == FCN_RTNL_USABLE)
		path->unusable = why;
}

/*
 * Read an attribute of a path, which may be the only path of a route or one of several.
 *
 * @return false when it is malformed
 */
static bool
read_path_attr(const struct fcn_rtnl_attr *attr, uint8_t family, struct fcn_rtnl_path *path,
		struct tunnel *tunnel)
{
	switch (attr->type) {
	case RTA_GATEWAY:
		return fcn_rtnl_get_addr(attr, family, &path->via);
	case RTA_VIA:
		return get_via(attr, &path->via);
	case RTA_ENCAP_TYPE:
		return fcn_rtnl_get_u16(attr, &tunnel->type);
	case RTA_ENCAP:
		tunnel->encap = *attr;
		return true;
	case RTA_NEWDST: /* MPLS */
		set_unusable(path, true, FCN_RTNL_UNUSABLE_encapsulation);
		return true;
	default:
		return true;
	}
}

static int
compare_sids(const struct fcn_rtnl_sid *a, const struct fcn_rtnl_sid *b)
{
	const uint32_t x[] = {a->action, a->flavors, a->block_bits, a->node_function_bits, a->table,
			a->ifindex, a->via.version};
	const uint32_t y[] = {b->action, b->flavors, b->block_bits, b->node_function_bits, b->table,
			b->ifindex, b->via.version};
	int d = memcmp(x, y, sizeof(x));

	return d != 0 ? d : memcmp(a->via.bytes, b->via.bytes, sizeof(a->via.bytes));
}

static int
compare_segments(const struct fcn_rtnl_segments *a, const struct fcn_rtnl_segments *b)
{
	if (a->n != b->n)
		return a->n - b->n;
	if (a->n == 0)
		return 0;
	return a->mode != b->mode ? a->mode - b->mode
				  : memcmp(a->segment, b->segment, a->n * FCN_SRH_SEGMENT_LEN);
}

static int
compare_tunnels(const struct fcn_rtnl_path *a, const struct fcn_rtnl_path *b)
{
	int d = compare_sids(&a->sid, &b->sid);

	return d != 0 ? d : compare_segments(&a->segments, &b->segments);
}

bool
fcn_rtnl_path_is_same_way(const struct fcn_rtnl_path *a, const struct fcn_rtnl_path *b)
{
	return a->ifindex == b->ifindex && fcn_addr_equal(&a->via, &b->via) &&
	       compare_tunnels(a, b) == 0;
}

int
fcn_rtnl_path_compare(const struct fcn_rtnl_path *a, const struct fcn_rtnl_path *b)
{
	int d;

	if (a->ifindex != b->ifindex)
		return a->ifindex < b->ifindex ? -1 : 1;
	if (a->via.version != b->via.version)
		return a->via.version - b->via.version;
	d = memcmp(a->via.bytes, b->via.bytes, sizeof(a->via.bytes));
	if (d == 0 && a->weight != b->weight)
		d = a->weight < b->weight ? -1 : 1;
	if (d == 0)
		d = a->unusable - b->unusable;
	return d != 0 ? d : compare_tunnels(a, b);
}

static int
compare_paths(const void *a, const void *b)
{
	return fcn_rtnl_path_compare(a, b);
}

static bool
read_multipath(const struct fcn_rtnl_attr *all, uint8_t family, struct fcn_rtnl_route *r)
{
	const uint8_t *data = all->data;
	uint32_t left = all->len;

	r->n_paths = 0;
	while (left >= sizeof(struct rtnexthop)) {
		struct fcn_rtnl_path path = {.weight = 1};
		struct tunnel tunnel = {.type = LWTUNNEL_ENCAP_NONE};
		struct rtnexthop nh;
		struct fcn_rtnl_attrs a;
		struct fcn_rtnl_attr attr;
		uint32_t step;

		memcpy(&nh, data, sizeof(nh));
		if (nh.rtnh_len < sizeof(nh) || nh.rtnh_len > left)
			return false;
		path.ifindex = nh.rtnh_ifindex;
		path.weight = nh.rtnh_hops + 1;
		set_unusable(&path, nh.rtnh_flags & RTNH_F_DEAD, FCN_RTNL_UNUSABLE_dead);
		a = (struct fcn_rtnl_attrs){
				.data = data + sizeof(nh), .left = nh.rtnh_len - sizeof(nh)};
		while (fcn_rtnl_next_attr(&a, &attr)) {
			if (!read_path_attr(&attr, family, &path, &tunnel))
				return false;
		}
		if (a.bad || !fcn_rtnl_read_encap(tunnel.type, &tunnel.encap, &path))
			return false;
		if (r->n_paths < FCN_RTNL_MAX_PATHS)
			r->path[r->n_paths++] = path;
		else
			r->left_out++;
		step = FCN_RTNL_ALIGN((uint32_t)nh.rtnh_len);
		step = step < left ? step : left;
		data += step;
		left -= step;
	}
	return true;
}

static uint8_t
route_type(uint8_t type)
{
	switch (type) {
	case RTN_UNICAST:
		return FCN_RTNL_FORWARD;
	case RTN_BLACKHOLE:
		return FCN_RTNL_BLACKHOLE;
	case RTN_UNREACHABLE:
	case RTN_PROHIBIT:
	case RTN_THROW:
		return FCN_RTNL_UNREACHABLE;
	default:
		return FCN_RTNL_OTHER;
	}
}

/* Whether a route matches on the destination alone. The switch does not support others. */
static bool
is_plain_route(const struct rtmsg *rtm)
{
	return (rtm->rtm_family == AF_INET || rtm->rtm_family == AF_INET6) && rtm->rtm_tos == 0 &&
	       rtm->rtm_src_len == 0 && !(rtm->rtm_flags & RTM_F_CLONED);
}

int
fcn_rtnl_read_route(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_rtnl_route *r = &out->route;
	struct fcn_rtnl_path only = {.weight = 1};
	struct tunnel tunnel = {.type = LWTUNNEL_ENCAP_NONE};
	struct rtmsg rtm;
	struct fcn_rtnl_attrs a;
	struct fcn_rtnl_attr attr;
	bool several = false, ok = true;

	if (!fcn_rtnl_take_header(body, &rtm, sizeof(rtm), &a))
		return -EBADMSG;
	if (!is_plain_route(&rtm))
		return 0;
	if (rtm.rtm_dst_len > (rtm.rtm_family == AF_INET6 ? 128 : 32))
		return -EBADMSG;
	r->type = route_type(rtm.rtm_type);
	r->table = rtm.rtm_table;
	r->protocol = rtm.rtm_protocol;
	r->prefix.addr.version = rtm.rtm_family == AF_INET6 ? 6 : 4;
	r->prefix.len = rtm.rtm_dst_len;
	set_unusable(&only, rtm.rtm_flags & RTNH_F_DEAD, FCN_RTNL_UNUSABLE_dead);
	while (ok && fcn_rtnl_next_attr(&a, &attr)) {
		switch (attr.type) {
		case RTA_DST:
			ok = fcn_rtnl_get_addr(&attr, rtm.rtm_family, &r->prefix.addr);
			break;
		case RTA_OIF:
			ok = fcn_rtnl_get_u32(&attr, &only.ifindex);
			break;
		case RTA_PRIORITY:
			ok = fcn_rtnl_get_u32(&attr, &r->metric);
			break;
		case RTA_TABLE:
			ok = fcn_rtnl_get_u32(&attr, &r->table);
			break;
		case RTA_NH_ID:
			ok = fcn_rtnl_get_u32(&attr, &r->nexthop);
			break;
		case RTA_PREFSRC:
			r->has_source = true;
			break;
		case RTA_MULTIPATH:
			several = true;
			ok = read_multipath(&attr, rtm.rtm_family, r);
			break;
		default:
			ok = read_path_attr(&attr, rtm.rtm_family, &only, &tunnel);
		}
	}
	if (!ok || a.bad || !fcn_rtnl_read_encap(tunnel.type, &tunnel.encap, &only))
		return -EBADMSG;
	fcn_prefix_normalise(&r->prefix);
	if (!several) {
		r->n_paths = 1;
		r->path[0] = only;
	}
	/* The kernel sends the same paths in varying order. */
	qsort(r->path, r->n_paths, sizeof(r->path[0]), compare_paths);
	out->kind = FCN_RTNL_ROUTE;
	return 0;
}

/*
 * struct nexthop_grp of Linux 6.12. In earlier versions weight_high is a reserved octet that is 0.
 */
struct group_entry {
	uint32_t id;
	uint8_t weight;
	uint8_t weight_high;
	uint16_t reserved;
};
static_assert(sizeof(struct group_entry) == sizeof(struct nexthop_grp), "an entry of NHA_GROUP");

static bool
read_group(const struct fcn_rtnl_attr *attr, struct fcn_rtnl_nexthop *n)
{
	uint32_t count = attr->len / sizeof(struct group_entry);

	if (attr->len % sizeof(struct group_entry) != 0)
		return false;
	n->n_members = 0;
	n->left_out = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct group_entry grp;

		memcpy(&grp, attr->data + i * sizeof(grp), sizeof(grp));
		if (n->n_members < FCN_RTNL_MAX_PATHS)
			n->member[n->n_members++] = (struct fcn_rtnl_member){.id = grp.id,
					.weight = (grp.weight_high << 8 | grp.weight) + 1};
		else
			n->left_out++;
	}
	return true;
}

int
fcn_rtnl_read_nexthop(const struct fcn_rtnl_span *body, struct fcn_rtnl *out)
{
	struct fcn_rtnl_nexthop *n = &out->nexthop;
	struct nhmsg nhm;
	struct fcn_rtnl_attrs a;
	struct fcn_rtnl_attr attr;
	struct tunnel tunnel = {.type = LWTUNNEL_ENCAP_NONE};
	bool ok = true;

	if (!fcn_rtnl_take_header(body, &nhm, sizeof(nhm), &a))
		return -EBADMSG;
	n->path = (struct fcn_rtnl_path){.weight = 1};
	set_unusable(&n->path, nhm.nh_flags & RTNH_F_DEAD, FCN_RTNL_UNUSABLE_dead);
	while (ok && fcn_rtnl_next_attr(&a, &attr)) {
		switch (attr.type) {
		case NHA_ID:
			ok = fcn_rtnl_get_u32(&attr, &n->id);
			break;
		case NHA_GROUP:
			ok = read_group(&attr, n);
			break;
		case NHA_BLACKHOLE:
			n->blackhole = true;
			break;
		case NHA_OIF:
			ok = fcn_rtnl_get_u32(&attr, &n->path.ifindex);
			break;
		case NHA_GATEWAY:
			ok = fcn_rtnl_get_addr(&attr, nhm.nh_family, &n->path.via);
			break;
		case NHA_ENCAP_TYPE:
			ok = fcn_rtnl_get_u16(&attr, &tunnel.type);
			break;
		case NHA_ENCAP:
			tunnel.encap = attr;
			break;
		case NHA_FDB: /* the object is used by a bridge, not by routes */
			set_unusable(&n->path, true, FCN_RTNL_UNUSABLE_dead);
			break;
		default:
			break;
		}
	}
	if (!ok || a.bad || n->id == 0 ||
			!fcn_rtnl_read_encap(tunnel.type, &tunnel.encap, &n->path))
		return -EBADMSG;
	out->kind = FCN_RTNL_NEXTHOP;
	return 0;
}
