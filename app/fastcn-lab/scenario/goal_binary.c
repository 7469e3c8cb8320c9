/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * GOAL traces in the binary form that LogGOPSim's txt2bin writes and its simulators read. All
 *numbers are little-endian, and not aligned:
 *
 *	8 octets: 4223
 *	4: number of ranks; 1: CPUs; 1: NICs
 *	for each rank, 8 and 8: where its part begins and ends, counted from behind the first 8
 *octets its part: 4: number of operations; 4: how many wait for nothing; 4 for each of these for
 *each operation, 39: how many it waits for (4), kind (1), rank (4), size (8), tag (4), CPU (1), NIC
 *(1), how many wait for its end (4) and where these are in the list (4), the same for its beginning
 *(4, 4) the list: 4 for each, an operation that waits
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>

#include "goal_build.h"

#define COOKIE 4223u
#define COOKIE_LEN 8u
#define HEAD_LEN 6u
#define PART_LEN 16u
#define OP_LEN 39u

enum {
	BINARY_SEND = 1,
	BINARY_RECV,
	BINARY_CALC,
};

struct reader {
	const uint8_t *data; /* behind the first number */
	size_t size;
	struct lab_goal_build build;
	char *err;
	size_t err_size;
};

static int __attribute__((format(printf, 3, 4)))
wrong(const struct reader *r, size_t at, const char *fmt, ...)
{
	int used = snprintf(r->err, r->err_size, "octet %zu: ", COOKIE_LEN + at);
	va_list ap;

	va_start(ap, fmt);
	if (used > 0 && (size_t)used < r->err_size)
		vsnprintf(r->err + used, r->err_size - (size_t)used, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

static uint32_t
get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return rte_le_to_cpu_32(v);
}

static uint64_t
get64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return rte_le_to_cpu_64(v);
}

/* The part of a rank. */
struct part {
	size_t begin, end;
	size_t ops, list; /* where these begin */
	uint32_t rank, n_ops, first_op;
};

static int
find_part(const struct reader *r, uint32_t rank, struct part *part)
{
	const uint8_t *entry = r->data + HEAD_LEN + (size_t)rank * PART_LEN;
	const uint64_t begin = get64(entry), end = get64(entry + sizeof(begin));
	uint64_t roots;

	if (begin > end || end > r->size || end - begin < 8)
		return wrong(r, (size_t)(entry - r->data),
				"the part of rank %u is not within the file", rank);
	*part = (struct part){.begin = (size_t)begin, .end = (size_t)end, .rank = rank};
	part->n_ops = get32(r->data + begin);
	roots = get32(r->data + begin + 4);
	if (8 + 4 * roots + OP_LEN * (uint64_t)part->n_ops > end - begin)
		return wrong(r, part->begin, "rank %u has no room for %u operations", rank,
				part->n_ops);
	part->ops = part->begin + 8 + 4 * (size_t)roots;
	part->list = part->ops + OP_LEN * (size_t)part->n_ops;
	part->first_op = r->build.n_ops;
	return 0;
}

/* Check a message. */
static int
check_message(const struct reader *r, size_t at, const struct lab_goal_op *op)
{
	const bool recv = op->kind == LAB_GOAL_RECV;

	if (op->size > LAB_GOAL_MAX_BYTES)
		return wrong(r, at, "a number of bytes is at most %" PRIu64, LAB_GOAL_MAX_BYTES);
	if (op->peer >= r->build.g->n_ranks && !(recv && op->peer == LAB_GOAL_ANY))
		return wrong(r, at, "there are %u ranks, the last one is %u", r->build.g->n_ranks,
				r->build.g->n_ranks - 1);
	if (!recv && op->tag == LAB_GOAL_ANY)
		return wrong(r, at, "a tag is at most %u", LAB_GOAL_ANY - 1);
	return 0;
}

static int
read_op(struct reader *r, const struct part *part, uint32_t i)
{
	const size_t at = part->ops + (size_t)i * OP_LEN;
	const uint8_t *p = r->data + at;
	struct lab_goal_op op = {.rank = part->rank,
			.peer = get32(p + 5),
			.size = get64(p + 9),
			.tag = get32(p + 17),
			.cpu = p[21],
			.nic = p[22],
			.line = i + 1};
	int rc = 0;

	switch (p[4]) {
	case BINARY_SEND:
		op.kind = LAB_GOAL_SEND;
		rc = check_message(r, at, &op);
		break;
	case BINARY_RECV:
		op.kind = LAB_GOAL_RECV;
		rc = check_message(r, at, &op);
		break;
	case BINARY_CALC:
		op.kind = LAB_GOAL_CALC;
		if (op.size > LAB_GOAL_MAX_CALC)
			rc = wrong(r, at, "a time in ns is at most %" PRIu64, LAB_GOAL_MAX_CALC);
		break;
	default:
		rc = wrong(r, at, "there is no kind of operation %u", p[4]);
	}
	if (rc == 0)
		rc = lab_goal_build_op(&r->build, &op);
	return rc == -ENOSPC ? wrong(r, at, "there are more than %u operations", LAB_GOAL_MAX_OPS)
			     : rc;
}

/* Read those that wait for an operation. */
static int
read_waits(struct reader *r, const struct part *part, uint32_t op, const uint8_t *p, bool begin)
{
	const uint64_t n = get32(p), first = get32(p + 4), room = (part->end - part->list) / 4;
	const size_t at = (size_t)(p - r->data);
	int rc = 0;

	if (n > 0 && first + n > room)
		return wrong(r, at, "what waits is not within the part of rank %u", part->rank);
	for (uint64_t i = first; rc == 0 && i < first + n; i++) {
		const uint32_t to = get32(r->data + part->list + 4 * (size_t)i);

		if (to >= part->n_ops || to == op)
			rc = wrong(r, part->list + 4 * (size_t)i,
					"rank %u has no operation %u that could wait", part->rank,
					to);
		else
			rc = lab_goal_build_wait(
					&r->build, part->first_op + op, part->first_op + to, begin);
	}
	return rc == -ENOSPC ? wrong(r, at, "more than %u operations wait", LAB_GOAL_MAX_WAITS)
			     : rc;
}

static int
read_part(struct reader *r, uint32_t rank)
{
	struct part part;
	int rc = find_part(r, rank, &part);

	for (uint32_t i = 0; rc == 0 && i < part.n_ops; i++)
		rc = read_op(r, &part, i);
	for (uint32_t i = 0; rc == 0 && i < part.n_ops; i++) {
		const uint8_t *p = r->data + part.ops + (size_t)i * OP_LEN;

		rc = read_waits(r, &part, i, p + 23, false);
		if (rc == 0)
			rc = read_waits(r, &part, i, p + 31, true);
	}
	return rc;
}

static int
read_all(struct reader *r)
{
	uint32_t n;
	int rc;

	if (r->size < HEAD_LEN)
		return wrong(r, r->size, "the file ends before the number of ranks");
	n = get32(r->data);
	if (n == 0 || n > LAB_GOAL_MAX_RANKS)
		return wrong(r, 0, "the number of ranks must be 1 to %u", LAB_GOAL_MAX_RANKS);
	if (r->size < HEAD_LEN + (size_t)n * PART_LEN)
		return wrong(r, r->size, "the file ends before the parts of %u ranks", n);
	rc = lab_goal_build_ranks(&r->build, n);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		rc = read_part(r, i);
	return rc == 0 ? lab_goal_build_finish(&r->build) : rc;
}

bool
lab_goal_is_binary(const char *data, size_t size)
{
	return size >= COOKIE_LEN && get64((const uint8_t *)data) == COOKIE;
}

struct lab_goal *
lab_goal_read_binary(const char *data, size_t size, char *err, size_t err_size)
{
	struct lab_goal *g = calloc(1, sizeof(*g));
	struct reader r = {.data = (const uint8_t *)data + COOKIE_LEN,
			.size = size - COOKIE_LEN,
			.build = {.g = g},
			.err = err,
			.err_size = err_size};
	int rc = g == NULL ? -ENOMEM : read_all(&r);

	if (rc == -ENOMEM)
		snprintf(err, err_size, "%s", strerror(ENOMEM));
	lab_goal_build_free(&r.build);
	if (rc == 0)
		return g;
	lab_goal_free(g);
	return NULL;
}
