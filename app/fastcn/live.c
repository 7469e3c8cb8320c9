/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <numa.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "captures.h"
#include "console_output.h"
#include "exports.h"
#include "fcn_ethdev.h"
#include "main.h"
#include "remote_session.h"
#include "service.h"
#include "session.h"
#include "worker_loop.h"

#define PROMPT "fastcn> "

/* At the end: whoever takes nothing of the console's output for so long gets no more of it. */
#define PATIENCE_MS 2000

#define MBUFS 65535
#define MBUF_CACHE 256
#define EVENTS 8192
#define MAC_ENTRIES 65536
#define FLOW_SETS 16384
#define DEST_SETS 1024

/* The worker may be this late: it sleeps when idle, and a kernel may preempt it. */
#define SLACK_NS 100000

/* The collector is drained this often, milliseconds. */
#define COLLECT_MS 100

/* The host functions are looked after this often, milliseconds: the while after they got something,
 * and else. */
#define HOST_BUSY_MS 1
#define HOST_IDLE_MS 10
#define HOST_BUSY_POLLS 1000

/* Links of devices that do not tell are looked at this often, milliseconds. */
#define LINKS_MS 250

struct live {
	struct rte_mempool *pool[RTE_MAX_NUMA_NODES]; /* of the nodes that workers are on */
	struct fcn_control *ctl;
	struct fcn_loops *loops;
	struct fcn_command_table *table;
	struct fcn_session session;
	struct fcn_control_conf conf;
	struct fcn_console_output output; /* of the built-in console */
	const char *config, *commands;    /* the command line */
	struct fcn_remote_options remote_options;
	struct fcn_remote *remote;
	const char *metrics, *log_events;
	struct fcn_exports *exports;
	struct fcn_captures *captures;
	bool interactive;
	uint64_t seed;
	int link_event;         /* eventfd: a device says that its link changed */
	uint64_t links_seen_ms; /* when all links were last looked at */
	unsigned int host_busy; /* polls for which the host functions are looked after often */
	bool done;              /* the console or a signal said so */
};

/* ---- the world ---- */

/* What the device does beside the switch: it filters what it hears, and does flow control. */
static int
set_hardware(struct fcn_ethdev *dev, const struct fcn_config_port *port, char *err, size_t err_size)
{
	uint8_t receive = 0, send = 0;
	int rc;

	rc = fcn_ethdev_promiscuous(dev, port->promiscuous || port->bridge >= 0, err, err_size);
	if (rc != 0)
		return rc;
	for (unsigned int c = 0; port->pfc.hardware && c < FCN_CLASSES; c++) {
		receive |= port->pfc.class[c].receive << c;
		send |= port->pfc.class[c].send << c;
	}
	return fcn_ethdev_pfc(dev, receive, send, port->pfc.quanta, err, err_size);
}

/* From a thread of the device's. */
static void
link_changed(void *arg)
{
	const struct live *live = arg;
	const uint64_t one = 1;

	if (write(live->link_event, &one, sizeof(one)) < 0) /* it is so full that it will be seen */
		return;
}

/* The worker that a port's packet buffers are near: the one it asked for, else the first. */
static const struct fcn_control_worker *
worker_of(const struct live *live, const struct fcn_config_port *port)
{
	return &live->conf.worker[port->worker < live->conf.n_workers ? port->worker : 0];
}

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	struct live *live = arg;
	const struct fcn_ethdev_conf conf = {
			.device = port->device,
			.pool = worker_of(live, port)->pool,
			.mtu = port->mtu,
			.queues = port->queues,
			.mac = port->has_mac ? &port->mac : NULL,
			.link_bps = port->link_bps,
			.link_changed = link_changed,
			.arg = live,
	};
	struct fcn_ethdev *dev;

	RTE_SET_USED(number);
	if (port->device[0] == '\0') {
		snprintf(err, err_size, "needs a device here: port add %s device NAME", port->name);
		return -EINVAL;
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (live->ctl->port[p].ops != NULL &&
				strcmp(live->ctl->config->port[p].device, port->device) == 0) {
			snprintf(err, err_size, "device %s is port %s's: remove that one first",
					port->device, live->ctl->config->port[p].name);
			return -EBUSY;
		}
	}
	dev = fcn_ethdev_open(&conf, err, err_size);
	if (dev == NULL)
		return -ENODEV;
	if (set_hardware(dev, port, err, err_size) != 0) {
		fcn_ethdev_close(dev);
		return -ENOTSUP;
	}
	out->ops = &fcn_ethdev_port_ops;
	out->priv = dev;
	fcn_ethdev_mac(dev, &out->info.mac);
	out->info.link_bps = fcn_ethdev_port_ops.link_bps(dev);
	out->socket = fcn_ethdev_socket(dev);
	if (out->socket >= 0 && out->socket != worker_of(live, port)->socket)
		fprintf(stderr, "fastcn: port %s is on NUMA node %d, its packet buffers on %d\n",
				port->name, out->socket, worker_of(live, port)->socket);
	fcn_captures_port(live->captures, number, port->name, out->info.link_bps);
	return 0;
}

static int
update_port(void *arg, const struct fcn_config_port *port, struct fcn_control_port *open, char *err,
		size_t err_size)
{
	int rc;

	RTE_SET_USED(arg);
	rc = fcn_ethdev_update(open->priv, port->mtu, port->has_mac ? &port->mac : NULL,
			port->link_bps, err, err_size);
	if (rc == 0)
		rc = set_hardware(open->priv, port, err, err_size);
	open->info.link_bps = fcn_ethdev_port_ops.link_bps(open->priv);
	return rc;
}

static void
close_port(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	fcn_ethdev_close(open->priv);
}

static void
log_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	fprintf(stderr, "fastcn: %s\n", line);
}

/* ---- what the console may do ---- */

static int
start_forwarding(void *arg)
{
	struct live *live = arg;

	if (fcn_loops_is_forwarding(live->loops))
		return -EALREADY;
	fcn_loops_forward(live->loops, true);
	return 0;
}

static int
stop_forwarding(void *arg)
{
	struct live *live = arg;

	if (!fcn_loops_is_forwarding(live->loops))
		return -EALREADY;
	fcn_loops_forward(live->loops, false);
	return 0;
}

static void
request_shutdown(void *arg)
{
	((struct live *)arg)->done = true;
}

static struct fcn_exports *
get_exports(void *arg)
{
	return ((struct live *)arg)->exports;
}

static void
handle_line(void *arg, const char *line)
{
	struct live *live = arg;
	int shown_at = isatty(STDIN_FILENO) ? (int)strlen(PROMPT) : -1;
	char *answer = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&answer, &len);

	live->session.out = out != NULL ? out : stdout;
	fcn_session_line(&live->session, line, shown_at);
	live->session.out = stdout;
	if (out != NULL && fclose(out) == 0)
		fcn_console_output_write(&live->output, answer, len);
	free(answer);
	live->done |= live->session.ended;
}

/* ---- start and end ---- */

/* The NUMA node on which the worker's memory belongs: that of its core. */
static int
worker_socket(unsigned int lcore)
{
	int node = numa_available() < 0 ? -1 : numa_node_of_cpu(rte_lcore_to_cpu_id(lcore));

	return node >= 0 && (unsigned int)node < rte_socket_count()
			       ? node
			       : (int)rte_lcore_to_socket_id(lcore);
}

/* Every lcore but the control thread's has a worker. @return 0 or -1 */
static int
place_workers(struct live *live)
{
	struct fcn_control_conf *conf = &live->conf;
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
			live->pool[node] = rte_pktmbuf_pool_create(
					name, MBUFS, MBUF_CACHE, 0, FCN_DATA_ROOM, node);
		if (live->pool[node] == NULL) {
			fprintf(stderr, "fastcn: no memory for %u packet buffers: %s\n", MBUFS,
					rte_strerror(rte_errno));
			return -1;
		}
		*w = (struct fcn_control_worker){lcore, node, live->pool[node]};
		conf->n_workers++;
	}
	conf->socket = conf->worker[0].socket;
	conf->pool = conf->worker[0].pool;
	return 0;
}

static int
set_up(struct live *live, const struct fcn_world *world)
{
	char err[256] = "out of memory";

	live->conf = (struct fcn_control_conf){
			.name = "live",
			.world = world,
			.threaded = true,
			.events = EVENTS,
			.mac_entries = MAC_ENTRIES,
			.flow_sets = FLOW_SETS,
			.dest_sets = DEST_SETS,
			.seed = live->seed,
	};
	if (place_workers(live) != 0)
		return -1;
	live->table = fcn_session_commands();
	if (live->table != NULL)
		live->ctl = fcn_control_create(&live->conf, err, sizeof(err));
	if (live->ctl != NULL)
		live->loops = fcn_loops_start(live->ctl, err, sizeof(err));
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
	return 0;
}

static void
tear_down(struct live *live)
{
	fcn_captures_free(live->captures);
	fcn_loops_stop(live->loops);
	fcn_remote_free(live->remote);
	fcn_exports_free(live->exports);
	fcn_control_free(live->ctl);
	fcn_command_table_free(live->table);
	/* The packet buffers go with rte_eal_cleanup(): some devices hold theirs until then. */
}

/* The configuration file anew, in place of what is in force; with a mistake in it, nothing. */
static void
reload(struct live *live)
{
	struct timespec ts;
	char state[64];

	clock_gettime(CLOCK_MONOTONIC, &ts);
	snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%llu",
			(unsigned long long)ts.tv_sec * 1000000 + ts.tv_nsec / 1000);
	fcn_service_notify(state);
	fcn_service_notify(fcn_session_load(&live->session, live->config, true, stderr) == 0
					   ? "READY=1\nSTATUS=Configuration reloaded"
					   : "READY=1\nSTATUS=Reload failed, nothing was changed");
}

/* Whether there is a log of events to be opened anew. */
static bool
reopen_log(struct live *live)
{
	int rc = fcn_exports_reopen(live->exports);

	if (rc != 0 && rc != -ENOENT)
		fprintf(stderr, "fastcn: log of events: %s; the old file stays open\n",
				strerror(-rc));
	return rc != -ENOENT;
}

static void
handle_signal(struct live *live, int signals)
{
	struct signalfd_siginfo info;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		bool reopened = info.ssi_signo == SIGHUP && reopen_log(live);

		if (info.ssi_signo == SIGHUP && live->config != NULL)
			reload(live);
		else if (!reopened)
			live->done = true;
	}
}

/* Until a time of the worker's clock, milliseconds, at least one; at most so many. */
static int
wait_until(uint64_t due, uint64_t now, int most)
{
	if (due >= now + (uint64_t)most * 1000000)
		return most;
	return due <= now ? 1 : (int)((due - now + 999999) / 1000000);
}

/* Let the host functions work, and the kernel's routes and interfaces have their turn. @return how
 * long they may wait, milliseconds */
static int
serve_host(struct live *live)
{
	struct fcn_control *ctl = live->ctl;
	uint64_t now = fcn_loops_now(live->loops);
	uint64_t due = fcn_control_kernel_poll(ctl, now);

	fcn_control_host_poll(ctl, now);
	if (ctl->host_busy)
		live->host_busy = HOST_BUSY_POLLS;
	else if (live->host_busy > 0)
		live->host_busy--;
	ctl->host_busy = false;
	if (!ctl->env.host)
		return wait_until(due, now, COLLECT_MS);
	return wait_until(due, now, live->host_busy > 0 ? HOST_BUSY_MS : HOST_IDLE_MS);
}

static uint64_t
milliseconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Links are followed, told or not. */
static void
serve_links(struct live *live)
{
	uint64_t now = milliseconds(), n;

	if (read(live->link_event, &n, sizeof(n)) < 0 && now - live->links_seen_ms < LINKS_MS)
		return;
	live->links_seen_ms = now;
	fcn_control_link_poll(live->ctl);
}

/* Until the console or a signal ends it. */
static void
serve(struct live *live, int signals, bool interactive)
{
	struct fcn_console *console = NULL;
	struct pollfd fds[] = {{.fd = signals, .events = POLLIN}, {.fd = -1}, {.fd = -1},
			{.fd = fcn_exports_fd(live->exports), .events = POLLIN}, {.fd = -1},
			{.fd = live->link_event, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
	bool more = false; /* lines of remote consoles wait */

	if (live->remote != NULL)
		fds[1] = (struct pollfd){.fd = fcn_remote_fd(live->remote), .events = POLLIN};
	if (interactive) {
		fflush(stdout);
		fcn_console_output_open(&live->output, STDOUT_FILENO);
		console = fcn_console_create(live->table, PROMPT, STDIN_FILENO, STDOUT_FILENO,
				handle_line, live);
		if (console != NULL)
			fcn_console_write_to(console, &live->output);
	}
	while (!live->done) {
		int wait = serve_host(live);
		bool full = fcn_console_output_waits(&live->output);

		/* No command is read before the answers to those before it are gone. */
		fds[2] = (struct pollfd){.fd = console != NULL && !full ? STDIN_FILENO : -1,
				.events = POLLIN};
		fds[4] = (struct pollfd){.fd = full ? live->output.fd : -1, .events = POLLOUT};
		fds[6].fd = fcn_control_kernel_fd(live->ctl);
		if (poll(fds, RTE_DIM(fds), more ? 0 : wait) < 0 && errno != EINTR)
			break;
		fcn_control_drain(live->ctl);
		fcn_exports_run(live->exports);
		fcn_captures_run(live->captures);
		serve_links(live);
		if (fds[0].revents != 0)
			handle_signal(live, signals);
		if (fds[4].revents != 0)
			fcn_console_output_flush(&live->output);
		if (console != NULL && fds[2].revents != 0 && fcn_console_input(console) != 0)
			break;
		if (!live->done && live->remote != NULL)
			more = fcn_remote_run(live->remote);
	}
	fcn_service_notify("STOPPING=1");
	fcn_console_output_finish(&live->output, signals, PATIENCE_MS);
	fcn_console_free(console);
	fcn_console_output_close(&live->output);
}

/* EAL's threads inherit the mask: signals come to the control thread's descriptor alone. */
static int
block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int
parse_options(struct live *live, int argc, char **argv)
{
	static const struct option options[] = {{"seed", required_argument, NULL, 's'},
			{"name", required_argument, NULL, 'n'},
			{"socket", required_argument, NULL, 'S'},
			{"socket-mode", required_argument, NULL, 'm'},
			{"no-socket", no_argument, NULL, 'N'},
			{"metrics", required_argument, NULL, 'M'},
			{"log-events", required_argument, NULL, 'L'}, {NULL, 0, NULL, 0}};
	struct fcn_remote_options *remote = &live->remote_options;
	int c;

	live->seed = FCN_DEFAULT_SEED;
	optind = 1;
	while ((c = getopt_long(argc, argv, "f:e:i", options, NULL)) != -1) {
		if (c == 'f')
			live->config = optarg;
		else if (c == 'e')
			live->commands = optarg;
		else if (c == 'i')
			live->interactive = true;
		else if (c == 'n')
			remote->name = optarg;
		else if (c == 'S')
			remote->path = optarg;
		else if (c == 'm')
			remote->mode = optarg;
		else if (c == 'N')
			remote->off = true;
		else if (c == 'M')
			live->metrics = optarg;
		else if (c == 'L')
			live->log_events = optarg;
		else if (c != 's' || fcn_parse_seed("fastcn", optarg, &live->seed) != 0)
			return -1;
	}
	if (optind < argc) {
		fprintf(stderr, "fastcn: what is \"%s\"? See fastcn --help\n", argv[optind]);
		return -1;
	}
	return 0;
}

static int
open_exports(struct live *live)
{
	char err[600];

	live->exports = fcn_exports_create(live->ctl, err, sizeof(err));
	if (live->exports == NULL) {
		fprintf(stderr, "fastcn: %s\n", err);
		return -1;
	}
	if (live->metrics != NULL && fcn_exports_option_metrics(live->exports, live->metrics, err,
						     sizeof(err)) != 0) {
		fprintf(stderr, "fastcn: --metrics %s: %s\n", live->metrics, err);
		return -1;
	}
	if (live->log_events != NULL &&
			fcn_exports_log(live->exports, live->log_events, err, sizeof(err)) != 0) {
		fprintf(stderr, "fastcn: --log-events %s\n", err);
		return -1;
	}
	return 0;
}

static int
run(struct live *live, int signals)
{
	if (open_exports(live) != 0)
		return FCN_EXIT_USAGE;
	if (live->config != NULL &&
			fcn_session_load(&live->session, live->config, false, stderr) != 0)
		return FCN_EXIT_USAGE;
	if (live->commands != NULL && fcn_session_lines(&live->session, live->commands) != 0)
		return FCN_EXIT_USAGE;
	live->done |= live->session.ended;
	if (!live->interactive && !live->done)
		start_forwarding(live);
	fcn_service_notify("READY=1\nSTATUS=Running");
	serve(live, signals, live->interactive);
	return FCN_EXIT_OK;
}

int
fcn_live_main(int argc, char **argv)
{
	struct live live = {.link_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	const struct fcn_world world = {
			.name = "live",
			.slack_ns = SLACK_NS,
			.port_open = open_port,
			.port_update = update_port,
			.port_close = close_port,
			.host = true,
			.kernel = true,
			.log = log_line,
			.arg = &live,
	};
	const struct fcn_session_hooks hooks = {
			start_forwarding, stop_forwarding, request_shutdown, &live, get_exports};
	int signals = block_signals(), used, status = FCN_EXIT_USAGE;

	used = rte_eal_init(argc, argv);
	if (used < 0) {
		fprintf(stderr,
				"fastcn: EAL: %s (without hugepages: --no-huge -m 512; see fastcn "
				"--help)\n",
				rte_strerror(rte_errno));
		return FCN_EXIT_USAGE;
	}
	if (rte_lcore_count() < 2) {
		fprintf(stderr, "fastcn: two lcores are needed, one for control and one that "
				"forwards: "
				"-l 0,1\n");
	} else if (parse_options(&live, argc - used, argv + used) == 0 &&
			fcn_remote_session_open(
					&live.remote_options, &live.session, &live.remote) == 0 &&
			set_up(&live, &world) == 0) {
		live.session = (struct fcn_session){.ctl = live.ctl,
				.table = live.table,
				.hooks = &hooks,
				.out = stdout,
				.captures = live.captures};
		status = run(&live, signals);
	}
	tear_down(&live);
	rte_eal_cleanup();
	return status;
}
