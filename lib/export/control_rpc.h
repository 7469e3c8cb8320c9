/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Where other threads ask the control thread for something: state of the
 * switch is the control thread's alone, so it writes the answer, and the other
 * waits for it, for a while.
 */

#ifndef CONTROL_RPC_H
#define CONTROL_RPC_H

#include <stddef.h>

struct fcn_desk;

/** Writes the answer of a request. Called by the control thread. @return to be freed by free_answer
 */
typedef void *(*fcn_desk_answer)(void *arg, const void *question);

/** @return NULL on lack of memory or descriptors; holds one reference */
struct fcn_desk *fcn_desk_create(void);
struct fcn_desk *fcn_desk_ref(struct fcn_desk *desk);
void fcn_desk_unref(struct fcn_desk *desk);

/** For the control thread: readable while somebody waits. */
int fcn_desk_fd(const struct fcn_desk *desk);

/** Answer all that is asked. The control thread's. */
void fcn_desk_serve(struct fcn_desk *desk);

/** Nobody is served any more: who waits goes away with nothing, and so does who comes. */
void fcn_desk_close(struct fcn_desk *desk);

/**
 * Ask, and wait. Any thread but the control thread.
 *
 * @param question copied, len bytes
 * @param free_answer for an answer that comes too late
 * @param timeout_ms  how long to wait at most
 * @return the answer; NULL when there is none: no time, closed, or too many (16) wait already
 */
void *fcn_desk_ask(struct fcn_desk *desk, fcn_desk_answer answer, void *arg, const void *question,
		size_t len, void (*free_answer)(void *), unsigned int timeout_ms);

#endif /* CONTROL_RPC_H */
