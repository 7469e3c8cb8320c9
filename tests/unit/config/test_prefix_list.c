/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Lists of a configuration whose elements begin with a prefix, asked through the lists that
 * congestion notification with a proxy has: with values and without, with a limit and without.
 */

#include <errno.h>

#include "fcn_list.h"
#include "fcn_config.h"
#include "fcn_test.h"

static struct fcn_prefix
prefix_of(const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	return p;
}

static int
set(struct fcn_config *cfg, const char *prefix, enum fcn_proxy_translation translation)
{
	const struct fcn_prefix p = prefix_of(prefix);

	return FCN_LIST_ADD(cfg, "proxy sender", fcn_config_proxy_sender, p, translation);
}

static int
take(struct fcn_config *cfg, const char *prefix)
{
	const struct fcn_prefix p = prefix_of(prefix);

	return FCN_LIST_REMOVE(cfg, "proxy sender", fcn_config_proxy_sender, p);
}

/* Element i has this prefix and this value. */
static void
assert_element(const struct fcn_config *cfg, size_t i, const char *prefix,
		enum fcn_proxy_translation translation)
{
	char text[FCN_PREFIX_STRLEN];

	assert_true(i < cfg->proxy.senders.n);
	assert_string_equal(
			fcn_prefix_format(&cfg->proxy.senders.item[i].prefix, text, sizeof(text)),
			prefix);
	assert_int_equal(cfg->proxy.senders.item[i].translation, translation);
}

/* Host bits are cleared, a prefix is there once, and the order is that in which they were added. */
TEST(elements)
{
	struct fcn_config *cfg = fcn_config_create();

	assert_non_null(cfg);
	assert_int_equal(set(cfg, "2001:db8::7/32", FCN_PROXY_CE), 0);
	assert_int_equal(set(cfg, "192.0.2.0/24", FCN_PROXY_CE), 0);
	assert_int_equal(set(cfg, "192.0.2.0/25", FCN_PROXY_CE), 0);
	assert_int_equal(set(cfg, "192.0.2.9/24", FCN_PROXY_PFC), 0);
	assert_int_equal(cfg->proxy.senders.n, 3);
	assert_element(cfg, 0, "2001:db8::/32", FCN_PROXY_CE);
	assert_element(cfg, 1, "192.0.2.0/24", FCN_PROXY_PFC);
	assert_element(cfg, 2, "192.0.2.0/25", FCN_PROXY_CE);
	assert_int_equal(take(cfg, "192.0.2.0/26"), -ENOENT);
	assert_int_equal(take(cfg, "2001:db8::8/32"), 0);
	assert_int_equal(take(cfg, "2001:db8::/32"), -ENOENT);
	assert_int_equal(cfg->proxy.senders.n, 2);
	assert_element(cfg, 0, "192.0.2.0/24", FCN_PROXY_PFC);
	assert_element(cfg, 1, "192.0.2.0/25", FCN_PROXY_CE);
	fcn_config_free(cfg);
}

/* A copy of the configuration keeps what it had when the other one changes, and the reverse. */
TEST(shared)
{
	struct fcn_config *cfg = fcn_config_create(), *copy;

	assert_non_null(cfg);
	assert_int_equal(set(cfg, "192.0.2.0/24", FCN_PROXY_CE), 0);
	assert_int_equal(set(cfg, "198.51.100.0/24", FCN_PROXY_CE), 0);
	copy = fcn_config_copy(cfg);
	assert_non_null(copy);
	assert_int_equal(set(cfg, "192.0.2.0/24", FCN_PROXY_PFC), 0);
	assert_element(copy, 0, "192.0.2.0/24", FCN_PROXY_CE);
	assert_int_equal(take(copy, "192.0.2.0/24"), 0);
	assert_int_equal(copy->proxy.senders.n, 1);
	assert_int_equal(cfg->proxy.senders.n, 2);
	assert_element(cfg, 0, "192.0.2.0/24", FCN_PROXY_PFC);
	fcn_config_free(copy);
	copy = fcn_config_copy(cfg);
	assert_non_null(copy);
	assert_int_equal(take(cfg, "192.0.2.0/24"), 0);
	assert_int_equal(copy->proxy.senders.n, 2);
	assert_element(copy, 0, "192.0.2.0/24", FCN_PROXY_PFC);
	assert_element(copy, 1, "198.51.100.0/24", FCN_PROXY_CE);
	assert_element(cfg, 0, "198.51.100.0/24", FCN_PROXY_CE);
	fcn_config_free(copy);
	copy = fcn_config_copy(cfg);
	assert_non_null(copy);
	assert_int_equal(set(copy, "203.0.113.0/24", FCN_PROXY_CE), 0);
	assert_int_equal(cfg->proxy.senders.n, 1);
	fcn_config_free(copy);
	fcn_config_free(cfg);
}

/* A full list takes no new prefix, but still changes and removes those that it has. */
TEST(limit)
{
	struct fcn_config *cfg = fcn_config_create();
	struct fcn_prefix p = prefix_of("10.0.0.0/24");

	assert_non_null(cfg);
	for (unsigned int i = 0; i < FCN_PROXY_SENDERS; i++) {
		p.addr.bytes[1] = (uint8_t)(i >> 8);
		p.addr.bytes[2] = (uint8_t)i;
		assert_int_equal(FCN_LIST_ADD(cfg, "proxy sender", fcn_config_proxy_sender, p,
						 FCN_PROXY_CE),
				0);
	}
	assert_int_equal(set(cfg, "192.0.2.0/24", FCN_PROXY_CE), -ENOSPC);
	assert_int_equal(cfg->proxy.senders.n, FCN_PROXY_SENDERS);
	assert_int_equal(set(cfg, "10.0.1.0/24", FCN_PROXY_PFC), 0);
	assert_element(cfg, 1, "10.0.1.0/24", FCN_PROXY_PFC);
	assert_int_equal(take(cfg, "10.0.0.0/24"), 0);
	assert_int_equal(set(cfg, "192.0.2.0/24", FCN_PROXY_CE), 0);
	assert_element(cfg, FCN_PROXY_SENDERS - 1, "192.0.2.0/24", FCN_PROXY_CE);
	fcn_config_free(cfg);
}

/* A list without values refuses a prefix that it has, whether it is full or not. */
TEST(no_values)
{
	struct fcn_config *cfg = fcn_config_create();
	struct fcn_prefix p = prefix_of("10.0.0.1/24");

	assert_non_null(cfg);
	for (unsigned int i = 0; i < FCN_PROXY_NODES; i++) {
		p.addr.bytes[1] = (uint8_t)(i >> 8);
		p.addr.bytes[2] = (uint8_t)i;
		assert_int_equal(fcn_list_add(cfg, fcn_list_of("proxy node"), &p, NULL), 0);
		assert_int_equal(fcn_list_add(cfg, fcn_list_of("proxy node"), &p, NULL), -EEXIST);
	}
	p = prefix_of("192.0.2.0/24");
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("proxy node"), &p, NULL), -ENOSPC);
	assert_int_equal(fcn_list_remove(cfg, fcn_list_of("proxy node"), &p, false, NULL), -ENOENT);
	assert_int_equal(cfg->proxy.nodes.n, FCN_PROXY_NODES);
	assert_int_equal(cfg->proxy.nodes.item[0].addr.bytes[3], 0);
	/* A list without a limit has room for more than that. */
	for (unsigned int i = 0; i <= FCN_PROXY_NODES; i++) {
		p.addr.bytes[1] = (uint8_t)(i >> 8);
		p.addr.bytes[2] = (uint8_t)i;
		assert_int_equal(fcn_list_add(cfg, fcn_list_of("border peer"), &p, NULL), 0);
	}
	fcn_config_free(cfg);
}
