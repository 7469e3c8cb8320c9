/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Handing over to another process of the same program, the successor, which does everything that
 * it can before this one lets go. This process starts it, or somebody else does; it asks by the
 * control socket (take_over.c).
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <bsd/string.h>

#include "fcn_ethdev.h"
#include "fcn_service.h"
#include "live.h"

extern char **environ;

/* Longest time, ms, for which queued packets are sent before the successor forwards. */
#define DRAIN_MS 20

/* End of the prefix of EAL's files: two processes that follow each other have different ones. */
#define NEXT "-next"
#define PREFIX "--file-prefix"
#define DEFAULT_PREFIX "rte"

static int
fail(int rc, char *err, size_t err_size, const char *text)
{
	strlcpy(err, text, err_size);
	return rc;
}

/* ---- starting a successor ---- */

/* Make the option for EAL with the prefix that this process does not have. */
static char *
other_prefix(const char *prefix)
{
	size_t len = strlen(prefix);
	const bool is_next = len > strlen(NEXT) && strcmp(prefix + len - strlen(NEXT), NEXT) == 0;
	char *option;

	if (is_next)
		len -= strlen(NEXT);
	return asprintf(&option, PREFIX "=%.*s%s", (int)len, prefix, is_next ? "" : NEXT) < 0
			       ? NULL
			       : option;
}

/*
 * Make the command line of a successor: that of this process with another prefix, and --take-over.
 *
 * @param option written: a part of it that is to be freed, too
 */
static char **
successor_words(const struct fcn_live *live, char **option)
{
	char **words = calloc((size_t)live->argc + 5, sizeof(*words));
	const char *prefix = DEFAULT_PREFIX;
	int at = 1, n = 0;

	*option = NULL;
	if (words == NULL)
		return NULL;
	words[n++] = live->argv[0];
	n++; /* for the prefix */
	for (; at < live->argc && strcmp(live->argv[at], "--") != 0; at++) {
		char *word = live->argv[at];

		if (strcmp(word, PREFIX) == 0 && at + 1 < live->argc)
			prefix = live->argv[++at];
		else if (strncmp(word, PREFIX "=", strlen(PREFIX "=")) == 0)
			prefix = word + strlen(PREFIX "=");
		else
			words[n++] = word;
	}
	words[n++] = (char *)(uintptr_t) "--";
	for (at++; at < live->argc; at++) {
		if (strcmp(live->argv[at], "--take-over") != 0)
			words[n++] = live->argv[at];
	}
	words[n] = (char *)(uintptr_t) "--take-over";
	words[1] = *option = other_prefix(prefix);
	if (words[1] != NULL)
		return words;
	free(words);
	return NULL;
}

/* Make the environment of a successor: the watchdog of the service manager becomes its own. */
static char **
successor_environment(void)
{
	static const char pid[] = "WATCHDOG_PID=";
	size_t n = 0, kept = 0;
	char **words;

	while (environ[n] != NULL)
		n++;
	words = calloc(n + 1, sizeof(*words));
	for (size_t i = 0; words != NULL && i < n; i++) {
		if (strncmp(environ[i], pid, strlen(pid)) != 0)
			words[kept++] = environ[i];
	}
	return words;
}

/* It begins without the signals that are blocked here and the files that are open here: sockets of
 * net_af_packet would go on to receive. @return 0 or an errno */
static int
spawn(char *const *words, char *const *environment, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none;
	int rc;

	sigemptyset(&none);
	rc = posix_spawnattr_init(&attributes);
	if (rc != 0)
		return rc;
	rc = posix_spawn_file_actions_init(&files);
	if (rc != 0) {
		posix_spawnattr_destroy(&attributes);
		return rc;
	}
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
	if (rc == 0)
		rc = posix_spawnp(pid, words[0], &files, &attributes, words, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return rc;
}

/*
 * Why the switch cannot be handed over; NULL: it can.
 *
 * @param starts this process is to start the other one
 */
static const char *
why_not(const struct fcn_live *live, bool starts)
{
	const struct fcn_config *cfg = fcn_control_config(live->ctl);

	if (live->remote == NULL)
		return "the new process asks by the control socket, and there is none "
		       "(--no-socket)";
	if (live->user_option != NULL && geteuid() != 0 && starts)
		return "the privileges to open devices were given up (--user): start the program "
		       "as root, with --take-over";
	if (live->interactive)
		return "the console on standard input cannot be handed over (-i)";
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_has_link(cfg, p) &&
				fcn_ethdev_sharing(cfg->port[p].device) == FCN_ETHDEV_BUS)
			return "devices of a bus, such as PCI, cannot be handed over: end the "
			       "program and start it again";
	}
	return NULL;
}

static int
begin(struct fcn_live *live, FILE *out, char *err, size_t err_size)
{
	const char *why = why_not(live, true);
	char **words, **environment, *option;
	int rc = ENOMEM;

	if (live->successor != 0)
		return fail(-EALREADY, err, err_size,
				"a new process is about to take over already");
	if (why != NULL)
		return fail(-ENOTSUP, err, err_size, why);
	words = successor_words(live, &option);
	environment = successor_environment();
	if (words != NULL && environment != NULL)
		rc = spawn(words, environment, &live->successor);
	free(option);
	free(words);
	free(environment);
	if (rc != 0) {
		live->successor = 0;
		snprintf(err, err_size, "%s: %s", live->argv[0], strerror(rc));
		return -rc;
	}
	fprintf(out, "process %d prepares, and takes over when it is ready\n",
			(int)live->successor);
	fprintf(stderr, "fastcn: process %d is to take over\n", (int)live->successor);
	return 0;
}

void
fcn_live_successor_poll(struct fcn_live *live)
{
	int status;

	if (live->successor == 0 || waitpid(live->successor, &status, WNOHANG) != live->successor)
		return;
	fprintf(stderr,
			"fastcn: process %d did not take over: it ended by %s %d; this one goes "
			"on\n",
			(int)live->successor, WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	live->successor = 0;
}

void
fcn_live_restart(struct fcn_live *live)
{
	char err[256];
	FILE *out = fopen("/dev/null", "w");

	if (out == NULL || begin(live, out, err, sizeof(err)) != 0)
		fprintf(stderr, "fastcn: not restarted: %s\n", out != NULL ? err : strerror(errno));
	if (out != NULL)
		fclose(out);
}

/* ---- letting go ---- */

static int
write_state(struct fcn_live *live, FILE *out, char *err, size_t err_size)
{
	char *text;
	size_t len;
	int rc = fcn_live_state_text(live, NULL, &text, &len, err, err_size);

	if (rc != 0)
		return rc;
	fwrite(text, 1, len, out);
	free(text);
	return 0;
}

/* Receive what has come so far, and send what is queued. */
static void
drain(struct fcn_live *live)
{
	const struct timespec moment = {.tv_nsec = 50000};
	const uint64_t end = fcn_loops_now(live->loops) + DRAIN_MS * 1000000ull;
	struct fcn_conservation sum = {.queued = 1};

	if (!fcn_loops_is_forwarding(live->loops))
		return;
	fcn_loops_drain(live->loops);
	while (sum.queued != 0 && fcn_loops_now(live->loops) < end) {
		nanosleep(&moment, NULL);
		if (fcn_loops_received_all(live->loops))
			fcn_control_conservation(live->ctl, &sum);
	}
	fcn_loops_forward(live->loops, false);
	fcn_exports_forwarding(live->exports, false);
}

static void
detach(void *arg)
{
	(void)arg;
	fcn_ethdev_detach_alone();
}

/* Make a configuration without what only one process can have. @return NULL on lack of memory */
static struct fcn_config *
without_alone(const struct fcn_config *running)
{
	struct fcn_config *cfg = fcn_config_copy(running);

	for (uint16_t p = 0; cfg != NULL && p < FCN_MAX_PORTS; p++) {
		cfg->port[p].kernel[0] = '\0';
		if (fcn_config_has_link(cfg, p) &&
				fcn_ethdev_sharing(cfg->port[p].device) != FCN_ETHDEV_SHARED &&
				fcn_config_port_remove(cfg, p) != 0) {
			fcn_config_free(cfg);
			return NULL;
		}
	}
	return cfg;
}

/* Close the devices and kernel interfaces that only one process can have. */
static void
close_devices(struct fcn_live *live)
{
	struct fcn_config *rest;
	char err[256] = "out of memory";

	if (!fcn_live_needs_all(fcn_control_config(live->ctl)))
		return;
	rest = without_alone(fcn_control_config(live->ctl));
	if (rest == NULL || fcn_control_commit(live->ctl, rest, err, sizeof(err)) != 0) {
		fprintf(stderr, "fastcn: devices are not closed yet: %s\n", err);
		fcn_config_free(rest);
		return;
	}
	fcn_control_aside(live->ctl, detach, NULL);
}

static int
release(struct fcn_live *live, uint64_t pid)
{
	char state[64];

	drain(live);
	close_devices(live);
	fcn_remote_unlisten(live->remote);
	snprintf(state, sizeof(state), "MAINPID=%" PRIu64, pid);
	fcn_service_notify(state);
	fprintf(stderr, "fastcn: process %" PRIu64 " has taken over\n", pid);
	live->handed_over = live->done = true;
	return 0;
}

int
fcn_live_handover(void *arg, enum fcn_handover step, uint64_t pid, FILE *out, char *err,
		size_t err_size)
{
	struct fcn_live *live = arg;
	const char *why = why_not(live, false);

	if (step == FCN_HANDOVER_BEGIN)
		return begin(live, out, err, err_size);
	if (step == FCN_HANDOVER_STATE)
		return write_state(live, out, err, err_size);
	if (why != NULL)
		return fail(-ENOTSUP, err, err_size, why);
	/* It may have ended while its line waited. */
	if (pid == 0 || pid > INT32_MAX || (kill((pid_t)pid, 0) != 0 && errno == ESRCH))
		return fail(-ESRCH, err, err_size, "there is no such process");
	return release(live, pid);
}
