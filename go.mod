module toolledger

go 1.26

require (
	github.com/agnivade/levenshtein v1.2.2
	github.com/go-json-experiment/json v1.27.2
	github.com/spf13/pflag v1.1.0
)
