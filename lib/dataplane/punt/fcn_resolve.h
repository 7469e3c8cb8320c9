/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Requests of a worker to the host functions for the MAC address of a next hop, which a notice
 * needs before it can be made.
 */

#ifndef FCN_RESOLVE_H
#define FCN_RESOLVE_H

#include <stdint.h>

#include <rte_ring.h>

#include "fcn_port_limit.h"

/**
 * Request to the host functions: resolve the MAC address of the next hop to a sender, because no
 * notice can be sent to the sender before.
 */
struct fcn_resolve_request {
	uint8_t sender[16]; /**< IPv6 or IPv4-mapped address, network byte order */
	uint16_t in_port;   /**< ingress port of the sender's packet */
	uint16_t table;     /**< number of the route table in which the sender is looked up */
};

#define FCN_RESOLVE_RECENT_MAX 64 /**< number of recent requests that a worker remembers */

/** A recent request to the host functions. */
struct fcn_resolve_recent {
	uint8_t sender[16]; /**< struct fcn_resolve_request.sender */
	uint64_t time_ns;   /**< time of the request; 0: the element is unused */
};

/** Requests of a worker. */
struct fcn_resolve {
	/** ring of struct fcn_resolve_request; NULL: there are no host functions */
	struct rte_ring *requests;
	struct fcn_resolve_recent recent[FCN_RESOLVE_RECENT_MAX];
	/** Token buckets for requests, by ingress port: time at which each is full again. */
	uint64_t tat[FCN_MAX_PORTS];
};

#endif /* FCN_RESOLVE_H */
