/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "egress_options.h"

void
bench_egress_options_read(int argc, char **argv, struct rte_mempool *pool, struct bench_egress *e,
		struct bench_egress_options *o)
{
	static const struct option names[] = {
			{"device", required_argument, NULL, 'd'},
			{"peer", required_argument, NULL, 'p'},
			{"use", required_argument, NULL, 'u'},
			{"longest", required_argument, NULL, 'l'},
			{"bursts", required_argument, NULL, 'b'},
			{"at-once", no_argument, NULL, 'a'},
			{0},
	};
	int c;

	*o = (struct bench_egress_options){.longest = UINT32_MAX, .bursts = 400};
	optind = 1;
	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 'd':
		case 'p':
			bench_egress_open(e, optarg, c == 'p', pool);
			break;
		case 'u':
			o->use = optarg;
			break;
		case 'l':
			o->longest = atoi(optarg);
			break;
		case 'b':
			o->bursts = atoi(optarg);
			break;
		case 'a':
			o->at_once = true;
			break;
		default:
			exit(2);
		}
	}
	if (e->n < 2)
		errx(2, "two devices are needed at least");
	bench_egress_wait(e);
}

bool
bench_egress_wants(const struct bench_egress_options *o, const char *name)
{
	return o->use == NULL || strncmp(name, o->use, strlen(o->use)) == 0;
}
