/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Random configurations that a switch accepts. Values that depend on each other are chosen
 * together.
 */

#include <string.h>

#include "random_private.h"

#define MOST_LIMIT_K 400
#define MOST_WINDOW_PACKETS 400 /* of the longest message, with the least payload */

/* Write the beginning of a line for a switch. */
static void
say(struct random_maker *m, unsigned int s)
{
	fprintf(m->out, "switch s%u do ", s);
}

static const char *
on_or_off(struct random_maker *m, unsigned int percent)
{
	return random_chance(m, percent) ? "on" : "off";
}

/* ---- ports of a bridge ---- */

static void
make_bridge(struct random_maker *m, unsigned int s)
{
	char name[16];

	snprintf(name, sizeof(name), "s%u", s);
	fprintf(m->out, "switch s%u do set loopback 2001:db8:f::%u\nswitch s%u do bridge add br\n",
			s, s, s);
	for (unsigned int i = 0; i < m->n_links; i++) {
		const struct random_link *link = &m->link[i];
		bool here = strcmp(link->b, name) == 0;
		const char *port = here ? link->a : link->b;

		if (!here && strcmp(link->a, name) != 0)
			continue;
		fprintf(m->out,
				"switch s%u do port add %s\n"
				"switch s%u do bridge br port add %s\n",
				s, port, s, port);
		if (!m->tagged)
			continue;
		if (port[0] == 'h')
			fprintf(m->out, "switch s%u do set bridge br port %s pvid 10\n", s, port);
		else
			fprintf(m->out,
					"switch s%u do set bridge br port %s pvid none\n"
					"switch s%u do set bridge br port %s tagged 10\n",
					s, port, s, port);
	}
}

/* ---- queues ---- */

/* Choose a threshold of a queue, in KB. */
static unsigned int
threshold_k(struct random_maker *m, struct random_switch *sw, unsigned int class)
{
	unsigned int k = random_between(m, 1, RTE_MIN(sw->limit_k[class], 60u));

	sw->needed_k[class] = RTE_MAX(sw->needed_k[class], k);
	return k;
}

/*
 * Choose a waiting time that packets have in the fastest queue of the switch with such an
 * occupancy.
 */
static unsigned int
wait_ns(struct random_maker *m, struct random_switch *sw, unsigned int class)
{
	return threshold_k(m, sw, class) * 8000 / sw->gbps;
}

static void
make_detector(struct random_maker *m, unsigned int s, const char *port, unsigned int class)
{
	static const char *const at[] = {"enqueue", "dequeue"};
	struct random_switch *sw = &m->node_switch[s - 1];
	unsigned int k;

	fprintf(m->out, "switch s%u do set queue %s class %u detector ", s, port, class);
	switch (random_pick(m, 13)) {
	case 0:
	case 1:
	case 6:
	case 7:
		k = threshold_k(m, sw, class);
		fprintf(m->out, "step %uK leave %uK", k, (k + 1) / 2);
		break;
	case 2:
	case 9:
	case 10:
		k = threshold_k(m, sw, class);
		fprintf(m->out, "red kmin %uK kmax %uK pmax %u%% at %s", k, 3 * k,
				random_between(m, 1, 100), RANDOM_OF(m, at));
		break;
	case 3:
	case 11:
		fprintf(m->out, "qcn qeq %uK weight %u", threshold_k(m, sw, class),
				random_between(m, 1, 4));
		break;
	case 4:
		fprintf(m->out, "sojourn target %uns interval %uus",
				RTE_MAX(wait_ns(m, sw, class), 20u), random_between(m, 1, 100));
		break;
	case 5:
	case 8:
		fprintf(m->out, "rate threshold %u%% window %uus", random_between(m, 10, 100),
				random_between(m, 1, 20));
		break;
	default:
		fprintf(m->out, "off\n");
		return;
	}
	if (random_chance(m, 20))
		fprintf(m->out, " hold %uus", random_pick(m, 30));
	fputc('\n', m->out);
}

/* Choose a port of a switch, named after the host behind it, or all ports. */
static const char *
some_port(struct random_maker *m, unsigned int s, char *name, size_t size)
{
	unsigned int h = random_chance(m, 50) ? m->hot : random_pick(m, m->n_hosts);

	snprintf(name, size, m->home[h] + 1 == s ? "h%u" : "all", h + 1);
	return name;
}

static void
make_limits(struct random_maker *m, unsigned int s)
{
	struct random_switch *sw = &m->node_switch[s - 1];

	for (unsigned int c = 0; c < RANDOM_CLASSES; c++) {
		sw->limit_k[c] = 1000;
		if (!random_chance(m, c == 3 ? 60 : 10))
			continue;
		sw->limit_k[c] = random_between(m, 5, MOST_LIMIT_K);
		say(m, s);
		fprintf(m->out, "set queue all class %u limit %uK", c, sw->limit_k[c]);
		/*
		 * A segment list can lead through a queue twice. If a window has more than the
		 * queue has room for, the first packets of it, on their second way, always find the
		 * queue full of those behind them, and a sender that goes back N never advances.
		 */
		if (random_chance(m, 20))
			fprintf(m->out, " packets %u",
					random_between(m, 4, 300) +
							(m->srv6 ? MOST_WINDOW_PACKETS : 0));
		fputc('\n', m->out);
		if (m->srv6)
			fprintf(m->end,
					"at %uus switch s%u do set queue all class %u limit "
					"1000K\n",
					RANDOM_CHAOS_US, s, c);
	}
}

/* Choose the rates of a class; the class of the notices has none. */
static void
make_rates(struct random_maker *m, unsigned int s, const char *port, unsigned int class)
{
	if (class == m->node_switch[s - 1].notice_class)
		return;
	if (random_chance(m, 10))
		fprintf(m->out, "switch s%u do set queue %s class %u peak %uM\n", s, port, class,
				random_between(m, 200, 20000));
	if (random_chance(m, 10))
		fprintf(m->out, "switch s%u do set queue %s class %u committed %uM\n", s, port,
				class, random_between(m, 1, 100));
	if (random_chance(m, 20))
		fprintf(m->out, "switch s%u do set queue %s class %u weight %u\n", s, port, class,
				random_between(m, 1, 16));
	else if (random_chance(m, 10))
		fprintf(m->out, "switch s%u do set queue %s class %u strict on\n", s, port, class);
}

static void
make_queue(struct random_maker *m, unsigned int s)
{
	struct random_switch *sw = &m->node_switch[s - 1];
	unsigned int class = random_chance(m, 80) ? 3 : random_pick(m, RANDOM_CLASSES);
	char port[16];

	some_port(m, s, port, sizeof(port));
	make_detector(m, s, port, class);
	if (random_chance(m, 80))
		fprintf(m->out, "switch s%u do set queue %s class %u ecn %s\n", s, port, class,
				on_or_off(m, 60));
	if (random_chance(m, 90))
		fprintf(m->out, "switch s%u do set queue %s class %u notify on\n", s, port, class);
	if (random_chance(m, 10))
		fprintf(m->out, "switch s%u do set queue %s class %u heavy-flows on\n", s, port,
				class);
	if (random_chance(m, 10))
		fprintf(m->out, "switch s%u do set queue %s class %u mark from %uK level %u\n", s,
				port, class, threshold_k(m, sw, class), random_pick(m, 4));
	if (random_chance(m, 10))
		fprintf(m->out, "switch s%u do set queue %s class %u notify from %uK level %u\n", s,
				port, class, threshold_k(m, sw, class), random_pick(m, 4));
	if (sw->buffer && random_chance(m, 30))
		fprintf(m->out, "switch s%u do set queue %s class %u alpha 1/%u\n", s, port, class,
				random_between(m, 1, 16));
	make_rates(m, s, port, class);
}

/* ---- notices ---- */

static void
make_senders(struct random_maker *m, unsigned int s)
{
	static const char *const capability[] = {"capable", "capable", "unknown", "none"};

	fprintf(m->out, "switch s%u do sender default %s\n", s, RANDOM_OF(m, capability));
	if (random_chance(m, 40))
		fprintf(m->out, "switch s%u do sender add 2001:db8:0:%u::/64 %s\n", s,
				random_between(m, 1, m->n_hosts), RANDOM_OF(m, capability));
	if (random_chance(m, 30))
		fprintf(m->out, "switch s%u do set notify mark-unknown off\n", s);
}

static void
make_limits_of_notices(struct random_maker *m, unsigned int s)
{
	static const char *const buckets[] = {"queue", "global", "destination"};

	if (random_chance(m, 40))
		fprintf(m->out, "switch s%u do set notify interval %uus\n", s, random_pick(m, 20));
	for (unsigned int i = 0; i < RTE_DIM(buckets); i++) {
		if (random_chance(m, 25))
			fprintf(m->out, "switch s%u do set notify bucket %s %uK burst %u\n", s,
					buckets[i], random_between(m, 1, 500),
					random_between(m, 1, 16));
	}
}

static void
make_ioam(struct random_maker *m, unsigned int s)
{
	char port[16];

	fprintf(m->out,
			"switch s%u do set ioam node %u wide %u\n"
			"switch s%u do ioam namespace add 1 profile hpcc\n",
			s, s, s, s);
	if (random_chance(m, 10))
		return;
	if (!random_chance(m, 20)) {
		fprintf(m->out, "switch s%u do set ioam port all transit on\n", s);
		return;
	}
	some_port(m, s, port, sizeof(port));
	if (random_chance(m, 50)) {
		fprintf(m->out, "switch s%u do set ioam port %s edge strip\n", s, port);
		return;
	}
	fprintf(m->out, "switch s%u do set ioam port %s edge drop\n", s, port);
	fprintf(m->end, "at %uus switch s%u do set ioam port %s edge off\n", RANDOM_CHAOS_US, s,
			port);
}

static void
make_notices(struct random_maker *m, unsigned int s)
{
	struct random_switch *sw = &m->node_switch[s - 1];

	if (sw->notice_class != 6)
		fprintf(m->out, "switch s%u do set notify class %u\n", s, sw->notice_class);
	if (random_chance(m, 90))
		fprintf(m->out, "switch s%u do set notify fast-cnp on\n", s);
	make_senders(m, s);
	make_limits_of_notices(m, s);
	if (random_chance(m, 30)) {
		fprintf(m->out, "switch s%u do set host on\n", s);
		if (random_chance(m, 50))
			fprintf(m->out, "switch s%u do set host capability %ums\n", s,
					random_between(m, 1, 100));
	}
	if (m->ioam)
		make_ioam(m, s);
}

/* ---- flow control ---- */

static void
make_pfc(struct random_maker *m, unsigned int s)
{
	struct random_switch *sw = &m->node_switch[s - 1];
	unsigned int class = random_chance(m, 90) ? 3 : random_pick(m, RANDOM_CLASSES);

	if (class == sw->notice_class)
		return;
	if (random_chance(m, 40)) {
		fprintf(m->out, "switch s%u do set pfc all class %u send on\n", s, class);
		/* The same as with limits: its headroom takes less than a window from a switch that
		 * does not obey pauses. */
		if (m->srv6)
			fprintf(m->end, "at %uus switch s%u do set pfc all class %u send off\n",
					RANDOM_CHAOS_US, s, class);
	}
	/*
	 * Segment lists can lead back over a link that packets came by. Two switches that obey each
	 * other's pauses would then wait for each other for ever (a deadlock of PFC).
	 */
	if (random_chance(m, 40) && (!m->srv6 || s == 1))
		fprintf(m->out, "switch s%u do set pfc all class %u receive on\n", s, class);
	if (random_chance(m, 30))
		fprintf(m->out, "switch s%u do set pfc all class %u xoff %uK\n", s, class,
				random_between(m, 2, 100));
	else if (sw->buffer && random_chance(m, 40))
		fprintf(m->out, "switch s%u do set pfc all class %u xoff dynamic 1/%u\n", s, class,
				random_between(m, 1, 16));
	if (random_chance(m, 20))
		fprintf(m->out, "switch s%u do set pfc all quanta %u\n", s,
				random_between(m, 16, 65535));
	if (random_chance(m, 20))
		fprintf(m->out, "switch s%u do set pfc all watchdog %s detect %uus restore %uus\n",
				s, random_chance(m, 50) ? "drop" : "forward",
				random_between(m, 10, 100), random_between(m, 10, 100));
}

void
random_switch(struct random_maker *m, unsigned int s)
{
	struct random_switch *sw = &m->node_switch[s - 1];

	sw->notice_class = random_chance(m, 80) ? 6 : random_pick(m, RANDOM_CLASSES);
	sw->buffer = random_chance(m, 30);
	if (m->bridged)
		make_bridge(m, s);
	if (sw->buffer)
		fprintf(m->out, "switch s%u do set buffer size %uK\n", s,
				random_between(m, 200, 3000));
	make_limits(m, s);
	make_pfc(m, s);
	for (unsigned int n = random_between(m, 1, 3); n > 0; n--)
		make_queue(m, s);
	make_notices(m, s);
	if (m->srv6)
		random_srv6(m, s);
	if (m->arn)
		random_arn(m, s);
	if (m->proxy)
		random_proxy(m, s);
}

void
random_switch_change(struct random_maker *m, unsigned int s)
{
	struct random_switch *sw = &m->node_switch[s - 1];
	char port[16];

	if (m->srv6 && random_chance(m, 40)) {
		random_srv6_change(m, s);
		return;
	}
	if (m->arn && random_chance(m, 40)) {
		random_arn_change(m);
		return;
	}
	if (m->proxy && random_chance(m, 40)) {
		random_proxy_change(m);
		return;
	}
	switch (random_pick(m, 7)) {
	case 0:
		fprintf(m->out, "set queue all class 3 limit %uK\n",
				random_between(m, RTE_MAX(sw->needed_k[3], 2u), MOST_LIMIT_K));
		break;
	case 1:
		fprintf(m->out, "set notify fast-cnp off\n");
		break;
	case 2:
		fprintf(m->out, "set queue %s class %u ecn %s\n",
				some_port(m, s, port, sizeof(port)), random_pick(m, RANDOM_CLASSES),
				on_or_off(m, 50));
		break;
	case 3:
		fprintf(m->out, "set queue all class 3 detector off\n");
		break;
	case 4:
		fprintf(m->out, "set notify interval %uus\n", random_pick(m, 30));
		break;
	case 5:
		fprintf(m->out, "sender default %s\n",
				random_chance(m, 50) ? "capable" : "unknown");
		break;
	default:
		fprintf(m->out, "set pfc all watchdog off\n");
	}
}
