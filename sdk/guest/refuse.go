package guest

import (
	"strconv"

	"shoal/sdk/diag"
)

// bail carries a refusal up to Admit.
type bail struct{ refusal *diag.Refusal }

// noOffset is for refusals that are about the module as a whole.
const noOffset = -1

func refuse(code string, at int, why string, details ...diag.Detail) bail {
	if at != noOffset {
		why += " at offset " + strconv.Itoa(at)
		details = append([]diag.Detail{{Key: "offset", Value: strconv.Itoa(at)}}, details...)
	}
	return bail{diag.New(code, why, details...)}
}

// malformed: the bytes are not in the binary format.
func malformed(at int, why string) bail { return refuse("program/malformed", at, why) }

// invalid: the bytes are in the format, but break a validation rule.
func invalid(at int, why string) bail { return refuse("program/invalid", at, why) }

// tooLarge: a count or size is above a limit of this package.
func tooLarge(at int, what string, got, limit uint64) bail {
	return refuse("program/too-large", at,
		what+": "+strconv.FormatUint(got, 10)+", the limit is "+strconv.FormatUint(limit, 10), limitDetails(what, got, limit)...)
}

// tooComplex: one function is beyond what the pass or an engine's stack takes.
func tooComplex(at int, what string, got, limit uint64) bail {
	return refuse("program/too-complex", at,
		what+": "+strconv.FormatUint(got, 10)+", the limit is "+strconv.FormatUint(limit, 10), limitDetails(what, got, limit)...)
}

func limitDetails(what string, got, limit uint64) []diag.Detail {
	return []diag.Detail{
		{Key: "limit", Value: what},
		{Key: "got", Value: strconv.FormatUint(got, 10)},
		{Key: "max", Value: strconv.FormatUint(limit, 10)},
	}
}

// unsupported: a feature that core 2.0 does not have, or that we leave out.
func unsupported(at int, feature, opcode string) bail {
	why := feature
	details := []diag.Detail{{Key: "feature", Value: feature}}
	if opcode != "" {
		why += " (" + opcode + ")"
		details = append(details, diag.Detail{Key: "opcode", Value: opcode})
	}
	return refuse("program/unsupported", at, why, details...)
}

func hex(b uint32) string {
	s := strconv.FormatUint(uint64(b), 16)
	if len(s) == 1 {
		s = "0" + s
	}
	return "0x" + s
}

func itoa(n int) string { return strconv.Itoa(n) }

func utoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
