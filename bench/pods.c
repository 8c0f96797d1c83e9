/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pods.c - writes pods after a template.
 *
 * The template is a pod of a Deployment on a server of version 1.36, without white space.  To
 * keep it legible, ' stands for a quote and ` for an escaped quote (\"), and $ with a letter for
 * what differs from pod to pod.  As in a list of a server, the pods of a namespace stand together,
 * and in it those of a Deployment.
 */
#include "pods.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

/* What the letters of the template stand for; a text for each. */
typedef struct pod_words {
    char texts[128][96]; /* by letter */
} pod_words;

static const char head[] =
    "{'kind':'PodList','apiVersion':'v1','metadata':{'resourceVersion':'48210377'},'items':[";

static const char template_metadata[] =
    "{'metadata':{'name':'$a-$h-$s','generateName':'$a-$h-','namespace':'$n','uid':'$u',"
    "'resourceVersion':'$v','generation':1,'creationTimestamp':'$c','labels':{'app':'$a',"
    "'app.kubernetes.io/managed-by':'Helm','app.kubernetes.io/name':'$a',$l"
    "'pod-template-hash':'$h','tier':'$t','topology.kubernetes.io/zone':'$z'},"
    "'annotations':{'checksum/config':'$x','prometheus.io/port':'9090',"
    "'prometheus.io/scrape':'true'},'ownerReferences':[{'apiVersion':'apps/v1',"
    "'kind':'ReplicaSet','name':'$a-$h','uid':'$o','controller':true,"
    "'blockOwnerDeletion':true}],";

static const char template_managed_spec[] =
    "'managedFields':[{'manager':'kube-controller-manager','operation':'Update',"
    "'apiVersion':'v1','time':'$c','fieldsType':'FieldsV1','fieldsV1':{'f:metadata':{"
    "'f:annotations':{'.':{},'f:checksum/config':{},'f:prometheus.io/port':{},"
    "'f:prometheus.io/scrape':{}},'f:generateName':{},'f:labels':{'.':{},'f:app':{},"
    "'f:app.kubernetes.io/managed-by':{},'f:app.kubernetes.io/name':{},"
    "'f:pod-template-hash':{},'f:tier':{},'f:topology.kubernetes.io/zone':{}},"
    "'f:ownerReferences':{'.':{},'k:{`uid`:`$o`}':{}}},'f:spec':{'f:containers':{"
    "'k:{`name`:`main`}':{'.':{},'f:args':{},'f:env':{'.':{},"
    "'k:{`name`:`DATABASE_URL`}':{'.':{},'f:name':{},'f:value':{}},"
    "'k:{`name`:`GOMAXPROCS`}':{'.':{},'f:name':{},'f:value':{}},"
    "'k:{`name`:`POD_NAME`}':{'.':{},'f:name':{},'f:valueFrom':{'.':{},'f:fieldRef':{}}},"
    "'k:{`name`:`POD_NAMESPACE`}':{'.':{},'f:name':{},'f:valueFrom':{'.':{},"
    "'f:fieldRef':{}}}},'f:image':{},'f:imagePullPolicy':{},'f:livenessProbe':{'.':{},"
    "'f:failureThreshold':{},'f:httpGet':{'.':{},'f:path':{},'f:port':{},'f:scheme':{}},"
    "'f:periodSeconds':{},'f:successThreshold':{},'f:timeoutSeconds':{}},'f:name':{},"
    "'f:ports':{'.':{},'k:{`containerPort`:8080,`protocol`:`TCP`}':{'.':{},"
    "'f:containerPort':{},'f:name':{},'f:protocol':{}},"
    "'k:{`containerPort`:9090,`protocol`:`TCP`}':{'.':{},'f:containerPort':{},'f:name':{},"
    "'f:protocol':{}}},'f:readinessProbe':{'.':{},'f:failureThreshold':{},'f:httpGet':{"
    "'.':{},'f:path':{},'f:port':{},'f:scheme':{}},'f:periodSeconds':{},"
    "'f:successThreshold':{},'f:timeoutSeconds':{}},'f:resources':{'.':{},'f:limits':{"
    "'.':{},'f:cpu':{},'f:memory':{}},'f:requests':{'.':{},'f:cpu':{},'f:memory':{}}},"
    "'f:terminationMessagePath':{},'f:terminationMessagePolicy':{},'f:volumeMounts':{"
    "'.':{},'k:{`mountPath`:`/etc/app`}':{'.':{},'f:mountPath':{},'f:name':{},"
    "'f:readOnly':{}}}}},'f:dnsPolicy':{},'f:enableServiceLinks':{},'f:nodeName':{},"
    "'f:restartPolicy':{},'f:schedulerName':{},'f:securityContext':{},"
    "'f:serviceAccount':{},'f:serviceAccountName':{},'f:terminationGracePeriodSeconds':{},"
    "'f:tolerations':{},'f:volumes':{'.':{},'k:{`name`:`config`}':{'.':{},'f:configMap':{"
    "'.':{},'f:defaultMode':{},'f:name':{}},'f:name':{}}}}}},";

static const char template_managed_status[] =
    "{'manager':'kubelet','operation':'Update','apiVersion':'v1','time':'$r',"
    "'fieldsType':'FieldsV1','fieldsV1':{'f:status':{'f:conditions':{"
    "'k:{`type`:`ContainersReady`}':{'.':{},'f:lastProbeTime':{},'f:lastTransitionTime':{},"
    "'f:status':{},'f:type':{}},'k:{`type`:`Initialized`}':{'.':{},'f:lastProbeTime':{},"
    "'f:lastTransitionTime':{},'f:status':{},'f:type':{}},"
    "'k:{`type`:`PodReadyToStartContainers`}':{'.':{},'f:lastProbeTime':{},"
    "'f:lastTransitionTime':{},'f:status':{},'f:type':{}},'k:{`type`:`Ready`}':{'.':{},"
    "'f:lastProbeTime':{},'f:lastTransitionTime':{},'f:status':{},'f:type':{}}},"
    "'f:containerStatuses':{},'f:hostIP':{},'f:phase':{},'f:podIP':{},'f:podIPs':{'.':{},"
    "'k:{`ip`:`$p`}':{'.':{},'f:ip':{}}},'f:startTime':{}}},'subresource':'status'}]},";

static const char template_spec[] =
    "'spec':{'volumes':[{'name':'config','configMap':{'name':'$a-config',"
    "'defaultMode':420}},{'name':'kube-api-access-$s','projected':{'sources':[{"
    "'serviceAccountToken':{'expirationSeconds':3607,'path':'token'}},{'configMap':{"
    "'name':'kube-root-ca.crt','items':[{'key':'ca.crt','path':'ca.crt'}]}}],"
    "'defaultMode':420}}],'containers':[{'name':'main',"
    "'image':'registry.example.com/$n/$a:v1.$m','args':['--listen=:8080',"
    "'--log-level=info','--config=/etc/app/config.yaml'],'ports':[{'name':'http',"
    "'containerPort':8080,'protocol':'TCP'},{'name':'metrics','containerPort':9090,"
    "'protocol':'TCP'}],'env':[{'name':'POD_NAME','valueFrom':{'fieldRef':{"
    "'apiVersion':'v1','fieldPath':'metadata.name'}}},{'name':'POD_NAMESPACE',"
    "'valueFrom':{'fieldRef':{'apiVersion':'v1','fieldPath':'metadata.namespace'}}},"
    "{'name':'GOMAXPROCS','value':'2'},{'name':'DATABASE_URL',"
    "'value':'postgres://db.$n.svc:5432/app?sslmode=require\\u0026pool=8'}],"
    "'resources':{'limits':{'cpu':'500m','memory':'$y'},'requests':{'cpu':'100m',"
    "'memory':'128Mi'}},'volumeMounts':[{'name':'config','readOnly':true,"
    "'mountPath':'/etc/app'},{'name':'kube-api-access-$s','readOnly':true,"
    "'mountPath':'/var/run/secrets/kubernetes.io/serviceaccount'}],'livenessProbe':{"
    "'httpGet':{'path':'/healthz','port':'http','scheme':'HTTP'},'timeoutSeconds':1,"
    "'periodSeconds':10,'successThreshold':1,'failureThreshold':3},'readinessProbe':{"
    "'httpGet':{'path':'/readyz','port':'http','scheme':'HTTP'},'timeoutSeconds':1,"
    "'periodSeconds':5,'successThreshold':1,'failureThreshold':3},"
    "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',"
    "'imagePullPolicy':'IfNotPresent'}],'restartPolicy':'Always',"
    "'terminationGracePeriodSeconds':30,'dnsPolicy':'ClusterFirst',"
    "'serviceAccountName':'default','serviceAccount':'default','nodeName':'$d',"
    "'securityContext':{},'schedulerName':'default-scheduler','tolerations':[{"
    "'key':'node.kubernetes.io/not-ready','operator':'Exists','effect':'NoExecute',"
    "'tolerationSeconds':300},{'key':'node.kubernetes.io/unreachable','operator':'Exists',"
    "'effect':'NoExecute','tolerationSeconds':300}],'priority':0,"
    "'enableServiceLinks':true,'preemptionPolicy':'PreemptLowerPriority'},";

static const char template_status[] =
    "'status':{'phase':'Running','conditions':[{'type':'PodReadyToStartContainers',"
    "'status':'True','lastProbeTime':null,'lastTransitionTime':'$r'},{"
    "'type':'Initialized','status':'True','lastProbeTime':null,'lastTransitionTime':'$c'},"
    "{'type':'Ready','status':'True','lastProbeTime':null,'lastTransitionTime':'$r'},{"
    "'type':'ContainersReady','status':'True','lastProbeTime':null,"
    "'lastTransitionTime':'$r'},{'type':'PodScheduled','status':'True',"
    "'lastProbeTime':null,'lastTransitionTime':'$c'}],'hostIP':'$i','podIP':'$p',"
    "'podIPs':[{'ip':'$p'}],'startTime':'$c','containerStatuses':[{'name':'main','state':{"
    "'running':{'startedAt':'$r'}},'lastState':{},'ready':true,'restartCount':$e,"
    "'image':'registry.example.com/$n/$a:v1.$m',"
    "'imageID':'registry.example.com/$n/$a@sha256:$x','containerID':'containerd://$k',"
    "'started':true}],'qosClass':'Burstable'}}";

static const char *const namespaces[] = { "billing",  "catalog",  "checkout",  "data-platform",
                                          "frontend", "identity", "logistics", "search" };
static const char *const apps[] = { "api",       "worker",      "web-frontend", "cache-warmer",
                                    "scheduler", "event-relay", "gateway",      "report-builder" };
static const char *const tiers[] = { "web", "api", "cache", "batch" };
static const char *const zones[] = { "eu-west-1a", "eu-west-1b", "eu-west-1c" };
static const char *const memories[] = { "256Mi", "512Mi", "1Gi", "1536Mi" };
static const char *const extra_labels[] = { "", "", "'app.kubernetes.io/version':'2.14.0',",
                                            "'istio.io/rev':'stable'," };

#define PODS_PER_APP 48
#define APPS_PER_NAMESPACE 40
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void choose_words(pod_words *words, size_t number, uint64_t *seed);
static void choose_app(pod_words *words, size_t number, uint64_t *seed);
static void choose_places(pod_words *words, uint64_t *seed);
static void choose_times(pod_words *words, uint64_t *seed);
static void write_pod(kin__buf *buf, const pod_words *words);
static void expand(kin__buf *buf, const char *template, const pod_words *words);
static void set_word(pod_words *words, char letter, const char *text);
static void random_hex(char *out, size_t len, uint64_t *seed);
static void random_letters(char *out, size_t len, uint64_t *seed);
static void random_uid(char *out, uint64_t *seed);
static uint64_t next_random(uint64_t *seed);

bool bench_pods_init(bench_pods *pods, size_t bytes, uint64_t seed)
{
    kin__buf buf = { 0 };
    pod_words words = { 0 };

    (void) kin__buf_reserve(&buf, bytes + 65536); /* a failure shows below */
    expand(&buf, head, &words);
    size_t count = 0;
    size_t pod_bytes = 0;
    while (buf.len < bytes && !kin__buf_failed(&buf)) {
        if (count > 0) {
            kin__buf_append_byte(&buf, ',');
        }
        size_t before = buf.len;
        choose_words(&words, count, &seed);
        write_pod(&buf, &words);
        pod_bytes += buf.len - before;
        count++;
    }
    kin__buf_append(&buf, "]}\n", 3);
    if (kin__buf_failed(&buf) || !kin__buf_reserve(&buf, BENCH_PADDING)) {
        kin__buf_fini(&buf);
        return false;
    }
    memset(buf.data + buf.len, 0, BENCH_PADDING);
    *pods = (bench_pods){ buf, count, (double) pod_bytes / (double) count };
    return true;
}

void bench_pods_fini(bench_pods *pods)
{
    kin__buf_fini(&pods->document);
}

static void choose_words(pod_words *words, size_t number, uint64_t *seed)
{
    char hex[65];

    if (number % PODS_PER_APP == 0) {
        choose_app(words, number, seed);
    }
    random_letters(hex, 5, seed);
    set_word(words, 's', hex);
    random_uid(hex, seed);
    set_word(words, 'u', hex);
    random_hex(hex, 64, seed);
    set_word(words, 'k', hex);
    snprintf(hex, sizeof hex, "%u", (unsigned) (next_random(seed) % 48210000));
    set_word(words, 'v', hex);
    snprintf(hex, sizeof hex, "%u", (unsigned) (next_random(seed) % 8 == 0 ? number % 13 : 0));
    set_word(words, 'e', hex);
    choose_places(words, seed);
    choose_times(words, seed);
}

/* What the pods of one Deployment have in common. */
static void choose_app(pod_words *words, size_t number, uint64_t *seed)
{
    char text[96];
    size_t app = number / PODS_PER_APP;

    set_word(words, 'n', namespaces[app / APPS_PER_NAMESPACE % COUNT_OF(namespaces)]);
    snprintf(text, sizeof text, "%s-%zu", apps[app % COUNT_OF(apps)], app / COUNT_OF(apps));
    set_word(words, 'a', text);
    random_letters(text, 10, seed);
    set_word(words, 'h', text);
    random_uid(text, seed);
    set_word(words, 'o', text);
    random_hex(text, 64, seed);
    set_word(words, 'x', text);
    snprintf(text, sizeof text, "%u.%u", (unsigned) (next_random(seed) % 40),
             (unsigned) (next_random(seed) % 12));
    set_word(words, 'm', text);
    set_word(words, 't', tiers[next_random(seed) % COUNT_OF(tiers)]);
    set_word(words, 'y', memories[next_random(seed) % COUNT_OF(memories)]);
    set_word(words, 'l', extra_labels[next_random(seed) % COUNT_OF(extra_labels)]);
}

static void choose_places(pod_words *words, uint64_t *seed)
{
    char text[96];
    unsigned node = (unsigned) (next_random(seed) % 600);
    unsigned pod = (unsigned) (next_random(seed) % 110);

    snprintf(text, sizeof text, "ip-10-0-%u-%u.eu-west-1.compute.internal", node / 250,
             node % 250 + 4);
    set_word(words, 'd', text);
    snprintf(text, sizeof text, "10.0.%u.%u", node / 250, node % 250 + 4);
    set_word(words, 'i', text);
    snprintf(text, sizeof text, "10.%u.%u.%u", 64 + node / 250, node % 250, pod + 2);
    set_word(words, 'p', text);
    set_word(words, 'z', zones[node % COUNT_OF(zones)]);
}

static void choose_times(pod_words *words, uint64_t *seed)
{
    char text[32];
    unsigned random = (unsigned) (next_random(seed) >> 32);
    unsigned day = random % 28 + 1;
    unsigned hour = random / 28 % 24;
    unsigned minute = random / 672 % 60;
    unsigned second = random / 40320 % 30;

    snprintf(text, sizeof text, "2026-10-%02uT%02u:%02u:%02uZ", day, hour, minute, second);
    set_word(words, 'c', text);
    snprintf(text, sizeof text, "2026-10-%02uT%02u:%02u:%02uZ", day, hour, minute, second + 29);
    set_word(words, 'r', text);
}

static void write_pod(kin__buf *buf, const pod_words *words)
{
    expand(buf, template_metadata, words);
    expand(buf, template_managed_spec, words);
    expand(buf, template_managed_status, words);
    expand(buf, template_spec, words);
    expand(buf, template_status, words);
}

static void expand(kin__buf *buf, const char *template, const pod_words *words)
{
    const char *at = template;
    for (;;) {
        size_t plain = strcspn(at, "'`$");
        kin__buf_append(buf, at, plain);
        at += plain;
        if (*at == '\0') {
            return;
        }
        if (*at == '\'') {
            kin__buf_append_byte(buf, '"');
        } else if (*at == '`') {
            kin__buf_append(buf, "\\\"", 2);
        } else {
            at++;
            /* A word may be written with ' as well; it holds no $. */
            expand(buf, words->texts[(unsigned char) *at & 127], words);
        }
        at++;
    }
}

static void set_word(pod_words *words, char letter, const char *text)
{
    snprintf(words->texts[(unsigned char) letter & 127], sizeof words->texts[0], "%s", text);
}

static void random_hex(char *out, size_t len, uint64_t *seed)
{
    for (size_t i = 0; i < len; i++) {
        out[i] = "0123456789abcdef"[next_random(seed) >> 60];
    }
    out[len] = '\0';
}

/* The letters of which Kubernetes makes its random names. */
static void random_letters(char *out, size_t len, uint64_t *seed)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";

    for (size_t i = 0; i < len; i++) {
        out[i] = letters[(next_random(seed) >> 32) % (sizeof letters - 1)];
    }
    out[len] = '\0';
}

static void random_uid(char *out, uint64_t *seed)
{
    random_hex(out, 36, seed);
    out[8] = '-';
    out[13] = '-';
    out[14] = '4';
    out[18] = '-';
    out[19] = 'a';
    out[23] = '-';
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t next_random(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15u;
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
