/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A world of ports that are nothing but a diary: what was opened, changed and
 * closed; and a control in it.
 */

#ifndef WORLD_H
#define WORLD_H

#include "fcn_control.h"
#include "fcn_show.h"
#include "fcn_test.h"

/** A port of the world. */
struct world_port {
	bool open;
	unsigned int opened, closed, updated;
	uint64_t link_bps; /**< as last told */
	bool down;         /**< it has no link */
	bool no_clones;    /**< it takes no packets that share bytes with others */
	uint16_t mtu;
	uint16_t number;
	const struct fcn_port_ops *ops; /**< it has when it is opened; NULL: world_port_ops */
};

extern const struct fcn_port_ops world_port_ops;

struct world {
	struct world_port port[FCN_MAX_PORTS];
	struct rte_mempool *pool;
	struct fcn_platform ops;
	struct fcn_control *ctl;
	bool source; /**< ports receive: RoCEv2 of all classes, from 2001:db8::1 to 2001:db8:1::1 */
	uint16_t accept; /**< packets a port takes a call */
};

extern struct world world;

/** Opening a port of this name, or updating it to this MTU, fails. */
#define WORLD_BROKEN "broken"
#define WORLD_BAD_MTU 6666

int world_setup(bool threaded);
/** The same, where the world has a log, a kernel, or polls that are late. */
int world_setup_as(const struct fcn_platform *features, bool threaded);
int world_teardown(void);

/** A copy of what is in force, to be changed. */
struct fcn_config *world_edit(void);
/** Commit and expect it to be taken. */
void world_commit(struct fcn_config *cfg);
/** Commit and expect this sentence. */
void world_refused(struct fcn_config *cfg, const char *want);

void world_route(struct fcn_config *cfg, const char *prefix, const char *via, uint16_t port);
void world_neighbour(struct fcn_config *cfg, uint16_t port, const char *addr, uint8_t n);

#endif /* WORLD_H */
