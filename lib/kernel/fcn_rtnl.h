/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Messages of rtnetlink(7) about routes, nexthop objects, neighbours, links and
 * addresses, as pure functions over bytes: nothing is read behind the end of a
 * message, whatever it says of its lengths. Numbers are in host byte order,
 * addresses in network byte order. Any thread.
 */

#ifndef FCN_RTNL_H
#define FCN_RTNL_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "fcn_addr.h"

/** Paths of a route, and members of a group of nexthops, that are kept; others are counted. */
#define FCN_RTNL_MAX_PATHS 64

enum fcn_rtnl_kind {
	FCN_RTNL_NONE, /**< nothing that a switch asks about */
	FCN_RTNL_ROUTE,
	FCN_RTNL_NEXTHOP,
	FCN_RTNL_NEIGHBOUR,
	FCN_RTNL_LINK,
	FCN_RTNL_ADDRESS,
};

enum fcn_rtnl_type {
	FCN_RTNL_FORWARD,
	FCN_RTNL_BLACKHOLE,
	FCN_RTNL_UNREACHABLE, /**< senders are told. Also "prohibit"; and "throw", which in the
				 kernel goes on with other tables, of which the switch has none */
	FCN_RTNL_OTHER, /**< local, broadcast, multicast, ...: nothing that a switch forwards by,
			   but it replaces and hides routes of the same prefix as any other does */
};

/** One way of a route. */
struct fcn_rtnl_path {
	uint32_t ifindex;    /**< 0: not said */
	struct fcn_addr via; /**< version 0: the destination is on the link itself; the version need
				not be that of the prefix */
	uint32_t weight;     /**< 1..65536 */
	bool unusable;       /**< dead, or behind an encapsulation */
};

struct fcn_rtnl_route {
	struct fcn_prefix prefix; /**< normalised */
	uint32_t table;
	uint32_t metric;
	uint32_t nexthop; /**< id of a nexthop object, which counts then; 0: the paths do */
	uint8_t protocol; /**< who made it, RTPROT_* */
	uint8_t type;     /**< enum fcn_rtnl_type */
	bool has_source;  /**< it names the address that the kernel itself sends from; IPv4: it goes
			     with that address */
	uint8_t n_paths;  /**< FORWARD: in path */
	uint16_t left_out;                             /**< paths beyond FCN_RTNL_MAX_PATHS */
	struct fcn_rtnl_path path[FCN_RTNL_MAX_PATHS]; /**< in the order of
							  fcn_rtnl_path_compare() */
};

struct fcn_rtnl_member {
	uint32_t id;
	uint32_t weight; /**< 1..65536 */
};

/** A nexthop object: one way, or a group of others. */
struct fcn_rtnl_nexthop {
	uint32_t id;
	bool blackhole;
	struct fcn_rtnl_path path; /**< n_members 0 */
	uint8_t n_members;
	uint16_t left_out; /**< members beyond FCN_RTNL_MAX_PATHS */
	struct fcn_rtnl_member member[FCN_RTNL_MAX_PATHS];
};

struct fcn_rtnl_neighbour {
	uint32_t ifindex;
	struct fcn_addr addr;
	uint8_t mac[6];
	bool permanent; /**< made by somebody, and with a MAC address */
};

struct fcn_rtnl_link {
	uint32_t ifindex;
	char name[IFNAMSIZ];
	bool up;            /**< by its administrator */
	bool running;       /**< operational, as the kernel takes it for routes (RFC 2863) */
	bool carrier;       /**< the line is there */
	uint8_t operstate;  /**< IF_OPER_*; 0: not said */
	uint32_t vrf_table; /**< of a VRF device; 0: it is none */
};

struct fcn_rtnl_address {
	uint32_t ifindex;
	uint8_t version; /**< 4 or 6 */
};

/** What a message says. */
struct fcn_rtnl {
	enum fcn_rtnl_kind kind;
	bool gone;    /**< RTM_DEL* */
	bool replace; /**< NLM_F_REPLACE: in place of what there was */
	bool append;  /**< NLM_F_APPEND: beside what there is */
	union {
		struct fcn_rtnl_route route;
		struct fcn_rtnl_nexthop nexthop;
		struct fcn_rtnl_neighbour neighbour;
		struct fcn_rtnl_link link;
		struct fcn_rtnl_address address;
	};
};

/** Compare two paths by interface, gateway and the rest. @return as memcmp() */
int fcn_rtnl_path_compare(const struct fcn_rtnl_path *a, const struct fcn_rtnl_path *b);

/** A message within a buffer. */
struct fcn_rtnl_span {
	const uint8_t *data; /**< behind the message's header */
	uint32_t len;
};

/**
 * Take the next message off a buffer.
 *
 * @param left  bytes of the buffer; advanced with it
 * @param hdr   the message's header
 * @param body  what stands behind it
 * @return false at the end; then *left is 0, or the rest is no message
 */
bool fcn_rtnl_next(const uint8_t **data, size_t *left, struct nlmsghdr *hdr,
		struct fcn_rtnl_span *body);

/**
 * Read a message.
 *
 * @return 0, also when it is none that concerns a switch (FCN_RTNL_NONE);
 *         -EBADMSG when it is cut short or contradicts itself
 */
int fcn_rtnl_read(
		const struct nlmsghdr *hdr, const struct fcn_rtnl_span *body, struct fcn_rtnl *out);

/** The error of an NLMSG_ERROR or NLMSG_DONE message: 0 or a negative errno; -EBADMSG: it is none.
 */
int fcn_rtnl_error(const struct fcn_rtnl_span *body);

/** Name of a routing protocol by its RTPROT_*; NULL: unknown. */
const char *fcn_rtnl_protocol_name(uint8_t protocol);

#endif /* FCN_RTNL_H */
