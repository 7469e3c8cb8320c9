/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What most targets share.
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** The function that libFuzzer calls with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** What a target asserts; libFuzzer keeps the input if it is not true. */
static inline void
require(bool truth)
{
	if (!truth)
		abort();
}

/** Allocate exactly len bytes on the heap, so that a sanitizer detects an access behind them. */
static inline uint8_t *
fuzz_room(uint32_t len)
{
	uint8_t *p = malloc(len);

	require(p != NULL || len == 0);
	return p;
}

/** Copy len bytes to exactly as many on the heap. */
static inline uint8_t *
fuzz_exact(const uint8_t *data, uint32_t len)
{
	uint8_t *copy = fuzz_room(len);

	if (len != 0)
		memcpy(copy, data, len);
	return copy;
}

/** Octets of an input that say what happens, one after the other. */
struct fuzz_input {
	const uint8_t *at;
	size_t left;
};

/** Take the next octet. @return it; 0: there are none left */
static inline uint8_t
fuzz_take(struct fuzz_input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++;
}

#endif /* FUZZ_H */
