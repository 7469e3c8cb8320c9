/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Synchronisation with route tables of the kernel by rtnetlink(7). The whole tables are read
 * once (a dump); after that, the kernel's notifications are processed. When notifications may have
 * been lost or are ambiguous, the table is read again; until that is complete, the previous
 * contents stay. Some changes the kernel makes without a notification, so the table is also read at
 * intervals and compared.
 *
 * No function blocks, and the work of each call is bounded. Only the control thread uses it. The
 * caller provides the socket, so tests can replace it; netlink_socket.h has the real one.
 */

#ifndef FCN_NETLINK_H
#define FCN_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fcn_counter.h"
#include "fcn_kernel_store.h"

#define FCN_NETLINK_NEVER UINT64_MAX
#define FCN_NETLINK_BUFFER 65536
/**
 * Interval, in ns, at which the whole table is compared with the kernel's. It is longer when a
 * comparison takes more than a fiftieth of it.
 */
#define FCN_NETLINK_CHECK_NS (UINT64_C(30) * 1000 * 1000 * 1000)

/** The socket, as callbacks. */
struct fcn_netlink_io {
	/** @return 0 or a negative errno */
	int (*send)(void *arg, const void *msg, size_t len);
	/**
	 * Receive the next datagram that comes from the kernel.
	 *
	 * @return its length, of which at most size bytes are in buf; -EAGAIN: there is none;
	 *         -ENOBUFS: datagrams were lost; another negative errno
	 */
	ssize_t (*recv)(void *arg, void *buf, size_t size);
	void *arg;
	/** netlink port id of the socket, which is in the answers to its requests */
	uint32_t port;
};

/** Selects a table of the kernel. */
struct fcn_netlink_table {
	uint32_t number;    /**< its number; 0: the table of vrf, or none if vrf is "" */
	char vrf[IFNAMSIZ]; /**< name of a VRF device; "": none */
};

/** Selects the tables. */
struct fcn_netlink_conf {
	struct fcn_netlink_table table[FCN_MAX_TABLES]; /**< by table of the switch */
};

enum fcn_netlink_state {
	FCN_NETLINK_OFF,
	FCN_NETLINK_NO_VRF,    /**< there is no device of that name yet, and no other table */
	FCN_NETLINK_READING,   /**< the whole tables are being read */
	FCN_NETLINK_LISTENING, /**< the tables are known, and notifications are processed */
	FCN_NETLINK_FAILED,    /**< an error occurred; a new attempt follows after a while */
};

/* In `show kernel`, within `counters`; the form of the list is described in fcn_counter.h. */
#define FCN_NETLINK_COUNTERS(X)                                                                 \
	X(messages, "messages", COUNTER, "kernel_messages",                                     \
			"Messages of the Linux kernel that were processed")                     \
	X(malformed, "malformed", COUNTER, "kernel_malformed_messages",                         \
			"Messages of the Linux kernel that were malformed and ignored")         \
	X(lost, "lost", COUNTER, "kernel_lost",                                                 \
			"Times that messages of the Linux kernel were lost, so that "           \
			"its whole table was read again")                                       \
	X(unclear, "unclear", COUNTER, "kernel_unclear_messages",                               \
			"Messages of the Linux kernel that may have hidden a change, "          \
			"so that its whole table was read again")                               \
	X(syncs, "syncs", COUNTER, "kernel_readings",                                           \
			"Times that the whole table of the Linux kernel was read")              \
	X(checks, "checks", COUNTER, "kernel_checks",                                           \
			"Times that the table of the Linux kernel was read only to compare it") \
	X(differences, "differences", COUNTER, "kernel_differences",                            \
			"Routes, nexthop objects and neighbours found to have changed "         \
			"without a message of the Linux kernel")

/** Counters of the conversation with the kernel. */
struct fcn_netlink_counts {
	FCN_NETLINK_COUNTERS(FCN_COUNTER_MEMBER)
};

struct fcn_netlink;

/**
 * Create the synchronisation of a store. It reads nothing before fcn_netlink_configure().
 *
 * @param io    copied
 * @param store store to fill; must outlive the result
 * @return NULL on lack of memory
 */
struct fcn_netlink *fcn_netlink_create(
		const struct fcn_netlink_io *io, struct fcn_kernel_store *store);
void fcn_netlink_free(struct fcn_netlink *nl);

/** Select other tables, or none. Selecting the current tables has no effect; if any of them
 * changes, all are read again, and the others keep their routes meanwhile. */
void fcn_netlink_configure(
		struct fcn_netlink *nl, const struct fcn_netlink_conf *conf, uint64_t now);

/**
 * Process the messages that have arrived, up to a limit, and the timeouts.
 *
 * @return time at which to call again even if nothing arrives: now when there are more messages,
 *         FCN_NETLINK_NEVER when there is no timeout
 */
uint64_t fcn_netlink_poll(struct fcn_netlink *nl, uint64_t now);

enum fcn_netlink_state fcn_netlink_state(const struct fcn_netlink *nl);
/** State of one table of the switch: OFF if it follows none, NO_VRF if its VRF is not there. */
enum fcn_netlink_state fcn_netlink_table_state(const struct fcn_netlink *nl, unsigned int table);
const char *fcn_netlink_state_name(enum fcn_netlink_state state);
/** Number of the kernel's table that a table follows; 0: none, or not known yet. */
uint32_t fcn_netlink_table(const struct fcn_netlink *nl, unsigned int table);
/** Text of the last error; "" when there was none. */
const char *fcn_netlink_last_error(const struct fcn_netlink *nl);
void fcn_netlink_counts(const struct fcn_netlink *nl, struct fcn_netlink_counts *counts);
/** Set the counters to 0. */
void fcn_netlink_clear_counts(struct fcn_netlink *nl);
/** Tell whether the tables have been read whole since the synchronisation was created. */
bool fcn_netlink_was_read(const struct fcn_netlink *nl);

#endif /* FCN_NETLINK_H */
