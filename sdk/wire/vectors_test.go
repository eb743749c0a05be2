package wire

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/id"
)

var update = flag.Bool("update", false, "write testdata/vectors.json anew")

// vector is a value in both forms. Value is JSON as TypeScript sees it, with
// {"$hex"} for bytes, {"$int"} for bigint and {"$f64"} for the bits of a float.
type vector struct {
	Name  string          `json:"name"`
	Type  string          `json:"type"`
	TS    bool            `json:"ts,omitempty"`
	Hex   string          `json:"hex"`
	Value json.RawMessage `json:"value"`
}

// chosen are the vectors that show something particular.
var chosen = []struct {
	name  string
	entry string
	value any
}{
	{"parcel", "Parcel", parcel},
	{"e acute, composed", "Optional", Optional{Text: "\u00e9"}},
	{"e acute, decomposed", "Optional", Optional{Text: "e\u0301"}},
	{"byte order mark", "Optional", Optional{Text: "\ufeffa"}},
	{"astral text", "Optional", Optional{Text: "😀\u0000\uffff"}},
	{"all absent", "Optional", Optional{}},
	{"minus zero is not absent", "Optional", Optional{Real: F64(math.Copysign(0, -1))}},
	{"present empty struct value", "Optional", Optional{Inner: &Inner{}}},
	{"present empty case", "Optional", Optional{Shape: Dot{}}},
	{"optional key after the end of its map", "Pair", Pair{Right: 1}},
	{"optional key in both maps", "Pair", Pair{One: Twin{Right: 2}, Right: 1}},
	{"zeros", "Plain", Plain{Shade: ShadeLight, Shape: Dot{}}},
	{"greatest numbers", "Plain", Plain{
		Byte: math.MaxUint8, Short: math.MaxUint16, Word: math.MaxUint32, Long: 1<<53 - 1, Huge: math.MaxUint64,
		Tiny: math.MaxInt8, Small: math.MaxInt16, Middle: math.MaxInt32, Signed: 1<<53 - 1, Wide: math.MaxInt64,
		Real: math.MaxFloat64, Shade: ShadeDeepBlue, Level: 65535, Shape: Line{From: F64(math.Inf(1))},
	}},
	{"least numbers", "Plain", Plain{
		Tiny: math.MinInt8, Small: math.MinInt16, Middle: math.MinInt32, Signed: -(1<<53 - 1), Wide: math.MinInt64,
		Real: F64(math.Inf(-1)), Shade: ShadeDark, Shape: Blob{}, Shapes: []Shape{Dot{}, Line{To: 1}, Blob{Bytes: []byte{0}}},
	}},
	{"edges of lengths of numbers", "Lists", Lists{
		Numbers: []uint32{0, 1, 23, 24, 255, 256, 65535, 65536, 4294967295},
		Ints:    []int64{-1, -24, -25, -256, -257, -65536, -65537, -4294967296, -4294967297, 4294967296},
	}},
	{"edges of lengths of text", "Plain", Plain{
		Text: strings.Repeat("x", 255), Bytes: bytes.Repeat([]byte{1}, 256), Shade: ShadeDark, Shape: Blob{Bytes: make([]byte, 24)},
	}},
	{"reals", "Lists", Lists{Reals: []F64{
		0, F64(math.Copysign(0, -1)), 1, 1.5, -1, 1 << 53, math.SmallestNonzeroFloat64, F64(math.Inf(1)), 0.1,
	}}},
	{"nested arrays", "Lists", Lists{
		Blobs: [][]byte{nil, make([]byte, 24)}, Nested: [][]uint64{nil, {1, 2}, {1 << 40}},
		Flags: []bool{true, false}, Words: []string{"", "a"}, Jobs: []id.Job{{1}, {}}, Shades: []Shade{3, 1}, Inners: []Inner{{}, {A: 24}},
	}},
	{"long case number", "Path", Path(Line{})},
}

var parcel = Parcel{
	V:       1,
	Program: id.Program(bytes.Repeat([]byte{0xaa}, 32)),
	Split:   ParcelSplit{Kind: "range", Items: 1000000, Chunk: 4096},
	Reduce:  "exact-moments/1",
	Policy:  "open",
	Seed:    []byte{1, 2, 3, 4},
}

func TestParcelHasTheBytesOfAnIndependentEncoder(t *testing.T) {
	b := parcel.Append(nil)
	want := "a6617601647365656444010203046573706c6974a3646b696e646572616e6765656368756e6b191000656974656d731a000f4240" +
		"66706f6c696379646f70656e667265647563656f65786163742d6d6f6d656e74732f316770726f6772616d5820" + strings.Repeat("aa", 32)
	if got := hex.EncodeToString(b); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	sum := sha256.Sum256(b)
	if got, want := hex.EncodeToString(sum[:]), "328f5382c47405a4589fa4e8c6e7084d8e942fb22058beaf009132b9dbc80043"; got != want {
		t.Errorf("got digest %s, want %s", got, want)
	}
}

// vectorList returns the chosen vectors and one of each message and case.
func vectorList(t *testing.T) []vector {
	var out []vector
	add := func(name string, c entry, v any) {
		out = append(out, vector{name, c.name, c.ts, hex.EncodeToString(c.append(nil, v)), describeTop(c.name, v)})
	}
	for _, v := range chosen {
		add(v.name, find(t, v.entry), v.value)
	}
	for _, c := range messages {
		for _, zero := range c.zeros {
			name := reflect.TypeOf(zero).Name()
			// Seeded by name, so that a change of one message changes its vectors only.
			h := fnv.New64a()
			h.Write([]byte(name))
			f := filler{Rand: rand.New(rand.NewPCG(h.Sum64(), 0)), safe: true, rich: true}
			add(name+" in "+c.name, c, f.value(zero))
		}
	}
	return out
}

func TestGoldenVectorsHoldInBothDirections(t *testing.T) {
	const file = "testdata/vectors.json"
	want := vectorList(t)
	if *update {
		var b bytes.Buffer
		for i, v := range want {
			line, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString([]string{"[\n", ",\n"}[min(i, 1)])
			b.Write(line)
		}
		b.WriteString("\n]\n")
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []vector
	readJSON(t, file, &got)
	if len(got) != len(want) {
		t.Fatalf("%s has %d vectors, want %d; if messages were added or removed, run: go test ./sdk/wire -update", file, len(got), len(want))
	}
	for i, v := range got {
		w := want[i]
		if v.Name != w.Name || v.Type != w.Type || v.TS != w.TS || v.Hex != w.Hex {
			t.Errorf("%s: got %s %s, want %s %s; if the message was changed, run: go test ./sdk/wire -update", w.Name, v.Type, v.Hex, w.Type, w.Hex)
			continue
		}
		b, err := hex.DecodeString(v.Hex)
		if err != nil {
			t.Fatal(err)
		}
		value, err := find(t, v.Type).decode(b)
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		text := describeTop(v.Type, value)
		var x, y any
		if json.Unmarshal(text, &x) != nil || json.Unmarshal(v.Value, &y) != nil || !reflect.DeepEqual(x, y) {
			t.Errorf("%s: decodes to %s, want %s", v.Name, text, v.Value)
		}
	}
}

func TestEncodingsThatAreNotCanonicalAreRefused(t *testing.T) {
	var rejects []struct{ Name, Type, Hex, Error string }
	readJSON(t, "testdata/rejects.json", &rejects)
	if len(rejects) < 50 {
		t.Fatalf("%d rejects", len(rejects))
	}
	for _, r := range rejects {
		t.Run(r.Name, func(t *testing.T) {
			b, err := hex.DecodeString(strings.ReplaceAll(r.Hex, " ", ""))
			if err != nil {
				t.Fatal(err)
			}
			v, err := find(t, r.Type).decode(b)
			if err == nil {
				t.Fatalf("%x decodes to %+v", b, v)
			}
			if got := err.Error(); got != "wire: "+r.Error {
				t.Errorf("%x: got %q, want %q", b, got, "wire: "+r.Error)
			}
		})
	}
}

func readJSON(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// describeTop describes a value of the named message or union.
func describeTop(name string, v any) []byte {
	var b bytes.Buffer
	if r := reflect.ValueOf(v); r.Type().Name() == name {
		describe(&b, r, false)
	} else {
		describeCase(&b, r)
	}
	return b.Bytes()
}

// describe writes a value as JSON in the names and types of TypeScript.
func describe(b *bytes.Buffer, v reflect.Value, big bool) {
	special := func(key, text string) { b.WriteString(`{"$` + key + `":"` + text + `"}`) }
	number := func(text string) {
		if big {
			special("int", text)
		} else {
			b.WriteString(text)
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		b.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		number(strconv.FormatUint(v.Uint(), 10))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		number(strconv.FormatInt(v.Int(), 10))
	case reflect.Float64:
		special("f64", strconv.FormatUint(math.Float64bits(v.Float()), 16))
	case reflect.String:
		text, err := json.Marshal(v.String())
		if err != nil {
			panic(err)
		}
		b.Write(text)
	case reflect.Array, reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Type().Elem().Name() == "uint8" {
			p := make([]byte, v.Len())
			reflect.Copy(reflect.ValueOf(p), v)
			special("hex", hex.EncodeToString(p))
			return
		}
		b.WriteByte('[')
		for i := range v.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			describe(b, v.Index(i), big)
		}
		b.WriteByte(']')
	case reflect.Pointer:
		describe(b, v.Elem(), big)
	case reflect.Interface:
		describeCase(b, v.Elem())
	case reflect.Struct:
		comma := "{"
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if k := f.Type.Kind(); (k == reflect.Pointer || k == reflect.Interface) && v.Field(i).IsNil() {
				continue
			}
			_, big, _ := readTag(f)
			b.WriteString(comma + `"` + inTS(f.Name) + `":`)
			describe(b, v.Field(i), big)
			comma = ","
		}
		b.WriteString(map[string]string{"{": "{}", ",": "}"}[comma])
	default:
		panic("no description of " + v.Type().String())
	}
}

func describeCase(b *bytes.Buffer, v reflect.Value) {
	b.WriteString(`{"$case":"` + inTS(v.Type().Name()) + `","value":`)
	describe(b, v, false)
	b.WriteByte('}')
}

// inTS is the name of a field or a case in TypeScript.
func inTS(name string) string {
	name = strings.NewReplacer("URL", "Url", "ID", "Id").Replace(name)
	return strings.ToLower(name[:1]) + name[1:]
}
