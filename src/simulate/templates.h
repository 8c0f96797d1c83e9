/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simulate/templates.h - the parts of templates (simulate/text.h) that several objects share.
 *
 * The same container stands in a deployment, in its replica sets and in their pods, where the API
 * server has added to it; the same goes for the fields that its maker is said to manage.
 */
#ifndef KIN_SIMULATE_TEMPLATES_H
#define KIN_SIMULATE_TEMPLATES_H

/* Labels of an application, to which pods and replica sets add the hash of their template. */
#define KIN__SIM_APP_LABELS                                                                        \
    "'app.kubernetes.io/instance':'<app>','app.kubernetes.io/managed-by':'Helm',"                  \
    "'app.kubernetes.io/name':'<app>'"
#define KIN__SIM_SELECTOR "'app.kubernetes.io/instance':'<app>','app.kubernetes.io/name':'<app>'"
#define KIN__SIM_F_APP_LABELS                                                                      \
    "'f:app.kubernetes.io/instance':{},'f:app.kubernetes.io/managed-by':{},"                       \
    "'f:app.kubernetes.io/name':{}"

#define KIN__SIM_HASH_LABELS KIN__SIM_APP_LABELS ",'pod-template-hash':'<hash>','tier':'<tier>'"
#define KIN__SIM_F_HASH_LABELS KIN__SIM_F_APP_LABELS ",'f:pod-template-hash':{},'f:tier':{}"

#define KIN__SIM_POD_ANNOTATIONS                                                                   \
    "'checksum/config':'<checksum>','prometheus.io/port':'<port>','prometheus.io/scrape':'true'"
#define KIN__SIM_F_POD_ANNOTATIONS                                                                 \
    "'f:annotations':{'.':{},'f:checksum/config':{},'f:prometheus.io/port':{},"                    \
    "'f:prometheus.io/scrape':{}}"

/* From the head of a managed field's entry to its fields, and its end. */
#define KIN__SIM_ENTRY(manager, version, time)                                                     \
    "{'manager':'" manager "','operation':'Update','apiVersion':'" version "','time':'" time       \
    "','fieldsType':'FieldsV1','fieldsV1':{"
#define KIN__SIM_ENTRY_END "}}"
#define KIN__SIM_STATUS_END "},'subresource':'status'}"

/* Up to volumeMounts' first element, and behind its last. */
#define KIN__SIM_CONTAINER                                                                         \
    "{'name':'app','image':'<image>','args':['--config=/etc/app/config.yaml'],"                    \
    "'ports':[{'name':'http','containerPort':<port>,'protocol':'TCP'}],"                           \
    "'env':[{'name':'POD_NAME','valueFrom':{'fieldRef':{'apiVersion':'v1',"                        \
    "'fieldPath':'metadata.name'}}},{'name':'DATABASE_URL',"                                       \
    "'value':'postgres://<app>@db.<ns>.svc:5432/main'}],"                                          \
    "'resources':" KIN__SIM_RESOURCES ",'volumeMounts':[" KIN__SIM_CONFIG_MOUNT
#define KIN__SIM_CONTAINER_END                                                                     \
    "],'readinessProbe':{'httpGet':{'path':'/readyz','port':'http','scheme':'HTTP'},"              \
    "'timeoutSeconds':1,'periodSeconds':5,'successThreshold':1,'failureThreshold':3},"             \
    "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',"           \
    "'imagePullPolicy':'IfNotPresent'}"
#define KIN__SIM_RESOURCES                                                                         \
    "{'limits':{'cpu':'<limit-cpu>','memory':'<limit-memory>'},"                                   \
    "'requests':{'cpu':'<cpu>','memory':'<memory>'}}"
#define KIN__SIM_CONFIG_MOUNT "{'name':'config','readOnly':true,'mountPath':'/etc/app'}"
#define KIN__SIM_CONFIG_VOLUME                                                                     \
    "{'name':'config','configMap':{'name':'<app>-config','defaultMode':420}}"

#define KIN__SIM_F_CONTAINERS                                                                      \
    "'f:containers':{'k:{`name`:`app`}':{'.':{},'f:args':{},'f:env':{'.':{},"                      \
    "'k:{`name`:`DATABASE_URL`}':{'.':{},'f:name':{},'f:value':{}},"                               \
    "'k:{`name`:`POD_NAME`}':{'.':{},'f:name':{},'f:valueFrom':{'.':{},'f:fieldRef':{}}}},"        \
    "'f:image':{},'f:imagePullPolicy':{},'f:name':{},"                                             \
    "'f:ports':{'.':{},'k:{`containerPort`:<port>,`protocol`:`TCP`}':{'.':{},"                     \
    "'f:containerPort':{},'f:name':{},'f:protocol':{}}},'f:readinessProbe':"                       \
    "{'.':{},'f:failureThreshold':{},'f:httpGet':{'.':{},'f:path':{},'f:port':{},'f:scheme':{}},"  \
    "'f:periodSeconds':{},'f:successThreshold':{},'f:timeoutSeconds':{}}"                          \
    ",'f:resources':{'.':{},'f:limits':{'.':{},'f:cpu':{},'f:memory':{}},"                         \
    "'f:requests':{'.':{},'f:cpu':{},'f:memory':{}}},'f:terminationMessagePath':{},"               \
    "'f:terminationMessagePolicy':{},'f:volumeMounts':{'.':{},"                                    \
    "'k:{`mountPath`:`/etc/app`}':{'.':{},'f:mountPath':{},'f:name':{},'f:readOnly':{}}}}}"
#define KIN__SIM_F_VOLUMES                                                                         \
    "'f:volumes':{'.':{},'k:{`name`:`config`}':{'.':{},'f:configMap':{'.':{},'f:defaultMode':{},"  \
    "'f:name':{}},'f:name':{}}}"

/* The template of a deployment or replica set, given its labels. */
#define KIN__SIM_TEMPLATE(labels)                                                                  \
    "'template':{'metadata':{'labels':{" labels "},'annotations':{" KIN__SIM_POD_ANNOTATIONS       \
    "}},'spec':{'volumes':[" KIN__SIM_CONFIG_VOLUME                                                \
    "],'containers':[" KIN__SIM_CONTAINER KIN__SIM_CONTAINER_END                                   \
    "],'restartPolicy':'Always','terminationGracePeriodSeconds':30,"                               \
    "'dnsPolicy':'ClusterFirst','securityContext':{},"                                             \
    "'schedulerName':'default-scheduler'}}"
#define KIN__SIM_F_TEMPLATE(labels)                                                                \
    "'f:template':{'f:metadata':{" KIN__SIM_F_POD_ANNOTATIONS ",'f:labels':{'.':{}," labels        \
    "}},'f:spec':{" KIN__SIM_F_CONTAINERS ",'f:dnsPolicy':{},'f:restartPolicy':{},"                \
    "'f:schedulerName':{},'f:securityContext':{},'f:terminationGracePeriodSeconds':{}"             \
    "," KIN__SIM_F_VOLUMES "}}"

#define KIN__SIM_OWNER(version, kind, name, uid)                                                   \
    "'ownerReferences':[{'apiVersion':'" version "','kind':'" kind "','name':'" name               \
    "','uid':'" uid "','controller':true,'blockOwnerDeletion':true}]"
#define KIN__SIM_F_OWNER(uid) "'f:ownerReferences':{'.':{},'k:{`uid`:`" uid "`}':{}}"

#endif /* KIN_SIMULATE_TEMPLATES_H */
