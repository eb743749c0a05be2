package browser

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestKillReachesProcessesThatLeftTheGroup(t *testing.T) {
	g, err := newGroup()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", "setsid sleep 1000 & sleep 1000")
	if err := g.start(cmd); err != nil {
		t.Fatal(err)
	}
	if err := poll(soon(t), pollEvery, func() (bool, error) { return len(g.processes()) == 3, nil }); err != nil {
		t.Errorf("processes are %v, want the shell and two others", g.processes())
	}
	pids := g.processes()
	if err := g.kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range append(pids, g.leader.Process.Pid) {
		if alive(pid) {
			t.Errorf("process %d is alive", pid)
		}
	}
	if err := g.kill(); err != nil {
		t.Errorf("the second kill: %v", err)
	}
	if err := g.start(exec.Command("/bin/true")); err == nil {
		t.Error("a killed group starts a process")
	}
}

// TestHelperThatIsKilled is not a test: the test below runs it as a process.
func TestHelperThatIsKilled(t *testing.T) {
	if os.Getenv("BROWSER_TEST_HELPER") == "" {
		t.Skip("only runs as a helper process")
	}
	g, err := newGroup()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.start(exec.Command("sleep", "1000")); err != nil {
		t.Fatal(err)
	}
	fmt.Println("\npids", g.leader.Process.Pid, g.members[0].Process.Pid)
	time.Sleep(callTimeout)
}

func TestBrowsersDieWithTheTestProcess(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperThatIsKilled$")
	cmd.Env = append(os.Environ(), "BROWSER_TEST_HELPER=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids [2]int
	for lines := bufio.NewScanner(out); pids[1] == 0 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "pids ") {
			if _, err := fmt.Sscanf(lines.Text(), "pids %d %d", &pids[0], &pids[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if pids[1] == 0 || !alive(pids[0]) || !alive(pids[1]) {
		t.Errorf("the helper's processes %v do not run", pids)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // "signal: killed"
	if err := poll(soon(t), pollEvery, func() (bool, error) { return !alive(pids[0]) && !alive(pids[1]), nil }); err != nil {
		t.Errorf("processes %v outlive the one that started them", pids)
	}
}
