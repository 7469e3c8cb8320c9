/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The P nodes whose Fast CNPs a worker has taken at END.CON recently, each with what is the same
 * for all of its Fast CNPs. The table is direct mapped; all entries are from one snapshot, and a
 * new snapshot empties it. It is used by one worker.
 */

#ifndef FCN_ENDCON_NODES_H
#define FCN_ENDCON_NODES_H

#include "fcn_endcon_plain.h"

#define FCN_ENDCON_NODES 64 /**< entries, a power of two */

/** A P node in the access list. */
struct fcn_endcon_known {
	struct fcn_endcon_node node;
	uint64_t hash; /**< fcn_source_limit_hash() of its address */
	bool used;
};

/** The table. All zeros are a valid, empty one. */
struct fcn_endcon_nodes {
	uint64_t generation; /**< of the snapshot that the entries are from */
	struct fcn_endcon_known entry[FCN_ENDCON_NODES];
};

#endif /* FCN_ENDCON_NODES_H */
