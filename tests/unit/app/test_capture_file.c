/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A capture's file that fails: what it says of itself. */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture_file.h"
#include "fcn_test.h"
#include "port_bits.h"

#define BUFFER (512 * 1024)
#define BLOCK 1024 /* the longest block without a packet */

static uint8_t data[2048];

/* Put packets of one length, until the next one would have the buffer written. */
static void
fill(struct fcn_capture_file *f, uint32_t len, const struct fcn_capture_ports *ports)
{
	const struct fcn_capture_record r = {.len = len, .caplen = len};
	const struct fcn_capture_octets octets = {{data, data}, {len, 0}};
	struct fcn_capture_file_stats stats;

	do {
		fcn_capture_file_put(f, &r, &octets, 0, ports);
		fcn_capture_file_stats(f, &stats);
		assert_int_equal(stats.error, 0);
	} while (stats.bytes + BLOCK + len <= BUFFER);
}

/* Packets are for the user alone to read, and are not written through a link. */
TEST(whose_it_is)
{
	const struct fcn_capture_file_conf conf = {.path = "capture-of-mine",
							   .snaplen = 64,
							   .ports = ports_of(1)},
					   link = {.path = "capture-link",
							   .snaplen = 64,
							   .ports = ports_of(1)};
	struct fcn_capture_file *f;
	char err[256] = "";
	struct stat st;

	f = fcn_capture_file_open(&conf, err, sizeof(err));
	assert_non_null(f);
	fcn_capture_file_free(f);
	assert_int_equal(stat(conf.path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(symlink(conf.path, link.path), 0);
	assert_null(fcn_capture_file_open(&link, err, sizeof(err)));
	assert_string_equal(err,
			"capture-link: it is a symbolic link, and packets are not written through "
			"one");
	unlink(link.path);
	unlink(conf.path);
}

/* The buffer has no room for a new interface, and what it holds cannot be written. Nothing is in
 * the file, and nothing is said to be. */
TEST(new_interface)
{
	const struct fcn_capture_file_conf conf = {
			.path = "/dev/full", .snaplen = sizeof(data), .ports = ports_of(1)};
	struct fcn_capture_file_stats stats;
	struct fcn_capture_ports ports;
	char err[256];

	for (uint32_t len = 60; len < 124; len++) {
		const struct fcn_capture_record r = {.len = len, .caplen = len};
		const struct fcn_capture_octets octets = {{data, data}, {len, 0}};
		struct fcn_capture_file *f = fcn_capture_file_open(&conf, err, sizeof(err));

		assert_non_null(f);
		memset(&ports, 0, sizeof(ports));
		strcpy(ports.port[0].name, "p0");
		fill(f, len, &ports);
		strcpy(ports.port[0].name, "p1");
		fcn_capture_file_put(f, &r, &octets, 0, &ports);
		fcn_capture_file_stats(f, &stats);
		assert_int_equal(stats.error, ENOSPC);
		assert_int_equal(stats.packets, 0);
		assert_int_equal(stats.bytes, 0);
		fcn_capture_file_free(f);
	}
}
