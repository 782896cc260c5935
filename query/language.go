package query

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A Language is what queries may use: operators, functions, and the tables of a source.
type Language struct {
	funcs     map[string]*Func
	aggs      map[string]*Agg
	tables    []Table
	operators []Operator // beside those of the core
	hints     []string
	calls     int // of functions that let gives, so far
	now       time.Time
	budget    int64
	asked     []*relation // for values of the next result: by toscalar, and in lists
	ctx       context.Context
	stats     *Stats
	broken    bool   // an operator found what does not verify
	before    string // statements that stand before each text
	line      int    // number of the first line of a text
}

// A Table is a table of a source.
type Table struct {
	Name   string
	Doc    string
	Fields []Field
	scan   func() *scan
}

// Options say how queries run.
type Options struct {
	Tables    []Table
	Operators []Operator // beside those of the core
	Memory    int64      // bytes that a query may hold; 0: 1 GiB
	Now       time.Time  // the time that now() is; zero: that of the start
	Before    string     // statements that stand before each text and are known to be right: those of Lets
	Line      int        // the number of the first line of a text, for what is said of it; 0: 1
}

// New returns a language with the core's operators and functions.
func New(opt Options) *Language {
	l := &Language{funcs: map[string]*Func{}, aggs: map[string]*Agg{}, tables: opt.Tables, operators: opt.Operators, budget: opt.Memory, now: opt.Now, stats: new(Stats), before: opt.Before, line: max(opt.Line, 1)}
	if l.budget == 0 {
		l.budget = 1 << 30
	}
	if l.now.IsZero() {
		l.now = time.Now()
	}
	for _, list := range coreFuncs() {
		for i := range list {
			l.funcs[list[i].Name] = &list[i]
		}
	}
	for _, list := range coreAggregations() {
		for i := range list {
			l.aggs[list[i].Name] = &list[i]
		}
	}
	return l
}

func coreFuncs() [][]Func {
	return [][]Func{stringFuncs, timeFuncs, dynamicFuncs, convertFuncs, mathFuncs, statFuncs, ipv4Funcs, ipv6Funcs, bytesFuncs, punycodeFuncs, pathFuncs, formatFuncs, unitFuncs}
}

func coreAggregations() [][]Agg { return [][]Agg{coreAggs, dynamicAggs} }

func (l *Language) table(name string) *relation {
	for _, t := range l.tables {
		if t.Name == name {
			return t.scan().relation()
		}
	}
	return nil
}

func (l *Language) tableNames() (names []string) {
	for _, t := range l.tables {
		names = append(names, t.Name)
	}
	return names
}

// callNames are the functions and the aggregations.
func (l *Language) callNames() []string {
	names := slices.Concat(slices.Collect(maps.Keys(l.funcs)), slices.Collect(maps.Keys(specialFuncs)),
		slices.Collect(maps.Keys(l.aggs)), slices.Collect(maps.Keys(multiAggs)))
	slices.Sort(names)
	return names
}

// A Result is the result of a statement that is a query.
type Result struct {
	Fields []Field
	Plan   bool // of explain: the only column has lines of text
	rel    *relation
	lang   *Language
}

// Batches reads the rows. It may be called once.
func (r *Result) Batches(ctx context.Context) Batches {
	return r.rel.filled().open(r.lang.run(ctx))
}

// Writer returns the writer of the result in a format. Some operators have their own for
// people, or rows that are records.
func (r *Result) Writer(f Format, w io.Writer, opt FormatOptions) Writer {
	opt.Exact = opt.Exact || r.rel.exact && opt.Width == 0
	if f.Text && r.rel.text != nil {
		return r.rel.text(f, w, opt)
	}
	return f.New(w, opt)
}

func (l *Language) run(ctx context.Context) *run {
	return &run{ctx: ctx, budget: l.budget, used: new(atomic.Int64), stats: l.stats}
}

// Compile parses and binds a text and returns a result for each of its queries. No row is
// read, but for toscalar and lists that are queries. Of a text that is wrong, the error is
// Faults: all that Check finds.
func (l *Language) Compile(ctx context.Context, text string, params map[string]string) ([]*Result, error) {
	results, err := l.compile(ctx, text, params)
	if err != nil && ctx.Err() != nil { // whatever toscalar made of it
		return nil, ctx.Err()
	}
	e, ok := err.(*Error)
	if !ok {
		return results, err
	}
	faults, _ := l.Check(text, params).(Faults)
	if !slices.ContainsFunc(faults, func(f *Error) bool { return f.Offset == e.Offset && f.Msg == e.Msg }) {
		faults = append(Faults{e}, faults...) // of what toscalar read
	}
	return nil, locate(faults, text, l.line)
}

// compile stops at the first fault.
func (l *Language) compile(ctx context.Context, text string, params map[string]string) ([]*Result, error) {
	s, err := parse(text)
	if err != nil {
		return nil, l.known(err)
	}
	if err := undeclared(s.statements, params); err != nil {
		return nil, err
	}
	b := l.binder(ctx, params)
	var results []*Result
	for _, st := range s.statements {
		rel, err := b.statement(st)
		if err != nil {
			return nil, err
		}
		if rel == nil {
			continue
		}
		if st.plan {
			rel = l.explain(rel, l.asked)
		}
		l.asked = nil
		results = append(results, &Result{rel.fields, st.plan, rel, l})
	}
	return results, nil
}

// binder returns a binder for a text, which knows the names that stand before it.
func (l *Language) binder(ctx context.Context, params map[string]string) *binder {
	l.ctx, l.calls = ctx, 0
	b := &binder{lang: l, names: &names{nil, map[string]*named{}}, now: nowValue(l.now), params: params}
	if s, err := parse(l.before); err == nil {
		for _, st := range s.statements {
			b.statement(st) // one whose table is gone gives no name
		}
	}
	return b.inner()
}

// statement binds a statement. It returns nil for one that is no query.
func (b *binder) statement(st statement) (*relation, error) {
	switch {
	case st.let != nil:
		return nil, b.let(st.let)
	case st.params != nil:
		return nil, b.queryParameters(st.params)
	}
	return b.pipeline(st.query)
}

// Hints returns what there is to say to the user besides the results.
func (l *Language) Hints() []string { return l.hints }

// Tables returns the tables of the source.
func (l *Language) Tables() []Table { return l.tables }

// Topics returns all names of the language, in the order in which the manual has them.
func (l *Language) Topics() []Topic { return Topics(l.operators...) }

// Help says what there is to say of a name of the language, and of kql all that there is.
func (l *Language) Help(name string) (string, error) {
	if name == "kql" {
		return Manual(l.operators...), nil
	}
	return Help(name, l.operators...)
}

// Broken tells whether an operator of a query found what does not verify.
func (l *Language) Broken() bool { return l.broken }

// Stats returns what the queries cost so far.
func (l *Language) Stats() *Stats { return l.stats }

// firstColumn reads the first column of a relation, for in ((...)).
func (l *Language) firstColumn(b *binder, rel *relation) (values []Value, err error) {
	if len(rel.fields) == 0 {
		return nil, errors.New("the query has no column")
	}
	rel = chosen(rel, []int{0})
	l.asked = append(l.asked, rel)
	r := l.run(l.ctx)
	err = r.each(rel.open(r), func(b *Batch) error {
		b, size, err := r.keep(b)
		if err != nil {
			return err
		}
		for i := range b.N {
			values = append(values, b.Cols[0].At(i))
		}
		return r.hold("in", size+b.N*valueSize)
	})
	return values, err
}

// scalar reads the first value of a relation, for toscalar.
func (l *Language) scalar(rel *relation) (Value, error) {
	if len(rel.fields) == 0 {
		return Value{}, errors.New("the query has no column")
	}
	rel = chosen(rel, []int{0})
	l.asked = append(l.asked, rel)
	r := l.run(l.ctx)
	for b, err := range rel.open(r) {
		if err == nil {
			err = b.Cols[0].Fill()
		}
		if err != nil {
			return Value{}, err
		}
		if b.N > 0 {
			return b.Cols[0].At(0), nil
		}
	}
	return NullOf(rel.fields[0].Kind), nil
}

func joined(names []string) string { return strings.Join(names, ", ") }
