// Package blocks runs every fenced block of the documentation: commands, scripts,
// pages, job files, sources. A block that does not do what its page says fails a
// test, and so does one that nothing runs.
//
// The blocks of one page are done in order, in one scratch folder. What a block is
// follows from its language:
//
//	sh            bash -eu, with shoal on the path
//	js            a module in Node, where the package shoal is installed
//	html          a page in Chromium, with the package in /shoal/dist/
//	ts            checked by tsc, then a module in Node; as a file it is AssemblyScript
//	json          a job file must be one that Shoal accepts; other JSON must be JSON
//	csv, text …   a file of the page, or the output of the block before
//	c, rust …     a source, which a later sh block of the page builds
//	mermaid       a picture
//
// Comments before a block say more, one each; a page does not show them:
//
//	<!-- file: NAME -->        it is a file of the page and is written there
//	<!-- output -->            it is what the block before prints; … stands for anything
//	<!-- shows: TEXT -->       the page comes to show this, or the command to print it
//	<!-- refuses: CODE -->     it ends in this refusal
//	<!-- page -->              js that runs in a page in Chromium, not in Node
//	<!-- page: HTML -->        the same, with this in the body of the page
//	<!-- presses: CSS -->      this of the page is pressed once its script has run
//	<!-- chooses: FILE -->     this file of the page is chosen in its file input then
//	<!-- next visit -->        js of the same page, when it is loaded again
//	<!-- goes on -->           js or ts that goes on where the block before ended
//	<!-- background: TEXT -->  a command that runs until the page is done; it is started when it prints this
//	<!-- inside: TEXT -->      part of a source; TEXT is what is around it, with … in its place
//	<!-- held by: TEST -->     another test does it, DIR.TestName
//	<!-- not run: REASON -->   nothing can run it here
//
// and, anywhere in a page, what the scratch folder holds from the start:
//
//	<!-- needs: PATH PATH … -->
//	<!-- works in: PATH -->    the folder that the page's commands are typed in
//	<!-- first: COMMAND -->   what was done before, on another page
//	<!-- all held by: TEST --> another test does every block of the page
//
// Ports 8080, 8443 and 8000 stand for free ones, 192.168.1.10 for this machine, and
// https://relay.example for a server that the tests start.
package blocks
