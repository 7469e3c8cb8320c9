/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Weights of the paths of a route as numbers of slots, of which the flow hash selects one. Pure
 * functions, safe from any thread.
 */

#ifndef FCN_PATH_WEIGHTS_H
#define FCN_PATH_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

/**
 * Reduce weights to lowest terms. If their sum still exceeds the number of slots, the slots are
 * divided by the largest remainder method, with at least one for each path. So no path gets a whole
 * slot more or less than its exact share, unless it gets the minimum of one.
 *
 * @param weight 1 to 65536 each; written: numbers of slots
 * @param n      number of paths, at most `slots`
 * @param slots  maximum number of slots, at most 256
 */
void fcn_path_weights_share(uint32_t *weight, size_t n, uint32_t slots);

#endif /* FCN_PATH_WEIGHTS_H */
