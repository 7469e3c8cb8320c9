/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Formats of SimBricks, as lib/simbricks/base/proto.h and lib/simbricks/network/proto.h of
 * https://github.com/simbricks/simbricks define them. All numbers are in host byte order, because
 * both ends are on one machine.
 *
 * The ends meet at a UNIX stream socket. The listener says by struct simbricks_listener where in
 * the shared memory, whose descriptor comes with it, the two queues are; the connecter answers by
 * struct simbricks_connecter. Each is followed by four octets of the network protocol, which mean
 * nothing. A queue is an array of entries of one size, filled in turn. The last octet of an entry's
 * header says whose it is, and what it holds.
 */

#ifndef SIMBRICKS_FORMAT_H
#define SIMBRICKS_FORMAT_H

#include <stdint.h>

#define SIMBRICKS_VERSION 1
#define SIMBRICKS_NETWORK 1 /**< the protocol above: Ethernet frames */
#define SIMBRICKS_NETWORK_INTRO 4

/** Flags of both introductions. */
#define SIMBRICKS_SYNC 1u        /**< time is synchronised if both ends say so */
#define SIMBRICKS_SYNC_FORCED 2u /**< this end needs it */

struct simbricks_listener {
	uint64_t version;
	uint64_t flags;
	uint64_t l2c_offset; /**< queue from listener to connecter: offset in octets */
	uint64_t l2c_size;   /**< octets of an entry */
	uint64_t l2c_count;  /**< number of entries */
	uint64_t c2l_offset; /**< the same of the queue from connecter to listener */
	uint64_t c2l_size;
	uint64_t c2l_count;
	uint64_t protocol; /**< SIMBRICKS_NETWORK */
	uint64_t rest;     /**< offset in this message of what the protocol adds */
};

struct simbricks_connecter {
	uint64_t version;
	uint64_t flags;
	uint64_t protocol;
	uint64_t rest;
};

/** Offsets in the header of an entry. A frame follows the header; it has no FCS. */
#define SIMBRICKS_AT_LENGTH 0 /**< of a frame, 2 octets */
#define SIMBRICKS_AT_TIME 48  /**< when it arrives, in picoseconds, 8 octets */
#define SIMBRICKS_AT_OWNER 63
#define SIMBRICKS_HEADER 64

/** The octet at SIMBRICKS_AT_OWNER. */
#define SIMBRICKS_OF_CONSUMER 0x80u
#define SIMBRICKS_TYPE 0x7fu

/** What an entry holds. */
enum simbricks_type {
	SIMBRICKS_IS_SYNC = 0x00, /**< nothing but the time */
	SIMBRICKS_IS_END = 0x01,  /**< no entries follow */
	SIMBRICKS_IS_FRAME = 0x40,
};

#endif /* SIMBRICKS_FORMAT_H */
