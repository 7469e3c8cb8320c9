/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A capture file is read as a stream, one packet ahead. The buffer of libpcap holds that packet, so
 * a file of any size needs the same memory.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_ether.h>

#include "fcn_decompress_stream.h"
#include "replay_impl.h"

static void
break_off(struct replay_input *in, const char *why)
{
	in->ready = false;
	in->stats->in_file_errors++;
	replay_file_broken(in->replay, &in->file, in->n_read, why);
}

/* Compute the timestamp of a packet in nanoseconds; false when no pcap file can hold it. */
static bool
stamp_of(const struct pcap_pkthdr *hdr, uint64_t *stamp)
{
	int64_t sec = hdr->ts.tv_sec;
	int64_t ns = hdr->ts.tv_usec;

	/*
	 * Seconds are unsigned in the file, but libpcap returns them as signed, which matters from
	 * 2038 to 2106.
	 */
	if (sec < 0 && sec >= INT32_MIN)
		sec += INT64_C(1) << 32;
	if (sec < 0 || sec > UINT32_MAX || ns < 0)
		return false;
	*stamp = (uint64_t)sec * REPLAY_NS_PER_S + (uint64_t)ns;
	return *stamp <= REPLAY_MAX_STAMP;
}

/* Check whether a packet is to be delivered. If not, it is counted with the reason. */
static bool
wanted(struct replay_input *in, const struct pcap_pkthdr *hdr, const u_char *data)
{
	struct fcn_replay_stats *stats = in->stats;

	if (in->has_filter && pcap_offline_filter(&in->filter, hdr, data) == 0)
		stats->in_filtered++;
	else if (hdr->caplen < hdr->len && !in->replay->pad)
		stats->in_truncated++;
	else if (hdr->caplen < RTE_ETHER_HDR_LEN)
		stats->in_runt++;
	else if (RTE_MAX(hdr->caplen, hdr->len) > FCN_REPLAY_MAX_FRAME)
		stats->in_oversize++;
	else
		return true;
	return false;
}

/* Show a frame to the watch, and have it choose the port. @return whether it is delivered */
static bool
place(struct replay_input *in, const struct fcn_replay_frame *frame)
{
	const struct fcn_replay_watch *watch = &in->replay->watch;

	if (watch->see != NULL)
		watch->see(watch->arg, frame);
	if (!in->mirror)
		return true;
	in->place = (struct fcn_replay_place){0};
	watch->place(watch->arg, frame, &in->place);
	if (in->place.port == NULL)
		return false;
	in->port = in->place.port;
	if (in->place.as_ipv6 && replay_ipv6_more(frame->data, frame->captured) == 0)
		in->place.as_ipv6 = false;
	return true;
}

void
replay_input_advance(struct replay_input *in)
{
	struct fcn_replay_frame frame;
	struct pcap_pkthdr *hdr;
	const u_char *data;
	uint64_t stamp;
	int rc;

	in->ready = false;
	while ((rc = pcap_next_ex(in->pcap, &hdr, &data)) == 1) {
		in->n_read++;
		frame.interface = replay_notes_next(&in->notes, &frame.direction);
		if (!wanted(in, hdr, data))
			continue;
		if (!stamp_of(hdr, &stamp)) {
			break_off(in, "stamp out of range");
			return;
		}
		if (stamp < in->stamp)
			in->stats->in_backwards++;
		else
			in->stamp = stamp;
		in->data = data;
		in->captured = hdr->caplen;
		in->len = RTE_MAX(hdr->caplen, hdr->len);
		frame.data = data;
		frame.captured = in->captured;
		frame.len = in->len;
		frame.stamp = in->stamp;
		if (!place(in, &frame))
			continue;
		in->ready = true;
		if (in->replay->begun)
			replay_input_arrival(in);
		return;
	}
	if (rc == PCAP_ERROR)
		break_off(in, pcap_geterr(in->pcap));
}

void
replay_input_arrival(struct replay_input *in)
{
	const struct fcn_replay *replay = in->replay;

	in->arrival = replay_speed_scale(&replay->speed, in->stamp - replay->base);
	if (in->arrival > REPLAY_MAX_STAMP)
		break_off(in, "stamp out of range at this speed");
}

void
replay_port_choose(struct fcn_replay_port *port)
{
	struct replay_input *in;

	port->head = NULL;
	STAILQ_FOREACH (in, &port->inputs, next)
		if (in->ready && (port->head == NULL || in->stamp < port->head->stamp))
			port->head = in;
	STAILQ_FOREACH (in, &port->replay->mirrors, next)
		if (in->ready && in->port == port &&
				(port->head == NULL || in->stamp < port->head->stamp))
			port->head = in;
}

void
replay_input_close(struct replay_input *in)
{
	if (in->has_filter)
		pcap_freecode(&in->filter);
	if (in->pcap != NULL)
		pcap_close(in->pcap);
	replay_notes_free(&in->notes);
	replay_file_fini(&in->file);
	free(in);
}

/* Pass the stream to libpcap, which closes it with the handle. */
static int
open_pcap(struct replay_input *in, FILE *stream, const struct stat *st, char *err, size_t err_size)
{
	const struct fcn_capture_watch watch = replay_notes_watch(&in->notes);
	char why[PCAP_ERRBUF_SIZE] = "";
	FILE *plain, *without_fcs;
	const char *link;

	if (S_ISREG(st->st_mode) && st->st_size == 0) {
		replay_error(err, err_size, "%s: empty file", in->file.name);
		fclose(stream);
		return -EINVAL;
	}
	plain = fcn_decompress_stream(stream, why, sizeof(why));
	if (plain == NULL) {
		replay_error(err, err_size, "%s: %s", in->file.name, why);
		fclose(stream);
		return -EINVAL;
	}
	stream = plain;
	without_fcs = fcn_capture_stream(stream, &watch);
	if (without_fcs == NULL) {
		replay_error(err, err_size, "%s: out of memory", in->file.name);
		fclose(stream);
		return -ENOMEM;
	}
	stream = without_fcs;
	setvbuf(stream, in->file.io_buf, _IOFBF, REPLAY_IO_BUF);
	in->pcap = pcap_fopen_offline_with_tstamp_precision(
			stream, PCAP_TSTAMP_PRECISION_NANO, why);
	if (in->pcap == NULL) {
		replay_error(err, err_size, "%s: not a capture file: %s", in->file.name, why);
		fclose(stream);
		return -EINVAL;
	}
	if (pcap_datalink(in->pcap) != DLT_EN10MB) {
		link = pcap_datalink_val_to_name(pcap_datalink(in->pcap));
		replay_error(err, err_size, "%s: link type %d (%s) instead of Ethernet",
				in->file.name, pcap_datalink(in->pcap),
				link != NULL ? link : "unknown");
		return -EINVAL;
	}
	return 0;
}

static int
compile_filter(struct replay_input *in, const char *filter, char *err, size_t err_size)
{
	if (filter == NULL)
		return 0;
	if (pcap_compile(in->pcap, &in->filter, filter, 1, PCAP_NETMASK_UNKNOWN) != 0) {
		replay_error(err, err_size, "%s: filter \"%s\": %s", in->file.name, filter,
				pcap_geterr(in->pcap));
		return -EINVAL;
	}
	in->has_filter = true;
	return 0;
}

/* Open a file, or standard input. */
static FILE *
open_stream(const char *file, struct stat *st)
{
	FILE *stream;
	int fd;

	if (strcmp(file, "-") == 0) {
		fd = dup(STDIN_FILENO);
		stream = fd >= 0 ? fdopen(fd, "rb") : NULL;
		if (stream == NULL && fd >= 0)
			close(fd);
	} else {
		stream = fopen(file, "rbe");
	}
	if (stream != NULL && fstat(fileno(stream), st) != 0) {
		fclose(stream);
		return NULL;
	}
	return stream;
}

/* Open and prepare an input file; on failure everything is closed again. @param port NULL: a mirror
 * capture */
static int
input_open(struct fcn_replay *replay, struct fcn_replay_port *port, const char *file,
		const char *filter, struct replay_input **input, char *err, size_t err_size)
{
	struct replay_input *in;
	struct stat st;
	FILE *stream;
	int rc;

	stream = open_stream(file, &st);
	if (stream == NULL) {
		rc = -errno;
		replay_error(err, err_size, "%s: %s", file, strerror(errno));
		return rc;
	}
	setvbuf(stream, NULL, _IONBF, 0);
	if (replay_file_clash(replay, &st, false) != NULL) {
		replay_error(err, err_size, "%s: is an output of this replay as well", file);
		fclose(stream);
		return -EINVAL;
	}
	in = calloc(1, sizeof(*in));
	if (in == NULL || replay_file_init(&in->file, file, false, &st) != 0) {
		replay_error(err, err_size, "%s: out of memory", file);
		fclose(stream);
		if (in != NULL)
			replay_input_close(in);
		return -ENOMEM;
	}
	in->replay = replay;
	in->port = port;
	in->mirror = port == NULL;
	in->stats = port != NULL ? &port->stats : &replay->mirror_stats;
	rc = open_pcap(in, stream, &st, err, err_size);
	if (rc == 0)
		rc = compile_filter(in, filter, err, err_size);
	if (rc != 0) {
		replay_input_close(in);
		return rc;
	}
	*input = in;
	return 0;
}

int
fcn_replay_port_input(struct fcn_replay_port *port, const char *file, const char *filter, char *err,
		size_t err_size)
{
	struct replay_input *in;
	int rc;

	if (port->pool == NULL || port->replay->begun) {
		replay_error(err, err_size, "%s: %s", file,
				port->pool == NULL ? "the port has no pool for packets"
						   : "the replay has begun, inputs are closed");
		return -EINVAL;
	}
	rc = input_open(port->replay, port, file, filter, &in, err, err_size);
	if (rc != 0)
		return rc;
	STAILQ_INSERT_TAIL(&port->inputs, in, next);
	STAILQ_INSERT_TAIL(&port->replay->files, &in->file, next);
	replay_input_advance(in);
	return 0;
}

int
fcn_replay_mirror(struct fcn_replay *replay, const char *file, const char *filter, char *err,
		size_t err_size)
{
	struct replay_input *in;
	int rc;

	if (replay->watch.place == NULL || replay->begun) {
		replay_error(err, err_size, "%s: %s", file,
				replay->begun ? "the replay has begun, inputs are closed"
					      : "nothing chooses the ports of its frames");
		return -EINVAL;
	}
	rc = input_open(replay, NULL, file, filter, &in, err, err_size);
	if (rc != 0)
		return rc;
	STAILQ_INSERT_TAIL(&replay->mirrors, in, next);
	STAILQ_INSERT_TAIL(&replay->files, &in->file, next);
	replay_input_advance(in);
	return 0;
}
