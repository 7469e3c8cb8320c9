/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Calls that a worker makes between two turns for the control thread, see fcn_worker_call().
 * Therefore only the worker itself reads and writes its state.
 *
 * The mailbox of a worker is one pointer, fcn_worker.mail: NULL when it is empty, a call that
 * waits, or FCN_MAIL_RUNNING while the worker makes it. The control thread puts a call into an
 * empty mailbox, and may take it back as long as it waits.
 */

#ifndef MAILBOX_H
#define MAILBOX_H

#include "fcn_worker.h"

/** A call. */
struct fcn_mail {
	void (*fn)(struct fcn_worker *w, void *arg);
	/** The argument: a copy, which outlives a control thread that gives up waiting. */
	uint8_t arg[] __rte_aligned(16);
};

/** The worker makes the call that was in its mailbox. */
#define FCN_MAIL_RUNNING ((struct fcn_mail *)1)

/** Make the call that is waiting, if any. The worker calls this once in each turn. */
static inline void
fcn_mailbox_serve(struct fcn_worker *w)
{
	struct fcn_mail *mail = __atomic_load_n(&w->mail, __ATOMIC_RELAXED);

	if (likely(mail == NULL))
		return;
	if (!__atomic_compare_exchange_n(&w->mail, &mail, FCN_MAIL_RUNNING, false, __ATOMIC_ACQ_REL,
			    __ATOMIC_RELAXED))
		return; /* it was taken back */
	mail->fn(w, mail->arg);
	__atomic_store_n(&w->mail, NULL, __ATOMIC_RELEASE);
}

#endif /* MAILBOX_H */
