package browser

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// killTimeout bounds the wait for killed processes to disappear. SIGKILL is
// immediate, but a loaded machine takes a while to tear down a large process.
const killTimeout = 20 * time.Second

// groupVar marks every process of a group in its environment. Crash handlers
// leave the process group on purpose; the mark still finds them.
const groupVar = "SHOAL_BROWSER_GROUP"

func unsupported() string { return "" }

// group is a process group. Its leader is a shell that does nothing but wait
// for the end of a pipe that this process holds: if this process dies in any
// way, the leader kills the group. The leader is not waited for before the end,
// so the group's id cannot be reused while it is in use here.
type group struct {
	leader *exec.Cmd
	hold   *os.File
	mark   []byte

	mu      sync.Mutex
	members []*exec.Cmd
	killed  bool
}

func newGroup() (*group, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	leader := exec.Command("/bin/sh", "-c", "read -r line; kill -KILL 0")
	leader.Stdin = r
	leader.Env = []string{}
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := leader.Start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("start process group: %w", err)
	}
	mark := groupVar + "=" + strconv.Itoa(os.Getpid()) + "." + strconv.Itoa(leader.Process.Pid)
	return &group{leader: leader, hold: w, mark: []byte(mark)}, nil
}

// start starts cmd as a member of the group.
func (g *group) start(cmd *exec.Cmd) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.killed {
		return errors.New("start " + cmd.Path + ": the browser was killed")
	}
	cmd.Env = append(cmd.Env, string(g.mark))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.leader.Process.Pid}
	// Output pipes may be held by a process that left the group.
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	g.members = append(g.members, cmd)
	return nil
}

// processes lists the live processes that the group started, whether they are
// still in it or not; the leader is left out.
func (g *group) processes() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == g.leader.Process.Pid {
			continue
		}
		if state, pgid, err := stat(pid); err != nil || state == 'Z' || state == 'X' {
			continue
		} else if pgid == g.leader.Process.Pid || marked(pid, g.mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// kill ends every process of the group with SIGKILL and waits until none is
// left. Further calls do nothing.
func (g *group) kill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.killed {
		return nil
	}
	g.killed = true
	defer g.hold.Close()
	deadline := time.Now().Add(killTimeout)
	for {
		// The leader dies too, but stays a zombie until Wait below: the id is
		// still ours. A process that is being forked now is met next time.
		if err := syscall.Kill(-g.leader.Process.Pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			return fmt.Errorf("kill process group %d: %w", g.leader.Process.Pid, err)
		}
		left := g.processes()
		if len(left) == 0 {
			break
		}
		for _, pid := range left {
			// Those outside the group; they carry our mark.
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
				return fmt.Errorf("kill process %d: %w", pid, err)
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v survive SIGKILL", left)
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, cmd := range append(g.members, g.leader) {
		var exit *exec.ExitError
		if err := cmd.Wait(); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
			return fmt.Errorf("wait for %s: %w", cmd.Path, err)
		}
	}
	return nil
}

// stat reads a process's state letter and process group.
func stat(pid int) (state byte, pgid int, err error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	// The name in brackets may hold anything; what follows is "S ppid pgid …".
	_, rest, ok := bytes.Cut(data[bytes.LastIndexByte(data, ')')+1:], []byte(" "))
	fields := bytes.Fields(rest)
	if !ok || len(fields) < 3 {
		return 0, 0, fs.ErrInvalid
	}
	pgid, err = strconv.Atoi(string(fields[2]))
	return fields[0][0], pgid, err
}

// marked reports whether a process was started with the mark in its environment.
func marked(pid int, mark []byte) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for v := range bytes.SplitSeq(data, []byte{0}) {
		if bytes.Equal(v, mark) {
			return true
		}
	}
	return false
}
