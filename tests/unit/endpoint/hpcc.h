/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A sender that reacts by HPCC++, with a line of 100 Gb/s and T = 8 us: W0 is 100,000 bytes.
 */

#ifndef HPCC_H
#define HPCC_H

#include "reaction_hpcc.h"
#include "fcn_test.h"
#include "traces.h"

#define US UINT64_C(1000)
#define GBPS UINT64_C(1000000000)
#define LINE (100 * GBPS)
#define MBPS 100000u
#define T (8 * US)
#define W0 100000u
#define WAI 312.5

static struct fcn_reaction_conf conf;
static struct fcn_reaction r;

static inline int
hpcc_setup(void **state)
{
	RTE_SET_USED(state);
	fcn_reaction_defaults(&conf, LINE);
	conf.kind = FCN_REACTION_HPCC;
	fcn_reaction_init(&r, &conf, LINE, 1126, 0);
	return 0;
}

/** For TEST_FIXTURE(): each test has r, which has not reacted yet. */
#define HPCC_TEST .setup = hpcc_setup

#endif /* HPCC_H */
