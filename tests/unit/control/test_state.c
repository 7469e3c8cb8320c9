/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a switch has learned, as a text: a switch begins with it, and writes the same one again. The
 * texts are written here by hand. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_learned.h"
#include "fcn_state.h"
#include "platform.h"

#define SECOND UINT64_C(1000000000)
#define MADE (UINT64_C(1790000000) * SECOND) /* when the texts were made */
#define NOW (2 * SECOND)                     /* the workers' clock: ages are longer than that */
#define TEXT 8192

#define ADDRESS "address p0 2001:db8:1::fe\n"
#define NEIGHBOUR "neighbour p0 2001:db8:1::9 02:00:00:00:00:09\n"
#define SENDER "sender fast_cnp 2001:db8:3::1 590\n"
#define PROXY "proxy bgp 2001:db8:4::/48 2001:db8:f::1 100\n"
#define ENDCON "sid isis 2001:db8:5::1 90\n"
#define MAC "mac br0 1 02:00:00:00:02:01 p2 12\n"
#define ALL ADDRESS NEIGHBOUR SENDER PROXY ENDCON MAC

static struct fcn_state_result result;
static char err[128];

static void
turn(uint64_t now)
{
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
}

/* Port p0 is routed, p1 and p2 are in a bridge. */
static int
setup(void **state)
{
	struct fcn_config *cfg;
	struct fcn_prefix p;

	RTE_SET_USED(state);
	if (platform_setup(false) != 0)
		return -1;
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	assert_int_equal(fcn_config_port_add(cfg, "p2"), 2);
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	cfg->bridge[0].ageing_ns = 300 * SECOND;
	cfg->port[1].bridge = cfg->port[2].bridge = 0;
	assert_int_equal(fcn_prefix_parse("2001:db8:1::fe/64", &p), 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 0, p), 0);
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.mld = false;
	turn(NOW);
	platform_commit(cfg);
	turn(NOW);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = platform_teardown);

/* The sum of FNV-1a, 64 bits, as its authors describe it. */
static uint64_t
sum_of(const char *text, size_t len)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < len; i++) {
		hash ^= (uint8_t)text[i];
		hash *= 1099511628211u;
	}
	return hash;
}

/* Put a beginning and an end around lines. */
static size_t
seal(const char *lines, uint64_t made, char text[TEXT])
{
	unsigned int n = 0;
	size_t len;

	for (const char *at = lines; *at != '\0'; at++)
		n += *at == '\n';
	len = (size_t)snprintf(text, TEXT, "fastcn-state 1 %" PRIu64 "\n%s", made, lines);
	return len + (size_t)snprintf(text + len, TEXT - len, "end %u %016" PRIx64 "\n", n,
				     sum_of(text, len));
}

static int
apply(const char *lines, uint64_t age)
{
	char text[TEXT];
	size_t len = seal(lines, MADE, text);

	err[0] = '\0';
	return fcn_state_apply(platform.ctl, text, len, MADE + age, &result, err, sizeof(err));
}

static void
is_result(unsigned int taken, unsigned int expired, unsigned int skipped)
{
	assert_int_equal(result.taken, taken);
	assert_int_equal(result.expired, expired);
	assert_int_equal(result.skipped, skipped);
}

/* The text that the switch makes. */
static void
gives(const char *lines)
{
	struct fcn_state *state = fcn_state_create(platform.ctl, MADE);
	char want[TEXT], *text;
	size_t len, n = seal(lines, MADE, want);

	assert_non_null(state);
	assert_int_equal(fcn_state_write(state, &text, &len), 0);
	assert_string_equal(text, want);
	assert_int_equal(len, n);
	free(text);
	fcn_state_free(state);
}

static const char *
address_state(void)
{
	struct fcn_addr addr;

	assert_int_equal(fcn_addr_parse("2001:db8:1::fe", &addr), 0);
	return fcn_host_address_status(fcn_control_host(platform.ctl), 0, &addr, NOW).state;
}

TEST(everything)
{
	struct fcn_host_neighbour n;
	uint32_t next = 0;

	gives("");
	assert_string_equal(address_state(), "tentative");
	assert_int_equal(apply(ALL, 0), 0);
	is_result(6, 0, 0);
	gives(ALL);
	assert_string_equal(address_state(), "preferred");
	assert_true(fcn_host_neighbour_next(fcn_control_host(platform.ctl), &next, &n));
	assert_int_equal(n.state, FCN_NEIGHBOUR_PROBE); /* to be confirmed */
	/* Snapshots are built of it: the packets that come next find their neighbour. */
	fcn_learned_poll(platform.ctl, NOW);
	fcn_control_host_poll(platform.ctl, NOW);
	assert_int_equal(fcn_control_build_env(platform.ctl)->n_neighbours, 1);
	assert_int_equal(fcn_control_build_env(platform.ctl)->n_refusals, 1);
	assert_int_equal(fcn_control_build_env(platform.ctl)->n_learned_proxies, 1);
	assert_int_equal(fcn_control_build_env(platform.ctl)->n_learned_endcons, 1);
	/* What is known is not changed. */
	assert_int_equal(apply(ALL, 0), 0);
	is_result(3, 0, 3); /* proxies and SIDs are renewed; the worker tells nothing of the MAC */
	gives(ALL);
}

TEST(ages)
{
	/* Half a minute later. */
	assert_int_equal(apply(ALL, 30 * SECOND), 0);
	is_result(6, 0, 0);
	assert_int_equal(result.age_ns, 30 * SECOND);
	gives(ADDRESS NEIGHBOUR "sender fast_cnp 2001:db8:3::1 560\n"
				"proxy bgp 2001:db8:4::/48 2001:db8:f::1 70\n"
				"sid isis 2001:db8:5::1 60\n"
				"mac br0 1 02:00:00:00:02:01 p2 42\n");
}

TEST(too_old)
{
	assert_int_equal(apply(ADDRESS NEIGHBOUR, 60 * SECOND), 0);
	is_result(2, 0, 0);
	assert_int_equal(apply(ADDRESS NEIGHBOUR, 60 * SECOND + 1), 0);
	is_result(0, 2, 0);
	/* Lifetimes end to the second. */
	assert_int_equal(apply(SENDER PROXY ENDCON MAC, 590 * SECOND), 0);
	is_result(0, 4, 0);
	assert_int_equal(apply(SENDER, 589 * SECOND), 0);
	is_result(1, 0, 0);
	assert_int_equal(apply(PROXY, 99 * SECOND), 0);
	is_result(1, 0, 0);
	assert_int_equal(apply(ENDCON, 90 * SECOND), 0);
	is_result(0, 1, 0);
	assert_int_equal(apply(MAC, 288 * SECOND), 0);
	is_result(0, 1, 0);
	assert_int_equal(apply(MAC, 287 * SECOND), 0);
	is_result(1, 0, 0);
}

/* A MAC address that was learned before the clock began ages as any other. */
TEST(mac_ages)
{
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);
	const struct fcn_mac_key key = {.mac = {{2, 0, 0, 0, 2, 1}}, .vlan = 1, .bridge = 0};

	assert_int_equal(apply(MAC, 0), 0);
	assert_int_equal(fcn_mac_table_lookup(w->macs, &key, NOW, 300 * SECOND), 2);
	assert_int_equal(fcn_mac_table_lookup(w->macs, &key, NOW + 288 * SECOND, 300 * SECOND), 2);
	assert_int_equal(fcn_mac_table_lookup(w->macs, &key, NOW + 288 * SECOND + 1, 300 * SECOND),
			-ENOENT);
	platform_gives(fcn_show_macs(platform.ctl), "[{'age_ns': 12000000000}]");
}

/* A sender is asked again when its time is over, also when it was learned before the clock began.
 */
TEST(sender_expires)
{
	assert_int_equal(apply("sender fast_cnp 2001:db8:3::1 5\n"
			       "sender fast_cnp 2001:db8:3::2 400\n"
			       "sender fast_cnp 2001:db8:3::3 100\n",
					 0),
			0);
	is_result(3, 0, 0);
	fcn_control_host_poll(platform.ctl, NOW + 5 * SECOND - 1);
	assert_int_equal(fcn_control_build_env(platform.ctl)->n_refusals, 3);
	fcn_control_host_poll(platform.ctl, NOW + 5 * SECOND);
	assert_int_equal(fcn_control_build_env(platform.ctl)->n_refusals, 2);
	fcn_control_host_poll(platform.ctl, NOW + 100 * SECOND);
	assert_int_equal(fcn_control_build_env(platform.ctl)->n_refusals, 1);
	fcn_control_host_poll(platform.ctl, NOW + 400 * SECOND);
	assert_int_equal(fcn_control_build_env(platform.ctl)->n_refusals, 0);
}

/* What the configuration does not have is left out. */
TEST(not_configured)
{
	assert_int_equal(apply("address p7 2001:db8:1::fe\n"
			       "address p0 2001:db8:1::fd\n"
			       "address p1 2001:db8:1::fe\n"
			       "neighbour p7 2001:db8:1::9 02:00:00:00:00:09\n"
			       "neighbour p0 2001:db8:2::9 02:00:00:00:00:09\n"
			       "neighbour p0 2001:db8:1::fe 02:00:00:00:00:09\n"
			       "neighbour p0 2001:db8:1::9 03:00:00:00:00:09\n"
			       "neighbour p1 2001:db8:1::9 02:00:00:00:00:09\n"
			       "sender nosuch 2001:db8:3::1 590\n"
			       "proxy bgp 2001:db8:4::/48 ff02::1 100\n"
			       "sid isis fe80::1 90\n"
			       "mac br1 1 02:00:00:00:02:01 p2 12\n"
			       "mac br0 1 02:00:00:00:02:01 p0 12\n"
			       "mac br0 1 02:00:00:00:02:01 p7 12\n",
					 0),
			0);
	is_result(0, 0, 14);
	gives("");
}

/* A line that cannot be: nothing is used, also of what is before it. */
TEST(bad_lines)
{
	static const char *const bad[] = {"\n", "address p0\n", "address p0 2001:db8:1::fe more\n",
			"address p0 nosuch\n", "neighbour p0 2001:db8:1::9 nosuch\n",
			"sender fast_cnp 2001:db8:3::1 -1\n", "sender fastcnp 2001:db8:3::1 1x\n",
			"sender fast_cnp 2001:db8:3::1 18446744073709551616\n",
			"sender fast_cnp 2001:db8:3::1 99999999999\n",
			"proxy static 2001:db8:4::/48 2001:db8:f::1 100\n",
			"proxy bgp 2001:db8:4::/129 2001:db8:f::1 100\n",
			"sid bgp 2001:db8:5::1 90\n", "sid isis 192.0.2.1 90\n",
			"mac br0 4096 02:00:00:00:02:01 p2 12\n",
			"mac br0 1 01:00:00:00:02:01 p2 12\n", "nosuch\n",
			"address p0 2001:db8:1::\001fe\n"};

	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		char lines[TEXT];

		snprintf(lines, sizeof(lines), ALL "%s", bad[i]);
		if (apply(lines, 0) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
		is_result(0, 0, 0);
		assert_string_equal(err, "it has a line that is not valid");
	}
	gives("");
}

/* A file that was cut off, or is of another time. */
TEST(not_whole)
{
	char text[TEXT];
	const size_t len = seal(ALL, MADE, text);

	for (size_t n = 0; n < len; n++) {
		/* The end of the allocation is where the text ends, for sanitizers. */
		char *part = malloc(n == 0 ? 1 : n);

		assert_non_null(part);
		memcpy(part, text, n);
		assert_int_equal(fcn_state_apply(platform.ctl, part, n, MADE, &result, err,
						 sizeof(err)),
				-EINVAL);
		free(part);
	}
	assert_int_equal(fcn_state_apply(platform.ctl, text, len, MADE - 1, &result, err,
					 sizeof(err)),
			-EINVAL);
	assert_string_equal(err, "it is of a later time than now");
	gives("");
	assert_int_equal(fcn_state_apply(platform.ctl, text, len, MADE, &result, err, sizeof(err)),
			0);
}

/* Texts with slips whose sum is right: each is used whole, or not at all, and never harms. */
TEST(mutations)
{
	static const char alphabet[] = "0123456789abcdef:./ \n\377pbmacisnort";
	uint64_t random = 1;
	unsigned int taken = 0, refused = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		char lines[] = ALL ALL;

		for (unsigned int k = 0; k < 1 + i % 4; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			lines[(random >> 33) % (sizeof(lines) - 1)] =
					alphabet[(random >> 20) % (sizeof(alphabet) - 1)];
		}
		if (apply(lines, (random >> 40) % (700 * SECOND)) == 0) {
			taken++;
		} else {
			refused++;
			is_result(0, 0, 0);
		}
		if (i % 64 == 0) {
			fcn_learned_poll(platform.ctl, NOW);
			fcn_control_host_poll(platform.ctl, NOW);
			turn(NOW);
		}
	}
	assert_true(taken > 1000);
	assert_true(refused > 1000);
}

/* A text cannot fill more than there is room for. */
TEST(bounded)
{
	static char lines[TEXT - 128];
	struct fcn_worker *w = fcn_control_worker(platform.ctl, 0);

	for (unsigned int from = 0; from < 2000; from += 100) {
		size_t len = 0;

		for (unsigned int i = from; i < from + 100; i++)
			len += (size_t)snprintf(lines + len, sizeof(lines) - len,
					"mac br0 1 02:00:00:01:%02x:%02x p2 0\n", i >> 8, i & 255);
		assert_int_equal(apply(lines, 0), 0);
	}
	assert_int_equal(fcn_mac_table_count_port(w->macs, 2), fcn_mac_limit(w->macs, 0));
}
