/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The fast path of END.CON against the stages: bursts of Fast CNPs of several P nodes, with
 * packets among them that are damaged, forged or unusual, have the same fate by both, and leave the
 * same tokens in the buckets.
 */

#include "fast_widths.h"
#include "fcn_endcon_plain.h"
#include "reference.h"
#include "srv6_bench.h"

#define TURNS fcn_test_effort(1500)
#define MOST 24

/* What became of a burst. */
struct fate {
	unsigned int n; /* packets that left, by port 1 and then by the others */
	uint32_t len[MOST];
	uint8_t bytes[MOST][256];
	uint64_t drop[FCN_DROP_REASON_COUNT];
	unsigned int punted;
	uint64_t ecn[FCN_TUNNEL_ECN_COMBINATION_COUNT];
	struct fcn_srv6_sid_counters counters;
	uint64_t taken;
	uint64_t total_tat[FCN_MAX_PORTS];
	struct fcn_limit_cache_set sources[128];
};

TEST_FIXTURE(FCN_TEST_EAL, .setup = srv6_endcon_setup, .teardown = srv6_endcon_teardown);

/* Make one of some kinds of frames to END.CON. @return its length */
static uint32_t
make(uint64_t *seed, uint8_t *frame)
{
	uint8_t *outer = frame + ETHER_LEN, *inner = outer + IP6_LEN;
	const unsigned int kind = (unsigned int)(ref_random(seed) % 24);
	uint32_t len = srv6_endcon.len[0], at;

	memcpy(frame, srv6_endcon.data[0], len);
	outer[23] = inner[23] = (uint8_t)(ref_random(seed) % 3); /* the node */
	inner[39] = (uint8_t)(ref_random(seed) % 4);             /* the sender */
	fcn_put_be16(inner + 64, (uint16_t)ref_random(seed));
	fcn_put_be16(outer + 2, (uint16_t)ref_random(seed)); /* flow label */
	if (kind == 0)
		outer[23] ^= 4; /* encapsulated by another node */
	if (kind == 1)
		outer[12] ^= 1; /* another bit of the prefix */
	if (kind == 2)
		memset(outer + 8, 0x20, 16), memset(inner + 8, 0x20, 16); /* not in the list */
	if (kind == 3)
		memcpy(inner + 24, outer + 24, 16); /* to END.CON again */
	if (kind == 4)
		inner[24] = 0xFE, inner[25] = 0x80; /* link-local */
	if (kind == 5)
		inner[7] = (uint8_t)(ref_random(seed) % 3);
	if (kind == 6)
		outer[1] |= (uint8_t)(ref_random(seed) % 4 << 4);
	if (kind == 7)
		inner[1] |= (uint8_t)(ref_random(seed) % 4 << 4);
	if (kind == 8)
		inner[46] ^= 1; /* option type */
	if (kind == 13)
		inner[12] ^= 1; /* made by a node that is not in the list */
	if (kind == 14)
		inner[23] ^= 1; /* made by another node */
	ref_fastcnp_finish(frame + FCN_ENDCON_PLAIN_INNER_OFF,
			kind == 15   ? REF_COVER
			: kind == 16 ? REF_NORM
				     : REF_SKIP,
			true);
	if (kind == 17)
		memset(inner + 64 + 6, 0, 2); /* no checksum */
	if (kind == 9)
		memset(frame + len, 0, 4), len += 4; /* padding: the slow path takes it */
	if (kind == 10)
		len -= 1 + (uint32_t)(ref_random(seed) % 100);
	if (kind == 11 || kind == 12) {
		at = ETHER_LEN + (uint32_t)(ref_random(seed) % 140);
		if (at < ETHER_LEN + 24 || at >= ETHER_LEN + 40)
			frame[at] = (uint8_t)ref_random(seed);
	}
	return len;
}

static void
run(uint64_t seed, unsigned int n, bool fast, struct fate *f)
{
	struct fcn_punt punt;
	uint8_t frame[512];

	memset(f, 0, sizeof(*f));
	fcn_worker_clear_counters(bench.worker);
	fcn_limit_cache_clear(&bench.worker->srv6.nodes.sources);
	fcn_limit_cache_clear(&bench.worker->srv6.told.sources);
	memset(bench.worker->srv6.told.total_tat, 0, sizeof(bench.worker->srv6.told.total_tat));
	memset(bench.worker->srv6.nodes.total_tat, 0, sizeof(f->total_tat));
	bench.worker->fast = fast ? fcn_fast_path_choose() : NULL;
	fast_try();
	for (unsigned int i = 0; i < n; i++) {
		const uint32_t len = make(&seed, frame);

		srv6_arrive_by(ref_random(&seed) % 2 == 0 ? 0 : 2, frame, len);
	}
	bench_poll(bench.worker->now);
	for (uint16_t p = 1; p < 4; p++) {
		for (unsigned int i = 0; i < bench.port[p].n_out; i++, f->n++) {
			f->len[f->n] = bench_out_len(p, i);
			memcpy(f->bytes[f->n], bench_out(p, i), f->len[f->n]);
		}
	}
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		f->drop[r] = bench_drops(r);
	while (srv6_take(&punt))
		f->punted++;
	memcpy(f->ecn, bench.worker->srv6.ecn, sizeof(f->ecn));
	f->counters = bench.worker->srv6.sid[0];
	f->taken = bench.worker->srv6.endcon.taken;
	memcpy(f->total_tat, bench.worker->srv6.nodes.total_tat, sizeof(f->total_tat));
	memcpy(f->sources, bench.worker->srv6.nodes.sources.set, sizeof(f->sources));
	bench_forget_out();
}

/* The buckets of a set are in the order in which their nodes came. */
static void
sort_sources(struct fate *f)
{
	for (unsigned int s = 0; s < RTE_DIM(f->sources); s++) {
		struct fcn_limit_cache_set *set = &f->sources[s];

		for (unsigned int i = 0; i < FCN_LIMIT_CACHE_WAYS; i++) {
			for (unsigned int k = i + 1; k < FCN_LIMIT_CACHE_WAYS; k++) {
				if (set->sig[k] <= set->sig[i])
					continue;
				RTE_SWAP(set->sig[k], set->sig[i]);
				RTE_SWAP(set->time[k], set->time[i]);
			}
		}
	}
}

static uint32_t
random_burst(uint64_t *seed, bool large)
{
	return 1 + (uint32_t)(ref_random(seed) % (large ? 2000 : 30));
}

/* With buckets of any size, of each port or of all, which are empty before the burst ends or not,
 * and with or without a group of next hops to the senders. */
TEST(same_fate)
{
	static struct fate slow, fast;
	uint64_t seed = 8986, taken = 0, refused = 0;

	for (unsigned int i = 0; i < TURNS; i++) {
		const unsigned int n = 1 + (unsigned int)(ref_random(&seed) % MOST);
		const uint64_t frames = ref_random(&seed);

		bench.snap.srv6.endcon.each.by_port = ref_random(&seed) % 2;
		bench.snap.srv6.endcon.all.by_port = ref_random(&seed) % 2;
		for (unsigned int p = 0; p <= 2; p += 2) {
			bench.snap.srv6.endcon.each.port[p] = (struct fcn_source_bucket){
					.cost_ns = i % 3 == 0 ? 0 : 1000000,
					.burst = random_burst(&seed, i % 2)};
			bench.snap.srv6.endcon.all.port[p] = (struct fcn_source_bucket){
					.cost_ns = i % 5 == 0 ? 0 : 100000,
					.burst = random_burst(&seed, i % 4)};
		}
		srv6_set_group(i % 3 == 0 ? 0 : 2 + i % (SRV6_GATEWAYS - 1));
		bench_new_snapshot();
		bench_poll(bench.worker->now + 1000);
		run(frames, n, false, &slow);
		run(frames, n, true, &fast);
		sort_sources(&slow);
		sort_sources(&fast);
		assert_memory_equal(&slow, &fast, sizeof(slow));
		taken += fast.taken;
		refused += n - fast.taken;
	}
	assert_true(taken > 2 * TURNS && refused > 2 * TURNS);
}

/* The fast path is what takes Fast CNPs: otherwise the test above compares the stages with
 * themselves. */
TEST(is_fast)
{
	for (unsigned int n = 1; n < 5; n++) {
		srv6_set_group(2 * (n - 1));
		bench_new_snapshot();
		for (unsigned int i = 0; i < n; i++)
			srv6_arrive(srv6_endcon.data[0], srv6_endcon.len[0]);
		bench_poll(bench.worker->now + 1000);
		assert_int_equal(
				bench.port[1].n_out + bench.port[2].n_out + bench.port[3].n_out, n);
		assert_int_equal(fast_taken(), n);
	}
}
