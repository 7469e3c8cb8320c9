/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Random SRv6 configurations. Each switch has the same SIDs in its locator, and policies by which
 * its packets to some hosts take segment lists that end at the switch of the host.
 */

#include "random_private.h"

#define MAX_VIA 2 /* segments in front of the last one */
#define NO_SRH 2  /* place of this mode in make_policy() */

/* SIDs of every switch, with %x for its number. */
#define SID_END "2001:db8:5:%x::1"
#define SID_DT6 "2001:db8:5:%x::d6"
#define SID_DT46 "2001:db8:5:%x::d46"
#define SID_CON "2001:db8:5:%x::c"
#define SID_HOST "2001:db8:5:%x::d:%x" /* End.DX6 to a host of the switch */
/* Compressed: locator and node, then that of the next node. */
#define SID_NEXT_DT6 "2001:db8:5:%x:%x:d6::"

static void
make_sids(struct random_maker *m, unsigned int s)
{
	static const char *const flavors[] = {
			"", " psp", " usp", " psp usp", " psp usp usd", " usd"};

	fprintf(m->out, "switch s%u do srv6 sid add " SID_END "/128 end%s\n", s, s,
			RANDOM_OF(m, flavors));
	fprintf(m->out, "switch s%u do srv6 sid add " SID_DT6 "/128 end.dt6\n", s, s);
	fprintf(m->out, "switch s%u do srv6 sid add " SID_DT46 "/128 end.dt46\n", s, s);
	fprintf(m->out, "switch s%u do srv6 sid add 2001:db8:5:%x::/64 end next-csid 48 16\n", s,
			s);
	fprintf(m->out, "switch s%u do srv6 sid add 2001:db8:5:%x:d6::/80 end.dt6\n", s, s);
	for (unsigned int h = 0; h < m->n_hosts; h++)
		if (m->home[h] + 1 == s)
			fprintf(m->out,
					"switch s%u do srv6 sid add " SID_HOST
					"/128 end.dx6 via 2001:db8:0:%x::1 port h%u\n",
					s, s, h + 1, h + 1, h + 1);
	fprintf(m->out, "switch s%u do srv6 sid add " SID_CON "/128 end.con\n", s, s);
	if (random_chance(m, 90))
		fprintf(m->out, "switch s%u do srv6 p-node add 2001:db8:f::/48\n", s);
	if (random_chance(m, 50))
		fprintf(m->out, "switch s%u do set srv6 endcon-rate off\n", s);
}

/* Choose another switch than s, 1 for the first. */
static unsigned int
other_switch(struct random_maker *m, unsigned int s)
{
	unsigned int other = random_between(m, 1, m->n_switches - 1);

	return other + (other >= s);
}

/* Kinds of segment lists, by their last segment. */
enum {
	COMPRESSED,
	TO_HOST,
	TO_DT46,
	TO_DT6,
	N_KINDS
};

/* Write the segments from switch s to a host of another one. Lists of different kinds differ. */
static void
make_segments(struct random_maker *m, unsigned int s, unsigned int h, unsigned int kind,
		bool single)
{
	const unsigned int home = m->home[h] + 1;
	const unsigned int n = kind == COMPRESSED || single ? 0 : random_pick(m, MAX_VIA + 1);

	/* A first segment of the switch itself would be no path. */
	for (unsigned int i = 0; i < n; i++)
		fprintf(m->out, SID_END ",",
				i == 0 ? other_switch(m, s) : random_between(m, 1, m->n_switches));
	switch (kind) {
	case COMPRESSED:
		fprintf(m->out, SID_NEXT_DT6, other_switch(m, s), home);
		break;
	case TO_HOST:
		fprintf(m->out, SID_HOST, home, h + 1);
		break;
	case TO_DT46:
		fprintf(m->out, SID_DT46, home);
		break;
	case TO_DT6:
	default:
		fprintf(m->out, SID_DT6, home);
	}
}

/* Make a policy of switch s for the packets to a host of another switch. */
static void
make_policy(struct random_maker *m, unsigned int s, unsigned int h)
{
	static const char *const modes[] = {"encaps", "encaps-red", "no-srh"};
	const unsigned int mode = random_chance(m, 80) ? random_pick(m, 2) : NO_SRH;
	unsigned int kind = random_pick(m, N_KINDS);

	m->node_switch[s - 1].policies |= 1u << h;

	fprintf(m->out, "switch s%u do srv6 policy add p%u\n", s, h + 1);
	fprintf(m->out, "switch s%u do set srv6 policy p%u mode %s\n", s, h + 1, modes[mode]);
	if (random_chance(m, 80)) {
		m->node_switch[s - 1].ingress |= 1u << h;
		fprintf(m->out, "switch s%u do set srv6 policy p%u roce-source " SID_CON "\n", s,
				h + 1, s);
	} else if (random_chance(m, 50)) {
		fprintf(m->out, "switch s%u do set srv6 policy p%u ecn compatibility\n", s, h + 1);
	}
	if (random_chance(m, 20))
		fprintf(m->out, "switch s%u do set srv6 policy p%u dscp %u\n", s, h + 1,
				random_pick(m, 64));
	if (random_chance(m, 20))
		fprintf(m->out, "switch s%u do set srv6 policy p%u hop-limit copy\n", s, h + 1);
	for (unsigned int n = random_between(m, 1, 3); n > 0; n--) {
		fprintf(m->out, "switch s%u do srv6 segments add p%u ", s, h + 1);
		make_segments(m, s, h, kind++ % N_KINDS, mode == NO_SRH);
		if (random_chance(m, 40))
			fprintf(m->out, " weight %u", random_between(m, 1, 9));
		if (random_chance(m, 20))
			fprintf(m->out, " path-id %u", random_between(m, 1, 1000));
		fputc('\n', m->out);
	}
	fprintf(m->out,
			"switch s%u do route remove 2001:db8:0:%x::1/128\n"
			"switch s%u do route add 2001:db8:0:%x::1/128 policy p%u\n",
			s, h + 1, s, h + 1, h + 1);
}

void
random_srv6(struct random_maker *m, unsigned int s)
{
	make_sids(m, s);
	for (unsigned int h = 0; h < m->n_hosts; h++)
		if (m->home[h] + 1 != s && random_chance(m, 70))
			make_policy(m, s, h);
	if (random_chance(m, 80))
		fprintf(m->out, "switch s%u do set notify endcon on\n", s);
	if (random_chance(m, 80))
		fprintf(m->out, "switch s%u do srv6 endcon add 2001:db8:5::/48\n", s);
}

/* Write a change of one of its policies. */
static void
change_policy(struct random_maker *m, unsigned int s, unsigned int h)
{
	fprintf(m->out, "set srv6 policy p%u ", h + 1);
	switch (random_pick(m, 5)) {
	case 0:
		fprintf(m->out, "dscp %u\n", random_pick(m, 64));
		break;
	case 1:
		fprintf(m->out, "ecn %s\n",
				m->node_switch[s - 1].ingress & 1u << h || random_chance(m, 50)
						? "normal"
						: "compatibility");
		break;
	case 2:
		fprintf(m->out, "roce-source none\n");
		break;
	case 3:
		fprintf(m->out, "hop-limit %u\n", random_between(m, 32, 255));
		break;
	default:
		fprintf(m->out, "source 2001:db8:5:ff::1\n");
	}
}

void
random_srv6_change(struct random_maker *m, unsigned int s)
{
	const uint32_t policies = m->node_switch[s - 1].policies;
	unsigned int h = random_pick(m, m->n_hosts);

	if (random_chance(m, 60) && policies & 1u << h) {
		change_policy(m, s, h);
		return;
	}
	switch (random_pick(m, 4)) {
	case 0:
		fprintf(m->out, "set srv6 endcon-rate %u burst 1\n", random_between(m, 1, 100000));
		break;
	case 1:
		fprintf(m->out, "set srv6 endcon-total %u burst 1\n", random_between(m, 1, 100000));
		break;
	case 2:
		fprintf(m->out, "set notify endcon off\n");
		break;
	default:
		fprintf(m->out, "set srv6 echo off\n");
	}
}
