/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_version.h>

#include "main.h"

static void
usage(FILE *out)
{
	fputs("usage: fastcn [EAL options] -- [-f CONFIG] [-e COMMANDS] [-i] [options]\n"
	      "       fastcn replay CONFIG --in PORT=FILE... [--out PORT=FILE...] [options]\n"
	      "       fastcn reference [manual|counters|metrics|events]\n"
	      "       fastcn --version\n"
	      "\n"
	      "A software switch that tells RDMA senders about congestion from the point where it\n"
	      "happens.\n"
	      "\n"
	      "  -f CONFIG    configuration: a file of console commands\n"
	      "  -e COMMANDS  console commands to run then, separated by ';'\n"
	      "  -i           interactive console; forwarding begins with `start`\n"
	      "  --socket PATH, --socket-mode MODE, --name NAME, --no-socket\n"
	      "               where fastcnctl reaches the switch; default /run/fastcn/NAME.sock, "
	      "mode\n"
	      "               0600, NAME is fastcn; not as root, $XDG_RUNTIME_DIR in place of "
	      "/run\n"
	      "  --metrics [ADDRESS:]PORT\n"
	      "               answer GET /metrics; default address 127.0.0.1\n"
	      "  --log-events FILE\n"
	      "               write each event as a line of JSON; -: standard output\n"
	      "  --seed N     of what the switch decides by chance (default 1)\n"
	      "  replay       switch capture files in virtual time; `fastcn replay --help`\n"
	      "  reference    print the console's commands, or another list, as a Markdown page\n"
	      "\n"
	      "The live switch needs two lcores (-l 0,1): one for control, one that forwards.\n",
			out);
}

int
fcn_parse_seed(const char *program, const char *arg, uint64_t *seed)
{
	char *end;

	errno = 0;
	*seed = strtoull(arg, &end, 0);
	if (errno == 0 && end != arg && *end == '\0' && arg[0] >= '0' && arg[0] <= '9')
		return 0;
	fprintf(stderr, "%s: --seed %s: a number is expected\n", program, arg);
	return -1;
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "replay") == 0)
		return fcn_replay_main(argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "reference") == 0)
		return fcn_reference_main(argc - 1, argv + 1);
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		usage(stdout);
		return FCN_EXIT_OK;
	}
	if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0)) {
		printf("fastcn %s, %s\n", FCN_VERSION, rte_version());
		return FCN_EXIT_OK;
	}
	if (argc == 1) {
		usage(stderr);
		return FCN_EXIT_USAGE;
	}
	return fcn_live_main(argc, argv);
}
