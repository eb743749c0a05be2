package diag

var serverCodes = []Code{
	{"server/greeting", "the server did not understand a greeting", "connect with a current release; another program cannot use this address"},
	{"server/busy", "the server takes no further connection from here", "wait half a minute; close pages that are not needed, or raise the server's limits"},
	{"server/full", "the server has no place for another room", "come back later, or raise the server's limits"},
	{"server/draining", "the server is about to end", "nothing needs to be done: the device comes back by itself"},
	{"server/quarantined", "the room is set aside after a fault of the server", "open a new pool, and report the server's log"},
	{"server/storage", "the server cannot store what happens in the room", "free space on the server's disk, or check its state directory"},
	{"server/origin", "the server does not let this page connect", "add the page's origin to the server's list of origins"},
	{"server/no-upgrade", "the address is for WebSockets", "if a proxy stands before the server, let it pass the Upgrade header on"},
	{"server/not-local", "the server tells this to its own machine only", "ask on the machine that runs the server, or give the server's token where that is possible"},
	{"server/no-keeper", "the server has no invite to give", "start the server with its keeper, or wait until the keeper's pool is open"},
	{"server/state", "the server cannot use its state directory", "end the other server that uses it, or give another directory"},
	{"server/listen", "the server cannot listen on its address", "end the program that uses the address, or choose another port"},
	{"server/tls", "the server cannot use its certificate", "give the certificate and its key as PEM files that belong together"},
	{"server/certificate", "this machine does not trust the server's certificate", "name the certificate's file in SSL_CERT_FILE, or give the server one from an authority that this machine knows"},
}
