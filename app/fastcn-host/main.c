/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "fcn_user.h"
#include "host_qp.h"
#include "host_report.h"
#include "options.h"
#include "show.h"

#define EXIT_USAGE 2
#define MS_NS 1000000

struct host {
	struct host_options opt;
	struct host_qp_source *source;
	struct host_report *report; /* NULL: no switch is told */
	int due_ms;                 /* when the report has to go on; -1: not by time */
	int epoll, signals;
	bool had_probes; /* capabilities were given up then */
};

static uint64_t
clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / MS_NS;
}

static int
take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What is opened must not become a standard descriptor that is closed: it would get messages. */
static void
fill_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* ---- changes ---- */

static void
on_added(void *arg, const struct host_qp *qp)
{
	const struct host *host = arg;

	if (host->report != NULL)
		host_report_add(host->report, qp);
	if (host->opt.action == HOST_WATCH)
		show_change("added", qp, host->opt.is_json, stdout);
}

static void
on_removed(void *arg, const struct host_qp *qp)
{
	const struct host *host = arg;

	if (host->report != NULL)
		host_report_remove(host->report, qp);
	if (host->opt.action == HOST_WATCH)
		show_change("removed", qp, host->opt.is_json, stdout);
}

/* ---- the loop ---- */

static void
print_report(const struct host_report *report)
{
	struct host_report_state s;

	host_report_state(report, &s);
	fprintf(stderr,
			"fastcn-host: the switch is %s; %" PRIu32 " queue pairs %s; %" PRIu64
			" connections, %" PRIu64 " refused, %" PRIu64 " without room%s%s\n",
			s.is_connected ? "connected" : "not connected", s.queue_pairs,
			s.is_in_force ? "are in force there" : "are not all in force there",
			s.connections, s.refused, s.full, s.problem[0] != '\0' ? ": " : "",
			s.problem);
}

static void
print_counts(const struct host *host)
{
	struct host_qp_counts c;

	host_qp_source_counts(host->source, &c);
	fprintf(stderr,
			"fastcn-host: %" PRIu32 " queue pairs, %" PRIu32 " told; %" PRIu64
			" added, %" PRIu64 " removed, %" PRIu64 " rounds, %" PRIu64
			" events, %" PRIu64 " lost, %" PRIu64 " without room, %" PRIu64
			" malformed\n",
			c.queue_pairs, c.told, c.added, c.removed, c.rounds, c.events, c.lost,
			c.full, c.malformed);
	if (host->report != NULL)
		print_report(host->report);
}

/* @return whether to end */
static bool
take_signal(const struct host *host)
{
	struct signalfd_siginfo info;

	while (read(host->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGUSR1)
			return true;
		print_counts(host);
	}
	return false;
}

/*
 * Probes stay when capabilities go. They end with the module ib_core, and new ones need
 * capabilities again: so does the program.
 *
 * @return 0; -1 after a message
 */
static int
follow_probes(struct host *host)
{
	const bool has = host_qp_source_has_probes(host->source);

	if (host->had_probes && !has) {
		fprintf(stderr, "fastcn-host: the kernel's RDMA was unloaded, and the probes with "
				"it; start again\n");
		return -1;
	}
	if (!has || host->had_probes)
		return 0;
	host->had_probes = true;
	if (fcn_user_limit(0, false) == 0)
		return 0;
	fprintf(stderr, "fastcn-host: capabilities cannot be given up\n");
	return -1;
}

/* Check whether everything was looked at once. */
static bool
has_all(const struct host *host)
{
	struct host_qp_counts counts;

	host_qp_source_counts(host->source, &counts);
	return counts.rounds > 0;
}

static bool
is_done(const struct host *host)
{
	return host->opt.action == HOST_SHOW && has_all(host);
}

/* @return whether to go on; the status if not */
static bool
work(struct host *host, int *status)
{
	*status = EXIT_FAILURE;
	if (host_qp_source_read(host->source, clock_ms()) != 0) {
		fprintf(stderr, "fastcn-host: queue pairs cannot be read any more\n");
		return false;
	}
	if (follow_probes(host) != 0)
		return false;
	if (host->report != NULL && has_all(host))
		host->due_ms = host_report_work(host->report, clock_ms());
	if (is_done(host) && show_map(host->source, host->opt.is_json, stdout) != 0) {
		fprintf(stderr, "fastcn-host: out of memory\n");
		return false;
	}
	if (host->opt.action != HOST_REPORT && fflush(stdout) != 0) {
		fprintf(stderr, "fastcn-host: standard output: %s\n", strerror(errno));
		return false;
	}
	*status = EXIT_SUCCESS;
	return !is_done(host);
}

static int
loop(struct host *host)
{
	int status;

	do {
		struct epoll_event event;
		const int n = epoll_wait(host->epoll, &event, 1, host->due_ms);

		if (n < 0 && errno != EINTR) {
			fprintf(stderr, "fastcn-host: epoll: %s\n", strerror(errno));
			return EXIT_FAILURE;
		}
		if (n == 1 && event.data.fd == host->signals && take_signal(host))
			return EXIT_SUCCESS;
	} while (work(host, &status));
	return status;
}

/* ---- life ---- */

static int
watch(struct host *host, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return fd < 0 ? -1 : epoll_ctl(host->epoll, EPOLL_CTL_ADD, fd, &event);
}

/* Begin to tell the switch, whose files are read while there are capabilities. @return 0; -1 after
 * a message */
static int
start_report(struct host *host)
{
	const struct host_options *opt = &host->opt;
	struct host_report_conf conf = {.address = opt->address,
			.port = opt->port,
			.ca = opt->ca,
			.certificate = opt->certificate,
			.key = opt->key,
			.name = opt->name,
			.most = opt->most};
	char err[256];

	if (getrandom(&conf.secret, sizeof(conf.secret), 0) != sizeof(conf.secret)) {
		fprintf(stderr, "fastcn-host: no random number: %s\n", strerror(errno));
		return -1;
	}
	host->report = host_report_create(&conf, err, sizeof(err));
	if (host->report == NULL) {
		fprintf(stderr, "fastcn-host: %s\n", err);
		return -1;
	}
	return watch(host, host_report_fd(host->report));
}

static int
start(struct host *host)
{
	static const struct host_qp_ops ops = {on_added, on_removed};
	const struct host_qp_conf conf = {.interval_ms = host->opt.interval_ms,
			.most = host->opt.most,
			.no_probes = host->opt.no_probes};
	char err[256];

	host->signals = take_signals();
	host->epoll = epoll_create1(EPOLL_CLOEXEC);
	host->source = host_qp_source_create(&conf, &ops, host, err, sizeof(err));
	if (host->source == NULL) {
		fprintf(stderr, "fastcn-host: %s\n", err);
		return -1;
	}
	if (host->epoll < 0 || watch(host, host->signals) != 0 ||
			watch(host, host_qp_source_fd(host->source)) != 0) {
		fprintf(stderr, "fastcn-host: out of memory or descriptors\n");
		return -1;
	}
	if (host->opt.action == HOST_REPORT && start_report(host) != 0)
		return -1;
	if (err[0] != '\0' && host->opt.action != HOST_SHOW)
		fprintf(stderr,
				"fastcn-host: no probes: %s; only what RDMA CM has connected is "
				"known\n",
				err);
	return 0;
}

static void
end(struct host *host)
{
	host_qp_source_free(host->source);
	host_report_free(host->report);
	if (host->epoll >= 0)
		close(host->epoll);
	if (host->signals >= 0)
		close(host->signals);
}

int
main(int argc, char **argv)
{
	struct host host = {.epoll = -1, .signals = -1, .due_ms = -1};
	int status = EXIT_USAGE;

	fill_standard();
	if (host_options_parse(&host.opt, argc, argv) != 0)
		return EXIT_USAGE;
	if (host.opt.version) {
		printf("fastcn-host %s\n", FCN_VERSION);
		return EXIT_SUCCESS;
	}
	if (host.opt.help) {
		host_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (start(&host) == 0)
		status = loop(&host);
	end(&host);
	return status;
}
