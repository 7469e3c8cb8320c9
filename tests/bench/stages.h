/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Cycles of each stage. Only the programs whose name ends in _stages have these functions: there
 * the linker puts clocks around the stages.
 */

#ifndef BENCH_STAGES_H
#define BENCH_STAGES_H

#ifdef BENCH_STAGES
/** Write the cycles per packet of each stage, including the cycles of the clock. */
void bench_stages_print(const char *source);
#else
static inline void
bench_stages_print(const char *source)
{
	(void)source;
}
#endif

#endif /* BENCH_STAGES_H */
