/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The conversation with the kernel about one of its route tables: all of it is
 * asked for once, then changes are listened to. Where some may have been lost,
 * or were said unclearly, all is asked for again; until that is answered, what
 * was known stays. And because the kernel changes things without a word, all is
 * asked for at intervals and compared.
 *
 * Never blocks, bounded work a call. One owner, the control thread. Its socket
 * is handed in, for tests; fcn_netlink_socket.h has the real one.
 */

#ifndef FCN_NETLINK_H
#define FCN_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fcn_kernel_store.h"

#define FCN_NETLINK_NEVER UINT64_MAX
#define FCN_NETLINK_BUFFER 65536
/** The whole is compared with the kernel's this often; seldomer where that takes more than a
 * fiftieth of the time. Nanoseconds. */
#define FCN_NETLINK_CHECK_NS (UINT64_C(30) * 1000 * 1000 * 1000)

/** The socket. */
struct fcn_netlink_io {
	/** @return 0 or a negative errno */
	int (*send)(void *arg, const void *msg, size_t len);
	/**
	 * Take the next datagram, from the kernel alone.
	 * @return its length, of which size at the most are in buf; -EAGAIN: none; -ENOBUFS: some
	 *         were lost; another negative errno
	 */
	ssize_t (*recv)(void *arg, void *buf, size_t size);
	void *arg;
	uint32_t port; /**< the socket's own address: answers to it bear that */
};

/** Which table. */
struct fcn_netlink_conf {
	uint32_t table;     /**< number; 0: that of vrf, or none at all */
	char vrf[IFNAMSIZ]; /**< name of a VRF device; "": none */
};

enum fcn_netlink_state {
	FCN_NETLINK_OFF,
	FCN_NETLINK_NO_VRF,    /**< no device of that name, yet */
	FCN_NETLINK_READING,   /**< all was asked for */
	FCN_NETLINK_LISTENING, /**< all is known */
	FCN_NETLINK_FAILED,    /**< is tried again after a while */
};

struct fcn_netlink_counts {
	uint64_t messages;    /**< taken in */
	uint64_t malformed;   /**< not understood, left out */
	uint64_t lost;        /**< times that the kernel said it had to drop some */
	uint64_t unclear;     /**< messages after which all was asked for */
	uint64_t syncs;       /**< times that all was read to the end */
	uint64_t checks;      /**< of these, because it was time to compare */
	uint64_t differences; /**< routes, nexthop objects and neighbours that a check found to be
				 different, come or gone without a message */
};

struct fcn_netlink;

/**
 * @param io    copied
 * @param store filled; must outlive it
 * @return NULL on lack of memory
 */
struct fcn_netlink *fcn_netlink_create(
		const struct fcn_netlink_io *io, struct fcn_kernel_store *store);
void fcn_netlink_free(struct fcn_netlink *nl);

/** Another table, or none. With the one there was, nothing happens. */
void fcn_netlink_configure(
		struct fcn_netlink *nl, const struct fcn_netlink_conf *conf, uint64_t now);

/**
 * Take in what there is.
 *
 * @return when to call again though nothing comes: now, when more is left; FCN_NETLINK_NEVER
 */
uint64_t fcn_netlink_poll(struct fcn_netlink *nl, uint64_t now);

enum fcn_netlink_state fcn_netlink_state(const struct fcn_netlink *nl);
const char *fcn_netlink_state_name(enum fcn_netlink_state state);
/** The table's number; 0: none, or not known. */
uint32_t fcn_netlink_table(const struct fcn_netlink *nl);
/** The interface of the VRF; 0: none. */
uint32_t fcn_netlink_vrf(const struct fcn_netlink *nl);
/** What went wrong last, "": nothing. */
const char *fcn_netlink_last_error(const struct fcn_netlink *nl);
void fcn_netlink_counts(const struct fcn_netlink *nl, struct fcn_netlink_counts *counts);

#endif /* FCN_NETLINK_H */
