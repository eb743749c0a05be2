package diag

var trustCodes = []Code{
	{"trust/not-member", "the device may not take part in this pool", "ask the pool's keeper for an invite link"},
	{"trust/roster", "the list of the pool's devices is not valid", "reload the page; if it stays, ask the keeper to publish the list anew"},
	{"trust/regime", "the pool's regime does not fit", "open the pool with the function for its regime: own devices, consortium or open crowd"},
	{"trust/institutions", "the consortium's institutions are not valid", "give every institution a name and a key of its own, and every device one of them"},
	{"trust/invite", "the invite link is not valid", "copy the whole link, including everything after the #"},
	{"trust/no-gesture", "this device does not lend without consent", "press the button that agrees to lend, on this device"},
	{"trust/open-needs-public", "an open crowd takes public data only", "declare the data public, or run the job on own devices or in a consortium"},
	{"trust/crowded", "too many devices of one network", "take part from another network, or wait until one of the devices leaves"},
}
