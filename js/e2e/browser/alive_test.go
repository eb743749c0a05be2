package browser

import (
	"bytes"
	"os"
	"strconv"
)

// alive reports whether a process runs, from the outside: a process that nobody
// has waited for yet is not alive.
func alive(pid int) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	return err == nil && !bytes.Contains(data, []byte("State:\tZ")) && !bytes.Contains(data, []byte("State:\tX"))
}
