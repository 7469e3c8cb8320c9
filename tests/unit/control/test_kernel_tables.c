/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Route tables that follow tables of the kernel: the same prefix leads elsewhere in each. */

#include <net/if.h>

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "fcn_fib.h"
#include "fcn_notice_endcon.h"
#include "fcn_route_set.h"
#include "fcn_show.h"
#include "kernel_platform.h"
#include "talk.h"

#define SW0 KERNEL_FIRST_IFINDEX
#define SW1 (KERNEL_FIRST_IFINDEX + 1)
#define PREFIX "198.51.100.0/24"

/* Port p0 is in main, which follows 254; p1 is in red, which follows 100. */
static int
setup(void **state)
{
	struct fcn_config *cfg;
	int red;

	if (kernel_platform_setup(state) != 0)
		return -1;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_port(cfg, "p1", "sw1");
	red = fcn_config_table_add(cfg, "red");
	assert_int_equal(red, 1);
	strcpy(cfg->port[1].table, "red");
	kernel_platform_address(cfg, 0, "192.0.2.254/24");
	kernel_platform_address(cfg, 1, "192.0.2.254/24");
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	cfg->kernel = (struct fcn_config_kernel){.mode = FCN_KERNEL_TABLE, .table = 254};
	cfg->table[1].follow = (struct fcn_config_follow){.mode = FCN_KERNEL_TABLE, .table = 100};
	platform_commit(cfg);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = kernel_platform_teardown);

/* The message about PREFIX in a table of the kernel. */
static void
in_table(uint16_t message, const char *via, uint32_t ifindex, uint32_t table)
{
	kernel_route(message, PREFIX, via, ifindex, RTN_UNICAST, RTPROT_BGP);
	kernel_attribute(RTA_TABLE, &table, sizeof(table));
}

/* The gateway of PREFIX in a table as `show route` has it; "": there is no route. */
static const char *
gateway(int table)
{
	const struct fcn_route_query query = {.limit = UINT64_MAX, .table = table};
	json_t *all = fcn_show_some_routes(platform.ctl, &query), *row;
	static char text[64];
	size_t i;

	text[0] = '\0';
	json_array_foreach (all, i, row) {
		if (strcmp(platform_string(row, "prefix"), PREFIX) != 0)
			continue;
		assert_string_equal(text, "");
		assert_string_equal(platform_string(row, "table"), table == 0 ? "main" : "red");
		snprintf(text, sizeof(text), "%s %s", platform_string(row, "via"),
				platform_string(row, "port"));
	}
	json_decref(all);
	return text;
}

/* Where packets to PREFIX go in a table: the address of the gateway, by the snapshot. */
static const char *
forwarded_to(unsigned int table)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(platform.ctl);
	const struct fcn_route_set *set = s->table[table].routes;
	static char text[FCN_ADDR_STRLEN];
	const uint32_t addr = RTE_IPV4(198u, 51, 100, 1);
	uint64_t found;

	fcn_fib4_lookup(set->fib, &addr, &found, 1);
	if (found == FCN_FIB_NO_ROUTE)
		return "";
	return fcn_addr_format(&set->gateway[found - fcn_route_set_gateway(set, 0)].addr, text,
			sizeof(text));
}

static json_t *
shown_table(unsigned int table)
{
	json_t *all = fcn_show_tables(platform.ctl);
	json_t *row = json_incref(json_array_get(all, table));

	json_decref(all);
	return row;
}

TEST(same_prefix)
{
	struct fcn_config *cfg;
	struct fcn_route_set *main;
	json_t *row;

	in_table(RTM_NEWROUTE, "192.0.2.1", SW0, 254);
	kernel_add_to_dumps();
	in_table(RTM_NEWROUTE, "192.0.2.2", SW1, 100);
	kernel_add_to_dumps();
	in_table(RTM_NEWROUTE, "192.0.2.3", SW1, 101);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	assert_string_equal(gateway(0), "192.0.2.1 p0");
	assert_string_equal(gateway(1), "192.0.2.2 p1");
	assert_string_equal(forwarded_to(0), "192.0.2.1");
	assert_string_equal(forwarded_to(1), "192.0.2.2");
	row = shown_table(1);
	platform_shows(row,
			"{'kernel_state': 'listening', 'kernel_table': 100, 'kernel_routes': 1}");
	json_decref(row);

	/* A change of one table: the set of the other stays. */
	main = fcn_control_snapshot(platform.ctl)->table[0].routes;
	in_table(RTM_DELROUTE, "192.0.2.2", SW1, 100);
	kernel_notify();
	kernel_platform_poll(20 * MS);
	kernel_platform_poll(40 * MS);
	assert_string_equal(gateway(1), "");
	assert_string_equal(forwarded_to(1), "");
	assert_string_equal(forwarded_to(0), "192.0.2.1");
	assert_ptr_equal(fcn_control_snapshot(platform.ctl)->table[0].routes, main);

	/* It follows another, and then none. */
	cfg = platform_edit();
	cfg->table[1].follow.table = 101;
	platform_commit(cfg);
	kernel_platform_poll(1000 * MS);
	kernel_platform_poll(1100 * MS);
	assert_string_equal(forwarded_to(1), "192.0.2.3");
	assert_string_equal(gateway(1), "192.0.2.3 p1");
	assert_string_equal(forwarded_to(0), "192.0.2.1");
	cfg = platform_edit();
	cfg->table[1].follow = (struct fcn_config_follow){.mode = FCN_KERNEL_OFF};
	platform_commit(cfg);
	kernel_platform_poll(2000 * MS);
	kernel_platform_poll(2100 * MS);
	assert_string_equal(forwarded_to(1), "");
	assert_string_equal(forwarded_to(0), "192.0.2.1");
	row = shown_table(1);
	assert_string_equal(platform_string(row, "kernel_state"), "off");
	assert_true(json_is_null(json_object_get(row, "kernel_table")));
	json_decref(row);
}

/* The interfaces of ports belong to the VRF of their table. */
TEST(vrfs)
{
	struct fcn_config *cfg = platform_edit();
	json_t *row;

	kernel.other = "blue";
	kernel.other_ifindex = 50;
	cfg->table[1].follow = (struct fcn_config_follow){.mode = FCN_KERNEL_VRF, .vrf = "blue"};
	platform_commit(cfg);
	kernel_platform_poll(0);
	assert_int_equal(kernel_find("sw0")->link.master, 0);
	assert_true(kernel_find("sw1")->link.set_master);
	assert_int_equal(kernel_find("sw1")->link.master, 50);
	row = shown_table(1);
	platform_shows(row, "{'kernel_state': 'no such vrf', 'kernel_vrf': 'blue'}");
	json_decref(row);
	in_table(RTM_NEWROUTE, "192.0.2.1", SW0, 254);
	kernel_add_to_dumps();
	in_table(RTM_NEWROUTE, "192.0.2.7", SW1, 1001);
	kernel_add_to_dumps();
	kernel_vrf(RTM_NEWLINK, "blue", 50, 1001);
	kernel_add_to_dumps();
	kernel_notify();
	kernel_platform_poll(20 * MS);
	kernel_platform_poll(40 * MS);
	row = shown_table(1);
	platform_shows(row, "{'kernel_state': 'listening', 'kernel_table': 1001}");
	json_decref(row);
	assert_string_equal(forwarded_to(1), "192.0.2.7");
	assert_string_equal(forwarded_to(0), "192.0.2.1");
}

/* Tell whether workers take an address for one of END.CON. */
static bool
is_known(const char *text)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(platform.ctl);
	const struct fcn_notice_endcon_conf *own = s->notify.kind[FCN_NOTICE_ENDCON].own;
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	return own->endcon != NULL && fcn_prefix_list_lookup6(own->endcon, a.bytes, 0) != 0;
}

/* Routes by a protocol that means END.CON count in the main table only. */
TEST(endcon)
{
	struct fcn_config *cfg = platform_edit();
	const uint32_t tables[] = {254, 100};
	json_t *shown;

	cfg->srv6.endcon_protocol = RTPROT_BGP;
	cfg->notify.on = 1u << FCN_NOTICE_ENDCON;
	assert_int_equal(fcn_addr_parse("2001:db8:f::2", &cfg->loopback), 0);
	platform_commit(cfg);
	for (unsigned int t = 0; t < 2; t++) {
		kernel_route(RTM_NEWROUTE, t == 0 ? "2001:db8:a::/64" : "2001:db8:b::/64", NULL,
				t == 0 ? SW0 : SW1, RTN_UNICAST, RTPROT_BGP);
		kernel_attribute(RTA_TABLE, &tables[t], sizeof(tables[t]));
		kernel_add_to_dumps();
	}
	kernel_platform_poll(0);
	shown = fcn_show_srv6_endcon(platform.ctl);
	assert_int_equal(json_array_size(json_object_get(shown, "known")), 1);
	json_decref(shown);
	assert_true(is_known("2001:db8:a::c"));
	assert_false(is_known("2001:db8:b::c"));
}

/* A destination as the message about it has it: one of 250 networks. */
static void
many(uint16_t message, unsigned int i, uint32_t table)
{
	char prefix[32];

	snprintf(prefix, sizeof(prefix), "198.18.%u.0/24", i);
	kernel_route(message, prefix, "192.0.2.9", table == 254 ? SW0 : SW1, RTN_UNICAST,
			RTPROT_BGP);
	kernel_attribute(RTA_TABLE, &table, sizeof(table));
}

/*
 * Many prefixes are in both tables, and some pairs stand in the same place of the hash table by
 * which routes are found. Those of main go, and all of red stay.
 */
TEST(many)
{
	json_t *row;

	kernel_platform_poll(0);
	for (unsigned int i = 0; i < 250; i++) {
		many(RTM_NEWROUTE, i, 254);
		kernel_notify();
		many(RTM_NEWROUTE, i, 100);
		kernel_notify();
		kernel_platform_poll((1 + i) * MS);
	}
	row = shown_table(0);
	assert_int_equal(platform_number(row, "kernel_routes"), 250);
	json_decref(row);
	row = shown_table(1);
	assert_int_equal(platform_number(row, "kernel_routes"), 250);
	json_decref(row);
	for (unsigned int i = 0; i < 250; i++) {
		many(RTM_DELROUTE, i, 254);
		kernel_notify();
		kernel_platform_poll((300 + i) * MS);
	}
	row = shown_table(0);
	assert_int_equal(platform_number(row, "kernel_routes"), 0);
	json_decref(row);
	row = shown_table(1);
	assert_int_equal(platform_number(row, "kernel_routes"), 250);
	json_decref(row);
}

#define LO 1
#define VRF 9

static void
loopback(void)
{
	struct ifinfomsg ifi = {.ifi_index = LO, .ifi_flags = IFF_UP | IFF_LOOPBACK};

	begin(RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	kernel_attribute(IFLA_IFNAME, "lo", 3);
}

static void
address(uint16_t message, const char *text, uint32_t ifindex)
{
	struct ifaddrmsg ifa = {.ifa_index = ifindex};
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	ifa.ifa_family = a.version == 6 ? AF_INET6 : AF_INET;
	begin(message, 0, &ifa, sizeof(ifa));
	kernel_attribute(IFA_ADDRESS, a.bytes, a.version == 6 ? 16 : 4);
}

/* Whether packets to 203.0.113.1 are the switch's in a table. */
static bool
is_own(unsigned int table)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(platform.ctl);
	const uint32_t addr = RTE_IPV4(203u, 0, 113, 1);
	uint64_t found;

	fcn_fib4_lookup(s->table[table].fib, &addr, &found, 1);
	return found == FCN_NH_LOCAL;
}

/* Number of addresses of the kernel that are in use. */
static unsigned int
n_own(void)
{
	json_t *all = fcn_show_addresses(platform.ctl), *row;
	unsigned int n = 0;
	size_t i;

	json_array_foreach (all, i, row) {
		if (strcmp(platform_string(row, "port"), "kernel") != 0)
			continue;
		assert_string_equal(platform_string(row, "state"), "preferred");
		n++;
	}
	json_decref(all);
	return n;
}

/* Addresses of the kernel's loopback are the switch's in each table that follows none of a VRF. */
TEST(own_addresses)
{
	struct fcn_config *cfg;

	loopback(); /* it has been asked for already */
	kernel_notify();
	address(RTM_NEWADDR, "203.0.113.1", LO);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	assert_true(is_own(0) && is_own(1));
	assert_int_equal(n_own(), 2);
	/* A route to it changes nothing, nor does one to another prefix. */
	kernel_route(RTM_NEWROUTE, "203.0.113.1/32", "192.0.2.1", SW0, RTN_UNICAST, RTPROT_BGP);
	kernel_notify();
	in_table(RTM_NEWROUTE, "192.0.2.1", SW0, 254);
	kernel_notify();
	kernel_platform_poll(1000 * MS);
	assert_true(is_own(0) && is_own(1));
	assert_string_equal(forwarded_to(0), "192.0.2.1");
	/* One that the kernel gets later. */
	address(RTM_NEWADDR, "2001:db8:f::1", LO);
	kernel_notify();
	kernel_platform_poll(2000 * MS);
	assert_int_equal(n_own(), 4);
	assert_true(is_own(0));
	/* A commit keeps them. */
	cfg = platform_edit();
	cfg->host.mld = false;
	platform_commit(cfg);
	assert_true(is_own(0) && is_own(1));
	assert_int_equal(n_own(), 4);
	/* Table 100 becomes that of a VRF, where others live. */
	kernel_vrf(RTM_NEWLINK, "red", VRF, 100);
	kernel_notify();
	kernel_platform_poll(3000 * MS);
	assert_true(is_own(0));
	assert_false(is_own(1));
	assert_int_equal(n_own(), 2);
	address(RTM_NEWADDR, "203.0.113.1", VRF);
	kernel_notify();
	kernel_platform_poll(4000 * MS);
	assert_true(is_own(1));
	address(RTM_DELADDR, "203.0.113.1", LO);
	kernel_notify();
	kernel_platform_poll(5000 * MS);
	assert_false(is_own(0));
	assert_true(is_own(1));
	assert_int_equal(n_own(), 2);
}
