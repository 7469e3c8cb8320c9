/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The shared buffer: dynamic thresholds on paper, edges of lossless classes, sums. */

#include "fcn_buffer.h"
#include "fcn_test.h"

#define ALPHA(num, den) (FCN_ALPHA_ONE * (num) / (den))

/* Packets of one octet until the account is refused one. */
static void
fill(struct fcn_buffer *b, const struct fcn_buffer_conf *conf, const struct fcn_account_conf *a,
		uint32_t *charged)
{
	while (fcn_account_admits(b, conf, a, *charged, 1)) {
		fcn_account_move(b, a, *charged, *charged + 1);
		*charged += 1;
	}
}

TEST(threshold)
{
	const struct fcn_buffer_conf conf = {.size = 20000, .shared = 10000};
	struct fcn_buffer b = {.shared_used = 2000};

	assert_int_equal(fcn_buffer_free(&b, &conf), 8000);
	assert_int_equal(fcn_buffer_threshold(&b, &conf, ALPHA(1, 8)), 1000);
	assert_int_equal(fcn_buffer_threshold(&b, &conf, ALPHA(1, 1)), 8000);
	assert_int_equal(fcn_buffer_threshold(&b, &conf, ALPHA(8, 1)), 64000);
	assert_int_equal(fcn_buffer_threshold(&b, &conf, 0), 0);
	b.shared_used = 2001;
	assert_int_equal(fcn_buffer_threshold(&b, &conf, ALPHA(1, 8)), 999); /* of 999.875 */
	b.shared_used = 10001;
	assert_int_equal(fcn_buffer_free(&b, &conf), 0);
	assert_int_equal(fcn_buffer_threshold(&b, &conf, ALPHA(8, 1)), 0);
	/* Neither product nor sum is bound to 32 bits. */
	assert_int_equal(fcn_buffer_threshold(&(struct fcn_buffer){0},
					 &(struct fcn_buffer_conf){.size = UINT64_C(1) << 40,
							 .shared = UINT64_C(1) << 40},
					 ALPHA(16, 1)),
			UINT64_C(1) << 44);
}

/*
 * Choudhury and Hahne: one queue stands at alpha / (1 + alpha) of the shared part.
 * By octets: the last one is admitted when q <= alpha * (S - (q - 1)), so
 * q = alpha * (S + 1) / (1 + alpha), whole for the alphas here and S = 89999.
 */
TEST(one_queue)
{
	static const struct {
		uint64_t alpha;
		uint32_t settles;
	} cases[] = {
			{ALPHA(1, 8), 10000},
			{ALPHA(1, 2), 30000},
			{ALPHA(1, 1), 45000},
			{ALPHA(2, 1), 60000},
			{ALPHA(8, 1), 80000},
			{0, 0},
	};
	const struct fcn_buffer_conf conf = {.size = 100000, .shared = 89999};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_account_conf a = {.reserve = 1234, .alpha = cases[i].alpha};
		struct fcn_buffer b = {0};
		uint32_t charged = 0;

		fill(&b, &conf, &a, &charged);
		assert_int_equal(charged, 1234 + cases[i].settles);
		assert_int_equal(b.shared_used, cases[i].settles);
		assert_int_equal(b.shared_max, cases[i].settles);
	}
}

/* k queues stand at alpha / (1 + k * alpha) each, give or take the octet that one met first. */
TEST(many_queues)
{
	static const struct {
		uint64_t alpha;
		unsigned int k;
		uint32_t settles; /* S is 90000 */
	} cases[] = {
			{ALPHA(1, 1), 2, 30000},
			{ALPHA(1, 1), 8, 10000},
			{ALPHA(1, 8), 8, 5625},
			{ALPHA(1, 2), 7, 10000},
			{ALPHA(4, 1), 2, 40000},
	};
	const struct fcn_buffer_conf conf = {.size = 100000, .shared = 90000};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_account_conf a = {.reserve = 100, .alpha = cases[i].alpha};
		struct fcn_buffer b = {0};
		uint32_t charged[8] = {0};
		uint64_t sum = 0;
		bool grew;

		/* One queue has its way first; then the others, and the more they get the less it.
		 */
		fill(&b, &conf, &a, &charged[0]);
		for (;;) {
			do {
				grew = false;
				for (unsigned int q = 1; q < cases[i].k; q++) {
					if (!fcn_account_admits(&b, &conf, &a, charged[q], 1))
						continue;
					fcn_account_move(&b, &a, charged[q], charged[q] + 1);
					charged[q]++;
					grew = true;
				}
			} while (grew);
			if (charged[0] <= 100 + cases[i].settles + 1)
				break;
			assert_false(fcn_account_admits(&b, &conf, &a, charged[0], 1));
			fcn_account_move(&b, &a, charged[0], charged[0] - 1);
			charged[0]--;
		}
		for (unsigned int q = 0; q < cases[i].k; q++) {
			assert_in_range(charged[q], 100 + cases[i].settles - 1,
					100 + cases[i].settles + 1);
			sum += charged[q] - 100;
		}
		assert_int_equal(b.shared_used, sum);
	}
}

TEST(account_edges)
{
	const struct fcn_buffer_conf conf = {.size = 20000, .shared = 1000};
	const struct fcn_account_conf a = {.reserve = 500, .alpha = ALPHA(8, 1)};
	struct fcn_buffer b = {.shared_used = 1000};

	/* Its reserve is its own though nothing is free. */
	assert_true(fcn_account_admits(&b, &conf, &a, 0, 500));
	assert_true(fcn_account_admits(&b, &conf, &a, 400, 100));
	assert_false(fcn_account_admits(&b, &conf, &a, 400, 101));
	/* The threshold of alpha 8 is beyond what is free: that counts, above the reserve. */
	b.shared_used = 900;
	assert_true(fcn_account_admits(&b, &conf, &a, 0, 600));
	assert_false(fcn_account_admits(&b, &conf, &a, 0, 601));
	assert_true(fcn_account_admits(&b, &conf, &a, 700, 100));
	assert_false(fcn_account_admits(&b, &conf, &a, 700, 101));
	/* Within a reserve nothing moves; across it, what is above. */
	fcn_account_move(&b, &a, 100, 500);
	assert_int_equal(b.shared_used, 900);
	fcn_account_move(&b, &a, 450, 530);
	assert_int_equal(b.shared_used, 930);
	fcn_account_move(&b, &a, 530, 450);
	assert_int_equal(b.shared_used, 900);
	assert_int_equal(b.shared_max, 930);
}

/* A static threshold without a shared buffer, octet by octet. */
TEST(static_edges)
{
	const struct fcn_ingress_conf in_conf = {
			.lossless = true, .xoff = 10000, .xon = 7000, .headroom = 3000};
	const struct fcn_buffer_conf none = {0};
	struct fcn_buffer b = {0};
	struct fcn_ingress in = {0};

	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &none, 9999));
	assert_false(in.xoff);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &none, 1));
	assert_true(in.xoff); /* reached, and yet nothing in the headroom */
	assert_int_equal(in.headroom, 0);
	fcn_ingress_release(&in, &in_conf, &b, &none, 2999);
	assert_true(in.xoff); /* 7001 */
	fcn_ingress_release(&in, &in_conf, &b, &none, 1);
	assert_false(in.xoff); /* 7000 */

	/* A packet that would cross goes into the headroom whole. */
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &none, 2000));
	assert_false(in.xoff); /* 9000 */
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &none, 1001));
	assert_true(in.xoff);
	assert_int_equal(in.headroom, 1001);
	assert_int_equal(in.used, 10001);
	assert_int_equal(b.headroom_used, 1001);

	/* Headroom to the octet, then loss, which changes nothing else. */
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &none, 1998));
	assert_false(fcn_ingress_charge(&in, &in_conf, &b, &none, 2));
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &none, 1));
	assert_false(fcn_ingress_charge(&in, &in_conf, &b, &none, 70));
	assert_int_equal(in.lost_packets, 2);
	assert_int_equal(in.lost_bytes, 72);
	assert_int_equal(in.used, 12000);
	assert_int_equal(in.headroom, 3000);

	/* Out of the headroom first; with any in it nothing goes on, however little is held. */
	fcn_ingress_release(&in, &in_conf, &b, &none, 2999);
	assert_int_equal(in.headroom, 1);
	assert_int_equal(b.headroom_used, 1);
	fcn_ingress_release(&in, &in_conf, &b, &none, 2);
	assert_int_equal(in.headroom, 0);
	assert_int_equal(b.headroom_used, 0);
	assert_int_equal(in.used, 8999);
	assert_true(in.xoff);
	fcn_ingress_release(&in, &in_conf, &b, &none, 1999);
	assert_false(in.xoff);
	fcn_ingress_release(&in, &in_conf, &b, &none, 7000);
	assert_int_equal(in.used, 0);
	assert_int_equal(b.shared_used, 0);
	assert_int_equal(in.used_max, 12000);
	assert_int_equal(in.headroom_max, 3000);
	assert_int_equal(b.headroom_max, 3000);
}

/*
 * Alpha 1 of 90000, reserve 1000, alone: at 1000 + q octets the threshold is
 * 1000 + 90000 - q, reached at q = 45000. XON so far below that: with xon_below
 * 6000, 1000 + q + 6000 <= 1000 + 90000 - q from q = 42000 down.
 */
TEST(dynamic_edges)
{
	struct fcn_ingress_conf in_conf = {.lossless = true,
			.dynamic = true,
			.reserve = 1000,
			.alpha = ALPHA(1, 1),
			.xon_below = 6000,
			.headroom = 2000};
	const struct fcn_buffer_conf conf = {.size = 100000, .shared = 90000};
	const struct fcn_account_conf other = {.alpha = ALPHA(8, 1)};
	struct fcn_buffer b = {0};
	struct fcn_ingress in = {0};

	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 45999));
	assert_false(in.xoff);
	assert_int_equal(fcn_ingress_threshold(&in_conf, &b, &conf), 46001);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 1));
	assert_true(in.xoff);
	assert_int_equal(in.headroom, 0);
	assert_int_equal(b.shared_used, 45000);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 1));
	assert_int_equal(in.headroom, 1);
	assert_int_equal(b.shared_used, 45000);
	fcn_ingress_release(&in, &in_conf, &b, &conf, 1);
	fcn_ingress_release(&in, &in_conf, &b, &conf, 2999);
	assert_true(in.xoff);
	fcn_ingress_release(&in, &in_conf, &b, &conf, 1);
	assert_false(in.xoff);

	/* Others take what is free: the next packet is above, though this class did nothing. */
	fcn_account_move(&b, &other, 0, 10000); /* free 38000 */
	assert_false(in.xoff);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 64));
	assert_true(in.xoff);
	assert_int_equal(in.headroom, 64);
	assert_int_equal(in.used, 43064);

	/* The last packet gone, it goes on, whatever the threshold is by then. */
	fcn_account_move(&b, &other, 10000, 90000);
	fcn_ingress_release(&in, &in_conf, &b, &conf, 43063);
	assert_true(in.xoff); /* 1 + 6000 is more than the reserve, and nothing is free */
	fcn_ingress_release(&in, &in_conf, &b, &conf, 1);
	assert_false(in.xoff);

	/* What the shared part cannot hold goes to the headroom, whatever alpha says. */
	in_conf.alpha = ALPHA(8, 1);
	fcn_account_move(&b, &other, 90000, 89900);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 1000));
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 101));
	assert_int_equal(in.headroom, 101);
	assert_true(in.xoff);
	fcn_ingress_release(&in, &in_conf, &b, &conf, 101);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 100));
	assert_int_equal(in.headroom, 0);
	assert_int_equal(b.shared_used, 90000);

	/* With bytes in the headroom, only the others count towards the reserve. */
	fcn_ingress_release(&in, &in_conf, &b, &conf, 200);
	assert_int_equal(b.shared_used, 89900);
	fcn_account_move(&b, &other, 89900, 90000);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 101)); /* 900 and 101 */
	assert_int_equal(in.headroom, 101);
	fcn_account_move(&b, &other, 90000, 0);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 150)); /* 1050 and 101 */
	assert_int_equal(in.headroom, 101);
	assert_int_equal(b.shared_used, 50);
	assert_int_equal(fcn_ingress_shared(&in, &in_conf), 50);
	fcn_ingress_release(&in, &in_conf, &b, &conf, 111);
	assert_int_equal(in.headroom, 0);
	assert_int_equal(b.shared_used, 40);
}

/* A loss asks for a pause. One that finds nothing held must not stop the sender: nothing would let
 * it go on. */
TEST(loss_and_xoff)
{
	const struct fcn_ingress_conf in_conf = {
			.lossless = true, .dynamic = true, .alpha = ALPHA(1, 1), .headroom = 100};
	const struct fcn_buffer_conf conf = {.size = 1000, .shared = 500};
	struct fcn_buffer b = {.shared_used = 500};
	struct fcn_ingress in = {0};

	assert_false(fcn_ingress_charge(&in, &in_conf, &b, &conf, 101));
	assert_int_equal(in.lost_packets, 1);
	assert_false(in.xoff);
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 60));
	assert_true(in.xoff);
	assert_false(fcn_ingress_charge(&in, &in_conf, &b, &conf, 60));
	assert_true(in.xoff);
	fcn_ingress_release(&in, &in_conf, &b, &conf, 60);
	assert_false(in.xoff);

	/* Below the threshold, and too little headroom: the loss itself says that it must stop. */
	b.shared_used = 0;
	assert_true(fcn_ingress_charge(&in, &in_conf, &b, &conf, 200)); /* threshold 300 */
	assert_false(in.xoff);
	assert_false(fcn_ingress_charge(&in, &in_conf, &b, &conf, 101));
	assert_true(in.xoff);
	fcn_ingress_release(&in, &in_conf, &b, &conf, 200);
	assert_false(in.xoff);
	assert_int_equal(b.shared_used, 0);
	assert_int_equal(b.headroom_used, 0);
}
