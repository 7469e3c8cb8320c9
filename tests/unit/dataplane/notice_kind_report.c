/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A kind of notice that only a test has: a UDP packet to one address, whoever
 * the sender is, that quotes the queue pair. It is about read requests as well
 * as about data, and about RoCEv2 over IPv6 alone.
 */

#include "notice_kind_report.h"

#define LEN (40 + 8 + 4) /* IPv6, UDP, the queue pair */

struct request {
	uint8_t *buf;
	uint32_t qp;
};

static struct fcn_notice_due
due(const void *conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	const struct report_conf *report = conf;

	RTE_SET_USED(common);
	RTE_SET_USED(data);
	return (struct fcn_notice_due){.to = report->to,
			.reason = !(info->flags & FCN_PKT_ROCE)      ? FCN_NOTIFY_NOT_ROCE
				  : info->flags & FCN_PKT_INNER_IPV4 ? FCN_NOTIFY_IPV4
								     : FCN_NOTIFY_NONE,
			.form = 1,
			.edge_form = 1};
}

static void
request(const void *conf, uint8_t form, const uint8_t *data, const struct fcn_wire_info *info,
		uint8_t *buf, void *req)
{
	struct request *r = req;

	RTE_SET_USED(conf);
	RTE_SET_USED(data);
	assert_int_equal(form, 1);
	*r = (struct request){buf, info->dest_qp};
}

static void
build(const void *conf, const struct fcn_notice_common *common, void *requests, unsigned int n,
		struct fcn_wire_info *const *info)
{
	const struct report_conf *report = conf;
	const struct request *r = requests;

	for (unsigned int i = 0; i < n; i++) {
		uint8_t *p = r[i].buf;

		memset(p, 0, LEN);
		p[0] = 0x60;
		p[5] = LEN - 40;
		p[6] = IPPROTO_UDP;
		p[7] = common->hop_limit;
		memcpy(p + 8, common->source, 16);
		memcpy(p + 24, report->to, 16);
		p[45] = LEN - 40;
		memcpy(p + 48, &r[i].qp, 4);
		*info[i] = (struct fcn_wire_info){.flags = FCN_PKT_IPV6,
				.ether_type = RTE_ETHER_TYPE_IPV6,
				.ip_len = LEN,
				.proto = IPPROTO_UDP,
				.ttl = common->hop_limit};
	}
}

static void
free_nothing(void *conf)
{
	RTE_SET_USED(conf);
}

const struct fcn_notice_kind notice_kind_report = {
		.name = "report",
		.title = "report",
		.form = {[1] = {"sent_report", "report made"}},
		.request_size = sizeof(struct request),
		.due = due,
		.request = request,
		.build = build,
		.free = free_nothing,
};
