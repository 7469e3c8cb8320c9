/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_errno.h>

#include "fcn_queued.h"

int
fcn_queued_register(void)
{
	static const struct rte_mbuf_dynfield field = {
			.name = "fastcn_queued",
			.size = sizeof(struct fcn_queued),
			.align = __alignof__(struct fcn_queued),
	};
	int offset = rte_mbuf_dynfield_register(&field);

	return offset >= 0 ? offset : -rte_errno;
}
