/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Conversion of timestamps to virtual time. A double is an odd integer times a power of two, so a
 * division by it in integers is exact and gives the same result on every machine.
 */

#include <math.h>

#include "replay_impl.h"

__extension__ typedef unsigned __int128 u128;

bool
replay_speed_set(struct replay_speed *speed, double value)
{
	int exp;

	if (!isfinite(value) || value <= 0)
		return false;
	speed->num = (uint64_t)ldexp(frexp(value, &exp), 53);
	speed->exp = exp - 53;
	while ((speed->num & 1) == 0) {
		speed->num >>= 1;
		speed->exp++;
	}
	return true;
}

/*
 * Divide by num. Quotient and remainder are computed 32 bits at a time, so that nothing overflows.
 */
static uint64_t
scale_up(uint64_t num, int shift, uint64_t delta)
{
	u128 quotient = delta / num;
	u128 rest = delta % num;

	while (shift > 0) {
		int step = RTE_MIN(shift, 32);

		rest <<= step;
		quotient = (quotient << step) + rest / num;
		rest %= num;
		if (quotient > UINT64_MAX)
			return UINT64_MAX;
		shift -= step;
	}
	quotient += 2 * rest >= num;
	return RTE_MIN(quotient, (u128)UINT64_MAX);
}

uint64_t
replay_speed_scale(const struct replay_speed *speed, uint64_t delta)
{
	u128 den;

	if (speed->num == 1 && speed->exp == 0)
		return delta;
	if (speed->exp < 0)
		return scale_up(speed->num, -speed->exp, delta);
	if (speed->exp > 65)
		return 0; /* the result is below one half for any delta */
	den = (u128)speed->num << speed->exp;
	return (delta + den / 2) / den;
}
