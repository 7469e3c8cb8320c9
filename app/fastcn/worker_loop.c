/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "worker_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include <bsd/string.h>
#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_pause.h>

/* A worker that finds nothing to do sleeps after this many turns, each time twice as long. */
#define IDLE_TURNS 256
#define FIRST_SLEEP_NS 2000

/* Time, ns, by which the kernel may prolong sleeps. */
#define TIMER_SLACK_NS 1000

/* What workers do. */
enum mode {
	MODE_STOPPED,
	MODE_FORWARD,
	MODE_DRAIN, /* receive what has come so far, and then only send */
};

/* Maximum number of turns in which a worker that drains receives: more than rings of devices
 * hold. */
#define LAST_TURNS 256

struct loop {
	struct fcn_loops *loops;
	struct fcn_worker *w;
	unsigned int lcore;
	bool running;
	bool done;               /* the worker has ended and uses no data of the switch */
	unsigned int last_turns; /* turns in which it has received since it drains */
	bool received_all;       /* it drains and receives no more; read by the control thread */
};

struct fcn_loops {
	struct fcn_control *ctl;
	uint64_t start, mult; /* the clock: TSC at time 0, and nanoseconds of a cycle times 2^32 */
	int mode;             /* enum mode, read by the workers */
	int quit;             /* read by the workers */
	struct loop loop[FCN_MAX_WORKERS];
};

uint64_t
fcn_loops_now(const struct fcn_loops *loops)
{
	uint64_t tsc = rte_rdtsc();

	/* The TSC of cores may differ by a few cycles: the time is never negative. */
	if (tsc < loops->start)
		return 0;
	return ((unsigned __int128)(tsc - loops->start) * loops->mult) >> 32;
}

/* Nanoseconds since 1970 (UTC), for timestamps. */
static uint64_t
wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/*
 * The longest time that a worker may sleep: not beyond its next event. The snapshot may have been
 * replaced since the turn and is read again.
 */
static uint64_t
choose_sleep(const struct fcn_worker *w, uint64_t now, unsigned int nth)
{
	const struct fcn_snapshot *s = __atomic_load_n(w->published, __ATOMIC_ACQUIRE);
	uint64_t ns = (uint64_t)FIRST_SLEEP_NS << RTE_MIN(nth, 20u), next;

	ns = RTE_MIN(ns, w->idle ? (uint64_t)FCN_DEFAULT_IDLE_NS : s->idle_ns);
	if (w->idle)
		return ns;
	next = fcn_worker_next_event(w, now);
	return next > now ? RTE_MIN(ns, next - now) : 0;
}

/* Sleep if the worker has been idle for long enough. @return whether it slept */
static bool
sleep_idle(struct fcn_worker *w, struct rte_rcu_qsbr *qsbr, uint64_t now, unsigned int nth)
{
	const struct timespec ts = {.tv_nsec = choose_sleep(w, now, nth)};

	if (ts.tv_nsec == 0)
		return false;
	/* Nobody has to wait for the end of the sleep: a turn begins by reading the snapshot in
	 * force. */
	rte_rcu_qsbr_thread_offline(qsbr, w->id);
	nanosleep(&ts, NULL);
	rte_rcu_qsbr_thread_online(qsbr, w->id);
	w->load.sleeps++;
	return true;
}

/* Account for the time since the previous turn. */
static void
account(struct fcn_worker_load *load, uint64_t passed, unsigned int moved, bool slept)
{
	load->turns++;
	load->packets += moved;
	if (moved != 0) {
		load->busy_turns++;
		load->busy_ns += passed;
	} else {
		load->idle_ns += passed;
	}
	if (!slept && passed > load->longest_ns)
		load->longest_ns = passed;
}

/* Run a turn of a worker that drains. */
static unsigned int
drain(struct loop *l, uint64_t now)
{
	unsigned int n;

	if (l->received_all)
		return fcn_poll_drain(l->w, now);
	n = fcn_poll_once(l->w, now);
	if (l->w->received.n == 0 || ++l->last_turns >= LAST_TURNS)
		__atomic_store_n(&l->received_all, true, __ATOMIC_RELEASE);
	return n;
}

static unsigned int
run_turn(struct loop *l, int mode, uint64_t now)
{
	if (likely(mode == MODE_FORWARD))
		return fcn_poll_once(l->w, now);
	if (mode == MODE_DRAIN)
		return drain(l, now);
	fcn_poll_idle(l->w, now);
	return 0;
}

static void
work(struct loop *l)
{
	struct fcn_loops *loops = l->loops;
	struct rte_rcu_qsbr *qsbr = fcn_control_qsbr(loops->ctl);
	struct fcn_worker *w = l->w;
	uint64_t now = fcn_loops_now(loops);
	unsigned int idle = 0;

	while (!__atomic_load_n(&loops->quit, __ATOMIC_RELAXED)) {
		const unsigned int n = run_turn(
				l, __atomic_load_n(&loops->mode, __ATOMIC_RELAXED), now);
		bool slept = false;
		uint64_t then;

		idle = n != 0 ? 0 : idle + 1;
		if (idle > IDLE_TURNS)
			slept = sleep_idle(w, qsbr, now, idle - IDLE_TURNS);
		then = fcn_loops_now(loops);
		if (unlikely(then < now)) /* the thread moved to another core */
			then = now;
		account(&w->load, then - now, n, slept);
		now = then;
	}
}

static int
worker_main(void *arg)
{
	struct loop *l = arg;
	struct rte_rcu_qsbr *qsbr = fcn_control_qsbr(l->loops->ctl);

	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	rte_rcu_qsbr_thread_register(qsbr, l->w->id);
	rte_rcu_qsbr_thread_online(qsbr, l->w->id);
	work(l);
	rte_rcu_qsbr_thread_offline(qsbr, l->w->id);
	rte_rcu_qsbr_thread_unregister(qsbr, l->w->id);
	__atomic_store_n(&l->done, true, __ATOMIC_RELEASE);
	return 0;
}

struct fcn_loops *
fcn_loops_start(struct fcn_control *ctl, char *err, size_t err_size)
{
	struct fcn_loops *loops = calloc(1, sizeof(*loops));

	if (loops == NULL) {
		strlcpy(err, "out of memory", err_size);
		return NULL;
	}
	loops->ctl = ctl;
	loops->mult = (uint64_t)(((unsigned __int128)1000000000 << 32) / rte_get_tsc_hz());
	loops->start = rte_rdtsc();
	for (unsigned int i = 0; i < fcn_control_n_workers(ctl); i++)
		fcn_control_worker(ctl, i)->epoch_ns = wall_clock();
	for (unsigned int i = 0; i < fcn_control_n_workers(ctl); i++) {
		struct loop *l = &loops->loop[i];

		*l = (struct loop){.loops = loops,
				.w = fcn_control_worker(ctl, i),
				.lcore = fcn_control_lcore(ctl, i)};
		if (rte_eal_remote_launch(worker_main, l, l->lcore) != 0) {
			snprintf(err, err_size, "cannot start worker %u on lcore %u", i, l->lcore);
			fcn_loops_stop(loops);
			return NULL;
		}
		l->running = true;
	}
	return loops;
}

void
fcn_loops_stop(struct fcn_loops *loops)
{
	if (loops == NULL)
		return;
	__atomic_store_n(&loops->quit, 1, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < RTE_DIM(loops->loop); i++) {
		struct loop *l = &loops->loop[i];

		if (!l->running)
			continue;
		rte_eal_wait_lcore(l->lcore);
		/* Memory that the worker wrote last is visible from here on. */
		while (!__atomic_load_n(&l->done, __ATOMIC_ACQUIRE))
			rte_pause();
	}
	free(loops);
}

void
fcn_loops_forward(struct fcn_loops *loops, bool forward)
{
	__atomic_store_n(&loops->mode, forward ? MODE_FORWARD : MODE_STOPPED, __ATOMIC_RELAXED);
}

bool
fcn_loops_is_forwarding(const struct fcn_loops *loops)
{
	return loops->mode != MODE_STOPPED;
}

void
fcn_loops_drain(struct fcn_loops *loops)
{
	__atomic_store_n(&loops->mode, MODE_DRAIN, __ATOMIC_RELAXED);
}

bool
fcn_loops_received_all(const struct fcn_loops *loops)
{
	for (unsigned int i = 0; i < fcn_control_n_workers(loops->ctl); i++) {
		if (!__atomic_load_n(&loops->loop[i].received_all, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}
