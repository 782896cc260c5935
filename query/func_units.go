package query

import "math"

// A unit of a quantity is scale of what the quantity is counted in, from offset on.
type unit struct{ scale, offset float64 }

// unitFuncs convert from one unit to another.
var unitFuncs = []Func{
	unitFunc("angle", angleUnits, `convert_angle(1.2, "Degree", "Arcminute") == 72.0`),
	unitFunc("energy", energyUnits, `convert_energy(1.5, "Kilojoule", "Joule") == 1500.0`),
	unitFunc("force", forceUnits, `convert_force(1.2, "Newton", "Decanewton") == 0.12`),
	unitFunc("length", lengthUnits, `round(convert_length(3.0, "Foot", "Inch"), 10) == 36.0`),
	unitFunc("mass", massUnits, `convert_mass(1.5, "Kilogram", "Gram") == 1500.0`),
	unitFunc("speed", speedUnits, `round(convert_speed(36.0, "KilometerPerHour", "MeterPerSecond"), 10) == 10.0`),
	unitFunc("temperature", temperatureUnits, `round(convert_temperature(212.0, "DegreeFahrenheit", "DegreeCelsius"), 10) == 100.0`),
	unitFunc("volume", volumeUnits, `convert_volume(2.0, "CubicMeter", "Liter") == 2000.0`),
}

// tilt is the unit of angles that is no multiple of another: their sine.
const tilt = "Tilt"

func unitFunc(quantity string, units map[string]unit, example string) Func {
	name := "convert_" + quantity
	return Func{
		Name: name, Usage: name + "(value, from, to)", Doc: "The value in another unit, as a real; null if there is no such unit of " + quantity + ".",
		Example: example, Params: []kinds{of(Real), strs, strs}, Result: fixed(Real),
		Eval: func(a []Value) Value {
			f, from, to := a[0].Real(), a[1].S, a[2].S
			if quantity == "angle" && from == tilt {
				f, from = math.Asin(f), "Radian"
			}
			sine := quantity == "angle" && to == tilt
			if sine {
				to = "Radian"
			}
			u, ok := units[from]
			v, ok2 := units[to]
			if !ok || !ok2 {
				return NullOf(Real)
			}
			f = v.of(u, f)
			if sine {
				f = math.Sin(f)
			}
			return RealOf(f)
		},
	}
}

// of converts a value in unit u to v.
func (v unit) of(u unit, f float64) float64 {
	if u == v {
		return f
	}
	if u.offset == 0 && v.offset == 0 && u.scale < v.scale {
		return f / (v.scale / u.scale) // a tenth is a quotient: its factor is no exact number
	}
	return (f*u.scale + u.offset - v.offset) / v.scale
}
