/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include "goal_build.h"
#include "scenario_private.h"

struct lab_goal_wait {
	uint32_t from, to;
	bool begin;
};

int
lab_goal_build_ranks(struct lab_goal_build *b, uint32_t n_ranks)
{
	b->g->rank_ops = calloc(n_ranks, sizeof(*b->g->rank_ops));
	b->g->cpu_base = calloc((size_t)n_ranks + 1, sizeof(*b->g->cpu_base));
	b->g->n_ranks = n_ranks;
	return b->g->rank_ops != NULL && b->g->cpu_base != NULL ? 0 : -ENOMEM;
}

/* Count a message that is sent in its pair. */
static int
count_message(struct lab_goal_build *b, struct lab_goal_op *op)
{
	struct lab_goal_pair *pair;

	op->pair = lab_goal_pairs_take(&b->pairs, b->g, op->rank, op->peer);
	if (op->pair == LAB_GOAL_NONE)
		return -ENOMEM;
	pair = &b->g->pair[op->pair];
	pair->n++;
	pair->bytes = RTE_MAX(pair->bytes, op->size);
	return 0;
}

int
lab_goal_build_op(struct lab_goal_build *b, const struct lab_goal_op *new)
{
	struct lab_goal *g = b->g;
	struct lab_goal_op *op;

	if (b->n_ops == LAB_GOAL_MAX_OPS)
		return -ENOSPC;
	op = lab_push(&g->op, &b->n_ops, sizeof(*op));
	if (op == NULL)
		return -ENOMEM;
	*op = *new;
	op->pair = LAB_GOAL_NONE;
	g->rank_ops[op->rank]++;
	g->cpu_base[op->rank + 1] = RTE_MAX(g->cpu_base[op->rank + 1], op->cpu + 1u);
	g->nics |= op->nic != 0;
	if (op->kind == LAB_GOAL_RECV)
		g->any |= op->peer == LAB_GOAL_ANY || op->tag == LAB_GOAL_ANY;
	return op->kind == LAB_GOAL_SEND ? count_message(b, op) : 0;
}

int
lab_goal_build_wait(struct lab_goal_build *b, uint32_t from, uint32_t to, bool begin)
{
	struct lab_goal_wait *wait;

	if (b->n_waits == LAB_GOAL_MAX_WAITS)
		return -ENOSPC;
	wait = lab_push(&b->wait, &b->n_waits, sizeof(*wait));
	if (wait == NULL)
		return -ENOMEM;
	*wait = (struct lab_goal_wait){from, to, begin};
	return 0;
}

int
lab_goal_build_finish(struct lab_goal_build *b)
{
	struct lab_goal *g = b->g;
	struct lab_goal_op *last = lab_push(&g->op, &b->n_ops, sizeof(*last));
	uint32_t sum = 0;

	g->next = calloc((size_t)b->n_waits + 1, sizeof(*g->next));
	if (last == NULL || g->next == NULL)
		return -ENOMEM;
	g->n_ops = b->n_ops - 1;
	g->n_next = b->n_waits;
	for (uint32_t w = 0; w < b->n_waits; w++) {
		g->op[b->wait[w].from].first_next++;
		g->op[b->wait[w].to].n_waits++;
	}
	for (uint32_t i = 0; i <= g->n_ops; i++) {
		struct lab_goal_op *op = &g->op[i];

		sum += op->first_next;
		op->first_next = sum;
		if (i < g->n_ops && op->kind == LAB_GOAL_RECV && op->peer != LAB_GOAL_ANY)
			op->pair = lab_goal_pairs_find(&b->pairs, g, op->peer, op->rank);
	}
	/* From the end of each one's part to its beginning, so that their order stays. */
	for (uint32_t w = b->n_waits; w-- > 0;)
		g->next[--g->op[b->wait[w].from].first_next] = b->wait[w].to << 1 |
							       b->wait[w].begin;
	for (uint32_t i = 0; i < g->n_ranks; i++)
		g->cpu_base[i + 1] += g->cpu_base[i];
	return 0;
}

void
lab_goal_build_free(struct lab_goal_build *b)
{
	free(b->wait);
	free(b->pairs.slot);
}

void
lab_goal_free(struct lab_goal *g)
{
	if (g == NULL)
		return;
	free(g->op);
	free(g->next);
	free(g->pair);
	free(g->rank_ops);
	free(g->cpu_base);
	free(g);
}
