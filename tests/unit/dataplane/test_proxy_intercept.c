/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Fast CNPs on their way to senders: those of vector 09 come in, and where the queue pair is known
 * the CNP of vector 04 leaves, octet for octet from the IP header on. */

#include "fcn_trimmed_option.h"
#include "proxy_bench.h"

#define RECEIVER "2001:db8:2::20"

static int
setup(void **state)
{
	proxy_setup(state);
	bench.snap.proxy.intercept = true;
	assert_int_equal(fcn_crc32_init(&bench.snap.proxy.crc), 0);
	return 0;
}

static int
teardown(void **state)
{
	fcn_crc32_fini(&bench.snap.proxy.crc);
	return proxy_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* The Fast CNP of vector 09, or with a trace that of vector 10, about the flow of vector 04, which
 * has another source port. */
static uint32_t
notice(bool trace, uint8_t *frame)
{
	const uint8_t *data = trace ? proxy_vectors.fast_cnp_trace.data[0]
				    : proxy_vectors.fast_cnp.data[0];
	const uint8_t *cnp = proxy_vectors.cnp.data[0] + ETHER_LEN;
	uint8_t node_data[8 + 4 * 4] = {[3] = 4}; /* octets of a trace that nobody reads here */
	struct fcn_fastcnp_request req = {.sender = cnp + 24,
			.receiver = cnp + 8,
			.buf = frame + ETHER_LEN,
			.dest_qp = 0x1a7,
			.src_port = 0xd00d,
			.p_key = 0xffff};

	memcpy(frame, data, ETHER_LEN);
	if (trace) {
		req.trace = node_data;
		req.trace_len = sizeof(node_data);
		req.trace_type = FCN_IOAM_PREALLOC_TRACE;
	}
	fcn_fastcnp_build_burst(&bench.snap.proxy.fastcnp, &req, 1);
	return ETHER_LEN + req.len;
}

/* Let a frame come in. Its hop limit is counted if it stays what it is. */
static void
arrive(const uint8_t *frame, uint32_t len)
{
	bench_forget_out();
	srv6_arrive(frame, len);
	proxy_turn(bench.worker->now + US);
}

static void
assert_passed(uint8_t *frame, uint32_t len)
{
	frame[ETHER_LEN + 7]--;
	proxy_assert_sent(frame, len);
	frame[ETHER_LEN + 7]++;
}

TEST(translated)
{
	uint8_t frame[512] = {0};
	uint32_t len = notice(false, frame);

	proxy_add_qp(RECEIVER, 0x1a7, 0xb2);
	arrive(frame, len);
	proxy_assert_sent(proxy_vectors.cnp.data[0], proxy_vectors.cnp.len[0]);
	assert_int_equal(proxy_counters()->intercepted, 1);
	/* Octets behind the packet do not leave with it. */
	arrive(frame, len + 7);
	proxy_assert_sent(proxy_vectors.cnp.data[0], proxy_vectors.cnp.len[0]);
	assert_int_equal(proxy_counters()->intercepted, 2);
}

/* What names a packet that was lost is a CNP to a sender that understands nothing else. */
TEST(returned_header)
{
	static const uint8_t option[2 + FCN_TRIMMED_OPTION_DATA] = {
			0x9D, FCN_TRIMMED_OPTION_DATA, FCN_TRIMMED_NO_ROOM, 7};
	const uint8_t *cnp = proxy_vectors.cnp.data[0] + ETHER_LEN;
	uint8_t frame[512] = {0};
	struct fcn_fastcnp_request req = {.sender = cnp + 24,
			.receiver = cnp + 8,
			.trimmed = option,
			.buf = frame + ETHER_LEN,
			.dest_qp = 0x1a7,
			.src_port = 0xd00d,
			.p_key = 0xffff};

	memcpy(frame, proxy_vectors.fast_cnp.data[0], ETHER_LEN);
	fcn_fastcnp_build_burst(&bench.snap.proxy.fastcnp, &req, 1);
	arrive(frame, ETHER_LEN + req.len);
	assert_passed(frame, ETHER_LEN + req.len);
	proxy_add_qp(RECEIVER, 0x1a7, 0xb2);
	arrive(frame, ETHER_LEN + req.len);
	proxy_assert_sent(proxy_vectors.cnp.data[0], proxy_vectors.cnp.len[0]);
	assert_int_equal(proxy_counters()->intercepted, 1);
	assert_int_equal(proxy_counters()->intercept_malformed, 0);
}

/* What is not known goes on: another receiver, queue pair or sender, and without intercept all. */
TEST(not_known)
{
	struct fcn_qp_pair pair = {.receiver_qp = 0x1a7, .sender_qp = 0xb2};
	uint8_t frame[512] = {0};
	uint32_t len = notice(false, frame);

	arrive(frame, len);
	assert_passed(frame, len);
	proxy_add_qp(RECEIVER, 0x1a8, 0xb2);
	arrive(frame, len);
	assert_passed(frame, len);
	proxy_add_qp("2001:db8:2::21", 0x1a7, 0xb2);
	arrive(frame, len);
	assert_passed(frame, len);
	assert_int_equal(fcn_addr_parse(RECEIVER, &pair.receiver), 0);
	assert_int_equal(fcn_addr_parse("2001:db8:1::11", &pair.sender), 0);
	fcn_qp_map_clear(bench.snap.proxy.qps);
	assert_int_equal(fcn_qp_map_put(bench.snap.proxy.qps, &pair, 0, 0), 0);
	arrive(frame, len);
	assert_passed(frame, len);
	assert_int_equal(proxy_counters()->intercept_no_qp, 4);
	pair.sender.bytes[15] = 0x10;
	assert_int_equal(fcn_qp_map_put(bench.snap.proxy.qps, &pair, 0, 0), 1);
	arrive(frame, len);
	proxy_assert_sent(proxy_vectors.cnp.data[0], proxy_vectors.cnp.len[0]);
	bench.snap.proxy.intercept = false;
	proxy_publish();
	arrive(frame, len);
	assert_passed(frame, len);
	assert_int_equal(proxy_counters()->intercept_no_qp, 4);
	assert_int_equal(proxy_counters()->intercepted, 1);
}

/* Nobody makes a CNP of a Fast CNP that was damaged. */
TEST(malformed)
{
	uint8_t frame[512] = {0};
	uint32_t len = notice(false, frame);

	proxy_add_qp(RECEIVER, 0x1a7, 0xb2);
	for (uint32_t i = len - 20; i < len; i++) { /* reserved octets and ICRC */
		frame[i] ^= 0x10;
		arrive(frame, len);
		assert_passed(frame, len);
		frame[i] ^= 0x10;
	}
	assert_int_equal(proxy_counters()->intercept_malformed, 20);
	assert_int_equal(proxy_counters()->intercepted, 0);
}

/* A Fast CNP does not return to the port that it came by, and is not translated there. */
TEST(returns)
{
	uint8_t frame[512] = {0};
	const uint64_t *dropped = bench.worker->counters[1].drop;
	uint32_t len = notice(false, frame);

	bench_forget_out();
	srv6_arrive_by(1, frame, len);
	proxy_turn(bench.worker->now + US);
	proxy_assert_nothing_sent();
	assert_int_equal(dropped[FCN_DROP_NOTICE_RETURNS], 1);
	assert_int_equal(proxy_counters()->intercepted, 0);
}
