/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The test bench of testbed.h for halts that are passed on: packets go from ports 0 and 2 to port
 * 1, where their class or their flow is halted, and messages go to upstream neighbours by port 3.
 */

#ifndef PASS_ON_BENCH_H
#define PASS_ON_BENCH_H

#include "testbed.h"

#define US UINT64_C(1000)
#define CLASS 3     /* of the packets */
#define ENOUGH 5000 /* bytes that wait from which on a halt is passed on */
#define ARN_OFF (14 + 40 + 8)
#define PACKET 1000 /* bytes of a frame */

/** Test setup: neighbour 1 is at port 0, neighbour 3 at port 2. */
int pass_on_setup(void **state);

/** Let messages be obeyed, and halts be passed on by messages from 2001:db8:f::2. */
void pass_on_configure(void);

/** Set upstream neighbour i, the last one: 2001:db8:f::<number> at a port. */
void pass_on_neighbour(unsigned int i, uint8_t number, uint16_t port);

/** Set what port 0 does to pass halts on; with `xoff` in bytes, its class is lossless, too. */
void pass_on_edge(enum fcn_arn_edge how, uint32_t xoff);

/** Receive packets of one flow and run a turn. */
void pass_on_packets_in(uint64_t now, uint16_t port, unsigned int n);

/** Check that no message was sent in the last turn. */
void pass_on_expect_none(void);

/** Check that port 0 has sent one PFC frame in the last turn, about the class. */
void pass_on_expect_pfc(bool xoff);

#endif /* PASS_ON_BENCH_H */
