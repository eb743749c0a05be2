//go:build !linux

package browser

import (
	"errors"
	"os/exec"
)

func unsupported() string { return "browsers are driven on Linux only" }

type group struct{}

func newGroup() (*group, error) { return nil, errors.ErrUnsupported }

func (g *group) start(*exec.Cmd) error { return errors.ErrUnsupported }

func (g *group) processes() []int { return nil }

func (g *group) kill() error { return nil }
