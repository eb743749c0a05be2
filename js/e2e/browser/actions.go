package browser

// The action sequences of WebDriver, which BiDi and the classic protocol share.

// clickActions moves to a point of the viewport and clicks the main button.
// Coordinates are whole CSS pixels because classic drivers take nothing else.
func clickActions(x, y float64) []object {
	return []object{{
		"type": "pointer", "id": "mouse", "parameters": object{"pointerType": "mouse"},
		"actions": []object{
			{"type": "pointerMove", "x": int(x), "y": int(y), "origin": "viewport"},
			{"type": "pointerDown", "button": 0},
			{"type": "pointerUp", "button": 0},
		},
	}}
}

// keyActions presses and releases each stroke in turn.
func keyActions(strokes []stroke) []object {
	actions := []object{}
	add := func(typ string, k key) {
		actions = append(actions, object{"type": typ, "value": string(k.driver)})
	}
	for _, s := range strokes {
		for _, m := range s.mods {
			add("keyDown", m)
		}
		add("keyDown", s.key)
		add("keyUp", s.key)
		for i := len(s.mods) - 1; i >= 0; i-- {
			add("keyUp", s.mods[i])
		}
	}
	return []object{{"type": "key", "id": "keyboard", "actions": actions}}
}
