/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* SIGHUP and SIGUSR2. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "fcn_commits.h"
#include "fcn_service.h"
#include "live.h"

/* Load the configuration file in place of the running configuration. An error in it changes
 * nothing. */
static void
reload(struct fcn_live *live)
{
	struct timespec ts;
	char state[64];
	int rc;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%llu",
			(unsigned long long)ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
	fcn_service_notify(state);
	fcn_commits_keep(live->commits, "SIGHUP", "before reload");
	rc = fcn_session_load(&live->session, live->config, true, stderr);
	if (rc == 0) {
		fcn_exports_saved(live->exports, live->config);
		fcn_commits_keep(live->commits, "SIGHUP", "reload");
	}
	fcn_control_note(live->ctl, rc == 0 ? FCN_EVENT_RELOADED : FCN_EVENT_RELOAD_FAILED,
			&(const struct fcn_event_text){.text = live->config});
	fcn_service_notify(rc == 0 ? "READY=1\nSTATUS=Configuration reloaded"
				   : "READY=1\nSTATUS=Reload failed, nothing was changed");
}

/* Open the event log again. @return whether there is one */
static bool
reopen_log(struct fcn_live *live)
{
	int rc = fcn_exports_reopen(live->exports);

	if (rc != 0 && rc != -ENOENT)
		fprintf(stderr, "fastcn: log of events: %s; the old file stays open\n",
				strerror(-rc));
	return rc != -ENOENT;
}

void
fcn_live_hangup(struct fcn_live *live, int hangup)
{
	struct signalfd_siginfo info;

	while (read(hangup, &info, sizeof(info)) == sizeof(info)) {
		bool reopened;

		if (info.ssi_signo == SIGUSR2) {
			fcn_live_restart(live);
			continue;
		}
		reopened = reopen_log(live);

		if (live->config != NULL)
			reload(live);
		else if (!reopened)
			live->done = true;
	}
}

int
fcn_live_block_hangup(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}
