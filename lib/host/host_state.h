/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of the host functions, and the functions that their source files share. Internal to
 * lib/host.
 */

#ifndef HOST_STATE_H
#define HOST_STATE_H

#include <sys/queue.h>

#include <rte_mbuf.h>

#include "fcn_host.h"
#include "fcn_inet.h"
#include "host_neighbour.h"
#include "host_timer.h"

#define FCN_HOST_SECOND UINT64_C(1000000000)

/* RFC 4861 section 10, RFC 4862 section 5.1 */
#define FCN_HOST_SOLICITATIONS 3                      /**< MAX_*CAST_SOLICIT */
#define FCN_HOST_FIRST_PROBE_NS (5 * FCN_HOST_SECOND) /**< DELAY_FIRST_PROBE_TIME */
#define FCN_HOST_HOP_LIMIT 64 /**< hop limit of all packets but Neighbour Discovery */
#define FCN_HOST_L2_LEN ((uint16_t)sizeof(struct rte_ether_hdr))

#define FCN_HOST_MAX_SENDERS 4096 /**< maximum number of senders that are remembered */
#define FCN_HOST_TICK_TIMERS 256  /**< timers processed in one tick */
#define FCN_HOST_SCRATCH (40 + 65535 + 1)

/** ICMP errors by meaning; each has a form in ICMP and in ICMPv6. */
enum fcn_host_error {
	FCN_HOST_ERROR_NO_ROUTE,
	FCN_HOST_ERROR_ADDRESS,
	FCN_HOST_ERROR_PORT,
	FCN_HOST_ERROR_PROTOCOL, /**< param: offset of the Next Header field, IPv6 */
	FCN_HOST_ERROR_HOP_LIMIT,
	FCN_HOST_ERROR_MTU,            /**< param: the MTU */
	FCN_HOST_ERROR_FIELD,          /**< param: offset */
	FCN_HOST_ERROR_OPTION,         /**< param: offset; IPv6 only */
	FCN_HOST_ERROR_SR_UPPER_LAYER, /**< param: offset; IPv6 only */
	/** the same, from the address that the packet was sent to: END.CON */
	FCN_HOST_ERROR_ENDCON,
	FCN_HOST_ERROR_COUNT,
};

enum fcn_host_address_state {
	FCN_HOST_ADDRESS_DOWN,      /**< its port is down */
	FCN_HOST_ADDRESS_TENTATIVE, /**< duplicate address detection is running */
	FCN_HOST_ADDRESS_USABLE,
	FCN_HOST_ADDRESS_DUPLICATE, /**< another station has it; checked again later */
};

/** An address of the switch. */
struct fcn_own_address {
	struct fcn_host_timer timer;
	struct fcn_host_address is;
	bool link_local;
	uint8_t state; /**< enum fcn_host_address_state */
	uint8_t tries; /**< probes sent; in state USABLE: announcements sent */
	bool defended;
	uint64_t defended_ns;
	bool listening;       /**< the switch is a listener of its groups and has reported them */
	uint8_t reports_left; /**< number of repeated reports still to send */
};

/** number of times that a change is reported (RFC 3810 section 9.1) */
#define FCN_HOST_MLD_ROBUSTNESS 2
#define FCN_HOST_MLD_LEAVING 16 /**< left groups of a port that are reported again */

/** MLD reports of a port. */
struct fcn_host_mld {
	struct fcn_host_timer change; /**< for the repetition of a report about changes */
	struct fcn_host_timer answer; /**< for the answer to a query */
	bool all;                     /**< the answer is about all groups */
	uint8_t group[16];            /**< the group that the answer is about, unless all is set */
	bool answered;
	uint64_t answered_ns; /**< when the last query was answered */
	/** until then a querier uses version 1, and reports are of version 1, too */
	uint64_t v1_until_ns;
	uint8_t n_leaving;
	uint8_t leaving[FCN_HOST_MLD_LEAVING][16];
};

/** Router advertisements of a port. */
struct fcn_host_advert {
	struct fcn_host_timer timer;
	bool on;
	bool sent;        /**< at least one was sent, so the end has to be advertised */
	uint8_t initial;  /**< advertisements sent, up to MAX_INITIAL_RTR_ADVERTISEMENTS */
	uint64_t last_ns; /**< when the last one was sent */
};

/** A sender that does not understand a kind of notice. */
struct fcn_host_incapable {
	/** the one that was silent for longest comes first; or in the free list */
	TAILQ_ENTRY(fcn_host_incapable) by_time;
	struct fcn_host_incapable *hash_next;
	struct fcn_host_refusal refusal;
	bool used;
	uint64_t learned_ns;
	uint64_t answers;
};

TAILQ_HEAD(fcn_host_incapable_list, fcn_host_incapable);

#define FCN_HOST_SENDER_BUCKETS 4096

struct fcn_host_senders {
	struct fcn_host_timer timer; /**< due when the first entry expires */
	struct fcn_host_incapable all[FCN_HOST_MAX_SENDERS];
	struct fcn_host_incapable *bucket[FCN_HOST_SENDER_BUCKETS];
	struct fcn_host_incapable_list by_time, free;
};

/** Token bucket, represented by the time at which it is full again. */
struct fcn_host_bucket {
	uint64_t full_ns;
};

struct fcn_host {
	struct rte_mempool *pool;
	struct fcn_host_env env;
	/** number of the route table of the packet that is being processed, in which answers to it
	 * are routed */
	uint8_t table;
	uint64_t random;
	uint32_t hash_seed;
	struct fcn_host_conf conf; /**< conf.addresses is unused: the addresses are in `address` */
	struct fcn_own_address *address;
	uint32_t n_addresses;
	struct fcn_neighbours neighbours;
	/* Waiting packets by ingress port. Elements from wait_used on were never used. */
	struct fcn_host_wait wait[FCN_HOST_WAIT_MAX];
	uint32_t wait_used;
	struct fcn_host_waits waiting[FCN_HOST_SHARES], wait_free;
	uint32_t waiting_of[FCN_HOST_SHARES];
	uint32_t n_waiting;
	struct fcn_host_advert advert[FCN_MAX_PORTS];
	struct fcn_host_mld mld[FCN_MAX_PORTS];
	struct fcn_host_senders senders;
	struct fcn_host_timers timers;
	struct fcn_host_bucket errors[FCN_MAX_PORTS][FCN_HOST_ERROR_COUNT];
	struct fcn_host_bucket replies[FCN_MAX_PORTS];
	struct fcn_host_bucket solicitations[FCN_MAX_PORTS];
	struct fcn_host_bucket logs;
	uint32_t logs_left_out;
	uint64_t version;
	uint64_t counters[FCN_HOST_COUNTER_COUNT];
	uint8_t scratch[FCN_HOST_SCRATCH];
};

static inline void
fcn_host_count(struct fcn_host *h, enum fcn_host_counter c)
{
	h->counters[c]++;
}

/** Free a packet and count the reason. */
static inline void
fcn_host_discard(struct fcn_host *h, struct rte_mbuf *m, enum fcn_host_counter c)
{
	h->counters[c]++;
	rte_pktmbuf_free(m);
}

/** Convert an address from its bytes on the wire. */
static inline struct fcn_addr
fcn_host_addr6(const uint8_t bytes[16])
{
	struct fcn_addr a = {.version = 6};

	memcpy(a.bytes, bytes, 16);
	return a;
}

static inline struct fcn_addr
fcn_host_addr4(const uint8_t bytes[4])
{
	struct fcn_addr a = {.version = 4};

	memcpy(a.bytes, bytes, 4);
	return a;
}

static inline bool
fcn_host_is_link_local(const struct fcn_addr *a)
{
	return a->version == 6 && fcn_ip6_is_link_local(a->bytes);
}

/** Whether the host functions may send on a port: it is routed and up. */
static inline bool
fcn_host_port_up(const struct fcn_host *h, uint16_t port)
{
	return port < FCN_MAX_PORTS && h->conf.port[port].routed && h->conf.port[port].up;
}

/* fcn_host.c */

/** 64 random bits. */
uint64_t fcn_host_random(struct fcn_host *h);
/** A random number from lo to hi inclusive, evenly distributed. */
uint64_t fcn_host_random_between(struct fcn_host *h, uint64_t lo, uint64_t hi);
/** Take a token. @return whether there was one */
bool fcn_host_take(struct fcn_host_bucket *bucket, const struct fcn_host_rate *rate, uint64_t now);
void fcn_host_log(struct fcn_host *h, uint64_t now, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/* fcn_host_address.c */

/**
 * Find an address of the switch on a port, in any state; with FCN_HOST_LOOPBACK, one of the table
 * of the packet that is being processed. @return NULL when there is none
 */
struct fcn_own_address *fcn_host_address_find(
		struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
/** Whether the switch has the address in the table of the packet, h->table, in any state. */
bool fcn_host_address_is_ours(const struct fcn_host *h, const struct fcn_addr *addr);
/** Whether an address is in the table of the packet. */
bool fcn_host_address_is_here(const struct fcn_host *h, const struct fcn_own_address *a);
/**
 * Whether the switch has an address in the table of the packet, h->table, that may be used: it is
 * not tentative and not a duplicate.
 */
bool fcn_host_address_usable(const struct fcn_host *h, const struct fcn_addr *addr);
/**
 * Whether a neighbour on the port can have this address: it is link-local or in a prefix of the
 * port, can be that of a single station, and is not the switch's own.
 */
bool fcn_host_on_link(const struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
/** Source address for a solicitation of target. @return NULL when no address is usable */
const struct fcn_addr *fcn_host_address_asking(
		const struct fcn_host *h, uint16_t port, const struct fcn_addr *target);
/**
 * Source address for a message to dst about a packet that was not sent to the switch: one of the
 * port, or else the loopback, or else one of another port; never one of another table than that of
 * the packet.
 *
 * @return NULL when no IPv6 address is usable. Of IPv4, it is the dummy address 192.0.0.8 then
 */
const struct fcn_addr *fcn_host_address_answering(
		const struct fcn_host *h, uint16_t port, const struct fcn_addr *dst);
/** Usable link-local address of a port. @return NULL when there is none */
const struct fcn_addr *fcn_host_address_link_local(const struct fcn_host *h, uint16_t port);
/** Another station uses, or claims, an address of the switch. */
void fcn_host_address_conflict(struct fcn_host *h, struct fcn_own_address *a,
		const struct rte_ether_addr *mac, uint64_t now);
/**
 * Make the list of addresses of a configuration, in their initial state.
 *
 * @return NULL when memory is exhausted
 */
struct fcn_own_address *fcn_host_addresses_plan(const struct fcn_host_conf *conf, uint32_t *n);
/**
 * Replace the addresses by a list of fcn_host_addresses_plan(). Addresses that were there before
 * keep their state.
 */
void fcn_host_addresses_install(struct fcn_host *h, struct fcn_own_address *fresh, uint32_t n,
		const struct fcn_host_conf *before, uint64_t now);
void fcn_host_address_expire(struct fcn_host *h, struct fcn_own_address *a, uint64_t now);

/* fcn_host_wait.c */

void fcn_host_wait_init(struct fcn_host *h);
/** An outgoing packet, which may have to wait for its neighbour. */
struct fcn_host_packet {
	struct rte_mbuf *mbuf;
	uint16_t l3_off;
	uint16_t in_port;
	uint8_t class;
	uint8_t table; /**< number of its route table */
	bool own;
	bool left; /**< a worker left it to the host functions, and hears what becomes of it */
};
/**
 * Queue a packet for a neighbour; when there is no room, the oldest packet of its ingress port is
 * dropped.
 */
void fcn_host_wait_add(
		struct fcn_host *h, struct fcn_neighbour *n, const struct fcn_host_packet *p);
/** The MAC address has become known: send the waiting packets. */
void fcn_host_wait_send(struct fcn_host *h, struct fcn_neighbour *n);
/**
 * Drop the waiting packets.
 *
 * @param answer the neighbour did not answer: send ICMP errors to the senders
 */
void fcn_host_wait_drop(struct fcn_host *h, struct fcn_neighbour *n, bool answer, uint64_t now);
/**
 * Drop an outgoing packet: count it in c, and with its reason at the port where it was received.
 */
void fcn_host_drop(struct fcn_host *h, const struct fcn_host_packet *p, enum fcn_host_counter c,
		enum fcn_drop_reason why);

/* fcn_host_output.c */

/**
 * Allocate a packet with room for an Ethernet header in front.
 *
 * @return NULL when there is no buffer, which is counted
 */
struct rte_mbuf *fcn_host_alloc(struct fcn_host *h);
/**
 * Start of the payload behind the Ethernet header of a packet of fcn_host_alloc().
 *
 * @param room written: bytes available there
 */
uint8_t *fcn_host_room(struct rte_mbuf *m, uint32_t *room);
/**
 * Set the payload length of a packet to len bytes, write the Ethernet header, and send the packet.
 */
void fcn_host_send_link(struct fcn_host *h, struct rte_mbuf *m, uint32_t len, uint16_t port,
		const struct rte_ether_addr *dst, uint16_t ether_type);
/**
 * Write the Ethernet header of a packet, decrement its hop limit unless the switch itself made it,
 * and send it. Takes over the mbuf.
 */
void fcn_host_transmit(struct fcn_host *h, const struct fcn_host_packet *p, uint16_t port,
		const struct rte_ether_addr *dst);
/**
 * Send an IP packet that the switch itself made, with room for an Ethernet header in front of it,
 * by the route to dst. Takes over the mbuf.
 */
void fcn_host_send_own(struct fcn_host *h, struct rte_mbuf *m, uint16_t in_port,
		const struct fcn_addr *dst, uint64_t now);
/** Like fcn_host_send_own(), to a neighbour on this port instead of by the route table. */
void fcn_host_send_via(struct fcn_host *h, struct rte_mbuf *m, uint16_t port,
		const struct fcn_addr *neighbour, uint64_t now);
/** Forward a punted packet whose neighbour was unknown, once that is resolved. */
void fcn_host_forward(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now);
/**
 * Check the outermost IP header.
 *
 * @return length of the IP packet in bytes; 0 when the header is invalid
 */
uint32_t fcn_host_ip_len(const struct rte_mbuf *m, uint16_t l3_off, uint8_t *version);
/** Destination address of a packet that fcn_host_ip_len() has accepted. */
struct fcn_addr fcn_host_ip_dst(const struct rte_mbuf *m, uint16_t l3_off);
/** Shorten a packet to len bytes. */
void fcn_host_trim(struct rte_mbuf *m, uint32_t len);

/* fcn_host_error.c */

/**
 * Send an ICMP error about a packet if the rules and the rate limit allow it. The caller keeps the
 * packet.
 */
void fcn_host_error(struct fcn_host *h, const struct rte_mbuf *m, uint16_t l3_off, uint16_t in_port,
		enum fcn_host_error error, uint32_t param, uint64_t now);
/** Get the meaning of an ICMPv6 error. */
enum fcn_host_error fcn_host_error_of(const struct fcn_icmp6_error *e);

/* fcn_host_upper.c */

enum fcn_host_upper_result {
	FCN_HOST_UPPER_NONE, /**< truncated, a fragment, or to be dropped without an ICMP error */
	/** nh_off, proto and off are set; off may be the end of the packet */
	FCN_HOST_UPPER_FOUND,
	FCN_HOST_UPPER_ERROR, /**< an ICMP error is due: error, about the field at off */
};

/** Result of processing the extension headers of a packet to the switch. */
struct fcn_host_upper {
	enum fcn_host_upper_result result;
	enum fcn_host_error error;
	uint32_t nh_off; /**< offset of the Next Header field that names proto */
	uint32_t off;
	uint8_t proto;
};

/**
 * Process the extension headers of an IPv6 packet as its destination (RFC 8200 section 4).
 *
 * @param codes option types that are accepted in addition to those that may be skipped
 */
void fcn_host_find_upper(const uint8_t *ip, uint32_t len, const struct fcn_parse_codes *codes,
		struct fcn_host_upper *up);

/*
 * fcn_host_arp.c, fcn_host_nd.c, fcn_host_local.c: received packets; these functions take over the
 * mbuf
 */

void fcn_host_arp_receive(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now);
void fcn_host_local_receive(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now);
/** Process the Neighbour Discovery message in the IPv6 packet at ip. The caller keeps the mbuf. */
void fcn_host_nd_receive(struct fcn_host *h, const struct fcn_punt *punt, const uint8_t *ip,
		uint32_t len, uint64_t now);

/* fcn_host_kernel.c */

/** Whether the kernel receives the packets of this port that the host functions do not handle. */
static inline bool
fcn_host_has_kernel(const struct fcn_host *h, uint16_t port)
{
	return fcn_host_port_up(h, port) && h->conf.port[port].kernel;
}
/**
 * Pass a copy of a packet to the kernel, if the port has a kernel interface. The caller keeps the
 * packet.
 */
void fcn_host_show_kernel(struct fcn_host *h, const struct fcn_punt *punt);
/** Process a frame of a control protocol that only the kernel can handle. Takes over the mbuf. */
void fcn_host_control_receive(struct fcn_host *h, const struct fcn_punt *punt);
/** Whether an address is one of the switch. A link-local address counts only on its own port. */
bool fcn_host_is_to_us(struct fcn_host *h, uint16_t in_port, const struct fcn_addr *dst);

/*
 * Solicitations and announcements; the version of the address decides between ARP and Neighbour
 * Discovery.
 */

/**
 * Send a solicitation for an address.
 *
 * @param mac send it to this station only, to confirm an entry; NULL: to all
 */
void fcn_host_solicit(struct fcn_host *h, uint16_t port, const struct fcn_addr *target,
		const struct rte_ether_addr *mac);
/** Send a probe for duplicate address detection of an address that the switch is about to use. */
void fcn_host_dad_probe(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
void fcn_host_announce(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);

void fcn_host_arp_solicit(struct fcn_host *h, uint16_t port, const struct fcn_addr *target,
		const struct rte_ether_addr *mac);
void fcn_host_arp_probe(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
void fcn_host_arp_announce(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
void fcn_host_nd_solicit(struct fcn_host *h, uint16_t port, const struct fcn_addr *target,
		const struct rte_ether_addr *mac);
void fcn_host_nd_probe(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
void fcn_host_nd_announce(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);

/* fcn_host_advert.c */

/** Start or stop router advertisements after a change of the configuration. */
void fcn_host_adverts_review(struct fcn_host *h, const struct fcn_host_conf *before, uint64_t now);
/**
 * Send final advertisements, with a lifetime of 0, on ports where the new configuration has no
 * advertisements (RFC 4861 section 6.2.5).
 */
void fcn_host_adverts_end(struct fcn_host *h, const struct fcn_host_conf *after);
/** The prefixes of a port have changed. */
void fcn_host_advert_changed(struct fcn_host *h, uint16_t port, uint64_t now);
/** A router solicitation was received. */
void fcn_host_advert_asked(struct fcn_host *h, uint16_t port, uint64_t now);
void fcn_host_advert_expire(struct fcn_host *h, struct fcn_host_advert *a, uint64_t now);

/* fcn_host_mld.c */

/** An address is about to be checked or used: report its groups, unless they have been reported. */
void fcn_host_mld_join(struct fcn_host *h, struct fcn_own_address *a, uint64_t now);
/**
 * An address was removed from the current addresses: report the groups that no other address of its
 * port uses as left.
 */
void fcn_host_mld_leave(struct fcn_host *h, const struct fcn_own_address *a, uint64_t now);
/** The port now has a usable link-local address: report all groups again from it (RFC 3590). */
void fcn_host_mld_repeat(struct fcn_host *h, uint16_t port, uint64_t now);
/** Report the groups as left on ports for which the new configuration has no reports. */
void fcn_host_mld_end(struct fcn_host *h, const struct fcn_host_conf *after, uint64_t now);
/** Start to report if the configuration now says so. */
void fcn_host_mld_review(struct fcn_host *h, const struct fcn_host_conf *before, uint64_t now);
/** Process the MLD query in the IPv6 packet at ip. */
void fcn_host_mld_receive(
		struct fcn_host *h, uint16_t port, const uint8_t *ip, uint32_t len, uint64_t now);
void fcn_host_mld_change_expire(struct fcn_host *h, struct fcn_host_mld *mld, uint64_t now);
void fcn_host_mld_answer_expire(struct fcn_host *h, struct fcn_host_mld *mld, uint64_t now);

/* fcn_host_sender.c */

void fcn_host_senders_init(struct fcn_host *h);
/** A sender answered a notice of this switch with a Parameter Problem. */
void fcn_host_sender_learn(
		struct fcn_host *h, const struct fcn_host_refusal *refusal, uint64_t now);
void fcn_host_senders_expire(struct fcn_host *h, uint64_t now);
/** The time for which senders are remembered may have changed. */
void fcn_host_senders_review(struct fcn_host *h, uint64_t now);

#endif /* HOST_STATE_H */
