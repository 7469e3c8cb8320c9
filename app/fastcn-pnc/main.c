/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "fcn_user.h"
#include "pnc.h"

#define EXIT_USAGE 2

static int
take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* What is opened must not become a standard descriptor that is closed: it would get messages. */
static void
fill_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* ---- what the switch is told ---- */

_Static_assert(LEARNED_LINE <= FCN_REMOTE_FEED_LINE && LEARNED_WINDOW >= FCN_REMOTE_FEED_WINDOW,
		"lines fit, and each that has no answer yet is known");

static bool
next_line(void *arg, uint64_t now_ns, char line[FCN_REMOTE_FEED_LINE])
{
	return learned_next(arg, now_ns, line);
}

/* A switch that was restarted knows nothing of what is to be removed: only additions are reported.
 */
static bool
answered(void *arg, uint64_t now_ns, bool is_ok, const char *text)
{
	(void)now_ns;
	(void)text;
	return learned_answered(arg, is_ok);
}

static void
say_again(void *arg)
{
	learned_again(arg);
}

static uint64_t
next_due(const void *arg)
{
	return learned_due(arg);
}

static const struct fcn_remote_feed_ops learned_feed = {
		.next = next_line, .answered = answered, .again = say_again, .due = next_due};

static int
start(struct pnc *pnc)
{
	struct learned_conf conf = {.lifetime_ns = pnc->opt.lifetime_ns};
	struct fcn_pnc_sink sink;

	memcpy(conf.accept, pnc->opt.accept, sizeof(conf.accept));
	pnc->signals = take_signals();
	/* Without random numbers the hash is not secret, and works. */
	if (getrandom(&conf.secret, sizeof(conf.secret), GRND_NONBLOCK) != sizeof(conf.secret))
		fprintf(stderr, "fastcn-pnc: the kernel gives no random numbers\n");
	pnc->learned = learned_create(&conf);
	if (pnc->signals < 0 || pnc->learned == NULL) {
		fprintf(stderr, "fastcn-pnc: out of memory or descriptors\n");
		return -1;
	}
	fcn_remote_feed_init(&pnc->feed, "fastcn-pnc", &learned_feed, pnc->learned);
	memcpy(pnc->feed.path, pnc->opt.socket, sizeof(pnc->feed.path));
	pnc->feed.is_printed = pnc->opt.is_printed;
	sink = learned_sink(pnc->learned);
	if (station_open(&pnc->station, &pnc->opt, &sink, conf.secret) != 0)
		return -1;
	return sources_open(&pnc->sources, &pnc->opt, &sink, conf.secret);
}

/* Give up what is not needed once all is open: interfaces that come later take CAP_NET_RAW. */
static int
become_user(const struct pnc *pnc)
{
	struct fcn_user user;
	char err[300] = "capabilities cannot be given up";
	const bool keeps = pnc->opt.n_interfaces > 0;

	if (pnc->opt.user == NULL)
		return 0;
	if (fcn_user_find(pnc->opt.user, &user, err, sizeof(err)) == 0 && fcn_user_keep() == 0 &&
			fcn_user_become(&user, err, sizeof(err)) == 0 &&
			fcn_user_limit(keeps ? FCN_USER_CAP(CAP_NET_RAW) : 0, false) == 0)
		return 0;
	fprintf(stderr, "fastcn-pnc: --user %s: %s\n", pnc->opt.user, err);
	return -1;
}

static int
run(struct pnc *pnc, char *const *words)
{
	int status = EXIT_USAGE;

	if (pnc_options_parse(&pnc->opt, words) != 0)
		return EXIT_USAGE;
	if (pnc->opt.help) {
		pnc_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (pnc->opt.counters) {
		pnc_counters_help(stdout);
		return EXIT_SUCCESS;
	}
	if (start(pnc) == 0 && become_user(pnc) == 0)
		status = pnc_loop(pnc);
	station_close(&pnc->station);
	sources_close(&pnc->sources);
	fcn_remote_feed_close(&pnc->feed);
	learned_destroy(pnc->learned);
	if (pnc->signals >= 0)
		close(pnc->signals);
	return status;
}

int
main(int argc, char **argv)
{
	struct pnc *pnc;
	int status;

	fill_standard();
	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("fastcn-pnc %s\n", FCN_VERSION);
		return EXIT_SUCCESS;
	}
	if (argc > 1 && strcmp(argv[1], "encode") == 0)
		return pnc_encode(argc - 1, argv + 1);
	pnc = calloc(1, sizeof(*pnc));
	if (pnc == NULL) {
		fprintf(stderr, "fastcn-pnc: out of memory\n");
		return EXIT_USAGE;
	}
	status = run(pnc, argv + 1);
	free(pnc);
	return status;
}
