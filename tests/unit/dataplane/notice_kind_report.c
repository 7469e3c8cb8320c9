/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Kinds of notices that only tests have: a UDP packet to one address, independent of the sender. It
 * contains queue pair, sender and receiver of the packet that it is about, which is data or a read
 * request of RoCEv2 over IPv6. There is a kind for each line of FCN_NOTICE_KINDS_OF_TEST.
 */

#include <netinet/in.h>

#include "fcn_icmp6.h"
#include "fcn_notify.h"
#include "fcn_test.h"
#include "notice_prepare.h"
#include "notice_kind_report.h"

/* IPv6, UDP; the queue pair, sender and receiver of the packet that the notice is about */
#define SENDER_OFF (40 + 8 + 4)
#define RECEIVER_OFF (SENDER_OFF + 16)
#define LEN REPORT_LEN

static void
due(const void *conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info, struct fcn_notice_due *d)
{
	const struct report_conf *report = conf;

	RTE_SET_USED(common);
	RTE_SET_USED(data);
	if (!(info->flags & FCN_PKT_ROCE))
		d->reason = FCN_NOTIFY_NOT_ROCE;
	else if (info->flags & FCN_PKT_INNER_IPV4)
		d->reason = FCN_NOTIFY_IPV4;
	d->to = report->to;
	d->form = 1;
	d->edge_form = 1;
	d->len = REPORT_LEN;
	d->edge_len = REPORT_LEN;
}

FCN_NOTICE_PREPARE(prepare, due)

static void
build(const void *conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, unsigned int n)
{
	const struct report_conf *report = conf;

	for (unsigned int i = 0; i < n; i++) {
		uint8_t *p = rte_pktmbuf_mtod(order[i].mbuf, uint8_t *);

		assert_int_equal(order[i].form, 1);
		assert_non_null(rte_pktmbuf_append(order[i].mbuf, LEN));
		memset(p, 0, LEN);
		p[0] = 0x60;
		p[5] = LEN - 40;
		p[6] = IPPROTO_UDP;
		p[7] = common->hop_limit;
		memcpy(p + 8, common->source, 16);
		memcpy(p + 24, report->to, 16);
		p[45] = LEN - 40;
		memcpy(p + 48, &order[i].about->dest_qp, 4);
		memcpy(p + SENDER_OFF, fcn_notify_sender(order[i].data, order[i].about), 16);
		memcpy(p + RECEIVER_OFF, order[i].data + order[i].about->final_dst_off, 16);
		*order[i].info = (struct fcn_wire_info){.flags = FCN_PKT_IPV6,
				.ether_type = RTE_ETHER_TYPE_IPV6,
				.ip_len = LEN,
				.proto = IPPROTO_UDP,
				.ttl = common->hop_limit};
	}
}

/* Its receiver says so in any Parameter Problem that quotes a whole notice. */
static bool
is_refused(const void *conf, const struct fcn_notice_common *common, const uint8_t *ip,
		uint32_t len, struct fcn_refused_notice *refused)
{
	const struct report_conf *report = conf;
	const uint8_t *quote;
	struct fcn_icmp6 msg;

	RTE_SET_USED(common);
	if (fcn_icmp6_parse(ip, len, &msg) != FCN_MSG_OK || msg.quote_len != LEN)
		return false;
	quote = ip + msg.quote_off;
	memcpy(&refused->dest_qp, quote + 48, 4);
	memcpy(refused->sender, quote + SENDER_OFF, 16);
	memcpy(refused->data_source, quote + SENDER_OFF, 16);
	memcpy(refused->receiver, quote + RECEIVER_OFF, 16);
	return memcmp(quote + 24, report->to, 16) == 0;
}

static void
free_nothing(void *conf)
{
	RTE_SET_USED(conf);
}

#define KIND(sym, id)                                                   \
	const struct fcn_notice_kind fcn_notice_##id = {                \
			.name = #id,                                    \
			.title = "congestion report",                   \
			.form = {[1] = {"sent_report", "report made"}}, \
			.prepare = prepare,                             \
			.build = build,                                 \
			.is_refused = is_refused,                       \
			.free = free_nothing,                           \
	};
FCN_NOTICE_KINDS_OF_TEST(KIND)
