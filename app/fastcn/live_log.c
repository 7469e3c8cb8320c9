/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The log of the live switch: `show log` has all of it, standard error most of it. */

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_log.h>

#include "live.h"

/* Up to which level standard error gets what DPDK says, too. What a start that succeeds says is
 * above it, such as how many CPUs there are. */
#define SHOWN RTE_LOG_ERR

static void
keep_lines(void *arg, const char *text, size_t len)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	fcn_log_lines_add(arg, text, len, (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec);
}

/* A message of EAL, of a library or of a driver, which rte_log() writes at once. */
static ssize_t
write_dpdk(void *cookie, const char *text, size_t len)
{
	const struct fcn_live *live = cookie;
	const bool shown = rte_log_cur_msg_loglevel() <= live->dpdk_shown;

	if (shown)
		fwrite(text, 1, len, stderr);
	/* The log keeps what goes through its stream. */
	if (live->log_lines != NULL && (!shown || live->log == NULL))
		keep_lines(live->log_lines, text, len);
	return (ssize_t)len;
}

void
fcn_live_log_begin(struct fcn_live *live, int argc, char **argv)
{
	static const char option[] = "--log-level";
	static const cookie_io_functions_t functions = {.write = write_dpdk};

	live->log_lines = fcn_log_lines_create(); /* without them, `show log` is empty */
	live->dpdk_shown = SHOWN;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], option, strlen(option)) == 0)
			live->dpdk_shown = RTE_LOG_MAX; /* who asks for levels sees them */
	}
	live->dpdk_log = fopencookie(live, "w", functions);
	if (live->dpdk_log != NULL)
		rte_openlog_stream(live->dpdk_log);
}

/* Replace stderr by a stream whose writers never wait: stderr may be a pipe that nobody reads. */
void
fcn_live_log_open(struct fcn_live *live)
{
	live->log = fcn_log_stream_create(STDERR_FILENO, 0);
	if (live->log == NULL)
		return; /* without the stream, messages may block */
	live->plain_stderr = stderr;
	if (live->log_lines != NULL)
		fcn_log_stream_watch(live->log, keep_lines, live->log_lines);
	stderr = fcn_log_stream_file(live->log);
}

void
fcn_live_log_close(struct fcn_live *live)
{
	if (live->log != NULL)
		stderr = live->plain_stderr;
	rte_openlog_stream(stderr);
	if (live->dpdk_log != NULL)
		fclose(live->dpdk_log);
	fcn_log_stream_free(live->log);
	fcn_log_lines_free(live->log_lines);
}
