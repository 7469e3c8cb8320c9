/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Lightweight tunnels of paths (lwtunnel). SRv6 has two: `encap seg6` puts a Segment Routing Header
 * around packets, and `encap seg6local` makes the prefix of the route a local SID.
 */

#include <linux/lwtunnel.h>
#include <linux/seg6_iptunnel.h>
#include <linux/seg6_local.h>

#include "fcn_srv6_encaps.h"
#include "rtnl_attr.h"

/* Lengths that Linux uses when a SID with the flavor NEXT-CSID has none of its own. */
#define CSID_BLOCK_BITS 32
#define CSID_NODE_FUNCTION_BITS 16

#define FLAVOR(op) (1u << SEG6_LOCAL_FLV_OP_##op)
#define FLAVORS (FLAVOR(PSP) | FLAVOR(USP) | FLAVOR(USD) | FLAVOR(NEXT_CSID))

/* Tell whether packets can be sent to all segments of a Segment Routing Header. */
static bool
are_stations(const uint8_t *header, const struct fcn_srh *srh)
{
	for (unsigned int i = 0; i <= srh->last_entry; i++) {
		if (!fcn_ip6_is_station(fcn_srh_segment(header, i)))
			return false;
	}
	return true;
}

/* Read struct seg6_iptunnel_encap: a mode and a Segment Routing Header. */
static bool
read_segments(const struct fcn_rtnl_attr *attr, struct fcn_rtnl_segments *segments,
		enum fcn_rtnl_unusable *unusable)
{
	const uint8_t *header = attr->data + sizeof(uint32_t);
	struct fcn_srh srh;
	uint32_t mode;

	if (!fcn_rtnl_get_u32(attr, &mode) ||
			fcn_srh_parse(header, attr->len - sizeof(mode), &srh) != FCN_SRV6_OK)
		return false;
	*segments = (struct fcn_rtnl_segments){.n = 0};
	*unusable = FCN_RTNL_USABLE;
	if (mode != SEG6_IPTUN_MODE_ENCAP && mode != SEG6_IPTUN_MODE_ENCAP_RED)
		*unusable = FCN_RTNL_UNUSABLE_srv6_mode;
	else if (srh.last_entry >= FCN_SRV6_MAX_SEGMENTS || srh.tlv_off != srh.len ||
			!are_stations(header, &srh))
		*unusable = FCN_RTNL_UNUSABLE_srv6_segments;
	else
		*segments = (struct fcn_rtnl_segments){.segment = fcn_srh_segment(header, 0),
				.n = srh.last_entry + 1,
				.mode = mode == SEG6_IPTUN_MODE_ENCAP ? FCN_SRV6_H_ENCAPS
								      : FCN_SRV6_H_ENCAPS_RED};
	return true;
}

static bool
read_policy(const struct fcn_rtnl_attr *all, struct fcn_rtnl_segments *segments,
		enum fcn_rtnl_unusable *unusable)
{
	struct fcn_rtnl_attrs a = fcn_rtnl_nested(all);
	struct fcn_rtnl_attr attr;
	bool there = false;

	while (fcn_rtnl_next_attr(&a, &attr)) {
		if (attr.type != SEG6_IPTUNNEL_SRH)
			continue;
		there = true;
		if (!read_segments(&attr, segments, unusable))
			return false;
	}
	return there && !a.bad;
}

static bool
is_known_action(uint32_t action)
{
	switch (action) {
	case SEG6_LOCAL_ACTION_END:
	case SEG6_LOCAL_ACTION_END_X:
	case SEG6_LOCAL_ACTION_END_T:
	case SEG6_LOCAL_ACTION_END_DX4:
	case SEG6_LOCAL_ACTION_END_DX6:
	case SEG6_LOCAL_ACTION_END_DT4:
	case SEG6_LOCAL_ACTION_END_DT6:
	case SEG6_LOCAL_ACTION_END_DT46:
		return true;
	default:
		return false;
	}
}

static bool
get_bits(const struct fcn_rtnl_attr *attr, uint8_t *bits)
{
	if (attr->len < sizeof(*bits))
		return false;
	*bits = attr->data[0];
	return true;
}

static bool
read_flavors(const struct fcn_rtnl_attr *all, struct fcn_rtnl_sid *sid)
{
	struct fcn_rtnl_attrs a = fcn_rtnl_nested(all);
	struct fcn_rtnl_attr attr;
	bool ok = true;

	sid->block_bits = CSID_BLOCK_BITS;
	sid->node_function_bits = CSID_NODE_FUNCTION_BITS;
	while (ok && fcn_rtnl_next_attr(&a, &attr)) {
		switch (attr.type) {
		case SEG6_LOCAL_FLV_OPERATION:
			ok = fcn_rtnl_get_u32(&attr, &sid->flavors);
			break;
		case SEG6_LOCAL_FLV_LCBLOCK_BITS:
			ok = get_bits(&attr, &sid->block_bits);
			break;
		case SEG6_LOCAL_FLV_LCNODE_FN_BITS:
			ok = get_bits(&attr, &sid->node_function_bits);
			break;
		default:
			break;
		}
	}
	return ok && !a.bad;
}

static bool
read_sid(const struct fcn_rtnl_attr *all, struct fcn_rtnl_sid *sid,
		enum fcn_rtnl_unusable *unusable)
{
	struct fcn_rtnl_attrs a = fcn_rtnl_nested(all);
	struct fcn_rtnl_attr attr;
	bool ok = true;

	*sid = (struct fcn_rtnl_sid){.action = SEG6_LOCAL_ACTION_UNSPEC};
	while (ok && fcn_rtnl_next_attr(&a, &attr)) {
		switch (attr.type) {
		case SEG6_LOCAL_ACTION:
			ok = fcn_rtnl_get_u32(&attr, &sid->action);
			break;
		case SEG6_LOCAL_TABLE:
		case SEG6_LOCAL_VRFTABLE:
			ok = fcn_rtnl_get_u32(&attr, &sid->table);
			break;
		case SEG6_LOCAL_NH4:
			ok = fcn_rtnl_get_addr(&attr, AF_INET, &sid->via);
			break;
		case SEG6_LOCAL_NH6:
			ok = fcn_rtnl_get_addr(&attr, AF_INET6, &sid->via);
			break;
		case SEG6_LOCAL_OIF:
			ok = fcn_rtnl_get_u32(&attr, &sid->ifindex);
			break;
		case SEG6_LOCAL_FLAVORS:
			ok = read_flavors(&attr, sid);
			break;
		default:
			break;
		}
	}
	if (!ok || a.bad || sid->action == SEG6_LOCAL_ACTION_UNSPEC)
		return false;
	if (!is_known_action(sid->action))
		*unusable = FCN_RTNL_UNUSABLE_srv6_behavior;
	else if (sid->flavors & ~FLAVORS)
		*unusable = FCN_RTNL_UNUSABLE_srv6_flavor;
	else
		*unusable = FCN_RTNL_USABLE;
	return true;
}

bool
fcn_rtnl_read_encap(uint16_t type, const struct fcn_rtnl_attr *encap, struct fcn_rtnl_path *path)
{
	enum fcn_rtnl_unusable unusable = FCN_RTNL_UNUSABLE_encapsulation;
	bool ok = true;

	if (type == LWTUNNEL_ENCAP_NONE)
		return true;
	if (type == LWTUNNEL_ENCAP_SEG6)
		ok = read_policy(encap, &path->segments, &unusable);
	else if (type == LWTUNNEL_ENCAP_SEG6_LOCAL)
		ok = read_sid(encap, &path->sid, &unusable);
	if (path->unusable == FCN_RTNL_USABLE)
		path->unusable = unusable;
	return ok;
}
