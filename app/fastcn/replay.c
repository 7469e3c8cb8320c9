/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "fcn_capture_control.h"
#include "fcn_mempool_error.h"
#include "fcn_render.h"
#include "fcn_virtual_eal.h"
#include "fcn_virtual_pool.h"
#include "main.h"
#include "python_part.h"
#include "replay_run.h"

#define MEMORY_MB 1024
/* MB for what is configured in a file of so many octets at most: 256 ports take 240 MB. EAL takes
 * the longer to begin the more memory it may use. */
#define SMALL_MEMORY_MB 384
#define SMALL_FILE 65536
#define MBUF_CACHE 256
#define EVENTS 1024
#define MAC_ENTRIES 4096
#define FLOW_SETS 4096
#define DEST_SETS 256
#define DESTINATIONS 65536

/* A signal handler has no argument, so this is global. */
/* The signal that ended the replay early; 0: none. */
static volatile sig_atomic_t interrupted;

static void
interrupt(int sig)
{
	interrupted = sig;
}

/* ---- functions for lib/control ---- */

static int
check_port(const struct fcn_config_port *port, char *err, size_t err_size)
{
	if (!port->pfc.hardware)
		return 0;
	snprintf(err, err_size,
			"ports of a replay have no hardware flow control: set pfc %s "
			"hardware off",
			port->name);
	return -1;
}

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	struct replay_run *run = arg;
	struct fcn_replay_port *rp;

	if (check_port(port, err, err_size) != 0)
		return -ENOTSUP;
	rp = fcn_replay_port_add(run->replay, port->name, port->link_bps, run->pool);
	if (rp == NULL) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	out->ops = &fcn_replay_port_ops;
	out->priv = rp;
	out->info.link_bps = port->link_bps;
	fcn_captures_port(run->captures, number, port->name, port->link_bps);
	return 0;
}

static int
update_port(void *arg, const struct fcn_config_port *port, struct fcn_control_port *open, char *err,
		size_t err_size)
{
	RTE_SET_USED(arg);
	if (check_port(port, err, err_size) != 0)
		return -ENOTSUP;
	fcn_replay_port_link(open->priv, port->link_bps);
	open->info.link_bps = port->link_bps;
	return 0;
}

/* The replay frees its ports. */
static void
close_port(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(open);
}

/* ---- start and end ---- */

/* Frames of --in. Those of --mirror are seen when their ports are chosen. */
static void
see(void *arg, const struct fcn_replay_frame *frame)
{
	struct replay_run *run = arg;
	struct replay_frame f;

	replay_frame_read(&f, frame->data, frame->captured, frame->len, frame->stamp);
	replay_flows_frame(run->flows, &f, true);
}

static struct fcn_replay_port *
find_port(const struct replay_run *run, const struct replay_file *f, const char *option)
{
	int p = fcn_config_port_find(fcn_control_config(run->ctl), f->port);

	if (p < 0) {
		fprintf(stderr, "fastcn replay: %s %s=%s: %s has no port %s\n", option, f->port,
				f->file,
				run->opt.config != NULL ? run->opt.config
							: "the made configuration",
				f->port);
		return NULL;
	}
	return fcn_control_port(run->ctl, p)->priv;
}

static void
sent(void *arg, const struct rte_mbuf *m, uint64_t left_ns)
{
	struct replay_run *run = arg;

	replay_flows_sent(run->flows, fcn_control_config(run->ctl), fcn_control_snapshot(run->ctl),
			m, left_ns);
}

static int
bind_inputs(struct replay_run *run)
{
	struct replay_options *opt = &run->opt;
	struct fcn_replay_port *port;
	char err[512];

	fcn_replay_pad(run->replay);
	fcn_replay_watch(run->replay,
			&(struct fcn_replay_watch){.arg = run, .see = see, .sent = sent});
	if (run->mirror != NULL)
		return replay_mirror_bind(run->mirror, run->ctl, run->replay);
	for (unsigned int i = 0; i < opt->n_in; i++) {
		port = find_port(run, &opt->in[i], "--in");
		if (port == NULL)
			return -1;
		if (fcn_replay_port_input(port, opt->in[i].file, opt->in[i].filter, err,
				    sizeof(err)) != 0) {
			fprintf(stderr, "fastcn replay: %s\n", err);
			return -1;
		}
	}
	return 0;
}

static int
bind_outputs(struct replay_run *run)
{
	struct replay_options *opt = &run->opt;
	struct fcn_replay_port *port;
	char err[512];

	for (unsigned int i = 0; i < opt->n_out; i++) {
		port = find_port(run, &opt->out[i], "--out");
		if (port == NULL)
			return -1;
		if (fcn_replay_port_output(port, opt->out[i].file, err, sizeof(err)) != 0) {
			fprintf(stderr, "fastcn replay: %s\n", err);
			return -1;
		}
	}
	return 0;
}

static int
open_output(const char *file, FILE **out)
{
	*out = fopen(file, "w");
	if (*out == NULL) {
		fprintf(stderr, "fastcn replay: %s: %s\n", file, strerror(errno));
		return -1;
	}
	return 0;
}

/* Load the configuration, or the one that is made for a mirror capture. */
static int
load(struct replay_run *run)
{
	struct fcn_session_text text = {.name = "the configuration made for the capture"};
	FILE *file = NULL;
	char *made;
	int rc;

	if (run->opt.config != NULL)
		return fcn_session_load(&run->session, run->opt.config, false, stderr);
	made = replay_mirror_config(run->mirror);
	if (made == NULL)
		return -1;
	rc = run->opt.save_config != NULL ? open_output(run->opt.save_config, &file) : 0;
	if (file != NULL && (fputs(made, file) < 0) + (fclose(file) != 0) != 0) {
		fprintf(stderr, "fastcn replay: %s: %s\n", run->opt.save_config, strerror(errno));
		rc = -1;
	}
	text.text = made;
	if (rc == 0)
		rc = fcn_session_load_text(&run->session, &text, 1, false, stderr);
	free(made);
	return rc;
}

/* A report is made of the series, which is a file of its own if the user wants none. */
static int
open_report(struct replay_run *run)
{
	struct stat is;

	if (strcmp(run->opt.report, "-") != 0 && open_output(run->opt.report, &run->report) != 0)
		return -1;
	if (run->series == NULL)
		run->series = tmpfile();
	if (run->series == NULL) {
		fprintf(stderr, "fastcn replay: a temporary file: %s\n", strerror(errno));
		return -1;
	}
	if (fstat(fileno(run->series), &is) == 0 && S_ISREG(is.st_mode))
		return 0;
	fprintf(stderr,
			"fastcn replay: --series %s: with --report, it has to be a file that can "
			"be read again\n",
			run->opt.series);
	return -1;
}

static int
set_up(struct replay_run *run, const struct fcn_platform *platform)
{
	struct fcn_control_conf conf = {
			.name = "replay",
			.platform = platform,
			.socket = SOCKET_ID_ANY,
			.events = EVENTS,
			.mac_entries = MAC_ENTRIES,
			.flow_sets = FLOW_SETS,
			.dest_sets = DEST_SETS,
			.destinations = DESTINATIONS,
			.seed = run->opt.seed,
	};
	char err[512] = "out of memory (see --mbufs)", why[256];

	/* With a cache, the buffers used last are used next, so they stay in the caches of the CPU.
	 */
	run->pool = fcn_virtual_pool_create(
			"packets", run->opt.mbufs, MBUF_CACHE, 0, FCN_DATA_ROOM);
	conf.pool = run->pool;
	if (run->pool == NULL && !fcn_mempool_has_handler())
		snprintf(err, sizeof(err), "packet buffers: %s",
				fcn_mempool_error(why, sizeof(why)));
	run->replay = fcn_replay_create(run->opt.speed);
	run->table = fcn_session_commands();
	if (run->pool != NULL && run->replay != NULL && run->table != NULL)
		run->ctl = fcn_control_create(&conf, err, sizeof(err));
	if (run->ctl == NULL) {
		fprintf(stderr, "fastcn replay: %s\n", err);
		return -1;
	}
	run->captures = fcn_captures_create(&(struct fcn_captures_conf){.ctl = run->ctl});
	if (run->captures == NULL) {
		fprintf(stderr, "fastcn replay: out of memory\n");
		return -1;
	}
	run->flows = replay_flows_create();
	if (run->flows == NULL) {
		fprintf(stderr, "fastcn replay: out of memory\n");
		return -1;
	}
	if (run->opt.mirror.n_files != 0) {
		run->mirror = replay_mirror_create(&run->opt.mirror, run->flows);
		if (run->mirror == NULL)
			return -1;
	}
	run->session = (struct fcn_session){.ctl = run->ctl,
			.table = run->table,
			.out = stdout,
			.captures = run->captures,
			.quiet = run->opt.quiet};
	if (load(run) != 0)
		return -1;
	if (bind_inputs(run) != 0 || bind_outputs(run) != 0)
		return -1;
	if (run->opt.series != NULL && open_output(run->opt.series, &run->series) != 0)
		return -1;
	if (run->opt.json != NULL && strcmp(run->opt.json, "-") != 0 &&
			open_output(run->opt.json, &run->json) != 0)
		return -1;
	if (run->opt.flows != NULL && open_output(run->opt.flows, &run->csv) != 0)
		return -1;
	if (run->opt.report != NULL && open_report(run) != 0)
		return -1;
	if (run->series != NULL && replay_series_begin(run) != 0) {
		fprintf(stderr, "fastcn replay: out of memory\n");
		return -1;
	}
	return 0;
}

static void
tear_down(struct replay_run *run)
{
	if (run->series != NULL)
		fclose(run->series);
	if (run->json != NULL)
		fclose(run->json);
	if (run->csv != NULL)
		fclose(run->csv);
	if (run->report != NULL)
		fclose(run->report);
	replay_series_end(run);
	fcn_captures_free(run->captures);
	fcn_control_free(run->ctl);
	fcn_replay_free(run->replay);
	replay_mirror_free(run->mirror);
	replay_flows_free(run->flows);
	fcn_command_table_free(run->table);
	rte_mempool_free(run->pool);
}

static int
write_json(const struct replay_run *run, const json_t *report)
{
	if (run->json == NULL) {
		fcn_render_json(report, stdout);
		return 0;
	}
	fcn_render_json(report, run->json);
	if (fflush(run->json) != 0 || ferror(run->json)) {
		fprintf(stderr, "fastcn replay: %s: %s\n", run->opt.json, strerror(errno));
		return -1;
	}
	return 0;
}

static int
write_csv(const struct replay_run *run, const json_t *report)
{
	replay_flows_csv(json_object_get(report, "cnps"), run->csv);
	if (fflush(run->csv) == 0 && !ferror(run->csv))
		return 0;
	fprintf(stderr, "fastcn replay: %s: %s\n", run->opt.flows, strerror(errno));
	return -1;
}

static int
write_report(const struct replay_run *run, const json_t *report)
{
	FILE *result = tmpfile();
	int rc = -1;

	if (result == NULL) {
		fprintf(stderr, "fastcn replay: a temporary file: %s\n", strerror(errno));
		return -1;
	}
	fcn_render_json(report, result);
	if (fflush(result) == 0 && !ferror(result))
		rc = python_part_report(
				"fastcn replay", "replay", result, run->series, run->report);
	else
		fprintf(stderr, "fastcn replay: a temporary file: %s\n", strerror(errno));
	fclose(result);
	return rc;
}

/*
 * Warn if there were packets without a buffer: the result then depends on the number of buffers,
 * and not only on the switch.
 */
static bool
ran_dry(const struct replay_run *run)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		struct fcn_replay_stats s;

		if (fcn_control_port(run->ctl, p) == NULL)
			continue;
		fcn_replay_port_stats(fcn_control_port(run->ctl, p)->priv, &s);
		if (s.in_no_mbuf != 0 ||
				fcn_control_worker(run->ctl, 0)
								->counters[p]
								.drop[FCN_DROP_NO_MBUF] != 0)
			return true;
	}
	return false;
}

static void
say_failed(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	fprintf(stderr, "fastcn replay: %s\n", line);
}

/* Tell whether there was no packet in any input. */
static bool
read_nothing(const struct replay_run *run, uint64_t received)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS && received == 0; p++) {
		struct fcn_replay_stats s;

		if (fcn_control_port(run->ctl, p) == NULL)
			continue;
		fcn_replay_port_stats(fcn_control_port(run->ctl, p)->priv, &s);
		received += s.in_filtered + s.in_runt + s.in_oversize;
	}
	return received == 0 && run->mirror == NULL;
}

/*
 * Say when nothing was forwarded, or little of much. @return exit status
 */
static int
check_forwarded(const struct replay_run *run, const json_t *report)
{
	const json_t *c = json_object_get(report, "conservation");
	const uint64_t received = json_integer_value(json_object_get(c, "received"));
	uint64_t same_port = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		same_port += fcn_control_worker(run->ctl, 0)->counters[p].drop[FCN_DROP_SAME_PORT];
	if (run->mirror == NULL && same_port > received / 2 && !run->opt.quiet)
		fprintf(stderr,
				"fastcn replay: %" PRIu64 " of %" PRIu64
				" packets were dropped, as "
				"they would leave by the port they came in by; --mirror reads a "
				"capture of several ports\n",
				same_port, received);
	/* Packets to the switch itself are consumed: they need not be forwarded. */
	if (json_integer_value(json_object_get(c, "transmitted")) != 0 ||
			json_integer_value(json_object_get(c, "consumed")) != 0 ||
			read_nothing(run, received))
		return FCN_EXIT_OK;
	fprintf(stderr, "fastcn replay: nothing was forwarded: %s\n",
			received == 0 ? "all packets of the inputs were left out"
				      : "all packets were dropped (see Drops in the report)");
	return FCN_EXIT_NOTHING;
}

/* Report errors of files and buffers on stderr. @return exit status */
static int
check_run(struct replay_run *run)
{
	int status = FCN_EXIT_OK;
	const char *message;

	fcn_captures_stop(run->captures, NULL);
	if (fcn_captures_failed(run->captures, say_failed, NULL) != 0)
		status = FCN_EXIT_FAILED;
	if (fcn_replay_flush(run->replay) != 0)
		status = FCN_EXIT_FAILED;
	if (run->series != NULL && (fflush(run->series) != 0 || ferror(run->series))) {
		fprintf(stderr, "fastcn replay: %s: %s\n",
				run->opt.series != NULL ? run->opt.series : "a temporary file",
				strerror(errno));
		status = FCN_EXIT_FAILED;
	}
	if (ran_dry(run)) {
		fprintf(stderr, "fastcn replay: packet buffers ran out, and packets were left "
				"out: set more by --mbufs\n");
		status = FCN_EXIT_FAILED;
	}
	if (run->stuck) {
		fprintf(stderr, "fastcn replay: packets remain queued that can never be sent\n");
		status = FCN_EXIT_FAILED;
	}
	for (unsigned int i = 0; (message = fcn_replay_error(run->replay, i)) != NULL; i++) {
		fprintf(stderr, "fastcn replay: %s\n", message);
		status = FCN_EXIT_FAILED;
	}
	return status;
}

/* Complete the files before anything is printed. The report is about the run without --after. */
static int
conclude(struct replay_run *run)
{
	json_t *report = replay_report(run);
	int status = check_run(run);

	if (!json_is_true(json_object_get(json_object_get(report, "conservation"), "ok")))
		status = FCN_EXIT_FAILED;
	if (status == FCN_EXIT_OK)
		status = check_forwarded(run, report);
	if (run->opt.json != NULL && write_json(run, report) != 0)
		status = FCN_EXIT_FAILED;
	if (run->csv != NULL && write_csv(run, report) != 0)
		status = FCN_EXIT_FAILED;
	if (!run->opt.quiet && (run->opt.json == NULL || strcmp(run->opt.json, "-") != 0))
		replay_report_print(run, report, stdout);
	if (run->opt.report != NULL && write_report(run, report) != 0)
		status = FCN_EXIT_FAILED;
	json_decref(report);
	if (run->opt.after != NULL && fcn_session_lines(&run->session, run->opt.after) != 0)
		status = FCN_EXIT_FAILED;
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "fastcn replay: standard output: %s\n", strerror(errno));
		status = FCN_EXIT_FAILED;
	}
	return interrupted != 0 ? FCN_EXIT_SIGNAL + interrupted : status;
}

static int
replay(struct replay_run *run, const struct fcn_platform *platform)
{
	const struct sigaction on_signal = {.sa_handler = interrupt};

	if (set_up(run, platform) != 0)
		return FCN_EXIT_USAGE;
	if (run->opt.before != NULL && fcn_session_lines(&run->session, run->opt.before) != 0)
		return FCN_EXIT_USAGE;
	for (unsigned int i = 0; i < run->opt.n_in; i++) { /* --before may have removed the port */
		if (find_port(run, &run->opt.in[i], "--in") == NULL)
			return FCN_EXIT_USAGE;
	}
	sigaction(SIGINT, &on_signal, NULL);
	sigaction(SIGTERM, &on_signal, NULL);
	sigaction(SIGHUP, &on_signal, NULL);
	signal(SIGPIPE, SIG_IGN); /* files are completed even when the reader of stdout has ended */
	if (run->mirror != NULL)
		replay_mirror_learn(run->mirror, run->ctl);
	fcn_replay_begin(run->replay);
	/* Traces have the timestamps of the captures. */
	fcn_control_set_epoch(run->ctl, fcn_replay_base(run->replay));
	replay_loop(run);
	return conclude(run);
}

static unsigned int
memory_for(const char *configuration)
{
	struct stat file;

	if (configuration == NULL)
		return SMALL_MEMORY_MB;
	return stat(configuration, &file) == 0 && S_ISREG(file.st_mode) &&
					       file.st_size <= SMALL_FILE
			       ? SMALL_MEMORY_MB
			       : MEMORY_MB;
}

int
fcn_replay_main(int argc, char **argv)
{
	static struct replay_run run; /* large */
	const struct fcn_platform platform = {
			.name = "replay",
			.port_open = open_port,
			.port_update = update_port,
			.port_close = close_port,
			.arg = &run,
	};
	int status;

	if (replay_options_parse(&run.opt, argc, argv) != 0) {
		fputs("Try: fastcn replay --help\n", stderr);
		replay_options_free(&run.opt);
		return FCN_EXIT_USAGE;
	}
	if (run.opt.help) {
		replay_usage(stdout);
		replay_options_free(&run.opt);
		return FCN_EXIT_OK;
	}
	if (fcn_virtual_eal_init("fastcn replay", memory_for(run.opt.config)) != 0)
		return FCN_EXIT_USAGE;
	run.interrupted = &interrupted;
	status = replay(&run, &platform);
	tear_down(&run);
	replay_options_free(&run.opt);
	rte_eal_cleanup();
	return status;
}
