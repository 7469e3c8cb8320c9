/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Answers of rdma netlink, as fastcn-host reads them into its map of queue pairs. The input is a
 * list of steps, an octet each: what happens and, for a datagram, a length of 16 bits and the
 * octets. The others are begin and end of a round, and events of probes.
 *
 * What is told stays consistent: nothing is added twice, or removed without having been added.
 */

#include "fuzz.h"
#include "qp_map.h"

#define SEQ 1
#define MOST 64

/* The queue pairs that were told, by number. */
struct told {
	struct host_qp qp[MOST];
	unsigned int n;
};

static void
added(void *arg, const struct host_qp *qp)
{
	struct told *t = arg;

	require(t->n < MOST);
	t->qp[t->n++] = *qp;
}

static void
removed(void *arg, const struct host_qp *qp)
{
	struct told *t = arg;
	unsigned int i = 0;

	while (i < t->n && memcmp(&t->qp[i], qp, sizeof(*qp)) != 0)
		i++;
	require(i < t->n);
	t->qp[i] = t->qp[--t->n];
}

static void
device(void *arg, uint32_t index, const char *name, bool is_roce)
{
	require(strlen(name) < RDMA_NL_NAME_SIZE);
	if (is_roce)
		(void)qp_map_device(arg, index, name);
}

static void
qp(void *arg, const struct rdma_nl_qp *q)
{
	qp_map_qp(arg, q);
}

static void
cm_id(void *arg, const struct rdma_nl_cm_id *id)
{
	qp_map_cm_id(arg, id);
}

static void
end(void *arg, int error)
{
	(void)arg;
	require(error <= 0);
}

static void
read_datagram(struct qp_map *map, struct fuzz_input *in)
{
	const struct rdma_nl_sink sink = {device, qp, cm_id, end, map};
	size_t n = (size_t)fuzz_take(in) << 8;
	uint8_t *data;

	n |= fuzz_take(in);
	n = n < in->left ? n : in->left;
	data = fuzz_exact(in->at, (uint32_t)n);
	in->at += n;
	in->left -= n;
	(void)rdma_nl_read(data, n, SEQ, &sink);
	free(data);
}

static void
event(struct qp_map *map, struct fuzz_input *in)
{
	const uint8_t what = fuzz_take(in);
	struct qp_map_event e = {.device = fuzz_take(in) & 3,
			.local_qp = fuzz_take(in) & 31,
			.remote_qp = fuzz_take(in) & 31,
			.state = fuzz_take(in) & 7,
			.is_destroyed = (what & 7) == 0,
			.has_state = (what & 8) != 0,
			.has_remote_qp = (what & 16) != 0,
			.has_addresses = (what & 32) != 0,
			.is_roce_v2 = (what & 64) != 0};

	e.local[15] = e.remote[15] = what >> 7;
	(void)qp_map_event(map, &e);
}

static void
check(void *arg, const struct host_qp_view *view)
{
	unsigned int *n = arg;

	require(view->reason < HOST_QP_REASON_COUNT && view->state != NULL);
	(*n)++;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct host_qp_ops ops = {added, removed};
	struct told told = {.n = 0};
	const struct qp_map_conf conf = {.ops = &ops, .arg = &told, .most = MOST};
	struct qp_map *map = qp_map_create(&conf);
	struct fuzz_input in = {data, size};
	struct host_qp_counts counts = {0};
	unsigned int n = 0;

	require(map != NULL);
	qp_map_begin(map);
	while (in.left > 0) {
		switch (fuzz_take(&in) & 7) {
		case 0:
			qp_map_end(map, true);
			qp_map_begin(map);
			break;
		case 1:
			qp_map_end(map, false);
			qp_map_begin(map);
			break;
		case 2:
			(void)qp_map_wants_cm_ids(map);
			break;
		case 3:
			(void)qp_map_wants_again(map);
			break;
		case 4:
			event(map, &in);
			break;
		default:
			read_datagram(map, &in);
		}
	}
	qp_map_counts(map, &counts);
	require(counts.told == told.n && counts.queue_pairs <= MOST);
	qp_map_walk(map, size % 2 == 0, check, &n);
	require(n <= counts.queue_pairs);
	qp_map_free(map);
	return 0;
}
