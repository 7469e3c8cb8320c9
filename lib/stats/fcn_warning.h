/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Warnings: what an operator should know about a configuration that is in force. A configuration is
 * refused for what it says. What depends on the present state instead, such as the speed of a
 * link, is limited to what is possible now, and a warning says so for as long as it is the case.
 *
 * A warning has a kind, a place (such as a port and class), and a reason. While a snapshot is
 * built, fcn_warn() adds them to a set. A set has room for a bounded number, and counts the rest.
 *
 * Not thread safe: all functions are for the control thread.
 */

#ifndef FCN_WARNING_H
#define FCN_WARNING_H

#include <stdbool.h>
#include <stdint.h>

/** X(symbol, name, text) */
#define FCN_WARNINGS(X)                                                                           \
	X(COMMITTED, "committed",                                                                 \
			"The committed rates of a port's classes are together above its rate at " \
			"present. Each class has a share in proportion.")                         \
	X(DETECTOR, "detector",                                                                   \
			"A threshold of a queue's detector cannot be reached at the present "     \
			"speed of the link. One that can be reached is used.")                    \
	X(HEADROOM, "headroom",                                                                   \
			"The headroom that lossless classes need at the present speed of the "    \
			"links is more than there is. They may lose packets.")                    \
	X(KERNEL, "kernel",                                                                       \
			"The configuration names an interface, a table or another thing of the "  \
			"Linux kernel that does not exist. It is used as soon as it exists.")     \
	X(EXPORT, "export",                                                                       \
			"Metrics or the log of events that the configuration names cannot be "    \
			"opened. The switch tries again each second.")                            \
	X(MTU, "mtu",                                                                             \
			"The device of a port accepts only packets shorter than the port's MTU "  \
			"at present. Packets that are routed out of it are limited to that "      \
			"length.")                                                                \
	X(QUEUE_MEMORY, "queue_memory",                                                           \
			"There is no memory for the packets that the limits of a port's queues "  \
			"allow, which grow with the speed of its link. The queues hold fewer.")   \
	X(PACKET_BUFFERS, "packet_buffers",                                                       \
			"There are too few packet buffers for the ports, workers and queues. "    \
			"Packets may be lost at any port when others hold many.")                 \
	X(EMPTY_LIST, "empty_list",                                                               \
			"A function that is on has no effect, because a list of addresses is "    \
			"empty: the switch accepts messages from nobody, or sends them to "       \
			"nobody.")                                                                \
	X(NOTICES, "notices",                                                                     \
			"Senders get no notices of congestion in class queues that have notices " \
			"on, because the configuration is not complete. The reason names the "    \
			"command that is missing; `show notify missing` tells more.")             \
	X(BORDER, "border",                                                                       \
			"Messages of the domain cross its border, because the configuration "     \
			"does not say by what they are recognized, or that they are dropped "     \
			"there. The reason names the command.")                                   \
	X(CLASS_TRUST, "class_trust",                                                             \
			"Hosts at some ports may send in classes that are served before all "     \
			"others, and take the links for themselves, as set port class-trust "     \
			"does not say whether they may. The reason names the ports.")             \
	X(LEFT_OUT, "left_out",                                                                   \
			"A configuration that the switch has gone back to names a device, an "    \
			"interface of the kernel or a worker that is not there. It is left out, " \
			"with what refers to it, until it is configured again.")                  \
	X(UNCONFIRMED, "unconfirmed",                                                             \
			"The running configuration is on trial. Unless `commit` confirms it, "    \
			"the switch goes back to the one of before at the time that the reason "  \
			"names.")                                                                 \
	X(WORKER, "worker",                                                                       \
			"The thread of a worker does not run. Its ports forward nothing, and "    \
			"commands that need all workers, such as those that add or remove a "     \
			"port, are refused until it does.")

enum fcn_warning_kind {
#define FCN_WARNING_ENUM(sym, name, text) FCN_WARNING_##sym,
	FCN_WARNINGS(FCN_WARNING_ENUM)
#undef FCN_WARNING_ENUM
	FCN_WARNING_KIND_COUNT,
};

#define FCN_WARNING_PLACE 64   /**< size of the place of a warning, with terminator */
#define FCN_WARNING_REASON 256 /**< size of the reason of a warning, with terminator */
#define FCN_WARNINGS_MAX 512   /**< warnings in a set */

/** A warning. */
struct fcn_warning {
	enum fcn_warning_kind kind;
	uint16_t port;                   /**< the port it is about; FCN_MAX_PORTS: none */
	bool of_control;                 /**< control raised it, not the building of a snapshot */
	uint64_t number;                 /**< serial number, from 0, once the warning is in force */
	uint64_t since_ns;               /**< when it came, in ns of the workers' clock */
	char place[FCN_WARNING_PLACE];   /**< for example "port p1 class 3" */
	char reason[FCN_WARNING_REASON]; /**< one line without full stop */
};

/** A set of warnings. All zero: empty. */
struct fcn_warnings {
	unsigned int n;
	uint64_t left_out; /**< warnings for which there was no room */
	struct fcn_warning item[FCN_WARNINGS_MAX];
};

/** Get the name of a kind; never NULL. */
const char *fcn_warning_name(enum fcn_warning_kind kind);
/** Get the description of a kind; never NULL. */
const char *fcn_warning_text(enum fcn_warning_kind kind);

/** Find a warning by its kind and its place. @return NULL: there is none */
struct fcn_warning *fcn_warning_find(
		struct fcn_warnings *set, enum fcn_warning_kind kind, const char *place);

/**
 * Add a warning to a set. One of the same kind and place is replaced.
 *
 * @param set  NULL: nothing is done
 * @param port the port that it is about; FCN_MAX_PORTS for none
 * @param fmt  format of the reason, one line without full stop
 */
void fcn_warn(struct fcn_warnings *set, enum fcn_warning_kind kind, unsigned int port,
		const char *place, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/** Remove a warning from a set, if it is there. The others keep their order. */
void fcn_warning_remove(struct fcn_warnings *set, enum fcn_warning_kind kind, const char *place);

#endif /* FCN_WARNING_H */
