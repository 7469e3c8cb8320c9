/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The switch as an IOAM transit node, and as the edge of an IOAM domain:
 * configuration (RFC 9197 section 4.4, RFC 9486 sections 3 and 4).
 */

#ifndef FCN_IOAM_CONF_H
#define FCN_IOAM_CONF_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_ioam.h"

#define FCN_IOAM_NAMESPACES 16

/** What goes into a namespace's data fields. */
enum fcn_ioam_data {
	FCN_IOAM_DATA_NONE,       /**< not available: all ones */
	FCN_IOAM_DATA_VALUE,      /**< a configured value */
	FCN_IOAM_DATA_LINK_SPEED, /**< speed of the egress link, Mb/s */
	FCN_IOAM_DATA_TX_BYTES,   /**< bytes the egress port sent, of frames without FCS */
};

/** A namespace this node is part of. */
struct fcn_ioam_namespace {
	uint16_t id;
	enum fcn_ioam_data short_data; /**< field of four octets: never TX_BYTES */
	enum fcn_ioam_data wide_data;  /**< field of eight octets */
	uint32_t short_value;
	uint64_t wide_value;
	uint32_t schema_id;   /**< FCN_IOAM_NO_SCHEMA: no opaque snapshot */
	uint8_t schema_words; /**< words of schema */
	uint8_t schema[4 * FCN_IOAM_MAX_SCHEMA_WORDS];
};

/** What is done about IOAM at a port where the domain ends, whichever way a packet crosses it. */
enum fcn_ioam_edge {
	FCN_IOAM_EDGE_OFF,   /**< port lies within the domain, or knows nothing of IOAM */
	FCN_IOAM_EDGE_STRIP, /**< IOAM options are taken out */
	FCN_IOAM_EDGE_DROP,  /**< packets with IOAM options are dropped */
};

/** Of a port. */
struct fcn_ioam_port {
	bool transit; /**< packets that come in here get this node's data */
	enum fcn_ioam_edge edge;
	uint16_t id;      /**< interface id; FCN_IOAM_NA16: none */
	uint32_t id_wide; /**< FCN_IOAM_NA32: none */
};

/** Of the switch; part of the configuration, read only for workers. */
struct fcn_ioam_conf {
	bool any_transit; /**< some port has it */
	bool any_edge;
	uint32_t node_id;      /**< 24 bits; 0xFFFFFF: none */
	uint64_t node_id_wide; /**< 56 bits; all ones: none */
	enum fcn_ioam_time_format time_format;
	int32_t tai_offset; /**< seconds */
	uint32_t n_namespaces;
	struct fcn_ioam_namespace ns[FCN_IOAM_NAMESPACES]; /**< in the order of ids */
};

/** A namespace by its id, NULL when the node is not part of it. */
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
