/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of the host functions, and what their files ask of each other.
 * Internal to lib/host.
 */

#ifndef FCN_HOST_STATE_H
#define FCN_HOST_STATE_H

#include <sys/queue.h>

#include <rte_mbuf.h>

#include "fcn_host.h"
#include "fcn_host_timer.h"
#include "fcn_inet.h"

#define FCN_HOST_SECOND UINT64_C(1000000000)

/* RFC 4861 section 10, RFC 4862 section 5.1 */
#define FCN_HOST_SOLICITATIONS 3                      /**< MAX_*CAST_SOLICIT */
#define FCN_HOST_FIRST_PROBE_NS (5 * FCN_HOST_SECOND) /**< DELAY_FIRST_PROBE_TIME */
#define FCN_HOST_HOP_LIMIT 64                         /**< of what is no ND */
#define FCN_HOST_L2_LEN ((uint16_t)sizeof(struct rte_ether_hdr))

#define FCN_HOST_WAIT_NEIGHBOUR 3 /**< packets that wait for one neighbour */
#define FCN_HOST_WAIT_PORT 128    /**< packets that wait, of one ingress port */
#define FCN_HOST_MAX_SENDERS 4096 /**< senders remembered */
#define FCN_HOST_TICK_TIMERS 256  /**< timers seen to in one tick */
#define FCN_HOST_SCRATCH (40 + 65535 + 1)

/** Who has a part of what is bounded by port: the ports, and FCN_HOST_SELF, the switch itself. */
#define FCN_HOST_SHARES (FCN_MAX_PORTS + 1)
#define FCN_HOST_WAIT_MAX (FCN_HOST_WAIT_PORT * FCN_HOST_SHARES)

/** Parts of the table of neighbours: for those that somebody asks for, and for those that are found
 * on a port. */
#define FCN_NEIGHBOUR_SHARE_ASKED(who) (who)
#define FCN_NEIGHBOUR_SHARE_FOUND(port) (FCN_HOST_SHARES + (port))
#define FCN_NEIGHBOUR_SHARES (FCN_HOST_SHARES + FCN_MAX_PORTS)

struct fcn_neighbour;

/** Errors by what they say; each has a form in ICMP and ICMPv6. */
enum fcn_host_error {
	FCN_HOST_ERROR_NO_ROUTE,
	FCN_HOST_ERROR_ADDRESS,
	FCN_HOST_ERROR_PORT,
	FCN_HOST_ERROR_PROTOCOL, /**< param: offset of the next header field, IPv6 */
	FCN_HOST_ERROR_HOP_LIMIT,
	FCN_HOST_ERROR_MTU,    /**< param: the MTU */
	FCN_HOST_ERROR_FIELD,  /**< param: offset */
	FCN_HOST_ERROR_OPTION, /**< param: offset; IPv6 alone */
	FCN_HOST_ERROR_COUNT,
};

/** A packet that waits for its next hop's MAC address. */
struct fcn_host_wait {
	TAILQ_ENTRY(fcn_host_wait) port; /**< of one port, oldest first; or of the free ones */
	TAILQ_ENTRY(fcn_host_wait) mine; /**< of one neighbour, oldest first */
	struct fcn_neighbour *neighbour;
	struct rte_mbuf *mbuf;
	uint16_t l3_off;
	uint16_t in_port;
	uint8_t class;
	bool own;  /**< made by the switch: neither counted down nor answered by an error */
	bool left; /**< a worker left it to the host functions, and hears what becomes of it */
};

TAILQ_HEAD(fcn_host_waits, fcn_host_wait);

/** Who gives way when the part of a port is full: each a list, oldest first. */
enum fcn_neighbour_age {
	FCN_NEIGHBOUR_AGE_FAILED,
	FCN_NEIGHBOUR_AGE_ASKED,     /**< INCOMPLETE */
	FCN_NEIGHBOUR_AGE_HEARD,     /**< said its address itself, never answered; is put out for
					others of that kind alone */
	FCN_NEIGHBOUR_AGE_CONFIRMED, /**< answered: is never put out for another */
	FCN_NEIGHBOUR_AGE_FREE,
};

struct fcn_neighbour {
	struct fcn_host_timer timer;
	TAILQ_ENTRY(fcn_neighbour) by_age;
	struct fcn_neighbour *hash_next;
	struct fcn_addr addr;
	uint16_t port;
	uint16_t share; /**< whose part of the table it takes */
	struct rte_ether_addr mac;
	uint8_t state; /**< enum fcn_neighbour_state */
	uint8_t age;   /**< enum fcn_neighbour_age: the list it is in */
	uint8_t tries; /**< solicitations sent in this state */
	uint64_t since_ns;
	struct fcn_host_waits waiting;
	uint32_t n_waiting;
};

TAILQ_HEAD(fcn_neighbour_list, fcn_neighbour);

struct fcn_neighbours {
	struct fcn_neighbour *all; /**< max of them */
	struct fcn_neighbour **bucket;
	uint32_t max;
	uint32_t bucket_mask;
	uint32_t n;          /**< in use */
	uint32_t guaranteed; /**< of each share */
	uint32_t most;       /**< of one share */
	uint32_t common;     /**< places that are not guaranteed to anybody */
	uint32_t common_used;
	uint32_t used[FCN_NEIGHBOUR_SHARES];
	struct fcn_neighbour_list free;
	struct fcn_neighbour_list by_age[FCN_NEIGHBOUR_SHARES][FCN_NEIGHBOUR_AGE_FREE];
};

enum fcn_host_address_state {
	FCN_HOST_ADDRESS_DOWN,      /**< its port is */
	FCN_HOST_ADDRESS_TENTATIVE, /**< being checked */
	FCN_HOST_ADDRESS_USABLE,
	FCN_HOST_ADDRESS_DUPLICATE, /**< another has it; checked again later */
};

/** An address of ours. */
struct fcn_own_address {
	struct fcn_host_timer timer;
	struct fcn_host_address is;
	bool link_local;
	uint8_t state; /**< enum fcn_host_address_state */
	uint8_t tries; /**< probes sent; announcements when usable */
	bool defended;
	uint64_t defended_ns;
	bool listening;       /**< its groups are listened to, and were reported */
	uint8_t reports_left; /**< times that this is still to be reported */
};

#define FCN_HOST_MLD_ROBUSTNESS 2 /**< times that a change is reported (RFC 3810 section 9.1) */
#define FCN_HOST_MLD_LEAVING 16   /**< groups of a port that are reported as left once more */

/** Reports of the multicast groups of a port. */
struct fcn_host_mld {
	struct fcn_host_timer change; /**< changes are reported again */
	struct fcn_host_timer answer; /**< a query is answered */
	bool all;                     /**< the answer is about all groups, */
	uint8_t group[16];            /**< or about this one */
	bool answered;
	uint64_t answered_ns; /**< when the last query was answered */
	uint64_t v1_until_ns; /**< a querier speaks version 1: so long, reports are of version 1 */
	uint8_t n_leaving;
	uint8_t leaving[FCN_HOST_MLD_LEAVING][16];
};

/** Router advertisements of a port. */
struct fcn_host_advert {
	struct fcn_host_timer timer;
	bool on;
	bool sent;        /**< there is somebody to tell when it ends */
	uint8_t initial;  /**< advertisements sent, up to MAX_INITIAL_RTR_ADVERTISEMENTS */
	uint64_t last_ns; /**< when the last one was sent */
};

/** A sender that does not understand Fast CNP. */
struct fcn_host_incapable {
	TAILQ_ENTRY(fcn_host_incapable) by_time; /**< longest silent first; or free */
	struct fcn_host_incapable *hash_next;
	uint8_t addr[16];
	bool used;
	uint64_t learned_ns;
	uint64_t answers;
};

TAILQ_HEAD(fcn_host_incapable_list, fcn_host_incapable);

#define FCN_HOST_SENDER_BUCKETS 4096

struct fcn_host_senders {
	struct fcn_host_timer timer; /**< when the first of them is forgotten */
	struct fcn_host_incapable all[FCN_HOST_MAX_SENDERS];
	struct fcn_host_incapable *bucket[FCN_HOST_SENDER_BUCKETS];
	struct fcn_host_incapable_list by_time, free;
};

/** Token bucket: when it is full again. */
struct fcn_host_bucket {
	uint64_t full_ns;
};

struct fcn_host {
	struct rte_mempool *pool;
	struct fcn_host_env env;
	uint64_t random;
	uint32_t hash_seed;
	struct fcn_host_conf conf; /**< its addresses are in `address` */
	struct fcn_own_address *address;
	uint32_t n_addresses;
	struct fcn_neighbours neighbours;
	/* Packets that wait, by ingress port. Places beyond wait_used were never used. */
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

/** Free a packet, and count why. */
static inline void
fcn_host_discard(struct fcn_host *h, struct rte_mbuf *m, enum fcn_host_counter c)
{
	h->counters[c]++;
	rte_pktmbuf_free(m);
}

/** Addresses as the codecs read them. */
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

/** The port may be talked on. */
static inline bool
fcn_host_port_up(const struct fcn_host *h, uint16_t port)
{
	return port < FCN_MAX_PORTS && h->conf.port[port].routed && h->conf.port[port].up;
}

/* fcn_host.c */

/** 64 bits by chance. */
uint64_t fcn_host_random(struct fcn_host *h);
/** An even chance for each nanosecond from lo to hi, both included. */
uint64_t fcn_host_random_between(struct fcn_host *h, uint64_t lo, uint64_t hi);
/** Whether a token is there; it is taken. */
bool fcn_host_take(struct fcn_host_bucket *bucket, const struct fcn_host_rate *rate, uint64_t now);
void fcn_host_log(struct fcn_host *h, uint64_t now, const char *format, ...)
		__attribute__((format(printf, 3, 4)));

/* fcn_host_address.c */

/** Our address of this port in any state, NULL. */
struct fcn_own_address *fcn_host_address_find(
		struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
/** Whether the address is ours in any state, on any port. */
bool fcn_host_address_is_ours(const struct fcn_host *h, const struct fcn_addr *addr);
/** Whether a neighbour on the port can have this address: link-local or of a prefix of the port,
 * one station's and none of ours. */
bool fcn_host_on_link(const struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
/** Source of a question about a neighbour. @return NULL: none is usable */
const struct fcn_addr *fcn_host_address_asking(
		const struct fcn_host *h, uint16_t port, const struct fcn_addr *target);
/** Source of an answer to dst about what came in by port. @return NULL: none is usable */
const struct fcn_addr *fcn_host_address_answering(
		const struct fcn_host *h, uint16_t port, const struct fcn_addr *dst);
/** Usable link-local address of a port, NULL. */
const struct fcn_addr *fcn_host_address_link_local(const struct fcn_host *h, uint16_t port);
/** Another station has, or claims, an address of ours. */
void fcn_host_address_conflict(struct fcn_host *h, struct fcn_own_address *a,
		const struct rte_ether_addr *mac, uint64_t now);
/** Addresses of a configuration, nothing known of them yet. @return NULL: no memory */
struct fcn_own_address *fcn_host_addresses_plan(const struct fcn_host_conf *conf, uint32_t *n);
/** They take the place of those before, and what was known stays. */
void fcn_host_addresses_install(struct fcn_host *h, struct fcn_own_address *fresh, uint32_t n,
		const struct fcn_host_conf *before, uint64_t now);
void fcn_host_address_expire(struct fcn_host *h, struct fcn_own_address *a, uint64_t now);

/* fcn_host_neighbour.c */

/** Memory for a table. @return 0, -ENOMEM */
int fcn_neighbours_init(struct fcn_neighbours *t, uint32_t max);
/** Divide the table between so many ports. @param most of one part; 0: no further limit */
void fcn_neighbours_divide(struct fcn_neighbours *t, unsigned int n_ports, uint32_t most);
/** Make a fresh table empty, at the place where it stays: heads of lists do not move. */
void fcn_neighbours_link(struct fcn_neighbours *t);
void fcn_neighbours_fini(struct fcn_neighbours *t);
struct fcn_neighbour *fcn_neighbour_find(
		struct fcn_host *h, uint16_t port, const struct fcn_addr *addr);
/**
 * Begin to ask for a neighbour that is not in the table.
 *
 * @param who port whose packet wants it, or FCN_HOST_SELF
 * @return NULL: no room in that port's part of the table, or it asks for too many
 */
struct fcn_neighbour *fcn_neighbour_ask(struct fcn_host *h, uint16_t port,
		const struct fcn_addr *addr, uint16_t who, uint64_t now);
/** A neighbour asked us something, and said its MAC address (RFC 4861 7.2.3). */
void fcn_neighbour_heard(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac, uint64_t now);
/** A neighbour was advertised (RFC 4861 7.2.5). @param mac NULL: not said */
void fcn_neighbour_advertised(struct fcn_host *h, uint16_t port, const struct fcn_addr *addr,
		const struct rte_ether_addr *mac, bool solicited, bool override, uint64_t now);
void fcn_neighbour_expire(struct fcn_host *h, struct fcn_neighbour *n, uint64_t now);
/** Forget those that do not fit the configuration in force. */
void fcn_neighbours_review(struct fcn_host *h);
/** Whether its MAC address can be used. */
bool fcn_neighbour_resolved(const struct fcn_neighbour *n);

/* fcn_host_wait.c */

void fcn_host_wait_init(struct fcn_host *h);
/** A packet on its way out; where it is found to have to wait. */
struct fcn_host_packet {
	struct rte_mbuf *mbuf;
	uint16_t l3_off;
	uint16_t in_port;
	uint8_t class;
	bool own;
	bool left; /**< a worker left it to the host functions, and hears what becomes of it */
};
/** Have a packet wait; the oldest of its port gives way. */
void fcn_host_wait_add(
		struct fcn_host *h, struct fcn_neighbour *n, const struct fcn_host_packet *p);
/** The MAC address is known: send what waits for it. */
void fcn_host_wait_send(struct fcn_host *h, struct fcn_neighbour *n);
/** Drop what waits. @param answer the neighbour did not answer: the senders are told */
void fcn_host_wait_drop(struct fcn_host *h, struct fcn_neighbour *n, bool answer, uint64_t now);
/** Drop a packet on its way out: count it here, and by its reason where it came in. */
void fcn_host_drop(struct fcn_host *h, const struct fcn_host_packet *p, enum fcn_host_counter c,
		enum fcn_drop_reason why);

/* fcn_host_output.c */

/** A new packet with room for an Ethernet header in front. @return NULL: counted */
struct rte_mbuf *fcn_host_alloc(struct fcn_host *h);
/** Bytes behind the Ethernet header of a packet of fcn_host_alloc(), and how many there are. */
uint8_t *fcn_host_room(struct rte_mbuf *m, uint32_t *room);
/** Give the packet so many bytes behind the Ethernet header, put that in front, and send it. */
void fcn_host_send_link(struct fcn_host *h, struct rte_mbuf *m, uint32_t len, uint16_t port,
		const struct rte_ether_addr *dst, uint16_t ether_type);
/** Put the Ethernet header before a packet, count its hop limit down unless it is our own, and
 * send it. Takes the mbuf. */
void fcn_host_transmit(struct fcn_host *h, const struct fcn_host_packet *p, uint16_t port,
		const struct rte_ether_addr *dst);
/** Send an IP packet of ours, the Ethernet header's room in front, len bytes behind it. */
void fcn_host_send_own(struct fcn_host *h, struct rte_mbuf *m, uint16_t in_port,
		const struct fcn_addr *dst, uint64_t now);
/** The same, to a neighbour on this port. */
void fcn_host_send_via(struct fcn_host *h, struct rte_mbuf *m, uint16_t port,
		const struct fcn_addr *neighbour, uint64_t now);
/** Forward a packet whose next hop was unknown. */
void fcn_host_forward(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now);
/** The outermost IP header, checked: 0 or its packet's length. */
uint32_t fcn_host_ip_len(const struct rte_mbuf *m, uint16_t l3_off, uint8_t *version);
/** Destination of a packet that fcn_host_ip_len() found good. */
struct fcn_addr fcn_host_ip_dst(const struct rte_mbuf *m, uint16_t l3_off);
/** Cut a packet to so many bytes. */
void fcn_host_trim(struct rte_mbuf *m, uint32_t len);

/* fcn_host_error.c */

/** Answer a packet by an error, when that is due; the packet stays the caller's. */
void fcn_host_error(struct fcn_host *h, const struct rte_mbuf *m, uint16_t l3_off, uint16_t in_port,
		enum fcn_host_error error, uint32_t param, uint64_t now);

/* fcn_host_upper.c */

enum fcn_host_upper_result {
	FCN_HOST_UPPER_NONE,  /**< cut short, a fragment, or to be dropped without a word */
	FCN_HOST_UPPER_FOUND, /**< nh_off, proto, off; off may be the end of the packet */
	FCN_HOST_UPPER_ERROR, /**< error, about what stands at off */
};

/** Where the extension headers of a packet to the switch lead. */
struct fcn_host_upper {
	enum fcn_host_upper_result result;
	enum fcn_host_error error;
	uint32_t nh_off; /**< field that says proto */
	uint32_t off;
	uint8_t proto;
};

/** Work off the extension headers of an IPv6 packet as their addressee (RFC 8200 section 4).
 *
 * @param known1,known2 option types that are known, beside those that may be skipped
 */
void fcn_host_find_upper(const uint8_t *ip, uint32_t len, uint8_t known1, uint8_t known2,
		struct fcn_host_upper *up);

/* fcn_host_arp.c, fcn_host_nd.c, fcn_host_local.c: packets received, taken in any case */

void fcn_host_arp_receive(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now);
void fcn_host_local_receive(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now);
/** The IPv6 packet at ip is Neighbour Discovery; the mbuf stays the caller's. */
void fcn_host_nd_receive(struct fcn_host *h, const struct fcn_punt *punt, const uint8_t *ip,
		uint32_t len, uint64_t now);

/* fcn_host_kernel.c */

/** Whether the kernel takes what the host functions do not answer. */
static inline bool
fcn_host_has_kernel(const struct fcn_host *h, uint16_t port)
{
	return fcn_host_port_up(h, port) && h->conf.port[port].kernel;
}
/** Show the kernel a packet, if it has an interface there; it stays the caller's. */
void fcn_host_show_kernel(struct fcn_host *h, const struct fcn_punt *punt);
/** A frame of a control protocol, taken: no host function knows it. */
void fcn_host_control_receive(struct fcn_host *h, const struct fcn_punt *punt);
/** Whether an address is ours: a link-local one on its own port alone. */
bool fcn_host_is_to_us(struct fcn_host *h, uint16_t in_port, const struct fcn_addr *dst);

/* Questions and announcements, by version of the address */

/** Ask who has an address. @param mac of whom is thought to, NULL: all */
void fcn_host_solicit(struct fcn_host *h, uint16_t port, const struct fcn_addr *target,
		const struct rte_ether_addr *mac);
/** Ask whether anybody else has an address that we are about to use. */
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

/** Begin or end, after the configuration changed. */
void fcn_host_adverts_review(struct fcn_host *h, const struct fcn_host_conf *before, uint64_t now);
/** Say goodbye on ports that the new configuration no longer has advertised. */
void fcn_host_adverts_end(struct fcn_host *h, const struct fcn_host_conf *after);
/** Prefixes of a port changed. */
void fcn_host_advert_changed(struct fcn_host *h, uint16_t port, uint64_t now);
/** A router solicitation came. */
void fcn_host_advert_asked(struct fcn_host *h, uint16_t port, uint64_t now);
void fcn_host_advert_expire(struct fcn_host *h, struct fcn_host_advert *a, uint64_t now);

/* fcn_host_mld.c */

/** An address is about to be checked or used: report its groups, unless that was done. */
void fcn_host_mld_join(struct fcn_host *h, struct fcn_own_address *a, uint64_t now);
/** An address is gone, and those in force do not contain it: report the groups that nobody on its
 * port listens to any more. */
void fcn_host_mld_leave(struct fcn_host *h, const struct fcn_own_address *a, uint64_t now);
/** The port has a usable link-local address now: report all groups again from it (RFC 3590). */
void fcn_host_mld_repeat(struct fcn_host *h, uint16_t port, uint64_t now);
/** Leave the groups of ports that the new configuration has no reports for. */
void fcn_host_mld_end(struct fcn_host *h, const struct fcn_host_conf *after, uint64_t now);
/** Begin to report, when the configuration now wants it. */
void fcn_host_mld_review(struct fcn_host *h, const struct fcn_host_conf *before, uint64_t now);
/** The IPv6 packet at ip is a query. */
void fcn_host_mld_receive(
		struct fcn_host *h, uint16_t port, const uint8_t *ip, uint32_t len, uint64_t now);
void fcn_host_mld_change_expire(struct fcn_host *h, struct fcn_host_mld *mld, uint64_t now);
void fcn_host_mld_answer_expire(struct fcn_host *h, struct fcn_host_mld *mld, uint64_t now);

/* fcn_host_sender.c */

void fcn_host_senders_init(struct fcn_host *h);
/** A sender answered a notice of ours by a Parameter Problem. */
void fcn_host_sender_learn(struct fcn_host *h, const uint8_t addr[16], uint64_t now);
void fcn_host_senders_expire(struct fcn_host *h, uint64_t now);
/** The time to remember may have changed. */
void fcn_host_senders_review(struct fcn_host *h);

#endif /* FCN_HOST_STATE_H */
