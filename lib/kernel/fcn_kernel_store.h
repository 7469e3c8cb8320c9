/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A copy of some of the kernel's route tables: routes, nexthop objects, permanent neighbours, and
 * the addresses of the node itself, which are those of its loopback, VRF and dummy devices.
 * It is updated with rtnetlink messages (fcn_rtnl.h), and queried for the paths through ports,
 * either all of them or those that changed. It does no I/O. Only the control thread uses it.
 *
 * Each table of the switch follows at most one of the kernel's. Here, `table` is the number of the
 * switch's table, below FCN_MAX_TABLES, and `number` is that of the kernel's. Segment lists, SIDs,
 * nexthop objects and neighbours are those of all tables.
 *
 * The switch uses only paths through the kernel interfaces of its ports. Routes through other
 * interfaces are stored as well, because a route with a lower metric through such an interface
 * hides a route through a port.
 */

#ifndef FCN_KERNEL_STORE_H
#define FCN_KERNEL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_ether.h>

#include "fcn_counter.h"
#include "fcn_port_limit.h"
#include "fcn_rtnl.h"
#include "fcn_segment_list.h"
#include "fcn_table_limit.h"

/**
 * Maximum number of routes, nexthop objects and neighbours that are stored; messages about more are
 * only counted.
 */
#define FCN_KERNEL_MAX_ROUTES (1u << 20)
#define FCN_KERNEL_MAX_NEXTHOPS (1u << 18)
#define FCN_KERNEL_MAX_NEIGHBOURS 65536u
#define FCN_KERNEL_MAX_LINKS 65536u
#define FCN_KERNEL_MAX_ADDRESSES 65536u
/** Maximum number of addresses of the node itself that the switch has; further ones are ignored. */
#define FCN_KERNEL_MAX_OWN 256u
/**
 * Maximum number of changed prefixes that are reported one by one; when more change, all are
 * reported as changed.
 */
#define FCN_KERNEL_MAX_CHANGES 4096u

enum fcn_kernel_path_type {
	FCN_KERNEL_GATEWAY,
	/* The interface of the path means nothing for these two. */
	FCN_KERNEL_SEGMENTS,  /**< packets get a segment list */
	FCN_KERNEL_SID,       /**< the prefix is a local SID */
	FCN_KERNEL_CONNECTED, /**< destinations are on the link of the port */
	FCN_KERNEL_BLACKHOLE,
	FCN_KERNEL_UNREACHABLE,
};

/** A path of a route. Paths of the same prefix are adjacent. */
struct fcn_kernel_path {
	struct fcn_prefix prefix;
	uint8_t table; /**< of the switch */
	/** enum fcn_kernel_path_type; a prefix has several paths only if they are GATEWAY and
	 * SEGMENTS */
	uint8_t type;
	uint8_t protocol; /**< RTPROT_* */
	uint16_t port;    /**< GATEWAY, CONNECTED; SEGMENTS, SID: FCN_KERNEL_NO_PORT */
	/** GATEWAY, SEGMENTS: at least 1; the sum over the paths of a prefix is at most
	 * FCN_RTNL_MAX_PATHS */
	uint16_t weight;
	/**
	 * GATEWAY: its address, which may have another IP version than the prefix. SEGMENTS and
	 * SID: version 0, and the first 8 octets are the serial of the segment list or SID
	 */
	struct fcn_addr via;
};

#define FCN_KERNEL_NO_PORT UINT16_MAX

/** Tell whether flows to the prefix are shared among this path and others. */
static inline bool
fcn_kernel_path_is_shared(const struct fcn_kernel_path *path)
{
	return path->type == FCN_KERNEL_GATEWAY || path->type == FCN_KERNEL_SEGMENTS;
}

/** Tell whether packets take the same way by both paths. */
static inline bool
fcn_kernel_path_is_same_way(const struct fcn_kernel_path *a, const struct fcn_kernel_path *b)
{
	return a->type == b->type && a->port == b->port && a->via.version == b->via.version &&
	       memcmp(a->via.bytes, b->via.bytes, sizeof(a->via.bytes)) == 0;
}

/** Get the serial of the segment list or local SID of a path that has one. */
static inline uint64_t
fcn_kernel_path_serial(const struct fcn_kernel_path *path)
{
	uint64_t serial;

	memcpy(&serial, path->via.bytes, sizeof(serial));
	return serial;
}

/** Flag of the serials of the kernel's segment lists, which configured ones never have. */
#define FCN_KERNEL_SERIAL (UINT64_C(1) << 63)

#define FCN_KERNEL_SID_SERIAL (UINT64_C(1) << 62) /**< flag of the serials of its local SIDs */

/** A local SID that paths name. */
struct fcn_kernel_sid {
	uint64_t serial;          /**< with FCN_KERNEL_SERIAL and FCN_KERNEL_SID_SERIAL */
	uint16_t slot;            /**< number that no other one has, below FCN_SRV6_KERNEL_LISTS */
	struct fcn_prefix prefix; /**< version 0: it is that of a nexthop object, for any prefix */
	uint32_t action;          /**< SEG6_LOCAL_ACTION_* */
	uint32_t flavors;         /**< set of 1 << SEG6_LOCAL_FLV_OP_* */
	uint8_t block_bits, node_function_bits; /**< with NEXT-CSID */
	uint32_t table;                         /**< number of the kernel's table; 0: none */
	struct fcn_addr via;                    /**< station; version 0: none */
	uint16_t port;      /**< port of the station; FCN_KERNEL_NO_PORT: not given, or none */
	bool is_other_port; /**< the station is behind an interface that is no port's */
};

/** A segment list that paths name. */
struct fcn_kernel_segments {
	uint64_t serial; /**< with FCN_KERNEL_SERIAL; no other list had it before */
	uint16_t slot;   /**< number that no other list has, below FCN_SRV6_KERNEL_LISTS */
	struct fcn_segment_list list;
};

struct fcn_kernel_neighbour {
	uint16_t port;
	struct fcn_addr addr;
	struct rte_ether_addr mac;
};

/** An address of the node itself, in a table of the switch. */
struct fcn_kernel_own {
	struct fcn_addr addr;
	uint8_t table;
};

/** Effect of a message on the store. Of several effects, the last one in this list counts. */
enum fcn_kernel_effect {
	FCN_KERNEL_NOTHING, /**< the message does not concern the table */
	FCN_KERNEL_SAME,    /**< the message contains nothing new */
	FCN_KERNEL_CHANGED, /**< the store and its fcn_kernel_store_version() have changed */
	/**
	 * the kernel may have changed more than the message says: the caller has to read the whole
	 * table again
	 */
	FCN_KERNEL_UNCLEAR,
};

/* In `show kernel`; the form of the list is described in fcn_counter.h. */
#define FCN_KERNEL_STORE_COUNTERS(X)                                                  \
	X(full, "no_room", COUNTER, "kernel_no_room_messages",                        \
			"Messages of the Linux kernel that were ignored because the " \
			"switch had no room for the route or neighbour")              \
	X(segments_full, "no_room_segments", COUNTER, "kernel_no_room_segment_lists", \
			"Routes and nexthop objects of the Linux kernel that were "   \
			"ignored because of too many different segment lists")        \
	X(sids_full, "no_room_sids", COUNTER, "kernel_no_room_sids",                  \
			"Routes and nexthop objects of the Linux kernel that were "   \
			"ignored because of too many local SIDs")                     \
	X(reserved_routes, "reserved_routes", GAUGE, "kernel_reserved_routes",        \
			"Routes of the Linux kernel to 240.0.0.0/4, which is "        \
			"reserved: the switch does not use them")

struct fcn_kernel_counts {
	uint32_t routes;                       /**< routes of all tables, through any interface */
	uint32_t table_routes[FCN_MAX_TABLES]; /**< the same by table */
	uint32_t nexthops;
	uint32_t neighbours;
	uint32_t segment_lists; /**< different ones */
	uint32_t sids;          /**< local SIDs */
	FCN_KERNEL_STORE_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_RTNL_UNUSABLE(FCN_COUNTER_MEMBER)
};

struct fcn_kernel_store;

/** Create an empty store. @return NULL when memory is exhausted */
struct fcn_kernel_store *fcn_kernel_store_create(void);
void fcn_kernel_store_free(struct fcn_kernel_store *store);

/**
 * Set the number of the kernel's table whose routes are stored for a table; 0: none. When it
 * changes, all routes of this table are removed. Several tables may have the same number.
 */
void fcn_kernel_store_set_table(
		struct fcn_kernel_store *store, unsigned int table, uint32_t number);

/** Set the kernel interface of a port; 0: none. */
void fcn_kernel_store_set_port(struct fcn_kernel_store *store, uint16_t port, uint32_t ifindex);

/**
 * Process a message.
 *
 * @param dumped the message is part of the answer to a dump request, not a notification of a change
 */
enum fcn_kernel_effect fcn_kernel_store_apply(
		struct fcn_kernel_store *store, const struct fcn_rtnl *msg, bool dumped);

/** Remove everything but the numbers of tables and the interfaces of ports. */
void fcn_kernel_store_clear(struct fcn_kernel_store *store);

/**
 * Begin a synchronisation: the kernel is about to send everything again. Existing entries stay
 * until fcn_kernel_store_end_sync().
 */
void fcn_kernel_store_begin_sync(struct fcn_kernel_store *store);
/**
 * End a synchronisation, and remove the entries that the kernel did not send during it.
 *
 * @param interrupted the kernel may have omitted some entries: only those that were missing in the
 *                    previous synchronisation as well are removed
 * @return number of entries removed
 */
uint32_t fcn_kernel_store_end_sync(struct fcn_kernel_store *store, bool interrupted);

/**
 * Version of the state from which paths and neighbours are computed; it changes whenever that state
 * does.
 */
uint64_t fcn_kernel_store_version(const struct fcn_kernel_store *store);

/**
 * Compute all paths through ports. Of each prefix, the routes with the lowest metric count. The
 * list is sorted by table, and then by fcn_prefix_compare().
 *
 * @param list written: array to be freed by the caller; NULL when there is no path
 * @param left_out written: number of paths beyond FCN_RTNL_MAX_PATHS of a route
 * @return 0 or -ENOMEM
 */
int fcn_kernel_store_paths(const struct fcn_kernel_store *store, struct fcn_kernel_path **list,
		size_t *n, uint64_t *left_out);

/** A prefix in a table. */
struct fcn_kernel_prefix {
	struct fcn_prefix prefix;
	uint8_t table;
};

/** Compare by table, and then by fcn_prefix_compare(). */
static inline int
fcn_kernel_prefix_compare(unsigned int table_a, const struct fcn_prefix *a, unsigned int table_b,
		const struct fcn_prefix *b)
{
	return table_a != table_b ? (int)table_a - (int)table_b : fcn_prefix_compare(a, b);
}

/** Changes since the last call of fcn_kernel_store_changes(). */
struct fcn_kernel_changes {
	bool all; /**< all prefixes may have changed; path then holds the paths of all prefixes */
	/** otherwise the prefixes that may have changed, sorted by fcn_kernel_prefix_compare() */
	struct fcn_kernel_prefix *prefix;
	size_t n_prefixes;
	struct fcn_kernel_path *path; /**< current paths to these prefixes, in the same order */
	size_t n_paths;
	uint64_t left_out; /**< number of paths beyond FCN_RTNL_MAX_PATHS, over all routes */
};

/**
 * Compute the changes of paths, to be freed with fcn_kernel_changes_free(). The run time is
 * proportional to the changes, or to the number of routes when a nexthop object has changed.
 *
 * @return 0; -ENOMEM, and the next call reports all prefixes as changed
 */
int fcn_kernel_store_changes(struct fcn_kernel_store *store, struct fcn_kernel_changes *changes);
/**
 * Let the next call of fcn_kernel_store_changes() report all prefixes, because the caller could not
 * use the last result.
 */
void fcn_kernel_store_set_all_changed(struct fcn_kernel_store *store);
void fcn_kernel_changes_free(struct fcn_kernel_changes *changes);

/**
 * List the permanent neighbours on ports.
 *
 * @param list written: array to be freed by the caller
 * @return 0 or -ENOMEM
 */
int fcn_kernel_store_neighbours(const struct fcn_kernel_store *store,
		struct fcn_kernel_neighbour **list, size_t *n);

/**
 * List the addresses of the node itself that a switch can have: global unicast addresses of its
 * loopback, VRF and dummy devices. Those of a VRF are in the tables that follow that of the VRF;
 * the others are in all tables that follow no table of a VRF. The list is sorted, and has no more
 * than FCN_KERNEL_MAX_OWN elements.
 *
 * @param list written: array to be freed by the caller; bytes between its members are 0
 * @return 0 or -ENOMEM
 */
int fcn_kernel_store_own(
		const struct fcn_kernel_store *store, struct fcn_kernel_own **list, size_t *n);

/**
 * List the segment lists that paths name, by ascending serial.
 *
 * @param list written: array to be freed by the caller
 * @return 0 or -ENOMEM
 */
int fcn_kernel_store_segments(
		const struct fcn_kernel_store *store, struct fcn_kernel_segments **list, size_t *n);
/** The same with local SIDs. */
int fcn_kernel_store_sids(
		const struct fcn_kernel_store *store, struct fcn_kernel_sid **list, size_t *n);

void fcn_kernel_store_counts(
		const struct fcn_kernel_store *store, struct fcn_kernel_counts *counts);
/** Set the number of ignored messages to 0; the others say what is in the store. */
void fcn_kernel_store_clear_counts(struct fcn_kernel_store *store);

#endif /* FCN_KERNEL_STORE_H */
