/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Traces of group operations (GOAL), as LogGOPSim and ATLAHS read them: for each rank the messages
 * that it sends and receives and the times that it computes, and which of these have to wait for
 * which others.
 *
 *	num_ranks 2
 *	rank 0 {
 *	l1: calc 500
 *	l2: send 1024b to 1 tag 7
 *	l2 requires l1
 *	}
 *	rank 1 {
 *	recv 1024b from 0 tag 7
 *	}
 *
 * "X requires Y": X begins when Y has ended; "X irequires Y": when Y has begun.
 */

#ifndef LAB_GOAL_H
#define LAB_GOAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAB_GOAL_MAX_RANKS 4096u
#define LAB_GOAL_MAX_OPS (1u << 23)
#define LAB_GOAL_MAX_WAITS (1u << 25)
#define LAB_GOAL_MAX_BYTES (UINT64_C(1) << 40)       /**< of a message */
#define LAB_GOAL_MAX_CALC UINT64_C(1000000000000000) /**< ns */
#define LAB_GOAL_ANY UINT32_MAX /**< as the rank to receive from, or as the tag: any */
#define LAB_GOAL_NONE UINT32_MAX

enum lab_goal_kind {
	LAB_GOAL_CALC,
	LAB_GOAL_SEND,
	LAB_GOAL_RECV,
};

/** An operation of a rank. */
struct lab_goal_op {
	uint64_t size; /**< CALC: ns; SEND, RECV: bytes */
	uint32_t rank;
	uint32_t peer; /**< SEND, RECV: the other rank; RECV: or LAB_GOAL_ANY */
	uint32_t tag;  /**< SEND, RECV; RECV: or LAB_GOAL_ANY */
	/** SEND, RECV: index of the pair of ranks, LAB_GOAL_NONE: nothing is sent between them. */
	uint32_t pair;
	uint32_t n_waits;    /**< number of operations that it waits for */
	uint32_t first_next; /**< index in next[] of the first operation that waits for this one */
	uint32_t line; /**< in the text; in the binary form its number in its rank, from 1 on */
	uint8_t kind;  /**< enum lab_goal_kind */
	uint8_t cpu, nic;
};

/** Messages from a rank to another, or to itself. */
struct lab_goal_pair {
	uint32_t from, to;
	uint32_t n;     /**< number of messages */
	uint64_t bytes; /**< the longest of them */
};

struct lab_goal {
	uint32_t n_ranks, n_ops, n_pairs, n_next;
	struct lab_goal_op *op; /**< n_ops, and one more whose first_next is n_next */
	/** Operations that wait: index << 1, + 1 if only for the beginning. */
	uint32_t *next;
	struct lab_goal_pair *pair;
	/** Number of operations of each rank. */
	uint32_t *rank_ops;
	/** The CPUs of rank r are cpu_base[r] to cpu_base[r + 1] - 1 of all; n_ranks + 1 numbers */
	uint32_t *cpu_base;
	bool any;  /**< a message is received from any rank, or with any tag */
	bool nics; /**< an operation uses another NIC than 0 */
};

/**
 * Read a trace, as text or in the binary form (goal_binary.c). Operations are numbered in their
 * order. It may hold any bytes.
 *
 * @return NULL with "LINE:COLUMN: message" in err, "octet N: message" about the binary form
 */
struct lab_goal *lab_goal_read(const char *text, size_t size, char *err, size_t err_size);
void lab_goal_free(struct lab_goal *g);

/**
 * Check that the trace comes to its end when nothing takes any time, and that each message is
 * received: that no operations wait for each other, or for messages that nobody sends. If a trace
 * receives from any rank, the answer may depend on the times, and the check passes.
 *
 * @return 0, -ENOMEM, or -EINVAL with "LINE: message" in err
 */
int lab_goal_check(const struct lab_goal *g, char *err, size_t err_size);

/* ---- running a trace (goal_state.c) ---- */

struct lab_goal_state;

/** What the user of a trace does. Neither function may tell the state of it before it returns, but
 * lab_goal_arrived() and lab_goal_sent() may be called for a message to the same rank. */
struct lab_goal_user {
	/** A CPU begins to compute for op->size ns; lab_goal_calculated() is to follow. */
	void (*calc)(void *arg, uint32_t op, uint32_t cpu);
	/** A message is sent; lab_goal_arrived() and lab_goal_sent() are to follow. Messages of a
	 * pair arrive in the order in which they are sent. */
	void (*send)(void *arg, uint32_t op);
	/** A rank has nothing left to do; may be NULL. */
	void (*rank_done)(void *arg, uint32_t rank);
	void *arg;
};

/** @return NULL when memory is exhausted */
struct lab_goal_state *lab_goal_state_create(
		const struct lab_goal *g, const struct lab_goal_user *user);
void lab_goal_state_free(struct lab_goal_state *s);

/** Begin the trace, also once more after it has ended. */
void lab_goal_begin(struct lab_goal_state *s);
/** A CPU has computed. */
void lab_goal_calculated(struct lab_goal_state *s, uint32_t op);
/** The last byte of a message has arrived. */
void lab_goal_arrived(struct lab_goal_state *s, uint32_t op);
/** A send has ended: its last byte has been acknowledged. */
void lab_goal_sent(struct lab_goal_state *s, uint32_t op);

/** Number of operations that have not ended. */
uint32_t lab_goal_left(const struct lab_goal_state *s);
/** Whether nothing is going on: no CPU computes, and no message is on its way. */
bool lab_goal_idle(const struct lab_goal_state *s);

#endif /* LAB_GOAL_H */
