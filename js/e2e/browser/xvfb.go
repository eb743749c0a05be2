package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"shoal/js/e2e/netns"
)

// screen is large enough for every viewport a test asks for, with the window's
// own frame around it.
const screen = "2048x1536x24"

// startXvfb starts an X server without a screen on a display that it picks, and
// returns the display's name. A display belongs to a network namespace, because
// what clients connect to is an abstract socket. The file beside it stays behind
// when the server is killed, and the next one takes it over.
func startXvfb(ctx context.Context, proc *processes, o Options) (string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	cmd := proc.command(netns.Argv(o.NetNS, "Xvfb",
		"-displayfd", "3", "-screen", "0", screen, "-nolisten", "tcp", "-noreset"))
	cmd.ExtraFiles = []*os.File{w}
	err = proc.group.start(cmd)
	w.Close()
	if err != nil {
		r.Close()
		return "", err
	}
	got := make(chan string, 1)
	go func() {
		defer r.Close()
		line, _ := bufio.NewReader(r).ReadString('\n')
		got <- strings.TrimSpace(line)
	}()
	select {
	case n := <-got:
		if n == "" {
			return "", errors.New("no display: Xvfb ended")
		}
		return ":" + n, nil
	case <-ctx.Done():
		return "", fmt.Errorf("wait for Xvfb: %w", context.Cause(ctx))
	}
}
