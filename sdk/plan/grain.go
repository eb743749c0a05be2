package plan

// Input is what the grain of a job follows from.
type Input struct {
	Items uint64 // of the job
	Row   uint64 // items of a grid's last axis; 0 for other splits
	Run   uint64 // items of one call of the program
	Gas   uint64 // the most units of a shard
	Bytes uint64 // that move per item: input, and result where it grows with items

	One  Probe // of the first item
	Some Probe // of the first few hundred items
}

// Grain returns how many items make a shard, and why, in one sentence. It is at
// least 1 and at most the items of the job.
//
// In this order: shards of TargetUnits; smaller ones, if there would be fewer
// than SpreadShards and they stay above LeastUnits; none above MostShardBytes;
// no more than MostShards; none above a quarter of the gas limit, which comes
// last because a shard that runs out of gas is lost. Then whole rows of a grid,
// or whole calls of the program.
func Grain(in Input) (grain uint64, why string) {
	if in.Items == 0 {
		return 1, "there are no items"
	}
	c := line(in.One, in.Some)
	least := (in.Items-1)/MostShards + 1
	most := uint64(1)
	if quarter := in.Gas / gasShare; quarter > c.fixed {
		most = max(1, (quarter-c.fixed)/c.each)
	}

	grain, because := max(1, max(less(TargetUnits, c.fixed), times(fixedShare, c.fixed))/c.each), ""
	if spread := (in.Items-1)/SpreadShards + 1; spread < grain {
		worth := up(max(LeastUnits, times(fixedShare, c.fixed)), c.each)
		if smaller := max(spread, worth); smaller < grain {
			grain, because = smaller, ", to have work for several devices"
		}
	}
	if in.Bytes > 0 && grain > max(1, MostShardBytes/in.Bytes) {
		grain, because = max(1, MostShardBytes/in.Bytes), ", to move no more than "+group(MostShardBytes)+" bytes for it"
	}
	if grain < least {
		grain, because = least, ", because "+group(MostShards)+" shards are the most"
	}
	if grain > most {
		grain, because = most, ", to stay below a quarter of the gas limit"
	}
	if grain >= in.Items {
		grain = in.Items
	} else if whole, of := even(in, grain, least, most); whole != grain {
		grain, because = whole, because+", "+of
	}
	return grain, sentence(in, c, grain, because)
}

// even moves a grain to whole rows of a grid, an even part of a row, or whole
// calls of the program, and says which.
func even(in Input, grain, least, most uint64) (uint64, string) {
	step, of := in.Row, "in whole rows of the grid"
	if step < 2 {
		step, of = in.Run, "in whole calls of the program"
	}
	if step < 2 || step >= in.Items {
		return grain, ""
	}
	if grain >= step {
		if down := grain - grain%step; down >= least {
			return down, of
		}
		if above := grain - grain%step + step; above <= most && above < in.Items {
			return above, of
		}
		return grain, ""
	}
	if in.Row < 2 {
		return grain, ""
	}
	parts := (step-1)/grain + 1
	for end := min(2*parts, parts+rowTries); parts <= end; parts++ {
		if step%parts == 0 && step/parts >= least {
			return step / parts, "in even parts of a row of the grid"
		}
	}
	return grain, ""
}

func sentence(in Input, c cost, grain uint64, because string) string {
	s := "an item costs about " + several(c.each, "unit")
	if c.fixed > 0 {
		s += " and the start of a shard " + several(c.fixed, "unit")
	}
	s += " (measured on " + several(max(in.One.Items, in.Some.Items), "item") + "), so a shard has " + several(grain, "item")
	if grain < in.Items {
		s += " of about " + several(c.units(grain), "unit") + because
	} else {
		s += ", which is all of them"
	}
	return s + ": " + several((in.Items-1)/grain+1, "shard") + " in all"
}
