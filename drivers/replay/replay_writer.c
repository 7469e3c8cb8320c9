/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A capture file that is made: what libpcap writes, byte by byte, without a call of two functions
 * of the C library, with their locks, for each header and packet.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "replay_impl.h"

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, figures, snaplen, link;
};

struct record {
	uint32_t sec, ns, caplen, len;
};

bool
replay_writer_flush(struct replay_writer *w)
{
	size_t done = 0;

	while (done < w->fill) {
		ssize_t n = write(w->fd, w->buf + done, w->fill - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += RTE_MAX(n, 0);
	}
	w->fill = 0;
	return true;
}

/* A full buffer is written when there is more, so that all writes but the last have its size. */
static bool
append(struct replay_writer *w, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (unlikely(len > REPLAY_IO_BUF - w->fill)) {
		const size_t n = REPLAY_IO_BUF - w->fill;

		memcpy(w->buf + w->fill, p, n);
		w->fill += n;
		p += n;
		len -= n;
		if (!replay_writer_flush(w))
			return false;
	}
	memcpy(w->buf + w->fill, p, len);
	w->fill += len;
	return true;
}

void
replay_writer_open(struct replay_writer *w, int fd, uint8_t *buf)
{
	const struct file_header hdr = {
			.magic = 0xa1b23c4d, /* nanoseconds */
			.major = 2,
			.minor = 4,
			.snaplen = REPLAY_SNAPLEN,
			.link = 1, /* Ethernet */
	};

	*w = (struct replay_writer){.fd = fd, .buf = buf};
	append(w, &hdr, sizeof(hdr));
}

bool
replay_writer_add(struct replay_writer *w, uint64_t stamp, const void *data, uint32_t caplen,
		uint32_t len)
{
	const struct record record = {
			.sec = stamp / REPLAY_NS_PER_S,
			.ns = stamp % REPLAY_NS_PER_S,
			.caplen = caplen,
			.len = len,
	};

	return append(w, &record, sizeof(record)) && append(w, data, caplen);
}

void
replay_writer_close(struct replay_writer *w)
{
	close(w->fd);
}
