package diag

var sessionCodes = []Code{
	{"session/signature", "the server refused a greeting", "reload the page; if it stays, something between this device and the server alters messages"},
	{"session/backlog", "a message cannot wait for the server", "wait until the connection is back, or check why this network is so slow"},
	{"session/too-big", "a message does not fit a packet", "send fewer entries at once, such as a smaller roster"},
}
