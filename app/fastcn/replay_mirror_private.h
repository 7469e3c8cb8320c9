/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What is in a mirror capture. The files replay_mirror*.c share it.
 */

#ifndef FCN_REPLAY_MIRROR_PRIVATE_H
#define FCN_REPLAY_MIRROR_PRIVATE_H

#include <rte_ether.h>
#include <rte_hash.h>

#include "replay_mirror.h"

#define MIRROR_STATIONS 4096u
#define MIRROR_ADDRESSES 65536u
#define MIRROR_INTERFACES 256u
#define MIRROR_RECENT 65536u
#define MIRROR_PORTS 250u                 /* most ports that are made */
#define MIRROR_RATE_NS UINT64_C(100000)   /* time over which rates are measured */
#define MIRROR_COPY_NS UINT64_C(10000000) /* a copy of a frame comes within this time */
#define MIRROR_VLANS 4096u
#define NOBODY UINT32_MAX

/* Bytes in consecutive spans of MIRROR_RATE_NS. */
struct mirror_rate {
	uint64_t begin, bytes, most;
};

/* A MAC address. */
struct mirror_station {
	struct rte_ether_addr mac;
	uint64_t sent, received;    /* frames in the capture */
	uint64_t own, reached;      /* frames that it sent itself; that are for it */
	uint64_t entered;           /* frames that entered the switch */
	struct mirror_rate out, in; /* what it sends, and what is for it */
	uint32_t n_addresses;
	uint8_t address[16]; /* first IP address it sent from */
	bool has_address;
	uint32_t interface; /* it is behind; NOBODY: not known */
	int port;           /* number; -1: none */
};

/* A station that packets from, or to, an IP address have. */
struct mirror_hop {
	uint32_t station;
	uint8_t ttl; /* from: highest; to: lowest */
	uint64_t n;
};

/* An IP address. */
struct mirror_address {
	struct mirror_hop from[2], to[2];
	uint32_t home; /* the station that has it; NOBODY: not known */
};

/* An interface of pcapng. Those of several files with the same name are one. */
struct mirror_interface {
	char name[64];
	uint32_t number;
	uint64_t bps;
	uint64_t in, out, unknown; /* frames by direction */
	uint64_t entered;
	struct mirror_rate rate;
	int port;
};

/* Frames by what became of them. */
struct mirror_counts {
	uint64_t frames;
	uint64_t entered[REPLAY_FRAME_KINDS];
	uint64_t outbound;  /* the file says that the switch sent them */
	uint64_t forwarded; /* a router's: the same packet entered elsewhere */
	uint64_t copies;    /* the same frame came shortly before */
	uint64_t other_interface;
	uint64_t no_port; /* from nobody that has a port */
	uint64_t rerouted, translated;
};

struct mirror_recent {
	uint64_t hash, stamp;
};

struct replay_mirror {
	const struct replay_mirror_options *opt;
	struct replay_flows *flows;
	const char *path[REPLAY_MIRROR_FILES]; /* of the files that are read */
	FILE *spool;                           /* what standard input had; NULL: it is not read */
	char spool_path[32];
	struct rte_hash *station_table, *address_table;
	struct mirror_station *station;
	struct mirror_address *address;
	struct mirror_interface interface[MIRROR_INTERFACES];
	uint32_t n_stations, n_addresses, n_interfaces;
	uint64_t last_stamp;
	struct mirror_recent *recent;
	uint64_t vlan[MIRROR_VLANS / 64]; /* VLAN IDs in the capture */
	uint8_t roce_classes;             /* by DSCP */
	uint64_t frames, copies;          /* the first time */
	uint64_t crowded;                 /* frames of stations there is no room for */
	bool by_interface, has_copies;
	bool made;         /* the configuration was made here */
	uint64_t link_bps; /* made: of all ports but those whose interface has a speed */
	const char *link_from;
	struct fcn_control *ctl;
	struct fcn_replay *replay;
	struct mirror_counts counts;
	struct fcn_replay_stats scan_stats;
};

/** Take a frame of the first time. */
void replay_mirror_scan(
		void *arg, const struct fcn_replay_frame *frame, struct fcn_replay_place *place);
/** Begin to read for the second time. @return 0; -1 after a message on stderr */
int replay_mirror_open(struct replay_mirror *m);
/** Conclude what the first time tells. */
void replay_mirror_conclude(struct replay_mirror *m);

/** Get the number of a station. @param add make it if it is not known. @return NOBODY: it is not
 * known, or there is no room */
uint32_t replay_mirror_station(struct replay_mirror *m, const uint8_t *mac, bool add);
/** Get an IP address. @return NULL: it is not known, or there is no room */
struct mirror_address *replay_mirror_address(
		struct replay_mirror *m, const uint8_t ip[16], bool add);
/** Get the number of an interface. @return NOBODY: there is none, or no room */
uint32_t replay_mirror_interface(struct replay_mirror *m, const struct fcn_replay_interface *i);
/** Tell whether frames of an interface are used. */
bool replay_mirror_selected(const struct replay_mirror *m, const struct fcn_replay_interface *i);
/** Tell whether a frame came shortly before, and note it. */
bool replay_mirror_is_copy(struct replay_mirror *m, const struct replay_frame *frame);
/** Tell whether the station of a frame has only forwarded it. */
bool replay_mirror_is_forwarded(const struct mirror_address *source, uint32_t station);
/** Write a MAC address. @return buf */
const char *replay_mirror_mac(const struct rte_ether_addr *mac, char buf[RTE_ETHER_ADDR_FMT_SIZE]);

#endif /* FCN_REPLAY_MIRROR_PRIVATE_H */
