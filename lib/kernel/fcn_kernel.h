/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The Linux kernel beside a switch: TAP interfaces that stand for ports there, and the routes of
 * one of its tables. It makes the interfaces, carries frames both ways, tells the kernel their
 * addresses and state, and keeps what the kernel says of routes and neighbours in a store
 * (fcn_kernel_store.h). All of that happens in one network namespace.
 *
 * What only the switch knows it asks for by callbacks, struct fcn_kernel_env.
 *
 * Not thread safe: all functions are called by one thread, usually the control thread. None of
 * them waits, except within env.aside(). Times are nanoseconds of the caller's clock, which never
 * goes back. MAC addresses are in network byte order.
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

/** No time: nothing is to be done until something happens. */
#define FCN_KERNEL_NEVER UINT64_MAX

/** Longest name of a network namespace, terminator included. */
#define FCN_KERNEL_NETNS_LEN 32

/** What this library asks of the switch. No function may be NULL. */
struct fcn_kernel_env {
	/**
	 * The kernel sends a frame by the interface of a port.
	 * @param m taken, whatever is returned
	 * @return whether there was room for it; if not, it is counted
	 */
	bool (*send)(void *arg, struct rte_mbuf *m, uint16_t port);
	/** @return whether a port has a link: then its interface has a carrier */
	bool (*link_is_up)(void *arg, uint16_t port);
	/**
	 * Run work(work_arg), which the kernel may hold up for seconds, and return when it is done.
	 * It may run on another thread, as work uses nothing that the caller of this library uses
	 * meanwhile, except fcn_kernel_deliver().
	 */
	void (*aside)(void *arg, void (*work)(void *work_arg), void *work_arg);
	/** A line for people, without newline. */
	void (*log)(void *arg, const char *line);
	struct rte_mempool *pool; /**< of frames that the kernel sends */
	void *arg;                /**< first argument of the functions above */
};

/** A port, as its interface has it. */
struct fcn_kernel_port {
	char interface[IFNAMSIZ]; /**< name of the interface, "": none stands for the port */
	struct rte_ether_addr mac;
	uint16_t mtu; /**< bytes, as ip-link(8) counts them */
};

/** An address of a port. */
struct fcn_kernel_address {
	uint16_t port;
	struct fcn_prefix prefix; /**< the address with the length of its network's prefix */
};

/** What is wanted of the kernel. */
struct fcn_kernel_conf {
	char netns[FCN_KERNEL_NETNS_LEN]; /**< namespace, as ip-netns(8) names it; "": the program's
					   */
	struct fcn_netlink_conf routes; /**< the table; interfaces belong to its VRF, if it is one's
					 */
	struct fcn_kernel_port port[FCN_MAX_PORTS];
	/** Addresses that ports with an interface are given, beside their link-local ones; of
	 * malloc(). NULL: there was no memory for the list, and interfaces keep what they have. */
	struct fcn_kernel_address *address;
	size_t n_addresses;
};

/** An interface, as it is. */
struct fcn_kernel_interface_info {
	bool is_open;            /**< it was made; without, counts are 0 */
	bool is_there;           /**< the kernel still has it: nobody removed it */
	uint64_t to_kernel_none; /**< frames dropped, as there was no interface to give them to */
	struct fcn_kernel_tap_counts counts;
};

/** Routes, as far as they are known. */
struct fcn_kernel_info {
	enum fcn_netlink_state state;
	uint32_t table; /**< its number, 0: none, or not known yet */
	struct fcn_netlink_counts netlink;
	struct fcn_kernel_counts store;
	const char *last_error; /**< "": nothing went wrong; valid until the next call */
};

struct fcn_kernel;

/**
 * Make an instance that wants nothing of the kernel yet.
 *
 * @param env copied
 * @return NULL on lack of memory
 */
struct fcn_kernel *fcn_kernel_create(const struct fcn_kernel_env *env);

/** Close everything: interfaces go. This does not call env.aside(). NULL is allowed. */
void fcn_kernel_free(struct fcn_kernel *k);

/**
 * Open what a configuration needs, before it comes in force: sockets, interfaces. Is followed by
 * fcn_kernel_configure() with the same, or by fcn_kernel_abandon().
 *
 * @param conf MAC addresses, MTUs and addresses do not matter yet; nothing is kept
 * @param err one line without full stop, on failure; then nothing more is open than before
 * @return 0; -1: the namespace, a socket or an interface cannot be opened, or this program was
 *  built without libmnl
 */
int fcn_kernel_prepare(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, char *err,
		size_t err_size);

/** What was prepared does not come in force: close it, as far as it is not in use. */
void fcn_kernel_abandon(struct fcn_kernel *k);

/**
 * What was prepared is in force: have the kernel follow it. Failures are logged, and the latest is
 * fcn_kernel_info.last_error.
 *
 * @param conf copied; its list of addresses is taken over
 */
void fcn_kernel_configure(struct fcn_kernel *k, const struct fcn_kernel_conf *conf, uint64_t now);

/** Whether anything is wanted of the kernel, so that fcn_kernel_poll() has something to do. */
bool fcn_kernel_is_open(const struct fcn_kernel *k);

/** Whether all of the table was read, or nothing of it can be: what the store has is not a part. */
bool fcn_kernel_is_read(const struct fcn_kernel *k);

/**
 * Take frames and messages from the kernel, and look after interfaces twice a second: carrier, VRF,
 * those that somebody removed are made again. Bounded work a call.
 *
 * @return when to call again though there is no input at fcn_kernel_fd(); FCN_KERNEL_NEVER
 */
uint64_t fcn_kernel_poll(struct fcn_kernel *k, uint64_t now);

/** A descriptor to poll for input; -1: there is none yet. It stays the same. */
int fcn_kernel_fd(const struct fcn_kernel *k);

/**
 * Give a frame to the interface of a port. What cannot be given is dropped and counted.
 *
 * @param m stays the caller's
 */
void fcn_kernel_deliver(struct fcn_kernel *k, const struct rte_mbuf *m, uint16_t port);

/** What the kernel said of routes and neighbours; owned by k. */
struct fcn_kernel_store *fcn_kernel_store(const struct fcn_kernel *k);

/** The state and counters of a port's interface. */
void fcn_kernel_interface(const struct fcn_kernel *k, unsigned int port,
		struct fcn_kernel_interface_info *info);

/** The state and counters of routes. */
void fcn_kernel_info(const struct fcn_kernel *k, struct fcn_kernel_info *info);

/** Log a line and keep it as the last error; not if it was the last one already. */
void fcn_kernel_note(struct fcn_kernel *k, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

/** Set the counters of all interfaces to 0. */
void fcn_kernel_clear_counters(struct fcn_kernel *k);

#endif /* FCN_KERNEL_H */
