/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Routes by groups of next hops on the fast path: it takes such packets, and each leaves by the
 * member that the stages choose, in the same order in its class queue.
 */

#include "fast_widths.h"

#define PORTS 4
#define BURST 32
#define GATEWAYS 16
#define FIRST_GATEWAY 20
#define FIRST_GROUP 40
#define GROUPS 6
#define MEMBERS 64
#define PLAIN_NET 9

/* Numbers of members of the groups. */
static const uint8_t sizes[GROUPS] = {2, 3, 4, 8, 16, 7};
static uint64_t now;

/* Gateway g is behind port g % PORTS. */
static void
set_gateway(unsigned int g)
{
	struct fcn_next_hop *nh = &bench.next_hop[FIRST_GATEWAY + g];

	*nh = bench.next_hop[4 + g % PORTS];
	nh->l2.dst_addr = (struct rte_ether_addr){{2, 0, 0, 1, 0, (uint8_t)g}};
}

static void
set_group(unsigned int group, uint32_t first, unsigned int n)
{
	bench.next_hop[FIRST_GROUP + group] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_GROUP, .first_member = first, .n_members = n};
}

/* Choose the members of all groups at random; some are several times in a group. */
static void
choose_members(void)
{
	unsigned int first = 0;

	for (unsigned int k = 0; k < GROUPS; k++) {
		set_group(k, first, sizes[k]);
		for (unsigned int i = 0; i < sizes[k]; i++)
			bench.member[first++] = FIRST_GATEWAY + bench_below(GATEWAYS);
	}
	assert_true(first <= RTE_DIM(bench.member));
}

static int
setup(void **state)
{
	char prefix[32];

	bench_setup(state);
	bench_seed = 2992;
	now = 1;
	for (unsigned int g = 0; g < GATEWAYS; g++)
		set_gateway(g);
	choose_members();
	for (unsigned int k = 0; k < GROUPS; k++) {
		snprintf(prefix, sizeof(prefix), "2001:db8:%x::/48", 1 + k);
		bench_route(prefix, FIRST_GROUP + k);
		snprintf(prefix, sizeof(prefix), "10.%u.0.0/16", 1 + k);
		bench_route(prefix, FIRST_GROUP + k);
	}
	bench_route("2001:db8:9::/48", 5);
	bench_route("10.9.0.0/16", 5);
	bench_routes_done();
	bench_new_snapshot();
	return 0;
}

/* A packet of a flow, over IPv4 or IPv6. */
static void
make(struct frame *f, bool ip4, uint8_t net, unsigned int flow, unsigned int class)
{
	if (ip4) {
		uint8_t *ip = f->data + 14;

		memset(f, 0, sizeof(*f));
		frame_ether(f, RTE_ETHER_TYPE_IPV4);
		frame_ip4(f, IPPROTO_UDP, 20);
		frame_roce(f, 4 * (flow % 50));
		ip[1] = (uint8_t)(class << 5 | 1);
		memcpy(ip + 12, (uint8_t[]){10, 200, 0, (uint8_t)(1 + flow % 7)}, 4);
		memcpy(ip + 16, (uint8_t[]){10, net, 0, 1}, 4);
		frame_finish(f);
	} else {
		frame_roce6(f, (uint8_t)(1 + flow % 7), net, 1, 4 * (flow % 50));
		frame_class(f, class, 1);
	}
	fcn_put_be16(f->data + f->udp, (uint16_t)(49152 + flow / 7));
	frame_to_port(f, 0, 1);
}

/* What left, in order in each class queue. In which order queues of a port are served depends on
 * what was sent before. */
struct fate {
	unsigned int n_out[PORTS], n_class[PORTS][FCN_CLASSES];
	struct {
		uint32_t len;
		uint8_t bytes[320];
	} out[PORTS][FCN_CLASSES][BURST];
	uint64_t drops;
};

static unsigned int
class_of(const uint8_t *frame)
{
	return frame[12] == 0x08 ? frame[15] >> 5 : frame[14] >> 1 & 7;
}

static unsigned int
run(const struct frame *burst, unsigned int n, struct fate *f)
{
	memset(f, 0, sizeof(*f));
	fcn_worker_clear_counters(bench.worker);
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, &burst[i]);
	fast_try();
	bench_poll(now += 1000000);
	for (uint16_t p = 0; p < PORTS; p++) {
		f->n_out[p] = bench.port[p].n_out;
		for (unsigned int i = 0; i < f->n_out[p]; i++) {
			const uint8_t *frame = bench_out(p, i);
			const unsigned int c = class_of(frame), k = f->n_class[p][c]++;

			f->out[p][c][k].len = bench_out_len(p, i);
			assert_true(f->out[p][c][k].len <= sizeof(f->out[p][c][k].bytes));
			memcpy(f->out[p][c][k].bytes, frame, f->out[p][c][k].len);
		}
	}
	f->drops = bench_all_drops();
	bench_forget_out();
	return fast_taken();
}

static struct fate by_stages, fast;

/* Send a burst through the stages, then on the fast path. @return number of packets that this took
 */
static unsigned int
compare(const struct frame *burst, unsigned int n, unsigned int width)
{
	unsigned int taken;

	bench.worker->fast = NULL;
	assert_int_equal(run(burst, n, &by_stages), 0);
	bench.worker->fast = fast_width(width);
	taken = run(burst, n, &fast);
	assert_memory_equal(&by_stages, &fast, sizeof(fast));
	return taken;
}

TEST_FIXTURE(FCN_TEST_EAL);

/* Packets of any flows, of both versions of IP and all classes, by all groups and by none: there
 * are more class queues than series may be open at once. */
TEST(choice)
{
	for (unsigned int width = 0; width < FAST_WIDTHS; width++) {
		unsigned int sent[PORTS] = {0};

		setup(state);
		for (unsigned int turn = 0; turn < 600; turn++) {
			const unsigned int n = 1 + bench_below(BURST),
					   classes = 1 + bench_below(FCN_CLASSES);
			const unsigned int versions = 1 + bench_below(3);
			struct frame burst[BURST];

			for (unsigned int i = 0; i < n; i++) {
				const unsigned int k = bench_below(GROUPS + 1);

				make(&burst[i], versions == 3 ? bench_below(2) : versions == 2,
						(uint8_t)(k == GROUPS ? PLAIN_NET : 1 + k),
						bench_below(10000), bench_below(classes));
			}
			if (turn % 16 == 0) {
				choose_members();
				bench_new_snapshot();
			}
			if (turn % 3 == 0) /* all are looked up together */
				bench.worker->dest_cache.skip = 100;
			else
				bench.worker->dest_cache.skip = 0;
			assert_int_equal(compare(burst, n, width), n);
			/* The fast path looks destinations up itself, as far as it does that. */
			bench_new_snapshot();
			run(burst, n, &fast);
			assert_memory_equal(&by_stages, &fast, sizeof(fast));
			for (unsigned int p = 0; p < PORTS; p++)
				sent[p] += fast.n_out[p];
		}
		for (unsigned int p = 0; p < PORTS; p++)
			assert_true(sent[p] > 600);
		bench_teardown(state);
	}
}

/* A next hop of weight W is W times in its group: it gets that share of the flows. */
TEST(weights)
{
	for (unsigned int ip4 = 0; ip4 < 2; ip4++) {
		unsigned int share[PORTS] = {0};

		setup(state);
		bench.member[0] = bench.member[1] = bench.member[2] = FIRST_GATEWAY + 1;
		bench.member[3] = FIRST_GATEWAY + 3;
		set_group(0, 0, 4);
		bench_new_snapshot();
		for (unsigned int flow = 0; flow < 64 * BURST; flow += BURST) {
			struct frame burst[BURST];

			for (unsigned int i = 0; i < BURST; i++)
				make(&burst[i], ip4, 1, flow + i, 3);
			bench.worker->fast = fast_width(flow / BURST % FAST_WIDTHS);
			run(burst, BURST, &fast);
			assert_int_equal(run(burst, BURST, &fast), BURST);
			for (unsigned int p = 0; p < PORTS; p++)
				share[p] += fast.n_out[p];
		}
		assert_int_equal(share[0] + share[2], 0);
		/* Expected 1536 of 2048, standard deviation 19.6: five of them. */
		assert_in_range(share[1], 1438, 1634);
		bench_teardown(state);
	}
}

/* Flows to one destination of a group, and where they go. */
static void
flows_of_group(struct frame *burst, bool ip4)
{
	for (unsigned int i = 0; i < BURST; i++)
		make(&burst[i], ip4, 3, 7 * i, 3);
}

/* A member goes: a new snapshot has a smaller group, then none, then another one. What is in the
 * cache is of the snapshot before. */
TEST(member_down)
{
	struct frame burst[BURST];

	for (unsigned int i = 0; i < 2 * FAST_WIDTHS; i++) {
		const unsigned int width = i / 2;

		setup(state);
		flows_of_group(burst, i % 2);
		for (unsigned int g = 0; g < 4; g++)
			bench.member[g] = FIRST_GATEWAY + g;
		set_group(2, 0, 4);
		bench_new_snapshot();
		compare(burst, BURST, width);
		assert_int_equal(compare(burst, BURST, width), BURST);
		for (unsigned int p = 0; p < PORTS; p++)
			assert_true(fast.n_out[p] != 0);

		/* Port 1 has no link, but its gateway is still a member: packets to it are dropped.
		 */
		bench.snap.port[1].down = true;
		bench_new_snapshot();
		compare(burst, BURST, width);
		assert_int_equal(fast.n_out[1], 0);
		assert_true(fast.drops != 0);

		/* It is no member any more. */
		for (unsigned int g = 1; g < 3; g++)
			bench.member[g] = FIRST_GATEWAY + g + 1;
		set_group(2, 0, 3);
		bench_new_snapshot();
		assert_int_equal(compare(burst, BURST, width), BURST);
		assert_int_equal(fast.n_out[1] + fast.drops, 0);

		/* A single one is left, which is the next hop itself. */
		bench.next_hop[FIRST_GROUP + 2] = bench.next_hop[FIRST_GATEWAY + 2];
		bench_new_snapshot();
		assert_int_equal(compare(burst, BURST, width), BURST);
		assert_int_equal(fast.n_out[2], BURST);

		/* The link is there again, and other gateways are members. */
		bench.snap.port[1].down = false;
		for (unsigned int g = 0; g < 4; g++)
			bench.member[8 + g] = FIRST_GATEWAY + 4 + g % 2;
		set_group(2, 8, 4);
		bench_new_snapshot();
		assert_int_equal(compare(burst, BURST, width), BURST);
		assert_int_equal(fast.n_out[2] + fast.n_out[3], 0);
		assert_true(fast.n_out[0] != 0 && fast.n_out[1] != 0);
		bench_teardown(state);
	}
}

/* Members that only the stages can send to: packets up to the first of these are taken. */
TEST(other_members)
{
	struct frame burst[BURST];

	for (unsigned int i = 0; i < 2 * FAST_WIDTHS; i++) {
		const unsigned int width = i / 2;
		struct fcn_next_hop *nh;

		setup(state);
		flows_of_group(burst, i % 2);
		for (unsigned int g = 0; g < 4; g++)
			bench.member[g] = FIRST_GATEWAY + g;
		set_group(2, 0, 4);
		nh = &bench.next_hop[FIRST_GATEWAY + 3];
		bench_new_snapshot();
		compare(burst, BURST, width);

		nh->type = FCN_NEXT_HOP_NO_NEIGHBOUR;
		bench_new_snapshot();
		assert_true(compare(burst, BURST, width) < BURST);
		assert_int_equal(fast.n_out[3], 0);

		set_gateway(3);
		nh->mtu = 80; /* some are too long */
		bench_new_snapshot();
		assert_true(compare(burst, BURST, width) < BURST);
		assert_true(fast.drops != 0);

		set_gateway(3);
		nh->l2.src_addr.addr_bytes[5]++; /* another address than that of the port */
		bench_new_snapshot();
		assert_int_equal(compare(burst, BURST, width), BURST);
		assert_true(fast.n_out[3] != 0);
		bench_teardown(state);
	}
}
