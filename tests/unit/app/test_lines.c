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
static const char *const names[] = {"p0", "p1", "p2", "p3", "br0", "br1", "all", "nope", "a.conf",
		"0011223344556677", "00"};
static const char *const numbers[] = {"0", "1", "2", "7", "63", "64", "255", "256", "1280", "1500",
		"4094", "9600", "65536", "0x81", "18446744073709551615"};
static const char *const rates[] = {"0", "1", "1K", "999", "20M", "3G", "2.5G", "400G", "4000G",
		"4001G", "18446744073709551615"};
static const char *const counts[] = {"0", "1", "16", "250K", "1M", "1G", "5G"};
static const char *const sizes[] = {
		"0", "1", "64", "1500", "20K", "64Ki", "1M", "1G", "4294967295", "5G"};
static const char *const times[] = {
		"0", "1ns", "999ns", "4us", "1ms", "1s", "300s", "18446744073709551615ns"};
static const char *const ratios[] = {"0", "0.2", "20%", "1/8", "1", "0.95", "1/3", "128", "129",
		"0.0001", "18446744073"};
static const char *const addrs[] = {"2001:db8::1", "2001:db8::2", "2001:db8:1::1", "fe80::1",
		"192.0.2.1", "192.0.2.2", "::", "ff02::1", "::1", "255.255.255.255"};
static const char *const prefixes[] = {"2001:db8::1/64", "2001:db8:1::/48", "::/0", "192.0.2.1/24",
		"0.0.0.0/0", "2001:db8::2", "192.0.2.2", "ff00::/8"};
static const char *const macs[] = {"02:00:00:00:00:01", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff",
		"01:00:5e:00:00:01", "02:66:63:6e:00:00"};
static const char *const vlans[] = {"1", "10,20-30", "1-4094", "4094", "7,7,7"};
static const char *const texts[] = {"ip6", "udp port 4791", "show", "no filter at all", "((("};

#define VALUES(type, list)                \
	{                                 \
		type, list, RTE_DIM(list) \
	}

static const struct {
	const char *type;
	const char *const *list;
	unsigned int n;
} values[] = {
		VALUES("number", numbers),
		VALUES("rate", rates),
		VALUES("count", counts),
		VALUES("size", sizes),
		VALUES("time", times),
		VALUES("ratio", ratios),
		VALUES("addr", addrs),
		VALUES("addr6", addrs),
		VALUES("addr4", addrs),
		VALUES("prefix", prefixes),
		VALUES("mac", macs),
		VALUES("vlans", vlans),
		VALUES("text", texts),
};

static const char *
value(const struct fcn_command_word *w, char *buf, size_t size)
{
	if (strcmp(w->key, "file") == 0)
		return choose(2) != 0 ? "a.conf" : "b.conf";
	if (strcmp(w->type, "class") == 0) {
		snprintf(buf, size, "%u", choose(9));
		return choose(4) == 0 ? "all" : buf[0] == '8' ? "3" : buf;
	}
	for (unsigned int i = 0; i < RTE_DIM(values); i++) {
		if (strcmp(values[i].type, w->type) == 0)
			return values[i].list[choose(values[i].n)];
	}
	if (choose(200) == 0)
		return PLATFORM_BROKEN;
	return choose(8) == 0 ? PICK(names) : names[choose(6)];
}

/* One of "a#b#c". */
static void
choice(const char *words, char *buf, size_t size)
{
	unsigned int n = 1;

	for (const char *c = words; *c != '\0'; c++)
		n += *c == '#';
	for (n = choose(n); n > 0; n--)
		words = strchr(words, '#') + 1;
	snprintf(buf, size, "%.*s", (int)strcspn(words, "#"), words);
}

static void
make_line(size_t form, char *line, size_t size)
{
	struct fcn_command_word words[FCN_COMMAND_MAX_WORDS];
	unsigned int n = fcn_command_form_words(session.table, form, words);

	line[0] = '\0';
	for (unsigned int i = 0; i < n; i++) {
		char buf[64];
		const char *word = buf;

		if (words[i].literal != NULL)
			word = words[i].literal;
		else if (strchr(words[i].type, '#') != NULL)
			choice(words[i].type, buf, sizeof(buf));
		else
			word = value(&words[i], buf, sizeof(buf));
		snprintf(line + strlen(line), size - strlen(line), "%s%s", i > 0 ? " " : "", word);
	}
}

/* One form of a command: any command as likely as another, however many forms it has. */
static size_t
choose_form(const struct fcn_command_table *t)
{
	const size_t n = fcn_command_form_count(t);

	for (;;) {
		size_t form = choose(n);
		unsigned int forms = 0;

		for (size_t i = 0; i < n; i++)
			forms += fcn_command_form_command(t, i) ==
				 fcn_command_form_command(t, form);
		if (choose(forms) == 0)
			return form;
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

static int
begin(void **state)
{
	alarm(60);
	return app_group_setup(state);
}

TEST_FIXTURE(.begin = begin, .end = app_group_teardown, .setup = app_setup,
		.teardown = app_teardown);

TEST(lines)
{
	const struct fcn_command_table *t = session.table;
	unsigned int fine = 0;
	char line[1024];

	app_write("a.conf", "");
	app_write("b.conf", "");
	for (unsigned int i = 0; i < LINES; i++) {
		struct fcn_conservation c;
		const char *said;
		int rc;

		make_line(choose_form(t), line, sizeof(line));
		if (choose(20) == 0)
			spoil(line);
		/* ports must be, for the rest to have something to be about */
		if (i % 50 < 3)
			snprintf(line, sizeof(line), "port add p%u", i % 50);
		rc = app_line(line);
		said = app_output();
		fine += rc == 0;
		/* Who fails says why, in lines of print. */
		if (rc != 0 && strlen(said) < 3)
			fail_msg("%s: %d, and nothing said", line, rc);
		platform.source = choose(3) == 0;
		platform.accept = choose(40);
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1000ull * i);
		fcn_control_conservation(platform.ctl, &c);
		if (!fcn_conservation_holds(&c))
			fail_msg("the packet accounting is off behind: %s", line);
		if (i % 400 == 399)
			app_reload();
	}
	assert_true(fine > LINES / 4);
}
