package catalog

import "shoal/sdk/id"

// builtinPrograms returns the programs of package shoal/wasm/programs. Their ids
// are in ids.go, which the build of that package writes.
func builtinPrograms() []Program {
	return []Program{
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
