/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The state of a replay, which the files replay*.c share.
 */

#ifndef FCN_REPLAY_APP_H
#define FCN_REPLAY_APP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "fcn_replay.h"
#include "fcn_session.h"
#include "replay_flows.h"
#include "replay_mirror.h"

/** An option --in or --out. */
struct replay_file {
	char *port; /**< name of the port */
	const char *file;
	const char *filter; /**< --in: BPF expression, or NULL */
	bool used;          /**< its port uses it */
};

#define REPLAY_MAX_FILES 256

/** The command line. */
struct replay_options {
	const char *config; /**< NULL: one is made for the mirror capture */
	struct replay_file in[REPLAY_MAX_FILES];
	struct replay_file out[REPLAY_MAX_FILES];
	unsigned int n_in, n_out;
	struct replay_mirror_options mirror;
	const char **last_filter; /**< that of the preceding --in or --mirror; NULL: none */
	const char *save_config;  /**< file for the configuration that is made */
	const char *flows;        /**< file for the flows as CSV */
	uint64_t gap_ns;          /**< longest pause between two notices of a series */
	double speed;
	unsigned int mbufs; /**< packet buffers */
	uint64_t seed;      /**< of the random number generator */
	const char *json;
	const char *series;
	const char *report; /**< HTML file, "-": a sketch to standard output; NULL: none */
	const char *before;
	const char *after;
	bool quiet;
	bool help;
};

/** Latency of notices, from the decision to the last bit on the wire. Virtual nanoseconds. */
struct replay_latency {
	uint64_t n;
	uint64_t first_ns;      /**< of the first notice */
	uint64_t first_wait_ns; /**< the part of it that the notice waited for the link */
	uint64_t min_ns, max_ns, sum_ns;
};

/** A replay. */
struct replay_run {
	struct replay_options opt;
	struct fcn_replay *replay;
	struct fcn_control *ctl;
	struct fcn_captures *captures;
	struct fcn_command_table *table;
	struct fcn_session session;
	struct rte_mempool *pool;
	const volatile sig_atomic_t *interrupted;
	uint64_t now;
	bool stuck; /**< packets are queued that never leave */
	struct replay_latency latency;
	struct replay_flows *flows;
	struct replay_mirror *mirror; /**< NULL: --in gives the inputs */
	FILE *json;                   /**< file for the report in JSON, or NULL */
	FILE *csv;                    /**< file for the flows, or NULL */
	FILE *series;                 /**< numbers over time, or NULL */
	FILE *report;                 /**< HTML file, or NULL */
	struct replay_series *told;   /**< what the series has told */
};

/** Read the command line. @return 0, or -1 after a message on stderr */
int replay_options_parse(struct replay_options *opt, int argc, char **argv);
void replay_options_free(struct replay_options *opt);
void replay_usage(FILE *out);

/** Run the replay in virtual time, from the first packet to the last. */
void replay_loop(struct replay_run *run);

/** Begin the series of a run. @return 0, or -1: out of memory */
int replay_series_begin(struct replay_run *run);
void replay_series_end(struct replay_run *run);
/** Write that a notice was made. */
void replay_series_notice(struct replay_run *run, const struct fcn_event *ev);
/** Write what a turn has changed. @param last there is no further turn */
void replay_series_turn(struct replay_run *run, bool last);

/** Make the report of the run, which is the same for each run of the same input. @return a new
 * reference */
json_t *replay_report(struct replay_run *run);

/** Print the report as text. */
void replay_report_print(const struct replay_run *run, const json_t *report, FILE *out);

#endif /* FCN_REPLAY_APP_H */
