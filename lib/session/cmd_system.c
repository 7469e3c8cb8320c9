/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_log.h>

#include "session_private.h"

static int
help(struct fcn_session *session, const struct fcn_args *args)
{
	const char *words = fcn_args_str(args, "words");

	if (words == NULL)
		fcn_command_topics(session->table, session->out);
	else
		fcn_command_help(session->table, strcmp(words, "all") != 0 ? words : NULL,
				session->out);
	return 0;
}

static int
clear_counters(struct fcn_session *session, const struct fcn_args *args)
{
	char err[256];

	if (fcn_control_clear_counters(session->ctl, err, sizeof(err)) != 0)
		return fcn_command_error(args, -EAGAIN, NULL, "%s", err);
	return 0;
}

static int
clear_watermarks(struct fcn_session *session, const struct fcn_args *args)
{
	char err[256];

	if (fcn_control_clear_watermarks(session->ctl, err, sizeof(err)) != 0)
		return fcn_command_error(args, -EAGAIN, NULL, "%s", err);
	return 0;
}

static int
clear_mac(struct fcn_session *session, const struct fcn_args *args)
{
	unsigned int n;
	char err[256];

	if (fcn_control_clear_macs(session->ctl, &n, err, sizeof(err)) != 0)
		return fcn_command_error(args, -EAGAIN, NULL, "%s", err);
	fprintf(session->out, "%u forgotten\n", n);
	return 0;
}

static int
start(struct fcn_session *session, const struct fcn_args *args)
{
	if (session->hooks == NULL || session->hooks->start == NULL)
		return fcn_command_error(args, -ENOTSUP, NULL, "nothing to start here");
	if (session->hooks->start(session->hooks->arg) != 0)
		return fcn_command_error(args, -EALREADY, NULL, "forwarding already");
	return 0;
}

static int
stop(struct fcn_session *session, const struct fcn_args *args)
{
	if (session->hooks == NULL || session->hooks->stop == NULL)
		return fcn_command_error(args, -ENOTSUP, NULL, "nothing to stop here");
	if (session->hooks->stop(session->hooks->arg) != 0)
		return fcn_command_error(args, -EALREADY, NULL, "not forwarding");
	fcn_session_summary(session);
	return 0;
}

static int
hand_over(struct fcn_session *session, const struct fcn_args *args, enum fcn_handover step)
{
	char err[256] = "";
	int rc;

	if (session->hooks == NULL || session->hooks->handover == NULL)
		return fcn_command_error(args, -ENOTSUP, NULL, "nothing to hand over here");
	if (!session->privileged)
		return fcn_command_error(args, -EPERM, NULL,
				"only root and the user of the switch may hand it over");
	rc = session->hooks->handover(session->hooks->arg, step, fcn_args_u64(args, "pid", 0),
			session->out, err, sizeof(err));
	return rc == 0 ? 0 : fcn_command_error(args, rc, NULL, "%s", err);
}

static int
restart(struct fcn_session *session, const struct fcn_args *args)
{
	return hand_over(session, args, FCN_HANDOVER_BEGIN);
}

static int
hand_over_state(struct fcn_session *session, const struct fcn_args *args)
{
	return hand_over(session, args, FCN_HANDOVER_STATE);
}

static int
release(struct fcn_session *session, const struct fcn_args *args)
{
	return hand_over(session, args, FCN_HANDOVER_RELEASE);
}

static int
set_log(struct fcn_session *session, const struct fcn_args *args)
{
	static const char *const levels[] = {"emergency", "alert", "critical", "error", "warning",
			"notice", "info", "debug"};
	const char *type = fcn_args_str(args, "type");
	uint32_t level = RTE_LOG_EMERG;

	RTE_SET_USED(session);
	while (strcmp(levels[level - RTE_LOG_EMERG], fcn_args_str(args, "level")) != 0)
		level++;
	if (rte_log_set_level_pattern(type, level) != 0)
		return fcn_command_error(args, -EINVAL, "type", "there is no such log type");
	return 0;
}

static const struct fcn_command commands[] = {
		{"help [<words:text>]",
				"List the topics and their commands. With words, explain the "
				"commands "
				"that begin with these words, or those of the topic that does; "
				"`help "
				"all` explains every command",
				FCN_COMMAND_ACTION, help, .role = FCN_ROLE_ANY},
		{"clear counters",
				"Set all counters to zero, except those of devices, of the event "
				"log and of the metrics server",
				FCN_COMMAND_ACTION, clear_counters, .role = FCN_ROLE_OPERATE},
		{"clear watermarks",
				"Reset the highest, lowest and average values of queues, of the "
				"buffer, of lossless classes and of held traffic to the present "
				"ones",
				FCN_COMMAND_ACTION, clear_watermarks, .role = FCN_ROLE_OPERATE},
		{"clear mac", "Remove learned MAC addresses", FCN_COMMAND_ACTION, clear_mac,
				.role = FCN_ROLE_OPERATE},
		{"start", "Begin forwarding", FCN_COMMAND_ACTION, start, .role = FCN_ROLE_OPERATE},
		{"stop",
				"Pause forwarding, and show a summary. Queued packets stay in "
				"their "
				"queues",
				FCN_COMMAND_ACTION, stop, .role = FCN_ROLE_OPERATE},
		{"restart",
				"Start the program again with its command line, and have the new "
				"process take over when it is ready: forwarding pauses for some "
				"milliseconds. If the new process cannot start, this one goes on. "
				"For root and the user of the switch",
				FCN_COMMAND_ACTION, restart},
		{"handover state",
				"Write what was learned, for a process that takes over: addresses, "
				"neighbours, senders, proxies, MAC addresses. For fastcn "
				"--take-over",
				FCN_COMMAND_ACTION, hand_over_state},
		{"handover release pid <pid:number>",
				"Forward no more, let go of devices that only one process can "
				"have, and end. For fastcn --take-over",
				FCN_COMMAND_ACTION, release},
		{"set log <type:name> "
		 "<level:emergency|alert|critical|error|warning|notice|info|debug>",
				"Set the log level of a DPDK log type, such as lib.eal",
				FCN_COMMAND_ACTION, set_log, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_system_commands = {"System", commands, RTE_DIM(commands)};
