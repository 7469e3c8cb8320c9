/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The configuration of a switch that is measured.
 */

#ifndef BENCH_CONFIG_H
#define BENCH_CONFIG_H

#include "rig.h"

/** Make the configuration of a variant. The program ends on failure. */
struct fcn_config *bench_config(
		const struct bench_setup *setup, const struct bench_variant *variant);

/**
 * Get one of the routes other than those to the hosts, by one of the hosts: 2001:db8:10xx::, or
 * 20.x.
 */
struct fcn_config_route bench_extra_route(bool ipv4, unsigned int i);

#endif /* BENCH_CONFIG_H */
