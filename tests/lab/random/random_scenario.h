/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Random scenarios of the lab: a network, its switches' configuration, traffic and faults, all from
 * one seed, as text of the scenario language. Invariants are checked after every event.
 */

#ifndef LAB_RANDOM_SCENARIO_H
#define LAB_RANDOM_SCENARIO_H

#include <stdint.h>

/** @return text of a scenario, to be freed, always the same for a seed; NULL: no memory */
char *lab_random_scenario(uint64_t seed);

#endif /* LAB_RANDOM_SCENARIO_H */
