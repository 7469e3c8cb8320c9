/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Parts of fcn_snapshot_build(), and what they share. Each fills its part of
 * the snapshot and returns 0, or -1 with a line in err.
 */

#ifndef FCN_BUILD_PARTS_H
#define FCN_BUILD_PARTS_H

#include "fcn_build.h"

/** Write a line to err. @return -1 */
int fcn_build_fail(char *err, size_t size, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));

/** A ratio in units of 2^-32, rounded down. */
uint64_t fcn_build_fixed(uint64_t ratio);

/** Longest frame of a port, without FCS. */
uint32_t fcn_build_frame(const struct fcn_config_port *port);

/** Bytes that leave within some time at a rate, at least one frame of the port. */
uint32_t fcn_build_bytes(const struct fcn_config_port *port, uint64_t bps, uint64_t ns);

/** Scheduler, shapers, queues, detectors of a port; link_bps is filled in already. */
int fcn_build_egress(const struct fcn_config *cfg, const struct fcn_build_env *env,
		unsigned int number, struct fcn_snapshot *s, char *err, size_t size);

/** Flow control of a port; link_bps is filled in already. */
int fcn_build_pfc(const struct fcn_config *cfg, const struct fcn_build_env *env,
		unsigned int number, struct fcn_snapshot *s, char *err, size_t size);

/** What is left to share of the buffer; all ports are filled in already. */
int fcn_build_buffer(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** IOAM of switch and ports. */
int fcn_build_ioam(const struct fcn_config *cfg, struct fcn_snapshot *s, char *err, size_t size);

/** The border of the domain, and which ports are trusted; IOAM of ports is filled in already. */
int fcn_build_border(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Notices of all kinds. */
int fcn_build_notify(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size);

/** Free what fcn_build_notify() took, whether it succeeded or not. */
void fcn_build_notify_free(struct fcn_snapshot *s);

/* fcn_build_notice_<name>(): the own configuration of each kind of notice; what is common is
 * filled in already. */
#define FCN_BUILD_NOTICE(sym, name)                                                                \
	int fcn_build_notice_##name(const struct fcn_config *cfg, const struct fcn_build_env *env, \
			struct fcn_snapshot *s, char *err, size_t size);
FCN_NOTICE_KINDS(FCN_BUILD_NOTICE)
#undef FCN_BUILD_NOTICE

#endif /* FCN_BUILD_PARTS_H */
