/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Build the route table and the next hops of a snapshot: a part of
 * fcn_snapshot_build(). Internal to lib/config.
 */

#ifndef FCN_BUILD_ROUTES_H
#define FCN_BUILD_ROUTES_H

#include "fcn_build.h"

/** Build routes, fib, next_hop, member and neighbours of a snapshot, whose ports are filled in
 * already. @return 0; -1 with a message in err */
int fcn_build_routes(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Check that nothing about routes in a configuration excludes each other. @return 0; -1 with a
 * message in err */
int fcn_build_check_routes(const struct fcn_config *cfg, char *err, size_t size);

/** Free what fcn_build_routes() allocated, whether it succeeded or not. */
void fcn_build_routes_free(struct fcn_snapshot *s);

#endif /* FCN_BUILD_ROUTES_H */
