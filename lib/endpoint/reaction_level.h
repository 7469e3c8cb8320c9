/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Parameters and state of the reaction level. */

#ifndef REACTION_LEVEL_H
#define REACTION_LEVEL_H

#include "reaction_dcqcn.h"

struct REACTION_PART level_conf {
	uint32_t default_level; /* level of notices without one, 0..7 */
	/* Queue length in bytes at which level 0 begins; 0: 32 us at the rate of its link. */
	uint64_t level_threshold;
	/* Where level 7 begins; 0: 320 us at the rate of its link, at least 1 MB. */
	uint64_t level_limit;
	uint64_t guard_ns; /* minimum time between two cuts; 0: rtt_ns, but at least 4 us */
	uint64_t rtt_ns;
};

struct REACTION_PART level {
	struct dcqcn recovery; /* the first member */
	uint64_t guard_until;  /* no cut before this time */
};

REACTION_CONF(LEVEL, level)
REACTION_STATE(level)

#endif /* REACTION_LEVEL_H */
