/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A proxy network node that marks the packets of flows with CE.
 */

#include "proxy_bench.h"

/* Let n packets of the flow arrive. @return how many left with CE */
static unsigned int
send_data(unsigned int n, unsigned int ecn)
{
	unsigned int marked = 0;

	bench_forget_out();
	proxy_vectors.data.data[0][ETHER_LEN + 1] =
			(uint8_t)((proxy_vectors.data.data[0][ETHER_LEN + 1] & 0xCF) | ecn << 4);
	for (unsigned int i = 0; i < n; i++)
		srv6_arrive(proxy_vectors.data.data[0], proxy_vectors.data.len[0]);
	proxy_turn(bench.worker->now + 1);
	assert_int_equal(bench.port[3].n_out, n);
	for (unsigned int i = 0; i < n; i++)
		marked += (bench_out(3, i)[ETHER_LEN + 1] & 0x30) == 0x30;
	return marked;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = proxy_setup, .teardown = proxy_teardown);

/* At level L, L + 1 of 8 packets are marked, until the time is over. */
TEST(ce)
{
	proxy_translate("2001:db8:1::/48", FCN_PROXY_CE);
	assert_int_equal(send_data(16, 2), 0);
	for (unsigned int level = 0; level <= 7; level++) {
		const uint64_t end = bench.worker->now + 1001 * US;

		proxy_set_level(FLOW6, level);
		proxy_report(FLOW6, 1 * US);
		assert_int_equal(bench.worker->proxy.n_marks, 1);
		assert_int_equal(send_data(16, 2), 2 * (level + 1));
		assert_int_equal(send_data(16, 1), 2 * (level + 1));
		proxy_turn(end - 2);
		assert_int_equal(send_data(8, 2), level + 1);
		proxy_turn(end);
		assert_int_equal(send_data(16, 2), 0);
		assert_int_equal(bench.worker->proxy.n_marks, 0);
	}
	assert_int_equal(proxy_counters()->marks, 8);
	assert_int_equal(proxy_counters()->marked, 5 * 36);
	assert_int_equal(proxy_counters()->not_ect, 0);
	proxy_assert_accounted();
}

/* The five-tuple is enough: without a quote, with one that is cut, or of a fragment. Whoever is
 * told otherwise needs the quote, also if the configuration changes while the message waits. */
TEST(ce_without_quote)
{
	const uint32_t head = ETHER_LEN + 40 + 8 + 40;
	uint8_t *message = proxy_vectors.cnm.data[FLOW6];

	proxy_vectors.cnm.len[FLOW6] = head + 47; /* not even the UDP header of the quote */
	proxy_finish(message, head + 47);
	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	proxy_report(FLOW6, 1 * US);
	assert_int_equal(bench_drops(FCN_DROP_CNM_QUOTE), 1);
	proxy_n_senders--;
	proxy_translate("2001:db8:1::/48", FCN_PROXY_CE);
	for (uint32_t len = 48; len-- > 0;) {
		proxy_vectors.cnm.len[FLOW6] = head + len;
		proxy_finish(message, head + len);
		proxy_report(FLOW6, 1001 * US);
		assert_int_equal(bench_drops(FCN_DROP_CNM_QUOTE), 1);
		assert_int_equal(proxy_counters()->marks, 48 - len);
	}
	proxy_report(FLOW6, 1001 * US);
	assert_int_equal(send_data(16, 2), 2 * (5 + 1));
	proxy_assert_accounted();
}

/* The highest level wins as long as it runs; a lower one that was reported later runs on. */
TEST(ce_highest)
{
	const uint64_t from = bench.worker->now + 1 * US;

	proxy_translate("2001:db8:1::/48", FCN_PROXY_CE);
	proxy_set_level(FLOW6, 7);
	srv6_arrive(proxy_vectors.cnm.data[FLOW6], proxy_vectors.cnm.len[FLOW6]);
	proxy_turn(from);
	proxy_set_level(FLOW6, 2);
	srv6_arrive(proxy_vectors.cnm.data[FLOW6], proxy_vectors.cnm.len[FLOW6]);
	proxy_turn(from + 400 * US);
	proxy_set_level(FLOW6, 0);
	srv6_arrive(proxy_vectors.cnm.data[FLOW6], proxy_vectors.cnm.len[FLOW6]);
	proxy_turn(from + 800 * US);
	assert_int_equal(proxy_counters()->marks, 3);
	assert_int_equal(send_data(16, 2), 16);
	proxy_turn(from + 1000 * US - 2);
	assert_int_equal(send_data(16, 2), 16);
	proxy_turn(from + 1000 * US);
	assert_int_equal(send_data(16, 2), 6);
	proxy_turn(from + 1400 * US);
	assert_int_equal(send_data(16, 2), 2);
	proxy_turn(from + 1800 * US);
	assert_int_equal(send_data(16, 2), 0);
	assert_int_equal(bench.worker->proxy.n_marks, 0);
	/* A level that is over does not come back with another one. */
	proxy_set_level(FLOW6, 3);
	proxy_report(FLOW6, 1 * US);
	assert_int_equal(send_data(16, 2), 8);
	proxy_assert_accounted();
}

/* When messages are translated into something else, the marks end. */
TEST(ce_reconfigured)
{
	proxy_translate("2001:db8:1::/48", FCN_PROXY_CE);
	proxy_set_level(FLOW6, 7);
	proxy_report(FLOW6, 1 * US);
	proxy_publish(); /* of no concern */
	assert_int_equal(send_data(16, 2), 16);
	proxy_translate("2001:db8:1::10/128", FCN_PROXY_NONE);
	assert_int_equal(send_data(16, 2), 0);
	assert_int_equal(bench.worker->proxy.n_marks, 0);
	proxy_n_senders--;
	proxy_publish();
	proxy_report(FLOW6, 60 * US);
	assert_int_equal(send_data(16, 2), 16);
	/* Without packets of the flow, too. */
	proxy_n_senders = 0;
	proxy_publish();
	for (unsigned int i = 0; i < FCN_PROXY_MARK_SETS; i++) {
		srv6_arrive(proxy_vectors.cnp.data[0], proxy_vectors.cnp.len[0]);
		proxy_turn(bench.worker->now + 1);
	}
	assert_int_equal(bench.worker->proxy.n_marks, 0);
	bench_forget_out();
	proxy_assert_accounted();
}

/* Not-ECT packets are counted; CE stays; other flows are left alone. */
TEST(ce_not_ect)
{
	proxy_translate("2001:db8:1::/48", FCN_PROXY_CE);
	proxy_set_level(FLOW6, 7);
	proxy_report(FLOW6, US);
	assert_int_equal(send_data(5, 0), 0);
	assert_int_equal(proxy_counters()->not_ect, 5);
	assert_int_equal(send_data(5, 3), 5);
	assert_int_equal(proxy_counters()->marked, 0);
	proxy_vectors.data.data[0][ETHER_LEN + 41] ^= 1; /* UDP source port */
	assert_int_equal(send_data(5, 2), 0);
	proxy_vectors.data.data[0][ETHER_LEN + 41] ^= 1;
	assert_int_equal(send_data(5, 2), 5);
	proxy_assert_accounted();
}

/* More flows than the table holds: the one whose time is over first makes room. */
TEST(ce_full)
{
	unsigned int n = 2 * FCN_PROXY_MARKS;

	bench.snap.proxy.ce_ns = 1000000 * US;
	proxy_translate("2001:db8:1::/48", FCN_PROXY_CE);
	for (unsigned int i = 0; i < n; i++) {
		proxy_set_flow(FLOW6, (uint16_t)i);
		proxy_report(FLOW6, 1);
	}
	assert_true(bench.worker->proxy.n_marks <= FCN_PROXY_MARKS);
	assert_int_equal(bench.worker->proxy.n_marks + proxy_counters()->mark_forgotten, n);
	bench.snap.proxy.receive = false;
	bench_new_snapshot();
	proxy_turn(bench.worker->now + US);
	assert_int_equal(bench.worker->proxy.n_marks, 0);
	bench.snap.proxy.receive = true;
	bench_new_snapshot();
	proxy_assert_accounted();
}
