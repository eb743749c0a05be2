package catalog

// Split is the entry of a way to number a job's items.
type Split struct {
	Name    string
	Title   string // one line
	Doc     string // what an item is
	Columns string // what the columns of an item are; "" if it has none
}

// Combine is the entry of a way to reduce results.
type Combine struct {
	Name    string
	Title   string   // one line
	Doc     string   // what the value holds
	Options []Option // what a job can set
}

// Option is a setting of a combine.
type Option struct {
	Name     string
	Doc      string // one line
	Required bool
}

func (m Combine) clone() Combine {
	m.Options = append([]Option(nil), m.Options...)
	return m
}

func splits() []Split {
	return []Split{
		{
			Name:  "range",
			Title: "Items that are nothing but their number",
			Doc:   "An item is its number, from 0. Use it for simulations, where the draws of an item follow from its number.",
		},
		{
			Name:    "grid",
			Title:   "The points of a grid",
			Doc:     "An item is one point of a grid of named axes. The last axis runs fastest.",
			Columns: "the coordinates of the point, one for each axis",
		},
		{
			Name:    "records",
			Title:   "The records of a table",
			Doc:     "An item is one record of a CSV file.",
			Columns: "the numbers in the chosen columns of the record",
		},
	}
}

func combines() []Combine {
	return []Combine{
		{
			Name:  "moments",
			Title: "Mean, spread and shape",
			Doc: "For each output: count, sum, mean, variance, standard deviation, standard error, skewness, " +
				"kurtosis, least and greatest value. The sums are exact, so the order of items cannot show.",
		},
		{
			Name:  "counts",
			Title: "How often each value occurs",
			Doc:   "For each output: the distinct values and how often each occurs.",
		},
		{
			Name:    "histogram",
			Title:   "How many values fall between fixed edges",
			Doc:     "For each output: the count of values in each bin, and of those below the first edge and above the last.",
			Options: []Option{{Name: "edges", Doc: "the bounds of the bins, rising; a bin holds its lower bound", Required: true}},
		},
		{
			Name:  "table",
			Title: "The results themselves, by item",
			Doc:   "Every output of every item, in item order. Its size grows with the number of items.",
		},
	}
}
