/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Look-ups with the instructions that every CPU has for which the program is compiled. */

#define RANGE_SEARCH(name) fcn_range_any_##name
#define RANGE_TARGET
#define RANGE_STEP_NARROW(node, key, n) fcn_range_step_narrow(node, key, n)
#define RANGE_STEP_WIDE(node, key, n) fcn_range_step_wide(node, key, n)

#include "range_search.h"
