/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Random congestion notification with proxies: who tells whom about which hosts, by configuration
 * or by what routing protocols say, what proxies translate that into, and hosts that forge
 * messages. Where there is none of it, hosts that report their queue pairs to their switches, which
 * send them CNPs or translate Fast CNPs.
 */

#include "random_private.h"

#define LEARNED UINT64_C(0x6C6561726E656421)  /* any number */
#define REPORTED UINT64_C(0x7265706F72746564) /* another one */

static const char *const translations[] = {
		"fast-cnp", "fast-cnp-trace", "cnp", "pfc", "ce", "none"};
static const char *const protocols[] = {"isis", "ospf", "ospf3", "bgp"};
static const char *const direct[] = {"otherwise", "always", "never"};
static const char *const sources[] = {"option", "prefix", "option-prefix", "prefix-option"};

/* What a routing protocol says of a host: mostly, its proxy is the switch that it is at. The
 * lifetime is far longer than a run. */
static void
learn(struct random_maker *m)
{
	const unsigned int host = random_pick(m, m->n_hosts);

	fprintf(m->out,
			"proxy learned add 2001:db8:0:%x::/64 address 2001:db8:f::%x protocol %s "
			"lifetime %u\n",
			host + 1,
			random_chance(m, 80) ? m->home[host] + 1
					     : random_between(m, 1, m->n_switches),
			RANDOM_OF(m, protocols), random_between(m, 1, 3600));
}

/* What a switch learns and forgets in the run, in half of all cases. The choices have a
 * generator of their own: all else is the same as without them. */
static void
make_learned(const struct random_maker *maker, unsigned int s)
{
	struct random_maker own = *maker, *m = &own;

	m->random.state ^= LEARNED;
	if (random_chance(m, 50))
		return;
	for (unsigned int n = random_between(m, 1, 2 * m->n_hosts); n > 0; n--) {
		fprintf(m->out, "at %uus switch s%u do ", random_between(m, 1, RANDOM_CHAOS_US - 1),
				s);
		if (random_chance(m, 80))
			learn(m);
		else
			fprintf(m->out, "proxy learned clear protocol %s\n",
					RANDOM_OF(m, protocols));
	}
}

/* The side of a congested node: mostly, the proxy of a host is the switch that it is at. */
static void
make_sender(struct random_maker *m, unsigned int s)
{
	for (unsigned int h = 0; h < m->n_hosts; h++)
		if (random_chance(m, 80))
			fprintf(m->out,
					"switch s%u do proxy prefix add 2001:db8:0:%x::/64 address "
					"2001:db8:f::%x\n",
					s, h + 1,
					random_chance(m, 80) ? m->home[h] + 1
							     : random_between(m, 1, m->n_switches));
	if (random_chance(m, 50))
		fprintf(m->out, "switch s%u do set cnm direct %s\n", s, RANDOM_OF(m, direct));
	if (random_chance(m, 30))
		fprintf(m->out, "switch s%u do set cnm address-from %s\n", s,
				RANDOM_OF(m, sources));
	if (random_chance(m, 85))
		fprintf(m->out, "switch s%u do set notify cnm on\n", s);
}

/* The side of a proxy. The queue pairs may be those of other flows. */
static void
make_receiver(struct random_maker *m, unsigned int s)
{
	for (unsigned int h = 1; h <= m->n_hosts; h++) {
		if (random_chance(m, 90))
			fprintf(m->out,
					"switch s%u do proxy sender add 2001:db8:0:%x::/64 "
					"translate %s\n",
					s, h, RANDOM_OF(m, translations));
		for (unsigned int qp = 2; qp < 2 + random_pick(m, 6); qp++)
			fprintf(m->out,
					"switch s%u do proxy qp add 2001:db8:0:%x::1 %u sender-qp "
					"%u\n",
					s, h, qp, random_between(m, 2, 4));
	}
	if (random_chance(m, 90))
		fprintf(m->out, "switch s%u do proxy node add 2001:db8:f::/48\n", s);
	if (random_chance(m, 60))
		fprintf(m->out, "switch s%u do set proxy interval %uus\n", s,
				random_between(m, 1, 60));
	if (random_chance(m, 50))
		fprintf(m->out, "switch s%u do set proxy pfc-time %uus\n", s,
				random_between(m, 1, 200));
	if (random_chance(m, 50))
		fprintf(m->out, "switch s%u do set proxy ce-time %uus\n", s,
				random_between(m, 1, 200));
	if (random_chance(m, 85))
		fprintf(m->out, "switch s%u do set proxy receive on\n", s);
}

void
random_proxy(struct random_maker *m, unsigned int s)
{
	fprintf(m->out, "switch s%u do set cnm port 1021\n", s);
	make_sender(m, s);
	make_receiver(m, s);
	make_learned(m, s);
}

void
random_proxy_change(struct random_maker *m)
{
	switch (random_pick(m, 5)) {
	case 0:
		fprintf(m->out, "set notify cnm off\n");
		break;
	case 1:
		fprintf(m->out, "set proxy receive off\n");
		break;
	case 2:
		fprintf(m->out, "set cnm direct %s\n", RANDOM_OF(m, direct));
		break;
	case 3:
		fprintf(m->out, "proxy sender add 2001:db8:0:%x::/64 translate %s\n",
				random_between(m, 1, m->n_hosts), RANDOM_OF(m, translations));
		break;
	default:
		fprintf(m->out, "set proxy interval %uus\n", random_between(m, 1, 60));
	}
}

void
random_proxy_fault(struct random_maker *m)
{
	fprintf(m->out, "at %uus host h%u tell s%u about f%u level %u times %u every %uns",
			random_between(m, 1, RANDOM_CHAOS_US - 1), random_between(m, 1, m->n_hosts),
			random_between(m, 1, m->n_switches), random_between(m, 1, m->n_flows),
			random_pick(m, 8), random_between(m, 1, 20), random_between(m, 100, 5000));
	if (random_chance(m, 70)) /* otherwise its own address, which no switch knows */
		fprintf(m->out, " as s%u", random_between(m, 1, m->n_switches));
	fputc('\n', m->out);
}

void
random_reports(const struct random_maker *maker)
{
	struct random_maker own = *maker, *m = &own;

	m->random.state ^= REPORTED;
	/* With a proxy, queue pairs are configured that no host may report. */
	if (m->proxy || random_chance(m, 50))
		return;
	fprintf(m->out, "host all reports after %uus\n", random_pick(m, 30));
	for (unsigned int s = 1; s <= m->n_switches; s++) {
		fprintf(m->out, "switch s%u do set proxy reported 64\n", s);
		if (random_chance(m, 70))
			fprintf(m->out, "switch s%u do set notify cnp on\n", s);
		if (random_chance(m, 50))
			fprintf(m->out, "switch s%u do set proxy intercept on\n", s);
	}
}
