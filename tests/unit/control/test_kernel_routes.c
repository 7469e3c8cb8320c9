/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Routes of the kernel: from what it says to what packets meet, and to what is shown of it. */

#include <linux/rtnetlink.h>

#include "kernel_platform.h"

#define BUILD_EVERY (10 * MS)
#define TEND (500 * MS)

/* Interfaces of port 0 and port 1; and one that is none of the switch. */
#define SW0 KERNEL_FIRST_IFINDEX
#define SW1 (KERNEL_FIRST_IFINDEX + 1)
#define SW2 (KERNEL_FIRST_IFINDEX + 2) /* of a sub-interface, where there is one */
#define OTHER 99

static const uint8_t mac1[6] = {2, 0, 0, 0, 9, 1};

/* Memory runs out at an allocation, by the linker's --wrap. 0: it does not. */
static unsigned int n_allocated, fail_at;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool
is_out(void)
{
	return fail_at != 0 && ++n_allocated == fail_at;
}

void *
__wrap_malloc(size_t size)
{
	return is_out() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return is_out() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
	return is_out() ? NULL : __real_realloc(old, size);
}

/* Ports 192.0.2.254/24 and 2001:db8:2::fe/64, and the kernel's main table, which is empty. */
static int
setup(void **state)
{
	struct fcn_config *cfg;

	if (kernel_platform_setup(state) != 0)
		return -1;
	n_allocated = fail_at = 0;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_port(cfg, "p1", "sw1");
	kernel_platform_address(cfg, 0, "192.0.2.254/24");
	kernel_platform_address(cfg, 1, "2001:db8:2::fe/64");
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	cfg->kernel = (struct fcn_config_kernel){.mode = FCN_KERNEL_TABLE, .table = 254};
	platform_commit(cfg);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = kernel_platform_teardown);

/* The row of `show route` about a prefix; NULL: none. To be freed. */
static json_t *
shown_route(const char *prefix)
{
	const struct fcn_route_query query = {.limit = UINT64_MAX};
	json_t *all = fcn_show_some_routes(platform.ctl, &query), *row, *found = NULL;
	size_t i;

	json_array_foreach (all, i, row) {
		if (strcmp(platform_string(row, "prefix"), prefix) != 0)
			continue;
		assert_null(found);
		found = json_incref(row);
	}
	json_decref(all);
	return found;
}

static void
assert_no_route(const char *prefix)
{
	json_t *row = shown_route(prefix);

	assert_null(row);
}

static void
assert_route(const char *prefix, const char *kind, const char *next_hop, const char *protocol)
{
	json_t *row = shown_route(prefix);
	const json_t *shown_hop;

	if (row == NULL)
		fail_msg("no route to %s", prefix);
	shown_hop = json_object_get(row, "next_hop");
	assert_string_equal(platform_string(row, "origin"), "kernel");
	assert_string_equal(platform_string(row, "kind"), kind);
	assert_string_equal(platform_string(row, "protocol"), protocol);
	if (next_hop == NULL)
		assert_null(shown_hop);
	else
		assert_string_equal(json_string_value(shown_hop), next_hop);
	json_decref(row);
}

static json_int_t
counter(const char *name)
{
	json_t *v = fcn_show_kernel(platform.ctl);
	json_int_t n = platform_number(json_object_get(v, "counters"), name);

	json_decref(v);
	return n;
}

static json_int_t
shown_number(const char *name)
{
	json_t *v = fcn_show_kernel(platform.ctl);
	json_int_t n = platform_number(v, name);

	json_decref(v);
	return n;
}

static void
assert_shown(const char *key, const char *want)
{
	json_t *v = fcn_show_kernel(platform.ctl);

	if (want == NULL)
		assert_true(json_is_null(json_object_get(v, key)));
	else
		assert_string_equal(platform_string(v, key), want);
	json_decref(v);
}

/* Packets that the platform sends from 2001:db8::1 to 2001:db8:1::1. @return those that left by p1
 */
static uint64_t
forwarded(uint64_t now)
{
	const struct fcn_port_counters *c = &fcn_control_worker(platform.ctl, 0)->counters[1];
	uint64_t before = c->tx_packets;

	platform.source = true;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	platform.source = false;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), now + MS);
	return c->tx_packets - before;
}

/* What there was before fastcn came. */
TEST(read)
{
	json_t *row;

	kernel_route(RTM_NEWROUTE, "198.51.100.0/24", "192.0.2.1", SW0, RTN_UNICAST, RTPROT_BGP);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "2001:db8:1::/48", "2001:db8:2::1", SW1, RTN_UNICAST,
			RTPROT_OSPF);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "2001:db8:77::/48", NULL, SW1, RTN_UNICAST, RTPROT_KERNEL);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "203.0.113.0/24", NULL, 0, RTN_BLACKHOLE, RTPROT_STATIC);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "100.64.0.0/10", NULL, 0, RTN_UNREACHABLE, 250);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "10.0.0.0/8", "192.0.2.1", OTHER, RTN_UNICAST, RTPROT_BGP);
	kernel_add_to_dumps();
	kernel_neighbour(RTM_NEWNEIGH, "2001:db8:2::1", mac1, SW1);
	kernel_add_to_dumps();
	assert_shown("state", "reading");
	assert_int_equal(forwarded(1 * MS), 0);
	kernel_platform_poll(3 * MS);
	assert_shown("state", "listening");
	assert_shown("namespace", NULL);
	assert_shown("vrf", NULL);
	assert_shown("last_error", NULL);
	assert_int_equal(shown_number("table"), 254);
	assert_int_equal(shown_number("routes"), 6);
	assert_int_equal(shown_number("neighbours"), 1);
	assert_int_equal(shown_number("paths"), 5);
	assert_int_equal(shown_number("paths_left_out"), 0);
	/* links, addresses, nexthops, neighbours, two families */
	assert_int_equal(kernel.n_dumps, 6);
	assert_int_equal(counter("messages"), 7);
	assert_int_equal(counter("syncs"), 1);
	assert_int_equal(counter("builds"), 1);
	assert_route("198.51.100.0/24", "gateway", "no neighbour", "bgp");
	assert_route("2001:db8:1::/48", "gateway", "resolved", "ospf");
	assert_route("2001:db8:77::/48", "connected", NULL, "kernel");
	assert_route("203.0.113.0/24", "blackhole", NULL, "static");
	assert_route("100.64.0.0/10", "unreachable", NULL, "250");
	assert_no_route("10.0.0.0/8");
	row = shown_route("2001:db8:1::/48");
	platform_shows(row, "{'via': '2001:db8:2::1', 'port': 'p1', 'weight': 1}");
	json_decref(row);
	row = fcn_show_route_count(platform.ctl);
	platform_shows(row, "{'connected': 2, 'kernel': 5, 'total': 7}");
	json_decref(row);
	assert_true(forwarded(4 * MS) > 0);
	row = fcn_show_neighbours(platform.ctl);
	assert_string_equal(platform_string(json_array_get(row, 0), "address"), "2001:db8:2::1");
	assert_string_equal(platform_string(json_array_get(row, 0), "mac"), "02:00:00:00:09:01");
	assert_string_equal(platform_string(json_array_get(row, 0), "state"), "kernel");
	assert_string_equal(platform_string(json_array_get(row, 0), "port"), "p1");
	json_decref(row);
}

/* What was counted is counted anew; what is known, and that it is the whole table, stays. */
TEST(clear_counters)
{
	json_t *v, *n;
	const char *name;

	kernel_platform_poll(0);
	assert_int_equal(counter("syncs"), 1);
	assert_int_equal(counter("builds"), 1);
	fcn_control_clear_counters(platform.ctl, NULL, 0);
	v = fcn_show_kernel(platform.ctl);
	json_object_foreach (json_object_get(v, "counters"), name, n)
		assert_int_equal(json_integer_value(n), 0);
	json_decref(v);
	kernel_route(RTM_NEWROUTE, "2001:db8:3::/48", NULL, 0, RTN_BLACKHOLE, RTPROT_BGP);
	kernel_notify();
	kernel_platform_poll(20 * MS);
	assert_route("2001:db8:3::/48", "blackhole", NULL, "bgp");
	assert_int_equal(counter("messages"), 1);
	assert_int_equal(counter("builds"), 1);
}

/* A gateway in a VLAN of a port is resolved like one on the port itself. */
TEST(sub_interface)
{
	struct fcn_config *cfg = platform_edit();
	int p = fcn_config_sub_interface_add(cfg, "p1.7", 1, 7);

	assert_int_equal(p, 2);
	memcpy(cfg->port[p].kernel, "sw2", sizeof("sw2"));
	kernel_platform_address(cfg, p, "2001:db8:3::fe/64");
	platform_commit(cfg);
	kernel_route(RTM_NEWROUTE, "2001:db8:1::/48", "2001:db8:3::1", SW2, RTN_UNICAST,
			RTPROT_BGP);
	kernel_add_to_dumps();
	kernel_platform_poll(3 * MS);
	assert_route("2001:db8:1::/48", "gateway", "no neighbour", "bgp");
	kernel_neighbour(RTM_NEWNEIGH, "2001:db8:3::1", mac1, SW2);
	kernel_notify();
	kernel_platform_poll(20 * MS);
	assert_true(forwarded(21 * MS) > 0);
	assert_route("2001:db8:1::/48", "gateway", "resolved", "bgp");
}

/* What changes, together what changes within 10 ms. */
TEST(changes)
{
	kernel_platform_poll(0);
	assert_int_equal(counter("syncs"), 1);
	assert_int_equal(counter("builds"), 1);
	kernel_neighbour(RTM_NEWNEIGH, "2001:db8:2::1", mac1, SW1);
	kernel_notify();
	kernel_route(RTM_NEWROUTE, "2001:db8:1::/48", "2001:db8:2::1", SW1, RTN_UNICAST,
			RTPROT_BGP);
	kernel_notify();
	kernel_platform_poll(20 * MS);
	assert_int_equal(counter("builds"), 2);
	assert_route("2001:db8:1::/48", "gateway", "resolved", "bgp");
	assert_true(forwarded(21 * MS) > 0);
	kernel_route(RTM_DELROUTE, "2001:db8:1::/48", "2001:db8:2::1", SW1, RTN_UNICAST,
			RTPROT_BGP);
	kernel_notify();
	assert_int_equal(kernel_platform_poll(24 * MS), 20 * MS + BUILD_EVERY);
	assert_int_equal(counter("builds"), 2);
	assert_route("2001:db8:1::/48", "gateway", "resolved", "bgp");
	kernel_route(RTM_NEWROUTE, "2001:db8:3::/48", NULL, 0, RTN_BLACKHOLE, RTPROT_BGP);
	kernel_notify();
	kernel_platform_poll(25 * MS);
	assert_no_route("2001:db8:3::/48");
	kernel_platform_poll(20 * MS + BUILD_EVERY);
	assert_int_equal(counter("builds"), 3);
	assert_no_route("2001:db8:1::/48");
	assert_route("2001:db8:3::/48", "blackhole", NULL, "bgp");
	assert_int_equal(forwarded(31 * MS), 0);
}

/* Gateways are asked for their MAC address, once they lead somewhere. */
TEST(resolve)
{
	const struct fcn_port_counters *c = &fcn_control_worker(platform.ctl, 0)->counters[0];
	uint64_t before;

	kernel_platform_poll(0);
	before = c->injected;
	assert_int_equal(fcn_host_counter(fcn_control_host(platform.ctl), FCN_HOST_ARP_TX), 0);
	kernel_route(RTM_NEWROUTE, "198.51.100.0/24", "192.0.2.1", SW0, RTN_UNICAST, RTPROT_BGP);
	kernel_notify();
	kernel_platform_poll(20 * MS);
	assert_int_equal(fcn_host_counter(fcn_control_host(platform.ctl), FCN_HOST_ARP_TX), 1);
	assert_int_equal(c->injected, before + 1);
	/* Not by each turn. */
	kernel_platform_poll(21 * MS);
	assert_int_equal(c->injected, before + 1);
	/* A gateway on no link of the port is not. */
	kernel_route(RTM_NEWROUTE, "198.51.101.0/24", "10.9.9.9", SW0, RTN_UNICAST, RTPROT_BGP);
	kernel_notify();
	kernel_platform_poll(40 * MS);
	assert_route("198.51.101.0/24", "gateway", "no neighbour", "bgp");
	assert_int_equal(c->injected, before + 1);
}

/* What is configured hides what the kernel says of the same prefix. */
TEST(hidden)
{
	struct fcn_config *cfg = platform_edit();
	json_t *row;

	platform_route(cfg, "2001:db8:1::/48", "2001:db8:2::9", 1);
	platform_commit(cfg);
	kernel_route(RTM_NEWROUTE, "2001:db8:1::/48", NULL, 0, RTN_BLACKHOLE, RTPROT_BGP);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "192.0.2.0/24", NULL, SW0, RTN_UNICAST, RTPROT_KERNEL);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "192.0.2.128/25", NULL, SW0, RTN_UNICAST, RTPROT_KERNEL);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	assert_int_equal(shown_number("paths"), 3);
	row = shown_route("2001:db8:1::/48");
	assert_string_equal(platform_string(row, "origin"), "config");
	json_decref(row);
	row = shown_route("192.0.2.0/24");
	assert_string_equal(platform_string(row, "origin"), "connected");
	json_decref(row);
	assert_route("192.0.2.128/25", "connected", NULL, "kernel");
}

/* What changed without a word is found by the comparison every 30 s, and told. */
TEST(differences)
{
	kernel_platform_poll(0);
	kernel_route(RTM_NEWROUTE, "203.0.113.0/24", NULL, 0, RTN_BLACKHOLE, RTPROT_STATIC);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "203.0.114.0/24", NULL, 0, RTN_BLACKHOLE, RTPROT_STATIC);
	kernel_add_to_dumps();
	kernel_platform_poll(FCN_NETLINK_CHECK_NS - MS);
	assert_no_route("203.0.113.0/24");
	kernel_platform_poll(FCN_NETLINK_CHECK_NS);
	kernel_platform_poll(FCN_NETLINK_CHECK_NS + BUILD_EVERY);
	assert_route("203.0.113.0/24", "blackhole", NULL, "static");
	assert_int_equal(counter("checks"), 1);
	assert_int_equal(counter("differences"), 2);
	assert_int_equal(kernel_log.n, 1);
	assert_string_equal(kernel_platform_last_line(),
			"kernel routes: 2 had changed without a message and were read again");
	/* show tells the same, as nothing went wrong since */
	assert_shown("last_error", kernel_platform_last_line());
}

/* A table that takes several turns to be read for the first time comes into force whole. */
TEST(first_read)
{
	const unsigned int n = 20; /* messages: a turn takes fewer */
	char prefix[32];

	for (unsigned int i = 0; i < n; i++) {
		snprintf(prefix, sizeof(prefix), "203.0.%u.0/24", i);
		kernel_route(RTM_NEWROUTE, prefix, NULL, 0, RTN_BLACKHOLE, RTPROT_STATIC);
		kernel_add_to_dumps();
	}
	kernel_platform_poll(0);
	assert_shown("state", "reading");
	assert_true(shown_number("routes") > 0);
	assert_int_equal(counter("builds"), 0);
	assert_no_route("203.0.0.0/24");
	for (unsigned int i = 1; counter("syncs") == 0; i++) {
		assert_in_range(i, 1, 5);
		kernel_platform_poll(i * MS);
	}
	kernel_platform_poll(20 * MS);
	assert_int_equal(counter("builds"), 1);
	assert_int_equal(shown_number("paths"), n);
}

/* The table of a VRF, when there is one. */
TEST(vrf)
{
	struct fcn_config *cfg = platform_edit();

	cfg->kernel = (struct fcn_config_kernel){.mode = FCN_KERNEL_VRF};
	strcpy(cfg->kernel.vrf, "blue");
	platform_commit(cfg);
	kernel_platform_poll(0);
	assert_shown("state", "no such vrf");
	assert_shown("vrf", "blue");
	assert_shown("table", NULL);
	kernel_vrf(RTM_NEWLINK, "blue", 50, 1001);
	kernel_add_to_dumps();
	kernel_notify();
	kernel_platform_poll(20 * MS);
	assert_shown("state", "listening");
	assert_int_equal(shown_number("table"), 1001);
}

/* Without routes and interfaces there is nothing to talk about. */
TEST(off)
{
	struct fcn_config *cfg;

	kernel_route(RTM_NEWROUTE, "203.0.113.0/24", NULL, 0, RTN_BLACKHOLE, RTPROT_STATIC);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	assert_route("203.0.113.0/24", "blackhole", NULL, "static");
	assert_true(fcn_control_kernel_fd(platform.ctl) >= 0);
	cfg = platform_edit();
	cfg->port[0].kernel[0] = cfg->port[1].kernel[0] = '\0';
	cfg->kernel.mode = FCN_KERNEL_OFF;
	platform_commit(cfg);
	assert_int_equal(kernel.n_sockets, 0);
	/* Where there is no memory to forget what it said, that is done later. */
	n_allocated = 0;
	fail_at = 1;
	assert_int_equal(kernel_platform_poll(1 * MS), 1 * MS + TEND);
	assert_string_equal(kernel_platform_last_line(), "kernel routes: out of memory");
	assert_int_equal(kernel_platform_poll(2 * MS), 1 * MS + TEND);
	assert_route("203.0.113.0/24", "blackhole", NULL, "static");
	assert_int_equal(kernel_platform_poll(1 * MS + TEND), FCN_HOST_NEVER);
	assert_no_route("203.0.113.0/24");
	assert_shown("state", "off");
	assert_int_equal(shown_number("routes"), 0);
	assert_int_equal(shown_number("paths"), 0);
	assert_int_equal(counter("messages"), 0);
	assert_int_equal(kernel_platform_poll(2 * TEND), FCN_HOST_NEVER);
	assert_int_equal(counter("builds"), 2);
}

/* A platform without a kernel says so. */
TEST_WITH(no_kernel, kernel_platform_setup_without, kernel_platform_teardown)
{
	struct fcn_config *cfg = platform_edit();

	cfg->kernel = (struct fcn_config_kernel){.mode = FCN_KERNEL_TABLE, .table = 254};
	platform_commit(cfg);
	assert_shown("state", "no kernel here");
}

/* Have a route come or go, and a table made of it when one allocation fails. @return whether it did
 */
static bool
build_without_memory(uint64_t now, bool add, unsigned int at)
{
	/* Something else is built first, so that what comes has to wait. */
	kernel_route(add ? RTM_NEWROUTE : RTM_DELROUTE, "203.0.113.0/24", NULL, 0, RTN_BLACKHOLE,
			RTPROT_STATIC);
	kernel_notify();
	kernel_platform_poll(now);
	kernel_route(add ? RTM_NEWROUTE : RTM_DELROUTE, "2001:db8:1::/48", "2001:db8:2::1", SW1,
			RTN_UNICAST, RTPROT_BGP);
	kernel_notify();
	kernel_platform_poll(now + MS);
	n_allocated = 0;
	fail_at = at;
	kernel_platform_poll(now + BUILD_EVERY);
	fail_at = 0;
	return n_allocated >= at;
}

/* Without memory for what changed, it is tried again, until it is in force. */
TEST(memory)
{
	const uint64_t step = 10 * TEND;
	unsigned int at = 0;
	bool add = false;

	kernel_neighbour(RTM_NEWNEIGH, "2001:db8:2::1", mac1, SW1);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	do {
		uint64_t now = ++at * step;

		add = !add;
		if (!build_without_memory(now, add, at))
			break;
		kernel_platform_poll(now + BUILD_EVERY + TEND);
		kernel_platform_poll(now + BUILD_EVERY + 2 * TEND);
		if ((forwarded(now + step / 2) > 0) != add)
			fail_msg("not in force after allocation %u failed", at);
	} while (at < 1000);
	assert_in_range(at, 5, 999);
	assert_string_equal(kernel_log.line[0], "kernel routes: out of memory");
	assert_int_equal(forwarded(at * step + TEND) > 0, add);
}
