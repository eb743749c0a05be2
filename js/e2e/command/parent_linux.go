package command

import "syscall"

// dieWithParent ends a process when this one ends in any way. The kernel ties it
// to the thread that starts the process, and threads of tests live as long as
// the test process.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
