package guest

import "strings"

// relaxedNames are the opcodes 0xfd 0x100 and on.
var relaxedNames = strings.Fields(`i8x16.relaxed_swizzle
i32x4.relaxed_trunc_f32x4_s i32x4.relaxed_trunc_f32x4_u
i32x4.relaxed_trunc_f64x2_s_zero i32x4.relaxed_trunc_f64x2_u_zero
f32x4.relaxed_madd f32x4.relaxed_nmadd f64x2.relaxed_madd f64x2.relaxed_nmadd
i8x16.relaxed_laneselect i16x8.relaxed_laneselect i32x4.relaxed_laneselect i64x2.relaxed_laneselect
f32x4.relaxed_min f32x4.relaxed_max f64x2.relaxed_min f64x2.relaxed_max
i16x8.relaxed_q15mulr_s i16x8.relaxed_dot_i8x16_i7x16_s i32x4.relaxed_dot_i8x16_i7x16_add_s`)

// atomicWidths are the seven widths in which each atomic access exists.
var atomicWidths = [...]string{"i32", "i64", "i32.8", "i32.16", "i64.8", "i64.16", "i64.32"}

var atomicRMW = [...]string{"add", "sub", "and", "or", "xor", "xchg", "cmpxchg"}

// atomicName names an opcode behind 0xfe.
func atomicName(sub uint32) string {
	switch {
	case sub == 0:
		return "memory.atomic.notify"
	case sub == 1:
		return "memory.atomic.wait32"
	case sub == 2:
		return "memory.atomic.wait64"
	case sub == 3:
		return "atomic.fence"
	case sub >= 0x10 && sub < 0x17:
		return atomicAccess("load", atomicWidths[sub-0x10], "_u")
	case sub >= 0x17 && sub < 0x1e:
		return atomicAccess("store", atomicWidths[sub-0x17], "")
	case sub >= 0x1e && sub < 0x4f:
		i := sub - 0x1e
		base, bits, narrow := strings.Cut(atomicWidths[i%7], ".")
		name := base + ".atomic.rmw" + bits + "." + atomicRMW[i/7]
		if narrow {
			name += "_u"
		}
		return name
	default:
		return "0xfe " + hex(sub)
	}
}

func atomicAccess(what, width, suffix string) string {
	base, bits, narrow := strings.Cut(width, ".")
	name := base + ".atomic." + what + bits
	if narrow {
		name += suffix
	}
	return name
}

// laterOps are one-byte opcodes of proposals that core 2.0 does not have.
var laterOps = map[byte][2]string{
	0x06: {"exception handling", "try"},
	0x07: {"exception handling", "catch"},
	0x08: {"exception handling", "throw"},
	0x09: {"exception handling", "rethrow"},
	0x0a: {"exception handling", "throw_ref"},
	0x12: {"tail calls", "return_call"},
	0x13: {"tail calls", "return_call_indirect"},
	0x14: {"typed function references", "call_ref"},
	0x15: {"typed function references", "return_call_ref"},
	0x18: {"exception handling", "delegate"},
	0x19: {"exception handling", "catch_all"},
	0x1f: {"exception handling", "try_table"},
	0xd3: {"garbage collection", "ref.eq"},
	0xd4: {"typed function references", "ref.as_non_null"},
	0xd5: {"typed function references", "br_on_null"},
	0xd6: {"typed function references", "br_on_non_null"},
	0xfb: {"garbage collection", "0xfb"},
}
