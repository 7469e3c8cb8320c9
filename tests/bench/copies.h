/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the switch makes of a packet with bytes of it, by copy and by clone: copies for flooding,
 * and notices that quote. All functions return NULL when there are too few buffers.
 */

#ifndef BENCH_COPIES_H
#define BENCH_COPIES_H

#include <stdint.h>

#include <rte_mbuf.h>

#include "fcn_cnm.h"

enum bench_way {
	BENCH_COPY,
	BENCH_CLONE,
	BENCH_WAYS,
};

#define BENCH_TRACE_PACKET 500 /**< length of a packet with a trace */

/** What is needed to make copies. */
struct bench_copies {
	struct rte_mempool *pool;
	struct fcn_cnm_template message; /**< initialised by fcn_cnm_template_init() */
};

/** A function that makes a packet of `len` bytes of another one. */
typedef struct rte_mbuf *bench_make_fn(const struct bench_copies *c, struct rte_mbuf *from,
		uint32_t len, enum bench_way way);

/** Make a copy for one more port, of all bytes. */
bench_make_fn bench_flooded;

/**
 * Make a Congestion Notification Message over IPv6 that quotes `len` bytes, with its checksum. If
 * it is cloned, the headers of the packet are copied all the same, as they may still be written to.
 */
bench_make_fn bench_message;

/**
 * Make a Fast CNP with option 2, whose trace has `len` bytes. Bytes of its own follow the trace, so
 * a clone has three mbufs.
 */
bench_make_fn bench_trace;

#endif /* BENCH_COPIES_H */
