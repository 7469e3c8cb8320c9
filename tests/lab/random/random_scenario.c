/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "random_private.h"
#include "random_scenario.h"

/* ---- topology ---- */

static void
add_link(struct random_maker *m, const char *a, unsigned int i, unsigned int s,
		unsigned int most_delay_ns)
{
	struct random_link *link = &m->link[m->n_links++];
	unsigned int gbps = RANDOM_OF(m, random_rates);

	snprintf(link->a, sizeof(link->a), "%s%u", a, i);
	snprintf(link->b, sizeof(link->b), "s%u", s);
	fprintf(m->out, "link add %s %s rate %uG delay %uns\n", link->a, link->b, gbps,
			random_chance(m, 10) ? 0 : random_between(m, 0, most_delay_ns));
	if (a[0] == 's')
		m->node_switch[i - 1].gbps = RTE_MAX(m->node_switch[i - 1].gbps, gbps);
	m->node_switch[s - 1].gbps = RTE_MAX(m->node_switch[s - 1].gbps, gbps);
}

static void
make_topology(struct random_maker *m)
{
	fprintf(m->out, "switch add s[1-%u]%s%s\n", m->n_switches,
			random_chance(m, 30) ? " latency 300ns" : "", m->bridged ? " bare" : "");
	fprintf(m->out, "host add h[1-%u]\n", m->n_hosts);
	for (unsigned int h = 0; h < m->n_hosts; h++) {
		m->home[h] = random_pick(m, m->n_switches);
		add_link(m, "h", h + 1, m->home[h] + 1, 3000);
	}
	for (unsigned int s = 1; s < m->n_switches; s++)
		add_link(m, "s", s, s + 1, 5000);
	/* Networks of bridges have no loops. */
	if (m->n_switches == 3 && !m->bridged && random_chance(m, 50))
		add_link(m, "s", 1, 3, 500);
}

/* ---- hosts ---- */

static void
make_host(struct random_maker *m, unsigned int h)
{
	static const char *const reactions[] = {"none", "dcqcn", "dcqcn paper",
			"beta factor 80% base-rtt 10us", "level", "hpcc base-rtt 20us"};
	static const char *const support[] = {
			"accept from 2001:db8:f::/48", "accept", "refuse", "ignore"};
	static const char *const scopes[] = {"qp", "pair", "port"};
	static const unsigned int payloads[] = {256, 512, 1024};

	fprintf(m->out, "host h%u reaction %s\n", h,
			reactions[random_pick(
					m, m->ioam ? RTE_DIM(reactions) : RTE_DIM(reactions) - 1)]);
	fprintf(m->out, "host h%u set fast-cnp %s\n", h, RANDOM_OF(m, support));
	fprintf(m->out, "host h%u set cnp %s\n", h, random_chance(m, 60) ? "on" : "off");
	/* A segment list can lead over the slowest link three times. A sender whose timeout is
	 * shorter than that fills the queue with what it sends again, and no message ever ends. */
	fprintf(m->out, "host h%u set timeout %uus\n", h,
			random_between(m, 200, 2000) * (m->srv6 ? 8 : 1));
	if (m->ioam && random_chance(m, 50))
		fprintf(m->out, "host h%u set ioam on hops %u\n", h, random_between(m, 1, 5));
	if (random_chance(m, 30))
		fprintf(m->out, "host h%u set ack-every %u\n", h, random_between(m, 1, 8));
	if (random_chance(m, 20))
		fprintf(m->out, "host h%u set window %uK\n", h, random_between(m, 5, 100));
	if (random_chance(m, 20))
		fprintf(m->out, "host h%u set detour after %u hold 20us\n", h,
				random_between(m, 1, 5));
	if (random_chance(m, 20))
		fprintf(m->out, "host h%u set payload %u\n", h, RANDOM_OF(m, payloads));
	if (random_chance(m, 20))
		fprintf(m->out, "host h%u set cnp-scope %s\n", h, RANDOM_OF(m, scopes));
	if (random_chance(m, 20))
		fprintf(m->out, "host h%u set reaction-interval %uus\n", h, random_pick(m, 60));
}

static void
make_flows(struct random_maker *m)
{
	const unsigned int spread = random_chance(m, 70) ? 10 : 100;

	m->n_flows = random_between(m, 1, 10);
	for (unsigned int n = m->n_flows; n > 0; n--) {
		unsigned int to = random_chance(m, 60) ? m->hot : random_pick(m, m->n_hosts);
		unsigned int from = random_pick(m, m->n_hosts - 1);

		from += from >= to;
		fprintf(m->out,
				"flow add f%u from h%u to h%u size %u messages %u start %uus dscp "
				"%u\n",
				n, from + 1, to + 1, random_between(m, 1, 100000),
				random_between(m, 1, 4), random_between(m, 0, spread),
				random_chance(m, 80) ? 26 : random_between(m, 0, 63));
	}
}

static void
write_scenario(struct random_maker *m, uint64_t seed)
{
	m->n_switches = random_between(m, 1, RANDOM_MAX_SWITCHES);
	m->n_hosts = random_between(m, 2, RANDOM_MAX_HOSTS);
	m->ioam = random_chance(m, 40);
	m->hot = random_pick(m, m->n_hosts);
	m->bridged = random_chance(m, 25);
	m->tagged = random_chance(m, 50);
	m->scarce = random_chance(m, 20);
	m->arn = !m->bridged && m->n_switches > 1 && random_chance(m, 50);
	m->proxy = !m->bridged && random_chance(m, 50);
	m->srv6 = !m->bridged && m->n_switches > 1 && random_chance(m, 50);
	fprintf(m->out, "title by chance, of seed %llu\nseed %llu\n", (unsigned long long)seed,
			(unsigned long long)seed);
	fprintf(m->out, "duration %ums\nbuffers %u\ncheck on\n", RANDOM_DURATION_MS,
			m->scarce ? random_between(m, 1024, 1200) : 4095);
	make_topology(m);
	for (unsigned int s = 1; s <= m->n_switches; s++)
		random_switch(m, s);
	for (unsigned int h = 1; h <= m->n_hosts; h++)
		make_host(m, h);
	if (random_chance(m, 20)) /* both ends of a flow, or none */
		fputs("host all set selective-repeat on\n", m->out);
	make_flows(m);
	random_faults(m);
	for (unsigned int h = 1; h <= m->n_hosts; h++)
		if (random_chance(m, 30))
			fprintf(m->out, "host h%u set operation write\n", h);
	random_speeds(m);
	random_reports(m);
}

char *
lab_random_scenario(uint64_t seed)
{
	struct random_maker m = {.random = {.state = seed}};
	char *text = NULL, *end = NULL;
	size_t size = 0, end_size = 0;
	bool failed = true;

	m.out = open_memstream(&text, &size);
	m.end = open_memstream(&end, &end_size);
	if (m.out != NULL && m.end != NULL) {
		write_scenario(&m, seed);
		failed = fflush(m.end) != 0;
		fputs(end, m.out);
		/* Retransmissions in a slow queue may occupy all buffers for ever. */
		if (!m.scarce)
			fputs("expect sum(flows.*.incomplete) = 0 -- all arrives once nothing goes "
			      "wrong\n",
					m.out);
	}
	if (m.end != NULL)
		failed |= fclose(m.end) != 0;
	if (m.out != NULL)
		failed |= fclose(m.out) != 0;
	free(end);
	if (!failed)
		return text;
	free(text);
	return NULL;
}
