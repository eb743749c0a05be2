package browser

import (
	"encoding/json"
	"strconv"
	"strings"
)

// exception is what the DevTools protocol says about something thrown.
type exception struct {
	Text         string
	URL          string
	LineNumber   int // from 0
	ColumnNumber int
	Exception    *remoteObject
}

func (e *exception) String() string {
	if e.Exception == nil {
		return e.Text
	}
	return e.Text + " " + e.Exception.String()
}

// remoteObject is a value as the DevTools protocol describes it to a console.
type remoteObject struct {
	Type                string
	Value               json.RawMessage
	UnserializableValue string
	Description         string
	Preview             *struct {
		Properties []struct{ Name, Value string }
		Overflow   bool
	}
}

func (o *remoteObject) String() string {
	var s string
	switch {
	case o.Type == "string" && json.Unmarshal(o.Value, &s) == nil:
		return s
	case o.UnserializableValue != "":
		return o.UnserializableValue
	case o.Preview != nil && (o.Description == "Object" || strings.HasPrefix(o.Description, "Array(")):
		var b strings.Builder
		for i, p := range o.Preview.Properties {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(p.Name + ": " + p.Value)
		}
		if o.Preview.Overflow {
			b.WriteString(", …")
		}
		return "{" + b.String() + "}"
	case o.Description != "":
		return o.Description
	case o.Value != nil:
		return string(o.Value)
	}
	return o.Type
}

// devtoolsLine turns the three kinds of console event into one line, "" for
// any other event.
func devtoolsLine(method string, params json.RawMessage) string {
	switch method {
	case "Runtime.consoleAPICalled":
		var e struct {
			Type       string
			Args       []remoteObject
			StackTrace struct {
				CallFrames []struct {
					URL        string
					LineNumber int
				}
			}
		}
		if json.Unmarshal(params, &e) != nil {
			return ""
		}
		words := make([]string, len(e.Args))
		for i := range e.Args {
			words[i] = e.Args[i].String()
		}
		if e.Type == "warning" {
			e.Type = "warn" // as the method is called, and as other engines have it
		}
		line := e.Type + ": " + strings.Join(words, " ")
		if f := e.StackTrace.CallFrames; len(f) > 0 {
			line += place(f[0].URL, f[0].LineNumber+1)
		}
		return line
	case "Runtime.exceptionThrown":
		var e struct{ ExceptionDetails exception }
		if json.Unmarshal(params, &e) != nil {
			return ""
		}
		return "error: " + e.ExceptionDetails.String() + place(e.ExceptionDetails.URL, e.ExceptionDetails.LineNumber+1)
	case "Log.entryAdded":
		var e struct {
			Entry struct {
				Level, Text, URL string
				Source           string
				LineNumber       int
			}
		}
		if json.Unmarshal(params, &e) != nil {
			return ""
		}
		if e.Entry.Source == "worker" { // the worker's own session tells it too
			return ""
		}
		return e.Entry.Level + ": " + e.Entry.Text + place(e.Entry.URL, e.Entry.LineNumber+1)
	}
	return ""
}

// place is " (address:line)".
func place(url string, line int) string {
	if url == "" {
		return ""
	}
	return " (" + url + ":" + strconv.Itoa(line) + ")"
}
