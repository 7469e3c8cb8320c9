/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A frame is explained, and then received: nothing has changed in between, and what was said is
 * what the switch counts. Included by test_explain.c only, in which worker() and arrive() are.
 */

#ifndef EXPLAIN_CHECK_H
#define EXPLAIN_CHECK_H

/* ---- what the switch has counted ---- */

struct counts {
	uint64_t accepted[PORTS][FCN_CLASSES]; /* by class queue */
	uint64_t drop[FCN_DROP_REASON_COUNT];
	uint64_t verdict[FCN_NOTICE_KIND_MAX][FCN_NOTIFY_VERDICT_COUNT];
	uint64_t marked, consumed;
};

static struct counts
count(void)
{
	struct fcn_worker *w = worker();
	struct counts c = {0};

	for (unsigned int p = 0; p < PORTS; p++) {
		c.consumed += w->counters[p].consumed;
		for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
			c.drop[r] += w->counters[p].drop[r];
		for (unsigned int k = 0; k < FCN_CLASSES; k++) {
			const struct fcn_queue *q = &w->port[p].egress->queue[k];

			c.accepted[p][k] = q->stats.deq_packets + q->stats.discarded_packets +
					   fcn_queue_packets(q);
			c.marked += q->stats.ce_marked;
			for (unsigned int n = 0; n < fcn_notice_kind_count; n++) {
				for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++)
					c.verdict[n][v] += w->notify[n].stats[p][k].verdict[v];
			}
		}
	}
	return c;
}

/* ---- nothing changes ---- */

/* All that a worker has, and what the switch shows of it. */
struct everything {
	struct fcn_worker worker;
	struct fcn_egress egress[PORTS];
	struct fcn_notify_state notify[FCN_NOTICE_KIND_MAX];
	char *shown;
	unsigned int buffers;
	uint32_t macs;
};

static char *
shown(void)
{
	static const char *const lines[] = {"show summary json", "show queue all json",
			"show drops json", "show notify json", "show trace json", "show mac json",
			"show conservation json", "show buffer json", "show host json",
			"show events json", "show flows json"};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned int i = 0; i < RTE_DIM(lines); i++) {
		app_ok(lines[i]);
		fputs(app_output(), out);
	}
	fclose(out);
	return text;
}

static unsigned int remembered;

static struct everything *
remember(void)
{
	struct everything *e = aligned_alloc(RTE_CACHE_LINE_SIZE, sizeof(*e));

	assert_non_null(e);
	/* It takes long. */
	e->shown = remembered++ % 16 == 0 ? shown() : NULL;
	memcpy(&e->worker, worker(), sizeof(e->worker));
	for (unsigned int p = 0; p < PORTS; p++)
		e->egress[p] = *worker()->port[p].egress;
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		memcpy(&e->notify[k], &worker()->notify[k], sizeof(e->notify[k]));
	e->buffers = rte_mempool_avail_count(platform.pool);
	e->macs = fcn_mac_table_count(worker()->macs);
	return e;
}

static void
assert_unchanged(struct everything *e)
{
	char *after = e->shown != NULL ? shown() : NULL;

	if (after != NULL)
		assert_string_equal(e->shown, after);
	assert_memory_equal(&e->worker, worker(), sizeof(e->worker));
	for (unsigned int p = 0; p < PORTS; p++)
		assert_memory_equal(&e->egress[p], worker()->port[p].egress, sizeof(e->egress[p]));
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
		assert_memory_equal(&e->notify[k], &worker()->notify[k], sizeof(e->notify[k]));
	assert_int_equal(rte_mempool_avail_count(platform.pool), e->buffers);
	assert_int_equal(fcn_mac_table_count(worker()->macs), e->macs);
	free(after);
	free(e->shown);
	free(e);
}

/* ---- explanation and packet ---- */

static json_t *
explained(const char *line)
{
	json_t *v;

	app_ok(line);
	v = json_loads(app_output(), 0, NULL);
	if (v == NULL)
		fail_msg("%s gave: %s", line, app_output());
	return v;
}

static json_t *
explain_frame(unsigned int port, const struct explain_frame *f)
{
	char line[FCN_COMMAND_MAX_LINE];
	int n = snprintf(line, sizeof(line), "explain in p%u size %u json hex ", port, f->len);

	for (uint32_t i = 0; i < RTE_MIN(f->len, 300u); i++)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "%02x", f->data[i]);
	return explained(line);
}

static const char *
string(const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));

	return s != NULL ? s : "-";
}

/* Get the verdict on a kind of notice. */
static const char *
verdict_of(const json_t *v, unsigned int kind)
{
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(v, "notices"), i, row) {
		if (strcmp(string(row, "kind"), fcn_notice_kind_of(kind)->name) == 0)
			return string(row, "verdict");
	}
	return "-";
}

/* Check that the queues got just the packets that `outputs` has. */
static void
assert_outputs(const json_t *v, const struct counts *before, const struct counts *after)
{
	uint64_t said[PORTS][FCN_CLASSES] = {0};
	json_t *row;
	size_t i;

	json_array_foreach (json_object_get(v, "outputs"), i, row) {
		const unsigned int port = (unsigned int)string(row, "port")[1] - '0';

		assert_in_range(port, 0, PORTS - 1);
		said[port][number(row, "class")]++;
	}
	for (unsigned int p = 0; p < PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			assert_int_equal(
					said[p][c], after->accepted[p][c] - before->accepted[p][c]);
	}
}

static void
assert_drops(const json_t *v, const struct counts *before, const struct counts *after)
{
	const bool dropped = strcmp(string(v, "outcome"), "dropped") == 0;

	for (unsigned int r = 1; r < FCN_DROP_REASON_COUNT; r++) {
		const bool said = dropped && strcmp(string(v, "drop"), fcn_drop_name(r)) == 0;

		if (after->drop[r] - before->drop[r] != said)
			fail_msg("%s: %u, but %s is said", fcn_drop_name(r),
					(unsigned int)(after->drop[r] - before->drop[r]),
					string(v, "drop"));
	}
}

static void
assert_verdicts(const json_t *v, const struct counts *before, const struct counts *after)
{
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		for (unsigned int n = 1; n < FCN_NOTIFY_VERDICT_COUNT; n++) {
			const char *name = fcn_notify_verdict_name(fcn_notice_kind_of(k), n);
			const bool said = fcn_notify_verdict_exists(fcn_notice_kind_of(k), n) &&
					  strcmp(verdict_of(v, k), name) == 0;

			if (after->verdict[k][n] - before->verdict[k][n] != said)
				fail_msg("%s %s: %u, but %s is said", fcn_notice_kind_of(k)->name,
						name,
						(unsigned int)(after->verdict[k][n] -
								before->verdict[k][n]),
						verdict_of(v, k));
		}
	}
}

/*
 * Explain a frame, check that this has changed nothing, let it arrive, and check that it was right.
 *
 * @return the explanation, which the caller releases
 */
static json_t *
check(unsigned int port, const struct explain_frame *f)
{
	struct everything *e = remember();
	json_t *v = explain_frame(port, f), *queue;
	struct counts before, after;

	assert_unchanged(e);
	before = count();
	arrive(port, f);
	after = count();
	assert_outputs(v, &before, &after);
	assert_drops(v, &before, &after);
	assert_verdicts(v, &before, &after);
	queue = json_object_get(v, "queue");
	assert_int_equal(after.marked - before.marked,
			json_is_true(json_object_get(queue, "ce_marked")));
	assert_int_equal(after.consumed - before.consumed,
			strcmp(string(v, "outcome"), "delivered") == 0);
	return v;
}

#endif /* EXPLAIN_CHECK_H */
