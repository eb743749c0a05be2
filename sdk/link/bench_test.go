package link

import "testing"

func BenchmarkHandshake(b *testing.B) {
	for i := 0; i < b.N; i++ {
		a, c := configs()
		p := newPair(b, a, c)
		p.run()
		if !p.a.IsUp() {
			b.Fatal("not up")
		}
	}
}

func BenchmarkBulk(b *testing.B) {
	a, c := configs()
	p := newPair(b, a, c)
	p.run()
	m := pattern(4 << 20)
	b.SetBytes(int64(len(m)))
	for i := 0; i < b.N; i++ {
		if err := p.a.Send(p.now, m, true); err != nil {
			b.Fatal(err)
		}
		p.run()
		p.b.messages, p.log = nil, nil
	}
}
