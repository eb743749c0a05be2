package wire

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// entry is one message or union with its generated functions.
type entry struct {
	name   string
	ts     bool // TypeScript has a schema for it
	append func(b []byte, v any) []byte
	decode func(b []byte) (any, error)
	zeros  []any // the zero value, or that of each case
}

// all lists every codec, those of the samples first.
func all() []entry { return append(slices.Clone(samples), messages...) }

func find(t testing.TB, name string) entry {
	for _, c := range all() {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("no codec for %s", name)
	panic("unreachable")
}

// filler makes random values that have an encoding.
type filler struct {
	*rand.Rand
	safe bool // keep numbers that TypeScript reads as number within 53 bits
	rich bool // leave no optional field out
}

// fill sets v to a random value. limits are those of the field's tag.
func (f filler) fill(v reflect.Value, limits []int, big bool) {
	next := func(byDefault int) int {
		if len(limits) == 0 || limits[0] == 0 {
			return min(byDefault, 6)
		}
		return min(limits[0], 6)
	}
	rest := limits[min(1, len(limits)):]
	if r, ok := samplesEnums[v.Type().Name()]; ok {
		v.SetUint(r[0] + f.Uint64N(r[1]-r[0]+1))
		return
	}
	if r, ok := messagesEnums[v.Type().Name()]; ok {
		v.SetUint(r[0] + f.Uint64N(r[1]-r[0]+1))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n := f.Uint64() >> f.IntN(64)
		if f.safe && !big {
			n &= 1<<53 - 1
		}
		v.SetUint(n & (math.MaxUint64 >> (64 - v.Type().Bits())))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := int64(f.Uint64()) >> f.IntN(64)
		if f.safe && !big {
			n >>= 11
		}
		shift := 64 - v.Type().Bits()
		v.SetInt(n << shift >> shift)
	case reflect.Float64:
		v.SetFloat([]float64{0, math.Copysign(0, -1), 1.5, math.Inf(1), math.Inf(-1), 5e-324, f.NormFloat64()}[f.IntN(7)])
	case reflect.String:
		s := ""
		for most := f.IntN(next(MaxText) + 1); ; {
			r := []rune{'a', 'é', '\u0301', '\ufeff', '€', '😀', rune(f.IntN(0x80))}[f.IntN(7)]
			if len(s)+len(string(r)) > most {
				break
			}
			s += string(r)
		}
		v.SetString(s)
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(f.IntN(256)))
		}
	case reflect.Slice:
		// Decoders return nil for empty slices.
		byDefault := MaxItems
		if v.Type().Elem().Kind() == reflect.Uint8 {
			byDefault = MaxBytes
		}
		if n := f.IntN(next(byDefault) + 1); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i), rest, big)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), limits, big)
	case reflect.Interface:
		for _, c := range all() {
			if c.name == v.Type().Name() {
				v.Set(reflect.ValueOf(f.value(c.zeros[f.IntN(len(c.zeros))])))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			omit, big, limits := readTag(v.Type().Field(i))
			if !omit || f.rich || f.IntN(2) == 1 {
				f.fill(v.Field(i), limits, big)
			}
		}
	default:
		panic("no values of " + v.Type().String())
	}
}

// value returns a random value of the type of zero.
func (f filler) value(zero any) any {
	v := reflect.New(reflect.TypeOf(zero)).Elem()
	f.fill(v, nil, false)
	return v.Interface()
}

func readTag(f reflect.StructField) (omit, big bool, limits []int) {
	for _, w := range strings.Split(f.Tag.Get("cbor"), ",")[1:] {
		name, text, _ := strings.Cut(w, "=")
		switch name {
		case "omitempty":
			omit = true
		case "big":
			big = true
		default:
			if name == "each" && limits == nil {
				limits = append(limits, 0)
			}
			n, err := strconv.Atoi(text)
			if err != nil {
				n = manyWords
			}
			limits = append(limits, n)
		}
	}
	return omit, big, limits
}

func TestEveryMessageSurvivesItsEncoding(t *testing.T) {
	f := filler{Rand: rand.New(rand.NewPCG(1, 2))}
	for _, c := range all() {
		for _, zero := range c.zeros {
			for range 50 {
				v := f.value(zero)
				b := c.append(nil, v)
				got, err := c.decode(b)
				if err != nil {
					t.Fatalf("%s: decoding %x, from %+v: %v", c.name, b, v, err)
				}
				if !reflect.DeepEqual(got, v) {
					t.Fatalf("%s: got %+v, want %+v", c.name, got, v)
				}
				if again := c.append([]byte("x"), got); !bytes.Equal(again[1:], b) {
					t.Fatalf("%s: encoded %x, then %x", c.name, b, again[1:])
				}
			}
		}
	}
}

// A decoder takes one encoding only, so whatever it takes encodes to the input.
func checkIdentity(t *testing.T, c entry, b []byte) {
	in := slices.Clone(b)
	v, err := c.decode(in)
	if err != nil {
		if e, ok := err.(*Error); !ok || e.Offset < 0 || e.Offset > len(b) || e.What == "" {
			t.Fatalf("%s: %x: error %#v", c.name, b, err)
		}
		return
	}
	for i := range in {
		in[i] ^= 0xff
	}
	if again := c.append(nil, v); !bytes.Equal(again, b) {
		t.Fatalf("%s: %x encodes to %x", c.name, b, again)
	}
}

func TestEveryDamagedEncodingIsRefusedOrCanonical(t *testing.T) {
	f := filler{Rand: rand.New(rand.NewPCG(3, 4)), rich: true}
	for _, c := range all() {
		for _, zero := range c.zeros {
			b := c.append(nil, f.value(zero))
			for i := range b {
				if _, err := c.decode(b[:i]); err == nil {
					t.Fatalf("%s: the first %d bytes of %x pass", c.name, i, b)
				}
				for _, x := range []byte{0x00, 0x17, 0x18, 0x1b, 0x20, 0x40, 0x5f, 0x60, 0x80, 0x9b, 0xa0, 0xbf, 0xc1, 0xf4, 0xf6, 0xf9, 0xff, b[i] + 1, b[i] - 1} {
					bad := slices.Clone(b)
					bad[i] = x
					checkIdentity(t, c, bad)
				}
				checkIdentity(t, c, slices.Insert(slices.Clone(b), i, 0xf4))
				checkIdentity(t, c, slices.Delete(slices.Clone(b), i, i+1))
			}
			if _, err := c.decode(append(b, 0)); err == nil {
				t.Fatalf("%s: trailing bytes after %x pass", c.name, b)
			}
		}
	}
}

func FuzzWhatDecodesEncodesToTheSameBytes(f *testing.F) {
	codecs := all()
	fill := filler{Rand: rand.New(rand.NewPCG(5, 6)), rich: true}
	for i, c := range codecs {
		for _, zero := range c.zeros {
			f.Add(uint16(i), c.append(nil, fill.value(zero)))
		}
	}
	f.Fuzz(func(t *testing.T, i uint16, b []byte) {
		checkIdentity(t, codecs[int(i)%len(codecs)], b)
	})
}

func TestEncodingIntoRoomAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 4096)
	plain := filler{Rand: rand.New(rand.NewPCG(7, 8)), rich: true}.value(Plain{}).(Plain)
	var shape Shape = Line{From: 1, To: 2}
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"struct", func() { buf = plain.Append(buf[:0]) }},
		{"union", func() { buf = AppendShape(buf[:0], shape) }},
		{"failing decode of a struct", func() {
			if _, err := DecodeInner(nil); err == nil {
				t.Error("no error")
			}
		}},
	} {
		want := 0.0
		if strings.HasPrefix(c.name, "failing") {
			want = 1 // the error
		}
		if got := testing.AllocsPerRun(100, c.run); got != want {
			t.Errorf("%s: %v allocations, want %v", c.name, got, want)
		}
	}
}

func TestLengthClaimsAllocateNothingBeyondTheInput(t *testing.T) {
	// Each input claims as many elements as its limit allows, and holds none.
	for _, c := range []struct {
		name string
		in   string
		run  func([]byte) error
	}{
		{"array of structs", "\xa1\x64ints\x19\x10\x00", func(b []byte) error { _, err := DecodeLists(b); return err }},
		{"array", "\xaa\x64ints\x99\x10\x00", func(b []byte) error { _, err := DecodeLists(b); return err }},
		{"bytes", "\xa6\x61v\x00\x64seed\x5a\x00\x01\x00\x00", func(b []byte) error { _, err := DecodeParcel(b); return err }},
	} {
		in := []byte(c.in)
		if got := testing.AllocsPerRun(10, func() {
			if c.run(in) == nil {
				t.Error(c.name + ": no error")
			}
		}); got > 3 {
			t.Errorf("%s: %v allocations", c.name, got)
		}
	}
}

func TestValuesWithoutEncodingAreBugs(t *testing.T) {
	valid := func() Optional { return Optional{} }
	for _, c := range []struct {
		name string
		want string
		do   func()
	}{
		{"NaN", "wire: bug: NaN has no encoding", func() { Line{From: F64(math.NaN())}.Append(nil) }},
		{"optional NaN", "wire: bug: NaN has no encoding", func() { Line{To: F64(math.NaN())}.Append(nil) }},
		{"long text", "wire: bug: length 101 over the limit 100", func() { m := valid(); m.Text = strings.Repeat("a", 101); m.Append(nil) }},
		{"long bytes", "wire: bug: length 101 over the limit 100", func() { m := valid(); m.Bytes = make([]byte, 101); m.Append(nil) }},
		{"long array", "wire: bug: length 4 over the limit 3", func() { m := valid(); m.Words = make([]string, 4); m.Append(nil) }},
		{"long element", "wire: bug: length 6 over the limit 5", func() { m := valid(); m.Words = []string{"123456"}; m.Append(nil) }},
		{"ill-formed text", "wire: bug: ill-formed text", func() { m := valid(); m.Text = "\xed\xa0\x80"; m.Append(nil) }},
		{"unnamed value", "wire: bug: no name for the value 4", func() { m := valid(); m.Shade = 4; m.Append(nil) }},
		{"nil union", "wire: bug: not a Shape", func() { AppendShape(nil, nil) }},
		{"pointer as case", "wire: bug: not a Shape", func() { AppendShape(nil, &Dot{}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != c.want {
					t.Errorf("got %v, want %v", got, c.want)
				}
			}()
			c.do()
		})
	}
}

func BenchmarkClaim(b *testing.B) {
	claim := filler{Rand: rand.New(rand.NewPCG(9, 9))}.value(SignedClaim{}).(SignedClaim)
	buf := claim.Append(nil)
	b.SetBytes(int64(len(buf)))
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			buf = claim.Append(buf[:0])
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := DecodeSignedClaim(buf); err != nil {
				b.Fatal(err)
			}
		}
	})
}
