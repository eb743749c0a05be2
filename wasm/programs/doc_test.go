package programs_test

import (
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/rng"
	"shoal/wasm/programs/abitest"
)

const abiPage = "../../docs/program-abi.md"

// docKey is the key that the page uses in its examples.
var docKey = rng.Key{0x81ce2110, 0x445c8f6a}

func TestTheFrameOnTheABIPageIsWhatAProgramGets(t *testing.T) {
	page := readPage(t)
	block := regexp.MustCompile("(?s)```text\n(53 48 .*?)```").FindStringSubmatch(page)
	if block == nil {
		t.Fatal("the page has no frame")
	}
	got, err := hex.DecodeString(strings.Join(strings.Fields(block[1]), ""))
	if err != nil {
		t.Fatal(err)
	}
	want := abitest.Frame{First: 5, Items: 2, Keys: [][2]uint32{docKey}, Params: []float64{0.5}}.Encode()
	if string(got) != string(want) {
		t.Errorf("the page has\n%x, a frame is\n%x", got, want)
	}
}

func TestTheDrawsOnTheABIPageAreRight(t *testing.T) {
	rows := regexp.MustCompile("(?m)^\\| (\\d+) \\| (\\d+) \\| `([0-9a-f]{16})` \\| ([0-9.]+) \\|$").FindAllStringSubmatch(readPage(t), -1)
	if len(rows) != 5 {
		t.Fatalf("the page has %d draws, want 5", len(rows))
	}
	for _, row := range rows {
		item, _ := strconv.ParseUint(row[1], 10, 64)
		draw, _ := strconv.ParseUint(row[2], 10, 64)
		word, _ := strconv.ParseUint(row[3], 16, 64)
		unit, _ := strconv.ParseFloat(row[4], 64)
		if got := docKey.Uint64(item, draw); got != word || docKey.Unit(item, draw) != unit {
			t.Errorf("item %d draw %d is %016x, %v, the page has %s, %s", item, draw, got, docKey.Unit(item, draw), row[3], row[4])
		}
	}
}

func TestTheABIPageNamesTheFlagsThatBuildThePrograms(t *testing.T) {
	page := strings.Join(strings.Fields(strings.ReplaceAll(readPage(t), "\\\n", " ")), " ")
	for _, flags := range []string{
		"-O3 --converge --noAssert --runtime stub --use abort= --initialMemory 1",
		"--target=wasm32 -O2 -ffreestanding -nostdlib -mbulk-memory -ffp-contract=off",
		"--no-entry --stack-first -z stack-size=16384 --gc-sections --strip-all",
		"--edition 2021 --crate-type cdylib --target wasm32-unknown-unknown -C opt-level=3 -C panic=abort -C lto -C strip=symbols",
		"-trimpath -buildmode=c-shared -ldflags=-s",
	} {
		if !strings.Contains(page, flags) {
			t.Errorf("the page lacks %s", flags)
		}
	}
}

func readPage(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(abiPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
