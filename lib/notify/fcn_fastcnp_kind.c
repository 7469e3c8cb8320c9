/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_fastcnp_kind.h"

int
fcn_fastcnp_kind_init(struct fcn_fastcnp_kind_conf *conf, const struct fcn_fastcnp_conf *notice)
{
	conf->plain = (struct fcn_wire_info){
			.flags = FCN_PKT_IPV6,
			.ether_type = RTE_ETHER_TYPE_IPV6,
			.dst_port = FCN_ROCE_UDP_PORT,
			.opcode = FCN_BTH_OPCODE_CNP,
			.proto = IPPROTO_UDP,
			.tclass = notice->dscp << 2,
			.ttl = notice->hop_limit,
	};
	return fcn_fastcnp_template_init(&conf->fastcnp, notice);
}

void
fcn_fastcnp_kind_fini(struct fcn_fastcnp_kind_conf *conf)
{
	fcn_fastcnp_template_fini(&conf->fastcnp);
	fcn_prefix_list_free(conf->senders);
}
