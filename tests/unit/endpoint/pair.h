/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Two endpoints and a wire between them that loses, duplicates, reorders and corrupts frames as
 * configured. Time is virtual, and random numbers are seeded. Events on the wire are counted
 * independently of the endpoints, so that the counters can be compared.
 */

#ifndef PAIR_H
#define PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_endpoint.h"

#define PAIR_BPS UINT64_C(100000000000)
#define PAIR_DELAY 1000 /* ns, one way */
#define PAIR_EVENTS 8192

/** Probabilities in thousandths, for each frame. */
struct pair_faults {
	unsigned int loss, duplicate, reorder, corrupt;
	unsigned int trim; /**< of data packets */
};

/** Outcomes of data packets, or of all other packets, of one direction. */
struct pair_tally {
	uint64_t sent, lost, duplicated, corrupted, arrived;
	uint64_t trimmed; /**< headers that arrived without their payload, duplicates included */
};

struct pair_frame {
	uint64_t arrival, order;
	unsigned int to;
	uint32_t len;
	uint8_t *bytes;
};

struct pair {
	struct fcn_endpoint_conf conf[2];
	struct fcn_endpoint *ep[2];
	uint64_t now, line_free[2], delay;
	uint64_t seed, order;
	struct pair_faults faults[2];         /**< by sender */
	struct pair_tally data[2], others[2]; /**< by sender */
	uint64_t line_bps;
	/** Callback that may change a frame that is sent; with false it is lost. May be NULL. */
	bool (*tap)(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len);
	void *tap_arg;
	bool trim;         /**< set by the tap: the payload of this frame is cut off */
	uint64_t overtake; /**< ns by which trimmed frames arrive earlier than others */
	struct pair_frame *flight;
	unsigned int n_flight, room_flight;
	struct fcn_endpoint_event event[2][PAIR_EVENTS];
	/** Number of all events; those beyond PAIR_EVENTS are not kept. */
	unsigned int n_events[2];
};

/**
 * Set the defaults of both endpoints: addresses, no losses. A test changes conf before
 * pair_start().
 */
void pair_init(struct pair *p);
void pair_start(struct pair *p);
void pair_stop(struct pair *p);

/** Connect a queue pair of endpoint 0 to one of endpoint 1. @param qp written: their numbers */
void pair_connect(struct pair *p, uint32_t qp[2], uint8_t dscp, uint64_t rate_bps);

/** Cut off the payload of a data packet without extension headers. @return its length then */
uint32_t pair_trim(uint8_t *frame);

/** Run until nothing is left to do, or until a time. @return whether nothing is left to do */
bool pair_run(struct pair *p, uint64_t until);

/** Get the counters of one endpoint. */
struct fcn_endpoint_counters pair_counters(const struct pair *p, unsigned int side);

/** Get the number of events of a type that an endpoint reported. */
unsigned int pair_n_events(
		const struct pair *p, unsigned int side, enum fcn_endpoint_event_type type);
const struct fcn_endpoint_event *pair_event(const struct pair *p, unsigned int side,
		enum fcn_endpoint_event_type type, unsigned int nth);

#endif /* PAIR_H */
