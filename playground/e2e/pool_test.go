package e2e

import (
	"strings"
	"testing"

	"shoal/js/e2e/browser"
)

// invited opens a pool in one browser and the invite's page in another.
func invited(t *testing.T, st *site, guest browser.Engine) (keeper, invitee *browser.Page) {
	t.Helper()
	keeper = st.opened(t, browser.Chromium, mcHash)
	keeper.Click(".pool [data-action=invite]")
	wait(t, keeper, "document.querySelector('.invite .link')")
	link := get[string](t, keeper, "document.querySelector('.invite .link').href")
	if !strings.HasPrefix(link, st.URL+"#join=") {
		t.Fatalf("the invite link is %s", link)
	}
	if n := get[int](t, keeper, "document.querySelector('.invite svg path').getAttribute('d').length"); n < 2000 {
		t.Errorf("the QR code is drawn with %d characters", n)
	}
	invitee = st.opened(t, guest, strings.TrimPrefix(link, st.URL))
	return keeper, invitee
}

// admitted brings the invitee into the pool.
func admitted(t *testing.T, keeper, invitee *browser.Page) {
	t.Helper()
	invitee.Click("[data-action=join]")
	wait(t, keeper, "document.querySelector('dialog[open] .words')?.textContent")
	wait(t, invitee, text(".wordsbox .words")+" !== ''")
	here, there := get[string](t, keeper, text("dialog .words")), get[string](t, invitee, text(".wordsbox .words"))
	if here != there || len(strings.Fields(here)) < 3 {
		t.Fatalf("the keeper's words are %q, the invitee's %q", here, there)
	}
	keeper.Click("[data-action=admit]")
	wait(t, invitee, text(".join .state")+".startsWith('Lending')")
	wait(t, keeper, "document.querySelectorAll('.peers li').length === 2 && "+text(".peers")+".includes('through the relay')")
}

func TestAnInviteIsKeptAndTakenOutOfTheAddressBar(t *testing.T) {
	st := serve(t)
	_, p := invited(t, st, browser.Chromium)
	if href := get[string](t, p, "location.href"); href != st.URL {
		t.Errorf("the address bar shows %s", href)
	}
	if got := get[string](t, p, text(".join")); !strings.Contains(got, "What it lends") {
		t.Errorf("the page says %q", got)
	}
	st.mu.Lock()
	for _, path := range st.asked {
		if strings.Contains(path, "join") {
			t.Errorf("the server was asked for %s", path)
		}
	}
	st.mu.Unlock()
	// Nothing is lent, and nothing connected, by opening the page.
	if got := get[bool](t, p, "document.querySelector('.join .runbar').hidden && performance.getEntriesByType('resource').every((e) => !e.name.endsWith('.wasm'))"); !got {
		t.Error("the page has begun something without a press")
	}
	p.Reload()
	wait(t, p, text(".join")+".includes('What it lends')")
}

func TestAServerThatWantsItsTokenIsGivenIt(t *testing.T) {
	st := serveFor(t, "open sesame")
	p := st.opened(t, browser.Chromium, mcHash)
	if get[bool](t, p, "!document.querySelector('form.token').hidden") {
		t.Error("the token is asked for before the server does")
	}
	p.Click(".pool [data-action=invite]")
	wait(t, p, "!document.querySelector('form.token').hidden")
	p.Type("#token", "open barley")
	p.Press("Enter")
	wait(t, p, text(".pool .refusal")+".includes('pool/token') && !document.querySelector('.pool [data-action=invite]').disabled")
	do(t, p, "document.querySelector('#token').value = ''")
	p.Type("#token", "open sesame")
	p.Press("Enter")
	wait(t, p, "document.querySelector('.invite .link')")
	if get[bool](t, p, "!document.querySelector('form.token').hidden") {
		t.Error("the token is still asked for")
	}
	if kept := get[string](t, p, "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])"); strings.Contains(kept, "sesame") {
		t.Errorf("the token was kept: %s", kept)
	}
}

func TestTwoDevicesAgreeOnTheDigestOfOne(t *testing.T) {
	st := serve(t)
	for _, e := range browser.Engines {
		t.Run(string(e), func(t *testing.T) {
			keeper, invitee := invited(t, st, e)
			alone := run(t, keeper, "mc")
			admitted(t, keeper, invitee)
			if on := get[bool](t, keeper, "document.querySelector('#demo-mc [value=pool]').checked"); !on {
				t.Error("the pool is open and runs do not go to it")
			}
			do(t, keeper, `const s = document.querySelector('#demo-mc .place select'); s.value = '2'; s.dispatchEvent(new Event('change', { bubbles: true }))`)

			// A device that has stopped lending leaves the run waiting, and the page says so.
			invitee.Click(".join [data-action=stop]")
			wait(t, invitee, text(".join .state")+".startsWith('Lending has stopped')")
			keeper.Click("#demo-mc .run[data-action=run]")
			wait(t, keeper, text("#demo-mc .state")+".includes('Waiting for another independent peer')")
			wait(t, keeper, text("#demo-mc .explain")+".includes('Running')")
			if got := get[string](t, keeper, text("#demo-mc .state")); !strings.HasPrefix(got, "0 of ") {
				t.Errorf("one device alone has verified something: %q", got)
			}

			invitee.Click(".join [data-action=lend]")
			pooled := finished(t, keeper, "mc")
			if pooled.Digest != alone.Digest || pooled.Work != alone.Work || pooled.Job == alone.Job {
				t.Errorf("alone %+v, by two devices %+v", alone, pooled)
			}
		})
	}
}

func TestAHiddenPageParksAndSaysSo(t *testing.T) {
	st := serve(t)
	keeper, invitee := invited(t, st, browser.Chromium)
	admitted(t, keeper, invitee)
	invitee.Hide()
	wait(t, invitee, "document.title.startsWith('Parked')")
	invitee.Show()
	wait(t, invitee, text(".join .runbar")+".includes('Parked while the page was hidden') && document.title.startsWith('Lending')")
	invitee.Press("Escape")
	wait(t, invitee, text(".join .state")+".startsWith('Lending has stopped')")
}

func TestADeviceThatIsDeniedIsToldSo(t *testing.T) {
	st := serve(t)
	keeper, invitee := invited(t, st, browser.Chromium)
	invitee.Click("[data-action=join]")
	wait(t, keeper, "document.querySelector('dialog[open] .words')?.textContent")
	if on := get[string](t, keeper, "document.activeElement.localName"); on == "button" {
		t.Error("a stray Enter would decide about the device")
	}
	// Esc puts the question aside and decides nothing.
	keeper.Press("Escape")
	wait(t, keeper, "!document.querySelector('dialog[open]') && document.querySelector('.pool .buttons .primary')")
	keeper.Click(".pool .buttons .primary")
	wait(t, keeper, "document.querySelector('dialog[open]')")
	keeper.Click("[data-action=deny]")
	wait(t, invitee, text(".join .refusal code")+" !== ''")
	if n := get[int](t, keeper, "document.querySelectorAll('.peers li').length"); n != 1 {
		t.Errorf("the pool has %d devices", n)
	}
}
