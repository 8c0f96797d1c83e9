// SPDX-License-Identifier: Apache-2.0

// types.go - the API types of one Kubernetes release, as a table.
//
// Walks the published Go types by reflection, starting from all kinds that are registered, and
// prints tab-separated lines ("-" is empty):
//
//	K  group, version, kind, message
//	M  message, special, number of rows
//	F  message, order, number, wire type, type, JSON name, flags
//
// What is on the wire is told by the Go types: the struct tags give numbers and JSON names, but
// name wrong wire types and labels at times.  It ends with an error when a type has something that
// the table has no word for.
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	extensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	registrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Packages outside k8s.io/api are shortened; longer names first.
var packages = []struct{ path, short string }{
	{"k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.", "ext."},
	{"k8s.io.kube_aggregator.pkg.apis.apiregistration.", "reg."},
	{"k8s.io.apimachinery.pkg.apis.meta.", "meta."},
	{"k8s.io.apimachinery.pkg.runtime.", "runtime."},
	{"k8s.io.apimachinery.pkg.util.intstr.", "intstr."},
	{"k8s.io.apimachinery.pkg.api.resource.", "quantity."},
	{"k8s.io.api.", ""},
}

// Messages whose JSON is not made of their fields.
var specials = map[string]string{
	"meta.v1.Time":                             "time",
	"meta.v1.MicroTime":                        "microtime",
	"quantity.Quantity":                        "quantity",
	"intstr.IntOrString":                       "intorstr",
	"runtime.RawExtension":                     "raw",
	"runtime.Unknown":                          "unknown",
	"meta.v1.FieldsV1":                         "fieldsv1",
	"ext.v1.JSON":                              "json",
	"ext.v1.JSONSchemaPropsOrBool":             "schema_or_bool",
	"ext.v1.JSONSchemaPropsOrArray":            "schema_or_array",
	"ext.v1.JSONSchemaPropsOrStringArray":      "schema_or_strings",
	"ext.v1beta1.JSON":                         "json",
	"ext.v1beta1.JSONSchemaPropsOrBool":        "schema_or_bool",
	"ext.v1beta1.JSONSchemaPropsOrArray":       "schema_or_array",
	"ext.v1beta1.JSONSchemaPropsOrStringArray": "schema_or_strings",
}

// These are written by hand in Go, not from their struct.
var handWritten = map[string][]field{
	"time":      secondsAndNanos,
	"microtime": secondsAndNanos,
	"quantity":  {{number: 1, wire: "len", typ: "string"}},
}

var secondsAndNanos = []field{
	{number: 1, wire: "varint", typ: "int64"},
	{number: 2, wire: "varint", typ: "int32"},
}

type message struct {
	special string
	fields  []field
}

type field struct {
	number int
	wire   string
	typ    string
	json   string
	flags  []string
}

type kind struct {
	schema.GroupVersionKind
	message string
}

// walk holds the messages found so far, and what the table has no word for.
type walk struct {
	messages map[string]*message
	faults   []string
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "keys" {
		if err := printKeys(registered()); err != nil {
			fmt.Fprintln(os.Stderr, "keys.go:", err)
			os.Exit(1)
		}
		return
	}
	w := &walk{messages: map[string]*message{}}
	kinds := w.kinds(registered())
	for _, t := range []any{runtime.Unknown{}, runtime.TypeMeta{}, metav1.List{}} {
		w.visit(reflect.TypeOf(t))
	}
	for _, fault := range w.faults {
		fmt.Fprintln(os.Stderr, "types.go:", fault)
	}
	if len(w.faults) > 0 {
		os.Exit(1)
	}
	if err := w.print(kinds); err != nil {
		fmt.Fprintln(os.Stderr, "types.go:", err)
		os.Exit(1)
	}
}

// registered returns all kinds that a server may send.
func registered() *runtime.Scheme {
	all := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, admissionv1.AddToScheme, admissionv1beta1.AddToScheme,
		apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme,
		imagepolicyv1alpha1.AddToScheme, extensionsv1.AddToScheme, extensionsv1beta1.AddToScheme,
		registrationv1.AddToScheme, metav1.AddMetaToScheme, metav1beta1.AddMetaToScheme,
	} {
		if err := add(all); err != nil {
			panic(err)
		}
	}
	metav1.AddToGroupVersion(all, schema.GroupVersion{Group: "meta.k8s.io", Version: "v1"})
	return all
}

// kinds walks all kinds that have a protobuf form (Table has none), in the order of their names.
func (w *walk) kinds(all *runtime.Scheme) []kind {
	var kinds []kind
	for gvk, t := range all.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal && isMessage(t) {
			kinds = append(kinds, kind{gvk, w.visit(t)})
		}
	}
	sort.Slice(kinds, func(i, j int) bool {
		a, b := kinds[i], kinds[j]
		if a.Group != b.Group {
			return a.Group < b.Group
		}
		if a.Version != b.Version {
			return a.Version < b.Version
		}
		return a.Kind < b.Kind
	})
	return kinds
}

// visit adds the message of a type, and those of its fields; it returns the message's name.
func (w *walk) visit(t reflect.Type) string {
	name := messageName(t)
	if w.messages[name] != nil {
		return name
	}
	m := &message{special: specials[name]}
	w.messages[name] = m
	switch {
	case handWritten[m.special] != nil:
		m.fields = handWritten[m.special]
	case t.Kind() == reflect.Slice: // type Verbs []string: { repeated string items = 1 }
		m.special = "list"
		wire, typ := w.value(t.Elem(), name)
		m.fields = []field{{number: 1, wire: wire, typ: typ, flags: []string{"rep"}}}
	case t.Kind() == reflect.Struct:
		if m.special == "" && hasOwnJSON(t) {
			w.fault("%s has JSON of its own", name)
		}
		for i := range t.NumField() {
			w.visitField(m, name, t.Field(i))
		}
	default:
		w.fault("%s is a %v", name, t.Kind())
	}
	return name
}

// visitField adds a field of a Go struct to its message, unless it is neither on the wire nor in
// JSON.
func (w *walk) visitField(m *message, name string, f reflect.StructField) {
	where := name + "." + f.Name
	tag := f.Tag.Get("protobuf")
	options := strings.Split(f.Tag.Get("json"), ",")
	if !f.IsExported() && !f.Anonymous {
		return
	}
	if tag == "" && f.Anonymous && f.Type == reflect.TypeOf(metav1.TypeMeta{}) {
		m.fields = append(m.fields, field{flags: []string{"typemeta"}})
		return
	}
	if tag == "" || tag == "-" {
		if options[0] != "-" {
			w.fault("%s is in JSON and not in protobuf", where)
		}
		return
	}
	number, err := strconv.Atoi(strings.Split(tag, ",")[1])
	if err != nil {
		w.fault("%s has a tag without a number", where)
	}
	r := field{number: number}
	w.setType(&r, f.Type, where)
	w.setJSON(&r, f, options, m.special != "", where)
	m.fields = append(m.fields, r)
}

func (w *walk) setType(r *field, t reflect.Type, where string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
		r.flags = append(r.flags, "ptr")
	}
	switch {
	case isMessage(t):
		r.wire, r.typ = w.value(t, where)
	case t.Kind() == reflect.Map:
		_, key := w.value(t.Key(), where)
		_, value := w.value(t.Elem(), where)
		r.wire, r.typ = "len", key+":"+value
		r.flags = append(r.flags, "map")
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		r.wire, r.typ = w.value(t.Elem(), where)
		r.flags = append(r.flags, "rep")
	default:
		r.wire, r.typ = w.value(t, where)
	}
}

// value gives the wire type and the type of what is no pointer, list or map.
func (w *walk) value(t reflect.Type, where string) (string, string) {
	if isMessage(t) {
		return "len", w.visit(t)
	}
	switch t.Kind() {
	case reflect.String:
		return "len", "string"
	case reflect.Bool:
		return "varint", "bool"
	case reflect.Int32:
		return "varint", "int32"
	case reflect.Int64, reflect.Int:
		return "varint", "int64"
	case reflect.Float64:
		return "fixed64", "double"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "len", "bytes"
		}
	}
	w.fault("%s holds a %v", where, t)
	return "", ""
}

// setJSON sets the name and what JSON leaves out; fields of special messages have no name.
func (w *walk) setJSON(r *field, f reflect.StructField, options []string, special bool,
	where string) {
	switch {
	case options[0] == "-":
		r.flags = append(r.flags, "nojson")
	case options[0] == "" && !special:
		if !f.Anonymous || f.Type.Kind() != reflect.Struct {
			w.fault("%s has no JSON name", where)
		}
		r.flags = append(r.flags, "inline")
	case !special:
		r.json = options[0]
	}
	for _, option := range options[1:] {
		switch option {
		case "omitempty", "omitzero":
			r.flags = append(r.flags, option)
		case "inline", "":
			if r.json != "" {
				w.fault("%s is inline and has a name", where)
			}
		default:
			w.fault("%s has the JSON option %q", where, option)
		}
	}
}

func (w *walk) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

func (w *walk) print(kinds []kind) error {
	var names []string
	for name := range w.messages {
		names = append(names, name)
	}
	sort.Strings(names)

	out := bufio.NewWriter(os.Stdout)
	for _, k := range kinds {
		printLine(out, "K", k.Group, k.Version, k.Kind, k.message)
	}
	for _, name := range names {
		m := w.messages[name]
		printLine(out, "M", name, m.special, strconv.Itoa(len(m.fields)))
		for i, f := range m.fields {
			printLine(out, "F", name, strconv.Itoa(i), strconv.Itoa(f.number), f.wire, f.typ,
				f.json, strings.Join(f.flags, ","))
		}
	}
	return out.Flush()
}

func printLine(out *bufio.Writer, columns ...string) {
	for i, column := range columns {
		if column == "" {
			columns[i] = "-"
		}
	}
	fmt.Fprintln(out, strings.Join(columns, "\t"))
}

// messageName gives the protobuf name, shortened.
func messageName(t reflect.Type) string {
	name := strings.NewReplacer("/", ".", "-", "_").Replace(t.PkgPath()) + "." + t.Name()
	for _, p := range packages {
		if rest, ok := strings.CutPrefix(name, p.path); ok {
			return p.short + rest
		}
	}
	panic("no short name for " + name)
}

// isMessage tells whether a type has generated code; a named slice may, too.
func isMessage(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(interface {
		MarshalToSizedBuffer([]byte) (int, error)
	})
	return ok && t.Name() != ""
}

func hasOwnJSON(t reflect.Type) bool {
	_, ok := reflect.New(t).Interface().(interface{ MarshalJSON() ([]byte, error) })
	return ok
}
