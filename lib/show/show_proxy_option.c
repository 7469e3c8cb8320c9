/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "show_private.h"

static json_t *
senders(const struct fcn_config_proxy *proxy)
{
	char prefix[FCN_PREFIX_STRLEN], address[FCN_ADDR_STRLEN];
	json_t *list = json_array();

	for (size_t i = 0; i < proxy->inserts.n; i++) {
		const struct fcn_config_proxy_prefix *p = &proxy->inserts.item[i];
		json_t *o = fcn_show_row(list);

		fcn_show_set_str(
				o, "prefix", fcn_prefix_format(&p->prefix, prefix, sizeof(prefix)));
		fcn_show_set_str(o, "address",
				fcn_addr_format(&p->address, address, sizeof(address)));
	}
	return list;
}

static void
show_port(const struct fcn_control *ctl, unsigned int p, const struct fcn_port_counters *c,
		json_t *list)
{
	json_t *o = fcn_show_port_row(ctl, list, p);

	fcn_setting_show(&fcn_proxy_port_scope, "proxy option.ports",
			&fcn_control_config(ctl)->port[p], NULL, o);
	FCN_SHOW_COUNTERS(o, c, FCN_PROXY_OPTION_COUNTERS);
}

json_t *
fcn_show_proxy_option(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	struct fcn_port_counters *c = fcn_show_counters(ctl);
	json_t *o = json_object(), *ports = json_array();

	json_object_set_new(o, "type", json_sprintf("0x%02x", cfg->codes.proxy_addr));
	fcn_setting_show(&fcn_proxy_option_scope, "proxy option", cfg, NULL, o);
	json_object_set_new(o, "senders", senders(&cfg->proxy));
	for (unsigned int p = 0; c != NULL && p < FCN_MAX_PORTS; p++) {
		if (fcn_config_has_link(cfg, p) || fcn_config_is_sub_interface(cfg, p))
			show_port(ctl, p, &c[p], ports);
	}
	free(c);
	json_object_set_new(o, "ports", ports);
	return o;
}
