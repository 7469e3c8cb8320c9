/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_render.h"
#include "session.h"

#define MAX_LIMIT_BYTES 1000000000
#define MAX_LIMIT_PACKETS 65536
#define MAX_WEIGHT 1000
#define MAX_HOLD_NS 1000000000ull

/* The queues a command is about: one class of a port, or all. */
struct selection {
	unsigned int port;
	unsigned int first_class, last_class;
};

static int
select_queues(struct fcn_session *session, const struct fcn_args *args, struct selection *sel)
{
	uint64_t class = fcn_args_u64(args, "class", FCN_ARG_CLASS_ALL);
	int port = fcn_session_port(session, args, "port");

	if (port < 0)
		return port;
	sel->port = port;
	sel->first_class = class == FCN_ARG_CLASS_ALL ? 0 : class;
	sel->last_class = class == FCN_ARG_CLASS_ALL ? FCN_CLASSES - 1 : class;
	return 0;
}

/* Iterate the selected queues of the candidate. */
#define FOREACH_QUEUE(cfg, sel, q)                                                              \
	for ((q) = &(cfg)->port[(sel)->port].queue[(sel)->first_class];                         \
			(q) <= &session->candidate->port[(sel)->port].queue[(sel)->last_class]; \
			(q)++)

static int
set_limit(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t bytes = fcn_args_u64(args, "bytes", 0);
	uint64_t packets = fcn_args_u64(args, "packets", 0);
	struct fcn_config_queue *q;
	struct selection sel;
	int rc = select_queues(session, args, &sel);

	if (rc != 0)
		return rc;
	if (fcn_args_has(args, "bytes") && (bytes < 1 || bytes > MAX_LIMIT_BYTES))
		return fcn_command_error(args, -ERANGE, "bytes", "a limit is 1 byte to 1G");
	if (fcn_args_has(args, "packets") && (packets < 1 || packets > MAX_LIMIT_PACKETS))
		return fcn_command_error(args, -ERANGE, "packets", "a limit is 1 to %u packets",
				MAX_LIMIT_PACKETS);
	FOREACH_QUEUE(fcn_session_edit(session), &sel, q)
	{
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
	bool on = strcmp(fcn_args_str(args, "state"), "on") == 0;
	struct fcn_config_queue *q;
	struct selection sel;
	int rc = select_queues(session, args, &sel);

	if (rc != 0)
		return rc;
	FOREACH_QUEUE(fcn_session_edit(session), &sel, q)
	{
		if (fcn_args_has(args, "ecn"))
			q->ecn = on;
		else if (fcn_args_has(args, "notify"))
			q->notify = on;
		else
			q->strict = on;
	}
	return 0;
}

static int
set_weight(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t weight = fcn_args_u64(args, "weight", 0);
	struct fcn_config_queue *q;
	struct selection sel;
	int rc = select_queues(session, args, &sel);

	if (rc != 0)
		return rc;
	if (weight < 1 || weight > MAX_WEIGHT)
		return fcn_command_error(
				args, -ERANGE, "weight", "a weight is 1 to %u", MAX_WEIGHT);
	FOREACH_QUEUE(fcn_session_edit(session), &sel, q)
	q->weight = weight;
	return 0;
}

/* A size that may be left to its default. */
static int
get_size(const struct fcn_args *args, const char *key, uint32_t *value)
{
	uint64_t v = fcn_args_u64(args, key, FCN_AUTO);

	if (fcn_args_has(args, key) && (v < 1 || v > MAX_LIMIT_BYTES))
		return fcn_command_error(args, -ERANGE, key, "a threshold is 1 byte to 1G");
	*value = v;
	return 0;
}

static int
set_detector(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_queue *q, d;
	struct selection sel;
	int rc = select_queues(session, args, &sel);

	if (rc != 0)
		return rc;
	fcn_config_queue_default(&d, 0);
	if (fcn_args_has(args, "step")) {
		d.detector.type = FCN_DETECTOR_STEP;
		rc = get_size(args, "threshold", &d.detector.enter);
	} else if (fcn_args_has(args, "qcn")) {
		uint64_t weight = fcn_args_u64(args, "weight", 2);

		d.detector.type = FCN_DETECTOR_QCN;
		if (weight > 64)
			return fcn_command_error(args, -ERANGE, "weight", "a weight is 0 to 64");
		d.detector.weight = weight;
		rc = get_size(args, "qeq", &d.detector.qeq);
		if (rc == 0 && fcn_args_has(args, "sample"))
			rc = get_size(args, "sample", &d.detector.sample);
	}
	if (rc == 0)
		rc = get_size(args, "leave", &d.detector.leave);
	if (rc != 0)
		return rc;
	if (d.detector.type == FCN_DETECTOR_STEP && d.detector.leave != FCN_AUTO &&
			d.detector.leave > d.detector.enter)
		return fcn_command_error(args, -EINVAL, "leave",
				"a queue leaves congestion at or below the threshold where it "
				"enters it");
	d.detector.hold_ns = fcn_args_u64(args, "hold", FCN_AUTO64);
	if (fcn_args_has(args, "hold") && d.detector.hold_ns > MAX_HOLD_NS)
		return fcn_command_error(args, -ERANGE, "hold", "a hold time is at most 1s");
	FOREACH_QUEUE(fcn_session_edit(session), &sel, q)
	q->detector = d.detector;
	return 0;
}

static const struct fcn_command commands[] = {
		{"set queue <port:name> class <class:class> limit <bytes:size> [packets "
		 "<packets:count>]",
				"Tail drop above this occupancy (default 1M, 4096 packets)",
				FCN_COMMAND_CONFIG, set_limit},
		{"set queue <port:name> class <class:class> strict <state:on|off>",
				"Serve the class before all below it (default on for 6 and 7)",
				FCN_COMMAND_CONFIG, set_switch},
		{"set queue <port:name> class <class:class> weight <weight:number>",
				"Share of the class among those that are not strict (default 1)",
				FCN_COMMAND_CONFIG, set_weight},
		{"set queue <port:name> class <class:class> detector step <threshold:size> [leave "
		 "<leave:size>] [hold <hold:time>]",
				"Congested from threshold bytes on, until below leave (default "
				"half) for hold (default 0)",
				FCN_COMMAND_CONFIG, set_detector},
		{"set queue <port:name> class <class:class> detector qcn [qeq <qeq:size>] [weight "
		 "<weight:number>] [sample <sample:size>] [leave <leave:size>] [hold <hold:time>]",
				"Congestion by position and growth of the queue (QCN's Fb)",
				FCN_COMMAND_CONFIG, set_detector},
		{"set queue <port:name> class <class:class> detector off",
				"No congestion detector (default)", FCN_COMMAND_CONFIG,
				set_detector},
		{"set queue <port:name> class <class:class> ecn <state:on|off>",
				"CE-mark ECT packets while congested (default off)",
				FCN_COMMAND_CONFIG, set_switch},
		{"set queue <port:name> class <class:class> notify <state:on|off>",
				"Notify senders while congested (default off)", FCN_COMMAND_CONFIG,
				set_switch},
};

const struct fcn_command_group fcn_queue_commands = {"Queues", commands, RTE_DIM(commands)};

static void
save_detector(const struct fcn_config_detector *d, const char *head, FILE *out)
{
	char text[32];

	switch (d->type) {
	case FCN_DETECTOR_OFF:
		return;
	case FCN_DETECTOR_STEP:
		fprintf(out, "%s detector step %u", head, d->enter);
		break;
	case FCN_DETECTOR_QCN:
		fprintf(out, "%s detector qcn", head);
		if (d->qeq != FCN_AUTO)
			fprintf(out, " qeq %u", d->qeq);
		fprintf(out, " weight %u sample %u", d->weight, d->sample);
		break;
	}
	if (d->leave != FCN_AUTO)
		fprintf(out, " leave %u", d->leave);
	if (d->hold_ns != FCN_AUTO64)
		fprintf(out, " hold %s", fcn_format_time(d->hold_ns, text, sizeof(text)));
	fputc('\n', out);
}

static void
save_queue(const struct fcn_config_queue *q, const char *port, unsigned int class, FILE *out)
{
	struct fcn_config_queue def;
	char head[64];

	fcn_config_queue_default(&def, class);
	snprintf(head, sizeof(head), "set queue %s class %u", port, class);
	if (q->limit_bytes != def.limit_bytes || q->limit_packets != def.limit_packets)
		fprintf(out, "%s limit %u packets %u\n", head, q->limit_bytes, q->limit_packets);
	if (q->strict != def.strict)
		fprintf(out, "%s strict %s\n", head, q->strict ? "on" : "off");
	if (q->weight != def.weight)
		fprintf(out, "%s weight %u\n", head, q->weight);
	save_detector(&q->detector, head, out);
	if (q->ecn)
		fprintf(out, "%s ecn on\n", head);
	if (q->notify)
		fprintf(out, "%s notify on\n", head);
}

void
fcn_save_queues(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (cfg->port[p].name[0] == '\0')
			continue;
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			save_queue(&cfg->port[p].queue[c], cfg->port[p].name, c, out);
	}
}
