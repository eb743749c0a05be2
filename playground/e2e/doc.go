// Package e2e tests the built playground in real browsers, served by the real
// server with its real policy. It builds nothing but the command that the page
// tells people to run.
package e2e
