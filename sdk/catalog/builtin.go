package catalog

import "shoal/sdk/id"

// builtinPrograms returns the programs of package shoal/wasm/programs. Their ids
// are in ids.go, which the build of that package writes.
func builtinPrograms() []Program {
	return []Program{
		{
			Name:  "batch/text",
			ID:    builtinID("batch/text"),
			Title: "Count what the records of a text hold",
			Doc: "An item is one record: a line, or a FASTA record with its header. It yields counts. Letters, digits and " +
				"spaces are those of ASCII. Bases are counted after the first line of a record, so a line has none, and of a " +
				"FASTA record they are the sequence without its header; small letters count as capitals.",
			Outputs: []Output{
				{Name: "bytes", Doc: "length of the record without its line end", Unit: "bytes"},
				{Name: "characters", Doc: "characters of UTF-8: bytes that do not continue one"},
				{Name: "words", Doc: "runs of bytes that are no spaces"},
				{Name: "letters", Doc: "A to Z in both cases"},
				{Name: "digits", Doc: "0 to 9"},
				{Name: "spaces", Doc: "spaces, tabs, line feeds, vertical tabs, form feeds and carriage returns"},
				{Name: "a", Doc: "adenine", Unit: "bases"},
				{Name: "c", Doc: "cytosine", Unit: "bases"},
				{Name: "g", Doc: "guanine", Unit: "bases"},
				{Name: "t", Doc: "thymine", Unit: "bases"},
				{Name: "n", Doc: "bases that are not known", Unit: "bases"},
				{Name: "other", Doc: "whatever else a sequence holds, spaces apart", Unit: "bytes"},
			},
			Splits:   []string{"records"},
			Formats:  []string{"lines", "fasta"},
			RunItems: 256,
			Pages:    4096,
		},
		{
			Name:  "ensemble/lorenz",
			ID:    builtinID("ensemble/lorenz"),
			Title: "Integrate an ensemble of the Lorenz system",
			Doc: "An item is one member: it starts at x0, y0, z0, each shifted by spread times a normal draw, and is " +
				"integrated by fourth-order Runge-Kutta steps of equal length. It yields where it ends, and how far " +
				"from the control, which starts without a shift. All quantities are dimensionless.",
			Params: []Param{
				{Name: "sigma", Doc: "Prandtl number", Default: 10, Min: 0, Max: 1000},
				{Name: "rho", Doc: "Rayleigh number over its critical value", Default: 28, Min: 0, Max: 1000},
				{Name: "beta", Doc: "aspect of the convection rolls", Default: 8.0 / 3, Min: 0, Max: 1000},
				{Name: "x0", Doc: "x at the start, the intensity of convection", Default: 1, Min: -1000, Max: 1000},
				{Name: "y0", Doc: "y at the start, the difference of temperature between the currents", Default: 1, Min: -1000, Max: 1000},
				{Name: "z0", Doc: "z at the start, the distortion of the profile of temperature", Default: 1, Min: -1000, Max: 1000},
				{Name: "spread", Doc: "standard deviation of the shifts", Default: 0.001, Min: 0, Max: 1000},
				{Name: "dt", Doc: "length of a step; long ones diverge", Default: 0.01, Min: 1e-6, Max: 0.1},
				{Name: "steps", Doc: "steps of the integration", Default: 2000, Min: 0, Max: 1e6, Whole: true},
			},
			Outputs: []Output{
				{Name: "x", Doc: "x at the end"},
				{Name: "y", Doc: "y at the end"},
				{Name: "z", Doc: "z at the end"},
				{Name: "distance", Doc: "distance from the control at the end"},
			},
			Splits:   []string{"range"},
			RunItems: 256,
			Pages:    64,
		},
		{
			Name:  "mc/european-call",
			ID:    builtinID("mc/european-call"),
			Title: "Price a European call option by Monte Carlo",
			Doc: "An item is one path of a stock that follows a geometric Brownian motion at the riskless rate and pays no " +
				"dividend. It yields what the call pays at the end, discounted to today, so that the mean " +
				"estimates the price of Black and Scholes.",
			Params: []Param{
				{Name: "spot", Doc: "price of the stock today", Unit: "money", Default: 100, Min: 0, Max: 1e12},
				{Name: "strike", Doc: "price at which the call lets its holder buy", Unit: "money", Default: 100, Min: 0, Max: 1e12},
				{Name: "rate", Doc: "riskless rate, compounded continuously", Unit: "per year", Default: 0.05, Min: -1, Max: 1},
				{Name: "volatility", Doc: "standard deviation of the logarithmic return of a year", Unit: "per square root of a year", Default: 0.2, Min: 0, Max: 10},
				{Name: "years", Doc: "time until the end", Unit: "years", Default: 1, Min: 0, Max: 100},
				{Name: "antithetic", Doc: "1: an item is the mean of a path and its mirror image; 0: one path", Default: 0, Min: 0, Max: 1, Whole: true},
			},
			Outputs: []Output{
				{Name: "price", Doc: "payoff at the end, discounted to today", Unit: "money"},
			},
			Splits:   []string{"range"},
			RunItems: 4096,
			Pages:    64,
		},
		{
			Name:  "mc/pi",
			ID:    builtinID("mc/pi"),
			Title: "Estimate pi from random points",
			Doc: "An item is one random point of the unit square. It yields 4 if the point lies inside " +
				"the quarter circle, else 0, so that the mean estimates pi.",
			Outputs: []Output{
				{Name: "pi", Doc: "4 inside the quarter circle, 0 outside"},
			},
			Splits:   []string{"range"},
			RunItems: 4096,
			Pages:    64,
		},
		{
			Name:  "ml/kfold-logreg",
			ID:    builtinID("ml/kfold-logreg"),
			Title: "Cross-validate a logistic regression over folds and penalties",
			Doc: "An item is one fold and one penalty: axis fold counts from 0 to folds - 1, and a penalty is above 0. " +
				"A logistic regression with that L2 penalty is trained on the rows outside the fold and tested on those inside. " +
				"Its input is a table of numbers whose last column is the label, 0 or 1. Columns are standardised on the " +
				"training rows. It minimises the sum of the losses plus penalty/2 times the squared weights, the intercept " +
				"apart, by Newton steps. Folds are dealt label by label from a shuffle, so they are the same for " +
				"every penalty and differ by one row at most.",
			Params: []Param{
				{Name: "folds", Doc: "parts that the rows are dealt to, at most as many as rows", Default: 10, Min: 2, Max: 1e6, Whole: true},
				{Name: "shuffle", Doc: "which shuffle the rows are dealt from", Default: 0, Min: 0, Max: 1<<53 - 1, Whole: true},
				{Name: "steps", Doc: "Newton steps at most; a fit ends when a step promises less than 1e-12", Default: 50, Min: 0, Max: 10000, Whole: true},
			},
			Outputs: []Output{
				{Name: "accuracy", Doc: "share of the fold's rows whose label is predicted, 0 … 1"},
				{Name: "logloss", Doc: "mean of -log of the probability given to the label", Unit: "nats"},
				{Name: "n", Doc: "rows in the fold", Unit: "rows"},
			},
			Splits:   []string{"grid"},
			Columns:  []string{"fold", "penalty"},
			Inputs:   []Input{{Name: "data", Doc: "a table of numbers, the last column the label", Format: "csv"}},
			RunItems: 8,
			Pages:    4096,
		},
		{
			Name:  "stats/columns",
			ID:    builtinID("stats/columns"),
			Title: "Take the chosen columns of a table as they are",
			Doc: "An item is one record. It yields the numbers of the chosen columns, for a combine that " +
				"describes them.",
			OutputsFollowColumns: true,
			Splits:               []string{"records"},
			RunItems:             1024,
			Pages:                64,
		},
		{
			Name:  "sweep/sir",
			ID:    builtinID("sweep/sir"),
			Title: "Sweep the rates of the SIR model of an epidemic",
			Doc: "An item is one pair of rates, both per day: beta, of infection, and gamma, of recovery. " +
				"It yields how an epidemic with these rates ends, by fourth-order Runge-Kutta steps of equal length.",
			Params: []Param{
				{Name: "population", Doc: "people in all", Unit: "people", Default: 10000, Min: 1, Max: 1e12, Whole: true},
				{Name: "infected", Doc: "people infected on day 0, at most the population", Unit: "people", Default: 10, Min: 0, Max: 1e12, Whole: true},
				{Name: "days", Doc: "length of the simulation", Unit: "days", Default: 160, Min: 1, Max: 3650, Whole: true},
				{Name: "steps", Doc: "steps of the integration per day", Default: 4, Min: 1, Max: 1000, Whole: true},
			},
			Outputs: []Output{
				{Name: "peak", Doc: "largest share of the population infected at one time, 0 … 1"},
				{Name: "final", Doc: "share of the population ever infected by the last day, 0 … 1"},
			},
			Splits:   []string{"grid"},
			Columns:  []string{"beta", "gamma"},
			RunItems: 64,
			Pages:    64,
		},
	}
}

func builtinID(name string) id.Program {
	p, err := id.Parse(programIDs[name])
	if err != nil {
		panic("catalog: bug: " + name + ": " + err.Error())
	}
	return p
}
