package rng

import "testing"

// Known answers published with the Random123 library.
func TestPhiloxGivesTheAuthorsKnownAnswers(t *testing.T) {
	const f = 0xffffffff
	tests := []struct {
		name    string
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{"zeros", [4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{"ones", [4]uint32{f, f, f, f}, [2]uint32{f, f}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{
			"pi",
			[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			[2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Philox4x32(tt.counter, tt.key); got != tt.want {
				t.Errorf("Philox4x32(%08x, %08x) = %08x, want %08x", tt.counter, tt.key, got, tt.want)
			}
		})
	}
}
