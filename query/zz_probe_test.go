package query
import ("testing";"strings";"time";"fmt")
func TestZZ(t *testing.T){
 for name, q := range map[string]string{
  "parens": strings.Repeat("(",100000),
  "print parens": "print "+strings.Repeat("(",100000),
  "print balanced": "print "+strings.Repeat("(",100000)+"1"+strings.Repeat(")",100000),
  "minus": "print "+strings.Repeat("-",100000)+"1",
  "brackets": "print a"+strings.Repeat("[",100000),
  "members": "print a"+strings.Repeat(".a",100000),
  "plus": "print 1"+strings.Repeat("+1",100000),
  "or": "print true"+strings.Repeat(" or true",100000),
  "pipes": "print a=1"+strings.Repeat("| where true",50000),
  "400k": `print a = strlen("`+strings.Repeat("x",400000)+`")`,
  "400k esc": `print a = strlen("`+strings.Repeat("\\n",200000)+`")`,
  "inlist": func() string { var b strings.Builder; b.WriteString("print 'k77' in ("); for i:=range 80000 { if i>0 {b.WriteString(",")}; fmt.Fprintf(&b,"'k%d'",i)}; b.WriteString(")"); return b.String()}(),
  "inlist lines": func() string { var b strings.Builder; b.WriteString("print 'k77' in ("); for i:=range 80000 { if i>0 {b.WriteString(",\n")}; fmt.Fprintf(&b,"'k%d'",i)}; b.WriteString(")"); return b.String()}(),
  "has_any": func() string { var b strings.Builder; b.WriteString("print 'k77' has_any ("); for i:=range 80000 { if i>0 {b.WriteString(",\n")}; fmt.Fprintf(&b,"'k%d'",i)}; b.WriteString(")"); return b.String()}(),
  "datetime(": "print "+strings.Repeat("datetime(",50000),
  "adjacent": "print "+strings.Repeat("'a'\n",100000),
  "lets": strings.Repeat("let a = 1;\n",50000)+"print a",
  "calls": "print "+strings.Repeat("not(",100000),
  "let parens": "let a = "+strings.Repeat("(",100000),
  "joins": "print a=1"+strings.Repeat("| join (print a=1",100000),
  "strcat": "print strcat("+strings.Repeat("'a',",100000)+"'b')",
 }{
  s:=time.Now()
  _,rows,err:=rowsOf(Options{},q)
  e:=""
  if err!=nil { e=err.Error(); if len(e)>120 {e=e[:120]} }
  fmt.Printf("%s: %v rows=%d %q\n", name, time.Since(s), len(rows), e)
 }
}
