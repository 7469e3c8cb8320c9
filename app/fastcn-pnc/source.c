/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interface.h"

#define BURST 256 /* frames of a source in one turn */

/* ---- captures ---- */

static int
open_capture(struct source *c)
{
	struct stat st;

	if (strcmp(c->name, "-") == 0)
		c->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		c->fd = open(c->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (c->fd < 0 || fstat(c->fd, &st) != 0)
		return -errno;
	c->is_fifo = S_ISFIFO(st.st_mode) && strcmp(c->name, "-") != 0;
	pcap_stream_init(c->stream);
	return 0;
}

static void
end_capture(struct source *c)
{
	close(c->fd);
	c->fd = -1;
	/* Another program may write the next capture into it. */
	c->has_ended = !c->is_fifo || open_capture(c) != 0;
}

static int
complain(const struct source *c, int error)
{
	fprintf(stderr, "fastcn-pnc: %s: %s\n", c->name,
			error == -EBADMSG   ? "not a capture, or a damaged one"
			: error == -ENOTSUP ? "a capture of another link type than Ethernet"
					    : strerror(-error));
	return -1;
}

/* Process frames that are in the buffer. @return 1: there may be more; 0: none; negative errno */
static int
run_frames(struct sources *s, unsigned int number, uint64_t now_ns)
{
	struct source *c = &s->source[number];
	uint32_t interface, link = number * PCAP_STREAM_INTERFACES;
	const uint8_t *frame;
	size_t len;
	int rc;

	for (unsigned int i = 0; i < BURST; i++) {
		rc = pcap_stream_next(c->stream, &frame, &len, &interface);
		if (rc <= 0)
			return rc;
		c->frames++;
		fcn_pnc_frame_input(&s->readers, link + interface, frame, len, now_ns);
	}
	return 1;
}

static int
run_capture(struct sources *s, unsigned int number, bool is_readable, uint64_t now_ns)
{
	struct source *c = &s->source[number];
	int rc = run_frames(s, number, now_ns);
	uint8_t *at;
	size_t room;
	ssize_t n;

	c->has_more = rc > 0;
	if (rc < 0)
		return complain(c, rc);
	if (rc > 0 || !is_readable) /* standard input can be a pipe that blocks */
		return 0;
	at = pcap_stream_room(c->stream, &room);
	n = read(c->fd, at, room);
	if (n > 0) {
		pcap_stream_filled(c->stream, (size_t)n);
		c->has_more = true;
		return 0;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		return complain(c, -errno);
	if (c->stream->used > c->stream->taken)
		fprintf(stderr, "fastcn-pnc: %s: it ends within a frame\n", c->name);
	end_capture(c);
	return 0;
}

/* ---- interfaces ---- */

static void
run_interface(struct sources *s, unsigned int number, uint64_t now_ns)
{
	struct source *c = &s->source[number];
	uint8_t frame[INTERFACE_FRAME];

	for (unsigned int i = 0; i < BURST; i++) {
		ssize_t n = recv(c->fd, frame, sizeof(frame), MSG_DONTWAIT | MSG_TRUNC);

		if (n < 0) /* none, or the interface is down: then others come later */
			return;
		c->frames++;
		if ((size_t)n > sizeof(frame))
			c->too_long++;
		else
			fcn_pnc_frame_input(&s->readers, number * PCAP_STREAM_INTERFACES, frame,
					(size_t)n, now_ns);
	}
}

/* Open an interface that is there, and close it when it is gone or another one has its name. */
static void
follow_interface(struct source *c)
{
	unsigned int index = 0;
	int fd;

	if (interface_index(c->name, &index) == 0 && c->fd >= 0 && index == c->ifindex)
		return;
	if (c->fd >= 0) {
		close(c->fd);
		c->fd = -1;
		fprintf(stderr, "fastcn-pnc: interface %s has gone\n", c->name);
	}
	fd = index == 0 ? -ENODEV : interface_open(index);
	if (fd < 0) {
		if (c->error != -fd) /* each reason once */
			fprintf(stderr, "fastcn-pnc: interface %s: %s; trying again\n", c->name,
					strerror(-fd));
		c->error = -fd;
		return;
	}
	c->error = 0;
	c->fd = fd;
	c->ifindex = index;
	fprintf(stderr, "fastcn-pnc: listening on interface %s\n", c->name);
}

/* ---- all ---- */

static int
create_readers(struct sources *s, const struct fcn_pnc_sink *sink, uint64_t secret)
{
	struct fcn_pnc_isis_conf isis = s->opt->isis;
	struct fcn_pnc_ospf_conf ospf = s->opt->ospf, ospf3 = s->opt->ospf3;
	const char *error = "";
	int rc = 0;

	fcn_hash_key_make(&isis.hash_key, secret);
	ospf.hash_key = ospf3.hash_key = isis.hash_key;
	if (s->opt->is_read[FCN_PNC_ISIS])
		rc = fcn_pnc_isis_create(&isis, sink, &s->readers.isis, &error);
	if (rc == 0 && s->opt->is_read[FCN_PNC_OSPF])
		rc = fcn_pnc_ospf_create(&ospf, sink, &s->readers.ospf, &error);
	if (rc == 0 && s->opt->is_read[FCN_PNC_OSPF3])
		rc = fcn_pnc_ospf3_create(&ospf3, sink, &s->readers.ospf3, &error);
	if (rc == 0)
		return 0;
	fprintf(stderr, "fastcn-pnc: %s\n", rc == -EINVAL ? error : "out of memory");
	return -1;
}

int
sources_open(struct sources *s, const struct pnc_options *opt, const struct fcn_pnc_sink *sink,
		uint64_t secret)
{
	int rc;

	s->opt = opt;
	if (opt->n_interfaces + opt->n_captures == 0)
		return 0;
	if (create_readers(s, sink, secret) != 0)
		return -1;
	for (unsigned int i = 0; i < opt->n_interfaces; i++) {
		struct source *c = &s->source[s->n++];

		*c = (struct source){.name = opt->interface[i], .fd = -1};
		follow_interface(c);
		if (c->error == EPERM) /* that does not pass */
			return -1;
	}
	for (unsigned int i = 0; i < opt->n_captures; i++) {
		struct source *c = &s->source[s->n++];

		*c = (struct source){.name = opt->capture[i], .fd = -1};
		c->stream = malloc(sizeof(*c->stream));
		rc = c->stream == NULL ? -ENOMEM : open_capture(c);
		if (rc != 0)
			return complain(c, rc);
	}
	return 0;
}

void
sources_close(struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++) {
		if (s->source[i].fd >= 0)
			close(s->source[i].fd);
		free(s->source[i].stream);
	}
	fcn_pnc_isis_destroy(s->readers.isis);
	fcn_pnc_ospf_destroy(s->readers.ospf);
	fcn_pnc_ospf3_destroy(s->readers.ospf3);
}

unsigned int
sources_poll(const struct sources *s, struct pollfd *fds)
{
	for (unsigned int i = 0; i < s->n; i++)
		fds[i] = (struct pollfd){.fd = s->source[i].fd, .events = POLLIN};
	return s->n;
}

int
sources_run(struct sources *s, const struct pollfd *fds, uint64_t now_ns)
{
	for (unsigned int i = 0; i < s->n; i++) {
		struct source *c = &s->source[i];
		bool is_readable = fds[i].revents != 0;

		if (c->fd < 0 || (!is_readable && !c->has_more))
			continue;
		if (c->stream == NULL)
			run_interface(s, i, now_ns);
		else if (run_capture(s, i, is_readable, now_ns) != 0)
			return -1;
	}
	return 0;
}

bool
sources_have_more(const struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->source[i].has_more)
			return true;
	return false;
}

void
sources_tick(struct sources *s, uint64_t now_ns)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->source[i].stream == NULL)
			follow_interface(&s->source[i]);
	if (s->n > 0)
		fcn_pnc_frame_tick(&s->readers, now_ns);
}

bool
sources_have_ended(const struct sources *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		if (s->source[i].stream != NULL && !s->source[i].has_ended)
			return false;
	return true;
}
