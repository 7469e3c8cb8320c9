/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Queues of SimBricks in memory that another process shares, octet by octet as lib/simbricks of
 * github.com/simbricks/simbricks defines them. Whole runs: tests/lab/test_simbricks.py.
 */

#include <errno.h>

#include "fcn_test.h"
#include "simbricks_queue.h"

#define SIZE 128
#define COUNT 3
#define ROOM (SIZE - 64)

static uint8_t memory[COUNT * SIZE];

static struct simbricks_queue
new_queue(void)
{
	memset(memory, 0, sizeof(memory));
	return (struct simbricks_queue){.base = memory, .size = SIZE, .count = COUNT};
}

/* Write an entry as the other end does. */
static void
write_entry(unsigned int i, uint16_t length, uint64_t time, uint8_t owner)
{
	memcpy(memory + i * SIZE, &length, sizeof(length));
	memcpy(memory + i * SIZE + 48, &time, sizeof(time));
	memory[i * SIZE + 63] = owner;
}

TEST(put)
{
	struct simbricks_queue q = new_queue();
	const struct simbricks_message frame = {
			SIMBRICKS_IS_FRAME, 5, 0x0102030405060708, (const uint8_t *)"hello"};
	const struct simbricks_message sync = {.type = SIMBRICKS_IS_SYNC, .time = 7};
	const uint8_t time[8] = {8, 7, 6, 5, 4, 3, 2, 1}, zeros[46] = {0};

	memset(memory, 0x55, 63);
	assert_true(simbricks_queue_put(&q, &frame));
	assert_memory_equal(memory, "\5\0", 2);
	assert_memory_equal(memory + 2, zeros, 46);
	assert_memory_equal(memory + 48, time, 8);
	assert_memory_equal(memory + 56, zeros, 7);
	assert_int_equal(memory[63], 0xc0);
	assert_memory_equal(memory + 64, "hello", 5);
	assert_true(simbricks_queue_put(&q, &sync));
	assert_int_equal(memory[SIZE + 63], 0x80);
	assert_true(simbricks_queue_put(&q, &sync));
	/* full, until the other end gives the first entry back */
	assert_false(simbricks_queue_put(&q, &sync));
	memory[63] &= 0x7f;
	assert_true(simbricks_queue_put(&q, &sync));
	assert_int_equal(memory[63], 0x80);
	assert_false(simbricks_queue_put(&q, &sync));
}

TEST(peek)
{
	struct simbricks_queue q = new_queue();
	struct simbricks_message m;
	const char *why = NULL;

	for (unsigned int turn = 0; turn < 2 * COUNT; turn++) {
		const unsigned int i = turn % COUNT;

		assert_int_equal(simbricks_queue_peek(&q, &m, &why), 0);
		write_entry(i, ROOM, 1000 + turn, 0xc0);
		assert_int_equal(simbricks_queue_peek(&q, &m, &why), 1);
		assert_int_equal(m.type, SIMBRICKS_IS_FRAME);
		assert_int_equal(m.length, ROOM);
		assert_int_equal(m.time, 1000 + turn);
		assert_ptr_equal(m.data, memory + i * SIZE + 64);
		assert_int_equal(simbricks_queue_peek(&q, &m, &why), 1); /* it stays */
		simbricks_queue_next(&q);
		assert_int_equal(memory[i * SIZE + 63], 0x40);
	}
}

TEST(nonsense)
{
	struct simbricks_queue q = new_queue();
	struct simbricks_message m;
	const char *why = NULL;

	for (unsigned int type = 0; type < 0x80; type++) {
		const bool known = type == 0x00 || type == 0x01 || type == 0x40;

		write_entry(0, 0, 0, 0x80 | type);
		assert_int_equal(simbricks_queue_peek(&q, &m, &why), known ? 1 : -EPROTO);
	}
	write_entry(0, ROOM + 1, 0, 0xc0);
	assert_int_equal(simbricks_queue_peek(&q, &m, &why), -EPROTO);
	write_entry(0, UINT16_MAX, 0, 0xc0);
	assert_int_equal(simbricks_queue_peek(&q, &m, &why), -EPROTO);
	/* the length of what is no frame means nothing */
	write_entry(0, UINT16_MAX, 9, 0x80);
	assert_int_equal(simbricks_queue_peek(&q, &m, &why), 1);
	assert_int_equal(m.length, 0);
}

TEST(geometry)
{
	const struct simbricks_listener good = {.l2c_size = 64,
			.l2c_count = 10,
			.c2l_offset = 640,
			.c2l_size = 128,
			.c2l_count = 5};
	struct simbricks_listener said = good;

	assert_null(simbricks_queues_error(&said, 1280));
	assert_non_null(simbricks_queues_error(&said, 1279));
	assert_non_null(simbricks_queues_error(&said, 639));
	said.c2l_offset = 639;
	assert_non_null(simbricks_queues_error(&said, 1280));
	said = good;
	said.l2c_offset = 1279;
	assert_non_null(simbricks_queues_error(&said, 1280 + 640));
	said.l2c_offset = 1280;
	assert_null(simbricks_queues_error(&said, 1280 + 640));
	said.l2c_offset = UINT64_MAX - 639; /* the sum is 0 */
	assert_non_null(simbricks_queues_error(&said, 1280));
	said = good;
	said.l2c_size = 63;
	assert_non_null(simbricks_queues_error(&said, UINT64_MAX));
	said = good;
	said.l2c_count = 0;
	assert_non_null(simbricks_queues_error(&said, UINT64_MAX));
	said = good;
	said.c2l_size = UINT64_C(1) << 32; /* the product is 0 */
	said.c2l_count = UINT64_C(1) << 32;
	assert_non_null(simbricks_queues_error(&said, UINT64_MAX));
}
