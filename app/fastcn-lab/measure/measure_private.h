/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * struct lab_measure and its parts: queues, flows, notices, flow control. Several files fill them
 * in.
 */

#ifndef LAB_MEASURE_PRIVATE_H
#define LAB_MEASURE_PRIVATE_H

#include <stdbool.h>

#include <fcn_compat.h>

#include "distribution.h"
#include "frames.h"
#include "measure.h"
#include "path.h"
#include "series.h"

#define LAB_CLASSES 8
#define LAB_NEVER FCN_ENDPOINT_NEVER
#define LAB_PERMILLE 1000

enum lab_peak_state {
	LAB_PEAK_BEFORE, /**< not congested yet */
	LAB_PEAK_RISING,
	LAB_PEAK_OVER,
};

/** An egress queue: a class of a switch's port. */
struct lab_queue {
	uint32_t bytes; /**< from the time `since` on */
	uint64_t since;
	uint32_t peak, first_peak;
	uint64_t peak_ns, first_peak_ns;
	enum lab_peak_state state;
	struct lab_distribution occupancy; /**< weighted by time, from the settling time on */
	uint64_t first_congested_ns, congested_since; /**< LAB_NEVER: not */
	uint64_t congested_ns, episodes;
	uint64_t episode_ns; /**< beginning of an episode whose first notice has not been made yet
			      */
	uint64_t first_notice_ns; /**< latency of its first notice; LAB_NEVER */
	uint64_t notices, suppressed;
	struct lab_series *series;        /**< if it is watched */
	struct lab_series *notice_series; /**< once there is one */
};

struct lab_port {
	char name[LAB_NAME_LEN];
	struct lab_queue queue[LAB_CLASSES];
	uint64_t xoffs[LAB_CLASSES],
			xoff_ns[LAB_CLASSES]; /**< the switch asked the sender there to pause */
	uint64_t xoff_since[LAB_CLASSES];     /**< LAB_NEVER */
};

struct lab_node_measure {
	struct lab_port **port; /**< by number; NULL: there was no event of it */
	unsigned int n_ports;
};

struct lab_host_measure {
	uint64_t paused_since[LAB_CLASSES], paused_ns[LAB_CLASSES], pauses[LAB_CLASSES];
};

/** A notice that a switch has sent and the sender has not received yet. */
struct lab_pending {
	uint64_t decided_ns;
	uint64_t episode_ns; /**< first of that episode; LAB_NEVER: not the first */
	struct lab_queue *queue;
};

/** Notices on their way to a flow's sender, in the order of decisions. */
struct lab_pending_list {
	struct lab_pending *item;
	unsigned int first, n, room; /**< room is a power of two */
};

struct lab_flow_measure {
	char label[2 * LAB_NAME_LEN]; /**< name, or name/K when several have it */
	unsigned int group;
	bool known; /**< its queue pairs are */
	struct lab_path path;
	uint64_t payload; /**< bytes of a packet at most */
	struct lab_distribution fct;
	uint64_t slowdown_sum, slowdown_max; /**< thousandths */
	uint64_t messages, bytes;            /**< complete */
	uint64_t last_complete_ns;
	uint64_t posted, acked, delivered; /**< at the last sample */
	uint64_t delivered_settle;
	uint64_t repeats, detours;
	uint64_t rate_bps, rate_since, rate_ns;
	unsigned __int128 rate_sum; /**< bits/s times ns */
	uint64_t notices_sent, notices_suppressed, notices_accepted, notices_duplicate,
			notices_lost;
	uint64_t first_notice_ns, cnps, first_cnp_ns;
	struct lab_pending_list pending;
	struct lab_series *series, *accepted_series, *cnp_series;
};

/** Flows of one name. */
struct lab_group {
	const char *name;
	unsigned int n_flows;
	struct lab_distribution fct, slowdown;
};

#define LAB_BINS_MAX 17

/** Messages up to a size. */
struct lab_bins {
	const char *name;
	const struct lab_bin *bin;
	unsigned int n_bins; /**< the last takes what is larger, too */
	struct lab_distribution slowdown[LAB_BINS_MAX];
};

struct lab_bin {
	const char *name; /**< "10K" */
	uint64_t bytes;
};

/** Between two starts or stops of flows. */
struct lab_phase {
	uint64_t from, to;        /**< to: LAB_NEVER, the end of the run */
	uint64_t converged_since; /**< every sample since then was fair; LAB_NEVER */
	unsigned int n_active;
	uint64_t goodput_bps;
	uint64_t jain; /**< millionths */
};

struct lab_phases {
	struct lab_phase *phase;
	unsigned int n, current; /**< current == n: all are over */
	bool begun;
	unsigned int samples; /**< of the current one */
	uint64_t interval, next, last;
	uint64_t *at_begin, *at_last; /**< bytes delivered of each flow */
};

/** Of all flows' notices. */
struct lab_notices {
	uint64_t sent, suppressed, accepted, duplicate, lost;
	uint64_t first_ns, cnps, first_cnp_ns;
	struct lab_distribution latency, episode;
};

/** A queue pair, as events name it. */
struct lab_qp_key {
	uint64_t a, b; /**< a host's index and 0; an address as it stands in memory */
	uint32_t qp;
	uint32_t flow; /**< plus 1; 0: free */
};

struct lab_measure {
	const struct lab_scenario *sc;
	char *dir;
	bool failed;                 /**< out of memory: something is missing in the result */
	uint64_t first_congested_ns; /**< of any queue */
	struct lab_node_measure *node;
	struct lab_host_measure *host;
	struct lab_flow_measure *flow;
	struct lab_group *group;
	unsigned int n_groups;
	struct lab_qp_key *by_sender, *by_receiver; /**< tables of table_size */
	unsigned int table_size;
	struct lab_bins bins[2];
	struct lab_distribution slowdown;
	struct lab_notices notices;
	struct lab_phases phases;
	struct lab_series_set *series; /**< NULL: no files */
	unsigned int n_watched;        /**< queues that have one */
	struct lab_frames *frames;
	struct fcn_crc32 crc; /**< to read notices that were lost, made at the first */
	bool has_crc;
};

/* measure_queue.c */
struct lab_port *measure_port(
		struct lab_measure *m, unsigned int node, const char *name, unsigned int number);
void measure_queue_state(struct lab_measure *m, struct lab_queue *q, const struct fcn_event *ev);
void measure_queue_fini(struct lab_measure *m);
void measure_queue_finish(struct lab_measure *m, uint64_t now);
json_t *measure_queue_result(const struct lab_measure *m);

/* measure_flow.c */
int measure_flow_init(struct lab_measure *m);
void measure_flow_fini(struct lab_measure *m);
/** Of a sender's queue pair, NULL: not known. */
struct lab_flow_measure *measure_flow_of_host(
		struct lab_measure *m, unsigned int host, uint32_t qp);
/** Of a packet to that queue pair. */
struct lab_flow_measure *measure_flow_of_packet(
		struct lab_measure *m, const uint8_t receiver[16], uint32_t qp);
void measure_flow_complete(struct lab_measure *m, struct lab_flow_measure *f,
		const struct fcn_endpoint_event *ev);
void measure_flow_rate(
		struct lab_measure *m, struct lab_flow_measure *f, uint64_t bps, uint64_t now);
/** When a flow's traffic ended, or ends: now. */
uint64_t measure_flow_end(const struct lab_measure *m, unsigned int flow, uint64_t now);
void measure_flow_finish(struct lab_measure *m, uint64_t now);

/* measure_flow_result.c */
void measure_flow_result(struct lab_measure *m, json_t *result, uint64_t now);

/* measure_phase.c */
int measure_phase_init(struct lab_measure *m);
void measure_phase_fini(struct lab_measure *m);
json_t *measure_phase_result(struct lab_measure *m, uint64_t now);
/** Jain's index in millionths; n = 0: 0. */
uint64_t measure_jain(uint64_t sum, unsigned __int128 sum_of_squares, unsigned int n);

/* measure_notice.c */
void measure_notice(struct lab_measure *m, struct lab_queue *q, const char *where,
		const struct fcn_event *ev);
void measure_notice_accepted(struct lab_measure *m, struct lab_flow_measure *f, uint64_t now);
void measure_cnp_accepted(struct lab_measure *m, struct lab_flow_measure *f, uint64_t now);
void measure_notice_lost(struct lab_measure *m, const struct rte_mbuf *frame, uint64_t now);
json_t *measure_notice_result(struct lab_measure *m);
json_t *measure_cnp_result(const struct lab_measure *m);

/* measure_pause.c */
void measure_pause_host(
		struct lab_measure *m, unsigned int host, const struct fcn_endpoint_event *ev);
void measure_pause_switch(struct lab_port *port, const struct fcn_event *ev);
json_t *measure_pause_result(struct lab_measure *m, uint64_t now);

#endif /* LAB_MEASURE_PRIVATE_H */
