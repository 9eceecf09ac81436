# The components: their flags, how they are started, how one sees that they are ready.
# shellcheck shell=bash

# kctl ARGUMENTS...: kubectl as this tooling's own user, so that the audit policy can tell it from the tests.
kctl() {
  KUBECONFIG=$dir/setup.kubeconfig KUBECACHEDIR=$dir/kubectl-cache KUBECTL_KUBERC=false "$bin/kubectl" "$@"
}

# component_failed NAME REASON: the one line, and what the component says itself.
component_failed() {
  log_tail "$1"
  die "$1 $2; its log is $logs/$1.log"
}

# must_become_ready NAME SECONDS COMMAND...
must_become_ready() {
  local rc=0
  wait_ready "$@" || rc=$?
  case $rc in
    1) component_failed "$1" "has exited" ;;
    2) component_failed "$1" "is not ready after $2 s" ;;
  esac
}

lost_port() { tail -n 50 "$logs/$1.log" 2>/dev/null | grep -q 'address already in use'; }

# on_free_port VARIABLE NAME SECONDS LAUNCHER PROBE: sets the variable to a free port, launches, waits for the probe.
# Between finding a port and binding it somebody else may have taken it: then once more with another one.
on_free_port() {
  local -n port_ref=$1
  local name=$2 seconds=$3 launcher=$4 probe=$5 rc
  for _ in 1 2 3 4 5; do
    port_ref=$(free_port)
    "$launcher"
    rc=0
    wait_ready "$name" "$seconds" "$probe" || rc=$?
    ((rc == 0)) && return
    if ((rc != 1)) || ! lost_port "$name"; then break; fi
    say "$name lost port $port_ref to somebody else, trying another one"
  done
  ((rc == 1)) && component_failed "$name" "has exited"
  component_failed "$name" "is not ready after $seconds s"
}

launch_etcd() {
  local client=http://127.0.0.1:$etcd_port
  local flags=(
    --name=etcd --data-dir="$dir/etcd"
    --listen-client-urls="$client" --advertise-client-urls="$client"
    # a single member never dials a peer, so any port will do
    --listen-peer-urls=http://127.0.0.1:0 --initial-advertise-peer-urls=http://127.0.0.1:0
    --initial-cluster=etcd=http://127.0.0.1:0
    --quota-backend-bytes=$((8 * 1024 * 1024 * 1024)) --log-level=warn
  )
  if ((!fsync)); then flags+=(--unsafe-no-fsync); fi
  launch etcd "$bin/etcd" "${flags[@]}"
}

# Not by a connection: on a lost port that would be answered, by another control plane's etcd.
etcd_ready() { listens etcd "$etcd_port"; }

# launch_apiserver [FLAG...]: the flags given at `start` are kept in a file, those given here are for this run only.
launch_apiserver() {
  local flags=(
    --etcd-servers="http://127.0.0.1:$etcd_port"
    --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port="$apiserver_port"
    # a loopback address may not stand in an Endpoints object; nobody asks for it here
    --endpoint-reconciler-type=none
    --cert-dir="$certs" --tls-cert-file="$certs/apiserver.crt" --tls-private-key-file="$certs/apiserver.key"
    --client-ca-file="$certs/ca.crt"
    --service-account-issuer=https://kubernetes.default.svc
    --service-account-key-file="$certs/service-account.pub"
    --service-account-signing-key-file="$certs/service-account.key"
    --service-cluster-ip-range=10.96.0.0/16
    --authorization-mode=RBAC --allow-privileged=true
    # on SIGTERM watches end by a clean end of the stream; without this, one open watch delays the exit by a minute
    --shutdown-watch-termination-grace-period=2s
    # blocking: when a client has its answer, the line is on its way into the file; never rotated away under a test
    --audit-policy-file="$here/config/audit-policy.yaml" --audit-log-path="$dir/audit.log" --audit-log-format=json
    --audit-log-mode=blocking --audit-log-maxsize=100000
  )
  local extra=()
  mapfile -t extra <"$dir/apiserver-args"
  launch kube-apiserver "$bin/kube-apiserver" "${flags[@]}" "${extra[@]}" "$@"
}

apiserver_ready() { kctl get --raw=/readyz --request-timeout=2s; }

# No leader election: a controller manager that loses its lease exits, and would not survive a stopped API server.
# No serving port: nobody asks for one. An API server that was away for a minute, or a machine that slept, must not turn
# the node Unknown: it would mark all Pods NotReady, and kwok does not undo that as a kubelet does.
launch_controller_manager() {
  controllers_log_start=$(stat -c %s "$logs/kube-controller-manager.log" 2>/dev/null || echo 0)
  launch kube-controller-manager "$bin/kube-controller-manager" \
    --kubeconfig="$dir/kube-controller-manager.kubeconfig" \
    --leader-elect=false --secure-port=0 --profiling=false \
    --service-account-private-key-file="$certs/service-account.key" --root-ca-file="$certs/ca.crt" \
    --kube-api-qps=500 --kube-api-burst=1000 \
    --node-monitor-grace-period=1h
}

# Its last step: from now on deletes cascade, for all kinds there are at this moment. A kind whose CRD comes later is
# known to the garbage collector up to 40 s after that; hence `start --crds` and `controllers-restart`.
controllers_ready() {
  grep -q 'Proceeding to collect garbage' < <(tail -c "+$((controllers_log_start + 1))" "$logs/kube-controller-manager.log")
}

launch_scheduler() {
  launch kube-scheduler "$bin/kube-scheduler" \
    --kubeconfig="$dir/kube-scheduler.kubeconfig" \
    --leader-elect=false --secure-port=0 --profiling=false \
    --kube-api-qps=500 --kube-api-burst=1000
}

# The Lease keeps the node Ready: without it node and Pods are NotReady after some 45 s.
launch_kwok() {
  KWOK_WORKDIR=$dir/kwok launch kwok "$bin/kwok" \
    --kubeconfig="$dir/kwok.kubeconfig" \
    --manage-all-nodes=true --node-lease-duration-seconds=40 --enable-crds=Stage \
    --cidr=10.64.0.1/16 --node-ip=192.0.2.1
}

# install_crds FILE_OR_DIR...: returns when all of them are served.
install_crds() {
  local path crd files=()
  for path; do files+=(-f "$path"); done
  kctl apply --server-side --validate=false "${files[@]}" >/dev/null || die "kubectl could not apply the CRDs: $*"
  for crd in $(kctl get crds -o 'jsonpath={.items[*].metadata.name}'); do
    must_become_ready kube-apiserver 30 kctl get "$crd"
  done
}

# The Stages and the node they bring to life.
# By apply, since the API server holds back a *create* of a kind whose CRD is younger than two seconds, for two seconds.
create_node() {
  kctl apply --server-side --validate=false \
    -f "$here/config/node.yaml" -f "$here/config/stages-node.yaml" -f "$here/config/stages-pod.yaml" >/dev/null
}

# Ready, and without the taint that keeps Pods away until the controller manager has seen that.
node_ready() {
  [[ $(kctl get node fake-node -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}{.spec.taints}') == True ]]
}

default_service_account() { kctl get serviceaccount default -n default; }
