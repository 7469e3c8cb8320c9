/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Hash tables for reading a GOAL trace: the labels of a rank, and the pairs of ranks with messages.
 * Tables of zeros are empty.
 */

#ifndef LAB_GOAL_TABLE_H
#define LAB_GOAL_TABLE_H

#include "goal.h"

/** A label; the text is not copied. */
struct lab_goal_label {
	const char *text; /**< NULL: the entry is free */
	uint32_t len, op, rank;
};

struct lab_goal_labels {
	struct lab_goal_label *label;
	uint32_t n; /**< of the present rank; to be set to 0 when another rank begins */
	uint32_t room;
};

/** @return 0 or -ENOMEM; a label that the rank has must not be added */
int lab_goal_labels_add(struct lab_goal_labels *labels, const struct lab_goal_label *new);
/** @return NULL when the rank has no such label */
const struct lab_goal_label *lab_goal_labels_find(
		const struct lab_goal_labels *labels, uint32_t rank, const char *text, size_t len);

/** Indices of the pairs of a trace. */
struct lab_goal_pairs {
	uint32_t *slot;
	uint32_t room;
};

/** Find a pair, or add it to the trace. @return its index; LAB_GOAL_NONE when memory is exhausted
 */
uint32_t lab_goal_pairs_take(
		struct lab_goal_pairs *pairs, struct lab_goal *g, uint32_t from, uint32_t to);
/** @return LAB_GOAL_NONE when there is no such pair */
uint32_t lab_goal_pairs_find(const struct lab_goal_pairs *pairs, const struct lab_goal *g,
		uint32_t from, uint32_t to);

#endif /* LAB_GOAL_TABLE_H */
