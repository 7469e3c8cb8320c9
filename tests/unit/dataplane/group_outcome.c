/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "group_outcome.h"
#include "mix.h"

#define MAGIC 0x464C4F57

/* ---- what comes out ---- */

void
outcome_reset(struct outcome *o)
{
	free(o->frame);
	free(o->event);
	free(o->punt);
	memset(o, 0, sizeof(*o));
}

static void
write_be32(uint8_t *p, uint32_t value)
{
	for (unsigned int i = 0; i < 4; i++)
		p[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t
read_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

void
outcome_mark(struct frame *f, uint32_t flow, uint8_t class, uint32_t number)
{
	uint8_t *mark = f->data + f->len - OUTCOME_MARK_LEN;

	write_be32(mark, MAGIC);
	write_be32(mark + 4, flow);
	write_be32(mark + 8, number);
	mark[12] = class;
}

/* Get the class of a frame without a mark, by its DSCP or its tag. */
static uint8_t
class_of(const uint8_t *data)
{
	unsigned int off = 12, tagged = data[12] == 0x81 && data[13] == 0;
	uint8_t class = tagged ? data[14] >> 5 : 0;

	off += tagged ? 4 : 0;
	if (data[off] == 0x86 && data[off + 1] == 0xDD)
		class = data[off + 2] >> 1 & 7;
	else if (data[off] == 0x08 && data[off + 1] == 0)
		class = data[off + 3] >> 5;
	return class;
}

/* Make room for one more element. */
static void *
grow(void *array, unsigned int n, unsigned int *max, size_t size)
{
	if (n < *max)
		return array;
	*max = RTE_MAX(1024u, 2 * *max);
	array = realloc(array, *max * size);
	assert_non_null(array);
	return array;
}

static void
take_frame(struct outcome *o, uint16_t port, const struct rte_mbuf *m)
{
	static uint8_t copy[FRAME_MAX];
	const uint8_t *data;
	struct outcome_frame *f;

	assert_true(m->pkt_len <= sizeof(copy));
	rte_mbuf_sanity_check(m, 1);
	data = rte_pktmbuf_read(m, 0, m->pkt_len, copy);
	o->frame = grow(o->frame, o->n_frames, &o->max_frames, sizeof(*o->frame));
	f = &o->frame[o->n_frames++];
	*f = (struct outcome_frame){.flow = OUTCOME_NO_FLOW,
			.sum = mix_of(data, m->pkt_len),
			.len = m->pkt_len,
			.port = port,
			.class = class_of(data)};
	memcpy(f->head, data, RTE_MIN(sizeof(f->head), m->pkt_len));
	data += m->pkt_len - OUTCOME_MARK_LEN;
	if (m->pkt_len >= 60 && read_be32(data) == MAGIC) {
		f->flow = read_be32(data + 4);
		f->number = read_be32(data + 8);
		f->class = data[12];
	}
}

void
outcome_take_frames(struct outcome *o)
{
	for (uint16_t p = 0; p < OUTCOME_PORTS; p++) {
		for (unsigned int i = 0; i < bench.port[p].n_out; i++)
			take_frame(o, p, bench.port[p].out[i]);
	}
}

static void
add_record(struct outcome_record **all, unsigned int *n, unsigned int *max,
		struct outcome_record record)
{
	*all = grow(*all, *n, max, sizeof(record));
	(*all)[(*n)++] = record;
}

static void
take_punts(struct outcome *o, struct fcn_worker *w)
{
	struct fcn_punt punt;

	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		while (fcn_punt_dequeue(w->punts, k, &punt)) {
			struct outcome_record r = {
					.what = {punt.reason, (uint8_t)punt.in_port, punt.class}};

			r.sum = mix_of(rte_pktmbuf_mtod(punt.mbuf, const void *),
					punt.mbuf->data_len);
			mix(&r.sum, punt.interface);
			mix(&r.sum, punt.table);
			mix(&r.sum, punt.l3_off);
			rte_pktmbuf_free(punt.mbuf);
			add_record(&o->punt, &o->n_punts, &o->max_punts, r);
		}
	}
}

void
outcome_take_records(struct outcome *o, struct fcn_worker *w)
{
	struct fcn_event ev;

	while (rte_ring_sc_dequeue_elem(w->events, &ev, sizeof(ev)) == 0) {
		struct outcome_record r = {
				.what = {ev.type, ev.class, ev.verdict, (uint8_t)ev.port}};

		/* What packets of another worker leave on an account it hears of at once. */
		if (ev.type == FCN_EVENT_PFC_XON)
			ev.occupancy = 0;
		r.sum = mix_of(&ev, sizeof(ev));
		add_record(&o->event, &o->n_events, &o->max_events, r);
	}
	take_punts(o, w);
}

/* Add numbers of 64 bits to others. */
static void
add_all(void *sum, const void *part, size_t size)
{
	uint64_t *to = sum;
	const uint64_t *from = part;

	for (size_t i = 0; i < size / sizeof(*to); i++)
		to[i] += from[i];
}

static void
add_queue(struct outcome_queue *to, const struct fcn_queue *q)
{
	add_all(&to->stats, &q->stats, sizeof(q->stats));
	to->enters += q->detector.enters;
	to->leaves += q->detector.leaves;
	to->packets += fcn_queue_packets(q);
	to->bytes += q->bytes;
}

static void
add_ingress(struct fcn_ingress *sum, const struct fcn_ingress *part)
{
	uint64_t lost_packets = sum->lost_packets + part->lost_packets;
	uint64_t lost_bytes = sum->lost_bytes + part->lost_bytes;

	sum->used += part->used;
	sum->headroom += part->headroom;
	sum->xoff |= part->xoff;
	sum->used_max += part->used_max;
	sum->headroom_max += part->headroom_max;
	sum->lost_packets = lost_packets;
	sum->lost_bytes = lost_bytes;
}

static void
add_worker(struct outcome_sums *s, const struct fcn_worker *w)
{
	add_all(s->port, w->counters, sizeof(s->port));
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (w->port[p].egress != NULL)
				add_queue(&s->queue[p][c], &w->port[p].egress->queue[c]);
			add_ingress(&s->ingress[p][c], &w->ingress[p][c]);
			for (unsigned int k = 0; k < fcn_notice_kind_count; k++)
				add_all(&s->notify[k][p][c], &w->notify[k].stats[p][c],
						sizeof(s->notify[k][p][c]));
		}
	}
	add_all(s->sid, w->srv6.sid, sizeof(s->sid));
	add_all(s->ecn, w->srv6.ecn, sizeof(s->ecn));
	s->endcon_taken += w->srv6.endcon.taken;
	s->events_made += w->events_made;
	s->events_lost += w->events_lost;
	s->learn_lost += w->learn_lost;
}

void
outcome_add_counters(struct outcome *o, struct fcn_worker *const *workers, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		add_worker(&o->sums, workers[i]);
		fcn_worker_conservation(workers[i], &o->conservation);
		for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++)
			fcn_worker_notice_accounting(workers[i], k, &o->notices[k]);
	}
}

/* ---- comparisons ---- */

static int
compare_frames(const void *a, const void *b)
{
	const struct outcome_frame *x = *(const struct outcome_frame *const *)a;
	const struct outcome_frame *y = *(const struct outcome_frame *const *)b;

	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return x < y ? -1 : x > y; /* in the order in which they left */
}

void
outcome_check_order(const struct outcome *o)
{
	const struct outcome_frame **f = calloc(o->n_frames + 1, sizeof(*f));

	assert_non_null(f);
	for (unsigned int i = 0; i < o->n_frames; i++)
		f[i] = &o->frame[i];
	qsort(f, o->n_frames, sizeof(*f), compare_frames);
	for (unsigned int i = 1; i < o->n_frames; i++) {
		if (f[i]->flow == OUTCOME_NO_FLOW || f[i]->flow != f[i - 1]->flow ||
				f[i]->port != f[i - 1]->port || f[i]->number > f[i - 1]->number)
			continue;
		print_error("flow %u at port %u: %u behind %u\n", f[i]->flow, f[i]->port,
				f[i]->number, f[i - 1]->number);
		fail();
	}
	free(f);
}

static void
print_frame(const char *whose, const struct outcome_frame *f)
{
	if (f == NULL) {
		print_error("%s: no frame\n", whose);
		return;
	}
	print_error("%s: flow %d, number %u, port %u, class %u, %u octets:", whose, (int)f->flow,
			f->number, f->port, f->class, f->len);
	for (unsigned int i = 0; i < RTE_MIN(sizeof(f->head), f->len); i++)
		print_error("%s%02x", i % 4 == 2 ? " " : "", f->head[i]);
	print_error("\n");
}

/* A frame and its series: what one receive queue brought that left by one port in one class. */
struct in_series {
	unsigned int series;
	const struct outcome_frame *frame;
};

static int
compare_series(const void *a, const void *b)
{
	const struct in_series *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return x->frame < y->frame ? -1 : x->frame > y->frame; /* in the order in which they left */
}

/* Get the frames with a mark by series. @param n result: number of frames */
static struct in_series *
series_of(const struct outcome *o, const uint8_t *queue, unsigned int *n)
{
	struct in_series *s = calloc(o->n_frames + 1, sizeof(*s));

	assert_non_null(s);
	*n = 0;
	for (unsigned int i = 0; i < o->n_frames; i++) {
		const struct outcome_frame *f = &o->frame[i];

		if (f->flow == OUTCOME_NO_FLOW)
			continue;
		s[(*n)++] = (struct in_series){
				(queue[f->flow] * OUTCOME_PORTS + f->port) * FCN_CLASSES + f->class,
				f};
	}
	qsort(s, *n, sizeof(*s), compare_series);
	return s;
}

static void
check_series(const struct outcome *one, const struct outcome *many, const uint8_t *queue)
{
	unsigned int n_one, n_many;
	struct in_series *a = series_of(one, queue, &n_one), *b = series_of(many, queue, &n_many);

	for (unsigned int i = 0; i < RTE_MAX(n_one, n_many); i++) {
		const struct outcome_frame *x = i < n_one ? a[i].frame : NULL;
		const struct outcome_frame *y = i < n_many ? b[i].frame : NULL;

		if (x != NULL && y != NULL && a[i].series == b[i].series && x->sum == y->sum)
			continue;
		print_frame("one worker", x);
		print_frame("several workers", y);
		fail();
	}
	free(a);
	free(b);
}

static int
compare_sums(const void *a, const void *b)
{
	const struct outcome_frame *x = a, *y = b;

	if (x->port != y->port)
		return x->port < y->port ? -1 : 1;
	return x->sum < y->sum ? -1 : x->sum > y->sum;
}

/* Get the frames without a mark, in an order of their own. */
static struct outcome_frame *
unmarked_of(const struct outcome *o, unsigned int *n)
{
	struct outcome_frame *f = calloc(o->n_frames + 1, sizeof(*f));

	assert_non_null(f);
	*n = 0;
	for (unsigned int i = 0; i < o->n_frames; i++) {
		if (o->frame[i].flow == OUTCOME_NO_FLOW)
			f[(*n)++] = o->frame[i];
	}
	qsort(f, *n, sizeof(*f), compare_sums);
	return f;
}

static void
check_unmarked(const struct outcome *one, const struct outcome *many)
{
	unsigned int n_one, n_many;
	struct outcome_frame *a = unmarked_of(one, &n_one), *b = unmarked_of(many, &n_many);

	for (unsigned int i = 0; i < RTE_MAX(n_one, n_many); i++) {
		const bool both = i < n_one && i < n_many;

		if (both && compare_sums(&a[i], &b[i]) == 0)
			continue;
		print_frame("one worker", i < n_one ? &a[i] : NULL);
		print_frame("several workers", i < n_many ? &b[i] : NULL);
		fail();
	}
	free(a);
	free(b);
}

static int
compare_records(const void *a, const void *b)
{
	const struct outcome_record *x = a, *y = b;
	int what = memcmp(x->what, y->what, sizeof(x->what));

	return what != 0 ? what : x->sum < y->sum ? -1 : x->sum > y->sum;
}

static void
check_records(const char *kind, struct outcome_record *a, unsigned int n_a,
		struct outcome_record *b, unsigned int n_b)
{
	if (n_a != 0)
		qsort(a, n_a, sizeof(*a), compare_records);
	if (n_b != 0)
		qsort(b, n_b, sizeof(*b), compare_records);
	for (unsigned int i = 0; i < RTE_MIN(n_a, n_b); i++) {
		if (compare_records(&a[i], &b[i]) == 0)
			continue;
		print_error("%s %u: with one worker %u %u %u %u, with several %u %u %u %u\n", kind,
				i, a[i].what[0], a[i].what[1], a[i].what[2], a[i].what[3],
				b[i].what[0], b[i].what[1], b[i].what[2], b[i].what[3]);
		fail();
	}
	assert_int_equal(n_a, n_b);
}

static void
check_words(const char *what, unsigned int index, const void *one, const void *many, size_t size)
{
	const uint64_t *a = one, *b = many;

	for (size_t i = 0; i < size / sizeof(*a); i++) {
		if (a[i] == b[i])
			continue;
		print_error("%s %u, octet %zu: %llu with one worker, %llu with several\n", what,
				index, i * sizeof(*a), (unsigned long long)a[i],
				(unsigned long long)b[i]);
		fail();
	}
}

static void
check_drops(unsigned int port, const struct fcn_port_counters *a, const struct fcn_port_counters *b)
{
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++) {
		if (a->drop[r] != b->drop[r])
			print_error("port %u, %s:\n", port, fcn_drop_name(r));
		assert_int_equal(a->drop[r], b->drop[r]);
	}
}

static void
check_counters(const struct outcome *one, const struct outcome *many)
{
	const struct outcome_sums *a = &one->sums, *b = &many->sums;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		check_drops(p, &a->port[p], &b->port[p]);
		check_words("counters of port", p, &a->port[p], &b->port[p], sizeof(a->port[p]));
	}
	for (unsigned int p = 0; p < OUTCOME_PORTS; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			check_words("queue", 10 * p + c, &a->queue[p][c], &b->queue[p][c],
					sizeof(a->queue[p][c]));
			check_words("account", 10 * p + c, &a->ingress[p][c], &b->ingress[p][c],
					sizeof(a->ingress[p][c]));
			for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++)
				check_words("verdicts", 10 * p + c, &a->notify[k][p][c],
						&b->notify[k][p][c], sizeof(a->notify[k][p][c]));
		}
	}
	check_words("other counters", 0, a->sid, b->sid,
			sizeof(*a) - offsetof(struct outcome_sums, sid));
	for (unsigned int k = 0; k < FCN_NOTICE_KIND_MAX; k++) {
		struct fcn_notice_accounting x = one->notices[k], y = many->notices[k];

		assert_int_equal(y.cross_core_tx, y.cross_core_rx);
		x.cross_core_tx = x.cross_core_rx = y.cross_core_tx = y.cross_core_rx = 0;
		check_words("notices of kind", k, &x, &y, sizeof(x));
	}
}

void
outcome_check_same(const struct outcome *one, struct outcome *many, const uint8_t *queue)
{
	outcome_check_order(one);
	outcome_check_order(many);
	check_series(one, many, queue);
	check_unmarked(one, many);
	check_counters(one, many);
	check_records("event", one->event, one->n_events, many->event, many->n_events);
	check_records("punt", one->punt, one->n_punts, many->punt, many->n_punts);
	assert_int_equal(one->conservation.between, 0);
	assert_int_equal(many->conservation.between, 0);
	assert_int_equal(one->conservation.transmitted, many->conservation.transmitted);
	assert_int_equal(one->n_frames, many->n_frames);
}
