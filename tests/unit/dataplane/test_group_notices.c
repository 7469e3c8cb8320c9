/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Several workers against one, with two kinds of notices: Fast CNPs to senders, and messages to
 * their proxies, also about flows over IPv4 and other than RoCEv2. Each kind is counted by itself.
 */

#include "fcn_cnm.h"
#include "fcn_notice_cnm.h"
#include "group_mix.h"

#define STEPS 100
#define PROXY 3 /* port that the proxies are behind */

static struct fcn_notice_cnm_conf cnm;

static void
configure_cnm(void)
{
	static const char *const senders[] = {"2001:db8::/32", "10.0.0.0/8"};
	static const char *const proxies[] = {"2001:db8:13::21", "10.3.0.21"};
	struct fcn_proxy_prefix item[RTE_DIM(senders)] = {0};
	struct fcn_prefix_value any = {.value = 1};

	memset(&cnm, 0, sizeof(cnm));
	for (size_t i = 0; i < RTE_DIM(senders); i++) {
		item[i].origin = FCN_PROXY_STATIC;
		assert_int_equal(fcn_prefix_parse(senders[i], &item[i].prefix), 0);
		assert_int_equal(fcn_addr_parse(proxies[i], &item[i].proxy), 0);
	}
	assert_int_equal(fcn_prefix_parse("::/0", &any.prefix), 0);
	cnm.allowed = fcn_prefix_list_create("allowed", &any, 1, SOCKET_ID_ANY);
	cnm.proxies = fcn_proxy_map_create("proxies", item, RTE_DIM(item), SOCKET_ID_ANY);
	assert_non_null(cnm.allowed);
	assert_non_null(cnm.proxies);
	cnm.message = (struct fcn_cnm_template){.port = 1021, .dscp = 48, .hop_limit = 64};
	assert_int_equal(fcn_cnm_template_init(&cnm.message), 0);
	for (uint16_t p = MIX_CONGESTED; p < OUTCOME_PORTS; p++) {
		bench_notices(p, 400);
		for (unsigned int c = 6; c < FCN_CLASSES; c++)
			bench_queue_conf(p, c)->detector.type = FCN_DETECTOR_OFF;
	}
	memcpy(bench.snap.notify.common.source4[PROXY], (uint8_t[]){10, 3, 0, 254}, 4);
	bench.snap.notify.n_kinds = fcn_notice_kind_count;
	bench.snap.notify.on |= 1 << FCN_NOTICE_CNM;
	bench.snap.notify.kind[FCN_NOTICE_CNM] = bench.snap.notify.kind[FCN_NOTICE_FAST_CNP];
	bench.snap.notify.kind[FCN_NOTICE_CNM].kind = &fcn_notice_cnm;
	bench.snap.notify.kind[FCN_NOTICE_CNM].own = &cnm;
	bench_new_snapshot();
}

static void
unconfigure_cnm(void)
{
	fcn_cnm_template_fini(&cnm.message);
	fcn_proxy_map_free(cnm.proxies);
	fcn_prefix_list_free(cnm.allowed);
}

static void
run(unsigned int workers, uint64_t seed, struct mix *mix, struct outcome *o)
{
	uint16_t room[OUTCOME_PORTS];

	group_begin(workers);
	mix_configure();
	configure_cnm();
	mix_begin(mix, seed);
	mix->congested_burst = MIX_CONGESTED_BURST / 2; /* each packet may cause two notices */
	for (unsigned int i = 0; i < MIX_FLOWS; i += 4)
		mix->flow[i].family = MIX_ROCE4;
	outcome_reset(o);
	group.to = o;
	for (unsigned int step = 0; step < STEPS; step++) {
		mix_arrive(mix);
		group_turns(workers > 1 ? (unsigned int)(fcn_test_random(&group.order) % 6) : 1);
		group_settle();
		mix_rooms(mix, room);
		group_transmit(room);
	}
	group_drain();
	outcome_add_counters(o, group.w, group.n);
	unconfigure_cnm();
	mix_unconfigure();
	group_end();
}

/* Count the messages that left for proxies. @param type EtherType */
static unsigned int
count_messages(const struct outcome *o, unsigned int type)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < o->n_frames; i++) {
		const struct outcome_frame *f = &o->frame[i];
		const unsigned int udp = type == RTE_ETHER_TYPE_IPV4 ? 34 : 54;

		n += f->port == PROXY && (f->head[12] << 8 | f->head[13]) == (int)type &&
		     f->head[udp + 2] == 1021 >> 8 && f->head[udp + 3] == (1021 & 0xFF);
	}
	return n;
}

TEST_FIXTURE(BENCH_LARGE_EAL);

TEST(two_kinds)
{
	for (uint64_t seed = 1; seed <= fcn_test_effort(2); seed++) {
		static struct outcome one, many;
		static struct mix mix;

		run(1, seed, &mix, &one);
		assert_true(one.notices[FCN_NOTICE_FAST_CNP].transmitted > 50);
		assert_true(count_messages(&one, RTE_ETHER_TYPE_IPV6) > 50);
		assert_true(count_messages(&one, RTE_ETHER_TYPE_IPV4) > 10);
		assert_int_equal(count_messages(&one, RTE_ETHER_TYPE_IPV6) +
						 count_messages(&one, RTE_ETHER_TYPE_IPV4),
				one.notices[FCN_NOTICE_CNM].transmitted);
		for (unsigned int n = 2; n <= GROUP_WORKERS; n++) {
			run(n, seed, &mix, &many);
			outcome_check_same(&one, &many, mix.queue);
			outcome_reset(&many);
		}
		outcome_reset(&one);
	}
}
