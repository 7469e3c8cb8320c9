/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Copies of packets, or of parts of them: flooding makes a copy for each further port, and messages
 * such as ICMP errors contain a part of the packet they are about. The bytes are copied, or shared
 * by indirect mbufs; on the wire both are equal.
 *
 * Shared bytes must not be written to any more, neither by the new packet nor by the original one.
 * Bytes that may still have to be changed are copied.
 *
 * The functions are called by the thread that owns the packet. The only state is the reference
 * counts of the mbufs, which are atomic: packets that share bytes may be freed by different
 * threads.
 */

#ifndef FCN_COPY_H
#define FCN_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

/** How bytes of a packet are put into another one. */
enum fcn_copy_mode {
	FCN_COPY_AUTO,  /**< from FCN_COPY_CLONE_MIN bytes on they are shared, otherwise copied */
	FCN_COPY_BYTES, /**< they are copied */
	FCN_COPY_CLONE, /**< they are shared, by indirect mbufs */
	FCN_COPY_MODES,
};

/**
 * Number of bytes from which on sharing costs less than copying: what is longer than a buffer of
 * the switch (FCN_DATA_ROOM), so that a copy would need a second one. It was measured by
 * tests/bench/egress.py with each kind of virtual device; the figures are in
 * doc/notes/copies-and-clones.md.
 */
#define FCN_COPY_CLONE_MIN 2049

/** Get the name of a mode for commands and `show`; never NULL. */
const char *fcn_copy_mode_name(enum fcn_copy_mode mode);

/** Check whether `len` bytes are shared in a mode, if the port accepts packets of several segments.
 */
static inline bool
fcn_copy_shares(enum fcn_copy_mode mode, uint32_t len)
{
	return mode == FCN_COPY_CLONE || (mode == FCN_COPY_AUTO && len >= FCN_COPY_CLONE_MIN);
}

/**
 * Append bytes of a packet to another one by copying them: first into the room after its last
 * segment, then into as many further segments as are needed.
 *
 * @param m    packet to append to. Nothing is written after its last segment if others share that
 *             buffer
 * @param from packet that has the bytes, chained or not; it is only read
 * @param off  offset of the first byte in `from`
 * @param len  number of bytes; 0 appends nothing
 * @param pool pool of the further segments
 * @return 0; -EINVAL: `from` is too short; -ENOMEM: the pool has too few mbufs; -EOVERFLOW: `m`
 * would have too many segments. On failure `m` is unchanged
 */
int fcn_copy_append(struct rte_mbuf *m, const struct rte_mbuf *from, uint32_t off, uint32_t len,
		struct rte_mempool *pool);

/**
 * Append the same bytes without copying them: an indirect mbuf is attached to each segment that
 * contains some of the bytes, as by rte_pktmbuf_attach(). The bytes stay valid when the packet
 * `from` is freed.
 *
 * @param from packet that has the bytes, chained or not; only its reference counts change
 * @param pool pool of the indirect mbufs
 * @return as fcn_copy_append()
 */
int fcn_copy_append_clone(struct rte_mbuf *m, struct rte_mbuf *from, uint32_t off, uint32_t len,
		struct rte_mempool *pool);

/**
 * Make a copy of a packet of which the first `own` bytes are copied, to a new buffer with headroom,
 * and the others are shared. The metadata of the mbuf (port, offload flags, dynamic fields) is
 * copied as by rte_pktmbuf_copy().
 *
 * @param own  number of bytes, at least 1, that may be written to afterwards, in both packets
 * @param pool pool of the buffers and of the indirect mbufs
 * @return NULL when the pool has too few mbufs, or the copy would have too many segments; the
 *         packet is unchanged then
 */
struct rte_mbuf *fcn_copy_packet(struct rte_mbuf *from, uint32_t own, struct rte_mempool *pool);

#endif /* FCN_COPY_H */
