/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Configuration of the switch as an IOAM transit node (RFC 9197 section 4.4, RFC 9486 section 3)
 * and as the edge of an IOAM domain (RFC 9486 section 4). It is part of the snapshot: workers only
 * read it. Numbers are in host byte order.
 */

#ifndef FCN_IOAM_CONF_H
#define FCN_IOAM_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_ioam.h"

#define FCN_IOAM_NAMESPACES 16 /**< maximum number of namespaces */

/** Content of the namespace specific data fields (RFC 9197 section 4.4.2). */
enum fcn_ioam_data {
	FCN_IOAM_DATA_NONE,       /**< not available: all ones */
	FCN_IOAM_DATA_VALUE,      /**< a configured value */
	FCN_IOAM_DATA_LINK_SPEED, /**< speed of the egress link in Mb/s */
	FCN_IOAM_DATA_TX_BYTES,   /**< bytes sent by the egress port, without FCS */
};

/** A namespace that this node is part of. */
struct fcn_ioam_namespace {
	uint16_t id;                   /**< Namespace-ID */
	enum fcn_ioam_data short_data; /**< content of the field of 4 octets; never TX_BYTES */
	enum fcn_ioam_data wide_data;  /**< content of the field of 8 octets */
	uint32_t short_value;          /**< with FCN_IOAM_DATA_VALUE: the value */
	uint64_t wide_value;           /**< with FCN_IOAM_DATA_VALUE: the value */
	uint32_t schema_id;            /**< FCN_IOAM_NO_SCHEMA: no Opaque State Snapshot */
	uint8_t schema_words;          /**< length of `schema` in words of 4 octets */
	uint8_t schema[4 * FCN_IOAM_MAX_SCHEMA_WORDS];
};

/** Treatment of IOAM options at a port where the domain ends, in both directions. */
enum fcn_ioam_edge {
	FCN_IOAM_EDGE_OFF,   /**< none: the port is not an edge of the domain */
	FCN_IOAM_EDGE_STRIP, /**< IOAM options are removed */
	FCN_IOAM_EDGE_DROP,  /**< packets with IOAM options are dropped */
};

/** IOAM configuration of a port. */
struct fcn_ioam_port {
	bool transit; /**< this node adds its data to packets received here */
	enum fcn_ioam_edge edge;
	uint16_t id;      /**< interface ID; FCN_IOAM_NA16: none */
	uint32_t id_wide; /**< interface ID in wide format; FCN_IOAM_NA32: none */
};

/** IOAM configuration of the switch. */
struct fcn_ioam_conf {
	bool any_transit;      /**< `transit` is set for some port */
	bool any_edge;         /**< some port is an edge of the domain */
	uint32_t node_id;      /**< node ID, 24 bits; 0xFFFFFF: none */
	uint64_t node_id_wide; /**< node ID in wide format, 56 bits; all ones: none */
	enum fcn_ioam_time_format time_format;
	int32_t tai_offset; /**< TAI - UTC in seconds */
	uint32_t n_namespaces;
	struct fcn_ioam_namespace ns[FCN_IOAM_NAMESPACES]; /**< in ascending order of IDs */
};

/** Find a namespace by its ID; NULL when the node is not part of it. */
static inline const struct fcn_ioam_namespace *
fcn_ioam_namespace_find(const struct fcn_ioam_conf *conf, uint16_t id)
{
	for (uint32_t i = 0; i < conf->n_namespaces; i++) {
		if (conf->ns[i].id == id)
			return &conf->ns[i];
	}
	return NULL;
}

#endif /* FCN_IOAM_CONF_H */
