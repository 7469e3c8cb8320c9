/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What the files of qp_map.h share. */

#ifndef QP_MAP_PRIVATE_H
#define QP_MAP_PRIVATE_H

#include "qp_map.h"

#define QP_MAP_NONE UINT32_MAX

/* Of enum ib_qp_state of Linux; the states between RTR and SQD have a remote end. */
enum {
	STATE_RESET,
	STATE_INIT,
	STATE_RTR,
	STATE_RTS,
	STATE_SQD,
	STATE_SQE,
	STATE_ERR
};

struct qp_entry {
	uint32_t device;
	uint32_t next;     /* in its chain, or in the list of free ones */
	struct host_qp qp; /* local_qp is its key, with device */
	uint32_t pid;
	uint32_t seen;    /* in this round, or told by a probe in it */
	uint32_t touched; /* by a probe in this round */
	uint32_t cm_seen; /* the round in which a CM_ID has told these addresses */
	uint8_t state;
	bool is_used : 1;
	bool is_gone : 1; /* destroyed during this round, at whose end it is forgotten */
	bool is_told : 1;
	bool is_kernel : 1;
	bool is_probed : 1; /* a probe has told the addresses */
	bool is_roce_v2 : 1;
	bool has_cm : 1;     /* a CM_ID has */
	bool is_pending : 1; /* and no queue pair has confirmed it yet */
	bool cm_other : 1;   /* a CM_ID of another process has its number */
	bool cm_ambiguous : 1;
};

struct qp_device {
	uint32_t index, seen;
	char name[RDMA_NL_NAME_SIZE];
};

struct qp_map {
	struct qp_map_conf conf;
	struct qp_entry *entry; /* those below n_entries were used at some time */
	uint32_t *chain;
	uint32_t n_entries, room, n_used, n_told, n_chains, first_free;
	uint32_t round;
	bool in_round, had_cm_ids, is_confirming;
	unsigned int n_devices;
	struct qp_device device[QP_MAP_DEVICES];
	uint64_t added, removed, full;
};

/** Find a queue pair. @return NULL: it is not there */
struct qp_entry *qp_map_find(const struct qp_map *map, uint32_t device, uint32_t local_qp);

/** Find or make one. @return NULL: there are too many, which is counted */
struct qp_entry *qp_map_get(struct qp_map *map, uint32_t device, uint32_t local_qp);

/** Forget one, which is not told any more. */
void qp_map_drop(struct qp_map *map, struct qp_entry *e);

/** Say that it is no longer so, if it was told: before one of its members changes. */
void qp_map_untell(struct qp_map *map, struct qp_entry *e);

/** Tell it, or that it is no longer so, as its members say. */
void qp_map_settle(struct qp_map *map, struct qp_entry *e);

/** Ask whether a state has a remote end. */
static inline bool
qp_map_is_connected(uint8_t state)
{
	return state >= STATE_RTR && state <= STATE_SQD;
}

#endif /* QP_MAP_PRIVATE_H */
