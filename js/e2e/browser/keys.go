package browser

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// stroke is one key pressed and released while modifiers are held.
type stroke struct {
	key
	mods []key
}

// key is one key in both spellings: the DevTools protocol wants DOM names and
// Windows key codes, WebDriver wants one code point.
type key struct {
	name   string // KeyboardEvent.key
	code   string // KeyboardEvent.code; "" for typed text
	text   string // what it types
	vk     int    // Windows virtual key code
	driver rune   // WebDriver code point
	bit    int    // DevTools modifier bit
}

// named holds the keys that have a name. Code points are from the table of
// normalised key values in the WebDriver standard.
var named = []key{
	{name: "Enter", code: "Enter", text: "\r", vk: 13, driver: 0xE007},
	{name: "Tab", code: "Tab", vk: 9, driver: 0xE004},
	{name: "Escape", code: "Escape", vk: 27, driver: 0xE00C},
	{name: "Backspace", code: "Backspace", vk: 8, driver: 0xE003},
	{name: "Delete", code: "Delete", vk: 46, driver: 0xE017},
	{name: "Home", code: "Home", vk: 36, driver: 0xE011},
	{name: "End", code: "End", vk: 35, driver: 0xE010},
	{name: "PageUp", code: "PageUp", vk: 33, driver: 0xE00E},
	{name: "PageDown", code: "PageDown", vk: 34, driver: 0xE00F},
	{name: "ArrowLeft", code: "ArrowLeft", vk: 37, driver: 0xE012},
	{name: "ArrowUp", code: "ArrowUp", vk: 38, driver: 0xE013},
	{name: "ArrowRight", code: "ArrowRight", vk: 39, driver: 0xE014},
	{name: "ArrowDown", code: "ArrowDown", vk: 40, driver: 0xE015},
	{name: "Shift", code: "ShiftLeft", vk: 16, driver: 0xE008, bit: 8},
	{name: "Control", code: "ControlLeft", vk: 17, driver: 0xE009, bit: 2},
	{name: "Alt", code: "AltLeft", vk: 18, driver: 0xE00A, bit: 1},
	{name: "Meta", code: "MetaLeft", vk: 91, driver: 0xE03D, bit: 4},
}

// parseStroke reads "Control+Shift+a". A plus sign at the end is the plus key.
func parseStroke(s string) (stroke, error) {
	var out stroke
	for rest := s; ; {
		name, after, more := strings.Cut(rest, "+")
		if !more || name == "" || after == "" {
			name, more = rest, false
		}
		k, ok := lookup(name)
		if !ok || (more && k.bit == 0) {
			return stroke{}, fmt.Errorf("no key is called %q in %q", name, s)
		}
		if !more {
			out.key = k
			return out, nil
		}
		out.mods = append(out.mods, k)
		rest = after
	}
}

func lookup(name string) (key, bool) {
	for _, k := range named {
		if k.name == name {
			return k, true
		}
	}
	if r, size := utf8.DecodeRuneInString(name); size == len(name) && size > 0 && r != utf8.RuneError {
		return character(r), true
	}
	return key{}, false
}

// character is the key that types r.
func character(r rune) key {
	k := key{name: string(r), text: string(r), driver: r}
	switch {
	case r >= 'a' && r <= 'z':
		k.vk, k.code = int(r-'a'+'A'), "Key"+strings.ToUpper(string(r))
	case r >= 'A' && r <= 'Z':
		k.vk, k.code = int(r), "Key"+string(r)
	case r >= '0' && r <= '9':
		k.vk, k.code = int(r), "Digit"+string(r)
	case r == ' ':
		k.vk, k.code = 32, "Space"
	}
	return k
}

// typed turns text into strokes.
func typed(text string) []stroke {
	var out []stroke
	for _, r := range text {
		k := character(r)
		switch r {
		case '\n':
			k, _ = lookup("Enter")
		case '\t':
			k, _ = lookup("Tab")
		}
		out = append(out, stroke{key: k})
	}
	return out
}
