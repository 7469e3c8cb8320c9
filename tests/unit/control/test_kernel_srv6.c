/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* SRv6 of the kernel: segment lists and local SIDs, from its messages to snapshots. */

#include <linux/rtnetlink.h>
#include <linux/seg6_local.h>

#include "fcn_local.h"
#include "kernel_platform.h"

#define BUILD_EVERY (10 * MS)
#define SW1 (KERNEL_FIRST_IFINDEX + 1)

static const uint8_t mac1[6] = {2, 0, 0, 0, 9, 1};

/* Port p1 is 2001:db8:2::fe/64; a route of the kernel leads to 2001:db8:8::/48 by it. */
static int
setup(void **state)
{
	struct fcn_config *cfg;

	if (kernel_platform_setup(state) != 0)
		return -1;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_port(cfg, "p1", "sw1");
	kernel_platform_address(cfg, 0, "192.0.2.254/24");
	kernel_platform_address(cfg, 1, "2001:db8:2::fe/64");
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	cfg->kernel = (struct fcn_config_kernel){.mode = FCN_KERNEL_TABLE, .table = 254};
	assert_int_equal(fcn_addr_parse("2001:db8:ff::1", &cfg->loopback), 0);
	platform_commit(cfg);
	kernel_route(RTM_NEWROUTE, "2001:db8:8::/48", "2001:db8:2::1", SW1, RTN_UNICAST,
			RTPROT_OSPF);
	kernel_add_to_dumps();
	kernel_neighbour(RTM_NEWNEIGH, "2001:db8:2::1", mac1, SW1);
	kernel_add_to_dumps();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = kernel_platform_teardown);

/* The only next hop of packets to an address. */
static const struct fcn_next_hop *
way_to(const char *text)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(platform.ctl);
	struct fcn_addr a;
	uint8_t bytes[1][16];
	uint64_t nh;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	memcpy(bytes[0], a.bytes, 16);
	fcn_fib6_lookup(s->table[0].fib, bytes, &nh, 1);
	return &s->next_hop[nh];
}

static const struct fcn_encaps *
encaps_to(const char *text)
{
	const struct fcn_next_hop *nh = way_to(text);

	assert_int_equal(nh->type, FCN_NEXT_HOP_ENCAPS);
	return &fcn_control_snapshot(platform.ctl)->srv6.encaps[nh->first_member];
}

/* Get the row of a list of `show srv6 policy`. To be freed. */
static json_t *
shown_list(const char *first_segment)
{
	json_t *all = fcn_show_srv6_policies(platform.ctl), *row, *found = NULL;
	size_t i;

	json_array_foreach (json_object_get(all, "segment_lists"), i, row) {
		const json_t *segments = json_object_get(row, "segments");

		if (strcmp(json_string_value(json_array_get(segments, 0)), first_segment) == 0)
			found = json_incref(row);
	}
	json_decref(all);
	assert_non_null(found);
	return found;
}

static void
assert_state(const char *first_segment, const char *state)
{
	json_t *row = shown_list(first_segment);

	assert_string_equal(platform_string(row, "state"), state);
	assert_string_equal(platform_string(row, "origin"), "kernel");
	json_decref(row);
}

static void
set_source(const char *loopback, const char *source, const char *roce)
{
	struct fcn_config *cfg = platform_edit();

	cfg->loopback = cfg->srv6.kernel_source = cfg->srv6.kernel_roce_source = (struct fcn_addr){
			0};
	if (loopback != NULL)
		assert_int_equal(fcn_addr_parse(loopback, &cfg->loopback), 0);
	if (source != NULL)
		assert_int_equal(fcn_addr_parse(source, &cfg->srv6.kernel_source), 0);
	if (roce != NULL)
		assert_int_equal(fcn_addr_parse(roce, &cfg->srv6.kernel_roce_source), 0);
	platform_commit(cfg);
}

#define PAYLOAD_LENGTH 4 /* offsets in the outer header */
#define NEXT_HEADER 6
#define SOURCE 8
#define DESTINATION 24
#define ROUTING 40

/* The headers of RFC 8986 sections 5.1 and 5.2, octet by octet. */
TEST(headers)
{
	static const uint8_t source[16] = {0x20, 1, 0xd, 0xb8, 0, 0xff, [15] = 1};
	static const uint8_t first[16] = {0x20, 1, 0xd, 0xb8, 0, 8, [15] = 1};
	static const uint8_t second[16] = {0x20, 1, 0xd, 0xb8, 0, 9, [15] = 2};
	const struct fcn_encaps *e;
	json_t *row;

	kernel_segments(RTM_NEWROUTE, "2001:db8:a::/48", "2001:db8:8::1,2001:db8:9::2", false);
	kernel_add_to_dumps();
	kernel_segments(RTM_NEWROUTE, "2001:db8:b::/48", "2001:db8:8::3,2001:db8:9::2", true);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	e = encaps_to("2001:db8:a::1");
	assert_int_equal(e->other.len, 40 + 8 + 32);
	assert_int_equal(e->other.header[NEXT_HEADER], 43);
	assert_memory_equal(e->other.header + SOURCE, source, 16);
	assert_memory_equal(e->other.header + DESTINATION, first, 16);
	assert_memory_equal(
			e->other.header + ROUTING + 1, ((const uint8_t[]){4, 4, 1, 1, 0, 0, 0}), 7);
	assert_memory_equal(e->other.header + ROUTING + 8, second, 16);
	assert_memory_equal(e->other.header + ROUTING + 24, first, 16);
	assert_memory_equal(e->roce.header, e->other.header, e->other.len);
	e = encaps_to("2001:db8:b::1");
	assert_int_equal(e->other.len, 40 + 8 + 16);
	assert_memory_equal(
			e->other.header + ROUTING + 1, ((const uint8_t[]){2, 4, 1, 0, 0, 0, 0}), 7);
	assert_memory_equal(e->other.header + ROUTING + 8, second, 16);
	row = shown_list("2001:db8:8::3");
	platform_shows(row, "{'policy': 'kernel', 'mode': 'encaps-red', 'port': 'p1', "
			    "'next_hop': '02:00:00:00:09:01', 'overhead': 64}");
	assert_in_range(platform_number(row, "list"), FCN_SRV6_SEGMENT_LISTS,
			FCN_SRV6_LIST_SLOTS - 1);
	json_decref(row);
	assert_state("2001:db8:8::1", "live");
}

TEST(sources)
{
	kernel_segments(RTM_NEWROUTE, "2001:db8:a::/48", "2001:db8:8::1", true);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	set_source("2001:db8:ff::1", "2001:db8:ff::2", "2001:db8:ff::c");
	assert_int_equal(encaps_to("2001:db8:a::1")->other.len, 40);
	assert_int_equal(encaps_to("2001:db8:a::1")->other.header[SOURCE + 15], 2);
	assert_int_equal(encaps_to("2001:db8:a::1")->roce.header[SOURCE + 15], 0xc);
	set_source(NULL, "2001:db8:ff::2", NULL);
	assert_int_equal(encaps_to("2001:db8:a::1")->roce.header[SOURCE + 15], 2);
	set_source(NULL, NULL, "2001:db8:ff::c");
	assert_int_equal(way_to("2001:db8:a::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_state("2001:db8:8::1", "no source");
}

/* Lists change and go, and no packet gets two tunnels. */
TEST(changes)
{
	json_t *row;

	kernel_platform_poll(0);
	kernel_segments(RTM_NEWROUTE, "2001:db8:a::/48", "2001:db8:8::1", true);
	kernel_notify();
	kernel_segments(RTM_NEWROUTE, "2001:db8:b::/48", "2001:db8:a::1", true);
	kernel_notify();
	kernel_segments(RTM_NEWROUTE, "2001:db8:c::/48", "2001:db8:77::1", true);
	kernel_notify();
	kernel_platform_poll(1 * MS + BUILD_EVERY);
	assert_memory_equal(encaps_to("2001:db8:a::1")->first + 4, ((const uint8_t[]){0, 8}), 2);
	assert_int_equal(way_to("2001:db8:b::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_state("2001:db8:a::1", "recursive");
	assert_state("2001:db8:77::1", "no route");
	kernel_segments(RTM_DELROUTE, "2001:db8:a::/48", "2001:db8:8::1", true);
	kernel_notify();
	kernel_route(RTM_NEWROUTE, "2001:db8:77::/48", "2001:db8:2::1", SW1, RTN_UNICAST,
			RTPROT_OSPF);
	kernel_notify();
	kernel_platform_poll(2 * MS + 2 * BUILD_EVERY);
	assert_int_equal(way_to("2001:db8:a::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_memory_equal(encaps_to("2001:db8:c::1")->first + 4, ((const uint8_t[]){0, 0x77}), 2);
	assert_state("2001:db8:77::1", "live");
	row = fcn_show_kernel(platform.ctl);
	assert_int_equal(platform_number(row, "segment_lists"), 2);
	json_decref(row);
}

/* A configured route hides the kernel's. */
TEST(hidden)
{
	const struct fcn_route_query query = {.limit = UINT64_MAX};
	struct fcn_config_route r = {.blackhole = true};
	struct fcn_config *cfg;
	json_t *all, *row;

	kernel_segments(RTM_NEWROUTE, "2001:db8:a::/48", "2001:db8:8::1,2001:db8:9::2", true);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	all = fcn_show_some_routes(platform.ctl, &query);
	row = json_array_get(all, json_array_size(all) - 1);
	platform_shows(row,
			"{'prefix': '2001:db8:a::/48', 'origin': 'kernel', 'kind': 'segments'}");
	assert_string_equal(json_string_value(json_array_get(json_object_get(row, "segments"), 1)),
			"2001:db8:9::2");
	assert_int_equal(platform_number(row, "weight"), 1);
	json_decref(all);
	cfg = platform_edit();
	assert_int_equal(fcn_prefix_parse("2001:db8:a::/48", &r.prefix), 0);
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("route"), &r, NULL), 0);
	platform_commit(cfg);
	assert_int_equal(way_to("2001:db8:a::1")->type, FCN_NEXT_HOP_BLACKHOLE);
}

/* The SID that an address is; NULL: it is none. */
static const struct fcn_srv6_sid *
sid_of(const char *address)
{
	const struct fcn_next_hop *nh = way_to(address);

	if (nh->type != FCN_NEXT_HOP_LOCAL || nh->local != FCN_LOCAL_SRV6)
		return NULL;
	return &fcn_control_snapshot(platform.ctl)->srv6.sid[nh->first_member];
}

/* Get the state in the row of `show srv6 sid`. @return "null", or "none" if there is no such row */
static const char *
shown_state(const char *prefix)
{
	json_t *all = fcn_show_srv6_sids(platform.ctl), *row;
	static char state[100];
	size_t i;

	strcpy(state, "none");
	json_array_foreach (json_object_get(all, "sids"), i, row) {
		const json_t *value = json_object_get(row, "state");

		if (strcmp(platform_string(row, "sid"), prefix) == 0 &&
				strcmp(platform_string(row, "origin"), "kernel") == 0)
			snprintf(state, sizeof(state), "%s",
					json_is_null(value) ? "null" : json_string_value(value));
	}
	json_decref(all);
	return state;
}

TEST(sids)
{
	const struct fcn_snapshot *s;
	const struct fcn_srv6_sid *sid;

	kernel_sid(RTM_NEWROUTE, "2001:db8:51:1::/64", SEG6_LOCAL_ACTION_END, 0, NULL,
			1 << SEG6_LOCAL_FLV_OP_PSP);
	kernel_add_to_dumps();
	kernel_sid(RTM_NEWROUTE, "2001:db8:51:6::/64", SEG6_LOCAL_ACTION_END_DT6, 254, NULL, 0);
	kernel_add_to_dumps();
	kernel_sid(RTM_NEWROUTE, "2001:db8:51:5::/64", SEG6_LOCAL_ACTION_END_X, 0, "2001:db8:2::1",
			0);
	kernel_add_to_dumps();
	kernel_sid(RTM_NEWROUTE, "fcbb:bb00:100::/48", SEG6_LOCAL_ACTION_END, 0, NULL,
			1 << SEG6_LOCAL_FLV_OP_NEXT_CSID);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	s = fcn_control_snapshot(platform.ctl);
	sid = sid_of("2001:db8:51:1::1");
	assert_non_null(sid);
	assert_int_equal(sid->behavior, FCN_SRV6_END);
	assert_int_equal(sid->flavors, FCN_SRV6_FLAVOR_PSP);
	assert_true(sid->is_fast_step);
	sid = sid_of("2001:db8:51:6::1");
	assert_int_equal(sid->behavior, FCN_SRV6_END_DT6);
	assert_int_equal(sid->inner, FCN_SRV6_INNER_IPV6);
	assert_int_equal(sid->table, FCN_TABLE_MAIN);
	assert_true(sid->is_fast_decaps);
	sid = sid_of("2001:db8:51:5::1");
	assert_int_equal(sid->behavior, FCN_SRV6_END_X);
	assert_int_equal(s->next_hop[sid->next_hop].type, FCN_NEXT_HOP_FORWARD);
	assert_memory_equal(&s->next_hop[sid->next_hop].l2.dst_addr, mac1, 6);
	sid = sid_of("fcbb:bb00:100:200::");
	assert_true(sid->has_csid);
	assert_int_equal(sid->csid.block_bits, 32);
	assert_int_equal(sid->csid.node_function_bits, 16);
	assert_string_equal(shown_state("2001:db8:51:5::/64"), "resolved");
	assert_string_equal(shown_state("2001:db8:51:6::/64"), "null");
}

static bool
is_refused_at_border(const char *address)
{
	const struct fcn_border_conf *border = &fcn_control_snapshot(platform.ctl)->border;
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(address, &a), 0);
	return border->sids != NULL &&
	       fcn_prefix_list_lookup6(border->sids, a.bytes, 0) == FCN_BORDER_LISTED;
}

/* What comes from outside does not reach the SIDs that the kernel has, either: they come and go
 * while the switch runs. */
TEST(border)
{
	struct fcn_config *cfg = platform_edit();

	cfg->port[0].border = true;
	platform_commit(cfg);
	kernel_platform_poll(0);
	assert_false(is_refused_at_border("2001:db8:51:6::1"));
	kernel_sid(RTM_NEWROUTE, "2001:db8:51:6::/64", SEG6_LOCAL_ACTION_END_DT6, 254, NULL, 0);
	kernel_notify();
	kernel_sid(RTM_NEWROUTE, "fcbb:bb00:100::/48", SEG6_LOCAL_ACTION_END, 0, NULL,
			1 << SEG6_LOCAL_FLV_OP_NEXT_CSID);
	kernel_notify();
	/* This switch has no such table: it is none of its SIDs. */
	kernel_sid(RTM_NEWROUTE, "2001:db8:51:1::/64", SEG6_LOCAL_ACTION_END_DT6, 77, NULL, 0);
	kernel_notify();
	kernel_platform_poll(MS + BUILD_EVERY);
	assert_non_null(sid_of("2001:db8:51:6::1"));
	assert_true(is_refused_at_border("2001:db8:51:6::1"));
	assert_true(is_refused_at_border("fcbb:bb00:aaaa:100::"));
	assert_false(is_refused_at_border("2001:db8:51:1::1"));
	kernel_sid(RTM_DELROUTE, "2001:db8:51:6::/64", SEG6_LOCAL_ACTION_END_DT6, 254, NULL, 0);
	kernel_notify();
	kernel_platform_poll(2 * MS + 2 * BUILD_EVERY);
	assert_false(is_refused_at_border("2001:db8:51:6::1"));
	cfg = platform_edit();
	cfg->border.local_sids = FCN_BORDER_PASS;
	platform_commit(cfg);
	assert_false(is_refused_at_border("fcbb:bb00:aaaa:100::"));
}

/* What the switch cannot do is refused, not forwarded; what is configured comes first. */
TEST(refused_sids)
{
	struct fcn_config_srv6_sid own = {.behavior = FCN_SRV6_END};
	struct fcn_config *cfg;

	kernel_platform_poll(0);
	kernel_route(RTM_NEWROUTE, "2001:db8:51::/48", "2001:db8:2::1", SW1, RTN_UNICAST,
			RTPROT_OSPF);
	kernel_notify();
	kernel_sid(RTM_NEWROUTE, "2001:db8:51:1::/64", SEG6_LOCAL_ACTION_END_DT6, 77, NULL, 0);
	kernel_notify();
	kernel_sid(RTM_NEWROUTE, "2001:db8:51:2::/64", SEG6_LOCAL_ACTION_END_X, 0, "2001:db8:99::1",
			0);
	kernel_notify();
	kernel_sid(RTM_NEWROUTE, "2001:db8:51:3::/64", SEG6_LOCAL_ACTION_END, 0, NULL,
			1 << SEG6_LOCAL_FLV_OP_NEXT_CSID);
	kernel_notify();
	kernel_sid(RTM_NEWROUTE, "2001:db8:51:4::/64", SEG6_LOCAL_ACTION_END_DT6, 254, NULL, 0);
	kernel_notify();
	kernel_platform_poll(MS + BUILD_EVERY);
	assert_int_equal(way_to("2001:db8:51:1::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(way_to("2001:db8:51:2::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(way_to("2001:db8:51:3::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(way_to("2001:db8:51:9::1")->type, FCN_NEXT_HOP_FORWARD);
	assert_string_equal(shown_state("2001:db8:51:1::/64"),
			"no table of the switch follows this table of the kernel");
	assert_string_equal(shown_state("2001:db8:51:2::/64"),
			"the station is not on a network of a port");
	assert_int_equal(sid_of("2001:db8:51:4::1")->behavior, FCN_SRV6_END_DT6);
	cfg = platform_edit();
	assert_int_equal(fcn_prefix_parse("2001:db8:51:4::/64", &own.prefix), 0);
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 sid"), &own, NULL), 0);
	platform_commit(cfg);
	assert_int_equal(sid_of("2001:db8:51:4::1")->behavior, FCN_SRV6_END);
	kernel_sid(RTM_DELROUTE, "2001:db8:51:1::/64", SEG6_LOCAL_ACTION_END_DT6, 77, NULL, 0);
	kernel_notify();
	kernel_platform_poll(2 * MS + 2 * BUILD_EVERY);
	assert_int_equal(way_to("2001:db8:51:1::1")->type, FCN_NEXT_HOP_FORWARD);
	assert_string_equal(shown_state("2001:db8:51:1::/64"), "none");
}
