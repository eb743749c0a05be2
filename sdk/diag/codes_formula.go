package diag

var formulaCodes = []Code{
	{"formula/syntax", "the formula is not well formed", "correct it at the place that is named"},
	{"formula/number", "a number of the formula is none", "write digits with at most one point and an exponent such as 1e-3"},
	{"formula/unknown-name", "the formula has a name that stands for nothing", "give it a value under params, or declare it under draws"},
	{"formula/unknown-function", "the formula calls a function that does not exist", "use one of the functions that docs/job-file.md lists"},
	{"formula/arity", "a function of the formula has a wrong number of values", "give as many values as the function takes"},
	{"formula/name-taken", "a name of the formula stands for two things", "give one of them another name"},
	{"formula/draw", "a draw of the formula is of a kind that does not exist", "declare it as \"uniform\" or \"normal\""},
	{"formula/too-large", "the formula is too large", "split it into definitions, move numbers into params, or write a module"},
}
