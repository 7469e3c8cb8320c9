/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A TAP interface, which represents a port in the kernel. The kernel receives the frames that are
 * written to it, and frames that the kernel sends on it can be read. No function blocks. Only the
 * control thread uses it.
 */

#ifndef FCN_KERNEL_TAP_H
#define FCN_KERNEL_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_counter.h"

/* In `show kernel`, by interface; the form of the list is described in fcn_counter.h. */
#define FCN_KERNEL_TAP_COUNTERS(X)                                                                 \
	X(to_kernel, "to_kernel", COUNTER, "kernel_interface_sent_packets",                        \
			"Frames passed to the interface of the Linux kernel")                      \
	X(to_kernel_full, "to_kernel_full", COUNTER, "kernel_interface_full_packets",              \
			"Frames dropped because the Linux kernel had no room for them")            \
	X(to_kernel_down, "to_kernel_down", COUNTER, "kernel_interface_down_packets",              \
			"Frames dropped because the interface of the Linux kernel is "             \
			"down or was removed")                                                     \
	X(from_kernel, "from_kernel", COUNTER, "kernel_interface_received_packets",                \
			"Frames that the Linux kernel sent through the interface")                 \
	X(from_kernel_refused, "from_kernel_refused", COUNTER, "kernel_interface_refused_packets", \
			"Frames from the Linux kernel dropped because there was no "               \
			"packet buffer, or the ring to the worker was full")

/** Counters of an interface. */
struct fcn_kernel_tap_counts {
	FCN_KERNEL_TAP_COUNTERS(FCN_COUNTER_MEMBER)
};

struct fcn_kernel_tap;

/**
 * Create an interface in the network namespace of the calling thread.
 *
 * @param err written on failure: one line of text
 * @return NULL on failure
 */
struct fcn_kernel_tap *fcn_kernel_tap_open(const char *ifname, char *err, size_t err_size);
/** Remove the interface and free its resources. NULL is allowed. */
void fcn_kernel_tap_close(struct fcn_kernel_tap *tap);

int fcn_kernel_tap_fd(const struct fcn_kernel_tap *tap);
const char *fcn_kernel_tap_name(const struct fcn_kernel_tap *tap);
uint32_t fcn_kernel_tap_ifindex(const struct fcn_kernel_tap *tap);
/** Whether somebody else has removed the interface. */
bool fcn_kernel_tap_is_gone(const struct fcn_kernel_tap *tap);

/** Set the carrier of the interface as the link of the port is up or down (since Linux 5.0). */
void fcn_kernel_tap_set_carrier(struct fcn_kernel_tap *tap, bool up);
/** The carrier state that was set last. */
bool fcn_kernel_tap_has_carrier(const struct fcn_kernel_tap *tap);

/**
 * Write a frame; the caller keeps the mbuf.
 *
 * @return whether the kernel accepted it; otherwise a drop is counted
 */
bool fcn_kernel_tap_write(struct fcn_kernel_tap *tap, const struct rte_mbuf *m);

/**
 * Read a frame.
 *
 * @param more written: whether there may be more frames
 * @return its mbuf; NULL when there is no frame, or no buffer for it, which is counted
 */
struct rte_mbuf *fcn_kernel_tap_read(
		struct fcn_kernel_tap *tap, struct rte_mempool *pool, bool *more);

/** Count a frame that was read but could not be sent to the port. */
void fcn_kernel_tap_refused(struct fcn_kernel_tap *tap);

const struct fcn_kernel_tap_counts *fcn_kernel_tap_counts(const struct fcn_kernel_tap *tap);
void fcn_kernel_tap_clear_counts(struct fcn_kernel_tap *tap);

#endif /* FCN_KERNEL_TAP_H */
