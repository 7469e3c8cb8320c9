/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * One end of a queue of SimBricks in memory that another process shares. That process can write
 * anything to it at any time, so each number is read once and checked. A queue is used by one
 * thread of this process.
 */

#ifndef SIMBRICKS_QUEUE_H
#define SIMBRICKS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "simbricks_format.h"

/** Limits of what another process can say of a queue. */
#define SIMBRICKS_MAX_SIZE (UINT64_C(1) << 20)
#define SIMBRICKS_MAX_COUNT (UINT64_C(1) << 24)

struct simbricks_queue {
	uint8_t *base;
	uint64_t size;  /**< octets of an entry, SIMBRICKS_HEADER or more */
	uint64_t count; /**< number of entries, 1 or more */
	uint64_t at;    /**< the next entry */
};

/** An entry that was read. */
struct simbricks_message {
	enum simbricks_type type;
	uint16_t length;     /**< of the frame; 0: it is none */
	uint64_t time;       /**< picoseconds */
	const uint8_t *data; /**< the frame, in the queue; another process can change it */
};

/**
 * Read the next entry, which stays in the queue.
 *
 * @param why is set if the entry makes no sense
 * @return 1; 0 if there is none yet; -EPROTO if it makes no sense
 */
int simbricks_queue_peek(
		const struct simbricks_queue *q, struct simbricks_message *m, const char **why);

/** Give the entry that was read back to the other end. */
void simbricks_queue_next(struct simbricks_queue *q);

/** Get the length of the longest frame that fits into an entry. */
size_t simbricks_queue_room(const struct simbricks_queue *q);

/**
 * Fill the next entry. m->data has m->length octets, at most simbricks_queue_room().
 *
 * @return false if the other end has not given an entry back yet
 */
bool simbricks_queue_put(struct simbricks_queue *q, const struct simbricks_message *m);

/**
 * Check what another process says of two queues in a shared memory.
 *
 * @param memory size of the memory in octets
 * @return NULL, or what is wrong
 */
const char *simbricks_queues_error(const struct simbricks_listener *said, uint64_t memory);

#endif /* SIMBRICKS_QUEUE_H */
