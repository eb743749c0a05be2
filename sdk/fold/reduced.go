package fold

import "shoal/sdk/jsonout"

// Reduced is the value of a combine by a user's reducer.
type Reduced struct {
	Items   uint64
	Names   []string // of the numbers; nil if the job does not say
	Numbers []float64
}

// AppendJSON appends v as strict JSON, with the numbers as Value writes them.
func (v Reduced) AppendJSON(dst []byte) []byte {
	var o jsonout.Object
	o.Number("items", v.Items)
	if v.Names != nil {
		o.Texts("names", v.Names)
	}
	list := []byte{'['}
	for i, x := range v.Numbers {
		if i > 0 {
			list = append(list, ',')
		}
		list = appendFloat(list, x)
	}
	o.Raw("values", append(list, ']'))
	return append(dst, o.Close()...)
}
