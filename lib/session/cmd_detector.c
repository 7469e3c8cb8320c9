/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_render.h"
#include "session_private.h"

#define MAX_BYTES 1000000000
#define MAX_TIME_NS 1000000000ull
#define MIN_WINDOW_NS 1000ull
#define MAX_WINDOW_NS 1000000ull /* bytes of a window are counted in 32 bits */
#define MAX_RATIO (8 * FCN_RATIO_ONE)

/* A size that may be left to its default. */
static int
get_size(const struct fcn_args *args, const char *key, uint32_t *value)
{
	uint64_t v = fcn_args_u64(args, key, *value);

	if (fcn_args_has(args, key) && (v < 1 || v > MAX_BYTES))
		return fcn_command_error(args, -ERANGE, key, "a threshold is 1 byte to 1G");
	*value = v;
	return 0;
}

static int
get_time(const struct fcn_args *args, const char *key, uint64_t *value)
{
	uint64_t v = fcn_args_u64(args, key, *value);

	if (fcn_args_has(args, key) && v > MAX_TIME_NS)
		return fcn_command_error(args, -ERANGE, key, "a time of %s is at most 1s", key);
	*value = v;
	return 0;
}

static int
get_rate(const struct fcn_args *args, const char *key, uint64_t *value)
{
	uint64_t v = fcn_args_u64(args, key, *value);

	if (!fcn_args_has(args, key))
		return 0;
	if (v < FCN_RATE_STEP || v > MAX_RATIO || v % FCN_RATE_STEP != 0)
		return fcn_command_error(args, -ERANGE, key,
				"a part of the rate is 0.001 to 8, in steps of 0.001");
	*value = v;
	return 0;
}

static int
above(const struct fcn_args *args)
{
	return fcn_command_error(args, -EINVAL, "leave",
			"a queue leaves congestion at or below the threshold where it enters it");
}

static int
get_step(const struct fcn_args *args, struct fcn_config_detector *d)
{
	int rc = get_size(args, "threshold", &d->enter);

	d->type = FCN_DETECTOR_STEP;
	if (rc == 0)
		rc = get_size(args, "leave", &d->leave);
	if (rc != 0)
		return rc;
	if (d->enter != FCN_AUTO && d->leave != FCN_AUTO && d->leave > d->enter)
		return above(args);
	return 0;
}

static int
get_red(const struct fcn_args *args, struct fcn_config_detector *d)
{
	int rc = get_size(args, "kmin", &d->enter);

	d->type = FCN_DETECTOR_RED;
	if (rc == 0)
		rc = get_size(args, "kmax", &d->kmax);
	if (rc == 0)
		rc = get_size(args, "leave", &d->leave);
	if (rc != 0)
		return rc;
	d->pmax = fcn_args_u64(args, "pmax", d->pmax);
	if (d->pmax > FCN_RATIO_ONE)
		return fcn_command_error(args, -ERANGE, "pmax", "a probability is 0 to 1");
	if (d->enter != FCN_AUTO && d->kmax != FCN_AUTO && d->kmax <= d->enter)
		return fcn_command_error(args, -EINVAL, "kmax", "kmax must lie above kmin");
	if (d->enter != FCN_AUTO && d->leave != FCN_AUTO && d->leave > d->enter)
		return above(args);
	d->at_dequeue = fcn_args_has(args, "where") &&
			strcmp(fcn_args_str(args, "where"), "dequeue") == 0;
	return 0;
}

static int
get_qcn(const struct fcn_args *args, struct fcn_config_detector *d)
{
	uint64_t weight = fcn_args_u64(args, "weight", d->weight);
	int rc;

	d->type = FCN_DETECTOR_QCN;
	if (weight > 64)
		return fcn_command_error(args, -ERANGE, "weight", "a weight is 0 to 64");
	d->weight = weight;
	rc = get_size(args, "qeq", &d->qeq);
	if (rc == 0)
		rc = get_size(args, "sample", &d->sample);
	return rc == 0 ? get_size(args, "leave", &d->leave) : rc;
}

static int
get_sojourn(const struct fcn_args *args, struct fcn_config_detector *d)
{
	int rc = get_time(args, "target", &d->target_ns);

	d->type = FCN_DETECTOR_SOJOURN;
	if (rc == 0)
		rc = get_time(args, "interval", &d->interval_ns);
	if (rc == 0)
		rc = get_time(args, "leave", &d->leave_ns);
	if (rc != 0)
		return rc;
	if (d->target_ns == 0)
		return fcn_command_error(args, -ERANGE, "target", "a target is 1ns to 1s");
	if (d->leave_ns != FCN_AUTO64 && d->leave_ns > d->target_ns)
		return above(args);
	return 0;
}

static int
get_rate_detector(const struct fcn_args *args, struct fcn_config_detector *d)
{
	uint64_t window = fcn_args_u64(args, "window", MIN_WINDOW_NS);
	int rc = get_rate(args, "threshold", &d->threshold);

	d->type = FCN_DETECTOR_RATE;
	if (rc == 0)
		rc = get_rate(args, "leave", &d->leave_ratio);
	if (rc != 0)
		return rc;
	if (window < MIN_WINDOW_NS || window > MAX_WINDOW_NS)
		return fcn_command_error(args, -ERANGE, "window", "a window is 1us to 1ms");
	if (d->leave_ratio != FCN_AUTO64 && d->leave_ratio > d->threshold)
		return above(args);
	d->interval_ns = fcn_args_u64(args, "window", FCN_AUTO64);
	return 0;
}

static int
get_detector(const struct fcn_args *args, struct fcn_config_detector *d)
{
	if (fcn_args_has(args, "step"))
		return get_step(args, d);
	if (fcn_args_has(args, "red"))
		return get_red(args, d);
	if (fcn_args_has(args, "qcn"))
		return get_qcn(args, d);
	if (fcn_args_has(args, "sojourn"))
		return get_sojourn(args, d);
	return fcn_args_has(args, "rate") ? get_rate_detector(args, d) : 0;
}

static int
set_detector(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_queue fresh;
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	fcn_config_queue_default(&fresh);
	if (rc == 0)
		rc = get_detector(args, &fresh.detector);
	if (rc == 0)
		rc = get_time(args, "hold", &fresh.detector.hold_ns);
	if (rc != 0)
		return rc;
	FCN_FOREACH_SELECTED(&sel, p, c)
	fcn_session_edit(session)->port[p].queue[c].detector = fresh.detector;
	return 0;
}

#define DETECTOR "set queue <port:name> class <class:class> detector "

static const struct fcn_command commands[] = {
		{DETECTOR "step <threshold:size> [leave <leave:size>] [hold <hold:time>]",
				"Congested from threshold bytes on, until below leave (default "
				"half) for hold (default 0)",
				FCN_COMMAND_CONFIG, set_detector},
		{DETECTOR "step [threshold <threshold:size>] [leave <leave:size>] [hold "
			  "<hold:time>]",
				"The same; default threshold 100 KB at 25G, in proportion to the "
				"queue's rate",
				FCN_COMMAND_CONFIG, set_detector},
		{DETECTOR "red [kmin <kmin:size>] [kmax <kmax:size>] [pmax <pmax:ratio>] [at "
			  "<where:enqueue|dequeue>] [leave <leave:size>] [hold <hold:time>]",
				"Packets chosen by chance: none up to kmin, pmax (default 0.2) of "
				"them just below kmax, all from there (default 100 KB, 400 KB at "
				"25G)",
				FCN_COMMAND_CONFIG, set_detector},
		{DETECTOR "qcn [qeq <qeq:size>] [weight <weight:number>] [sample <sample:size>] "
			  "[leave <leave:size>] [hold <hold:time>]",
				"Congestion by position and growth of the queue (QCN's Fb)",
				FCN_COMMAND_CONFIG, set_detector},
		{DETECTOR "sojourn [target <target:time>] [interval <interval:time>] [leave "
			  "<leave:time>] [hold <hold:time>]",
				"Congested when packets have waited for target (default 20us) or "
				"longer all through an interval (default 100us)",
				FCN_COMMAND_CONFIG, set_detector},
		{DETECTOR "rate [threshold <threshold:ratio>] [window <window:time>] [leave "
			  "<leave:ratio>] [hold <hold:time>]",
				"Congested when more arrives than this part of the queue's rate "
				"(default 0.95), averaged over windows (default 10us)",
				FCN_COMMAND_CONFIG, set_detector},
		{DETECTOR "off", "No congestion detector (default)", FCN_COMMAND_CONFIG,
				set_detector},
};

const struct fcn_command_group fcn_detector_commands = {"Detectors", commands, RTE_DIM(commands)};

static void
save_time(const char *word, uint64_t ns, FILE *out)
{
	char text[32];

	if (ns != FCN_AUTO64)
		fprintf(out, " %s %s", word, fcn_format_time(ns, text, sizeof(text)));
}

static void
save_size(const char *word, uint32_t bytes, FILE *out)
{
	if (bytes != FCN_AUTO)
		fprintf(out, " %s %u", word, bytes);
}

static void
save_ratio(const char *word, uint64_t ratio, FILE *out)
{
	char text[32];

	if (ratio != FCN_AUTO64)
		fprintf(out, " %s %s", word, fcn_format_ratio(ratio, text, sizeof(text)));
}

static void
save_detector(const struct fcn_config_detector *d, FILE *out)
{
	fprintf(out, " detector %s", fcn_detector_type_name(d->type));
	switch (d->type) {
	case FCN_DETECTOR_OFF:
		break;
	case FCN_DETECTOR_STEP:
		if (d->enter != FCN_AUTO)
			fprintf(out, " %u", d->enter);
		break;
	case FCN_DETECTOR_RED:
		save_size("kmin", d->enter, out);
		save_size("kmax", d->kmax, out);
		save_ratio("pmax", d->pmax, out);
		if (d->at_dequeue)
			fputs(" at dequeue", out);
		break;
	case FCN_DETECTOR_QCN:
		save_size("qeq", d->qeq, out);
		fprintf(out, " weight %u sample %u", d->weight, d->sample);
		break;
	case FCN_DETECTOR_SOJOURN:
		save_time("target", d->target_ns, out);
		save_time("interval", d->interval_ns, out);
		save_time("leave", d->leave_ns, out);
		break;
	case FCN_DETECTOR_RATE:
		save_ratio("threshold", d->threshold, out);
		save_time("window", d->interval_ns, out);
		save_ratio("leave", d->leave_ratio, out);
		break;
	}
	save_size("leave", d->leave, out);
	save_time("hold", d->hold_ns, out);
	fputc('\n', out);
}

void
fcn_save_detectors(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		for (unsigned int c = 0; fcn_config_is_line(cfg, p) && c < FCN_CLASSES; c++) {
			if (port->queue[c].detector.type == FCN_DETECTOR_OFF)
				continue;
			fprintf(out, "set queue %s class %u", port->name, c);
			save_detector(&port->queue[c].detector, out);
		}
	}
}
