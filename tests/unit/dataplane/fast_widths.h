/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The functions of the fast path for each width of SIMD registers. */

#ifndef FAST_WIDTHS_H
#define FAST_WIDTHS_H

#include <rte_vect.h>

#include "fcn_stages.h"
#include "testbed.h"

#define FAST_WIDTHS 3 /* any CPU, 256 bits, 512 bits */

/* Get the functions for registers of at most so many bits, as far as the CPU has them. */
static inline const struct fcn_fast_functions *
fast_width(unsigned int width)
{
	static const uint16_t bits[FAST_WIDTHS] = {
			RTE_VECT_SIMD_128, RTE_VECT_SIMD_256, RTE_VECT_SIMD_512};
	const uint16_t allowed = rte_vect_get_max_simd_bitwidth();
	const struct fcn_fast_functions *functions;

	assert_int_equal(rte_vect_set_max_simd_bitwidth(bits[width]), 0);
	functions = fcn_fast_path_choose();
	assert_int_equal(rte_vect_set_max_simd_bitwidth(allowed), 0);
	return functions;
}

/* Get the number of packets that took the fast path in the last turn. */
static inline unsigned int
fast_taken(void)
{
	const struct fcn_burst *b = bench.worker->rx;
	const unsigned int passed = b->n_runs == 0 ? 0 : b->run_end[b->n_runs - 1];

	return bench.worker->received.n - passed;
}

/* Let packets be tried on the fast path in the next turn, whatever it took of those before. */
static inline void
fast_try(void)
{
	struct fcn_worker *w = bench.worker;

	for (unsigned int i = 0; i < w->n_rx_queues; i++)
		w->rx_queue[i].not_tried = w->rx_queue[i].in_vain = 0;
}

#endif /* FAST_WIDTHS_H */
