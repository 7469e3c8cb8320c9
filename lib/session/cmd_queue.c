/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "fcn_render.h"
#include "session_private.h"

#define MAX_LIMIT_BYTES 1000000000
#define MAX_LIMIT_PACKETS 65536
#define MAX_WEIGHT 1000

static int
set_limit(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t bytes = fcn_args_u64(args, "bytes", 0);
	uint64_t packets = fcn_args_u64(args, "packets", 0);
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc != 0)
		return rc;
	if (fcn_args_has(args, "bytes") && (bytes < 1 || bytes > MAX_LIMIT_BYTES))
		return fcn_command_error(args, -ERANGE, "bytes", "a limit is 1 byte to 1G");
	if (fcn_args_has(args, "packets") && (packets < 1 || packets > MAX_LIMIT_PACKETS))
		return fcn_command_error(args, -ERANGE, "packets", "a limit is 1 to %u packets",
				MAX_LIMIT_PACKETS);
	FCN_FOREACH_SELECTED(&sel, p, c)
	{
		struct fcn_config_queue *q = &fcn_session_edit(session)->port[p].queue[c];

		if (fcn_args_has(args, "bytes"))
			q->limit_bytes = bytes;
		if (fcn_args_has(args, "packets"))
			q->limit_packets = packets;
	}
	return 0;
}

static int
set_switch(struct fcn_session *session, const struct fcn_args *args)
{
	bool automatic = fcn_args_has(args, "auto"), on = !automatic && fcn_session_is_on(args);
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc != 0)
		return rc;
	FCN_FOREACH_SELECTED(&sel, p, c)
	{
		struct fcn_config_queue *q = &fcn_session_edit(session)->port[p].queue[c];

		if (fcn_args_has(args, "ecn"))
			q->ecn = on;
		else if (fcn_args_has(args, "notify"))
			q->notify = on;
		else if (fcn_args_has(args, "contributors"))
			q->contributors = on;
		else
			q->strict = automatic ? FCN_STRICT_AUTO : on;
	}
	return 0;
}

static int
set_weight(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t weight = fcn_args_u64(args, "weight", 0);
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc != 0)
		return rc;
	if (weight < 1 || weight > MAX_WEIGHT)
		return fcn_command_error(
				args, -ERANGE, "weight", "a weight is 1 to %u", MAX_WEIGHT);
	FCN_FOREACH_SELECTED(&sel, p, c)
	fcn_session_edit(session)->port[p].queue[c].weight = weight;
	return 0;
}

static int
set_shaper(struct fcn_session *session, const struct fcn_args *args)
{
	bool committed = fcn_args_has(args, "committed");
	struct fcn_config_shaper shaper;
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc == 0)
		rc = fcn_session_rate(args, &shaper.bps, &shaper.burst);
	if (rc != 0)
		return rc;
	FCN_FOREACH_SELECTED(&sel, p, c)
	{
		struct fcn_config_queue *q = &fcn_session_edit(session)->port[p].queue[c];

		*(committed ? &q->committed : &q->peak) = shaper;
	}
	return 0;
}

/* From which occupancy and level on a queue marks, or notifies. */
static int
set_least(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t bytes = fcn_args_u64(args, "bytes", 0), level = fcn_args_u64(args, "level", 0);
	bool mark = fcn_args_has(args, "mark");
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc != 0)
		return rc;
	if (bytes > MAX_LIMIT_BYTES)
		return fcn_command_error(args, -ERANGE, "bytes", "an occupancy is at most 1G");
	if (level > FCN_LEVEL_MAX)
		return fcn_command_error(
				args, -ERANGE, "level", "a level is 0 to %u", FCN_LEVEL_MAX);
	FCN_FOREACH_SELECTED(&sel, p, c)
	{
		struct fcn_config_queue *q = &fcn_session_edit(session)->port[p].queue[c];

		if (fcn_args_has(args, "bytes"))
			*(mark ? &q->mark_bytes : &q->notify_bytes) = bytes;
		if (fcn_args_has(args, "level"))
			*(mark ? &q->mark_level : &q->notify_level) = level;
	}
	return 0;
}

#define QUEUE "set queue <port:name> class <class:class> "

static const struct fcn_command commands[] = {
		{QUEUE "limit <bytes:size> [packets <packets:count>]",
				"Tail drop above this occupancy (default 1M, 4096 packets)",
				FCN_COMMAND_CONFIG, set_limit},
		{QUEUE "strict <state:on|off>", "Serve the class before all below it",
				FCN_COMMAND_CONFIG, set_switch},
		{QUEUE "strict auto", "On for 6, 7 and the class of the notices (default)",
				FCN_COMMAND_CONFIG, set_switch},
		{QUEUE "weight <weight:number>",
				"Share of the class among those that are not strict (default 1)",
				FCN_COMMAND_CONFIG, set_weight},
		{QUEUE "committed <rate:rate> [burst <burst:size>]",
				"Rate the class gets before others get more; burst is what may be "
				"made up for after idling",
				FCN_COMMAND_CONFIG, set_shaper},
		{QUEUE "committed off", "No rate of its own (default)", FCN_COMMAND_CONFIG,
				set_shaper},
		{QUEUE "peak <rate:rate> [burst <burst:size>]", "Rate the class never exceeds",
				FCN_COMMAND_CONFIG, set_shaper},
		{QUEUE "peak off", "As fast as the port (default)", FCN_COMMAND_CONFIG, set_shaper},
		{QUEUE "ecn <state:on|off>", "CE-mark ECT packets while congested (default off)",
				FCN_COMMAND_CONFIG, set_switch},
		{QUEUE "mark from <bytes:size> [level <level:number>]",
				"Mark from this occupancy and congestion level on (default 0, 0)",
				FCN_COMMAND_CONFIG, set_least},
		{QUEUE "mark level <level:number>",
				"Mark from this congestion level on (default 0)",
				FCN_COMMAND_CONFIG, set_least},
		{QUEUE "notify <state:on|off>", "Notify senders while congested (default off)",
				FCN_COMMAND_CONFIG, set_switch},
		{QUEUE "notify from <bytes:size> [level <level:number>]",
				"Notify from this occupancy and congestion level on (default 0, 0)",
				FCN_COMMAND_CONFIG, set_least},
		{QUEUE "notify level <level:number>",
				"Notify from this congestion level on (default 0)",
				FCN_COMMAND_CONFIG, set_least},
		{QUEUE "contributors <state:on|off>",
				"Notify only for flows that hold their part of the queue: its "
				"bytes by twice the flows (default off)",
				FCN_COMMAND_CONFIG, set_switch},
};

const struct fcn_command_group fcn_queue_commands = {"Queues", commands, RTE_DIM(commands)};

static void
save_shaper(const struct fcn_config_shaper *s, const char *which, const char *head, FILE *out)
{
	char text[32];

	if (s->bps == 0)
		return;
	fprintf(out, "%s %s %s", head, which, fcn_format_rate(s->bps, text, sizeof(text)));
	if (s->burst != FCN_AUTO)
		fprintf(out, " burst %u", s->burst);
	fputc('\n', out);
}

static void
save_queue(const struct fcn_config_queue *q, const char *port, unsigned int class, FILE *out)
{
	struct fcn_config_queue def;
	char head[64];

	fcn_config_queue_default(&def);
	snprintf(head, sizeof(head), "set queue %s class %u", port, class);
	if (q->limit_bytes != def.limit_bytes || q->limit_packets != def.limit_packets)
		fprintf(out, "%s limit %u packets %u\n", head, q->limit_bytes, q->limit_packets);
	if (q->strict != FCN_STRICT_AUTO)
		fprintf(out, "%s strict %s\n", head, q->strict ? "on" : "off");
	if (q->weight != def.weight)
		fprintf(out, "%s weight %u\n", head, q->weight);
	save_shaper(&q->committed, "committed", head, out);
	save_shaper(&q->peak, "peak", head, out);
	if (q->ecn)
		fprintf(out, "%s ecn on\n", head);
	if (q->mark_bytes != 0 || q->mark_level != 0)
		fprintf(out, "%s mark from %u level %u\n", head, q->mark_bytes, q->mark_level);
	if (q->notify)
		fprintf(out, "%s notify on\n", head);
	if (q->notify_bytes != 0 || q->notify_level != 0)
		fprintf(out, "%s notify from %u level %u\n", head, q->notify_bytes,
				q->notify_level);
	if (q->contributors)
		fprintf(out, "%s contributors on\n", head);
}

void
fcn_save_queues(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (!fcn_config_is_line(cfg, p))
			continue;
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			save_queue(&cfg->port[p].queue[c], cfg->port[p].name, c, out);
	}
}
