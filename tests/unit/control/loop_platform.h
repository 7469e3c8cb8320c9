/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A whole switch in virtual time: a bridge of four ports, another bridge without
 * ports, and stations that are heard now by one port, now by another, as in a loop.
 */

#ifndef LOOP_PLATFORM_H
#define LOOP_PLATFORM_H

#include "fcn_control.h"
#include "fcn_test.h"

#define SECOND UINT64_C(1000000000)
#define LOOP_PLATFORM_PORTS 4
#define LOOP_PLATFORM_PENDING 64

/** The other end of a port. */
struct loop_platform_end {
	struct rte_mbuf *pending[LOOP_PLATFORM_PENDING]; /**< what the switch is about to receive */
	unsigned int n_pending;
	unsigned int sent; /**< frames the switch sent here */
	bool down;
};

struct loop_platform {
	struct rte_mempool *pool;
	struct fcn_platform platform;
	struct fcn_control *ctl;
	struct loop_platform_end end[FCN_MAX_PORTS];
	uint64_t now;
	uint64_t due;   /**< what the last poll said */
	char said[256]; /**< the last line of the log */
};

extern struct loop_platform loop_platform;

/** Opening a port of this name fails. */
#define LOOP_PLATFORM_BROKEN "broken"

/** Test setup: ports p0 to p3 are in bridge br0, VLAN 1 untagged; br1 has no ports. */
int loop_platform_setup(void **state);
/** The same, and br0 closes ports because of a loop, for 300 seconds. */
int loop_platform_setup_disable(void **state);
/** Every packet is accounted for, and every buffer given back. */
int loop_platform_teardown(void **state);

/** A copy of what is in force, to be changed. */
struct fcn_config *loop_platform_edit(void);
/** Commit and expect it to be taken. */
void loop_platform_commit(struct fcn_config *cfg);
/** Add a port of br0, and expect it to get this number. */
void loop_platform_add_port(struct fcn_config *cfg, const char *name, unsigned int number);
/** Commit what br0 does about a loop. */
void loop_platform_set_action(enum fcn_loop_action action, uint64_t recover_ns);

/** A broadcast of a station comes in by a port. */
void loop_platform_arrive(unsigned int port, uint8_t station);
/** Have control look at what the worker told it. */
void loop_platform_control(void);
/** A station of its own is heard by one port and by another, by turns, n times each. */
void loop_platform_loop(unsigned int a, unsigned int b, unsigned int n);

/** Set of the ports that are closed because of a loop. */
uint64_t loop_platform_closed(void);
/** Set of the ports that a broadcast leaves by which comes in by this one. */
uint64_t loop_platform_reaches(unsigned int port);
/** The last event of a kind. @return how many there were */
unsigned int loop_platform_events(enum fcn_event_type type, struct fcn_event *last);

#endif /* LOOP_PLATFORM_H */
