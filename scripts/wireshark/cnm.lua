-- SPDX-License-Identifier: BSD-3-Clause
-- Copyright (c) 2026 The fastcn authors

-- Wireshark dissector of Congestion Notification Messages, and of the Proxy Network Node Address option of IPv6
-- (draft-xiao-rtgwg-proxy-congestion-notification sections 4 and 5.2). Octets are those of doc/proxy.md.
--
--     tshark -X lua_script:scripts/wireshark/cnm.lua -r FILE
--
-- The UDP port and the option type are preferences, as IANA has not assigned them: -o cnm.port:1021 -o proxyopt.type:30

local cnm = Proto("cnm", "Congestion Notification Message")
cnm.prefs.port = Pref.uint("UDP port", 1021, "UDP port of the messages")

local ROCE_PORT = 4791
local f = {
	version = ProtoField.uint8("cnm.version", "IP version of the flow", base.DEC, nil, 0xF0),
	level = ProtoField.uint8("cnm.level", "Congestion level", base.DEC, nil, 0x0E),
	proto = ProtoField.uint8("cnm.flow.proto", "Protocol"),
	sport = ProtoField.uint16("cnm.flow.srcport", "Source port"),
	dport = ProtoField.uint16("cnm.flow.dstport", "Destination port"),
	src4 = ProtoField.ipv4("cnm.flow.src4", "Source"),
	dst4 = ProtoField.ipv4("cnm.flow.dst4", "Destination"),
	src6 = ProtoField.ipv6("cnm.flow.src6", "Source"),
	dst6 = ProtoField.ipv6("cnm.flow.dst6", "Destination"),
	quote = ProtoField.bytes("cnm.quote", "Invoking packet"),
	p_key = ProtoField.uint16("cnm.quote.p_key", "P_Key of the invoking packet", base.HEX),
	qp = ProtoField.uint24("cnm.quote.qp", "Destination queue pair of the invoking packet", base.HEX),
}
cnm.fields = f
local malformed = ProtoExpert.new("cnm.malformed", "Malformed message", expert.group.MALFORMED, expert.severity.ERROR)
local other = ProtoExpert.new("cnm.other_flow", "The quoted packet is not of this flow", expert.group.PROTOCOL, expert.severity.ERROR)
cnm.experts = {malformed, other}

-- Find the upper layer of a quoted packet. Returns its protocol and offset, or nil if the quote ends before.
local function upper(buf)
	if bit.rshift(buf(0, 1):uint(), 4) == 4 then
		return buf(9, 1):uint(), 4 * bit.band(buf(0, 1):uint(), 0x0F)
	end
	local proto, at = buf(6, 1):uint(), 40
	while proto == 0 or proto == 43 or proto == 60 do
		if buf:len() < at + 8 then return nil end
		proto, at = buf(at, 1):uint(), at + 8 * (buf(at + 1, 1):uint() + 1)
	end
	return proto, at
end

-- Compare a quoted packet with the flow in front of it, and show what a proxy takes from it.
local function quote(buf, flow, tree)
	local v = bit.rshift(buf(0, 1):uint(), 4)
	local len, src = 20, 12
	if v == 6 then len, src = 40, 8 end
	if v ~= flow.version or buf:len() < len or buf(src, flow.addresses:len()):bytes() ~= flow.addresses:bytes() then
		tree:add_proto_expert_info(other)
		return
	end
	local proto, at = upper(buf)
	if proto == nil or buf:len() < at + 4 then return end
	if proto ~= flow.proto or ((proto == 17 or proto == 6) and buf(at, 4):bytes() ~= flow.ports:bytes()) then
		tree:add_proto_expert_info(other)
	elseif proto == 17 and buf(at + 2, 2):uint() == ROCE_PORT and buf:len() >= at + 20 then
		tree:add(f.p_key, buf(at + 10, 2))
		tree:add(f.qp, buf(at + 13, 3))
	end
end

function cnm.dissector(buf, pinfo, root)
	if buf:len() < 1 then return 0 end
	local tree = root:add(cnm, buf())
	local version = bit.rshift(buf(0, 1):uint(), 4)
	local width = version == 4 and 4 or version == 6 and 16 or nil
	pinfo.cols.protocol = "CNM"
	tree:add(f.version, buf(0, 1))
	tree:add(f.level, buf(0, 1))
	if width == nil or buf:len() < 8 + 2 * width or bit.band(buf(0, 1):uint(), 1) ~= 0 or buf(2, 2):uint() ~= 0 then
		tree:add_proto_expert_info(malformed)
		return buf:len()
	end
	pinfo.cols.info = string.format("congestion level %d", bit.band(bit.rshift(buf(0, 1):uint(), 1), 7))
	tree:add(f.proto, buf(1, 1))
	tree:add(f.sport, buf(4, 2))
	tree:add(f.dport, buf(6, 2))
	tree:add(version == 4 and f.src4 or f.src6, buf(8, width))
	tree:add(version == 4 and f.dst4 or f.dst6, buf(8 + width, width))
	local at = 8 + 2 * width
	if buf:len() > at then
		tree:add(f.quote, buf(at))
		quote(buf(at):tvb(), {version = version, proto = buf(1, 1):uint(), ports = buf(4, 4), addresses = buf(8, 2 * width)}, tree)
	end
	return buf:len()
end

local ports = DissectorTable.get("udp.port")
local current = 0
function cnm.prefs_changed()
	if current ~= 0 then ports:remove(current, cnm) end
	current = cnm.prefs.port
	if current ~= 0 then ports:add(current, cnm) end
end
current = cnm.prefs.port
ports:add(current, cnm)

-- The option: a dissector behind all others, as Wireshark has no table of option types.
local option = Proto("proxyopt", "Proxy Network Node Address option")
option.prefs.type = Pref.uint("Option type", 0x1E, "Option type of the address of a proxy")
local address = ProtoField.ipv6("proxyopt.address", "Address of the proxy")
option.fields = {address}
local length = ProtoExpert.new("proxyopt.length", "The length is not 16", expert.group.MALFORMED, expert.severity.ERROR)
option.experts = {length}
local option_types = Field.new("ipv6.opt.type")

function option.dissector(buf, pinfo, root)
	for _, info in ipairs({option_types()}) do
		local at = info.offset
		if info.value == option.prefs.type and buf:len() >= at + 2 then
			local len = buf(at + 1, 1):uint()
			local tree = root:add(option, buf(at, math.min(2 + len, buf:len() - at)))
			if len == 16 and buf:len() >= at + 18 then
				tree:add(address, buf(at + 2, 16))
			else
				tree:add_proto_expert_info(length)
			end
		end
	end
end

register_postdissector(option)
