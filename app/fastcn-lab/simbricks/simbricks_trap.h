/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Memory that another process shares can be made shorter by it at any time. An access behind its
 * new end raises SIGBUS. A trap lets zeros take the place of such memory, and tells of it.
 */

#ifndef SIMBRICKS_TRAP_H
#define SIMBRICKS_TRAP_H

#include <stdbool.h>
#include <stddef.h>

struct simbricks_trap;

/** Watch over memory that was mapped. @return NULL when memory is exhausted */
struct simbricks_trap *simbricks_trap_create(void *base, size_t size);
/** End that, before the memory is unmapped; NULL is allowed. */
void simbricks_trap_free(struct simbricks_trap *trap);
/** Whether zeros have taken the place of the memory. */
bool simbricks_trap_sprung(const struct simbricks_trap *trap);

#endif /* SIMBRICKS_TRAP_H */
