/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Calls from other threads to the control thread. Only the control thread may read the state of
 * the switch, so another thread hands it a function to call, and waits a limited time for the
 * result.
 */

#ifndef CONTROL_RPC_H
#define CONTROL_RPC_H

#include <stddef.h>

struct fcn_control_rpc;

/**
 * A function that the control thread calls.
 *
 * @param arg      as given to fcn_control_rpc_call()
 * @param question a copy of the caller's question
 * @return the answer; it belongs to the caller, who frees it with free_answer()
 */
typedef void *(*fcn_control_rpc_handler)(void *arg, const void *question);

/** Create a queue of calls with one reference. @return NULL on lack of memory or descriptors */
struct fcn_control_rpc *fcn_control_rpc_create(void);
/** Take one more reference. Any thread may call this. @return rpc */
struct fcn_control_rpc *fcn_control_rpc_ref(struct fcn_control_rpc *rpc);
/** Drop a reference; the last one frees the queue. Any thread may call this. NULL is allowed. */
void fcn_control_rpc_unref(struct fcn_control_rpc *rpc);

/** Get a descriptor that is readable while a call waits for the control thread. It belongs to the
 * queue, and only fcn_control_rpc_serve() reads it. */
int fcn_control_rpc_fd(const struct fcn_control_rpc *rpc);

/** Run all calls that wait. The control thread calls this. */
void fcn_control_rpc_serve(struct fcn_control_rpc *rpc);

/** Refuse calls from now on. Calls that wait, and all later ones, return NULL at once; one that the
 * control thread is running is completed. Any thread may call this. */
void fcn_control_rpc_close(struct fcn_control_rpc *rpc);

/**
 * Have the control thread call a function, and wait for the answer. Any thread but the control
 * thread, which would wait for itself, may call this.
 *
 * @param answer      the function
 * @param arg         its first argument
 * @param question    its second argument, of which len bytes are copied
 * @param free_answer frees an answer that comes after the caller stopped waiting
 * @param timeout_ms  longest time to wait, milliseconds
 * @return the answer; NULL if the time is over, the queue is closed, 16 calls are without an answer
 *         already, or memory is lacking
 */
void *fcn_control_rpc_call(struct fcn_control_rpc *rpc, fcn_control_rpc_handler answer, void *arg,
		const void *question, size_t len, void (*free_answer)(void *),
		unsigned int timeout_ms);

#endif /* CONTROL_RPC_H */
