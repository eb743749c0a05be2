package main

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"shoal/sdk/diag"
	"shoal/sdk/formula"
)

// compileFormula makes the module of a formula without a job: params is a list
// of names with commas between them.
func compileFormula(text, params string) ([]byte, error) {
	if !utf8.ValidString(text) || !utf8.ValidString(params) {
		return nil, usage("the formula is not UTF-8")
	}
	f := formula.Formula{Outputs: []string{text}}
	if params != "" {
		for _, name := range strings.Split(params, ",") {
			f.Params = append(f.Params, strings.TrimSpace(name))
		}
	}
	module, _, err := formula.Compile(f)
	return module, err
}

// excerpt returns the line of the formula that a refusal is about, cut to fit,
// and a mark below the place. It returns nothing for other refusals.
func excerpt(r *diag.Refusal) []string {
	const width = 64
	at, err := strconv.Atoi(r.Detail("formulaColumn"))
	text := []rune(r.Detail("formula"))
	if err != nil || at < 1 || at > len(text)+1 {
		return nil
	}
	at-- // counts from 0
	from, to := max(0, at-width/2), min(len(text), at+width/2)
	for i := at - 1; i >= from; i-- {
		if text[i] == '\n' {
			from = i + 1
			break
		}
	}
	for i := at; i < to; i++ {
		if text[i] == '\n' {
			to = i
			break
		}
	}
	line := strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, string(text[from:to]))
	return []string{line, strings.Repeat(" ", at-from) + "^"}
}
