/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Queue pairs that hosts report to a program, which tells the switch. They are no configuration. */

#include <errno.h>

#include "fcn_reported.h"
#include "session_private.h"

static int
read_host(const struct fcn_args *args, const char **name)
{
	*name = fcn_args_str(args, "host");
	return fcn_reported_is_name(*name)
			       ? 0
			       : fcn_command_error(args, -EINVAL, "host",
						 "the name of a host has 1 to %u letters, digits, "
						 "'.', '-' and '_'",
						 FCN_REPORTED_NAME - 1);
}

static int
read_lifetime(const struct fcn_args *args, uint64_t *lifetime)
{
	*lifetime = fcn_args_u64(args, "lifetime", 0);
	return *lifetime >= 1 && *lifetime <= FCN_REPORTED_MAX_LIFETIME
			       ? 0
			       : fcn_command_error(args, -ERANGE, "lifetime",
						 "a lifetime must be 1 to %u seconds",
						 FCN_REPORTED_MAX_LIFETIME);
}

static int
read_qp(const struct fcn_args *args, const char *key, uint32_t *qp)
{
	const uint64_t number = fcn_args_u64(args, key, 0);

	*qp = (uint32_t)number;
	return number <= FCN_QP_MAX ? 0
				    : fcn_command_error(args, -ERANGE, key,
						      "the number of a queue pair must be 0 to %u",
						      FCN_QP_MAX);
}

/* Read the receiver with its queue pair, and the sender. */
static int
read_pair(const struct fcn_args *args, struct fcn_qp_pair *pair)
{
	*pair = (struct fcn_qp_pair){.receiver = *fcn_args_addr(args, "receiver"),
			.sender = *fcn_args_addr(args, "sender")};
	return read_qp(args, "qp", &pair->receiver_qp);
}

/* Wait until what was removed or replaced is not used any more, unless the caller does it. */
static void
settle(const struct fcn_session *session)
{
	if (!session->settles)
		fcn_reported_settle(session->ctl);
}

/* Say why a host cannot report. */
static int
refuse(const struct fcn_session *session, const struct fcn_args *args, int rc, const char *holder)
{
	const struct fcn_config_proxy *proxy = &fcn_control_config(session->ctl)->proxy;

	switch (rc) {
	case -EOPNOTSUPP:
		return fcn_command_error(args, rc, NULL,
				"no reports of hosts are accepted: set proxy reported NUMBER");
	case -EINVAL:
		return fcn_command_error(args, rc, "sender",
				"sender and receiver have addresses of hosts, of the same IP "
				"version");
	case -EEXIST:
		return holder == NULL ? fcn_command_error(args, rc, "qp",
							"this queue pair is configured: proxy qp "
							"add")
				      : fcn_command_error(args, rc, "qp",
							"host %s has reported this queue pair",
							holder);
	case -EDQUOT:
		return fcn_command_error(args, rc, "host",
				"this host has reported %u queue pairs, the most it may: set proxy "
				"reported %u per-host NUMBER",
				proxy->reported_host, proxy->reported);
	case -ENOSPC:
		return fcn_command_error(args, rc, "qp",
				"there is no room for a further one: hosts may report %u queue "
				"pairs: set proxy reported NUMBER",
				proxy->reported);
	case -EUSERS:
		return fcn_command_error(args, rc, "host", "%u hosts report, the most there can be",
				FCN_REPORTED_HOSTS);
	default:
		return rc;
	}
}

static int
add(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_reported_error error = {.holder = NULL};
	struct fcn_qp_pair pair;
	const char *host;
	uint64_t lifetime;
	int rc = read_pair(args, &pair);

	if (rc == 0)
		rc = read_qp(args, "sender-qp", &pair.sender_qp);
	if (rc == 0)
		rc = read_host(args, &host);
	if (rc == 0)
		rc = read_lifetime(args, &lifetime);
	if (rc != 0)
		return rc;
	rc = fcn_reported_add(session->ctl, &pair, host, lifetime, &error);
	settle(session);
	return rc == 0 ? 0 : refuse(session, args, rc, error.holder);
}

static int
forget(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_qp_pair pair;
	const char *host;
	int rc = read_pair(args, &pair);

	if (rc == 0)
		rc = read_host(args, &host);
	if (rc != 0)
		return rc;
	rc = fcn_reported_remove(session->ctl, &pair, host);
	settle(session);
	return rc == -ENOENT ? fcn_command_error(args, rc, "qp",
					       "host %s has not reported this queue pair with this "
					       "sender",
					       host)
			     : rc;
}

static int
keep(struct fcn_session *session, const struct fcn_args *args)
{
	const char *host;
	uint64_t lifetime;
	int rc = read_host(args, &host);

	if (rc == 0)
		rc = read_lifetime(args, &lifetime);
	if (rc != 0)
		return rc;
	rc = fcn_reported_keep(session->ctl, host, lifetime);
	if (rc == -ENOENT)
		return fcn_command_error(args, rc, "host",
				"this host has reported nothing, or all was forgotten since");
	return rc == 0 ? 0 : refuse(session, args, rc, NULL);
}

static int
clear(struct fcn_session *session, const struct fcn_args *args)
{
	const char *host;
	int rc = read_host(args, &host);

	if (rc != 0)
		return rc;
	fprintf(session->out, "%u removed\n", fcn_reported_clear(session->ctl, host));
	settle(session);
	return 0;
}

static const struct fcn_command commands[] = {
		{"proxy qp learned add <receiver:addr> <qp:number> sender <sender:addr> sender-qp "
		 "<sender-qp:number> host <host:name> lifetime <lifetime:number>",
				"Use this queue pair of a sender for CNPs, as its host says. For "
				"programs to which hosts report. All that a host has reported is "
				"forgotten when the lifetime, in seconds, of the report that lasts "
				"longest has ended. In place of one that the host has reported for "
				"the same receiver and queue pair, which no CNP names any more "
				"when this is answered",
				FCN_COMMAND_ACTION, add, .role = FCN_ROLE_LEARNED},
		{"proxy qp learned remove <receiver:addr> <qp:number> sender <sender:addr> host "
		 "<host:name>",
				"Forget what a host has reported of a queue pair. No CNP names it "
				"any more when this is answered",
				FCN_COMMAND_ACTION, forget, .role = FCN_ROLE_LEARNED},
		{"proxy qp learned keep host <host:name> lifetime <lifetime:number>",
				"Let all that a host has reported live for so many seconds from "
				"now on",
				FCN_COMMAND_ACTION, keep, .role = FCN_ROLE_LEARNED},
		{"proxy qp learned clear host <host:name>", "Forget all that a host has reported",
				FCN_COMMAND_ACTION, clear, .role = FCN_ROLE_LEARNED},
};

const struct fcn_command_group fcn_reported_commands = {
		"Congestion notification with a proxy", commands, RTE_DIM(commands)};
