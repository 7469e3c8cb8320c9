/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to a snapshot: the budget of packet buffers. All numbers are worked out on
 * paper, from the sizes that doc/buffers.md names. */

#include "build_util.h"

static struct fcn_warnings warnings;

/* Three ports with 512 and 128 descriptors, and a pool with caches of 256. */
static int
setup(void **state)
{
	build_setup(state);
	build_env.buffers = 65535;
	build_env.cache = 384;
	build_env.n_workers = 1;
	build_env.host = true;
	build_env.warnings = &warnings;
	for (unsigned int p = 0; p < 3; p++)
		build_env.port[p].descriptors = 640;
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = build_teardown);

static const struct fcn_packet_budget *
build(void)
{
	build_again();
	return &built->budget;
}

static unsigned int
warned(enum fcn_warning_kind kind)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < warnings.n; i++)
		n += warnings.item[i].kind == kind;
	return n;
}

/*
 * Devices have 3 * 640 = 1920. Workers have a turn of 640, caches of two threads, 768, and 32 for
 * each port that were not sent: 1504. The host functions have 576 and 128 for each port, and a ring
 * of 4096: 6208. That leaves 55903, of which 24 queues have a reserve of 32 each.
 */
TEST(one_worker)
{
	const struct fcn_packet_budget *b = build();

	assert_int_equal(b->total, 65535);
	assert_int_equal(b->devices, 1920);
	assert_int_equal(b->workers, 1504);
	assert_int_equal(b->control, 6208);
	assert_int_equal(b->control_shift, 0);
	assert_int_equal(b->per_packet, 1);
	assert_int_equal(b->packets.size, 55903);
	assert_int_equal(b->reserve, 32);
	assert_int_equal(b->packets.shared, 55903 - 24 * 32);
	assert_int_equal(warnings.n, 0);
}

/* Five caches, 1920; four turns, 2560; 12 rings of 341, 4092; 96: 8668. Each has a quarter. */
TEST(four_workers)
{
	const struct fcn_packet_budget *b;

	build_env.n_workers = 4;
	b = build();
	assert_int_equal(b->workers, 8668);
	assert_int_equal(b->packets.size, 65535 - 1920 - 8668 - 6208);
	assert_int_equal(b->packets.shared, (48739 - 24 * 32) / 4);
	/* A port whose receive queues two workers poll has two backlogs. */
	build_cfg->port[1].queues = 2;
	assert_int_equal(build()->control, 6208 + 576);
}

/* A frame of 9014 bytes needs five buffers of 2048. Copies in a bridge have 1 + 5, and 5 shared. */
TEST(long_frames)
{
	build_cfg->port[1].mtu = 9000;
	assert_int_equal(build()->per_packet, 5);
	assert_int_equal(built->budget.packets.size, 55903 / 5);
	assert_int_equal(built->budget.packets.shared, 55903 / 5 - 24 * 32);
	build_cfg->port[1].mtu = 2034;
	assert_int_equal(build()->per_packet, 1);
	build_cfg->port[1].mtu = 2035;
	assert_int_equal(build()->per_packet, 2);
}

/* The frame of a bridge has two tags more: 9022. */
TEST(floods)
{
	assert_int_equal(fcn_config_bridge_add(build_cfg, "br0"), 0);
	build_cfg->port[1].bridge = 0;
	assert_int_equal(build()->per_packet, 1);
	build_cfg->copies = FCN_COPY_CLONE;
	assert_int_equal(build()->per_packet, 3);
	build_cfg->port[1].mtu = 9000;
	assert_int_equal(build()->per_packet, 11);
	build_cfg->copies = FCN_COPY_AUTO;
	assert_int_equal(build()->per_packet, 11);
	build_cfg->copies = FCN_COPY_BYTES;
	assert_int_equal(build()->per_packet, 5);
}

/* Without a pool there is no budget, unless one is configured. */
TEST(setting)
{
	build_cfg->packets = 1000;
	assert_int_equal(build()->packets.size, 1000);
	/* a quarter of it for 24 queues */
	assert_int_equal(built->budget.reserve, 10);
	assert_int_equal(built->budget.packets.shared, 760);
	assert_int_equal(warnings.n, 0);
	build_cfg->packets = 55904;
	assert_int_equal(build()->packets.size, 55903);
	assert_int_equal(warned(FCN_WARNING_PACKET_BUFFERS), 1);
	build_env.buffers = 0;
	assert_int_equal(build()->packets.size, 55904);
	assert_int_equal(warnings.n, 0);
	build_cfg->packets = FCN_AUTO;
	assert_int_equal(build()->packets.size, 0);
}

/* Whatever there is, a switch starts: queues have a quarter at least, and a warning says so. */
TEST(too_few)
{
	static const struct {
		uint32_t buffers, descriptors, size, shift;
		bool warned;
	} paper[] = {
			/* 108 + 24 + 1024 for the host functions at most shifted */
			{1023, 0, 255, 4, true},
			/* 2^shift: 864 + 192 + 2048 are below a quarter */
			{16383, 0, 16383 - 1504 - 3104, 1, false},
			{16383, 3000, 16383 / 4, 1, true},
			{16383, 2550, 16383 - 1504 - 3104 - 7650, 1, false},
			{1, 100000, 1, 4, true},
	};

	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		const struct fcn_packet_budget *b;

		build_env.buffers = paper[i].buffers;
		for (unsigned int p = 0; p < 3; p++)
			build_env.port[p].descriptors = paper[i].descriptors;
		b = build();
		assert_int_equal(b->packets.size, paper[i].size);
		assert_int_equal(b->control_shift, paper[i].shift);
		assert_true(b->reserve >= 1);
		assert_int_equal(warned(FCN_WARNING_PACKET_BUFFERS), paper[i].warned);
	}
}

/*
 * The headroom of 42866 bytes at 25G (doc/congestion.md) is 39838 octets of the line and two frames
 * of 1514 bytes. The line carries one more packet in each 84 octets: 475, and two. If the port has
 * another worker, it may have received two bursts of 32 more.
 */
TEST(headroom_of_a_link)
{
	build_cfg->port[0].pfc.class[3].send = true;
	build_env.port[0].link_bps = UINT64_C(25000000000);
	build();
	assert_int_equal(built->port[0].ingress[3].headroom, 42866);
	assert_int_equal(built->port[0].ingress_packets[3].headroom, 477);
	build_env.n_workers = 2;
	build();
	assert_int_equal(built->port[0].ingress_packets[3].headroom, 541);
}

/* A headroom of 60000 bytes is for 1000 packets of 60, at each worker that receives from the port.
 */
TEST(headroom)
{
	struct fcn_config_pfc_class *c = &build_cfg->port[0].pfc.class[3];
	const struct fcn_ingress_conf *in;

	c->send = true;
	c->headroom = 60000;
	build();
	in = &built->port[0].ingress_packets[3];
	assert_true(in->lossless && in->dynamic);
	assert_int_equal(in->headroom, 1000);
	assert_int_equal(in->reserve, 32);
	assert_int_equal(in->alpha, FCN_ALPHA_ONE / 8);
	assert_int_equal(built->budget.packets.shared, 55903 - 25 * 32 - 1000);
	build_env.n_workers = 4;
	build();
	assert_int_equal(built->budget.packets.shared, (48739 - 25 * 32 - 1000) / 4);
	build_cfg->port[0].queues = 4; /* the host functions have three backlogs of 576 more */
	build();
	assert_int_equal(built->budget.packets.shared, (48739 - 1728 - 28 * 32 - 4000) / 4);
	assert_int_equal(warnings.n, 0);
	c->headroom = 60001;
	build();
	assert_int_equal(built->port[0].ingress_packets[3].headroom, 1001);
	/* 4 * 10000 are more than half of 47011: 23505. */
	c->headroom = 600000;
	build();
	assert_int_equal(built->port[0].ingress_packets[3].headroom, 10000 * 23505 / 40000);
	assert_int_equal(warned(FCN_WARNING_HEADROOM), 1);
	assert_true(built->budget.packets.shared > 0);
}

/* Workers and their rings: 17 caches, 6528; 16 turns, 10240; 240 rings, 81840. Of 196607 buffers,
 * the default of a live switch with so many workers, queues have more than a quarter, also with 32
 * lossless classes at 25G. */
TEST(sixteen_workers)
{
	assert_int_equal(fcn_build_worker_buffers(1, 384), 1408);
	assert_int_equal(fcn_build_worker_buffers(16, 384), 98608);
	build_env.n_workers = 16;
	build_env.buffers = 196607;
	for (unsigned int p = 3; p < 32; p++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", p);
		assert_int_equal(fcn_config_port_add(build_cfg, name), p);
	}
	for (unsigned int p = 0; p < 32; p++) {
		build_cfg->port[p].pfc.class[3].send = true;
		build_env.port[p].descriptors = 640;
		build_env.port[p].link_bps = UINT64_C(25000000000);
	}
	build();
	assert_int_equal(warnings.n, 0);
}
