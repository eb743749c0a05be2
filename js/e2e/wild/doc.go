// Package wild tests the SDK as its users get it, packed by npm, in pages and
// behind bundlers that make life hard. Each either runs the job that the package
// knows the digest of, or gives one refusal whose fix names the change.
//
// The fixtures folder is an npm package of its own, so that no bundler becomes
// part of the SDK. The packed SDK is unpacked into its node_modules anew.
package wild
