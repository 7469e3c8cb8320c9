/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The test bench of testbed.h for packets of held flows: they go from port 0 to port 1 in class 3,
 * and a flow is known by its sender, 2001:db8::<sender>. Each packet has a number.
 */

#ifndef HELD_BENCH_H
#define HELD_BENCH_H

#include "testbed.h"

#define US UINT64_C(1000)
#define LEN 500                       /* bytes of a frame */
#define NUMBER_OFF (14 + 40 + 8 + 12) /* of the number of a packet: behind the BTH */

/** Test setup: the routes to 2001:db8:1::/48 and 2001:db8:2::/48 lead to ports 1 and 2. */
int held_setup(void **state);

/** Build a packet to 2001:db8:<net>::9. */
void held_frame(struct frame *f, uint8_t sender, uint16_t net, uint32_t number);

/** Let a packet to port 1 arrive by port 0. */
void held_arrive(uint8_t sender, uint32_t number);

/** Get the number of a packet. */
uint32_t held_number_of(const uint8_t *data);

/** Obey a message about the flow of a sender; with a time of 0 it ends the halt. */
void held_message(uint8_t sender, uint32_t time_us);

/** Check which packets have left by port 1. */
void held_assert_out(unsigned int n, const uint32_t *numbers);
#define OUT(...) \
	held_assert_out(RTE_DIM(((const uint32_t[]){__VA_ARGS__})), (const uint32_t[]){__VA_ARGS__})

#endif /* HELD_BENCH_H */
