/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Senders whose packets get the option with the address of their proxy. */

#include <errno.h>
#include <string.h>

#include "config_list.h"
#include "fcn_config_names.h"

static int
find(const struct fcn_config_proxy *proxy, const struct fcn_prefix *prefix)
{
	for (size_t i = 0; i < proxy->inserts.n; i++) {
		if (fcn_prefix_equal(&proxy->inserts.item[i].prefix, prefix))
			return (int)i;
	}
	return -ENOENT;
}

int
fcn_config_proxy_insert_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		const struct fcn_addr *address)
{
	struct fcn_config_proxy_prefix p;
	int i;

	if (prefix->addr.version != 6 || address->version != 6)
		return -EAFNOSUPPORT;
	if (fcn_addr_why_no_host(address) != NULL || fcn_addr_is_link_local(address))
		return -EINVAL;
	/* Padding is 0: configurations are compared as bytes. */
	memset(&p, 0, sizeof(p));
	p.prefix = *prefix;
	p.address = *address;
	fcn_prefix_normalise(&p.prefix);
	i = find(&cfg->proxy, &p.prefix);
	if (i < 0)
		return FCN_CONFIG_APPEND(&cfg->proxy.inserts, p);
	if (FCN_CONFIG_OWN(&cfg->proxy.inserts, cfg->proxy.inserts.n) != 0)
		return -ENOMEM;
	cfg->proxy.inserts.item[i].address = *address;
	return 0;
}

int
fcn_config_proxy_insert_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	struct fcn_prefix p = *prefix;
	int i;

	fcn_prefix_normalise(&p);
	i = find(&cfg->proxy, &p);
	if (i < 0)
		return i;
	if (FCN_CONFIG_OWN(&cfg->proxy.inserts, cfg->proxy.inserts.n) != 0)
		return -ENOMEM;
	FCN_CONFIG_REMOVE(&cfg->proxy.inserts, i);
	return 0;
}

const char *
fcn_proxy_edge_name(unsigned int edge)
{
	static const char *const names[] = {
			[FCN_PROXY_EDGE_OFF] = "off",
			[FCN_PROXY_EDGE_INSERT] = "insert",
			[FCN_PROXY_EDGE_REMOVE] = "remove",
			[FCN_PROXY_EDGE_BOTH] = "both",
	};

	return names[edge];
}

const char *
fcn_proxy_too_big_name(unsigned int what)
{
	return what == FCN_PROXY_TOO_BIG_ERROR ? "error" : "omit";
}
