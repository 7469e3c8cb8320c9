/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The shared buffer under random operations, against a model that remembers packets one by one. */

#include "fcn_buffer.h"
#include "fcn_test.h"

#define ACCOUNTS 4
#define HELD 256 /* packets at once, each account */
#define STEPS 200000

/* A packet, and whether it stands in the headroom for as many bytes. */
struct model {
	bool lossless;
	double alpha;
	bool dynamic;
	int64_t reserve, xoff, xon, xon_below, headroom_size;
	int64_t len[HELD];
	unsigned int n;
	int64_t in_headroom;
	bool stop;
	int64_t lost, lost_bytes, used_max, headroom_max;
};

static int64_t
model_used(const struct model *m)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < m->n; i++)
		sum += m->len[i];
	return sum;
}

static int64_t
model_above(const struct model *m, int64_t more)
{
	int64_t above = model_used(m) - m->in_headroom + more - m->reserve;

	return above > 0 ? above : 0;
}

static int64_t
model_shared(const struct model m[ACCOUNTS])
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < ACCOUNTS; i++)
		sum += model_above(&m[i], 0);
	return sum;
}

/* alpha is a power of two here: exact in a double, and so is every product. */
static int64_t
model_limit(const struct model m[ACCOUNTS], unsigned int who, int64_t size)
{
	double left = (double)(size - model_shared(m));

	return (int64_t)(m[who].alpha * (left > 0 ? left : 0));
}

static int64_t
model_threshold(const struct model m[ACCOUNTS], unsigned int who, int64_t size)
{
	if (!m[who].dynamic)
		return m[who].xoff;
	return m[who].reserve + model_limit(m, who, size);
}

static bool
model_arrive(struct model all[ACCOUNTS], unsigned int who, int64_t size, int64_t len)
{
	struct model *m = &all[who];
	int64_t left = size - model_shared(all);
	int64_t need = model_above(m, len) - model_above(m, 0);
	bool fits = need == 0 || size == 0 || need <= left;

	if (!m->lossless) {
		int64_t after = model_above(m, len);

		if (after > 0 && (after > model_limit(all, who, size) || !fits))
			return false;
		m->len[m->n++] = len;
		return true;
	}
	if (!fits || model_used(m) + len > model_threshold(all, who, size)) {
		if (m->in_headroom + len > m->headroom_size) {
			m->lost++;
			m->lost_bytes += len;
			m->stop = m->n > 0;
			return false;
		}
		m->in_headroom += len;
	}
	m->len[m->n++] = len;
	m->used_max = RTE_MAX(m->used_max, model_used(m));
	m->headroom_max = RTE_MAX(m->headroom_max, m->in_headroom);
	m->stop |= m->in_headroom > 0 || model_used(m) >= model_threshold(all, who, size);
	return true;
}

static int64_t
model_leave(struct model all[ACCOUNTS], unsigned int who, int64_t size, unsigned int which)
{
	struct model *m = &all[who];
	int64_t len = m->len[which];

	m->len[which] = m->len[--m->n];
	m->in_headroom -= RTE_MIN(m->in_headroom, len);
	if (m->in_headroom == 0) {
		int64_t on = m->dynamic ? model_threshold(all, who, size) - m->xon_below : m->xon;

		if (m->n == 0 || model_used(m) <= on)
			m->stop = false;
	}
	return len;
}

/* Two egress queues, a class with a static threshold, one with a dynamic one. */
static void
run(uint64_t size, uint64_t seed)
{
	static const double alpha[ACCOUNTS] = {0.5, 4, 0, 0.25};
	const struct fcn_buffer_conf conf = {.size = size * 2, .shared = size};
	struct fcn_account_conf account[ACCOUNTS] = {{0}};
	struct fcn_ingress_conf ingress[ACCOUNTS] = {{0}};
	struct fcn_ingress in[ACCOUNTS] = {{0}};
	struct fcn_buffer b = {0};
	uint32_t charged[ACCOUNTS] = {0};
	struct model m[ACCOUNTS] = {{0}};
	int64_t shared_max = 0;
	unsigned int verdicts[ACCOUNTS][2] = {{0}};
	unsigned int stops[ACCOUNTS] = {0};

	for (unsigned int i = 0; i < ACCOUNTS; i++) {
		uint64_t fixed = (uint64_t)(alpha[i] * (double)FCN_ALPHA_ONE);

		m[i].lossless = i >= 2;
		m[i].dynamic = i == 3;
		m[i].alpha = alpha[i];
		m[i].reserve = i == 1 ? 0 : 3000 + i;
		m[i].xoff = 20000;
		m[i].xon = 12000;
		m[i].xon_below = 1500;
		m[i].headroom_size = 9000;
		account[i].reserve = m[i].reserve;
		account[i].alpha = fixed;
		ingress[i] = (struct fcn_ingress_conf){.lossless = true,
				.dynamic = i == 3,
				.reserve = m[i].reserve,
				.alpha = fixed,
				.xoff = 20000,
				.xon = 12000,
				.xon_below = 1500,
				.headroom = 9000};
	}
	for (unsigned int step = 0; step < STEPS; step++) {
		unsigned int who = fcn_test_random(&seed) % ACCOUNTS;
		/* The load swings: for a while more comes than goes, then the other way round. */
		unsigned int load = (step / 500) % 2 ? 60 : 42;

		if (m[who].n == 0 || (m[who].n < HELD && fcn_test_random(&seed) % 100 < load)) {
			uint32_t len = 60 + fcn_test_random(&seed) % 1455;
			bool want = model_arrive(m, who, size, len);
			bool got;

			if (m[who].lossless) {
				got = fcn_ingress_charge(&in[who], &ingress[who], &b, &conf, len);
			} else {
				got = fcn_account_admits(
						&b, &conf, &account[who], charged[who], len);
				if (got) {
					fcn_account_move(&b, &account[who], charged[who],
							charged[who] + len);
					charged[who] += len;
				}
			}
			assert_int_equal(got, want);
			verdicts[who][got]++;
		} else {
			int64_t len = model_leave(m, who, size, fcn_test_random(&seed) % m[who].n);

			if (m[who].lossless) {
				fcn_ingress_release(&in[who], &ingress[who], &b, &conf, len);
			} else {
				fcn_account_move(&b, &account[who], charged[who],
						charged[who] - len);
				charged[who] -= len;
			}
		}
		shared_max = RTE_MAX(shared_max, model_shared(m));
		assert_int_equal(b.shared_used, model_shared(m));
		assert_int_equal(b.headroom_used, m[2].in_headroom + m[3].in_headroom);
		for (unsigned int i = 2; i < ACCOUNTS; i++) {
			assert_int_equal(in[i].used, model_used(&m[i]));
			assert_int_equal(in[i].headroom, m[i].in_headroom);
			assert_int_equal(in[i].xoff, m[i].stop);
			stops[i] += m[i].stop;
		}
	}
	assert_int_equal(b.shared_max, shared_max);
	for (unsigned int i = 2; i < ACCOUNTS; i++) {
		assert_int_equal(in[i].used_max, m[i].used_max);
		assert_int_equal(in[i].headroom_max, m[i].headroom_max);
		assert_int_equal(in[i].lost_packets, m[i].lost);
		assert_int_equal(in[i].lost_bytes, m[i].lost_bytes);
	}
	/* It was worth it: every account had packets taken and refused, every class both states. */
	for (unsigned int i = 0; i < ACCOUNTS; i++) {
		if (size != 0 || i == 2)
			assert_true(verdicts[i][0] > 100 && verdicts[i][1] > 100);
		if (i >= 2)
			assert_in_range(stops[i], STEPS / 100, STEPS / 100 * 99);
	}
	/* All gone, nothing is left on any account. */
	for (unsigned int i = 0; i < ACCOUNTS; i++) {
		if (!m[i].lossless)
			fcn_account_move(&b, &account[i], charged[i], 0);
		else if (in[i].used != 0)
			fcn_ingress_release(&in[i], &ingress[i], &b, &conf, in[i].used);
		assert_false(in[i].xoff);
	}
	assert_int_equal(b.shared_used, 0);
	assert_int_equal(b.headroom_used, 0);
}

TEST(shared)
{
	run(60000, 1);
}

/* So large a part that only thresholds bind. */
TEST(roomy)
{
	run(100000, 2);
}

TEST(without_shared_buffer)
{
	run(0, 3);
}
