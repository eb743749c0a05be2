package diag

var linkCodes = []Code{
	{"link/lost", "the session between two devices is being renewed", "nothing needs to be done; if it goes on, check the network of both devices"},
	{"link/no-answer", "the other device does not answer", "check that its page is open and its network is up"},
	{"link/protocol", "the session between two devices was ended", "update both devices to the same release"},
	{"link/closed", "the other device left", "open Shoal on it again if it should take part"},
	{"link/invite", "the invite is not accepted", "ask for a new invite link"},
	{"link/too-big", "a message is too large for the other device", "use a smaller grain, so that inputs and results become smaller"},
}
