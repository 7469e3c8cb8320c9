/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A synchronised channel to another simulator that speaks SimBricks: how the ends meet, the memory
 * that they share, and how one waits for the other. All input and output of the lab while a run
 * goes on is here. What passes does not depend on the clock of the machine, which is only used to
 * give up. A channel is used by one thread.
 */

#ifndef SIMBRICKS_CHANNEL_H
#define SIMBRICKS_CHANNEL_H

#include "simbricks_queue.h"

struct simbricks_conf {
	const char *path;   /**< of the UNIX socket */
	bool listen;        /**< otherwise the other end listens */
	uint64_t wait_ms;   /**< time to wait for the other end: to come, and to say something */
	uint32_t max_frame; /**< longest frame, if this end makes the queues */
};

struct simbricks_channel;

/**
 * Create a channel. One that listens does so from now on.
 *
 * @param why room for what is wrong
 * @return NULL after an error
 */
struct simbricks_channel *simbricks_channel_create(
		const struct simbricks_conf *conf, char *why, size_t size);
/** Close a channel, and free it; NULL is allowed. */
void simbricks_channel_free(struct simbricks_channel *ch);

/**
 * Do what can be done now for the ends to meet.
 *
 * @return 1 when the channel is open, 0 before, a negative errno after an error
 */
int simbricks_channel_meet(struct simbricks_channel *ch);
/** Sleep for a moment, when no channel could go on. */
void simbricks_channel_doze(void);

/** Get the queue from, or to, the other end of an open channel. */
struct simbricks_queue *simbricks_channel_in(struct simbricks_channel *ch);
struct simbricks_queue *simbricks_channel_out(struct simbricks_channel *ch);

/**
 * Wait for a little while: there was nothing to read, or no room to write. Waits get longer.
 *
 * @return 0, or a negative errno if the other end has gone or kept silent for too long; it can have
 *         left something in its queue before
 */
int simbricks_channel_wait(struct simbricks_channel *ch);
/** There was something: the next wait is short again. */
void simbricks_channel_heard(struct simbricks_channel *ch);

/** Get what was wrong. */
const char *simbricks_channel_error(const struct simbricks_channel *ch);

#endif /* SIMBRICKS_CHANNEL_H */
