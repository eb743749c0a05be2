package job

import (
	"bytes"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

// Record returns the first record of a text of lines or FASTA, as its item gets
// it, and how many bytes of the text it takes: a line without its line end, or a
// sequence from its > up to the line end before the next one. The text is not
// empty and begins with a record.
func Record(format string, data []byte) (record []byte, size int) {
	size, _ = textEnd(format, data, true)
	end := size
	if data[end-1] == '\n' {
		if end--; end > 0 && data[end-1] == '\r' {
			end--
		}
	}
	return data[:end], size
}

// textEnd returns how many bytes the first record takes, and false if data ends
// before that shows.
func textEnd(format string, data []byte, final bool) (size int, ok bool) {
	for {
		i := bytes.IndexByte(data[size:], '\n')
		if i < 0 {
			return len(data), final
		}
		size += i + 1
		switch {
		case format == formatLines:
			return size, true
		case size == len(data):
			return size, final
		case data[size] == '>':
			return size, true
		}
	}
}

// readText goes on over whole lines or sequences.
func (s *sheet) readText() error {
	data := s.scan.data
	for s.scan.off < len(data) {
		start := s.scan.off
		if s.split.Format == formatFasta && s.part.rows == 0 && data[start] != '>' {
			next, what := s.scan.blank()
			if what == short {
				return nil
			}
			if s.line++; what != blank {
				return diag.New("records/fasta", "line "+num(s.line)+": text stands before the first record, which begins with >",
					diag.Detail{Key: "line", Value: num(s.line)})
			}
			s.scan.off = next
			continue
		}
		size, ok := textEnd(s.split.Format, data[start:], s.scan.final)
		if !ok {
			return nil
		}
		s.scan.off = start + size
		s.note(start, s.scan.off)
	}
	return nil
}

// textFault tells why the longest record does not fit into a call, or "".
func (r *Records) textFault(w wire.Work) string {
	need := frameBytes(w, 1) + r.Longest()
	if have := callBytes(w); need > have {
		return "a call with the longest record takes about " + num(need) + " bytes, and half of the memory is " + num(have)
	}
	return ""
}

// Room returns the bytes that a call has for its items, and what each of them
// takes besides its text, rounded up to a multiple of 8.
func Room(w wire.Work) (room, each uint64) {
	have := callBytes(w)
	return have - min(have, frameBytes(w, 0)), rowBytes(w)
}
