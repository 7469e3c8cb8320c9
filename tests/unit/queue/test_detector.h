/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What the tests of the detectors share. */

#ifndef TEST_DETECTOR_H
#define TEST_DETECTOR_H

#include "fcn_detector.h"
#include "fcn_test.h"

#define NONE FCN_LEVEL_NONE

/* An arrival for a detector of occupancy. */
static inline int
arrive(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t occupancy,
		uint32_t len, uint64_t now)
{
	const struct fcn_detector_view view = {.occupancy = occupancy, .len = len, .now = now};

	return fcn_detector_arrival(d, conf, &view);
}

/* An arrival that meets a head of some age. */
static inline int
arrive_aged(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t age,
		uint64_t now)
{
	const struct fcn_detector_view view = {
			.occupancy = 2000, .len = 1000, .age_ns = age, .now = now};

	return fcn_detector_arrival(d, conf, &view);
}

/* An arrival for the rate detector. */
static inline int
arrive_bytes(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t len,
		uint64_t now)
{
	return arrive(d, conf, len, len, now);
}

#endif /* TEST_DETECTOR_H */
