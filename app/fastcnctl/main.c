/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

struct arguments {
	const char *name, *path, *file;
	const char *interval; /* of `watch`, as given; NULL: it was not given */
	char *line;           /* the arguments that are no options, joined */
	bool batch;
	bool done; /* --help or --version was handled */
};

static void
usage(FILE *out)
{
	fputs("usage: fastcnctl [options] [COMMAND...]\n"
	      "       fastcnctl [options] -f FILE\n"
	      "       fastcnctl [options] watch [-n SECONDS] show ...\n"
	      "Options may also stand behind or within the command; behind -- there are none.\n"
	      "\n"
	      "fastcnctl is the console of a running fastcn. It runs the given command. Without a\n"
	      "command, it reads commands from the terminal, or from standard input until one "
	      "fails.\n"
	      "\n"
	      "  -f FILE        run the commands in a file; -: standard input\n"
	      "  -k             continue after a command that failed\n"
	      "  --json         print the answers of show commands as JSON\n"
	      "  --name NAME    name of the switch (default fastcn). Its socket is\n"
	      "                 /run/fastcn/NAME.sock, or for users other than root\n"
	      "                 $XDG_RUNTIME_DIR/fastcn/NAME.sock\n"
	      "  --socket PATH  socket of the switch\n"
	      "  --timeout SECONDS\n"
	      "                 time to wait for a switch that does not answer (default 5); 0:\n"
	      "                 without a limit\n"
	      "\n"
	      "Exit status: 0 on success, 1 if a command failed, 2 if the usage is wrong or the\n"
	      "switch cannot be reached.\n",
			out);
}

/* Join words with blanks between them. */
static char *
join(char **words, int n)
{
	size_t size = 1;
	char *line;

	for (int i = 0; i < n; i++)
		size += strlen(words[i]) + 1;
	line = calloc(1, size);
	for (int i = 0; line != NULL && i < n; i++) {
		if (i > 0)
			strcat(line, " ");
		strcat(line, words[i]);
	}
	return line;
}

static int
wrong(const char *what)
{
	fprintf(stderr, "fastcnctl: %s; see fastcnctl --help\n", what);
	return CTL_USAGE;
}

static int
parse_timeout(struct ctl *ctl, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end != '\0' || !(seconds >= 0 && seconds <= CTL_MOST_SECONDS) ||
			(seconds > 0 && seconds < CTL_LEAST_SECONDS))
		return wrong("--timeout: give 0.1 to 86400 seconds, or 0 for no limit");
	ctl->timeout_ms = (int)(seconds * 1000);
	return CTL_OK;
}

/* Read the options. They may stand anywhere, so the words of the command are moved to argv[1] and
 * behind it. @param n_words result: their number */
static int
parse_options(struct ctl *ctl, struct arguments *a, int argc, char **argv, int *n_words)
{
	enum {
		WORD = 1, /* an argument that is no option */
		JSON = 256,
		NAME,
		SOCKET,
		TIMEOUT
	};
	static const struct option options[] = {{"help", no_argument, NULL, 'h'},
			{"version", no_argument, NULL, 'v'}, {"json", no_argument, NULL, JSON},
			{"name", required_argument, NULL, NAME},
			{"socket", required_argument, NULL, SOCKET},
			{"timeout", required_argument, NULL, TIMEOUT}, {NULL, 0, NULL, 0}};
	int c, n = 1;

	while ((c = getopt_long(argc, argv, "-hvkf:n:", options, NULL)) != -1) {
		if (c == WORD)
			argv[n++] = optarg;
		else if (c == 'f')
			a->file = optarg;
		else if (c == 'k')
			ctl->go_on = true;
		else if (c == 'n')
			a->interval = optarg;
		else if (c == JSON)
			ctl->json = true;
		else if (c == NAME)
			a->name = optarg;
		else if (c == SOCKET)
			a->path = optarg;
		else if (c == TIMEOUT && parse_timeout(ctl, optarg) != CTL_OK)
			return CTL_USAGE;
		else if (c == TIMEOUT)
			continue;
		else if (c == 'h')
			usage(stdout);
		else if (c == 'v')
			printf("fastcnctl %s\n", FCN_VERSION);
		else
			return CTL_USAGE; /* getopt_long() has written a message */
		a->done |= c == 'h' || c == 'v';
	}
	while (optind < argc) /* what is behind -- */
		argv[n++] = argv[optind++];
	*n_words = n - 1;
	return CTL_OK;
}

static int
parse(struct ctl *ctl, struct arguments *a, int argc, char **argv)
{
	int n, status = parse_options(ctl, a, argc, argv, &n);

	if (status != CTL_OK || a->done)
		return status;
	if (a->file != NULL && n > 0)
		return wrong("give either a command or -f FILE");
	a->batch = a->file != NULL || (n == 0 && !isatty(STDIN_FILENO));
	a->line = join(argv + 1, n);
	if (a->line == NULL)
		return wrong("no memory");
	if (a->interval != NULL && !ctl_word(a->line, "watch", NULL))
		return wrong("-n is an option of watch");
	if (strchr(a->line, '\n') != NULL)
		return wrong("a command must be one line; use -f for several");
	return CTL_OK;
}

static int
find_socket(struct ctl *ctl, const struct arguments *a)
{
	int rc;

	if (a->path != NULL) {
		if (a->path[0] == '\0' || strlen(a->path) >= sizeof(ctl->path))
			return wrong("--socket: a path has 1 to 107 bytes");
		strcpy(ctl->path, a->path);
		return CTL_OK;
	}
	rc = fcn_remote_path(a->name != NULL ? a->name : FCN_REMOTE_NAME, ctl->path);
	if (rc == -ENOENT)
		return wrong("XDG_RUNTIME_DIR is not set: give the socket of the switch by "
			     "--socket PATH");
	return rc == 0 ? CTL_OK : wrong("--name: not a valid name of a switch");
}

int
ctl_once(struct ctl *ctl, const char *line)
{
	struct ctl_answer answer;
	char *sent = ctl_line(ctl, line);
	int rc = sent == NULL ? -ENOMEM : ctl_ask(ctl, sent, &answer);

	free(sent);
	if (rc != 0)
		return ctl_lost(ctl, rc);
	if (answer.ok)
		ctl_print(answer.text, answer.len);
	else
		fwrite(answer.text, 1, answer.len, stderr);
	return answer.ok ? CTL_OK : CTL_FAILED;
}

static int
run(struct ctl *ctl, const struct arguments *a)
{
	const char *words;
	bool json;

	if (a->batch)
		return ctl_batch(ctl, a->file);
	if (ctl_word(a->line, "watch", &words))
		return ctl_watch(ctl, words, a->interval);
	if (ctl_is_follow(a->line, &json))
		return ctl_follow(ctl, json);
	return a->line[0] != '\0' ? ctl_once(ctl, a->line) : ctl_interactive(ctl);
}

int
main(int argc, char **argv)
{
	struct ctl ctl = {.fd = -1, .signals = -1, .timeout_ms = CTL_TIMEOUT_MS};
	struct arguments a = {0};
	int status = parse(&ctl, &a, argc, argv);

	if (status == CTL_OK && !a.done)
		status = find_socket(&ctl, &a);
	if (status == CTL_OK && !a.done)
		status = ctl_connect(&ctl) == 0 ? run(&ctl, &a) : CTL_USAGE;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("fastcnctl: output");
		status = status == CTL_OK ? CTL_FAILED : status;
	}
	if (ctl.fd >= 0)
		close(ctl.fd);
	free(ctl.in);
	free(a.line);
	return status;
}
