//go:build js && wasm

package web

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/hack-pad/safejs"

	"shoal/sdk/diag"
)

// bytesOf makes a Uint8Array.
func bytesOf(data []byte) (any, error) {
	array, err := global("Uint8Array")
	if err != nil {
		return nil, err
	}
	v, err := array.New(len(data))
	if err != nil {
		return nil, err
	}
	if _, err := safejs.CopyBytesToJS(v, data); err != nil {
		return nil, err
	}
	return v, nil
}

func global(name string) (safejs.Value, error) {
	v, err := safejs.Global().Get(name)
	if err == nil && v.IsUndefined() {
		err = fmt.Errorf("the page has no %s", name)
	}
	return v, err
}

// object makes a JavaScript object.
func object(fields map[string]any) (safejs.Value, error) { return safejs.ValueOf(fields) }

// record reads the fields of one object and keeps the first error.
type record struct {
	v   safejs.Value
	err error
}

func (r *record) get(name string) safejs.Value {
	v, err := r.v.Get(name)
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", name, err)
	}
	return v
}

func (r *record) text(name string) string {
	s, err := r.get(name).String()
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", name, err)
	}
	return s
}

// count reads a whole number, of either kind that JavaScript has.
func (r *record) count(name string) uint64 {
	n, err := whole(r.get(name))
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("%s: %w", name, err)
	}
	return n
}

func whole(v safejs.Value) (uint64, error) {
	text, err := asText(v)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(text, 10, 64)
}

// asText is String(v).
func asText(v safejs.Value) (string, error) {
	convert, err := global("String")
	if err != nil {
		return "", err
	}
	s, err := convert.Invoke(v)
	if err != nil {
		return "", err
	}
	return s.String()
}

// fromJS turns plain JavaScript data into Go's.
func fromJS(v safejs.Value) (any, error) {
	switch v.Type() {
	case safejs.TypeUndefined, safejs.TypeNull:
		return nil, nil
	case safejs.TypeBoolean:
		return v.Bool()
	case safejs.TypeNumber:
		return v.Float()
	case safejs.TypeString:
		return v.String()
	case safejs.TypeObject:
		return fromObject(v)
	default:
		return asText(v)
	}
}

func fromObject(v safejs.Value) (any, error) {
	array, err := global("Array")
	if err != nil {
		return nil, err
	}
	isList, err := array.Call("isArray", v)
	if err != nil {
		return nil, err
	}
	if is, err := isList.Bool(); err != nil || is {
		if err != nil {
			return nil, err
		}
		return list(v, fromJS)
	}
	floats, err := global("Float64Array")
	if err != nil {
		return nil, err
	}
	if is, err := v.InstanceOf(floats); err != nil || is {
		if err != nil {
			return nil, err
		}
		return list(v, safejs.Value.Float)
	}
	keys, err := objectKeys(v)
	if err != nil {
		return nil, err
	}
	out := make(map[string]any, len(keys))
	for _, key := range keys {
		field, err := v.Get(key)
		if err != nil {
			return nil, err
		}
		if out[key], err = fromJS(field); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func objectKeys(v safejs.Value) ([]string, error) {
	object, err := global("Object")
	if err != nil {
		return nil, err
	}
	keys, err := object.Call("keys", v)
	if err != nil {
		return nil, err
	}
	return list(keys, safejs.Value.String)
}

func list[T any](v safejs.Value, one func(safejs.Value) (T, error)) ([]T, error) {
	n, err := v.Length()
	if err != nil {
		return nil, err
	}
	out := make([]T, n)
	for i := range out {
		x, err := v.Index(i)
		if err != nil {
			return nil, err
		}
		if out[i], err = one(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// errorOf turns what JavaScript threw or rejected with into an error: a refusal
// where it is one.
func errorOf(v safejs.Value) error {
	if v.Type() != safejs.TypeObject {
		text, err := asText(v)
		if err != nil {
			return err
		}
		return errors.New(text)
	}
	r := record{v: v}
	code := r.get("code")
	if code.Type() != safejs.TypeString {
		text, err := asText(v)
		if err != nil {
			return err
		}
		return errors.New(text)
	}
	no := &diag.Refusal{Code: r.text("code"), Title: r.text("title"), Why: r.text("why"), Fix: r.text("fix")}
	if r.err != nil {
		return r.err
	}
	details := r.get("details")
	keys, err := objectKeys(details)
	if err != nil {
		return no
	}
	for _, key := range keys {
		if value, err := details.Get(key); err == nil {
			text, _ := asText(value)
			no.Details = append(no.Details, diag.Detail{Key: key, Value: text})
		}
	}
	return no
}
