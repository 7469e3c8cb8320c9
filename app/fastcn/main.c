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
	      "fastcn is a software switch that notifies RDMA senders of congestion from the\n"
	      "switch at which it occurs.\n"
	      "\n"
	      "  -f CONFIG    configuration file, which consists of console commands\n"
	      "  -e COMMANDS  console commands to run after that, separated by ';'\n"
	      "  -i           interactive console; forwarding begins with `start`\n"
	      "  --socket PATH, --socket-mode MODE, --name NAME, --no-socket\n"
	      "               socket through which fastcnctl reaches the switch (default\n"
	      "               /run/fastcn/NAME.sock, mode 0600, NAME fastcn; for users other "
	      "than\n"
	      "               root, in $XDG_RUNTIME_DIR instead of /run)\n"
	      "  --socket-group GROUP\n"
	      "               group that may use the socket (mode 0660 then)\n"
	      "  --config-dir DIR, --output-dir DIR\n"
	      "               directories to which `load` and `save`, and captures and the event\n"
	      "               log, are restricted in sessions through the socket (default for\n"
	      "               users other than root and the switch's own: that of CONFIG, or\n"
	      "               /etc/fastcn; root and the switch's own user: no restriction)\n"
	      "  --metrics [ADDRESS:]PORT\n"
	      "               serve metrics over HTTP: GET /metrics (default address 127.0.0.1)\n"
	      "  --log-events FILE\n"
	      "               append each event as a line of JSON to a file; -: standard output\n"
	      "  --mbufs N    packet buffers of each NUMA node (default 65535, more with nine "
	      "workers or\n"
	      "               more, or what EAL has memory for)\n"
	      "  --seed N     seed of random numbers (default 1)\n"
	      "  replay       switch the packets of capture files in virtual time; see\n"
	      "               `fastcn replay --help`\n"
	      "  reference    print the console's commands, or another list, as a Markdown page\n"
	      "\n"
	      "The live switch needs at least two lcores (-l 0,1): one for control, the others to\n"
	      "forward packets.\n",
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
	fprintf(stderr, "%s: --seed %s: the value must be a number\n", program, arg);
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
