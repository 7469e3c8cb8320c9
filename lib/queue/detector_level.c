/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The logarithmic scale of levels between `enter` and `limit`. */

#include "fcn_detector.h"

/* Numbers of 7 * 32 bits, least significant word first. Unlike logarithms they are exact. */
#define WORDS FCN_LEVEL_MAX

static void
multiply(uint32_t number[WORDS], uint32_t factor)
{
	uint64_t carry = 0;

	for (unsigned int i = 0; i < WORDS; i++) {
		carry += (uint64_t)number[i] * factor;
		number[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

/* Check whether m^7 >= limit^level * enter^(7 - level). */
static bool
is_at_level(const struct fcn_detector_conf *conf, uint32_t m, unsigned int level)
{
	uint32_t have[WORDS] = {1}, need[WORDS] = {1};

	for (unsigned int i = 0; i < FCN_LEVEL_MAX; i++) {
		multiply(have, m);
		multiply(need, i < level ? conf->limit : conf->enter);
	}
	for (unsigned int i = WORDS; i-- > 0;) {
		if (have[i] != need[i])
			return have[i] > need[i];
	}
	return true;
}

void
fcn_detector_levels(struct fcn_detector_conf *conf)
{
	conf->level_from[0] = 0;
	for (unsigned int level = 1; level <= FCN_LEVEL_MAX; level++) {
		uint32_t low = conf->enter,
			 high = conf->limit; /* low is below the level, high is not */

		if (high <= low) { /* no scale fits: loss is imminent above the threshold */
			conf->level_from[level] = low + 1;
			continue;
		}
		while (high - low > 1) {
			uint32_t middle = low + (high - low) / 2;

			if (is_at_level(conf, middle, level))
				high = middle;
			else
				low = middle;
		}
		conf->level_from[level] = high;
	}
}

int
fcn_detector_level(const struct fcn_detector_conf *conf, uint32_t measure)
{
	int level = 0;

	while (level < FCN_LEVEL_MAX && measure >= conf->level_from[level + 1])
		level++;
	return level;
}
