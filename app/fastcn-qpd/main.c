/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "qpd.h"

#define EXIT_USAGE 2

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

static int
start(struct qpd *qpd)
{
	const struct qpd_options *opt = &qpd->opt;
	struct hosts_conf conf = {.lifetime_ns = opt->lifetime_ns,
			.hosts = opt->hosts,
			.entries = opt->entries,
			.total = opt->total,
			.changes = opt->changes};
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = &qpd->signals};

	qpd->signals = take_signals();
	qpd->epoll = epoll_create1(EPOLL_CLOEXEC);
	/* Without random numbers the hash is not secret, and works. */
	if (getrandom(&conf.secret, sizeof(conf.secret), GRND_NONBLOCK) != sizeof(conf.secret))
		fprintf(stderr, "fastcn-qpd: the kernel gives no random numbers\n");
	qpd->hosts = hosts_create(&conf);
	if (qpd->hosts == NULL || qpd->signals < 0 || qpd->epoll < 0 ||
			epoll_ctl(qpd->epoll, EPOLL_CTL_ADD, qpd->signals, &event) != 0) {
		fprintf(stderr, "fastcn-qpd: out of memory or descriptors\n");
		return -1;
	}
	fcn_remote_feed_init(&qpd->feed, "fastcn-qpd", &hosts_feed, qpd->hosts);
	memcpy(qpd->feed.path, opt->socket, sizeof(qpd->feed.path));
	qpd->feed.is_printed = opt->is_printed;
	return server_open(&qpd->server, opt, qpd->hosts, qpd->epoll);
}

static int
run(struct qpd *qpd, char *const *words)
{
	int status = EXIT_USAGE;

	if (qpd_options_parse(&qpd->opt, words) != 0)
		return EXIT_USAGE;
	if (qpd->opt.help) {
		qpd_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (qpd->opt.counters) {
		qpd_counters_help(stdout);
		return EXIT_SUCCESS;
	}
	if (start(qpd) == 0) {
		status = qpd_loop(qpd);
		qpd_metrics_end(qpd);
	}
	server_close(&qpd->server);
	fcn_remote_feed_close(&qpd->feed);
	hosts_destroy(qpd->hosts);
	if (qpd->epoll >= 0)
		close(qpd->epoll);
	if (qpd->signals >= 0)
		close(qpd->signals);
	return status;
}

int
main(int argc, char **argv)
{
	struct qpd *qpd;
	int status;

	fill_standard();
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("fastcn-qpd %s\n", FCN_VERSION);
		return EXIT_SUCCESS;
	}
	qpd = calloc(1, sizeof(*qpd));
	if (qpd == NULL) {
		fprintf(stderr, "fastcn-qpd: out of memory\n");
		return EXIT_USAGE;
	}
	qpd->epoll = qpd->signals = qpd->feed.fd = -1;
	status = run(qpd, argv + 1);
	free(qpd);
	return status;
}
