/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_eal.h>
#include <rte_errno.h>

#include "host_live.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define ANY_SPEED UINT64_C(1000000000) /* the device's is not known yet */

/* EAL's threads inherit the mask: signals wait until they are asked for. */
static void
block_signals(struct host_live *live)
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
run(struct host_live *live)
{
	int status = EXIT_USAGE;

	live->port.claim = -1;
	if (fcn_crc32_init(&live->crc) != 0) {
		fprintf(stderr, "fastcn-lab host: out of memory\n");
		return EXIT_USAGE;
	}
	/* What depends on the line's speed is known with the device. */
	if (host_port_open(live) == 0 &&
			host_options_endpoint(&live->opt, live->opt.line_bps, &live->conf) == 0 &&
			host_traffic_init(live) == 0) {
		host_nd_init(&live->nd, live->opt.addr.addr.bytes, &live->port.mac,
				live->conf.hop_limit);
		host_loop(live);
		status = host_traffic_ok(live) ? EXIT_SUCCESS : EXIT_FAILED;
	}
	host_traffic_fini(live);
	host_port_close(&live->port);
	fcn_crc32_fini(&live->crc);
	return status;
}

/* What of the options only the settings tell. */
static int
check_size(const struct host_live *live)
{
	if (live->conf.operation != FCN_OPERATION_WRITE || live->opt.size <= FCN_ENDPOINT_WRITE_MAX)
		return 0;
	fprintf(stderr, "fastcn-lab host: --send: an RDMA WRITE has at most 2 GiB\n");
	return -1;
}

/* Where the program's own options begin; 0: they are not told apart. */
static int
find_separator(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return i;
	return 0;
}

static int
start(struct host_live *live, int argc, char **argv)
{
	int at = find_separator(argc, argv), status;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		host_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (at == 0) {
		fprintf(stderr, "fastcn-lab host: options of its own stand behind \"--\"\n");
		host_options_help(stderr);
		return EXIT_USAGE;
	}
	block_signals(live);
	if (host_options_parse(&live->opt, argc - at, argv + at) != 0)
		return EXIT_USAGE;
	if (live->opt.help) {
		host_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (host_options_endpoint(&live->opt, ANY_SPEED, &live->conf) != 0 || check_size(live) != 0)
		return EXIT_USAGE;
	if (live->opt.seed == 0)
		live->opt.seed = clock_seed();
	if (rte_eal_init(at, argv) < 0) {
		fprintf(stderr, "fastcn-lab host: EAL: %s (without hugepages: --no-huge -m 64)\n",
				rte_strerror(rte_errno));
		return EXIT_USAGE;
	}
	status = run(live);
	rte_eal_cleanup();
	return status;
}

int
lab_host_main(int argc, char **argv)
{
	struct host_live *live = calloc(1, sizeof(*live));
	int status;

	if (live == NULL) {
		fprintf(stderr, "fastcn-lab host: out of memory\n");
		return EXIT_USAGE;
	}
	status = start(live, argc, argv);
	host_options_free(&live->opt);
	free(live);
	return status;
}
