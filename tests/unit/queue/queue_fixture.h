/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A class queue for each test of a file.
 */

#ifndef QUEUE_FIXTURE_H
#define QUEUE_FIXTURE_H

#include "fcn_test.h"
#include "queue_push.h"

/** Make up a packet: queues keep pointers and never look behind them. */
static inline struct rte_mbuf *
tag(uintptr_t n)
{
	return (struct rte_mbuf *)(n << 6);
}

static struct fcn_queue queue;

static inline int
queue_setup(void **state)
{
	RTE_SET_USED(state);
	return fcn_queue_init(&queue, 5, SOCKET_ID_ANY); /* rounded up: 8 slots */
}

static inline int
queue_teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_queue_fini(&queue);
	return 0;
}

/** For TEST_FIXTURE(): each test has an empty queue of 8 slots. */
#define QUEUE_TEST .setup = queue_setup, .teardown = queue_teardown

#endif /* QUEUE_FIXTURE_H */
