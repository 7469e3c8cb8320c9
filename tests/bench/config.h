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

/** Get one of the routes other than those to the hosts: to a network, by a host of port 0. */
struct fcn_config_route bench_extra_route(bool ipv4, unsigned int i);

/** End the program if an operation failed. @param rc 0, or a negative errno */
void bench_check(int rc, const char *what);

/** Add what a switch needs in its part of an SRv6 domain, besides policies. */
void bench_config_srv6(struct fcn_config *cfg, enum bench_srv6 kind);

/**
 * Get the policy by which packets enter the SRv6 domain on their way to a port. It is added by the
 * first call.
 *
 * @return value for fcn_config_route.policy
 */
uint16_t bench_policy(struct fcn_config *cfg, enum bench_srv6 kind, unsigned int port);

/** Get the kind of the notices about packets: enum fcn_notice_kind_number. */
unsigned int bench_notice_kind(const struct bench_setup *setup);

#endif /* BENCH_CONFIG_H */
