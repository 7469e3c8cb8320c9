/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"

#define SECONDS 2.0

static bool
is_interval(double seconds)
{
	return seconds >= CTL_LEAST_SECONDS && seconds <= CTL_MOST_SECONDS;
}

/* Read the interval, or "-n SECONDS" in front of the command. @return 0 or -1 */
static int
parse_interval(const char **words, const char *interval, double *seconds)
{
	const char *rest = *words;
	char *end;

	*seconds = SECONDS;
	if (interval != NULL) {
		*seconds = strtod(interval, &end);
		return end != interval && *end == '\0' && is_interval(*seconds) ? 0 : -1;
	}
	if (strncmp(rest, "-n", 2) != 0)
		return 0;
	*seconds = strtod(rest + 2, &end);
	if (end == rest + 2 || (*end != ' ' && *end != '\0') || !is_interval(*seconds))
		return -1;
	*words = end + strspn(end, " \t");
	return 0;
}

/* Replace the content of the screen by as much of the text as fits. */
static void
draw(const char *title, const char *text)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	size_t len, row = 2;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 4 || size.ws_col < 8)
		size = (struct winsize){.ws_row = 24, .ws_col = 80};
	printf("\033[H%.*s\033[K\n\033[K", size.ws_col - 1, title);
	for (; *text != '\0' && row < size.ws_row; row++, text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		printf("\n%.*s\033[K", len < size.ws_col ? (int)len : size.ws_col - 1, text);
	}
	printf("\033[J");
	fflush(stdout);
}

/* Wait for this time. @return the signal that ended the wait; 0 when the time is over */
static int
wait_for(struct ctl *ctl, double seconds)
{
	struct pollfd fd = {.fd = ctl->signals, .events = POLLIN};

	poll(&fd, 1, (int)(seconds * 1000));
	return ctl_signal(ctl);
}

static int
watch(struct ctl *ctl, const char *line, double seconds, bool terminal)
{
	struct ctl_answer answer;
	char title[256], now[32];
	time_t t;
	int rc;

	if (terminal)
		printf("\033[2J");
	do {
		rc = ctl_ask(ctl, line, &answer);
		if (rc == -EINTR) {
			ctl_signal(ctl);
			return CTL_OK;
		}
		if (rc != 0)
			return ctl_lost(ctl, rc);
		if (!answer.ok) {
			fputs(answer.text, stderr);
			return CTL_FAILED;
		}
		t = time(NULL);
		strftime(now, sizeof(now), "%H:%M:%S", localtime(&t));
		snprintf(title, sizeof(title), "%s  every %gs: %s", now, seconds, line);
		if (terminal) {
			draw(title, answer.text);
		} else {
			fwrite(answer.text, 1, answer.len, stdout);
			fflush(stdout);
		}
	} while (wait_for(ctl, seconds) == 0);
	return CTL_OK;
}

int
ctl_watch(struct ctl *ctl, const char *words, const char *interval)
{
	bool terminal = isatty(STDOUT_FILENO);
	double seconds;
	char *line;
	int status;

	if (parse_interval(&words, interval, &seconds) != 0 || !ctl_is_show(words)) {
		fprintf(stderr, "usage: watch [-n SECONDS] show ...; 0.1 to 86400 seconds\n");
		return CTL_USAGE;
	}
	line = ctl_line(ctl, words);
	if (line == NULL || ctl_take_signals(ctl) != 0) {
		free(line);
		return ctl_lost(ctl, -ENOMEM);
	}
	status = watch(ctl, line, seconds, terminal);
	if (terminal)
		printf("\n");
	free(line);
	return status;
}
