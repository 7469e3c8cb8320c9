/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"
#include "replay_run.h"

#define DEFAULT_MBUFS 32767
#define MIN_MBUFS 1024u
#define MAX_MBUFS 300000u /* maximum number of buffers that fit into the memory of a replay */

void
replay_usage(FILE *out)
{
	fputs("usage: fastcn replay CONFIG --in PORT=FILE... [options]\n"
	      "\n"
	      "Switch the packets of capture files in virtual time: packets arrive at the times "
	      "of\n"
	      "their timestamps, and leave at the speed of the ports' links. The same input "
	      "always\n"
	      "gives the same output.\n"
	      "\n"
	      "  --in PORT=FILE     packets that a port receives (pcap or pcapng); several are "
	      "merged by time\n"
	      "  --filter BPF       use only packets of the preceding --in that match a BPF "
	      "filter\n"
	      "                     (syntax of tcpdump)\n"
	      "  --out PORT=FILE    write the packets that a port sends, with the time in "
	      "nanoseconds\n"
	      "                     at which their last bit was sent\n"
	      "  --speed N          divide the gaps between captured packets by N (default 1)\n"
	      "  --json FILE        write the report as JSON ('-': to standard output, instead of "
	      "the text)\n"
	      "  --series FILE      write queue occupancy and notices over time, tab separated\n"
	      "  --before COMMANDS  console commands to run before the first packet, separated by "
	      "';'\n"
	      "  --after COMMANDS   console commands to run after the last packet and the report\n"
	      "  --seed N           seed of random numbers (default 1)\n"
	      "  --mbufs N          number of packet buffers (default 32767), which limits the "
	      "packets\n"
	      "                     that can be queued\n"
	      "  --quiet            print no report, and no warnings about the configuration\n"
	      "\n"
	      "The replay needs neither root nor hugepages. Ctrl-C ends it early, with complete "
	      "files\n"
	      "and the report.\n",
			out);
}

/* Read "PORT=FILE". */
static int
add_file(struct replay_file *files, unsigned int *n, char *arg, const char *option)
{
	char *eq = strchr(arg, '=');

	if (eq == NULL || eq == arg || eq[1] == '\0') {
		fprintf(stderr, "fastcn replay: %s %s: the argument must be PORT=FILE\n", option,
				arg);
		return -1;
	}
	if (*n == REPLAY_MAX_FILES) {
		fprintf(stderr, "fastcn replay: more than %u times %s\n", REPLAY_MAX_FILES, option);
		return -1;
	}
	files[*n] = (struct replay_file){.port = strndup(arg, eq - arg), .file = eq + 1};
	if (files[*n].port == NULL)
		return -1;
	(*n)++;
	return 0;
}

static int
parse_speed(const char *arg, double *speed)
{
	char *end;

	errno = 0;
	*speed = strtod(arg, &end);
	if (errno != 0 || end == arg || *end != '\0' || !(*speed > 0) || *speed > 1e12) {
		fprintf(stderr, "fastcn replay: --speed %s: the value must be a number above 0\n",
				arg);
		return -1;
	}
	return 0;
}

static int
parse_mbufs(const char *arg, unsigned int *mbufs)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (end == arg || *end != '\0' || n < MIN_MBUFS || n > MAX_MBUFS) {
		fprintf(stderr,
				"fastcn replay: --mbufs %s: the value must be a number from %u to "
				"%u\n",
				arg, MIN_MBUFS, MAX_MBUFS);
		return -1;
	}
	*mbufs = n;
	return 0;
}

enum replay_option {
	OPT_IN = 256,
	OPT_FILTER,
	OPT_OUT,
	OPT_SPEED,
	OPT_JSON,
	OPT_SERIES,
	OPT_BEFORE,
	OPT_AFTER,
	OPT_MBUFS,
	OPT_SEED,
	OPT_QUIET,
};

static const struct option options[] = {
		{"in", required_argument, NULL, OPT_IN},
		{"filter", required_argument, NULL, OPT_FILTER},
		{"out", required_argument, NULL, OPT_OUT},
		{"speed", required_argument, NULL, OPT_SPEED},
		{"json", required_argument, NULL, OPT_JSON},
		{"series", required_argument, NULL, OPT_SERIES},
		{"before", required_argument, NULL, OPT_BEFORE},
		{"after", required_argument, NULL, OPT_AFTER},
		{"mbufs", required_argument, NULL, OPT_MBUFS},
		{"seed", required_argument, NULL, OPT_SEED},
		{"quiet", no_argument, NULL, OPT_QUIET},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
};

static int
take_option(struct replay_options *opt, int c)
{
	switch (c) {
	case OPT_IN:
		return add_file(opt->in, &opt->n_in, optarg, "--in");
	case OPT_FILTER:
		if (opt->n_in == 0) {
			fprintf(stderr, "fastcn replay: --filter must follow an --in\n");
			return -1;
		}
		opt->in[opt->n_in - 1].filter = optarg;
		return 0;
	case OPT_OUT:
		return add_file(opt->out, &opt->n_out, optarg, "--out");
	case OPT_SPEED:
		return parse_speed(optarg, &opt->speed);
	case OPT_JSON:
		opt->json = optarg;
		return 0;
	case OPT_SERIES:
		opt->series = optarg;
		return 0;
	case OPT_BEFORE:
		opt->before = optarg;
		return 0;
	case OPT_AFTER:
		opt->after = optarg;
		return 0;
	case OPT_MBUFS:
		return parse_mbufs(optarg, &opt->mbufs);
	case OPT_SEED:
		return fcn_parse_seed("fastcn replay", optarg, &opt->seed);
	case OPT_QUIET:
		opt->quiet = true;
		return 0;
	case 'h':
		opt->help = true;
		return 0;
	default:
		return -1;
	}
}

int
replay_options_parse(struct replay_options *opt, int argc, char **argv)
{
	char name[] = "fastcn replay";
	int c;

	opt->speed = 1;
	opt->mbufs = DEFAULT_MBUFS;
	opt->seed = FCN_DEFAULT_SEED;
	argv[0] = name; /* the name in messages of getopt */
	optind = 1;
	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (take_option(opt, c) != 0)
			return -1;
	}
	if (opt->help)
		return 0;
	if (optind + 1 != argc) {
		fprintf(stderr, "fastcn replay: one configuration file is expected%s%s\n",
				optind + 1 < argc ? ", not also " : "",
				optind + 1 < argc ? argv[optind + 1] : "");
		return -1;
	}
	opt->config = argv[optind];
	if (opt->n_in == 0) {
		fprintf(stderr, "fastcn replay: no input; give an option --in PORT=FILE\n");
		return -1;
	}
	return 0;
}

void
replay_options_free(struct replay_options *opt)
{
	for (unsigned int i = 0; i < opt->n_in; i++)
		free(opt->in[i].port);
	for (unsigned int i = 0; i < opt->n_out; i++)
		free(opt->out[i].port);
}
