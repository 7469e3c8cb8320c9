/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A switch in virtual time on the platform of platform.h: a bridge of four ports, another bridge
 * without ports, and stations whose frames are received now by one port, now by another, as in a
 * loop. platform_teardown() ends it.
 */

#ifndef LOOP_PLATFORM_H
#define LOOP_PLATFORM_H

#include "platform.h"

#define SECOND UINT64_C(1000000000)
#define LOOP_PLATFORM_PORTS 4

struct loop_platform {
	uint64_t now;
	uint64_t due;        /**< result of the last poll */
	char last_line[256]; /**< last line of the log */
};

extern struct loop_platform loop_platform;

/** Test setup: ports p0 to p3 are in bridge br0, VLAN 1 untagged; br1 has no ports. */
int loop_platform_setup(void **state);
/** Test setup: the same, and br0 closes ports for 300 seconds because of a loop. */
int loop_platform_setup_disable(void **state);

/** Add a port of br0, and expect it to get this number. */
void loop_platform_add_port(struct fcn_config *cfg, const char *name, unsigned int number);
/** Commit another reaction of br0 to a loop. */
void loop_platform_set_action(enum fcn_loop_action action, uint64_t recover_ns);

/** Let a port receive a broadcast of a station, and run turns until nothing is left to do. */
void loop_platform_arrive(unsigned int port, uint8_t station);
/** Let control process the events of the worker, and run its poll of closed ports. */
void loop_platform_control(void);
/** Let two ports receive broadcasts of one station alternately, n of each port. */
void loop_platform_loop(unsigned int a, unsigned int b, unsigned int n);

/** Open ports of a bit set that are closed because of a loop. @return how many were */
int loop_platform_clear(uint64_t bits);

/** Get the bit set of the ports that are closed because of a loop. */
uint64_t loop_platform_closed(void);
/** Get the bit set of the ports that send a broadcast which this port receives. */
uint64_t loop_platform_reaches(unsigned int port);
/** Get the last event of a type. @return number of events of this type */
unsigned int loop_platform_events(enum fcn_event_type type, struct fcn_event *last);

#endif /* LOOP_PLATFORM_H */
