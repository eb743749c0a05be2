package diag

var catalogCodes = []Code{
	{"catalog/unknown-program", "no such program", "list the programs with `shoal catalog`, or give the path of your own module"},
	{"catalog/unknown-split", "no such split", "list the splits with `shoal catalog`"},
	{"catalog/unknown-combine", "no such combine", "list the combines with `shoal catalog`"},
	{"catalog/unknown-param", "the program has no such param", "list the program's params with `shoal catalog`, and leave the others out"},
	{"catalog/param-range", "a param's value is not allowed", "give a value in the range that the catalog states, once"},
	{"catalog/split-refused", "the program cannot work on this split", "use a split that the program's catalog entry lists"},
	{"catalog/inputs", "the inputs are not those of the program", "give exactly the inputs that the catalog lists for it"},
	{"catalog/columns", "the split's columns are not those that the program needs", "name the columns as the program's catalog entry does, in its order"},
	{"catalog/entry", "the catalog entry contradicts itself or the catalog", "correct the entry"},
	{"catalog/bundle", "the file is no catalog entry", "export the entry again with `shoal catalog export`, and hand on the whole file"},
	{"catalog/wrong-digest", "the entry is not the one that the digest names", "ask for the file again, or for the digest of the file that you have"},
	{"catalog/unknown-entry", "your catalog has no such entry", "list your entries with `shoal catalog`"},
}
