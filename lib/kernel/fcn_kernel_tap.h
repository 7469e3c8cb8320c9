/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A TAP interface of the kernel, which stands for a port there: what is written
 * to it the kernel receives, what the kernel sends by it is read. Never blocks.
 * One owner, the control thread.
 */

#ifndef FCN_KERNEL_TAP_H
#define FCN_KERNEL_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

/** Frames by the way they went. */
struct fcn_kernel_tap_counts {
	uint64_t to_kernel;
	uint64_t to_kernel_full; /**< dropped: the kernel had no room */
	uint64_t to_kernel_down; /**< dropped: the interface is down, or gone */
	uint64_t from_kernel;
	uint64_t from_kernel_refused; /**< dropped: no buffer, or no room towards the port */
};

struct fcn_kernel_tap;

/**
 * Make an interface, in the network namespace of the thread.
 *
 * @param err one line, on failure
 * @return NULL on failure
 */
struct fcn_kernel_tap *fcn_kernel_tap_open(const char *ifname, char *err, size_t err_size);
/** The interface goes. NULL is allowed. */
void fcn_kernel_tap_close(struct fcn_kernel_tap *tap);

int fcn_kernel_tap_fd(const struct fcn_kernel_tap *tap);
const char *fcn_kernel_tap_name(const struct fcn_kernel_tap *tap);
uint32_t fcn_kernel_tap_ifindex(const struct fcn_kernel_tap *tap);
/** Whether the interface is gone: somebody removed it. */
bool fcn_kernel_tap_is_gone(const struct fcn_kernel_tap *tap);

/** Tell the kernel whether the line is there (Linux 5.0). */
void fcn_kernel_tap_set_carrier(struct fcn_kernel_tap *tap, bool up);
/** What the kernel was told last. */
bool fcn_kernel_tap_has_carrier(const struct fcn_kernel_tap *tap);

/** Write a frame; the mbuf stays the caller's. @return whether the kernel has it; else counted */
bool fcn_kernel_tap_write(struct fcn_kernel_tap *tap, const struct rte_mbuf *m);

/** Read a frame. @return its mbuf; NULL: none, or no buffer for it, which is counted */
struct rte_mbuf *fcn_kernel_tap_read(
		struct fcn_kernel_tap *tap, struct rte_mempool *pool, bool *more);

/** A frame that was read could not be sent. */
void fcn_kernel_tap_refused(struct fcn_kernel_tap *tap);

const struct fcn_kernel_tap_counts *fcn_kernel_tap_counts(const struct fcn_kernel_tap *tap);
void fcn_kernel_tap_clear_counts(struct fcn_kernel_tap *tap);

#endif /* FCN_KERNEL_TAP_H */
