// Command size reports what the peer module weighs: the bytes that a page
// downloads, held against a budget, and the packages that the code comes from.
//
//	go run ./wasm/size [-budget bytes] [-top n] peer.wasm
//
// The weight is the module after brotli at its highest setting, which needs
// Node. The ledger is of a build with symbols, which the command makes with the
// flags in wasm/peer/build.flags; -top 0 leaves it out. It exits with 1 when the
// module is over the budget.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// defaultBudget is what the module may weigh after brotli: four seconds of a slow
// phone network. Federated learning and what else is to come may bring it to a
// million.
const defaultBudget = 800_000

// peer is the package of the module.
const peer = "shoal/wasm/peer"

func main() {
	budget := flag.Int("budget", defaultBudget, "most `bytes` after brotli")
	top := flag.Int("top", 25, "how many packages to list")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(os.Stdout, flag.Arg(0), *budget, *top); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, module string, budget, top int) error {
	raw, err := os.ReadFile(module)
	if err != nil {
		return err
	}
	if top > 0 {
		symbols, err := build()
		if err != nil {
			return err
		}
		led, err := ledger(symbols)
		if err != nil {
			return err
		}
		led.write(w, top)
	}
	imports, err := importCount(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", module, err)
	}
	packed, err := brotli(module)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: %d bytes, %d after brotli, budget %d (%d %%), %d imports\n",
		filepath.Base(module), len(raw), packed, budget, 100*packed/budget, imports)
	if packed > budget {
		return fmt.Errorf("%s is %d bytes over its budget of %d after brotli", module, packed-budget, budget)
	}
	return nil
}

// brotli returns the size of a file at the highest setting.
func brotli(path string) (int, error) {
	const script = `const z = require("zlib"), b = require("fs").readFileSync(process.argv[1]), c = z.constants;
process.stdout.write(String(z.brotliCompressSync(b, { params: {
	[c.BROTLI_PARAM_LGWIN]: 24, [c.BROTLI_PARAM_SIZE_HINT]: b.length } }).length))`
	out, err := exec.Command("node", "-e", script, path).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return 0, fmt.Errorf("node: %s", strings.TrimSpace(string(exit.Stderr)))
		}
		return 0, err
	}
	return strconv.Atoi(string(out))
}

// build makes the module with its symbols.
func build() ([]byte, error) {
	dir, err := os.MkdirTemp("", "shoal-size")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	flags, err := flags()
	if err != nil {
		return nil, err
	}
	out := filepath.Join(dir, "peer.wasm")
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "-o", out, peer)...)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build with symbols: %w\n%s", err, msg)
	}
	return os.ReadFile(out)
}

// flags returns the flags of the build, without those that drop the symbols.
func flags() ([]string, error) {
	dir, err := exec.Command("go", "list", "-e", "-f", "{{.Dir}}", peer).Output()
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", peer, err)
	}
	list, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "build.flags"))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Fields(string(list)), func(f string) bool { return strings.HasPrefix(f, "-ldflags") }), nil
}
