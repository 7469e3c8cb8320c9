/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packets into which this switch has inserted the Proxy Network Node Address option, where they
 * turn out to be too long or not to be forwarded.
 */

#ifndef PROXY_EDGE_H
#define PROXY_EDGE_H

#include "fcn_stages.h"

/**
 * Remove the option from packet i, into which this switch has inserted it.
 *
 * @return by how many bytes the packet is shorter; 0: it cannot be removed
 */
uint16_t fcn_proxy_take_back(struct fcn_worker *w, struct fcn_burst *b, unsigned int i);

/**
 * Handle packet i, which is longer than an MTU: remove the option if this switch has inserted it
 * and the packet is to leave without it.
 *
 * @param mtu longest IP packet in bytes
 * @return whether the packet is not too long any more. If it still is, the option remains, unless
 *         the packet was too long without it
 */
bool fcn_proxy_leave_out(struct fcn_worker *w, struct fcn_burst *b, unsigned int i, uint16_t mtu);

#endif /* PROXY_EDGE_H */
