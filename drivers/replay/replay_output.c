/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay_impl.h"

#define SNAPLEN 262144 /* maximum that libpcap allows for Ethernet */

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
	struct pcap_pkthdr hdr = {
			.ts = {.tv_sec = stamp / REPLAY_NS_PER_S,
					.tv_usec = stamp % REPLAY_NS_PER_S},
			.caplen = RTE_MIN(m->pkt_len, (uint32_t)SNAPLEN),
			.len = m->pkt_len,
	};

	if (out->file.broken)
		return;
	if (stamp > REPLAY_MAX_STAMP) {
		break_off(port, "stamp out of range");
		return;
	}
	pcap_dump((u_char *)out->dumper, &hdr, rte_pktmbuf_read(m, 0, hdr.caplen, out->linear));
	if (ferror(out->stream)) {
		break_off(port, strerror(errno));
		return;
	}
	out->n_written++;
}

int
replay_output_flush(struct fcn_replay_port *port)
{
	if (!port->out->file.broken && pcap_dump_flush(port->out->dumper) != 0)
		break_off(port, strerror(errno));
	return port->out->file.broken ? -EIO : 0;
}

void
replay_output_close(struct replay_output *out)
{
	if (out->dumper != NULL)
		pcap_dump_close(out->dumper);
	if (out->pcap != NULL)
		pcap_close(out->pcap);
	free(out->linear);
	replay_file_fini(&out->file);
	free(out);
}

/* Pass the stream to libpcap, which closes it with the dumper. */
static int
open_dumper(struct replay_output *out, int fd)
{
	out->linear = malloc(SNAPLEN);
	out->pcap = pcap_open_dead_with_tstamp_precision(
			DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
	if (out->linear != NULL && out->pcap != NULL)
		out->stream = fdopen(fd, "wb");
	if (out->stream == NULL) {
		close(fd);
		return -ENOMEM;
	}
	setvbuf(out->stream, out->file.io_buf, _IOFBF, REPLAY_IO_BUF);
	out->dumper = pcap_dump_fopen(out->pcap, out->stream);
	return out->dumper != NULL ? 0 : -EIO;
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
	out = calloc(1, sizeof(*out));
	if (out == NULL || replay_file_init(&out->file, file, true, &st) != 0) {
		rc = -ENOMEM;
		replay_error(err, err_size, "%s: out of memory", file);
		if (out != NULL)
			replay_output_close(out);
		goto fail;
	}
	rc = open_dumper(out, fd);
	if (rc != 0) {
		replay_error(err, err_size, "%s: %s", file, strerror(-rc));
		replay_output_close(out);
		return rc;
	}
	port->out = out;
	STAILQ_INSERT_TAIL(&port->replay->files, &out->file, next);
	return 0;

fail:
	if (fd >= 0)
		close(fd);
	return rc;
}
