/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "fcn_build.h"
#include "fcn_mempool_error.h"
#include "fcn_worker.h"
#include "packet_buffers.h"

#define CACHE 256

/* Memory, bytes, that is left for other things than packet buffers when their number is chosen:
 * the tables of each worker, and the rest with some ports. */
#define RESERVE (12u << 20)
#define RESERVE_WORKER (18u << 20)

/* The numbers of packet buffers that are tried. A pool of 2^n - 1 wastes least (rte_mempool.h). */
static const unsigned int choices[] = {196607, 131071, 98303, FCN_MBUFS_DEFAULT, 49151, 32767,
		24575, 16383, 12287, 8191, 6143, 4095, 3071, 2047};

/* Packet buffers that are there for ports and queues, besides those that workers need. */
#define FOR_PORTS 32767

/* What the cache of a thread may hold: it is emptied at one and a half times its size. */
#define CACHE_MOST (CACHE * 3 / 2)

static struct rte_mempool *
create(const char *name, unsigned int n, int node)
{
	return rte_pktmbuf_pool_create(name, n, CACHE, 0, FCN_DATA_ROOM, node);
}

unsigned int
fcn_packet_buffers_default(unsigned int n_workers)
{
	const uint64_t needed = fcn_build_worker_buffers(n_workers, CACHE_MOST) + FOR_PORTS;
	unsigned int chosen = choices[0];

	for (size_t i = 0; i < RTE_DIM(choices); i++) {
		if (choices[i] >= RTE_MAX(needed, (uint64_t)FCN_MBUFS_DEFAULT))
			chosen = choices[i];
	}
	return chosen;
}

/* Create the largest pool beside which the reserve fits. It is allocated meanwhile, because how
 * much memory is free cannot be asked where EAL gets hugepages as it needs them. */
static struct rte_mempool *
create_what_fits(const char *name, unsigned int n_workers, int node)
{
	const unsigned int most = fcn_packet_buffers_default(n_workers);
	void *reserve = rte_malloc_socket(NULL, RESERVE + n_workers * RESERVE_WORKER, 0, node);
	struct rte_mempool *pool = NULL;

	for (size_t i = 0; reserve != NULL && pool == NULL && i < RTE_DIM(choices); i++) {
		if (choices[i] <= most)
			pool = create(name, choices[i], node);
	}
	rte_free(reserve);
	return pool;
}

struct rte_mempool *
fcn_packet_buffers_create(const char *name, unsigned int wanted, unsigned int n_workers, int node,
		char *err, size_t err_size)
{
	struct rte_mempool *pool = wanted != 0 ? create(name, wanted, node)
					       : create_what_fits(name, n_workers, node);
	char why[256];

	if (pool == NULL && !fcn_mempool_has_handler())
		snprintf(err, err_size, "packet buffers: %s", fcn_mempool_error(why, sizeof(why)));
	else if (pool == NULL && wanted != 0)
		snprintf(err, err_size,
				"no memory for %u packet buffers on NUMA node %d: %s; fewer "
				"are enough (--mbufs N), or give EAL more memory (-m MB or "
				"hugepages)",
				wanted, node, rte_strerror(rte_errno));
	else if (pool == NULL)
		snprintf(err, err_size,
				"EAL has not enough memory on NUMA node %d: give it more (-m 128 "
				"or more without hugepages), or choose the number of packet "
				"buffers (--mbufs N)",
				node);
	else if (wanted == 0 && pool->size < fcn_packet_buffers_default(n_workers))
		fprintf(stderr,
				"fastcn: %u packet buffers, as EAL has no memory for %u (--mbufs "
				"N chooses)\n",
				pool->size, fcn_packet_buffers_default(n_workers));
	return pool;
}
