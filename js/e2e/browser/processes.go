package browser

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// processes is what one browser consists of outside its protocol: a process
// group, a directory for everything it writes, and the end of its output.
type processes struct {
	group *group
	ns    string
	dir   string // removed at the end
	home  string // of the processes; inside dir
	data  string // the profile: inside dir, or the caller's
	env   []string
	out   tailBuffer
}

func newProcesses(o Options) (*processes, error) {
	dir, err := os.MkdirTemp("", "shoal-browser-")
	if err != nil {
		return nil, err
	}
	p := &processes{ns: o.NetNS, dir: dir, home: filepath.Join(dir, "home"), data: o.Profile}
	if p.data == "" {
		p.data = filepath.Join(dir, "profile")
	}
	for _, d := range []string{p.home, p.data, p.sub("run"), p.sub("tmp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
	}
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + p.home,
		"TMPDIR=" + p.sub("tmp"), "XDG_RUNTIME_DIR=" + p.sub("run"),
		// There is no bus to talk to; without this some libraries start one.
		"DBUS_SESSION_BUS_ADDRESS=disabled:", "NO_AT_BRIDGE=1",
		"GIO_USE_VFS=local", "GSETTINGS_BACKEND=memory",
	}
	p.env = append(p.env, o.Env...)
	if p.group, err = newGroup(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return p, nil
}

func (p *processes) sub(name string) string { return filepath.Join(p.dir, name) }

// command prepares a program of the browser; its output goes to the tail.
func (p *processes) command(argv []string, env ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = p.dir
	cmd.Env = append(append([]string{}, p.env...), env...)
	cmd.Stdout, cmd.Stderr = &p.out, &p.out
	return cmd
}

func (p *processes) tail() string { return p.out.String() }

// end kills everything and removes the directory.
func (p *processes) end() error {
	return errors.Join(p.group.kill(), os.RemoveAll(p.dir))
}

// tailBuffer keeps the end of what is written to it.
type tailBuffer struct {
	mu   sync.Mutex
	data []byte
}

// tailSize is enough for the last complaints of a browser that fails to start.
const tailSize = 8 << 10

func (t *tailBuffer) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b...)
	if n := len(t.data) - tailSize; n > 0 {
		t.data = append(t.data[:0], t.data[n:]...)
	}
	return len(b), nil
}

func (t *tailBuffer) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.data))
}
