/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Random precise flow control: which queues ask whom to halt what, the limits of those who obey,
 * and hosts that forge messages.
 */

#include <string.h>

#include "random_private.h"

static const char *const arn_modes[] = {"service", "flow", "flow", "priority"};

/* Make the switches at the other ends of its links its upstream neighbours. */
static void
make_neighbours(struct random_maker *m, unsigned int s)
{
	char name[16];

	snprintf(name, sizeof(name), "s%u", s);
	for (unsigned int i = 0; i < m->n_links; i++) {
		const struct random_link *link = &m->link[i];
		bool here = strcmp(link->b, name) == 0;
		const char *other = here ? link->a : link->b;

		if (other[0] != 's' || (!here && strcmp(link->a, name) != 0))
			continue;
		/* Without the port, messages could also go downstream, and halt each other's ways.
		 */
		fprintf(m->out, "switch s%u do arn neighbour add 2001:db8:f::%s port %s\n", s,
				other + 1, other);
	}
}

static void
make_arn_limits(struct random_maker *m, unsigned int s)
{
	if (random_chance(m, 30))
		fprintf(m->out, "switch s%u do set arn max-time %uus\n", s,
				random_between(m, 10, 300));
	if (random_chance(m, 20))
		fprintf(m->out, "switch s%u do set arn held-packets %u\n", s,
				random_between(m, 1, 200));
	if (random_chance(m, 20))
		fprintf(m->out, "switch s%u do set arn flow-bytes %uK\n", s,
				random_between(m, 2, 200));
	if (random_chance(m, 20))
		fprintf(m->out, "switch s%u do set arn held-flows %u\n", s,
				random_between(m, 1, 4));
	if (random_chance(m, 30))
		fprintf(m->out, "switch s%u do set arn watchdog detect %ums restore %ums\n", s,
				random_between(m, 1, 5), random_between(m, 1, 5));
	if (random_chance(m, 50))
		fprintf(m->out, "switch s%u do set arn pass-on %uK\n", s,
				random_between(m, 2, 100));
	if (random_chance(m, 30))
		fprintf(m->out, "switch s%u do set arn from-pfc on\n", s);
}

void
random_arn(struct random_maker *m, unsigned int s)
{
	static const char *const edges[] = {"off", "pfc", "fast-cnp"};

	fprintf(m->out, "switch s%u do set arn port 1022\n", s);
	make_neighbours(m, s);
	if (random_chance(m, 90))
		fprintf(m->out, "switch s%u do arn source add 2001:db8:f::/48\n", s);
	if (random_chance(m, 85))
		fprintf(m->out, "switch s%u do set arn send on\n", s);
	if (random_chance(m, 85))
		fprintf(m->out, "switch s%u do set arn receive on\n", s);
	fprintf(m->out, "switch s%u do set queue all class 3 arn %s\n", s, RANDOM_OF(m, arn_modes));
	fprintf(m->out, "switch s%u do set queue all class 3 arn-time %uus\n", s,
			random_between(m, 10, 200));
	fprintf(m->out, "switch s%u do set queue all class 3 arn-level %u\n", s, random_pick(m, 3));
	make_arn_limits(m, s);
	for (unsigned int h = 0; h < m->n_hosts; h++)
		if (m->home[h] + 1 == s && random_chance(m, 60))
			fprintf(m->out, "switch s%u do set port h%u arn-edge %s\n", s, h + 1,
					RANDOM_OF(m, edges));
}

void
random_arn_change(struct random_maker *m)
{
	switch (random_pick(m, 4)) {
	case 0:
		fprintf(m->out, "set arn receive off\n");
		break;
	case 1:
		fprintf(m->out, "set arn send off\n");
		break;
	case 2:
		fprintf(m->out, "set queue all class 3 arn %s\n", RANDOM_OF(m, arn_modes));
		break;
	default:
		fprintf(m->out, "set arn max-time %uus\n", random_between(m, 10, 300));
	}
}

void
random_arn_fault(struct random_maker *m)
{
	fprintf(m->out, "at %uus host h%u halt f%u at s%u for %uus",
			random_between(m, 1, RANDOM_CHAOS_US - 1), random_between(m, 1, m->n_hosts),
			random_between(m, 1, m->n_flows), random_between(m, 1, m->n_switches),
			random_pick(m, 300));
	if (random_chance(m, 70)) /* otherwise its own address, which no switch knows */
		fprintf(m->out, " as s%u", random_between(m, 1, m->n_switches));
	fputc('\n', m->out);
}
