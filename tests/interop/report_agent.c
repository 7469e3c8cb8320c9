/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A host whose queue pairs come from standard input, for test_qpd.py:
 *
 *	report_agent ADDRESS PORT CA CERTIFICATE KEY [NAME]
 *
 * Lines: "add LOCAL QP REMOTE QP", "remove LOCAL QP REMOTE QP"; "begin" has it report what it was
 * told; "state" is answered with a line. It ends with its input.
 */

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "host_report.h"

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static void
read_address(const char *text, uint8_t to[16])
{
	memset(to, 0, 10);
	memset(to + 10, 0xFF, 2);
	if (inet_pton(AF_INET, text, to + 12) != 1 && inet_pton(AF_INET6, text, to) != 1)
		abort();
}

static void
print_state(const struct host_report *r)
{
	struct host_report_state s;

	host_report_state(r, &s);
	printf("connected %d in_force %d queue_pairs %u connections %llu refused %llu problem %s\n",
			s.is_connected, s.is_in_force, s.queue_pairs,
			(unsigned long long)s.connections, (unsigned long long)s.refused,
			s.problem);
	fflush(stdout);
}

/* @return whether it is to report */
static bool
take_line(struct host_report *r, const char *line)
{
	char verb[16] = "", local[64], remote[64];
	struct host_qp qp;
	const int n = sscanf(line, "%15s %63s %u %63s %u", verb, local, &qp.local_qp, remote,
			&qp.remote_qp);

	if (n == 5) {
		read_address(local, qp.local);
		read_address(remote, qp.remote);
		if (strcmp(verb, "add") == 0)
			host_report_add(r, &qp);
		else
			host_report_remove(r, &qp);
	} else if (strcmp(verb, "state") == 0) {
		print_state(r);
	}
	return strcmp(verb, "begin") == 0;
}

/* Take the lines that have come. @return 0: there are no more */
static int
take_lines(struct host_report *r, bool *is_begun)
{
	static char in[1 << 16];
	static size_t len;
	const ssize_t n = read(STDIN_FILENO, in + len, sizeof(in) - 1 - len);
	char *line = in, *end;

	if (n <= 0)
		return 0;
	len += (size_t)n;
	in[len] = '\0';
	while ((end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		*is_begun |= take_line(r, line);
		line = end + 1;
	}
	len -= (size_t)(line - in);
	memmove(in, line, len);
	return 1;
}

int
main(int argc, char **argv)
{
	struct host_report_conf conf = {.secret = (uint64_t)getpid()};
	struct host_report *r;
	bool is_begun = false;
	char err[256];
	int wait = 1000;

	if (argc < 6)
		return 2;
	conf.address = argv[1];
	conf.port = (uint16_t)atoi(argv[2]);
	conf.ca = argv[3];
	conf.certificate = argv[4];
	conf.key = argv[5];
	conf.name = argc > 6 ? argv[6] : NULL;
	r = host_report_create(&conf, err, sizeof(err));
	if (r == NULL) {
		fprintf(stderr, "report_agent: %s\n", err);
		return 2;
	}
	for (;;) {
		struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = host_report_fd(r), .events = POLLIN}};

		if (poll(fds, 2, wait) > 0 && fds[0].revents != 0 && take_lines(r, &is_begun) == 0)
			break;
		wait = is_begun ? host_report_work(r, now_ms()) : 1000;
	}
	host_report_free(r);
	return 0;
}
