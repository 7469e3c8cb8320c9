/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Default rates of messages about congestion: what a node sends, and what a node takes of others.
 * The latter follows from the former, so that nodes with default limits fit together: a node takes
 * all that another one with default limits sends. All rates are messages of one kind a second: Fast
 * CNPs to END.CON, congestion notification messages, adaptive routing notifications. Internal to
 * lib/config; doc/decisions.md has the reasons.
 */

#ifndef DEFAULT_RATES_H
#define DEFAULT_RATES_H

/* ---- what a node sends ---- */

/** Of one kind, to all receivers; the workers have equal parts. */
#define SENT_RATE 10000000
#define SENT_BURST 1024
#define SENT_ARN_BURST 2048
/** About one queue, and to one receiver, at each worker: at least this, whatever the link. */
#define SENT_LEAST 1000000
/** To one receiver: at most this part of SENT_RATE. Where SENT_LEAST of each worker is more, all
 * workers together send at most SENT_RECEIVER_MOST. */
#define SENT_RECEIVER_PART 4
#define SENT_RECEIVER_MOST (SENT_RATE / 2)
/** The burst of notices about a queue or to a receiver is what the rate permits in this time. */
#define SENT_BURST_NS 64000
/** Adaptive routing notifications about one queue, and to one neighbour. */
#define SENT_ARN_RATE SENT_LEAST
#define SENT_ARN_QUEUE_BURST 512
/** Notices about the packets of one sender to another node in its place. */
#define SENT_SOURCE_RATE 100000
#define SENT_SOURCE_BURST 32

/* ---- what a node takes, at each worker, by one port ---- */

/** From all nodes: one for each of so many octets of the link, which is about half of it. */
#define TAKEN_OCTETS 256
#define TAKEN_MOST SENT_RATE
#define TAKEN_LEAST (2 * SENT_LEAST)
/** From one node: this part of it, so that others have as much. */
#define TAKEN_NODE_PART 2
/** The bursts are what the rates permit in this time: the bursts of several workers of a node, and
 * what has waited somewhere on the way. */
#define TAKEN_BURST_NS 512000

_Static_assert(TAKEN_MOST / TAKEN_NODE_PART >= SENT_RECEIVER_MOST &&
				TAKEN_LEAST / TAKEN_NODE_PART >= SENT_LEAST &&
				SENT_LEAST >= SENT_ARN_RATE,
		"a node with default limits sends more than another one takes");

#endif /* DEFAULT_RATES_H */
