/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A configuration with the ports p0, p1 and p2, or two of them and sub-interfaces, and the snapshot
 * that is built of it. If something cannot be added, parsed or built, the test fails.
 */

#ifndef BUILD_UTIL_H
#define BUILD_UTIL_H

#include "fcn_build.h"
#include "fcn_list.h"
#include "fcn_test.h"

extern struct fcn_config *build_cfg;
extern struct fcn_build_env build_env;
extern char build_err[256]; /* what the last build said */

/** Test setup and teardown. */
int build_setup(void **state);
/** Test setup: ports p0 and p1, and the sub-interfaces p0.7 and p0.8, which are 2 and 3. */
int build_setup_sub_interfaces(void **state);
int build_teardown(void **state);

/** Parse a prefix. */
struct fcn_prefix build_prefix(const char *text);

/** Parse an address. */
struct fcn_addr build_addr(const char *text);

/** Add an address to a port. */
void build_add_address(uint16_t port, const char *text);

/** Add a neighbour with the MAC address 02:00:00:00:07:n. */
void build_add_neighbour(uint16_t port, const char *text, uint8_t n);

/** Add a route to the main table. @param via NULL: a blackhole */
void build_add_route(const char *text, const char *via, uint16_t port);

/** Build the snapshot. */
struct fcn_snapshot *build_snapshot(void);

/** The snapshot of the last build_again(), which stays for the test. */
extern struct fcn_snapshot *built;
void build_again(void);

/** Check that no snapshot can be built, and what is said. */
void build_assert_refused(const char *want);

/** Get the next hop of an address in a table. */
const struct fcn_next_hop *build_look_up_in(
		const struct fcn_snapshot *s, unsigned int table, const char *text);

/** Get the next hop of an address in the main table. */
const struct fcn_next_hop *build_look_up(const struct fcn_snapshot *s, const char *text);

/** Check that packets leave by a port to the neighbour with the MAC address 02:00:00:00:07:n. */
void build_assert_forward(const struct fcn_next_hop *nh, uint16_t port, uint8_t n);

#endif /* BUILD_UTIL_H */
