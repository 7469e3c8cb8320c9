/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdbool.h>

#include "last_run.h"

/* The linker has this program call __wrap_rte_free() instead of rte_free(). */
void __real_rte_free(void *memory);
void __wrap_rte_free(void *memory);

static bool last_run_ends;

void
lab_last_run_ends(void)
{
	last_run_ends = true;
}

void
__wrap_rte_free(void *memory)
{
	if (!last_run_ends)
		__real_rte_free(memory);
}
