/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The world of world.h with host functions and two ports: port 0 is 192.0.2.254/24, port 1 is
 * 2001:db8:1::fe/64. The world's packets are for 2001:db8:1::1.
 */

#ifndef HOST_WORLD_H
#define HOST_WORLD_H

#include "world.h"

#define MS UINT64_C(1000000)
#define HOST_WORLD_RETRANS (100 * MS) /**< between two solicitations */

/** 2001:db8:1::1. */
extern const uint8_t host_world_other6[16];

int host_world_setup(void **state);
int host_world_teardown(void **state);

/** A turn of the worker, of the host functions, and of the worker again. */
void host_world_turn(uint64_t now);
/** A turn in which 2001:db8::1 sends. */
void host_world_turn_with_packets(uint64_t now);
/** A turn in which a neighbour at port 1, 02:00:00:00:05:05, answers (RFC 4861 section 4.4). */
void host_world_hear_advertisement(const uint8_t addr[16], uint64_t now);

#endif /* HOST_WORLD_H */
