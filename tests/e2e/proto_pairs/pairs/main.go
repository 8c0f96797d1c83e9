// SPDX-License-Identifier: Apache-2.0

// proto_pairs writes the same object as protobuf and as JSON, many times over, as the API server's
// own code encodes it: random objects of all kinds, and the test data that Kubernetes publishes.
//
//	proto_pairs -count 100000 -seed 1 -published DIRECTORY >pairs
//
// Each pair is seven texts, each after its length in four bytes, highest first: where it comes
// from, apiVersion, kind, "answer" if it is the answer to a list request, the protobuf in its
// envelope, the JSON, and the protobuf message that Go makes of that JSON ("-": it makes none).
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	apidiscoveryv2beta1 "k8s.io/api/apidiscovery/v2beta1"
	corev1 "k8s.io/api/core/v1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	extv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	regv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// Larger objects say nothing more, and random ones can become very large.
const largest = 400000

type pair struct {
	from, apiVersion, kind string
	isAnswer               bool
	pb, json, back         []byte
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "proto_pairs:", err)
		os.Exit(1)
	}
}

func main() {
	count := flag.Int("count", 1000, "how many random pairs")
	seed := flag.Int64("seed", 1, "of the random numbers")
	published := flag.String("published", "", "the directory testdata of k8s.io/api")
	flag.Parse()

	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	c := newCodecs()
	c.random(*count, *seed, func(p pair) { write(out, p) })
	if *published != "" {
		c.published(*published, func(p pair) { write(out, p) })
	}
	must(out.Flush())
}

func write(out *bufio.Writer, p pair) {
	answer := ""
	if p.isAnswer {
		answer = "answer"
	}
	for _, text := range [][]byte{[]byte(p.from), []byte(p.apiVersion), []byte(p.kind),
		[]byte(answer), p.pb, p.json, p.back} {
		must(binary.Write(out, binary.BigEndian, uint32(len(text))))
		_, err := out.Write(text)
		must(err)
	}
}

type codecs struct {
	scheme *runtime.Scheme
	kinds  []schema.GroupVersionKind
	json   *kjson.Serializer
	pb     *protobuf.Serializer
}

func newCodecs() *codecs {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, admissionv1.AddToScheme, admissionv1beta1.AddToScheme,
		apidiscoveryv2.AddToScheme, apidiscoveryv2beta1.AddToScheme,
		imagepolicyv1alpha1.AddToScheme, extv1.AddToScheme, extv1beta1.AddToScheme,
		regv1.AddToScheme, metav1.AddMetaToScheme, metav1beta1.AddMetaToScheme,
	} {
		must(add(s))
	}
	c := &codecs{
		scheme: s,
		json:   kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, s, s, kjson.SerializerOptions{}),
		pb:     protobuf.NewSerializer(s, s),
	}
	for kind := range s.AllKnownTypes() {
		if isServed(kind) {
			c.kinds = append(c.kinds, kind)
		}
	}
	sort.Slice(c.kinds, func(i, j int) bool { return c.kinds[i].String() < c.kinds[j].String() })
	return c
}

// isServed tells kinds that an answer may be of.  A Table has no form in protobuf.  The options of
// requests and the events of watches are registered again in every group, and are the same in all.
func isServed(kind schema.GroupVersionKind) bool {
	switch {
	case kind.Version == runtime.APIVersionInternal || kind.Kind == "Table":
		return false
	case kind.Kind == "WatchEvent" || strings.HasSuffix(kind.Kind, "Options"):
		return kind.GroupVersion() == schema.GroupVersion{Version: "v1"}
	}
	return true
}

// random goes round all kinds, the first time with an object in which nothing is set.
func (c *codecs) random(count int, seed int64, emit func(pair)) {
	r := rand.New(rand.NewSource(seed))
	for i := 0; i < count; {
		for _, kind := range c.kinds {
			round := i / len(c.kinds)
			object, err := c.scheme.New(kind)
			must(err)
			if round > 0 {
				fill(r, object, kind, round)
			}
			object.GetObjectKind().SetGroupVersionKind(kind)
			p, ok := c.pairOf(object, kind, round%2 == 1)
			if !ok {
				continue
			}
			p.from = fmt.Sprintf("random %d of seed %d", i, seed)
			emit(p)
			if i++; i == count {
				return
			}
		}
	}
}

func (c *codecs) pairOf(object runtime.Object, kind schema.GroupVersionKind, isAnswer bool) (pair, bool) {
	p := pair{kind: kind.Kind, apiVersion: kind.GroupVersion().String()}
	var pb, text bytes.Buffer
	must(c.pb.Encode(object, &pb))
	if pb.Len() > largest {
		return p, false
	}
	decoded, _, err := c.pb.Decode(pb.Bytes(), &kind, nil)
	must(err)
	p.isAnswer = isAnswer && meta.IsListType(decoded)
	asServed(decoded, p.isAnswer)
	must(c.json.Encode(decoded, &text))
	p.pb = pb.Bytes()
	p.json = bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	p.back = c.back(p.json, kind)
	return p, true
}

// back is the message that Go makes of JSON.
func (c *codecs) back(text []byte, kind schema.GroupVersionKind) []byte {
	object, _, err := c.json.Decode(text, &kind, nil)
	if err != nil {
		return []byte("-")
	}
	var pb bytes.Buffer
	must(c.pb.Encode(object, &pb))
	var envelope runtime.Unknown
	must(envelope.Unmarshal(pb.Bytes()[4:]))
	return envelope.Raw
}

// asServed does what the server does to an object between its store and its encoder.
func asServed(object runtime.Object, isAnswer bool) {
	value := reflect.ValueOf(object).Elem()
	items := value.FieldByName("Items")
	if isAnswer && items.IsValid() && items.IsNil() {
		items.Set(reflect.MakeSlice(items.Type(), 0, 0))
	}
	if strings.HasPrefix(value.Type().Name(), "StatefulSet") {
		fillClaims(value)
		for i := 0; items.IsValid() && i < items.Len(); i++ {
			fillClaims(items.Index(i))
		}
	}
}

func fillClaims(set reflect.Value) {
	spec := set.FieldByName("Spec")
	if !spec.IsValid() {
		return
	}
	claims := spec.FieldByName("VolumeClaimTemplates").Interface().([]corev1.PersistentVolumeClaim)
	for i := range claims {
		claims[i].TypeMeta = metav1.TypeMeta{Kind: "PersistentVolumeClaim", APIVersion: "v1"}
	}
}

// published takes each X.pb and X.json from the directories HEAD, v1.36.0 and so on.
func (c *codecs) published(dir string, emit func(pair)) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.pb"))
	must(err)
	if len(paths) == 0 {
		must(fmt.Errorf("nothing published in %s", dir))
	}
	for _, path := range paths {
		pb, err := os.ReadFile(path)
		must(err)
		pretty, err := os.ReadFile(strings.TrimSuffix(path, ".pb") + ".json")
		if os.IsNotExist(err) {
			continue
		}
		must(err)
		var compact, text bytes.Buffer
		must(json.Compact(&compact, pretty))
		json.HTMLEscape(&text, bytes.TrimSpace(compact.Bytes()))
		var envelope runtime.Unknown
		must(envelope.Unmarshal(pb[4:]))
		release := filepath.Base(filepath.Dir(path))
		p := pair{
			from:       "published " + release + " " + filepath.Base(path),
			apiVersion: envelope.APIVersion,
			kind:       envelope.Kind,
			pb:         pb,
			json:       withClaims(text.Bytes()),
			back:       []byte("-"),
		}
		if p.kind == "" { // a WatchEvent has no place for it
			p.apiVersion = "v1"
			p.kind = "WatchEvent"
		}
		if release == "HEAD" {
			p.back = envelope.Raw
		}
		emit(p)
	}
}

// withClaims does to published text what fillClaims does to an object; there is one claim in each.
func withClaims(text []byte) []byte {
	const list = `"volumeClaimTemplates":[{`
	return bytes.ReplaceAll(text, []byte(list),
		[]byte(list+`"kind":"PersistentVolumeClaim","apiVersion":"v1",`))
}
