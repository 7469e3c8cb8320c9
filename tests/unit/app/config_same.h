/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Comparison of two configurations, member by member.
 */

#ifndef CONFIG_SAME_H
#define CONFIG_SAME_H

#include "fcn_config.h"

/** Check that two configurations are the same. Numbers of ports may differ, as long as their names
 * do not. */
void assert_same_config(const struct fcn_config *before, const struct fcn_config *now);

#endif /* CONFIG_SAME_H */
