/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "qpd.h"

#define MS_NS UINT64_C(1000000)
#define TICK_NS (100 * MS_NS)
#define METRICS_NS (5000 * MS_NS)
#define EVENTS 64

static uint64_t
clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* @return whether to end */
static bool
take_signal(struct qpd *qpd, uint64_t now_ns)
{
	struct signalfd_siginfo info;

	while (read(qpd->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			qpd_report(qpd, now_ns);
			qpd_metrics(qpd);
		} else if (info.ssi_signo == SIGHUP) {
			server_reload(&qpd->server, now_ns);
		} else {
			return true;
		}
	}
	return false;
}

/* Have epoll wait for what the connection to the switch needs, which may be another one by now. */
static void
follow_feed(struct qpd *qpd)
{
	const struct fcn_remote_feed *feed = &qpd->feed;
	const short wanted = fcn_remote_feed_events(feed);
	struct epoll_event event = {.data.ptr = &qpd->feed};
	const bool is_new = qpd->feed_number != feed->counters.connected;

	event.events = ((wanted & POLLIN) != 0 ? EPOLLIN : 0) |
		       ((wanted & POLLOUT) != 0 ? EPOLLOUT : 0);
	if (feed->fd < 0 || (!is_new && event.events == qpd->feed_events))
		return;
	epoll_ctl(qpd->epoll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, feed->fd, &event);
	qpd->feed_number = feed->counters.connected;
	qpd->feed_events = event.events;
}

/* Milliseconds until something is due. */
static int
wait_ms(const struct qpd *qpd, uint64_t now_ns)
{
	uint64_t due = fcn_remote_feed_due(&qpd->feed), of_server = server_due(&qpd->server);

	if (of_server < due)
		due = of_server;
	if (qpd->tick_ns < due)
		due = qpd->tick_ns;
	return due <= now_ns ? 0 : (int)((due - now_ns + MS_NS - 1) / MS_NS);
}

int
qpd_loop(struct qpd *qpd)
{
	struct epoll_event events[EVENTS];
	uint64_t now_ns = clock_ns();

	for (;;) {
		int n = epoll_wait(qpd->epoll, events, EVENTS, wait_ms(qpd, now_ns));

		if (n < 0 && errno != EINTR) {
			fprintf(stderr, "fastcn-qpd: epoll: %s\n", strerror(errno));
			return 1;
		}
		now_ns = clock_ns();
		if (take_signal(qpd, now_ns))
			return 0;
		for (int i = 0; i < n; i++)
			server_event(&qpd->server, events[i].data.ptr, events[i].events, now_ns);
		server_run(&qpd->server, time(NULL), now_ns);
		if (qpd->tick_ns <= now_ns) {
			hosts_tick(qpd->hosts, now_ns);
			qpd->tick_ns = now_ns + TICK_NS;
		}
		if (qpd->metrics_ns <= now_ns) {
			qpd_metrics(qpd);
			qpd->metrics_ns = now_ns + METRICS_NS;
		}
		fcn_remote_feed_run(&qpd->feed, now_ns);
		if (qpd->feed.print_error != 0) {
			fprintf(stderr, "fastcn-qpd: standard output: %s\n",
					strerror(qpd->feed.print_error));
			return 1;
		}
		follow_feed(qpd);
	}
}
