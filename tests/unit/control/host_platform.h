/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The platform of platform.h with host functions and two ports: port 0 is 192.0.2.254/24, port 1 is
 * 2001:db8:1::fe/64. The platform's packets are for 2001:db8:1::1.
 */

#ifndef HOST_PLATFORM_H
#define HOST_PLATFORM_H

#include "platform.h"

#define MS UINT64_C(1000000)
#define HOST_PLATFORM_RETRANS (100 * MS) /**< between two solicitations */

/** 2001:db8:1::1. */
extern const uint8_t host_platform_other6[16];

int host_platform_setup(void **state);

/** Run a turn of the worker, of the host functions, and of the worker again. */
void host_platform_turn(uint64_t now);
/** Run such a turn in which the worker receives packets of 2001:db8::1. */
void host_platform_turn_with_packets(uint64_t now);
/**
 * Run such a turn in which port 1 receives a neighbour advertisement of 02:00:00:00:05:05 (RFC 4861
 * section 4.4).
 */
void host_platform_receive_advertisement(const uint8_t addr[16], uint64_t now);

#endif /* HOST_PLATFORM_H */
