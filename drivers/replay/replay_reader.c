/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The records of a capture file. Nearly all are those of a plain pcap file in the byte order of the
 * machine, and are found in the buffer of the file here, without copying. Whatever else there is is
 * for libpcap, which reads through the same buffer: other formats, the end of the file, damage,
 * what does not fit. So formats and messages are those of libpcap.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "replay_impl.h"

#define MAGIC_US 0xa1b2c3d4
#define MAGIC_NS 0xa1b23c4d

struct file_header {
	uint32_t magic;
	uint16_t major, minor;
	uint32_t zone, figures, snaplen, link;
};

struct record {
	uint32_t sec, fraction, caplen, len;
};

/*
 * Read until the buffer holds so many bytes. An error is kept for libpcap, which reads next, as
 * reading again might wait although a signal was to end that.
 */
static bool
fill(struct replay_reader *r, size_t wanted)
{
	ssize_t n;

	if (wanted > REPLAY_IO_BUF)
		return false;
	memmove(r->buf, r->buf + r->begin, r->end - r->begin);
	r->end -= r->begin;
	r->begin = 0;
	while (r->end < wanted) {
		n = read(r->fd, r->buf + r->end, REPLAY_IO_BUF - r->end);
		if (n <= 0) {
			r->error = n < 0 ? errno : 0;
			return false;
		}
		r->end += n;
	}
	return true;
}

static inline bool
is_there(struct replay_reader *r, size_t wanted)
{
	return likely(r->end - r->begin >= wanted) || fill(r, wanted);
}

/* Reads for libpcap: what is in the buffer, and never more than it asks for. */
static ssize_t
read_for_libpcap(void *cookie, char *out, size_t size)
{
	struct replay_reader *r = cookie;
	size_t n;

	if (r->begin == r->end && r->error == 0)
		fill(r, 1);
	n = RTE_MIN(size, r->end - r->begin);
	if (n == 0 && r->error != 0) {
		errno = r->error;
		r->error = 0;
		return -1;
	}
	memcpy(out, r->buf + r->begin, n);
	r->begin += n;
	return n;
}

static int
close_for_libpcap(void *cookie)
{
	const struct replay_reader *r = cookie;

	return close(r->fd);
}

/* Find out whether records are read here, before libpcap reads the header of the file. */
static void
recognize(struct replay_reader *r)
{
	struct file_header hdr;

	if (!is_there(r, sizeof(hdr)))
		return;
	memcpy(&hdr, r->buf + r->begin, sizeof(hdr));
	if (hdr.major != 2 || hdr.minor != 4)
		return;
	if (hdr.magic == MAGIC_NS)
		r->unit_ns = 1;
	else if (hdr.magic == MAGIC_US)
		r->unit_ns = 1000;
	r->snaplen = RTE_MIN(hdr.snaplen, (uint32_t)REPLAY_SNAPLEN);
}

bool
replay_reader_open(struct replay_reader *r, int fd, uint8_t *buf, char *why)
{
	const cookie_io_functions_t functions = {
			.read = read_for_libpcap, .close = close_for_libpcap};
	FILE *stream;

	*r = (struct replay_reader){.fd = fd, .buf = buf};
	stream = fopencookie(r, "rb", functions);
	if (stream == NULL) {
		snprintf(why, PCAP_ERRBUF_SIZE, "%s", strerror(errno));
		close(fd);
		return false;
	}
	/* libpcap must not take more than it needs, as the next record may be read here. */
	setvbuf(stream, NULL, _IONBF, 0);
	recognize(r);
	r->pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (r->pcap == NULL)
		fclose(stream);
	return r->pcap != NULL;
}

/* Take a record from the buffer. @return false: it is for libpcap */
static bool
take(struct replay_reader *r, const uint8_t **data)
{
	struct record record;

	if (!is_there(r, sizeof(record)))
		return false;
	memcpy(&record, r->buf + r->begin, sizeof(record));
	/* libpcap has seconds with a sign, until 2038. */
	if (unlikely(record.caplen > r->snaplen || record.sec > INT32_MAX ||
			    record.fraction >= REPLAY_NS_PER_S / r->unit_ns))
		return false;
	if (!is_there(r, sizeof(record) + record.caplen))
		return false;
	*data = r->buf + r->begin + sizeof(record);
	r->begin += sizeof(record) + record.caplen;
	r->hdr = (struct pcap_pkthdr){
			.ts = {.tv_sec = record.sec, .tv_usec = record.fraction * r->unit_ns},
			.caplen = record.caplen,
			.len = record.len,
	};
	return true;
}

int
replay_reader_next(struct replay_reader *r, struct pcap_pkthdr **hdr, const uint8_t **data)
{
	if (unlikely(r->unit_ns == 0 || r->error != 0 || !take(r, data)))
		return pcap_next_ex(r->pcap, hdr, data);
	*hdr = &r->hdr;
	return 1;
}

void
replay_reader_close(struct replay_reader *r)
{
	if (r->pcap != NULL)
		pcap_close(r->pcap);
}
