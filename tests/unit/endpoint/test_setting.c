/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of an endpoint in words: each one reaches the field that it is about, and no other. */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_endpoint_setting.h"
#include "fcn_test.h"

#define LINE UINT64_C(100000000000)

static int
change(struct fcn_session *session, const struct fcn_args *args)
{
	return fcn_endpoint_set(args, (struct fcn_endpoint_conf *)(void *)session);
}

#define FORM(syntax, help) {"host <hosts:names> " syntax, help, FCN_COMMAND_CONFIG, change},
#define STATE(word, field, help) FORM("set " word " <state:on|off>", help)
#define VALUE(word, type, field, unit, least, most, help) \
	FORM("set " word " <value:" type ">", help)

static const struct fcn_command commands[] = {FCN_ENDPOINT_FORMS(FORM) FCN_ENDPOINT_STATES(STATE)
				FCN_ENDPOINT_VALUES(VALUE) FCN_ENDPOINT_REACTIONS(FORM)};
static const struct fcn_command_group groups[] = {{"Settings", commands, RTE_DIM(commands)}};

static struct fcn_command_table *table;

static int
make_table(void **state)
{
	(void)state;
	table = fcn_command_table_create(groups, RTE_DIM(groups));
	return table != NULL ? 0 : -1;
}

static int
free_table(void **state)
{
	(void)state;
	fcn_command_table_free(table);
	return 0;
}

TEST_FIXTURE(.begin = make_table, .end = free_table);

static int
run(struct fcn_endpoint_conf *conf, const char *setting)
{
	char line[256];
	struct fcn_diag diag;

	snprintf(line, sizeof(line), "host h1 %s", setting);
	return fcn_command_run(table, (struct fcn_session *)(void *)conf, line,
			FCN_COMMAND_ALLOW_ALL, &diag);
}

static struct fcn_endpoint_conf
defaults(void)
{
	struct fcn_endpoint_conf conf;

	memset(&conf, 0, sizeof(conf));
	fcn_endpoint_defaults(&conf, LINE);
	return conf;
}

/* The setting changes the one field to the value, and nothing else. */
#define CHANGES(setting, field, value)                              \
	do {                                                        \
		struct fcn_endpoint_conf got = defaults();          \
		struct fcn_endpoint_conf want = got;                \
                                                                    \
		want.field = value;                                 \
		assert_memory_not_equal(&got, &want, sizeof(want)); \
		assert_int_equal(run(&got, setting), 0);            \
		assert_memory_equal(&got, &want, sizeof(want));     \
	} while (0)

TEST(values)
{
	CHANGES("set payload 4096", payload, 4096);
	CHANGES("set operation write", operation, FCN_OPERATION_WRITE);
	CHANGES("set window 64K", window, 64000);
	CHANGES("set ack-dscp 12", ack_dscp, 12);
	CHANGES("set cnp-scope port", cnp_scope, FCN_CNP_PER_PORT);
	CHANGES("set icrc cover", icrc_mode, FCN_ICRC_COVER);
	CHANGES("set fast-cnp ignore", fastcnp, FCN_FASTCNP_IGNORE);
	CHANGES("set detour after 3", detour_after, 3);
	CHANGES("set ioam on", ioam, true);
	CHANGES("set hop-limit 7", hop_limit, 7);
	CHANGES("set timeout 3ms", timeout_ns, 3000000);
	CHANGES("set cnp-dscp 9", cnp_dscp, 9);
	CHANGES("set rpg-byte-reset 5M", reaction.dcqcn.byte_reset, 5000000);
	CHANGES("set rpg-byte-reset 0", reaction.dcqcn.byte_reset, 0);
	CHANGES("set rpg-time-reset 0ns", reaction.dcqcn.time_reset_ns, 0);
	CHANGES("set rate-reduce-monitor-period 0ns", reaction.dcqcn.monitor_ns, 0);
	CHANGES("set cut-on-arrival on", reaction.dcqcn.cut_on_arrival, 1);
	CHANGES("set alpha-on-arrival on", reaction.dcqcn.alpha_on_arrival, 1);
	CHANGES("set rpg-min-rate 3G", reaction.dcqcn.min_rate_bps, 3000000000);
	CHANGES("set cnp off", cnp, false);
	CHANGES("set selective-repeat on", selective_repeat, true);
	CHANGES("reaction dcqcn", reaction.kind, FCN_REACTION_DCQCN);
	CHANGES("reaction beta", reaction.kind, FCN_REACTION_BETA);
}

TEST(several_fields)
{
	struct fcn_endpoint_conf conf = defaults();

	assert_int_equal(run(&conf, "reaction hpcc base-rtt 7us eta 80% flows 3"), 0);
	assert_int_equal(conf.reaction.kind, FCN_REACTION_HPCC);
	assert_true(conf.ioam);
	assert_int_equal(conf.reaction.hpcc.base_rtt_ns, 7000);
	assert_int_equal(conf.reaction.hpcc.eta_permille, 800);
	assert_int_equal(conf.reaction.hpcc.flows, 3);
	assert_int_equal(run(&conf, "set base-rtt 9us"), 0);
	assert_int_equal(conf.reaction.hpcc.base_rtt_ns, 9000);
	assert_int_equal(conf.reaction.simple.rtt_ns, 9000);
	assert_int_equal(run(&conf, "set fast-cnp accept from 2001:db8:f::/48"), 0);
	assert_int_equal(run(&conf, "set fast-cnp accept from 2001:db8:e::/48"), 0);
	assert_int_equal(conf.fastcnp, FCN_FASTCNP_ACCEPT);
	assert_int_equal(conf.n_access, 2);
	assert_int_equal(conf.access[1].addr.bytes[5], 0x0e);
	assert_int_equal(run(&conf, "set fast-cnp refuse"), 0);
	assert_int_equal(conf.fastcnp, FCN_FASTCNP_REFUSE);
	assert_int_equal(conf.n_access, 0);
}

TEST(refused)
{
	static const struct {
		const char *setting;
		int rc;
	} cases[] = {
			{"set hop-limit 0", -ERANGE},
			{"set hop-limit 256", -ERANGE},
			{"set cnp-dscp 64", -ERANGE},
			{"set window 0", -ERANGE},
			{"set ack-dscp 64", -ERANGE},
			{"set detour after 0", -ERANGE},
			{"set ioam on hops 17", -ERANGE},
			{"set base-rtt 0", -ERANGE},
			{"set fast-cnp accept from 192.0.2.0/24", -EINVAL},
			{"set payload 100", -EINVAL},
			{"reaction hpcc eta 0", -ERANGE},
			{"reaction level default-level 8", -ERANGE},
			{"reaction tcp", -EINVAL},
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_endpoint_conf conf = defaults();

		if (run(&conf, cases[i].setting) != cases[i].rc)
			fail_msg("%s: not %d", cases[i].setting, cases[i].rc);
	}
}
