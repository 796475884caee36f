package reference

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// sample is a program in one language that makes a request.
type sample struct {
	ID, Language, Text string
}

// newRequest is the request of one operation. Samples take the service's address from BASE and the credential from KEY
// or TOKEN; ids in braces must be filled in.
func newRequest(method, path string, security []map[string][]string, body json.RawMessage) request {
	c := request{method: method, path: path}
	if len(security) > 0 {
		c.header, c.variable, c.before = "Authorization", "TOKEN", "Bearer "
		if _, key := security[0]["apiKey"]; key {
			c.header, c.variable, c.before = "X-API-Key", "KEY", ""
		}
	}
	if compact := new(bytes.Buffer); body != nil && json.Compact(compact, body) == nil {
		c.body = compact.String()
	}
	return c
}

// samples are programs that make the request.
func (c request) samples() []sample {
	return []sample{{"go", "Go", c.goText()}, {"node", "Node", c.nodeText()}, {"php", "PHP", c.phpText()},
		{"python", "Python", c.pythonText()}}
}

// request is what a sample sends.
type request struct {
	method, path, body       string // body is JSON, "" for none
	header, variable, before string // of the credential; "" for a public operation
	key                      string // beginning of the key that stands for KEY, "" for the variable
}

// credential is the value of the header in a program: variable is the expression that reads the environment, quote
// makes a literal, plus joins two texts.
func (c request) credential(variable, plus string, quote func(string) string) string {
	if c.key != "" && c.variable == "KEY" {
		variable = quote(c.key)
	}
	if c.before != "" {
		return quote(c.before) + plus + variable
	}
	return variable
}

// curlText is a command to paste.
func (c request) curlText() string {
	line := "curl"
	if c.method != "GET" {
		line += " -X " + c.method
	}
	if c.header != "" {
		value := "$" + c.variable
		if c.key != "" && c.variable == "KEY" {
			value = c.key
		}
		line += ` -H "` + c.header + ": " + c.before + value + `"`
	}
	line += ` "$BASE` + c.path + `"`
	if c.body != "" {
		line += " \\\n  -H 'Content-Type: application/json' -d '" + strings.ReplaceAll(c.body, "'", `'\''`) + "'"
	}
	return line
}

// fill joins the lines that are not empty.
func fill(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// when returns a line if it belongs into the sample, else "".
func when(there bool, line string) string {
	if there {
		return line
	}
	return ""
}

func (c request) goText() string {
	body, strs := "nil", ""
	if c.body != "" {
		literal := "`" + c.body + "`"
		if strings.Contains(c.body, "`") {
			literal = strconv.Quote(c.body)
		}
		body, strs = "strings.NewReader("+literal+")", "\t\"strings\""
	}
	credential := c.credential(`os.Getenv("`+c.variable+`")`, "+", strconv.Quote)
	return fill("package main", "\nimport (", "\t\"fmt\"", "\t\"io\"", "\t\"log\"", "\t\"net/http\"", "\t\"os\"", strs, ")", "\nfunc main() {",
		"\trequest, err := http.NewRequest("+strconv.Quote(c.method)+", os.Getenv(\"BASE\")+"+strconv.Quote(c.path)+", "+body+")",
		"\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
		when(c.header != "", "\trequest.Header.Set("+strconv.Quote(c.header)+", "+credential+")"),
		when(c.body != "", "\trequest.Header.Set(\"Content-Type\", \"application/json\")"),
		"\tresponse, err := http.DefaultClient.Do(request)", "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}", "\tdefer response.Body.Close()",
		"\tanswer, err := io.ReadAll(response.Body)", "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
		"\tfmt.Println(response.StatusCode)", "\tfmt.Println(string(answer))", "}")
}

func (c request) nodeText() string {
	credential := c.credential("process.env."+c.variable, " + ", singleQuoted)
	var headers []string
	if c.header != "" {
		headers = append(headers, "'"+c.header+"': "+credential)
	}
	if c.body != "" {
		headers = append(headers, "'Content-Type': 'application/json'")
	}
	return fill("const response = await fetch(process.env.BASE + '"+c.path+"', {",
		when(c.method != "GET", "  method: '"+c.method+"',"),
		when(len(headers) > 0, "  headers: { "+strings.Join(headers, ", ")+" },"),
		when(c.body != "", "  body: JSON.stringify("+c.body+"),"),
		"});", "console.log(response.status);", "console.log(await response.text());")
}

// singleQuoted is a text between single quotes, the same in PHP and Python.
func singleQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

func (c request) phpText() string {
	credential := c.credential("getenv('"+c.variable+"')", " . ", singleQuoted)
	var headers []string
	if c.header != "" {
		headers = append(headers, "'"+c.header+": ' . "+credential)
	}
	if c.body != "" {
		headers = append(headers, "'Content-Type: application/json'")
	}
	return fill("<?php", "$context = stream_context_create(['http' => [", "    'method' => '"+c.method+"',",
		when(len(headers) > 0, "    'header' => ["+strings.Join(headers, ", ")+"],"),
		when(c.body != "", "    'content' => "+singleQuoted(c.body)+","),
		"    'ignore_errors' => true,", "]]);",
		"$answer = file_get_contents(getenv('BASE') . '"+c.path+"', false, $context);",
		"echo $http_response_header[0], \"\\n\", $answer, \"\\n\";")
}

func (c request) pythonText() string {
	credential := c.credential("os.environ['"+c.variable+"']", " + ", singleQuoted)
	var headers []string
	if c.header != "" {
		headers = append(headers, "'"+c.header+"': "+credential)
	}
	if c.body != "" {
		headers = append(headers, "'Content-Type': 'application/json'")
	}
	return fill("import os", "import urllib.error", "import urllib.request", "\nrequest = urllib.request.Request(",
		"    os.environ['BASE'] + '"+c.path+"',", "    method='"+c.method+"',",
		when(len(headers) > 0, "    headers={"+strings.Join(headers, ", ")+"},"),
		when(c.body != "", "    data="+singleQuoted(c.body)+".encode(),"),
		")", "try:", "    response = urllib.request.urlopen(request)", "except urllib.error.HTTPError as refused:", "    response = refused",
		"print(response.status)", "print(response.read().decode())")
}
