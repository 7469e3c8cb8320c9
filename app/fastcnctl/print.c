/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "ctl.h"
#include "fcn_pager.h"

void
ctl_print(const char *text, size_t len)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	const struct timespec at_once = {0};
	struct sigaction interrupt, quit;
	sigset_t both;
	pid_t pid;

	fflush(stdout);
	/* Both are for the pager, as they are for all that the terminal has started. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pid = fcn_pager_start(text, len);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	/* One that is blocked waits even if it is ignored. */
	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGQUIT);
	while (sigtimedwait(&both, NULL, &at_once) > 0)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	if (pid <= 0)
		fwrite(text, 1, len, stdout);
}
