/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Structures and functions shared by the source files of drivers/replay.
 *
 * - replay_file.c: the common part of inputs and outputs: identity and error message
 * - replay_input.c: a capture file that is read, with one packet of look-ahead
 * - replay_notes.c: what pcapng says about packets and libpcap does not
 * - replay_ipv6.c: IPv4 frames as IPv6 frames
 * - replay_output.c: the capture file that a port writes
 * - replay_time.c: conversion of timestamps to virtual time
 * - replay_port.c: the operations that the dataplane calls
 * - replay.c: the functions of fcn_replay.h
 */

#ifndef REPLAY_IMPL_H
#define REPLAY_IMPL_H

#include <pcap/pcap.h>
#include <stdio.h>
#include <sys/queue.h>
#include <sys/stat.h>

#include "fcn_capture_stream.h"
#include "fcn_serializer.h"
#include "fcn_replay.h"

#define REPLAY_NS_PER_S UINT64_C(1000000000)

/** Buffer size of each file. It is large, because system calls cost more than copying. */
#define REPLAY_IO_BUF (128 * 1024)

/** Longest headers up to the end of an IPv6 header, with two VLAN tags. */
#define REPLAY_IPV6_HEAD (14 + 2 * 4 + 40)

/** Latest timestamp that a pcap file can hold (unsigned 32-bit seconds), in nanoseconds. */
#define REPLAY_MAX_STAMP (UINT32_MAX * REPLAY_NS_PER_S + REPLAY_NS_PER_S - 1)

/** The common part of an input and an output. */
struct replay_file {
	STAILQ_ENTRY(replay_file) next; /* in the list of all files of a replay */
	/* In the list of files with an error, in the order of the errors. */
	STAILQ_ENTRY(replay_file) next_broken;
	char *name;
	dev_t dev;
	ino_t ino;
	bool regular;
	bool output;
	bool broken;
	char *io_buf;
	/*
	 * Allocated when the file is opened, because a worker that reports an error must not
	 * allocate.
	 */
	char *error;
	size_t error_size;
};
STAILQ_HEAD(replay_file_list, replay_file);

/** The speed as an exact fraction: virtual time = stamps / (num * 2^exp). */
struct replay_speed {
	uint64_t num; /* odd */
	int exp;
};

/** What pcapng says about a packet that libpcap has not handed out yet. */
struct replay_note {
	uint32_t interface;
	uint32_t direction;
};

/** The notes of a file, a ring, and its interfaces. */
struct replay_notes {
	struct replay_note *ring;
	size_t room, first, n;
	struct fcn_replay_interface **interface;
	size_t n_interfaces, interface_room;
	bool lost; /* there was no memory */
};

struct replay_input {
	struct replay_file file;
	/* In the list of the port, or of mirror captures, in the order in which they were added. */
	STAILQ_ENTRY(replay_input) next;
	struct fcn_replay *replay;
	struct fcn_replay_port *port; /* of the look-ahead, if this is a mirror capture */
	bool mirror;
	struct fcn_replay_stats *stats; /* of what is left out */
	struct fcn_replay_place place;  /* of the look-ahead, if this is a mirror capture */
	struct replay_notes notes;
	pcap_t *pcap;
	struct bpf_program filter;
	bool has_filter;
	bool ready;       /* the look-ahead below holds a packet */
	uint64_t n_read;  /* records read from the file */
	uint64_t stamp;   /* ns since 1970, never before that of the previous packet */
	uint64_t arrival; /* the same as virtual time, once the replay has begun */
	const uint8_t *data;
	uint32_t captured; /* bytes of data */
	uint32_t len;      /* bytes of the packet */
};

struct replay_output {
	struct replay_file file;
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	FILE *stream; /* owned by the dumper */
	uint64_t n_written;
	uint8_t *linear; /* buffer in which chained packets are made contiguous */
};

struct fcn_replay_port {
	STAILQ_ENTRY(fcn_replay_port) next;
	struct fcn_replay *replay;
	char name[FCN_PORT_NAME_LEN];
	struct rte_mempool *pool;
	STAILQ_HEAD(, replay_input) inputs;
	struct replay_input *head; /* input of the next packet; NULL when all have ended */
	struct replay_output *out;
	struct fcn_serializer serializer;
	uint64_t last_departure;
	struct fcn_replay_stats stats;
};

struct fcn_replay {
	STAILQ_HEAD(, fcn_replay_port) ports;
	STAILQ_HEAD(, replay_input) mirrors;
	struct fcn_replay_watch watch;
	struct fcn_replay_stats mirror_stats;
	bool pad;
	struct replay_file_list files;
	struct replay_file_list broken;
	struct replay_speed speed;
	uint64_t base;
	bool begun;
};

/* replay_file.c */

/** Write one line to err, even if the arguments contain line breaks. */
void replay_error(char *err, size_t err_size, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));
/** Store the name and identity of an open file. @return 0 or -ENOMEM */
int replay_file_init(
		struct replay_file *file, const char *name, bool output, const struct stat *st);
/** Free what replay_file_init() allocated. */
void replay_file_fini(struct replay_file *file);
/** Find a file of the replay that conflicts with opening this one; NULL when there is none. */
const struct replay_file *replay_file_clash(
		const struct fcn_replay *replay, const struct stat *st, bool output);
/**
 * Record that reading or writing the file failed after n packets, and the reason. This may be
 * called only once for each file.
 */
void replay_file_broken(
		struct fcn_replay *replay, struct replay_file *file, uint64_t n, const char *why);

/* replay_input.c */

/** Read up to the next packet to deliver; clears ready at the end of the file. */
void replay_input_advance(struct replay_input *in);
/**
 * Compute the arrival time of the packet in the look-ahead. If it is out of range, the input ends.
 */
void replay_input_arrival(struct replay_input *in);
/** Close and free an input. */
void replay_input_close(struct replay_input *in);
/** Choose the input whose packet comes next. */
void replay_port_choose(struct fcn_replay_port *port);

/* replay_notes.c */

/** Get the functions by which fcn_capture_stream() fills the notes. */
struct fcn_capture_watch replay_notes_watch(struct replay_notes *notes);
/** Take the note of the packet that libpcap hands out. @return its interface; NULL: the file does
 * not say it */
const struct fcn_replay_interface *replay_notes_next(
		struct replay_notes *notes, uint32_t *direction);
void replay_notes_free(struct replay_notes *notes);

/* replay_ipv6.c */

/**
 * Get by how many bytes a frame is longer when its IPv4 header is an IPv6 header.
 *
 * @param n bytes at data
 * @return 0: it is not IPv4, or has options
 */
uint32_t replay_ipv6_more(const uint8_t *data, uint32_t n);
/** Write the headers of such a frame up to the end of the IPv6 header. @param head room for
 * REPLAY_IPV6_HEAD bytes. @param len of the frame. @return bytes written; `*read` of the frame
 * are replaced */
uint32_t replay_ipv6_head(const uint8_t *data, uint32_t len, uint8_t *head, uint32_t *read);

/* replay_output.c */

/** Write a packet to the output of a port. @param stamp time in ns since 1970 */
void replay_output_write(struct fcn_replay_port *port, const struct rte_mbuf *m, uint64_t stamp);
/** Flush the output. @return 0, or -EIO when the file lacks packets */
int replay_output_flush(struct fcn_replay_port *port);
/** Complete and close an output, and free it. */
void replay_output_close(struct replay_output *out);

/* replay_time.c */

/** Set the speed. @return false unless value is finite and above 0 */
bool replay_speed_set(struct replay_speed *speed, double value);
/**
 * Compute delta / speed, rounded to the nearest integer, with halves rounded up; UINT64_MAX when it
 * is too large.
 */
uint64_t replay_speed_scale(const struct replay_speed *speed, uint64_t delta);

#endif /* REPLAY_IMPL_H */
