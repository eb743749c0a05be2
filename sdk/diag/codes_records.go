package diag

// recordsCodes are about files that are read while a job is planned and runs.
var recordsCodes = []Code{
	{"records/read-failed", "the file could not be read to its end", "keep the file where it is and as it is while the job runs, and submit the job again"},
	{"records/shard-too-large", "the records of a shard are too large", "choose a smaller grain, or leave it out"},
}
