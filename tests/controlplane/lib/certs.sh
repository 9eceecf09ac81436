# The certificate authority of one control plane, and a kubeconfig per user.
# shellcheck shell=bash

# Elliptic curves, since an RSA key takes longer to make than an API server to start.
readonly NEW_KEY=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)

openssl_quietly() {
  openssl "$@" 2>"$logs/openssl.log" || {
    log_tail openssl
    die "openssl could not make a certificate"
  }
}

# make_ca: own settings, so that the machine's openssl.cnf has no say.
make_ca() {
  cat >"$certs/openssl.cnf" <<'CNF'
[req]
distinguished_name = dn
[dn]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = IP:127.0.0.1, IP:10.96.0.1, DNS:localhost, DNS:kubernetes, DNS:kubernetes.default, DNS:kubernetes.default.svc
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
CNF
  openssl_quietly req -x509 -config "$certs/openssl.cnf" -extensions ca "${NEW_KEY[@]}" -days 3650 \
    -subj /CN=controlplane-ca -keyout "$certs/ca.key" -out "$certs/ca.crt"
}

# make_cert NAME KIND SUBJECT: NAME.key and NAME.crt, signed by the authority; KIND is server or client.
make_cert() {
  openssl_quietly req -x509 -config "$certs/openssl.cnf" -extensions "$2" "${NEW_KEY[@]}" -days 3650 -subj "$3" \
    -CA "$certs/ca.crt" -CAkey "$certs/ca.key" -keyout "$certs/$1.key" -out "$certs/$1.crt"
}

make_service_account_key() {
  openssl_quietly genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out "$certs/service-account.key"
  openssl_quietly pkey -in "$certs/service-account.key" -pubout -out "$certs/service-account.pub"
}

# make_kubeconfig FILE USER [GROUP]: certificates inline, so that the file can be copied anywhere.
# Group system:masters may do everything.
make_kubeconfig() {
  local file=$1 user=$2 group=${3:-}
  make_cert "client-$user" client "${group:+/O=$group}/CN=$user"
  (
    umask 077
    cat >"$file" <<YAML
apiVersion: v1
kind: Config
current-context: controlplane
clusters:
- name: controlplane
  cluster:
    server: https://127.0.0.1:$apiserver_port
    certificate-authority-data: $(base64 -w0 <"$certs/ca.crt")
users:
- name: $user
  user:
    client-certificate-data: $(base64 -w0 <"$certs/client-$user.crt")
    client-key-data: $(base64 -w0 <"$certs/client-$user.key")
contexts:
- name: controlplane
  context: {cluster: controlplane, user: $user}
YAML
  )
}
