package query

import "testing"

func TestPathFuncs(t *testing.T) {
	for _, c := range []struct{ expr, want string }{
		{`parse_url("scheme://username:password@host:1234/this/is/a/path?k1=v1&k2=v2#fragment")`,
			`{"Scheme":"scheme","Host":"host","Port":"1234","Path":"/this/is/a/path","Username":"username","Password":"password","Query Parameters":{"k1":"v1","k2":"v2"},"Fragment":"fragment"}`},
		{`parse_url("https://[::1]/a@b:c")`, `{"Scheme":"https","Host":"[::1]","Port":"","Path":"/a@b:c","Username":"","Password":"","Query Parameters":{},"Fragment":""}`},
		{`parse_url("host/path").Host`, ""},
		{`parse_urlquery("k1=v1&k2=&k3")`, `{"Query Parameters":{"k1":"v1","k2":"","k3":""}}`},
		{`parse_path(@"C:\temp\file.txt")`, `{"Scheme":"","RootPath":"C:","DirectoryPath":"C:\\temp","DirectoryName":"temp","Filename":"file.txt","Extension":"txt","AlternateDataStreamName":""}`},
		{`parse_path(@"temp\file.txt").DirectoryPath`, "temp"},
		{`parse_path("file://C:/temp/file.txt:some.exe")`, `{"Scheme":"file","RootPath":"C:","DirectoryPath":"C:/temp","DirectoryName":"temp","Filename":"file.txt","Extension":"txt","AlternateDataStreamName":"some.exe"}`},
		{`parse_path(@"\\shared\users\temp\file.txt.gz")`, `{"Scheme":"","RootPath":"","DirectoryPath":"\\\\shared\\users\\temp","DirectoryName":"temp","Filename":"file.txt.gz","Extension":"gz","AlternateDataStreamName":""}`},
		{`parse_path("/usr/lib/temp/file.txt").DirectoryPath`, "/usr/lib/temp"},
		{`parse_path("file")`, `{"Scheme":"","RootPath":"","DirectoryPath":"","DirectoryName":"","Filename":"file","Extension":"","AlternateDataStreamName":""}`},
		{`parse_command_line("echo \"hello world!\"", "windows")`, `["echo","hello world!"]`},
		{`parse_command_line(@'"C:\a b\x.exe"  a\\b "c\\" "d\"e" f""g', "windows")`, `["C:\\a b\\x.exe","a\\\\b","c\\","d\"e","fg"]`},
		{`parse_command_line("", "windows")`, "-"},
	} {
		if got := joinResult(t, New(Options{}), "print r = "+c.expr); got != "r: "+c.want {
			t.Errorf("%s is %s, want %s", c.expr, got, c.want)
		}
	}
}
