/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>

#include "fcn_learned.h"
#include "fcn_service.h"
#include "live.h"
#include "main.h"

#define PROMPT "fastcn> "

/*
 * Maximum time, ms, for which the end of the program waits for the rest of the console's output to
 * be read.
 */
#define PATIENCE_MS 2000

/* Interval, ms, at which the collector reads the rings of events. */
#define COLLECT_MS 100

/*
 * Intervals, ms, at which the host functions are called: for some time after they have received a
 * packet, and otherwise.
 */
#define HOST_BUSY_MS 1
#define HOST_IDLE_MS 10
#define HOST_BUSY_POLLS 1000

/* Interval, ms, at which links of devices that do not report changes are checked. */
#define LINKS_MS 250

/* ---- functions for commands of the console ---- */

static int
start_forwarding(void *arg)
{
	struct fcn_live *live = arg;

	if (fcn_loops_is_forwarding(live->loops))
		return -EALREADY;
	fcn_loops_forward(live->loops, true);
	return 0;
}

static int
stop_forwarding(void *arg)
{
	struct fcn_live *live = arg;

	if (!fcn_loops_is_forwarding(live->loops))
		return -EALREADY;
	fcn_loops_forward(live->loops, false);
	return 0;
}

static void
request_shutdown(void *arg)
{
	((struct fcn_live *)arg)->done = true;
}

static struct fcn_exports *
get_exports(void *arg)
{
	return ((struct fcn_live *)arg)->exports;
}

static void
handle_line(void *arg, const char *line)
{
	struct fcn_live *live = arg;
	int shown_at = isatty(STDIN_FILENO) ? (int)strlen(PROMPT) : -1;
	char *answer = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&answer, &len);

	live->session.out = out != NULL ? out : stdout;
	fcn_session_line(&live->session, line, shown_at);
	live->session.out = stdout;
	if (out != NULL && fclose(out) == 0)
		fcn_console_output_write(&live->output, answer, len);
	free(answer);
	live->done |= live->session.ended;
}

/* Load the configuration file in place of the configuration in force. An error in it changes
 * nothing. */
static void
reload(struct fcn_live *live)
{
	struct timespec ts;
	char state[64];

	clock_gettime(CLOCK_MONOTONIC, &ts);
	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%llu",
			(unsigned long long)ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
	fcn_service_notify(state);
	fcn_service_notify(fcn_session_load(&live->session, live->config, true, stderr) == 0
					   ? "READY=1\nSTATUS=Configuration reloaded"
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

static void
handle_signal(struct fcn_live *live, int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		bool reopened = info.ssi_signo == SIGHUP && reopen_log(live);

		if (info.ssi_signo == SIGHUP && live->config != NULL)
			reload(live);
		else if (!reopened)
			live->done = true;
	}
}

/* Get the milliseconds until a time of the workers' clock, at least 1 and at most `most`. */
static int
wait_until(uint64_t due, uint64_t now, int most)
{
	if (due >= now + (uint64_t)most * 1000000)
		return most;
	return due <= now ? 1 : (int)((due - now + 999999) / 1000000);
}

/*
 * Run the host functions, and process routes and interfaces of the kernel.
 *
 * @return milliseconds until the next call
 */
static int
serve_host(struct fcn_live *live)
{
	struct fcn_control *ctl = live->ctl;
	uint64_t now = fcn_loops_now(live->loops);
	uint64_t due = fcn_control_kernel_poll(ctl, now);

	due = RTE_MIN(due, fcn_control_err_disable_poll(ctl, now));
	due = RTE_MIN(due, fcn_learned_poll(ctl, now));
	fcn_control_host_poll(ctl, now);
	if (fcn_control_host_was_busy(ctl))
		live->host_busy = HOST_BUSY_POLLS;
	else if (live->host_busy > 0)
		live->host_busy--;
	if (!fcn_control_build_env(ctl)->host)
		return wait_until(due, now, COLLECT_MS);
	return wait_until(due, now, live->host_busy > 0 ? HOST_BUSY_MS : HOST_IDLE_MS);
}

static uint64_t
milliseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Check links when a device has reported a change, and periodically. */
static void
serve_links(struct fcn_live *live)
{
	uint64_t now = milliseconds(), n;

	if (read(live->link_event, &n, sizeof(n)) < 0 && now - live->links_seen_ms < LINKS_MS)
		return;
	live->links_seen_ms = now;
	fcn_control_link_poll(live->ctl);
}

/* The descriptors that the control thread waits for. */
enum {
	POLL_SIGNALS,
	POLL_REMOTE,
	POLL_CONSOLE_IN,
	POLL_EXPORTS,
	POLL_CONSOLE_OUT,
	POLL_LINKS,
	POLL_KERNEL,
	POLL_COUNT
};

/* Serve consoles, devices and the kernel until a console or a signal ends the program. */
static void
serve(struct fcn_live *live, int signals, bool interactive)
{
	struct fcn_console *console = NULL;
	struct pollfd fds[POLL_COUNT] = {
			[POLL_SIGNALS] = {.fd = signals, .events = POLLIN},
			[POLL_REMOTE] = {.fd = -1, .events = POLLIN},
			[POLL_CONSOLE_IN] = {.fd = -1, .events = POLLIN},
			[POLL_EXPORTS] = {.fd = fcn_exports_fd(live->exports), .events = POLLIN},
			[POLL_CONSOLE_OUT] = {.fd = -1, .events = POLLOUT},
			[POLL_LINKS] = {.fd = live->link_event, .events = POLLIN},
			[POLL_KERNEL] = {.fd = -1, .events = POLLIN},
	};
	bool more = false; /* lines of remote consoles wait to be run */

	if (live->remote != NULL)
		fds[POLL_REMOTE].fd = fcn_remote_fd(live->remote);
	if (interactive) {
		fflush(stdout);
		fcn_console_output_open(&live->output, STDOUT_FILENO);
		console = fcn_console_create(live->table, PROMPT, STDIN_FILENO, STDOUT_FILENO,
				handle_line, live);
		if (console != NULL)
			fcn_console_write_to(console, &live->output);
	}
	while (!live->done) {
		int wait = serve_host(live);
		bool full = fcn_console_output_waits(&live->output);

		/* No command is read before the output of the one before was written. */
		fds[POLL_CONSOLE_IN].fd = console != NULL && !full ? STDIN_FILENO : -1;
		fds[POLL_CONSOLE_OUT].fd = full ? live->output.fd : -1;
		fds[POLL_KERNEL].fd = fcn_control_kernel_fd(live->ctl);
		if (poll(fds, RTE_DIM(fds), more ? 0 : wait) < 0 && errno != EINTR)
			break;
		fcn_control_drain(live->ctl);
		fcn_exports_run(live->exports);
		fcn_captures_run(live->captures);
		serve_links(live);
		if (fds[POLL_SIGNALS].revents != 0)
			handle_signal(live, signals);
		if (fds[POLL_CONSOLE_OUT].revents != 0)
			fcn_console_output_flush(&live->output);
		if (console != NULL && fds[POLL_CONSOLE_IN].revents != 0 &&
				fcn_console_input(console) != 0)
			break;
		if (!live->done && live->remote != NULL)
			more = fcn_remote_run(live->remote);
	}
	fcn_service_notify("STOPPING=1");
	fcn_console_output_finish(&live->output, signals, PATIENCE_MS);
	fcn_console_free(console);
	fcn_console_output_close(&live->output);
}

/* Threads of the EAL inherit the mask, so that only the control thread's descriptor gets signals.
 */
static int
block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int
run(struct fcn_live *live, int signals)
{
	if (fcn_live_open_exports(live) != 0)
		return FCN_EXIT_USAGE;
	if (live->config != NULL &&
			fcn_session_load(&live->session, live->config, false, stderr) != 0)
		return FCN_EXIT_USAGE;
	if (live->commands != NULL && fcn_session_lines(&live->session, live->commands) != 0)
		return FCN_EXIT_USAGE;
	live->done |= live->session.ended;
	if (!live->interactive && !live->done)
		start_forwarding(live);
	fcn_service_notify("READY=1\nSTATUS=Running");
	serve(live, signals, live->interactive);
	return FCN_EXIT_OK;
}

/*
 * Replace stderr by a stream whose writers never wait: stderr may be a pipe that nobody reads. DPDK
 * writes its log there, too, and not to syslog, where it could wait for the daemon.
 */
static void
open_log(struct fcn_live *live)
{
	live->log = fcn_log_stream_create(STDERR_FILENO, 0);
	if (live->log == NULL)
		return; /* without the stream, messages may block */
	live->plain_stderr = stderr;
	stderr = fcn_log_stream_file(live->log);
	rte_openlog_stream(stderr);
}

static void
close_log(struct fcn_live *live)
{
	if (live->log == NULL)
		return;
	stderr = live->plain_stderr;
	rte_openlog_stream(stderr);
	fcn_log_stream_free(live->log);
}

int
fcn_live_main(int argc, char **argv)
{
	struct fcn_live live = {.link_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	const struct fcn_platform platform = fcn_live_platform(&live);
	const struct fcn_session_hooks hooks = {
			start_forwarding, stop_forwarding, request_shutdown, &live, get_exports};
	int signals = block_signals(), used, status = FCN_EXIT_USAGE;

	used = rte_eal_init(argc, argv);
	if (used < 0) {
		fprintf(stderr,
				"fastcn: EAL: %s (without hugepages: --no-huge -m 512; see fastcn "
				"--help)\n",
				rte_strerror(rte_errno));
		return FCN_EXIT_USAGE;
	}
	open_log(&live);
	if (rte_lcore_count() < 2) {
		fprintf(stderr, "fastcn: at least two lcores are needed, one for control and "
				"one for forwarding: -l 0,1\n");
	} else if (fcn_live_parse_options(&live, argc - used, argv + used) == 0 &&
			fcn_remote_session_open(
					&live.remote_options, &live.session, &live.remote) == 0 &&
			fcn_live_set_up(&live, &platform) == 0) {
		live.session = (struct fcn_session){.ctl = live.ctl,
				.table = live.table,
				.hooks = &hooks,
				.out = stdout,
				.captures = live.captures};
		status = run(&live, signals);
	}
	fcn_live_tear_down(&live);
	close_log(&live);
	rte_eal_cleanup();
	return status;
}
