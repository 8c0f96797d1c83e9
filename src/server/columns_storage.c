/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns_storage.c - the columns of volumes, their classes and drivers, and how objects are
 * stored.
 */
#include "server/columns_row.h"

static const kin__column persistent_volume[] = {
    COLUMN_NAME,
    COLUMN("Capacity", "string", "",
           "capacity is the description of the persistent volume's resources and capacity. More "
           "info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#capacity",
           0, kin__print_volume_capacity, NULL, NULL),
    COLUMN("Access Modes", "string", "",
           "accessModes contains all ways the volume can be mounted. More info: "
           "https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes",
           0, kin__print_access_modes, "spec.accessModes", NULL),
    COLUMN("Reclaim Policy", "string", "",
           "persistentVolumeReclaimPolicy defines what happens to a persistent volume when "
           "released from its claim. Valid options are Retain (default for manually created "
           "PersistentVolumes), Delete (default for dynamically provisioned PersistentVolumes), "
           "and Recycle (deprecated). Recycle must be supported by the volume plugin underlying "
           "this PersistentVolume. More info: "
           "https://kubernetes.io/docs/concepts/storage/persistent-volumes#reclaiming",
           0, kin__print_text, "spec.persistentVolumeReclaimPolicy", NULL),
    COLUMN("Status", "string", "",
           "phase indicates if a volume is available, bound to a claim, or released by a claim. "
           "More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#phase",
           0, kin__print_volume_phase, NULL, NULL),
    COLUMN("Claim", "string", "",
           "claimRef is part of a bi-directional binding between PersistentVolume and "
           "PersistentVolumeClaim. Expected to be non-nil when bound. claim.VolumeName is the "
           "authoritative bind between PV and PVC. More info: "
           "https://kubernetes.io/docs/concepts/storage/persistent-volumes#binding",
           0, kin__print_volume_claim, NULL, NULL),
    COLUMN("StorageClass", "string", "", "StorageClass of the pv", 0, kin__print_volume_class, NULL,
           NULL),
    COLUMN("VolumeAttributesClass", "string", "", "VolumeAttributesClass of the pv", 0,
           kin__print_text, "spec.volumeAttributesClassName", "<unset>"),
    COLUMN("Reason", "string", "",
           "reason is a brief CamelCase string that describes any failure and is meant for machine "
           "parsing and tidy display in the CLI.",
           0, kin__print_text, "status.reason", NULL),
    COLUMN_AGE,
    COLUMN(
        "VolumeMode", "string", "",
        "volumeMode defines if a volume is intended to be used with a formatted filesystem or to "
        "remain in raw block state. Value of Filesystem is implied when not included in spec.",
        1, kin__print_text, "spec.volumeMode", "<unset>"),
};

static const kin__column persistent_volume_claim[] = {
    COLUMN_NAME,
    COLUMN("Status", "string", "", "phase represents the current phase of PersistentVolumeClaim.",
           0, kin__print_volume_phase, NULL, NULL),
    COLUMN("Volume", "string", "",
           "volumeName is the binding reference to the PersistentVolume backing this claim.", 0,
           kin__print_text, "spec.volumeName", NULL),
    COLUMN("Capacity", "string", "",
           "capacity represents the actual resources of the underlying volume.", 0,
           kin__print_claim_capacity, NULL, NULL),
    COLUMN("Access Modes", "string", "",
           "accessModes contains the actual access modes the volume backing the PVC has. More "
           "info: https://kubernetes.io/docs/concepts/storage/persistent-volumes#access-modes-1",
           0, kin__print_claim_modes, NULL, NULL),
    COLUMN("StorageClass", "string", "", "StorageClass of the pvc", 0, kin__print_volume_class,
           NULL, NULL),
    COLUMN("VolumeAttributesClass", "string", "", "VolumeAttributesClass of the pvc", 0,
           kin__print_text, "spec.volumeAttributesClassName", "<unset>"),
    COLUMN_AGE,
    COLUMN("VolumeMode", "string", "",
           "volumeMode defines what type of volume is required by the claim. Value of Filesystem "
           "is implied when not included in claim spec.",
           1, kin__print_text, "spec.volumeMode", "<unset>"),
};

static const kin__column storage_class[] = {
    COLUMN("Name", "string", "name", DESCRIBES_NAME, 0, kin__print_default_name,
           "storageclass.kubernetes.io/is-default-class",
           "storageclass.beta.kubernetes.io/is-default-class"),
    COLUMN("Provisioner", "string", "", "provisioner indicates the type of the provisioner.", 0,
           kin__print_text, "provisioner", NULL),
    COLUMN("ReclaimPolicy", "string", "",
           "reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes "
           "of this storage class. Defaults to Delete.",
           0, kin__print_text, "reclaimPolicy", "Delete"),
    COLUMN("VolumeBindingMode", "string", "",
           "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and "
           "bound.  When unset, VolumeBindingImmediate is used. This field is only honored by "
           "servers that enable the VolumeScheduling feature.",
           0, kin__print_text, "volumeBindingMode", "Immediate"),
    COLUMN("AllowVolumeExpansion", "string", "",
           "allowVolumeExpansion shows whether the storage class allow volume expand.", 0,
           kin__print_flag, "allowVolumeExpansion", NULL),
    COLUMN_AGE,
};

static const kin__column volume_attributes_class[] = {
    COLUMN_NAME,
    COLUMN("DriverName", "string", "", "Name of the CSI driver This field is immutable.", 0,
           kin__print_text, "driverName", NULL),
    COLUMN_AGE,
};

static const kin__column volume_attachment[] = {
    COLUMN_NAME,
    COLUMN("Attacher", "string", "name",
           "attacher indicates the name of the volume driver that MUST handle this request. This "
           "is the name returned by GetPluginName().",
           0, kin__print_text, "spec.attacher", NULL),
    COLUMN("PV", "string", "",
           "persistentVolumeName represents the name of the persistent volume to attach.", 0,
           kin__print_text, "spec.source.persistentVolumeName", NULL),
    COLUMN("Node", "string", "",
           "nodeName represents the node that the volume should be attached to.", 0,
           kin__print_text, "spec.nodeName", NULL),
    COLUMN("Attached", "boolean", "",
           "attached indicates the volume is successfully attached. This field must only be set by "
           "the entity completing the attach operation, i.e. the external-attacher.",
           0, kin__print_flag, "status.attached", NULL),
    COLUMN_AGE,
};

static const kin__column csi_node[] = {
    COLUMN_NAME,
    COLUMN("Drivers", "integer", "",
           "Drivers indicates the number of CSI drivers registered on the node", 0,
           kin__print_count, "spec.drivers", NULL),
    COLUMN_AGE,
};

static const kin__column csi_driver[] = {
    COLUMN_NAME,
    COLUMN("AttachRequired", "boolean", "",
           "attachRequired indicates this CSI volume driver requires an attach operation (because "
           "it implements the CSI ControllerPublishVolume() method), and that the Kubernetes "
           "attach detach controller should call the attach volume interface which checks the "
           "volumeattachment status and waits until the volume is attached before proceeding to "
           "mounting. The CSI external-attacher coordinates with CSI volume driver and updates the "
           "volumeattachment status when the attach operation is complete. If the value is "
           "specified to false, the attach operation will be skipped. Otherwise the attach "
           "operation will be called.\n\nThis field is immutable.",
           0, kin__print_flag, "spec.attachRequired", "true"),
    COLUMN(
        "PodInfoOnMount", "boolean", "",
        "podInfoOnMount indicates this CSI volume driver requires additional pod information (like "
        "podName, podUID, etc.) during mount operations, if set to true. If set to false, pod "
        "information will not be passed on mount. Default is false.\n\nThe CSI driver specifies "
        "podInfoOnMount as part of driver deployment. If true, Kubelet will pass pod information "
        "as VolumeContext in the CSI NodePublishVolume() calls. The CSI driver is responsible for "
        "parsing and validating the information passed in as VolumeContext.\n\nThe following "
        "VolumeContext will be passed if podInfoOnMount is set to true. This list might grow, but "
        "the prefix will be used. \"csi.storage.k8s.io/pod.name\": pod.Name "
        "\"csi.storage.k8s.io/pod.namespace\": pod.Namespace \"csi.storage.k8s.io/pod.uid\": "
        "string(pod.UID) \"csi.storage.k8s.io/ephemeral\": \"true\" if the volume is an ephemeral "
        "inline volume\n                                defined by a CSIVolumeSource, otherwise "
        "\"false\"\n\n\"csi.storage.k8s.io/ephemeral\" is a new feature in Kubernetes 1.16. It is "
        "only required for drivers which support both the \"Persistent\" and \"Ephemeral\" "
        "VolumeLifecycleMode. Other drivers can leave pod info disabled and/or ignore this field. "
        "As Kubernetes 1.15 doesn't support this field, drivers can only support one mode when "
        "deployed on such a cluster and the deployment determines which mode that is, for example "
        "via a command line parameter of the driver.\n\nThis field was immutable in Kubernetes < "
        "1.29 and now is mutable.",
        0, kin__print_flag, "spec.podInfoOnMount", NULL),
    COLUMN("StorageCapacity", "boolean", "",
           "storageCapacity indicates that the CSI volume driver wants pod scheduling to consider "
           "the storage capacity that the driver deployment will report by creating "
           "CSIStorageCapacity objects with capacity information, if set to true.\n\nThe check can "
           "be enabled immediately when deploying a driver. In that case, provisioning new volumes "
           "with late binding will pause until the driver deployment has published some suitable "
           "CSIStorageCapacity object.\n\nAlternatively, the driver can be deployed with the field "
           "unset or false and it can be flipped later when storage capacity information has been "
           "published.\n\nThis field was immutable in Kubernetes <= 1.22 and now is mutable.",
           0, kin__print_flag, "spec.storageCapacity", NULL),
    COLUMN(
        "TokenRequests", "string", "",
        "tokenRequests indicates the CSI driver needs pods' service account tokens it is mounting "
        "volume for to do necessary authentication. Kubelet will pass the tokens in VolumeContext "
        "in the CSI NodePublishVolume calls. The CSI driver should parse and validate the "
        "following VolumeContext: \"csi.storage.k8s.io/serviceAccount.tokens\": {\n  "
        "\"<audience>\": {\n    \"token\": <token>,\n    \"expirationTimestamp\": <expiration "
        "timestamp in RFC3339>,\n  },\n  ...\n}\n\nNote: Audience in each TokenRequest should be "
        "different and at most one token is empty string. To receive a new token after expiry, "
        "RequiresRepublish can be used to trigger NodePublishVolume periodically.",
        0, kin__print_token_requests, NULL, NULL),
    COLUMN("RequiresRepublish", "boolean", "",
           "requiresRepublish indicates the CSI driver wants `NodePublishVolume` being "
           "periodically called to reflect any possible change in the mounted volume. This field "
           "defaults to false.\n\nNote: After a successful initial NodePublishVolume call, "
           "subsequent calls to NodePublishVolume should only update the contents of the volume. "
           "New mount points will not be seen by a running container.",
           0, kin__print_flag, "spec.requiresRepublish", NULL),
    COLUMN("Modes", "string", "",
           "volumeLifecycleModes defines what kind of volumes this CSI volume driver supports. The "
           "default if the list is empty is \"Persistent\", which is the usage defined by the CSI "
           "specification and implemented in Kubernetes via the usual PV/PVC mechanism.\n\nThe "
           "other mode is \"Ephemeral\". In this mode, volumes are defined inline inside the pod "
           "spec with CSIVolumeSource and their lifecycle is tied to the lifecycle of that pod. A "
           "driver has to be aware of this because it is only going to get a NodePublishVolume "
           "call for such a volume.\n\nFor more information about implementing this mode, see "
           "https://kubernetes-csi.github.io/docs/ephemeral-local-volumes.html A driver can "
           "support one or more of these modes and more modes may be added in the future.\n\nThis "
           "field is beta. This field is immutable.",
           0, kin__print_list, "spec.volumeLifecycleModes", "<none>"),
    COLUMN_AGE,
};

static const kin__column storage_version[] = {
    COLUMN_NAME,
    COLUMN("CommonEncodingVersion", "string", "",
           "commonEncodingVersion is set to an encoding storage version if all API server "
           "instances share that same version. If they don't share one storage version, this field "
           "is left empty. API servers should finish updating its storageVersionStatus entry "
           "before serving write operations, so that this field will be in sync with the reality.",
           0, kin__print_text, "status.commonEncodingVersion", "<unset>"),
    COLUMN("StorageVersions", "string", "",
           "storageVersions lists the reported versions per API server instance.", 0,
           kin__print_storage_versions, NULL, NULL),
    COLUMN_AGE,
};

static const kin__column storage_version_migration[] = {
    COLUMN("Name", "string", "", DESCRIBES_NAME, 0, kin__print_name, NULL, NULL),
    COLUMN("Resource", "string", "", "GroupResource to migrate", 0, kin__print_migration_resource,
           NULL, NULL),
    COLUMN("Status", "string", "", "Status of the migration", 0, kin__print_migration_status, NULL,
           NULL),
};

static const kin__columns kinds[] = {
    { KIND("", "PersistentVolume", persistent_volume) },
    { KIND("", "PersistentVolumeClaim", persistent_volume_claim) },
    { KIND("storage.k8s.io", "StorageClass", storage_class) },
    { KIND("storage.k8s.io", "VolumeAttributesClass", volume_attributes_class) },
    { KIND("storage.k8s.io", "VolumeAttachment", volume_attachment) },
    { KIND("storage.k8s.io", "CSINode", csi_node) },
    { KIND("storage.k8s.io", "CSIDriver", csi_driver) },
    { KIND("internal.apiserver.k8s.io", "StorageVersion", storage_version) },
    { KIND("storagemigration.k8s.io", "StorageVersionMigration", storage_version_migration) },
};

const kin__columns_set kin__columns_storage = { kinds, sizeof kinds / sizeof kinds[0] };
