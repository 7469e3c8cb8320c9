/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The turns of the one thread: receive frames, send those that are due, then do everything else.
 * The endpoint's time follows the processor's clock. When a turn is late, frames are sent with the
 * times at which they were due, so that sleeping does not lower the rate. Time beyond MAX_LATE_NS
 * is lost to the link, and counted.
 */

#include <sys/prctl.h>
#include <time.h>

#include <rte_cycles.h>

#include "live_endpoint.h"

#define MAX_LATE_NS 1000000
#define SEND_TURN (4 * LIVE_BURST) /* maximum number of frames that are sent in one turn */
#define IDLE_TURNS 64              /* number of turns without work before the first sleep */
#define FIRST_SLEEP_NS 2000
#define SIGNALS_NS 1000000 /* interval, ns, at which signals are checked if there is no sleep */
#define TIMER_SLACK_NS 1000

__extension__ typedef unsigned __int128 u128;

static uint64_t
clock_now(const struct live_endpoint *live)
{
	return (uint64_t)(((u128)(rte_rdtsc() - live->tsc_start) * live->tsc_mult) >> 32);
}

static unsigned int
receive(struct live_endpoint *live, uint64_t now)
{
	struct rte_mbuf *in[LIVE_BURST];
	uint16_t n = fcn_ethdev_port_ops.rx_burst(
			fcn_ethdev_port_ops.rx_queue(live->port.dev, 0), in, LIVE_BURST, now);

	live->ep_now = now;
	for (uint16_t i = 0; i < n; i++)
		live_receive(live, in[i], now);
	rte_pktmbuf_free_bulk(in, n);
	return n;
}

/* Get the time at which the endpoint may have a frame to send and the link is free. */
static uint64_t
next_due(const struct live_endpoint *live)
{
	uint64_t next = fcn_endpoint_next(live->ep, live->ep_now);

	next = RTE_MAX(next, live->ep_now);
	return RTE_MAX(next, fcn_serializer_ready(&live->serializer));
}

static uint64_t
not_too_late(struct live_endpoint *live, uint64_t due, uint64_t now)
{
	if (due + MAX_LATE_NS >= now)
		return due;
	live->n.late_ns += now - MAX_LATE_NS - due;
	return now - MAX_LATE_NS;
}

/* Send the frames that are due. @return number of frames that the device accepted */
static unsigned int
send_due(struct live_endpoint *live, uint64_t now)
{
	unsigned int taken = 0;

	for (unsigned int i = 0; i < SEND_TURN; i++) {
		uint64_t due = next_due(live);
		struct rte_mbuf *m;
		uint32_t len;

		if (due > now)
			break;
		if (live->port.n_out == LIVE_BURST)
			taken += live_port_flush(live);
		m = live_port_buffer(live);
		if (m == NULL)
			break;
		live->ep_now = not_too_late(live, due, now);
		len = fcn_endpoint_send(live->ep, rte_pktmbuf_mtod(m, uint8_t *),
				rte_pktmbuf_tailroom(m), live->ep_now);
		if (len == 0) { /* a timer has expired, but there is no frame to send */
			rte_pktmbuf_free(m);
			continue;
		}
		live_port_send(live, m, len);
		fcn_serializer_send(&live->serializer, len, live->ep_now);
	}
	return taken + live_port_flush(live);
}

static void
discover(struct live_endpoint *live, uint64_t now)
{
	uint8_t frame[RTE_ETHER_MAX_LEN];
	uint32_t len;

	while (live_nd_next(&live->nd) <= now &&
			(len = live_nd_poll(&live->nd, frame, sizeof(frame), now)) != 0)
		live_send_copy(live, frame, len, now);
}

/* Wait up to this time for a signal, and process it. */
static void
wait_signal(struct live_endpoint *live, uint64_t ns)
{
	const struct timespec ts = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = ns % NS_PER_S};

	if (sigtimedwait(&live->signals, NULL, &ts) > 0)
		live_traffic_interrupt(live);
}

/* Sleep as the switch's workers do: each time twice as long, but not past the next due time. */
static void
rest(struct live_endpoint *live, unsigned int nth, uint64_t due)
{
	uint64_t ns = (uint64_t)FIRST_SLEEP_NS << RTE_MIN(nth, 20u), now = clock_now(live);

	ns = RTE_MIN(ns, live->opt.idle_ns);
	due = RTE_MIN(due, next_due(live));
	/*
	 * Frames that are due cannot be sent while the device accepts none, for example while its
	 * link is down.
	 */
	if (live->port.n_out == 0)
		ns = due > now ? RTE_MIN(ns, due - now) : 0;
	if (ns != 0)
		wait_signal(live, ns);
}

/* Do everything but sending and receiving. @return time of the next call, ns */
static uint64_t
look_after(struct live_endpoint *live, uint64_t now)
{
	uint64_t next;

	if (now >= live->signals_ns) {
		wait_signal(live, 0);
		live->signals_ns = now + SIGNALS_NS;
	}
	next = live_traffic_run(live, now);
	next = RTE_MIN(next, live_port_watch(live, now));
	discover(live, now);
	next = RTE_MIN(next, live_report_run(live, now));
	return RTE_MIN(next, live_nd_next(&live->nd));
}

void
live_loop(struct live_endpoint *live)
{
	unsigned int idle = 0;

	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	live->tsc_mult = (uint64_t)(((u128)NS_PER_S << 32) / rte_get_tsc_hz());
	live->tsc_start = rte_rdtsc();
	while (live->phase != LIVE_END) {
		uint64_t now = clock_now(live), due;
		unsigned int moved = send_due(live, now);

		moved += receive(live, now);
		due = look_after(live, now);
		moved += live_port_flush(live);
		idle = moved != 0 ? 0 : idle + 1;
		if (idle > IDLE_TURNS && live->phase != LIVE_END)
			rest(live, idle - IDLE_TURNS, due);
	}
	live_report_summary(live, clock_now(live));
}
