/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Proxies of senders: those that messages are sent to, and those that an option names. */

#include <errno.h>
#include <string.h>

#include "config_prefix_list.h"
#include "fcn_config.h"

/* Make an element of either list. @return 0; -EINVAL: messages cannot be sent to this address */
static int
make(struct fcn_config_proxy_prefix *p, const struct fcn_prefix *prefix,
		const struct fcn_addr *address)
{
	if (fcn_addr_why_no_host(address) != NULL || fcn_addr_is_link_local(address))
		return -EINVAL;
	/* Padding is 0: configurations are compared as bytes. */
	memset(p, 0, sizeof(*p));
	p->prefix = *prefix;
	p->address = *address;
	return 0;
}

int
fcn_config_proxy_prefix_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		const struct fcn_addr *address)
{
	struct fcn_config_proxy_prefix p;
	int rc = make(&p, prefix, address);

	return rc != 0 ? rc : FCN_CONFIG_PREFIX_SET(&cfg->proxy.prefixes, FCN_CONFIG_NO_LIMIT, &p);
}

int
fcn_config_proxy_prefix_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	return FCN_CONFIG_PREFIX_REMOVE(&cfg->proxy.prefixes, prefix);
}

int
fcn_config_proxy_insert_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		const struct fcn_addr *address)
{
	struct fcn_config_proxy_prefix p;
	int rc = prefix->addr.version != 6 || address->version != 6 ? -EAFNOSUPPORT
								    : make(&p, prefix, address);

	return rc != 0 ? rc : FCN_CONFIG_PREFIX_SET(&cfg->proxy.inserts, FCN_CONFIG_NO_LIMIT, &p);
}

int
fcn_config_proxy_insert_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	return FCN_CONFIG_PREFIX_REMOVE(&cfg->proxy.inserts, prefix);
}
