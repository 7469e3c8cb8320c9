/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <bsd/string.h>
#include <numa.h>
#include <rte_cycles.h>
#include <rte_lcore.h>

#include "fcn_commits.h"
#include "live.h"
#include "main.h"
#include "packet_buffers.h"

#define EVENTS 8192
#define MAC_ENTRIES 65536
#define FLOW_SETS 16384
#define DEST_SETS 1024
#define DESTINATIONS 65536

static int
read_mbufs(const char *arg, unsigned int *mbufs)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (arg[0] < '0' || arg[0] > '9' || *end != '\0' || n < FCN_MBUFS_MIN ||
			n > FCN_MBUFS_MAX) {
		fprintf(stderr,
				"fastcn: --mbufs %s: the number of packet buffers must be %u to "
				"%u\n",
				arg, FCN_MBUFS_MIN, FCN_MBUFS_MAX);
		return -1;
	}
	*mbufs = n;
	return 0;
}

/* Take a text that may be given once. */
static int
read_once(int option, const char **text)
{
	if (*text != NULL) {
		fprintf(stderr, "fastcn: -%c is given twice\n", option);
		return -1;
	}
	*text = optarg;
	return 0;
}

static int
read_metrics(const char *arg, struct fcn_session_options *options)
{
	char err[256];

	options->metrics = true;
	if (fcn_exports_option_metrics(arg, &options->exports, err, sizeof(err)) == 0)
		return 0;
	fprintf(stderr, "fastcn: --metrics %s: %s\n", arg, err);
	return -1;
}

/* The name becomes a word of a line that `save` writes. */
static int
read_log_events(const char *arg, struct fcn_session_options *options)
{
	options->events = true;
	if (arg[0] != '\0' && strpbrk(arg, " \t\n#;") == NULL &&
			strlcpy(options->exports.events, arg, sizeof(options->exports.events)) <
					sizeof(options->exports.events))
		return 0;
	fprintf(stderr,
			"fastcn: --log-events %s: a name has 1 to %zu characters, and neither "
			"blanks nor '#' nor ';'\n",
			arg, sizeof(options->exports.events) - 1);
	return -1;
}

static int
read_user(const char *arg, struct fcn_live *live)
{
	char err[300];

	live->user_option = arg;
	if (fcn_user_find(arg, &live->user, err, sizeof(err)) == 0)
		return 0;
	fprintf(stderr, "fastcn: --user %s: %s\n", arg, err);
	return -1;
}

static const struct option options[] = {{"seed", required_argument, NULL, 's'},
		{"name", required_argument, NULL, 'n'}, {"socket", required_argument, NULL, 'S'},
		{"socket-mode", required_argument, NULL, 'm'},
		{"socket-group", required_argument, NULL, 'G'},
		{"group-role", required_argument, NULL, 'R'},
		{"session-idle", required_argument, NULL, 'I'},
		{"config-dir", required_argument, NULL, 'C'},
		{"output-dir", required_argument, NULL, 'O'}, {"no-socket", no_argument, NULL, 'N'},
		{"metrics", required_argument, NULL, 'M'},
		{"log-events", required_argument, NULL, 'L'},
		{"user", required_argument, NULL, 'U'}, {"mbufs", required_argument, NULL, 'B'},
		{"state-file", required_argument, NULL, 'F'}, {"take-over", no_argument, NULL, 'T'},
		{"rollback-dir", required_argument, NULL, 'D'}, {NULL, 0, NULL, 0}};

#define SHORT_OPTIONS "f:e:i"

/* Tell whether an argument is an option of the switch. */
static bool
is_option(const char *arg)
{
	const size_t len = strcspn(arg, "=");

	if (arg[0] != '-')
		return false;
	if (arg[1] != '-')
		return arg[1] != ':' && arg[1] != '\0' && strchr(SHORT_OPTIONS, arg[1]) != NULL;
	for (const struct option *o = options; o->name != NULL; o++) {
		if (strlen(o->name) == len - 2 && strncmp(arg + 2, o->name, len - 2) == 0)
			return true;
	}
	return false;
}

int
fcn_live_check_no_options(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!is_option(argv[i]))
			continue;
		fprintf(stderr,
				"fastcn: %s is an option of the switch: these stand behind --, and "
				"those "
				"of EAL before it, for example: fastcn -l 0,1 -- -f CONFIG\n",
				argv[i]);
		return -1;
	}
	return 0;
}

int
fcn_live_parse_options(struct fcn_live *live, int argc, char **argv)
{
	struct fcn_remote_options *remote = &live->remote_options;
	int c, rc;

	live->seed = FCN_DEFAULT_SEED;
	optind = 1;
	while ((c = getopt_long(argc, argv, SHORT_OPTIONS, options, NULL)) != -1) {
		rc = 0;
		if (c == 'f')
			rc = read_once(c, &live->config);
		else if (c == 'e')
			rc = read_once(c, &live->commands);
		else if (c == 'i')
			live->interactive = true;
		else if (c == 'n')
			remote->name = optarg;
		else if (c == 'S')
			rc = fcn_remote_options_socket(remote, optarg);
		else if (c == 'm')
			remote->mode = optarg;
		else if (c == 'G')
			remote->group = optarg;
		else if (c == 'R')
			rc = fcn_remote_options_group_role(remote, optarg);
		else if (c == 'I')
			remote->idle = optarg;
		else if (c == 'C')
			remote->config_dir = optarg;
		else if (c == 'O')
			remote->output_dir = optarg;
		else if (c == 'N')
			remote->off = true;
		else if (c == 'M')
			rc = read_metrics(optarg, &live->options);
		else if (c == 'L')
			rc = read_log_events(optarg, &live->options);
		else if (c == 'U')
			rc = read_user(optarg, live);
		else if (c == 'B')
			rc = read_mbufs(optarg, &live->mbufs);
		else if (c == 'F')
			live->state_file = optarg;
		else if (c == 'D')
			live->rollback_dir = optarg;
		else if (c == 'T')
			live->takes_over = true;
		else if (c == 's')
			rc = fcn_parse_seed("fastcn", optarg, &live->seed);
		else
			rc = -1;
		if (rc != 0)
			return -1;
	}
	if (optind < argc) {
		fprintf(stderr, "fastcn: unexpected argument \"%s\"; see fastcn --help\n",
				argv[optind]);
		return -1;
	}
	if (live->config != NULL && access(live->config, R_OK) != 0) {
		fprintf(stderr, "fastcn: -f %s: %s\n", live->config, strerror(errno));
		return -1;
	}
	remote->config = live->config;
	return 0;
}

int
fcn_live_open_exports(struct fcn_live *live)
{
	char err[600];

	live->exports = fcn_exports_create(live->ctl, live->captures, err, sizeof(err));
	if (live->exports == NULL) {
		fprintf(stderr, "fastcn: %s\n", err);
		return -1;
	}
	fcn_exports_set_log(live->exports, live->log_lines);
	fcn_exports_set_rollback(live->exports, fcn_commits_show, live->commits);
	if (live->remote != NULL)
		fcn_exports_set_sessions(
				live->exports, fcn_remote_session_show, &live->remote_access);
	return 0;
}

/* The NUMA node of a worker's core, where its memory is allocated. */
static int
worker_socket(unsigned int lcore)
{
	int node = numa_available() < 0 ? -1 : numa_node_of_cpu(rte_lcore_to_cpu_id(lcore));

	return node >= 0 && (unsigned int)node < rte_socket_count()
			       ? node
			       : (int)rte_lcore_to_socket_id(lcore);
}

/* Plan a worker for every lcore but that of the control thread. @return 0 or -1 */
static int
place_workers(struct fcn_live *live)
{
	struct fcn_control_conf *conf = &live->conf;
	char err[256];
	unsigned int lcore;

	RTE_LCORE_FOREACH_WORKER (lcore) {
		struct fcn_control_worker *w = &conf->worker[conf->n_workers];
		int node = worker_socket(lcore);
		char name[16];

		if (conf->n_workers == FCN_MAX_WORKERS) {
			fprintf(stderr, "fastcn: at most %u workers: lcore %u has none\n",
					FCN_MAX_WORKERS, lcore);
			break;
		}
		snprintf(name, sizeof(name), "packets_%d", node);
		if (live->pool[node] == NULL)
			live->pool[node] = fcn_packet_buffers_create(name, live->mbufs,
					rte_lcore_count() - 1, node, err, sizeof(err));
		if (live->pool[node] == NULL) {
			fprintf(stderr, "fastcn: %s\n", err);
			return -1;
		}
		*w = (struct fcn_control_worker){lcore, node, live->pool[node]};
		if (conf->buffers == 0 || conf->buffers > live->pool[node]->size)
			conf->buffers = live->pool[node]->size;
		conf->n_workers++;
	}
	conf->socket = conf->worker[0].socket;
	conf->pool = conf->worker[0].pool;
	return 0;
}

/* For the cycles of stages, which a worker does not read itself. */
static uint64_t
read_cycles(void)
{
	return rte_rdtsc();
}

/* A secret for hashes, so that nobody can choose flows that collide in a hash table. */
static uint64_t
make_secret(void)
{
	uint64_t secret = 0;

	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) != sizeof(secret))
		secret = rte_rdtsc(); /* no randomness yet: the machine has just started */
	return secret | 1;            /* 0 means no secret */
}

int
fcn_live_set_up(struct fcn_live *live, const struct fcn_platform *platform)
{
	char err[256] = "out of memory";

	live->conf = (struct fcn_control_conf){
			.name = "live",
			.platform = platform,
			.threaded = true,
			.events = EVENTS,
			.mac_entries = MAC_ENTRIES,
			.flow_sets = FLOW_SETS,
			.dest_sets = DEST_SETS,
			.destinations = DESTINATIONS,
			.seed = live->seed,
			.hash_secret = make_secret(),
			.read_cycles = read_cycles,
	};
	if (place_workers(live) != 0)
		return -1;
	live->helper = fcn_helper_create();
	if (live->helper == NULL) {
		fprintf(stderr, "fastcn: cannot start the thread for slow work: %s\n",
				strerror(errno));
		return -1;
	}
	live->table = fcn_session_commands();
	if (live->table != NULL)
		live->ctl = fcn_control_create(&live->conf, err, sizeof(err));
	if (live->ctl != NULL)
		live->loops = fcn_loops_start(live->ctl, err, sizeof(err));
	if (live->ctl == NULL) {
		fprintf(stderr,
				"fastcn: %s: give EAL more memory (-m MB or hugepages), or choose "
				"fewer packet buffers (--mbufs N)\n",
				err);
		return -1;
	}
	if (live->loops == NULL) {
		fprintf(stderr, "fastcn: %s\n", err);
		return -1;
	}
	live->captures = fcn_captures_create(
			&(struct fcn_captures_conf){.ctl = live->ctl, .threaded = true});
	if (live->captures == NULL) {
		fprintf(stderr, "fastcn: %s\n", strerror(errno));
		return -1;
	}
	if (fcn_live_commits_create(live) != 0) {
		fprintf(stderr, "fastcn: %s\n", strerror(ENOMEM));
		return -1;
	}
	return 0;
}

void
fcn_live_tear_down(struct fcn_live *live)
{
	fcn_take_over_free(live->take_over);
	fcn_stop_step(live->stop);
	fcn_captures_free(live->captures);
	fcn_stop_step(live->stop);
	fcn_helper_free(live->helper);
	live->helper = NULL; /* from here on, blocking calls run on this thread */
	fcn_stop_step(live->stop);
	fcn_loops_stop(live->loops);
	fcn_remote_free(live->remote);
	fcn_stop_step(live->stop);
	fcn_exports_free(live->exports);
	fcn_commits_free(live->commits);
	fcn_stop_step(live->stop);
	fcn_control_free(live->ctl);
	fcn_command_table_free(live->table);
	/* rte_eal_cleanup() frees the packet buffers, which some devices hold until then. */
}
