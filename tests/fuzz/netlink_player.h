/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Plays a conversation with the kernel that is written down: what it says, when,
 * and what goes wrong with the socket. Used by the fuzz target and by unit tests.
 *
 * A conversation is a row of records: an octet for the kind, two for the length
 * of what follows, the least first, and that. Numbers in it are in host byte order.
 */

#ifndef NETLINK_PLAYER_H
#define NETLINK_PLAYER_H

#include "fcn_kernel_list.h"
#include "fcn_netlink.h"

enum netlink_record {
	NETLINK_CONFIGURE, /**< table, 4 octets; and the name of a VRF */
	NETLINK_PORT,      /**< number of a port, 1; index of its interface, 4 */
	NETLINK_CHANGE,    /**< a datagram that the kernel sends to all who listen */
	NETLINK_ANSWER,    /**< one that is to the last question: made so, whatever it bears */
	NETLINK_TIME,      /**< milliseconds that pass, 4; then there is a poll */
	NETLINK_ERROR,     /**< an errno that the socket returns, 1, each time, 1, of so many */
	NETLINK_LONG,      /**< a datagram longer than the buffer, of which this is the beginning */
	NETLINK_REFUSE,    /**< an errno that sending returns, 1, for so many questions, 1 */
	NETLINK_TAKE,      /**< changes are taken */
	NETLINK_KINDS,
};

struct netlink_player {
	struct fcn_kernel_store *store;
	struct fcn_netlink *nl;
	struct fcn_kernel_list list; /**< as taken */
	uint64_t left_out;
	uint64_t now, due;
	uint32_t seq;      /**< of the last question */
	uint16_t question; /**< its type, RTM_GET* */
	uint32_t asked;
	const uint8_t *datagram; /**< that the next poll gets; NULL: none */
	ssize_t datagram_len;
	int error, n_errors;
	int refused, n_refused;
};

/** Aborts without memory. */
void netlink_player_open(struct netlink_player *p);
void netlink_player_close(struct netlink_player *p);
/** Play records. @return false at one that is cut short */
bool netlink_player_play(struct netlink_player *p, const uint8_t *data, size_t size);
void netlink_player_record(struct netlink_player *p, enum netlink_record kind, const uint8_t *data,
		size_t len);
/** Take changes; abort where what they come to is not what the store has, or is not right. */
void netlink_player_take(struct netlink_player *p);

#endif /* NETLINK_PLAYER_H */
