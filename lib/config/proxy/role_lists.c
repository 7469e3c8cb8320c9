/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lists of the switch as a proxy: congested nodes, senders, queue pairs. */

#include <string.h>

#include "list_table.h"

static const struct fcn_list_member node[] = {ONLY_PREFIX()};

#define THING struct fcn_config_proxy_sender
static const struct fcn_list_member sender[] = {
		{PREFIX("prefix", prefix, SHOW("prefix")), KEY},
		{CHOICE("translation", translation, FCN_PROXY_NONE, FCN_PROXY_TRANSLATION_COUNT - 1,
				fcn_proxy_translation_name, .word = "translate",
				SHOW("translation"))},
};
#undef THING

#define THING struct fcn_qp_pair
static const struct fcn_list_member qp[] = {
		{ADDR("receiver", receiver), KEY},
		{NUMBER("receiver-qp", receiver_qp, 0, FCN_QP_MAX, "the number of a queue pair"),
				KEY},
		{NUMBER("sender-qp", sender_qp, 0, FCN_QP_MAX, "the number of a queue pair",
				.word = "sender-qp")},
		{ADDR("sender", sender, .word = "sender", OPTIONAL),
				.help = "only packets of this sender cause its CNPs"},
};
#undef THING

/* IPv6 first. */
static int
compare_qps(const void *x, const void *y)
{
	const struct fcn_qp_pair *a = x, *b = y;
	int d = (int)b->receiver.version - (int)a->receiver.version;

	if (d == 0)
		d = memcmp(a->receiver.bytes, b->receiver.bytes, sizeof(a->receiver.bytes));
	return d != 0 ? d : (a->receiver_qp > b->receiver_qp) - (a->receiver_qp < b->receiver_qp);
}

static int
check_qp(const struct fcn_config *cfg, const void *thing, struct fcn_list_error *error)
{
	const struct fcn_qp_pair *pair = thing;

	RTE_SET_USED(cfg);
	return pair->sender.version == 0 || pair->sender.version == pair->receiver.version
			       ? 0
			       : fcn_list_refuse(error, -EINVAL, "sender",
						 "sender and receiver have addresses of the same "
						 "IP version");
}

static const struct fcn_list lists[] = {
		{"proxy node", "prefix", "prefixes of congested nodes", FCN_PROXY_NODES,
				FCN_LIST_IN(proxy.nodes), FCN_LIST_MEMBERS_OF(node),
				.show = "proxy.nodes",
				.add_help = "Accept congestion notification messages from the "
					    "congested nodes with these addresses",
				.remove_help = "Remove a prefix of congested nodes"},
		{"proxy sender", "prefix", "prefixes of senders", FCN_PROXY_SENDERS,
				FCN_LIST_IN(proxy.senders), FCN_LIST_MEMBERS_OF(sender),
				.replaces = true, .show = "proxy.senders",
				.add_help = "Set what messages about the flows of these senders "
					    "are translated into: Fast CNPs, also with the IOAM "
					    "trace of the packet, CNPs in the name of the "
					    "receiver, pauses of a directly attached sender's "
					    "link, CE marks on the packets of the flow, or "
					    "nothing. Senders in no such prefix get nothing",
				.remove_help = "Remove a prefix of senders"},
		{"proxy qp", "queue pair of this receiver", "pairs of queue pairs", FCN_QP_MAP_MOST,
				FCN_LIST_IN(proxy.qps), FCN_LIST_MEMBERS_OF(qp), .replaces = true,
				.compare = compare_qps, .check = check_qp,
				.add_help = "Set the queue pair of the sender that is connected to "
					    "a queue pair of a receiver. CNPs have to name it, "
					    "those of the proxy and those of set notify cnp",
				.remove_help = "Remove what is known of a queue pair of a "
					       "receiver"},
};

FCN_LIST_GROUP(proxy_role, "Congestion notification with a proxy", lists, OPERATE);
