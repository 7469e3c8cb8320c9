/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Messages of rtnetlink(7) about routes, nexthop objects, neighbours, links and addresses, as pure
 * functions over bytes: nothing is read behind the end of a message, whatever its length fields
 * contain. Numbers are in host byte order, addresses in network byte order. Safe from any thread.
 */

#ifndef FCN_RTNL_H
#define FCN_RTNL_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "fcn_addr.h"
#include "fcn_counter.h"

/**
 * Maximum number of stored paths of a route and members of a nexthop group; further ones are only
 * counted.
 */
#define FCN_RTNL_MAX_PATHS 64

enum fcn_rtnl_kind {
	FCN_RTNL_NONE, /**< a message that does not concern a switch */
	FCN_RTNL_ROUTE,
	FCN_RTNL_NEXTHOP,
	FCN_RTNL_NEIGHBOUR,
	FCN_RTNL_LINK,
	FCN_RTNL_ADDRESS,
};

enum fcn_rtnl_type {
	FCN_RTNL_FORWARD,
	FCN_RTNL_BLACKHOLE,
	/**
	 * drop with an ICMP error. Also used for "prohibit", and for "throw": in the kernel it
	 * continues with other tables, which the switch does not have
	 */
	FCN_RTNL_UNREACHABLE,
	/**
	 * local, broadcast, multicast, ...: the switch does not forward by such a route, but it
	 * replaces and hides routes to the same prefix like any other
	 */
	FCN_RTNL_OTHER,
};

/*
 * Why the switch cannot use a path, and how many such paths there are: in `show kernel`. The form
 * of the list is described in fcn_counter.h.
 */
#define FCN_RTNL_UNUSABLE(X)                                                                     \
	X(dead, "unusable_dead", GAUGE, "kernel_unusable_dead_paths",                            \
			"Paths that the Linux kernel does not use because their interface is "   \
			"down, or that only a bridge uses")                                      \
	X(encapsulation, "unusable_encapsulation", GAUGE, "kernel_unusable_encapsulation_paths", \
			"Paths of the Linux kernel with an encapsulation other than SRv6")       \
	X(srv6_mode, "unusable_srv6_mode", GAUGE, "kernel_unusable_segment_mode_paths",          \
			"Paths of the Linux kernel with a segment list in a mode that the "      \
			"switch does not have: inline, l2encap")                                 \
	X(srv6_segments, "unusable_srv6_segments", GAUGE, "kernel_unusable_segment_count_paths", \
			"Paths of the Linux kernel with a segment list that is too long, has "   \
			"TLVs, or contains an address that packets cannot be sent to")           \
	X(srv6_behavior, "unusable_srv6_behavior", GAUGE, "kernel_unusable_sid_behavior_paths",  \
			"Local SIDs of the Linux kernel with a behavior that the switch does "   \
			"not have")                                                              \
	X(srv6_flavor, "unusable_srv6_flavor", GAUGE, "kernel_unusable_sid_flavor_paths",        \
			"Local SIDs of the Linux kernel with a flavor that the switch does "     \
			"not have")

enum fcn_rtnl_unusable {
	FCN_RTNL_USABLE,
#define FCN_RTNL_UNUSABLE_ENUM(member, ...) FCN_RTNL_UNUSABLE_##member,
	FCN_RTNL_UNUSABLE(FCN_RTNL_UNUSABLE_ENUM)
#undef FCN_RTNL_UNUSABLE_ENUM
	FCN_RTNL_UNUSABLE_KINDS,
};

/** A local SID of SRv6: `encap seg6local`. Its interface and gateway say nothing in Linux. */
struct fcn_rtnl_sid {
	uint32_t action;  /**< SEG6_LOCAL_ACTION_*; UNSPEC: the path is no SID */
	uint32_t flavors; /**< set of 1 << SEG6_LOCAL_FLV_OP_* */
	/** with a flavor: lengths of locator block, and of node and function, in bits */
	uint8_t block_bits, node_function_bits;
	uint32_t table;      /**< number of the table, also that of a VRF; 0: none */
	uint32_t ifindex;    /**< interface of `via`; 0: the kernel looks up a route to it */
	struct fcn_addr via; /**< station that gets the packets; version 0: none */
	struct fcn_kernel_item *item; /**< in the store that has the path; otherwise NULL */
};

/** The segment list of an SRv6 headend: `encap seg6`. */
struct fcn_rtnl_segments {
	/** the segments, 16 octets each, the last one to be visited first; in the message, or in
	 * the store that has the path */
	const uint8_t *segment;
	uint8_t n;                    /**< number of segments; 0: the path has no segment list */
	uint8_t mode;                 /**< FCN_SRV6_H_ENCAPS or FCN_SRV6_H_ENCAPS_RED */
	struct fcn_kernel_item *item; /**< in the store that has the path; otherwise NULL */
};

/** A path of a route. */
struct fcn_rtnl_path {
	uint32_t ifindex; /**< 0: not given */
	/**
	 * gateway; version 0: the destination is on the link itself. The version may differ from
	 * that of the prefix
	 */
	struct fcn_addr via;
	uint32_t weight;  /**< 1..65536 */
	uint8_t unusable; /**< enum fcn_rtnl_unusable */
	struct fcn_rtnl_sid sid;
	struct fcn_rtnl_segments segments;
};

struct fcn_rtnl_route {
	struct fcn_prefix prefix; /**< normalised */
	uint32_t table;
	uint32_t metric;
	uint32_t nexthop; /**< id of the nexthop object to use; 0: path[] is used */
	uint8_t protocol; /**< origin of the route, RTPROT_* */
	uint8_t type;     /**< enum fcn_rtnl_type */
	/**
	 * it has a preferred source address; an IPv4 route is removed together with that address
	 */
	bool has_source;
	uint8_t n_paths;                               /**< FORWARD: number of elements in path */
	uint16_t left_out;                             /**< paths beyond FCN_RTNL_MAX_PATHS */
	struct fcn_rtnl_path path[FCN_RTNL_MAX_PATHS]; /**< in the order of
							  fcn_rtnl_path_compare() */
};

struct fcn_rtnl_member {
	uint32_t id;
	uint32_t weight; /**< 1..65536 */
};

/** A nexthop object: a single path, or a group of other nexthop objects. */
struct fcn_rtnl_nexthop {
	uint32_t id;
	bool blackhole;
	struct fcn_rtnl_path path; /**< the path, if n_members is 0 */
	uint8_t n_members;
	uint16_t left_out; /**< members beyond FCN_RTNL_MAX_PATHS */
	struct fcn_rtnl_member member[FCN_RTNL_MAX_PATHS];
};

struct fcn_rtnl_neighbour {
	uint32_t ifindex;
	struct fcn_addr addr;
	uint8_t mac[6];
	bool permanent; /**< configured by an administrator, with a MAC address */
};

struct fcn_rtnl_link {
	uint32_t ifindex;
	char name[IFNAMSIZ];
	bool up; /**< administratively up */
	/** operational (RFC 2863), which decides whether the kernel uses its routes */
	bool running;
	bool carrier;       /**< the link is up */
	uint8_t operstate;  /**< IF_OPER_*; 0: not given */
	uint32_t vrf_table; /**< table of a VRF device; 0: it is not a VRF device */
	/** it leads to no link: loopback, VRF and dummy devices, which have the addresses of the
	 * node itself */
	bool is_own;
	uint32_t master; /**< index of the bridge or VRF device that it belongs to; 0: none */
};

struct fcn_rtnl_address {
	uint32_t ifindex;
	struct fcn_addr addr; /**< the node's own address; version 4 or 6 */
};

/** Contents of a message. */
struct fcn_rtnl {
	enum fcn_rtnl_kind kind;
	bool gone;    /**< RTM_DEL* */
	bool replace; /**< NLM_F_REPLACE: replaces the existing entry */
	bool append;  /**< NLM_F_APPEND: is added to the existing entry */
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

/** Tell whether packets take the same way by both paths, whatever their weights. */
bool fcn_rtnl_path_is_same_way(const struct fcn_rtnl_path *a, const struct fcn_rtnl_path *b);

/** Payload of a message within a buffer. */
struct fcn_rtnl_span {
	const uint8_t *data; /**< first byte after the message header */
	uint32_t len;
};

/**
 * Read the next message from a buffer.
 *
 * @param data  current position in the buffer; advanced
 * @param left  bytes left in the buffer; reduced
 * @param hdr   written: the message header
 * @param body  written: the payload
 * @return false at the end; *left is then 0, or the rest is not a valid message
 */
bool fcn_rtnl_next(const uint8_t **data, size_t *left, struct nlmsghdr *hdr,
		struct fcn_rtnl_span *body);

/**
 * Parse a message.
 *
 * @param out segment lists of its paths point into the message
 * @return 0, also for a message that does not concern a switch (FCN_RTNL_NONE); -EBADMSG when it is
 *         truncated or inconsistent
 */
int fcn_rtnl_read(
		const struct nlmsghdr *hdr, const struct fcn_rtnl_span *body, struct fcn_rtnl *out);

/**
 * Error code of an NLMSG_ERROR or NLMSG_DONE message: 0 or a negative errno; -EBADMSG when the
 * message is malformed.
 */
int fcn_rtnl_error(const struct fcn_rtnl_span *body);

/** Name of a routing protocol by its RTPROT_* value; NULL when it is unknown. */
const char *fcn_rtnl_protocol_name(uint8_t protocol);

#endif /* FCN_RTNL_H */
