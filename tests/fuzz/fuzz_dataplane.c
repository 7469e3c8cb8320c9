/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: a worker with four ports that receives a frame many times over, whole or in
 * segments, among ordinary traffic that congests it. The first eight octets say how (struct setup);
 * the others are the frame. After every turn each packet must be accounted for, as must each buffer
 * in the end. Frames lie in buffers of their size, so the sanitizer sees what is read behind them.
 */

#include "fuzz_bench.h"
#include "testbed.h"

#define NODE_TYPE 0xFE0000

/* What is on. */
#define BRIDGE 0x01
#define NOTICES 0x02
#define TRANSIT 0x04
#define EDGE 0x08
#define FLOW_CONTROL 0x10
#define SUB_INTERFACES 0x20
#define TO_PORT 0x40  /* the frame goes to the port's own MAC address */
#define ONE_POOL 0x80 /* the frame lies in ordinary buffers */

struct setup {
	uint8_t on;
	uint8_t segment; /* octets of a segment; 0: the frame is one segment where it fits */
	uint8_t copies;
	uint8_t others; /* packets of ordinary traffic */
	uint8_t accept; /* what ports take of what is sent */
	uint8_t change; /* each copy has another octet here... */
	uint8_t where;
	uint8_t port; /* by which it comes, how long the turns are, how copies are made */
};

_Static_assert(sizeof(struct setup) == FRAME_OFFSET,
		"the mutator must know where the frame begins");

static uint16_t vlans[4][FCN_VLANS];

static void
add_sub_interface(uint16_t number, uint16_t port, uint16_t vlan)
{
	struct fcn_snapshot_port *line = &bench.snap.port[port], *sub = &bench.snap.port[number];

	*sub = (struct fcn_snapshot_port){.mode = FCN_PORT_ROUTED,
			.mac = line->mac,
			.mtu = 1400,
			.parent = port,
			.vlan = vlan};
	line->sub = vlans[port];
	vlans[port][vlan] = number;
	bench.next_hop[20 + port] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_FORWARD_TAGGED,
			.port = port,
			.interface = number,
			.vlan = vlan,
			.mtu = 1400,
			.l2 = {.dst_addr = {{2, 0, 0, 0, 2, (uint8_t)number}},
					.src_addr = line->mac,
					.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6)}};
}

static void
set_up_ioam(const struct setup *s)
{
	bench.snap.ioam = (struct fcn_ioam_conf){.any_transit = s->on & TRANSIT,
			.any_edge = s->on & EDGE,
			.node_id = 0x010203,
			.node_id_wide = 0x11121314151617,
			.time_format = s->port >> 4 & 1 ? FCN_IOAM_TIME_NTP
							: FCN_IOAM_TIME_POSIX_NS,
			.n_namespaces = 2,
			.ns = {{.id = 0, .schema_id = FCN_IOAM_NO_SCHEMA},
					{.id = 0x1234,
							.short_data = FCN_IOAM_DATA_VALUE,
							.wide_data = FCN_IOAM_DATA_TX_BYTES,
							.schema_id = FCN_IOAM_NO_SCHEMA}}};
	for (unsigned int p = 0; p < 4; p++)
		bench.snap.port[p].ioam.transit = s->on & TRANSIT;
	if (s->on & EDGE) {
		bench.snap.port[2].ioam.edge = FCN_IOAM_EDGE_STRIP;
		bench.snap.port[3].ioam.edge = FCN_IOAM_EDGE_DROP;
	}
}

static void
set_up(const struct setup *s)
{
	for (uint16_t p = 0; p < 4; p++)
		bench.port[p].accept = s->accept & 0x80 ? s->accept & 15 : UINT16_MAX;
	bench_route("192.0.2.0/24", 5);
	bench_route("198.51.100.0/24", 1);
	bench_route("2001:db8:4::/48", s->on & SUB_INTERFACES ? 21 : 3);
	bench_port_routes(4);
	if (s->on & SUB_INTERFACES) {
		memset(vlans, 0xFF, sizeof(vlans));
		add_sub_interface(10, 0, 100);
		add_sub_interface(11, 1, 4094);
	}
	if (s->on & BRIDGE) {
		bench_bridge(3);
		bench.snap.copies = (s->port >> 5) % FCN_COPY_MODES;
		bench.snap.port[1].tagged[0] = 0xFFFE;
		bench.snap.port[2].pvid = 0;
		bench.snap.port[2].tagged[0] = 0xFFFE;
	}
	if (s->on & NOTICES) {
		bench_notices(1, 3000);
		bench_notices(2, 0);
	}
	if (s->on & FLOW_CONTROL) {
		for (uint16_t p = 0; p < 4; p++)
			bench_pfc_rx(p, 0x0F);
		bench_lossless(0, 3, 4000, 2000, 3000);
		bench.snap.buffer = (struct fcn_buffer_conf){.size = 100000, .shared = 97000};
	}
	set_up_ioam(s);
	bench_new_snapshot();
}

static void
ordinary(const struct setup *s)
{
	struct frame f;

	for (unsigned int i = 0; i < s->others; i++) {
		if (i % 8 == 7) {
			frame_ioam6(&f, NODE_TYPE, 9, 18, 0, 200);
			f.data[14 + 24 + 5] = 1;
		} else {
			frame_roce6(&f, (uint8_t)i, i % 4, 2, 100 + 40 * (i % 8));
		}
		if (!(s->on & BRIDGE))
			frame_to_port(&f, i % 3, 1);
		else
			frame_macs(&f, (uint8_t)(i % 5), (uint8_t)(i % 7));
		bench_in(i % 3, &f);
	}
}

static void
turns(const struct setup *s, uint64_t *now)
{
	for (unsigned int i = 0; i < 6; i++) {
		*now += UINT64_C(100) << (s->port >> 2 & 3) * 4;
		bench_poll(*now);
		/* What is left goes when the ports are open. */
		if (i == 3) {
			for (unsigned int p = 0; p < 4; p++)
				bench.port[p].accept = UINT16_MAX;
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

	frame = fuzz_begin(data, size, RTE_ETHER_HDR_LEN, 4000, &s, &len);
	if (frame == NULL)
		return 0;
	set_up(&s);
	if (s.on & TO_PORT)
		memcpy(frame, &bench.snap.port[s.port & 3].mac, RTE_ETHER_ADDR_LEN);
	ordinary(&s);
	for (unsigned int i = 0; i <= s.copies % 24; i++) {
		if (i > 0 && s.change != 0)
			frame[s.where % len] = (uint8_t)(frame[s.where % len] + s.change);
		fuzz_arrive(s.port & 3, frame, len, s.segment, s.on & ONE_POOL);
	}
	turns(&s, &now);
	/* Another configuration while packets wait. */
	s.on ^= NOTICES | TRANSIT;
	bench_new_snapshot();
	fuzz_arrive(s.port & 3, frame, len, s.segment, s.on & ONE_POOL);
	turns(&s, &now);
	fuzz_end(frame);
	return 0;
}
