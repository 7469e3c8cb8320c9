/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Route table and next hops of a snapshot; a part of fcn_snapshot_build().
 */

#ifndef FCN_BUILD_ROUTES_H
#define FCN_BUILD_ROUTES_H

#include "fcn_build.h"

/** Fills routes, fib, next_hop, member, neighbours. @return 0, or -1 with err. */
int fcn_build_routes(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Frees them. */
void fcn_build_routes_free(struct fcn_snapshot *s);

#endif /* FCN_BUILD_ROUTES_H */
