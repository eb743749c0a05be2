package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Job is a job as it is written down: the JSON of a job file, and the bytes of
// the files that it names.
type Job struct {
	JSON  []byte
	Files map[string][]byte
}

// sourceFields are the fields of a job file that name files.
var sourceFields = map[string]bool{"module": true, "file": true, "files": true, "entry": true}

// maxSafe is the largest whole number that a JavaScript number holds exactly.
const maxSafe = 1<<53 - 1

// spec reads the job as the value that JavaScript's job takes: names of files
// are replaced by what source makes of their bytes.
func (j Job) spec(source func([]byte) (any, error)) (any, error) {
	d := json.NewDecoder(bytes.NewReader(j.JSON))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("read the job: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("read the job: there is more after its end, at byte %d", d.InputOffset())
	}
	return j.plain(root, false, source)
}

// plain turns decoded JSON into values that JavaScript knows. named tells that a
// text here is the name of a file.
func (j Job) plain(v any, named bool, source func([]byte) (any, error)) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, x := range v {
			var err error
			if out[key], err = j.plain(x, sourceFields[key], source); err != nil {
				return nil, err
			}
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			var err error
			if out[i], err = j.plain(x, named, source); err != nil {
				return nil, err
			}
		}
		return out, nil
	case json.Number:
		// Only a seed can be so large, and it may be written as a text.
		if n, err := strconv.ParseUint(v.String(), 10, 64); err == nil && n > maxSafe {
			return v.String(), nil
		}
		return v.Float64()
	case string:
		if data, ok := j.Files[v]; named && ok {
			return source(data)
		}
		return v, nil
	default: // true, false, null
		return v, nil
	}
}
