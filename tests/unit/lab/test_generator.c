/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Traffic of very many flows: which packets, when, and what switches that tell their senders may
 * do. */

#include <string.h>

#include "fcn_bth.h"
#include "fcn_test.h"
#include "network_util.h"

#define MAX_SEEN 64
#define BTH_OFF (RTE_ETHER_HDR_LEN + 40 + 8)

/* 166 octets on the wire: 13.28 ns at 100 Gb/s, 132.8 ns at 10 Gb/s. */
static const char text[] = "buffers 2047\n"
			   "duration 1ms\n"
			   "check on\n"
			   "switch add s1 flows 1024\n"
			   "host add h,g,r\n"
			   "link add h,g,r s1 rate 100G\n"
			   "host all set fast-cnp accept\n"
			   "switch s1 do set queue r class 3 detector step 1\n"
			   "switch s1 do set queue r class 3 notify on\n"
			   "switch s1 do set notify fast-cnp on\n"
			   "switch s1 do set notify interval 50us\n"
			   "switch s1 do set notify bucket queue off\n"
			   "switch s1 do set notify bucket destination off\n"
			   "switch s1 do sender default capable\n";

static struct {
	uint32_t qp, psn, len;
	uint64_t departed;
} seen[MAX_SEEN];
static unsigned int n_seen;

static void
see(void *arg, unsigned int from, const struct rte_mbuf *frame, enum fcn_link_fate fate,
		uint64_t departed)
{
	const struct fcn_bth_hdr *bth = rte_pktmbuf_mtod_offset(
			frame, const struct fcn_bth_hdr *, BTH_OFF);

	RTE_SET_USED(arg);
	RTE_SET_USED(fate);
	if (from != 0)
		return;
	assert_true(n_seen < MAX_SEEN);
	seen[n_seen].qp = fcn_bth_dest_qp(bth);
	seen[n_seen].psn = bth->psn[2];
	seen[n_seen].len = frame->pkt_len;
	seen[n_seen++].departed = departed;
}

static uint64_t
of_generator(const char *name, const char *key)
{
	json_t *all = lab_generators_result(net);
	uint64_t value = (uint64_t)json_integer_value(
			json_object_get(json_object_get(all, name), key));

	json_decref(all);
	return value;
}

TEST_FIXTURE(.begin = net_eal, .end = fcn_test_eal_cleanup);

/* Two flows at a time, three packets of each; of the fifth alone. */
TEST(order)
{
	static const uint8_t flow[] = {0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 4, 4, 4};
	static const uint8_t psn[] = {0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 1, 2};
	static const uint8_t first[] = {0, 1, 6, 7, 12}; /* packets */

	n_seen = 0;
	start(text, "traffic generator t from h to r flows 5 active 2 packets 3 rate 10G start "
		    "1us");
	fcn_link_observe(net->link[0].link, see, NULL);
	run(NULL);
	assert_int_equal(n_seen, RTE_DIM(flow));
	for (unsigned int i = 0; i < n_seen; i++) {
		assert_int_equal(seen[i].len, 14 + 40 + 8 + 12 + 64 + 4);
		assert_int_equal(seen[i].psn, psn[i]);
		assert_int_equal(seen[i].qp, seen[first[flow[i]]].qp);
		assert_true(seen[i].qp >= 0x800000 && seen[i].qp < 0xFFFFFF);
		/* one each 132.8 ns, begun at whole ones; 13.28 ns until it has left */
		assert_in_range(seen[i].departed, 1000 + (1328 * i + 9) / 10 + 13,
				1000 + (1328 * i + 9) / 10 + 14);
		for (unsigned int k = 0; k < i; k++)
			assert_int_equal(seen[i].qp == seen[k].qp, flow[i] == flow[k]);
	}
	assert_int_equal(json_array_size(net->violations), 0);
	assert_int_equal(of_generator("t", "packets"), 15);
	assert_int_equal(of_generator("t", "flows"), 5);
	assert_int_equal(of_generator("t", "notified"), 5);
	assert_int_equal(of_generator("t", "notices"), 5);
	assert_int_equal(of_generator("t", "early"), 0);
	assert_int_equal(stop(), 0);
}

/* Two hosts at once, and another generator; whole frames arrive, for queue pairs that are not
 * there. */
TEST(several)
{
	struct fcn_endpoint_counters c;

	start(text, "traffic generator t from h,g to r flows 300 packets 2 size 0\n"
		    "traffic generator u from h to g flows 8388007");
	assert_int_equal(sc->n_generators, 3);
	assert_int_equal(sc->generator[2].first, 600);
	for (unsigned int i = 0; i < 20000; i++)
		assert_true(fcn_sim_step(net->sim, sc->duration_ns));
	fcn_endpoint_counters(net->host[2].ep, &c, fcn_sim_now(net->sim));
	assert_int_equal(c.rx_unknown_qp, 1200);
	assert_int_equal(of_generator("t", "packets"), 1200);
	assert_int_equal(of_generator("t", "flows"), 600);
	assert_int_equal(of_generator("t", "notified"), 600);
	assert_int_equal(of_generator("u", "notices"), 0);
	assert_int_equal(json_array_size(net->violations), 0);
	stop();
}

static void
forget_flows(void)
{
	fcn_limit_cache_clear(&worker(0)->notify[0].flows);
}

static void
forget_and_count(void)
{
	forget_flows();
	worker(0)->notify[0].forgotten++;
}

/* A counter that is cleared in between counts for all that. */
static void
forget_count_and_clear(void)
{
	forget_and_count();
	if (fcn_sim_count(net->sim) % 64 == 0)
		worker(0)->notify[0].forgotten = 0;
}

/* Nobody is told too early but those that the switch says it forgot. */
TEST(early)
{
	static const char line[] = "traffic generator t from h to r flows 100 packets 2";

	start(text, line);
	run(forget_flows);
	assert_true(violations_with("s1: flow of a generator is notified 1328 ns after it was, the "
				    "interval is 50000") > 0);
	assert_int_equal(of_generator("t", "early"), 100);
	stop();
	start(text, line);
	run(forget_and_count);
	assert_int_equal(json_array_size(net->violations), 0);
	assert_int_equal(of_generator("t", "early"), 100);
	stop();
	start(text, line);
	run(forget_count_and_clear);
	assert_int_equal(json_array_size(net->violations), 0);
	stop();
}

/* Sixteen flows that a set of eight has to do for: none is remembered until its next packet. */
TEST(forgotten)
{
	char small[1024];

	snprintf(small, sizeof(small), "%s", text);
	memcpy(strstr(small, "flows 1024"), "flows    8", 10);
	start(small, "traffic generator t from h to r flows 16 packets 3");
	assert_int_equal(worker(0)->notify[0].flows.mask, 0);
	run(NULL);
	assert_int_equal(json_array_size(net->violations), 0);
	assert_int_equal(of_generator("t", "notices"), 48);
	assert_int_equal(of_generator("t", "early"), 32);
	/* all but the first eight took another's place */
	assert_int_equal(worker(0)->notify[0].forgotten, 40);
	stop();
	start(small, "traffic generator t from h to r flows 8 packets 3");
	run(NULL);
	assert_int_equal(of_generator("t", "notices"), 8);
	assert_int_equal(worker(0)->notify[0].forgotten, 0);
	stop();
}
