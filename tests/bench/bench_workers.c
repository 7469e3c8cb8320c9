/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets a second that a switch of one worker or more sends, by whose ports they leave: ports of
 * the worker that received them, ports of the next worker, or all ports. Each worker has two ports.
 * What counts is the mean of chunks before, in and after which all workers had their cores, so that
 * none waited for one that did not run. One line of JSON.
 */

#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include "chunks.h"
#include "config.h"
#include "headers.h"
#include "rig.h"

#define CHUNKS 1000
#define WARM_UP_US 15000
#define SETTLE_US 1000     /* chunks after a pause of some worker that do not count */
#define PENDING 4          /* chunks before it */
#define LONGEST_US 5000000 /* for all chunks */
#define SLACK_NS 100000

/* What came in a number of chunks. */
struct tally {
	uint64_t cycles, received, sent, notices;
};

struct thread {
	struct bench_thread thread;
	unsigned int n_chunks, n_counted;
	struct tally sum;                  /* of the chunks that count */
	uint64_t seen __rte_cache_aligned; /* when it ended a chunk; others read it */
};

/* What is measured. */
struct setting {
	const char *source, *leave; /* names */
	bool notify;                /* about every packet */
	unsigned int chunks;
	const char *prefix; /* of the captures that are to be written; NULL: none */
};

/* Workers begin together, and go on until the last of them has all its chunks, so that no chunk is
 * one of a worker alone. */
static unsigned int n_ready, n_done, n_all, n_wanted;
static struct thread threads[FCN_MAX_WORKERS];

static uint64_t
cycles_of(uint64_t us)
{
	return rte_get_tsc_hz() / 1000000 * us;
}

static struct tally
tally(const struct fcn_worker *w, unsigned int number)
{
	struct tally t = {.cycles = rte_rdtsc()};

	for (unsigned int p = 0; p < n_all * BENCH_PORTS; p++)
		t.notices += fcn_port_notices(&w->counters[p]);
	for (unsigned int p = BENCH_PORTS * number; p < BENCH_PORTS * (number + 1); p++) {
		t.received += w->counters[p].rx_packets;
		t.sent += w->counters[p].tx_packets;
	}
	return t;
}

/* Add what came between two moments. */
static void
add(struct tally *sum, const struct tally *from, const struct tally *to)
{
	sum->cycles += to->cycles - from->cycles;
	sum->received += to->received - from->received;
	sum->sent += to->sent - from->sent;
	sum->notices += to->notices - from->notices;
}

static struct tally
one_chunk(struct thread *t, struct fcn_worker *w)
{
	const uint64_t chunk = cycles_of(BENCH_CHUNK_US);
	struct tally before = tally(w, t->thread.number), after, sum = {0};
	uint64_t tsc = before.cycles;

	do {
		fcn_poll_once(w, bench_rig_ns(t->thread.rig, tsc));
		tsc = rte_rdtsc();
	} while (tsc - before.cycles < chunk);
	after = tally(w, t->thread.number);
	__atomic_store_n(&t->seen, after.cycles, __ATOMIC_RELAXED);
	add(&sum, &before, &after);
	return sum;
}

/* Whether something else had the core of a worker: that of this one, in the chunk that ends, or of
 * one that has ended none in the time of two. */
static bool
is_disturbed(const struct thread *t, uint64_t cycles)
{
	const uint64_t longest = 2 * cycles_of(BENCH_CHUNK_US);

	if (cycles > longest)
		return true;
	for (unsigned int i = 0; i < n_all; i++) {
		uint64_t seen = __atomic_load_n(&threads[i].seen, __ATOMIC_RELAXED);

		if ((int64_t)(t->seen - seen) > (int64_t)longest)
			return true;
	}
	return false;
}

/* A job of the thread of a worker. */
static void
measure(struct bench_rig *rig, void *arg)
{
	struct thread *t = arg;
	struct fcn_worker *w = fcn_control_worker(rig->ctl, t->thread.number);
	const uint64_t begin = rte_rdtsc();
	uint64_t counted_from = begin + cycles_of(WARM_UP_US);
	struct tally pending[PENDING];
	unsigned int n_pending = 0;
	bool done = false;

	t->n_chunks = t->n_counted = 0;
	t->sum = (struct tally){0};
	t->seen = begin;
	__atomic_add_fetch(&n_ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&n_ready, __ATOMIC_ACQUIRE) < n_all)
		rte_pause();
	while (__atomic_load_n(&n_done, __ATOMIC_ACQUIRE) < n_all) {
		struct tally chunk = one_chunk(t, w);

		if (is_disturbed(t, chunk.cycles)) {
			n_pending = 0;
			counted_from = RTE_MAX(counted_from, t->seen + cycles_of(SETTLE_US));
		}
		if (done)
			continue;
		t->n_chunks++;
		if (t->seen >= counted_from && n_pending == PENDING) {
			add(&t->sum, &(struct tally){0}, &pending[t->n_chunks % PENDING]);
			t->n_counted++;
		} else if (t->seen >= counted_from) {
			n_pending++;
		}
		pending[t->n_chunks % PENDING] = chunk;
		done = t->n_counted == n_wanted || t->seen - begin > cycles_of(LONGEST_US);
		if (done)
			__atomic_add_fetch(&n_done, 1, __ATOMIC_ACQ_REL);
	}
}

static void
run(void)
{
	for (unsigned int i = 0; i < n_all; i++)
		bench_thread_start(&threads[i].thread, measure, &threads[i]);
	for (unsigned int i = 0; i < n_all; i++)
		bench_thread_wait(&threads[i].thread);
}

/* Write the decisions of all workers against notices, by what they were made for. */
static void
print_refused(struct bench_rig *rig)
{
	const char *comma = "";

	printf(", \"refused\": {");
	for (unsigned int v = 0; v < FCN_NOTIFY_SENT; v++) {
		const char *name = fcn_notify_verdict_name(fcn_notice_kinds[0], v);
		uint64_t n = 0;

		for (unsigned int i = 0; i < n_all * fcn_notice_kind_count; i++) {
			const struct fcn_worker *w = fcn_control_worker(
					rig->ctl, i / fcn_notice_kind_count);
			const struct fcn_notify_state *state =
					&w->notify[i % fcn_notice_kind_count];

			for (unsigned int q = 0; q < n_all * BENCH_PORTS * FCN_NOTIFY_CLASSES; q++)
				n += state->stats[q / FCN_NOTIFY_CLASSES][q % FCN_NOTIFY_CLASSES]
						     .verdict[v];
		}
		if (n == 0)
			continue;
		printf("%s\"%s\": %" PRIu64, comma, name, n);
		comma = ", ";
	}
	printf("}");
}

static void
print(struct bench_rig *rig, const struct setting *setting)
{
	unsigned int n_counted = UINT_MAX;
	struct fcn_conservation sum;
	struct tally rate = {0}; /* a second */

	for (unsigned int i = 0; i < n_all; i++) {
		const struct thread *t = &threads[i];
		const double seconds = (double)t->sum.cycles / (double)rte_get_tsc_hz();

		n_counted = RTE_MIN(n_counted, t->n_counted);
		if (t->n_counted == 0)
			continue;
		rate.received += (double)t->sum.received / seconds;
		rate.sent += (double)t->sum.sent / seconds;
		rate.notices += (double)t->sum.notices / seconds;
	}
	fcn_control_conservation(rig->ctl, &sum);
	printf("{\"bench\": \"workers\", \"source\": \"%s\", \"variant\": \"%s%s\", "
	       "\"workers\": %u, \"chunks\": %u, \"received\": %" PRIu64 ", \"sent\": %" PRIu64
	       ", \"notices\": %" PRIu64 ", \"balances\": %s, \"hz\": %" PRIu64,
			setting->source, setting->leave, setting->notify ? " notified" : "", n_all,
			n_counted, rate.received, rate.sent, rate.notices,
			fcn_conservation_holds(&sum) ? "true" : "false", rte_get_tsc_hz());
	print_refused(rig);
	printf("}\n");
}

static int
headers_open(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *why, size_t why_size)
{
	RTE_SET_USED(number);
	RTE_SET_USED(why);
	RTE_SET_USED(why_size);
	out->ops = &bench_headers_ops;
	out->priv = bench_headers_open(arg, atoi(port->device));
	out->info.mac = port->mac;
	out->info.link_bps = bench_headers_ops.link_bps(out->priv);
	return 0;
}

static void
headers_close(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	bench_headers_close(open->priv);
}

static void
create(struct bench_rig *rig, struct fcn_platform *platform, bool notify)
{
	const struct bench_variant variant = {
			.name = "step", .detector = FCN_DETECTOR_STEP, .congested = notify};

	bench_rig_create_workers(rig, platform, n_all);
	if (rig->setup.source == BENCH_HEADERS)
		bench_headers_fill(rig);
	for (unsigned int i = 0; i < n_all; i++)
		bench_thread_launch(&threads[i].thread, rig, i, rig->lcores[i]);
	bench_rig_configure(rig, &variant);
}

static void
write_captures(const struct bench_traffic *traffic, const char *prefix)
{
	for (unsigned int p = 0; p < bench_all_ports(traffic); p++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s%u.pcap", prefix, p);
		if (bench_write_pcap(traffic, p, file) != 0)
			exit(1);
	}
}

static const char usage[] =
		"[EAL options, a lcore and one for each worker] -- [--source pcap|headers]\n"
		"  [--leave apart|next|any] [--notify] [--chunks N]\n"
		"or: --write-pcap PREFIX --workers N [--leave apart|next|any]\n";

static void
read_options(int argc, char **argv, struct bench_setup *setup, struct setting *setting)
{
	static const char *const leave[] = {
			[BENCH_APART] = "apart", [BENCH_NEXT] = "next", [BENCH_ANY] = "any"};
	static const struct option options[] = {
			{"source", required_argument, NULL, 's'},
			{"leave", required_argument, NULL, 'l'},
			{"notify", no_argument, NULL, 'n'},
			{"chunks", required_argument, NULL, 'c'},
			{"write-pcap", required_argument, NULL, 'w'},
			{"workers", required_argument, NULL, 'W'},
			{0},
	};
	unsigned int i = 0;
	int c;

	optind = 1;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 's':
			setting->source = optarg;
			break;
		case 'l':
			setting->leave = optarg;
			break;
		case 'n':
			setting->notify = true;
			break;
		case 'c':
			setting->chunks = atoi(optarg);
			break;
		case 'w':
			setting->prefix = optarg;
			break;
		case 'W':
			setup->traffic.workers = atoi(optarg);
			break;
		default:
			errx(2, "usage: %s", usage);
		}
	}
	while (i < RTE_DIM(leave) && strcmp(setting->leave, leave[i]) != 0)
		i++;
	if (i == RTE_DIM(leave) || setting->chunks == 0 ||
			(strcmp(setting->source, "pcap") != 0 &&
					strcmp(setting->source, "headers") != 0))
		errx(2, "usage: %s", usage);
	if (setting->notify && strcmp(setting->source, "headers") == 0)
		errx(2, "notices would be written into the buffers of the packets");
	setup->traffic.leave = i;
	setup->source = strcmp(setting->source, "pcap") == 0 ? BENCH_PCAP : BENCH_HEADERS;
}

int
main(int argc, char **argv)
{
	struct setting setting = {.source = "pcap", .leave = "apart", .chunks = CHUNKS};
	struct fcn_platform platform = {.name = "bench", .slack_ns = SLACK_NS};
	struct bench_rig rig = {0};
	bool headers;
	int n;

	if (argc > 1 && strcmp(argv[1], "--write-pcap") == 0) {
		read_options(argc, argv, &rig.setup, &setting);
		write_captures(&rig.setup.traffic, setting.prefix);
		return 0;
	}
	n = rte_eal_init(argc, argv);
	if (n < 0)
		errx(1, "EAL: %s", rte_strerror(rte_errno));
	read_options(argc - n, argv + n, &rig.setup, &setting);
	n_all = rte_lcore_count() - 1;
	n_wanted = setting.chunks;
	rig.setup.traffic.workers = n_all;
	headers = rig.setup.source == BENCH_HEADERS;
	if (n_all == 0 || n_all * BENCH_PORTS > BENCH_DEVICES ||
			(!headers && rte_eth_dev_count_avail() < n_all * BENCH_PORTS))
		errx(2, "usage: %s", usage);
	for (unsigned int p = 0; p < n_all * BENCH_PORTS; p++)
		rig.device[p] = p;
	platform.port_open = headers ? headers_open : bench_port_open;
	platform.port_close = headers ? headers_close : bench_port_close;
	platform.arg = &rig;
	rig.tsc_start = rte_rdtsc();
	rig.tsc_mult = (uint64_t)(((unsigned __int128)1000000000 << 32) / rte_get_tsc_hz());
	create(&rig, &platform, setting.notify);
	run();
	print(&rig, &setting);
	for (unsigned int i = 0; i < n_all; i++)
		bench_thread_end(&threads[i].thread);
	rte_eal_mp_wait_lcore();
	fcn_control_free(rig.ctl);
	rte_eal_cleanup();
	return 0;
}
