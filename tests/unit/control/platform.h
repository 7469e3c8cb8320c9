/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A platform of ports that are nothing but a diary: what was opened, changed and
 * closed; and a control in it.
 */

#ifndef PLATFORM_H
#define PLATFORM_H

#include "fcn_control.h"
#include "fcn_show.h"
#include "fcn_test.h"

/** A port of the platform. */
struct platform_port {
	bool open;
	unsigned int opened, closed, updated;
	uint64_t link_bps; /**< as last told */
	bool down;         /**< it has no link */
	bool no_clones;    /**< it takes no packets that share bytes with others */
	uint16_t mtu;
	uint16_t number;
	const struct fcn_port_ops *ops; /**< it has when it is opened; NULL: platform_port_ops */
};

extern const struct fcn_port_ops platform_port_ops;

struct platform {
	struct platform_port port[FCN_MAX_PORTS];
	struct rte_mempool *pool;
	struct fcn_platform ops;
	struct fcn_control *ctl;
	bool source; /**< ports receive: RoCEv2 of all classes, from 2001:db8::1 to 2001:db8:1::1 */
	uint16_t accept; /**< packets a port takes a call */
};

extern struct platform platform;

/** Opening a port of this name, or updating it to this MTU, fails. */
#define PLATFORM_BROKEN "broken"
#define PLATFORM_BAD_MTU 6666

int platform_setup(bool threaded);
/** The same, where the platform has a log, a kernel, or polls that are late. */
int platform_setup_as(const struct fcn_platform *features, bool threaded);
int platform_teardown(void);

/** A copy of what is in force, to be changed. */
struct fcn_config *platform_edit(void);
/** Commit and expect it to be taken. */
void platform_commit(struct fcn_config *cfg);
/** Commit and expect this sentence. */
void platform_refused(struct fcn_config *cfg, const char *want);

void platform_route(struct fcn_config *cfg, const char *prefix, const char *via, uint16_t port);
void platform_neighbour(struct fcn_config *cfg, uint16_t port, const char *addr, uint8_t n);

#endif /* PLATFORM_H */
