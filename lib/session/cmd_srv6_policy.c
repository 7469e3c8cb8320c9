/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands of SRv6 policies and their segment lists. */

#include <errno.h>

#include "fcn_config_scopes.h"
#include "session_private.h"

static int
policy_add(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "policy");
	struct fcn_config_srv6_policy policy;
	int rc;

	memset(&policy, 0, sizeof(policy));
	fcn_setting_defaults(&fcn_srv6_policy_scope, &policy);
	if (!fcn_config_is_name(name))
		return fcn_command_error(args, -EINVAL, "policy", "a name has 1 to %u characters",
				FCN_SRV6_NAME_LEN - 1);
	snprintf(policy.name, sizeof(policy.name), "%s", name);
	rc = fcn_config_srv6_policy_add(fcn_session_edit(session), &policy);
	if (rc == -EEXIST)
		return fcn_command_error(args, rc, "policy", "this policy exists already");
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, "policy", "there are %u policies already",
				FCN_SRV6_POLICIES);
	return RTE_MIN(rc, 0);
}

static int
policy_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int rc = fcn_config_srv6_policy_remove(
			fcn_session_edit(session), fcn_args_str(args, "policy"));

	return rc != -ENOENT ? rc
			     : fcn_command_error(args, rc, "policy", "there is no such policy");
}

/* Read a SID of a list. @return NULL, or what is wrong with it */
static const char *
read_sid(const char *text, uint8_t segment[16])
{
	struct fcn_addr addr;

	if (fcn_addr_parse(text, &addr) != 0 || addr.version != 6)
		return "is not an IPv6 address";
	if (fcn_addr_why_no_host(&addr) != NULL || fcn_addr_is_link_local(&addr))
		return "is not an address that packets can be routed to";
	memcpy(segment, addr.bytes, 16);
	return NULL;
}

/* Read the segments of a list. @return 0; a negative errno after the error was reported */
static int
read_list(const struct fcn_args *args, struct fcn_segment_list *list)
{
	char text[FCN_COMMAND_MAX_TEXT], *rest = text, *sid;
	const char *why;

	snprintf(text, sizeof(text), "%s", fcn_args_str(args, "segments"));
	while ((sid = strsep(&rest, ",")) != NULL) {
		if (list->n == FCN_SRV6_MAX_SEGMENTS)
			return fcn_command_error(args, -E2BIG, "segments",
					"a list has at most %u segments", FCN_SRV6_MAX_SEGMENTS);
		why = read_sid(sid, list->segment[list->n++]);
		if (why != NULL)
			return fcn_command_error(args, -EINVAL, "segments", "%s %s", sid, why);
	}
	return 0;
}

/* Read what names a segment list. @return 0; a negative errno after the error was reported */
static int
read_segments(struct fcn_session *session, const struct fcn_args *args,
		struct fcn_config_srv6_segments *segments)
{
	const struct fcn_config *cfg = fcn_session_edit(session);
	int at = fcn_config_srv6_policy_find(cfg, fcn_args_str(args, "policy"));

	if (at < 0)
		return fcn_command_error(args, at, "policy", "there is no such policy");
	memset(segments, 0, sizeof(*segments));
	segments->policy = cfg->srv6.policies.item[at].slot;
	return read_list(args, &segments->list);
}

static int
segments_add(struct fcn_session *session, const struct fcn_args *args)
{
	const uint64_t weight = fcn_args_u64(args, "weight", 1);
	struct fcn_config_srv6_segments segments;
	int rc = read_segments(session, args, &segments);

	if (rc != 0)
		return rc;
	if (weight < 1 || weight > FCN_SRV6_MAX_WEIGHT)
		return fcn_command_error(args, -ERANGE, "weight", "a weight must be 1 to %u",
				FCN_SRV6_MAX_WEIGHT);
	if (fcn_args_u64(args, "path-id", 0) > UINT32_MAX)
		return fcn_command_error(args, -ERANGE, "path-id",
				"a path identifier must be 0 to %u", UINT32_MAX);
	segments.weight = (uint16_t)weight;
	segments.has_path_id = fcn_args_given(args, "path-id");
	segments.path_id = (uint32_t)fcn_args_u64(args, "path-id", 0);
	rc = fcn_config_srv6_segments_add(fcn_session_edit(session), &segments);
	if (rc == -EEXIST)
		return fcn_command_error(
				args, rc, "segments", "the policy has this segment list already");
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, "segments", "there are %u segment lists already",
				FCN_SRV6_SEGMENT_LISTS);
	return rc;
}

static int
segments_remove(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_srv6_segments segments;
	int rc = read_segments(session, args, &segments);

	if (rc != 0)
		return rc;
	rc = fcn_config_srv6_segments_remove(
			fcn_session_edit(session), segments.policy, &segments.list);
	return rc != -ENOENT ? rc
			     : fcn_command_error(args, rc, "segments",
					       "the policy has no such segment list");
}

static const struct fcn_command commands[] = {
		{"srv6 policy add <policy:name>",
				"Add an SRv6 policy, which routes can name: the packets enter the "
				"SRv6 domain by one of its segment lists",
				FCN_COMMAND_CONFIG, policy_add},
		{"srv6 policy remove <policy:name>",
				"Remove an SRv6 policy, its segment lists, and the routes and "
				"steering rules that name it",
				FCN_COMMAND_CONFIG, policy_remove},
		{"srv6 segments add <policy:name> <segments:names> [weight <weight:number>] "
		 "[path-id <path-id:number>]",
				"Add a segment list to an SRv6 policy: SIDs in the order in which "
				"they are visited, separated by commas. Flows are shared among the "
				"lists of a policy by their weights, default 1. ARN messages name "
				"the path identifier",
				FCN_COMMAND_CONFIG, segments_add},
		{"srv6 segments remove <policy:name> <segments:names>",
				"Remove a segment list from an SRv6 policy", FCN_COMMAND_CONFIG,
				segments_remove},
};

const struct fcn_command_group fcn_srv6_policy_commands = {"SRv6", commands, RTE_DIM(commands)};

void
fcn_save_srv6_policies(const struct fcn_config *cfg, FILE *out)
{
	for (size_t i = 0; i < cfg->srv6.policies.n; i++)
		fprintf(out, "srv6 policy add %s\n", cfg->srv6.policies.item[i].name);
}

static void
save_segments(const struct fcn_config *cfg, const struct fcn_config_srv6_segments *s, FILE *out)
{
	fprintf(out, "srv6 segments add %s ", fcn_config_srv6_policy_of(cfg, s->policy)->name);
	for (unsigned int i = 0; i < s->list.n; i++) {
		struct fcn_addr sid = {.version = 6};
		char text[FCN_ADDR_STRLEN];

		memcpy(sid.bytes, s->list.segment[i], 16);
		fprintf(out, "%s%s", i > 0 ? "," : "", fcn_addr_format(&sid, text, sizeof(text)));
	}
	if (s->weight != 1)
		fprintf(out, " weight %u", s->weight);
	if (s->has_path_id)
		fprintf(out, " path-id %u", s->path_id);
	fputc('\n', out);
}

void
fcn_save_srv6_segments(const struct fcn_config *cfg, FILE *out)
{
	for (size_t i = 0; i < cfg->srv6.segments.n; i++)
		save_segments(cfg, &cfg->srv6.segments.item[i], out);
}
