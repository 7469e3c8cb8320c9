/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stddef.h>
#include <sys/mman.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

#include "fcn_virtual_pool.h"

#define HUGE_PAGE (UINT64_C(2) << 20)

static void
unmap(struct rte_mempool_memhdr *chunk, void *length)
{
	munmap(chunk->addr, (uintptr_t)length);
}

/* Give a pool memory for all its buffers. @return 0 or -errno */
static int
populate(struct rte_mempool *pool)
{
	size_t least, align, length;
	ssize_t need = rte_mempool_op_calc_mem_size_default(pool, pool->size, 0, &least, &align);
	void *memory;
	int n;

	if (need < 0)
		return (int)need;
	length = RTE_ALIGN_CEIL((size_t)need, HUGE_PAGE);
	memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	madvise(memory, length, MADV_HUGEPAGE); /* without it, the run takes longer to begin */
	n = rte_mempool_populate_iova(
			pool, memory, RTE_BAD_IOVA, length, unmap, (void *)(uintptr_t)length);
	if (n > 0)
		return (uint32_t)n == pool->size ? 0 : -ENOMEM; /* the pool unmaps it */
	munmap(memory, length);
	return n == 0 ? -ENOMEM : n;
}

struct rte_mempool *
fcn_virtual_pool_create(const char *name, unsigned int n, unsigned int cache, uint16_t priv,
		uint16_t data_room)
{
	struct rte_pktmbuf_pool_private private = {
			.mbuf_data_room_size = data_room,
			.mbuf_priv_size = priv,
	};
	struct rte_mempool *pool;
	int rc;

	pool = rte_mempool_create_empty(name, n, sizeof(struct rte_mbuf) + priv + data_room, cache,
			sizeof(private), SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
	if (pool == NULL)
		return NULL;
	rc = rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), NULL);
	if (rc == 0) {
		rte_pktmbuf_pool_init(pool, &private);
		rc = populate(pool);
	}
	if (rc != 0) {
		rte_mempool_free(pool);
		rte_errno = -rc;
		return NULL;
	}
	rte_mempool_obj_iter(pool, rte_pktmbuf_init, NULL);
	return pool;
}
