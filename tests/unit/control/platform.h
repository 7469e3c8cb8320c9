/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A platform without devices, and a control on it. Its ports record when they were opened, changed
 * and closed. They receive the packets that a test gives them, and count those that are sent.
 */

#ifndef PLATFORM_H
#define PLATFORM_H

#include "fcn_control.h"
#include "fcn_list.h"
#include "fcn_show.h"
#include "fcn_test.h"

/** Maximum number of packets that a port is about to receive. */
#define PLATFORM_PENDING 512

/** A port of the platform. */
struct platform_port {
	bool open;
	unsigned int opened, closed, updated;
	uint64_t link_bps; /**< speed of the last configuration */
	bool down;         /**< it has no link */
	bool no_clones;    /**< it accepts no packets that share bytes with others */
	uint16_t mtu;
	uint16_t number;
	const struct fcn_port_ops *ops; /**< used when it is opened; NULL: platform_port_ops */
	struct rte_mbuf *pending[PLATFORM_PENDING]; /**< packets that it receives next */
	unsigned int n_pending;
	unsigned int sent; /**< packets that the switch has sent by this port */
};

/** Sizes of a platform's switch. */
struct platform_size {
	uint32_t mac_entries, events, mbufs;
};

extern const struct fcn_port_ops platform_port_ops;

struct platform {
	struct platform_port port[FCN_MAX_PORTS];
	struct rte_mempool *pool;
	struct fcn_platform ops;
	struct fcn_control *ctl;
	bool source; /**< ports receive: RoCEv2 of all classes, from 2001:db8::1 to 2001:db8:1::1 */
	bool not_roce;   /**< with source: the same packets, to another UDP port */
	uint16_t accept; /**< packets that a port accepts in a call */
	/** Callback for each packet that is sent by a port, before it is freed; NULL: none. */
	void (*receiver)(struct platform_port *port, const struct rte_mbuf *m);
};

extern struct platform platform;

/** Opening a port of this name, or updating it to this MTU, fails. */
#define PLATFORM_BROKEN "broken"
#define PLATFORM_BAD_MTU 6666

/** Group setup, as fcn_test_eal_init(): the pools of this file's tests are large. */
int platform_begin_large(void **state);

/** For TEST_FIXTURE(), instead of FCN_TEST_EAL: platforms of this file's tests have 8191 packets.
 * By default they have 1023, because those of large pools take longer to make than most tests. */
#define PLATFORM_LARGE_EAL .begin = platform_begin_large, .end = fcn_test_eal_cleanup

/** Create a platform and its control. @return 0, or -1 */
int platform_setup(bool threaded);
/** Do the same for a platform with a log, with a kernel, or with polls that are late. */
int platform_setup_as(const struct fcn_platform *features, bool threaded);
/** Do the same for a switch of other sizes. */
int platform_setup_sized(const struct fcn_platform *features, bool threaded,
		const struct platform_size *size);
/** Test setup: no ports. */
int platform_setup_empty(void **state);
/** Test setup: ports p0 and p1. */
int platform_setup_ports(void **state);
/** Test teardown: every packet is accounted for, and every port and buffer is released. */
int platform_teardown(void **state);

/** Copy the running configuration, in order to change it. */
struct fcn_config *platform_edit(void);
/** Commit a configuration, and expect that it is accepted. */
void platform_commit(struct fcn_config *cfg);
/** Commit a configuration, and expect that it is refused with this error. */
void platform_refused(struct fcn_config *cfg, const char *want);

/** Let a port receive a packet in the next turn. */
void platform_arrive(unsigned int port, struct rte_mbuf *m);

/** Get a number of a JSON object; the test fails when there is none. */
json_int_t platform_number(const json_t *o, const char *key);
/**
 * Check that a JSON value has what another one has, which is written with ' instead of ": objects
 * may have further members, arrays have as many elements. platform_shows(v, "{'port': 'p0'}")
 */
void platform_shows(const json_t *v, const char *want);
/** Check the same of what a function gives, and free it. */
void platform_gives(json_t *v, const char *want);
/** Get a string of a JSON object; the test fails when there is none. */
const char *platform_string(const json_t *o, const char *key);

void platform_route(struct fcn_config *cfg, const char *prefix, const char *via, uint16_t port);
void platform_neighbour(struct fcn_config *cfg, uint16_t port, const char *addr, uint8_t n);

#endif /* PLATFORM_H */
