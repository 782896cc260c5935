package query

// What units are in one unit of their quantity. Feet, pounds and what derives from them are
// exact, the acre foot and some others as rounded as Kusto has them.

// angleUnits are in degrees.
var angleUnits = map[string]unit{
	"Arcminute": {scale: 0.016666666666666666}, "Arcsecond": {scale: 0.0002777777777777778}, "Centiradian": {scale: 0.5729577951308232},
	"Deciradian": {scale: 5.729577951308232}, "Degree": {scale: 1}, "Gradian": {scale: 0.9}, "Microdegree": {scale: 1e-06},
	"Microradian": {scale: 5.729577951308232e-05}, "Millidegree": {scale: 0.001}, "Milliradian": {scale: 0.05729577951308232},
	"Nanodegree": {scale: 1e-09}, "Nanoradian": {scale: 5.729577951308233e-08}, "NatoMil": {scale: 0.05625},
	"Radian": {scale: 57.29577951308232}, "Revolution": {scale: 360},
}

// energyUnits are in joules.
var energyUnits = map[string]unit{
	"BritishThermalUnit": {scale: 1055.05585262}, "Calorie": {scale: 4.184}, "DecathermEc": {scale: 1055055852.6199999},
	"DecathermImperial": {scale: 1055055852.57348}, "DecathermUs": {scale: 1054804000}, "ElectronVolt": {scale: 1.602176565e-19},
	"Erg": {scale: 1e-07}, "FootPound": {scale: 1.355817948}, "GigabritishThermalUnit": {scale: 1055055852620},
	"GigaelectronVolt": {scale: 1.602176565e-10}, "Gigajoule": {scale: 1000000000}, "GigawattDay": {scale: 86400000000000},
	"GigawattHour": {scale: 3600000000000}, "HorsepowerHour": {scale: 2684519.5377}, "Joule": {scale: 1},
	"KilobritishThermalUnit": {scale: 1055055.85262}, "Kilocalorie": {scale: 4184}, "KiloelectronVolt": {scale: 1.602176565e-16},
	"Kilojoule": {scale: 1000}, "KilowattDay": {scale: 86400000}, "KilowattHour": {scale: 3600000},
	"MegabritishThermalUnit": {scale: 1055055852.62}, "Megacalorie": {scale: 4184000}, "MegaelectronVolt": {scale: 1.602176565e-13},
	"Megajoule": {scale: 1000000}, "MegawattDay": {scale: 86400000000}, "MegawattHour": {scale: 3600000000}, "Millijoule": {scale: 0.001},
	"TeraelectronVolt": {scale: 1.602176565e-07}, "TerawattDay": {scale: 8.64e+16}, "TerawattHour": {scale: 3600000000000000},
	"ThermEc": {scale: 105505585.262}, "ThermImperial": {scale: 105505585.257348}, "ThermUs": {scale: 105480400}, "WattDay": {scale: 86400},
	"WattHour": {scale: 3600},
}

// forceUnits are in newtons.
var forceUnits = map[string]unit{
	"Decanewton": {scale: 10}, "Dyn": {scale: 1e-05}, "KiloPond": {scale: 9.80665002864}, "KilogramForce": {scale: 9.80665002864},
	"Kilonewton": {scale: 1000}, "KilopoundForce": {scale: 4448.22161526051}, "Meganewton": {scale: 1000000}, "Micronewton": {scale: 1e-06},
	"Millinewton": {scale: 0.001}, "Newton": {scale: 1}, "OunceForce": {scale: 0.2780138509537812}, "PoundForce": {scale: 4.448221615260509},
	"Poundal": {scale: 0.1382550279897304}, "ShortTonForce": {scale: 8896.443230521}, "TonneForce": {scale: 9806.65002864},
}

// lengthUnits are in meters.
var lengthUnits = map[string]unit{
	"Angstrom": {scale: 1e-10}, "AstronomicalUnit": {scale: 149597870700}, "Centimeter": {scale: 0.01}, "Chain": {scale: 20.1168},
	"DataMile": {scale: 1828.8}, "Decameter": {scale: 10}, "Decimeter": {scale: 0.1}, "DtpPica": {scale: 0.004233333333332346},
	"DtpPoint": {scale: 0.00035277777777777776}, "Fathom": {scale: 1.8288}, "Foot": {scale: 0.3048}, "Hand": {scale: 0.1016},
	"Hectometer": {scale: 100}, "Inch": {scale: 0.0254}, "KilolightYear": {scale: 9.46073047258e+18}, "Kilometer": {scale: 1000},
	"Kiloparsec": {scale: 3.08567758128e+19}, "LightYear": {scale: 9460730472580000}, "MegalightYear": {scale: 9.46073047258e+21},
	"Megaparsec": {scale: 3.08567758128e+22}, "Meter": {scale: 1}, "Microinch": {scale: 2.54e-08}, "Micrometer": {scale: 1e-06},
	"Mil": {scale: 2.54e-05}, "Mile": {scale: 1609.34}, "Millimeter": {scale: 0.001}, "Nanometer": {scale: 1e-09},
	"NauticalMile": {scale: 1852}, "Parsec": {scale: 3.08567758128e+16}, "PrinterPica": {scale: 0.004217517599993978},
	"PrinterPoint": {scale: 0.00035145980351459805}, "Shackle": {scale: 27.432}, "SolarRadius": {scale: 695510000},
	"Twip": {scale: 1.7638888888889126e-05}, "UsSurveyFoot": {scale: 0.3048006096012192}, "Yard": {scale: 0.9144},
}

// massUnits are in grams.
var massUnits = map[string]unit{
	"Centigram": {scale: 1e-05}, "Decagram": {scale: 0.01}, "Decigram": {scale: 0.0001}, "EarthMass": {scale: 5.9722e+24},
	"Grain": {scale: 6.479891e-05}, "Gram": {scale: 0.001}, "Hectogram": {scale: 0.1}, "Kilogram": {scale: 1}, "Kilopound": {scale: 453.59237},
	"Kilotonne": {scale: 1000000}, "LongHundredweight": {scale: 50.80234544}, "LongTon": {scale: 1016.0469088}, "Megapound": {scale: 453592.37},
	"Megatonne": {scale: 1000000000}, "Microgram": {scale: 9.999999999999999e-10}, "Milligram": {scale: 1e-06}, "Nanogram": {scale: 1e-12},
	"Ounce": {scale: 0.02834952316484755}, "Pound": {scale: 0.45359237}, "ShortHundredweight": {scale: 45.359237},
	"ShortTon": {scale: 907.18474}, "Slug": {scale: 14.593903000000001}, "SolarMass": {scale: 1.98947e+30}, "Stone": {scale: 6.350288000000001},
	"Tonne": {scale: 1000},
}

// speedUnits are in meters per second.
var speedUnits = map[string]unit{
	"CentimeterPerHour": {scale: 2.777777777777778e-06}, "CentimeterPerMinute": {scale: 0.00016666666666666666},
	"CentimeterPerSecond": {scale: 0.01}, "DecimeterPerMinute": {scale: 0.0016666666666666668}, "DecimeterPerSecond": {scale: 0.1},
	"FootPerHour": {scale: 8.466666666666667e-05}, "FootPerMinute": {scale: 0.00508}, "FootPerSecond": {scale: 0.3048},
	"InchPerHour": {scale: 7.055555555555555e-06}, "InchPerMinute": {scale: 0.0004233333333333333}, "InchPerSecond": {scale: 0.0254},
	"KilometerPerHour": {scale: 0.2777777777777778}, "KilometerPerMinute": {scale: 16.666666666666668}, "KilometerPerSecond": {scale: 1000},
	"Knot": {scale: 0.514444}, "MeterPerHour": {scale: 0.0002777777777777778}, "MeterPerMinute": {scale: 0.016666666666666666},
	"MeterPerSecond": {scale: 1}, "MicrometerPerMinute": {scale: 1.6666666666666667e-08}, "MicrometerPerSecond": {scale: 1e-06},
	"MilePerHour": {scale: 0.44704}, "MillimeterPerHour": {scale: 2.7777777777777776e-07},
	"MillimeterPerMinute": {scale: 1.6666666666666667e-05}, "MillimeterPerSecond": {scale: 0.001},
	"NanometerPerMinute": {scale: 1.6666666666666667e-11}, "NanometerPerSecond": {scale: 1e-09},
	"UsSurveyFootPerHour": {scale: 8.466683600033866e-05}, "UsSurveyFootPerMinute": {scale: 0.00508001016002032},
	"UsSurveyFootPerSecond": {scale: 0.3048006096012192}, "YardPerHour": {scale: 0.000254}, "YardPerMinute": {scale: 0.01524},
	"YardPerSecond": {scale: 0.9144},
}

// temperatureUnits are in kelvin.
var temperatureUnits = map[string]unit{
	"DegreeCelsius": {1, 273.15}, "DegreeDelisle": {-0.6666666666666666, 373.15}, "DegreeFahrenheit": {0.5555555555555556, 255.37222222222223},
	"DegreeNewton": {3.0303030303030303, 273.15}, "DegreeRankine": {0.5555555555555556, 0}, "DegreeReaumur": {1.25, 273.15},
	"DegreeRoemer": {1.9047619047619047, 258.8642857142857}, "Kelvin": {1, 0}, "MillidegreeCelsius": {0.001, 273.15},
	"SolarTemperature": {5778, 0},
}

// volumeUnits are in cubic meters.
var volumeUnits = map[string]unit{
	"AcreFoot": {scale: 1233.4806109182769}, "AuTablespoon": {scale: 2e-05}, "BoardFoot": {scale: 0.0023597372158},
	"Centiliter": {scale: 1e-05}, "CubicCentimeter": {scale: 1e-06}, "CubicDecimeter": {scale: 0.001}, "CubicFoot": {scale: 0.0283168},
	"CubicHectometer": {scale: 1000000}, "CubicInch": {scale: 1.6387e-05}, "CubicKilometer": {scale: 1000000000}, "CubicMeter": {scale: 1},
	"CubicMicrometer": {scale: 1e-18}, "CubicMile": {scale: 4168181825.44058}, "CubicMillimeter": {scale: 1e-09},
	"CubicYard": {scale: 0.764554858}, "Decaliter": {scale: 0.01}, "DecausGallon": {scale: 0.0378541}, "Deciliter": {scale: 0.0001},
	"DeciusGallon": {scale: 0.00037854100000000003}, "HectocubicFoot": {scale: 2.83168}, "HectocubicMeter": {scale: 100},
	"Hectoliter": {scale: 0.1}, "HectousGallon": {scale: 0.378541}, "ImperialBeerBarrel": {scale: 0.16365924},
	"ImperialGallon": {scale: 0.0045460900000018145}, "ImperialOunce": {scale: 2.84130624999629e-05}, "ImperialPint": {scale: 0.00056826125},
	"KilocubicFoot": {scale: 28.3168}, "KilocubicMeter": {scale: 1000}, "KiloimperialGallon": {scale: 4.546090000001815},
	"Kiloliter": {scale: 1}, "KilousGallon": {scale: 3.7854099999999997}, "Liter": {scale: 0.001}, "MegacubicFoot": {scale: 28316.8},
	"MegaimperialGallon": {scale: 4546.090000001815}, "Megaliter": {scale: 1000}, "MegausGallon": {scale: 3785.41},
	"MetricCup": {scale: 0.00025}, "MetricTeaspoon": {scale: 5e-06}, "Microliter": {scale: 9.999999999999999e-10}, "Milliliter": {scale: 1e-06},
	"OilBarrel": {scale: 0.158987294928}, "UkTablespoon": {scale: 1.5e-05}, "UsBeerBarrel": {scale: 0.1173477658},
	"UsCustomaryCup": {scale: 0.0002365882365}, "UsGallon": {scale: 0.00378541}, "UsLegalCup": {scale: 0.00024},
	"UsOunce": {scale: 2.9573529562537606e-05}, "UsPint": {scale: 0.000473176473}, "UsQuart": {scale: 0.000946352946},
	"UsTablespoon": {scale: 1.478676478125e-05}, "UsTeaspoon": {scale: 4.92892159375e-06},
}
