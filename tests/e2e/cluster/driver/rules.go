// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const rbac = "/apis/rbac.authorization.k8s.io/v1"

// How long a change of roles may take to reach the server's own informers.
const rulesLimit = 20 * time.Second

// A rule is what the text "VERBS:RESOURCES[@NAMESPACE]" says, as in
// "get,list,watch:pods,deployments.apps@default".
type rule struct {
	verbs     []string
	resources []resource
	namespace string // empty: all
}

type resource struct{ group, name, sub string }

func parseRules(texts []string) ([]rule, error) {
	var rules []rule
	for _, text := range texts {
		verbs, rest, _ := strings.Cut(text, ":")
		names, namespace, _ := strings.Cut(rest, "@")
		if verbs == "" || names == "" {
			return nil, fmt.Errorf("%q is not VERBS:RESOURCES[@NAMESPACE]", text)
		}
		one := rule{verbs: strings.Split(verbs, ","), namespace: namespace}
		for _, name := range strings.Split(names, ",") {
			whole, sub, _ := strings.Cut(name, "/")
			name, group, _ := strings.Cut(whole, ".")
			one.resources = append(one.resources, resource{group, name, sub})
		}
		rules = append(rules, one)
	}
	return rules, nil
}

func (c *cluster) grantRules(ctx context.Context, who *user, rules []rule) error {
	who.rules = rules
	for i, one := range rules {
		name := fmt.Sprintf("kin-cluster-%s-%d", who.name, i)
		base, kind := rbac+"/cluster", "Cluster"
		if one.namespace != "" {
			base, kind = rbac+"/namespaces/"+one.namespace+"/", ""
		}
		meta := map[string]any{"name": name}
		role := map[string]any{"metadata": meta, "rules": one.policies()}
		binding := map[string]any{
			"metadata": meta,
			"roleRef":  map[string]any{"kind": kind + "Role", "name": name},
			"subjects": []any{map[string]any{"kind": "User", "name": who.name}},
		}
		for _, object := range []struct {
			collection string
			body       any
		}{{base + "roles", role}, {base + "rolebindings", binding}} {
			if err := c.expect(ctx, http.MethodPost, object.collection, object.body, nil); err != nil {
				return err
			}
			who.objects = append(who.objects, object.collection+"/"+name)
		}
	}
	return c.waitForAccess(ctx, who, true)
}

// dropRules returns when the user may do nothing any more.
func (c *cluster) dropRules(ctx context.Context, who *user) error {
	for len(who.objects) > 0 {
		last := len(who.objects) - 1
		if err := c.expect(ctx, http.MethodDelete, who.objects[last], nil, nil); err != nil {
			return err
		}
		who.objects = who.objects[:last]
	}
	return c.waitForAccess(ctx, who, false)
}

func (r rule) policies() []any {
	var policies []any
	for _, it := range r.resources {
		name := it.name
		if it.sub != "" {
			name += "/" + it.sub
		}
		policies = append(policies, map[string]any{
			"verbs": r.verbs, "apiGroups": []string{it.group}, "resources": []string{name},
		})
	}
	return policies
}

// waitForAccess returns when the server allows all that the user's rules say, or none of it.
func (c *cluster) waitForAccess(ctx context.Context, who *user, isAllowed bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, rulesLimit,
		errors.New("the server does not take up the change of roles"))
	defer cancel()
	for _, one := range who.rules {
		for _, it := range one.resources {
			for _, verb := range one.verbs {
				if err := c.waitForOne(ctx, who.name, verb, it, one.namespace, isAllowed); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (c *cluster) waitForOne(ctx context.Context, name, verb string, it resource,
	namespace string, isAllowed bool) error {
	review := map[string]any{"spec": map[string]any{
		"user": name,
		"resourceAttributes": map[string]any{
			"verb": verb, "group": it.group, "resource": it.name, "subresource": it.sub,
			"namespace": namespace,
		},
	}}
	const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
	for {
		var result struct {
			Status struct {
				Allowed bool `json:"allowed"`
			} `json:"status"`
		}
		if err := c.expect(ctx, http.MethodPost, path, review, &result); err != nil {
			return err
		}
		if result.Status.Allowed == isAllowed {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// expect sends a request that must succeed.  `result`, if not nil, takes the answer.
func (c *cluster) expect(ctx context.Context, method, path string, body, result any) error {
	status, answer, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	if status >= 300 {
		return fmt.Errorf("%s %s: status %d: %s", method, path, status, answer)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer, result)
}

// request sends one as the admin; `body` may be nil.
func (c *cluster) request(ctx context.Context, method, path string, body any) (int, []byte, error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url()+path, content)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.admin.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}
