package diag

var foldCodes = []Code{
	{"fold/unknown-kind", "there is no such combine", "use one of: moments, counts, histogram, table, covariance, quantiles, extremes, top, sample, sum, bytes"},
	{"fold/columns", "the number of columns cannot be folded", "declare as many columns as the program writes for an item, and no more than the combine takes"},
	{"fold/edges", "the histogram's edges are not usable", "give 2 to 65537 finite edges, each larger than the one before"},
	{"fold/distinct", "the limit on distinct values is not usable", "give a limit between 1 and 65536, or leave it out"},
	{"fold/field-not-used", "the combine does not use a field that is set", "remove the field, or choose the combine that uses it"},
	{"fold/option", "an option of the combine is not usable", "give the option a value within its range, or leave it out"},
	{"fold/shape", "the program yields one shape and the combine takes another", "combine bytes with bytes, and numbers with any other kind"},
	{"fold/fixed-point", "a value does not fit the fixed-point numbers of the sum", "keep fewer bits, or scale the values and leave out what is not finite"},
	{"fold/bytes-too-large", "the items gave more bytes than one fold keeps", "yield fewer bytes an item, or split the job"},
	{"fold/ragged", "the rows do not fill whole items", "make the program write exactly the declared number of columns for every item"},
	{"fold/too-many-items", "more items than an accumulator can count", "split the work into jobs of fewer than 2^64 items each"},
	{"fold/too-many-values", "more distinct values than the combine may keep", "round the values in the program, or use histogram or moments for values that rarely repeat"},
	{"fold/table-too-large", "the table has more cells than one fold keeps", "use a combine of constant size, or write fewer items or columns"},
	{"fold/overlap", "two results cover the same item", "fold each shard once; restore the accumulator from a checkpoint if in doubt"},
	{"fold/not-canonical", "the bytes are not the canonical form of a result", "send the bytes that the accumulator wrote, unchanged and whole"},
	{"fold/wrong-items", "the result does not cover the items of its shard", "recompute the shard; a result holds exactly the items its lease names"},
	{"fold/wrong-digest", "the bytes are not those that were accepted", "fetch the result again from another holder"},
}
