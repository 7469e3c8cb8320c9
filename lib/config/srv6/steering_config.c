/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Steering rules of a configuration: which packets take SRv6 policies. */

#include <errno.h>
#include <string.h>

#include "fcn_config.h"
#include "config_list.h"

/* A number that is greater for rules that are tried earlier: first the number of conditions, then
 * which ones. */
static unsigned int
weight(const struct fcn_config_srv6_steering *r)
{
	const bool port = r->port != FCN_SRV6_ANY, dscp = r->dscp != FCN_SRV6_ANY;
	const bool roce = r->roce != FCN_STEERING_ROCE_ANY;

	return (port + dscp + roce) * 8u + port * 4u + dscp * 2u + roce;
}

/* Compare rules by their place in the list. The result is 0 only for the same rule. */
static int
compare(const struct fcn_config_srv6_steering *a, const struct fcn_config_srv6_steering *b)
{
	int d = a->table - b->table;

	if (d == 0)
		d = fcn_prefix_compare(&a->prefix, &b->prefix);
	if (d == 0)
		d = (int)weight(b) - (int)weight(a);
	if (d == 0)
		d = a->port - b->port;
	if (d == 0)
		d = a->dscp - b->dscp;
	return d != 0 ? d : b->roce - a->roce;
}

/* The lowest slot that no rule has. There are fewer rules than slots. */
static uint16_t
free_slot(const struct fcn_config *cfg)
{
	bool used[FCN_SRV6_STEERING] = {false};
	uint16_t slot = 0;

	for (size_t i = 0; i < cfg->srv6.steering.n; i++)
		used[cfg->srv6.steering.item[i].slot] = true;
	while (used[slot])
		slot++;
	return slot;
}

static size_t
count_of_prefix(const struct fcn_config *cfg, const struct fcn_config_srv6_steering *rule)
{
	size_t n = 0;

	for (size_t i = 0; i < cfg->srv6.steering.n; i++)
		n += cfg->srv6.steering.item[i].table == rule->table &&
		     fcn_prefix_equal(&cfg->srv6.steering.item[i].prefix, &rule->prefix);
	return n;
}

int
fcn_config_srv6_steering_add(struct fcn_config *cfg, const struct fcn_config_srv6_steering *rule)
{
	struct fcn_config_srv6_steering r, *item;
	size_t at = 0;
	int d = -1, rc;

	if (fcn_prefix_why_not_forwarded(&rule->prefix) != NULL)
		return -EDOM;
	/* Padding is copied, too: configurations are compared as bytes. */
	memcpy(&r, rule, sizeof(r));
	fcn_prefix_normalise(&r.prefix);
	while (at < cfg->srv6.steering.n) {
		d = compare(&r, &cfg->srv6.steering.item[at]);
		if (d <= 0)
			break;
		at++;
	}
	if (at < cfg->srv6.steering.n && d == 0)
		return -EEXIST;
	if (cfg->srv6.steering.n == FCN_SRV6_STEERING)
		return -ENOSPC;
	if (count_of_prefix(cfg, &r) == FCN_SRV6_STEERING_OF_PREFIX)
		return -E2BIG;
	r.slot = free_slot(cfg);
	r.serial = cfg->srv6.last_serial + 1;
	rc = FCN_CONFIG_OWN(&cfg->srv6.steering, cfg->srv6.steering.n + 1);
	if (rc != 0)
		return rc;
	item = &cfg->srv6.steering.item[at];
	memmove(item + 1, item, (cfg->srv6.steering.n++ - at) * sizeof(*item));
	memcpy(item, &r, sizeof(r));
	cfg->srv6.last_serial = r.serial;
	return 0;
}

int
fcn_config_srv6_steering_remove(struct fcn_config *cfg, const struct fcn_config_srv6_steering *rule)
{
	struct fcn_config_srv6_steering r = *rule;

	fcn_prefix_normalise(&r.prefix);
	for (size_t i = 0; i < cfg->srv6.steering.n; i++) {
		if (compare(&r, &cfg->srv6.steering.item[i]) != 0)
			continue;
		if (FCN_CONFIG_OWN(&cfg->srv6.steering, cfg->srv6.steering.n) != 0)
			return -ENOMEM;
		FCN_CONFIG_REMOVE(&cfg->srv6.steering, i);
		return 0;
	}
	return -ENOENT;
}

int
fcn_config_srv6_steering_forget_port(struct fcn_config *cfg, uint16_t port)
{
	if (FCN_CONFIG_OWN(&cfg->srv6.steering, cfg->srv6.steering.n) != 0)
		return -ENOMEM;
	for (size_t i = cfg->srv6.steering.n; i-- > 0;) {
		if (cfg->srv6.steering.item[i].port == port)
			FCN_CONFIG_REMOVE(&cfg->srv6.steering, i);
	}
	return 0;
}
