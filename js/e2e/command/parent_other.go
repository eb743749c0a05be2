//go:build !linux

package command

import "syscall"

// dieWithParent does nothing here: no other system has the means.
func dieWithParent() *syscall.SysProcAttr { return nil }
