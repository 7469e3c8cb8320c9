/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>

#include "fcn_proxy_conf.h"

static const struct {
	const char *name;
	const char *text;
} translations[] = {
#define ROW(sym, name, text) {name, text},
		FCN_PROXY_TRANSLATIONS(ROW)
#undef ROW
};

const char *
fcn_proxy_translation_name(unsigned int translation)
{
	return translation < RTE_DIM(translations) ? translations[translation].name : "unknown";
}

const char *
fcn_proxy_translation_text(unsigned int translation)
{
	return translation < RTE_DIM(translations) ? translations[translation].text : "unknown";
}

enum fcn_proxy_translation
fcn_proxy_translation_of(const struct fcn_proxy_conf *conf, const struct fcn_flow_descriptor *flow)
{
	const uint32_t unknown = FCN_PROXY_TRANSLATION_COUNT;

	if (conf->senders == NULL)
		return unknown;
	return flow->version == 6 ? fcn_prefix_list_lookup6(conf->senders, flow->src, unknown)
				  : fcn_prefix_list_lookup4(conf->senders, fcn_load_be32(flow->src),
						    unknown);
}
