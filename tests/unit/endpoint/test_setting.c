/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of an endpoint in words: each one reaches the field that it is about, and no other. */

#include <errno.h>
#include <inttypes.h>
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

static const struct fcn_command commands[] = {
		FCN_ENDPOINT_FORMS(FORM) FCN_ENDPOINT_STATES(STATE) FCN_ENDPOINT_VALUES(VALUE)};

static struct fcn_command_table *table;

static int
make_table(void **state)
{
	struct fcn_command_group groups[] = {{"Settings", commands, RTE_DIM(commands)}, {0}};

	(void)state;
	if (fcn_endpoint_reaction_commands(
			    "Reactions", "host <hosts:names> ", change, &groups[1]) != 0)
		return -1;
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

/* The setting changes the one parameter of a reaction to the value, and nothing else. */
static void
sets(const char *setting, enum fcn_reaction_kind kind, const char *word, uint64_t value)
{
	struct fcn_endpoint_conf got = defaults(), want = got;
	uint64_t now;

	assert_int_equal(fcn_reaction_set(&want.reaction, kind, word, value), 0);
	assert_memory_not_equal(&got, &want, sizeof(want));
	assert_int_equal(run(&got, setting), 0);
	assert_memory_equal(&got, &want, sizeof(want));
	assert_non_null(fcn_reaction_parameter(&got.reaction, kind, word, &now));
	assert_int_equal(now, value);
}

static uint64_t
value_of(const struct fcn_endpoint_conf *conf, enum fcn_reaction_kind kind, const char *word)
{
	uint64_t value = 0;

	assert_non_null(fcn_reaction_parameter(&conf->reaction, kind, word, &value));
	return value;
}

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
	sets("set rpg-byte-reset 5M", FCN_REACTION_DCQCN, "rpg-byte-reset", 5000000);
	sets("set rpg-byte-reset 0", FCN_REACTION_DCQCN, "rpg-byte-reset", 0);
	sets("set rpg-time-reset 0ns", FCN_REACTION_DCQCN, "rpg-time-reset", 0);
	sets("set rate-reduce-monitor-period 0ns", FCN_REACTION_DCQCN, "rate-reduce-monitor-period",
			0);
	sets("set cut-on-arrival on", FCN_REACTION_DCQCN, "cut-on-arrival", 1);
	sets("set alpha-on-arrival on", FCN_REACTION_DCQCN, "alpha-on-arrival", 1);
	sets("set rpg-min-rate 3G", FCN_REACTION_DCQCN, "rpg-min-rate", 3000000000);
	CHANGES("set cnp off", cnp, false);
	CHANGES("set selective-repeat on", selective_repeat, true);
	CHANGES("set ecn-echo on", ecn_echo, true);
	CHANGES("set window-by-rate on", window_by_rate, true);
	CHANGES("reaction dcqcn", reaction.kind, FCN_REACTION_DCQCN);
	CHANGES("reaction beta", reaction.kind, FCN_REACTION_BETA);
}

TEST(several_fields)
{
	struct fcn_endpoint_conf conf = defaults();

	assert_int_equal(run(&conf, "reaction hpcc base-rtt 7us eta 80% flows 3"), 0);
	assert_int_equal(conf.reaction.kind, FCN_REACTION_HPCC);
	assert_true(conf.ioam);
	assert_int_equal(value_of(&conf, FCN_REACTION_HPCC, "base-rtt"), 7000);
	assert_int_equal(value_of(&conf, FCN_REACTION_HPCC, "eta"), 800);
	assert_int_equal(value_of(&conf, FCN_REACTION_HPCC, "flows"), 3);
	assert_int_equal(run(&conf, "set base-rtt 9us"), 0);
	assert_int_equal(value_of(&conf, FCN_REACTION_HPCC, "base-rtt"), 9000);
	assert_int_equal(value_of(&conf, FCN_REACTION_BETA, "base-rtt"), 9000);
	assert_int_equal(run(&conf, "set fast-cnp accept from 2001:db8:f::/48"), 0);
	assert_int_equal(run(&conf, "set fast-cnp accept from 2001:db8:e::/48"), 0);
	assert_int_equal(conf.fastcnp, FCN_FASTCNP_ACCEPT);
	assert_int_equal(conf.n_access, 2);
	assert_int_equal(conf.access[1].addr.bytes[5], 0x0e);
	assert_int_equal(run(&conf, "set fast-cnp refuse"), 0);
	assert_int_equal(conf.fastcnp, FCN_FASTCNP_REFUSE);
	assert_int_equal(conf.n_access, 0);
}

/* A value that is as good as any for a unit, in the words of a command. */
static const char *
text_of(const struct fcn_reaction_parameter *p, uint64_t value, char *text, size_t size)
{
	static const char *const suffix[] = {
			[FCN_REACTION_NUMBER] = "",
			[FCN_REACTION_SIZE] = "",
			[FCN_REACTION_RATE] = "",
			[FCN_REACTION_TIME] = "ns",
			[FCN_REACTION_RATIO] = "/1000",
	};

	if (p->unit == FCN_REACTION_SWITCH)
		snprintf(text, size, "%s", value != 0 ? "on" : "off");
	else
		snprintf(text, size, "%" PRIu64 "%s", value, suffix[p->unit]);
	return text;
}

/* The least and the most of a parameter reach it and no other, and what is beyond is refused. */
static void
check_parameter(const char *command, enum fcn_reaction_kind kind,
		const struct fcn_reaction_parameter *p)
{
	const uint64_t good[] = {p->least, p->most};
	char line[200], text[32];

	for (size_t i = 0; i < RTE_DIM(good); i++) {
		struct fcn_endpoint_conf got = defaults(), want = got;

		snprintf(line, sizeof(line), "%s %s %s", command, p->word,
				text_of(p, good[i], text, sizeof(text)));
		if (run(&got, line) != 0)
			fail_msg("%s: refused", line);
		if (strncmp(command, "set", 3) != 0) {
			want.reaction.kind = kind;
			want.ioam = fcn_reaction_type(kind)->traces;
			want.ecn_echo = fcn_reaction_type(kind)->marks;
		}
		assert_int_equal(fcn_reaction_set(&want.reaction, kind, p->word, good[i]), 0);
		if (memcmp(&got, &want, sizeof(want)) != 0)
			fail_msg("%s: changed something else", line);
	}
	for (int beyond = 0; beyond < 2 && p->unit != FCN_REACTION_SWITCH; beyond++) {
		struct fcn_endpoint_conf got = defaults();

		if (beyond == 0 && p->least == 0)
			continue;
		snprintf(line, sizeof(line), "%s %s %s", command, p->word,
				text_of(p, beyond ? p->most + 1 : p->least - 1, text,
						sizeof(text)));
		if (run(&got, line) != -ERANGE)
			fail_msg("%s: not refused", line);
	}
}

/* What each reaction declares is a command, for all reactions of the list. */
TEST(declared)
{
	for (unsigned int k = 0; k < FCN_REACTION_COUNT; k++) {
		const enum fcn_reaction_kind kind = (enum fcn_reaction_kind)k;
		const struct fcn_reaction_type *type = fcn_reaction_type(kind);
		struct fcn_endpoint_conf conf = defaults();
		char command[64];

		snprintf(command, sizeof(command), "reaction %s", fcn_reaction_name(kind));
		assert_int_equal(run(&conf, command), 0);
		assert_int_equal(conf.reaction.kind, kind);
		for (unsigned int i = 0; i < type->n_arguments; i++)
			check_parameter(command, kind, &type->arguments[i]);
		for (unsigned int i = 0; i < type->n_settings; i++)
			check_parameter("set", kind, &type->settings[i]);
		assert_int_equal(fcn_reaction_set(&conf.reaction, kind, "nothing", 1), -ENOENT);
		for (unsigned int i = 0; i < type->n_profiles; i++) {
			struct fcn_endpoint_conf want = defaults();
			char line[100];

			want.reaction.kind = kind;
			type->profiles[i].set(&want.reaction, LINE);
			conf = defaults();
			snprintf(line, sizeof(line), "%s %s", command, type->profiles[i].name);
			assert_int_equal(run(&conf, line), 0);
			assert_memory_equal(&conf, &want, sizeof(want));
		}
	}
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
