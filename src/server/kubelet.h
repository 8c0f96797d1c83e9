/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server/kubelet.h - what a real server asks the kubelet of a pod's node for.
 *
 * There is no kubelet: whoever asks is told what a real server tells when the pod is on no node, or
 * on one that nothing runs on.
 *
 * Threading: confined to the loop.
 */
#ifndef KIN_SERVER_KUBELET_H
#define KIN_SERVER_KUBELET_H

#include "server/deed.h"

/* Whether it is for kin__serve_kubelet(): attach, exec, log and portforward of pods. */
bool kin__kubelet_serves(const kin__route *route);

/* 204 for the log of a pod that is on no node; all else is refused. */
bool kin__serve_kubelet(kin__asked *asked, kin__answer *answer, kin__refusal *no);

#endif /* KIN_SERVER_KUBELET_H */
