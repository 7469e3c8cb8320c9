/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A GOAL trace that is being read, as text (goal_parse.c) or in the binary form (goal_binary.c).
 */

#ifndef LAB_GOAL_BUILD_H
#define LAB_GOAL_BUILD_H

#include "goal.h"
#include "goal_table.h"

struct lab_goal_wait;

struct lab_goal_build {
	struct lab_goal *g;
	struct lab_goal_pairs pairs;
	struct lab_goal_wait *wait;
	unsigned int n_waits, n_ops;
};

/** Begin with a number of ranks. @return 0 or -ENOMEM */
int lab_goal_build_ranks(struct lab_goal_build *b, uint32_t n_ranks);

/** Add an operation, whose pair is set. Its index is that of the last one, and 1. @return 0;
 * -ENOSPC, -ENOMEM */
int lab_goal_build_op(struct lab_goal_build *b, const struct lab_goal_op *op);

/** "to waits for from": for its end, or its beginning. @return 0; -ENOSPC, -ENOMEM */
int lab_goal_build_wait(struct lab_goal_build *b, uint32_t from, uint32_t to, bool begin);

/** All has been added. @return 0 or -ENOMEM */
int lab_goal_build_finish(struct lab_goal_build *b);

/** Free what is not part of the trace. */
void lab_goal_build_free(struct lab_goal_build *b);

/** Read the binary form, which begins with a number by which it is known. @return as
 * lab_goal_read()
 */
struct lab_goal *lab_goal_read_binary(const char *data, size_t size, char *err, size_t err_size);
bool lab_goal_is_binary(const char *data, size_t size);

#endif /* LAB_GOAL_BUILD_H */
