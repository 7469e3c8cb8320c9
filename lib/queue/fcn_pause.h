/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Priority flow control (IEEE 802.1Qbb) and PAUSE (IEEE 802.3x) of one port, in both directions. A
 * class is the priority with the same number. The worker that owns the port makes all calls; times
 * are in nanoseconds.
 *
 * Receiving: a frame of the other end stops the transmission of the classes that it names (PFC:
 * IEEE 802.1Q clause 36; PAUSE: IEEE 802.3 annex 31B). Each class is stopped until a time of its
 * own, which the newest frame sets. A watchdog protects against pause storms: when a class with
 * packets has been paused for `detect_ns` without interruption, its pauses are ignored until no
 * pause has arrived for `restore_ns`. The switch then obeys what remains of the last pause, and
 * counts it as a pause that begins at that time. No storm begins when the last pause is older than
 * `restore_ns`. When one pause begins in the nanosecond in which another ends, the class counts as
 * paused without interruption.
 *
 * Halting: a switch further downstream asks to halt a class for some time (precise flow control in
 * mode priority, draft-hu-rtgwg-rocev2-fcn section 4.1.2). These times are kept apart from pauses:
 * neither ends the other, and they have a watchdog of their own: a class that has been halted for
 * `detect_ns` without interruption resumes, and halts of it are ignored until none has arrived for
 * `restore_ns`. A halt that begins in the nanosecond in which another ends does not interrupt it.
 *
 * Sending: the switch asks the sender behind this port to pause a class. A frame contains the state
 * of all classes. It is repeated after half the pause time while any class is to pause.
 */

#ifndef FCN_PAUSE_H
#define FCN_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_counter.h"

#define FCN_PAUSE_CLASSES 8
#define FCN_PAUSE_NEVER UINT64_MAX

/** What the watchdog does with the packets of a class in a pause storm. */
enum fcn_storm_action {
	FCN_STORM_OFF,     /**< there is no watchdog */
	FCN_STORM_DROP,    /**< queued and arriving packets are dropped */
	FCN_STORM_FORWARD, /**< packets are sent in spite of the pause */
};

/** Parameters of flow control. They are part of the configuration, and workers only read them. */
struct fcn_pause_conf {
	uint8_t rx_classes; /**< bit set of the classes that a received PFC frame stops */
	bool link;          /**< a received PAUSE frame stops every class but `exempt` */
	/** bit set of the classes that no pause stops (the class of the notices) */
	uint8_t exempt;
	uint8_t tx_classes; /**< bit set of the classes for which PFC frames are sent */
	/** speed of the link in bits per second, which gives a quantum its time */
	uint64_t link_bps;
	/** pause time in frames sent, in units of 512 bit times, host byte order */
	uint16_t quanta;
	uint64_t refresh_ns; /**< half of that pause time */
	enum fcn_storm_action action;
	uint64_t detect_ns;  /**< uninterrupted pause after which a storm begins */
	uint64_t restore_ns; /**< time without a pause after which a storm ends */
};

/** Limits of halts. */
struct fcn_halt_conf {
	uint64_t max_ns;     /**< longest time of one halt */
	uint64_t detect_ns;  /**< time halted without interruption that is a storm; 0: none is */
	uint64_t restore_ns; /**< time without halts after which a storm ends */
};

/* In `show pfc`, by class: pauses that the other end has requested. */
#define FCN_PAUSE_RECEIVED_COUNTERS(X)                                                   \
	X(rx_pause_ns, "rx_pause_ns", SECONDS, "pfc_paused",                             \
			"Time for which pauses from the link partner stopped the class") \
	X(rx_xoff, "rx_xoff", COUNTER, "pfc_received_xoff",                              \
			"Frames received that pause the class")                          \
	X(rx_xon, "rx_xon", COUNTER, "pfc_received_xon",                                 \
			"Frames received that end the pause of the class")               \
	X(rx_ignored, "rx_ignored", COUNTER, "pfc_ignored",                              \
			"Pauses received for the class and ignored, because it does "    \
			"not obey frames of this kind: set pfc, receive")                \
	X(rx_ignored_storm, "rx_ignored_storm", COUNTER, "pfc_ignored_storm",            \
			"Pauses received for the class and ignored, because it is in a " \
			"pause storm; they count as received, too")                      \
	X(storms, "storms", COUNTER, "pfc_storms", "Pause storms of the class")

/* In `show pfc`, by class: pauses that were requested from the other end. */
#define FCN_PAUSE_SENT_COUNTERS(X)                                                      \
	X(tx_pause_ns, "tx_pause_ns", SECONDS, "pfc_pausing",                           \
			"Time for which the link partner was asked to pause the class") \
	X(tx_xoff, "tx_xoff", COUNTER, "pfc_sent_xoff",                                 \
			"Frames sent that ask the link partner to pause the class")     \
	X(tx_xon, "tx_xon", COUNTER, "pfc_sent_xon", "Frames sent that end the pause of the class")

/**
 * Counters of one class; fcn_counter.h describes the form of the lists. Frames are counted with
 * their repetitions, and 802.3x PAUSE frames received count for every class. The times include
 * pause storms. In struct fcn_pause, a time is complete up to the last change only;
 * fcn_pause_read() completes it up to now.
 */
struct fcn_pause_class_stats {
	FCN_PAUSE_RECEIVED_COUNTERS(FCN_COUNTER_MEMBER)
	FCN_PAUSE_SENT_COUNTERS(FCN_COUNTER_MEMBER)
};

/** State of flow control of a port. */
struct fcn_pause {
	/* pauses received */
	uint8_t stopped;                   /**< bit set of classes whose `until` lies ahead */
	uint8_t storm;                     /**< bit set of classes in a storm: pauses are ignored */
	uint64_t until[FCN_PAUSE_CLASSES]; /**< time at which the pause of a class ends */
	uint64_t since[FCN_PAUSE_CLASSES]; /**< beginning of the uninterrupted pause */
	uint64_t counted[FCN_PAUSE_CLASSES]; /**< time up to which rx_pause_ns is complete */
	uint64_t last_rx[FCN_PAUSE_CLASSES]; /**< time of the last frame that stops the class */
	/* halts */
	uint8_t halted;                         /**< bit set of classes whose halt lies ahead */
	uint8_t halt_watched;                   /**< those whose halt ends by the watchdog */
	uint64_t halt_until[FCN_PAUSE_CLASSES]; /**< time at which the halt of a class ends */
	/** beginning of the halt, and before it of halts in total: see halt_time.h */
	uint64_t halt_since[FCN_PAUSE_CLASSES];
	uint64_t halt_last[FCN_PAUSE_CLASSES]; /**< time of the newest request to halt it */
	/* pauses sent */
	uint8_t xoff;      /**< bit set of classes whose sender is to pause */
	uint8_t sent_xoff; /**< bit set of classes that the last frame sent stops */
	uint8_t pending;   /**< bit set of classes for which a frame has to be sent now */
	/** time at which the last frame is to be repeated, or FCN_PAUSE_NEVER */
	uint64_t refresh_at;
	uint64_t xoff_since[FCN_PAUSE_CLASSES]; /**< time up to which tx_pause_ns is complete */
	struct fcn_pause_class_stats stats[FCN_PAUSE_CLASSES];
};

/** Initialise the state: no pause in either direction, and all counters 0. */
void fcn_pause_reset(struct fcn_pause *p);

/**
 * Process a MAC Control frame that has arrived. Each class in it is stopped until now + quanta *
 * 512 bit times, rounded up, or released at once when quanta is 0.
 *
 * @param link       the frame is an 802.3x PAUSE
 * @param priorities bit set of the classes in the frame
 * @param quanta     pause time of each class in the frame, in units of 512 bit times, host byte
 *                   order
 * @param now        time of arrival. It may be a little earlier than that of other calls if another
 *                   worker has received the frame.
 */
void fcn_pause_receive(struct fcn_pause *p, const struct fcn_pause_conf *conf, bool link,
		uint8_t priorities, const uint16_t quanta[FCN_PAUSE_CLASSES], uint64_t now);

/** Result of fcn_pause_halt(). */
enum fcn_halt_result {
	FCN_HALT_OBEYED, /**< the class is halted, or resumes */
	FCN_HALT_EXEMPT, /**< ignored: the class is one of conf->exempt */
	FCN_HALT_STORM,  /**< ignored: the class was halted for too long without interruption */
};

/**
 * Halt a class for some time from now on, or let it resume. The newest call counts.
 *
 * @param limits of halts
 * @param ns     time; 0: it resumes at once
 */
enum fcn_halt_result fcn_pause_halt(struct fcn_pause *p, const struct fcn_pause_conf *conf,
		const struct fcn_halt_conf *limits, unsigned int class, uint64_t ns, uint64_t now);

/**
 * Get the bit set of classes in a storm of halts: a halt that came now would be ignored.
 *
 * @param restore_ns as in struct fcn_halt_conf
 */
uint8_t fcn_pause_halt_storms(const struct fcn_pause *p, uint64_t restore_ns, uint64_t now);

/** Let all halted classes resume, and forget storms of halts. */
void fcn_pause_halt_none(struct fcn_pause *p, uint64_t now);

/** Result of fcn_pause_update(). */
struct fcn_pause_update {
	uint8_t held; /**< bit set of classes that must not be sent now, including those dropped */
	uint8_t dropped;  /**< bit set of classes in a storm whose packets are to be dropped */
	uint8_t began;    /**< bit set of classes whose storm began with this call */
	uint8_t restored; /**< bit set of classes whose storm ended with this call */
};

/**
 * Update the state to the time `now`: pauses and halts end, storms begin and end. This need not be
 * called while fcn_pause_is_idle().
 *
 * @param backlog bit set of classes that have packets
 */
struct fcn_pause_update fcn_pause_update(struct fcn_pause *p, const struct fcn_pause_conf *conf,
		uint8_t backlog, uint64_t now);

/** Check whether no class is stopped or halted and none is in a storm, so that fcn_pause_update()
 * would find nothing. */
static inline bool
fcn_pause_is_idle(const struct fcn_pause *p)
{
	return (p->stopped | p->storm | p->halted) == 0;
}

/**
 * Set whether the sender of a class is to pause. This has no effect for a class that is not in
 * conf->tx_classes. The next frame carries the new state to the other end. If the state is set back
 * before a frame was sent, no frame is sent.
 */
void fcn_pause_set_xoff(struct fcn_pause *p, const struct fcn_pause_conf *conf, unsigned int class,
		bool xoff);

/** Check whether a frame has to be sent now. */
static inline bool
fcn_pause_is_due(const struct fcn_pause *p, uint64_t now)
{
	return p->pending != 0 || p->refresh_at <= now;
}

/**
 * Get the contents of the PFC frame that is sent now, and record that it is sent. This is to be
 * called once for each frame sent.
 *
 * @param quanta result: pause time of each class in units of 512 bit times, host byte order; 0
 *               releases a class, and stands for the classes that are not in the frame
 * @return bit set of the classes in the frame
 */
uint8_t fcn_pause_fill_frame(struct fcn_pause *p, const struct fcn_pause_conf *conf,
		uint16_t quanta[FCN_PAUSE_CLASSES], uint64_t now);

/**
 * Get the earliest time at which anything changes without a further frame or packet: a pause or
 * halt ends, a storm begins or ends, or a frame has to be sent. FCN_PAUSE_NEVER if nothing does.
 *
 * @param backlog bit set of classes that have packets
 */
uint64_t fcn_pause_next(const struct fcn_pause *p, const struct fcn_pause_conf *conf,
		uint8_t backlog, uint64_t now);

/**
 * Adapt the state to a new configuration. Pauses end for the classes that no received frame stops
 * any more. A class that has left conf->tx_classes, and whose sender is paused, becomes pending, so
 * that the next frame releases the sender. If there is no watchdog any more, storms end. Other
 * pauses keep their times.
 */
void fcn_pause_reconfigure(struct fcn_pause *p, const struct fcn_pause_conf *conf, uint64_t now);

/** Read the counters, with times that are complete up to now. */
void fcn_pause_read(struct fcn_pause *p, uint64_t now,
		struct fcn_pause_class_stats stats[FCN_PAUSE_CLASSES]);

/** Set the counters to zero. Pauses go on. */
void fcn_pause_clear_stats(struct fcn_pause *p, uint64_t now);

#endif /* FCN_PAUSE_H */
