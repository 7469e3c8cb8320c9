/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Random LSPs against a model that keeps what was said in arrays, and finds the proxy of each
 * prefix anew after each message by going through all of it.
 */

#include "pnc_util.h"

TEST_FIXTURE(PNC_TEST);

#define SYSTEMS 4
#define FRAGMENTS 3
#define PREFIXES 6
#define STEPS 20000

struct said {
	bool is_known;
	bool is_withdrawn;
	uint32_t sequence;
	uint64_t end;
	uint8_t address[2]; /* last octet of the router ID, IPv4 and IPv6; 0: none */
	uint8_t host;       /* last octet of a host prefix with the N-flag; 0: none */
	uint32_t n;
	struct {
		uint8_t number;
		bool is_leaked;
		uint8_t source; /* 0: none */
	} prefix[3];
};

static struct said model[SYSTEMS][FRAGMENTS];

static void
prefix_of(unsigned int number, struct fcn_prefix *prefix)
{
	char text[32];

	/* The last two are host prefixes, and every other one is IPv6. */
	if (number % 2 == 0)
		snprintf(text, sizeof(text),
				number >= PREFIXES - 2 ? "10.%u.0.1/32" : "10.%u.0.0/16",
				number + 1);
	else
		snprintf(text, sizeof(text),
				number >= PREFIXES - 2 ? "2001:db8:%u::1/128" : "2001:db8:%u::/48",
				number + 1);
	assert_int_equal(fcn_prefix_parse(text, prefix), 0);
}

/* Addresses of the model are (version, last octet). */
struct choice {
	unsigned int rank;
	unsigned int version;
	unsigned int octet; /* 1000: the prefix itself */
	uint64_t end;
};

static unsigned int
lowest(unsigned int system, unsigned int version, bool host)
{
	unsigned int low = 0;

	for (unsigned int f = 0; f < FRAGMENTS; f++) {
		const struct said *s = &model[system][f];
		const unsigned int octet = !s->is_known || s->is_withdrawn ? 0
					   : !host        ? s->address[version == 6]
					   : version == 4 ? s->host
							  : 0;

		if (octet != 0 && (low == 0 || octet < low))
			low = octet;
	}
	return low;
}

static bool
choose_one(unsigned int system, const struct said *s, unsigned int i, struct choice *c)
{
	const unsigned int number = s->prefix[i].number;
	const unsigned int own = number % 2 == 0 ? 4 : 6, other = 10 - own;

	if (!model[system][0].is_known || model[system][0].is_withdrawn)
		return false;
	c->end = s->end;
	c->rank = 0;
	c->version = own;
	c->octet = s->prefix[i].source;
	for (unsigned int n = 0; c->octet == 0 && !s->prefix[i].is_leaked && n < 4; n++) {
		c->rank = 1 + n;
		c->version = n < 2 ? own : other;
		c->octet = lowest(system, c->version, n % 2 == 1);
	}
	if (c->octet == 0 && number >= PREFIXES - 2) {
		c->rank = 9;
		c->version = own;
		c->octet = 1000;
	}
	return c->octet != 0;
}

static bool
choose(unsigned int number, struct choice *best)
{
	bool found = false;

	for (unsigned int system = 0; system < SYSTEMS; system++)
		for (unsigned int f = 0; f < FRAGMENTS; f++) {
			const struct said *s = &model[system][f];
			bool seen = false;

			for (unsigned int i = 0; s->is_known && !s->is_withdrawn && i < s->n; i++) {
				struct choice c = {0};

				if (s->prefix[i].number != number || seen)
					continue;
				seen = true; /* twice in a message: the first counts */
				if (!choose_one(system, s, i, &c))
					continue;
				if (!found || c.rank < best->rank ||
						(c.rank == best->rank &&
								(c.version < best->version ||
										(c.version == best->version &&
												(c.octet < best->octet ||
														(c.octet == best->octet &&
																c.end > best->end))))))
					*best = c;
				found = true;
			}
		}
	return found;
}

static void
address(struct fcn_addr *addr, unsigned int version, unsigned int octet)
{
	assert_int_equal(fcn_addr_parse(version == 4 ? "192.0.2.0" : "2001:db8:ffff::", addr), 0);
	addr->bytes[version == 4 ? 3 : 15] = (uint8_t)octet;
}

static void
compare(unsigned int step)
{
	uint32_t n = 0;

	for (unsigned int number = 0; number < PREFIXES; number++) {
		struct fcn_prefix prefix;
		struct choice c = {0};
		const struct fcn_pnc_prefix *known = NULL;
		struct fcn_addr proxy;

		prefix_of(number, &prefix);
		for (uint32_t i = 0; i < bench.told.n; i++)
			if (fcn_prefix_equal(&bench.told.known[i].prefix, &prefix))
				known = &bench.told.known[i];
		if (!choose(number, &c)) {
			if (known != NULL)
				fail_msg("step %u: prefix %u is known", step, number);
			continue;
		}
		n++;
		if (known == NULL)
			fail_msg("step %u: prefix %u is not known", step, number);
		if (c.octet == 1000)
			proxy = prefix.addr;
		else
			address(&proxy, c.version, c.octet);
		if (!fcn_addr_equal(&known->proxy, &proxy))
			fail_msg("step %u: prefix %u has another proxy", step, number);
		if (known->expires_ns != c.end)
			fail_msg("step %u: prefix %u ends at another time", step, number);
	}
	assert_int_equal(bench.told.n, n);
}

static void
say(uint64_t *seed, uint64_t now)
{
	const unsigned int system = fcn_test_random(seed) % SYSTEMS;
	const unsigned int f = fcn_test_random(seed) % FRAGMENTS;
	struct said *s = &model[system][f];
	struct pnc_build m = pnc_message(FCN_PNC_ISIS, (uint8_t)(system + 1), 0);
	struct pnc_build_prefix p[4];
	struct said fresh = {.is_known = true};

	fresh.sequence = (s->is_known ? s->sequence : 0) + 1 + fcn_test_random(seed) % 2;
	m.sequence = fresh.sequence;
	m.fragment = (uint8_t)f;
	m.seconds = (uint16_t)(fcn_test_random(seed) % 8 == 0 ? 0 : 1 + fcn_test_random(seed) % 50);
	fresh.end = now + m.seconds * SECOND;
	for (unsigned int v = 0; v < 2; v++) {
		fresh.address[v] = (uint8_t)(fcn_test_random(seed) % 3 == 0
							     ? 1 + fcn_test_random(seed) % 9
							     : 0);
		m.router_address[v].version = 0;
		if (fresh.address[v] != 0)
			address(&m.router_address[v], v == 0 ? 4 : 6, fresh.address[v]);
	}
	fresh.n = fcn_test_random(seed) % 4;
	for (unsigned int i = 0; i < fresh.n; i++) {
		fresh.prefix[i].number = (uint8_t)(fcn_test_random(seed) % PREFIXES);
		fresh.prefix[i].is_leaked = fcn_test_random(seed) % 4 == 0;
		fresh.prefix[i].source = (uint8_t)(fcn_test_random(seed) % 4 == 0
								   ? 1 + fcn_test_random(seed) % 9
								   : 0);
		p[i] = (struct pnc_build_prefix){
				.is_proxied = true, .is_leaked = fresh.prefix[i].is_leaked};
		prefix_of(fresh.prefix[i].number, &p[i].prefix);
		if (fresh.prefix[i].source != 0)
			address(&p[i].source, p[i].prefix.addr.version, fresh.prefix[i].source);
	}
	m.n_prefixes = fresh.n;
	if (fcn_test_random(seed) % 3 == 0) {
		fresh.host = (uint8_t)(1 + fcn_test_random(seed) % 9);
		p[m.n_prefixes] = (struct pnc_build_prefix){.is_node = true};
		p[m.n_prefixes].prefix.len = 32;
		address(&p[m.n_prefixes++].prefix.addr, 4, fresh.host);
	}
	m.prefix = p;
	pnc_read_built(&m, now);
	if (m.seconds != 0) {
		/* The builder writes IPv4 first; the order among those of one version stays. */
		*s = fresh;
	} else if (s->is_known) {
		s->is_withdrawn = true;
		s->sequence = fresh.sequence;
		s->end = now + MINUTE;
	}
}

static void
end_lifetimes(uint64_t now)
{
	for (unsigned int system = 0; system < SYSTEMS; system++)
		for (unsigned int f = 0; f < FRAGMENTS; f++)
			if (model[system][f].end <= now)
				model[system][f] = (struct said){0};
}

TEST(model)
{
	uint64_t seed = 20261123, now = SECOND;

	pnc_setup(NULL, NULL);
	for (unsigned int step = 0; step < STEPS; step++) {
		if (fcn_test_random(&seed) % 3 == 0) {
			now += fcn_test_random(&seed) % (4 * SECOND);
			fcn_pnc_frame_tick(&bench.readers, now);
			end_lifetimes(now);
		} else {
			say(&seed, now);
		}
		compare(step);
	}
	assert_true(bench.told.adds > STEPS / 10 && bench.told.removes > STEPS / 100);
}
