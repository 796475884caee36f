package dashboard

import (
	"math"
	"strconv"
	"strings"
)

// point is one column of a chart: its value, and that of the same position in the previous span.
type point struct {
	Label  string // under the axis
	Title  string // shown when the pointer is on it; "" is built from Label and Words
	Brief  string // the same where there is little room; "" is Title
	Words  string // the value, formatted
	Other  string // the previous value, formatted
	Value  float64
	Before float64
	Part   bool // the interval has not ended yet: drawn lighter
}

// chart is a series as a drawing in two widths and as a table. The service draws it, because pages work without a
// script.
type chart struct {
	Label  string
	Wide   picture
	Slim   picture
	Points []point
}

// picture is one drawing, in units of its viewBox.
type picture struct {
	Class, Label  string
	Width, Height int
	Lines         []mark // of the grid, with their words
	Labels        []mark
	Bars, Part    string // paths
	Before        string
	Hits          []hit
}

// mark is a text at a position.
type mark struct{ X, Y, X2, Words, Anchor string }

// hit is the area in which the pointer shows a point, with its title at once; the keyboard shows that of the last one.
type hit struct{ X, Y, Width, Height, Title, At, Anchor string }

// maxPoints limits the columns of a chart.
const maxPoints = 120

// newChart draws points; words writes the values of the axis.
func newChart(label string, points []point, words func(float64) string) chart {
	if len(points) > maxPoints {
		points = points[len(points)-maxPoints:]
	}
	for i := range points {
		p := &points[i]
		if p.Title == "" {
			p.Title = p.Label + ": " + p.Words
		}
		if p.Brief == "" {
			p.Brief = p.Title
		}
	}
	c := chart{Label: label, Points: points, Wide: draw("", 860, 210, points, words), Slim: draw("slim", 300, 190, points, words)}
	c.Wide.Label, c.Slim.Label = label, label
	return c
}

// draw draws columns upwards from the axis, and the previous span as a dashed line.
func draw(class string, width, height int, points []point, words func(float64) string) picture {
	const left, top, below = 44, 8, 22
	base := float64(height - below)
	most := 0.0
	for _, p := range points {
		most = max(most, p.Value, p.Before)
	}
	step := niceStep(most)
	ceiling := step * math.Max(1, math.Ceil(most/step))
	y := func(v float64) float64 { return base - v/ceiling*(base-top) }
	pic := picture{Class: class, Width: width, Height: height}
	for v := 0.0; v <= ceiling+step/2; v += step {
		pic.Lines = append(pic.Lines, mark{X: "44", X2: strconv.Itoa(width), Y: at(y(v)), Words: words(v)})
	}
	if len(points) == 0 {
		return pic
	}
	slot := (float64(width) - left) / float64(len(points))
	every := (len(points) + 5) / 6
	if class != "" {
		every = (len(points) + 2) / 3
	}
	var before strings.Builder
	for i, p := range points {
		x := left + slot*float64(i)
		path := column(x+slot*0.19, slot*0.62, y(p.Value), base)
		if p.Part {
			pic.Part += path
		} else {
			pic.Bars += path
		}
		before.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + at(x+slot/2) + " " + at(y(p.Before)))
		if i%every == 0 {
			pic.Labels = append(pic.Labels, mark{X: at(x + slot/2), Y: strconv.Itoa(height - 6), Words: p.Label, Anchor: "middle"})
		}
		tip := hit{X: at(x), Y: "8", Width: at(slot), Height: at(base - top), Title: p.Title, At: at(x + slot/2), Anchor: "middle"}
		if class != "" {
			tip.Title = p.Brief
		}
		switch half := float64(width) / 3; {
		case x < half:
			tip.At, tip.Anchor = at(max(x, left)), "start"
		case x > 2*half:
			tip.At, tip.Anchor = at(min(x+slot, float64(width))), "end"
		}
		pic.Hits = append(pic.Hits, tip)
	}
	pic.Before = before.String()
	return pic
}

// column is the path of a bar with a round head; nothing for a value of 0.
func column(x, width, y, base float64) string {
	if base-y < 0.5 {
		return ""
	}
	r := min(3, width/2, base-y)
	return "M" + at(x) + " " + at(base) + "V" + at(y+r) + "q0-" + at(r) + " " + at(r) + "-" + at(r) + "h" + at(width-2*r) + "q" + at(r) +
		" 0 " + at(r) + " " + at(r) + "V" + at(base) + "z"
}

// niceStep is the distance of the grid's lines: 1, 2 or 5 times a power of ten, about five of them.
func niceStep(most float64) float64 {
	if most <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(most/4)))
	for _, n := range []float64{1, 2, 5, 10} {
		if most/(n*power) <= 5 {
			return n * power
		}
	}
	return 10 * power
}

func at(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
