/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "main.h"

enum lab_option {
	OPT_SET = 256,
	OPT_LINE,
	OPT_OUT,
	OPT_JSON,
	OPT_SEED,
	OPT_QUIET,
	OPT_CHECK,
	OPT_NO_PLOTS,
};

static const struct option options[] = {
		{"set", required_argument, NULL, OPT_SET},
		{"line", required_argument, NULL, OPT_LINE},
		{"out", required_argument, NULL, OPT_OUT},
		{"json", required_argument, NULL, OPT_JSON},
		{"seed", required_argument, NULL, OPT_SEED},
		{"quiet", no_argument, NULL, OPT_QUIET},
		{"check", no_argument, NULL, OPT_CHECK},
		{"no-plots", no_argument, NULL, OPT_NO_PLOTS},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
};

static int
add_setting(struct lab_options *opt, const char *name, const char *value)
{
	if (opt->n_set == LAB_MAX_SETTINGS) {
		fprintf(stderr, "fastcn-lab: more than %u settings and lines\n", LAB_MAX_SETTINGS);
		return -1;
	}
	opt->set[opt->n_set++] = (struct lab_setting){.name = name, .value = value};
	return 0;
}

/* Split "NAME=VALUE" and add it to the settings. */
static int
cut_setting(struct lab_options *opt, char *arg)
{
	char *eq = strchr(arg, '=');

	if (eq == NULL || eq == arg) {
		fprintf(stderr, "fastcn-lab: --set %s: the argument must be NAME=VALUE\n", arg);
		return -1;
	}
	*eq = '\0';
	return add_setting(opt, arg, eq + 1);
}

static int
take_option(struct lab_options *opt, int c)
{
	switch (c) {
	case OPT_SET:
		return cut_setting(opt, optarg);
	case OPT_LINE:
		return add_setting(opt, NULL, optarg);
	case OPT_OUT:
		opt->out = optarg;
		return 0;
	case OPT_JSON:
		opt->json = optarg;
		return 0;
	case OPT_SEED:
		return add_setting(opt, "seed", optarg);
	case OPT_QUIET:
		opt->quiet = true;
		return 0;
	case OPT_CHECK:
		return add_setting(opt, "check", "on");
	case OPT_NO_PLOTS:
		opt->no_plots = true;
		return 0;
	case 'h':
		opt->help = true;
		return 0;
	default:
		return -1;
	}
}

int
lab_options_parse(struct lab_options *opt, int argc, char **argv)
{
	int c;

	memset(opt, 0, sizeof(*opt));
	optind = 0; /* getopt starts at the beginning in every call */
	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1)
		if (take_option(opt, c) != 0)
			return -1;
	if (opt->help)
		return 0;
	if (optind + 1 != argc) {
		fprintf(stderr, "fastcn-lab: one scenario is expected%s%s\n",
				optind + 1 < argc ? ", not also " : "",
				optind + 1 < argc ? argv[optind + 1] : "");
		return -1;
	}
	opt->scenario = argv[optind];
	return 0;
}
