/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The switch as a proxy for congestion notification. */

#include "show_private.h"

static json_t *
nodes(const struct fcn_config_proxy *proxy)
{
	json_t *list = json_array();

	for (size_t i = 0; i < proxy->nodes.n; i++)
		json_array_append_new(list, fcn_show_prefix(&proxy->nodes.item[i]));
	return list;
}

static json_t *
senders(const struct fcn_config_proxy *proxy)
{
	json_t *list = json_array();

	for (size_t i = 0; i < proxy->senders.n; i++) {
		const struct fcn_config_proxy_sender *s = &proxy->senders.item[i];
		json_t *o = json_object();

		json_object_set_new(o, "prefix", fcn_show_prefix(&s->prefix));
		fcn_show_set_str(o, "translation", fcn_proxy_translation_name(s->translation));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *
fcn_show_proxy(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *o = json_object();

	fcn_setting_show(&fcn_proxy_scope, "proxy", cfg, NULL, o);
	json_object_set_new(o, "nodes", nodes(&cfg->proxy));
	json_object_set_new(o, "senders", senders(&cfg->proxy));
	fcn_show_set(o, "queue_pairs", cfg->proxy.qps.n);
	return o;
}
