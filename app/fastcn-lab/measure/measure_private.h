/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * struct lab_measure and its parts: queues, flows, notices, flow control. The files measure_*.c
 * update them.
 */

#ifndef LAB_MEASURE_PRIVATE_H
#define LAB_MEASURE_PRIVATE_H

#include <stdbool.h>

#include <fcn_compat.h>

#include "distribution.h"
#include "frames.h"
#include "log.h"
#include "measure.h"
#include "path.h"
#include "record.h"
#include "series.h"

#define LAB_CLASSES 8
#define LAB_NEVER FCN_ENDPOINT_NEVER
#define LAB_PERMILLE 1000

enum lab_peak_state {
	LAB_PEAK_BEFORE, /**< not congested yet */
	LAB_PEAK_RISING,
	LAB_PEAK_OVER,
};

/**
 * An egress queue: a class of a switch's port. The fields from first_congested_ns on are changed
 * when what was reported is replayed (log.h), the others by the events of the switch.
 */
struct lab_queue {
	uint32_t bytes; /**< bytes in the queue since the time `since` */
	uint64_t since;
	uint32_t peak, first_peak;
	uint64_t peak_ns, first_peak_ns;
	enum lab_peak_state state;
	struct lab_distribution occupancy; /**< occupancy weighted by time, from `settle` on */
	uint64_t congested_since;          /**< LAB_NEVER: it is not congested */
	uint64_t congested_ns, episodes;
	uint64_t episode_ns; /**< beginning of an episode that has no notice yet */
	uint64_t notices, suppressed;
	uint64_t first_congested_ns; /**< LAB_NEVER: it was never congested */
	/** Time from the beginning of congestion to the first notice; LAB_NEVER: no notice yet. */
	uint64_t first_notice_ns;
	/** Series of the occupancy, if the queue is watched; otherwise NULL. */
	struct lab_series *series;
	bool unwatched;                   /**< it has no series, and gets none */
	struct lab_series *notice_series; /**< series of notices; NULL before the first notice */
};

struct lab_port {
	char name[LAB_NAME_LEN];
	struct lab_queue queue[LAB_CLASSES];
	uint64_t xoffs_settled[LAB_CLASSES]; /**< xoffs after the settle time */
	uint64_t xoffs[LAB_CLASSES],
			/** Time for which the switch asked the sender behind the port to pause. */
			xoff_ns[LAB_CLASSES];
	uint64_t xoff_since[LAB_CLASSES]; /**< LAB_NEVER */
	uint64_t paused_ns[LAB_CLASSES];  /**< time for which the link partner paused the switch */
	bool to_switch;                   /**< the link partner is a switch */
	bool looked;                      /**< those of its queues that are watched have series */
	struct lab_series *xoff_series[LAB_CLASSES]; /**< NULL before the first event */
};

struct lab_node_measure {
	struct lab_port **port; /**< indexed by port number; NULL: there was no event at the port */
	unsigned int n_ports;
};

struct lab_host_measure {
	uint64_t paused_since[LAB_CLASSES], paused_ns[LAB_CLASSES], pauses[LAB_CLASSES];
	struct lab_series *pause_series[LAB_CLASSES]; /**< NULL before the first event */
};

/** A notice that a switch has sent and the sender has not received yet. */
struct lab_pending {
	uint64_t decided_ns;
	/**
	 * Beginning of the episode whose first notice this is; LAB_NEVER: it is not the first one.
	 */
	uint64_t episode_ns;
	struct lab_queue *queue;
};

/** Notices on their way to a flow's sender, in the order of decisions. */
struct lab_pending_list {
	struct lab_pending *item;
	unsigned int first, n, room; /**< room is a power of two */
};

struct lab_flow_measure {
	char label[2 * LAB_NAME_LEN]; /**< the flow's name, or name/K if several flows have it */
	unsigned int group;
	bool known; /**< its queue pairs are known */
	struct lab_path path;
	uint64_t payload; /**< maximum number of payload bytes of a packet */
	struct lab_distribution fct;
	uint64_t slowdown_sum, slowdown_max; /**< slowdown of messages, in thousandths */
	uint64_t messages, bytes;            /**< complete */
	uint64_t last_complete_ns;
	uint64_t posted, acked, delivered; /**< bytes at the last sample */
	uint64_t delivered_settle;
	uint64_t repeats, detours;
	uint64_t rate_bps, rate_lowest_bps, rate_since, rate_ns;
	unsigned __int128 rate_sum; /**< integral of the rate over time: bits/s times ns */
	uint64_t notices_sent, notices_accepted, notices_duplicate, notices_lost;
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

/** Statistics of messages by size. A bin contains the messages up to its size. */
struct lab_bins {
	const char *name;
	const struct lab_bin *bin;
	unsigned int n_bins; /**< number of bins; the last one also contains larger messages */
	struct lab_distribution slowdown[LAB_BINS_MAX];
};

struct lab_bin {
	const char *name; /**< the size as text, such as "10K" */
	uint64_t bytes;
};

/** A phase: the time between two starts or stops of flows. */
struct lab_phase {
	/**
	 * Beginning and end; to is LAB_NEVER in the last phase, which lasts until the end of the
	 * run.
	 */
	uint64_t from, to;
	/** Time since which all samples were fair; LAB_NEVER: the last one was not. */
	uint64_t converged_since;
	unsigned int n_active;
	uint64_t goodput_bps;
	uint64_t jain; /**< Jain's index, in millionths */
};

struct lab_phases {
	struct lab_phase *phase;
	/** Number of phases, and index of the current one; current == n: all are over. */
	unsigned int n, current;
	bool begun;
	unsigned int samples; /**< number of samples of the current phase */
	uint64_t interval, next, last;
	/** Delivered bytes of each flow, at the beginning of the phase and at the last sample. */
	uint64_t *at_begin, *at_last;
};

/** Counters of the notices of all flows. */
struct lab_notices {
	uint64_t sent, suppressed, accepted, duplicate, lost;
	uint64_t first_ns, cnps, first_cnp_ns;
	struct lab_distribution latency, episode;
};

/** Key of a queue pair in events, and the flow that it belongs to. */
struct lab_qp_key {
	/**
	 * For senders: index of the host, and 0; for receivers: the two halves of the address, as
	 * in memory.
	 */
	uint64_t a, b;
	uint32_t qp;
	uint32_t flow; /**< 1 + index of the flow; 0: the entry is free */
};

struct lab_measure {
	const struct lab_scenario *sc;
	char *dir;
	bool failed;                 /**< memory was exhausted, so the result is incomplete */
	uint64_t first_congested_ns; /**< first congestion of any queue */
	uint64_t first_pause_ns;     /**< from there to the first pause of a host, or LAB_NEVER */
	struct lab_node_measure *node;
	struct lab_host_measure *host;
	struct lab_flow_measure *flow;
	struct lab_group *group;
	unsigned int n_groups;
	struct lab_qp_key *by_sender, *by_receiver; /**< hash tables with table_size entries */
	unsigned int table_size;
	struct lab_bins bins[2];
	struct lab_distribution slowdown;
	struct lab_notices notices;
	struct lab_distribution repair; /**< time from the headers of a packet to the whole one */
	struct lab_phases phases;
	struct lab_series_set *series; /**< NULL: no files are written */
	struct lab_series *goodput;    /**< goodput of all flows, NULL before the first sample */
	unsigned int n_watched;        /**< number of queues that have a series */
	struct lab_log *const *switch_log, *const *host_log; /**< NULL: the nodes are not divided */
	struct lab_frames *frames;
	struct lab_records *records; /**< NULL: no files are written */
	struct fcn_crc32 crc;        /**< table for parsing lost notices */
	bool has_crc;
	/** tells which frames are Congestion Notification Messages; NULL: none are */
	bool (*is_cnm)(void *arg, const struct rte_mbuf *frame);
	void *is_cnm_arg;
};

/* measure.c */

/** Add an event to a series, which is created by its first event. */
void measure_event(struct lab_measure *m, struct lab_series **s, const char *what,
		const char *where, uint64_t now, uint64_t value);

/* log of what a node reports */
static inline struct lab_log *
measure_switch_log(const struct lab_measure *m, unsigned int node)
{
	return m->switch_log != NULL ? m->switch_log[node] : NULL;
}

static inline struct lab_log *
measure_host_log(const struct lab_measure *m, unsigned int host)
{
	return m->host_log != NULL ? m->host_log[host] : NULL;
}

/* measure_queue.c */
struct lab_port *measure_port(
		struct lab_measure *m, unsigned int node, const char *name, unsigned int number);
void measure_queue_state(struct lab_measure *m, unsigned int node, struct lab_queue *q,
		const struct fcn_event *ev);
/** A port has its first event: its queues that the scenario watches get their series. */
void measure_queue_look(struct lab_measure *m, unsigned int node, struct lab_port *port);
void measure_queue_fini(struct lab_measure *m);
void measure_queue_finish(struct lab_measure *m, uint64_t now);
json_t *measure_queue_result(const struct lab_measure *m);

/* measure_flow.c */
int measure_flow_init(struct lab_measure *m);
void measure_flow_fini(struct lab_measure *m);
/**
 * Get the measure of the flow that a queue pair of a host sends.
 *
 * @return NULL when it is not known
 */
struct lab_flow_measure *measure_flow_of_host(
		struct lab_measure *m, unsigned int host, uint32_t qp);
/**
 * Get the measure of the flow that a packet to this receiver and queue pair belongs to.
 *
 * @return NULL when it is not known
 */
struct lab_flow_measure *measure_flow_of_packet(
		struct lab_measure *m, const uint8_t receiver[16], uint32_t qp);
void measure_flow_complete(struct lab_measure *m, struct lab_flow_measure *f,
		const struct fcn_endpoint_event *ev);
void measure_flow_rate(
		struct lab_measure *m, struct lab_flow_measure *f, uint64_t bps, uint64_t now);
/** Get the time at which the traffic of a flow ended; now if it has not ended. */
uint64_t measure_flow_end(const struct lab_measure *m, unsigned int flow, uint64_t now);
void measure_flow_finish(struct lab_measure *m, uint64_t now);

/* measure_flow_result.c */
void measure_flow_result(struct lab_measure *m, json_t *result, uint64_t now);

/* measure_phase.c */
int measure_phase_init(struct lab_measure *m);
void measure_phase_fini(struct lab_measure *m);
json_t *measure_phase_result(struct lab_measure *m, uint64_t now);
/** Compute Jain's index of fairness of n values, in millionths. @return 0 if n is 0 */
uint64_t measure_jain(uint64_t sum, unsigned __int128 sum_of_squares, unsigned int n);

/* measure_notice.c */
void measure_notice(struct lab_measure *m, unsigned int node, struct lab_port *port,
		const struct fcn_event *ev);
void measure_notice_accepted(struct lab_measure *m, struct lab_flow_measure *f, uint64_t now);
void measure_cnp_accepted(struct lab_measure *m, struct lab_flow_measure *f, uint64_t now);
void measure_notice_lost(struct lab_measure *m, struct lab_log *log, const struct rte_mbuf *frame,
		uint64_t now);
json_t *measure_notice_result(struct lab_measure *m);
json_t *measure_cnp_result(const struct lab_measure *m);

/* measure_pause.c */
void measure_pause_host(
		struct lab_measure *m, unsigned int host, const struct fcn_endpoint_event *ev);
void measure_pause_switch(struct lab_measure *m, unsigned int node, struct lab_port *port,
		const struct fcn_event *ev);
/** Whether the link at a port of a switch leads to another switch. */
bool measure_pause_to_switch(const struct lab_measure *m, unsigned int node, const char *port);
json_t *measure_pause_result(struct lab_measure *m, uint64_t now);

#endif /* LAB_MEASURE_PRIVATE_H */
