/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_test.h"
#include "pair.h"

#define WIRE_OVERHEAD 24
#define NS_PER_SECOND UINT64_C(1000000000)
#define OPCODE_OFF (14 + 40 + 8)
#define COVERED_OFF (14 + 8) /* addresses, and the octets behind them */
#define OPCODE_ACK 0x11
#define OPCODE_CNP 0x81
#define REORDER_NS 3000
#define TRIMMED_LEN (OPCODE_OFF + 12)

static void
keep_event(struct pair *p, unsigned int side, const struct fcn_endpoint_event *ev)
{
	if (p->n_events[side] < PAIR_EVENTS)
		p->event[side][p->n_events[side]] = *ev;
	p->n_events[side]++;
}

static void
event_0(void *arg, const struct fcn_endpoint_event *ev)
{
	keep_event(arg, 0, ev);
}

static void
event_1(void *arg, const struct fcn_endpoint_event *ev)
{
	keep_event(arg, 1, ev);
}

void
pair_init(struct pair *p)
{
	memset(p, 0, sizeof(*p));
	p->delay = PAIR_DELAY;
	p->line_bps = PAIR_BPS;
	p->seed = 1;
	for (unsigned int i = 0; i < 2; i++) {
		struct fcn_endpoint_conf *conf = &p->conf[i];

		fcn_endpoint_defaults(conf, PAIR_BPS);
		memcpy(conf->addr, (const uint8_t[16]){0x20, 1, 0xd, 0xb8, [15] = (uint8_t)(i + 1)},
				16);
		conf->mac = (struct rte_ether_addr){
				.addr_bytes = {2, 0, 0, 0, 0, (uint8_t)(i + 1)}};
		conf->event = i == 0 ? event_0 : event_1;
		conf->arg = p;
	}
}

void
pair_start(struct pair *p)
{
	for (unsigned int i = 0; i < 2; i++) {
		p->ep[i] = fcn_endpoint_create(&p->conf[i]);
		assert_non_null(p->ep[i]);
	}
}

void
pair_stop(struct pair *p)
{
	for (unsigned int i = 0; i < 2; i++)
		fcn_endpoint_free(p->ep[i]);
	for (unsigned int i = 0; i < p->n_flight; i++)
		free(p->flight[i].bytes);
	free(p->flight);
}

void
pair_connect(struct pair *p, uint32_t qp[2], uint8_t dscp, uint64_t rate_bps)
{
	for (unsigned int i = 0; i < 2; i++) {
		int number = fcn_endpoint_qp_add(p->ep[i]);

		assert_true(number > 0);
		qp[i] = (uint32_t)number;
	}
	for (unsigned int i = 0; i < 2; i++) {
		struct fcn_endpoint_peer peer = {
				.mac = p->conf[!i].mac,
				.qp = qp[!i],
				.src_port = (uint16_t)(0xC000 + qp[0]),
				.p_key = 0xFFFF,
				.dscp = dscp,
				.rate_bps = rate_bps,
		};

		memcpy(peer.addr, p->conf[!i].addr, 16);
		assert_int_equal(fcn_endpoint_qp_connect(p->ep[i], qp[i], &peer, p->now), 0);
	}
}

static bool
happens(struct pair *p, unsigned int permille)
{
	return permille != 0 && fcn_test_random(&p->seed) % 1000 < permille;
}

static void
fly(struct pair *p, unsigned int to, const uint8_t *frame, uint32_t len, uint64_t arrival)
{
	if (p->n_flight == p->room_flight) {
		p->room_flight = p->room_flight == 0 ? 64 : 2 * p->room_flight;
		p->flight = realloc(p->flight, p->room_flight * sizeof(*p->flight));
		assert_non_null(p->flight);
	}
	/*
	 * Each frame has a buffer of exactly its size, so that a sanitizer reports reads past its
	 * end.
	 */
	uint8_t *bytes = malloc(len);

	assert_non_null(bytes);
	memcpy(bytes, frame, len);
	p->flight[p->n_flight++] = (struct pair_frame){.arrival = arrival,
			.order = p->order++,
			.to = to,
			.len = len,
			.bytes = bytes};
}

static bool
is_data(const uint8_t *frame)
{
	/* Find the BTH, behind a Hop-by-Hop or Destination Options header if there is one. */
	uint32_t off = frame[20] == 17 ? OPCODE_OFF : OPCODE_OFF + (frame[55] + 1u) * 8;

	return frame[20] != 58 && frame[off] != OPCODE_ACK && frame[off] != OPCODE_CNP;
}

uint32_t
pair_trim(uint8_t *frame)
{
	frame[18] = 0;
	frame[19] = TRIMMED_LEN - 54;
	return TRIMMED_LEN;
}

/* What is left of the packet arrives. */
static void
put_headers_on_wire(struct pair *p, unsigned int from, uint8_t *frame, uint64_t arrival)
{
	const struct pair_faults *f = &p->faults[from];
	const uint32_t len = pair_trim(frame);
	const bool twice = happens(p, f->duplicate);

	p->trim = false;
	arrival -= p->overtake;
	if (happens(p, f->reorder))
		arrival += fcn_test_random(&p->seed) % REORDER_NS;
	for (unsigned int i = 0; i < 1u + twice; i++) {
		p->data[from].trimmed++;
		fly(p, !from, frame, len, arrival);
	}
}

static void
put_on_wire(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len)
{
	const struct pair_faults *f = &p->faults[from];
	struct pair_tally *tally = is_data(frame) ? &p->data[from] : &p->others[from];
	uint64_t arrival = p->line_free[from] + p->delay;

	tally->sent++;
	if ((p->tap != NULL && !p->tap(p, from, frame, len)) || happens(p, f->loss)) {
		tally->lost++;
		return;
	}
	if (p->trim || (tally == &p->data[from] && len > TRIMMED_LEN && happens(p, f->trim))) {
		put_headers_on_wire(p, from, frame, arrival);
		return;
	}
	if (happens(p, f->duplicate)) {
		tally->duplicated++;
		tally->arrived++;
		fly(p, !from, frame, len, arrival + fcn_test_random(&p->seed) % REORDER_NS);
	}
	if (happens(p, f->corrupt)) {
		/*
		 * Choose a bit that the ICRC covers: none of the Ethernet header, traffic class,
		 * flow label, hop limit, and octet 4 of the BTH.
		 */
		uint32_t at = COVERED_OFF +
			      (uint32_t)(fcn_test_random(&p->seed) % (len - COVERED_OFF));

		if (at == OPCODE_OFF + 4)
			at++;
		frame[at] ^= (uint8_t)(1u << fcn_test_random(&p->seed) % 8);
		tally->corrupted++;
	}
	if (happens(p, f->reorder))
		arrival += fcn_test_random(&p->seed) % REORDER_NS;
	tally->arrived++;
	fly(p, !from, frame, len, arrival);
}

static void
deliver(struct pair *p, unsigned int i)
{
	struct pair_frame frame = p->flight[i];

	p->flight[i] = p->flight[--p->n_flight];
	fcn_endpoint_receive(p->ep[frame.to], frame.bytes, frame.len, p->now);
	free(frame.bytes);
}

static unsigned int
earliest(const struct pair *p)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < p->n_flight; i++) {
		const struct pair_frame *a = &p->flight[i], *b = &p->flight[best];

		if (a->arrival < b->arrival || (a->arrival == b->arrival && a->order < b->order))
			best = i;
	}
	return best;
}

static void
transmit(struct pair *p, unsigned int side)
{
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
	uint32_t len = fcn_endpoint_send(p->ep[side], frame, sizeof(frame), p->now);

	if (len == 0) {
		/*
		 * An endpoint that sends nothing now has its next event later, whatever time it
		 * returned before.
		 */
		assert_true(fcn_endpoint_next(p->ep[side], p->now) > p->now);
		return;
	}
	p->line_free[side] = p->now +
			     ((len + WIRE_OVERHEAD) * 8 * NS_PER_SECOND + p->line_bps - 1) /
					     p->line_bps;
	put_on_wire(p, side, frame, len);
}

bool
pair_run(struct pair *p, uint64_t until)
{
	while (true) {
		uint64_t when[3];
		unsigned int first = 2;

		for (unsigned int i = 0; i < 2; i++) {
			uint64_t line = RTE_MAX(p->line_free[i], p->now);

			when[i] = fcn_endpoint_next(p->ep[i], p->now);
			if (when[i] != FCN_ENDPOINT_NEVER)
				when[i] = RTE_MAX(when[i], line);
		}
		when[2] = p->n_flight > 0 ? p->flight[earliest(p)].arrival : FCN_ENDPOINT_NEVER;
		for (unsigned int i = 0; i < 2; i++) {
			if (when[i] < when[first])
				first = i;
		}
		if (when[first] == FCN_ENDPOINT_NEVER)
			return true;
		if (when[first] > until) {
			p->now = until;
			return false;
		}
		p->now = when[first];
		if (first == 2)
			deliver(p, earliest(p));
		else
			transmit(p, first);
	}
}

struct fcn_endpoint_counters
pair_counters(const struct pair *p, unsigned int side)
{
	struct fcn_endpoint_counters n;

	fcn_endpoint_counters(p->ep[side], &n, p->now);
	return n;
}

const struct fcn_endpoint_event *
pair_event(const struct pair *p, unsigned int side, enum fcn_endpoint_event_type type,
		unsigned int nth)
{
	for (unsigned int i = 0; i < RTE_MIN(p->n_events[side], (unsigned int)PAIR_EVENTS); i++) {
		if (p->event[side][i].type == type && nth-- == 0)
			return &p->event[side][i];
	}
	return NULL;
}

unsigned int
pair_n_events(const struct pair *p, unsigned int side, enum fcn_endpoint_event_type type)
{
	unsigned int n = 0;

	while (pair_event(p, side, type, n) != NULL)
		n++;
	return n;
}
