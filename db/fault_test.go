package db

func childAsk(args []string) error  { return nil }
func childHold(args []string) error { return nil }
