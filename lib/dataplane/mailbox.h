/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Calls that a worker makes between two turns for the control thread, see fcn_worker_call().
 * Therefore only the worker itself reads and writes its state.
 */

#ifndef MAILBOX_H
#define MAILBOX_H

#include "fcn_worker.h"

/** A call, on the stack of the control thread that waits for it. */
struct fcn_mailbox_call {
	void (*fn)(struct fcn_worker *w, void *arg);
	void *arg;
	int done;
};

/** Make the oldest call that is waiting, if any. The worker calls this once in each turn. */
static inline void
fcn_mailbox_serve(struct fcn_worker *w)
{
	struct fcn_mailbox_call *call;

	if (likely(w->mailbox == NULL || rte_ring_empty(w->mailbox)))
		return;
	if (rte_ring_sc_dequeue(w->mailbox, (void **)&call) == 0) {
		call->fn(w, call->arg);
		__atomic_store_n(&call->done, 1, __ATOMIC_RELEASE);
	}
}

#endif /* MAILBOX_H */
