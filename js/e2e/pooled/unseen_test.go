package pooled

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"shoal/js/e2e/command"
	"shoal/js/e2e/jobfile"
)

// unseen fails the test if the bytes that the server has read and written hold
// anything of a job's input or output.
func unseen(t *testing.T, srv *server, j jobfile.Job, cells []string, want command.Line) {
	t.Helper()
	log, err := os.ReadFile(srv.tap)
	if err != nil {
		t.Fatal(err)
	}
	sockets := socketBytes(t, log)
	secrets := map[string][]byte{}
	add := func(what string, data []byte) {
		for form, b := range forms(data) {
			secrets[what+", "+form] = b
		}
	}
	number := func(what, text string) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		add(what+" as text", []byte(text))
		add(what+" as little-endian bits", binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		add(what+" as big-endian bits", binary.BigEndian.AppendUint64(nil, math.Float64bits(x)))
	}
	if len(j.Files) > 0 {
		for i, c := range cells {
			if i%61 == 0 || i == len(cells)-1 {
				number("the cell "+c, c)
			}
		}
		for _, name := range []string{j.Files[0].Name, "Wasserstand_4711", "Nebenfach_0815"} {
			add("the name "+name, []byte(name))
		}
	}
	for _, x := range figures(t, want.Result) {
		number("the result "+x, x)
	}
	digest, err := hex.DecodeString(want.Digest)
	if err != nil {
		t.Fatal(err)
	}
	add("the digest", digest)

	if size := sizeOf(j); len(sockets) < size {
		t.Errorf("%s: %d bytes went through the server's sockets, and the job's files have %d", j.Name, len(sockets), size)
	}
	found := 0
	for what, b := range secrets {
		if bytes.Contains(log, b) {
			found++
			t.Errorf("%s: the server saw %s", j.Name, what)
		}
	}
	t.Logf("%s: %d bytes through the server, %d of them in sockets: none of %d forms of input and output", j.Name, len(log), len(sockets), len(secrets)-found)
}

// forms returns data in the ways in which bytes are written.
func forms(data []byte) map[string][]byte {
	out := map[string][]byte{
		"raw":               data,
		"in hexadecimal":    []byte(hex.EncodeToString(data)),
		"in capital digits": bytes.ToUpper([]byte(hex.EncodeToString(data))),
	}
	// In base64 inside of something longer, data begins at one of three places,
	// and its first and last characters depend on its neighbours.
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString(append(make([]byte, shift), data...))
		text = strings.TrimRight(text, "=")
		text = text[(shift*8+5)/6 : len(text)-1]
		if shift == 0 && len(data)%3 == 0 {
			text = base64.StdEncoding.EncodeToString(data)
		}
		out["in base64 from place "+strconv.Itoa(shift)] = []byte(text)
		out["in base64 for addresses from place "+strconv.Itoa(shift)] = []byte(strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	return out
}

// figures returns the numbers of a result that are long enough not to occur by
// accident.
func figures(t *testing.T, result json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(result))
	d.UseNumber()
	var out []string
	for {
		tok, err := d.Token()
		if err != nil {
			break
		}
		if n, ok := tok.(json.Number); ok && len(n) >= 12 {
			out = append(out, n.String())
		}
	}
	if len(out) == 0 {
		t.Fatalf("the result has no long number: %.200s", result)
	}
	if step := len(out) / 40; step > 1 {
		kept := out[:0]
		for i := 0; i < len(out); i += step {
			kept = append(kept, out[i])
		}
		out = kept
	}
	return out
}

func sizeOf(j jobfile.Job) int {
	n := 0
	for _, f := range j.Files {
		n += len(f.Data)
	}
	return n
}

// socketBytes returns what went over WebSockets, from the records of the log.
func socketBytes(t *testing.T, log []byte) []byte {
	t.Helper()
	var out []byte
	for len(log) > 0 {
		head, rest, ok := bytes.Cut(log, []byte("\n"))
		if !ok {
			t.Fatalf("a record without a head: %.100q", log)
		}
		words := strings.Fields(string(head))
		n, err := strconv.Atoi(words[len(words)-1])
		if err != nil || n > len(rest)-1 {
			// The server is writing, or was killed while it did.
			return out
		}
		if words[0] == "ws" {
			out = append(out, rest[:n]...)
		}
		log = rest[n+1:]
	}
	return out
}

func TestFormsFindWhatIsThere(t *testing.T) {
	secret := []byte("31415.926535")
	for shift := range 7 {
		for more := range 7 {
			plain := append(append(bytes.Repeat([]byte{0xa5}, shift), secret...), bytes.Repeat([]byte{0x5a}, more)...)
			for name, text := range map[string]string{
				"raw": string(plain), "hexadecimal": hex.EncodeToString(plain), "base64": base64.StdEncoding.EncodeToString(plain),
				"base64 for addresses": base64.RawURLEncoding.EncodeToString(plain),
			} {
				found := false
				for _, form := range forms(secret) {
					found = found || strings.Contains(text, string(form))
				}
				if !found {
					t.Errorf("%s with %d bytes before and %d behind: not found in %s", name, shift, more, text)
				}
			}
		}
	}
}
