package query

import "testing"

// TestUnits has the answers of the documentation, to twelve digits.
func TestUnits(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`convert_angle(1.2, "Degree", "Arcminute")`, "72.0"},
		{`round(convert_angle(30.0, "Degree", "Tilt"), 12)`, "0.5"},
		{`round(convert_angle(0.5, "Tilt", "Degree"), 12)`, "30.0"},
		{`round(convert_energy(1.2, "Joule", "BritishThermalUnit"), 12)`, "0.001137380544"},
		{`convert_force(1.2, "Newton", "Decanewton")`, "0.12"},
		{`round(convert_length(1.2, "Meter", "Foot"), 12)`, "3.937007874016"},
		{`round(convert_mass(1.2, "Kilogram", "Pound"), 12)`, "2.645547146219"},
		{`round(convert_speed(1.2, "MeterPerSecond", "CentimeterPerHour"), 6)`, "432000.0"},
		{`round(convert_temperature(1.2, "Kelvin", "DegreeCelsius"), 12)`, "-271.95"},
		{`round(convert_temperature(150, "DegreeDelisle", "DegreeCelsius"), 10)`, "0.0"},
		{`round(convert_volume(1.2, "CubicMeter", "AcreFoot"), 12)`, "0.0009728568"},
		{`convert_mass(1.2, "Kilogram", "Meter")`, "-"},
		{`convert_length(1.2, "Tilt", "Meter")`, "-"},
		{`convert_length(real(null), "Meter", "Meter")`, "-"},
	} {
		if got := joinResult(t, New(Options{}), "print r = "+c.expr); got != "r: "+c.want {
			t.Errorf("%s is %s, want %s", c.expr, got, c.want)
		}
	}
}
