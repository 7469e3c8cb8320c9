/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packet vectors of tests/data/vectors, each frame in a heap buffer of exactly
 * its size, so that a sanitizer sees the first byte read past it.
 */

#ifndef VECTORS_H
#define VECTORS_H

#include <stdint.h>

#define VECTORS_MAX 64

struct vectors {
	unsigned int n;
	uint8_t *data[VECTORS_MAX];
	uint32_t len[VECTORS_MAX];
};

extern const char *const vector_files[];
extern const unsigned int vector_n_files;

/** Read a file by its name without ".pcap". The test fails when that is not possible. */
void vectors_load(struct vectors *v, const char *name);
void vectors_free(struct vectors *v);

/** Copy len bytes to a heap buffer of exactly that size. */
uint8_t *exact_copy(const uint8_t *data, uint32_t len);

#endif /* VECTORS_H */
