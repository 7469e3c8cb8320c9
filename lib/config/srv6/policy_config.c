/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* SRv6 policies of a configuration, and their segment lists. */

#include <errno.h>
#include <string.h>

#include "fcn_list.h"
#include "config_list.h"

int
fcn_config_srv6_policy_find(const struct fcn_config *cfg, const char *name)
{
	for (size_t i = 0; i < cfg->srv6.policies.n; i++) {
		if (strcmp(cfg->srv6.policies.item[i].name, name) == 0)
			return (int)i;
	}
	return -ENOENT;
}

const struct fcn_config_srv6_policy *
fcn_config_srv6_policy_of(const struct fcn_config *cfg, unsigned int slot)
{
	for (size_t i = 0; i < cfg->srv6.policies.n; i++) {
		if (cfg->srv6.policies.item[i].slot == slot)
			return &cfg->srv6.policies.item[i];
	}
	return NULL;
}

/* The lowest slot that no policy has. There are fewer policies than slots. */
static uint16_t
free_policy_slot(const struct fcn_config *cfg)
{
	uint16_t slot = 0;

	while (fcn_config_srv6_policy_of(cfg, slot) != NULL)
		slot++;
	return slot;
}

int
fcn_config_srv6_policy_add(struct fcn_config *cfg, const struct fcn_config_srv6_policy *policy)
{
	struct fcn_config_srv6_policy p;
	int rc;

	/* Padding is copied, too: configurations are compared as bytes. */
	memcpy(&p, policy, sizeof(p));
	if (!fcn_config_is_name(p.name))
		return -EINVAL;
	if (fcn_config_srv6_policy_find(cfg, p.name) >= 0)
		return -EEXIST;
	if (cfg->srv6.policies.n == FCN_SRV6_POLICIES)
		return -ENOSPC;
	p.slot = free_policy_slot(cfg);
	rc = FCN_CONFIG_APPEND(&cfg->srv6.policies, p);
	return rc == 0 ? p.slot : rc;
}

int
fcn_config_srv6_policy_remove(struct fcn_config *cfg, const char *name)
{
	int at = fcn_config_srv6_policy_find(cfg, name);
	unsigned int slot;

	if (at < 0)
		return at;
	if (FCN_CONFIG_OWN(&cfg->srv6.policies, cfg->srv6.policies.n) != 0 ||
			FCN_CONFIG_OWN(&cfg->srv6.segments, cfg->srv6.segments.n) != 0 ||
			FCN_CONFIG_OWN(&cfg->srv6.steering, cfg->srv6.steering.n) != 0)
		return -ENOMEM;
	slot = cfg->srv6.policies.item[at].slot;
	if (fcn_list_forget(cfg, FCN_SETTING_POLICY, slot) != 0)
		return -ENOMEM;
	for (size_t i = cfg->srv6.segments.n; i-- > 0;) {
		if (cfg->srv6.segments.item[i].policy == slot)
			FCN_CONFIG_REMOVE(&cfg->srv6.segments, i);
	}
	for (size_t i = cfg->srv6.steering.n; i-- > 0;) {
		if (cfg->srv6.steering.item[i].policy == slot)
			FCN_CONFIG_REMOVE(&cfg->srv6.steering, i);
	}
	FCN_CONFIG_REMOVE(&cfg->srv6.policies, at);
	return 0;
}

/* Find a segment list of a policy. @return its index; -ENOENT */
static int
find_segments(const struct fcn_config *cfg, unsigned int policy,
		const struct fcn_segment_list *list)
{
	for (size_t i = 0; i < cfg->srv6.segments.n; i++) {
		if (cfg->srv6.segments.item[i].policy == policy &&
				fcn_segment_list_is_same(&cfg->srv6.segments.item[i].list, list))
			return (int)i;
	}
	return -ENOENT;
}

/* The lowest slot that no segment list has. There are fewer lists than slots. */
static uint16_t
free_segments_slot(const struct fcn_config *cfg)
{
	bool used[FCN_SRV6_SEGMENT_LISTS] = {false};
	uint16_t slot = 0;

	for (size_t i = 0; i < cfg->srv6.segments.n; i++)
		used[cfg->srv6.segments.item[i].slot] = true;
	while (used[slot])
		slot++;
	return slot;
}

int
fcn_config_srv6_segments_add(
		struct fcn_config *cfg, const struct fcn_config_srv6_segments *segments)
{
	struct fcn_config_srv6_segments s;
	int rc;

	memcpy(&s, segments, sizeof(s));
	if (find_segments(cfg, s.policy, &s.list) >= 0)
		return -EEXIST;
	if (cfg->srv6.segments.n == FCN_SRV6_SEGMENT_LISTS)
		return -ENOSPC;
	s.slot = free_segments_slot(cfg);
	s.serial = cfg->srv6.last_serial + 1;
	rc = FCN_CONFIG_APPEND(&cfg->srv6.segments, s);
	if (rc == 0)
		cfg->srv6.last_serial = s.serial;
	return rc;
}

int
fcn_config_srv6_segments_remove(
		struct fcn_config *cfg, unsigned int policy, const struct fcn_segment_list *list)
{
	int at = find_segments(cfg, policy, list);

	if (at < 0)
		return at;
	if (FCN_CONFIG_OWN(&cfg->srv6.segments, cfg->srv6.segments.n) != 0)
		return -ENOMEM;
	FCN_CONFIG_REMOVE(&cfg->srv6.segments, at);
	return 0;
}
