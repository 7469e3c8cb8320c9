/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "simbricks_queue.h"

static uint8_t *
entry_of(const struct simbricks_queue *q)
{
	return q->base + q->at * q->size;
}

/* Get whose an entry is, and what it holds. What it holds is read after this. */
static uint8_t
owner_of(const uint8_t *entry)
{
	return __atomic_load_n(entry + SIMBRICKS_AT_OWNER, __ATOMIC_ACQUIRE);
}

/* Hand an entry over, after what it holds was written or read. */
static void
hand_over(uint8_t *entry, uint8_t owner)
{
	__atomic_store_n(entry + SIMBRICKS_AT_OWNER, owner, __ATOMIC_RELEASE);
}

static void
step(struct simbricks_queue *q)
{
	q->at = q->at + 1 < q->count ? q->at + 1 : 0;
}

int
simbricks_queue_peek(const struct simbricks_queue *q, struct simbricks_message *m, const char **why)
{
	const uint8_t *entry = entry_of(q);
	const uint8_t owner = owner_of(entry), type = owner & SIMBRICKS_TYPE;

	if ((owner & SIMBRICKS_OF_CONSUMER) == 0)
		return 0;
	memset(m, 0, sizeof(*m));
	if (type != SIMBRICKS_IS_SYNC && type != SIMBRICKS_IS_END && type != SIMBRICKS_IS_FRAME) {
		*why = "a message of an unknown type";
		return -EPROTO;
	}
	m->type = (enum simbricks_type)type;
	memcpy(&m->time, entry + SIMBRICKS_AT_TIME, sizeof(m->time));
	if (m->type != SIMBRICKS_IS_FRAME)
		return 1;
	memcpy(&m->length, entry + SIMBRICKS_AT_LENGTH, sizeof(m->length));
	m->data = entry + SIMBRICKS_HEADER;
	if (m->length <= simbricks_queue_room(q))
		return 1;
	*why = "a frame that is longer than its entry";
	return -EPROTO;
}

void
simbricks_queue_next(struct simbricks_queue *q)
{
	uint8_t *entry = entry_of(q);

	hand_over(entry, owner_of(entry) & SIMBRICKS_TYPE);
	step(q);
}

size_t
simbricks_queue_room(const struct simbricks_queue *q)
{
	return (size_t)q->size - SIMBRICKS_HEADER;
}

bool
simbricks_queue_put(struct simbricks_queue *q, const struct simbricks_message *m)
{
	uint8_t *entry = entry_of(q);

	if ((owner_of(entry) & SIMBRICKS_OF_CONSUMER) != 0)
		return false;
	memset(entry, 0, SIMBRICKS_AT_OWNER);
	memcpy(entry + SIMBRICKS_AT_LENGTH, &m->length, sizeof(m->length));
	memcpy(entry + SIMBRICKS_AT_TIME, &m->time, sizeof(m->time));
	if (m->length != 0)
		memcpy(entry + SIMBRICKS_HEADER, m->data, m->length);
	hand_over(entry, (uint8_t)m->type | SIMBRICKS_OF_CONSUMER);
	step(q);
	return true;
}

static const char *
queue_error(uint64_t offset, uint64_t size, uint64_t count, uint64_t memory)
{
	if (size < SIMBRICKS_HEADER || size > SIMBRICKS_MAX_SIZE)
		return "an entry of a queue must have 64 to 1048576 octets";
	if (count < 1 || count > SIMBRICKS_MAX_COUNT)
		return "a queue must have 1 to 16777216 entries";
	if (offset > memory || size * count > memory - offset)
		return "a queue is longer than the shared memory";
	return NULL;
}

const char *
simbricks_queues_error(const struct simbricks_listener *said, uint64_t memory)
{
	const char *why = queue_error(said->l2c_offset, said->l2c_size, said->l2c_count, memory);

	if (why == NULL)
		why = queue_error(said->c2l_offset, said->c2l_size, said->c2l_count, memory);
	if (why != NULL)
		return why;
	if (said->l2c_offset < said->c2l_offset + said->c2l_size * said->c2l_count &&
			said->c2l_offset < said->l2c_offset + said->l2c_size * said->l2c_count)
		return "the queues overlap";
	return NULL;
}
