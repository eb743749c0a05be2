package netns

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// where ip(8) keeps the handles of named namespaces.
const handles = "/run/netns/"

func unsupported() string { return "" }

// enter runs f on a thread that has switched to the named namespace. The thread
// is the goroutine's own for that time; if it cannot be switched back it is
// thrown away with the goroutine, because no other goroutine may ever run in
// the wrong network.
func enter(name string, f func() error) error {
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		home, err := os.Open("/proc/thread-self/ns/net")
		if err != nil {
			runtime.UnlockOSThread()
			result <- fmt.Errorf("enter namespace %s: %w", name, err)
			return
		}
		defer home.Close()
		if err := setns(handles + name); err != nil {
			runtime.UnlockOSThread()
			result <- fmt.Errorf("enter namespace %s: %w", name, err)
			return
		}
		// f may end this goroutine instead of returning, as a failed test does.
		failure := fmt.Errorf("namespace %s: the function did not return", name)
		defer func() {
			if err := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); err == nil {
				runtime.UnlockOSThread()
			}
			result <- failure
		}()
		failure = f()
	}()
	return <-result
}

func setns(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Setns(int(f.Fd()), unix.CLONE_NEWNET)
}

// disableIPv6 acts on the calling thread's namespace. A kernel without IPv6 has
// nothing to disable.
func disableIPv6(dev string) error {
	err := os.WriteFile("/proc/sys/net/ipv6/conf/"+dev+"/disable_ipv6", []byte("1"), 0)
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
