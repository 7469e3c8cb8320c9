/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Class queues of a port and its flow control in the configuration: parts of struct
 * fcn_config_port.
 */

#ifndef FCN_CONFIG_QUEUE_H
#define FCN_CONFIG_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_buffer.h"
#include "fcn_config_parts.h"
#include "fcn_detector.h"
#include "fcn_pause.h"
#include "fcn_queue.h"

/** Resolution of the thresholds of the detector `rate`, as a ratio of the queue's rate. */
#define FCN_RATE_STEP (FCN_RATIO_ONE / 1000)

/**
 * Parameters of a congestion detector. Each says which types use it, and the default that
 * fcn_build_detector() computes for FCN_AUTO or FCN_AUTO64. "The queue's rate" is the lowest of the
 * link's speed, the port's shaper and the peak rate of the class.
 */
struct fcn_config_detector {
	enum fcn_detector_type type;
	bool at_dequeue; /**< step, red: packets are chosen when they leave the queue, not on
			    arrival */
	/** step, red (Kmin): bytes at which congestion begins; AUTO: 32 us of the queue's rate, at
	 * least one frame, and at most an eighth of what the queue can hold */
	uint32_t enter;
	/** red: bytes from which on all packets are chosen; AUTO: 128 us of the queue's rate, at
	 * most half of what the queue can hold, and at least four times enter, or twice if that is
	 * configured */
	uint32_t kmax;
	uint64_t pmax; /**< red: probability just below kmax, as a ratio */
	/** step, red, qcn: bytes below which congestion ends; AUTO: half of enter, for qcn of qeq
	 */
	uint32_t leave;
	/** qcn: equilibrium in bytes (Q_EQ of IEEE 802.1Qau); AUTO: 4 us of the queue's rate, at
	 * least 26 KB, and at most an eighth of what the queue can hold */
	uint32_t qeq;
	uint32_t weight; /**< qcn: weight of the queue's growth */
	uint32_t sample; /**< qcn: bytes between two samples */
	/** sojourn: waiting time at which congestion may begin; AUTO64: 20 us, at least the time of
	 * a frame */
	uint64_t target_ns;
	uint64_t leave_ns; /**< sojourn: waiting time below which it ends; AUTO64: half of target_ns
			    */
	/** sojourn: how long waiting times have to be at or above the target; AUTO64: 100 us, at
	 * least five frames. rate: length of a window; AUTO64: 10 us, at least the time of a frame
	 */
	uint64_t interval_ns;
	/** rate: arrivals at which congestion begins, as a ratio of the queue's rate; a multiple of
	 * FCN_RATE_STEP */
	uint64_t threshold;
	uint64_t leave_ratio; /**< rate: arrivals below which it ends; AUTO64: 0.9 of threshold */
	/** how long the end of congestion has to last until it counts; AUTO64: 20 us for qcn, 0 for
	 * other types */
	uint64_t hold_ns;
};

/** Classes 6 and 7, and the class of the notices while notices are on, have strict priority. */
#define FCN_STRICT_AUTO (-1)

/**
 * Limits of the rates (bits per second) and bursts (bytes) of shapers. Ports of 400 Gbit/s exist;
 * ten times as much is taken for a typing error.
 */
#define FCN_SHAPER_MIN_BPS 1000
#define FCN_SHAPER_MAX_BPS 4000000000000
#define FCN_SHAPER_MAX_BURST 1000000000

/** A shaper of a class queue. */
struct fcn_config_shaper {
	uint64_t bps; /**< rate on the wire; 0: none */
	/** bytes that may be made up for after idling; AUTO: what the lateness of polls and waiting
	 * for frames of other classes cost */
	uint32_t burst;
};

/** What becomes of a packet for which a class queue has no room. */
enum fcn_trim_mode {
	FCN_TRIM_OFF,     /**< it is dropped */
	FCN_TRIM_FORWARD, /**< its headers go on to the receiver, in a class of their own */
	FCN_TRIM_RETURN,  /**< it is dropped, and its sender is told by a notice about it */
	FCN_TRIM_BOTH,
};

/** A class queue. */
struct fcn_config_queue {
	/** packets that would exceed this occupancy are dropped; AUTO: 320 us of the queue's rate,
	 * at least 1 MB and twice every configured threshold */
	uint32_t limit_bytes;
	/** maximum number of packets, likewise; AUTO: one for each 512 bytes of the limit */
	uint32_t limit_packets;
	uint16_t weight; /**< share among the classes that are not strict */
	int8_t strict;   /**< 1: strict priority; 0: not; FCN_STRICT_AUTO */
	struct fcn_queue_policy policy;
	struct fcn_config_shaper committed; /**< rate that it gets before others get more */
	struct fcn_config_shaper peak;      /**< rate that it never exceeds */
	uint32_t reserve; /**< bytes of the shared buffer, if there is one, that are its own */
	uint64_t alpha;   /**< limit of further bytes there, as a ratio of those that are free */
	struct fcn_config_detector detector;
	uint64_t arn_time_ns; /**< precise flow control: time for which traffic is halted */
	uint8_t trim;         /**< enum fcn_trim_mode, whose bits are forward and return */
	uint16_t trim_size;   /**< bytes of a trimmed packet, from its Ethernet header on */
};

/** Priority flow control (IEEE 802.1Qbb) of one class of a port. */
struct fcn_config_pfc_class {
	bool send;     /**< the sender behind the port is asked to pause: the class is lossless */
	bool receive;  /**< the class pauses when the other end asks for it */
	bool dynamic;  /**< the threshold is a part of the free shared buffer, else it is static */
	uint32_t xoff; /**< static: bytes at which the sender is to pause; AUTO: 32 us of the link,
			  at most an eighth of the shared buffer */
	/** static: bytes at or below which it may resume; AUTO: 3 KB below xoff, or half of xoff if
	 * xoff is at most 6 KB */
	uint32_t xon;
	uint64_t alpha;     /**< dynamic: threshold as a ratio of the free bytes */
	uint32_t xon_below; /**< dynamic: bytes below the threshold at which it may resume */
	uint32_t reserve; /**< bytes of the shared buffer that are its own; part of the threshold */
	/** bytes for packets that arrive after the sender was told to pause; AUTO: as many as it
	 * takes to lose none, see fcn_headroom() */
	uint32_t headroom;
};

/** Its effective values at a moment, for fcn_setting_show(). */
struct fcn_config_pfc_in_force {
	struct fcn_ingress_conf conf;
	uint64_t xoff, xon; /**< the thresholds in bytes, static or as they are at this moment */
};

/** Flow control of a port. */
struct fcn_config_pfc {
	struct fcn_config_pfc_class class[FCN_CLASSES];
	uint16_t quanta;   /**< pause time in frames sent, in quanta of 512 bit times */
	uint64_t delay_ns; /**< delay of the link in one direction */
	/** time from the packet that crosses xoff until the other end pauses, but for the delay of
	 * the link; AUTO64: 60 quanta, and what switches in software need */
	uint64_t react_ns;
	bool link_pause;              /**< the port pauses when an IEEE 802.3x PAUSE asks for it */
	bool hardware;                /**< the device is to pause and ask for pauses, too */
	enum fcn_storm_action action; /**< of the watchdog against pause storms */
	uint64_t detect_ns;           /**< uninterrupted pause after which a storm begins */
	uint64_t restore_ns;          /**< time without a pause after which a storm ends */
};

#endif /* FCN_CONFIG_QUEUE_H */
