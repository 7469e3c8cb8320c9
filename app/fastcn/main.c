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
	      "       fastcn replay [CONFIG] --mirror FILE... [options]\n"
	      "       fastcn reference [manual|roles|counters|metrics|events]\n"
	      "       fastcn --version\n"
	      "\n"
	      "fastcn is a software switch that notifies RDMA senders of congestion from the\n"
	      "switch at which it occurs.\n"
	      "\n"
	      "  -f CONFIG    configuration file, which consists of console commands\n"
	      "  -e COMMANDS  console commands to run after that, separated by ';'\n"
	      "  -i           interactive console; forwarding begins with `start`\n"
	      "  --socket PATH[,role=ROLE][,group=GROUP][,mode=MODE], --name NAME, --no-socket\n"
	      "               socket through which fastcnctl reaches the switch (default\n"
	      "               /run/fastcn/NAME.sock, mode 0600, NAME fastcn; for users other "
	      "than\n"
	      "               root, in $XDG_RUNTIME_DIR instead of /run). Its sessions have the\n"
	      "               role full, operate, learned or read; one of the role full is in\n"
	      "               place of the default socket. May be given up to eight times\n"
	      "  --socket-mode MODE, --socket-group GROUP\n"
	      "               permissions and group of sockets that do not say their own "
	      "(0660\n"
	      "               with a group)\n"
	      "  --group-role GROUP=ROLE\n"
	      "               role of users of the group, if that of the socket includes it;\n"
	      "               of several, the first holds\n"
	      "  --session-idle SECONDS\n"
	      "               end sessions that ask nothing for so long (default 900; 0: never)\n"
	      "  --config-dir DIR, --output-dir DIR\n"
	      "               directories to which `load` and `save`, and captures and the event\n"
	      "               log, are restricted in sessions through the socket (default for\n"
	      "               users other than root and the switch's own: that of CONFIG, or\n"
	      "               /etc/fastcn, and no captures; root and the switch's own user: no\n"
	      "               restriction). Captures have a directory without the "
	      "configuration\n"
	      "  --metrics [ADDRESS:]PORT\n"
	      "               serve metrics (GET /metrics) and a page of the switch (/) over HTTP\n"
	      "               (default address 127.0.0.1)\n"
	      "  --log-events FILE\n"
	      "               append each event as a line of JSON to a file; -: standard output\n"
	      "  --user NAME[:GROUP]\n"
	      "               become this user once all is open and forwarding has begun\n"
	      "  --mbufs N    packet buffers of each NUMA node (default 65535, more with nine "
	      "workers or\n"
	      "               more, or what EAL has memory for)\n"
	      "  --state-file FILE\n"
	      "               keep what was learned in a file: the next start begins with it\n"
	      "  --rollback-dir DIR\n"
	      "               keep the last ten configurations for `rollback` in a directory\n"
	      "  --take-over  take over from the switch that serves the socket: it forwards until\n"
	      "               this one is ready; `restart` on a console does the same\n"
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
