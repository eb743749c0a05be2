package browser

import (
	"bytes"
	"image/png"
	"testing"
)

func TestX(t *testing.T) {
	url := serve(t)
	b := Launch(t, WebKit, Options{})
	bad := 0
	for i := range 60 {
		p := b.Open(url)
		p.SetViewport(640+i, 480)
		img, err := png.Decode(bytes.NewReader(p.Screenshot()))
		if err != nil {
			t.Fatal(err)
		}
		if r, g, _, _ := img.At(50, 50).RGBA(); r != 0xffff || g != 0 {
			bad++
			t.Log(i, r, g)
		}
		p.Close()
	}
	t.Log("bad", bad)
}
