/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Scenarios made by chance: a network, its switches' configuration, traffic and faults, all from
 * one seed, as text of the scenario language. What must always hold is looked at after every event.
 */

#ifndef LAB_RANDOM_SCENARIO_H
#define LAB_RANDOM_SCENARIO_H

#include <stdint.h>

/** @return text of a scenario, to be freed; the same for the same seed, always. NULL: no memory */
char *lab_random_scenario(uint64_t seed);

/** `fastcn-lab random [--seeds FIRST-LAST] [--print]`, argv[0] is "random". @return exit status */
int lab_random_main(int argc, char **argv);

#endif /* LAB_RANDOM_SCENARIO_H */
