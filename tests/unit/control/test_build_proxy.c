/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to a snapshot: the option with the address of a proxy, and the border. */

#include <errno.h>

#include "fcn_list.h"
#include "fcn_build.h"
#include "fcn_test.h"

static struct fcn_config *cfg;
static struct fcn_snapshot *snap;

static int
setup(void **state)
{
	RTE_SET_USED(state);
	snap = NULL;
	cfg = fcn_config_create();
	return cfg == NULL || fcn_config_port_add(cfg, "p0") != 0 ||
	       fcn_config_port_add(cfg, "p1") != 1 ||
	       fcn_config_sub_interface_add(cfg, "p0.7", 0, 7) != 2;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_snapshot_free(snap);
	fcn_config_free(cfg);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static void
build(void)
{
	struct fcn_build_env env = {.name = "build", .socket = SOCKET_ID_ANY, .generation = 1};
	char err[256] = "";

	fcn_snapshot_free(snap);
	snap = fcn_snapshot_build(cfg, &env, err, sizeof(err));
	assert_string_equal(err, "");
	assert_non_null(snap);
}

static int
insert(const char *prefix, const char *address)
{
	struct fcn_prefix p;
	struct fcn_addr a;

	assert_int_equal(fcn_prefix_parse(prefix, &p), 0);
	assert_int_equal(fcn_addr_parse(address, &a), 0);
	return FCN_LIST_ADD(cfg, "proxy insert", fcn_config_proxy_prefix, p, a);
}

/* Off by default, and of use only with senders. A sub-interface has what its port has. */
TEST(option)
{
	const uint8_t sender[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0xa, [15] = 1};
	const uint8_t other[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0xb, [15] = 1};

	build();
	assert_false(snap->proxy_edge.any_insert);
	assert_false(snap->proxy_edge.any_remove);
	assert_int_equal(snap->proxy_edge.too_big, FCN_PROXY_TOO_BIG_OMIT);
	cfg->port[0].proxy_option = FCN_PROXY_EDGE_INSERT;
	build();
	assert_false(snap->proxy_edge.any_insert);
	assert_int_equal(insert("2001:db8:a::5/48", "2001:db8:f::1"), 0);
	build();
	assert_true(snap->proxy_edge.any_insert);
	assert_false(snap->proxy_edge.any_remove);
	assert_int_equal(snap->port[2].proxy_option, FCN_PROXY_EDGE_INSERT);
	assert_int_equal(snap->port[1].proxy_option, FCN_PROXY_EDGE_OFF);
	assert_non_null(fcn_proxy_map_find6(snap->proxy_edge.senders, sender));
	assert_null(fcn_proxy_map_find6(snap->proxy_edge.senders, other));
	/* What was inserted has to be taken out at the border. */
	cfg->port[1].border = true;
	build();
	assert_true(snap->proxy_edge.any_remove);
	cfg->port[0].proxy_option = FCN_PROXY_EDGE_REMOVE;
	build();
	assert_false(snap->proxy_edge.any_insert);
	assert_true(snap->proxy_edge.any_remove);
}

TEST(refused)
{
	assert_int_equal(insert("192.0.2.0/24", "2001:db8:f::1"), -EAFNOSUPPORT);
	assert_int_equal(insert("2001:db8:a::/48", "192.0.2.1"), -EAFNOSUPPORT);
	assert_int_equal(insert("2001:db8:a::/48", "fe80::1"), -EINVAL);
	assert_int_equal(insert("2001:db8:a::/48", "ff02::1"), -EINVAL);
	assert_int_equal(cfg->proxy.inserts.n, 0);
}

/* Messages do not cross the border, by the port of the switch unless another is set. */
TEST(border)
{
	build();
	assert_int_equal(snap->border.codes.cnm_port, 0);
	cfg->proxy.cnm_port = 1021;
	build();
	assert_int_equal(snap->border.codes.cnm_port, 1021);
	cfg->border.cnm_port = 2000;
	build();
	assert_int_equal(snap->border.codes.cnm_port, 2000);
	assert_int_equal(snap->border.codes.arn_port, 0);
	cfg->arn.port = 1022;
	build();
	assert_int_equal(snap->border.codes.arn_port, 1022);
	cfg->border.arn_port = 2001;
	build();
	assert_int_equal(snap->border.codes.arn_port, 2001);
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
		assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 0, p), 0);
	}
	cfg->loopback = addr_of("2001:db8:f::1");
	cfg->proxy.cnm_port = 1021;
	cfg->notify.on = 1u << FCN_NOTICE_CNM;
	build();
	assert_memory_equal(snap->notify.common.source4[0], first, 4);
	assert_memory_equal(snap->notify.common.source4[1], none, 4);
	cfg->loopback4 = addr_of("203.0.113.9");
	build();
	for (unsigned int i = 0; i < 3; i++)
		assert_memory_equal(snap->notify.common.source4[i], loopback, 4);
}
