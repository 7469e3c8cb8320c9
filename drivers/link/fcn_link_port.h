/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The end of a simulated link as a port of a switch. One owner, that of the link; no locks.
 */

#ifndef FCN_LINK_PORT_H
#define FCN_LINK_PORT_H

#include "fcn_link.h"
#include "fcn_port.h"

struct fcn_link_port;

/** Operations for struct fcn_port; the private pointer is a struct fcn_link_port. */
extern const struct fcn_port_ops fcn_link_port_ops;

/**
 * Make a port of an end of a link; what arrives there waits in it from now on.
 *
 * @param end  0 or 1
 * @param wake called when a frame has arrived: a turn of the worker is due
 * @return NULL on lack of memory
 */
struct fcn_link_port *fcn_link_port_create(struct fcn_link *link, unsigned int end,
		void (*wake)(void *arg, uint64_t now), void *arg);

/** Frames that wait are freed. */
void fcn_link_port_free(struct fcn_link_port *port);

/** Free the frames that wait. @return how many */
unsigned int fcn_link_port_flush(struct fcn_link_port *port);

/** Frames that arrived and were not received yet. */
unsigned int fcn_link_port_waiting(const struct fcn_link_port *port);

/** Frames that arrived, and were freed for want of memory to keep them in. */
uint64_t fcn_link_port_lost(const struct fcn_link_port *port);

#endif /* FCN_LINK_PORT_H */
