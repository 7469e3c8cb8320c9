/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to a snapshot: the option with the address of a proxy, and the border. */

#include <errno.h>

#include "build_util.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = build_setup_sub_interfaces, .teardown = build_teardown);

static int
insert(const char *prefix, const char *address)
{
	struct fcn_prefix p;
	struct fcn_addr a;

	assert_int_equal(fcn_prefix_parse(prefix, &p), 0);
	assert_int_equal(fcn_addr_parse(address, &a), 0);
	return FCN_LIST_ADD(build_cfg, "proxy insert", fcn_config_proxy_prefix, p, a);
}

/* Off by default, and of use only with senders. A sub-interface has what its port has. */
TEST(option)
{
	const uint8_t sender[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0xa, [15] = 1};
	const uint8_t other[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0xb, [15] = 1};

	build_again();
	assert_false(built->proxy_edge.any_insert);
	assert_false(built->proxy_edge.any_remove);
	assert_int_equal(built->proxy_edge.too_big, FCN_PROXY_TOO_BIG_OMIT);
	build_cfg->port[0].proxy_option = FCN_PROXY_EDGE_INSERT;
	build_again();
	assert_false(built->proxy_edge.any_insert);
	assert_int_equal(insert("2001:db8:a::5/48", "2001:db8:f::1"), 0);
	build_again();
	assert_true(built->proxy_edge.any_insert);
	assert_false(built->proxy_edge.any_remove);
	assert_int_equal(built->port[2].proxy_option, FCN_PROXY_EDGE_INSERT);
	assert_int_equal(built->port[1].proxy_option, FCN_PROXY_EDGE_OFF);
	assert_non_null(fcn_proxy_map_find6(built->proxy_edge.senders, sender));
	assert_null(fcn_proxy_map_find6(built->proxy_edge.senders, other));
	/* What was inserted has to be taken out at the border. */
	build_cfg->port[1].border = true;
	build_again();
	assert_true(built->proxy_edge.any_remove);
	build_cfg->port[0].proxy_option = FCN_PROXY_EDGE_REMOVE;
	build_again();
	assert_false(built->proxy_edge.any_insert);
	assert_true(built->proxy_edge.any_remove);
}

TEST(refused)
{
	assert_int_equal(insert("192.0.2.0/24", "2001:db8:f::1"), -EAFNOSUPPORT);
	assert_int_equal(insert("2001:db8:a::/48", "192.0.2.1"), -EAFNOSUPPORT);
	assert_int_equal(insert("2001:db8:a::/48", "fe80::1"), -EINVAL);
	assert_int_equal(insert("2001:db8:a::/48", "ff02::1"), -EINVAL);
	assert_int_equal(build_cfg->proxy.inserts.n, 0);
}

/* Messages do not cross the border, by the port of the switch unless another is set. */
TEST(border)
{
	build_again();
	assert_int_equal(built->border.codes.cnm_port, 0);
	build_cfg->proxy.cnm_port = 1021;
	build_again();
	assert_int_equal(built->border.codes.cnm_port, 1021);
	build_cfg->border.cnm_port = 2000;
	build_again();
	assert_int_equal(built->border.codes.cnm_port, 2000);
	assert_int_equal(built->border.codes.arn_port, 0);
	build_cfg->arn.port = 1022;
	build_again();
	assert_int_equal(built->border.codes.arn_port, 1022);
	build_cfg->border.arn_port = 2001;
	build_again();
	assert_int_equal(built->border.codes.arn_port, 2001);
}

static struct fcn_addr
addr_of(const char *text)
{
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	return a;
}

/* Of messages over IPv4: the loopback by every interface, or else the first address of each. */
TEST(cnm_source)
{
	static const uint8_t none[4], loopback[4] = {203, 0, 113, 9}, first[4] = {192, 0, 2, 1};
	static const char *const addresses[] = {"192.0.2.1/24", "198.51.100.1/24"};
	struct fcn_prefix p;

	for (unsigned int i = 0; i < RTE_DIM(addresses); i++) {
		assert_int_equal(fcn_prefix_parse(addresses[i], &p), 0);
		assert_int_equal(FCN_LIST_ADD(build_cfg, "address", fcn_config_address, 0, p), 0);
	}
	build_cfg->loopback = addr_of("2001:db8:f::1");
	build_cfg->proxy.cnm_port = 1021;
	build_cfg->notify.on = 1u << FCN_NOTICE_CNM;
	build_again();
	assert_memory_equal(built->notify.common.source4[0], first, 4);
	assert_memory_equal(built->notify.common.source4[1], none, 4);
	build_cfg->loopback4 = addr_of("203.0.113.9");
	build_again();
	for (unsigned int i = 0; i < 3; i++)
		assert_memory_equal(built->notify.common.source4[i], loopback, 4);
}
