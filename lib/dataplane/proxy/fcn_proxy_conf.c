/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_names.h"
#include "fcn_proxy_conf.h"

FCN_NAME_FUNCTION(fcn_proxy_translation_name, unsigned int, FCN_PROXY_TRANSLATIONS(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_proxy_translation_text, unsigned int, FCN_PROXY_TRANSLATIONS(FCN_ITEM_TEXT))

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
