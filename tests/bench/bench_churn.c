/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Routes are added and removed one at a time, each in force at once, while the
 * worker forwards: what a change costs, and the longest time that passes from
 * one turn of the worker to the next. The worker forwards for as long without
 * changes before, as the machine itself holds it up, too. One line of JSON each.
 *
 * With --rate N, as many changes are made in a second, at even distances; otherwise the next one
 * follows at once. With --variant kernel the routes, and those that change, are of the Linux
 * kernel: messages that were read, without their way through a socket.
 */

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_malloc.h>
#include <rte_eal.h>

#include "fcn_list.h"
#include "chunks.h"
#include "config.h"
#include "fcn_control.h"
#include "options.h"
#include "rig.h"

/* Hop limits are set anew every so many turns. */
#define REFRESH_TURNS 64

/* Turns that took longer than this are counted, microseconds. */
#define LONG_US 100

struct turns {
	bool stop;
	uint64_t n;
	uint64_t longest; /* cycles */
	uint64_t n_long;
	struct fcn_conservation before, after;
};

static void
forward(struct bench_rig *rig, void *arg)
{
	struct turns *t = arg;
	struct fcn_worker *w = fcn_control_worker(rig->ctl, 0);
	uint64_t limit = rte_get_tsc_hz() / 1000000 * LONG_US, last = 0;

	fcn_worker_conservation(w, &t->before);
	while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED)) {
		uint64_t tsc = rte_rdtsc();

		if (last != 0) {
			t->longest = RTE_MAX(t->longest, tsc - last);
			t->n_long += tsc - last > limit;
		}
		last = tsc;
		fcn_poll_once(w, bench_rig_ns(rig, tsc));
		if (++t->n % REFRESH_TURNS == 0) {
			bench_rig_refresh(rig);
			last = 0;
		}
	}
	fcn_worker_conservation(w, &t->after);
}

/* Of this thread: others do not count, nor do waits for the worker that leave the core. */
static double
cpu_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e6 + (double)ts.tv_nsec / 1e3;
}

static double
to_us(uint64_t cycles)
{
	return (double)cycles * 1e6 / (double)rte_get_tsc_hz();
}

/* Every other change takes back the one before it, so that the table keeps its size. */
static void
change(struct bench_rig *rig, unsigned int i)
{
	unsigned int n = rig->setup.extra_routes;
	struct fcn_config_route route = bench_extra_route(
			rig->setup.traffic.ipv4, n + i / 2 % 1000);
	struct fcn_config *cfg = fcn_config_copy(fcn_control_config(rig->ctl));
	char why[256];
	int rc = -1;

	if (cfg != NULL)
		rc = i % 2 == 0 ? fcn_list_add(cfg, fcn_list_of("route"), &route, NULL)
				: FCN_LIST_REMOVE_ANY(cfg, "route", fcn_config_route,
						  .prefix = route.prefix);
	if (rc != 0 || fcn_control_commit(rig->ctl, cfg, why, sizeof(why)) != 0)
		errx(1, "change %u: %s", i, rc != 0 ? "no route" : why);
}

/* Interface 7 of the kernel stands for the second port. */
#define INTERFACE 7

static void
apply_kernel(struct bench_rig *rig, unsigned int i, bool gone)
{
	struct fcn_config_route route = bench_extra_route(rig->setup.traffic.ipv4, i);
	struct fcn_rtnl msg = {.kind = FCN_RTNL_ROUTE, .gone = gone};

	msg.route = (struct fcn_rtnl_route){.prefix = route.prefix,
			.table = 254,
			.type = FCN_RTNL_FORWARD,
			.n_paths = 1,
			.path = {{.ifindex = INTERFACE, .via = route.via, .weight = 1}}};
	fcn_kernel_store_apply(fcn_kernel_store(fcn_control_kernel(rig->ctl)), &msg, false);
}

static void
change_kernel(struct bench_rig *rig, unsigned int i)
{
	apply_kernel(rig, rig->setup.extra_routes + i / 2 % 1000, i % 2 != 0);
	fcn_control_kernel_poll(rig->ctl, bench_rig_ns(rig, rte_rdtsc()));
}

static void
fill_kernel(struct bench_rig *rig, unsigned int n)
{
	struct fcn_config *cfg = fcn_config_copy(fcn_control_config(rig->ctl));
	unsigned int port = bench_extra_route(rig->setup.traffic.ipv4, 0).port;
	char why[256];

	snprintf(cfg->port[port].kernel, sizeof(cfg->port[port].kernel), "sw");
	if (fcn_control_commit(rig->ctl, cfg, why, sizeof(why)) != 0)
		errx(1, "%s", why);
	fcn_kernel_store_set_table(fcn_kernel_store(fcn_control_kernel(rig->ctl)), 0, 254);
	fcn_kernel_store_set_port(fcn_kernel_store(fcn_control_kernel(rig->ctl)), port, INTERFACE);
	for (unsigned int i = 0; i < n; i++)
		apply_kernel(rig, i, false);
	rig->setup.extra_routes = n;
	fcn_control_kernel_poll(rig->ctl, bench_rig_ns(rig, rte_rdtsc()));
}

static void
print(const struct bench_rig *rig, const char *variant, const struct turns *t,
		struct bench_chunks *commits, struct bench_chunks *cpu, double seconds)
{
	const struct fcn_conservation *a = &t->after, *b = &t->before;

	printf("{\"bench\": \"churn\", \"variant\": \"%s\", \"routes\": %u, \"family\": %u, "
	       "\"changes\": %zu, \"a_second\": %.0f, \"median_us\": %.0f, \"cpu_us\": %.0f, "
	       "\"p99_us\": %.0f, "
	       "\"longest_us\": %.0f, \"turns\": %" PRIu64 ", \"longest_turn_us\": %.0f, "
	       "\"long_turns\": %" PRIu64 ", \"received\": %" PRIu64 ", \"dropped\": %" PRIu64
	       "}\n",
			variant, rig->setup.extra_routes, rig->setup.traffic.ipv4 ? 4 : 6,
			commits->n, (double)commits->n / seconds,
			bench_chunks_quantile(commits, 0.5), bench_chunks_quantile(cpu, 0.5),
			bench_chunks_quantile(commits, 0.99), bench_chunks_quantile(commits, 1),
			t->n, to_us(t->longest), t->n_long, a->received - b->received,
			a->dropped - b->dropped);
	fflush(stdout);
}

/* Wait until change i is due. What takes longer than its interval is followed at once. */
static void
wait_for(uint64_t start, unsigned int i, unsigned int rate)
{
	double due_us = (double)i * 1e6 / rate, now_us = to_us(rte_rdtsc() - start);

	if (due_us > now_us)
		rte_delay_us_sleep((unsigned int)(due_us - now_us));
}

/* @param rate changes in a second; 0: as many as there can be */
static int
measure(struct bench_rig *rig, const char *variant, unsigned int changes, unsigned int rate,
		double *seconds)
{
	bool kernel = strncmp(variant, "kernel", 6) == 0;
	struct bench_chunks commits = {0}, cpu = {0};
	struct turns turns = {0};
	uint64_t start = rte_rdtsc();

	bench_rig_start(rig, forward, &turns);
	for (unsigned int i = 0; i < changes; i++) {
		uint64_t begin;
		double cpu_begin;

		if (rate != 0)
			wait_for(start, i, rate);
		begin = rte_rdtsc();
		cpu_begin = cpu_us();
		if (kernel)
			change_kernel(rig, i);
		else
			change(rig, i);
		bench_chunks_add(&cpu, cpu_us() - cpu_begin);
		bench_chunks_add(&commits, to_us(rte_rdtsc() - begin));
	}
	if (changes == 0)
		rte_delay_us_sleep((unsigned int)(*seconds * 1e6));
	else
		*seconds = to_us(rte_rdtsc() - start) / 1e6;
	__atomic_store_n(&turns.stop, true, __ATOMIC_RELAXED);
	bench_rig_wait(rig);
	print(rig, variant, &turns, &commits, &cpu, *seconds);
	bench_chunks_free(&commits);
	bench_chunks_free(&cpu);
	return turns.after.dropped != turns.before.dropped;
}

/* Print how much memory of EAL's heap is in use, with all tables. */
static void
print_memory(void)
{
	struct rte_malloc_socket_stats heap;

	if (rte_malloc_get_socket_stats((int)rte_socket_id(), &heap) == 0)
		printf("{\"bench\": \"memory\", \"megabytes\": %.1f}\n",
				(double)heap.heap_allocsz_bytes / (1 << 20));
}

int
main(int argc, char **argv)
{
	struct bench_options options;
	struct bench_rig rig;
	unsigned int n_kernel = 0;
	double seconds = 2;
	int status;

	bench_options_read(argc, argv, &options);
	if (options.variant != NULL && strcmp(options.variant, "kernel") == 0) {
		n_kernel = options.setup.extra_routes;
		options.setup.extra_routes = 0;
	}
	bench_rig_create(&rig, &options.setup);
	if (n_kernel > 0)
		fill_kernel(&rig, n_kernel);
	status = measure(&rig, "quiet", 0, 0, &seconds);
	status |= measure(&rig, n_kernel > 0 ? "kernel" : "churn", 2 * options.rounds, options.rate,
			&seconds);
	print_memory();
	bench_rig_free(&rig);
	rte_eal_cleanup();
	return status;
}
