/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Why DPDK could not create a pool of packet buffers. Without its mempool handler, which is one of
 * EAL's plug-ins, DPDK only says that an argument was invalid.
 */

#ifndef FCN_MEMPOOL_ERROR_H
#define FCN_MEMPOOL_ERROR_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_mempool.h>

/** Tell whether DPDK has the mempool handler of pools of packet buffers. Not thread safe, as the
 * list of mempool handlers is not. */
static inline bool
fcn_mempool_has_handler(void)
{
	const int error = rte_errno;
	const char *handler = rte_mbuf_best_mempool_ops();

	rte_errno = error; /* it has looked for a choice of the user's, in vain */
	for (unsigned int i = 0; i < rte_mempool_ops_table.num_ops; i++) {
		if (strcmp(rte_mempool_ops_table.ops[i].name, handler) == 0)
			return true;
	}
	return false;
}

/**
 * Describe why rte_pktmbuf_pool_create() failed, from rte_errno. Not thread safe.
 *
 * @param text written: one line without full stop
 * @return text
 */
static inline const char *
fcn_mempool_error(char *text, size_t size)
{
	if (fcn_mempool_has_handler())
		snprintf(text, size, "%s", rte_strerror(rte_errno));
	else
		snprintf(text, size,
				"DPDK has no mempool handler \"%s\": EAL has not loaded its "
				"plug-ins "
				"(on Debian, the package librte-meta-mempool has them; the EAL "
				"option "
				"-d names others)",
				rte_mbuf_best_mempool_ops());
	return text;
}

#endif /* FCN_MEMPOOL_ERROR_H */
