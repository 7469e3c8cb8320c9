/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Attributes of rtnetlink messages, and functions shared by the source files of fcn_rtnl.h:
 * rtnl_route.c parses routes and nexthop objects, rtnl_encap.c their lightweight tunnels,
 * rtnl_link.c links, addresses and neighbours. Internal to lib/kernel.
 */

#ifndef RTNL_ATTR_H
#define RTNL_ATTR_H

#include <string.h>
#include <sys/socket.h>

#include "fcn_rtnl.h"

#define FCN_RTNL_ALIGN(len) (((len) + 3u) & ~3u)

/** The attributes that have not been read yet. */
struct fcn_rtnl_attrs {
	const uint8_t *data;
	uint32_t left;
	bool bad; /**< an attribute was longer than the bytes left */
};

/** An attribute; data points into the message. */
struct fcn_rtnl_attr {
	uint16_t type;
	uint16_t len;
	const uint8_t *data;
};

/** Read the next attribute. @return false at the end, or when the rest is malformed */
static inline bool
fcn_rtnl_next_attr(struct fcn_rtnl_attrs *a, struct fcn_rtnl_attr *out)
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
	step = FCN_RTNL_ALIGN((uint32_t)hdr.nla_len);
	step = step < a->left ? step : a->left;
	a->data += step;
	a->left -= step;
	return true;
}

/**
 * Read the fixed part of a message, which its attributes follow.
 *
 * @return false when the message is truncated
 */
static inline bool
fcn_rtnl_take_header(const struct fcn_rtnl_span *body, void *header, uint32_t size,
		struct fcn_rtnl_attrs *a)
{
	if (body->len < size)
		return false;
	memcpy(header, body->data, size);
	size = FCN_RTNL_ALIGN(size) < body->len ? FCN_RTNL_ALIGN(size) : body->len;
	*a = (struct fcn_rtnl_attrs){.data = body->data + size, .left = body->len - size};
	return true;
}

static inline struct fcn_rtnl_attrs
fcn_rtnl_nested(const struct fcn_rtnl_attr *attr)
{
	return (struct fcn_rtnl_attrs){.data = attr->data, .left = attr->len};
}

/* Read values. These functions return false when the attribute is too short. */

static inline bool
fcn_rtnl_get_u32(const struct fcn_rtnl_attr *attr, uint32_t *value)
{
	if (attr->len < sizeof(*value))
		return false;
	memcpy(value, attr->data, sizeof(*value));
	return true;
}

static inline bool
fcn_rtnl_get_u16(const struct fcn_rtnl_attr *attr, uint16_t *value)
{
	if (attr->len < sizeof(*value))
		return false;
	memcpy(value, attr->data, sizeof(*value));
	return true;
}

static inline bool
fcn_rtnl_set_addr(const uint8_t *data, uint32_t len, uint8_t family, struct fcn_addr *addr)
{
	uint32_t want = family == AF_INET6 ? 16 : 4;

	if (len < want || (family != AF_INET && family != AF_INET6))
		return false;
	*addr = (struct fcn_addr){.version = family == AF_INET6 ? 6 : 4};
	memcpy(addr->bytes, data, want);
	return true;
}

static inline bool
fcn_rtnl_get_addr(const struct fcn_rtnl_attr *attr, uint8_t family, struct fcn_addr *addr)
{
	return fcn_rtnl_set_addr(attr->data, attr->len, family, addr);
}

/**
 * Read the tunnel of a path, RTA_ENCAP or NHA_ENCAP.
 *
 * @param type  LWTUNNEL_ENCAP_*
 * @param encap its attributes; of length 0 when the message has none
 * @param path  its members `unusable`, `sid` and `segments` are written
 * @return false when the tunnel is malformed
 */
bool fcn_rtnl_read_encap(
		uint16_t type, const struct fcn_rtnl_attr *encap, struct fcn_rtnl_path *path);

/* Parse messages of one kind. Results are those of fcn_rtnl_read(). */

int fcn_rtnl_read_route(const struct fcn_rtnl_span *body, struct fcn_rtnl *out);
int fcn_rtnl_read_nexthop(const struct fcn_rtnl_span *body, struct fcn_rtnl *out);
int fcn_rtnl_read_neighbour(const struct fcn_rtnl_span *body, struct fcn_rtnl *out);
int fcn_rtnl_read_link(const struct fcn_rtnl_span *body, struct fcn_rtnl *out);
int fcn_rtnl_read_address(const struct fcn_rtnl_span *body, struct fcn_rtnl *out);

#endif /* RTNL_ATTR_H */
