package diag

var foldCodes = []Code{
	{"fold/unknown-kind", "there is no such combine", "use one of: moments, counts, histogram, table"},
	{"fold/columns", "the number of columns cannot be folded", "declare between 1 and 1024 columns an item, as many as the program writes"},
	{"fold/edges", "the histogram's edges are not usable", "give 2 to 65537 finite edges, each larger than the one before"},
	{"fold/distinct", "the limit on distinct values is not usable", "give a limit between 1 and 65536, or leave it out"},
	{"fold/field-not-used", "the combine does not use a field that is set", "remove the field, or choose the combine that uses it"},
	{"fold/ragged", "the rows do not fill whole items", "make the program write exactly the declared number of columns for every item"},
	{"fold/too-many-items", "more items than an accumulator can count", "split the work into jobs of fewer than 2^64 items each"},
	{"fold/too-many-values", "more distinct values than the combine may keep", "round the values in the program, or use histogram or moments for values that rarely repeat"},
	{"fold/table-too-large", "the table has more cells than one fold keeps", "use a combine of constant size, or write fewer items or columns"},
	{"fold/overlap", "two results cover the same item", "fold each shard once; restore the accumulator from a checkpoint if in doubt"},
	{"fold/not-canonical", "the bytes are not the canonical form of a result", "send the bytes that the accumulator wrote, unchanged and whole"},
	{"fold/wrong-items", "the result does not cover the items of its shard", "recompute the shard; a result holds exactly the items its lease names"},
	{"fold/wrong-digest", "the bytes are not those that were accepted", "fetch the result again from another holder"},
}
