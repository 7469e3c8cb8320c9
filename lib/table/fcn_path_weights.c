/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdbool.h>

#include <rte_common.h>

#include "fcn_path_weights.h"

static uint32_t
sum_of(const uint32_t *weight, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += weight[i];
	return sum;
}

static void
divide_by_common_divisor(uint32_t *weight, size_t n)
{
	uint32_t divisor = 0;

	for (size_t i = 0; i < n; i++) {
		for (uint32_t a = weight[i]; a != 0;) {
			uint32_t rest = divisor % a;

			divisor = a;
			a = rest;
		}
	}
	for (size_t i = 0; i < n; i++)
		weight[i] /= divisor;
}

void
fcn_path_weights_share(uint32_t *weight, size_t n, uint32_t slots)
{
	uint32_t due[256]; /* in fractions of a slot, of which there are sum */
	uint32_t sum, given = 0;

	divide_by_common_divisor(weight, n);
	sum = sum_of(weight, n); /* at most 2^16 * 256, so due[] does not overflow */
	if (sum <= slots)
		return;
	for (size_t i = 0; i < n; i++) {
		due[i] = weight[i] * slots;
		weight[i] = RTE_MAX(due[i] / sum, 1u);
		given += weight[i];
	}
	while (given != slots) {
		bool more = given < slots;
		int64_t most = INT64_MIN;
		size_t which = 0;

		for (size_t i = 0; i < n; i++) {
			int64_t lacks = (int64_t)due[i] - (int64_t)weight[i] * sum;

			if ((more || weight[i] > 1) && (more ? lacks : -lacks) > most) {
				most = more ? lacks : -lacks;
				which = i;
			}
		}
		weight[which] += more ? 1 : -1;
		given += more ? 1 : -1;
	}
	divide_by_common_divisor(weight, n);
}
