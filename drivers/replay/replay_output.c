/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay_impl.h"

static void
break_off(struct fcn_replay_port *port, const char *why)
{
	port->stats.out_file_errors++;
	replay_file_broken(port->replay, &port->out->file, port->out->n_written, why);
}

void
replay_output_write(struct fcn_replay_port *port, const struct rte_mbuf *m, uint64_t stamp)
{
	struct replay_output *out = port->out;
	const uint32_t caplen = RTE_MIN(m->pkt_len, (uint32_t)REPLAY_SNAPLEN);

	if (out->file.broken)
		return;
	if (stamp > REPLAY_MAX_STAMP) {
		break_off(port, "stamp out of range");
		return;
	}
	if (!replay_writer_add(&out->writer, stamp, rte_pktmbuf_read(m, 0, caplen, out->linear),
			    caplen, m->pkt_len)) {
		break_off(port, strerror(errno));
		return;
	}
	out->n_written++;
}

int
replay_output_flush(struct fcn_replay_port *port)
{
	if (!port->out->file.broken && !replay_writer_flush(&port->out->writer))
		break_off(port, strerror(errno));
	return port->out->file.broken ? -EIO : 0;
}

static void
output_free(struct replay_output *out)
{
	free(out->linear);
	replay_file_fini(&out->file);
	free(out);
}

void
replay_output_close(struct replay_output *out)
{
	if (!out->file.broken)
		replay_writer_flush(&out->writer);
	replay_writer_close(&out->writer);
	output_free(out);
}

static struct replay_output *
output_create(const char *file, const struct stat *st)
{
	struct replay_output *out = calloc(1, sizeof(*out));

	if (out == NULL)
		return NULL;
	out->linear = malloc(REPLAY_SNAPLEN);
	if (replay_file_init(&out->file, file, true, st) != 0 || out->linear == NULL) {
		output_free(out);
		return NULL;
	}
	return out;
}

int
fcn_replay_port_output(struct fcn_replay_port *port, const char *file, char *err, size_t err_size)
{
	struct replay_output *out;
	struct stat st;
	int fd, rc;

	if (port->out != NULL) {
		replay_error(err, err_size, "%s: the port already writes to %s", file,
				port->out->file.name);
		return -EEXIST;
	}
	/* The file is truncated later, when it is known not to be an input. */
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || fstat(fd, &st) != 0) {
		rc = -errno;
		replay_error(err, err_size, "%s: %s", file, strerror(errno));
		goto fail;
	}
	if (replay_file_clash(port->replay, &st, true) != NULL) {
		rc = -EINVAL;
		replay_error(err, err_size, "%s: is an input or another output of this replay",
				file);
		goto fail;
	}
	if (S_ISREG(st.st_mode) && ftruncate(fd, 0) != 0) {
		rc = -errno;
		replay_error(err, err_size, "%s: %s", file, strerror(errno));
		goto fail;
	}
	out = output_create(file, &st);
	if (out == NULL) {
		rc = -ENOMEM;
		replay_error(err, err_size, "%s: out of memory", file);
		goto fail;
	}
	replay_writer_open(&out->writer, fd, out->file.io_buf);
	port->out = out;
	STAILQ_INSERT_TAIL(&port->replay->files, &out->file, next);
	return 0;

fail:
	if (fd >= 0)
		close(fd);
	return rc;
}
