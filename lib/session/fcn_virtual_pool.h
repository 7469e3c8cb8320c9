/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet buffers of programs in virtual time. They run without huge pages of the EAL, whose memory
 * then costs a page fault for each one or two buffers; most of the time of a short run would go
 * there. These pools have memory of their own, in huge pages where the kernel gives them without
 * being set up for it (transparent huge pages).
 */

#ifndef FCN_VIRTUAL_POOL_H
#define FCN_VIRTUAL_POOL_H

#include <stdint.h>

#include <rte_mempool.h>

/**
 * Create a pool of packet buffers as rte_pktmbuf_pool_create() does, in memory that no device can
 * reach. Not thread safe, as the EAL's allocation of names is not. To be freed with
 * rte_mempool_free().
 *
 * @param name      as for rte_pktmbuf_pool_create()
 * @param n         number of buffers
 * @param cache     number of buffers that each lcore keeps
 * @param priv      octets of private data in a buffer, a multiple of RTE_MBUF_PRIV_ALIGN
 * @param data_room octets for data in a buffer, with the headroom
 * @return the pool, or NULL; rte_errno is set as rte_pktmbuf_pool_create() sets it
 */
struct rte_mempool *fcn_virtual_pool_create(const char *name, unsigned int n, unsigned int cache,
		uint16_t priv, uint16_t data_room);

#endif /* FCN_VIRTUAL_POOL_H */
