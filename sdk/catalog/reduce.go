package catalog

// Split is the entry of a way to number a job's items.
type Split struct {
	_ incomparable

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
	_ incomparable

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
		{
			Name:    "by",
			Title:   "Items that a program of your own makes",
			Doc:     "An item is what a module says it is: its outputs are the item's columns.",
			Columns: "the outputs of the split's program",
		},
	}
}

var optionNaN = Option{Name: "nan", Doc: `"skip" leaves out what is NaN, where otherwise figures become NaN`}

func combines() []Combine {
	return []Combine{
		{
			Name:  "moments",
			Title: "Mean, spread and shape",
			Doc: "For each output: count, sum, mean, variance, standard deviation, standard error, skewness, " +
				"kurtosis, least and greatest value. The sums are exact, so the order of items cannot show.",
			Options: []Option{optionNaN},
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
		{
			Name:  "covariance",
			Title: "How outputs vary together, and regressions",
			Doc: "Means, covariances and correlations of all outputs, 32 at most, and with a target its least-squares fit " +
				"by the others. All figures are exact and rounded once.",
			Options: []Option{{Name: "target", Doc: "the output that is fitted by the others, 15 at most"}, optionNaN},
		},
		{
			Name:  "quantiles",
			Title: "Medians and other quantiles",
			Doc:   "For each output: quantiles to a relative accuracy, from a sketch of bounded size.",
			Options: []Option{
				{Name: "accuracy", Doc: "the largest relative error, 0.01 if left out"},
				{Name: "probabilities", Doc: "which quantiles; 0.01, 0.05, 0.25, 0.5, 0.75, 0.95 and 0.99 if left out"},
				optionNaN,
			},
		},
		{
			Name:    "extremes",
			Title:   "Least and greatest values, and where they are",
			Doc:     "For each output: the least and the greatest value, and the first item that has it.",
			Options: []Option{optionNaN},
		},
		{
			Name:  "top",
			Title: "The best rows",
			Doc:   "The outputs of the items with the greatest or least values in one output.",
			Options: []Option{
				{Name: "k", Doc: "how many rows, 10 if left out"},
				{Name: "by", Doc: "the output that ranks, the first if left out"},
				{Name: "order", Doc: "greatest, or least"},
			},
		},
		{
			Name:    "sample",
			Title:   "Rows drawn at random",
			Doc:     "The outputs of items that are drawn evenly and without replacement, the same ones for the same work.",
			Options: []Option{{Name: "k", Doc: "how many rows, 100 if left out"}},
		},
		{
			Name:  "sum",
			Title: "Sums of vectors, in fixed point",
			Doc: "For each output: sum and mean of the values, each rounded to so many binary places. It takes 16 bytes " +
				"an output, for gradients and the like.",
			Options: []Option{{Name: "bits", Doc: "binary places, 0 to 62, and 39 if left out"}},
		},
		{
			Name:  "bytes",
			Title: "The bytes that items return",
			Doc:   "What every item of a program that returns bytes gave, in item order, 32 MiB at most.",
		},
		{
			Name:  "by",
			Title: "What a program of your own makes of all results",
			Doc:   "A module gets the rows in item order, and yields numbers. All rows are kept until then, as in a table.",
			Options: []Option{
				{Name: "module", Doc: "the file of the module, or entry in its place", Required: true},
				{Name: "params", Doc: "numbers that the module sees"},
				{Name: "outputs", Doc: "how many numbers it yields, or their names"},
			},
		},
	}
}
