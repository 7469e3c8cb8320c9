/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Several paths to one prefix: which of them a packet takes. */

#include "testbed.h"

/* Next hop 60: ports 0..3 share 2001:db8:8::/48. */
static void
ecmp(void)
{
	for (unsigned int i = 0; i < 4; i++)
		bench.member[10 + i] = 4 + i;
	bench.next_hop[60] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_GROUP, .n_members = 4, .first_member = 10};
	bench_route("2001:db8:8::/48", 60);
	bench_route("198.18.0.0/16", 60);
	bench_routes_done();
}

static unsigned int
path_of(const struct frame *f)
{
	unsigned int path = 4;

	bench_send(0, f, 1);
	for (unsigned int p = 0; p < 4; p++) {
		if (bench.port[p].n_out == 1)
			path = p;
	}
	assert_true(path < 4);
	return path;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = bench_setup, .teardown = bench_teardown);

TEST(ecmp)
{
	unsigned int share[4] = {0};
	struct frame f;

	ecmp();
	for (unsigned int flow = 0; flow < 1024; flow++) {
		unsigned int path;

		frame_roce6(&f, flow % 16, 8, flow / 16 % 4, 10);
		f.data[f.udp + 1] = flow / 64;
		path = path_of(&f);
		share[path]++;
		/* Packets of the flow stay on it, whatever their length, class and hop limit. */
		frame_zero(&f, 20);
		frame_finish(&f);
		f.data[15] ^= 0xF0;
		f.data[14 + 7] = 9;
		assert_int_equal(path_of(&f), path);
	}
	/* Expected 256 each, standard deviation 13.9 for a fair choice: five of them. */
	for (unsigned int p = 0; p < 4; p++)
		assert_in_range(share[p], 186, 326);
}

/* The same of IPv4: sources, destinations and ports choose. */
TEST(ecmp_ip4)
{
	unsigned int share[4] = {0};
	struct frame f;

	ecmp();
	for (unsigned int flow = 0; flow < 1024; flow++) {
		frame_ether(&f, 0x0800);
		frame_ip4(&f, 17, 20);
		frame_roce(&f, 10);
		f.data[f.ip[0] + 15] = flow % 16;
		memcpy(f.data + f.ip[0] + 16, (uint8_t[]){198, 18, 0, flow / 16 % 4}, 4);
		f.data[f.udp + 1] = flow / 64;
		frame_finish(&f);
		frame_to_port(&f, 0, 1);
		share[path_of(&f)]++;
	}
	for (unsigned int p = 0; p < 4; p++)
		assert_in_range(share[p], 186, 326);
}

/* With another key flows choose anew, those that shared a path, too; with the same one, they do
 * not.
 */
TEST(ecmp_key)
{
	struct fcn_hash_key *key = &bench.worker->hash_key;
	unsigned int same[4] = {0}, path[256];
	struct frame f;

	ecmp();
	for (unsigned int secret = 0; secret < 4; secret++) {
		fcn_hash_key_make(key, secret % 3); /* the last is the first again */
		for (unsigned int flow = 0; flow < RTE_DIM(path); flow++) {
			unsigned int p;

			frame_roce6(&f, flow, 8, 1, 10);
			p = path_of(&f);
			if (secret == 0)
				path[flow] = p;
			same[secret] += p == path[flow];
		}
	}
	/* Expected 64, standard deviation 6.9: five of them. */
	assert_in_range(same[1], 29, 99);
	assert_in_range(same[2], 29, 99);
	assert_int_equal(same[3], RTE_DIM(path));
}

/* Later fragments show no ports: all fragments of a packet take one path. */
TEST(ecmp_fragments)
{
	ecmp();
	for (unsigned int flow = 0; flow < 64; flow++) {
		struct frame first, later;
		uint8_t *h;

		for (unsigned int k = 0; k < 2; k++) {
			struct frame *f = k == 0 ? &first : &later;

			frame_ether(f, 0x86DD);
			frame_ip6(f, 44);
			h = frame_zero(f, 8);
			h[0] = 17;
			h[3] = k == 0 ? 1 : 64; /* more to come; 64 octets on */
			frame_roce(f, 40);
			frame_finish(f);
			frame_to_port(f, 0, 1);
			f->data[14 + 24 + 5] = 8;
			f->data[14 + 8 + 15] = flow;
			f->data[f->udp + 1] = flow;
		}
		assert_int_equal(path_of(&first), path_of(&later));
	}
}

/* The paths that 256 flows without ports take, which differ in what `make` says of flow n. */
static void
assert_spread(void (*make)(struct frame *f, unsigned int n), bool is_spread)
{
	unsigned int share[4] = {0};
	struct frame f;

	for (unsigned int n = 0; n < 256; n++) {
		make(&f, n);
		share[path_of(&f)]++;
	}
	/* Expected 64 each, standard deviation 6.9 for a fair choice: five of them. */
	for (unsigned int p = 0; p < 4; p++) {
		if (is_spread)
			assert_in_range(share[p], 29, 99);
		else
			assert_true(share[p] == 0 || share[p] == 256);
	}
}

/* GRE over IPv6, between the same two nodes. */
static void
gre6(struct frame *f, unsigned int n, uint32_t label)
{
	uint8_t *ip;

	frame_ether(f, 0x86DD);
	frame_ip6(f, 47);
	memcpy(frame_zero(f, 4), (uint8_t[]){0, 0, 0x65, 0x58}, 4);
	frame_zero(f, 32);
	frame_finish(f);
	frame_to_port(f, 0, 1);
	ip = f->data + 14;
	ip[24 + 5] = 8;
	ip[39] = (uint8_t)(n / 256);
	ip[1] = (uint8_t)((ip[1] & 0xF0) | (label >> 16 & 0x0F));
	ip[2] = (uint8_t)(label >> 8);
	ip[3] = (uint8_t)label;
}

static void
gre6_by_label(struct frame *f, unsigned int n)
{
	gre6(f, 0, 0x12300 + n);
}

static void
gre6_by_high_label(struct frame *f, unsigned int n)
{
	gre6(f, 0, n << 12 | 5);
}

static void
gre6_alike(struct frame *f, unsigned int n)
{
	gre6(f, 0, 0x12345);
	f->data[f->len - 1 - n % 16] = (uint8_t)n; /* in the tunnel */
}

/* Protocols of IPv4 that have no ports. */
static void
by_protocol4(struct frame *f, unsigned int n)
{
	frame_ether(f, 0x0800);
	frame_ip4(f, 61 + n % 160, 20);
	frame_zero(f, 32);
	memcpy(f->data + f->ip[0] + 16, (uint8_t[]){198, 18, 0, 1}, 4);
	frame_finish(f);
	frame_to_port(f, 0, 1);
}

static void
by_destination4(struct frame *f, unsigned int n)
{
	by_protocol4(f, 0);
	f->data[f->ip[0] + 19] = (uint8_t)n;
	frame_finish(f);
}

/* UDP in a tunnel between the same two nodes, with ports that are the same, too. */
static void
tunnel(struct frame *f, unsigned int n)
{
	uint8_t *ip;

	frame_ether(f, 0x86DD);
	frame_ip6(f, 41);
	frame_ip6(f, 17);
	frame_roce(f, 40);
	frame_finish(f);
	frame_to_port(f, 0, 1);
	ip = f->data + 14;
	ip[24 + 5] = 8;
	ip[2] = (uint8_t)(n >> 8);
	ip[3] = (uint8_t)n;
}

/* Without ports, the flow label tells flows apart (RFC 6438), and the protocol. */
TEST(ecmp_no_ports)
{
	ecmp();
	assert_spread(gre6_by_label, true);
	assert_spread(gre6_by_high_label, true);
	assert_spread(gre6_alike, false);
	assert_spread(by_protocol4, true);
	assert_spread(by_destination4, true);
	assert_spread(tunnel, true);
}
