/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Functions that the tests of the detectors share. */

#ifndef TEST_DETECTOR_H
#define TEST_DETECTOR_H

#include "fcn_detector.h"
#include "fcn_test.h"

#define NONE FCN_LEVEL_NONE

/* Let a packet arrive, for a detector of the occupancy. */
static inline int
arrive(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t occupancy,
		uint32_t len, uint64_t now)
{
	const struct fcn_detector_view view = {.occupancy = occupancy, .len = len, .now = now};

	return fcn_detector_arrival(d, conf, &view);
}

/* Let a packet leave, with this occupancy before. */
static inline int
leave(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t occupancy,
		uint64_t now)
{
	const struct fcn_detector_view view = {.occupancy = occupancy, .len = 1, .now = now};

	return fcn_detector_departure(d, conf, &view);
}

/* Let a packet arrive while the packet at the head has this age. */
static inline int
arrive_aged(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t age,
		uint64_t now)
{
	const struct fcn_detector_view view = {
			.occupancy = 2000, .len = 1000, .age_ns = age, .now = now};

	return fcn_detector_arrival(d, conf, &view);
}

/* Let a packet arrive, for the detector rate. */
static inline int
arrive_bytes(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t len,
		uint64_t now)
{
	return arrive(d, conf, len, len, now);
}

#endif /* TEST_DETECTOR_H */
