package browser

import (
	"strings"
	"testing"
)

func TestStorageInAProfileOutlivesAKilledBrowser(t *testing.T) {
	t.Parallel()
	url := serve(t)
	const open = `const db = await new Promise((resolve, reject) => {
		const r = indexedDB.open('mark');
		r.onupgradeneeded = () => r.result.createObjectStore('s');
		r.onsuccess = () => resolve(r.result);
		r.onerror = () => reject(r.error);
	});
	`
	for _, e := range []Engine{Chromium, Firefox} {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			o := Options{Profile: t.TempDir()}
			b := Launch(t, e, o)
			if err := b.Open(url).Eval(soon(t), open+`await new Promise((resolve, reject) => {
				const tx = db.transaction('s', 'readwrite', {durability: 'strict'});
				tx.objectStore('s').put('kept', 'k');
				tx.oncomplete = resolve;
				tx.onerror = () => reject(tx.error);
			})`, nil); err != nil {
				t.Fatal(err)
			}
			b.Kill()
			got := value[string](t, Launch(t, e, o).Open(url), open+`return new Promise((resolve, reject) => {
				const r = db.transaction('s').objectStore('s').get('k');
				r.onsuccess = () => resolve(r.result ?? 'lost');
				r.onerror = () => reject(r.error);
			})`)
			if got != "kept" {
				t.Errorf("got %q, want %q", got, "kept")
			}
		})
	}
}

func TestPreferencesOfTheTestWin(t *testing.T) {
	got := userJS(Options{Dark: true, Prefs: map[string]any{
		"app.update.enabled": true, "a.string": `x"y`, "a.number": 3,
	}})
	for _, want := range []string{
		`user_pref("a.number", 3);`,
		`user_pref("a.string", "x\"y");`,
		`user_pref("app.update.enabled", true);`,
		`user_pref("layout.css.prefers-color-scheme.content-override", 0);`,
		`user_pref("network.captive-portal-service.enabled", false);`,
	} {
		if !strings.Contains(got, want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	if strings.Contains(got, `"app.update.enabled", false`) {
		t.Error("the built-in value is still there")
	}
}

func TestAvailableNamesWhatIsMissing(t *testing.T) {
	if ok, reason := Available("opera"); ok || !strings.Contains(reason, "opera") {
		t.Errorf("got %v %q, want a reason that names the engine", ok, reason)
	}
	t.Setenv("PATH", t.TempDir())
	for _, e := range Engines {
		if ok, reason := Available(e); ok || reason == "" {
			t.Errorf("%s without a PATH: got %v %q, want a reason", e, ok, reason)
		}
	}
}
