/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The connection of a switch to the Linux kernel: TAP interfaces for ports, and the routes of some
 * of the kernel's tables. It creates the interfaces, passes frames in both directions, configures
 * the addresses and state of the interfaces in the kernel, and keeps a copy of the kernel's routes
 * and neighbours in a store (fcn_kernel_store.h). All of this happens in one network namespace.
 *
 * It uses the switch by the callbacks in struct fcn_kernel_env.
 *
 * Not thread safe: all functions are called by one thread, usually the control thread. None of them
 * blocks, except within env.aside(). Times are nanoseconds of the caller's clock, which never
 * decreases. MAC addresses are in network byte order.
 */

#ifndef FCN_KERNEL_H
#define FCN_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <net/if.h>
#include <rte_mbuf.h>

#include "fcn_kernel_store.h"
#include "fcn_kernel_tap.h"
#include "fcn_netlink.h"
#include "fcn_port_limit.h"

/** Stands for "no time": there is nothing to do until input arrives. */
#define FCN_KERNEL_NEVER UINT64_MAX

/** Longest name of a network namespace, terminator included. */
#define FCN_KERNEL_NETNS_LEN 32

/** Callbacks to the switch. No function may be NULL. */
struct fcn_kernel_env {
	/**
	 * The kernel sends a frame on the interface of a port.
	 *
	 * @param m the callback takes it over, also when it returns false
	 * @return whether there was room for it; if not, this library counts it
	 */
	bool (*send)(void *arg, struct rte_mbuf *m, uint16_t port);
	/** Whether a port has a link. If so, its interface has a carrier. */
	bool (*link_is_up)(void *arg, uint16_t port);
	/**
	 * Run work(work_arg), which the kernel may delay for seconds, and return when it is done.
	 * It may run in another thread: meanwhile the caller of this library only uses
	 * fcn_kernel_deliver().
	 */
	void (*aside)(void *arg, void (*work)(void *work_arg), void *work_arg);
	/** Log a line for the operator, without newline. */
	void (*log)(void *arg, const char *line);
	struct rte_mempool *pool; /**< pool for frames that the kernel sends */
	void *arg;                /**< first argument of the functions above */
};

/** Settings of a port's interface. */
struct fcn_kernel_port {
	char interface[IFNAMSIZ]; /**< name of the interface; "": the port has none */
	struct rte_ether_addr mac;
	uint16_t mtu;  /**< bytes, as ip-link(8) counts them */
	uint8_t table; /**< of the switch; the interface belongs to its VRF, if it follows one */
};

/** An address of a port. */
struct fcn_kernel_address {
	uint16_t port;
	struct fcn_prefix prefix; /**< the address with the length of its network's prefix */
};

/** Configuration of the connection to the kernel. */
struct fcn_kernel_conf {
	char netns[FCN_KERNEL_NETNS_LEN]; /**< namespace, as ip-netns(8) names it; "": the program's
					   */
	struct fcn_netlink_conf routes;   /**< the tables of the kernel that are followed */
	struct fcn_kernel_port port[FCN_MAX_PORTS];
	/**
	 * Addresses for the interfaces, in addition to their link-local ones; allocated by
	 * malloc(). NULL: memory was exhausted, and the interfaces keep their addresses.
	 */
	struct fcn_kernel_address *address;
	size_t n_addresses;
};

/* In `show kernel`, by the port of an interface, which may be missing; the form of the list is
 * described in fcn_counter.h. */
#define FCN_KERNEL_INTERFACE_COUNTERS(X)                                                 \
	X(to_kernel_none, "to_kernel_none", COUNTER, "kernel_interface_missing_packets", \
			"Frames for the Linux kernel dropped because its interface "     \
			"does not exist at present")

/** Counters of a port that has an interface by its settings. */
struct fcn_kernel_interface_counts {
	FCN_KERNEL_INTERFACE_COUNTERS(FCN_COUNTER_MEMBER)
};

/** State of an interface. */
struct fcn_kernel_interface_info {
	bool is_open;    /**< it was created; if not, `tap` is 0 */
	bool is_there;   /**< it has not been removed by somebody else */
	const char *why; /**< one line: why not; "": not known; valid until the next call */
	struct fcn_kernel_interface_counts counts;
	struct fcn_kernel_tap_counts tap;
};

/** State of the synchronisation of routes. */
struct fcn_kernel_info {
	enum fcn_netlink_state table_state[FCN_MAX_TABLES]; /**< by table of the switch */
	/** numbers of the kernel's tables, by table of the switch; 0: none, or not known yet */
	uint32_t table[FCN_MAX_TABLES];
	struct fcn_netlink_counts netlink;
	struct fcn_kernel_counts store;
	bool netns_gone; /**< the configured namespace is not there; the one before is used */
	const char *last_error; /**< "": no error; valid until the next call */
};

struct fcn_kernel;

/**
 * Create an instance without a configuration.
 *
 * @param env copied
 * @return NULL when memory is exhausted
 */
struct fcn_kernel *fcn_kernel_create(const struct fcn_kernel_env *env);

/** Close everything and remove the interfaces, without calling env.aside(). NULL is allowed. */
void fcn_kernel_free(struct fcn_kernel *k);

/**
 * Open the sockets and interfaces that a configuration needs, before it is applied. It has to be
 * followed by fcn_kernel_configure() with the same configuration, or by fcn_kernel_abandon().
 *
 * @param conf MAC addresses, MTUs and addresses are not used yet; conf is not stored
 * @param err written on failure: one line without full stop. Nothing more is open than before then
 * @return 0; -1: the namespace, a socket or an interface cannot be opened, or this program was
 *  built without libmnl. An interface that a port has already by its settings, and that somebody
 * has removed, is no such reason.
 */
int fcn_kernel_prepare(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, char *err,
		size_t err_size);

/** The prepared configuration is not applied: close what it opened and what is not in use. */
void fcn_kernel_abandon(struct fcn_kernel *k);

/**
 * Apply the prepared configuration to the kernel. Failures are logged; the latest is
 * fcn_kernel_info.last_error.
 *
 * @param conf copied; its list of addresses is taken over
 */
void fcn_kernel_configure(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, uint64_t now);

/** Whether the configuration uses the kernel, so that fcn_kernel_poll() has work to do. */
bool fcn_kernel_is_open(const struct fcn_kernel *k);

/**
 * Whether the store is not just a part of the table: the whole table has been read, or it cannot be
 * read at all.
 */
bool fcn_kernel_is_read(const struct fcn_kernel *k);

/**
 * Process frames and messages of the kernel, and check the interfaces twice a second: update
 * carrier and VRF, and create those again that somebody else removed. If the name of the namespace
 * belongs to another one now, interfaces and routes are those of that one. The work of each call is
 * bounded.
 *
 * @return time at which to call again even without input at fcn_kernel_fd(), or FCN_KERNEL_NEVER
 */
uint64_t fcn_kernel_poll(struct fcn_kernel *k, uint64_t now);

/** File descriptor to poll for input; -1: there is none yet. It does not change later. */
int fcn_kernel_fd(const struct fcn_kernel *k);

/**
 * Pass a frame to the interface of a port. If that is not possible, it is counted as dropped.
 *
 * @param m the caller keeps it
 */
void fcn_kernel_deliver(struct fcn_kernel *k, const struct rte_mbuf *m, uint16_t port);

/** The copy of the kernel's routes and neighbours; it belongs to k. */
struct fcn_kernel_store *fcn_kernel_store(const struct fcn_kernel *k);

/** Get the state and counters of a port's interface. */
void fcn_kernel_interface(const struct fcn_kernel *k, unsigned int port,
		struct fcn_kernel_interface_info *info);

/** Get the number of the kernel's table that a table of the switch follows; 0: none, or not known
 * yet. */
uint32_t fcn_kernel_table(const struct fcn_kernel *k, unsigned int table);

/** Get the state and counters of the synchronisation of routes. */
void fcn_kernel_info(const struct fcn_kernel *k, struct fcn_kernel_info *info);

/** Log a line and store it as the last error, unless it is the last error already. */
void fcn_kernel_note(struct fcn_kernel *k, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

/** Set all counters to 0: those of interfaces, and those of the synchronisation of routes. */
void fcn_kernel_clear_counters(struct fcn_kernel *k);

#endif /* FCN_KERNEL_H */
