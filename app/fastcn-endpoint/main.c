/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_version.h>

#include "fcn_ethdev.h"
#include "live_endpoint.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2
/* Speed to check settings with before the speed of the device is known. */
#define ANY_SPEED UINT64_C(1000000000)

/*
 * Block signals before EAL creates threads, which inherit the mask. Signals stay pending until the
 * loop reads them.
 */
static void
block_signals(struct live_endpoint *live)
{
	sigemptyset(&live->signals);
	sigaddset(&live->signals, SIGINT);
	sigaddset(&live->signals, SIGTERM);
	sigaddset(&live->signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &live->signals, NULL);
}

static uint64_t
clock_seed(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int
run(struct live_endpoint *live)
{
	int status = EXIT_USAGE;

	live->port.claim = -1;
	if (fcn_crc32_init(&live->crc) != 0) {
		fprintf(stderr, "fastcn-endpoint: out of memory\n");
		return EXIT_USAGE;
	}
	/* Some settings depend on the speed of the link, which is known when the device is open. */
	if (live_port_open(live) == 0 &&
			live_options_endpoint(&live->opt, live->opt.line_bps, &live->conf) == 0 &&
			live_traffic_init(live) == 0) {
		live_nd_init(&live->nd, live->opt.addr.addr.bytes, &live->port.mac,
				live->conf.hop_limit);
		live_loop(live);
		status = live_traffic_ok(live) ? EXIT_SUCCESS : EXIT_FAILED;
	}
	live_traffic_fini(live);
	live_port_close(&live->port);
	fcn_crc32_fini(&live->crc);
	return status;
}

/* Check --send, whose limit depends on a setting. */
static int
check_size(const struct live_endpoint *live)
{
	if (live->conf.operation != FCN_OPERATION_WRITE || live->opt.size <= FCN_ENDPOINT_WRITE_MAX)
		return 0;
	fprintf(stderr, "fastcn-endpoint: --send: an RDMA WRITE has at most 2 GiB\n");
	return -1;
}

/* Find the "--" before the program's own options. @return its index; 0 when there is none */
static int
find_separator(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return i;
	return 0;
}

static int
start(struct live_endpoint *live, int argc, char **argv)
{
	int at = find_separator(argc, argv), status;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		live_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (at == 0) {
		fprintf(stderr, "fastcn-endpoint: give its own options after \"--\"\n");
		live_options_help(stderr);
		return EXIT_USAGE;
	}
	block_signals(live);
	if (live_options_parse(&live->opt, argv + at + 1) != 0)
		return EXIT_USAGE;
	if (live->opt.help) {
		live_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (live_options_endpoint(&live->opt, ANY_SPEED, &live->conf) != 0 || check_size(live) != 0)
		return EXIT_USAGE;
	if (live->opt.seed == 0)
		live->opt.seed = clock_seed();
	fcn_ethdev_remove_stale_of(at, argv);
	if (rte_eal_init(at, argv) < 0) {
		fprintf(stderr, "fastcn-endpoint: EAL: %s (without hugepages: --no-huge -m 64)\n",
				rte_strerror(rte_errno));
		return EXIT_USAGE;
	}
	status = run(live);
	fcn_ethdev_cleanup();
	rte_eal_cleanup();
	return status;
}

int
main(int argc, char **argv)
{
	struct live_endpoint *live;
	int status;

	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("fastcn-endpoint %s, %s\n", FCN_VERSION, rte_version());
		return EXIT_SUCCESS;
	}
	live = calloc(1, sizeof(*live));
	if (live == NULL) {
		fprintf(stderr, "fastcn-endpoint: out of memory\n");
		return EXIT_USAGE;
	}
	status = start(live, argc, argv);
	live_options_free(&live->opt);
	free(live);
	return status;
}
