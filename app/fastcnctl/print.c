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
ctl_print(struct ctl *ctl, const char *text, size_t len)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction interrupt, quit;
	pid_t pid;

	fflush(stdout);
	/* Both are for the pager, as they are for all that the terminal has started. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pid = fcn_pager_start(text, len);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	if (pid <= 0)
		fwrite(text, 1, len, stdout);
	else if (ctl->signals >= 0)
		ctl_signal(ctl);
}
