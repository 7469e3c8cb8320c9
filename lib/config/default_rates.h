/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Default limits of the rate of messages about congestion: those that a node sends, and those that
 * it accepts from other nodes. The limits of what is accepted follow from those of what is sent, so
 * that a node accepts all that another node with default limits sends. Rates are messages of
 * one kind per second, and bursts are messages. Kinds are Fast CNPs to senders (they are only
 * sent), Fast CNPs to END.CON, congestion notification messages, and adaptive routing
 * notifications. Internal to lib/config; doc/decisions.md has the reasons.
 */

#ifndef DEFAULT_RATES_H
#define DEFAULT_RATES_H

/* ---- what a node sends ---- */

/** Limit of the messages of one kind to all receivers together; the workers have equal parts. */
#define SENT_RATE 10000000
#define SENT_BURST 1024
#define SENT_ARN_BURST 2048
/** What the limits at each worker, of messages about one queue and of those to one receiver, are at
 * least, however slow the link is. That of messages to one receiver is less if so much at each
 * worker is more than SENT_RECEIVER_MOST for all together. */
#define SENT_LEAST 1000000
/** Limit of messages to one receiver: all workers together send at most the rate of all messages
 * divided by SENT_RECEIVER_PART, or, if that is more, what SENT_LEAST at each of them comes to, but
 * not more than SENT_RECEIVER_MOST then. */
#define SENT_RECEIVER_PART 4
#define SENT_RECEIVER_MOST (SENT_RATE / 2)
/** The burst of notices about a queue or to a receiver is what the rate permits in this time. */
#define SENT_BURST_NS 64000
/** Limit of adaptive routing notifications about one queue, and of those to one neighbour. */
#define SENT_ARN_RATE SENT_LEAST
#define SENT_ARN_QUEUE_BURST 512
/** Limit of notices about the packets of one sender that go to another node in its place. */
#define SENT_SOURCE_RATE 100000
#define SENT_SOURCE_BURST 32

/* ---- what a node accepts, at each worker, by one port ---- */

/** From all nodes: one message for each of so many octets that the link can carry. Messages that
 * arrive at this rate take about half of the link. */
#define TAKEN_OCTETS 256
#define TAKEN_MOST SENT_RATE
#define TAKEN_LEAST (2 * SENT_LEAST)
/** From one node: the limit of all nodes divided by this, so that others have as much. */
#define TAKEN_NODE_PART 2
/** The bursts are what the rates permit in this time: the bursts of several workers of a node, and
 * what has waited somewhere on the way. */
#define TAKEN_BURST_NS 512000

_Static_assert(TAKEN_MOST / TAKEN_NODE_PART >= SENT_RECEIVER_MOST &&
				TAKEN_LEAST / TAKEN_NODE_PART >= SENT_LEAST &&
				SENT_LEAST >= SENT_ARN_RATE,
		"a node with default limits sends more than another one takes");

#endif /* DEFAULT_RATES_H */
