package browser

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Engine names a browser engine.
type Engine string

// The engines, and the order in which tests try them.
const (
	Chromium Engine = "chromium"
	Firefox  Engine = "firefox"
	WebKit   Engine = "webkit"
)

// Engines is every engine this package can drive, installed or not.
var Engines = []Engine{Chromium, Firefox, WebKit}

// Options change how a browser is launched. The zero value is a plain browser
// in the machine's own network.
type Options struct {
	// NetNS is the network namespace to live in (netns.Space.Name), or "".
	NetNS string
	// Args are added to the browser's command line.
	Args []string
	// Env is added to the browser's environment, as "NAME=value". Nothing of the
	// test's own environment reaches the browser except PATH.
	Env []string
	// Prefs are added to Firefox's preferences (bool, integer or string) and
	// win over the built-in ones. Other engines ignore them.
	Prefs map[string]any
	// Dark starts the browser with prefers-color-scheme: dark.
	Dark bool
	// Preload is JavaScript that runs in every new document before its own.
	Preload string
	// Profile is a directory that holds the profile and outlives the browser,
	// so that a second Launch finds the storage of the first. Pages then share
	// it: they are not isolated from each other. "" means a fresh profile.
	Profile string
}

// miniBrowserPaths are where Debian's libwebkit2gtk-4.1-0 puts MiniBrowser.
const miniBrowserPaths = "/usr/lib/*/webkit2gtk-4.1/MiniBrowser"

// Available says whether an engine can be launched on this machine and, if
// not, what is missing.
func Available(e Engine) (ok bool, reason string) {
	if reason := unsupported(); reason != "" {
		return false, reason
	}
	switch e {
	case Chromium:
		return have(program{"chromium", "chromium"})
	case Firefox:
		return have(program{"firefox-esr", "firefox-esr"})
	case WebKit:
		if miniBrowser() == "" {
			return false, "MiniBrowser is not installed (Debian: libwebkit2gtk-4.1-0)"
		}
		return have(program{"WebKitWebDriver", "webkit2gtk-driver"}, program{"Xvfb", "xvfb"})
	default:
		return false, "no engine is called " + string(e)
	}
}

// program is an executable and the Debian package it comes in.
type program struct{ name, pkg string }

func have(programs ...program) (bool, string) {
	for _, p := range programs {
		if _, err := exec.LookPath(p.name); err != nil {
			return false, p.name + " is not installed (Debian: " + p.pkg + ")"
		}
	}
	return true, ""
}

// miniBrowser finds WebKitGTK's test browser, which is not on the PATH.
func miniBrowser() string {
	found, err := filepath.Glob(miniBrowserPaths)
	if err != nil {
		return ""
	}
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
