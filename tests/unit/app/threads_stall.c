/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A worker that stands still: the rest of the switch goes on, nothing waits for the worker, and
 * when it turns again it does what it has missed.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <rte_malloc.h>

#include "threads_switch.h"

static struct stop in_call;
static unsigned int stalled_events, recovered_events;

static void
collect_stalls(void *arg, const struct fcn_event *ev)
{
	RTE_SET_USED(arg);
	if (ev->type != FCN_EVENT_WORKER_STALLED && ev->type != FCN_EVENT_WORKER_RECOVERED)
		return;
	assert_int_equal(ev->len, 1);
	if (ev->type == FCN_EVENT_WORKER_STALLED)
		stalled_events++;
	else
		recovered_events++;
}

static void
stand_in_call(struct fcn_worker *w, void *arg)
{
	unsigned int *n = arg;

	RTE_SET_USED(w);
	threads_stand(&in_call);
	++*n;
}

static void
count_up(struct fcn_worker *w, void *arg)
{
	RTE_SET_USED(w);
	++**(unsigned int **)arg;
}

static void
wait_for(const int *flag, int value)
{
	while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != value)
		usleep(100);
}

static void
refused(const char *text)
{
	rewind(threads.session.out);
	assert_int_not_equal(fcn_session_line(&threads.session, text, -1), 0);
	fputc('\0', threads.session.out);
	fflush(threads.session.out);
	if (strstr(threads.said, "worker 1 is stalled: its thread on lcore 2 does not run") == NULL)
		fail_msg("%s: %s", text, threads.said);
}

static size_t
allocated(void)
{
	struct rte_malloc_socket_stats stats;
	size_t sum = 0;

	for (unsigned int i = 0; i < rte_socket_count(); i++) {
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) == 0)
			sum += stats.heap_allocsz_bytes;
	}
	return sum;
}

static void
read_sent(struct fcn_worker *w, void *arg)
{
	uint64_t *sent = arg;

	for (unsigned int i = 0; i < w->n_own_ports; i++)
		*sent += w->counters[w->own_port[i]].tx_packets;
}

/* Wait until a port of a worker has sent frames. Which of them gets buffers is chance. */
static void
pass_frames(unsigned int worker)
{
	struct fcn_worker *w = fcn_control_worker(threads.ctl, worker);
	uint64_t before = 0, now;

	fcn_worker_read(w, read_sent, &before, sizeof(before));
	do {
		usleep(100);
		now = 0;
		fcn_worker_read(w, read_sent, &now, sizeof(now));
	} while (now == before);
}

/* Shows are answered, the other worker forwards, and snapshots are published and freed. */
static void
check_while_it_stands(void)
{
	static const char *const shows[] = {"show port", "show queue json", "show notify",
			"show conservation", "show worker", "show trace", "show drops json",
			"show events", "show mac", "show pfc", "show buffer", "show proxy",
			"show arn held", "show arn received", "show arn sent", "show arn passed-on",
			"show srv6 sid", "show stage cycles"};
	static const char *const needs[] = {"port remove p1", "port remove p0", "port add p77",
			"clear counters", "clear watermarks", "clear mac", "trace add 3",
			"trace clear"};
	struct fcn_conservation c;
	uint64_t asked;
	size_t most;

	assert_true(fcn_control_is_stalled(threads.ctl, 1));
	assert_false(fcn_control_is_stalled(threads.ctl, 0));
	/* It is not waited for again. */
	asked = threads.impatience;
	assert_int_equal(fcn_worker_call(fcn_control_worker(threads.ctl, 1), count_up, NULL, 0),
			-EAGAIN);
	assert_int_equal(threads.impatience, asked);
	pass_frames(0);
	for (unsigned int i = 0; i < RTE_DIM(shows); i++)
		threads_line(shows[i]);
	for (unsigned int i = 0; i < RTE_DIM(needs); i++)
		refused(needs[i]);
	threads_line("show status");
	threads_line("route add 2001:db8:9::/48 via 2001:db8:0:1::2 port p1");
	threads_line("set queue p1 class 3 limit 20K");
	most = allocated();
	for (unsigned int i = 0; i < 100; i++) {
		threads_line(i % 2 == 0 ? "set port p2 mtu 1400" : "set port p2 mtu 1500");
		fcn_control_workers_poll(threads.ctl);
		assert_true(allocated() < most + 65536);
	}
	threads_line("set queue p1 class 3 limit 10K");
	threads_line("route remove 2001:db8:9::/48");
	fcn_control_conservation(threads.ctl, &c);
	fcn_control_host_poll(threads.ctl, fcn_loops_now(threads.loops));
	fcn_control_link_poll(threads.ctl);
	fcn_control_counter_events(threads.ctl);
}

static void
wait_until_it_turns(void)
{
	struct fcn_conservation c;

	while (fcn_control_is_stalled(threads.ctl, 1)) {
		fcn_control_workers_poll(threads.ctl);
		usleep(1000);
	}
	threads.impatient = false;
	assert_ptr_equal(*fcn_control_worker(threads.ctl, 1)->published,
			fcn_control_snapshot(threads.ctl));
	fcn_control_drain(threads.ctl);
	pass_frames(1);
	fcn_control_conservation(threads.ctl, &c);
	assert_true(fcn_conservation_holds(&c));
}

static void
begin_stall(struct stop *stop)
{
	/* What was read of the ports so far, workers write only after this call of them. */
	threads_line("show conservation");
	fcn_loops_forward(threads.loops, true);
	fcn_collector_listen(fcn_control_collector(threads.ctl), collect_stalls, NULL);
	stalled_events = recovered_events = 0;
	__atomic_store_n(&stop->wanted, 1, __ATOMIC_RELEASE);
}

static void
end_stall(struct stop *stop, size_t before)
{
	__atomic_store_n(&stop->wanted, 0, __ATOMIC_RELEASE);
	wait_until_it_turns();
	assert_int_equal(stalled_events, 1);
	assert_int_equal(recovered_events, 1);
	threads_line("set port p2 mtu 1400");
	threads_line("set port p2 mtu 1500");
	assert_true(allocated() < before + 65536);
	threads_line("clear counters");
	threads_line("show conservation");
	fcn_loops_forward(threads.loops, false);
	fcn_collector_listen(fcn_control_collector(threads.ctl), NULL, NULL);
}

/* It stands within a turn: the call that waits for it is taken back, and never made. */
void
threads_stand_in_turn(void)
{
	struct fcn_worker *w = fcn_control_worker(threads.ctl, 1);
	unsigned int n = 0, *count = &n;
	size_t before = allocated();

	begin_stall(&threads.in_turn);
	wait_for(&threads.in_turn.stands, 1);
	threads.impatient = true;
	assert_int_equal(fcn_worker_call(w, count_up, &count, sizeof(count)), -EAGAIN);
	fcn_control_workers_poll(threads.ctl);
	check_while_it_stands();
	end_stall(&threads.in_turn, before);
	assert_int_equal(n, 0);
	assert_int_equal(fcn_worker_call(w, count_up, &count, sizeof(count)), 0);
	assert_int_equal(n, 1);
}

/* It stands within a call: what it writes to is not the argument of a caller that has gone on. */
void
threads_stand_in_call(void)
{
	unsigned int n = 5;
	size_t before = allocated();

	begin_stall(&in_call);
	threads.impatient = true;
	assert_int_equal(fcn_worker_call(fcn_control_worker(threads.ctl, 1), stand_in_call, &n,
					 sizeof(n)),
			-EINPROGRESS);
	wait_for(&in_call.stands, 1);
	fcn_control_workers_poll(threads.ctl);
	check_while_it_stands();
	end_stall(&in_call, before);
	assert_int_equal(n, 5);
}

/* Nobody calls it: that it stands is seen all the same. What it missed it does afterwards. */
void
threads_stand_unasked(void)
{
	size_t before = allocated();

	begin_stall(&threads.in_turn);
	wait_for(&threads.in_turn.stands, 1);
	threads.impatient = true;
	while (!fcn_control_is_stalled(threads.ctl, 1)) {
		fcn_control_workers_poll(threads.ctl);
		usleep(1000);
	}
	check_while_it_stands();
	end_stall(&threads.in_turn, before);
}
