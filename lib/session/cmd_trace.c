/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "session_private.h"

/* Trace packets for which a condition holds. */
static int
trace_when(struct fcn_session *session, const struct fcn_args *args,
		const struct fcn_trace_condition *condition)
{
	uint64_t n = fcn_args_u64(args, "packets", 0);
	char err[256];

	if (n < 1 || n > FCN_TRACE_MAX)
		return fcn_command_error(args, -ERANGE, "packets", "1 to %u packets at a time",
				FCN_TRACE_MAX);
	if (fcn_control_trace_add(session->ctl, n, condition, fcn_args_str(args, "filter"), err,
			    sizeof(err)) != 0)
		return fcn_command_error(args, -EINVAL, "filter", "%s", err);
	return 0;
}

static int
trace_add(struct fcn_session *session, const struct fcn_args *args)
{
	return trace_when(session, args, &(struct fcn_trace_condition){.type = FCN_TRACE_ANY});
}

static int
trace_dropped(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_trace_condition c = {.type = FCN_TRACE_DROPPED};
	const char *reason = fcn_args_str(args, "reason");

	for (unsigned int r = FCN_DROP_NONE + 1; reason != NULL && c.drop == FCN_DROP_NONE; r++) {
		if (r == FCN_DROP_REASON_COUNT)
			return fcn_command_error(args, -EINVAL, "reason",
					"%s is no reason of show drops", reason);
		if (strcmp(fcn_drop_name(r), reason) == 0)
			c.drop = (uint8_t)r;
	}
	return trace_when(session, args, &c);
}

static int
trace_notified(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_trace_condition c = {.type = FCN_TRACE_NOTIFIED};
	const char *verdict = fcn_args_str(args, "verdict");
	uint64_t any = 0;

	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		const struct fcn_notice_kind *kind = fcn_notice_kind_of(k);

		for (unsigned int v = FCN_NOTIFY_NONE + 1; v < FCN_NOTIFY_VERDICT_COUNT; v++) {
			if (fcn_notify_verdict_exists(kind, v) &&
					(verdict == NULL ? fcn_notify_verdict_is_sent(v)
							 : strcmp(fcn_notify_verdict_name(kind, v),
									   verdict) == 0))
				c.verdicts[k] |= UINT64_C(1) << v;
		}
		any |= c.verdicts[k];
	}
	if (any == 0)
		return fcn_command_error(args, -EINVAL, "verdict",
				"%s is no verdict of show notify", verdict);
	return trace_when(session, args, &c);
}

static int
trace_marked(struct fcn_session *session, const struct fcn_args *args)
{
	return trace_when(session, args, &(struct fcn_trace_condition){.type = FCN_TRACE_MARKED});
}

static int
trace_trimmed(struct fcn_session *session, const struct fcn_args *args)
{
	return trace_when(session, args, &(struct fcn_trace_condition){.type = FCN_TRACE_TRIMMED});
}

static int
trace_clear(struct fcn_session *session, const struct fcn_args *args)
{
	char err[256];

	if (fcn_control_trace_clear(session->ctl, err, sizeof(err)) != 0)
		return fcn_command_error(args, -EAGAIN, NULL, "%s", err);
	return 0;
}

static const struct fcn_command commands[] = {
		{"trace add <packets:number> [<filter:text>]",
				"Trace the next packets received, or the next packets that "
				"match a BPF filter",
				FCN_COMMAND_ACTION, trace_add, .role = FCN_ROLE_OPERATE},
		{"trace add <packets:number> when dropped [reason <reason:name>] [<filter:text>]",
				"Trace the next packets that are dropped, for any reason or for "
				"one of show drops",
				FCN_COMMAND_ACTION, trace_dropped, .role = FCN_ROLE_OPERATE},
		{"trace add <packets:number> when notified [verdict <verdict:name>] "
		 "[<filter:text>]",
				"Trace the next packets about which a notice is sent, or that get "
				"a verdict of show notify, such as interval",
				FCN_COMMAND_ACTION, trace_notified, .role = FCN_ROLE_OPERATE},
		{"trace add <packets:number> when marked [<filter:text>]",
				"Trace the next packets that the switch marks with CE",
				FCN_COMMAND_ACTION, trace_marked, .role = FCN_ROLE_OPERATE},
		{"trace add <packets:number> when trimmed [<filter:text>]",
				"Trace the next packets for which a queue that trims has no room",
				FCN_COMMAND_ACTION, trace_trimmed, .role = FCN_ROLE_OPERATE},
		{"trace clear", "Remove traced packets and stop tracing", FCN_COMMAND_ACTION,
				trace_clear, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_trace_commands = {"Packet trace", commands, RTE_DIM(commands)};
