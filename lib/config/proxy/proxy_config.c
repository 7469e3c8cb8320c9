/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of congestion notification with a proxy. */

#include <errno.h>
#include <string.h>

#include "config_list.h"
#include "fcn_config.h"

static int
find_prefix(const struct fcn_config_proxy *proxy, const struct fcn_prefix *prefix)
{
	for (size_t i = 0; i < proxy->prefixes.n; i++) {
		if (fcn_prefix_equal(&proxy->prefixes.item[i].prefix, prefix))
			return i;
	}
	return -ENOENT;
}

int
fcn_config_proxy_prefix_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		const struct fcn_addr *address)
{
	struct fcn_config_proxy_prefix p;
	int i;

	if (fcn_addr_why_no_host(address) != NULL || fcn_addr_is_link_local(address))
		return -EINVAL;
	/* Padding is 0: configurations are compared as bytes. */
	memset(&p, 0, sizeof(p));
	p.prefix = *prefix;
	p.address = *address;
	fcn_prefix_normalise(&p.prefix);
	i = find_prefix(&cfg->proxy, &p.prefix);
	if (i < 0)
		return FCN_CONFIG_APPEND(&cfg->proxy.prefixes, p);
	if (FCN_CONFIG_OWN(&cfg->proxy.prefixes, cfg->proxy.prefixes.n) != 0)
		return -ENOMEM;
	cfg->proxy.prefixes.item[i].address = *address;
	return 0;
}

int
fcn_config_proxy_prefix_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	struct fcn_prefix p = *prefix;
	int i;

	fcn_prefix_normalise(&p);
	i = find_prefix(&cfg->proxy, &p);
	if (i < 0)
		return i;
	if (FCN_CONFIG_OWN(&cfg->proxy.prefixes, cfg->proxy.prefixes.n) != 0)
		return -ENOMEM;
	FCN_CONFIG_REMOVE(&cfg->proxy.prefixes, i);
	return 0;
}
