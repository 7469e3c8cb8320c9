/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The RC queue pairs of a host, joined of what netlink and probes say of them. No system calls.
 *
 * A round of netlink is: qp_map_begin(), the devices, the queue pairs of each; where
 * qp_map_wants_cm_ids() says so, the CM_IDs of each; where qp_map_wants_again() says so, the queue
 * pairs of each once more; qp_map_end(). Events of probes come at any time. What an event says
 * during a round is newer than what the round says of the same queue pair.
 *
 * A CM_ID has the number of a queue pair from the process that has opened it, which can be any
 * number: it counts only where that process has made the queue pair. Between CM_ID and queue pair
 * there is time in which the number can pass to another connection: so what is new is told after
 * the queue pair was seen once before the CM_ID and once behind it, with the same remote end.
 *
 * Thread safety: none; one thread has a map.
 */

#ifndef QP_MAP_H
#define QP_MAP_H

#include "host_qp.h"
#include "rdma_nl.h"

#define QP_MAP_DEVICES 64 /**< maximum number of adapters */

struct qp_map_conf {
	const struct host_qp_ops *ops;
	void *arg;
	uint32_t most; /**< number of queue pairs that are kept */
	/** Ask whether two threads, by number, are of one process. NULL: they never are */
	bool (*same_process)(uint32_t a, uint32_t b);
};

/** What a probe says of a queue pair. */
struct qp_map_event {
	uint32_t device, local_qp, remote_qp;
	uint8_t state;
	bool is_destroyed; /**< the other members but the first two are of no meaning */
	bool has_state, has_remote_qp;
	bool has_addresses;
	bool is_roce_v2; /**< with has_addresses */
	uint8_t local[16], remote[16];
};

struct qp_map;

/** @return NULL: out of memory */
struct qp_map *qp_map_create(const struct qp_map_conf *conf);

/** Free it; nothing is told. NULL is allowed. */
void qp_map_free(struct qp_map *map);

/** Begin a round. */
void qp_map_begin(struct qp_map *map);

/** A device is there. @return 0, or -ENOSPC: there are too many */
int qp_map_device(struct qp_map *map, uint32_t index, const char *name);

/** Get the index of a device of the round by its place. @return false: there are no more */
bool qp_map_next_device(const struct qp_map *map, unsigned int place, uint32_t *index);

/** A queue pair is there. */
void qp_map_qp(struct qp_map *map, const struct rdma_nl_qp *qp);

/** A connection of RDMA CM is there. */
void qp_map_cm_id(struct qp_map *map, const struct rdma_nl_cm_id *id);

/** Ask whether there are connected queue pairs that no probe has told. If so, CM_IDs follow. */
bool qp_map_wants_cm_ids(struct qp_map *map);

/** Ask whether CM_IDs have told something new. From here on queue pairs confirm it. */
bool qp_map_wants_again(struct qp_map *map);

/**
 * End the round, and tell.
 *
 * @param complete false: something was not answered; what was not seen is kept then
 */
void qp_map_end(struct qp_map *map, bool complete);

/**
 * A probe has said something, which is told at once.
 *
 * @return -ENODEV: the device is not known; 0
 */
int qp_map_event(struct qp_map *map, const struct qp_map_event *event);

/** As host_qp_source_walk(). @param has_probes for the reasons */
void qp_map_walk(const struct qp_map *map, bool has_probes,
		void (*each)(void *arg, const struct host_qp_view *view), void *arg);

/** Write the members that the map knows; the others are left as they are. */
void qp_map_counts(const struct qp_map *map, struct host_qp_counts *counts);

#endif /* QP_MAP_H */
