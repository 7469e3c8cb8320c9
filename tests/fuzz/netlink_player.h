/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A player of recorded netlink conversations with the kernel: the messages, their times, and errors
 * of the socket. Used by the fuzz target and by unit tests.
 *
 * A conversation is a sequence of records. A record has one octet for its kind, two octets for the
 * length of its data (least significant first), and the data. Numbers in the data are in host byte
 * order.
 */

#ifndef NETLINK_PLAYER_H
#define NETLINK_PLAYER_H

#include "fcn_kernel_list.h"
#include "fcn_netlink.h"

enum netlink_record {
	NETLINK_CONFIGURE, /**< table, 4 octets; and the name of a VRF */
	NETLINK_PORT,      /**< number of a port, 1; index of its interface, 4 */
	NETLINK_CHANGE,    /**< a notification of the kernel */
	/**
	 * A datagram that answers the last request; its sequence number and port id are set
	 * accordingly.
	 */
	NETLINK_ANSWER,
	NETLINK_TIME,   /**< 4 octets: milliseconds that pass, followed by a poll */
	NETLINK_ERROR,  /**< 1 octet: errno that receiving returns; 1 octet: how many times */
	NETLINK_LONG,   /**< beginning of a datagram that is longer than the buffer */
	NETLINK_REFUSE, /**< 1 octet: errno that sending returns; 1 octet: for how many requests */
	NETLINK_APPLY,  /**< the changes of the store are applied to the list */
	NETLINK_KINDS,
};

struct netlink_player {
	struct fcn_kernel_store *store;
	struct fcn_netlink *nl;
	struct fcn_kernel_list list;          /**< the paths, updated with the changes */
	struct fcn_kernel_segments *segments; /**< while the list is checked */
	size_t n_segments;
	struct fcn_kernel_sid *sids;
	size_t n_sids;
	uint64_t left_out;
	uint64_t now, due;
	uint32_t seq;      /**< sequence number of the last request */
	uint16_t question; /**< its type, RTM_GET* */
	uint32_t asked;
	const uint8_t *datagram; /**< for the next poll; NULL: none */
	ssize_t datagram_len;
	int error, n_errors;
	int refused, n_refused;
};

/** Initialise a player; aborts when memory is exhausted. */
void netlink_player_open(struct netlink_player *p);
void netlink_player_close(struct netlink_player *p);
/** Play records. @return false when a record is truncated */
bool netlink_player_play(struct netlink_player *p, const uint8_t *data, size_t size);
void netlink_player_record(struct netlink_player *p, enum netlink_record kind, const uint8_t *data,
		size_t len);
/**
 * Apply the changes of the store to the list; abort if the list then differs from the paths of the
 * store, or is invalid.
 */
void netlink_player_apply(struct netlink_player *p);

#endif /* NETLINK_PLAYER_H */
