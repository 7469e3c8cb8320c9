/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The packet buffers (mbufs) of the live switch: a pool on each NUMA node that has workers.
 *
 * The thread that starts the program makes all calls.
 */

#ifndef PACKET_BUFFERS_H
#define PACKET_BUFFERS_H

#include <stddef.h>

#include <rte_mempool.h>

#define FCN_MBUFS_MIN 1023    /**< minimum number of packet buffers of a pool */
#define FCN_MBUFS_MAX 8388607 /**< maximum number of packet buffers of a pool */

/** The least default of the number of packet buffers of a pool. */
#define FCN_MBUFS_DEFAULT 65535

/**
 * Get the number of packet buffers of a pool when none is given and there is memory for them:
 * FCN_MBUFS_DEFAULT, or more if the workers and the rings between them would have half of these.
 */
unsigned int fcn_packet_buffers_default(unsigned int n_workers);

/**
 * Create a pool.
 *
 * @param name      unique in the process
 * @param wanted    number of packet buffers; 0: the default, or fewer when EAL has not so
 *                  much memory, so that memory for the workers and some ports remains
 * @param n_workers number of workers of the switch
 * @param node      NUMA node
 * @param err       written on failure: one line of text that names the options that help
 * @return NULL on failure
 */
struct rte_mempool *fcn_packet_buffers_create(const char *name, unsigned int wanted,
		unsigned int n_workers, int node, char *err, size_t err_size);

#endif /* PACKET_BUFFERS_H */
