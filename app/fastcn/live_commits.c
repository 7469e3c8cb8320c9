/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What happens to the switch as a whole, for those who look later: configurations to go back to
 * (--rollback-dir), events about the program, and events that a console follows. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "fcn_commits.h"
#include "live.h"

static uint64_t
now_ms(void *arg)
{
	struct timespec ts;

	(void)arg;
	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static uint64_t
unix_s(void *arg)
{
	(void)arg;
	return fcn_live_wall_clock() / 1000000000;
}

int
fcn_live_commits_create(struct fcn_live *live)
{
	live->commits = fcn_commits_create(&(const struct fcn_commits_conf){.ctl = live->ctl,
			.directory = live->rollback_dir,
			.now_ms = now_ms,
			.unix_s = unix_s});
	return live->commits != NULL ? 0 : -1;
}

void
fcn_live_commits_open(struct fcn_live *live)
{
	fcn_commits_open(live->commits);
	fcn_commits_keep(live->commits, "-", "start");
}

void
fcn_live_note_started(struct fcn_live *live)
{
	char text[1024];

	snprintf(text, sizeof(text), "fastcn " FCN_VERSION "%s%s", live->config != NULL ? ", " : "",
			live->config != NULL ? live->config : "");
	fcn_control_note(
			live->ctl, FCN_EVENT_STARTED, &(const struct fcn_event_text){.text = text});
}

void
fcn_live_note_stopped(struct fcn_live *live)
{
	const struct fcn_event_text words = {
			.text = live->handed_over ? "another process has taken over" : NULL};

	fcn_control_note(live->ctl, FCN_EVENT_STOPPED, &words);
}

/* ---- following events ---- */

void
fcn_live_follow(void *arg, bool json)
{
	struct fcn_live *live = arg;

	live->following = true;
	live->follow_json = json;
	live->follow_from = UINT64_MAX;
}

void
fcn_live_follow_poll(struct fcn_live *live)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out;

	/* Who does not read is told later how many events there were meanwhile. */
	if (!live->following || fcn_console_output_waits(&live->output))
		return;
	out = open_memstream(&text, &len);
	if (out == NULL)
		return;
	live->follow_from = fcn_exports_follow(
			live->exports, live->follow_from, live->follow_json, out);
	if (fclose(out) == 0 && len > 0)
		fcn_console_output_write(&live->output, text, len);
	free(text);
}
