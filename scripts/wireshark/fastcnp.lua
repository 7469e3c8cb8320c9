-- SPDX-License-Identifier: BSD-3-Clause
-- Copyright (c) 2026 The fastcn authors

-- Wireshark dissector of RoCEv2 Congestion Notification Packets and of Fast CNPs with both of their IPv6 options
-- (draft-xiao-rtgwg-rocev2-fast-cnp sections 3 and 4), also inside the tunnel to an END.CON SID
-- (draft-hu-rtgwg-rocev2-fcn section 4.2.2). Octets are those of doc/decisions.md.
--
--     tshark -X lua_script:scripts/wireshark/fastcnp.lua -r FILE
--
-- The option types are preferences, as IANA has not assigned them: -o fastcnp.option1:158 -o fastcnp.option2:159 -o fastcnp.trimmed:157

local HOP_BY_HOP, UDP, ROUTING, DESTINATION = 0, 17, 43, 60
local CNP_OPCODE, CNP_LENGTH = 0x81, 40

-- The packet: a dissector behind all others, as the one of InfiniBand leaves CNPs undissected.
local cnp = Proto("cnp", "RoCEv2 Congestion Notification Packet")
local c = {
	kind = ProtoField.string("cnp.kind", "Kind"),
	p_key = ProtoField.uint16("cnp.p_key", "P_Key", base.HEX),
	fecn = ProtoField.bool("cnp.fecn", "FECN", 8, nil, 0x80),
	becn = ProtoField.bool("cnp.becn", "BECN", 8, nil, 0x40),
	qp = ProtoField.uint24("cnp.destqp", "Destination queue pair", base.HEX),
	psn = ProtoField.uint24("cnp.psn", "Packet sequence number"),
	reserved = ProtoField.bytes("cnp.reserved", "Reserved"),
	icrc = ProtoField.uint32("cnp.icrc", "Invariant CRC, first octet on the wire in front", base.HEX),
	reading = ProtoField.string("cnp.icrc.reading", "Invariant CRC is right if extension headers are read as"),
}
cnp.fields = c
local cnp_short = ProtoExpert.new("cnp.length", "A CNP has a UDP length of 40", expert.group.MALFORMED, expert.severity.ERROR)
local cnp_reserved = ProtoExpert.new("cnp.reserved.set", "Reserved octets are not 0", expert.group.PROTOCOL, expert.severity.WARN)
local cnp_becn = ProtoExpert.new("cnp.becn.clear", "BECN is not set", expert.group.PROTOCOL, expert.severity.WARN)
local cnp_icrc = ProtoExpert.new("cnp.icrc.bad", "Invariant CRC is wrong", expert.group.CHECKSUM, expert.severity.ERROR)
cnp.experts = {cnp_short, cnp_reserved, cnp_becn, cnp_icrc}

-- The option, and the IOAM trace in option 2.
local fast = Proto("fastcnp", "Fast CNP option")
fast.prefs.option1 = Pref.uint("Type of option 1", 0x9E, "Option type of the receiver's address alone")
fast.prefs.option2 = Pref.uint("Type of option 2", 0x9F, "Option type of an IOAM trace and the receiver's address")
fast.prefs.trimmed = Pref.uint("Type of the Trimmed Packet option", 0x9D, "Option type of what a notice says of a packet that was trimmed")
local f = {
	number = ProtoField.uint8("fastcnp.option", "Option"),
	receiver = ProtoField.ipv6("fastcnp.receiver", "Receiver of the data packet"),
	sender = ProtoField.ipv6("fastcnp.sender", "Sender of the data packet"),
	switch = ProtoField.ipv6("fastcnp.switch", "Switch that sends the notice"),
	by_receiver = ProtoField.bool("fastcnp.by_receiver", "Sent by the receiver itself"),
	sid = ProtoField.ipv6("fastcnp.endcon.sid", "END.CON SID that the notice is sent to"),
	node = ProtoField.ipv6("fastcnp.endcon.node", "Node that wrapped the notice"),
	ioam_type = ProtoField.uint8("fastcnp.ioam.opt_type", "IOAM option type", base.DEC,
		{[0] = "pre-allocated trace", [1] = "incremental trace", [2] = "proof of transit", [3] = "edge to edge", [4] = "direct export"}),
	ns = ProtoField.uint16("fastcnp.ioam.ns", "Namespace"),
	nodelen = ProtoField.uint16("fastcnp.ioam.nodelen", "NodeLen", base.DEC, nil, 0xF800),
	flags = ProtoField.uint16("fastcnp.ioam.flags", "Flags", base.HEX, nil, 0x0780),
	remlen = ProtoField.uint16("fastcnp.ioam.remlen", "RemainingLen", base.DEC, nil, 0x007F),
	trace = ProtoField.uint24("fastcnp.ioam.type", "Trace-Type", base.HEX),
	hops = ProtoField.uint8("fastcnp.ioam.hops", "Nodes that have written"),
	free = ProtoField.bytes("fastcnp.ioam.free", "Free space"),
	hlim = ProtoField.uint8("fastcnp.ioam.node.hlim", "Hop limit"),
	id = ProtoField.uint24("fastcnp.ioam.node.id", "Node id", base.HEX),
	iif = ProtoField.uint16("fastcnp.ioam.node.iif", "Ingress interface"),
	eif = ProtoField.uint16("fastcnp.ioam.node.eif", "Egress interface"),
	tss = ProtoField.uint32("fastcnp.ioam.node.tss", "Timestamp, seconds"),
	tsf = ProtoField.uint32("fastcnp.ioam.node.tsf", "Timestamp, fraction"),
	delay = ProtoField.uint32("fastcnp.ioam.node.trdelay", "Transit delay (ns)"),
	data = ProtoField.uint32("fastcnp.ioam.node.nsdata", "Namespace data", base.HEX),
	depth = ProtoField.uint32("fastcnp.ioam.node.qdepth", "Queue depth"),
	sum = ProtoField.uint32("fastcnp.ioam.node.csum", "Checksum complement", base.HEX),
	hlim_wide = ProtoField.uint8("fastcnp.ioam.node.hlim_wide", "Hop limit"),
	id_wide = ProtoField.bytes("fastcnp.ioam.node.id_wide", "Node id, wide"),
	iif_wide = ProtoField.uint32("fastcnp.ioam.node.iif_wide", "Ingress interface, wide"),
	eif_wide = ProtoField.uint32("fastcnp.ioam.node.eif_wide", "Egress interface, wide"),
	data_wide = ProtoField.uint64("fastcnp.ioam.node.nsdata_wide", "Namespace data, wide", base.HEX),
	occupancy = ProtoField.uint32("fastcnp.ioam.node.bufoccup", "Buffer occupancy"),
	undefined = ProtoField.uint32("fastcnp.ioam.node.undefined", "Field without a definition", base.HEX),
	snapshot = ProtoField.bytes("fastcnp.ioam.node.snapshot", "Opaque state snapshot"),
	reason = ProtoField.uint8("fastcnp.trimmed.reason", "Reason", base.DEC, {[1] = "the queue had no room for the packet"}),
	level = ProtoField.uint8("fastcnp.trimmed.level", "Congestion level"),
	length = ProtoField.uint16("fastcnp.trimmed.length", "Length of the IP packet"),
	opcode = ProtoField.uint8("fastcnp.trimmed.opcode", "BTH opcode of the packet"),
	psn = ProtoField.uint24("fastcnp.trimmed.psn", "Packet sequence number of the packet"),
	label = ProtoField.uint24("fastcnp.trimmed.flow_label", "Flow label of the packet", base.HEX, nil, 0x0FFFFF),
}
fast.fields = f
local bad_length = ProtoExpert.new("fastcnp.length", "The option has a wrong length", expert.group.MALFORMED, expert.severity.ERROR)
local bad_trace = ProtoExpert.new("fastcnp.ioam.malformed", "Malformed IOAM trace", expert.group.MALFORMED, expert.severity.ERROR)
fast.experts = {bad_length, bad_trace}

local opcodes, option_types = Field.new("infiniband.bth.opcode"), Field.new("ipv6.opt.type")
local ipv6, ipv4 = Field.new("ipv6"), Field.new("ip")
local icmp, icmpv6 = Field.new("icmp.type"), Field.new("icmpv6.type")

-- CRC-32 of Ethernet without the final complement.
local crc_table = {}
for n = 0, 255 do
	local r = n
	for _ = 1, 8 do
		r = bit.band(r, 1) == 1 and bit.bxor(bit.rshift(r, 1), 0xEDB88320) or bit.rshift(r, 1)
	end
	crc_table[n] = r
end

local function crc32(register, octets)
	for i = 1, #octets do
		register = bit.bxor(bit.rshift(register, 8), crc_table[bit.band(bit.bxor(register, octets:byte(i)), 0xFF)])
	end
	return register
end

-- Octets of a packet in which some, counted from its beginning, are masked: they count as ones.
local function masked(octets, places)
	for _, i in ipairs(places) do
		octets = octets:sub(1, i) .. "\255" .. octets:sub(i + 2)
	end
	return octets
end

-- Which readings of the rule for extension headers give the ICRC of the packet, or nil if it is cut off.
local function readings(buf, packet)
	local udp_end = packet.udp + buf(packet.udp + 4, 2):uint()
	if udp_end < packet.udp + 24 or buf:len() < udp_end then return nil end
	local rest = masked(buf:raw(packet.udp, udp_end - 4 - packet.udp), {6, 7, 12})
	local wire = bit.tobit(buf(udp_end - 4, 4):le_uint())
	local seed = crc32(0xFFFFFFFF, ("\255"):rep(8))
	local function right(head)
		return bit.bnot(crc32(crc32(seed, head), rest)) == wire
	end
	if packet.version == 4 then
		return right(masked(buf:raw(packet.at, packet.udp - packet.at), {1, 8, 10, 11})) and {"IPv4"} or {}
	end
	local base_header = masked(buf:raw(packet.at, 40), {1, 2, 3, 7})
	base_header = string.char(bit.bor(base_header:byte(1), 0x0F)) .. base_header:sub(2)
	if packet.udp == packet.at + 40 then return right(base_header) and {"none present"} or {} end
	local found = {}
	local norm = base_header:sub(1, 4) .. buf:raw(packet.udp + 4, 2) .. "\17" .. base_header:sub(8)
	if right(base_header) then found[#found + 1] = "skip" end
	if right(base_header .. buf:raw(packet.at + 40, packet.udp - packet.at - 40)) then found[#found + 1] = "cover" end
	if right(norm) then found[#found + 1] = "norm" end
	return found
end

-- Walk from an IPv6 header. Returns the protocol behind its extension headers, and the offset of that; nil if it is cut off.
local function upper(buf, at)
	if buf:len() < at + 40 then return nil end
	local proto, next_at = buf(at + 6, 1):uint(), at + 40
	while proto == HOP_BY_HOP or proto == ROUTING or proto == DESTINATION do
		if buf:len() < next_at + 8 then return nil end
		proto, next_at = buf(next_at, 1):uint(), next_at + 8 * (buf(next_at + 1, 1):uint() + 1)
	end
	return proto, next_at
end

-- The IP header to which the UDP header at an offset belongs: its version, its offset, that of UDP, and the IPv6 header around it.
local function packet_of(buf, udp)
	local headers = {ipv6()}
	for i, info in ipairs(headers) do
		local proto, at = upper(buf, info.offset)
		if proto == UDP and at == udp then return {version = 6, at = info.offset, udp = udp, outer = headers[i - 1]} end
	end
	for _, info in ipairs({ipv4()}) do
		if udp == info.offset + 20 and buf(info.offset, 1):uint() == 0x45 then
			return {version = 4, at = info.offset, udp = udp}
		end
	end
	return nil
end

-- The IPv6 header in whose extension headers an offset is, and the IPv6 header around it, if it is a tunnel.
local function header_around(buf, at)
	local found, outer
	for _, info in ipairs({ipv6()}) do
		local _, last = upper(buf, info.offset)
		if info.offset + 40 < at and (last == nil or at < last) then found = info.offset end
	end
	for _, info in ipairs({ipv6()}) do
		local proto, last = upper(buf, info.offset)
		if proto == 41 and last == found then outer = info.offset end
	end
	return found, outer
end

-- Fields of a node, in the order of the bits of the trace type: words, and what they hold.
local node_fields = {
	{0x800000, 1, {{f.hlim, 0, 1}, {f.id, 1, 3}}}, {0x400000, 1, {{f.iif, 0, 2}, {f.eif, 2, 2}}},
	{0x200000, 1, {{f.tss, 0, 4}}}, {0x100000, 1, {{f.tsf, 0, 4}}}, {0x080000, 1, {{f.delay, 0, 4}}},
	{0x040000, 1, {{f.data, 0, 4}}}, {0x020000, 1, {{f.depth, 0, 4}}}, {0x010000, 1, {{f.sum, 0, 4}}},
	{0x008000, 2, {{f.hlim_wide, 0, 1}, {f.id_wide, 1, 7}}}, {0x004000, 2, {{f.iif_wide, 0, 4}, {f.eif_wide, 4, 4}}},
	{0x002000, 2, {{f.data_wide, 0, 8}}}, {0x001000, 1, {{f.occupancy, 0, 4}}},
}
for n = 12, 21 do
	node_fields[#node_fields + 1] = {bit.lshift(1, 23 - n), 1, {{f.undefined, 0, 4}}}
end
local OPAQUE = 0x000002

-- Add what the nodes have written to a trace, newest first. Returns whether it is well-formed.
local function add_nodes(buf, kind, tree)
	local word, what = buf(2, 2):uint(), buf(4, 3):uint()
	local node_len, free = bit.rshift(word, 11), kind == 0 and 4 * bit.band(word, 0x7F) or 0
	local expected, at, hops = 0, 8 + free, 0
	for _, field in ipairs(node_fields) do
		if bit.band(what, field[1]) ~= 0 then expected = expected + field[2] end
	end
	if node_len == 0 or node_len ~= expected or at > buf:len() then return false end
	if free > 0 then tree:add(f.free, buf(8, free)) end
	while at < buf:len() do
		local length = 4 * node_len
		local snapshot = 0
		if bit.band(what, OPAQUE) ~= 0 and at + length + 4 <= buf:len() then
			snapshot = 4 + 4 * buf(at + length, 1):uint()
		end
		if at + length + snapshot > buf:len() or (bit.band(what, OPAQUE) ~= 0 and snapshot == 0) then return false end
		hops = hops + 1
		local node, place = tree:add(fast, buf(at, length + snapshot), "Node " .. hops), at
		for _, field in ipairs(node_fields) do
			if bit.band(what, field[1]) ~= 0 then
				for _, part in ipairs(field[3]) do node:add(part[1], buf(place + part[2], part[3])) end
				place = place + 4 * field[2]
			end
		end
		if snapshot > 0 then node:add(f.snapshot, buf(place, snapshot)) end
		at = at + length + snapshot
	end
	tree:add(f.hops, hops):set_generated()
	return true
end

local function add_trace(buf, kind, root)
	local tree = root:add(fast, buf(), "IOAM trace")
	if buf:len() < 8 then
		tree:add_proto_expert_info(bad_trace)
		return
	end
	tree:add(f.ns, buf(0, 2))
	tree:add(f.nodelen, buf(2, 2))
	tree:add(f.flags, buf(2, 2))
	tree:add(f.remlen, buf(2, 2))
	tree:add(f.trace, buf(4, 3))
	if kind > 1 or buf:len() % 4 ~= 0 or not add_nodes(buf, kind, tree) then tree:add_proto_expert_info(bad_trace) end
end

-- Which of the two options one is, by its type, and by its length if both have one type.
local function number_of(kind, len)
	local one, two = kind == fast.prefs.option1, kind == fast.prefs.option2
	if one and two then return len == 16 and 1 or 2 end
	return one and 1 or two and 2 or nil
end

-- What a notice says of a packet for which a queue had no room.
local TRIMMED_LENGTH = 12
local function add_trimmed(buf, root)
	local tree = root:add(fast, buf, "Trimmed Packet option")
	tree:add(f.reason, buf(2, 1))
	tree:add(f.level, buf(3, 1))
	tree:add(f.length, buf(4, 2))
	tree:add(f.opcode, buf(6, 1))
	tree:add(f.psn, buf(7, 3))
	tree:add(f.label, buf(11, 3))
end

function fast.dissector(buf, pinfo, root)
	for _, info in ipairs({option_types()}) do
		local at = info.offset
		local len = buf:len() >= at + 2 and buf(at + 1, 1):uint() or 0
		local number = number_of(info.value, len)
		if number == nil and info.value == fast.prefs.trimmed and len == TRIMMED_LENGTH and buf:len() >= at + 2 + len then
			add_trimmed(buf(at, 2 + len), root)
		end
		if number ~= nil then
			local whole = buf:len() >= at + 2 + len
			local tree = root:add(fast, buf(at, math.min(2 + len, buf:len() - at)), "Fast CNP option " .. number)
			tree:add(f.number, number):set_generated()
			local header, outer = header_around(buf, at)
			if not whole or (number == 1 and len ~= 16) or (number == 2 and (len < 26 or len % 4 ~= 2)) then
				tree:add_proto_expert_info(bad_length)
			else
				if number == 2 then
					tree:add(f.ioam_type, buf(at + 3, 1))
					add_trace(buf(at + 4, len - 18):tvb(), buf(at + 3, 1):uint(), tree)
				end
				tree:add(f.receiver, buf(at + len - 14, 16))
				if header ~= nil then
					tree:add(f.by_receiver, buf:raw(header + 8, 16) == buf:raw(at + len - 14, 16)):set_generated()
				end
			end
			if header ~= nil then
				tree:add(f.switch, buf(header + 8, 16))
				tree:add(f.sender, buf(header + 24, 16))
			end
			if outer ~= nil then
				tree:add(f.node, buf(outer + 8, 16))
				tree:add(f.sid, buf(outer + 24, 16))
			end
		end
	end
end

-- What kind of CNP a packet is: the number of its option, or nil.
local function option_of(buf, packet)
	for _, info in ipairs({option_types()}) do
		if packet.version == 6 and info.offset > packet.at and info.offset + 2 <= packet.udp then
			local number = number_of(info.value, buf(info.offset + 1, 1):uint())
			if number ~= nil then return number end
		end
	end
	return nil
end

function cnp.dissector(buf, pinfo, root)
	for _, info in ipairs({opcodes()}) do
		local at = info.offset
		local packet = info.value == CNP_OPCODE and at >= 8 and buf:len() >= at + 12 and packet_of(buf, at - 8)
		if packet then
			local length = buf(at - 4, 2):uint()
			local tree = root:add(cnp, buf(at, math.max(12, math.min(length - 8, buf:len() - at))))
			local number = option_of(buf, packet)
			local kind = number and "Fast CNP, option " .. number or "CNP"
			if number and packet.outer and icmpv6() == nil then kind = kind .. ", in a tunnel" end
			tree:add(c.kind, kind):set_generated()
			tree:add(c.p_key, buf(at + 2, 2))
			tree:add(c.fecn, buf(at + 4, 1))
			tree:add(c.becn, buf(at + 4, 1))
			tree:add(c.qp, buf(at + 5, 3))
			tree:add(c.psn, buf(at + 9, 3))
			if bit.band(buf(at + 4, 1):uint(), 0x40) == 0 then tree:add_proto_expert_info(cnp_becn) end
			if length ~= CNP_LENGTH then
				tree:add_proto_expert_info(cnp_short)
			elseif buf:len() >= at + 32 then
				local reserved = tree:add(c.reserved, buf(at + 12, 16))
				if buf:raw(at + 12, 16) ~= ("\0"):rep(16) then reserved:add_proto_expert_info(cnp_reserved) end
				tree:add(c.icrc, buf(at + 28, 4))
				local right = readings(buf, packet)
				if right ~= nil and #right == 0 then
					tree:add_proto_expert_info(cnp_icrc)
				elseif right ~= nil then
					tree:add(c.reading, table.concat(right, " or ")):set_generated()
				end
			end
			if icmp() == nil and icmpv6() == nil then
				pinfo.cols.protocol = number and "Fast CNP" or "CNP"
				pinfo.cols.info = string.format("%s, destination queue pair 0x%06x", kind, buf(at + 5, 3):uint())
			end
		end
	end
end

register_postdissector(fast)
register_postdissector(cnp)
