// SPDX-License-Identifier: Apache-2.0

// embedded follows a server with client-go's shared informers: typed ones in protobuf and in JSON,
// dynamic ones and such of metadata, of built-in resources and of a custom one.  It writes, and
// waits until every store equals what the server lists.  One line says how each of them fared:
//
//	ok   NAME: N objects
//	FAIL NAME: WHY
//
// The last one says what was asked for and how: "HTTP/2.0, 12 lists, 0 streaming lists, 12 watches".
//
//	embedded KUBECONFIG SECONDS
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	patience  = 30 * time.Second
	namespace = "kin-embedded"
)

var (
	pods        = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	maps        = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	leases      = schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	gadgets     = schema.GroupVersionResource{Group: "embedded.kin", Version: "v1", Resource: "gadgets"}
	definitions = schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// A tally counts requests as they go out, and the protocols of their answers.
type tally struct {
	next                     http.RoundTripper
	mutex                    *sync.Mutex
	lists, streamed, watches *int
	protocols                map[string]bool
}

func (t tally) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	query := request.URL.Query()
	switch {
	case query.Get("sendInitialEvents") == "true":
		*t.streamed++
	case query.Get("watch") != "":
		*t.watches++
	case query.Has("resourceVersion"):
		*t.lists++
	}
	if err == nil {
		t.protocols[response.Proto] = true
	}
	return response, err
}

// A follower is one informer, and how its resource is listed.
type follower struct {
	name     string
	informer cache.SharedIndexInformer
	list     func(ctx context.Context) (map[string]string, error)
}

// One line for each object: its name, and who and which version it is.
func states(objects []runtime.Object) (map[string]string, error) {
	all := map[string]string{}
	for _, object := range objects {
		is, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		all[is.GetNamespace()+"/"+is.GetName()] = string(is.GetUID()) + " " + is.GetResourceVersion()
	}
	return all, nil
}

func stored(informer cache.SharedIndexInformer) (map[string]string, error) {
	var objects []runtime.Object
	for _, item := range informer.GetStore().List() {
		objects = append(objects, item.(runtime.Object))
	}
	return states(objects)
}

func differ(got, want map[string]string) string {
	for key, state := range want {
		if got[key] != state {
			return fmt.Sprintf("%s is %q where the server has %q", key, got[key], state)
		}
	}
	for key := range got {
		if _, there := want[key]; !there {
			return key + " is not there any more"
		}
	}
	return ""
}

// The server may go on changing: so it is tried until both are seen in the same state.
func (f follower) await(ctx context.Context) (int, error) {
	var why string
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(3 * time.Millisecond) {
		listed, err := f.list(ctx)
		if err != nil {
			return 0, err
		}
		known, err := stored(f.informer)
		if err != nil {
			return 0, err
		}
		if why = differ(known, listed); why == "" {
			return len(known), nil
		}
	}
	return 0, errors.New(why)
}

// The truth for all of them is a plain list of everything, in JSON.
func lister(client dynamic.Interface, of schema.GroupVersionResource) func(context.Context) (map[string]string, error) {
	return func(ctx context.Context) (map[string]string, error) {
		list, err := client.Resource(of).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		objects, err := meta.ExtractList(list)
		if err != nil {
			return nil, err
		}
		return states(objects)
	}
}

func typed(config *rest.Config, kind, contentType string, list dynamic.Interface, ctx context.Context) ([]follower, error) {
	ours := rest.CopyConfig(config)
	ours.ContentType = contentType
	client, err := kubernetes.NewForConfig(ours)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	all := []follower{
		{kind + " pods", factory.Core().V1().Pods().Informer(), lister(list, pods)},
		{kind + " maps", factory.Core().V1().ConfigMaps().Informer(), lister(list, maps)},
		{kind + " leases", factory.Coordination().V1().Leases().Informer(), lister(list, leases)},
	}
	factory.Start(ctx.Done())
	return all, nil
}

func untyped(config *rest.Config, list dynamic.Interface, ctx context.Context) ([]follower, error) {
	of := dynamicinformer.NewDynamicSharedInformerFactory(list, 0)
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	about := metadatainformer.NewSharedInformerFactory(client, 0)
	var all []follower
	for _, resource := range []schema.GroupVersionResource{pods, maps, gadgets} {
		all = append(all,
			follower{"dynamic " + resource.Resource, of.ForResource(resource).Informer(), lister(list, resource)},
			follower{"metadata " + resource.Resource, about.ForResource(resource).Informer(), lister(list, resource)})
	}
	of.Start(ctx.Done())
	about.Start(ctx.Done())
	return all, nil
}

func define(ctx context.Context, client dynamic.Interface) error {
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gadgets.embedded.kin"},
		"spec": map[string]any{
			"group": "embedded.kin", "scope": "Namespaced",
			"names": map[string]any{"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"},
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}},
		}}}
	_, err := client.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for until := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if _, err = client.Resource(gadgets).List(ctx, metav1.ListOptions{}); err == nil || time.Now().After(until) {
			return err
		}
	}
}

// Makes, changes and deletes, in turn and by chance.
func write(ctx context.Context, typed kubernetes.Interface, untyped dynamic.Interface, until time.Time) error {
	chance := rand.New(rand.NewSource(1))
	there := map[string]bool{}
	for n := 0; time.Now().Before(until); n++ {
		name := fmt.Sprintf("x%d", chance.Intn(20))
		gadget := untyped.Resource(gadgets).Namespace(namespace)
		configMap := typed.CoreV1().ConfigMaps(namespace)
		value := strconv.Itoa(n)
		var errs [2]error
		switch {
		case !there[name]:
			_, errs[0] = configMap.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name},
				Data: map[string]string{"value": value}}, metav1.CreateOptions{})
			_, errs[1] = gadget.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "embedded.kin/v1", "kind": "Gadget", "metadata": map[string]any{"name": name},
				"spec": map[string]any{"value": value}}}, metav1.CreateOptions{})
			there[name] = true
		case chance.Intn(4) == 0:
			errs[0] = configMap.Delete(ctx, name, metav1.DeleteOptions{})
			errs[1] = gadget.Delete(ctx, name, metav1.DeleteOptions{})
			delete(there, name)
		default:
			_, errs[0] = configMap.Patch(ctx, name, types.StrategicMergePatchType,
				[]byte(`{"data":{"value":"`+value+`"}}`), metav1.PatchOptions{})
			_, errs[1] = gadget.Patch(ctx, name, types.MergePatchType,
				[]byte(`{"spec":{"value":"`+value+`"}}`), metav1.PatchOptions{})
		}
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
	}
	return nil
}

func run(kubeconfig string, seconds int) (bool, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return false, err
	}
	config.QPS = -1
	// Writers and lists are not counted, and with a dialer of their own they have a connection of
	// their own: what happens to those of watches does not happen to them.
	apart := rest.CopyConfig(config)
	apart.Dial = (&net.Dialer{}).DialContext
	list, err := dynamic.NewForConfig(apart)
	if err != nil {
		return false, err
	}
	writer, err := kubernetes.NewForConfig(apart)
	if err != nil {
		return false, err
	}
	count := tally{mutex: &sync.Mutex{}, lists: new(int), streamed: new(int), watches: new(int), protocols: map[string]bool{}}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		ours := count
		ours.next = next
		return ours
	})
	counted, err := dynamic.NewForConfig(config)
	if err != nil {
		return false, err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := define(ctx, list); err != nil {
		return false, fmt.Errorf("define: %w", err)
	}
	if _, err := writer.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		return false, fmt.Errorf("namespace: %w", err)
	}
	inProtobuf, err := typed(config, "protobuf", "application/vnd.kubernetes.protobuf", list, ctx)
	if err != nil {
		return false, err
	}
	inJSON, err := typed(config, "json", "application/json", list, ctx)
	if err != nil {
		return false, err
	}
	others, err := untyped(config, counted, ctx)
	if err != nil {
		return false, err
	}
	all := append(append(inProtobuf, inJSON...), others...)
	for _, f := range all {
		deadline, cancel := context.WithTimeout(ctx, patience)
		if !cache.WaitForCacheSync(deadline.Done(), f.informer.HasSynced) {
			fmt.Printf("FAIL %s: does not sync\n", f.name)
		}
		cancel()
	}
	if err := write(ctx, writer, list, time.Now().Add(time.Duration(seconds)*time.Second)); err != nil {
		return false, fmt.Errorf("write: %w", err)
	}
	isRight := true
	for _, f := range all {
		if number, err := f.await(ctx); err != nil {
			isRight = false
			fmt.Printf("FAIL %s: %v\n", f.name, err)
		} else {
			fmt.Printf("ok   %s: %d objects\n", f.name, number)
		}
	}
	count.mutex.Lock()
	defer count.mutex.Unlock()
	for protocol := range count.protocols {
		fmt.Printf("%s, ", protocol)
	}
	fmt.Printf("%d lists, %d streaming lists, %d watches\n", *count.lists, *count.streamed, *count.watches)
	return isRight, nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: embedded KUBECONFIG SECONDS")
		os.Exit(2)
	}
	seconds, err := strconv.Atoi(os.Args[2])
	isRight := false
	if err == nil {
		isRight, err = run(os.Args[1], seconds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "embedded:", err)
	}
	if err != nil || !isRight {
		os.Exit(1)
	}
}
