/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Fast CNP: a CNP from the congested switch to the sender. One IPv6 Destination Option carries the
 * receiver's address (option 1), or the IOAM trace of the data packet followed by that address
 * (option 2) (draft-xiao-rtgwg-rocev2-fast-cnp section 4).
 */

#ifndef FCN_FASTCNP_H
#define FCN_FASTCNP_H

#include <stdbool.h>
#include <stdint.h>

#include <fcn_compat.h>

#include "fcn_cnp.h"
#include "fcn_icrc.h"
#include "fcn_ioam.h"
#include "fcn_parse.h"
#include "fcn_wire_error.h"

#define FCN_FASTCNP_OPT1_LEN 104 /**< IPv6 packet with option 1: 40 + 24 + 40 bytes */
/** the same with a Trimmed Packet option behind it: 40 + 40 + 40 bytes */
#define FCN_FASTCNP_TRIMMED_LEN 120
/** node data words that fit into option 2: 26 + 4 * 57 = 254 bytes */
#define FCN_FASTCNP_MAX_TRACE_WORDS 57
/** extension header with option 2 and the header of a trace, without its node data */
#define FCN_FASTCNP_OPT2_FIXED_LEN 32
#define FCN_FASTCNP_IMAGE_LEN 96 /**< bytes that the ICRC covers without extension headers */
#define FCN_FASTCNP_SHORT_LEN 64 /**< the part of them that begins at the destination address */
#define FCN_FASTCNP_MAX_LEN 344  /**< longest IPv6 packet with option 2: 40 + 264 + 40 bytes */

/** Fields that are the same in all Fast CNPs of a switch. */
struct fcn_fastcnp_conf {
	uint8_t source[16]; /**< IPv6 source: the switch's loopback */
	uint8_t opt1_type;  /**< Option Type of option 1 (TBD1) */
	uint8_t opt2_type;  /**< Option Type of option 2 (TBD2) */
	uint8_t dscp;       /**< 0..63; the ECN field is Not-ECT */
	uint8_t hop_limit;
	enum fcn_icrc_mode icrc_mode;
};

/** Packet images prepared once from a struct fcn_fastcnp_conf, and only read afterwards. */
struct fcn_fastcnp_template {
	struct fcn_fastcnp_conf conf;
	uint8_t packet[FCN_FASTCNP_OPT1_LEN]; /**< option 1 packet with the variable fields zero */
	/**
	 * The bytes that the ICRC covers without extension headers, from the IP header on, padded
	 * with zeros to a multiple of 16 bytes.
	 */
	uint8_t masked[FCN_FASTCNP_IMAGE_LEN];
	/**
	 * The part of these bytes from the destination address on, after four octets of ones and
	 * eight of zero.
	 */
	uint8_t short_image[FCN_FASTCNP_SHORT_LEN];
	/**
	 * CRC register before the destination address, indexed by the length of the extension
	 * header / 8, in little-endian order.
	 */
	uint32_t prefix_crc[(FCN_FASTCNP_MAX_LEN - 80) / 8 + 1];
	/**
	 * ICRC of a notice whose variable fields are all zero, indexed likewise, and the factors of
	 * these fields, see fcn_crc_fold.h: of the sender's address, and of the first 16 octets of
	 * UDP and BTH.
	 */
	uint32_t zero_crc[(FCN_FASTCNP_MAX_LEN - 80) / 8 + 1];
	uint64_t sender_factor[2];
	uint64_t l4_factor[2];
	/** bits of the vectors by which the ICRC is computed from these: 512 if four may be
	 * computed at once, 128, or 0: it is not */
	uint16_t folds;
	uint32_t checksum_base; /**< one's complement sum of the constant bytes that the UDP
				   checksum covers */
	struct fcn_crc32 crc;
};

/**
 * One Fast CNP to build: the variable fields, and the buffer for it. buf needs FCN_FASTCNP_OPT1_LEN
 * bytes of room for option 1 and up to FCN_FASTCNP_MAX_LEN for option 2. Nothing behind the packet
 * is written.
 */
struct fcn_fastcnp_request {
	const uint8_t *sender;   /**< 16 bytes: source address of the data packet */
	const uint8_t *receiver; /**< 16 bytes: (last) destination address of the data packet */
	const uint8_t *trace;    /**< IOAM trace option header and data, or NULL for option 1 */
	uint8_t *buf;            /**< where the IPv6 header goes */
	uint32_t dest_qp;        /**< destination queue pair of the data packet, host byte order */
	uint16_t src_port;       /**< UDP source port of the data packet, host byte order */
	uint16_t p_key;          /**< host byte order */
	uint16_t trace_len;      /**< bytes at trace: 8 + 4 * words, at most MAX_TRACE_WORDS */
	uint8_t trace_type; /**< IOAM Opt-Type of trace: FCN_IOAM_PREALLOC_TRACE or _INCR_TRACE */
	/** Trimmed Packet option to follow option 1, as fcn_trimmed_option_write() writes it; the
	 * notice has no trace then. NULL: none */
	const uint8_t *trimmed;
	uint16_t len; /**< result: bytes written at buf */
};

/** Fields of a Fast CNP that was parsed. */
struct fcn_fastcnp {
	/** fields that a plain CNP also has; src is the switch that sent the notice */
	struct fcn_cnp cnp;
	uint8_t option;       /**< 1 or 2 */
	uint8_t receiver[16]; /**< receiver of the data packet */
	uint8_t trace_type;   /**< option 2: IOAM Opt-Type */
	const uint8_t *trace; /**< option 2: trace header and data, inside the frame */
	uint16_t trace_len;   /**< option 2: bytes at trace */
};

/**
 * Check whether an option type can be used for a Fast CNP option. draft-xiao-rtgwg-rocev2-fast-cnp
 * section 4 requires its two high bits to be 10 (a node that does not know the option drops the
 * packet and reports that) and the third to be 0 (the option data does not change en route).
 */
static inline bool
fcn_fastcnp_type_is_valid(unsigned int type)
{
	return type <= UINT8_MAX && (type & 0xE0) == 0x80;
}

/** Get the length of a Fast CNP with option 2, from its IPv6 header on. @param trace_len as in
 * struct fcn_fastcnp_request */
static inline uint16_t
fcn_fastcnp_opt2_len(uint16_t trace_len)
{
	return 80 +
	       RTE_ALIGN_CEIL(FCN_FASTCNP_OPT2_FIXED_LEN - FCN_IOAM_TRACE_HDR_LEN + trace_len, 8);
}

/** Check whether an IOAM trace fits option 2. @param trace_len bytes of its header and data */
static inline bool
fcn_fastcnp_trace_fits(uint16_t trace_len)
{
	return trace_len >= FCN_IOAM_TRACE_HDR_LEN &&
	       trace_len <= FCN_IOAM_TRACE_HDR_LEN + 4 * FCN_FASTCNP_MAX_TRACE_WORDS &&
	       trace_len % 4 == 0;
}

/**
 * Make a template. It allocates: call it in the control thread, not in a worker.
 *
 * @return 0; -EINVAL: an option type that Fast CNP cannot have; -ENOMEM: no CRC context
 */
int fcn_fastcnp_template_init(
		struct fcn_fastcnp_template *tmpl, const struct fcn_fastcnp_conf *conf);

/** Free what fcn_fastcnp_template_init() allocated. No worker may use the template any more. */
void fcn_fastcnp_template_fini(struct fcn_fastcnp_template *tmpl);

/**
 * Build a burst of Fast CNPs from the IPv6 header to the ICRC. It works in two passes, first all
 * images, then all ICRCs and checksums, so that the wide loads of the CRC do not stall on the
 * narrow stores just made.
 *
 * Option 1 is aligned to 8n+6 by a PadN of 4 bytes in front. A Trimmed Packet option is aligned to
 * 8n+2 by a PadN of 2 bytes between them. Option 2 is aligned to 4n by a PadN of
 * 2 bytes in front, and followed by a PadN of 4 bytes when the trace has an odd number of words. A
 * trace is left out when its length is not 8 + 4 * words or when it has more than
 * FCN_FASTCNP_MAX_TRACE_WORDS words. The request then yields option 1, which the caller recognises
 * by len == FCN_FASTCNP_OPT1_LEN; packets with option 2 are longer.
 *
 * Safe from any thread; the template is only read.
 */
void fcn_fastcnp_build_burst(const struct fcn_fastcnp_template *tmpl,
		struct fcn_fastcnp_request *req, unsigned int n);

/**
 * Read a Fast CNP from a frame that fcn_parse() has parsed, and validate it: it has exactly one of
 * the two options, anywhere in its header, with padding before or after it; UDP length 40; a valid
 * ICRC by the given convention; a UDP checksum that is present and valid. Other options are
 * skipped.
 *
 * With FCN_ICRC_ANY it accepts what any implementation may send: an ICRC by one of the conventions,
 * and no UDP checksum, as adapters send CNPs over IPv6, too. The ICRC covers what the checksum
 * does, and more.
 *
 * @param mode  how extension headers enter the ICRC
 * @param data  the whole frame, in contiguous memory
 * @param len   bytes at data
 * @param info  result of fcn_parse() on it
 * @param codes option types
 * @param out   undefined unless the result is FCN_WIRE_OK
 * @return FCN_WIRE_OK; info->error when fcn_parse() did not accept the frame as RoCEv2;
 *         FCN_WIRE_NOT_CNP, _OPTION_MISSING, _OPTION_DUPLICATE, _OPTION_LENGTH, _IOAM_*, _ICRC or
 *         _UDP_CHECKSUM
 */
enum fcn_wire_error fcn_fastcnp_parse(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode,
		const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		const struct fcn_parse_codes *codes, struct fcn_fastcnp *out);

#endif /* FCN_FASTCNP_H */
