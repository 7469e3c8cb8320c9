/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: a worker that receives messages of precise flow control, whole or in segments.
 * The first eight octets say which sources and limits there are, and what is corrected in the frame
 * so that it gets further (struct setup); the others are the frame. Each packet must be accounted
 * for, as must each buffer in the end, and nothing is held for longer than is permitted.
 */

#include "fuzz_bench.h"
#include "reference.h"
#include "testbed.h"

#define PORT 1022
#define LOCAL 2 /* next hop of the bench */
#define MAX_NS 300000
#define ETHER_LEN 14
#define UDP_OFF (ETHER_LEN + 40)

/* Bits of setup.on. */
#define RECEIVE 0x01
#define SOURCES 0x02  /* everybody is a source */
#define LIMITS 0x04   /* few messages are permitted */
#define UDP 0x08      /* the headers are those of UDP to the port */
#define CHECKSUM 0x10 /* its lengths and checksum are right */
#define HOST 0x20     /* there are host functions */

struct setup {
	uint8_t on;
	uint8_t segment; /* octets of a segment; 0: there is one segment */
	uint8_t copies;
	uint8_t change; /* each copy has another octet here... */
	uint8_t where;
	uint8_t flows; /* flows that may be held */
	uint8_t port;  /* whose class is halted; from 4 on: that of arrival */
	uint8_t len;   /* of the prefix of sources */
};

_Static_assert(sizeof(struct setup) == FRAME_OFFSET,
		"the mutator must know where the frame begins");

static void
set_up(const struct setup *s, const uint8_t *src)
{
	struct fcn_arn_conf *conf = &bench.snap.arn;

	bench_route("::/0", LOCAL);
	bench_route("0.0.0.0/0", LOCAL);
	bench_routes_done();
	*conf = (struct fcn_arn_conf){.port = PORT, .receive = s->on & RECEIVE};
	conf->held = (struct fcn_held_flows_conf){.flows = 1 + s->flows % 8,
			.packets = 64,
			.bytes = 20000,
			.flow_packets = 16,
			.flow_bytes = 5000,
			.max_ns = MAX_NS,
			.detect_ns = 2 * MAX_NS,
			.restore_ns = MAX_NS};
	if (s->on & SOURCES) {
		conf->n_sources = 2;
		memcpy(conf->source_list[0].addr, src, 16);
		conf->source_list[0].len = s->len % 129;
		conf->source_list[0].port = s->port < 4 ? s->port : FCN_PORT_NONE;
		conf->source_list[1].port = FCN_PORT_NONE;
	}
	if (s->on & LIMITS) {
		conf->limits.each.port[0] = (struct fcn_source_bucket){1000, 2};
		conf->limits.all.port[0] = (struct fcn_source_bucket){700, 3};
	}
	for (uint16_t p = 0; p < 4; p++)
		bench_pfc_rx(p, 0x0F);
	if (s->on & HOST)
		bench_punts();
}

/* Correct the frame as far as the setup says. */
static void
correct(const struct setup *s, uint8_t *frame, uint32_t len)
{
	memcpy(frame, &bench.snap.port[0].mac, RTE_ETHER_ADDR_LEN);
	if (len < UDP_OFF + 8 || !(s->on & UDP))
		return;
	memcpy(frame + 12, (uint8_t[]){0x86, 0xDD}, 2);
	frame[ETHER_LEN] = 0x60 | (frame[ETHER_LEN] & 0x0F);
	frame[ETHER_LEN + 6] = IPPROTO_UDP;
	frame[UDP_OFF + 2] = PORT >> 8;
	frame[UDP_OFF + 3] = PORT & 0xFF;
	if (s->on & CHECKSUM)
		ref_udp_finish(frame + ETHER_LEN, len - ETHER_LEN);
}

/* Nothing is held or halted for longer than is permitted. */
static void
check(uint64_t now)
{
	const struct fcn_held_flows *h = &bench.worker->arn_held.flows;

	assert_true(h->n_flows <= bench.snap.arn.held.flows);
	for (uint32_t i = 0; i < h->max_flows; i++) {
		if (h->flow[i].used && h->flow[i].held)
			assert_true(h->flow[i].until <= now + MAX_NS);
	}
	for (unsigned int p = 0; p < 4; p++) {
		const struct fcn_pause *pause = &bench.worker->port[p].pause;

		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			if (pause->halted >> c & 1)
				assert_true(pause->halt_until[c] <= now + MAX_NS);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t now = 1000000;
	struct setup s;
	uint8_t *frame;
	uint32_t len;

	frame = fuzz_begin(data, size, ETHER_LEN + 40, 3000, &s, &len);
	if (frame == NULL)
		return 0;
	set_up(&s, frame + ETHER_LEN + 8);
	bench_new_snapshot();
	for (unsigned int i = 0; i <= s.copies % 8; i++) {
		correct(&s, frame, len);
		fuzz_arrive(0, frame, len, s.segment, true);
		now += 500;
		bench_poll(now);
		fuzz_take_punts();
		bench_check();
		check(now);
		fuzz_change(frame, len, s.where, s.change);
	}
	fuzz_end(frame);
	return 0;
}
