// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math"
	"math/rand"
	"strings"
	"time"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

// Each stands for a rule of the JSON encoder.
var words = []string{
	"", "a", "name", "x<y>&z", "tab\tnl\n\r\b\f\x01\x1f\x7f", "\"quote\\slash/", "日本語",
	"\u2028 \u2029", "bad\xff\xfeutf\xc3", "\U0001F600", "é", "\xe2\x80", "null", "0", "a.b/c",
	"\ufffd", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80",
}
var jsons = []string{
	`{}`, `{"a":1}`, "{ \"b\" : [ 1 , 2.50 , \"<&>\" ] ,\n \"a\": {\"c\":null} }", `"s"`, `[1,2]`,
	`null`, `true`, "12.0", "{\"u\":\"\u2028\"}", "\t[ \"a b\\\" c\\\\\" , \"é € \u2029\" ]\r\n",
	`{"f:metadata":{"f:labels":{".":{},"f:app.kubernetes.io/name":{}}},"f:spec":{"f:replicas":{}}}`,
}
var quantities = []string{
	"0", "1", "100m", "1000m", "1.5", "1Gi", "1024Mi", "1e3", "0.5", "1500m",
	"12345678901234567890", "-1", "1Ki", "1k", "0.1n", "1E", "5e-3",
}
var doubles = []float64{
	0, math.Copysign(0, -1), 1, -1.5, 1e21, 1e-7, 123456789.125, 0.1, 1e20, 5e-324, 1.7e308, 1e-6,
	-3e-9, 9.5e-7, 999999999999999999999, 1.0 / 3,
}

// The years 1 to 9999.
const (
	firstSecond = -62135596800
	pastSecond  = 253402300800
)

// fill sets fields at random, some to nothing and some to zero.
func fill(r *rand.Rand, object runtime.Object, kind schema.GroupVersionKind, round int) {
	depth := 10 + round%20
	switch kind.Kind {
	case "CustomResourceDefinition", "CustomResourceDefinitionList", "ConversionReview":
		depth = 8 + round%8 // schemas hold schemas, and become very large
	}
	randfill.NewWithSeed(r.Int63()).NilChance(0.3).NumElements(0, 3).MaxDepth(depth).
		Funcs(scalars(r)...).Funcs(specials(r, round%4 == 0)...).Fill(object)
	if accessor, err := meta.Accessor(object); err == nil && round%8 != 0 {
		tame(accessor)
	}
}

// tame makes names and labels such as an object may have: the API server would store no others.
func tame(object metav1.Object) {
	tidy := func(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "/", "-") }
	object.SetName(tidy(object.GetName()) + "n")
	object.SetNamespace(tidy(object.GetNamespace()))
	object.SetUID(types.UID(tidy(string(object.GetUID()))))
	object.SetResourceVersion(tidy(object.GetResourceVersion()))
	if labels := object.GetLabels(); labels != nil {
		tidied := map[string]string{}
		for key, value := range labels {
			tidied[tidy(key)] = tidy(value)
		}
		object.SetLabels(tidied)
	}
}

// word is one of the words, or one of them somewhere in a longer text: encoders look at texts in
// pieces, and each rule has to hold at each place.
func word(r *rand.Rand) string {
	w := words[r.Intn(len(words))]
	if r.Intn(3) != 0 {
		return w
	}
	return strings.Repeat("x", r.Intn(40)) + w + strings.Repeat("y", r.Intn(40))
}

func scalars(r *rand.Rand) []any {
	return []any{
		func(x *string, c randfill.Continue) { *x = word(r) },
		func(x *int64, c randfill.Continue) {
			*x = []int64{0, 1, -1, math.MaxInt64, math.MinInt64, r.Int63(), r.Int63n(100000)}[r.Intn(7)]
		},
		func(x *int32, c randfill.Continue) {
			*x = []int32{0, 1, -1, math.MaxInt32, math.MinInt32, r.Int31(), r.Int31n(100000)}[r.Intn(7)]
		},
		func(x *float64, c randfill.Continue) {
			*x = doubles[r.Intn(len(doubles))]
			if any := math.Float64frombits(r.Uint64()); r.Intn(2) == 0 && !math.IsNaN(any) && !math.IsInf(any, 0) {
				*x = any
			}
		},
		func(x *[]byte, c randfill.Continue) {
			*x = nil
			if r.Intn(4) > 0 {
				*x = make([]byte, r.Intn(20))
				r.Read(*x)
			}
		},
	}
}

// moment may be of any year at all when it is wild, and then JSON cannot be read back.
func moment(r *rand.Rand, isWild bool) time.Time {
	switch n := r.Intn(8); {
	case n < 2:
		return time.Time{}
	case n == 2:
		return time.Unix(0, 0)
	case n == 3 && isWild:
		return time.Unix(r.Int63()-r.Int63(), r.Int63n(1e9))
	default:
		return time.Unix(r.Int63n(pastSecond-firstSecond)+firstSecond, r.Int63n(1e9))
	}
}

func anyJSON(r *rand.Rand) []byte {
	if r.Intn(4) == 0 {
		return nil
	}
	return []byte(jsons[r.Intn(len(jsons))])
}

func specials(r *rand.Rand, isWild bool) []any {
	return []any{
		func(x *metav1.Time, c randfill.Continue) { *x = metav1.Time{Time: moment(r, isWild)} },
		func(x *metav1.MicroTime, c randfill.Continue) { *x = metav1.MicroTime{Time: moment(r, isWild)} },
		func(x *metav1.Duration, c randfill.Continue) { x.Duration = time.Duration(r.Int63()) },
		func(x *resource.Quantity, c randfill.Continue) {
			*x = resource.Quantity{}
			if r.Intn(6) > 0 {
				*x = resource.MustParse(quantities[r.Intn(len(quantities))])
			}
		},
		func(x *intstr.IntOrString, c randfill.Continue) {
			if r.Intn(2) == 0 {
				*x = intstr.FromInt32([]int32{0, 5, -7}[r.Intn(3)])
			} else {
				*x = intstr.FromString(word(r))
			}
		},
		func(x *runtime.RawExtension, c randfill.Continue) { *x = runtime.RawExtension{Raw: anyJSON(r)} },
		func(x *metav1.FieldsV1, c randfill.Continue) { *x = metav1.FieldsV1{Raw: anyJSON(r)} },
		func(x *extv1.JSON, c randfill.Continue) { *x = extv1.JSON{Raw: anyJSON(r)} },
		func(x *extv1beta1.JSON, c randfill.Continue) { *x = extv1beta1.JSON{Raw: anyJSON(r)} },
	}
}
