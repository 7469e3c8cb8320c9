/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* From a configuration to the border of a snapshot: segment identifiers that do not cross it (RFC
 * 8754 section 5.1), and the classes of untrusted ports. */

#include "build_util.h"

static int
setup(void **state)
{
	const int rc = build_setup(state);

	build_cfg->port[0].border = true;
	return rc;
}

static int
teardown(void **state)
{
	fcn_snapshot_free(built);
	built = NULL;
	return build_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static void
add_sid(const char *prefix, unsigned int block_bits)
{
	struct fcn_config_srv6_sid sid;

	memset(&sid, 0, sizeof(sid));
	sid.prefix = build_prefix(prefix);
	sid.has_csid = block_bits != 0;
	if (sid.has_csid)
		sid.csid = (struct fcn_srv6_csid){
				(uint8_t)block_bits, (uint8_t)(sid.prefix.len - block_bits)};
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("srv6 sid"), &sid, NULL), 0);
}

static bool
is_listed(const char *address)
{
	const struct fcn_addr a = build_addr(address);

	return built->border.sids != NULL &&
	       fcn_prefix_list_lookup6(built->border.sids, a.bytes, 0) == FCN_BORDER_LISTED;
}

/* Those of the switch itself count without being listed, unless they are let in. */
TEST(local_sids)
{
	const struct fcn_prefix listed = build_prefix("2001:db8:f00::/40");

	add_sid("2001:db8:51::1/128", 0);
	add_sid("2001:db8:52::/48", 0);
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("border sid"), &listed, NULL), 0);
	build_again();
	assert_true(is_listed("2001:db8:51::1"));
	assert_false(is_listed("2001:db8:51::2"));
	assert_true(is_listed("2001:db8:52:7::1"));
	assert_true(is_listed("2001:db8:f11::1"));
	build_cfg->border.local_sids = FCN_BORDER_PASS;
	build_again();
	assert_false(is_listed("2001:db8:51::1"));
	assert_false(is_listed("2001:db8:52:7::1"));
	assert_true(is_listed("2001:db8:f11::1"));
}

/* An address that begins with the block of a compressed SID leads to this switch by way of others:
 * 2001:db8:aaaa:100:: goes to the node aaaa, and from there to the node 100. */
TEST(compressed_sids)
{
	add_sid("fcbb:bb00:100::/48", 32);
	build_again();
	assert_true(is_listed("fcbb:bb00:100::"));
	assert_true(is_listed("fcbb:bb00:aaaa:100::"));
	assert_false(is_listed("fcbb:bb01:100::"));
}

/* The same as a list and as a local SID, and one inside another: each address has one answer. */
TEST(overlap)
{
	const struct fcn_prefix listed = build_prefix("2001:db8:51::/48");

	add_sid("2001:db8:51::/48", 0);
	add_sid("2001:db8:51:1::1/128", 0);
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("border sid"), &listed, NULL), 0);
	build_again();
	assert_true(is_listed("2001:db8:51:1::1"));
	assert_true(is_listed("2001:db8:51:1::2"));
	assert_false(is_listed("2001:db8:53::1"));
}

/* Without a border port nobody asks. */
TEST(no_border)
{
	build_cfg->port[0].border = false;
	add_sid("2001:db8:51::1/128", 0);
	build_again();
	assert_null(built->border.sids);
}

/* What an untrusted port may not have is for the stages, whatever DSCP stands for it. */
TEST(classes_of_untrusted_ports)
{
	build_cfg->class_map.dscp[8] = 7;
	build_cfg->class_map.dscp[48] = 3;
	build_again();
	assert_int_equal(built->protected_classes, 1 << 6 | 1 << 7);
	build_cfg->port[0].queue[3].trim = FCN_TRIM_FORWARD; /* and that of trimmed packets */
	build_again();
	assert_int_equal(built->protected_classes, 1 << 5 | 1 << 6 | 1 << 7);
	build_cfg->port[0].queue[3].trim = FCN_TRIM_OFF;
	build_again();
	assert_int_equal(built->untrusted_class_of_dscp[8], FCN_CLASSES);
	assert_int_equal(built->untrusted_class_of_dscp[26], 3);
	assert_int_equal(built->untrusted_class_of_dscp[48], 3);
	assert_int_equal(built->untrusted_class_of_dscp[49], FCN_CLASSES);
	assert_int_equal(built->untrusted_class_of_dscp[63], FCN_CLASSES);
}
