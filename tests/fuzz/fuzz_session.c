/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Configurations and consoles with all commands of the switch, on one without devices. Of the first
 * byte, bit 0 says whether the text behind it is a configuration file or a console's lines, bit 1
 * whether ports receive packets meanwhile, and bit 2 whether a new switch, too, loads what is
 * saved. Among the lines of a console, one that begins with '!' is what happens to the switch: see
 * happen().
 *
 * Whatever was accepted is saved as a text that gives the same text when it is loaded: in place of
 * what is in force, with links as they are now, and in a new switch. A line that is refused changes
 * nothing and says why, `no` behind what a line has added takes that back, and packets are
 * accounted for.
 *
 * Files are in a directory that the target makes, where the sessions are restricted to.
 */

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include <sanitizer/lsan_interface.h>

#include "config_same.h"
#include "fcn_session.h"
#include "fcn_virtual_eal.h"
#include "line_maker.h"
#include "platform.h"
#include "fuzz.h"

#define MEMORY_MB 256
#define LINES 16 /* of a console, at most */
#define PACKETS 2
#define NEW_SWITCH 4

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int __wrap_fsync(int fd);

static const char *const names[] = {"p1", "p2", "p3", "br0", "red", "blue", "toward", "all", "p1.7",
		"p2.x", "br1", "main", "other", "nope", PLATFORM_BROKEN, "00112233"};
static const char *const files[] = {"a.conf", "b.conf", "/etc/hostname", "../c.conf", ".", "-"};

static struct line_maker maker = {.names = names,
		.n_names = RTE_DIM(names),
		.n_likely = 7,
		.files = files,
		.n_files = RTE_DIM(files)};
static char directory[] = "/tmp/fcn-fuzz-XXXXXX";
static struct fcn_session session;
static char *said;
static size_t said_size;
static uint64_t now;

/* Nothing here has to outlive the machine. */
int
__wrap_fsync(int fd)
{
	RTE_SET_USED(fd);
	return 0;
}

/* ---- files ---- */

static void
remove_files(void)
{
	DIR *dir = opendir(directory);
	char path[PATH_MAX];
	struct dirent *e;

	require(dir != NULL);
	while ((e = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", directory, e->d_name);
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			require(unlink(path) == 0);
	}
	closedir(dir);
}

static void
remove_directory(void)
{
	remove_files();
	rmdir(directory);
}

/* ---- the switch ---- */

static void
begin(void)
{
	static const struct fcn_session_files only_here = {{directory, directory}};

	/* Small ones are made sooner, which is most of what an input takes. */
	require(platform_setup_sized(&(struct fcn_platform){0}, false,
				&(struct platform_size){
						.mac_entries = 64, .events = 64, .mbufs = 255}) ==
			0);
	session = (struct fcn_session){
			.ctl = platform.ctl, .table = maker.table, .files = &only_here};
	session.out = open_memstream(&said, &said_size);
	require(session.out != NULL);
	now = 0;
}

static void
end(void)
{
	fclose(session.out);
	free(said);
	said = NULL;
	require(platform_teardown(NULL) == 0);
}

static void
start(void)
{
	maker.table = fcn_session_commands();
	require(maker.table != NULL && line_maker_init(&maker) == 0);
	require(mkdtemp(directory) != NULL && atexit(remove_directory) == 0);
	require(fcn_virtual_eal_init("fuzz_session", MEMORY_MB) == 0);
}

/* Once, before the first input. What DPDK keeps is no leak. */
static void
ensure(void)
{
	if (maker.table != NULL)
		return;
	__lsan_disable();
	start();
	__lsan_enable();
}

/* ---- what is in force ---- */

static char *
saved(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	require(out != NULL);
	fcn_session_save(fcn_control_config(platform.ctl), out);
	require(fclose(out) == 0);
	return text;
}

static void
require_same(const char *text, const char *was, const char *where)
{
	if (strcmp(text, was) == 0)
		return;
	fprintf(stderr, "%s, it was:\n%s\nit is:\n%s\n", where, was, text);
	abort();
}

/* Load a text in place of all: it has to be accepted, and in force. */
static void
load_again(const char *text, const struct fcn_config *was, const char *where)
{
	const struct fcn_session_text all = {"again", text};
	char *again;

	if (fcn_session_load_text(&session, &all, 1, true, stderr) != 0) {
		fprintf(stderr, "%s: refused what was saved:\n%s\n", where, text);
		abort();
	}
	again = saved();
	require_same(again, text, where);
	free(again);
	/* What is not saved at all is missing in both texts. */
	assert_same_config(was, fcn_control_config(platform.ctl));
}

/* What `show running-config` says is the same configuration, in fewer lines. */
static char *
running_config(void)
{
	char *text;

	rewind(session.out);
	require(fcn_session_line(&session, "show running-config", -1) == 0);
	fputc('\0', session.out);
	fflush(session.out);
	text = strdup(said);
	require(text != NULL);
	return text;
}

static void
check_new_switch(const char *text, const struct fcn_config *was)
{
	char *less = running_config(), *again;
	const struct fcn_session_text few = {"running", less};

	end();
	begin();
	load_again(text, was, "in a new switch");
	require(fcn_session_load_text(&session, &few, 1, true, stderr) == 0);
	again = saved();
	require_same(again, text, "of the running configuration");
	free(again);
	free(less);
}

static void
check_round_trip(uint8_t how)
{
	struct fcn_config *was = fcn_config_copy(fcn_control_config(platform.ctl));
	char *text = saved();

	require(was != NULL);
	load_again(text, was, "in place");
	if (how & NEW_SWITCH)
		check_new_switch(text, was);
	fcn_config_free(was);
	free(text);
}

/* ---- what happens ---- */

static void
turn(uint64_t ns)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	struct fcn_conservation c;

	now += ns;
	fcn_poll_once(w, now);
	fcn_control_drain(platform.ctl);
	fcn_control_err_disable_poll(platform.ctl, now);
	fcn_control_host_poll(platform.ctl, now);
	fcn_control_conservation(platform.ctl, &c);
	require(fcn_conservation_holds(&c));
}

struct added {
	char before[65536],
			line[LINE_MAKER_MAX]; /* the text before, and what a line has added to it */
};

/* Tell whether a text is another one with one line more. */
static bool
one_more(const char *text, const char *before, char line[LINE_MAKER_MAX])
{
	size_t n = 0, len, more = strlen(text) - strlen(before);

	if (strlen(text) <= strlen(before))
		return false;
	while (text[n] == before[n])
		n++;
	while (n > 0 && text[n - 1] != '\n')
		n--;
	len = strcspn(text + n, "\n");
	if (len + 1 != more || len >= LINE_MAKER_MAX || strcmp(text + n + len + 1, before + n) != 0)
		return false;
	snprintf(line, LINE_MAKER_MAX, "%.*s", (int)len, text + n);
	return true;
}

static int
run(const char *line)
{
	int rc;

	rewind(session.out);
	rc = fcn_session_line(&session, line, -1);
	fputc('\0', session.out);
	fflush(session.out);
	require(session.candidate == NULL && rc <= 0);
	/* Who refuses says why. */
	require(rc == 0 || strlen(said) >= 3);
	return rc;
}

/* Take back what the line before has added. */
static void
take_back(struct added *added)
{
	char line[LINE_MAKER_MAX + 8], *text;

	if (strstr(added->line, " add ") == NULL)
		return;
	snprintf(line, sizeof(line), "no %s", added->line);
	if (strlen(line) <= FCN_COMMAND_MAX_LINE && run(line) == 0) {
		text = saved();
		require_same(text, added->before, line);
		free(text);
	}
	added->line[0] = '\0';
}

/* !t: a second passes. !n: `no`. !dN, !uN, !gN, !mN: the link of port N goes down, comes up, has a
 * speed of 100 Gb/s, or of 10 Mb/s. */
static void
happen(const char *what, struct added *added)
{
	struct platform_port *p = &platform.port[(uint8_t)what[0] != 0 ? (uint8_t)what[1] % 4 : 0];

	switch (what[0]) {
	case 't':
		turn(1000000000);
		return;
	case 'n':
		take_back(added);
		return;
	case 'd':
		p->down = true;
		break;
	case 'u':
		p->down = false;
		break;
	case 'g':
		p->link_bps = UINT64_C(100000000000);
		break;
	case 'm':
		p->link_bps = 10000000;
		break;
	default:
		return;
	}
	fcn_control_link_poll(platform.ctl);
}

/* Run a line. @param before what was saved in front of it @return what is saved behind it */
static char *
type(const char *line, char *before, struct added *added)
{
	int rc = run(line);
	char *after = saved();

	added->line[0] = '\0';
	if (rc != 0)
		require_same(after, before, line);
	else if (strlen(before) < sizeof(added->before) && one_more(after, before, added->line))
		snprintf(added->before, sizeof(added->before), "%s", before);
	free(before);
	return after;
}

static void
fuzz_lines(char *text)
{
	static struct added added;
	char *save = NULL, *now_saved = saved();
	unsigned int n = 0;

	added.line[0] = '\0';
	for (char *line = strtok_r(text, "\n", &save); line != NULL && n < LINES;
			line = strtok_r(NULL, "\n", &save), n++) {
		if (line[0] == '!') {
			happen(line + 1, &added);
			free(now_saved);
			now_saved = saved();
		} else {
			now_saved = type(line, now_saved, &added);
		}
		turn(10000);
	}
	free(now_saved);
}

static void
fuzz_file(const char *text, FILE *nowhere)
{
	const struct fcn_session_text all = {"fuzz", text};
	char *before = saved(), *after;
	int rc = fcn_session_load_text(&session, &all, 1, true, nowhere);

	if (rc != 0) {
		after = saved();
		require_same(after, before, "a file that is refused");
		free(after);
	}
	free(before);
	turn(10000);
	turn(1000000000);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	char *text;

	ensure();
	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	if (size == 0 || nowhere == NULL)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	require(text != NULL);
	begin();
	platform.source = data[0] & PACKETS;
	if (data[0] & 1)
		fuzz_lines(text);
	else
		fuzz_file(text, nowhere);
	check_round_trip(data[0]);
	turn(10000);
	end();
	remove_files();
	free(text);
	return 0;
}

/* ---- mutations ---- */

struct text {
	char *at;
	size_t len, max;
};

/* Put another text in the place of a part. */
static void
replace(struct text *t, size_t at, size_t cut, const char *with, size_t len)
{
	if (t->len - cut + len > t->max)
		return;
	memmove(t->at + at + len, t->at + at + cut, t->len - at - cut);
	memcpy(t->at + at, with, len);
	t->len += len - cut;
}

/* Choose a line. @param len with its end */
static size_t
choose_line(const struct text *t, size_t *len)
{
	size_t at = t->len == 0 ? 0 : line_maker_choose(&maker, t->len);
	const char *end;

	while (at > 0 && t->at[at - 1] != '\n')
		at--;
	end = t->len == 0 ? NULL : memchr(t->at + at, '\n', t->len - at);
	*len = end != NULL ? (size_t)(end - t->at) + 1 - at : t->len - at;
	return at;
}

/* Choose a word of a line. */
static size_t
choose_word(const char *line, size_t len, size_t *word_len)
{
	size_t at = len == 0 ? 0 : line_maker_choose(&maker, len), n = 0;

	while (at > 0 && line[at - 1] != ' ')
		at--;
	while (at + n < len && line[at + n] != ' ' && line[at + n] != '\n')
		n++;
	*word_len = n;
	return at;
}

static void
new_line(char line[LINE_MAKER_MAX + 2])
{
	static const char *const happens[] = {"!t", "!n", "!d0", "!u0", "!g1", "!m1", "!m0",
			"port add p1", "port add p2"};

	if (line_maker_choose(&maker, 6) == 0)
		snprintf(line, LINE_MAKER_MAX, "%s",
				happens[line_maker_choose(&maker, RTE_DIM(happens))]);
	else
		line_maker_line(&maker, line_maker_form(&maker), line);
	strcat(line, "\n");
}

static void
mutate_lines(struct text *t)
{
	char line[LINE_MAKER_MAX + 2];
	size_t len, word, n, other, at = choose_line(t, &len);

	new_line(line);
	switch (line_maker_choose(&maker, 6)) {
	case 0: /* one away */
		replace(t, at, len, "", 0);
		break;
	case 1: /* one in the place of another */
		replace(t, at, len, line, strlen(line));
		break;
	case 2: /* one again, taken back or not */
		snprintf(line, sizeof(line), "%s%.*s%s", line_maker_choose(&maker, 2) ? "no " : "",
				(int)RTE_MIN(len, (size_t)LINE_MAKER_MAX - 8), t->at + at,
				len > 0 && t->at[at + len - 1] == '\n' ? "" : "\n");
		replace(t, t->len, 0, line, strlen(line));
		break;
	case 3: /* a word in the place of another */
		word = choose_word(t->at + at, len, &n);
		other = choose_word(line, strlen(line), &len);
		replace(t, at + word, n, line + other, len);
		break;
	default:
		replace(t, at, 0, line, strlen(line));
	}
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct text t;

	ensure();
	maker.seed = seed;
	if (size == 0 || line_maker_choose(&maker, 3) == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	t = (struct text){(char *)data + 1, size - 1, max_size - 1};
	for (unsigned int n = 1 + line_maker_choose(&maker, 3); n > 0; n--)
		mutate_lines(&t);
	return t.len + 1;
}
