/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "report.h"

#define MS_NS UINT64_C(1000000)
#define TICK_NS (1000 * MS_NS)

static uint64_t
clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* @return whether to end */
static bool
take_signal(struct pnc *pnc, uint64_t now_ns)
{
	struct signalfd_siginfo info;

	while (read(pnc->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGUSR1)
			return true;
		pnc_report(pnc, now_ns);
	}
	return false;
}

/* Milliseconds until something is due, at most a second. */
static int
wait_ms(const struct pnc *pnc, uint64_t now_ns)
{
	uint64_t due = fcn_remote_feed_due(&pnc->feed);

	if (station_due(&pnc->station) < due)
		due = station_due(&pnc->station);
	if (pnc->tick_ns < due)
		due = pnc->tick_ns;
	return due <= now_ns || sources_have_more(&pnc->sources)
			       ? 0
			       : (int)((due - now_ns + MS_NS - 1) / MS_NS);
}

/* With --once: everything was read, and the switch has answered to everything. */
static bool
is_done(const struct pnc *pnc)
{
	return pnc->opt.once && sources_have_ended(&pnc->sources) &&
	       learned_pending(pnc->learned) == 0 && pnc->feed.waiting == 0;
}

int
pnc_loop(struct pnc *pnc)
{
	static struct pollfd fds[2 + STATION_MAX_POLL + SOURCE_MAX];
	uint64_t now_ns = clock_ns();

	for (;;) {
		unsigned int n = station_poll(&pnc->station, fds + 2, now_ns);
		unsigned int m = sources_poll(&pnc->sources, fds + 2 + n);

		fds[0] = (struct pollfd){.fd = pnc->signals, .events = POLLIN};
		fds[1] = (struct pollfd){
				.fd = pnc->feed.fd, .events = fcn_remote_feed_events(&pnc->feed)};
		if (poll(fds, 2 + n + m, wait_ms(pnc, now_ns)) < 0 && errno != EINTR) {
			fprintf(stderr, "fastcn-pnc: poll: %s\n", strerror(errno));
			return 1;
		}
		now_ns = clock_ns();
		if (take_signal(pnc, now_ns))
			return 0;
		station_run(&pnc->station, fds + 2, n, now_ns);
		if (sources_run(&pnc->sources, fds + 2 + n, now_ns) != 0)
			return 1;
		if (pnc->tick_ns <= now_ns) {
			station_tick(&pnc->station, now_ns);
			sources_tick(&pnc->sources, now_ns);
			pnc->tick_ns = now_ns + TICK_NS;
		}
		fcn_remote_feed_run(&pnc->feed, now_ns);
		if (pnc->feed.print_error != 0) {
			fprintf(stderr, "fastcn-pnc: standard output: %s\n",
					strerror(pnc->feed.print_error));
			return 1;
		}
		if (is_done(pnc))
			return 0;
	}
}
