/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>
#include <rte_common.h>

#include "line_maker.h"

/* Values that a command may take, and some on and behind its edges. */
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
static const char *const lists[] = {"2001:db8:8::1", "2001:db8:8::1,2001:db8:99::1", "::1,p0", ","};

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
		VALUES("names", lists),
};

/* splitmix64 */
unsigned int
line_maker_choose(struct line_maker *m, unsigned int n)
{
	uint64_t x = m->seed += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % n;
}

static const char *
value(struct line_maker *m, const struct fcn_command_word *w, char *buf, size_t size)
{
	if (strcmp(w->key, "file") == 0)
		return m->files[line_maker_choose(m, m->n_files)];
	if (strcmp(w->type, "class") == 0) {
		snprintf(buf, size, "%u", line_maker_choose(m, 9));
		return line_maker_choose(m, 4) == 0 ? "all" : buf[0] == '8' ? "3" : buf;
	}
	for (unsigned int i = 0; i < RTE_DIM(values); i++) {
		if (strcmp(values[i].type, w->type) == 0)
			return values[i].list[line_maker_choose(m, values[i].n)];
	}
	return m->names[line_maker_choose(
			m, line_maker_choose(m, 8) == 0 ? m->n_names : m->n_likely)];
}

/* One of "a#b#c". */
static void
choice(struct line_maker *m, const char *words, char *buf, size_t size)
{
	unsigned int n = 1;

	for (const char *c = words; *c != '\0'; c++)
		n += *c == '#';
	for (n = line_maker_choose(m, n); n > 0; n--)
		words = strchr(words, '#') + 1;
	snprintf(buf, size, "%.*s", (int)strcspn(words, "#"), words);
}

void
line_maker_line(struct line_maker *m, size_t form, char line[LINE_MAKER_MAX])
{
	struct fcn_command_word words[FCN_COMMAND_MAX_WORDS];
	unsigned int n = fcn_command_form_words(m->table, form, words);

	line[0] = '\0';
	for (unsigned int i = 0; i < n; i++) {
		char buf[64];
		const char *word = buf;

		if (words[i].literal != NULL)
			word = words[i].literal;
		else if (strchr(words[i].type, '#') != NULL)
			choice(m, words[i].type, buf, sizeof(buf));
		else
			word = value(m, &words[i], buf, sizeof(buf));
		strlcat(line, i > 0 ? " " : "", LINE_MAKER_MAX);
		strlcat(line, word, LINE_MAKER_MAX);
	}
}

size_t
line_maker_form(struct line_maker *m)
{
	const unsigned int command = line_maker_choose(m, m->n_first);
	const size_t first = m->first[command], end = m->first[command + 1];

	return first + line_maker_choose(m, end - first);
}

void
line_maker_spoil(struct line_maker *m, char *line)
{
	size_t len = strlen(line), at;

	if (len == 0)
		return;
	at = line_maker_choose(m, len);
	switch (line_maker_choose(m, 3)) {
	case 0:
		line[at] = '\0';
		break;
	case 1:
		line[at] = ' ' + line_maker_choose(m, 95);
		break;
	default:
		memmove(line + at, line + at + 1, len - at);
	}
}

int
line_maker_init(struct line_maker *m)
{
	const size_t n = fcn_command_form_count(m->table);
	const struct fcn_command *last = NULL;

	m->n_first = 0;
	m->first = calloc(n + 1, sizeof(m->first[0]));
	if (m->first == NULL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (fcn_command_form_command(m->table, i) != last)
			m->first[m->n_first++] = i;
		last = fcn_command_form_command(m->table, i);
	}
	m->first[m->n_first] = n;
	return 0;
}

void
line_maker_fini(struct line_maker *m)
{
	free(m->first);
	m->first = NULL;
}
