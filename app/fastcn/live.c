/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
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

#include "fcn_commits.h"
#include "fcn_ethdev.h"
#include "fcn_learned.h"
#include "fcn_service.h"
#include "live.h"
#include "main.h"

#define PROMPT "fastcn> "
#define PROMPT_STOPPED "fastcn(stopped)> "

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
/* The same for the first second: devices with another end connect to it then. */
#define LINKS_FIRST_MS 10
#define LINKS_FIRST_FOR_MS 1000

static uint64_t
milliseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- functions for commands of the console ---- */

static int
start_forwarding(void *arg)
{
	struct fcn_live *live = arg;

	if (fcn_loops_is_forwarding(live->loops))
		return -EALREADY;
	fcn_loops_forward(live->loops, true);
	fcn_exports_forwarding(live->exports, true);
	return 0;
}

static int
stop_forwarding(void *arg)
{
	struct fcn_live *live = arg;

	if (!fcn_loops_is_forwarding(live->loops))
		return -EALREADY;
	fcn_loops_forward(live->loops, false);
	fcn_exports_forwarding(live->exports, false);
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

static const char *
prompt_of(const struct fcn_live *live)
{
	if (live->following)
		return "";
	return fcn_loops_is_forwarding(live->loops) ? PROMPT : PROMPT_STOPPED;
}

/* Ctrl-C ends what is followed. @return whether something was */
static bool
end_following(void *arg)
{
	struct fcn_live *live = arg;
	const bool was = live->following;

	live->following = false;
	fcn_console_prompt(live->console, prompt_of(live));
	return was;
}

/* Run a line of the built-in console, or with NULL what is due at its end. */
static void
run_line(struct fcn_live *live, const char *line)
{
	int shown_at = isatty(STDIN_FILENO) ? (int)strlen(prompt_of(live)) : -1;
	char *answer = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&answer, &len);

	if (line != NULL)
		fcn_live_console_remember(live, line);
	live->session.out = out != NULL ? out : stdout;
	if (line != NULL)
		fcn_session_line(&live->session, line, shown_at);
	else
		fcn_session_summary(&live->session);
	live->session.out = stdout;
	if (out != NULL && fclose(out) == 0)
		fcn_live_console_write(live, answer, len);
	free(answer);
}

static void
handle_line(void *arg, const char *line)
{
	struct fcn_live *live = arg;

	live->following = false;
	run_line(live, line);
	if (live->session.ended && !live->done) /* `shutdown` has shown it already */
		run_line(live, NULL);
	live->done |= live->session.ended;
	live->summarised |= live->session.ended;
	fcn_console_prompt(live->console, live->done || live->pager != 0 ? "" : prompt_of(live));
}

/* Get the milliseconds until a time of the workers' clock, at least 1 and at most `most`. */
static int
wait_until(uint64_t due, uint64_t now, int most)
{
	if (due >= now + (uint64_t)most * 1000000)
		return most;
	return due <= now ? 1 : (int)((due - now + 999999) / 1000000);
}

void
fcn_live_watch(struct fcn_live *live)
{
	const uint64_t now = milliseconds();

	fcn_control_workers_poll(live->ctl);
	if (live->watchdog_ms == 0 || now - live->fed_ms < live->watchdog_ms / 4)
		return;
	for (unsigned int i = 0; i < fcn_control_n_workers(live->ctl); i++) {
		if (fcn_control_is_stalled(live->ctl, i))
			return;
	}
	live->fed_ms = now;
	fcn_service_notify("WATCHDOG=1");
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
	fcn_live_watch(live);
	fcn_control_host_poll(ctl, now);
	if (fcn_control_host_was_busy(ctl))
		live->host_busy = HOST_BUSY_POLLS;
	else if (live->host_busy > 0)
		live->host_busy--;
	if (!fcn_control_build_env(ctl)->host)
		return wait_until(due, now, COLLECT_MS);
	return wait_until(due, now, live->host_busy > 0 ? HOST_BUSY_MS : HOST_IDLE_MS);
}

/* Check links when a device has reported a change, and periodically. */
static void
serve_links(struct fcn_live *live)
{
	const uint64_t now = milliseconds();
	const uint64_t every = now < live->links_often_ms ? LINKS_FIRST_MS : LINKS_MS;
	uint64_t n;

	if (read(live->link_event, &n, sizeof(n)) < 0 && now - live->links_seen_ms < every)
		return;
	live->links_seen_ms = now;
	fcn_control_link_poll(live->ctl);
}

/* The descriptors that the control thread waits for. */
enum {
	POLL_STOP,
	POLL_HANGUP,
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
serve(struct fcn_live *live, int hangup, bool interactive)
{
	struct pollfd fds[POLL_COUNT] = {
			[POLL_STOP] = {.fd = fcn_stop_fd(live->stop), .events = POLLIN},
			[POLL_HANGUP] = {.fd = hangup, .events = POLLIN},
			[POLL_REMOTE] = {.fd = -1, .events = POLLIN},
			[POLL_CONSOLE_IN] = {.fd = -1, .events = POLLIN},
			[POLL_EXPORTS] = {.fd = fcn_exports_fd(live->exports), .events = POLLIN},
			[POLL_CONSOLE_OUT] = {.fd = -1, .events = POLLOUT},
			[POLL_LINKS] = {.fd = live->link_event, .events = POLLIN},
			[POLL_KERNEL] = {.fd = -1, .events = POLLIN},
	};
	bool more = false; /* lines of remote consoles wait to be run */

	live->links_often_ms = milliseconds() + LINKS_FIRST_FOR_MS;
	if (live->remote != NULL)
		fds[POLL_REMOTE].fd = fcn_remote_fd(live->remote);
	if (interactive) {
		fflush(stdout);
		fcn_console_output_open(&live->output, STDOUT_FILENO);
		live->console = fcn_console_create(live->table, prompt_of(live), STDIN_FILENO,
				STDOUT_FILENO, handle_line, live);
		if (live->console != NULL) {
			fcn_console_write_to(live->console, &live->output);
			fcn_live_console_prepare(live, live->console);
			fcn_console_on_interrupt(live->console, end_following, live);
		}
	}
	while (!live->done && !fcn_stop_wanted(live->stop)) {
		const int due = serve_host(live);
		const int wait = milliseconds() < live->links_often_ms
						 ? RTE_MIN(due, LINKS_FIRST_MS)
						 : due;
		/* No command is read before the output of the one before was written. */
		bool full = fcn_console_output_waits(&live->output);

		fds[POLL_CONSOLE_IN].fd = live->console != NULL && !full && live->pager == 0
							  ? STDIN_FILENO
							  : -1;
		fds[POLL_CONSOLE_OUT].fd = full ? live->output.fd : -1;
		fds[POLL_KERNEL].fd = fcn_control_kernel_fd(live->ctl);
		if (poll(fds, RTE_DIM(fds), more ? 0 : wait) < 0 && errno != EINTR)
			break;
		fcn_control_drain(live->ctl);
		fcn_exports_run(live->exports);
		fcn_captures_run(live->captures);
		serve_links(live);
		fcn_live_successor_poll(live);
		fcn_live_state_poll(live, milliseconds());
		fcn_commits_poll(live->commits, &live->session);
		fcn_live_follow_poll(live);
		if (fds[POLL_HANGUP].revents != 0)
			fcn_live_hangup(live, hangup);
		if (fds[POLL_CONSOLE_OUT].revents != 0)
			fcn_console_output_flush(&live->output);
		if (live->console != NULL)
			fcn_live_console_poll(live, prompt_of(live));
		if (live->console != NULL && fds[POLL_CONSOLE_IN].revents != 0 &&
				fcn_console_input(live->console) != 0)
			break;
		if (!live->done && live->remote != NULL)
			more = fcn_remote_run(live->remote);
		fcn_audit_tick(&live->remote_access.audit, milliseconds() / 1000);
	}
	fcn_live_note_stopped(live);
	if (!live->handed_over)
		fcn_service_notify("STOPPING=1");
	if (live->console != NULL && !live->summarised)
		run_line(live, NULL);
	fcn_console_output_finish(&live->output, fcn_stop_fd(live->stop), PATIENCE_MS);
	fcn_console_free(live->console);
	fcn_console_output_close(&live->output);
}

/* Load the configuration file and what options say. Without a file, these are all. */
static int
load_first(struct fcn_live *live)
{
	const struct fcn_session_text none = {.name = "options", .text = ""};
	int rc = 0;

	live->session.starting = true;
	if (live->config != NULL)
		rc = fcn_session_load(&live->session, live->config, true, stderr);
	else if (live->options.metrics || live->options.events)
		rc = fcn_session_load_text(&live->session, &none, 1, true, stderr);
	live->session.starting = false;
	return rc;
}

/* The exit status of a start at which a configuration or a command has failed. */
static int
status_of(int rc)
{
	return rc == -ENODEV || rc == -ENOMEM ? FCN_EXIT_DEVICE : FCN_EXIT_USAGE;
}

static int
open_remote(struct fcn_live *live)
{
	const int rc = fcn_remote_session_open(
			&live->remote_options, &live->remote_access, &live->session, &live->remote);

	/* A switch that takes over has its exports already. */
	if (live->remote != NULL && live->exports != NULL)
		fcn_exports_set_sessions(
				live->exports, fcn_remote_session_show, &live->remote_access);
	return rc;
}

/* Have the switch that runs let go. @return whether it did */
static bool
take_over(struct fcn_live *live)
{
	const bool done = fcn_take_over_finish(live->take_over, live);

	fcn_take_over_free(live->take_over);
	live->take_over = NULL;
	return done;
}

static int
run(struct fcn_live *live, int hangup)
{
	int rc;

	if (fcn_live_open_exports(live) != 0)
		return FCN_EXIT_DEVICE;
	rc = load_first(live);
	if (rc != 0)
		return status_of(rc);
	if (live->config != NULL)
		fcn_exports_saved(live->exports, live->config);
	fcn_live_note_started(live);
	live->session.user = "-e";
	if (!fcn_stop_wanted(live->stop) && live->commands != NULL)
		rc = fcn_session_lines(&live->session, live->commands);
	live->session.user = "console";
	if (rc != 0)
		return status_of(rc);
	live->done |= live->session.ended;
	if (live->take_over == NULL)
		fcn_live_state_read(live);
	else if (!take_over(live))
		return FCN_EXIT_DEVICE;
	if (!live->interactive && !live->done && !fcn_stop_wanted(live->stop))
		start_forwarding(live);
	if (live->takes_over)
		open_remote(live); /* without consoles, packets are forwarded all the same */
	if (live->discarded != 0)
		fprintf(stderr,
				"fastcn: %" PRIu64 " packets that the switch before has received, "
				"too, were discarded\n",
				live->discarded);
	if (live->user_option != NULL &&
			own_user_become(&live->user, live->ctl, &live->remote_access.files) != 0)
		return FCN_EXIT_USAGE;
	fcn_live_commits_open(live);
	live->session.commits = live->commits; /* -e is before what is kept has been read */
	fcn_service_notify("READY=1\nSTATUS=Running");
	live->watchdog_ms = fcn_service_watchdog_ms();
	serve(live, hangup, live->interactive);
	fcn_live_state_save(live);
	return FCN_EXIT_OK;
}

/*
 * Read the program's options, which follow those of the EAL behind "--". This comes first: the EAL
 * takes a while to start, and a wrong option can be told at once.
 */
static int
read_options(struct fcn_live *live, int argc, char **argv)
{
	char *none[] = {argv[0], NULL}, *dashes;
	int at = 1, rc;

	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	if (fcn_live_check_no_options(at, argv) != 0)
		return -1;
	if (at == argc)
		return fcn_live_parse_options(live, 1, none);
	dashes = argv[at];
	argv[at] = argv[0]; /* the name of the program for messages */
	rc = fcn_live_parse_options(live, argc - at, argv + at);
	argv[at] = dashes;
	return rc;
}

/* @return the exit status */
static int
set_up_and_run(struct fcn_live *live, const struct fcn_platform *platform,
		const struct fcn_session_hooks *hooks, int hangup)
{
	if (rte_lcore_count() < 2) {
		fprintf(stderr, "fastcn: at least two lcores are needed, one for control and "
				"one for forwarding: -l 0,1\n");
		return FCN_EXIT_USAGE;
	}
	/* A switch that takes over listens when the other one has let go. */
	if (!live->takes_over && open_remote(live) != 0)
		return FCN_EXIT_USAGE;
	if (fcn_live_set_up(live, platform) != 0)
		return FCN_EXIT_DEVICE;
	live->session = (struct fcn_session){.ctl = live->ctl,
			.table = live->table,
			.hooks = hooks,
			.out = stdout,
			.captures = live->captures,
			.options = &live->options,
			.follow = live->interactive ? fcn_live_follow : NULL,
			.follow_arg = live,
			.privileged = true};
	return run(live, hangup);
}

/* Connect to the switch that is taken over from. If there is none, this is a start like any other.
 */
static int
connect_before(struct fcn_live *live)
{
	char path[FCN_REMOTE_PATH_SIZE];

	if (fcn_remote_session_path(&live->remote_options, path) != 0)
		return -1;
	live->take_over = fcn_take_over_create(path);
	return 0;
}

/* Keep the command line as it is, before parts of it are moved. */
static int
keep_words(struct fcn_live *live, int argc, char **argv)
{
	live->argv = calloc((size_t)argc + 1, sizeof(*live->argv));
	if (live->argv == NULL)
		return -1;
	memcpy(live->argv, argv, (size_t)argc * sizeof(*argv));
	live->argc = argc;
	return 0;
}

int
fcn_live_main(int argc, char **argv)
{
	struct fcn_live live = {.link_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	const struct fcn_platform platform = fcn_live_platform(&live);
	const struct fcn_session_hooks hooks = {start_forwarding, stop_forwarding, request_shutdown,
			&live, get_exports, fcn_live_handover};
	int hangup = fcn_live_block_hangup(), status;

	if (keep_words(&live, argc, argv) != 0 || read_options(&live, argc, argv) != 0)
		return FCN_EXIT_USAGE;
	live.stop = fcn_stop_create();
	if (live.stop == NULL) {
		fprintf(stderr, "fastcn: cannot start the thread for signals: %s\n",
				strerror(errno));
		return FCN_EXIT_USAGE;
	}
	if (live.takes_over && connect_before(&live) != 0) {
		fcn_stop_free(live.stop);
		return FCN_EXIT_USAGE;
	}
	if (live.take_over != NULL)
		fcn_take_over_arguments(live.take_over, &argc, argv);
	fcn_ethdev_remove_stale_of(argc, argv);
	fcn_live_log_begin(&live, argc, argv);
	if (rte_eal_init(argc, argv) < 0) {
		status = rte_errno == EINVAL ? FCN_EXIT_USAGE : FCN_EXIT_DEVICE;
		fprintf(stderr,
				"fastcn: EAL: %s (without hugepages: --no-huge -m 512; see fastcn "
				"--help)\n",
				rte_strerror(rte_errno));
		fcn_live_log_close(&live);
		fcn_take_over_free(live.take_over);
		fcn_stop_free(live.stop);
		return status;
	}
	fcn_stop_in_order(live.stop);
	fcn_live_log_open(&live);
	status = set_up_and_run(&live, &platform, &hooks, hangup);
	fcn_live_tear_down(&live);
	fcn_live_log_close(&live);
	fcn_stop_step(live.stop);
	fcn_ethdev_cleanup();
	rte_eal_cleanup();
	fcn_stop_free(live.stop);
	free(live.argv);
	return status;
}
