/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Random faults, each with the line that ends it. */

#include "random_private.h"

static const char *const ratios[] = {"0.1%", "1%", "5%", "30%", "100%"};

static unsigned int
some_time(struct random_maker *m)
{
	return random_between(m, 1, RANDOM_CHAOS_US - 1);
}

static const struct random_link *
some_link(struct random_maker *m)
{
	return &m->link[random_pick(m, m->n_links)];
}

static void
end_line(struct random_maker *m)
{
	fprintf(m->end, "at %uus ", RANDOM_CHAOS_US);
}

static void
make_link_fault(struct random_maker *m)
{
	static const char *const kinds[] = {"loss", "duplicate", "corrupt", "notice-loss"};
	const struct random_link *link = some_link(m);
	const char *kind = RANDOM_OF(m, kinds);

	if (random_chance(m, 50))
		fprintf(m->out, "at %uus ", some_time(m));
	fprintf(m->out, "link %s %s ", link->a, link->b);
	end_line(m);
	fprintf(m->end, "link %s %s ", link->a, link->b);
	if (random_chance(m, 30)) {
		fprintf(m->out, "reorder %s by %uus\n", RANDOM_OF(m, ratios),
				random_between(m, 1, 20));
		fputs("reorder 0 by 1ns\n", m->end);
	} else {
		fprintf(m->out, "%s %s\n", kind, RANDOM_OF(m, ratios));
		fprintf(m->end, "%s 0\n", kind);
	}
}

static void
make_outage(struct random_maker *m)
{
	const struct random_link *link = some_link(m);
	unsigned int from = some_time(m);

	fprintf(m->out, "at %uus link %s %s down\n", from, link->a, link->b);
	if (random_chance(m, 80)) {
		fprintf(m->out, "at %uus link %s %s up\n",
				random_between(m, from, RANDOM_CHAOS_US - 1), link->a, link->b);
	} else {
		end_line(m);
		fprintf(m->end, "link %s %s up\n", link->a, link->b);
	}
}

/*
 * Limit the room for the events of a switch, and do not read them: early in the run, and at the
 * switch with the most events.
 */
static void
make_deaf(struct random_maker *m)
{
	static const unsigned int rooms[] = {0, 1, 2, 10, 4096};
	unsigned int s = random_chance(m, 70) ? m->home[m->hot] + 1
					      : random_between(m, 1, m->n_switches);
	unsigned int from = random_pick(m, RANDOM_CHAOS_US / 8);

	fprintf(m->out, "at %uus switch s%u collector stop room %u\n", from, s,
			RANDOM_OF(m, rooms));
	if (random_chance(m, 50)) {
		fprintf(m->out, "at %uus switch s%u collector start\n",
				random_between(m, from, RANDOM_CHAOS_US - 1), s);
	} else {
		end_line(m);
		fprintf(m->end, "switch s%u collector start\n", s);
	}
}

static void
make_switch_fault(struct random_maker *m)
{
	unsigned int s = random_between(m, 1, m->n_switches), from = some_time(m);

	switch (random_pick(m, 6)) {
	case 0:
		fprintf(m->out, "at %uus switch s%u restart\n", from, s);
		break;
	case 1:
		fprintf(m->out, "at %uus switch s%u starve %u\n", from, s, random_pick(m, 40));
		if (random_chance(m, 70)) {
			fprintf(m->out, "at %uus switch s%u starve back\n",
					random_between(m, from, RANDOM_CHAOS_US - 1), s);
		} else {
			end_line(m);
			fprintf(m->end, "switch s%u starve back\n", s);
		}
		break;
	case 2:
		make_deaf(m);
		break;
	default:
		fprintf(m->out, "at %uus switch s%u do ", from, s);
		random_switch_change(m, s);
	}
}

static void
make_notice_fault(struct random_maker *m)
{
	unsigned int from = random_pick(m, m->n_hosts), to = random_pick(m, m->n_hosts - 1);

	to += to >= from;
	if (random_chance(m, 50)) {
		fprintf(m->out, "at %uus notices drop %s\n", some_time(m), RANDOM_OF(m, ratios));
		end_line(m);
		fputs("notices drop 0\n", m->end);
	} else {
		fprintf(m->out, "at %uus host h%u spoof %u to h%u\n", some_time(m), from + 1,
				random_between(m, 1, 20), to + 1);
	}
}

/* Make a host that sends pauses again and again, whether or not it receives packets. */
static void
make_storm(struct random_maker *m)
{
	unsigned int h = random_between(m, 1, m->n_hosts), at = some_time(m);
	unsigned int quanta = random_chance(m, 50) ? 65535 : random_pick(m, 1000);

	for (unsigned int n = random_between(m, 1, 8); n > 0 && at < RANDOM_CHAOS_US; n--) {
		fprintf(m->out, "at %uus host h%u pause %s %u\n", at, h,
				random_chance(m, 80) ? "3" : "all", quanta);
		at += random_between(m, 1, 50);
	}
}

/* Change the speed of links, some of them several times. */
void
random_speeds(struct random_maker *m)
{
	if (random_chance(m, 60))
		return;
	for (unsigned int n = random_between(m, 1, 5); n > 0; n--) {
		const struct random_link *link = some_link(m);

		fprintf(m->out, "at %uus link %s %s rate %uG\n", some_time(m), link->a, link->b,
				RANDOM_OF(m, random_rates));
	}
}

void
random_faults(struct random_maker *m)
{
	for (unsigned int n = m->arn ? random_pick(m, 12) : 0; n > 0; n--)
		random_arn_fault(m);
	for (unsigned int n = m->proxy ? random_pick(m, 12) : 0; n > 0; n--)
		random_proxy_fault(m);
	for (unsigned int n = random_pick(m, 7); n > 0; n--) {
		switch (random_pick(m, 7)) {
		case 0:
		case 1:
			make_link_fault(m);
			break;
		case 2:
			make_outage(m);
			break;
		case 3:
		case 4:
			make_switch_fault(m);
			break;
		case 5:
			make_storm(m);
			break;
		default:
			make_notice_fault(m);
		}
	}
}
