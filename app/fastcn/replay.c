/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_mbuf.h>

#include "fcn_capture_control.h"
#include "fcn_mempool_error.h"
#include "fcn_render.h"
#include "fcn_virtual_eal.h"
#include "fcn_virtual_pool.h"
#include "main.h"
#include "replay_run.h"

#define MEMORY_MB 1024
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

static struct fcn_replay_port *
find_port(const struct replay_run *run, const struct replay_file *f, const char *option)
{
	int p = fcn_config_port_find(fcn_control_config(run->ctl), f->port);

	if (p < 0) {
		fprintf(stderr, "fastcn replay: %s %s=%s: %s has no port %s\n", option, f->port,
				f->file, run->opt.config, f->port);
		return NULL;
	}
	return fcn_control_port(run->ctl, p)->priv;
}

static int
bind_files(struct replay_run *run)
{
	struct replay_options *opt = &run->opt;
	struct fcn_replay_port *port;
	char err[512];

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
	run->session = (struct fcn_session){.ctl = run->ctl,
			.table = run->table,
			.out = stdout,
			.captures = run->captures,
			.quiet = run->opt.quiet};
	if (fcn_session_load(&run->session, run->opt.config, false, stderr) != 0)
		return -1;
	if (bind_files(run) != 0)
		return -1;
	if (run->opt.series != NULL && open_output(run->opt.series, &run->series) != 0)
		return -1;
	if (run->opt.json != NULL && strcmp(run->opt.json, "-") != 0 &&
			open_output(run->opt.json, &run->json) != 0)
		return -1;
	return 0;
}

static void
tear_down(struct replay_run *run)
{
	if (run->series != NULL)
		fclose(run->series);
	if (run->json != NULL)
		fclose(run->json);
	fcn_captures_free(run->captures);
	fcn_control_free(run->ctl);
	fcn_replay_free(run->replay);
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
		fprintf(stderr, "fastcn replay: %s: %s\n", run->opt.series, strerror(errno));
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
	if (run->opt.json != NULL && write_json(run, report) != 0)
		status = FCN_EXIT_FAILED;
	if (!run->opt.quiet && (run->opt.json == NULL || strcmp(run->opt.json, "-") != 0))
		replay_report_print(run, report, stdout);
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
	fcn_replay_begin(run->replay);
	/* Traces have the timestamps of the captures. */
	fcn_control_set_epoch(run->ctl, fcn_replay_base(run->replay));
	replay_loop(run);
	return conclude(run);
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
	if (fcn_virtual_eal_init("fastcn replay", MEMORY_MB) != 0)
		return FCN_EXIT_USAGE;
	run.interrupted = &interrupted;
	status = replay(&run, &platform);
	tear_down(&run);
	replay_options_free(&run.opt);
	rte_eal_cleanup();
	return status;
}
