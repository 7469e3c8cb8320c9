/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "icmp6_common.h"
#include "fcn_inet.h"
#include "fcn_nd.h"
#include "nd_option.h"

#define HOP_LIMIT_OFF 7
#define SRC_OFF 8
#define DST_OFF 24

/* Position in the options behind the fixed part of the message. */
struct cursor {
	const uint8_t *p;
	const uint8_t *end;
};

/*
 * Advance to the next option, which is complete. Returns false at the end, with *error set when an
 * option is malformed.
 */
static bool
option_next(struct cursor *c, const uint8_t **opt, uint32_t *len, enum fcn_msg_error *error)
{
	uint32_t left = (uint32_t)(c->end - c->p);

	if (left == 0)
		return false;
	if (left < 2 || c->p[1] == 0 || c->p[1] * 8u > left) {
		*error = FCN_MSG_OPTION_LENGTH;
		return false;
	}
	*opt = c->p;
	*len = c->p[1] * 8u;
	c->p += *len;
	return true;
}

static enum fcn_msg_error
parse_lladdr(const uint8_t *opt, uint32_t len, struct fcn_nd *out)
{
	struct rte_ether_addr mac;

	if (len != ND_LLADDR_LEN)
		return FCN_MSG_OPTION_LENGTH;
	memcpy(&mac, opt + 2, sizeof(mac));
	/*
	 * A station without an IPv6 address must not send this option (RFC 4861 sections 6.1.1 and
	 * 7.1.1).
	 */
	if (!fcn_mac_is_station(&mac) || fcn_ip6_is_unspecified(out->src))
		return FCN_MSG_OPTION_LLADDR;
	if (!out->has_lladdr) {
		out->has_lladdr = true;
		out->lladdr = mac;
	}
	return FCN_MSG_OK;
}

static enum fcn_msg_error
parse_prefix(const uint8_t *opt, uint32_t len, struct fcn_nd *out)
{
	struct fcn_nd_prefix *prefix;

	if (len != ND_PREFIX_LEN)
		return FCN_MSG_OPTION_LENGTH;
	if (opt[2] > 128)
		return FCN_MSG_OPTION_PREFIX;
	if (out->ra.n_prefixes == FCN_ND_MAX_PREFIXES) {
		out->prefixes_left_out = true;
		return FCN_MSG_OK;
	}
	prefix = &out->ra.prefix[out->ra.n_prefixes++];
	prefix->len = opt[2];
	prefix->flags = opt[3] & (FCN_ND_ON_LINK | FCN_ND_AUTONOMOUS);
	prefix->valid_s = fcn_get_be32(opt + 4);
	prefix->preferred_s = fcn_get_be32(opt + 8);
	memcpy(prefix->addr, opt + 16, 16);
	return FCN_MSG_OK;
}

static enum fcn_msg_error
parse_mtu(const uint8_t *opt, uint32_t len, struct fcn_nd *out)
{
	if (len != ND_MTU_LEN)
		return FCN_MSG_OPTION_LENGTH;
	if (out->ra.mtu == 0)
		out->ra.mtu = fcn_get_be32(opt + 4);
	return FCN_MSG_OK;
}

static enum fcn_msg_error
parse_options(const uint8_t *p, const uint8_t *end, struct fcn_nd *out)
{
	uint8_t lladdr = out->type == FCN_ND_NEIGHBOUR_ADVERT ? ND_OPT_TARGET_LLADDR
							      : ND_OPT_SOURCE_LLADDR;
	bool router = out->type == FCN_ND_ROUTER_ADVERT;
	struct cursor c = {.p = p, .end = end};
	enum fcn_msg_error error = FCN_MSG_OK;
	const uint8_t *opt;
	uint32_t len;

	while (error == FCN_MSG_OK && option_next(&c, &opt, &len, &error)) {
		if (opt[0] == lladdr)
			error = parse_lladdr(opt, len, out);
		else if (opt[0] == ND_OPT_PREFIX && router)
			error = parse_prefix(opt, len, out);
		else if (opt[0] == ND_OPT_MTU && router)
			error = parse_mtu(opt, len, out);
	}
	return error;
}

/* Get the number of bytes of a message before its options; 0: it is none of these messages. */
static uint32_t
fixed_len(uint8_t type)
{
	switch (type) {
	case FCN_ND_ROUTER_SOLICIT:
		return ND_RS_LEN;
	case FCN_ND_ROUTER_ADVERT:
		return ND_RA_LEN;
	case FCN_ND_NEIGHBOUR_SOLICIT:
	case FCN_ND_NEIGHBOUR_ADVERT:
		return ND_NEIGHBOUR_LEN;
	default:
		return 0;
	}
}

/* Make the checks that depend on the addresses of the packet. */
static enum fcn_msg_error
check_addresses(struct fcn_nd *out)
{
	bool unspecified = fcn_ip6_is_unspecified(out->src);

	if (fcn_ip6_is_multicast(out->src) || fcn_ip6_is_loopback(out->src))
		return FCN_MSG_SOURCE;
	switch (out->type) {
	case FCN_ND_ROUTER_ADVERT:
		return fcn_ip6_is_link_local(out->src) ? FCN_MSG_OK : FCN_MSG_SOURCE;
	case FCN_ND_NEIGHBOUR_SOLICIT:
		out->dad = unspecified;
		return unspecified && !fcn_nd_is_solicited_node(out->dst) ? FCN_MSG_DESTINATION
									  : FCN_MSG_OK;
	case FCN_ND_NEIGHBOUR_ADVERT:
		return unspecified ? FCN_MSG_SOURCE : FCN_MSG_OK;
	default:
		return FCN_MSG_OK;
	}
}

/* Read the fixed part of the message. */
static enum fcn_msg_error
parse_fixed(const uint8_t *icmp, struct fcn_nd *out)
{
	switch (out->type) {
	case FCN_ND_NEIGHBOUR_ADVERT:
		out->flags = icmp[4] & (FCN_ND_ROUTER | FCN_ND_SOLICITED | FCN_ND_OVERRIDE);
		if (out->flags & FCN_ND_SOLICITED && fcn_ip6_is_multicast(out->dst))
			return FCN_MSG_SOLICITED;
		/* fallthrough */
	case FCN_ND_NEIGHBOUR_SOLICIT:
		memcpy(out->target, icmp + 8, 16);
		return fcn_ip6_is_station(out->target) ? FCN_MSG_OK : FCN_MSG_TARGET;
	case FCN_ND_ROUTER_ADVERT:
		out->ra.hop_limit = icmp[4];
		out->ra.flags = icmp[5] & (FCN_ND_MANAGED | FCN_ND_OTHER);
		out->ra.lifetime_s = fcn_get_be16(icmp + 6);
		out->ra.reachable_ms = fcn_get_be32(icmp + 8);
		out->ra.retrans_ms = fcn_get_be32(icmp + 12);
		return FCN_MSG_OK;
	default:
		return FCN_MSG_OK;
	}
}

enum fcn_msg_error
fcn_nd_parse(const uint8_t *ip, uint32_t len, struct fcn_nd *out)
{
	struct fcn_ip6_chain chain;
	enum fcn_msg_error error;
	const uint8_t *icmp;
	struct fcn_nd nd;
	uint32_t fixed;

	error = fcn_icmp6_find(ip, len, &chain);
	if (error != FCN_MSG_OK)
		return error;
	icmp = ip + chain.off;
	fixed = fixed_len(icmp[0]);
	if (fixed == 0)
		return FCN_MSG_TYPE;
	if (ip[HOP_LIMIT_OFF] != FCN_ND_HOP_LIMIT)
		return FCN_MSG_HOP_LIMIT;
	if (icmp[1] != 0)
		return FCN_MSG_CODE;
	if (chain.end - chain.off < fixed)
		return FCN_MSG_TRUNCATED;

	memset(&nd, 0, sizeof(nd));
	nd.type = icmp[0];
	memcpy(nd.src, ip + SRC_OFF, 16);
	memcpy(nd.dst, ip + DST_OFF, 16);
	error = check_addresses(&nd);
	if (error == FCN_MSG_OK)
		error = parse_fixed(icmp, &nd);
	if (error == FCN_MSG_OK)
		error = parse_options(icmp + fixed, ip + chain.end, &nd);
	if (error == FCN_MSG_OK)
		*out = nd;
	return error;
}
