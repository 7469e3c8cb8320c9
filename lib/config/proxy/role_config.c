/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of the proxy: senders, queue pairs. */

#include <errno.h>
#include <string.h>

#include "config_prefix_list.h"
#include "fcn_config.h"

int
fcn_config_proxy_sender_set(struct fcn_config *cfg, const struct fcn_prefix *prefix,
		enum fcn_proxy_translation translation)
{
	struct fcn_config_proxy_sender s;

	/* Padding is 0: configurations are compared as bytes. */
	memset(&s, 0, sizeof(s));
	s.prefix = *prefix;
	s.translation = (uint8_t)translation;
	return FCN_CONFIG_PREFIX_SET(&cfg->proxy.senders, FCN_PROXY_SENDERS, &s);
}

int
fcn_config_proxy_sender_remove(struct fcn_config *cfg, const struct fcn_prefix *prefix)
{
	return FCN_CONFIG_PREFIX_REMOVE(&cfg->proxy.senders, prefix);
}

static int
find_qp(const struct fcn_config_proxy *proxy, const struct fcn_addr *receiver, uint32_t receiver_qp)
{
	for (size_t i = 0; i < proxy->qps.n; i++) {
		if (proxy->qps.item[i].receiver_qp == receiver_qp &&
				fcn_addr_equal(&proxy->qps.item[i].receiver, receiver))
			return (int)i;
	}
	return -ENOENT;
}

int
fcn_config_proxy_qp_set(struct fcn_config *cfg, const struct fcn_addr *receiver,
		uint32_t receiver_qp, uint32_t sender_qp)
{
	struct fcn_qp_pair pair;
	int i;

	if (fcn_addr_why_no_host(receiver) != NULL)
		return -EINVAL;
	memset(&pair, 0, sizeof(pair));
	pair.receiver = *receiver;
	pair.receiver_qp = receiver_qp;
	pair.sender_qp = sender_qp;
	i = find_qp(&cfg->proxy, receiver, receiver_qp);
	if (i < 0 && cfg->proxy.qps.n == FCN_PROXY_QPS)
		return -ENOSPC;
	if (i < 0)
		return FCN_CONFIG_APPEND(&cfg->proxy.qps, pair);
	if (FCN_CONFIG_OWN(&cfg->proxy.qps, cfg->proxy.qps.n) != 0)
		return -ENOMEM;
	cfg->proxy.qps.item[i].sender_qp = sender_qp;
	return 0;
}

int
fcn_config_proxy_qp_remove(
		struct fcn_config *cfg, const struct fcn_addr *receiver, uint32_t receiver_qp)
{
	int i = find_qp(&cfg->proxy, receiver, receiver_qp);

	if (i < 0)
		return i;
	if (FCN_CONFIG_OWN(&cfg->proxy.qps, cfg->proxy.qps.n) != 0)
		return -ENOMEM;
	FCN_CONFIG_REMOVE(&cfg->proxy.qps, i);
	return 0;
}
