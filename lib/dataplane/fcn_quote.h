/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Bytes of one packet in another: copied, or shared by indirect mbufs, with the same bytes on the
 * wire. A message that quotes a packet, and a copy of a packet for one more port, are made so.
 *
 * Bytes that are shared belong to all who have them: nobody may write to them, neither by the new
 * packet nor by the one they are of. Who may still have to write, has these bytes copied.
 *
 * No state but reference counts, which are atomic: a packet and those that share its bytes may be
 * freed by different threads. Making them is for the thread that has the packet.
 */

#ifndef FCN_QUOTE_H
#define FCN_QUOTE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

/** How bytes of a packet get into another. */
enum fcn_quote_mode {
	FCN_QUOTE_AUTO, /**< by clone from FCN_QUOTE_CLONE_MIN bytes on, else by copy */
	FCN_QUOTE_COPY,
	FCN_QUOTE_CLONE,
	FCN_QUOTE_MODES,
};

/**
 * From so many bytes on, cloning costs less than copying: an indirect mbuf costs the same whatever
 * it stands for, a byte that is copied is read and written. Measured by tests/bench/bench_copy;
 * doc/decisions.md has the figures.
 */
#define FCN_QUOTE_CLONE_MIN 2048

/** As commands and `show` have it, never NULL. */
const char *fcn_quote_mode_name(enum fcn_quote_mode mode);

/** Whether so many bytes are shared, by somebody who can send packets of several segments. */
static inline bool
fcn_quote_shares(enum fcn_quote_mode mode, uint32_t len)
{
	return mode == FCN_QUOTE_CLONE || (mode == FCN_QUOTE_AUTO && len >= FCN_QUOTE_CLONE_MIN);
}

/**
 * Append bytes of a packet to another one by clone: an indirect mbuf for each segment that the
 * bytes lie in, attached to it. Of an indirect segment, or one with an external buffer, what it is
 * attached to is shared. The bytes are valid as long as m has them, whatever becomes of from.
 *
 * @param m    packet to append to
 * @param from packet that is quoted, a chain or not; only reference counts change
 * @param off  first byte of it, from its beginning
 * @param len  bytes; 0 appends nothing
 * @param pool mbufs that are attached; their own room for data is not used
 * @return 0; -EINVAL: from has not so many bytes; -ENOMEM: the pool has not so many mbufs;
 *         -EOVERFLOW: m would have too many segments. On failure m is as before.
 */
int fcn_quote_clone(struct rte_mbuf *m, struct rte_mbuf *from, uint32_t off, uint32_t len,
		struct rte_mempool *pool);

/**
 * A packet with the same bytes as another: the first `own` of them copied, with headroom in front
 * like that of every new buffer, the rest by clone. What else an mbuf says of its packet (port,
 * offload flags, dynamic fields) is that of from, as with rte_pktmbuf_copy().
 *
 * @param own  bytes that may be written to: in the new packet, and from then on in from; at least 1
 * @param pool buffers, and mbufs that are attached
 * @return NULL: the pool has not so many buffers, and nothing changed
 */
struct rte_mbuf *fcn_quote_packet(struct rte_mbuf *from, uint32_t own, struct rte_mempool *pool);

#endif /* FCN_QUOTE_H */
