package trust

import (
	"shoal/sdk/diag"
	"shoal/sdk/id"
)

// Consent records that a person agreed to lend this device to one pool. The zero
// value covers nothing, and only Agree makes another.
type Consent struct {
	room   id.Room
	regime Name
}

// Agree returns the consent to lend to the pool of the given regime. gesture
// tells that a person pressed something just now; without it the answer is
// trust/no-gesture, so that no page lends by being opened.
func Agree(gesture bool, r Regime) (Consent, error) {
	if !gesture {
		return Consent{}, diag.New("trust/no-gesture", "no person agreed on this device")
	}
	if err := r.Validate(); err != nil {
		return Consent{}, err
	}
	return Consent{room: r.RoomID(), regime: r.Name()}, nil
}

// Covers reports whether the consent was given for this pool, under this regime.
func (c Consent) Covers(r Regime) bool {
	return c.regime != "" && c.regime == r.Name() && c.room == r.RoomID()
}
