package job

import (
	"math"
	"strconv"
)

// exact10 holds the powers of ten that a float64 holds exactly.
var exact10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// readNumber reads a decimal number, rounded to the nearest float64, with spaces
// and tabs around it. Only digits, a sign, a point and an exponent make a number
// here: no hexadecimal, no underscores, no names of infinities.
func readNumber(b []byte) (float64, finding) {
	b = trimSpaces(b)
	if len(b) == 0 {
		return 0, missing
	}
	i := 0
	negative := b[0] == '-'
	if negative || b[0] == '+' {
		i++
	}
	var mantissa uint64
	digits, kept, point := 0, 0, 0 // kept counts from the first digit that is not 0
	for ; i < len(b) && b[i]-'0' < 10; i++ {
		digits++
		if mantissa != 0 || b[i] != '0' {
			kept++
			mantissa = mantissa*10 + uint64(b[i]-'0')
		}
		if kept > 19 {
			return slowNumber(b)
		}
	}
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && b[i]-'0' < 10; i++ {
			digits++
			point--
			if mantissa != 0 || b[i] != '0' {
				kept++
				mantissa = mantissa*10 + uint64(b[i]-'0')
			}
			if kept > 19 {
				return slowNumber(b)
			}
		}
	}
	if digits == 0 {
		return notNumber(b)
	}
	if i < len(b) {
		return slowNumber(b)
	}
	// A mantissa below 2^53 and a power of ten up to 10^22 are exact, so one
	// division rounds once, correctly.
	if mantissa > 1<<53 || point < -22 {
		return slowNumber(b)
	}
	v := float64(mantissa) / exact10[-point]
	if negative {
		v = -v
	}
	return v, fine
}

// trimSpaces cuts the spaces and tabs around a field.
func trimSpaces(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// slowNumber reads the numbers that have an exponent or many digits.
func slowNumber(b []byte) (float64, finding) {
	if !decimal(b) {
		return notNumber(b)
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if math.IsInf(v, 0) {
		return 0, tooLarge
	}
	if err != nil {
		return notNumber(b)
	}
	return v, fine
}

// decimal tells whether b is sign, digits, point, digits, exponent, with a digit
// somewhere before the exponent.
func decimal(b []byte) bool {
	i, digits := 0, 0
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		i++
	}
	run := func() int {
		from := i
		for i < len(b) && b[i]-'0' < 10 {
			i++
		}
		return i - from
	}
	digits = run()
	if i < len(b) && b[i] == '.' {
		i++
		digits += run()
	}
	if digits == 0 {
		return false
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if run() == 0 {
			return false
		}
	}
	return i == len(b)
}

// notNumber tells the usual marks of a missing value from other text.
func notNumber(b []byte) (float64, finding) {
	if len(b) > 4 {
		return 0, text
	}
	var low [4]byte
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		low[i] = c
	}
	switch string(low[:len(b)]) {
	case "na", "n/a", "nan", "null", "none", "nil", "-", ".", "?":
		return 0, missing
	}
	return 0, text
}
