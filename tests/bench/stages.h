/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Cycles of the single stages. Only in the programs whose name ends in
 * _stages: there the linker puts clocks around the stages.
 */

#ifndef BENCH_STAGES_H
#define BENCH_STAGES_H

#ifdef BENCH_STAGES
/** Write the cycles per packet of each stage, the clock's own included. */
void bench_stages_print(const char *source);
#else
static inline void
bench_stages_print(const char *source)
{
	(void)source;
}
#endif

#endif /* BENCH_STAGES_H */
