/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a switch has refused is told it again: when, how often, and how much in a second. */

#include "fcn_test.h"
#include "learned.h"

#define SECOND UINT64_C(1000000000)

static struct learned *learned;
static struct fcn_pnc_sink sink;
static uint64_t now;

static int
setup_for(uint64_t lifetime_ns)
{
	const struct learned_conf conf = {.lifetime_ns = lifetime_ns};

	now = 1000 * SECOND;
	learned = learned_create(&conf);
	assert_non_null(learned);
	sink = learned_sink(learned);
	return 0;
}

static int
setup(void **state)
{
	(void)state;
	return setup_for(300 * SECOND);
}

static int
setup_short(void **state)
{
	(void)state;
	return setup_for(8 * SECOND);
}

static int
teardown(void **state)
{
	(void)state;
	learned_destroy(learned);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

/* Let a reader learn the proxy 2001:db8:f::HOST of 2001:db8:NUMBER::/48. */
static struct fcn_pnc_prefix
say(unsigned int number, uint8_t host)
{
	struct fcn_pnc_prefix p = {.protocol = FCN_PNC_BGP, .expires_ns = UINT64_MAX};

	assert_int_equal(fcn_prefix_parse("2001:db8::/48", &p.prefix), 0);
	assert_int_equal(fcn_addr_parse("2001:db8:f::1", &p.proxy), 0);
	p.prefix.addr.bytes[4] = (uint8_t)(number >> 8);
	p.prefix.addr.bytes[5] = (uint8_t)number;
	p.proxy.bytes[15] = host;
	sink.add(sink.arg, &p);
	return p;
}

/* Let the switch answer to the lines that are due now. @return their number */
static unsigned int
answer(bool is_ok)
{
	char line[LEARNED_LINE];
	unsigned int n = 0;

	while (learned_next(learned, now, line)) {
		learned_answered(learned, is_ok);
		n++;
	}
	return n;
}

/* Go on to the time of the next line. @return seconds until then */
static uint64_t
go_on(void)
{
	const uint64_t begin = now;

	now = learned_due(learned);
	assert_true(now >= begin && now != UINT64_MAX);
	return (now - begin) / SECOND;
}

/* Many changes do not delay what the switch has to be told again in time. */
TEST(many_changes)
{
	char first[LEARNED_LINE], second[LEARNED_LINE];

	say(1, 1);
	assert_int_equal(answer(true), 1);
	now += 150 * SECOND;
	for (unsigned int number = 2; number < 100; number++)
		say(number, 1);
	assert_true(learned_next(learned, now, first));
	assert_true(learned_next(learned, now, second));
	assert_true((strstr(first, " 2001:db8:1::/48 ") != NULL) !=
			(strstr(second, " 2001:db8:1::/48 ") != NULL));
	learned_answered(learned, true);
	learned_answered(learned, true);
	assert_int_equal(answer(true), 97);
}

/* After 1 s, 2 s, 4 s and so on, up to 64 s; from the beginning when it was accepted once. */
TEST(back_off)
{
	static const unsigned int after[] = {1, 2, 4, 8, 16, 32, 64, 64, 64};

	say(1, 1);
	assert_int_equal(answer(false), 1);
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		assert_int_equal(learned_refused(learned), 1);
		assert_int_equal(go_on(), after[i]);
		assert_int_equal(answer(false), 1);
	}
	assert_int_equal(go_on(), 64);
	assert_int_equal(answer(true), 1);
	assert_int_equal(learned_refused(learned), 0);
	assert_int_equal(learned_counters(learned)->told_retry, 10);
	assert_int_equal(learned_counters(learned)->told_add, 1);
	assert_int_equal(learned_counters(learned)->refused, 10);
	/* At half of the lifetime, as all. */
	assert_int_equal(go_on(), 150);
	assert_int_equal(answer(false), 1);
	assert_int_equal(learned_counters(learned)->told_refresh, 1);
	assert_int_equal(go_on(), 1);
}

/* Never later than what was accepted is told again. */
TEST_WITH(short_lifetime, setup_short, teardown)
{
	static const unsigned int after[] = {1, 2, 4, 4, 4};

	say(1, 1);
	assert_int_equal(answer(false), 1);
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		assert_int_equal(go_on(), after[i]);
		assert_int_equal(answer(false), 1);
	}
}

/* A change is told at once; a withdrawal ends it; a new connection is told all. */
TEST(changes)
{
	struct fcn_pnc_prefix p;

	say(1, 1);
	say(2, 1);
	assert_int_equal(answer(false), 2);
	assert_int_equal(learned_refused(learned), 2);
	say(1, 1); /* the same */
	assert_int_equal(answer(false), 0);
	p = say(1, 2);
	assert_int_equal(learned_refused(learned), 1);
	assert_int_equal(answer(false), 1);
	assert_int_equal(learned_refused(learned), 2);
	sink.remove(sink.arg, &p);
	assert_int_equal(learned_refused(learned), 1);
	assert_int_equal(answer(false), 1);
	assert_int_equal(learned_refused(learned), 1);
	learned_again(learned);
	assert_int_equal(learned_refused(learned), 0);
	assert_int_equal(learned_pending(learned), 1);
	assert_int_equal(answer(true), 1);
	assert_int_equal(go_on(), 150);
}

/* A switch without room refuses many: it is told no more than a limited number of them again in a
 * second, and meanwhile what has changed. */
TEST(many)
{
	const uint64_t begin = now;
	unsigned int told = 0;

	for (unsigned int i = 0; i < 1000; i++)
		say(i, 1);
	assert_int_equal(answer(false), 1000);
	while (told < 1000) {
		unsigned int n;

		go_on();
		n = answer(true);
		assert_in_range(n, 1, LEARNED_RETRIES);
		told += n;
		if (told == LEARNED_RETRIES) {
			say(2000, 1);
			assert_int_equal(answer(true), 1);
		}
	}
	/* The first after a second, 256 of them, then in each of three seconds the rest. */
	assert_int_equal(now - begin, 4 * SECOND);
	assert_int_equal(learned_refused(learned), 0);
}

/* An END.CON SID and a prefix with the same address are apart, and have lines of their own. */
TEST(endcon)
{
	struct fcn_pnc_prefix p = {.protocol = FCN_PNC_ISIS, .kind = FCN_PNC_ENDCON};
	char line[LEARNED_LINE];

	p.expires_ns = now + 1200 * SECOND;
	assert_int_equal(fcn_prefix_parse("2001:db8:e1:1::c/128", &p.prefix), 0);
	p.proxy = p.prefix.addr;
	sink.add(sink.arg, &p);
	assert_int_equal(learned_count(learned, FCN_PNC_ENDCON, FCN_PNC_ISIS), 1);
	assert_int_equal(learned_count(learned, FCN_PNC_PROXY, FCN_PNC_ISIS), 0);
	assert_true(learned_next(learned, now, line));
	assert_string_equal(line, "srv6 endcon learned add 2001:db8:e1:1::c protocol isis "
				  "lifetime 1200");
	learned_answered(learned, true);
	p.kind = FCN_PNC_PROXY;
	sink.add(sink.arg, &p);
	assert_true(learned_next(learned, now, line));
	assert_string_equal(line, "proxy learned add 2001:db8:e1:1::c/128 address "
				  "2001:db8:e1:1::c protocol isis lifetime 1200");
	learned_answered(learned, true);
	p.kind = FCN_PNC_ENDCON;
	sink.remove(sink.arg, &p);
	assert_true(learned_next(learned, now, line));
	assert_string_equal(line, "srv6 endcon learned remove 2001:db8:e1:1::c protocol isis");
	learned_answered(learned, true);
	assert_int_equal(learned_count(learned, FCN_PNC_ENDCON, FCN_PNC_ISIS), 0);
	assert_int_equal(learned_count(learned, FCN_PNC_PROXY, FCN_PNC_ISIS), 1);
	assert_false(learned_next(learned, now, line));
}
