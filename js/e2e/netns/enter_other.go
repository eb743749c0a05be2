//go:build !linux

package netns

import "errors"

func unsupported() string { return "network namespaces exist on Linux only" }

func enter(string, func() error) error { return errors.ErrUnsupported }

func disableIPv6(string) error { return errors.ErrUnsupported }
