/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Parameters and state of the reaction beta. */

#ifndef REACTION_BETA_H
#define REACTION_BETA_H

#include "reaction_private.h"

struct REACTION_PART beta_conf {
	uint32_t beta_permille; /* rate after a notice, in thousandths of the rate before */
	uint64_t increase_bps;  /* increase after each round trip without a notice */
	uint64_t rtt_ns;        /* duration of that round trip */
	/* Number of round trips without a notice after which increases are 1/1000 of the line. */
	uint32_t quiet_rounds;
	uint64_t byte_counter; /* bytes that have to be sent for an increase; 0: none */
	uint64_t guard_ns;     /* minimum time between two cuts; 0: rtt_ns, but at least 4 us */
	uint64_t min_rate_bps;
};

struct REACTION_PART beta {
	uint64_t quiet_since; /* time of the last notice or increase */
	uint64_t guard_until; /* no cut before this time */
	uint64_t bytes;       /* bytes sent since quiet_since */
	uint32_t rounds;      /* increases since the last notice */
};

REACTION_CONF(BETA, beta)
REACTION_STATE(beta)

#endif /* REACTION_BETA_H */
