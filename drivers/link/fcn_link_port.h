/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The end of a simulated link as a port of a switch. It is used by the thread of the link; there
 * are no locks.
 */

#ifndef FCN_LINK_PORT_H
#define FCN_LINK_PORT_H

#include "fcn_link.h"
#include "fcn_port.h"

struct fcn_link_port;

/** Operations for struct fcn_port; the private pointer is a struct fcn_link_port. */
extern const struct fcn_port_ops fcn_link_port_ops;

/**
 * Create a port from an end of a link. Frames that arrive there are queued in the port.
 *
 * @param end  0 or 1
 * @param wake called when a frame has arrived, so that the worker is run
 * @return NULL when memory is exhausted
 */
struct fcn_link_port *fcn_link_port_create(struct fcn_link *link, unsigned int end,
		void (*wake)(void *arg, uint64_t now), void *arg);

/** Free a port and its queued frames. */
void fcn_link_port_free(struct fcn_link_port *port);

/** Free the queued frames. @return their number */
unsigned int fcn_link_port_flush(struct fcn_link_port *port);

/**
 * Get the number of queued frames: those that have arrived, and that the worker has not received
 * yet.
 */
unsigned int fcn_link_port_waiting(const struct fcn_link_port *port);

/** Get the number of frames that arrived, but were freed because memory was exhausted. */
uint64_t fcn_link_port_lost(const struct fcn_link_port *port);

#endif /* FCN_LINK_PORT_H */
