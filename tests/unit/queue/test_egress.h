/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A port and its configuration as control builds it, which the tests of lib/queue/fcn_egress.h
 * share.
 */

#ifndef TEST_EGRESS_H
#define TEST_EGRESS_H

#include "fcn_egress.h"
#include "fcn_test.h"
#include "queue_push.h"

#define SLOTS 4096

static struct fcn_egress egress;
static struct fcn_egress_conf conf;

/* Test setup: no class is strict or has a rate of its own; all weights are 1. */
static inline int
setup(void **state)
{
	const uint32_t slots[FCN_CLASSES] = {
			SLOTS, SLOTS, SLOTS, SLOTS, SLOTS, SLOTS, SLOTS, SLOTS};

	RTE_SET_USED(state);
	memset(&conf, 0, sizeof(conf));
	conf.shaper.overhead = FCN_SHAPER_OVERHEAD;
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		conf.queue[c].limit_bytes = 1000000000;
		conf.queue[c].limit_packets = SLOTS;
		conf.queue[c].quantum = FCN_DRR_QUANTUM;
		conf.queue[c].committed.overhead = FCN_SHAPER_OVERHEAD;
		conf.queue[c].peak.overhead = FCN_SHAPER_OVERHEAD;
	}
	return fcn_egress_init(&egress, slots, SOCKET_ID_ANY);
}

static inline int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_egress_fini(&egress);
	return 0;
}

static inline void
set_strict(uint8_t classes)
{
	conf.strict = classes;
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		conf.queue[c].strict = classes >> c & 1;
}

static inline void
set_peak(unsigned int class, uint64_t bps, uint64_t slack_ns)
{
	conf.peak |= 1u << class;
	conf.queue[class].peak.bps = bps;
	conf.queue[class].peak.slack_ns = slack_ns;
}

static inline void
set_committed(unsigned int class, uint64_t bps, uint64_t slack_ns)
{
	conf.committed |= 1u << class;
	conf.queue[class].committed.bps = bps;
	conf.queue[class].committed.slack_ns = slack_ns;
}

/* Put a packet into the queue of its class, as the dataplane does, and update the egress. */
static inline enum fcn_queue_verdict
push(uint8_t class, uint32_t len, uint16_t flags, uint64_t now)
{
	enum fcn_queue_verdict v = queue_push(
			&egress.queue[class], &conf.queue[class], NULL, len, flags | class, now);

	if (v == FCN_QUEUE_ACCEPTED)
		egress.backlog |= 1u << class;
	return v;
}

/* Put n packets into the queue of a class at time 0. */
static inline void
fill(uint8_t class, unsigned int n, uint32_t len)
{
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(push(class, len, 0, 0), FCN_QUEUE_ACCEPTED);
}

/* Take the next packet. @return its class; -1: none may leave now */
static inline int
pull(uint64_t now)
{
	struct fcn_queue_entry e;

	return fcn_egress_pull(&egress, &conf, &e, 1, now) == 0 ? -1 : e.flags & FCN_ENTRY_CLASS;
}

/*
 * Take up to 32 packets at once. @return number of packets that may leave now; of_class: those of
 * one class
 */
static inline unsigned int
pull_many(uint64_t now, unsigned int class, unsigned int *of_class)
{
	struct fcn_queue_entry e[FCN_EGRESS_BURST];
	unsigned int n = fcn_egress_pull(&egress, &conf, e, RTE_DIM(e), now);

	*of_class = 0;
	for (unsigned int i = 0; i < n; i++)
		*of_class += (e[i].flags & FCN_ENTRY_CLASS) == class;
	return n;
}

#endif /* TEST_EGRESS_H */
