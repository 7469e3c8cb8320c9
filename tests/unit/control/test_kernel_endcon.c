/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* END.CON addresses that a P node knows by the routing protocol of routes of the kernel. */

#include <linux/rtnetlink.h>

#include "fcn_notice_endcon.h"
#include "kernel_platform.h"

#define BUILD_EVERY (10 * MS)
#define SW1 (KERNEL_FIRST_IFINDEX + 1)
#define OTHER 99    /* an interface that is none of the switch */
#define PROTOCOL 77 /* routes of this protocol count */

static const uint8_t mac1[6] = {2, 0, 0, 0, 9, 1};

/* Port p1 is 2001:db8:2::fe/64; an END.CON is configured, and the kernel has routes of two
 * protocols. */
static int
setup(void **state)
{
	struct fcn_config *cfg;
	struct fcn_prefix endcon;

	if (kernel_platform_setup(state) != 0)
		return -1;
	cfg = platform_edit();
	kernel_platform_port(cfg, "p0", "sw0");
	kernel_platform_port(cfg, "p1", "sw1");
	kernel_platform_address(cfg, 1, "2001:db8:2::fe/64");
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	cfg->kernel = (struct fcn_config_kernel){.mode = FCN_KERNEL_TABLE, .table = 254};
	assert_int_equal(fcn_addr_parse("2001:db8:ff::1", &cfg->loopback), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:e0::c/128", &endcon), 0);
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 endcon"), &endcon, NULL), 0);
	cfg->srv6.endcon_protocol = PROTOCOL;
	cfg->notify.on = 1u << FCN_NOTICE_ENDCON;
	platform_commit(cfg);
	kernel_route(RTM_NEWROUTE, "2001:db8:e1::/48", "2001:db8:2::1", SW1, RTN_UNICAST, PROTOCOL);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "2001:db8:e2::/48", "2001:db8:2::1", SW1, RTN_UNICAST,
			RTPROT_BGP);
	kernel_add_to_dumps();
	kernel_route(RTM_NEWROUTE, "2001:db8:e3::/48", "2001:db8:2::1", OTHER, RTN_UNICAST,
			PROTOCOL);
	kernel_add_to_dumps();
	kernel_neighbour(RTM_NEWNEIGH, "2001:db8:2::1", mac1, SW1);
	kernel_add_to_dumps();
	kernel_platform_poll(0);
	kernel_platform_poll(BUILD_EVERY);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = kernel_platform_teardown);

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

static void
assert_shown(size_t n, size_t of_kernel)
{
	json_t *o = fcn_show_srv6_endcon(platform.ctl), *known = json_object_get(o, "known"), *row;
	size_t i, found = 0;

	json_array_foreach (known, i, row)
		found += strcmp(platform_string(row, "origin"), "kernel") == 0;
	assert_int_equal(json_array_size(known), n);
	assert_int_equal(found, of_kernel);
	json_decref(o);
}

static void
change(int type, const char *prefix, uint8_t protocol, uint64_t now)
{
	kernel_route(type, prefix, "2001:db8:2::1", SW1, RTN_UNICAST, protocol);
	kernel_notify();
	kernel_platform_poll(now);
	kernel_platform_poll(now + BUILD_EVERY);
}

/* Routes of the protocol by a port of the switch, beside what is configured. */
TEST(read)
{
	assert_true(is_known("2001:db8:e0::c"));
	assert_true(is_known("2001:db8:e1:1::c"));
	assert_false(is_known("2001:db8:e2:1::c"));
	assert_false(is_known("2001:db8:e3:1::c"));
	assert_shown(2, 1);
}

/* Routes come and go, and change their protocol. */
TEST(changes)
{
	change(RTM_NEWROUTE, "2001:db8:e4::/48", PROTOCOL, 20 * MS);
	assert_true(is_known("2001:db8:e4:1::c"));
	assert_true(is_known("2001:db8:e1:1::c"));
	assert_shown(3, 2);
	change(RTM_DELROUTE, "2001:db8:e1::/48", PROTOCOL, 40 * MS);
	assert_false(is_known("2001:db8:e1:1::c"));
	change(RTM_DELROUTE, "2001:db8:e4::/48", PROTOCOL, 60 * MS);
	change(RTM_NEWROUTE, "2001:db8:e4::/48", RTPROT_BGP, 80 * MS);
	assert_false(is_known("2001:db8:e4:1::c"));
	assert_true(is_known("2001:db8:e0::c"));
	assert_shown(1, 0);
}

/* Another protocol, and none. */
TEST(setting)
{
	struct fcn_config *cfg = platform_edit();

	cfg->srv6.endcon_protocol = RTPROT_BGP;
	platform_commit(cfg);
	assert_false(is_known("2001:db8:e1:1::c"));
	assert_true(is_known("2001:db8:e2:1::c"));
	assert_shown(2, 1);
	cfg = platform_edit();
	cfg->srv6.endcon_protocol = FCN_SRV6_NO_PROTOCOL;
	platform_commit(cfg);
	assert_false(is_known("2001:db8:e2:1::c"));
	assert_true(is_known("2001:db8:e0::c"));
	assert_shown(1, 0);
}
