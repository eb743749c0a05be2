package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"shoal/js/e2e/browser"
)

// figures returns the rows of a result as the page shows them.
func figures(t *testing.T, p *browser.Page, demo string) map[string]string {
	t.Helper()
	return get[map[string]string](t, p, "Object.fromEntries([...document.querySelectorAll('#demo-"+demo+" .result table.figures tr')].map((r) => [r.cells[0].innerText, r.cells[1].innerText]))")
}

// number reads a number as the page writes it in English.
func number(t *testing.T, text string) float64 {
	t.Helper()
	text, _, _ = strings.Cut(strings.TrimSpace(text), " ")
	v, err := strconv.ParseFloat(strings.NewReplacer(",", "", "−", "-").Replace(text), 64)
	if err != nil {
		t.Fatalf("%q is no number", text)
	}
	return v
}

// saved presses a button that hands out a file, and returns its name and text.
func saved(t *testing.T, p *browser.Page, selector string) (name, content string) {
	t.Helper()
	do(t, p, `globalThis.savedFile = undefined;
		globalThis.keepBlob ??= URL.createObjectURL;
		URL.createObjectURL = (b) => { globalThis.savedBlob = b; return keepBlob.call(URL, b); };
		addEventListener('click', (e) => {
			if (!e.target.download) return;
			e.preventDefault();
			savedBlob.text().then((text) => { globalThis.savedFile = { name: e.target.download, text }; });
		}, { capture: true, once: false });
		HTMLAnchorElement.prototype.click = function () { document.body.append(this); this.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })); this.remove(); };`)
	do(t, p, "document.querySelector("+browser.Literal(selector)+").focus()")
	p.Press("Enter")
	wait(t, p, "globalThis.savedFile")
	f := get[struct{ Name, Text string }](t, p, "({ Name: savedFile.name, Text: savedFile.text })")
	return f.Name, f.Text
}

func TestAnOptionIsPricedAsBlackAndScholesSay(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, "#demo=mc&items=400000&seed=7&program=call")
	run(t, p, "mc")
	rows := figures(t, p, "mc")
	// The textbook case: spot and strike 100, 5 %, volatility 20 %, a year.
	if got := number(t, rows["Black–Scholes price"]); math.Abs(got-10.450583572185565) > 5e-4 {
		t.Errorf("the exact price is said to be %v", got)
	}
	mean, after, ok := strings.Cut(rows["Mean"], " ± ")
	if !ok {
		t.Fatalf("mean: %q", rows["Mean"])
	}
	if m, s := number(t, mean), number(t, after); math.Abs(m-10.450583572185565) > 4*s || s > 0.03 {
		t.Errorf("%v ± %v is no estimate of the price", m, s)
	}
}

func TestAResultIsTakenAwayAsCSVAndJSON(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, sweepHash)
	if shown := get[bool](t, p, "!document.querySelector('#demo-sweep .takeaway').hidden"); shown {
		t.Error("there is a file to take away before there is a result")
	}
	want := run(t, p, "sweep")
	name, text := saved(t, p, "#demo-sweep [data-save=csv]")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || name != "sweep.csv" || len(rows) != 1+12*8 || strings.Join(rows[0], ",") != "beta,gamma,peak,final" {
		t.Fatalf("%s has %d rows, %v", name, len(rows), err)
	}
	name, text = saved(t, p, "#demo-sweep [data-save=json]")
	var got struct {
		Digest, Work, Job string
		Asked             struct{ Program string }
		Value             struct{ Rows [][]float64 }
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || name != "sweep.json" {
		t.Fatalf("%s: %v", name, err)
	}
	if got.Digest != want.Digest || got.Work != want.Work || got.Job != want.Job || got.Asked.Program != "sweep/sir" || len(got.Value.Rows) != 12*8 {
		t.Errorf("the file holds %+v with %d rows, the page shows %+v", got, len(got.Value.Rows), want)
	}
	if peak, _ := strconv.ParseFloat(rows[96][2], 64); peak != got.Value.Rows[95][0] {
		t.Errorf("the last cell is %v in one file and %v in the other", peak, got.Value.Rows[95][0])
	}
}

func TestTheChosenPenaltyHasTheLeastLoss(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, "#demo=kfold&penalties=0.001,1,10,1000")
	ready(t, p, "kfold")
	run(t, p, "kfold")
	losses := get[[]string](t, p, "[...document.querySelectorAll('#demo-kfold .cells tbody tr')].map((r) => r.cells[3].innerText)")
	if len(losses) != 4 {
		t.Fatalf("the table has the losses %v", losses)
	}
	least := 0
	for i := range losses {
		if number(t, losses[i]) < number(t, losses[least]) {
			least = i
		}
	}
	chosen := get[string](t, p, text("#demo-kfold .chosen td"))
	if want := []string{"0.001", "1", "10", "1,000"}[least]; chosen != want {
		t.Errorf("penalty %s is chosen, %s has the least loss: %v", chosen, want, losses)
	}
	rows := figures(t, p, "kfold")
	if accuracy := number(t, rows["Mean accuracy"]); accuracy < 0.96 || accuracy > 0.99 {
		t.Errorf("the accuracy is %v; about 0.975 is published for these data", accuracy)
	}
}

func TestFilesOfSeveralKindsAreRead(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, "#demo=file&sample=lambda.fa")
	ready(t, p, "file")
	run(t, p, "file")
	// The bases of the genome as its entry in the public database counts them.
	counts := get[map[string]string](t, p, `(() => {
		const [head, ...rows] = [...document.querySelectorAll('#demo-file .values tr')].map((r) => [...r.cells].map((c) => c.innerText));
		const mean = rows.find((r) => r[0] === 'Mean');
		return Object.fromEntries(head.map((h, i) => [h.toLowerCase(), mean[i]]));
	})()`)
	for base, want := range map[string]string{"a": "12,334", "c": "11,362", "g": "12,820", "t": "11,986", "n": "0"} {
		if counts[base] != want {
			t.Errorf("%s occurs %q times, want %s", base, counts[base], want)
		}
	}

	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("name\theight\nx\t1\ny\tNA\nz\t5\n")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "heights.tsv.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	p.SetFiles("#demo-file input[type=file]", path)
	wait(t, p, text("#demo-file .filename")+".startsWith('heights.tsv.gz')")
	do(t, p, `for (const box of document.querySelectorAll('#demo-file [name=column]')) {
		box.checked = box.value === 'height';
		box.dispatchEvent(new Event('change', { bubbles: true }));
	}`)
	p.Click("#demo-file .run[data-action=run]")
	wait(t, p, text("#demo-file .refusal code")+".startsWith('records/')")
	do(t, p, `const s = document.querySelector('#demo-file [name=missing]'); s.value = 'nan'; s.dispatchEvent(new Event('change', { bubbles: true }))`)
	run(t, p, "file")
	if rows := figures(t, p, "file"); rows["Items"] != "2" || rows["Mean"] != "3" {
		t.Errorf("with a missing number left out the figures are %v", rows)
	}
}

func TestAFormulaIsExplainedAtTheColumnWhereItFails(t *testing.T) {
	st := serve(t)
	p := st.opened(t, browser.Chromium, "#demo=program&items=1000&seed=7&formula=4*(x*x+%2B+spead)")
	p.Click("#demo-program [data-action=check]")
	wait(t, p, text("#demo-program .admission .refusal code")+" === 'formula/unknown-name'")
	if got := get[string](t, p, "document.querySelector('#demo-program .admission .refusal pre').textContent"); got != "4*(x*x + spead)\n         ^^^^^" {
		t.Errorf("the place is shown as\n%s", got)
	}
	if got := get[string](t, p, "document.querySelector('#demo-program [name=formula]').getAttribute('aria-invalid')"); got != "true" {
		t.Error("the field does not say that it is wrong")
	}
	do(t, p, "const f = document.querySelector('#demo-program [name=formula]'); f.value = '4 * (x*x + y*y < 1)'; f.dispatchEvent(new Event('input', { bubbles: true }))")
	p.Click("#demo-program [data-action=check]")
	wait(t, p, text("#demo-program .verdict")+".startsWith('Admitted')")
	if run := get[string](t, p, text("#demo-program [data-id=digest]")); run != "after the run" {
		t.Errorf("a check has given the digest %q", run)
	}
	run(t, p, "program")
	rows := figures(t, p, "program")
	if m, s := number(t, rows["Mean"]), number(t, rows["Standard error of the mean"]); math.Abs(m-math.Pi) > 5*s {
		t.Errorf("%v ± %v is no estimate of pi", m, s)
	}
}

func TestAModuleIsDescribedCheckedAndCompared(t *testing.T) {
	st := serve(t)
	module, broken := filepath.Join(t.TempDir(), "pi.wasm"), filepath.Join(t.TempDir(), "broken.wasm")
	code := file(t, "../../wasm/programs/mc-pi.wasm")
	if err := os.WriteFile(module, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(broken, []byte(code[:len(code)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	p := st.opened(t, browser.Chromium, "#demo=program&items=200000&seed=7&source=file")
	p.SetFiles("#demo-program input[type=file]", broken)
	wait(t, p, text("#demo-program .admission .refusal code")+".startsWith('program/')")
	if got := get[string](t, p, text("#demo-program .admission .refusal")); !strings.Contains(got, "offset") {
		t.Errorf("the refusal does not say where: %s", got)
	}
	p.SetFiles("#demo-program input[type=file]", module)
	wait(t, p, text("#demo-program .verdict")+".startsWith('Admitted')")
	if got := get[string](t, p, text("#demo-program .admission table")); !strings.Contains(got, "run (function)") || !strings.Contains(got, "alloc (function)") {
		t.Errorf("the exports are not shown: %s", got)
	}

	want := run(t, p, "program")
	p.Click("#demo-program [data-workers='1']")
	wait(t, p, text("#demo-program .compare")+".includes('the same')")
	p.Click("#demo-program [data-workers='4']")
	wait(t, p, text("#demo-program .compare")+".split('the same').length === 3")
	// What another engine prints is compared when it is pasted.
	p.Type("#demo-program [name=paste]", want.Digest[:63]+"0")
	if last := want.Digest[63]; last != '0' {
		wait(t, p, "document.querySelector('#demo-program .differs')")
	}
}

func TestManyShardsStayInteractive(t *testing.T) {
	st := serve(t)
	b := browser.Launch(t, browser.Chromium, browser.Options{Preload: `
		globalThis.tally = { frames: 0, puts: 0, most: 0, long: 0, script: 0 };
		let inFrame = 0;
		const ask = requestAnimationFrame;
		globalThis.requestAnimationFrame = (f) => ask((now) => { const begun = performance.now(); f(now); tally.script += performance.now() - begun; });
		const put = CanvasRenderingContext2D.prototype.putImageData;
		CanvasRenderingContext2D.prototype.putImageData = function (...a) { tally.puts++; inFrame++; return put.apply(this, a); };
		const frame = () => { tally.frames++; tally.most = Math.max(tally.most, inFrame); inFrame = 0; ask(frame); };
		ask(frame);
		new PerformanceObserver((l) => { for (const e of l.getEntries()) tally.long = Math.max(tally.long, e.duration); }).observe({ type: 'longtask' });`})
	for _, c := range []struct {
		name, demo, hash, key string
		shards, puts          int
	}{
		{"a hundred thousand shards", "mc", "#demo=mc&items=100000&seed=7&grain=1", ".shards", 100_000, 1},
		{"a map of 250 × 250 cells", "sweep", "#demo=sweep&beta=0.01,1,250&gamma=0.01,0.7,250&days=1&steps=1&grain=1", ".map", 62_500, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := b.With(t).Open(st.URL + c.hash)
			english(t, p)
			p.Click("#demo-" + c.demo + " .run[data-action=run]")
			wait(t, p, "/[1-9][\\d,]* of "+group(c.shards)+" shards/.test("+text("#demo-"+c.demo+" .state")+")")
			nodes := get[int](t, p, "document.querySelectorAll('*').length")
			do(t, p, "globalThis.tally = { frames: 0, puts: 0, most: 0, long: 0, script: 0 }; document.querySelector('#demo-"+c.demo+" "+c.key+"').focus()")
			// Keys are answered while shards come in.
			for _, key := range []string{"ArrowRight", "ArrowDown", "End"} {
				p.Press(key)
			}
			wait(t, p, text("#demo-"+c.demo+" .readout")+".length > 5")
			wait(t, p, "tally.frames > 60")
			got := get[struct {
				Frames, Puts, Most, Nodes int
				Long, Script              float64
			}](t, p, "({ Frames: tally.frames, Puts: tally.puts, Most: tally.most, Nodes: document.querySelectorAll('*').length, Long: tally.long, Script: tally.script / tally.frames })")
			// The figures of the result come, and nothing for each shard.
			if got.Nodes > nodes+100 {
				t.Errorf("the page grows from %d to %d elements", nodes, got.Nodes)
			}
			if got.Most > c.puts || got.Puts == 0 {
				t.Errorf("pixels are put %d times in a frame, and %d times in %d frames", got.Most, got.Puts, got.Frames)
			}
			t.Logf("%d frames, %.1f ms of script in each, longest task %.0f ms", got.Frames, got.Script, got.Long)
			// About 1 and 3 ms when nothing else runs here.
			if got.Script > 15 {
				t.Errorf("a frame takes %.1f ms of script", got.Script)
			}
			if got.Long > 400 {
				t.Errorf("a task took %.0f ms", got.Long)
			}
			p.Press("Escape")
			wait(t, p, text("#demo-"+c.demo+" .state")+".startsWith('Stopped at') || "+text("#demo-"+c.demo+" .state")+".startsWith('Done')")
			st.clean(t, p)
		})
	}
}

// group writes a number with its thousands apart, as the page does in English.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
