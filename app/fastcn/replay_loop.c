/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_capture_control.h"
#include "fcn_learned.h"
#include "replay_run.h"

/* Number of turns without progress at one instant after which a replay is aborted. */
#define STUCK_TURNS 1000

/* Record the latency of a notice. The port provides the time at which its last bit leaves. */
static void
note_event(void *arg, const struct fcn_event *ev)
{
	struct replay_run *run = arg;
	struct replay_latency *l = &run->latency;
	uint64_t decided, left, ns;

	if (ev->type == FCN_EVENT_NOTICE && run->series != NULL)
		replay_series_notice(run, ev);
	if (ev->type != FCN_EVENT_NOTICE_SENT)
		return;
	/* A port sends one frame in a turn, so its last frame is this one. */
	left = fcn_replay_port_last_departure(fcn_control_port(run->ctl, ev->port)->priv);
	decided = ev->time_ns - ev->wait_ns;
	ns = left - decided;
	if (l->n == 0) {
		l->first_ns = ns;
		l->first_wait_ns = ev->wait_ns;
		l->min_ns = ns;
	}
	l->min_ns = RTE_MIN(l->min_ns, ns);
	l->max_ns = RTE_MAX(l->max_ns, ns);
	l->sum_ns += ns;
	l->n++;
}

/*
 * Run the replay. Virtual time advances from event to event: the next arrival in any input, or the
 * next time at which a queued packet can leave. The worker has one turn at each event.
 */
void
replay_loop(struct replay_run *run)
{
	struct fcn_worker *w = fcn_control_worker(run->ctl, 0);
	uint64_t host = fcn_control_host_poll(run->ctl, run->now);
	/* Time at which a port that was closed because of a loop is opened again, or something is
	 * to be done about learned proxies. */
	uint64_t control = fcn_learned_poll(run->ctl, run->now);
	unsigned int idle = 0;

	while (!*run->interrupted) {
		uint64_t arrival = fcn_replay_next_arrival(run->replay);
		uint64_t departure = fcn_worker_next_event(w, run->now);
		uint64_t next = RTE_MIN(arrival, departure);

		/* The host functions have timers without end; only packets that wait for them
		 * count. */
		if (next == FCN_TIME_NEVER && fcn_host_waiting(fcn_control_host(run->ctl)) == 0)
			break;
		next = RTE_MIN(next, host);
		next = RTE_MIN(next, control);
		idle = next > run->now ? 0 : idle;
		run->now = RTE_MAX(run->now, next);
		if (fcn_poll_once(w, run->now) != 0)
			idle = 0;
		else if (++idle > STUCK_TURNS) {
			run->stuck = true;
			break;
		}
		fcn_captures_run(run->captures);
		host = fcn_control_host_poll(run->ctl, run->now);
		fcn_collector_drain(fcn_control_collector(run->ctl), w, note_event, run);
		control = fcn_control_err_disable_poll(run->ctl, run->now);
		control = RTE_MIN(control, fcn_learned_poll(run->ctl, run->now));
		if (run->series != NULL)
			replay_series_turn(run, false);
	}
	if (run->series != NULL)
		replay_series_turn(run, true);
}
