package browser

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// chromiumLocal are the hosts that Chromium may reach: this machine, private and
// benchmarking addresses (RFC 1918, RFC 2544), and names that exist in tests
// only (RFC 6761).
var chromiumLocal = []string{
	"<local>", "*.localhost", "*.test", "*.local",
	"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "198.18.0.0/15", "[::1]", "[fd00::]/8",
}

// writeChromiumPrefs makes Chromium send everything for other hosts to a proxy
// that does not exist. Its switches leave several services on that call home:
// sign-in, extension updates, form predictions, page hints. The switch that
// would cut them off is one that a test may need for itself
// (--host-resolver-rules). A profile that has preferences already keeps them.
func writeChromiumPrefs(dir string) error {
	// Port 9 is the discard service, which no machine runs any more.
	proxy := object{"mode": "fixed_servers", "server": "127.0.0.1:9", "bypass_list": strings.Join(chromiumLocal, ";")}
	data := []byte(Literal(object{"proxy": proxy}))
	for _, name := range []string{"Local State", "Default/Preferences"} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
			return err
		}
	}
	return nil
}
