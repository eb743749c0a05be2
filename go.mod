module shoal

go 1.26.0

require (
	filippo.io/edwards25519 v1.2.0
	github.com/flynn/noise v1.1.0
	github.com/gorilla/websocket v1.5.3
	github.com/hack-pad/safejs v0.1.0
	github.com/tetratelabs/wazero v1.12.0
	go.etcd.io/bbolt v1.5.0
	golang.org/x/crypto v0.59.0
	golang.org/x/sys v0.50.0
	rsc.io/qr v0.2.0
)
