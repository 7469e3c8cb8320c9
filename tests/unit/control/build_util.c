/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "build_util.h"

struct fcn_config *build_cfg;
struct fcn_build_env build_env;
char build_err[256];
struct fcn_snapshot *built;

int
build_setup(void **state)
{
	RTE_SET_USED(state);
	build_env = (struct fcn_build_env){
			.name = "build", .socket = SOCKET_ID_ANY, .generation = 1};
	build_cfg = fcn_config_create();
	return build_cfg == NULL || fcn_config_port_add(build_cfg, "p0") != 0 ||
	       fcn_config_port_add(build_cfg, "p1") != 1 ||
	       fcn_config_port_add(build_cfg, "p2") != 2;
}

int
build_setup_sub_interfaces(void **state)
{
	RTE_SET_USED(state);
	build_env = (struct fcn_build_env){
			.name = "build", .socket = SOCKET_ID_ANY, .n_workers = 1};
	build_cfg = fcn_config_create();
	return build_cfg == NULL || fcn_config_port_add(build_cfg, "p0") != 0 ||
	       fcn_config_port_add(build_cfg, "p1") != 1 ||
	       fcn_config_sub_interface_add(build_cfg, "p0.7", 0, 7) != 2 ||
	       fcn_config_sub_interface_add(build_cfg, "p0.8", 0, 8) != 3;
}

int
build_teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_snapshot_free(built);
	built = NULL;
	fcn_config_free(build_cfg);
	return 0;
}

struct fcn_prefix
build_prefix(const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	return p;
}

struct fcn_addr
build_addr(const char *text)
{
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	return a;
}

void
build_add_address(uint16_t port, const char *text)
{
	struct fcn_prefix p = build_prefix(text);

	assert_int_equal(FCN_LIST_ADD(build_cfg, "address", fcn_config_address, port, p), 0);
}

void
build_add_neighbour(uint16_t port, const char *text, uint8_t n)
{
	struct fcn_addr a = build_addr(text);
	struct rte_ether_addr mac = {{2, 0, 0, 0, 7, n}};

	assert_int_equal(FCN_LIST_ADD(build_cfg, "neighbour", fcn_config_neighbour, port, a, mac),
			0);
}

void
build_add_route(const char *text, const char *via, uint16_t port)
{
	struct fcn_config_route r = {
			.prefix = build_prefix(text), .port = port, .blackhole = via == NULL};

	if (via != NULL)
		r.via = build_addr(via);
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("route"), &r, NULL), 0);
}

struct fcn_snapshot *
build_snapshot(void)
{
	struct fcn_snapshot *s;

	build_err[0] = '\0';
	s = fcn_snapshot_build(build_cfg, &build_env, build_err, sizeof(build_err));
	if (s == NULL)
		print_error("%s\n", build_err);
	assert_non_null(s);
	assert_string_equal(build_err, "");
	return s;
}

void
build_again(void)
{
	fcn_snapshot_free(built);
	build_env.generation++;
	built = build_snapshot();
}

void
build_assert_refused(const char *want)
{
	struct fcn_snapshot *s = fcn_snapshot_build(
			build_cfg, &build_env, build_err, sizeof(build_err));

	assert_null(s);
	assert_string_equal(build_err, want);
}

const struct fcn_next_hop *
build_look_up_in(const struct fcn_snapshot *s, unsigned int table, const char *text)
{
	struct fcn_addr a = build_addr(text);
	uint64_t nh;

	if (a.version == 6) {
		uint8_t bytes[1][16];

		memcpy(bytes[0], a.bytes, 16);
		fcn_fib6_lookup(s->table[table].fib, bytes, &nh, 1);
	} else {
		uint32_t v4 = (uint32_t)a.bytes[0] << 24 | a.bytes[1] << 16 | a.bytes[2] << 8 |
			      a.bytes[3];

		fcn_fib4_lookup(s->table[table].fib, &v4, &nh, 1);
	}
	nh += s->table[table].first;
	assert_true(nh < s->n_next_hops);
	return &s->next_hop[nh];
}

const struct fcn_next_hop *
build_look_up(const struct fcn_snapshot *s, const char *text)
{
	return build_look_up_in(s, FCN_TABLE_MAIN, text);
}

void
build_assert_forward(const struct fcn_next_hop *nh, uint16_t port, uint8_t n)
{
	assert_int_equal(nh->type, FCN_NEXT_HOP_FORWARD);
	assert_int_equal(nh->port, port);
	assert_int_equal(nh->l2.dst_addr.addr_bytes[5], n);
}
