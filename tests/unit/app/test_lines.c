/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Thousands of lines, plausible and not, in any order: nothing falls over, nothing is lost. */

#include <unistd.h>

#include "app_util.h"

#define LINES 4000

static uint64_t seed = 2026;

static unsigned int
choose(unsigned int n)
{
	return fcn_test_random(&seed) % n;
}

#define PICK(array) ((array)[choose(RTE_DIM(array))])

/* Values that a command may take, and some on and behind its edges. */
static const char *
value(enum fcn_token_kind kind, const char *key, char *buf, size_t size)
{
	static const char *const names[] = {"p0", "p1", "p2", "p3", "br0", "br1", "all", "nope",
			"a.conf", "0011223344556677", "00"};
	static const char *const numbers[] = {"0", "1", "2", "7", "63", "64", "255", "256", "1280",
			"1500", "4094", "9600", "65536", "0x81", "18446744073709551615"};
	static const char *const rates[] = {"0", "1", "1K", "999", "20M", "3G", "2.5G", "400G",
			"4000G", "4001G", "18446744073709551615"};
	static const char *const counts[] = {"0", "1", "16", "250K", "1M", "1G", "5G"};
	static const char *const sizes[] = {
			"0", "1", "64", "1500", "20K", "64Ki", "1M", "1G", "4294967295", "5G"};
	static const char *const times[] = {
			"0", "1ns", "999ns", "4us", "1ms", "1s", "300s", "18446744073709551615ns"};
	static const char *const ratios[] = {"0", "0.2", "20%", "1/8", "1", "0.95", "1/3", "128",
			"129", "0.0001", "18446744073"};
	static const char *const addrs[] = {"2001:db8::1", "2001:db8::2", "2001:db8:1::1",
			"fe80::1", "192.0.2.1", "192.0.2.2", "::", "ff02::1", "::1",
			"255.255.255.255"};
	static const char *const prefixes[] = {"2001:db8::1/64", "2001:db8:1::/48", "::/0",
			"192.0.2.1/24", "0.0.0.0/0", "2001:db8::2", "192.0.2.2", "ff00::/8"};
	static const char *const macs[] = {"02:00:00:00:00:01", "00:00:00:00:00:00",
			"ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "02:66:63:6e:00:00"};
	static const char *const vlans[] = {"1", "10,20-30", "1-4094", "4094", "7,7,7"};
	static const char *const texts[] = {
			"ip6", "udp port 4791", "show", "no filter at all", "((("};

	if (strcmp(key, "file") == 0)
		return choose(2) != 0 ? "a.conf" : "b.conf";
	switch (kind) {
	case FCN_TOKEN_NUMBER:
		return PICK(numbers);
	case FCN_TOKEN_CLASS:
		snprintf(buf, size, "%u", choose(9));
		return choose(4) == 0 ? "all" : buf[0] == '8' ? "3" : buf;
	case FCN_TOKEN_RATE:
		return PICK(rates);
	case FCN_TOKEN_COUNT:
		return PICK(counts);
	case FCN_TOKEN_SIZE:
		return PICK(sizes);
	case FCN_TOKEN_TIME:
		return PICK(times);
	case FCN_TOKEN_RATIO:
		return PICK(ratios);
	case FCN_TOKEN_ADDR:
	case FCN_TOKEN_ADDR6:
	case FCN_TOKEN_ADDR4:
		return PICK(addrs);
	case FCN_TOKEN_PREFIX:
		return PICK(prefixes);
	case FCN_TOKEN_MAC:
		return PICK(macs);
	case FCN_TOKEN_VLANS:
		return PICK(vlans);
	case FCN_TOKEN_TEXT:
		return PICK(texts);
	default:
		if (choose(200) == 0)
			return WORLD_BROKEN;
		return choose(8) == 0 ? PICK(names) : names[choose(6)];
	}
}

/* One of "a#b#c". */
static void
choice(const struct fcn_token *t, char *buf, size_t size)
{
	unsigned int n = 1;
	const char *p = t->text;

	for (const char *c = p; *c != '\0'; c++)
		n += *c == '#';
	for (n = choose(n); n > 0; n--)
		p = strchr(p, '#') + 1;
	snprintf(buf, size, "%.*s", (int)strcspn(p, "#"), p);
}

static void
make_line(const struct fcn_inst *inst, char *line, size_t size)
{
	line[0] = '\0';
	for (unsigned int i = 0; i < inst->n_tokens; i++) {
		const struct fcn_token *t = fcn_inst_token(inst, i);
		char buf[64];
		const char *word = buf;

		if (t->kind == FCN_TOKEN_WORD)
			word = t->text;
		else if (t->kind == FCN_TOKEN_CHOICE)
			choice(t, buf, sizeof(buf));
		else
			word = value(t->kind, t->key, buf, sizeof(buf));
		snprintf(line + strlen(line), size - strlen(line), "%s%s", i > 0 ? " " : "", word);
	}
}

/* One way to write a command: any command as likely as another, however many ways it has. */
static const struct fcn_inst *
choose_inst(const struct fcn_command_table *t)
{
	for (;;) {
		const struct fcn_inst *inst = t->insts[choose(t->n_insts)];
		unsigned int ways = 0;

		for (size_t i = 0; i < t->n_insts; i++)
			ways += t->insts[i]->command == inst->command;
		if (choose(ways) == 0)
			return inst;
	}
}

/* A line with a slip: a word twice, left out, or cut; or a byte that is another. */
static void
spoil(char *line)
{
	size_t len = strlen(line), at = choose(len);

	switch (choose(3)) {
	case 0:
		line[at] = '\0';
		break;
	case 1:
		line[at] = ' ' + choose(95);
		break;
	default:
		memmove(line + at, line + at + 1, len - at);
	}
}

static void
assert_round_trip(void)
{
	char *text = app_config(), *again;

	app_write("round.conf", text);
	app_teardown(NULL);
	app_setup(NULL);
	if (app_line("load round.conf") != 0)
		fail_msg("what was in force cannot be loaded: %s\n%s", app_said(), text);
	again = app_config();
	assert_string_equal(again, text);
	free(again);
	free(text);
}

static void
test_lines(void **state)
{
	const struct fcn_command_table *t = session.table;
	unsigned int fine = 0;
	char line[1024];

	RTE_SET_USED(state);
	app_write("a.conf", "");
	app_write("b.conf", "");
	for (unsigned int i = 0; i < LINES; i++) {
		struct fcn_conservation c;
		const char *said;
		int rc;

		make_line(choose_inst(t), line, sizeof(line));
		if (choose(20) == 0)
			spoil(line);
		/* ports must be, for the rest to have something to be about */
		if (i % 50 < 3)
			snprintf(line, sizeof(line), "port add p%u", i % 50);
		rc = app_line(line);
		said = app_said();
		fine += rc == 0;
		/* Who fails says why, in lines of print. */
		if (rc != 0 && strlen(said) < 3)
			fail_msg("%s: %d, and nothing said", line, rc);
		world.source = choose(3) == 0;
		world.accept = choose(40);
		fcn_poll_once(world.ctl->worker[0], 1000ull * i);
		fcn_control_conservation(world.ctl, &c);
		if (!fcn_conservation_holds(&c))
			fail_msg("the ledger is off behind: %s", line);
		if (i % 400 == 399)
			assert_round_trip();
	}
	assert_true(fine > LINES / 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(test_lines, app_setup, app_teardown),
	};

	alarm(60);
	return cmocka_run_group_tests_name("lines", tests, app_group_setup, app_group_teardown);
}
