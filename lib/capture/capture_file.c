/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture_file.h"
#include "fcn_capture_comment.h"
#include "fcn_pcapng.h"

/* Size of the buffer. A block with the longest packet fits. */
#define ROOM (512 * 1024)
/* Milliseconds after which a pipe whose reader reads nothing counts as failed. */
#define STALL_MS 2000
/* Maximum number of interfaces of a file. A port that gets another name becomes another interface.
 */
#define MAX_INTERFACES (4 * FCN_MAX_PORTS)
/* Bytes of the statistics of one interface at the end of the file. */
#define STATISTICS_LEN 52

static_assert(MAX_INTERFACES * STATISTICS_LEN < ROOM, "the end fits");
static_assert(ROOM > FCN_CAPTURE_SNAPLEN + FCN_PCAPNG_BLOCK_MAX, "every packet fits");

struct interface {
	uint8_t port;
	char name[FCN_PORT_NAME_LEN];
	uint64_t packets;  /* in the file */
	uint64_t buffered; /* in the buffer */
	uint64_t lost;     /* were in the buffer when writing failed */
};

struct fcn_capture_file {
	char *path, *filter;
	int fd;
	dev_t dev;
	ino_t ino;
	bool regular;
	uint32_t snaplen;
	uint64_t max_packets, max_bytes;
	struct fcn_port_set ports;

	/* for the writer alone */
	bool begun;
	uint32_t n_interfaces;
	int16_t interface[FCN_MAX_PORTS]; /* that a port is now; negative: none */
	struct interface interfaces[MAX_INTERFACES];
	uint64_t written;            /* bytes in the file: whole blocks */
	uint32_t written_interfaces; /* ... and interfaces */
	size_t n;                    /* bytes in the buffer: whole blocks */
	uint8_t *buf;

	struct fcn_capture_file_stats stats; /* written by the writer, read by any */
};

#define SET(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define GET(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

/* ---- open and close ---- */

/* @return a descriptor or a negative errno */
static int
open_file(struct fcn_capture_file *f)
{
	struct stat st;
	int fd, rc;

	/* Non-blocking: opening a pipe without a reader fails, and waiting for a full one has a
	 * time limit. What others sent is nobody's to read but the user's, and a link might lead it
	 * over a file that somebody else may not write. */
	fd = open(f->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
			0600);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0) {
		rc = -errno;
		close(fd);
		return rc;
	}
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->regular = S_ISREG(st.st_mode);
	return fd;
}

struct fcn_capture_file *
fcn_capture_file_open(const struct fcn_capture_file_conf *conf, char *err, size_t err_size)
{
	struct fcn_capture_file *f = calloc(1, sizeof(*f));
	int rc = -ENOMEM;

	if (f == NULL) {
		snprintf(err, err_size, "out of memory");
		return NULL;
	}
	f->fd = -1;
	f->snaplen = conf->snaplen;
	f->max_packets = conf->packets != 0 ? conf->packets : UINT64_MAX;
	f->max_bytes = conf->bytes != 0 ? conf->bytes : UINT64_MAX;
	f->ports = conf->ports;
	memset(f->interface, 0xFF, sizeof(f->interface));
	f->buf = malloc(ROOM);
	f->path = strdup(conf->path);
	if (conf->filter != NULL)
		f->filter = strdup(conf->filter);
	if (f->buf != NULL && f->path != NULL && (conf->filter == NULL || f->filter != NULL))
		rc = f->fd = open_file(f);
	if (rc >= 0)
		return f;
	snprintf(err, err_size, "%s: %s", conf->path,
			rc == -ENXIO   ? "no process reads the pipe"
			: rc == -ELOOP ? "it is a symbolic link, and packets are not written "
					 "through one"
				       : strerror(-rc));
	fcn_capture_file_free(f);
	return NULL;
}

void
fcn_capture_file_free(struct fcn_capture_file *f)
{
	if (f == NULL)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f->buf);
	free(f->path);
	free(f->filter);
	free(f);
}

bool
fcn_capture_file_is_same(const struct fcn_capture_file *a, const struct fcn_capture_file *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

const char *
fcn_capture_file_path(const struct fcn_capture_file *f)
{
	return f->path;
}

void
fcn_capture_file_stats(const struct fcn_capture_file *f, struct fcn_capture_file_stats *stats)
{
	stats->packets = GET(f->stats.packets);
	stats->bytes = GET(f->stats.bytes);
	stats->full = GET(f->stats.full);
	stats->lost = GET(f->stats.lost);
	stats->error = GET(f->stats.error);
}

/* ---- writing the buffer ---- */

/* @return 0 or a negative errno */
static int
write_all(const struct fcn_capture_file *f, const uint8_t *data, size_t len)
{
	struct pollfd pfd = {.fd = f->fd, .events = POLLOUT};

	while (len > 0) {
		ssize_t n = write(f->fd, data, len);

		if (n > 0) {
			data += n;
			len -= n;
		} else if (n < 0 && errno == EAGAIN) {
			if (poll(&pfd, 1, STALL_MS) == 0)
				return -ETIMEDOUT;
		} else if (n == 0 || errno != EINTR) {
			return n == 0 ? -EIO : -errno;
		}
	}
	return 0;
}

/* Cut the file off behind the last block that was written completely. */
static void
cut(struct fcn_capture_file *f)
{
	f->n = 0;
	SET(f->stats.bytes, f->written);
	if (f->regular && (ftruncate(f->fd, f->written) != 0 ||
					  lseek(f->fd, f->written, SEEK_SET) < 0))
		SET(f->stats.error, errno);
}

/* Writing failed: count the packets of the buffer as lost, and write no more. */
static void
fail(struct fcn_capture_file *f, int error)
{
	for (uint32_t i = 0; i < f->n_interfaces; i++) {
		struct interface *interface = &f->interfaces[i];

		interface->lost += interface->buffered;
		SET(f->stats.packets, f->stats.packets - interface->buffered);
		SET(f->stats.lost, f->stats.lost + interface->buffered);
		interface->buffered = 0;
	}
	f->n_interfaces = f->written_interfaces;
	SET(f->stats.error, error);
	cut(f);
}

static void
flush(struct fcn_capture_file *f)
{
	int rc;

	if (f->n == 0 || f->stats.error != 0)
		return;
	rc = write_all(f, f->buf, f->n);
	if (rc != 0) {
		fail(f, -rc);
		return;
	}
	f->written += f->n;
	f->n = 0;
	f->written_interfaces = f->n_interfaces;
	for (uint32_t i = 0; i < f->n_interfaces; i++) {
		f->interfaces[i].packets += f->interfaces[i].buffered;
		f->interfaces[i].buffered = 0;
	}
}

/* Account for a block that was made at the end of the buffer. */
static void
add(struct fcn_capture_file *f, size_t len)
{
	f->n += len;
	SET(f->stats.bytes, f->stats.bytes + len);
}

/* @return where the next block of up to len bytes can be made */
static uint8_t *
room(struct fcn_capture_file *f, size_t len)
{
	if (f->n + len > ROOM)
		flush(f);
	return f->buf + f->n;
}

/* ---- blocks ---- */

static void
add_interface(struct fcn_capture_file *f, unsigned int port, const struct fcn_capture_ports *ports)
{
	struct interface *i = &f->interfaces[f->n_interfaces];
	uint8_t *block;

	if (f->n_interfaces == MAX_INTERFACES) {
		fail(f, EOVERFLOW);
		return;
	}
	block = room(f, FCN_PCAPNG_BLOCK_MAX);
	if (f->stats.error != 0)
		return; /* the buffer could not be written, and the file ends */
	i->port = port;
	memcpy(i->name, ports->port[port].name, sizeof(i->name));
	f->interface[port] = f->n_interfaces++;
	add(f, fcn_pcapng_interface(block, i->name, ports->port[port].bps, f->snaplen, f->filter));
}

static void
begin(struct fcn_capture_file *f, const struct fcn_capture_ports *ports)
{
	if (f->begun)
		return;
	f->begun = true;
	if (f->regular && ftruncate(f->fd, 0) != 0) {
		fail(f, errno);
		return;
	}
	add(f, fcn_pcapng_section(room(f, FCN_PCAPNG_BLOCK_MAX), "fastcn " FCN_VERSION));
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_port_set_has(&f->ports, p) && ports->port[p].name[0] != '\0')
			add_interface(f, p, ports);
	}
}

/* Find the interface of a port, and add it when the port has none under its present name. @return
 * NULL: the file has failed */
static struct interface *
interface_of(struct fcn_capture_file *f, unsigned int port, const struct fcn_capture_ports *ports)
{
	int16_t i = f->interface[port];

	if (i < 0 || strcmp(f->interfaces[i].name, ports->port[port].name) != 0)
		add_interface(f, port, ports);
	return f->stats.error == 0 ? &f->interfaces[f->interface[port]] : NULL;
}

static const char *
port_name(void *arg, unsigned int port)
{
	const struct fcn_capture_ports *ports = arg;

	return ports->port[port].name;
}

static enum fcn_pcapng_direction
direction_of(const struct fcn_capture_record *r)
{
	static const enum fcn_pcapng_direction directions[FCN_CAPTURE_POINT_COUNT] = {
			[FCN_CAPTURE_RX] = FCN_PCAPNG_INBOUND,
			[FCN_CAPTURE_TX] = FCN_PCAPNG_OUTBOUND,
			[FCN_CAPTURE_DROP] = FCN_PCAPNG_NO_DIRECTION, /* it went nowhere */
	};

	return directions[r->point];
}

void
fcn_capture_file_put(struct fcn_capture_file *f, const struct fcn_capture_record *r,
		const struct fcn_capture_octets *octets, unsigned int tap,
		const struct fcn_capture_ports *ports)
{
	const struct fcn_capture_names names = {port_name, (void *)(uintptr_t)ports};
	char comment[FCN_CAPTURE_COMMENT_MAX];
	struct fcn_pcapng_packet packet;
	struct interface *interface;
	size_t len;

	begin(f, ports);
	if (f->stats.error != 0 || f->stats.full)
		return;
	interface = interface_of(f, r->port, ports);
	if (interface == NULL)
		return;
	packet = (struct fcn_pcapng_packet){
			.interface = interface - f->interfaces,
			.time_ns = r->time_ns,
			.len = r->len,
			.part = {octets->part[0], octets->part[1]},
			.direction = direction_of(r),
			.dropped = r->missed[tap],
			.comment = fcn_capture_comment(r, &names, comment),
	};
	packet.part_len[0] = RTE_MIN(octets->len[0], f->snaplen);
	packet.part_len[1] = RTE_MIN(octets->len[1], f->snaplen - packet.part_len[0]);
	len = fcn_pcapng_packet(room(f, FCN_PCAPNG_BLOCK_MAX + r->caplen), &packet);
	if (f->stats.error != 0)
		return;
	if (f->stats.bytes + len + f->n_interfaces * STATISTICS_LEN > f->max_bytes) {
		SET(f->stats.full, true);
		return;
	}
	add(f, len);
	interface->buffered++;
	SET(f->stats.packets, f->stats.packets + 1);
	if (f->stats.packets == f->max_packets)
		SET(f->stats.full, true);
}

void
fcn_capture_file_flush(struct fcn_capture_file *f, const struct fcn_capture_ports *ports)
{
	begin(f, ports);
	flush(f);
}

/* The statistics are written even after an error: a full disk may still have room for so few
 * octets. */
static void
write_statistics(struct fcn_capture_file *f, const uint64_t missed[FCN_MAX_PORTS], uint64_t time_ns)
{
	for (uint32_t i = 0; i < f->n_interfaces; i++) {
		const struct interface *interface = &f->interfaces[i];
		uint64_t lost = interface->lost;

		if ((uint32_t)f->interface[interface->port] == i) /* the last name of its number */
			lost += missed[interface->port];
		add(f, fcn_pcapng_statistics(
				       f->buf + f->n, i, time_ns, interface->packets + lost, lost));
	}
	if (write_all(f, f->buf, f->n) != 0)
		cut(f);
	f->n = 0;
}

void
fcn_capture_file_end(struct fcn_capture_file *f, const uint64_t missed[FCN_MAX_PORTS],
		uint64_t time_ns, const struct fcn_capture_ports *ports)
{
	fcn_capture_file_flush(f, ports);
	if (f->regular || f->stats.error == 0)
		write_statistics(f, missed, time_ns);
	if (f->fd >= 0 && close(f->fd) != 0 && f->stats.error == 0)
		SET(f->stats.error, errno);
	f->fd = -1;
}
