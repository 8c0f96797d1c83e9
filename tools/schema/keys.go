// SPDX-License-Identifier: Apache-2.0

// keys.go - how strategic merge patches treat the fields of the API types, and what the types are
// called in Go, as a table.
//
// Prints tab-separated lines ("-" is empty):
//
//	M  message, Go type
//	F  message, number, patch strategies, merge key, Go type of an element, Go type of the field
//
// A Go type is left empty where it follows from the table of the types; a field of which nothing is
// left is not printed.
package main

import (
	"bufio"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// printKeys walks the same types as the table of the types does.
func printKeys(all *runtime.Scheme) error {
	types := map[string]reflect.Type{}
	for gvk, t := range all.AllKnownTypes() {
		if gvk.Version != runtime.APIVersionInternal && isMessage(t) {
			collect(types, t)
		}
	}
	for _, t := range []any{runtime.Unknown{}, runtime.TypeMeta{}, metav1.List{}} {
		collect(types, reflect.TypeOf(t))
	}
	var names []string
	for name := range types {
		names = append(names, name)
	}
	sort.Strings(names)

	out := bufio.NewWriter(os.Stdout)
	for _, name := range names {
		t := types[name]
		printLine(out, "M", name, t.String())
		for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
			printKey(out, name, t.Field(i))
		}
	}
	return out.Flush()
}

func collect(types map[string]reflect.Type, t reflect.Type) {
	for t.Kind() == reflect.Pointer || !isMessage(t) &&
		(t.Kind() == reflect.Map || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if !isMessage(t) || types[messageName(t)] != nil {
		return
	}
	types[messageName(t)] = t
	for i := 0; t.Kind() == reflect.Struct && i < t.NumField(); i++ {
		f := t.Field(i)
		if tag := f.Tag.Get("protobuf"); tag != "" && tag != "-" {
			collect(types, f.Type)
		}
	}
}

func printKey(out *bufio.Writer, message string, f reflect.StructField) {
	tag := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		return
	}
	if _, err := strconv.Atoi(tag[1]); err != nil {
		return
	}
	field := f.Type
	if field.Kind() == reflect.Pointer {
		field = field.Elem()
	}
	element, usual := field, ""
	if !isMessage(field) {
		switch {
		case field.Kind() == reflect.Map:
			element, usual = field.Elem(), "map[string]"
		case field.Kind() == reflect.Slice && field.Elem().Kind() != reflect.Uint8:
			element, usual = field.Elem(), "[]"
		}
	}
	elementType, fieldType := "", ""
	if !isMessage(element) && element.Name() != element.Kind().String() {
		elementType = element.String()
	}
	if field != element && field.String() != usual+element.String() {
		fieldType = field.String()
	}
	strategy, key := f.Tag.Get("patchStrategy"), f.Tag.Get("patchMergeKey")
	if elementType == "[]uint8" {
		elementType = ""
	}
	if strategy != "" || key != "" || elementType != "" || fieldType != "" {
		printLine(out, "F", message, tag[1], strategy, key, elementType, fieldType)
	}
}
