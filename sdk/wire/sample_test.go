package wire

import "shoal/sdk/id"

// The declarations of this file hold everything that a declaration can hold.

// Shade is an enum.
//
//wire:enum
type Shade uint8

// The shades.
const (
	ShadeLight Shade = iota + 1 // of a cloud
	ShadeDark
	// ShadeDeepBlue is of the sea.
	ShadeDeepBlue
)

// Level is a named integer without names for its values.
type Level uint16

// Tag is a named text.
type Tag string

const manyWords = 1 << 3

// Plain has one field of each type.
//
//wire:ts
type Plain struct {
	Byte   uint8   `cbor:"byte"`
	Short  uint16  `cbor:"short"`
	Word   uint32  `cbor:"word"`
	Long   uint64  `cbor:"long"`
	Huge   uint64  `cbor:"huge,big"`
	Tiny   int8    `cbor:"tiny"`
	Small  int16   `cbor:"small"`
	Middle int32   `cbor:"middle"`
	Signed int64   `cbor:"signed"`
	Wide   int64   `cbor:"wide,big"`
	Yes    bool    `cbor:"yes"`
	Text   string  `cbor:"text"`
	Bytes  []byte  `cbor:"bytes,max=300"`
	JobID  id.Job  `cbor:"jobId"`
	Nonce  Nonce   `cbor:"nonce"`
	Real   F64     `cbor:"real"`
	Shade  Shade   `cbor:"shade"`
	Level  Level   `cbor:"l"`
	Tag    Tag     `cbor:"tag,max=12"`
	Inner  Inner   `cbor:"inner"`
	Shape  Shape   `cbor:"shape"`
	Shapes []Shape `cbor:"shapes,max=3"`
}

// Inner is a struct inside others.
type Inner struct {
	A uint64 `cbor:"a"`
}

// Lists has arrays of each kind.
//
//wire:ts
type Lists struct {
	Numbers []uint32   `cbor:"numbers,max=100"`
	Ints    []int64    `cbor:"ints,big"`
	Flags   []bool     `cbor:"flags,max=4"`
	Words   []string   `cbor:"words,max=manyWords,each=5"`
	Blobs   [][]byte   `cbor:"blobs,max=2,each=24"`
	Jobs    []id.Job   `cbor:"jobs,max=2"`
	Reals   []F64      `cbor:"reals,max=30"`
	Shades  []Shade    `cbor:"shades,max=4"`
	Inners  []Inner    `cbor:"inners,max=3"`
	Nested  [][]uint64 `cbor:"nested,max=3,each=2"`
}

// Optional has one optional field of each type.
//
//wire:ts
type Optional struct {
	Byte  uint8    `cbor:"byte,omitempty"`
	Huge  uint64   `cbor:"huge,omitempty,big"`
	Wide  int64    `cbor:"wide,omitempty"`
	Yes   bool     `cbor:"yes,omitempty"`
	Text  string   `cbor:"text,omitempty,max=100"`
	Bytes []byte   `cbor:"bytes,omitempty,max=100"`
	Job   id.Job   `cbor:"job,omitempty"`
	Real  F64      `cbor:"real,omitempty"`
	Shade Shade    `cbor:"shade,omitempty"`
	Words []string `cbor:"words,omitempty,max=3,each=5"`
	Inner *Inner   `cbor:"inner,omitempty"`
	Shape Shape    `cbor:"shape,omitempty"`
	Must  bool     `cbor:"must"`
}

// Twin has optional fields whose keys follow it in Pair, and may not be taken
// from there.
type Twin struct {
	Left  uint64 `cbor:"left,omitempty"`
	Right uint64 `cbor:"right,omitempty"`
}

// Pair ends a Twin where a key of Twin follows.
//
//wire:ts
type Pair struct {
	One   Twin   `cbor:"one"`
	Right uint64 `cbor:"right"`
}

// Shape is a union.
//
//wire:union
//wire:ts
type Shape interface{ isShape() }

// Dot is the case without fields.
//
//wire:case Shape 1
type Dot struct{}

// Line is a case, of two unions.
//
//wire:case Shape 2
//wire:case Path 300
type Line struct {
	From F64 `cbor:"from"`
	To   F64 `cbor:"to,omitempty"`
}

// Blob is a case.
//
//wire:case Shape 24
type Blob struct {
	Bytes []byte `cbor:"bytes,omitempty,max=40"`
}

// Path is a union of one case with a long number.
//
//wire:union
//wire:ts
type Path interface{ isPath() }

// Parcel has the shape of a manifest whose bytes and digest are known from an
// independent encoder.
//
//wire:ts
type Parcel struct {
	V       uint64      `cbor:"v"`
	Program id.Program  `cbor:"program"`
	Split   ParcelSplit `cbor:"split"`
	Reduce  string      `cbor:"reduce"`
	Policy  string      `cbor:"policy"`
	Seed    []byte      `cbor:"seed"`
}

// ParcelSplit is the split of a Parcel.
type ParcelSplit struct {
	Kind  string `cbor:"kind"`
	Items uint64 `cbor:"items"`
	Chunk uint64 `cbor:"chunk"`
}
