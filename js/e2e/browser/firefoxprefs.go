package browser

import (
	"maps"
	"slices"
	"strings"
)

// firefoxPrefs keep Firefox from talking to anyone but the pages under test and
// from showing anything of its own. Remote debugging sets a set of its own on
// top, but only once it is up, when the first requests are already out.
var firefoxPrefs = map[string]any{
	// Services that call home.
	"app.normandy.enabled":                            false,
	"app.update.auto":                                 false,
	"app.update.enabled":                              false,
	"browser.discovery.enabled":                       false,
	"browser.newtabpage.enabled":                      false,
	"browser.region.network.url":                      "",
	"browser.region.update.enabled":                   false,
	"browser.safebrowsing.blockedURIs.enabled":        false,
	"browser.safebrowsing.downloads.enabled":          false,
	"browser.safebrowsing.downloads.remote.enabled":   false,
	"browser.safebrowsing.malware.enabled":            false,
	"browser.safebrowsing.phishing.enabled":           false,
	"browser.safebrowsing.provider.google4.updateURL": "",
	"browser.safebrowsing.provider.mozilla.updateURL": "",
	"browser.search.geoSpecificDefaults":              false,
	"browser.search.update":                           false,
	"datareporting.healthreport.uploadEnabled":        false,
	"datareporting.policy.dataSubmissionEnabled":      false,
	"dom.push.connection.enabled":                     false,
	"dom.push.serverURL":                              "",
	"extensions.blocklist.enabled":                    false,
	"extensions.getAddons.cache.enabled":              false,
	"extensions.systemAddon.update.enabled":           false,
	"extensions.systemAddon.update.url":               "",
	"extensions.update.enabled":                       false,
	"geo.provider.network.url":                        "",
	"identity.fxaccounts.enabled":                     false,
	"media.gmp-manager.updateEnabled":                 false,
	"media.gmp-manager.url":                           "",
	"messaging-system.rsexperimentloader.enabled":     false,
	"network.captive-portal-service.enabled":          false,
	"network.connectivity-service.enabled":            false,
	"network.dns.disablePrefetch":                     true,
	"network.predictor.enabled":                       false,
	"network.prefetch-next":                           false,
	"network.trr.mode":                                5,
	"nimbus.rollouts.enabled":                         false,
	"security.OCSP.enabled":                           0,
	"security.remote_settings.crlite_filters.enabled": false,
	"security.remote_settings.intermediates.enabled":  false,
	"services.settings.server":                        "data:,#remote-settings-off/v1",
	"signon.autofillForms":                            false,
	"toolkit.telemetry.enabled":                       false,
	"toolkit.telemetry.reportingpolicy.firstRun":      false,
	"toolkit.telemetry.server":                        "",
	"toolkit.telemetry.unified":                       false,

	// Windows and pages of its own.
	"browser.aboutwelcome.enabled":             false,
	"browser.sessionstore.resume_from_crash":   false,
	"browser.shell.checkDefaultBrowser":        false,
	"browser.startup.homepage":                 "about:blank",
	"browser.startup.homepage_override.mstone": "ignore",
	"browser.startup.page":                     0,
	"browser.tabs.warnOnClose":                 false,
	"startup.homepage_welcome_url":             "",
	"toolkit.startup.max_resumed_crashes":      -1,

	// Two busy cores: no spare processes in advance.
	"dom.ipc.processPrelaunch.enabled": false,
}

// userJS is the profile's preference file.
func userJS(o Options) string {
	prefs := maps.Clone(firefoxPrefs)
	scheme := 1
	if o.Dark {
		scheme = 0
	}
	prefs["layout.css.prefers-color-scheme.content-override"] = scheme
	maps.Copy(prefs, o.Prefs)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(prefs)) {
		b.WriteString("user_pref(" + Literal(name) + ", " + Literal(prefs[name]) + ");\n")
	}
	return b.String()
}
