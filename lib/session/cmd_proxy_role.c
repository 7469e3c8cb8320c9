/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The switch as a proxy for congestion notification: its lists. */

#include <errno.h>
#include <string.h>

#include "prefix_commands.h"

static const struct fcn_prefix_commands nodes = {
		.add = fcn_config_proxy_node_add,
		.remove = fcn_config_proxy_node_remove,
		.what = "congested nodes",
		.most = FCN_PROXY_NODES,
};
static const struct fcn_prefix_commands senders = {.remove = fcn_config_proxy_sender_remove};

static enum fcn_proxy_translation
translation_of(const char *name)
{
	unsigned int t = 0;

	while (strcmp(fcn_proxy_translation_name(t), name) != 0)
		t++;
	return t;
}

static int
sender_add(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_proxy_sender_set(fcn_session_edit(session),
			fcn_args_prefix(args, "prefix"),
			translation_of(fcn_args_str(args, "translation")));

	return fcn_session_prefix_error(args, rc, "senders", FCN_PROXY_SENDERS);
}

/* Check the number of a queue pair. @return 0; -ERANGE after the error was reported */
static int
check_qp(const struct fcn_args *args, const char *key)
{
	if (fcn_args_u64(args, key, 0) <= FCN_QP_MAX)
		return 0;
	return fcn_command_error(args, -ERANGE, key,
			"the number of a queue pair has 24 bits: 0 to %u", FCN_QP_MAX);
}

static int
qp_add(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = check_qp(args, "receiver-qp");

	if (rc == 0)
		rc = check_qp(args, "sender-qp");
	if (rc != 0)
		return rc;
	rc = fcn_config_proxy_qp_set(fcn_session_edit(session), fcn_args_addr(args, "receiver"),
			(uint32_t)fcn_args_u64(args, "receiver-qp", 0),
			(uint32_t)fcn_args_u64(args, "sender-qp", 0));
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "receiver", "this is %s",
				fcn_addr_why_no_host(fcn_args_addr(args, "receiver")));
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, "receiver",
				"there are %u pairs of queue pairs already, the most there can be",
				FCN_PROXY_QPS);
	return rc;
}

static int
qp_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = check_qp(args, "receiver-qp");

	if (rc != 0)
		return rc;
	rc = fcn_config_proxy_qp_remove(fcn_session_edit(session), fcn_args_addr(args, "receiver"),
			(uint32_t)fcn_args_u64(args, "receiver-qp", 0));
	return rc != -ENOENT ? rc
			     : fcn_command_error(args, rc, "receiver-qp",
					       "there is no such queue pair of this receiver");
}

static const struct fcn_command commands[] = {
		{"proxy node add <prefix:prefix>",
				"Accept congestion notification messages from the congested nodes "
				"with these addresses",
				FCN_COMMAND_CONFIG, fcn_session_prefix_add, &nodes},
		{"proxy node remove <prefix:prefix>", "Remove a prefix of congested nodes",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &nodes},
		{"proxy sender add <prefix:prefix> translate "
		 "<translation:fast-cnp|fast-cnp-trace|cnp|pfc|ce|none>",
				"Set what messages about the flows of these senders are translated "
				"into: Fast CNPs, also with the IOAM trace of the packet, CNPs in "
				"the name of the receiver, pauses of a directly attached sender's "
				"link, CE marks on the packets of the flow, or nothing. Senders in "
				"no such prefix get nothing",
				FCN_COMMAND_CONFIG, sender_add},
		{"proxy sender remove <prefix:prefix>", "Remove a prefix of senders",
				FCN_COMMAND_CONFIG, fcn_session_prefix_remove, &senders},
		{"proxy qp add <receiver:addr> <receiver-qp:number> sender-qp <sender-qp:number>",
				"Set the queue pair of the sender that is connected to a queue "
				"pair of a receiver. CNPs have to name it",
				FCN_COMMAND_CONFIG, qp_add},
		{"proxy qp remove <receiver:addr> <receiver-qp:number>",
				"Remove what is known of a queue pair of a receiver",
				FCN_COMMAND_CONFIG, qp_remove},
};

const struct fcn_command_group fcn_proxy_role_commands = {
		"Congestion notification with a proxy", commands, RTE_DIM(commands)};

void
fcn_save_proxy_role(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_proxy *proxy = &cfg->proxy;
	char text[FCN_PREFIX_STRLEN];

	fcn_save_prefixes(out, "proxy node add", proxy->nodes.item, proxy->nodes.n);
	for (size_t i = 0; i < proxy->senders.n; i++)
		fprintf(out, "proxy sender add %s translate %s\n",
				fcn_prefix_format(
						&proxy->senders.item[i].prefix, text, sizeof(text)),
				fcn_proxy_translation_name(proxy->senders.item[i].translation));
	for (size_t i = 0; i < proxy->qps.n; i++)
		fprintf(out, "proxy qp add %s %" PRIu32 " sender-qp %" PRIu32 "\n",
				fcn_addr_format(&proxy->qps.item[i].receiver, text, sizeof(text)),
				proxy->qps.item[i].receiver_qp, proxy->qps.item[i].sender_qp);
}
