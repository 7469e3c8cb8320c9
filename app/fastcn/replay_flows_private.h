/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The tables of replay_flows.c, for the report in replay_flows_report.c.
 */

#ifndef FCN_REPLAY_FLOWS_PRIVATE_H
#define FCN_REPLAY_FLOWS_PRIVATE_H

#include <stddef.h>

#include <rte_hash.h>

#include <fcn_compat.h>

#include "replay_flows.h"

#define REPLAY_FLOWS_MAX 65536u /* flows, queue pairs of senders, and pairs of addresses */
#define REPLAY_FLOWS_LATELY 1024u
#define NONE UINT32_MAX
#define OP_READ_FIRST 13 /* RDMA READ Response First: has the sequence number of the request */
#define OP_READ_ONLY 16  /* RDMA READ Response Only: likewise */

struct pair_key {
	uint8_t sender[16], receiver[16];
};

struct flow_key {
	uint8_t sender[16], receiver[16];
	uint32_t qp;
};

/* Where something is found by its key. It begins small and grows: memory that DPDK frees it clears,
 * which took most of the time of a short replay. */
struct flow_table {
	const char *name;
	struct rte_hash *hash;
	uint32_t key_len, room;
};

/* A pair of addresses: its flows are a list. */
struct flow_pair {
	uint32_t first, n;
};

/* Data from a sender to a queue pair of a receiver. */
struct flow {
	struct flow_key key;
	uint32_t next;             /* flow of the same addresses */
	uint32_t psn_last;         /* newest sequence number */
	uint32_t psn_span;         /* as many before it were sent as well */
	uint64_t packets, entered; /* packets in the capture; those that entered the switch */
	uint64_t first_ce;         /* time of the first packet with a CE mark; 0: none */
};

/* A queue pair of a sender, in the key, of which acknowledgements or CNPs were seen. */
struct flow_back {
	struct flow_key key;
	bool narrowed; /* candidates are known, at least one */
	bool entered;  /* CNPs entered the switch */
	uint32_t conflicts;
	uint32_t *candidate, n; /* flows that its acknowledgements can be about */
};

struct flow_time {
	uint64_t ns;
	uint32_t index; /* of a flow, or of a flow_back */
	bool entered;
};

struct replay_flows {
	struct flow_table flow_table, back_table, pair_table;
	struct flow *flow;
	struct flow_back *back;
	struct flow_pair *pair;
	uint32_t n_flows, n_back, n_pairs;
	uint32_t lately[REPLAY_FLOWS_LATELY]; /* flows that were looked up */
	struct flow_time *cnp, *fast;
	size_t n_cnp, cnp_room, n_fast, fast_room;
	uint64_t cnps, cnps_seen; /* entered; all */
	uint64_t fast_in_capture; /* Fast CNPs of another switch, which are not compared */
	uint64_t fast_sent;
	struct fcn_crc32 crc;
	bool has_crc;
	bool overflow; /* not all fit */
};

#endif /* FCN_REPLAY_FLOWS_PRIVATE_H */
